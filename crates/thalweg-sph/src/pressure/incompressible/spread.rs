//! Particles that go fast are shifted to where there are fewer.

use crate::neighbours::{Group, Kind, Visitor, add3, even, load, splat3, sum3};
use crate::particles::Particles;
use crate::pressure::at_rest::{FULL, Numbers, PAIRING, SHIFT, SLOWEST};
use crate::pressure::{Shared, Sorted};
use fearless_simd::{Simd, f32x8, prelude::*};

/// Longest shift in a step, in spacings `[-]`.
const MOST_SHIFT: f64 = 0.1;

/// Adds the way of a particle to where there are fewer, in proportion to the way that it goes (Lind et al. 2012).
pub(super) struct Spread<'a> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// 1 for the boundary, 0 for the fluid `[-]`.
    pub solid: &'a [f32],
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
    pub(super) fn over(sorted: Sorted, shared: &Shared, numbers: &Numbers, next: &mut Particles, time: f32) {
        let Sorted { particles, neighbours, params, constants, .. } = sorted;
        let spread = Spread {
            particles,
            numbers,
            solid: &shared.solid,
            share: (SHIFT * params.smoothing_radius()) as f32,
            most: (MOST_SHIFT * params.spacing) as f32,
            slowest: SLOWEST * constants.sound_speed,
            time,
        };
        let by = next.position.each_mut().map(|column| &mut column[..particles.len()]);
        neighbours.walk_kept(particles, &shared.kept, &spread, by);
    }
}

impl<'a> Visitor for Spread<'a> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let [x, y, z, mass, solid] = even([x, y, z, &self.particles.mass, self.solid]);
        let n = self.numbers;
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let h = f32x8::splat(simd, n.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let speed = (u[i] * u[i] + v[i] * v[i] + w[i] * w[i]).sqrt();
            if speed <= self.slowest {
                continue;
            }
            let here = splat3(simd, [x, y, z], i);
            let (mut wet, mut slope) = (zero, [zero; 3]);
            for vector in group.near(k) {
                let at = vector.start();
                let (way, rr) = group.ways(simd, vector, here, [x, y, z]);
                let q = (h - rr.sqrt()).max(zero); // zero out of reach: so are all terms
                let qq = q * q;
                let steep = qq * (q * load(simd, mass, at));
                wet = (steep * (one - load(simd, solid, at))).mul_add(rr.min(h * h), wet);
                let bell = (qq * qq) * (h * 5.0 - q * 4.0) * n.bell;
                let bell = bell * bell;
                let steep = steep * (bell * bell).mul_add(f32x8::splat(simd, PAIRING), one);
                slope = add3(slope, steep, way);
            }
            if n.slope * wet.reduce_sum() < 3.0 * FULL as f32 {
                continue;
            }
            let far = self.share * (speed - self.slowest) * self.time * n.slope;
            let at = i - first;
            let slope = sum3(slope);
            let by: [f32; 3] = std::array::from_fn(|axis| out[axis][at] + far * slope[axis]);
            let length = (by[0] * by[0] + by[1] * by[1] + by[2] * by[2]).sqrt();
            let less = self.most / length.max(self.most);
            for (out, by) in out.iter_mut().zip(by) {
                out[at] = by * less;
            }
        }
    }
}
