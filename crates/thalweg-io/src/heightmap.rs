//! Terrain in and out, whatever the format.

use crate::atomic::write_atomic;
use crate::label::{ByteOrder, HEIGHT, Label, sidecar_of};
use crate::reading::{Raster, Reading};
use crate::{Notice, ReadError, WriteError, exr, nodata, png, raw, tiff};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::path::Path;
use thalweg_field::{FieldInfo, Frame, Grid2, Heightfield};

/// Side of a cell where neither the file nor the options tell it `[m]`.
const DEFAULT_CELL: f64 = 1.0;

/// As many different heights as 8 bits give; a wider file with no more was made from 8 bits.
const FEW_LEVELS: usize = 256;

/// Numbers that programs write where there is no height `[m]`.
const USUAL_NODATA: [f32; 4] = [-9999.0, -32768.0, -32767.0, f32::MIN];

/// How to read terrain, where the file does not say it all.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Side of a cell `[m]`; wins over what the file says, also where the file's own grid is refused
    /// because it is in degrees or its cells are not square.
    pub cell: Option<f64>,
    /// Heights of code 0 and of the largest code of an integer file, or of 0 and 1 in a float file `[m]`.
    pub height_range: Option<[f64; 2]>,
    /// Columns and rows of a raw file.
    pub size: Option<[usize; 2]>,
    /// True if the numbers of a raw file have their high byte first.
    pub big_endian: bool,
    /// True if a map in degrees is to be laid out in metres, in the UTM zone of its middle; `cell` is the side of its
    /// new cells then, and without it they are as large as the old ones.
    pub utm: bool,
    /// Memory that reading may use `[byte]`.
    pub max_bytes: u64,
}

impl Default for ReadOptions {
    /// Whatever the file says, in at most 8 GiB.
    fn default() -> Self {
        Self { cell: None, height_range: None, size: None, big_endian: false, utm: false, max_bytes: 8 << 30 }
    }
}

impl ReadOptions {
    fn validated(&self, path: &Path) -> Result<(), ReadError> {
        let refuse =
            |option, value, expected| Err(ReadError::Option { path: path.into(), option, value, expected });
        match (self.cell, self.height_range) {
            (Some(cell), _) if !(cell.is_finite() && cell > 0.0) => {
                refuse("the cell size", format!("{cell} m"), "it must be above 0, such as 30")
            }
            (_, Some([low, high])) if !(low.is_finite() && high.is_finite()) => {
                refuse("the height range", format!("{low} to {high} m"), "both ends must be finite numbers")
            }
            _ => Ok(()),
        }
    }
}

/// Terrain that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The terrain; every height is finite.
    pub field: Heightfield,
    /// What its numbers are: heights, unless a description inside or beside the file says otherwise.
    pub info: FieldInfo,
    /// What had to be assumed or repaired.
    pub notices: Vec<Notice>,
}

/// What reading a file would take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Number of columns.
    pub cols: usize,
    /// Number of rows.
    pub rows: usize,
    /// Memory in use at the peak of reading, nearly all of it the heights and a decoding buffer `[byte]`.
    pub bytes: u64,
}

/// How to write terrain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// Heights of code 0 and of the largest code in 16-bit files `[m]`; by default the terrain's own range.
    /// Tiles of one terrain share a range so that their seams meet.
    pub height_range: Option<[f64; 2]>,
}

pub(crate) enum Format {
    Png,
    Tiff,
    Exr,
    Raw,
}

impl Format {
    /// By the first bytes of the file, then by its name: raw numbers have no signature.
    pub(crate) fn of(head: &[u8], path: &Path) -> Option<Self> {
        match head {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Some(Self::Tiff),
            [0x76, 0x2f, 0x31, 0x01, ..] => Some(Self::Exr),
            _ => Self::named(path).filter(|format| matches!(format, Self::Raw)),
        }
    }

    pub(crate) fn named(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "tif" | "tiff" => Some(Self::Tiff),
            "exr" => Some(Self::Exr),
            "r16" | "raw" => Some(Self::Raw),
            _ => None,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Tiff => "TIFF",
            Self::Exr => "EXR",
            Self::Raw => "RAW",
        }
    }
}

/// Opens a file and finds out what it is.
fn open<'a>(
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<(Format, Reading<'a>, BufReader<File>), ReadError> {
    options.validated(path)?;
    let io = |source| ReadError::Io { path: path.into(), source };
    let (reading, mut file) = Reading::open(path, options)?;
    let mut head = Vec::new();
    file.by_ref().take(8).read_to_end(&mut head).map_err(io)?;
    file.rewind().map_err(io)?;
    match (Format::of(&head, path), Format::named(path)) {
        (Some(format), _) => Ok((format, reading, file)),
        (None, Some(named)) => Err(reading.broken(named.name(), "it does not begin like one")),
        (None, None) => Err(ReadError::UnknownFormat { path: path.into() }),
    }
}

/// Size of a terrain and the memory that reading it takes, from the first bytes of the file alone.
pub fn estimate(path: &Path, options: &ReadOptions) -> Result<Estimate, ReadError> {
    let (format, reading, file) = open(path, options)?;
    match format {
        Format::Png => png::Opened::new(reading, file).map(|opened| opened.size),
        Format::Tiff => tiff::Opened::new(reading, file)?.size_when_read(),
        Format::Exr => exr::Opened::new(reading, file).map(|opened| opened.size),
        Format::Raw => raw::Opened::new(reading, file).map(|opened| opened.size),
    }
}

/// Reads terrain from a PNG, TIFF, EXR, R16 or RAW file. What the file is, its content tells; the name
/// is asked only where the content has no signature.
///
/// Integers become metres by the options, else by the description inside or beside the file, else one to
/// one. Cells without a height (nodata, NaN, infinity) are filled from their surroundings.
pub fn read_heightfield(path: &Path, options: &ReadOptions) -> Result<Imported, ReadError> {
    let (format, reading, file) = open(path, options)?;
    let mut notices = Vec::new();
    let raster = match format {
        Format::Png => png::Opened::new(reading, file)?.read(&mut notices)?,
        Format::Tiff => tiff::Opened::new(reading, file)?.read(&mut notices)?,
        Format::Exr => exr::Opened::new(reading, file)?.read(&mut notices)?,
        Format::Raw => raw::Opened::new(reading, file)?.read(&mut notices)?,
    };
    finish(reading, raster, notices)
}

/// Repairs what was decoded and says what is remarkable about it.
fn finish(reading: Reading, raster: Raster, mut notices: Vec<Notice>) -> Result<Imported, ReadError> {
    let Raster { mut heights, info, cell, origin, crs, bits } = raster;
    if reading.options.utm && !notices.iter().any(|notice| matches!(notice, Notice::Reprojected { .. })) {
        notices.push(Notice::NotInDegrees);
    }
    let total = heights.len();
    match nodata::fill(&mut heights) {
        0 => {}
        count if count == total => {
            return Err(ReadError::NoHeights { path: reading.path.into(), cells: total });
        }
        count => notices.push(Notice::Filled { count, total }),
    }
    let lowest = heights.range().map_or(0.0, |(low, _)| low);
    if USUAL_NODATA.contains(&lowest) {
        let count = heights.values().iter().filter(|&&h| h == lowest).count();
        notices.push(Notice::LooksLikeNodata { value: lowest, count });
    }
    match few_levels(&heights) {
        _ if bits == 8 => notices.push(Notice::EightBit),
        Some(levels) => notices.push(Notice::FewLevels { levels }),
        None => {}
    }
    let cell = reading.options.cell.or(cell).unwrap_or_else(|| {
        notices.push(Notice::CellUnknown { cell: DEFAULT_CELL });
        DEFAULT_CELL
    });
    let field = Heightfield { height: heights, frame: Frame { cell, origin, crs } };
    Ok(Imported { field, info: info.unwrap_or(HEIGHT), notices })
}

/// Number of different heights, if it is suspiciously small for so many cells. Flat ground is not.
fn few_levels(heights: &Grid2<f32>) -> Option<usize> {
    if heights.len() < 16 * FEW_LEVELS {
        return None;
    }
    let mut seen = HashSet::new();
    for height in heights.values() {
        seen.insert(height.to_bits());
        if seen.len() > FEW_LEVELS {
            return None;
        }
    }
    Some(seen.len()).filter(|&levels| levels > 1)
}

/// Writes terrain in the format that the name tells: `.png` (16 bits), `.tif` (GeoTIFF, 32-bit float),
/// `.exr` (32-bit float), `.r16` or `.raw` (16 bits, low byte first).
///
/// Floats hold metres. 16-bit codes run from the lowest to the highest height; PNG keeps that range as
/// text inside, and both PNG and raw files get a `name.thalweg.json` beside them that tells it. Reading
/// the file back gives the same cell size, position and coordinate system, and heights within half a
/// code.
pub fn write_heightfield(path: &Path, field: &Heightfield, options: &WriteOptions) -> Result<(), WriteError> {
    let expected = ".png, .tif, .exr, .r16 or .raw";
    let Some(format) = Format::named(path) else {
        return Err(WriteError::Extension { path: path.into(), expected });
    };
    let (heights, frame) = (&field.height, &field.frame);
    check_size(path, heights.cols(), heights.rows())?;
    let label = Label::new(&HEIGHT, heights, frame);
    match format {
        Format::Tiff => write_atomic(path, |w| tiff::write(w, heights, frame)),
        Format::Exr => write_atomic(path, |w| exr::write(w, heights, &label)),
        Format::Png => {
            let codes = Codes::new(path, heights, options.height_range)?;
            let label = label.coded(codes.ends, None);
            write_atomic(path, |w| png::write_grey(w, heights, codes, &label))?;
            write_sidecar(path, &label)
        }
        Format::Raw => {
            let codes = Codes::new(path, heights, options.height_range)?;
            let label = label.coded(codes.ends, Some(ByteOrder::Little));
            write_atomic(path, |w| raw::write(w, heights, codes))?;
            write_sidecar(path, &label)
        }
    }
}

fn write_sidecar(path: &Path, label: &Label) -> Result<(), WriteError> {
    write_atomic(&sidecar_of(path), |w| w.write_all(label.to_json().as_bytes()))
}

/// The largest side that all formats can declare is EXR's, a signed 32-bit number.
pub(crate) fn check_size(path: &Path, cols: usize, rows: usize) -> Result<(), WriteError> {
    let most = i32::MAX as usize;
    let fits = |side: usize| side > 0 && side <= most;
    if fits(cols) && fits(rows) {
        Ok(())
    } else {
        Err(WriteError::Size { path: path.into(), cols, rows, most })
    }
}

/// A straight line from values to the codes 0 to 65535.
#[derive(Clone, Copy)]
pub(crate) struct Codes {
    /// Values of the smallest and the largest code.
    pub ends: [f64; 2],
}

impl Codes {
    /// Codes over the range asked for, or over that of the values.
    fn new(path: &Path, values: &Grid2<f32>, range: Option<[f64; 2]>) -> Result<Self, WriteError> {
        let [min, max] = finite_range(path, values)?;
        let [low, high] = range.unwrap_or([min, max]);
        if low <= min && max <= high && (high - low).is_finite() {
            return Ok(Self { ends: [low, high] });
        }
        Err(WriteError::OutOfRange { path: path.into(), min, max, range: [low, high] })
    }

    /// The code nearest to a value. Flat ground has no range to share out and is code 0 everywhere.
    pub(crate) fn of(self, value: f32) -> u16 {
        let [low, high] = self.ends;
        if high > low {
            ((f64::from(value) - low) / (high - low) * f64::from(u16::MAX)).round() as u16
        } else {
            0
        }
    }
}

/// Smallest and largest value, all of which must be finite.
pub(crate) fn finite_range(path: &Path, values: &Grid2<f32>) -> Result<[f64; 2], WriteError> {
    let count = values.values().iter().filter(|v| !v.is_finite()).count();
    match values.range() {
        Some((low, high)) if count == 0 => Ok([low.into(), high.into()]),
        _ => Err(WriteError::NotFinite { path: path.into(), count }),
    }
}
