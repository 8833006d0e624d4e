//! Water as particles: smoothed particle hydrodynamics after Müller et al. 2003, Kelager 2006 and Kataev 2022.
//!
//! The fluid knows particles and nothing else. What bounds it comes as particles too, and as [`Surroundings`] that
//! end a particle's move; ground and sediment are the business of others.

mod boundary;
mod density;
mod emit;
mod fluid;
mod forces;
mod integrate;
pub mod kernel;
pub mod neighbours;
mod params;
mod particles;
pub mod reference;

pub use boundary::Grip;
pub use emit::{Emitter, Shape, Source};
pub use fluid::{AT_ONCE, Constants, FOREVER, Fluid, FluidError, Removed};
pub use forces::Volumes;
pub use integrate::{Extremes, Surroundings};
pub use params::{Equation, FluidParams, Invalid, Kernels, MOST_PARTICLES, Tension, require};
pub use particles::{BOUNDARY, PADDING, Particle, Particles, SLIP, make_room};
