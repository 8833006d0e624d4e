//! Bodies that float: hulls, hydrostatics, drag, propellers, and the waves that bodies make (Mikeš 2015, sections 3.4, 3.5, 5.4 and 5.5).
//!
//! A [`Fleet`] of bodies takes a step on any [`WaterSurface`](crate::WaterSurface) and tells what it does to the water: fronts of
//! waves, and foam.
//!
//! ```
//! use thalweg_waves::{BodyParams, Fleet, Sea, WaterPoint, WaterSurface};
//!
//! struct Calm;
//! impl WaterSurface for Calm {
//!     fn at(&self, _: [f64; 2]) -> WaterPoint {
//!         WaterPoint::default()
//!     }
//! }
//! let mut fleet = Fleet::new(Sea::default())?;
//! let boat = fleet.add(&BodyParams { throttle: 1.0, ..BodyParams::default() }, None)?;
//! for _ in 0..120 {
//!     fleet.step(1.0 / 60.0, &Calm)?;
//! }
//! assert!(fleet.motion(boat).velocity[0] > 0.5); // its bow points east
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bed;
#[cfg(feature = "contacts")]
mod contacts;
mod fleet;
mod floating;
mod hull;
mod kelvin;
mod obstacle;
mod params;
mod radiation;
mod saved;
pub mod shapes;
mod vector;
mod wall;
mod water;

pub use fleet::{Disturbance, Fleet, FleetError};
pub use floating::{FoamSource, Motion, Sea};
pub use hull::{Hull, HullError};
pub use params::{BodyError, BodyParams, HullForm, Steer};
pub use radiation::{Account, PARTICLE_VOLUME};
pub use saved::SavedFleet;
pub use vector::{Turn, Vector};
pub use water::Submerged;
