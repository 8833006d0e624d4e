//! Surface tension: what each kind sums up over neighbours, and the acceleration that follows.
//!
//! Kinds are numbers, so that a walk is compiled for each.

use crate::constants::Constants;
use crate::neighbours::{Group, Kind, Vector, Visitor, add3, load, splat3, sum3};
use crate::params::Tension;
use crate::particles::Particles;
use crate::volumes::Volumes;
use fearless_simd::{Simd, f32x8, prelude::*};

pub(crate) const NONE: u8 = 0;
pub(crate) const COLOUR_FIELD: u8 = 1;
pub(crate) const BECKER_TESCHNER: u8 = 2;
pub(crate) const AKINCI: u8 = 3;

/// The number of a kind of tension.
pub(crate) const fn number(tension: Tension) -> u8 {
    match tension {
        Tension::None => NONE,
        Tension::ColourField => COLOUR_FIELD,
        Tension::BeckerTeschner => BECKER_TESCHNER,
        Tension::Akinci => AKINCI,
    }
}

/// What a pair of a particle and a vector of others has in common: the way between them, its square and its length.
#[derive(Clone, Copy)]
pub(crate) struct Pair<S: Simd> {
    pub away: [f32x8<S>; 3],
    pub rr: f32x8<S>,
    pub r: f32x8<S>,
    /// h − r, zero out of reach `[m]`.
    pub within: f32x8<S>,
}

/// Columns that surface tension reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    pub constants: &'a Constants,
    pub volumes: Volumes<'a>,
    /// 1 for the boundary, 0 for the fluid `[-]`.
    pub solid: &'a [f32],
    pub density: &'a [f32],
    /// Mass with which each pushes `[kg]`.
    pub pushing: &'a [f32],
    /// Normals of the surface, not normalised `[-]`; for [`AKINCI`] alone.
    pub normal: [&'a [f32]; 3],
}

/// Sums of surface tension: a vector and a number, whose meaning depends on the kind.
#[derive(Clone, Copy)]
pub(crate) struct Pull<S: Simd> {
    vector: [f32x8<S>; 3],
    /// Laplacian of the colour field, without its factor.
    curvature: f32x8<S>,
}

impl<S: Simd> Pull<S> {
    #[inline(always)]
    pub(crate) fn none(simd: S) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        Self { vector: [zero; 3], curvature: zero }
    }

    /// Adds what a vector of others does to the particle `i`.
    #[inline(always)]
    pub(crate) fn add<const TENSION: u8>(
        &mut self,
        simd: S,
        surface: &Surface,
        pair: &Pair<S>,
        i: usize,
        vector: Vector,
    ) {
        let at = vector.start();
        match TENSION {
            COLOUR_FIELD => self.add_colour_field(simd, surface, pair, at),
            BECKER_TESCHNER => self.add_attraction(simd, surface, pair, at),
            AKINCI => self.add_cohesion(simd, surface, pair, i, at),
            _ => {}
        }
    }

    /// Adds the way from others, each with its weight.
    #[inline(always)]
    fn add_along(&mut self, weight: f32x8<S>, way: [f32x8<S>; 3]) {
        self.vector = add3(self.vector, weight, way);
    }

    /// Normal and Laplacian of the colour field, with the default kernel (Kataev 2022, eqs. 1.15, 1.16 and 1.39).
    #[inline(always)]
    fn add_colour_field(&mut self, simd: S, surface: &Surface, pair: &Pair<S>, at: usize) {
        let h = surface.constants.h;
        let hh = f32x8::splat(simd, h * h);
        let volume = surface.volumes.load(simd, at);
        let bell = (hh - pair.rr).max(f32x8::splat(simd, 0.0));
        self.add_along(volume * bell * bell, pair.away);
        // Distances to what does not count are infinite; 0 times that is no number.
        self.curvature = (volume * bell).mul_add(hh * 3.0 - pair.rr.min(hh) * 7.0, self.curvature);
    }

    /// Particles attract each other (Becker & Teschner 2007).
    #[inline(always)]
    fn add_attraction(&mut self, simd: S, surface: &Surface, pair: &Pair<S>, at: usize) {
        let zero = f32x8::splat(simd, 0.0);
        let h = surface.constants.h;
        let bell = (f32x8::splat(simd, h * h) - pair.rr).max(zero);
        // Weight for weight, not volume for volume: else the two pulls of a pair differ.
        let weight = load(simd, surface.solid, at).simd_gt(zero).select(zero, bell * bell * bell);
        self.add_along(weight, pair.away);
    }

    /// Cohesion (Akinci et al. 2013, eqs. 1 and 2) along the line between two particles, and the difference of their
    /// normals (eq. 4), both stronger where particles are few (eq. 5).
    #[inline(always)]
    fn add_cohesion(&mut self, simd: S, surface: &Surface, pair: &Pair<S>, i: usize, at: usize) {
        let zero = f32x8::splat(simd, 0.0);
        let c = surface.constants;
        let h = f32x8::splat(simd, c.h);
        let fluid = pair.within.simd_gt(zero) & load(simd, surface.solid, at).simd_eq(zero);
        let spline = pair.within * pair.r.min(h); // r may be infinite out of reach
        let cube = spline * spline * spline;
        let inner = (cube + cube) - c.cohesion_offset;
        let bell = (pair.r + pair.r).simd_gt(h).select(cube, inner);
        let both = load(simd, surface.density, at) + surface.density[i];
        let few = fluid.select(f32x8::splat(simd, 2.0 * c.rest_density) / both, zero);
        let weight = few * load(simd, surface.pushing, at) * bell * c.cohesion / pair.r;
        self.add_along(weight, pair.away);
        for (sum, normal) in self.vector.iter_mut().zip(surface.normal) {
            *sum += (f32x8::splat(simd, normal[i]) - load(simd, normal, at)) * few;
        }
    }

    /// Acceleration of a particle by the sums over its neighbours `[m/s²]`.
    #[inline(always)]
    pub(crate) fn acceleration<const TENSION: u8>(&self, constants: &Constants, density: f32) -> [f32; 3] {
        constants.pulled::<TENSION>(sum3(self.vector), self.curvature.reduce_sum(), density)
    }
}

impl Constants {
    /// Acceleration by surface tension from the sums over neighbours `[m/s²]`.
    #[inline(always)]
    fn pulled<const TENSION: u8>(&self, pull: [f32; 3], curvature: f32, density: f32) -> [f32; 3] {
        let factor = match TENSION {
            COLOUR_FIELD => {
                let length = pull.iter().map(|p| p * p).sum::<f32>().sqrt() * self.poly6 * 6.0;
                if length < self.normal_threshold {
                    return [0.0; 3];
                }
                // Kataev 2022, eq. 1.37: −σ ∇²c n/|n|, per density. Gradient and Laplacian share the factor −945/(32πh⁹) = −6 poly6.
                let laplacian = -6.0 * self.poly6 * curvature;
                -self.tension * laplacian / length / density * (-6.0 * self.poly6)
            }
            // m_j/m_i = 1: all particles of the fluid weigh the same.
            BECKER_TESCHNER => -self.tension * self.poly6,
            AKINCI => -self.tension,
            _ => 0.0,
        };
        pull.map(|p| p * factor)
    }
}

/// Normals of the surface for Akinci et al. 2013: n = h Σ V ∇W.
pub(crate) struct Normals<'a> {
    pub particles: &'a Particles,
    pub constants: &'a Constants,
    pub volumes: Volumes<'a>,
}

impl<'a> Visitor for Normals<'a> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let [x, y, z] = &self.particles.position;
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, self.constants.h * self.constants.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let here = splat3(simd, [x, y, z], i);
            let mut sum = [zero; 3];
            for vector in group.near(k) {
                let (way, rr) = group.ways(simd, vector, here, [x, y, z]);
                let bell = (hh - rr).max(zero);
                sum = add3(sum, self.volumes.load(simd, vector.start()) * bell * bell, way);
            }
            for (out, sum) in out.iter_mut().zip(sum3(sum)) {
                out[i - first] = -6.0 * self.constants.poly6 * self.constants.h * sum;
            }
        }
    }
}
