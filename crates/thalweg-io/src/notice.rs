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
    /// Nothing says what the numbers mean.
    TakenAsMetres,
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
