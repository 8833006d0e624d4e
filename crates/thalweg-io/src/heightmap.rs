//! Terrain in and out, whatever the format.

use crate::atomic::write_atomic;
use crate::beside::{Prj, World};
use crate::label::{ByteOrder, HEIGHT, Label, SOUTH_FIRST, Story};
use crate::numpy::npy_head;
use crate::reading::{Head, Raster, Reading};
use crate::reproject::Layout;
use crate::{Notice, ReadError, WriteError};
use crate::{ascii_grid, exr, hgt, nodata, npy, pfm, png, raw, tiff};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
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
    /// Which byte of a raw file comes first; by default the order that makes smooth ground.
    pub byte_order: Option<ByteOrder>,
    /// Which band of a TIFF, counted from 1, or which channel of an EXR, by its name or its number.
    pub band: Option<String>,
    /// True if a map in degrees is to be laid out in metres, in the UTM zone of its middle; `cell` is the side of its
    /// new cells then, and without it they are as large as the old ones.
    pub utm: bool,
    /// True if cells without a height are to stay without one instead of being filled.
    pub keep_holes: bool,
    /// Memory that reading may use `[byte]`.
    pub max_bytes: u64,
}

impl Default for ReadOptions {
    /// Whatever the file says, in at most 8 GiB.
    fn default() -> Self {
        Self {
            cell: None,
            height_range: None,
            size: None,
            byte_order: None,
            band: None,
            utm: false,
            keep_holes: false,
            max_bytes: 8 << 30,
        }
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
    /// The terrain; every height is finite, unless holes are kept.
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
    /// What the numbers are, if not heights of the bed.
    pub info: Option<FieldInfo>,
    /// What else its description tells.
    pub story: Story,
    /// Whether a description is written beside the file also where the format has room for one.
    pub sidecar: bool,
    /// Whether rows begin in the south, as Unity has them; for raw files alone.
    pub south_first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Png,
    Tiff,
    Exr,
    Raw,
    /// Raw floats.
    Raw32,
    AsciiGrid,
    Hgt,
    Npy,
    Pfm,
}

impl Format {
    /// By the first bytes of the file, then by its name: raw numbers have no signature.
    pub(crate) fn of(head: &[u8], path: &Path) -> Option<Self> {
        match head {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Some(Self::Tiff),
            [0x76, 0x2f, 0x31, 0x01, ..] => Some(Self::Exr),
            head if head.starts_with(npy::MAGIC) => Some(Self::Npy),
            [b'P', b'f' | b'F', b'\n' | b'\r' | b' ', ..] => Some(Self::Pfm),
            head if head.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"ncols")) => {
                Some(Self::AsciiGrid)
            }
            _ => Self::named(path).filter(|format| matches!(format, Self::Raw | Self::Raw32 | Self::Hgt)),
        }
    }

    pub(crate) fn named(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "tif" | "tiff" => Some(Self::Tiff),
            "exr" => Some(Self::Exr),
            "r16" | "raw" => Some(Self::Raw),
            "r32" | "f32" => Some(Self::Raw32),
            "asc" => Some(Self::AsciiGrid),
            "hgt" => Some(Self::Hgt),
            "npy" => Some(Self::Npy),
            "pfm" => Some(Self::Pfm),
            _ => None,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Tiff => "TIFF",
            Self::Exr => "EXR",
            Self::Raw | Self::Raw32 => "RAW",
            Self::AsciiGrid => "ASCII grid",
            Self::Hgt => "HGT",
            Self::Npy => "NPY",
            Self::Pfm => "PFM",
        }
    }
}

/// Opens a file and finds out what it is.
pub(crate) fn open<'a>(
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
        Format::Raw | Format::Raw32 => raw::Opened::new(reading, file).map(|opened| opened.size),
        Format::AsciiGrid => ascii_grid::Opened::new(reading, file)?.size_when_read(),
        Format::Hgt => hgt::Opened::new(reading, file)?.size_when_read(),
        Format::Npy => npy::Opened::new(reading, file).map(|opened| opened.size),
        Format::Pfm => pfm::Opened::new(reading, file).map(|opened| opened.size),
    }
}

/// Reads terrain from a PNG, TIFF, EXR, R16, R32, RAW, NPY, PFM or HGT file or an ASCII grid. What the file is, its
/// content tells; the name is asked only where the content has no signature.
///
/// Numbers become metres by the options, else by the description inside or beside the file, else one to
/// one. Cells without a height (nodata, masked, NaN, infinity) are filled from their surroundings.
pub fn read_heightfield(path: &Path, options: &ReadOptions) -> Result<Imported, ReadError> {
    let (format, reading, file) = open(path, options)?;
    let mut notices = Vec::new();
    let raster = match format {
        Format::Png => png::Opened::new(reading, file)?.read(&mut notices)?,
        Format::Tiff => tiff::Opened::new(reading, file)?.read(&mut notices)?,
        Format::Exr => exr::Opened::new(reading, file)?.read(&mut notices)?,
        Format::Raw | Format::Raw32 => raw::Opened::new(reading, file)?.read(&mut notices)?,
        Format::AsciiGrid => ascii_grid::Opened::new(reading, file)?.read(&mut notices)?,
        Format::Hgt => hgt::Opened::new(reading, file)?.read(&mut notices)?,
        Format::Npy => npy::Opened::new(reading, file)?.read(&mut notices)?,
        Format::Pfm => pfm::Opened::new(reading, file)?.read(&mut notices)?,
    };
    finish(reading, raster, notices)
}

/// Repairs what was decoded and says what is remarkable about it.
fn finish(reading: Reading, raster: Raster, mut notices: Vec<Notice>) -> Result<Imported, ReadError> {
    let Raster { mut heights, mut head } = raster;
    if let Some(degrees) = head.degrees {
        let bytes = size_of_val(heights.values()) as u64;
        let size = Estimate { cols: heights.cols(), rows: heights.rows(), bytes };
        let layout = reading.layout(&size, &degrees)?;
        let Layout { utm, cell, cols, rows, .. } = layout;
        notices.push(Notice::Reprojected { utm, cols, rows, cell });
        let Heightfield { height, frame } = degrees.lay_out(&heights, &layout);
        heights = height;
        head = Head { cell: Some(cell), origin: frame.origin, crs: frame.crs, ..head };
    } else if reading.options.utm {
        notices.push(Notice::NotInDegrees);
    }
    let mut survey = Survey::default();
    (0..heights.rows()).for_each(|row| survey.add(heights.row(row)));
    let holes = survey.tell(reading, head.bits, &mut notices)?;
    if holes > 0 {
        let total = heights.len();
        if reading.options.keep_holes {
            notices.push(Notice::HolesKept { count: holes, total });
        } else {
            let count = nodata::fill_holes(&mut heights);
            notices.push(Notice::Filled { count, total });
        }
    }
    let info = head.info.take().unwrap_or(HEIGHT);
    let frame = place(reading, head, heights.rows(), &mut notices)?;
    Ok(Imported { field: Heightfield { height: heights, frame }, info, notices })
}

/// Where a grid lies, by what the file says of it, what lies beside it, and what was asked for.
pub(crate) fn place(
    reading: Reading,
    head: Head,
    rows: usize,
    notices: &mut Vec<Notice>,
) -> Result<Frame, ReadError> {
    let Head { mut cell, mut origin, mut crs, .. } = head;
    if cell.is_none()
        && reading.options.cell.is_none()
        && let Some((world, path)) = World::beside(reading)?
    {
        let [east, south] = world.cell;
        if world.rotated {
            return Err(ReadError::CellShape { path, east, south, rotated: true });
        }
        let prj = Prj::beside(reading)?;
        if prj.as_ref().is_some_and(|prj| prj.geographic) {
            return Err(ReadError::Geographic { path: reading.path.into(), cell: east, utm: None });
        }
        let side = reading.square(east, south, notices)?;
        (cell, origin) = (Some(side), [world.corner[0], world.corner[1] - rows as f64 * side]);
        crs = prj.map(|prj| prj.crs);
        notices.push(Notice::WorldFile { path });
    }
    let cell = reading.options.cell.or(cell).unwrap_or_else(|| {
        notices.push(Notice::CellUnknown { cell: DEFAULT_CELL });
        DEFAULT_CELL
    });
    Ok(Frame { cell, origin, crs })
}

/// What is found out about heights while they pass by, row after row.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    total: usize,
    holes: usize,
    pub range: Option<(f32, f32)>,
    /// Cells as low as the lowest.
    lowest: usize,
    /// The different heights, until there are more than a few.
    levels: HashSet<u32>,
}

impl Survey {
    pub(crate) fn add(&mut self, row: &[f32]) {
        self.total += row.len();
        for &height in row {
            if !height.is_finite() {
                self.holes += 1;
                continue;
            }
            let (low, high) = self.range.unwrap_or((height, height));
            if height < low || self.range.is_none() {
                self.lowest = 0;
            }
            self.range = Some((low.min(height), high.max(height)));
            self.lowest += usize::from(height <= low);
            if self.levels.len() <= FEW_LEVELS {
                self.levels.insert(height.to_bits());
            }
        }
    }

    /// Says what is remarkable, and returns the number of cells without a height.
    pub(crate) fn tell(
        &self,
        reading: Reading,
        bits: u8,
        notices: &mut Vec<Notice>,
    ) -> Result<usize, ReadError> {
        let Some((lowest, _)) = self.range else {
            return Err(ReadError::NoHeights { path: reading.path.into(), cells: self.total });
        };
        if USUAL_NODATA.contains(&lowest) {
            notices.push(Notice::LooksLikeNodata { value: lowest, count: self.lowest });
        }
        // Few levels in so many cells are suspicious. Flat ground is not.
        let levels = self.levels.len();
        if bits == 8 {
            notices.push(Notice::EightBit);
        } else if self.total >= 16 * FEW_LEVELS && (2..=FEW_LEVELS).contains(&levels) {
            notices.push(Notice::FewLevels { levels });
        }
        Ok(self.holes)
    }
}

/// Endings of the files of heights that are written.
const WRITTEN: &str = ".png, .tif, .exr, .r16, .raw, .r32, .asc, .npy or .pfm";

/// Writes terrain in the format that the name tells: `.png` (16 bits), `.tif` (GeoTIFF, 32-bit float),
/// `.exr` (32-bit float), `.r16` or `.raw` (16 bits, low byte first), `.r32`, `.npy` or `.pfm` (32-bit float, low byte first) or `.asc`
/// (text).
///
/// Floats hold metres. 16-bit codes run from the lowest to the highest height; PNG keeps that range as
/// text inside, and both PNG and raw files get a `name.thalweg.json` beside them that tells it. Reading
/// the file back gives the same cell size, position and coordinate system, and heights within half a
/// code.
pub fn write_heightfield(path: &Path, field: &Heightfield, options: &WriteOptions) -> Result<(), WriteError> {
    let heights = &field.height;
    if Format::named(path) == Some(Format::Exr) {
        check_size(path, heights.cols(), heights.rows())?;
        let label = Label::new(options.info.as_ref().unwrap_or(&HEIGHT), heights, &field.frame);
        let label = Label { story: options.story.clone(), ..label };
        write_atomic(path, |w| exr::write(w, heights, &label))?;
        return if options.sidecar { label.write_beside(path).map(|_| ()) } else { Ok(()) };
    }
    let count = heights.values().iter().filter(|height| !height.is_finite()).count();
    let size = [heights.cols(), heights.rows()];
    let what = Written { path, size, range: heights.range(), holes: count, frame: &field.frame };
    what.write(options, |row, out| {
        // Only raw files are turned, and those never row by row.
        let row = if options.south_first { heights.rows() - 1 - row } else { row };
        out.copy_from_slice(heights.row(row));
        Ok::<_, io::Error>(())
    })
    .map_err(|error| match error {
        Gone::Read(source) => WriteError::Io { path: path.into(), source },
        Gone::Write(error) => error,
    })
}

/// What is known of terrain before its rows are written one after the other.
pub(crate) struct Written<'a> {
    pub path: &'a Path,
    /// Columns and rows.
    pub size: [usize; 2],
    pub range: Option<(f32, f32)>,
    /// Cells without a height.
    pub holes: usize,
    pub frame: &'a Frame,
}

/// What went wrong while rows came in and went out.
pub(crate) enum Gone<E> {
    Read(E),
    Write(WriteError),
}

impl Written<'_> {
    pub(crate) fn write<E>(
        &self,
        options: &WriteOptions,
        mut give: impl FnMut(usize, &mut [f32]) -> Result<(), E>,
    ) -> Result<(), Gone<E>> {
        let Self { path, size: [cols, rows], range, holes, frame } = *self;
        let refuse = |error| Err(Gone::Write(error));
        let Some(format) = Format::named(path) else {
            return refuse(WriteError::Extension { path: path.into(), expected: WRITTEN });
        };
        check_size(path, cols, rows).map_err(Gone::Write)?;
        if options.south_first && !matches!(format, Format::Raw | Format::Raw32) {
            let what = "rows that begin in the south".to_owned();
            let expected = "only .raw, .r16 and .r32 can have them";
            return refuse(WriteError::Refused { path: path.into(), what, expected });
        }
        if format == Format::AsciiGrid && holes > 0 {
            return refuse(WriteError::NotFinite { path: path.into(), count: holes });
        }
        let label = Label::of_range(options.info.as_ref().unwrap_or(&HEIGHT), [cols, rows], range, frame);
        let row_order = if options.south_first { SOUTH_FIRST.into() } else { label.row_order.clone() };
        let label = Label { story: options.story.clone(), row_order, ..label };
        // What a row lacks is remembered here, because only errors of the system go through a writer.
        let mut lacking = None;
        let mut give = |row: usize, out: &mut [f32]| {
            give(row, out).map_err(|error| {
                lacking = Some(error);
                io::Error::other("the rows came to an end")
            })
        };
        let mut sidecar = options.sidecar;
        let mut row = vec![0.0; cols];
        let (written, label) = match format {
            Format::Tiff => {
                let label = Label { nodata: Some("nan".into()), ..label };
                let writing = tiff::Writing { cols, rows, frame, label: &label };
                (write_atomic(path, |w| writing.write(w, &mut give)), label)
            }
            Format::Png => {
                let codes = Codes::new(path, range, holes, options.height_range).map_err(Gone::Write)?;
                let label = label.coded(codes.ends, None);
                sidecar = true;
                (
                    write_atomic(path, |w| {
                        png::write_rows(w, [cols, rows], |value| codes.of(value), &label, &mut give)
                    }),
                    label,
                )
            }
            Format::Raw => {
                let codes = Codes::new(path, range, holes, options.height_range).map_err(Gone::Write)?;
                let label = label.coded(codes.ends, Some(ByteOrder::Little));
                sidecar = true;
                let write = write_atomic(path, |w| {
                    (0..rows).try_for_each(|at| {
                        give(at, &mut row)?;
                        raw::write_row(w, &row, codes)
                    })
                });
                (write, label)
            }
            Format::Raw32 => {
                let label = Label { byte_order: Some(ByteOrder::Little), ..label };
                sidecar = true;
                let write = write_atomic(path, |w| {
                    (0..rows).try_for_each(|at| {
                        give(at, &mut row)?;
                        raw::write_float_row(w, &row)
                    })
                });
                (write, label)
            }
            Format::AsciiGrid | Format::Npy | Format::Pfm => {
                sidecar = true;
                let write = write_atomic(path, |w| {
                    w.write_all(&floats_head(format, [cols, rows], frame))?;
                    (0..rows).try_for_each(|at| {
                        let at = if format == Format::Pfm { rows - 1 - at } else { at };
                        give(at, &mut row)?;
                        match format {
                            Format::AsciiGrid => ascii_grid::write_row(w, &row),
                            _ => raw::write_float_row(w, &row),
                        }
                    })
                });
                (write, label)
            }
            _ => return refuse(WriteError::Extension { path: path.into(), expected: WRITTEN }),
        };
        if let Some(error) = lacking {
            return Err(Gone::Read(error));
        }
        written.map_err(Gone::Write)?;
        if sidecar { label.write_beside(path).map(|_| ()).map_err(Gone::Write) } else { Ok(()) }
    }
}

/// What stands before the rows of floats.
fn floats_head(format: Format, [cols, rows]: [usize; 2], frame: &Frame) -> Vec<u8> {
    match format {
        Format::AsciiGrid => ascii_grid::head([cols, rows], frame),
        Format::Npy => npy_head("<f4", &format!("({rows}, {cols})")),
        // The scale says by its sign that the low byte is first; the lowest row is.
        _ => format!("Pf\n{cols} {rows}\n-1.0\n").into_bytes(),
    }
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
    fn new(
        path: &Path,
        values: Option<(f32, f32)>,
        holes: usize,
        range: Option<[f64; 2]>,
    ) -> Result<Self, WriteError> {
        let Some((min, max)) = values.filter(|_| holes == 0) else {
            return Err(WriteError::NotFinite { path: path.into(), count: holes });
        };
        let (min, max) = (f64::from(min), f64::from(max));
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
