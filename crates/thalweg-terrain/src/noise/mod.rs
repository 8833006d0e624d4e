//! Noise as a function of the place: sums of octaves, distances to scattered points, warped places.

mod cellular;
mod fractal;
mod octaves;
mod warp;

pub use cellular::{Cellular, Voronoi};
pub use fractal::{Billow, Fbm, Ridged};
pub(crate) use octaves::{Octaves, Spectrum};
pub use warp::Warp;
