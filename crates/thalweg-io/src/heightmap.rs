//! Terrain in, whatever the format.

use crate::beside::{self, Prj, World};
use crate::label::{ByteOrder, HEIGHT};
use crate::reading::{Head, Raster, Reading};
use crate::reproject::{Degrees, Layout};
use crate::survey::Survey;
use crate::{Notice, ReadError};
use crate::{ascii_grid, exr, hgt, nodata, npy, pfm, png, raw, tiff};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;
use thalweg_field::{FieldInfo, Frame, Heightfield};

/// Side of a cell where neither the file nor the options tell it `[m]`.
const DEFAULT_CELL: f64 = 1.0;

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
    let size = match format {
        Format::Tiff => return tiff::Opened::new(reading, file)?.size_when_read(),
        Format::AsciiGrid => return ascii_grid::Opened::new(reading, file)?.size_when_read(),
        Format::Hgt => return hgt::Opened::new(reading, file)?.size_when_read(),
        Format::Png => png::Opened::new(reading, file)?.size,
        Format::Exr => exr::Opened::new(reading, file)?.size,
        Format::Raw | Format::Raw32 => raw::Opened::new(reading, file)?.size,
        Format::Npy => npy::Opened::new(reading, file)?.size,
        Format::Pfm => pfm::Opened::new(reading, file)?.size,
    };
    match beside::degrees(reading, [size.cols, size.rows])? {
        Some(degrees) => reading.laid_out(&size, &degrees),
        None => Ok(size),
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
    if head.cell.is_none() && head.degrees.is_none() {
        head.degrees = beside::degrees(reading, [heights.cols(), heights.rows()])?;
    }
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
    let frame = place(reading, head, [heights.cols(), heights.rows()], &mut notices)?;
    Ok(Imported { field: Heightfield { height: heights, frame }, info, notices })
}

/// Where a grid lies, by what the file says of it, what lies beside it, and what was asked for.
pub(crate) fn place(
    reading: Reading,
    head: Head,
    [cols, rows]: [usize; 2],
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
            let degrees = Degrees { corner: world.corner, cell: world.cell, cols, rows };
            return Err(ReadError::Geographic { path: reading.path.into(), cell: east, utm: degrees.utm() });
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
