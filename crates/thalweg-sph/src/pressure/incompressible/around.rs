//! What the neighbours of a particle come to, before anything moves.

use crate::neighbours::{Group, Keep, Kind, Visitor, add3, even, load, splat3, sum3};
use crate::particles::Particles;
use crate::pressure::at_rest::{FULL, Numbers, SPRAY};
use fearless_simd::{Simd, f32x8, prelude::*};

/// How a particle's own pressure parts it from its neighbours `[1/m²]`: negative for those that cannot be pulled, since they are
/// not all around in the fluid, and nothing for spray. By how much closer than at rest fluid stands around it `[-]`. Keeps what is near.
pub(super) struct Around<'a> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// 1 for the boundary, 0 for the fluid `[-]`.
    pub solid: &'a [f32],
    /// Factor of the sum of bells that makes it 1 on a lattice [1/(m⁵·kg)].
    pub level: f32,
}

impl<'a> Visitor for Around<'a> {
    type Out = ([&'a mut [f32]; 2], Keep<'a>);
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let [x, y, z] = &self.particles.position;
        let [x, y, z, mass, solid] = even([x, y, z, &self.particles.mass, self.solid]);
        let n = self.numbers;
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let h = f32x8::splat(simd, n.h);
        let reached = group.find_reached(simd, [x, y, z], n.h);
        for (&i, reached) in group.slots[..group.count].iter().zip(reached) {
            let here = splat3(simd, [x, y, z], i);
            let (mut own, mut others, mut filled, mut wet, mut bells) = ([zero; 3], zero, zero, zero, zero);
            for vector in group.near_by(reached) {
                let at = vector.start();
                let (way, rr) = group.ways(simd, vector, here, [x, y, z]);
                let q = (h - rr.sqrt()).max(zero); // zero out of reach: so are all terms
                let solid = load(simd, solid, at);
                let (qq, mass) = (q * q, load(simd, mass, at));
                let steep = qq * (q * mass);
                let both = steep * (one + solid);
                own = add3(own, both, way);
                let near = rr.min(h * h);
                let fluid = steep * (one - solid);
                others = (fluid * fluid).mul_add(near, others);
                filled = steep.mul_add(near, filled);
                wet = fluid.mul_add(near, wet);
                // Boundary particles do not count: on rough ground they stand closer than fluid can.
                bells = ((qq * qq) * (mass * (one - solid))).mul_add(h * 5.0 - q * 4.0, bells);
            }
            let own = sum3(own);
            let own = own[0] * own[0] + own[1] * own[1] + own[2] * own[2];
            let diagonal = n.slope * n.slope * (own + others.reduce_sum());
            let [filled, wet] = [n.slope / 3.0 * filled.reduce_sum(), n.slope / 3.0 * wet.reduce_sum()];
            out.0[1][i - first] = self.level * bells.reduce_sum() - 1.0;
            out.0[0][i - first] = match () {
                () if filled < SPRAY => 0.0,
                // The boundary does not pull, so what it fills does not count.
                () if wet < FULL as f32 => -diagonal,
                () => diagonal,
            };
        }
        group.keep(reached, first, &mut out.1);
    }
}
