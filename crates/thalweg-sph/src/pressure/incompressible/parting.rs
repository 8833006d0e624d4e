//! How much a flow compresses the fluid.

use crate::neighbours::{Group, Kind, Visitor, even, load, splat3};
use crate::particles::Particles;
use crate::pressure::at_rest::Numbers;
use fearless_simd::{Simd, f32x8, prelude::*};

/// Compression after a while of a flow; and the last correction of the pressure, times what it changed of that.
pub(super) struct Parting<'a> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// 1 for the boundary, 0 for the fluid `[-]`.
    pub solid: &'a [f32],
    /// How everything moves `[m/s]`, and for how long `[s]`.
    pub flow: [&'a [f32]; 3],
    pub time: f32,
    /// Compression before `[-]`; missing: none.
    pub before: Option<&'a [f32]>,
}

impl<'a> Visitor for Parting<'a> {
    type Out = [&'a mut [f32]; 2];
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, self.flow);
        let [x, y, z, u, v, w, mass, solid] = even([x, y, z, u, v, w, &self.particles.mass, self.solid]);
        let n = self.numbers;
        let zero = f32x8::splat(simd, 0.0);
        let h = f32x8::splat(simd, n.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let here = splat3(simd, [x, y, z], i);
            let [ui, vi, wi] = splat3(simd, [u, v, w], i);
            let mut parting = zero;
            for vector in group.near(k) {
                let at = vector.start();
                let (way, rr) = group.ways(simd, vector, here, [x, y, z]);
                let q = (h - rr.sqrt()).max(zero); // zero out of reach: so are all terms
                let steep = (q * q) * (q * load(simd, mass, at));
                let (du, dv, dw) = (ui - load(simd, u, at), vi - load(simd, v, at), wi - load(simd, w, at));
                let apart = dw.mul_add(way[2], dv.mul_add(way[1], du * way[0]));
                // Behind the boundary fluid would go the other way as fast.
                parting = load(simd, solid, at).mul_add(steep, steep).mul_add(apart, parting);
            }
            let before = self.before.map_or(0.0, |before| before[i]);
            let compression = before - self.time * n.slope * parting.reduce_sum();
            let at = i - first;
            out[1][at] *= out[0][at] - compression;
            out[0][at] = compression;
        }
    }
}
