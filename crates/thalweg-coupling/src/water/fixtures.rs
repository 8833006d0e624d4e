//! Boundary particles that stand where they were put: the walls around the mouths of emitters.

use super::ParticleWater;
use crate::bed::Bed;
use crate::boundary_tiles::FIXTURE;
use thalweg_field::{Invalid, require};
use thalweg_sph::{AT_ONCE, BOUNDARY, RunningEmitter};

/// Walls of emitters above the bed and between the edges: places `[m]`, and shares of a particle's room `[-]`.
fn walls<'a>(bed: &'a Bed, emitters: &'a [RunningEmitter]) -> impl Iterator<Item = ([f32; 3], f32)> + 'a {
    let extent = bed.extent();
    let places = emitters.iter().flat_map(RunningEmitter::wall);
    let rounded = places.map(|(at, share)| (at.map(|v| v as f32), share as f32));
    rounded.filter(move |(at, _)| {
        (0..2).all(|axis| (extent[axis][0]..=extent[axis][1]).contains(&at[axis])) && bed.clearance(*at) > 0.0
    })
}

impl ParticleWater {
    /// Refuses emitters whose walls do not fit into memory.
    pub(super) fn check_fixtures(&self, emitters: &[RunningEmitter]) -> Result<(), Invalid> {
        let before = self.fluid.particles().len() - self.fluid.len();
        let room = self.boundary.room().saturating_sub(before);
        let fits = walls(&self.bed, emitters).nth(room).is_none();
        let remedy = "no memory holds the particles of the walls around their mouths; make them smaller";
        require(fits, "emitter", "too large", remedy)
    }

    /// Puts walls around the mouths of the emitters that there are now.
    pub(super) fn put_fixtures(&mut self) {
        for (at, share) in walls(&self.bed, &self.emitters) {
            self.fluid.add_boundary(at, [0.0; 3], FIXTURE, share);
            self.fixed = true;
        }
    }

    /// Takes them away before the next step.
    pub(super) fn take_fixtures(&mut self) {
        let particles = self.fluid.particles_mut();
        for i in 0..particles.len() {
            if particles.tag[i] == BOUNDARY | FIXTURE {
                particles.expires[i] = AT_ONCE;
            }
        }
    }

    /// Whether there are any.
    pub(super) fn has_fixtures(&self) -> bool {
        let particles = self.fluid.particles();
        (0..particles.len()).any(|i| particles.tag[i] == BOUNDARY | FIXTURE)
    }
}
