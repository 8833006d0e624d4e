//! How a fluid resists being compressed: one folder for each method.
//!
//! - [`wcsph`]: weakly compressible; density follows the flow, pressure follows from density.
//! - [`incompressible`]: pressure is whatever keeps the fluid from being compressed, found in rounds (PCISPH, DFSPH).
//! - [`summed`]: density is summed up over neighbours, pressure follows from it by an equation of state (Müller et al. 2003),
//!   as the documents have it.
//!
//! [`Fluid`](crate::Fluid) sorts the particles, asks the method for densities and then for accelerations, and moves the
//! particles. Whatever a method keeps for itself is its own; what others read too is in [`Shared`].

pub(crate) mod at_rest;
pub(crate) mod incompressible;
pub(crate) mod summed;
pub(crate) mod wcsph;

use crate::boundary::BoundaryFactors;
use crate::constants::Constants;
use crate::integrate::{Extremes, Shift};
use crate::neighbours::Neighbours;
use crate::params::FluidParams;
use crate::particles::{PADDING, Particles, make_room};
use crate::rounds::RoundsTaken;
use crate::tension::Normals;
use crate::thickening::Thickening;

/// Sorted particles, and what acts on them beside each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sorted<'a> {
    pub particles: &'a Particles,
    pub neighbours: &'a Neighbours,
    /// Copies of the fluid beyond sides that are joined, each with its original.
    pub copies: &'a [(u32, u32)],
    pub params: &'a FluidParams,
    pub constants: &'a Constants,
    pub boundary: BoundaryFactors,
    /// Viscosity between fluid and boundary `[Pa·s]`.
    pub wall_viscosity: f32,
    /// By how much a particle full of cargo is heavier than one without, over the weight of that `[-]`.
    pub surplus: f32,
    /// How cargo thickens it, if it does.
    pub thickening: Option<Thickening>,
    /// How long the last move took `[s]`.
    pub elapsed: f64,
}

/// What every method finds for the sorted particles, and others read.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Density; that at rest for the boundary `[kg/m³]`.
    pub density: Vec<f32>,
}

/// A method.
pub(crate) trait Pressure: std::fmt::Debug + Send + Sync {
    /// Makes room for columns of this length, padding included.
    fn resize(&mut self, length: usize);

    /// Finds densities, and whatever the accelerations need. `next` has room for the particles after the step; it gets their
    /// compression, and where they will be what shifts them there.
    fn compute_density(&mut self, sorted: Sorted, shared: &mut Shared, next: &mut Particles);

    /// Takes the compression of some sorted particles as given until densities are computed anew, where the method has one; something else
    /// drives them `[-]`.
    fn prescribe(&mut self, _given: &[(u32, f32)]) {}

    /// How long velocities change before positions do `[s]`, after a step of `last` and in one of `dt`: velocities live half a
    /// step before positions (Kataev 2022, eq. 1.47 puts the first one half a step back; half a kick from the start is the same).
    fn kick(&self, last: f64, dt: f64) -> f64 {
        0.5 * (last + dt)
    }

    /// How many times as long as the step before the next one may be `[-]`.
    fn growth(&self) -> f64 {
        f64::INFINITY
    }

    /// Accelerations of the particles of the fluid `[m/s²]` over a kick of so many seconds; they go to the velocities of `next`.
    /// Returns how long the kick is in the end `[s]`: a method that fails may shorten it, if it kicks for as long as a step lasts.
    fn accelerate(&mut self, sorted: Sorted, shared: &Shared, next: &mut Particles, kick: f64) -> f64;

    /// What rounds came to so far, by methods that work in rounds.
    fn rounds(&self) -> RoundsTaken {
        RoundsTaken::default()
    }

    /// Counts on from there.
    fn count_rounds_from(&mut self, _taken: RoundsTaken) {}

    /// How particles are shifted beside the flow.
    fn shift(&self, params: &FluidParams, constants: &Constants) -> Shift;

    /// The longest stable time step after a step with these extremes `[s]`.
    fn max_dt(&self, constants: &Constants, extremes: Extremes, wall_viscosity: f32) -> f64;
}

impl Shared {
    /// Bytes for each particle.
    pub(crate) const BYTES: u64 = 4;
}

/// Finds the normals of the surface of the fluid.
fn find_normals(sorted: Sorted, shared: &Shared, columns: &mut [Vec<f32>; 3]) {
    let Sorted { particles, neighbours, constants, .. } = sorted;
    let count = particles.len();
    let normals = columns.each_mut().map(|column| {
        column.resize(count + PADDING, 0.0);
        &mut column[..count]
    });
    let visitor = Normals { particles, constants, density: &shared.density };
    neighbours.walk(particles, &visitor, normals);
}

/// Gives a column this length.
pub(crate) fn resize_column(column: &mut Vec<f32>, length: usize) {
    make_room(column, length);
    column.resize(length, 0.0);
}
