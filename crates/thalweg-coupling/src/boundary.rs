//! What boundary particles of every kind of ground share: their tags, when they are looked after, how many there may be.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thalweg_sph::{BOUNDARY, Fluid, FluidError, SLIP};

/// Steps between two updates to where the water is.
pub(crate) const UPDATE_EVERY: u64 = 8;
/// Ground that has moved by more than this share of the spacing is filled anew `[-]`.
pub(crate) const MOVED: f64 = 0.02;
/// Particles that are looked at together.
pub(crate) const PART: usize = 4096;
/// Marks the tag of a particle on a wall; the rest is the number of its tile.
pub(crate) const WALL: u32 = 1 << 29;
/// The tag of a particle that stands where it was put, beside bed and walls; the rest is 0 for the walls of emitters, else one more than
/// the number of its body.
pub(crate) const FIXTURE: u32 = SLIP | WALL | 1 << 28;

/// Whether a tag is that of a fixture.
pub(crate) fn is_fixture(tag: u32) -> bool {
    tag & (BOUNDARY | FIXTURE) == BOUNDARY | FIXTURE
}

/// Distances of boundary particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layers {
    /// Distance between two of them, and how deep below the surface the first are `[m]`.
    pub spacing: f64,
    pub depth: f64,
    /// Layers, one below the other.
    pub count: u32,
}

impl Layers {
    /// How deep below the surface those of a layer are `[m]`.
    pub(crate) fn depth_of(&self, layer: u32) -> f64 {
        self.depth + f64::from(layer) * self.spacing
    }

    /// How thick they are together `[m]`.
    pub(crate) fn thick(&self) -> f64 {
        f64::from(self.count) * self.spacing
    }
}

/// Refuses more boundary particles near a place, east and north `[m]`, than there is room for.
pub(crate) fn admit(room: usize, fluid: &Fluid, count: f64, at: [f64; 2]) -> Result<(), FluidError> {
    let room = room.saturating_sub(fluid.particles().len().saturating_sub(fluid.len()));
    if count <= room as f64 {
        return Ok(());
    }
    Err(FluidError::Crowded { count, room, step: fluid.steps_taken(), time: fluid.time(), at })
}

/// Threads may claim a tile at the same time; most find it claimed already.
pub(crate) fn claim(tile: &AtomicBool) {
    if !tile.load(Relaxed) {
        tile.store(true, Relaxed);
    }
}

/// Steps of about `spacing` that a length is cut into; rather too short than too long, since water seeps through gaps.
pub(crate) fn steps(length: f64, spacing: f64) -> usize {
    (length / spacing + 0.2).round().max(1.0) as usize
}
