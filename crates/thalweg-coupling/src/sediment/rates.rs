//! What parameters and time step come down to in the loops of the sediment.

use crate::params::Params;
use fearless_simd::{Simd, f32x8, prelude::*};
use std::f64::consts::PI;
use thalweg_erosion::law::settling::Grains;
use thalweg_sph::kernel::{CubicSpline, Kernel, Wendland, lattice_sum};
use thalweg_sph::{KernelSet, Kernels, MuellerSet, WendlandSet};

/// Shortest distance over which water shears the bed, in spacings `[-]`: half of that between the lowest layer of water at
/// rest and the surface of the bed.
const NEAREST: f64 = 0.25;
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
        let slope_at = |r: f64| match params.fluid.kernels {
            Kernels::Wendland => -Wendland(h).slope(r),
            Kernels::Mueller => -CubicSpline(h).slope(r),
        };
        // Eq. 1.64 of Kataev 2022 as printed moves sediment at half the settling speed, since each particle sees only the half-space
        // above it as donors; its eq. 1.68 leaves out 2/r (Monaghan 2005 has it). Both are set right by asking that
        // particles on a lattice move their sediment at the right speed and spread it at the right rate.
        let spread = lattice_sum(spacing, h, |r| if r > 0.0 { volume * r * slope_at(r) / 3.0 } else { 0.0 });
        Self {
            h: h as f32,
            slope: match params.fluid.kernels {
                Kernels::Wendland => WendlandSet::factor(h),
                Kernels::Mueller => MuellerSet::factor(h),
            } as f32,
            settle: (dt * grains(params).speed() * volume / (0.5 * spread)) as f32,
            diffuse: (2.0 * dt * volume / spread) as f32,
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

/// The kernel along whose slope sediment moves: the documents have the cubic spline (Kataev 2022, eq. 4.19); with
/// Wendland's, a slope takes no division.
pub(super) trait CarryingKernel: KernelSet {
    /// Factor of the slope, for a reach `h` `[m]`.
    fn factor(h: f64) -> f64;

    /// |dW/dr|/r, from squared distances `[1/m⁵]`.
    fn slope_over_r<S: Simd>(self, simd: S, rates: &Rates, rr: f32x8<S>) -> f32x8<S>;
}

impl CarryingKernel for WendlandSet {
    fn factor(h: f64) -> f64 {
        210.0 / (PI * h.powi(8))
    }

    #[inline(always)]
    fn slope_over_r<S: Simd>(self, simd: S, rates: &Rates, rr: f32x8<S>) -> f32x8<S> {
        let q = (f32x8::splat(simd, rates.h) - rr.sqrt()).max(f32x8::splat(simd, 0.0));
        q * q * (q * rates.slope)
    }
}

impl CarryingKernel for MuellerSet {
    fn factor(h: f64) -> f64 {
        1.0 / (4.0 * PI * (0.5 * h).powi(3)) * 2.0 / h
    }

    #[inline(always)]
    fn slope_over_r<S: Simd>(self, simd: S, rates: &Rates, rr: f32x8<S>) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        // Beyond reach distances may be infinite; there the slope is zero.
        let r = rr.min(f32x8::splat(simd, rates.h * rates.h)).sqrt();
        let q = r * (2.0 / rates.h);
        let far = (f32x8::splat(simd, 2.0) - q).max(zero);
        let near = (f32x8::splat(simd, 1.0) - q).max(zero);
        (far * far * 3.0 - near * near * 12.0) * rates.slope / r
    }
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
