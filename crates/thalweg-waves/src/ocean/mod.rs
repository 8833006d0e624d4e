//! The open sea: waves of one length each (Gerstner 1802) and spectra of waves by Fourier transform (Tessendorf 2001), in patches of several
//! sizes on top of each other.
//!
//! ```
//! use thalweg_waves::{Ocean, OceanParams, WaterSurface};
//!
//! let ocean = Ocean::new(&OceanParams { resolution: 64, ..OceanParams::default() })?;
//! let surface = ocean.at_time(12.5, true);
//! let seen = surface.at([100.0, -30.0]); // any place, for bodies, exports and pictures
//! assert!(seen.height.abs() < 2.0 * ocean.significant_height());
//! # Ok::<(), thalweg_field::Invalid>(())
//! ```

mod fourier;
mod params;
mod patch;
mod spectrum;
mod sum;
mod surface;

pub use params::{GerstnerWave, OceanParams, SpectrumKind};
pub use spectrum::capillary_frequency;
pub use sum::Sum;
pub use surface::{Ocean, OceanPoint, OceanSurface, PatchView};
