//! Terrain as a program wants it: format, size, byte order, orientation, and what to type into the program.
//!
//! What each one requires is from its own documentation: Unreal Engine 5.4 "Landscape Technical Guide", Unity "Import
//! terrain heightmap", Terrain3D "Importing Data", Houdini "HeightField File", Gaea "File node".

use super::fitted::{fitted, keeps_shape};
use super::{heightmap, tiles};
use crate::Failure;
use crate::args::{ConvertArgs, FitArg, TargetArg};
use crate::print::fixed;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use thalweg::field::{Field, Frame, Grid2, Heightfield};
use thalweg::io::{
    Story, WriteOptions, atomic, read_heightfield, read_map, write_heightfield, write_map_exr, write_map_png,
    write_map_tiff, write_shares_png, write_vectors_png,
};
use thalweg::terrain::art::{NormalStyle, normals, splat};

/// Water at least this deep counts as such in shares of the ground `[m]`.
const WET: f32 = 0.01;

/// Endings that mean a folder rather than a file are none.
const NONE: &str = "";

/// Cells along the sides of sections that Unreal has, less one, and sections along the side of a component.
const QUADS: [usize; 6] = [7, 15, 31, 63, 127, 255];
const SECTIONS: [usize; 2] = [1, 2];

/// Most components of a landscape in Unreal.
const COMPONENTS: usize = 1024;

/// Heights that codes of Unreal reach at a Z scale of 100 `[cm]`: 65535 / 128.
const UNREAL_RANGE: f64 = 65535.0 / 128.0;

/// Least range that codes are given, for flat ground `[m]`.
const LEAST_RANGE: f64 = 1.0;

/// A program and what it reads.
pub(super) struct Target {
    program: TargetArg,
    name: &'static str,
    /// Endings of files it reads, the usual one first.
    endings: &'static [&'static str],
    /// Ending of its masks.
    masks: &'static str,
}

impl Target {
    pub(super) fn of(program: TargetArg) -> Self {
        let (name, endings, masks): (_, &[_], _) = match program {
            TargetArg::Unreal => ("unreal", &["png", "r16", "raw"], "png"),
            TargetArg::Unity => ("unity", &["raw", "r16"], "png"),
            TargetArg::Godot => ("godot", &["exr", "r16"], "exr"),
            TargetArg::Blender => ("blender", &["exr", "tif", "png"], "exr"),
            TargetArg::Houdini => ("houdini", &["exr"], "exr"),
            TargetArg::Gaea => ("gaea", &["exr", "r32", "tif", "png"], "png"),
            TargetArg::Gis => ("gis", &["tif"], "tif"),
        };
        Self { program, name, endings, masks }
    }

    /// Writes terrain to a file, or to one named `height` in a folder.
    pub(super) fn convert(
        &self,
        args: &ConvertArgs,
        ground: Heightfield,
        output: &Path,
    ) -> Result<(), Failure> {
        let ground = self.sized(args, ground)?;
        let output = self.file(output)?;
        self.write(args, &ground, &output, Story::default())
    }

    /// The file to write.
    fn file(&self, output: &Path) -> Result<PathBuf, Failure> {
        let ending = output.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if ending == NONE || output.is_dir() {
            atomic::create_dir(output)?;
            return Ok(output.join(format!("height.{}", self.endings[0])));
        }
        if self.endings.contains(&ending.as_str()) {
            return Ok(output.to_path_buf());
        }
        let list: Vec<_> = self.endings.iter().map(|ending| format!(".{ending}")).collect();
        let why = match (self.program, ending.as_str()) {
            (TargetArg::Godot, "png") => " (it makes 256 levels of a 16-bit PNG)",
            _ => "",
        };
        Err(Failure::usage(format!(
            "{}: for {} the file must be {}{why}",
            output.display(),
            self.name,
            list.join(" or ")
        )))
    }

    /// The ground in a size that the program takes.
    fn sized(&self, args: &ConvertArgs, ground: Heightfield) -> Result<Heightfield, Failure> {
        let old = [ground.height.cols(), ground.height.rows()];
        let is_free = !matches!(self.program, TargetArg::Unreal | TargetArg::Unity);
        if is_free {
            return match args.size {
                Some(size) => fitted(ground, size, args.fit, args.source.max_memory),
                None => Ok(ground),
            };
        }
        let wanted = match (args.size, args.tiles) {
            (Some(size), _) => size,
            (None, _) => old,
        };
        // Tiles have the size that counts.
        let [across, down] = args.tiles.unwrap_or([1, 1]);
        let tile = [(wanted[0] - 1) / across + 1, (wanted[1] - 1) / down + 1];
        if self.is_legal(tile) {
            return fitted(ground, wanted, args.fit, args.source.max_memory);
        }
        let near = self.nearest(tile);
        let whole = |[cols, rows]: [usize; 2]| [(cols - 1) * across + 1, (rows - 1) * down + 1];
        if let (Some(fit), None) = (args.fit, args.size) {
            let off = |size: &[usize; 2]| {
                let cells = |[cols, rows]: [usize; 2]| (cols as f64 * rows as f64).ln();
                let bent = if keeps_shape(old, *size) { 0.0 } else { 10.0 };
                (cells(*size) - cells(old)).abs() + if fit == FitArg::Nearest { bent } else { 0.0 }
            };
            let sizes: Vec<_> = near.iter().map(|&size| whole(size)).collect();
            let best = sizes.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
            let Some(size) = best else { return Err(self.refused(tile, &near)) };
            if fit == FitArg::Nearest && !keeps_shape(old, size) {
                return Err(Failure::usage(format!(
                    "{} takes no terrain of the shape of {} x {} cells; say --fit crop to cut or --fit pad to add ground \
                     instead of --fit nearest",
                    self.name, old[0], old[1]
                )));
            }
            return fitted(ground, size, Some(fit), args.source.max_memory);
        }
        Err(self.refused(tile, &near))
    }

    fn refused(&self, [cols, rows]: [usize; 2], near: &[[usize; 2]]) -> Failure {
        let sizes: Vec<_> = near.iter().map(|[cols, rows]| format!("{cols}x{rows}")).collect();
        let rule = match self.program {
            TargetArg::Unity => "a square of 33 to 4097, a power of two and one",
            _ => "sections of 7 to 255 cells and one, such as 505, 1009, 2017 or 4033",
        };
        Failure::usage(format!(
            "{} takes no terrain of {cols} x {rows} cells ({rule}); the nearest are {}: choose one with --size, or say \
             --fit nearest to resample, --fit crop to cut or --fit pad to add ground",
            self.name,
            sizes.join(" and ")
        ))
    }

    fn is_legal(&self, [cols, rows]: [usize; 2]) -> bool {
        match self.program {
            TargetArg::Unity => cols == rows && (33..=4097).contains(&cols) && (cols - 1).is_power_of_two(),
            TargetArg::Unreal => landscape([cols, rows]).is_some(),
            _ => true,
        }
    }

    /// The nearest sizes below and above.
    fn nearest(&self, [cols, rows]: [usize; 2]) -> Vec<[usize; 2]> {
        let side = cols.max(rows);
        if self.program == TargetArg::Unity {
            let sides: Vec<usize> = (5..=12).map(|n| (1 << n) + 1).collect();
            let below = sides.iter().rev().find(|&&n| n <= side);
            let above = sides.iter().find(|&&n| n >= side);
            return below.into_iter().chain(above).map(|&n| [n, n]).collect();
        }
        let mut sizes = BTreeSet::new();
        for unit in QUADS.iter().flat_map(|quads| SECTIONS.map(|sections| quads * sections)) {
            for longer in 1..=COMPONENTS {
                let long = longer * unit;
                if longer > 1 && long > 2 * side {
                    break;
                }
                let short =
                    (cols.min(rows) - 1) as f64 / (side.max(2) - 1) as f64 * long as f64 / unit as f64;
                for shorter in [short.floor(), short.ceil()].map(|n| (n as usize).max(1)) {
                    if longer * shorter <= COMPONENTS {
                        let [a, b] = [long + 1, shorter * unit + 1];
                        sizes.insert(if cols >= rows { [a, b] } else { [b, a] });
                    }
                }
            }
        }
        // Its own shape first: one that is bent least, then the one nearest in size.
        let shape = (cols as f64 / rows as f64).ln();
        let off = |size: &[usize; 2]| {
            let bent = ((size[0] as f64 / size[1] as f64).ln() - shape).abs();
            let far = (size[0].max(size[1]) as f64 / side as f64).ln().abs();
            far + 4.0 * bent
        };
        let best = |wanted: &dyn Fn(usize) -> bool| {
            let sizes = sizes.iter().filter(|size| wanted(size[0].max(size[1])));
            sizes.min_by(|a, b| off(a).total_cmp(&off(b))).copied()
        };
        best(&|n| n <= side).into_iter().chain(best(&|n| n > side)).collect()
    }

    /// Writes the file, or tiles of it, and tells what to type into the program.
    fn write(
        &self,
        args: &ConvertArgs,
        ground: &Heightfield,
        output: &Path,
        story: Story,
    ) -> Result<(), Failure> {
        let [low, high] = args.output_heights.unwrap_or_else(|| heightmap::range(ground));
        let range = [
            low,
            if high - low < LEAST_RANGE && args.output_heights.is_none() { low + LEAST_RANGE } else { high },
        ];
        let ending = output.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let coded = matches!(ending.as_str(), "png" | "r16" | "raw");
        let parts = match args.tiles {
            Some(count) => tiles::cut(ground, count)?
                .into_iter()
                .map(|([col, row], tile)| (self.tile_path(output, [col, row], count), tile))
                .collect(),
            None => vec![(output.to_path_buf(), ground.clone())],
        };
        let mut told = None;
        for (path, part) in parts {
            let values = self.values(&part, range, &ending);
            let story = Story { engine: Some(values.clone()), ..story.clone() };
            let how = WriteOptions {
                height_range: coded.then_some(range),
                story,
                sidecar: true,
                south_first: self.program == TargetArg::Unity,
                ..WriteOptions::default()
            };
            write_heightfield(&path, &part, &how)?;
            if self.program == TargetArg::Unreal && ending == "raw" {
                let [width, height] = [part.height.cols(), part.height.rows()];
                let text = json!({ "width": width, "height": height, "bpp": 16 }).to_string() + "\n";
                atomic::write_atomic(&path.with_extension("json"), |file| {
                    std::io::Write::write_all(file, text.as_bytes())
                })?;
            }
            say!("{}", path.display());
            told = Some(values);
        }
        let Some(Value::Object(values)) = told else { return Ok(()) };
        for (name, value) in values.into_iter().filter(|(name, _)| name != "for") {
            match value {
                Value::String(text) => say!("  {name:<26} {text}"),
                value => say!("  {name:<26} {value}"),
            }
        }
        Ok(())
    }

    /// Writes a map as the program takes masks.
    fn write_map(&self, stem: &Path, field: &Field, frame: &Frame) -> Result<(), Failure> {
        let file = stem.with_extension(self.masks);
        match self.masks {
            "png" => write_map_png(&file, field, frame)?,
            "exr" => write_map_exr(&file, field, frame)?,
            _ => write_map_tiff(&file, field, frame)?,
        }
        say!("{}", file.display());
        Ok(())
    }

    /// Writes normals, in the style of the program, and the shares of rock, soil, loose ground and water in each cell.
    fn write_art(
        &self,
        folder: &Path,
        ground: &Heightfield,
        maps: &BTreeMap<String, Grid2<f32>>,
    ) -> Result<(), Failure> {
        let (style, told) = match self.program {
            TargetArg::Unreal => (NormalStyle::DirectX, "DirectX"),
            _ => (NormalStyle::OpenGl, "OpenGL"),
        };
        let file = folder.join("normal.png");
        let about = json!({ "quantity": "normal", "style": told });
        write_vectors_png(&file, &normals(ground, style), &about.to_string())?;
        say!("{} ({told})", file.display());
        let wet = maps.get("water").map(|depth| depth.map(|depth| if depth >= WET { 1.0_f32 } else { 0.0 }));
        let shares = splat(ground, maps.get("deposition"), wet.as_ref());
        let about = json!({ "quantity": "splat", "red": "rock", "green": "soil", "blue": "loose ground",
            "alpha": "water", "sum": 255 });
        let file = folder.join("splat.png");
        write_shares_png(&file, &shares, &about.to_string())?;
        say!("{} (red rock, green soil, blue loose ground, alpha water)", file.display());
        Ok(())
    }

    /// Unity counts tiles from the south-west, the others from the north-west.
    fn tile_path(&self, output: &Path, [col, row]: [usize; 2], [_, down]: [usize; 2]) -> PathBuf {
        if self.program != TargetArg::Unity {
            return tiles::tile_path(output, col, row);
        }
        let stem = output.file_stem().unwrap_or_default().to_string_lossy();
        let ending = output.extension().unwrap_or_default().to_string_lossy();
        output.with_file_name(format!("{stem}_{col}_{}.{ending}", down - 1 - row))
    }

    /// What to type into the program, by the words in its windows.
    fn values(&self, ground: &Heightfield, [low, high]: [f64; 2], ending: &str) -> Value {
        let [cols, rows] = [ground.height.cols(), ground.height.rows()];
        let cell = ground.frame.cell;
        let [width, length] = [cols, rows].map(|count| (count - 1) as f64 * cell);
        let mut values = Map::new();
        let mut put = |name: &str, value: Value| {
            values.insert(name.to_owned(), value);
        };
        let number = |value: f64| json!((value * 1.0e6).round() / 1.0e6);
        put("for", self.name.into());
        match self.program {
            TargetArg::Unreal => {
                let scale = (high - low) * 100.0 / UNREAL_RANGE;
                put("Scale X, Y", number(cell * 100.0));
                put("Scale Z", number(scale));
                put("Location Z (cm)", number(low * 100.0 + 256.0 * scale));
                put("Overall Resolution", format!("{cols} x {rows}").into());
                if let Some([quads, sections, across, down]) = landscape([cols, rows]) {
                    put("Section Size", format!("{quads}x{quads} Quads").into());
                    put("Sections Per Component", format!("{sections}x{sections} Sections").into());
                    put("Number of Components", format!("{across} x {down}").into());
                }
            }
            TargetArg::Unity => {
                put("Depth", "Bit 16".into());
                put("Resolution", cols.into());
                put("Byte Order", "Windows".into());
                put("Flip Vertically", "off: the rows begin in the south already".into());
                put("Terrain Width", number(width));
                put("Terrain Length", number(length));
                put("Terrain Height", number(high - low));
                put("Position Y", number(low));
            }
            TargetArg::Godot if ending == "exr" => {
                put("vertex_spacing", number(cell));
                put("Import Scale", number(1.0));
                put("Height Offset", number(0.0));
            }
            TargetArg::Godot => {
                put("vertex_spacing", number(cell));
                put("R16 Size", format!("{cols} x {rows}").into());
                put("R16 Range", format!("{}, {}", fixed(low, 4), fixed(high, 4)).into());
                put("Import Scale", number(1.0));
            }
            TargetArg::Blender => {
                let [low, range] = if ending == "png" { [low, high - low] } else { [0.0, 1.0] };
                put("Plane Size X, Y (m)", format!("{width} x {length}").into());
                put("Image Color Space", "Non-Color".into());
                put("Displace Strength", number(range));
                // Without the sign that 0 would get.
                put("Displace Midlevel", number(if range > 0.0 { 0.0 - low / range } else { 0.0 }));
            }
            TargetArg::Houdini => {
                put("Size (m)", format!("{width} x {length}").into());
                put("Grid Spacing", number(cell));
                put("Height Scale", number(1.0));
                put("Layer", "height".into());
            }
            TargetArg::Gaea => {
                put("Terrain Width (m)", number(width.max(length)));
                put("Terrain Height (m)", number(high - low));
                put("Lowest height (m)", number(low));
            }
            TargetArg::Gis => {
                put("CRS", ground.frame.crs.clone().unwrap_or_else(|| "none".into()).into());
                put("No data", "nan".into());
                put("Cell (m)", number(cell));
            }
        }
        Value::Object(values)
    }
}

/// Quads along a section, sections along a component, and components to the east and to the south of a landscape in Unreal:
/// as few components as possible. `None` if it takes no such size.
fn landscape([cols, rows]: [usize; 2]) -> Option<[usize; 4]> {
    let mut best = None;
    for quads in QUADS {
        for sections in SECTIONS {
            let unit = quads * sections;
            if cols < 2 || rows < 2 || !(cols - 1).is_multiple_of(unit) || !(rows - 1).is_multiple_of(unit) {
                continue;
            }
            let [across, down] = [(cols - 1) / unit, (rows - 1) / unit];
            let fewer = best.is_none_or(|[_, _, a, d]: [usize; 4]| across * down < a * d);
            if across * down <= COMPONENTS && fewer {
                best = Some([quads, sections, across, down]);
            }
        }
    }
    best
}

/// Writes the height and the maps of a run into a folder.
pub(super) fn convert_run(args: &ConvertArgs, program: TargetArg) -> Result<(), Failure> {
    let target = Target::of(program);
    if args.output.extension().is_some() {
        return Err(Failure::usage(format!(
            "{}: what becomes of a whole run needs the name of a folder",
            args.output.display()
        )));
    }
    let limit = super::memory_limit(args.source.max_memory);
    let from = &args.input;
    let reading = thalweg::io::ReadOptions { max_bytes: limit, ..Default::default() };
    let height = read_heightfield(&from.join("height.exr"), &reading).map_err(Failure::usage)?.field;
    let ground = target.sized(args, height.clone())?;
    let output = target.file(&args.output)?;
    target.write(args, &ground, &output, story(from))?;
    let mut maps = BTreeMap::new();
    for path in maps_of(from) {
        let field = read_map(&path, limit).map_err(Failure::usage)?;
        if !field.values.same_shape(&height.height) {
            continue;
        }
        let field = as_large(args, field, &height.frame, &ground)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        target.write_map(&args.output.join(&stem), &field, &ground.frame)?;
        maps.insert(stem, field.values);
    }
    if program != TargetArg::Gis {
        target.write_art(&args.output, &ground, &maps)?;
    }
    Ok(())
}

/// The maps of a run as EXR files, by their names.
fn maps_of(run: &Path) -> Vec<PathBuf> {
    let Ok(maps) = std::fs::read_dir(run.join("maps")) else { return Vec::new() };
    let paths = maps.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut maps: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "exr")).collect();
    maps.sort();
    maps
}

/// A map with the cells of the ground that it belongs to.
fn as_large(
    args: &ConvertArgs,
    mut field: Field,
    frame: &Frame,
    ground: &Heightfield,
) -> Result<Field, Failure> {
    let size = [ground.height.cols(), ground.height.rows()];
    let range = field.values.range();
    let values = Heightfield { height: field.values, frame: frame.clone() };
    let fit = args.fit.filter(|fit| *fit != FitArg::Nearest);
    field.values = fitted(values, size, fit, args.source.max_memory)?.height;
    // Cubics go beyond what there is; no water is less than none.
    if let Some((low, high)) = range {
        field.values = field.values.map(|value| value.clamp(low, high));
    }
    Ok(field)
}

/// What the report and the scene of a run say about where its ground comes from.
fn story(run: &Path) -> Story {
    let report = std::fs::read_to_string(run.join("report.json")).unwrap_or_default();
    let report: Value = serde_json::from_str(&report).unwrap_or_default();
    let scene = std::fs::read(run.join("scene.toml")).ok();
    // FNV-1a, 64 bits.
    let hash = |bytes: Vec<u8>| {
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    };
    Story { seed: report["seed"].as_u64(), parameters: scene.map(hash), ..Story::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes that Epic recommends, with the sections and components of its table.
    #[test]
    fn the_recommended_sizes_are_made_of_their_sections() {
        for (side, expected) in [
            (8129, [127, 2, 32, 32]),
            (4033, [63, 2, 32, 32]),
            (2017, [63, 2, 16, 16]),
            (1009, [63, 2, 8, 8]),
            (505, [63, 2, 4, 4]),
        ] {
            let found = landscape([side, side]).unwrap_or_default();
            let [quads, sections, across, down] = found;
            assert_eq!(quads * sections * across + 1, side, "{found:?}");
            assert!(
                across * down <= expected[2] * expected[3],
                "{side}: {found:?}, {expected:?} are recommended"
            );
        }
        assert_eq!(landscape([1024, 1024]), None);
        assert_eq!(landscape([1009, 505]).map(|[.., a, d]| a == 2 * d), Some(true));
    }

    #[test]
    fn the_nearest_sizes_lie_on_both_sides() {
        let unity = Target::of(TargetArg::Unity);
        assert_eq!(unity.nearest([1000, 700]), [[513, 513], [1025, 1025]]);
        let unreal = Target::of(TargetArg::Unreal);
        let [below, above] = unreal.nearest([1000, 1000])[..] else { panic!() };
        assert!(unreal.is_legal(below) && unreal.is_legal(above));
        assert!(below[0] <= 1000 && above[0] > 1000 && below[0] == below[1] && above[0] == above[1]);
        for size in unreal.nearest([1000, 500]) {
            assert!(unreal.is_legal(size), "{size:?}");
        }
    }

    /// Scale 100 is 512 m less one code in Epic's table, from −256 m up, if the actor is at 0.
    #[test]
    fn codes_of_unreal_stand_for_the_heights_they_are_given() {
        let ground = Heightfield { height: Grid2::filled(505, 505, 0.0), frame: Frame::with_cell(2.0) };
        let [low, high] = [-100.0, 900.0];
        let values = Target::of(TargetArg::Unreal).values(&ground, [low, high], "png");
        let [scale, z] = ["Scale Z", "Location Z (cm)"].map(|name| values[name].as_f64().unwrap());
        // Epic: z of a code is (code − 32768) / 128 cm times the scale.
        for (code, height) in [(0.0, low), (65535.0, high)] {
            let metres = (z + (code - 32768.0) / 128.0 * scale) / 100.0;
            assert!((metres - height).abs() < 1.0e-4, "code {code} is at {metres} m, not {height}");
        }
        assert_eq!(values["Scale X, Y"], 200.0);
    }
}
