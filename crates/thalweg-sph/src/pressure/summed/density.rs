//! Density by summation, and the pressure that follows from it (Kataev 2022, eqs. 1.25, 1.32, 1.33).

use crate::constants::Constants;
use crate::kernel_set::KernelSet;
use crate::neighbours::{Group, Keep, Kind, TOGETHER, Visitor, even, load, splat3};
use crate::particles::Particles;
use fearless_simd::{Simd, f32x8, i32x8, prelude::*};

/// Computes density ρ and p/ρ² of every particle of the fluid.
pub(crate) struct Density<'a, K> {
    pub particles: &'a Particles,
    pub constants: &'a Constants,
    /// Mass with which each particle counts `[kg]`.
    pub dense: &'a [f32],
    pub kernels: K,
}

/// Density `[kg/m³]` and pressure over density squared [m⁵/(kg·s²)]; and which vectors are near.
pub(crate) type Out<'a> = ([&'a mut [f32]; 2], Keep<'a>);

impl<'a, K: KernelSet> Visitor for Density<'a, K> {
    type Out = Out<'a>;
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let [x, y, z] = &self.particles.position;
        let [x, y, z, dense] = even([x, y, z, self.dense]);
        let zero = f32x8::splat(simd, 0.0);
        let here = [splat3(simd, [x, y, z], group.slots[0]), splat3(simd, [x, y, z], group.slots[1])];
        let mut sum = [zero; TOGETHER];
        // Of each vector, which particles are within reach; those behind the 31st are looked at by all walks.
        let mut within = [[0u8; 32]; TOGETHER];
        let h = self.constants.h;
        for (n, vector) in group.vectors().enumerate() {
            let at = vector.start();
            let (xj, yj, zj) = (load(simd, x, at), load(simd, y, at), load(simd, z, at));
            let mj = load(simd, dense, at) * group.counted(simd, vector);
            for k in 0..TOGETHER {
                let (dx, dy, dz) = (here[k][0] - xj, here[k][1] - yj, here[k][2] - zj);
                let rr = dz.mul_add(dz, dy.mul_add(dy, dx * dx));
                let beyond = self.kernels.beyond(rr, h);
                sum[k] = self.kernels.add_weight(simd, beyond.min(zero), h, mj, sum[k]);
                within[k][n.min(31)] =
                    beyond.bitcast::<i32x8<S>>().simd_lt(i32x8::splat(simd, 0)).to_bitmask() as u8;
            }
        }
        let reached = [Group::any(simd, &within[0]), Group::any(simd, &within[1])];
        for (&slot, sum) in group.slots[..group.count].iter().zip(sum) {
            let density = sum.reduce_sum() * self.kernels.weight_factor(self.constants);
            let pressure = self.constants.pressure(density);
            let at = slot - first;
            out.0[0][at] = density;
            out.0[1][at] = pressure / (density * density);
        }
        group.keep(reached, first, &mut out.1);
    }
}
