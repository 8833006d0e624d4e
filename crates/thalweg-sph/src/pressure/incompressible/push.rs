//! Where pressure pushes particles to.

use crate::neighbours::{Group, Kind, Visitor, add3, even, load, splat3, sum3};
use crate::particles::Particles;
use crate::pressure::at_rest::Numbers;
use fearless_simd::{Simd, f32x8, prelude::*};

/// The flow without pressure, and what pressure adds to it.
pub(super) struct Push<'a> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// 1 for the boundary, 0 for the fluid `[-]`.
    pub solid: &'a [f32],
    /// Pressure over density `[m²/s²]`.
    pub pressure: &'a [f32],
    /// Whether pressure grows with depth behind the boundary.
    pub heavy: bool,
    /// The flow without it `[m/s]`; missing: none.
    pub start: Option<[&'a [f32]; 3]>,
    /// How long it pushes `[s]`.
    pub time: f32,
}

impl<'a> Visitor for Push<'a> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let [x, y, z] = &self.particles.position;
        let [x, y, z, mass, solid, pressure] =
            even([x, y, z, &self.particles.mass, self.solid, self.pressure]);
        let zero = f32x8::splat(simd, 0.0);
        let h = f32x8::splat(simd, self.numbers.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let here = splat3(simd, [x, y, z], i);
            let own = f32x8::splat(simd, pressure[i]);
            let growth = self.numbers.stiffness * self.numbers.growth_around(self.particles, i);
            let weight = f32x8::splat(simd, if self.heavy { growth } else { 0.0 });
            let mut push = [zero; 3];
            for vector in group.near(k) {
                let at = vector.start();
                let (way, rr) = group.ways(simd, vector, here, [x, y, z]);
                let q = (h - rr.sqrt()).max(zero); // zero out of reach: so are all terms
                let steep = (q * q) * (q * load(simd, mass, at));
                // Behind the boundary pressure goes on growing with depth; it never pulls. Its own column is zero.
                let behind = weight.mul_add(way[2], own).max(-own);
                let other = load(simd, solid, at).mul_add(behind, load(simd, pressure, at));
                let p = steep * (own + other);
                push = add3(push, p, way);
            }
            let push = sum3(push);
            for axis in 0..3 {
                let start = self.start.map_or(0.0, |start| start[axis][i]);
                out[axis][i - first] = start + self.time * self.numbers.slope * push[axis];
            }
        }
    }
}
