//! Density is summed up over neighbours, and pressure follows from it by an equation of state (Müller et al. 2003; Becker &
//! Teschner 2007): the way of the documents.
//!
//! One walk finds densities and pressures, and one walk all forces, so that positions and velocities are read once.

mod density;
mod forces;

use super::{Pressure, Shared, Sorted, find_normals, resize_column};
use crate::constants::Constants;
use crate::integrate::{Extremes, Shift};
use crate::kernel_set::{KernelSet, MuellerSet, WendlandSet};
use crate::params::{Equation, FluidParams, Kernels, Tension};
use crate::particles::{PART, Particles, SLIP};
use crate::tension::{self, Surface};
use density::Density;
use forces::Forces;
use std::ops::Range;
use thalweg_field::band;

/// Share of h that sound and flow together may cross in a step `[-]`: less than half, so that no particle misses another.
const SOUND_SHARE: f64 = 0.4;
/// Share of √(h/a) that a step may last `[-]`, a being the largest acceleration: from rest a particle then goes h/32.
const FORCE_SHARE: f64 = 0.25;
/// Share of h²/ν that a step may last `[-]`: friction does not reverse what it slows.
const FRICTION_SHARE: f64 = 0.06;
/// Nothing to speak of, where a step is divided by the acceleration `[m/s²]` or the viscosity `[Pa·s]`.
const NO_ACCELERATION: f64 = 1.0e-9;
const NO_VISCOSITY: f64 = 1.0e-12;

/// Columns for sorted particles, of the fluid and of the boundary.
#[derive(Debug, Default)]
pub(crate) struct Summed {
    /// Mass with which each counts in the density `[kg]`.
    dense: Vec<f32>,
    /// Mass with which each pushes `[kg]`.
    pushing: Vec<f32>,
    /// p/ρ² [m⁵/(kg·s²)]; zero for the boundary.
    pressure: Vec<f32>,
    /// Viscosity times volume `[Pa·s·m³]`.
    drag: Vec<f32>,
    /// Normals of the surface, not normalised `[-]`; for Akinci's tension alone.
    normal: [Vec<f32>; 3],
}

impl Summed {
    /// Bytes for each particle; no other method takes more.
    pub(crate) const BYTES: u64 = 4 * 4;
}

impl Pressure for Summed {
    fn resize(&mut self, length: usize) {
        for column in [&mut self.dense, &mut self.pushing, &mut self.pressure, &mut self.drag] {
            resize_column(column, length);
        }
    }

    /// Density, and pressure from it (Kataev 2022, eqs. 1.25 and 1.32).
    fn compute_density(&mut self, sorted: Sorted, shared: &mut Shared, next: &mut Particles) {
        let count = sorted.particles.len();
        next.compression[..count].copy_from_slice(&sorted.particles.compression[..count]);
        self.weigh(sorted);
        match sorted.params.kernels {
            Kernels::Wendland => self.sum_up(WendlandSet, sorted, shared),
            Kernels::Mueller => self.sum_up(MuellerSet, sorted, shared),
        }
        self.finish_density(sorted, shared);
        if sorted.params.surface == Tension::Akinci {
            find_normals(sorted, shared, &mut self.normal);
        }
    }

    /// All forces (Kataev 2022, eqs. 1.33–1.41).
    fn accelerate(&mut self, sorted: Sorted, shared: &Shared, next: &mut Particles, kick: f64) -> f64 {
        let count = sorted.particles.len();
        let out = next.velocity.each_mut().map(|column| &mut column[..count]);
        match sorted.params.kernels {
            Kernels::Wendland => self.accelerate_with(WendlandSet, sorted, shared, out),
            Kernels::Mueller => self.accelerate_with(MuellerSet, sorted, shared, out),
        }
        kick
    }

    fn shift(&self, _: &FluidParams, _: &Constants) -> Shift {
        Shift::None
    }

    fn max_dt(&self, constants: &Constants, extremes: Extremes, wall_viscosity: f32) -> f64 {
        let h = f64::from(constants.h);
        let sound = SOUND_SHARE * h / f64::from(constants.sound_speed + extremes.speed);
        let force = FORCE_SHARE * (h / f64::from(extremes.acceleration).max(NO_ACCELERATION)).sqrt();
        let viscosity = f64::from(constants.viscosity.max(wall_viscosity)).max(NO_VISCOSITY);
        let friction = FRICTION_SHARE * h * h * f64::from(constants.rest_density) / viscosity;
        sound.min(force).min(friction)
    }
}

impl Summed {
    /// Masses with which particles count and push.
    fn weigh(&mut self, Sorted { particles, boundary, .. }: Sorted) {
        let count = particles.len();
        let masses = [&mut self.dense[..count], &mut self.pushing[..count]];
        let work = |range: Range<usize>, [dense, pushing]: [&mut [f32]; 2]| {
            for (k, i) in range.enumerate() {
                let [a, b] =
                    if particles.is_boundary(i) { [boundary.density, boundary.push] } else { [1.0; 2] };
                (dense[k], pushing[k]) = (a * particles.mass[i], b * particles.mass[i]);
            }
        };
        band::for_each_part(0..count, PART, masses, &work);
    }

    /// The walk over densities.
    fn sum_up(&mut self, kernels: impl KernelSet, sorted: Sorted, shared: &mut Shared) {
        let Sorted { particles, neighbours, constants, .. } = sorted;
        let count = particles.len();
        let out = [&mut shared.density[..count], &mut self.pressure[..count]];
        let visitor = Density { particles, constants, dense: &self.dense, kernels };
        neighbours.walk(particles, &visitor, out);
    }

    /// What the walk leaves undone: the boundary, and volumes for the friction.
    fn finish_density(&mut self, sorted: Sorted, shared: &mut Shared) {
        let Sorted { particles, constants: c, boundary, wall_viscosity: wall, .. } = sorted;
        let count = particles.len();
        let columns = [&mut shared.density[..count], &mut self.pressure[..count], &mut self.drag[..count]];
        let work = |range: Range<usize>, [density, pressure, drag]: [&mut [f32]; 3]| {
            for (k, i) in range.enumerate() {
                if particles.is_boundary(i) {
                    (density[k], pressure[k]) = (c.rest_density, 0.0);
                    let rough = if particles.tag[i] & SLIP == 0 { wall * boundary.drag } else { 0.0 };
                    drag[k] = rough * (particles.mass[i] / c.rest_density);
                } else {
                    drag[k] = c.viscosity * (particles.mass[i] / density[k]);
                }
            }
        };
        band::for_each_part(0..count, PART, columns, &work);
    }

    fn accelerate_with(
        &self,
        kernels: impl KernelSet,
        sorted: Sorted,
        shared: &Shared,
        out: [&mut [f32]; 3],
    ) {
        use tension::{AKINCI, BECKER_TESCHNER, COLOUR_FIELD, NONE};
        match tension::number(sorted.params.surface) {
            COLOUR_FIELD => self.walk_forces::<COLOUR_FIELD>(kernels, sorted, shared, out),
            BECKER_TESCHNER => self.walk_forces::<BECKER_TESCHNER>(kernels, sorted, shared, out),
            AKINCI => self.walk_forces::<AKINCI>(kernels, sorted, shared, out),
            _ => self.walk_forces::<NONE>(kernels, sorted, shared, out),
        }
    }

    fn walk_forces<const TENSION: u8>(
        &self,
        kernels: impl KernelSet,
        Sorted { particles, neighbours, constants, .. }: Sorted,
        shared: &Shared,
        out: [&mut [f32]; 3],
    ) {
        let surface = Surface {
            constants,
            density: &shared.density,
            pushing: &self.pushing,
            normal: [&self.normal[0], &self.normal[1], &self.normal[2]],
        };
        let (pressure, drag) = (&self.pressure, &self.drag);
        let visitor = Forces::<TENSION, _> { particles, constants, pressure, drag, surface, kernels };
        neighbours.walk(particles, &visitor, out);
    }
}

impl Constants {
    /// Pressure at a density `[Pa]`.
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
