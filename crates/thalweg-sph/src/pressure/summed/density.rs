//! Density by summation, and the pressure that follows from it (Kataev 2022, eqs. 1.25, 1.32, 1.33).

use crate::constants::Constants;
use crate::kernel_set::KernelSet;
use crate::neighbours::{Cluster, Kind, Visitor, apart, dot3, even};
use crate::particles::Particles;
use fearless_simd::{Simd, f32x8, prelude::*};

/// Computes density ρ and p/ρ² of every particle of the fluid.
pub(crate) struct Density<'a, K> {
    pub particles: &'a Particles,
    pub constants: &'a Constants,
    /// Mass with which each particle counts `[kg]`.
    pub dense: &'a [f32],
    pub kernels: K,
}

/// Density `[kg/m³]` and pressure over density squared [m⁵/(kg·s²)].
pub(crate) type Out<'a> = [&'a mut [f32]; 2];

impl<'a, K: KernelSet> Visitor for Density<'a, K> {
    type Out = Out<'a>;
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, [densities, pressures]: &mut Self::Out) {
        let [x, y, z] = &self.particles.position;
        let [x, y, z, dense] = even([x, y, z, self.dense]);
        let zero = f32x8::splat(simd, 0.0);
        let here = cluster.own3(simd, [x, y, z]);
        let h = self.constants.h;
        let mut sum = zero;
        for j in cluster.all() {
            let way = apart(here, [x, y, z], j);
            let within = self.kernels.beyond(dot3(way, way), h).min(zero);
            sum = self.kernels.add_weight(simd, within, h, f32x8::splat(simd, dense[j]), sum);
        }
        cluster.put(sum * self.kernels.weight_factor(self.constants), densities);
        for (_, at) in cluster.places() {
            let density = densities[at];
            pressures[at] = self.constants.pressure(density) / (density * density);
        }
    }
}
