//! What flowing water would loosen from the bed.

use super::Ground;
use super::rates::Rates;
use fearless_simd::{Simd, f32x8, prelude::*};
use thalweg_erosion::law::shear::Shear;
use thalweg_sph::neighbours::{Group, Kind, Visitor, load};
use thalweg_sph::{BOUNDARY, Particles, SLIP, Volumes};

/// Walk 1: what the water would loosen.
pub(super) struct Loosen<'a> {
    pub particles: &'a Particles,
    pub volumes: Volumes<'a>,
    pub ground: Ground<'a>,
    pub rates: &'a Rates,
}

/// By the law of the wall, where water covers the bed.
pub(super) struct ByWall<'a>(pub Loosen<'a>);

/// By the rate of shear, particle by particle (Kataev 2022, eqs. 1.54–1.57).
pub(super) struct ByShearRate<'a>(pub Loosen<'a>);

impl Loosen<'_> {
    /// The law for a place of the bed, and what a square metre of it gives in the step for each pascal.
    #[inline(always)]
    fn law(&self, patch: u32) -> (Shear, f32) {
        let Ground { bed, hardness, patches, .. } = self.ground;
        let hard = hardness.map_or(0.0, |map| patches.mean_of(bed, map, patch));
        let critical = self.rates.critical + hard * (self.rates.hard - self.rates.critical);
        (Shear { constant: self.rates.shear, critical }, self.rates.loosen * (1.0 - hard))
    }

    /// Ways from a boundary particle to those of a vector.
    #[inline(always)]
    fn away<S: Simd>(&self, simd: S, i: usize, at: usize) -> [f32x8<S>; 3] {
        let position = &self.particles.position;
        std::array::from_fn(|axis| load(simd, &position[axis], at) - f32x8::splat(simd, position[axis][i]))
    }

    /// What a boundary particle would give, over the sum of kernels of the water that takes it up.
    #[inline(always)]
    fn wanted(&self, patch: u32, per_area: f32, total: f32) -> f32 {
        let Ground { bed, patches, .. } = self.ground;
        if total > 0.0 { per_area * patches.area_each(bed, patch) / total } else { 0.0 }
    }
}

impl<'a> Visitor for ByWall<'a> {
    type Out = &'a mut [f32];
    const KIND: Kind = Kind::Boundary;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let Self(loosen) = self;
        let Ground { bed, flow, patches, .. } = loosen.ground;
        let [x, y, _] = &loosen.particles.position;
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, loosen.rates.h * loosen.rates.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let tag = loosen.particles.tag[i];
            out[i - first] = 0.0;
            if tag & SLIP != 0 {
                continue;
            }
            let patch = tag & !BOUNDARY;
            let (law, rate) = loosen.law(patch);
            let stress = loosen.rates.density * flow.at(x[i], y[i]).stress(patches.normal(bed, patch));
            if stress <= law.critical {
                continue;
            }
            let mut sum = zero;
            for vector in group.vectors() {
                let at = vector.start();
                let rr = group.squared(simd, vector, loosen.away(simd, i, at));
                let bell = (hh - rr).max(zero);
                let fluid = loosen.volumes.load(simd, at).simd_gt(zero); // no volume: the boundary
                sum += fluid.select(bell * bell * bell, zero);
            }
            let total = sum.reduce_sum();
            let covered = (total / loosen.rates.covering).min(1.0);
            out[i - first] = loosen.wanted(patch, rate * covered * (stress - law.critical), total);
        }
    }
}

impl<'a> Visitor for ByShearRate<'a> {
    type Out = &'a mut [f32];
    const KIND: Kind = Kind::Boundary;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let Self(loosen) = self;
        let Ground { bed, patches, .. } = loosen.ground;
        let [u, v, w] = &loosen.particles.velocity;
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, loosen.rates.h * loosen.rates.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let tag = loosen.particles.tag[i];
            if tag & SLIP != 0 {
                out[i - first] = 0.0;
                continue;
            }
            let patch = tag & !BOUNDARY;
            let n = patches.normal(bed, patch);
            let (law, strength) = loosen.law(patch);
            let (mut sum, mut rate) = (zero, zero);
            for vector in group.vectors() {
                let at = vector.start();
                let rr = group.squared(simd, vector, loosen.away(simd, i, at));
                let bell = (hh - rr).max(zero);
                let fluid = loosen.volumes.load(simd, at).simd_gt(zero);
                let weight = fluid.select(bell * bell * bell, zero);
                sum += weight;
                let (uj, vj, wj) = (load(simd, u, at), load(simd, v, at), load(simd, w, at));
                // Speed along the bed: what is left without the part towards it.
                let into = uj * n[0] + vj * n[1] + wj * n[2];
                let along = (uj * uj + vj * vj + wj * wj - into * into).max(zero).sqrt();
                let distance = rr.min(hh).sqrt().max(f32x8::splat(simd, loosen.rates.nearest));
                let excess = law.excess(simd, law.stress(along, distance));
                rate += weight.simd_gt(zero).select(excess, zero);
            }
            out[i - first] = loosen.wanted(patch, strength * rate.reduce_sum(), sum.reduce_sum());
        }
    }
}
