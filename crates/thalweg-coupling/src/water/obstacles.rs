//! What a particle meets where it moves: bed, walls, bodies, sinks and emitters.

use super::BORN_ABOVE;
use crate::ground::Ground;
use crate::params::{Hold, Params};
use crate::sediment;
use crate::setting::Sink;
use crate::solid::Body;
use thalweg_field::Edge;
use thalweg_sph::{AT_ONCE, Particle, RunningEmitter, Surroundings};

/// Water with less than this share of grains is clear `[-]`: their weight is nothing beside its own.
const CLEAR: f64 = 1.0e-6;

/// Nothing moves.
pub(super) struct Held;

impl Surroundings for Held {
    fn end_move(&self, from: [f32; 3], particle: &mut Particle, _: f32) {
        (particle.position, particle.velocity) = (from, [0.0; 3]);
    }
}

/// The ground, the walls, the bodies, the sinks and the emitters, as a particle meets them.
pub(super) struct Obstacles<'a, G> {
    ground: &'a G,
    params: &'a Params,
    edges: [Edge; 4],
    sinks: &'a [Sink],
    emitters: &'a [RunningEmitter],
    bodies: &'a [Body],
    /// When the step begins `[s]`.
    time: f64,
    extent: [[f32; 2]; 2],
    /// Whether east and west are joined, and whether north and south.
    joined: [bool; 2],
    restitution: f32,
    /// Thickness of the layer in which the penalty acts `[m]`.
    layer: f32,
    /// Pull on a particle that is full of grains, beside that on water `[m/s²]`.
    weight: f32,
}

impl<'a, G: Ground> Obstacles<'a, G> {
    pub(super) fn of(ground: &'a G, params: &'a Params, edges: [Edge; 4], sinks: &'a [Sink]) -> Self {
        let layer = (0.5 * params.fluid.spacing) as f32;
        let restitution = params.bed.restitution as f32;
        let weight = (params.fluid.gravity * sediment::surplus(params)) as f32;
        Self {
            ground,
            params,
            edges,
            sinks,
            emitters: &[],
            bodies: &[],
            time: 0.0,
            extent: ground.extent(),
            joined: params.periodic.joined(),
            restitution,
            layer,
            weight,
        }
    }

    /// Penalty (Krištof et al. 2009, eq. 6): the closer to the bed the stronger, and slowing what comes near.
    #[inline(always)]
    fn penalty(&self, particle: &Particle) -> [f32; 3] {
        if self.params.bed.hold != Hold::Penalty {
            return [0.0; 3];
        }
        let Particle { position, velocity, .. } = particle;
        let (above, normal) = self.ground.nearest(*position);
        let deep = self.layer - above;
        if deep <= 0.0 {
            return [0.0; 3];
        }
        let into = (0..3).map(|axis| velocity[axis] * normal[axis]).sum::<f32>();
        let strength = self.params.bed.stiffness as f32 * deep - self.params.bed.damping as f32 * into;
        normal.map(|n| strength.max(0.0) * n)
    }

    /// The same with bodies, and with a time at which the step begins `[s]`.
    pub(super) fn with_bodies(self, bodies: &'a [Body], time: f64) -> Self {
        Self { bodies, time, ..self }
    }

    /// The same with emitters, those that run then.
    pub(super) fn with_emitters(self, emitters: &'a [RunningEmitter]) -> Self {
        Self { emitters, ..self }
    }

    /// Keeps a particle out of the bodies, then between the edges and above the ground. Where that leads into a body again, in a notch between
    /// the two, it stays where it was.
    #[inline(always)]
    fn meet_solid(&self, from: [f32; 3], particle: &mut Particle, dt: f32) {
        let times = [self.time, self.time + f64::from(dt)];
        for body in self.bodies {
            body.stop(from, particle, times, self.restitution);
        }
        self.meet_edges(particle);
        self.meet_ground(from, particle, dt);
        if self.bodies.iter().any(|body| body.is_entered(from, particle.position, times)) {
            (particle.position, particle.velocity) = (from, [0.0; 3]);
        }
    }

    /// Keeps a particle above the ground.
    #[inline(always)]
    fn meet_ground(&self, from: [f32; 3], particle: &mut Particle, dt: f32) {
        let clear = self.ground.is_clear(from, particle.position);
        if !clear && self.ground.collide(from, particle, self.restitution, dt) {
            // Away from a slope may be through a wall.
            self.meet_edges(particle);
            self.ground.lift(&mut particle.position);
        }
    }

    /// Emitters that may have to do with what moves between two corners.
    #[inline(always)]
    fn emitters_near(&self, low: [f32; 3], high: [f32; 3]) -> impl Iterator<Item = &RunningEmitter> {
        self.emitters.iter().filter(move |emitter| !emitter.is_free(low, high) && emitter.runs(self.time))
    }

    /// Whether an emitter drives a particle; it keeps others out. Where the ground comes close it lets them go.
    #[inline(always)]
    fn meet_emitters(&self, from: [f32; 3], particle: &mut Particle, dt: f32) -> bool {
        let clear = BORN_ABOVE as f32 * 2.0 * self.layer;
        let corner = |choose: fn(f32, f32) -> f32, to: [f32; 3]| {
            std::array::from_fn(|axis| choose(from[axis], to[axis]))
        };
        let to = particle.position;
        self.emitters_near(corner(f32::min, to), corner(f32::max, to))
            .any(|emitter| self.ground.clearance(from) > clear && emitter.end_move(from, particle, dt))
    }

    /// Lets a particle that left over a joined edge come in over the opposite one, above the bed there.
    #[inline(always)]
    fn come_back(&self, particle: &mut Particle) {
        for axis in (0..2).filter(|&axis| self.joined[axis]) {
            let [low, high] = self.extent[axis];
            let at = &mut particle.position[axis];
            if *at < low || *at >= high {
                *at = low + (*at - low).rem_euclid(high - low);
                self.ground.lift(&mut particle.position);
            }
        }
    }

    /// Keeps a particle within the walls, or lets it vanish beyond an open edge.
    #[inline(always)]
    fn meet_edges(&self, particle: &mut Particle) {
        for axis in 0..2 {
            if self.joined[axis] {
                continue;
            }
            let [low, high] = self.extent[axis];
            // North and south lie along y, which is the second axis; the edges are north, east, south, west.
            let (below, above) =
                if axis == 0 { (self.edges[3], self.edges[1]) } else { (self.edges[2], self.edges[0]) };
            let at = particle.position[axis];
            let v = particle.velocity[axis];
            if at < low {
                if below == Edge::Open {
                    particle.expires = AT_ONCE;
                }
                particle.position[axis] = low;
                particle.velocity[axis] = if v < 0.0 { -self.restitution * v } else { v };
            } else if at > high {
                if above == Edge::Open {
                    particle.expires = AT_ONCE;
                }
                particle.position[axis] = high;
                particle.velocity[axis] = if v > 0.0 { -self.restitution * v } else { v };
            }
        }
    }
}

impl<G: Ground> Surroundings for Obstacles<'_, G> {
    /// The weight of what a particle carries: grains act by that alone (Boussinesq 1903), as long as they are few. And the penalty.
    #[inline(always)]
    fn push(&self, particle: &Particle, _: f32) -> [f32; 3] {
        let mut push = self.penalty(particle);
        push[2] -= self.weight * particle.cargo as f32;
        push
    }

    #[inline(always)]
    fn is_free(&self, low: [f32; 3], high: [f32; 3], cargo: &[f64]) -> bool {
        let inside =
            (0..2).all(|axis| low[axis] >= self.extent[axis][0] && high[axis] <= self.extent[axis][1]);
        let drains = |sink: &Sink| {
            (0..3)
                .all(|axis| f64::from(high[axis]) >= sink.from[axis] && f64::from(low[axis]) <= sink.to[axis])
        };
        inside
            && self.params.bed.hold != Hold::Penalty
            && (self.weight == 0.0 || cargo.iter().all(|&cargo| cargo < CLEAR))
            && self.ground.are_clear(low, high)
            && !self.sinks.iter().any(drains)
            && self.bodies.iter().all(|body| body.is_free(low, high, self.time))
            && self.emitters_near(low, high).next().is_none()
    }

    #[inline(always)]
    fn end_move(&self, from: [f32; 3], particle: &mut Particle, dt: f32) {
        if !self.meet_emitters(from, particle, dt) {
            self.meet_solid(from, particle, dt);
        }
        if self.ground.is_lost(particle.position) {
            particle.expires = AT_ONCE;
        }
        self.come_back(particle);
        for sink in self.sinks {
            let inside = |axis: usize| {
                let at = f64::from(particle.position[axis]);
                (sink.from[axis]..=sink.to[axis]).contains(&at)
            };
            if (0..3).all(inside) {
                particle.expires = AT_ONCE;
            }
        }
    }
}
