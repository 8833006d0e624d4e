//! How the flow changes the density, and where particles stand closer than elsewhere.

use crate::neighbours::{Cluster, Kind, Visitor, add3, apart, dot3, even, scale3};
use crate::particles::Particles;
use crate::pressure::at_rest::{FULL, HELD, Numbers, SPRAY, TORN};
use fearless_simd::{Simd, f32x8, prelude::*};

/// Nothing squeezes water beyond this, nor stretches it beyond [`TORN`] `[-]`. Particles caught between rough ground and the wall of a source
/// would reach any number, densities below zero even, and be shot away.
const CRUSHED: f32 = 1.0;

/// Compression after the time that has passed, what of it pushes, and the slope of how closely particles stand.
pub(super) struct Flow<'a> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// Since the compression was last known `[s]`.
    pub elapsed: f32,
    /// Of density, δ h c `[m²/s]`.
    pub diffusion: f32,
}

/// Sums over neighbours.
#[derive(Clone, Copy)]
struct Sums<S: Simd> {
    /// −∇·v, and by how much compression differs from that around.
    parting: f32x8<S>,
    evening: f32x8<S>,
    /// How much of the neighbourhood is filled with fluid, and with boundary.
    wet: f32x8<S>,
    solid: f32x8<S>,
    /// Of how closely particles stand.
    slope: [f32x8<S>; 3],
}

impl<'a> Visitor for Flow<'a> {
    type Out = [&'a mut [f32]; 5];
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, out: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let Particles { mass, compression, .. } = self.particles;
        let [x, y, z, u, v, w, mass, compression] = even([x, y, z, u, v, w, mass, compression]);
        let n = self.numbers;
        let zero = f32x8::splat(simd, 0.0);
        let h = f32x8::splat(simd, n.h);
        let (here, speed) = (cluster.own3(simd, [x, y, z]), cluster.own3(simd, [u, v, w]));
        let own = cluster.own(simd, compression);
        let growth = n.growth_around(simd, self.particles, cluster);
        let pairing = n.pairing.map(|factor| f32x8::splat(simd, factor));
        let mut sums = Sums { parting: zero, evening: zero, wet: zero, solid: zero, slope: [zero; 3] };
        for j in cluster.fluid() {
            let way = apart(here, [x, y, z], j);
            let rr = dot3(way, way);
            let q = (rr.sqrt() - h).min(zero); // zero out of reach: so are all terms
            let slope = q * q * q;
            sums.parting = slope.mul_add(dot3(apart(speed, [u, v, w], j), way), sums.parting);
            // Fourtakas et al. 2019, eq. 20: what differs from the rest below or above.
            let uneven = growth.mul_add(way[2], f32x8::splat(simd, compression[j]) - own);
            sums.evening = slope.mul_add(uneven, sums.evening);
            sums.wet = slope.mul_add(rr, sums.wet);
            sums.slope = add3(sums.slope, Numbers::spreading(pairing, q, slope), way);
        }
        for j in cluster.boundary() {
            let way = apart(here, [x, y, z], j);
            let rr = dot3(way, way);
            let q = (rr.sqrt() - h).min(zero);
            let slope = q * q * q * (n.share * mass[j]);
            // Behind the boundary fluid would go the other way as fast.
            let parting = dot3(apart(speed, [u, v, w], j), way);
            sums.parting = (slope + slope).mul_add(parting, sums.parting);
            sums.solid = slope.mul_add(rr, sums.solid);
            sums.slope = add3(sums.slope, Numbers::spreading(pairing, q, slope), way);
        }
        self.finish(simd, cluster, own, &sums, out);
    }
}

impl Flow<'_> {
    /// What the sums come to.
    #[inline(always)]
    fn finish<S: Simd>(
        &self,
        simd: S,
        cluster: &Cluster,
        own: f32x8<S>,
        sums: &Sums<S>,
        [compression, pushing, x, y, z]: &mut [&mut [f32]; 5],
    ) {
        let (n, zero) = (self.numbers, f32x8::splat(simd, 0.0));
        let [full, wet] = [(sums.wet + sums.solid) * (n.slope / -3.0), sums.wet * (n.slope / -3.0)];
        let rate = (sums.parting - sums.evening * self.diffusion) * n.slope;
        let now = (own + rate * self.elapsed).max(f32x8::splat(simd, TORN)).min(f32x8::splat(simd, CRUSHED));
        let now = full.simd_lt(f32x8::splat(simd, SPRAY)).select(zero, now);
        cluster.put(now, compression);
        let whole = f32x8::splat(simd, FULL as f32);
        let free = full.simd_lt(whole) | wet.simd_lt(f32x8::splat(simd, HELD));
        cluster.put(free.select(now.max(zero), now), pushing);
        // Towards where there are more: against the way from them.
        let shifted = wet.simd_lt(whole).select(zero, f32x8::splat(simd, -n.slope));
        cluster.put3(scale3(sums.slope, shifted), [x, y, z]);
    }
}
