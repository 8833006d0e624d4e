//! Surface tension: what each kind sums up over neighbours, and the acceleration that follows.
//!
//! Kinds are numbers, so that a walk is compiled for each.

use crate::constants::Constants;
use crate::neighbours::{Cluster, Kind, Visitor, add3, apart, dot3, scale3};
use crate::params::Tension;
use crate::particles::Particles;
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

/// What the particles of a cluster have in common with another one: the ways to it, their squares and lengths.
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

    /// Adds what the particle `j` of the fluid does to those of a cluster.
    #[inline(always)]
    pub(crate) fn add<const TENSION: u8>(
        &mut self,
        simd: S,
        surface: &Surface,
        pair: &Pair<S>,
        cluster: &Cluster,
        j: usize,
    ) {
        match TENSION {
            COLOUR_FIELD => self.add_colour_field(simd, surface, pair, j),
            BECKER_TESCHNER => self.add_attraction(simd, surface, pair),
            AKINCI => self.add_cohesion(simd, surface, pair, cluster, j),
            _ => {}
        }
    }

    /// Adds ways to another particle, each with its weight.
    #[inline(always)]
    fn add_along(&mut self, weight: f32x8<S>, way: [f32x8<S>; 3]) {
        self.vector = add3(self.vector, weight, way);
    }

    /// Normal and Laplacian of the colour field, with the default kernel (Kataev 2022, eqs. 1.15, 1.16 and 1.39).
    #[inline(always)]
    fn add_colour_field(&mut self, simd: S, surface: &Surface, pair: &Pair<S>, j: usize) {
        let h = surface.constants.h;
        let hh = f32x8::splat(simd, h * h);
        let volume = surface.pushing[j] / surface.density[j];
        let bell = (hh - pair.rr).max(f32x8::splat(simd, 0.0));
        let weight = bell * volume;
        self.add_along(weight * bell, pair.away);
        self.curvature = weight.mul_add(hh * 3.0 - pair.rr * 7.0, self.curvature);
    }

    /// Particles attract each other (Becker & Teschner 2007).
    #[inline(always)]
    fn add_attraction(&mut self, simd: S, surface: &Surface, pair: &Pair<S>) {
        let h = surface.constants.h;
        let bell = (f32x8::splat(simd, h * h) - pair.rr).max(f32x8::splat(simd, 0.0));
        // Weight for weight, not volume for volume: else the two pulls of a pair differ.
        self.add_along(bell * bell * bell, pair.away);
    }

    /// Cohesion (Akinci et al. 2013, eqs. 1 and 2) along the line between two particles, and the difference of their
    /// normals (eq. 4), both stronger where particles are few (eq. 5).
    #[inline(always)]
    fn add_cohesion(&mut self, simd: S, surface: &Surface, pair: &Pair<S>, cluster: &Cluster, j: usize) {
        let zero = f32x8::splat(simd, 0.0);
        let c = surface.constants;
        let h = f32x8::splat(simd, c.h);
        let spline = pair.within * pair.r;
        let cube = spline * spline * spline;
        let inner = (cube + cube) - c.cohesion_offset;
        let bell = (pair.r + pair.r).simd_gt(h).select(cube, inner);
        let both = cluster.own(simd, surface.density) + surface.density[j];
        let few = f32x8::splat(simd, 2.0 * c.rest_density) / both;
        let few = pair.within.simd_gt(zero).select(few, zero);
        let weight = few * (surface.pushing[j] * c.cohesion) * bell / pair.r;
        self.add_along(weight, pair.away);
        self.add_along(few, apart(cluster.own3(simd, surface.normal), surface.normal, j));
    }

    /// Acceleration of the particles of a cluster by the sums over their neighbours `[m/s²]`.
    #[inline(always)]
    pub(crate) fn acceleration<const TENSION: u8>(
        &self,
        simd: S,
        surface: &Surface,
        cluster: &Cluster,
    ) -> [f32x8<S>; 3] {
        let c = surface.constants;
        let factor = match TENSION {
            COLOUR_FIELD => {
                let length = dot3(self.vector, self.vector).sqrt() * (c.poly6 * 6.0);
                // Kataev 2022, eq. 1.37: −σ ∇²c n/|n|, per density. Gradient and Laplacian share the factor −945/(32πh⁹) = −6 poly6.
                let laplacian = self.curvature * (-6.0 * c.poly6);
                let factor =
                    laplacian * (-6.0 * c.tension * c.poly6) / length / cluster.own(simd, surface.density);
                length.simd_lt(f32x8::splat(simd, c.normal_threshold)).select(f32x8::splat(simd, 0.0), factor)
            }
            // m_j/m_i = 1: all particles of the fluid weigh the same.
            BECKER_TESCHNER => f32x8::splat(simd, c.tension * c.poly6),
            AKINCI => f32x8::splat(simd, c.tension),
            _ => f32x8::splat(simd, 0.0),
        };
        scale3(self.vector, factor)
    }
}

/// Normals of the surface for Akinci et al. 2013: n = h Σ V ∇W.
pub(crate) struct Normals<'a> {
    pub particles: &'a Particles,
    pub constants: &'a Constants,
    pub density: &'a [f32],
}

impl<'a> Visitor for Normals<'a> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, [normal_x, normal_y, normal_z]: &mut Self::Out) {
        let [x, y, z] = self.particles.position.each_ref().map(Vec::as_slice);
        let c = self.constants;
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, c.h * c.h);
        let here = cluster.own3(simd, [x, y, z]);
        let mut sum = [zero; 3];
        for j in cluster.fluid() {
            let way = apart(here, [x, y, z], j);
            let bell = (hh - dot3(way, way)).max(zero);
            sum = add3(sum, bell * bell * (self.particles.mass[j] / self.density[j]), way);
        }
        let factor = f32x8::splat(simd, 6.0 * c.poly6 * c.h);
        cluster.put3(scale3(sum, factor), [normal_x, normal_y, normal_z]);
    }
}
