//! What flowing water would loosen from the bed.

use super::rates::Rates;
use super::{resistance, spot};
use crate::ground::Ground;
use fearless_simd::{Simd, f32x8, prelude::*};
use thalweg_sph::neighbours::{Group, Kind, Visitor, load};
use thalweg_sph::{Particles, SLIP, Volumes};

/// Walk 1: what the water would loosen by the law of the wall, where it covers the bed.
pub(super) struct ByWall<'a, G> {
    pub particles: &'a Particles,
    pub volumes: Volumes<'a>,
    /// Mass of a particle of the fluid `[kg]`.
    pub mass: f32,
    pub ground: &'a G,
    pub rates: &'a Rates,
}

impl<G: Ground> ByWall<'_, G> {
    /// Ways from a boundary particle to those of a vector.
    #[inline(always)]
    fn away<S: Simd>(&self, simd: S, i: usize, at: usize) -> [f32x8<S>; 3] {
        let position = &self.particles.position;
        std::array::from_fn(|axis| load(simd, &position[axis], at) - f32x8::splat(simd, position[axis][i]))
    }
}

impl<'a, G: Ground> Visitor for ByWall<'a, G> {
    type Out = &'a mut [f32];
    const KIND: Kind = Kind::Boundary;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, self.rates.h * self.rates.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let tag = self.particles.tag[i];
            out[i - first] = 0.0;
            if tag & SLIP != 0 {
                continue;
            }
            let spot = spot(self.particles, i, self.mass);
            let (critical, rate) = resistance(self.ground, spot, self.rates);
            let stress = self.rates.density * self.ground.stress(spot);
            if stress <= critical {
                continue;
            }
            let mut sum = zero;
            for vector in group.vectors() {
                let at = vector.start();
                let rr = group.squared(simd, vector, self.away(simd, i, at));
                let bell = (hh - rr).max(zero);
                let fluid = self.volumes.load(simd, at).simd_gt(zero); // no volume: the boundary
                sum += fluid.select(bell * bell * bell, zero);
            }
            let total = sum.reduce_sum();
            let covered = (total / self.rates.covering).min(1.0);
            let per_area = rate * covered * (stress - critical);
            out[i - first] = if total > 0.0 { per_area * self.ground.area(spot) / total } else { 0.0 };
        }
    }
}
