//! Measures of ground, made or real.
//!
//! Every measure accepts any grid: one cell, one row, level ground, cells without data (not finite).
//! A number that such a grid does not define is `None`.

mod area_distribution;
mod aspect;
mod channels;
mod course;
mod curvature;
mod depressions;
mod drainage;
mod fit;
mod geomorphons;
mod hypsometry;
mod moments;
mod overlap;
mod reaches;
mod realism;
mod slope;
mod statistics;
mod threads;
mod valley_floor;
mod window;

pub use area_distribution::area_exponent;
pub use aspect::Aspects;
pub use channels::Channels;
pub use curvature::{Curvature, curvature};
pub use depressions::{fill, fill_draining, pit_fraction};
pub use drainage::Drainage;
pub use geomorphons::{Geomorphons, Landform, histogram, jensen_shannon};
pub use hypsometry::hypsometric_integral;
pub use moments::skewness;
pub use realism::{BIG_TUJUNGA, COMPARED_CELL, Realism, compared};
pub use slope::{gradient, share_steeper, slope};
pub use statistics::{Measures, Statistics};
pub use valley_floor::ValleyFloors;
