//! Water as particles: smoothed particle hydrodynamics after Müller et al. 2003, Kelager 2006 and Kataev 2022.
//!
//! The fluid knows particles and nothing else. What bounds it comes as particles too, and as [`Surroundings`] that
//! end a particle's move; ground and sediment are the business of others.

mod boundary;
mod constants;
mod emit;
mod error;
mod fit;
mod fluid;
mod gather;
mod integrate;
pub mod kernel;
mod kernel_set;
mod mouth;
pub mod neighbours;
mod params;
mod particles;
mod pressure;
pub mod reference;
mod rounds;
mod tension;
mod thickening;

pub use boundary::BoundaryFactors;
pub use constants::Constants;
pub use emit::{Emitter, RunningEmitter, Shape};
pub use error::FluidError;
pub use fluid::{AT_ONCE, FOREVER, Fluid, Removed};
pub use gather::{Gathered, gather};
pub use integrate::{Extremes, Surroundings};
pub use kernel_set::{KernelSet, MuellerSet, WendlandSet};
pub use params::{Equation, FluidParams, Kernels, MOST_PARTICLES, PressureSolver, Tension};
pub use particles::{BOUNDARY, COPY, PADDING, Particle, Particles, SLIP, make_room};
pub use rounds::RoundsTaken;
