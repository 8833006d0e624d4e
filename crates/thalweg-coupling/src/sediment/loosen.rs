//! What flowing water would loosen from the bed.

use super::rates::Rates;
use super::{resistance, spot};
use crate::ground::Ground;
use fearless_simd::{Simd, f32x8, prelude::*};
use std::ops::Range;
use thalweg_sph::neighbours::{Cluster, Kind, Visitor, apart, dot3};
use thalweg_sph::{Particles, SLIP};

/// Walk 1: what the water would loosen by the law of the wall, where it covers the bed.
pub(super) struct ByWall<'a, G> {
    pub particles: &'a Particles,
    /// Mass of a particle of the fluid `[kg]`.
    pub mass: f32,
    pub ground: &'a G,
    pub rates: &'a Rates,
}

impl<G: Ground> ByWall<'_, G> {
    /// What a boundary particle would give, wholly covered.
    fn loosened(&self, i: usize) -> f32 {
        if self.particles.tag[i] & SLIP != 0 {
            return 0.0;
        }
        let spot = spot(self.particles, i, self.mass);
        let (critical, rate) = resistance(self.ground, spot, self.rates);
        let stress = self.rates.density * self.ground.stress(spot);
        if stress <= critical { 0.0 } else { rate * (stress - critical) * self.ground.area(spot) }
    }
}

impl<'a, G: Ground> Visitor for ByWall<'a, G> {
    type Out = &'a mut [f32];
    const KIND: Kind = Kind::Boundary;
    const AMONG: &'static [Kind] = &[Kind::Fluid];

    #[inline(always)]
    fn without(&self, cluster: Range<usize>, at: usize, out: &mut Self::Out) -> bool {
        let mut nothing = true;
        for (out, i) in out[at..].iter_mut().zip(cluster) {
            *out = self.loosened(i);
            nothing &= *out == 0.0;
        }
        nothing
    }

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, out: &mut Self::Out) {
        let (zero, loosened) = (f32x8::splat(simd, 0.0), cluster.result(simd, out));
        let place = self.particles.position.each_ref().map(Vec::as_slice);
        let here = cluster.own3(simd, place);
        let hh = f32x8::splat(simd, self.rates.h * self.rates.h);
        let mut sum = zero;
        for j in cluster.fluid() {
            let way = apart(here, place, j);
            let bell = (hh - dot3(way, way)).max(zero);
            sum += bell * bell * bell;
        }
        let covered = (sum / self.rates.covering).min(f32x8::splat(simd, 1.0));
        cluster.put(sum.simd_gt(zero).select(loosened * covered / sum, zero), out);
    }
}
