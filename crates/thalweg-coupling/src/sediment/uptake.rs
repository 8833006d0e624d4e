//! How water takes up what it loosens from the bed.
//!
//! The same amount is found from both sides, by the same operations in the same order: what the bed loses the water gets.

use super::rates::Rates;
use crate::params::ShearSpeed;
use fearless_simd::{Simd, f32x8, prelude::*};
use thalweg_erosion::law::shear::{excess, stress};
use thalweg_sph::neighbours::Cluster;

/// What goes from boundary particles to particles of the water. Columns are those of all sorted particles, zero for those of the other kind.
pub(super) trait Uptake: Copy + Sync {
    /// The same with columns as long as another one: that spares checks.
    fn even(self, like: &[f32]) -> Self;

    /// Whether the boundary particle `i` gives nothing.
    fn is_nothing(&self, i: usize) -> bool;

    /// What the water of a cluster gets from the boundary particle `j` at squared distances `rr`.
    fn by_water<S: Simd>(&self, simd: S, cluster: &Cluster, j: usize, rr: f32x8<S>) -> f32x8<S>;

    /// What the boundary particles of a cluster give to the particle `j` of the water.
    fn off_bed<S: Simd>(&self, simd: S, cluster: &Cluster, j: usize, rr: f32x8<S>) -> f32x8<S>;
}

/// By the kernel between them: all water around a place of the bed has its share.
#[derive(Clone, Copy)]
pub(super) struct Spread<'a> {
    /// What a boundary particle would give, over the sum of kernels of the water that takes it up.
    pub want: &'a [f32],
    /// Reach of the kernel, squared `[m²]`.
    pub hh: f32,
}

impl Spread<'_> {
    #[inline(always)]
    fn share<S: Simd>(&self, simd: S, want: f32x8<S>, rr: f32x8<S>) -> f32x8<S> {
        let bell = (f32x8::splat(simd, self.hh) - rr).max(f32x8::splat(simd, 0.0));
        bell * bell * bell * want
    }
}

impl Uptake for Spread<'_> {
    #[inline(always)]
    fn even(self, like: &[f32]) -> Self {
        Self { want: &self.want[..like.len()], ..self }
    }

    #[inline(always)]
    fn is_nothing(&self, i: usize) -> bool {
        self.want[i] == 0.0
    }

    #[inline(always)]
    fn by_water<S: Simd>(&self, simd: S, _: &Cluster, j: usize, rr: f32x8<S>) -> f32x8<S> {
        self.share(simd, f32x8::splat(simd, self.want[j]), rr)
    }

    #[inline(always)]
    fn off_bed<S: Simd>(&self, simd: S, cluster: &Cluster, _: usize, rr: f32x8<S>) -> f32x8<S> {
        self.share(simd, cluster.own(simd, self.want), rr)
    }
}

/// Each particle what it erodes itself: L² K_ε (τ − τ_c) with τ = K (v/l)^½ (Kataev 2022, eqs. 1.54–1.57, 4.23 and 4.8.9).
#[derive(Clone, Copy)]
pub(super) struct ByEroder<'a> {
    pub rates: &'a Rates,
    pub speed: ShearSpeed,
    /// What a boundary particle gives in a step for each pascal above its critical stress; that stress `[Pa]`; its normal.
    pub want: &'a [f32],
    pub critical: &'a [f32],
    pub normal: [&'a [f32]; 3],
    /// Velocities `[m/s]`.
    pub velocity: [&'a [f32]; 3],
}

/// A place of the bed, in each lane.
struct Place<S: Simd> {
    want: f32x8<S>,
    critical: f32x8<S>,
    normal: [f32x8<S>; 3],
}

impl ByEroder<'_> {
    #[inline(always)]
    fn loosened<S: Simd>(&self, simd: S, v: [f32x8<S>; 3], place: &Place<S>, rr: f32x8<S>) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, self.rates.h * self.rates.h);
        let n = &place.normal;
        let into = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
        let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        let speed = match self.speed {
            ShearSpeed::Along => (square - into * into).max(zero).sqrt(),
            ShearSpeed::Difference => (square.sqrt() - into.abs()).max(zero),
            ShearSpeed::Whole => square.sqrt(),
        };
        let distance = rr.min(hh).sqrt().max(f32x8::splat(simd, self.rates.nearest));
        let exceeding = excess(simd, stress(self.rates.shear, speed, distance), place.critical);
        rr.simd_lt(hh).select(exceeding, zero) * place.want
    }
}

impl Uptake for ByEroder<'_> {
    #[inline(always)]
    fn even(self, like: &[f32]) -> Self {
        let length = like.len();
        Self {
            want: &self.want[..length],
            critical: &self.critical[..length],
            normal: self.normal.map(|column| &column[..length]),
            velocity: self.velocity.map(|column| &column[..length]),
            ..self
        }
    }

    #[inline(always)]
    fn is_nothing(&self, i: usize) -> bool {
        self.want[i] == 0.0
    }

    #[inline(always)]
    fn by_water<S: Simd>(&self, simd: S, cluster: &Cluster, j: usize, rr: f32x8<S>) -> f32x8<S> {
        let place = Place {
            want: f32x8::splat(simd, self.want[j]),
            critical: f32x8::splat(simd, self.critical[j]),
            normal: self.normal.map(|n| f32x8::splat(simd, n[j])),
        };
        self.loosened(simd, cluster.own3(simd, self.velocity), &place, rr)
    }

    #[inline(always)]
    fn off_bed<S: Simd>(&self, simd: S, cluster: &Cluster, j: usize, rr: f32x8<S>) -> f32x8<S> {
        let place = Place {
            want: cluster.own(simd, self.want),
            critical: cluster.own(simd, self.critical),
            normal: cluster.own3(simd, self.normal),
        };
        self.loosened(simd, self.velocity.map(|v| f32x8::splat(simd, v[j])), &place, rr)
    }
}
