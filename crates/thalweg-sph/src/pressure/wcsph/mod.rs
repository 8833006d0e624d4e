//! Weakly compressible SPH whose density follows the flow: dρ/dt = −ρ ∇·v (Monaghan 1994), with diffusion that keeps the
//! pressure smooth (δ-SPH: Antuono et al. 2010; without the part that is hydrostatic, Fourtakas et al. 2019).
//!
//! A column at rest stays at rest without any damping, since its sums are those of [`super::at_rest`]. Two walks make a step:
//!
//! 1. [`flow`]: compression and, for the shifting of particles, the slope of how closely they stand;
//! 2. the forces: pressure, viscosity, surface tension, gravity, and the boundary.

mod flow;

use super::at_rest::{Columns, Numbers, SHIFT, SLOWEST, friction_limit};
use super::{Pressure, Shared, Sorted};
use crate::constants::Constants;
use crate::integrate::{Extremes, Shift};
use crate::params::FluidParams;
use crate::particles::Particles;
use flow::Flow;

/// Share of h that sound and flow together may cross in a step `[-]`.
const SOUND_SHARE: f64 = 0.4;
/// Share of √(h/a) that a step may last `[-]`, a being the largest acceleration.
const FORCE_SHARE: f64 = 0.25;
/// Nothing to speak of, where a step is divided by the acceleration `[m/s²]`.
const NO_ACCELERATION: f64 = 1.0e-9;
/// δ of the diffusion of density `[-]` (Marrone et al. 2011 have 0.1 with twice as many neighbours; 0.5 is unstable).
pub(crate) const DIFFUSION: f64 = 0.3;
/// Longest shift in a step, in spacings `[-]`.
const MOST_SHIFT: f64 = 0.05;

/// How density and flow keep each other.
#[derive(Debug, Default)]
pub(crate) struct Wcsph {
    columns: Columns,
}

impl Pressure for Wcsph {
    fn resize(&mut self, length: usize) {
        self.columns.resize(length);
    }

    fn compute_density(&mut self, sorted: Sorted, shared: &mut Shared, next: &mut Particles) {
        let Sorted { particles, neighbours, params, elapsed, .. } = sorted;
        let count = particles.len();
        self.columns.mark_boundary(particles, next);
        let [x, y, z] = &mut next.position;
        let out =
            [&mut next.compression, &mut self.columns.pushing, x, y, z].map(|column| &mut column[..count]);
        let numbers = Numbers::new(sorted);
        let flow = Flow {
            particles,
            numbers: &numbers,
            elapsed: elapsed as f32,
            diffusion: (DIFFUSION * params.smoothing_radius()) as f32 * sorted.constants.sound_speed,
        };
        neighbours.walk(particles, &flow, out);
        for (copy, original) in sorted.copies.iter().map(|&(a, b)| (a as usize, b as usize)) {
            self.columns.pushing[copy] = self.columns.pushing[original];
            next.compression[copy] = next.compression[original];
        }
        self.columns.finish_density(sorted, shared, &next.compression);
    }

    fn prescribe(&mut self, given: &[(u32, f32)]) {
        for &(i, compression) in given {
            self.columns.pushing[i as usize] = compression;
        }
    }

    fn accelerate(&mut self, sorted: Sorted, shared: &Shared, next: &mut Particles, kick: f64) -> f64 {
        let count = sorted.particles.len();
        let out = next.velocity.each_mut().map(|column| &mut column[..count]);
        self.columns.accelerate(sorted, shared, &Numbers::new(sorted), out);
        kick
    }

    fn shift(&self, params: &FluidParams, constants: &Constants) -> Shift {
        Shift::Down {
            share: (SHIFT * params.smoothing_radius()) as f32,
            most: (MOST_SHIFT * params.spacing) as f32,
            slowest: SLOWEST * constants.sound_speed,
        }
    }

    fn max_dt(&self, constants: &Constants, extremes: Extremes, wall_viscosity: f32) -> f64 {
        let h = f64::from(constants.h);
        let sound = SOUND_SHARE * h / f64::from(constants.sound_speed + extremes.speed);
        let force = FORCE_SHARE * (h / f64::from(extremes.acceleration).max(NO_ACCELERATION)).sqrt();
        sound.min(force).min(friction_limit(constants, wall_viscosity))
    }
}
