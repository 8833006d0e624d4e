//! Density by summation, and the pressure that follows from it (Kataev 2022, eqs. 1.25, 1.32, 1.33).

use crate::fluid::Constants;
use crate::neighbours::{Group, Kind, OWN_BITS, Pass, Reached, TOGETHER, load};
use crate::params::Equation;
use crate::particles::Particles;
use fearless_simd::{Simd, f32x8, prelude::*};

/// Computes density ρ, p/ρ² and the volume m/ρ of every particle of the fluid.
pub(crate) struct Density<'a, const WENDLAND: bool> {
    pub particles: &'a Particles,
    pub constants: &'a Constants,
    /// Mass with which each particle counts [kg].
    pub dense: &'a [f32],
}

/// Density [kg/m³], pressure over density squared [m⁵/(kg·s²)] and volume [m³]; and which vectors are near.
pub(crate) type Out<'a> = ([&'a mut [f32]; 3], &'a mut [Reached]);

impl<'a, const WENDLAND: bool> Pass for Density<'a, WENDLAND> {
    type Out = Out<'a>;
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let [x, y, z] = &self.particles.position;
        let mass = &self.particles.mass;
        let hh = self.constants.h * self.constants.h;
        let zero = f32x8::splat(simd, 0.0);
        let mut here = [[zero; 3]; TOGETHER];
        for (here, &slot) in here.iter_mut().zip(&group.slots) {
            *here = [f32x8::splat(simd, x[slot]), f32x8::splat(simd, y[slot]), f32x8::splat(simd, z[slot])];
        }
        let mut sum = [zero; TOGETHER];
        let mut reached = [0; TOGETHER];
        let hh = f32x8::splat(simd, hh);
        let (one, five) = (f32x8::splat(simd, 1.0), f32x8::splat(simd, 5.0));
        let per_h = 1.0 / self.constants.h;
        let norm = if WENDLAND { self.constants.wendland } else { self.constants.poly6 };
        for (n, &vector) in group.vectors.iter().enumerate() {
            let at = vector.start();
            let (xj, yj, zj) = (load(simd, x, at), load(simd, y, at), load(simd, z, at));
            let mj = load(simd, self.dense, at);
            for k in 0..TOGETHER {
                let rr = group.squared(simd, vector, [here[k][0] - xj, here[k][1] - yj, here[k][2] - zj]);
                if WENDLAND {
                    // (1 − q)⁴(1 + 4q), and nothing beyond q = 1.
                    let t = (one - rr.sqrt() * per_h).max(zero);
                    let tt = t * t;
                    sum[k] = (tt * tt).mul_add((five - t * 4.0) * mj, sum[k]);
                } else {
                    // (h² − r²)³, and nothing where that is negative.
                    let bell = (hh - rr).max(zero);
                    sum[k] = (bell * bell).mul_add(bell * mj, sum[k]);
                }
                reached[k] |= Reached::from(rr.simd_lt(hh).any_true()) << (n as u32 & 31);
            }
        }
        for k in 0..group.count {
            let slot = group.slots[k];
            let density = sum[k].reduce_sum() * norm;
            let pressure = self.constants.pressure(density);
            let at = slot - first;
            out.0[0][at] = density;
            out.0[1][at] = pressure / (density * density);
            out.0[2][at] = mass[slot] / density;
            out.1[at] = reached[k] & ((1 << OWN_BITS) - 1);
        }
    }
}

impl Constants {
    /// Pressure at a density [Pa].
    #[inline(always)]
    pub fn pressure(&self, density: f32) -> f32 {
        match self.equation {
            Equation::Linear => self.stiffness * (density - self.rest_density),
            Equation::Tait => {
                let q = density / self.rest_density;
                let q3 = q * q * q;
                (self.stiffness * (q3 * q3 * q - 1.0)).max(0.0)
            }
        }
    }
}
