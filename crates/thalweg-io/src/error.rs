//! Why a file could not be read or written, and what to try instead.

use crate::Utm;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused to open or read the file.
    #[error("{}: cannot be read: {}", path.display(), cause(path, source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Neither content nor name belongs to a format that is read here.
    #[error(
        "{}: neither its content nor its name is that of a PNG, TIFF, EXR, R16, R32, RAW, NPY, PFM or \
         HGT file or an ASCII grid; try converting it to one of these",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The bytes do not make sense.
    #[error(
        "{}: broken {format} file: {reason}; it may be damaged or cut off, try copying or exporting it again",
        path.display()
    )]
    Broken {
        /// The file.
        path: PathBuf,
        /// The format it claims to be.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A sound file of a kind that is not read here.
    #[error("{}: {what}; try {remedy}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it holds.
        what: String,
        /// What would work.
        remedy: &'static str,
    },
    /// A picture where heights were expected.
    #[error(
        "{}: holds colours, not heights (red, green and blue differ at column {col}, row {row}); \
         try exporting the height as one grey channel",
        path.display()
    )]
    Colour {
        /// The file.
        path: PathBuf,
        /// Column of the first coloured cell.
        col: usize,
        /// Row of the first coloured cell.
        row: usize,
    },
    /// No cells at all.
    #[error("{}: has no cells ({cols} columns, {rows} rows); try exporting it again", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// Number of columns.
        cols: u64,
        /// Number of rows.
        rows: u64,
    },
    /// More memory than the caller allows.
    #[error(
        "{}: {cols} × {rows} cells need {} of memory but only {} are allowed; \
         try a smaller file or a higher memory limit",
        path.display(), mebibytes(*needed), mebibytes(*allowed)
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Number of columns.
        cols: u64,
        /// Number of rows.
        rows: u64,
        /// Memory needed `[byte]`.
        needed: u64,
        /// Memory allowed `[byte]`.
        allowed: u64,
    },
    /// More memory than the caller allows, for things other than cells.
    #[error(
        "{}: {what} need {} of memory but only {} are allowed; try a smaller file or a higher memory limit",
        path.display(), mebibytes(*needed), mebibytes(*allowed)
    )]
    TooMuch {
        /// The file.
        path: PathBuf,
        /// What there is too much of.
        what: String,
        /// Memory needed `[byte]`.
        needed: u64,
        /// Memory allowed `[byte]`.
        allowed: u64,
    },
    /// A point or corner that is nowhere.
    #[error(
        "{}: vertex {vertex} (counted from 0) lies at {at:?} m, which is no place; \
         try removing such vertices or repairing the program that wrote them",
        path.display()
    )]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// Number of the first such vertex, counted from 0.
        vertex: u64,
        /// Where it is said to be `[m]`.
        at: [f32; 3],
    },
    /// Positions in degrees.
    #[error(
        "{}: its cells are {cell:e} degrees wide, not metres (geographic coordinates); {}, or give the cell size in metres",
        path.display(), way_to_metres(path, *utm)
    )]
    Geographic {
        /// The file.
        path: PathBuf,
        /// Width of a cell `[degree]`.
        cell: f64,
        /// The zone of its middle, if there is one.
        utm: Option<Utm>,
    },
    /// Positions in degrees that cannot be put into a zone.
    #[error("{}: it cannot be laid out in metres: {reason}", path.display())]
    Unprojectable {
        /// The file.
        path: PathBuf,
        /// Why, and what would be right.
        reason: String,
    },
    /// Cells that are not square with north up.
    #[error(
        "{}: its cells are {east} m to the east by {south} m to the south{}; try resampling it to square cells \
         with north up, or give the cell size in metres (--metres-per-pixel)",
        path.display(), if *rotated { ", and rotated" } else { "" }
    )]
    CellShape {
        /// The file.
        path: PathBuf,
        /// Width of a cell `[m]`.
        east: f64,
        /// Height of a cell, counted southwards `[m]`.
        south: f64,
        /// True if the grid is turned against north.
        rotated: bool,
    },
    /// A band or channel that is not there.
    #[error("{}: has no band {asked:?} but {there}; try one of these with --band", path.display())]
    Band {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        asked: String,
        /// What there is.
        there: String,
    },
    /// Nothing but missing values.
    #[error("{}: none of its {cells} cells holds a height; try another band or file", path.display())]
    NoHeights {
        /// The file.
        path: PathBuf,
        /// Number of cells.
        cells: usize,
    },
    /// A raw file whose size in cells is not known.
    #[error(
        "{}: {bytes} bytes of heights are not a square, so the number of columns and rows is unknown; \
         try giving the size, such as --raw-size 1024x512, or put a {}.thalweg.json beside it",
        path.display(), stem(path)
    )]
    RawSizeUnknown {
        /// The file.
        path: PathBuf,
        /// Length of the file `[byte]`.
        bytes: u64,
    },
    /// A raw file that does not have the size it is said to have.
    #[error(
        "{}: {cols} × {rows} cells of {bits} bits are {} bytes but the file has {bytes}; \
         try another --raw-size or export it again",
        path.display(), cols.saturating_mul(*rows).saturating_mul(bits / 8)
    )]
    RawSize {
        /// The file.
        path: PathBuf,
        /// Number of columns expected.
        cols: u64,
        /// Number of rows expected.
        rows: u64,
        /// Bits of each number.
        bits: u64,
        /// Length of the file `[byte]`.
        bytes: u64,
    },
    /// The description beside or inside the file is wrong.
    #[error("{}: its description is wrong: {reason}; try correcting or removing it", path.display())]
    Label {
        /// The file that holds the description.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// An option that cannot be used.
    #[error("{}: {option} is {value}; {expected}", path.display())]
    Option {
        /// The file that was to be read.
        path: PathBuf,
        /// Name of the option.
        option: &'static str,
        /// The value given.
        value: String,
        /// What would be right.
        expected: &'static str,
    },
}

/// Why a file could not be written. The file that was there before is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system refused, or the data could not be encoded.
    #[error("{}: cannot be written: {}", path.display(), cause(path, source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A name that does not tell the format.
    #[error("{}: the name does not tell the format; try {expected}", path.display())]
    Extension {
        /// The file.
        path: PathBuf,
        /// Extensions that would do.
        expected: &'static str,
    },
    /// A grid or picture that no file of this format can hold.
    #[error("{}: {cols} × {rows} cells do not fit this format; try a size between 1 and {most}", path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// Number of columns.
        cols: usize,
        /// Number of rows.
        rows: usize,
        /// The largest number of columns or rows that fits.
        most: usize,
    },
    /// Values that 16-bit numbers cannot hold.
    #[error(
        "{}: {count} cells are not finite numbers, which 16 bits cannot hold; try .exr or .tif, or repair the data",
        path.display()
    )]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// Number of such cells.
        count: usize,
    },
    /// Values outside the range asked for.
    #[error(
        "{}: heights from {min} to {max} m do not fit the range {} to {} m; try a wider range",
        path.display(), range[0], range[1]
    )]
    OutOfRange {
        /// The file.
        path: PathBuf,
        /// Lowest height `[m]`.
        min: f64,
        /// Highest height `[m]`.
        max: f64,
        /// Range asked for `[m]`.
        range: [f64; 2],
    },
    /// Pixels that do not make up the picture.
    #[error("{}: {width} × {height} pixels need 3 bytes each but {bytes} bytes were given", path.display())]
    Pixels {
        /// The file.
        path: PathBuf,
        /// Columns of the picture.
        width: usize,
        /// Rows of the picture.
        height: usize,
        /// Number of bytes given.
        bytes: usize,
    },
    /// Something that does not make sense in a file of this format.
    #[error("{}: {what}; {expected}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What was given.
        what: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A video, where nothing can make one.
    #[error(
        "{}: videos are made by the program ffmpeg, which was not found; \
         try installing ffmpeg, or name the file .png for an animated PNG",
        path.display()
    )]
    NoFfmpeg {
        /// The file.
        path: PathBuf,
    },
    /// The program that makes videos gave up.
    #[error(
        "{}: ffmpeg could not make the video: {reason}; try another build of ffmpeg, or name the file .png for an animated PNG",
        path.display()
    )]
    Ffmpeg {
        /// The file.
        path: PathBuf,
        /// The last thing it said.
        reason: String,
    },
}

/// What the system said, in the user's words and with a remedy where there is one.
pub(crate) fn cause(path: &Path, error: &io::Error) -> String {
    let folder = folder_of(path).display();
    match error.kind() {
        ErrorKind::NotFound if !folder_of(path).exists() => {
            format!("the folder {folder} does not exist; try creating it first")
        }
        ErrorKind::NotFound => "there is no such file; try checking the name".into(),
        ErrorKind::PermissionDenied => {
            "permission denied; try another folder or change the permissions".into()
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("no space left for files in {folder}; try freeing some or another disk")
        }
        ErrorKind::ReadOnlyFilesystem => format!("{folder} is read-only; try another folder"),
        ErrorKind::NotADirectory => format!("{folder} is not a folder; try another path"),
        ErrorKind::IsADirectory => "this is a folder; try a file name".into(),
        ErrorKind::UnexpectedEof => "it ends too early; try copying or exporting it again".into(),
        _ => error.to_string(),
    }
}

/// The folder a file lies in; `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// How a map in degrees becomes one in metres.
fn way_to_metres(path: &Path, utm: Option<Utm>) -> String {
    match utm {
        Some(utm) => format!(
            "its middle lies in {utm}: reproject it while it is read with --utm (in a scene, utm = true below \
             [terrain]), or once and for all with `thalweg convert {} {}_utm.tif --utm`",
            path.display(),
            stem(path)
        ),
        None => "its middle lies in no UTM zone; try reprojecting it with another program".into(),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

pub(crate) fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64)
}
