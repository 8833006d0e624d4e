//! What the neighbours of a particle come to, before anything moves.

use crate::neighbours::{Cluster, Kind, Visitor, add3, apart, dot3, even};
use crate::particles::Particles;
use crate::pressure::at_rest::{FULL, Numbers, SPRAY};
use fearless_simd::{Simd, f32x8, prelude::*};

/// By how much closer to the boundary than at rest a particle may stand `[-]`: on rough ground boundary particles lie unevenly.
const UNEVEN: f32 = 0.05;

/// How a particle's own pressure parts it from its neighbours `[1/m²]`: negative for those that cannot be pulled, since they are
/// not all around in the fluid, and nothing for spray. By how much closer than at rest fluid stands around it `[-]`.
pub(super) struct Around<'a> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// Factor of the sum of bells that makes it 1 on a lattice `[1/m⁵]`.
    pub level: f32,
}

impl<'a> Visitor for Around<'a> {
    type Out = [&'a mut [f32]; 2];
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, [parts, crowding]: &mut Self::Out) {
        let [x, y, z] = &self.particles.position;
        let [x, y, z, mass] = even([x, y, z, &self.particles.mass]);
        let n = self.numbers;
        let zero = f32x8::splat(simd, 0.0);
        let h = f32x8::splat(simd, n.h);
        let here = cluster.own3(simd, [x, y, z]);
        let (mut own, mut others, mut wet, mut solid) = ([zero; 3], zero, zero, zero);
        let (mut bells, mut behind) = (zero, zero);
        for j in cluster.fluid() {
            let way = apart(here, [x, y, z], j);
            let rr = dot3(way, way);
            let q = (rr.sqrt() - h).min(zero); // zero out of reach: so are all terms
            let slope = q * q * q;
            own = add3(own, slope, way);
            others = (slope * slope).mul_add(rr, others);
            wet = slope.mul_add(rr, wet);
            bells = (q * slope).mul_add(h * 5.0 + q * 4.0, bells);
        }
        for j in cluster.boundary() {
            let way = apart(here, [x, y, z], j);
            let rr = dot3(way, way);
            let q = (rr.sqrt() - h).min(zero);
            let slope = q * q * q * (n.share * mass[j]);
            own = add3(own, slope + slope, way);
            solid = slope.mul_add(rr, solid);
            behind = (q * slope).mul_add(h * 5.0 + q * 4.0, behind);
        }
        let diagonal = (dot3(own, own) + others) * (n.slope * n.slope);
        let [filled, wet] = [(wet + solid) * (n.slope / -3.0), wet * (n.slope / -3.0)];
        // The boundary does not pull, so what it fills does not count.
        let held = wet.simd_lt(f32x8::splat(simd, FULL as f32)).select(-diagonal, diagonal);
        cluster.put(filled.simd_lt(f32x8::splat(simd, SPRAY)).select(zero, held), parts);
        let [among, all] = [bells * self.level - 1.0, (bells + behind) * self.level - (1.0 + UNEVEN)];
        cluster.put(among.max(all), crowding);
    }
}
