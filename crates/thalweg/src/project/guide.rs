//! The guide's tables of parameters, written from their descriptions.
//!
//! A table stands between two comments, the first of which says what is in it:
//!
//! ```text
//! <!-- parameters: solver pipes; presets thalweg, mei-2007 -->
//! <!-- end -->
//! ```
//!
//! First the section, then the kinds that have its keys, each with a column of its own for defaults where there are
//! several. `presets` gives columns to parameter tables instead, `only` and `without` choose among the keys.

use super::describe::{description, presets};
use super::explain::{number_told, told};
use super::{
    CameraKey, CameraTable, Coarse, CutTable, Drops, Emitter, GroundMap, Obstacle, Output, ParticlesTable,
    PictureTable, Pool, Probe, Rain, Scene, Sink, Source, Terrain, Time, WaterTable, Wavemaker,
};
use serde_json::Value;
use thalweg_coupling as coupling;
use thalweg_erosion::{pipes, stream_power};
use thalweg_field::Edges;
use thalweg_field::describe::{Form, Parameter, field_names};
use thalweg_terrain::noise::{Billow, Fbm, Ridged, Voronoi, Warp};
use thalweg_terrain::recipe::Island;
use thalweg_terrain::shape::{Basin, Bump, Canyon, Cone, Ditch, Meander, Plane, Ramp};
use thalweg_terrain::volume::{BedRecipe, Cavern, NoiseLayer, StrataRecipe, Terraces, Tube, VolumeRecipe};
use thalweg_waves::{BodyParams, GerstnerWave, OceanParams, Params as Waves, Steer};

const BEGIN: &str = "<!-- parameters: ";
const END: &str = "<!-- end -->";

/// A page of the guide with its tables written anew; the text says what is wrong with one.
pub fn with_tables(page: &str) -> Result<String, String> {
    let mut whole = String::new();
    let mut rest = page;
    while let Some(at) = rest.find(BEGIN) {
        let (before, from) = rest.split_at(at);
        let (line, after) = from.split_once('\n').ok_or("a table has no end")?;
        let end = after.find(END).ok_or_else(|| format!("{line} has no end"))?;
        let order = line.strip_prefix(BEGIN).and_then(|line| line.strip_suffix("-->")).unwrap_or_default();
        whole += &format!("{before}{line}\n{}", Table::ordered(order)?.written());
        rest = &after[end..];
    }
    Ok(whole + rest)
}

/// What a table shows.
struct Table<'a> {
    section: &'a str,
    kinds: Vec<&'a str>,
    presets: Vec<&'a str>,
    only: Vec<&'a str>,
    without: Vec<&'a str>,
}

impl<'a> Table<'a> {
    fn ordered(order: &'a str) -> Result<Self, String> {
        let mut parts = order.split(';').map(str::trim);
        let mut first = parts.next().unwrap_or_default().split_whitespace();
        let section = first.next().unwrap_or_default();
        let mut table = Self {
            section: if section == "scene" { "" } else { section },
            kinds: first.collect(),
            presets: Vec::new(),
            only: Vec::new(),
            without: Vec::new(),
        };
        for part in parts {
            let (word, list) = part.split_once(' ').unwrap_or((part, ""));
            let list = list.split(',').map(str::trim).collect();
            match word {
                "presets" => table.presets = list,
                "only" => table.only = list,
                "without" => table.without = list,
                _ => return Err(format!("\"{part}\" says nothing about a table of parameters")),
            }
        }
        if table.rows().is_empty() {
            return Err(format!("there are no parameters in \"{order}\""));
        }
        Ok(table)
    }

    /// The keys in the order of the code, each with what is known of it for each kind.
    fn rows(&self) -> Vec<(&'static str, Vec<Parameter>)> {
        let description = description();
        let all = description.parameters();
        let key = |name: &str| {
            if self.section.is_empty() { name.into() } else { format!("{}.{name}", self.section) }
        };
        let of_kind = |parameter: &Parameter, kind: &str| {
            parameter.kinds.is_empty() || parameter.kinds.iter().any(|other| other == kind)
        };
        let found = |name: &str| -> Vec<Parameter> {
            let named = all.iter().filter(|parameter| parameter.key == key(name));
            named
                .filter(|p| self.kinds.is_empty() || self.kinds.iter().any(|kind| of_kind(p, kind)))
                .cloned()
                .collect()
        };
        let wanted = |name: &&'static str| {
            (self.only.is_empty() || self.only.contains(name)) && !self.without.contains(name)
        };
        let names = names_in(self.section, &self.kinds).into_iter().filter(wanted);
        names.map(|name| (name, found(name))).filter(|(_, found)| !found.is_empty()).collect()
    }

    fn written(&self) -> String {
        let columns: Vec<String> = match (&self.presets[..], &self.kinds[..]) {
            ([], kinds) if kinds.len() > 1 => kinds.iter().map(|kind| format!("`{kind}`")).collect(),
            ([], _) => vec!["default".into()],
            (presets, _) => presets.iter().map(|preset| format!("`{preset}`")).collect(),
        };
        let mut lines = vec![
            format!("| key | kind | {} | meaning |", columns.join(" | ")),
            format!("|---|---|{}---|", "---|".repeat(columns.len())),
        ];
        for (name, found) in self.rows() {
            let meaning = self.meaning(&found);
            let cells = self.defaults(name, &found).join(" | ");
            lines.push(format!("| `{name}` | {} | {cells} | {meaning} |", kind(&found[0])));
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// What it does, of each kind if they differ, and what its words do.
    fn meaning(&self, found: &[Parameter]) -> String {
        let mut meanings: Vec<(String, &str)> = Vec::new();
        for parameter in found {
            let kinds: Vec<_> = self
                .kinds
                .iter()
                .filter(|kind| parameter.kinds.iter().any(|k| k == *kind))
                .map(|kind| format!("`{kind}`"))
                .collect();
            match meanings.iter_mut().find(|(_, meaning)| *meaning == parameter.meaning) {
                Some((other, _)) => *other = format!("{other}, {}", kinds.join(", ")),
                None => meanings.push((kinds.join(", "), &parameter.meaning)),
            }
        }
        let mut told = match &meanings[..] {
            [(_, only)] => (*only).to_owned(),
            several => {
                several.iter().map(|(kinds, text)| format!("{kinds}: {text}")).collect::<Vec<_>>().join(" ")
            }
        };
        for choice in found[0].choices.iter().filter(|choice| !choice.meaning.is_empty()) {
            told += &format!(" `{}`: {}", choice.value, choice.meaning);
        }
        told.replace('|', "\\|")
    }

    fn defaults(&self, name: &str, found: &[Parameter]) -> Vec<String> {
        let cell = |parameter: Option<&Parameter>| match parameter {
            None => String::new(),
            Some(parameter) if parameter.required => "required".into(),
            Some(parameter) => value_told(parameter.default.as_ref(), parameter),
        };
        if name == "preset" && !self.presets.is_empty() {
            return self.presets.iter().map(|preset| format!("`\"{preset}\"`")).collect();
        }
        if !self.presets.is_empty() {
            let tables: Vec<_> = self.kinds.iter().flat_map(|kind| presets(kind)).collect();
            let section = self.section.strip_prefix("solver").unwrap_or_default().replace('.', "/");
            let pointer = format!("{section}/{name}");
            let value = |preset: &&str| match tables.iter().find(|(name, _)| name == preset) {
                // What is in no table is the same for all.
                Some((_, table)) if in_tables(&tables, &pointer) => {
                    value_told(table.pointer(&pointer), &found[0])
                }
                _ => cell(found.first()),
            };
            return self.presets.iter().map(value).collect();
        }
        if self.kinds.len() < 2 {
            return vec![cell(found.first())];
        }
        let of = |kind: &&str| cell(found.iter().find(|p| p.kinds.iter().any(|other| other == kind)));
        self.kinds.iter().map(of).collect()
    }
}

fn in_tables(tables: &[(&str, Value)], pointer: &str) -> bool {
    tables.iter().any(|(_, table)| table.pointer(pointer).is_some())
}

/// A value, or that there is none.
fn value_told(value: Option<&Value>, parameter: &Parameter) -> String {
    match value {
        None => "none".into(),
        Some(Value::Array(list)) if list.is_empty() => "none".into(),
        Some(Value::Object(_)) => String::new(),
        Some(value @ (Value::String(_) | Value::Array(_))) => format!("`{}`", told(value, None)),
        Some(value) => raised(&told(value, parameter.quantity())),
    }
}

/// Text with powers of ten as they are printed: `10⁶` for `1e6`.
fn raised(text: &str) -> String {
    let word = |word: &str| -> Option<String> {
        let (before, exponent) = word.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let mantissa = before.trim_start_matches(['±', '-']);
        let sign = &before[..before.len() - mantissa.len()];
        mantissa.parse::<f64>().ok()?;
        let factor = if mantissa == "1" { String::new() } else { format!("{mantissa}·") };
        let raised = |c: char| {
            c.to_digit(10).map_or('⁻', |digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize).unwrap_or(c))
        };
        Some(format!("{sign}{factor}10{}", exponent.to_string().chars().map(raised).collect::<String>()))
    };
    text.split(' ').map(|part| word(part).unwrap_or_else(|| part.to_owned())).collect::<Vec<_>>().join(" ")
}

/// What a value may look like.
fn kind(parameter: &Parameter) -> String {
    let words = parameter.choices.iter().map(|choice| format!("`{}`", choice.value));
    words.chain(parameter.forms.iter().map(form)).collect::<Vec<_>>().join(", ")
}

fn form(form: &Form) -> String {
    let name = form.dimension.as_deref().unwrap_or(form.form);
    let name = match form.length {
        Some(length) if form.form == "list" => {
            let part = if name == "list" { form.each.unwrap_or(name) } else { name };
            format!("[{}]", vec![part; length as usize].join(", "))
        }
        _ => name.to_owned(),
    };
    let unit = form.unit.as_deref().unwrap_or_default();
    let range = match form.range {
        Some([low, high]) if low == high => format!("{name}, {low}"),
        Some([low, high]) if low == -high => format!("{name}, within ±{}", number_told(high, unit)),
        Some([low, high]) => {
            let low = number_told(low, if unit == "rad" { unit } else { "" });
            format!("{name}, {low} to {}", number_told(high, unit))
        }
        None => name,
    };
    raised(&range)
}

/// The keys of a section, in the order of the code.
fn names_in(section: &str, kinds: &[&str]) -> Vec<&'static str> {
    let kind = kinds.first().copied().unwrap_or_default();
    let names: &[&[&'static str]] = match (section, kind) {
        ("", _) => &[field_names::<Scene>()],
        ("terrain", _) => &[field_names::<Terrain>()],
        ("terrain.island", _) => &[field_names::<Island>()],
        ("terrain.hardness" | "terrain.uplift", _) => &[field_names::<GroundMap>()],
        ("terrain.volume", _) => &[field_names::<VolumeRecipe>()],
        ("terrain.volume.noise", _) => &[field_names::<NoiseLayer>()],
        ("terrain.volume.terraces", _) => &[field_names::<Terraces>()],
        ("terrain.volume.cavern", _) => &[field_names::<Cavern>()],
        ("terrain.volume.tube", _) => &[field_names::<Tube>()],
        ("terrain.volume.strata", _) => &[field_names::<StrataRecipe>()],
        ("terrain.volume.strata.bed", _) => &[field_names::<BedRecipe>()],
        ("terrain.layer", _) => return layer_names(kinds),
        ("terrain.layer.warp", _) => &[field_names::<Warp>()],
        ("terrain.layer.mask", _) => &[&["layer", "low", "high", "center", "radius", "fade"]],
        ("solver", "sph") => &[&["kind", "preset", "backend"], field_names::<coupling::Params>()],
        ("solver", "stream-power") => {
            &[&["kind", "preset", "backend"], field_names::<stream_power::Params>()]
        }
        ("solver", "waves") => &[&["kind", "preset", "backend"], field_names::<Waves>()],
        ("solver.layer", _) => &[field_names::<stream_power::RockLayer>()],
        ("solver", _) => &[&["kind", "preset", "backend"], field_names::<pipes::Params>()],
        ("solver.fluid", _) => &[field_names::<thalweg_sph::FluidParams>()],
        ("solver.bed", _) => &[field_names::<coupling::BedParams>()],
        ("solver.erosion", _) => &[field_names::<coupling::ErosionParams>()],
        ("edges", _) => &[field_names::<Edges>()],
        ("time", _) => &[field_names::<Time>()],
        ("time.coarse", _) => &[field_names::<Coarse>()],
        ("output", _) => &[field_names::<Output>()],
        ("water", _) => &[field_names::<Pool>()],
        ("rain", _) => &[field_names::<Rain>()],
        ("rain.drops", _) => &[field_names::<Drops>()],
        ("source" | "drain", _) => &[field_names::<Source>()],
        ("emitter", _) => &[field_names::<Emitter>()],
        ("sink", _) => &[field_names::<Sink>()],
        ("obstacle", _) => &[field_names::<Obstacle>()],
        ("probe", _) => &[field_names::<Probe>()],
        ("ocean", _) => &[field_names::<OceanParams>()],
        ("ocean.wave", _) => &[field_names::<GerstnerWave>()],
        ("body", _) => &[field_names::<BodyParams>()],
        ("body.steer", _) => &[field_names::<Steer>()],
        ("wavemaker", _) => &[field_names::<Wavemaker>()],
        ("camera", _) => &[field_names::<CameraTable>()],
        ("camera.key", _) => &[field_names::<CameraKey>()],
        ("picture", _) => &[field_names::<PictureTable>()],
        ("picture.cut", _) => &[field_names::<CutTable>()],
        ("picture.water", _) => &[field_names::<WaterTable>()],
        ("picture.particles", _) => &[field_names::<ParticlesTable>()],
        ("picture.overlay", _) => &[&["field", "colours", "scale", "range", "opacity"]],
        _ => &[],
    };
    names.concat()
}

/// The keys of some kinds of layers together.
fn layer_names(kinds: &[&str]) -> Vec<&'static str> {
    let mut all = vec!["kind"];
    for kind in kinds {
        let names = match *kind {
            "fbm" => field_names::<Fbm>(),
            "ridged" => field_names::<Ridged>(),
            "billow" => field_names::<Billow>(),
            "voronoi" => field_names::<Voronoi>(),
            "plane" => field_names::<Plane>(),
            "ramp" => field_names::<Ramp>(),
            "bump" => field_names::<Bump>(),
            "cone" => field_names::<Cone>(),
            "basin" => field_names::<Basin>(),
            "ditch" => field_names::<Ditch>(),
            "meander" => field_names::<Meander>(),
            "canyon" => field_names::<Canyon>(),
            _ => &[],
        };
        let new: Vec<_> = names.iter().filter(|name| !all.contains(name)).collect();
        all.extend(new);
    }
    all
}
