//! Sums linearised about the fluid at rest: volumes are Δs³ and densities ρ₀ in them. The rate at which a flow compresses the
//! fluid is then the exact adjoint of the push of its pressure, and what one gives to the motion the other takes from the
//! compression. All methods but [`super::summed`] are made of them.
//!
//! In all of them q is r − h, at most zero, so that what is out of reach counts for nothing; q³ is the slope of the kernel over r, negative as
//! that is, without its factor; and ways lead from the particles of a cluster to their neighbours.
//!
//! The boundary is fluid that stands still, particles of about Δs³ in layers below the surface that they stand for. Their
//! pressure is that of the particle which they push, and more the deeper they lie below it (Adami et al. 2012).

mod forces;

use super::{Shared, Sorted, find_normals, resize_column};
use crate::constants::Constants;
use crate::kernel::{Kernel, Wendland, lattice_sum};
use crate::neighbours::{Cluster, LANES};
use crate::params::{FluidParams, Tension};
use crate::particles::{BOUNDARY, PADDING, PART, Particles, SLIP};
use crate::tension::{self, Surface};
use fearless_simd::{Simd, f32x8, prelude::*};
use forces::Forces;
use std::ops::Range;
use thalweg_field::band;

/// Shortest squared distance, over h² `[-]`.
pub(super) const CLOSEST: f32 = 1.0e-12;
/// Share of h²/ν that a step may last `[-]`: viscosity along the way between two particles acts three times as strongly on waves of
/// compression as on shear, and between plates that stick 0.03 is unstable, 0.018 is not.
const FRICTION_SHARE: f64 = 0.015;
/// Nothing to speak of, where a step is divided by the viscosity `[m²/s]`.
const NO_VISCOSITY: f64 = 1.0e-15;
/// How far particles are shifted towards where there are fewer: this times h times the way of the flow `[-]`. Without it
/// stretched water falls into strings (Lind et al. 2012).
pub(super) const SHIFT: f64 = 8.0;
/// What goes no faster than this share of sound is not shifted `[-]`: water at rest would lose volume by its own noise.
pub(super) const SLOWEST: f32 = 0.01;
/// How much more those count that are closer than a spacing, so that none pair up (Monaghan 2000) `[-]`.
const PAIRING: f64 = 0.2;
/// A particle with so much of its neighbourhood filled is inside the fluid `[-]`: it is shifted, and can be pulled apart.
pub(crate) const FULL: f64 = 0.85;
/// A particle with less than this of its neighbourhood filled with fluid is not pulled either `[-]`: it lies in a notch of the boundary,
/// which never pulls, and fluid that pulled it out would thin it more and more.
pub(super) const HELD: f32 = 0.5;
/// Water tears before it is stretched farther, as compression `[-]`.
pub(super) const TORN: f32 = -0.1;
/// With less than this it is spray, which has no pressure `[-]`.
pub(crate) const SPRAY: f32 = 0.25;

/// What the parameters come down to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub h: f32,
    /// Shortest squared distance that anything is divided by `[m²]`: also that of a particle to itself.
    pub closest: f32,
    /// Factor of the slope of the kernel times the volume of a particle [1/m⁵].
    pub slope: f32,
    /// What a particle of the boundary stands for, beside one of the fluid, for each kilogram `[1/kg]`.
    pub share: f32,
    /// Square of the speed of sound `[m²/s²]`.
    pub stiffness: f32,
    /// How compression grows with depth at rest, g/c² `[1/m]`.
    pub growth: f32,
    /// Factor of the viscous force in the fluid, and towards the boundary `[m²/s]`.
    pub viscosity: f32,
    pub wall_viscosity: f32,
    /// One over what a fluid twice as thick as without cargo adds to the first of them `[s/m²]`, half of that for each of two particles; 0 without
    /// viscosity.
    pub per_thickness: f32,
    /// By how much more it grows for what is full of cargo `[-]`.
    pub surplus: f32,
    /// Factors of q⁵ and q⁴ that make [`Self::spreading`] out of the kernel [1/m⁵, 1/m⁴].
    pub pairing: [f32; 2],
}

impl Numbers {
    pub(super) fn new(Sorted { params, constants: c, wall_viscosity, surplus, .. }: Sorted) -> Self {
        let h = params.smoothing_radius();
        let sound = f64::from(c.sound_speed);
        let [slope, shear] = calibration(params);
        let factor = |viscosity: f32| (2.0 * f64::from(viscosity) / params.density / shear) as f32;
        Self {
            h: h as f32,
            closest: CLOSEST * (h * h) as f32,
            slope: (slope * params.particle_mass() / params.density) as f32,
            share: 1.0 / c.mass,
            stiffness: (sound * sound) as f32,
            growth: (params.gravity / (sound * sound)) as f32,
            viscosity: factor(c.viscosity),
            wall_viscosity: factor(wall_viscosity) * sticking(params) as f32,
            per_thickness: if params.viscosity > 0.0 { 2.0 / factor(params.viscosity as f32) } else { 0.0 },
            surplus,
            pairing: {
                let spaced = (h - params.spacing).powi(4) * (h + 4.0 * params.spacing);
                let root = PAIRING.sqrt().sqrt();
                [root * 4.0 / spaced, root * 5.0 * h / spaced].map(|factor| factor as f32)
            },
        }
    }

    /// How compression grows with depth around the particles of a cluster `[1/m]`.
    #[inline(always)]
    pub(super) fn growth_around<S: Simd>(
        &self,
        simd: S,
        particles: &Particles,
        cluster: &Cluster,
    ) -> f32x8<S> {
        if !particles.has_cargo() {
            return f32x8::splat(simd, self.growth);
        }
        let mut cargo = [0.0; LANES];
        for (to, from) in cargo.iter_mut().zip(&particles.cargo[cluster.first..]) {
            *to = *from as f32;
        }
        (f32x8::from_slice(simd, &cargo) * self.surplus + 1.0) * self.growth
    }

    /// The slope of the kernel from its cube root `q`, by which particles are shifted: those closer than a spacing count more.
    #[inline(always)]
    pub(super) fn spreading<S: Simd>(
        [fifth, fourth]: [f32x8<S>; 2],
        q: f32x8<S>,
        slope: f32x8<S>,
    ) -> f32x8<S> {
        let square = q * q;
        let bell = (square * square) * fifth.mul_add(q, fourth);
        let bell = bell * bell;
        (bell * bell).mul_add(slope, slope)
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

/// Columns for sorted particles, of the fluid and of the boundary.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Compression that pushes: no pull at the surface `[-]`. Of the boundary 1 if it is rough, else 0.
    pub pushing: Vec<f32>,
    /// Half of the viscosity that cargo adds, as a factor of the viscous force `[m²/s]`; empty where it adds none.
    thickness: Vec<f32>,
    /// Normals of the surface, not normalised `[-]`; for Akinci's tension alone.
    normal: [Vec<f32>; 3],
}

impl Columns {
    pub(super) fn resize(&mut self, length: usize) {
        resize_column(&mut self.pushing, length);
    }

    /// What of the boundary is rough; nothing is compressed yet.
    pub(super) fn mark_boundary(&mut self, particles: &Particles, next: &mut Particles) {
        let count = particles.len();
        let columns = [&mut self.pushing, &mut next.compression];
        let work = |range: Range<usize>, [pushing, compression]: [&mut [f32]; 2]| {
            for (k, &tag) in particles.tag[range].iter().enumerate() {
                pushing[k] = if tag & (BOUNDARY | SLIP) == BOUNDARY { 1.0 } else { 0.0 };
                compression[k] = 0.0;
            }
        };
        band::for_each_part(0..count, PART, columns.map(|column| &mut column[..count]), &work);
    }

    /// Densities from compressions, and what surface tension needs.
    pub(super) fn finish_density(&mut self, sorted: Sorted, shared: &mut Shared, compression: &[f32]) {
        let rest = sorted.params.density as f32;
        let count = sorted.particles.len();
        band::for_each_part(0..count, PART, &mut shared.density[..count], &|range, density: &mut [f32]| {
            for (density, compression) in density.iter_mut().zip(&compression[range]) {
                *density = rest * (1.0 + compression);
            }
        });
        if sorted.params.surface == Tension::Akinci {
            find_normals(sorted, shared, &mut self.normal);
        }
    }

    /// How thick each particle is; of the boundary nothing.
    fn find_thickness(&mut self, sorted: Sorted, numbers: &Numbers) {
        let Sorted { particles, thickening, .. } = sorted;
        let Some(thickening) = thickening.filter(|_| particles.has_cargo() && numbers.per_thickness > 0.0)
        else {
            self.thickness.clear();
            return;
        };
        let count = particles.len();
        resize_column(&mut self.thickness, count + PADDING);
        let once = 1.0 / f64::from(numbers.per_thickness);
        band::for_each_part(0..count, PART, &mut self.thickness[..count], &|range, thickness: &mut [f32]| {
            for (thickness, i) in thickness.iter_mut().zip(range) {
                let fluid = !particles.is_boundary(i);
                *thickness =
                    if fluid { (once * (thickening.times(particles.cargo[i]) - 1.0)) as f32 } else { 0.0 };
            }
        });
    }

    /// Accelerations by pressure, viscosity, surface tension, gravity and the boundary.
    pub(super) fn accelerate(
        &mut self,
        sorted: Sorted,
        shared: &Shared,
        numbers: &Numbers,
        out: [&mut [f32]; 3],
    ) {
        use tension::{AKINCI, BECKER_TESCHNER, COLOUR_FIELD, NONE};
        self.find_thickness(sorted, numbers);
        match tension::number(sorted.params.surface) {
            COLOUR_FIELD => self.walk_forces::<COLOUR_FIELD>(sorted, shared, numbers, out),
            BECKER_TESCHNER => self.walk_forces::<BECKER_TESCHNER>(sorted, shared, numbers, out),
            AKINCI => self.walk_forces::<AKINCI>(sorted, shared, numbers, out),
            _ => self.walk_forces::<NONE>(sorted, shared, numbers, out),
        }
    }

    fn walk_forces<const TENSION: u8>(
        &self,
        sorted: Sorted,
        shared: &Shared,
        numbers: &Numbers,
        out: [&mut [f32]; 3],
    ) {
        if self.thickness.is_empty() {
            self.walk_thick::<TENSION, false>(sorted, shared, numbers, out);
        } else {
            self.walk_thick::<TENSION, true>(sorted, shared, numbers, out);
        }
    }

    fn walk_thick<const TENSION: u8, const THICK: bool>(
        &self,
        sorted: Sorted,
        shared: &Shared,
        numbers: &Numbers,
        out: [&mut [f32]; 3],
    ) {
        let Sorted { particles, neighbours, constants, .. } = sorted;
        let surface = Surface {
            constants,
            density: &shared.density,
            pushing: &particles.mass,
            normal: [&self.normal[0], &self.normal[1], &self.normal[2]],
        };
        let gravity = constants.gravity;
        let (pushing, thickness) = (&self.pushing, &self.thickness);
        let visitor = Forces::<TENSION, THICK> { particles, numbers, gravity, pushing, thickness, surface };
        neighbours.walk(particles, &visitor, out);
    }
}

/// The longest step that viscosity allows `[s]`.
pub(super) fn friction_limit(constants: &Constants, wall_viscosity: f32) -> f64 {
    let h = f64::from(constants.h);
    let viscosity = f64::from(constants.viscosity.max(wall_viscosity) / constants.rest_density);
    FRICTION_SHARE * h * h / viscosity.max(NO_VISCOSITY)
}
