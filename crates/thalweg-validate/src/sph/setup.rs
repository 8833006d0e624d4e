//! What the cases are made of: ground, water, and space that lets particles do only one thing.

use thalweg_coupling::{BedParams, ErosionParams, Params, ParticleWater, Setting};
use thalweg_field::random::Key;
use thalweg_field::{Frame, Grid2, Heightfield, Pool, Top};
use thalweg_sph::{Fluid, FluidParams, Particle, Surroundings};

/// Ground of `cols` by `rows` vertices `cell` metres apart; `height` takes column and row from the north-west.
pub(super) fn ground(
    cols: usize,
    rows: usize,
    cell: f64,
    height: impl Fn(usize, usize) -> f64 + Sync,
) -> Heightfield {
    Heightfield {
        height: Grid2::from_fn(cols, rows, |col, row| height(col, row) as f32),
        frame: Frame::with_cell(cell),
    }
}

/// Level ground at 0 m that spans `size` cells; the triangles begin half a cell from its corner.
pub(super) fn flat(size: [usize; 2], cell: f64) -> Heightfield {
    ground(size[0] + 1, size[1] + 1, cell, |_, _| 0.0)
}

/// Spikes and holes up to `relief` metres, different at every vertex.
pub(super) fn rough(size: usize, cell: f64, relief: f64) -> Heightfield {
    ground(size, size, cell, |col, row| relief * Key::new(23).with((row * size + col) as u64).unit())
}

pub(super) fn torrent(ground: &Heightfield, params: &Params, setting: &Setting) -> ParticleWater {
    ParticleWater::new(ground, params, setting).expect("the numbers of a built-in case are valid")
}

pub(super) fn fluid(params: &FluidParams, expected_speed: f64) -> Fluid {
    Fluid::new(params, expected_speed, 1024, false).expect("the numbers of a built-in case are valid")
}

pub(super) fn still_water(from: [f64; 2], to: [f64; 2], bottom: Option<f64>, top: Top) -> Pool {
    Pool { from, to, bottom, top, velocity: [0.0; 3], sediment: 0.0, lifetime: None }
}

/// Water alone.
pub(super) fn clear(fluid: FluidParams, bed: BedParams) -> Params {
    let erosion = ErosionParams { enabled: false, ..ErosionParams::default() };
    Params { fluid, bed, erosion, ..Params::default() }
}

/// Empty space, or a lattice whose particles stay in their places while velocities change.
#[derive(Default)]
pub(super) struct Space {
    /// Whether particles stay in their places.
    pub(super) held: bool,
    /// Whether they move eastwards only.
    pub(super) eastwards: bool,
    /// Acceleration to the east `[m/s²]`.
    pub(super) push: f32,
}

impl Surroundings for Space {
    fn push(&self, _: &Particle, _: f32) -> [f32; 3] {
        [self.push, 0.0, 0.0]
    }

    fn end_move(&self, from: [f32; 3], particle: &mut Particle, _: f32) {
        if self.held {
            particle.position = from;
        }
        if self.eastwards {
            (particle.velocity[1], particle.velocity[2]) = (0.0, 0.0);
        }
    }
}

pub(super) const HELD: Space = Space { held: true, eastwards: false, push: 0.0 };
