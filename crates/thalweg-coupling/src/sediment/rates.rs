//! What parameters and time step come down to in the loops of the sediment.

use crate::params::{Params, Transfer};
use fearless_simd::{Simd, f32x8, prelude::*};
use std::f64::consts::PI;
use thalweg_erosion::law::settling::Grains;
use thalweg_sph::kernel::{CubicSpline, Kernel, Wendland, lattice_sum};
use thalweg_sph::{Kernels, MuellerSet, WendlandSet};

/// Shortest distance over which water shears the bed, in spacings `[-]`: what touches it would have none.
const NEAREST: f64 = 1.0e-3;
/// Spacings that grains may settle in a step `[-]`, and spacings squared that they may spread over `[-]`.
const SETTLING_SHARE: f64 = 0.4;
const DIFFUSION_SHARE: f64 = 0.1;
/// Share of what one whole layer of water at rest would do from which on a place of the bed counts as covered `[-]`: a
/// disordered layer covers it just as well.
const COVERING: f64 = 0.5;
/// Nothing to speak of, where a step is divided by the speed `[m/s]` or the diffusivity `[m²/s]`.
const NOTHING: f64 = 1.0e-12;

/// What parameters and time step come down to in the loops. Amounts are volumes of grains, as shares of the volume of a
/// fluid particle at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rates {
    pub h: f32,
    /// Factor of the slope of the kernel: of the cubic spline `[1/m⁴]`, of Wendland's [1/m⁸].
    pub slope: f32,
    /// Settling and, for each unit of diffusivity, diffusion in a step, without the slope of the kernel [m⁴, m³·s].
    pub settle: f32,
    pub diffuse: f32,
    /// Diffusivity of water at rest, and the largest for a step `[m²/s]`.
    pub diffusivity: f32,
    pub most_diffusivity: f32,
    /// τ_d `[Pa]`.
    pub deposition: f32,
    /// C_max `[-]`.
    pub max_fraction: f32,
    /// Erosion in a step of a square metre under a stress of 1 Pa above the critical one [1/(m²·Pa)].
    pub loosen: f32,
    pub shear: f32,
    pub critical: f32,
    pub hard: f32,
    /// Density of the water `[kg/m³]`.
    pub density: f32,
    /// Sum of (h² − r²)³ over the water around a boundary particle from which on it counts as covered [m⁶].
    pub covering: f32,
    /// Shortest distance over which water shears the bed `[m]`.
    pub nearest: f32,
}

impl Rates {
    pub(super) fn new(params: &Params, dt: f64) -> Self {
        let (h, spacing) = (params.fluid.smoothing_radius(), params.fluid.spacing);
        let volume = params.fluid.particle_mass() / params.fluid.density;
        let carrying = Carrying::of(params);
        let [settle, diffuse] = carrying.amounts(params, dt);
        Self {
            h: h as f32,
            slope: carrying.factor(h) as f32,
            settle: settle as f32,
            diffuse: diffuse as f32,
            diffusivity: params.erosion.diffusivity as f32,
            most_diffusivity: (DIFFUSION_SHARE * spacing * spacing / dt).max(params.erosion.diffusivity)
                as f32,
            deposition: deposition_stress(params) as f32,
            max_fraction: params.erosion.max_fraction as f32,
            loosen: (dt * params.erosion.soil().strength / (params.erosion.sediment_density * volume)) as f32,
            shear: params.erosion.shear as f32,
            critical: params.erosion.soil().critical_shear as f32,
            hard: params.erosion.hard_shear as f32,
            density: params.fluid.density as f32,
            covering: (COVERING * layer_sum(spacing, h)) as f32,
            nearest: (NEAREST * spacing) as f32,
        }
    }
}

/// Sum of (h² − r²)³ over a layer of particles at rest one spacing away [m⁶].
fn layer_sum(spacing: f64, h: f64) -> f64 {
    let reach = (h / spacing).ceil() as i32;
    let along = || (-reach..=reach).map(|n| f64::from(n) * spacing);
    let bell = |[x, y]: [f64; 2]| (h * h - x * x - y * y - spacing * spacing).max(0.0).powi(3);
    along().flat_map(|x| along().map(move |y| bell([x, y]))).sum()
}

/// What sediment moves by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrying {
    /// Wendland's kernel: a slope takes no division.
    Wendland,
    /// The cubic spline of the documents (Kataev 2022, eq. 4.19).
    Spline,
    /// The same, and sums as printed.
    Printed,
}

impl Carrying {
    pub(super) fn of(params: &Params) -> Self {
        match (params.erosion.transfer, params.fluid.kernels) {
            (Transfer::Printed, _) => Self::Printed,
            (Transfer::Exact, Kernels::Wendland) => Self::Wendland,
            (Transfer::Exact, Kernels::Mueller) => Self::Spline,
        }
    }

    /// Factor of the slope of its kernel, for a reach `h` `[m]`. Eq. 4.19 of Kataev 2022 has that of the kernel itself, 1/h³, though F is the slope.
    fn factor(self, h: f64) -> f64 {
        match self {
            Self::Wendland => 210.0 / (PI * h.powi(8)),
            Self::Spline | Self::Printed => 1.0 / (4.0 * PI * (0.5 * h).powi(3)) * 2.0 / h,
        }
    }

    /// What settles and, for each unit of diffusivity, spreads in a step, without the slope of the kernel.
    ///
    /// Eq. 1.64 of Kataev 2022 as printed moves sediment at half the settling speed, since each particle sees only the half-space
    /// above it as donors; its eq. 1.68 leaves out 2/r (Monaghan 2005 has it). Both are set right by asking that
    /// particles on a lattice move their sediment at the right speed and spread it at the right rate.
    fn amounts(self, params: &Params, dt: f64) -> [f64; 2] {
        let (h, spacing) = (params.fluid.smoothing_radius(), params.fluid.spacing);
        let volume = params.fluid.particle_mass() / params.fluid.density;
        let slope_at = |r: f64| match self {
            Self::Wendland => -Wendland(h).slope(r),
            Self::Spline | Self::Printed => -CubicSpline(h).slope(r),
        };
        let sinks = dt * grains(params).speed() * volume;
        if self == Self::Printed {
            return [sinks, dt * volume];
        }
        let spread = lattice_sum(spacing, h, |r| if r > 0.0 { volume * r * slope_at(r) / 3.0 } else { 0.0 });
        [sinks / (0.5 * spread), 2.0 * dt * volume / spread]
    }
}

/// The slope of a kernel along which sediment moves.
pub(super) trait CarryingKernel: Copy + Sync {
    /// |dW/dr|/r, from squared distances `[1/m⁵]`.
    fn slope_over_r<S: Simd>(self, simd: S, rates: &Rates, rr: f32x8<S>) -> f32x8<S>;

    /// What spreads at squared distances, over [`Self::slope_over_r`].
    #[inline(always)]
    fn spread<S: Simd>(self, _: S, _: &Rates, amount: f32x8<S>, _: f32x8<S>) -> f32x8<S> {
        amount
    }
}

impl CarryingKernel for WendlandSet {
    #[inline(always)]
    fn slope_over_r<S: Simd>(self, simd: S, rates: &Rates, rr: f32x8<S>) -> f32x8<S> {
        let q = (f32x8::splat(simd, rates.h) - rr.sqrt()).max(f32x8::splat(simd, 0.0));
        q * q * (q * rates.slope)
    }
}

impl CarryingKernel for MuellerSet {
    #[inline(always)]
    fn slope_over_r<S: Simd>(self, simd: S, rates: &Rates, rr: f32x8<S>) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        let r = within(simd, rates, rr);
        let q = r * (2.0 / rates.h);
        let far = (f32x8::splat(simd, 2.0) - q).max(zero);
        let near = (f32x8::splat(simd, 1.0) - q).max(zero);
        (far * far * 3.0 - near * near * 12.0) * rates.slope / r
    }
}

/// The cubic spline, and diffusion by its slope alone (Kataev 2022, eq. 1.68).
#[derive(Clone, Copy, Debug)]
pub(super) struct AsPrinted;

impl CarryingKernel for AsPrinted {
    #[inline(always)]
    fn slope_over_r<S: Simd>(self, simd: S, rates: &Rates, rr: f32x8<S>) -> f32x8<S> {
        MuellerSet.slope_over_r(simd, rates, rr)
    }

    #[inline(always)]
    fn spread<S: Simd>(self, simd: S, rates: &Rates, amount: f32x8<S>, rr: f32x8<S>) -> f32x8<S> {
        amount * within(simd, rates, rr)
    }
}

/// Distances, at most the reach: beyond it they may be infinite, and the slope is zero. Particles in one place have no direction between
/// them; a millionth of the reach stands for none.
#[inline(always)]
fn within<S: Simd>(simd: S, rates: &Rates, rr: f32x8<S>) -> f32x8<S> {
    let r = rr.min(f32x8::splat(simd, rates.h * rates.h)).sqrt();
    r.max(f32x8::splat(simd, 1.0e-6 * rates.h))
}

/// The grains and the water they sink in.
pub(crate) fn grains(params: &Params) -> Grains {
    Grains {
        radius: params.erosion.soil().grain_radius,
        density: params.erosion.sediment_density,
        fluid_density: params.fluid.density,
        viscosity: params.erosion.grain_viscosity,
        gravity: params.fluid.gravity,
    }
}

/// Stress from which on nothing settles on the bed `[Pa]`.
fn deposition_stress(params: &Params) -> f64 {
    let carried = params.fluid.density * grains(params).speed().powi(2); // u* = w: Bagnold 1966
    params.erosion.soil().deposition_shear.unwrap_or(carried)
}

/// The longest step in which sediment goes no farther than to its neighbours `[s]`.
pub(crate) fn max_dt(params: &Params) -> f64 {
    if !params.erosion.enabled {
        return f64::INFINITY;
    }
    let spacing = params.fluid.spacing;
    let settling = SETTLING_SHARE * spacing / grains(params).speed().max(NOTHING);
    settling.min(DIFFUSION_SHARE * spacing * spacing / params.erosion.diffusivity.max(NOTHING))
}
