//! Particles that go fast are shifted to where there are fewer.

use crate::neighbours::{Cluster, Kind, Visitor, add3, apart, dot3, even, scale3};
use crate::particles::Particles;
use crate::pressure::Sorted;
use crate::pressure::at_rest::{FULL, Numbers, SHIFT, SLOWEST};
use fearless_simd::{Simd, f32x8, prelude::*};
use std::ops::Range;

/// Longest shift in a step, in spacings `[-]`.
const MOST_SHIFT: f64 = 0.1;

/// Adds the way of a particle to where there are fewer, in proportion to the way that it goes (Lind et al. 2012).
pub(super) struct Spread<'a> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// How far, for a slope of one and a way of one `[m]`.
    pub share: f32,
    /// At most so far in a step `[m]`.
    pub most: f32,
    /// What goes no faster is not shifted `[m/s]`.
    pub slowest: f32,
    /// How long a step is `[s]`.
    pub time: f32,
}

impl Spread<'_> {
    /// Adds where particles are shifted to what stands where their positions will be.
    pub(super) fn over(sorted: Sorted, numbers: &Numbers, next: &mut Particles, time: f32) {
        let Sorted { particles, neighbours, params, constants, .. } = sorted;
        let spread = Spread {
            particles,
            numbers,
            share: (SHIFT * params.smoothing_radius()) as f32,
            most: (MOST_SHIFT * params.spacing) as f32,
            slowest: SLOWEST * constants.sound_speed,
            time,
        };
        let by = next.position.each_mut().map(|column| &mut column[..particles.len()]);
        neighbours.walk(particles, &spread, by);
    }
}

impl<'a> Visitor for Spread<'a> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    /// What is not shifted stays where it was going.
    #[inline(always)]
    fn without(&self, mut cluster: Range<usize>, _: usize, _: &mut Self::Out) -> bool {
        let [u, v, w] = &self.particles.velocity;
        cluster.all(|i| u[i] * u[i] + v[i] * v[i] + w[i] * w[i] <= self.slowest * self.slowest)
    }

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, [by_x, by_y, by_z]: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let [x, y, z, mass] = even([x, y, z, &self.particles.mass]);
        let n = self.numbers;
        let zero = f32x8::splat(simd, 0.0);
        let velocity = cluster.own3(simd, [u, v, w]);
        let faster = (dot3(velocity, velocity).sqrt() - self.slowest).max(zero);
        let h = f32x8::splat(simd, n.h);
        let here = cluster.own3(simd, [x, y, z]);
        let pairing = n.pairing.map(|factor| f32x8::splat(simd, factor));
        let (mut wet, mut sum) = (zero, [zero; 3]);
        for j in cluster.fluid() {
            let way = apart(here, [x, y, z], j);
            let rr = dot3(way, way);
            let q = (rr.sqrt() - h).min(zero); // zero out of reach: so are all terms
            let slope = q * q * q;
            wet = slope.mul_add(rr, wet);
            sum = add3(sum, Numbers::spreading(pairing, q, slope), way);
        }
        for j in cluster.boundary() {
            let way = apart(here, [x, y, z], j);
            let q = (dot3(way, way).sqrt() - h).min(zero);
            let slope = q * q * q * (n.share * mass[j]);
            sum = add3(sum, Numbers::spreading(pairing, q, slope), way);
        }
        let far = faster * (self.share * self.time * n.slope);
        let moves = (wet * n.slope).simd_le(f32x8::splat(simd, -3.0 * FULL as f32)) & faster.simd_gt(zero);
        let so_far = [cluster.result(simd, by_x), cluster.result(simd, by_y), cluster.result(simd, by_z)];
        let by = add3(so_far, far, sum);
        let most = f32x8::splat(simd, self.most);
        let [bx, by, bz] = scale3(by, most / dot3(by, by).sqrt().max(most));
        let by = [moves.select(bx, so_far[0]), moves.select(by, so_far[1]), moves.select(bz, so_far[2])];
        cluster.put3(by, [by_x, by_y, by_z]);
    }
}
