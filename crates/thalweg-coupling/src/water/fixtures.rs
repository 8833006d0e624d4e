//! Boundary particles that stand where they were put: the walls around the mouths of emitters, and bodies in the water.

use super::ParticleWater;
use crate::boundary::FIXTURE;
use crate::ground::Ground;
use crate::params::Params;
use crate::solid::{Body, Solid};
use thalweg_field::{Invalid, require};
use thalweg_sph::{AT_ONCE, BOUNDARY, RunningEmitter};

/// Walls of emitters above the bed, between the edges and out of the way of other emitters, whose water would be driven through them: places `[m]`,
/// and shares of a particle's room `[-]`.
fn walls<'a>(
    ground: &'a impl Ground,
    emitters: &'a [RunningEmitter],
) -> impl Iterator<Item = ([f32; 3], f32)> + 'a {
    let extent = ground.extent();
    let places = emitters.iter().enumerate().flat_map(move |(own, emitter)| {
        let in_the_way = move |at: [f64; 3]| {
            emitters.iter().enumerate().any(|(other, emitter)| other != own && emitter.needs(at))
        };
        emitter.wall().into_iter().filter(move |(at, _)| !in_the_way(*at))
    });
    let rounded = places.map(|(at, share)| (at.map(|v| v as f32), share as f32));
    rounded.filter(move |(at, _)| {
        (0..2).all(|axis| (extent[axis][0]..=extent[axis][1]).contains(&at[axis]))
            && ground.clearance(*at) > 0.0
    })
}

impl ParticleWater {
    /// Refuses emitters whose walls do not fit into memory.
    pub(super) fn check_fixtures(&self, emitters: &[RunningEmitter]) -> Result<(), Invalid> {
        let before = self.fluid.particles().len() - self.fluid.len();
        let room = self.ground.room().saturating_sub(before);
        let fits = walls(&self.ground, emitters).nth(room).is_none();
        let remedy = "no memory holds the particles of the walls around their mouths; make them smaller";
        require(fits, "emitter", "too large", remedy)
    }

    /// Puts walls around the mouths of the emitters that there are now.
    pub(super) fn put_fixtures(&mut self) {
        for (at, share) in walls(&self.ground, &self.emitters) {
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

    /// How far each body of the setting has been lifted `[m]`; none once it is gone.
    pub fn lifted(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.bodies.iter().map(|body| body.risen(self.time()))
    }

    /// Puts the boundary particles of the bodies where they stand, between the edges, above the bed and in no other body. Refuses those
    /// that do not fit into memory.
    pub(super) fn put_bodies(&mut self) -> Result<(), Invalid> {
        let extent = self.ground.extent();
        for (number, body) in self.bodies.iter().enumerate() {
            let key = format!("obstacle[{number}]");
            let before = self.fluid.particles().len() - self.fluid.len();
            let fits = before + body.count() <= self.ground.room();
            let remedy = "no memory holds its boundary particles; make it smaller, or fluid.spacing larger";
            require(fits, &key, "too large", remedy)?;
            let between =
                |at: [f32; 3]| (0..2).all(|axis| (extent[axis][0]..=extent[axis][1]).contains(&at[axis]));
            // Of two that overlap the earlier keeps the place, but what stays keeps it before a gate.
            let taken = |at: [f32; 3]| {
                self.bodies.iter().enumerate().any(|(other, one)| {
                    let first = (!one.stays(), other) < (!body.stays(), number);
                    first && one.contains(at.map(f64::from))
                })
            };
            for (at, share) in body.samples() {
                if between(at) && self.ground.clearance(at) > 0.0 && !taken(at) {
                    self.fluid.add_boundary(at, [0.0; 3], FIXTURE | (number as u32 + 1), share);
                    self.fixed = true;
                }
            }
        }
        Ok(())
    }

    /// Lifts gates that are open by as much as they rose in the last step, and takes away those that are gone.
    pub(super) fn move_bodies(&mut self) {
        let (time, last) = (self.fluid.time(), self.fluid.last_dt());
        for (number, body) in self.bodies.iter().enumerate() {
            // The step in which it goes is the first whose end it does not see.
            let was_there = body.risen(time - last).is_some() || last == 0.0;
            if time < body.opens() || !was_there {
                continue;
            }
            let gone = body.risen(time).is_none();
            let (rise, speed) = (body.rose_within(last, time) as f32, body.speed(time) as f32);
            let tag = BOUNDARY | FIXTURE | (number as u32 + 1);
            let particles = self.fluid.particles_mut();
            for i in 0..particles.len() {
                if particles.tag[i] != tag {
                    continue;
                }
                particles.position[2][i] += rise;
                particles.velocity[2][i] = speed;
                if gone {
                    particles.expires[i] = AT_ONCE;
                }
            }
            self.fixed = true;
        }
    }

    /// Whether there are walls of emitters.
    pub(super) fn has_fixtures(&self) -> bool {
        let particles = self.fluid.particles();
        (0..particles.len()).any(|i| particles.tag[i] == BOUNDARY | FIXTURE)
    }
}

/// The bodies of a setting.
pub(super) fn bodies(solids: &[Solid], params: &Params) -> Result<Vec<Body>, Invalid> {
    let body = |(number, solid)| Body::new(solid, params.fluid.spacing, &format!("obstacle[{number}]"));
    solids.iter().enumerate().map(body).collect()
}
