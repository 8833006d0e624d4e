//! Water in a basin of boundary particles made by hand, where velocities at the beginning can be any.

use super::setup::fluid;
use thalweg_coupling::StepError;
use thalweg_sph::{FOREVER, Fluid, FluidParams, Particle, SLIP, Surroundings};

/// Sides that stop what would pass through them, as the bed and the walls of a scene do: lowest and highest coordinates `[m]`.
struct Sides([[f32; 2]; 3]);

impl Surroundings for Sides {
    fn end_move(&self, _: [f32; 3], particle: &mut Particle, _: f32) {
        for (axis, [low, high]) in self.0.into_iter().enumerate() {
            let (at, v) = (&mut particle.position[axis], &mut particle.velocity[axis]);
            if *at < low || *at > high {
                (*at, *v) = (at.clamp(low, high), 0.0);
            }
        }
    }
}

/// A lattice of cells one spacing wide: water where there is any, and boundary around it.
pub(super) struct Basin {
    pub(super) fluid: Fluid,
    sides: Sides,
    started: bool,
}

impl Basin {
    /// Fills a box of so many cells, beginning at `corner` `[m]`: `what` tells for the middle of each cell what is there. Water stays
    /// within `sides`.
    pub(super) fn new(
        params: &FluidParams,
        expected_speed: f64,
        corner: [f64; 3],
        cells: [usize; 3],
        sides: [[f64; 2]; 3],
        what: impl Fn([f64; 3]) -> Filling,
    ) -> Self {
        let mut fluid = fluid(params, expected_speed);
        for n in 0..cells.iter().product() {
            let index = [n % cells[0], n / cells[0] % cells[1], n / cells[0] / cells[1]];
            let at = std::array::from_fn(|axis| corner[axis] + (index[axis] as f64 + 0.5) * params.spacing);
            let place = at.map(|v: f64| v as f32);
            match what(at) {
                Filling::Nothing => {}
                Filling::Solid => fluid.add_boundary(place, [0.0; 3], SLIP, 1.0),
                Filling::Water { velocity, pressure } => {
                    fluid.add_under(pressure, place, velocity.map(|v| v as f32), FOREVER, 0.0);
                }
            }
        }
        Self { fluid, sides: Sides(sides.map(|side| side.map(|v| v as f32))), started: false }
    }

    /// Takes one step; returns its length `[s]`.
    pub(super) fn step(&mut self) -> Result<f64, StepError> {
        self.fluid.sort()?;
        if !std::mem::replace(&mut self.started, true) {
            self.fluid.weigh_boundary();
        }
        self.fluid.compute_density();
        let dt = self.fluid.choose_dt(f64::INFINITY);
        self.fluid.accelerate_and_move(&self.sides, dt)?;
        Ok(dt)
    }
}

/// What a cell holds.
pub(super) enum Filling {
    Nothing,
    Solid,
    Water { velocity: [f64; 3], pressure: f64 },
}
