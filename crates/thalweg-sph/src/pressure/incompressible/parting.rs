//! How much a flow compresses the fluid.

use crate::neighbours::{Cluster, Kind, Visitor, apart, dot3, even};
use crate::particles::Particles;
use crate::pressure::at_rest::Numbers;
use fearless_simd::{Simd, f32x8, prelude::*};

/// Compression after a while of a flow.
pub(super) struct Parting<'a> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// How everything moves `[m/s]`, and for how long `[s]`.
    pub flow: [&'a [f32]; 3],
    pub time: f32,
}

impl<'a> Visitor for Parting<'a> {
    type Out = &'a mut [f32];
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, left: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, self.flow);
        let [x, y, z, u, v, w, mass] = even([x, y, z, u, v, w, &self.particles.mass]);
        let n = self.numbers;
        let zero = f32x8::splat(simd, 0.0);
        let h = f32x8::splat(simd, n.h);
        let (here, speed) = (cluster.own3(simd, [x, y, z]), cluster.own3(simd, [u, v, w]));
        let mut parting = zero;
        for j in cluster.fluid() {
            let way = apart(here, [x, y, z], j);
            let q = (dot3(way, way).sqrt() - h).min(zero); // zero out of reach: so are all terms
            parting = (q * q * q).mul_add(dot3(apart(speed, [u, v, w], j), way), parting);
        }
        for j in cluster.boundary() {
            let way = apart(here, [x, y, z], j);
            let q = (dot3(way, way).sqrt() - h).min(zero);
            // Behind the boundary fluid would go the other way as fast.
            let twice = q * q * q * (2.0 * n.share * mass[j]);
            parting = twice.mul_add(dot3(apart(speed, [u, v, w], j), way), parting);
        }
        cluster.put(parting * (self.time * n.slope), left);
    }
}
