//! How the flow changes the density, and where particles stand closer than elsewhere.

use crate::neighbours::{Group, Keep, Kind, Visitor, add3, even, load, splat3, sum3};
use crate::particles::Particles;
use crate::pressure::at_rest::{FULL, HELD, Numbers, PAIRING, SPRAY};
use fearless_simd::{Simd, f32x8, prelude::*};

/// Water tears before it is stretched farther than the first, and nothing squeezes it beyond the second `[-]`. Particles caught
/// between rough ground and the wall of a source would reach any number, densities below zero even, and be shot away.
const BOUNDS: [f32; 2] = [-0.1, 1.0];

/// Compression after the time that has passed, what of it pushes, and the slope of how closely particles stand; keeps what is
/// near.
pub(super) struct Flow<'a> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// 1 for the boundary, 0 for the fluid `[-]`.
    pub solid: &'a [f32],
    /// Since the compression was last known `[s]`.
    pub elapsed: f32,
    /// Of density, δ h c `[m²/s]`.
    pub diffusion: f32,
}

impl<'a> Visitor for Flow<'a> {
    type Out = ([&'a mut [f32]; 5], Keep<'a>);
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let Particles { mass, compression, .. } = self.particles;
        let [x, y, z, u, v, w, mass, compression, solid] =
            even([x, y, z, u, v, w, mass, compression, self.solid]);
        let n = self.numbers;
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let h = f32x8::splat(simd, n.h);
        let reached = group.find_reached(simd, [x, y, z], n.h);
        for (&i, reached) in group.slots[..group.count].iter().zip(reached) {
            let here = splat3(simd, [x, y, z], i);
            let [ui, vi, wi] = splat3(simd, [u, v, w], i);
            let own = f32x8::splat(simd, compression[i]);
            let growth = f32x8::splat(simd, n.growth_around(self.particles, i));
            let (mut parting, mut evening, mut filled, mut wet) = (zero, zero, zero, zero);
            let mut slope = [zero; 3];
            for vector in group.near_by(reached) {
                let at = vector.start();
                let (way, rr) = group.ways(simd, vector, here, [x, y, z]);
                let q = (h - rr.sqrt()).max(zero); // zero out of reach: so are all terms
                let steep = (q * q) * (q * load(simd, mass, at));
                // ∇·v, from ways and speeds apart.
                let (du, dv, dw) = (ui - load(simd, u, at), vi - load(simd, v, at), wi - load(simd, w, at));
                let apart = dw.mul_add(way[2], dv.mul_add(way[1], du * way[0]));
                // Behind the boundary fluid would go the other way as fast.
                let solid = load(simd, solid, at);
                parting = (steep * (one + solid)).mul_add(apart, parting);
                // Fourtakas et al. 2019, eq. 20: what differs from the rest below or above.
                let uneven = load(simd, compression, at) - growth.mul_add(way[2], own);
                evening = (steep * (one - solid)).mul_add(uneven, evening);
                let room = steep * rr.min(h * h);
                filled += room;
                wet = (one - solid).mul_add(room, wet);
                let qq = q * q;
                let bell = (qq * qq) * (h * 5.0 - q * 4.0) * n.bell;
                let bell = bell * bell;
                let steep = steep * (bell * bell).mul_add(f32x8::splat(simd, PAIRING), one);
                slope = add3(slope, steep, way);
            }
            // How much of the neighbourhood is filled, and how much of it with fluid.
            let [full, wet] = [n.slope / 3.0 * filled.reduce_sum(), n.slope / 3.0 * wet.reduce_sum()];
            let rate = n.slope * (self.diffusion * evening.reduce_sum() - parting.reduce_sum());
            let [torn, crushed] = BOUNDS;
            let now =
                if full < SPRAY { 0.0 } else { (compression[i] + self.elapsed * rate).clamp(torn, crushed) };
            let at = i - first;
            out.0[0][at] = now;
            out.0[1][at] = if full < FULL as f32 || wet < HELD { now.max(0.0) } else { now };
            // Towards where there are more: against the way from them.
            let shifted = if wet < FULL as f32 { 0.0 } else { -n.slope };
            for (out, slope) in out.0[2..].iter_mut().zip(sum3(slope)) {
                out[at] = shifted * slope;
            }
        }
        group.keep(reached, first, &mut out.1);
    }
}
