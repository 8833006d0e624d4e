//! The parameters of a scene as a panel shows them: what is described, joined with what the scene says.

use thalweg::field::describe::{Choice, Form, Parameter};
use thalweg::field::units::{self, Dimension};
use thalweg::project::{Scene, description, told};
use toml::{Table, Value};

/// One parameter of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Its key as an edit names it: `rain.0.rate`.
    pub key: String,
    /// Its name for people: `Rate`.
    pub name: String,
    /// Its value in SI, unless the scene does not say.
    pub value: Option<Value>,
    pub unit: Unit,
    pub control: Control,
    /// What it does, with range and default.
    pub help: String,
    /// Whether it can change while the scene runs.
    pub live: bool,
}

/// Parameters that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub name: String,
    pub rows: Vec<Row>,
}

/// How a number is told: its unit, and how large that is in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub symbol: &'static str,
    pub size: f64,
    pub dimension: Option<Dimension>,
}

impl Unit {
    const NONE: Self = Self { symbol: "", size: 1.0, dimension: None };

    /// The unit in which values up to `high` are handy.
    fn of(form: Option<&Form>, high: f64) -> Self {
        let Some(dimension) = form.and_then(|form| Dimension::named(form.dimension.as_deref()?)) else {
            return Self::NONE;
        };
        let symbol = dimension.symbol();
        let own = Self { symbol, size: 1.0, dimension: Some(dimension) };
        if dimension == Dimension::Angle {
            return Self { symbol: "°", size: std::f64::consts::PI / 180.0, ..own };
        }
        if symbol.is_empty() || (0.05..2.0e4).contains(&high) {
            return own;
        }
        let handy = |(_, size): &&(&str, f64)| (1.0..2.0e4).contains(&(high / size));
        let found = dimension.units().iter().find(handy);
        found.map_or(own, |(symbol, size)| Self { symbol, size: *size, ..own })
    }

    /// A number as text in this unit, with five digits.
    pub(crate) fn tell(&self, number: f64) -> String {
        let shown = number / self.size;
        let rounded =
            if shown.fract() == 0.0 { shown } else { format!("{shown:.4e}").parse().unwrap_or(shown) };
        if rounded != 0.0 && !(1.0e-4..1.0e7).contains(&rounded.abs()) {
            format!("{rounded:e}")
        } else {
            format!("{rounded}")
        }
    }

    /// Reads a number, with this unit if it names none.
    pub(crate) fn read(&self, text: &str) -> Option<f64> {
        let text = text.trim();
        if let Ok(number) = text.parse::<f64>() {
            return Some(number * self.size);
        }
        units::parse(text, self.dimension?).ok()
    }
}

/// With what a value is chosen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Control {
    /// A number, within a range; sensible ones between two others.
    Number {
        range: [f64; 2],
        slider: Option<[f64; 2]>,
        whole: bool,
    },
    /// Several numbers.
    Numbers {
        range: [f64; 2],
        count: usize,
    },
    Switch,
    Words(Vec<Choice>),
    Text,
}

/// Sections that the panel shows, in its order, with their names. The rest is for files and pictures.
const SECTIONS: [(&str, &str); 14] = [
    ("solver", "Solver"),
    ("rain", "Rain"),
    ("source", "Source"),
    ("drain", "Drain"),
    ("emitter", "Emitter"),
    ("sink", "Sink"),
    ("water", "Water at the beginning"),
    ("body", "Body"),
    ("wavemaker", "Wavemaker"),
    ("ocean", "Ocean"),
    ("time", "Time"),
    ("edges", "Edges"),
    ("terrain", "Terrain"),
    ("seed", "Seed"),
];

/// All parameters of a scene in groups.
pub(crate) fn groups(scene: &Scene) -> Vec<Group> {
    let Ok(table) = Table::try_from(scene) else { return Vec::new() };
    let description = description();
    let described = description.parameters();
    let mut groups = Vec::new();
    for (section, name) in SECTIONS {
        match table.get(section) {
            Some(Value::Table(entry)) => {
                let kind = entry.get("kind").and_then(Value::as_str);
                let rows = rows_of(entry, described, &Way::to(section, section, kind));
                let name = kind.map_or(name.to_owned(), |kind| format!("{name}: {}", words(kind)));
                groups.push(Group { name, rows });
            }
            Some(Value::Array(entries)) => {
                for (i, entry) in entries.iter().enumerate().filter_map(|(i, e)| Some((i, e.as_table()?))) {
                    let kind = entry.get("kind").and_then(Value::as_str);
                    let rows = rows_of(entry, described, &Way::to(&format!("{section}.{i}"), section, kind));
                    groups.push(Group { name: format!("{name} {}", i + 1), rows });
                }
            }
            Some(value) => {
                if let Some(parameter) = described.iter().find(|parameter| parameter.key == section) {
                    groups.push(Group {
                        name: name.into(),
                        rows: vec![row(section.into(), parameter, Some(value))],
                    });
                }
            }
            None => {}
        }
    }
    groups.retain(|group| !group.rows.is_empty());
    groups
}

/// Where in a scene, and in its description, a section is.
struct Way<'a> {
    key: String,
    described: String,
    kind: Option<&'a str>,
}

impl<'a> Way<'a> {
    fn to(key: &str, described: &str, kind: Option<&'a str>) -> Self {
        Self { key: key.into(), described: described.into(), kind }
    }
}

/// The parameters of a section and of those in it, in the order in which they are described.
fn rows_of(entry: &Table, described: &[Parameter], way: &Way) -> Vec<Row> {
    let mut rows = Vec::new();
    for parameter in described {
        let Some(name) = parameter.key.strip_prefix(&way.described).and_then(|rest| rest.strip_prefix('.'))
        else {
            continue;
        };
        let fits = parameter.kinds.is_empty()
            || way.kind.is_none_or(|kind| parameter.kinds.iter().any(|own| own == kind));
        if name.contains('.') || !fits || ["kind", "preset", "backend"].contains(&name) {
            continue;
        }
        let [key, below] = [&way.key, &way.described].map(|path| format!("{path}.{name}"));
        if rows.iter().any(|row: &Row| row.key == key) {
            continue;
        }
        match entry.get(name) {
            Some(Value::Table(table)) => {
                let kind = table.get("kind").and_then(Value::as_str);
                rows.extend(rows_of(
                    table,
                    described,
                    &Way { key, described: below, kind: kind.or(way.kind) },
                ));
            }
            Some(Value::Array(list)) if list.iter().all(Value::is_table) && !list.is_empty() => {
                for (i, table) in list.iter().enumerate().filter_map(|(i, e)| Some((i, e.as_table()?))) {
                    let kind = table.get("kind").and_then(Value::as_str).or(way.kind);
                    let way = Way { key: format!("{key}.{i}"), described: below.clone(), kind };
                    rows.extend(rows_of(table, described, &way));
                }
            }
            value => {
                let table_only = parameter.forms.iter().all(|form| form.form == "table");
                let unsaid = value.is_none() && (table_only && parameter.choices.is_empty());
                if !unsaid {
                    let mut row = row(key, parameter, value);
                    row.name = name_of(&row.key, &way.key);
                    rows.push(row);
                }
            }
        }
    }
    // Names within names tell where they belong.
    let top = &way.key;
    for row in &mut rows {
        row.name = name_of(&row.key, top);
    }
    rows
}

fn row(key: String, parameter: &Parameter, value: Option<&Value>) -> Row {
    let quantity = parameter.quantity();
    let range = quantity.and_then(|form| form.range).unwrap_or([f64::MIN, f64::MAX]);
    let [_, high] = parameter.slider.unwrap_or(range);
    let unit = Unit::of(quantity, high);
    let control = control(parameter, value, range);
    Row {
        name: name_of(&key, ""),
        help: help(parameter),
        value: value.cloned(),
        live: parameter.live,
        key,
        unit,
        control,
    }
}

fn control(parameter: &Parameter, value: Option<&Value>, range: [f64; 2]) -> Control {
    let number = |whole| Control::Number { range, slider: parameter.slider, whole };
    let form = |name: &str| parameter.forms.iter().any(|form| form.form == name);
    match value {
        Some(Value::Boolean(_)) => Control::Switch,
        Some(Value::Integer(_)) => number(form("integer")),
        Some(Value::Float(_)) => number(false),
        Some(Value::Array(list)) if list.iter().all(|v| v.is_float() || v.is_integer()) => {
            Control::Numbers { range, count: list.len() }
        }
        None if form("number") => number(false),
        None if form("integer") => number(true),
        None if form("boolean") => Control::Switch,
        _ if !parameter.choices.is_empty() => Control::Words(parameter.choices.clone()),
        _ => Control::Text,
    }
}

/// What it does, what is allowed, what it is unasked and whether it needs a restart.
fn help(parameter: &Parameter) -> String {
    let mut lines = vec![parameter.meaning.clone()];
    let form = parameter.quantity();
    if let Some([low, high]) = form.and_then(|form| form.range) {
        let say = |number: f64| told(&serde_json::json!(number), form);
        lines.push(format!("From {} to {}.", say(low), say(high)));
    }
    if let Some(hint) = &parameter.hint {
        lines.push(format!("{}.", sentence(hint)));
    }
    if let Some(default) = parameter.default.as_ref().filter(|default| !default.is_null()) {
        lines.push(format!("Unasked: {}.", told(default, form)));
    }
    lines.push(if parameter.live { "Acts at once.".into() } else { "Needs a restart.".into() });
    lines.push(format!("Key: {}", parameter.key));
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// The words of a key below a section: `Capacity`, `Fluid: viscosity`, `Layer 1: height`.
fn name_of(key: &str, section: &str) -> String {
    let rest = key.strip_prefix(section).unwrap_or(key).trim_start_matches('.');
    let mut names: Vec<String> = Vec::new();
    for part in rest.split('.') {
        match (part.parse::<usize>(), names.last_mut()) {
            (Ok(number), Some(last)) => *last = format!("{last} {}", number + 1),
            _ => names.push(in_full(part)),
        }
    }
    sentence(&names.join(": "))
}

/// A part of a key without abbreviations.
fn in_full(part: &str) -> String {
    let words = part.split(['_', '-']).map(|word| match word {
        "dt" => "time step",
        "max" => "largest",
        "min" => "smallest",
        "cfl" => "Courant number",
        other => other,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A name in words.
pub(crate) fn words(name: &str) -> String {
    name.replace(['_', '-'], " ")
}

/// With a capital letter in front.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::project::{built_in_scenes, parse};

    fn of(text: &str) -> Vec<Group> {
        groups(&parse(text, "here", &[]).unwrap())
    }

    fn find<'a>(groups: &'a [Group], key: &str) -> &'a Row {
        let mut rows = groups.iter().flat_map(|group| &group.rows);
        rows.find(|row| row.key == key).unwrap_or_else(|| panic!("there is no {key}"))
    }

    #[test]
    fn rain_is_told_in_millimetres_per_hour_and_read_in_any_unit() {
        let groups = of("version = 1\n[[rain]]\nrate = '36 mm/h'");
        let rate = find(&groups, "rain.0.rate");
        assert_eq!((rate.name.as_str(), rate.unit.symbol, rate.live), ("Rate", "mm/h", true));
        let value = rate.value.as_ref().and_then(Value::as_float).unwrap();
        assert_eq!(rate.unit.tell(value), "36");
        let near = |text: &str, metres_per_second: f64| {
            let found = rate.unit.read(text).unwrap();
            assert!((found / metres_per_second - 1.0).abs() < 1.0e-9, "{text}: {found} m/s");
        };
        near("72", 2.0e-5);
        near("1 cm/h", 1.0e-2 / 3600.0);
        near("1e-4 m/s", 1.0e-4);
        assert_eq!(rate.unit.read("3 kg"), None);
    }

    #[test]
    fn what_needs_a_restart_is_marked() {
        let groups = of("version = 1\nseed = 3\n[[source]]\nat = [10, 20]\nrate = 2");
        assert!(!find(&groups, "seed").live && !find(&groups, "terrain.cell").live);
        assert!(find(&groups, "source.0.rate").live && find(&groups, "solver.capacity").live);
        assert_eq!(
            find(&groups, "source.0.at").control,
            Control::Numbers { range: range_of(&groups), count: 2 }
        );
        assert!(find(&groups, "seed").help.contains("Needs a restart"));
    }

    fn range_of(groups: &[Group]) -> [f64; 2] {
        match find(groups, "source.0.at").control {
            Control::Numbers { range, .. } => range,
            _ => panic!("a place is no list of numbers"),
        }
    }

    /// Every value of every scene can be told and set to itself.
    #[test]
    fn every_number_of_every_scene_is_within_its_range_and_reads_as_it_is_told() {
        for scene in built_in_scenes() {
            let groups = of(scene.text);
            assert!(groups.iter().map(|group| group.rows.len()).sum::<usize>() > 15, "{}", scene.name);
            for row in groups.iter().flat_map(|group| &group.rows) {
                let (Control::Number { range, .. }, Some(value)) = (&row.control, &row.value) else {
                    continue;
                };
                let value = value.as_float().or(value.as_integer().map(|n| n as f64));
                let Some(value) = value else { continue };
                assert!((range[0]..=range[1]).contains(&value), "{}: {} is {value}", scene.name, row.key);
                let read = row.unit.read(&row.unit.tell(value)).unwrap();
                assert!((read - value).abs() <= 1.0e-3 * value.abs(), "{}: {} m {read}", row.key, value);
            }
        }
    }
}
