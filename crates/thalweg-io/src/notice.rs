//! What had to be assumed or repaired while reading.

use crate::Utm;
use std::fmt;
use std::path::PathBuf;

/// Something about a file that was read which its owner should know.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// Heights come from 8-bit numbers.
    EightBit,
    /// A wide format, but few different heights in it.
    FewLevels {
        /// Number of different heights.
        levels: usize,
    },
    /// Gamma, sRGB or ICC information was passed over.
    ColourTagIgnored {
        /// The PNG chunk that holds it.
        chunk: &'static str,
    },
    /// An alpha channel was passed over.
    AlphaIgnored,
    /// Cells without a height were filled from their surroundings.
    Filled {
        /// Number of cells filled.
        count: usize,
        /// Number of cells in all.
        total: usize,
    },
    /// A number that usually means "no height" is used as one.
    LooksLikeNodata {
        /// The number `[m]`.
        value: f32,
        /// Cells that hold it.
        count: usize,
    },
    /// The file does not tell how large a cell is.
    CellUnknown {
        /// The size used instead `[m]`.
        cell: f64,
    },
    /// The other byte order would give a much smoother terrain.
    ByteOrder {
        /// Mean step between neighbours, as read [share of the range].
        roughness: f64,
        /// The same for the other order [share of the range].
        swapped: f64,
    },
    /// The other byte order makes a much smoother terrain and was taken.
    ByteOrderGuessed {
        /// Mean step between neighbours with the low byte first [share of the range].
        roughness: f64,
        /// The same with the high byte first [share of the range].
        swapped: f64,
    },
    /// Nothing says how many columns and rows a raw file has; the smoothest shape was taken.
    RawSizeGuessed {
        /// Number of columns.
        cols: usize,
        /// Number of rows.
        rows: usize,
    },
    /// Nothing says what the numbers mean.
    TakenAsMetres,
    /// Numbers became heights by a scale and an offset inside the file.
    Scaled {
        /// What a number is multiplied with `[m]`.
        scale: f64,
        /// What is added then `[m]`.
        offset: f64,
    },
    /// Heights were in feet and became metres.
    HeightsInFeet {
        /// A foot `[m]`.
        metres: f64,
    },
    /// The file says that its smallest number is the brightest; heights are its numbers all the same.
    WhiteIsZero,
    /// A mask inside the file says which cells have a height.
    MaskUsed,
    /// Cells are a little oblong and were taken as squares.
    NearlySquare {
        /// Width of a cell `[m]`.
        east: f64,
        /// Height of a cell `[m]`.
        south: f64,
        /// The side that was taken `[m]`.
        cell: f64,
    },
    /// A world file beside the picture placed it.
    WorldFile {
        /// The world file.
        path: PathBuf,
    },
    /// One channel of several was read.
    ChannelChosen {
        /// The one that was read.
        name: String,
        /// The others.
        others: Vec<String>,
        /// Whether those are other pictures, not all alike.
        differ: bool,
    },
    /// One part of several was read.
    PartChosen {
        /// The one that was read, counted from 0.
        part: usize,
        /// Its name, if it has one.
        name: String,
        /// How many there are.
        count: usize,
    },
    /// A file holds a part of a larger picture.
    WindowCut {
        /// Columns and rows that there are.
        data: [usize; 2],
        /// Columns and rows of the whole picture.
        display: [usize; 2],
    },
    /// Cells without a height stayed so.
    HolesKept {
        /// Number of such cells.
        count: usize,
        /// Number of cells in all.
        total: usize,
    },
    /// A map in degrees was laid out in metres.
    Reprojected {
        /// The zone it is in now.
        utm: Utm,
        /// Number of columns.
        cols: usize,
        /// Number of rows.
        rows: usize,
        /// Side of a cell `[m]`.
        cell: f64,
    },
    /// A map was to be laid out in metres that is not in degrees.
    NotInDegrees,
    /// A description that belongs to a terrain of another size lies beside the file.
    SidecarIgnored {
        /// The description.
        path: PathBuf,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::EightBit => {
                write!(f, "8-bit heights have 256 levels at most: expect terraces; try a 16-bit export")
            }
            Self::FewLevels { levels } => {
                write!(f, "only {levels} different heights: expect terraces; was it 8-bit once?")
            }
            Self::ColourTagIgnored { chunk } => {
                write!(f, "the {chunk} colour tag was ignored: heights are read as plain numbers")
            }
            Self::AlphaIgnored => write!(f, "the alpha channel was ignored"),
            Self::Filled { count, total } => {
                write!(f, "{count} of {total} cells had no height and were filled from their surroundings")
            }
            Self::LooksLikeNodata { value, count } => write!(
                f,
                "{count} cells are {value} m, which often means \"no height\"; if so, mark it as nodata in the file"
            ),
            Self::CellUnknown { cell } => {
                write!(
                    f,
                    "the file does not tell its cell size, {cell} m is used; give the cell size to change it"
                )
            }
            Self::ByteOrder { roughness, swapped } => write!(
                f,
                "the other byte order would be {:.0} times smoother; if the terrain looks like noise, switch it",
                roughness / swapped
            ),
            Self::ByteOrderGuessed { roughness, swapped } => write!(
                f,
                "read with the high byte first, which makes it {:.0} times smoother; --little-endian changes it",
                roughness / swapped
            ),
            Self::RawSizeGuessed { cols, rows } => write!(
                f,
                "taken as {cols} × {rows} cells, the shape in which it is smoothest; --raw-size changes it"
            ),
            Self::Scaled { scale, offset } => {
                write!(f, "heights are its numbers times {scale} plus {offset} m, as the file says")
            }
            Self::HeightsInFeet { metres } => {
                write!(f, "heights in feet became metres, {metres} m each")
            }
            Self::WhiteIsZero => write!(
                f,
                "the file says that 0 is white; its numbers are read as heights as they are, high numbers high"
            ),
            Self::MaskUsed => write!(f, "the mask inside the file says which cells have a height"),
            Self::NearlySquare { east, south, cell } => {
                write!(f, "cells of {east} by {south} m are taken as squares of {cell} m")
            }
            Self::WorldFile { path } => write!(f, "{} says where it lies", path.display()),
            Self::ChannelChosen { name, others, differ } => write!(
                f,
                "the channel {name} is read, {} not{}; --band NAME reads another",
                others.join(", "),
                if *differ { ", though they differ" } else { "" }
            ),
            Self::PartChosen { part, name, count } => write!(
                f,
                "part {}{} of {count} is read",
                part + 1,
                if name.is_empty() { String::new() } else { format!(" ({name})") }
            ),
            Self::WindowCut { data, display } => write!(
                f,
                "it holds {} × {} cells of a picture of {} × {}; only those are read",
                data[0], data[1], display[0], display[1]
            ),
            Self::HolesKept { count, total } => {
                write!(f, "{count} of {total} cells have no height and stay so")
            }
            Self::TakenAsMetres => {
                write!(
                    f,
                    "nothing says what the numbers mean, they are taken as metres; give a height range to change it"
                )
            }
            Self::Reprojected { utm, cols, rows, cell } => {
                write!(f, "laid out in metres in {utm}: {cols} × {rows} cells of {cell} m")
            }
            Self::NotInDegrees => write!(f, "it is not in degrees, so nothing was reprojected"),
            Self::SidecarIgnored { path } => {
                write!(f, "{} describes a terrain of another size and was ignored", path.display())
            }
        }
    }
}
