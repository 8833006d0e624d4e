//! Weakly compressible SPH whose density follows the flow: dρ/dt = −ρ ∇·v (Monaghan 1994), with diffusion that keeps the
//! pressure smooth (δ-SPH: Antuono et al. 2010; without the part that is hydrostatic, Fourtakas et al. 2019).
//!
//! Every sum is linearised about the fluid at rest: volumes are Δs³ and densities ρ₀ in it. The rate of the density is
//! then the exact adjoint of the push of the pressure, and what one gives to the motion the other takes from the
//! compression: a column at rest stays at rest without any damping. Two walks make a step:
//!
//! 1. [`flow`]: compression and, for the shifting of particles, the slope of how closely they stand;
//! 2. [`forces`]: pressure, viscosity, surface tension, gravity, and the boundary.
//!
//! The boundary is fluid that stands still, particles of about Δs³ in layers below the surface that they stand for. Their
//! pressure is that of the particle which they push, and more the deeper they lie below it (Adami et al. 2012).

mod flow;
mod forces;

use super::{Pressure, Shared, Sorted, resize_column};
use crate::constants::Constants;
use crate::integrate::{Extremes, Shift};
use crate::kernel::{Kernel, Wendland, lattice_sum};
use crate::params::{FluidParams, Tension};
use crate::particles::{PADDING, PART, Particles, SLIP};
use crate::tension::{self, Normals, Surface};
use flow::Flow;
use forces::Forces;
use std::ops::Range;
use thalweg_field::band;

/// Share of h that sound and flow together may cross in a step `[-]`.
const SOUND_SHARE: f64 = 0.4;
/// Share of √(h/a) that a step may last `[-]`, a being the largest acceleration.
const FORCE_SHARE: f64 = 0.25;
/// Share of h²/ν that a step may last `[-]`.
const FRICTION_SHARE: f64 = 0.06;
/// Nothing to speak of, where a step is divided by the acceleration `[m/s²]` or the viscosity `[m²/s]`.
const NO_ACCELERATION: f64 = 1.0e-9;
const NO_VISCOSITY: f64 = 1.0e-15;
/// δ of the diffusion of density `[-]` (Marrone et al. 2011 have 0.1 with twice as many neighbours; 0.5 is unstable).
pub(crate) const DIFFUSION: f64 = 0.3;
/// How far particles are shifted towards where there are fewer: this times h times the way of the flow `[-]`. Without it
/// stretched water falls into strings (Lind et al. 2012).
const SHIFT: f64 = 8.0;
/// What goes no faster than this share of sound is not shifted `[-]`: water at rest would lose volume by its own noise.
const SLOWEST: f32 = 0.01;
/// How much more those count that are closer than a spacing, so that none pair up (Monaghan 2000) `[-]`.
const PAIRING: f32 = 0.2;
/// Longest shift in a step, in spacings `[-]`.
const MOST_SHIFT: f64 = 0.05;
/// A particle with so much of its neighbourhood filled is inside the fluid `[-]`: it is shifted, and can be pulled apart.
pub(crate) const FULL: f64 = 0.85;
/// With less than this it is spray, which has no pressure `[-]`.
const SPRAY: f32 = 0.25;

/// What the parameters come down to.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    h: f32,
    /// Factor of the slope of the kernel times the volume of a particle, over the mass of one [1/(m⁵·kg)].
    slope: f32,
    /// Square of the speed of sound `[m²/s²]`.
    stiffness: f32,
    /// How compression grows with depth at rest, g/c² `[1/m]`.
    growth: f32,
    /// Diffusion of density, δ h c `[m²/s]`.
    diffusion: f32,
    /// Factor of the viscous force in the fluid, and towards the boundary `[m²/s]`.
    viscosity: f32,
    wall_viscosity: f32,
    /// Deceleration of what touches a rough boundary fully, over its speed squared `[1/m]`.
    rub: f32,
    /// One over the kernel at a distance of one spacing, without its factor `[1/m⁵]`.
    bell: f32,
}

impl Numbers {
    fn new(Sorted { params, constants: c, wall_viscosity, rub, .. }: Sorted) -> Self {
        let h = params.smoothing_radius();
        let sound = f64::from(c.sound_speed);
        let [slope, shear] = calibration(params);
        let factor = |viscosity: f32| (2.0 * f64::from(viscosity) / params.density / shear) as f32;
        Self {
            h: h as f32,
            slope: (slope / params.density) as f32,
            stiffness: (sound * sound) as f32,
            growth: (params.gravity / (sound * sound)) as f32,
            diffusion: (DIFFUSION * h * sound) as f32,
            viscosity: factor(c.viscosity),
            wall_viscosity: factor(wall_viscosity) * sticking(params) as f32,
            rub: (f64::from(rub) / touch(params)) as f32,
            bell: (1.0 / ((h - params.spacing).powi(4) * (h + 4.0 * params.spacing))) as f32,
        }
    }
}

/// Factor of (h − r)³ in the slope of the kernel over r, such that the gradient of a linear field is exact on the lattice; and what
/// the viscous sum makes of a unit of shear there, 1/5 in a continuum.
pub(crate) fn calibration(params: &FluidParams) -> [f64; 2] {
    let (h, spacing) = (params.smoothing_radius(), params.spacing);
    let volume = spacing.powi(3);
    let kernel = Wendland(h);
    let steep = |r: f64| if r > 0.0 { -kernel.slope(r) / r } else { 0.0 };
    let exact = 3.0 / lattice_sum(spacing, h, |r| volume * r * r * steep(r));
    let reach = (h / spacing).ceil() as i32;
    let mut shear = 0.0;
    for n in 0..(2 * reach + 1).pow(3) {
        let wide = 2 * reach + 1;
        let [x, y, z] = [n % wide, n / wide % wide, n / wide / wide].map(|n| f64::from(n - reach) * spacing);
        let rr = x * x + y * y + z * z;
        if rr > 0.0 && rr < h * h {
            shear += volume * exact * steep(rr.sqrt()) * x * x * z * z / rr;
        }
    }
    [210.0 / (std::f64::consts::PI * h.powi(8)) * exact, shear]
}

/// How much stronger the topmost layer of a boundary drags than as many particles of the fluid would `[-]`: as if fluid behind
/// its surface went the other way, the faster the farther away, so that water sticks at the surface itself.
pub(crate) fn sticking(params: &FluidParams) -> f64 {
    let (h, spacing) = (params.smoothing_radius(), params.spacing);
    let reach = (h / spacing).ceil() as i32;
    // Over a plane so many spacings away: what a difference of speed along it does.
    let plane = |away: i32| {
        let mut sum = 0.0;
        for n in 0..(2 * reach + 1).pow(2) {
            let (x, y) = (n % (2 * reach + 1) - reach, n / (2 * reach + 1) - reach);
            let rr = f64::from(x * x + y * y + away * away);
            sum += (h / spacing - rr.sqrt()).max(0.0).powi(3) * f64::from(x * x) / rr;
        }
        sum
    };
    // The lowest layer goes at half of the speed that the next one is faster by.
    (1..=reach).map(|away| f64::from(away) * plane(away)).sum::<f64>() / (0.5 * plane(1))
}

/// How far above a rough boundary water touches it `[m]`: the sum over layers at rest of how much each does, times a spacing.
fn touch(params: &FluidParams) -> f64 {
    let (h, spacing) = (params.smoothing_radius(), params.spacing);
    let reach = (h / spacing).ceil() as i32;
    let [slope, _] = calibration(params);
    let mut sum = 0.0;
    for n in 0..(2 * reach + 1).pow(2) * reach {
        let wide = 2 * reach + 1;
        let [x, y, z] = [n % wide - reach, n / wide % wide - reach, n / wide / wide + 1];
        let rr = spacing * spacing * f64::from(x * x + y * y + z * z);
        sum += spacing.powi(3) * slope * (h - rr.sqrt()).max(0.0).powi(3) * rr;
    }
    sum * spacing
}

/// Columns for sorted particles, of the fluid and of the boundary.
#[derive(Debug, Default)]
pub(crate) struct Wcsph {
    /// Compression that pushes: no pull at the surface `[-]`. Of the boundary 1 if it is rough, else 0.
    pushing: Vec<f32>,
    /// Normals of the surface, not normalised `[-]`; for Akinci's tension alone.
    normal: [Vec<f32>; 3],
}

impl Wcsph {
    /// Bytes for each particle.
    pub(crate) const BYTES: u64 = 4;
}

impl Pressure for Wcsph {
    fn resize(&mut self, length: usize) {
        resize_column(&mut self.pushing, length);
    }

    fn compute_density(&mut self, sorted: Sorted, shared: &mut Shared, next: &mut Particles) {
        let Sorted { particles, neighbours, params, elapsed, .. } = sorted;
        let count = particles.len();
        self.mark_boundary(particles, shared, next);
        let [x, y, z] = &mut next.position;
        let out = [&mut next.compression, &mut self.pushing, x, y, z].map(|column| &mut column[..count]);
        let numbers = Numbers::new(sorted);
        let flow = Flow { particles, numbers: &numbers, solid: &shared.solid, elapsed: elapsed as f32 };
        neighbours.walk(particles, &flow, (out, shared.kept.keep()));
        let rest = params.density as f32;
        let compression = &next.compression;
        band::for_each_part(0..count, PART, &mut shared.density[..count], &|range, density: &mut [f32]| {
            for (density, compression) in density.iter_mut().zip(&compression[range]) {
                *density = rest * (1.0 + compression);
            }
        });
        if params.surface == Tension::Akinci {
            self.find_normals(sorted, shared);
        }
    }

    fn prescribe(&mut self, given: &[(u32, f32)]) {
        for &(i, compression) in given {
            self.pushing[i as usize] = compression;
        }
    }

    fn accelerate(&mut self, sorted: Sorted, shared: &Shared, out: [&mut [f32]; 3]) {
        use tension::{AKINCI, BECKER_TESCHNER, COLOUR_FIELD, NONE};
        match tension::number(sorted.params.surface) {
            COLOUR_FIELD => self.walk_forces::<COLOUR_FIELD>(sorted, shared, out),
            BECKER_TESCHNER => self.walk_forces::<BECKER_TESCHNER>(sorted, shared, out),
            AKINCI => self.walk_forces::<AKINCI>(sorted, shared, out),
            _ => self.walk_forces::<NONE>(sorted, shared, out),
        }
    }

    fn shift(&self, params: &FluidParams, constants: &Constants) -> Option<Shift> {
        Some(Shift {
            share: (SHIFT * params.smoothing_radius()) as f32,
            most: (MOST_SHIFT * params.spacing) as f32,
            slowest: SLOWEST * constants.sound_speed,
        })
    }

    fn max_dt(&self, constants: &Constants, extremes: Extremes, wall_viscosity: f32) -> f64 {
        let h = f64::from(constants.h);
        let sound = SOUND_SHARE * h / f64::from(constants.sound_speed + extremes.speed);
        let force = FORCE_SHARE * (h / f64::from(extremes.acceleration).max(NO_ACCELERATION)).sqrt();
        let viscosity = f64::from(constants.viscosity.max(wall_viscosity) / constants.rest_density);
        sound.min(force).min(FRICTION_SHARE * h * h / viscosity.max(NO_VISCOSITY))
    }
}

impl Wcsph {
    /// Who belongs to the boundary, and what of it is rough.
    fn mark_boundary(&mut self, particles: &Particles, shared: &mut Shared, next: &mut Particles) {
        let count = particles.len();
        let columns = [&mut shared.solid, &mut self.pushing, &mut next.compression];
        let work = |range: Range<usize>, [solid, pushing, compression]: [&mut [f32]; 3]| {
            for (k, i) in range.enumerate() {
                (solid[k], pushing[k]) = match particles.tag[i] & SLIP {
                    _ if !particles.is_boundary(i) => (0.0, 0.0),
                    0 => (1.0, 1.0),
                    _ => (1.0, 0.0),
                };
                compression[k] = 0.0;
            }
        };
        band::for_each_part(0..count, PART, columns.map(|column| &mut column[..count]), &work);
    }

    /// Normals of the surface.
    fn find_normals(&mut self, sorted: Sorted, shared: &Shared) {
        let Sorted { particles, neighbours, constants, .. } = sorted;
        let count = particles.len();
        let [a, b, c] = &mut self.normal;
        let normals = [a, b, c].map(|column| {
            column.resize(count + PADDING, 0.0);
            &mut column[..count]
        });
        let visitor = Normals { particles, constants, volumes: shared.volumes(particles) };
        neighbours.walk_kept(particles, &shared.kept, &visitor, normals);
    }

    fn walk_forces<const TENSION: u8>(&self, sorted: Sorted, shared: &Shared, out: [&mut [f32]; 3]) {
        let Sorted { particles, neighbours, constants, .. } = sorted;
        let surface = Surface {
            constants,
            volumes: shared.volumes(particles),
            solid: &shared.solid,
            density: &shared.density,
            pushing: &particles.mass,
            normal: [&self.normal[0], &self.normal[1], &self.normal[2]],
        };
        let numbers = Numbers::new(sorted);
        let visitor = Forces::<TENSION> {
            particles,
            numbers: &numbers,
            gravity: constants.gravity,
            pushing: &self.pushing,
            surface,
        };
        neighbours.walk_kept(particles, &shared.kept, &visitor, out);
    }
}
