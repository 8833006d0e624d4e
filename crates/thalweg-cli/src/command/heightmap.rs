//! Reading somebody's heightmap: what the file does not say is assumed, the same by every command, and told.

use super::memory_limit;
use crate::Failure;
use crate::args::{Reading, Source};
use crate::print::fixed;
use std::path::Path;
use thalweg::field::Heightfield;
use thalweg::io::{ByteOrder, Imported, Notice, ReadOptions, read_heightfield};
use thalweg::project::Terrain;

/// Steepest and flattest terrain whose numbers are taken for metres: height over width `[-]`. Mountains reach 0.3; the
/// numbers of a file that nobody explained are either the metres themselves or codes for them.
const LIKELY: std::ops::RangeInclusive<f64> = 0.001..=0.5;

/// Height of a terrain over its width, where nothing is known about it `[-]`: mountains, but no needles.
const USUAL: f64 = 0.125;

/// A terrain or another map as it was read.
pub(super) struct Read {
    pub imported: Imported,
    /// Heights of black and white, as asked for or assumed `[m]`.
    pub height_range: Option<[f64; 2]>,
    /// What had to be assumed, and how to say it.
    pub assumed: Vec<String>,
    /// What else is remarkable about the file.
    pub remarks: Vec<String>,
}

impl Read {
    /// Tells all of it.
    pub(super) fn tell(&self) {
        self.assumed.iter().chain(&self.remarks).for_each(|note| remark!("note: {note}"));
    }
}

/// What is said about a file, heights aside.
pub(super) fn options(source: &Source) -> ReadOptions {
    let order = match (source.big_endian, source.little_endian) {
        (true, _) => Some(ByteOrder::Big),
        (_, true) => Some(ByteOrder::Little),
        _ => None,
    };
    ReadOptions {
        cell: source.metres_per_pixel,
        size: source.raw_size,
        byte_order: order,
        band: source.band.clone(),
        utm: source.utm,
        max_bytes: memory_limit(source.max_memory),
        ..ReadOptions::default()
    }
}

/// Reads a terrain or another map.
pub(super) fn read(file: &Path, reading: &Reading) -> Result<Read, Failure> {
    read_keeping(file, reading, false)
}

/// The same; cells without a height may stay so.
pub(super) fn read_keeping(file: &Path, reading: &Reading, keep_holes: bool) -> Result<Read, Failure> {
    let mut options =
        ReadOptions { keep_holes, height_range: reading.height_range, ..options(&reading.source) };
    let import = |options: &ReadOptions| read_heightfield(file, options).map_err(Failure::usage);
    let mut imported = import(&options)?;
    let cells = imported.field.height.cols().max(imported.field.height.rows());
    let found = Found { cells, cell: imported.field.frame.cell, heights: range(&imported.field) };
    let assumed = assume(file, &mut options, &imported.notices, &found);
    if let Some(cell) = options.cell.filter(|_| imported.notices.iter().any(is_cell_unknown)) {
        imported.field.frame.cell = cell;
    }
    if options.height_range != reading.height_range {
        imported = import(&options)?;
    }
    let remarks = remarks(file, &imported.notices);
    Ok(Read { imported, height_range: options.height_range, assumed, remarks })
}

fn is_cell_unknown(notice: &Notice) -> bool {
    matches!(notice, Notice::CellUnknown { .. })
}

/// What was found in a file.
pub(super) struct Found {
    /// Cells along its longer side.
    pub cells: usize,
    /// Side of a cell, if the file says it `[m]`.
    pub cell: f64,
    /// Lowest and highest number.
    pub heights: [f64; 2],
}

/// Puts what a file does not say, by what was found in it, into the options, and tells how to say it.
pub(super) fn assume(
    file: &Path,
    options: &mut ReadOptions,
    notices: &[Notice],
    found: &Found,
) -> Vec<String> {
    let Found { cells, mut cell, heights: [low, high] } = *found;
    let name = name_of(file);
    let mut assumed = Vec::new();
    if notices.iter().any(is_cell_unknown) {
        cell = Terrain::CELL;
        options.cell = Some(cell);
        assumed.push(format!(
            "{name} does not say how large a pixel is: {cell} m assumed; --metres-per-pixel changes it"
        ));
    }
    if notices.contains(&Notice::TakenAsMetres) {
        let width = cells as f64 * cell;
        let said = if high > low && !LIKELY.contains(&((high - low) / width)) {
            let top = round(USUAL * width);
            options.height_range = Some([0.0, top]);
            format!("0 m assumed for black and {top} m for white")
        } else {
            format!("its numbers are taken as metres, {} to {} m", fixed(low, 1), fixed(high, 1))
        };
        assumed.push(format!("{name} does not say how high it is: {said}; --input-heights changes it"));
    }
    assumed
}

/// What else is remarkable about a file.
pub(super) fn remarks(file: &Path, notices: &[Notice]) -> Vec<String> {
    let name = name_of(file);
    let other = |notice: &&Notice| !is_cell_unknown(notice) && **notice != Notice::TakenAsMetres;
    notices.iter().filter(other).map(|notice| format!("{name}: {notice}")).collect()
}

/// The name of a file without its folder.
pub(super) fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Lowest and highest ground `[m]`.
pub(super) fn range(ground: &Heightfield) -> [f64; 2] {
    ground.height.range().map_or([0.0; 2], |(low, high)| [low.into(), high.into()])
}

/// The nearest of 1, 2, 5, 10, 20, ...
pub(super) fn round(number: f64) -> f64 {
    let ten = 10_f64.powf(number.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * ten);
    let off = |step: &f64| (step / number).ln().abs();
    steps.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(ten)
}

/// A heightmap and what a scene says about it.
pub(super) struct Ground {
    /// Name of the file in the scene's folder.
    pub name: String,
    pub field: Heightfield,
    /// Heights of black and white, where the scene has to say them `[m]`.
    height_range: Option<[f64; 2]>,
    /// Whether the scene gets a file of metres, because it cannot say how to read the numbers of this one.
    pub converted: bool,
}

impl Ground {
    /// What a scene says about a heightmap that was read.
    pub(super) fn new(file: &Path, reading: &Reading, read: Read) -> Self {
        let converted = reading.source.raw_size.is_some()
            || reading.source.big_endian
            || reading.source.little_endian
            || reading.source.band.is_some()
            || reading.source.utm;
        let name = name_of(file);
        Self {
            name: if converted { name_of(&Path::new(&name).with_extension("exr")) } else { name },
            field: read.imported.field,
            height_range: read.height_range.filter(|_| !converted),
            converted,
        }
    }

    /// `[terrain]` of a scene around it.
    pub(super) fn section(&self) -> String {
        let cell = format!("cell = \"{} m\"", self.field.frame.cell);
        let heights = match self.height_range {
            Some([low, high]) => {
                format!(
                    "{:<37}# of black and of white",
                    format!("height_range = [\"{low} m\", \"{high} m\"]")
                )
            }
            None => {
                let [low, high] = range(&self.field).map(|height| fixed(height, 1));
                format!(
                    "# heights are {low} to {high} m; height_range = [\"LOW m\", \"HIGH m\"] says what black and white are instead"
                )
            }
        };
        let file = quoted(&self.name);
        format!("[terrain]\nfile = {file}\n{cell:<37}# side of a pixel on the ground\n{heights}\n")
    }
}

/// Text as TOML has it, which is as JSON has it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// An image that weighs something: black is 0 and white is 1.
pub(super) struct Image {
    /// Name of the file in the scene's folder.
    pub name: String,
    /// Its values from 0 to 1 `[-]`.
    pub shares: Heightfield,
    /// The file as it is.
    pub content: Vec<u8>,
}

impl Image {
    /// Reads it. In the scene's folder it has its own name, or `other` before it where that is `taken`.
    pub(super) fn read(file: &Path, taken: &[&str], other: &str, max_bytes: u64) -> Result<Self, Failure> {
        let options = ReadOptions {
            cell: Some(1.0),
            height_range: Some([0.0, 1.0]),
            max_bytes,
            ..ReadOptions::default()
        };
        let shares = read_heightfield(file, &options).map_err(Failure::usage)?.field;
        let unreadable = |error| Failure::usage(format!("{}: cannot be read: {error}", file.display()));
        let content = std::fs::read(file).map_err(unreadable)?;
        let name = name_of(file);
        let name = if taken.contains(&name.as_str()) { format!("{other}-{name}") } else { name };
        Ok(Self { name, shares, content })
    }
}
