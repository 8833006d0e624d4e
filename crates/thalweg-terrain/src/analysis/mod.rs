//! Measures of ground, made or real.
//!
//! Every measure accepts any grid: one cell, one row, level ground, cells without data (not finite).
//! A number that such a grid does not define is `None`.

mod channels;
mod curvature;
mod depressions;
mod drainage;
mod fit;
mod geomorphons;
mod hypsometry;
mod slope;
mod statistics;
mod window;

pub use channels::Channels;
pub use curvature::{Curvature, curvature};
pub use depressions::{fill, fill_draining, pit_fraction};
pub use drainage::Drainage;
pub use geomorphons::{Geomorphons, Landform, histogram, jensen_shannon};
pub use hypsometry::hypsometric_integral;
pub use slope::slope;
pub use statistics::{Measures, Statistics};
