//! What flowing water would loosen from the bed.

use super::Ground;
use super::rates::Rates;
use crate::params::Exposure;
use fearless_simd::{Simd, f32x8, prelude::*};
use thalweg_erosion::law::shear::Shear;
use thalweg_sph::neighbours::{Group, Kind, Visitor, load};
use thalweg_sph::{BOUNDARY, Particles, SLIP, Volumes};

/// Walk 1: what the water would loosen (Kataev 2022, eqs. 1.54–1.57).
pub(super) struct Loosen<'a> {
    pub particles: &'a Particles,
    pub volumes: Volumes<'a>,
    pub ground: Ground<'a>,
    pub rates: &'a Rates,
}

impl<'a> Visitor for Loosen<'a> {
    type Out = &'a mut [f32];
    const KIND: Kind = Kind::Boundary;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let Ground { bed, hardness, patches } = self.ground;
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, self.rates.h * self.rates.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let tag = self.particles.tag[i];
            if tag & SLIP != 0 {
                out[i - first] = 0.0;
                continue;
            }
            let patch = tag & !BOUNDARY;
            let n = patches.normal(bed, patch);
            let hard = hardness.map_or(0.0, |map| patches.mean_of(bed, map, patch));
            let critical = self.rates.critical + hard * (self.rates.hard - self.rates.critical);
            let law = Shear { constant: self.rates.shear, critical };
            let (mut sum, mut rate) = (zero, zero);
            for vector in group.vectors() {
                let at = vector.start();
                let away = [
                    load(simd, x, at) - f32x8::splat(simd, x[i]),
                    load(simd, y, at) - f32x8::splat(simd, y[i]),
                    load(simd, z, at) - f32x8::splat(simd, z[i]),
                ];
                let rr = group.squared(simd, vector, away);
                let bell = (hh - rr).max(zero);
                let volume = self.volumes.load(simd, at); // zero for the boundary
                let fluid = volume.simd_gt(zero);
                let weight = fluid.select(bell * bell * bell, zero);
                sum += weight;
                let (uj, vj, wj) = (load(simd, u, at), load(simd, v, at), load(simd, w, at));
                // Speed along the bed: what is left without the part towards it.
                let into = uj * n[0] + vj * n[1] + wj * n[2];
                let along = (uj * uj + vj * vj + wj * wj - into * into).max(zero).sqrt();
                let distance = rr.min(hh).sqrt().max(f32x8::splat(simd, self.rates.nearest));
                let excess = law.excess(simd, law.stress(along, distance));
                let exposed = match self.rates.exposure {
                    // Water that fills the half-space above the bed sums up to 1.
                    Exposure::Filled => weight * volume * (2.0 * self.rates.poly6),
                    Exposure::Counted => weight.simd_gt(zero).select(f32x8::splat(simd, 1.0), zero),
                };
                rate = excess.mul_add(exposed, rate);
            }
            let area = patches.area_each(bed, patch);
            let total = sum.reduce_sum();
            let wanted = self.rates.loosen * (1.0 - hard) * area * rate.reduce_sum();
            out[i - first] = if total > 0.0 { wanted / total } else { 0.0 };
        }
    }
}
