//! How a fluid resists being compressed: one folder for each method.
//!
//! - [`wcsph`]: weakly compressible; density follows the flow, pressure follows from density.
//! - [`summed`]: density is summed up over neighbours, pressure follows from it by an equation of state (Müller et al. 2003),
//!   as the documents have it.
//!
//! [`Fluid`](crate::Fluid) sorts the particles, asks the method for densities and then for accelerations, and moves the
//! particles. Whatever a method keeps for itself is its own; what others read too is in [`Shared`].

pub(crate) mod summed;
pub(crate) mod wcsph;

use crate::boundary::BoundaryFactors;
use crate::constants::Constants;
use crate::integrate::{Extremes, Shift};
use crate::neighbours::{Kept, Neighbours};
use crate::params::FluidParams;
use crate::particles::{Particles, make_room};
use crate::volumes::Volumes;

/// Sorted particles, and what acts on them beside each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sorted<'a> {
    pub particles: &'a Particles,
    pub neighbours: &'a Neighbours,
    pub params: &'a FluidParams,
    pub constants: &'a Constants,
    pub boundary: BoundaryFactors,
    /// Viscosity between fluid and boundary `[Pa·s]`.
    pub wall_viscosity: f32,
    /// Stress of the flow on a rough boundary, over ρ v² `[-]`.
    pub rub: f32,
    /// How long the last move took `[s]`.
    pub elapsed: f64,
}

/// What every method finds for the sorted particles, and others read.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Density; that at rest for the boundary `[kg/m³]`.
    pub density: Vec<f32>,
    /// 1 for the boundary, 0 for the fluid `[-]`.
    pub solid: Vec<f32>,
    /// What is near each particle of the fluid.
    pub kept: Kept,
}

/// A method.
pub(crate) trait Pressure: std::fmt::Debug + Send + Sync {
    /// Makes room for columns of this length, padding included.
    fn resize(&mut self, length: usize);

    /// Finds densities, and whatever the accelerations need. `next` has room for the particles after the step; it gets their
    /// compression, and where they will be what shifts them there.
    fn compute_density(&mut self, sorted: Sorted, shared: &mut Shared, next: &mut Particles);

    /// Takes the compression of some sorted particles as given, where the method has one `[-]`.
    fn prescribe(&mut self, _given: &[(u32, f32)]) {}

    /// Accelerations of the particles of the fluid `[m/s²]`, east, north and up, for the step that comes next.
    fn accelerate(&mut self, sorted: Sorted, shared: &Shared, out: [&mut [f32]; 3]);

    /// How particles are shifted beside the flow, if they are.
    fn shift(&self, params: &FluidParams, constants: &Constants) -> Option<Shift>;

    /// The longest stable time step after a step with these extremes `[s]`.
    fn max_dt(&self, constants: &Constants, extremes: Extremes, wall_viscosity: f32) -> f64;
}

impl Shared {
    /// Bytes for each particle.
    pub(crate) const BYTES: u64 = Kept::BYTES + 2 * 4;

    /// Volume of each particle `[m³]`; zero for the boundary.
    pub(crate) fn volumes<'a>(&'a self, particles: &'a Particles) -> Volumes<'a> {
        Volumes { solid: &self.solid, mass: &particles.mass, density: &self.density }
    }
}

/// Gives a column this length.
pub(crate) fn resize_column(column: &mut Vec<f32>, length: usize) {
    make_room(column, length);
    column.resize(length, 0.0);
}
