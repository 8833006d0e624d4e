//! The kernels of density and pressure as loops over vectors need them. Which they are is known when a loop is compiled,
//! so none of them asks.
//!
//! Factors that do not depend on the distance are left out; sums are multiplied by them once, from [`Constants`].

use crate::constants::Constants;
use fearless_simd::{Simd, f32x8, prelude::*};
use std::fmt::Debug;

/// The kernels of density and of pressure.
pub trait KernelSet: Copy + Debug + Default + Send + Sync + 'static {
    /// A measure of distance from its square `rr` that is negative within reach `h` and grows from there.
    fn beyond<S: Simd>(self, rr: f32x8<S>, h: f32) -> f32x8<S>;

    /// Adds m W to a sum, W from `within`: what [`Self::beyond`] gives, and zero out of reach.
    fn add_weight<S: Simd>(
        self,
        simd: S,
        within: f32x8<S>,
        h: f32,
        mass: f32x8<S>,
        sum: f32x8<S>,
    ) -> f32x8<S>;

    /// The factor of W that [`Self::add_weight`] leaves out.
    fn weight_factor(self, constants: &Constants) -> f32;

    /// m |dW/dr|/r of the pressure kernel, at the distance r = h − `within`; zero where `within` is.
    fn slope<S: Simd>(self, mass: f32x8<S>, within: f32x8<S>, r: f32x8<S>) -> f32x8<S>;
}

/// Wendland's kernel for both.
#[derive(Clone, Copy, Debug, Default)]
pub struct WendlandSet;

/// Müller's: poly6 for density, spiky for pressure.
#[derive(Clone, Copy, Debug, Default)]
pub struct MuellerSet;

impl KernelSet for WendlandSet {
    #[inline(always)]
    fn beyond<S: Simd>(self, rr: f32x8<S>, h: f32) -> f32x8<S> {
        rr.sqrt() - h
    }

    /// (h − r)⁴(h + 4r)
    #[inline(always)]
    fn add_weight<S: Simd>(
        self,
        simd: S,
        within: f32x8<S>,
        h: f32,
        mass: f32x8<S>,
        sum: f32x8<S>,
    ) -> f32x8<S> {
        let square = within * within;
        let linear = within.mul_add(f32x8::splat(simd, 4.0), f32x8::splat(simd, 5.0 * h));
        (square * square).mul_add(linear * mass, sum)
    }

    #[inline(always)]
    fn weight_factor(self, constants: &Constants) -> f32 {
        constants.wendland
    }

    /// (h − r)³
    #[inline(always)]
    fn slope<S: Simd>(self, mass: f32x8<S>, within: f32x8<S>, _: f32x8<S>) -> f32x8<S> {
        (mass * within) * (within * within)
    }
}

impl KernelSet for MuellerSet {
    #[inline(always)]
    fn beyond<S: Simd>(self, rr: f32x8<S>, h: f32) -> f32x8<S> {
        rr - h * h
    }

    /// −(h² − r²)³
    #[inline(always)]
    fn add_weight<S: Simd>(self, _: S, within: f32x8<S>, _: f32, mass: f32x8<S>, sum: f32x8<S>) -> f32x8<S> {
        (within * within).mul_add(within * mass, sum)
    }

    #[inline(always)]
    fn weight_factor(self, constants: &Constants) -> f32 {
        -constants.poly6
    }

    /// (h − r)²/r (Kataev 2022, eq. 1.18)
    #[inline(always)]
    fn slope<S: Simd>(self, mass: f32x8<S>, within: f32x8<S>, r: f32x8<S>) -> f32x8<S> {
        (mass * within) * (within / r)
    }
}
