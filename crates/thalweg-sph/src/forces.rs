//! What pushes and drags a particle: pressure, viscosity, surface tension, gravity, and the boundary.
//!
//! One walk computes all of them, so that positions and velocities are read once.
//!
//! A boundary particle takes part as one of the fluid that stands still: its mass is that of the fluid it stands for
//! (Akinci et al. 2012), its pressure is that of the particle it pushes, and more the deeper it lies below that (Adami
//! et al. 2012), and its drag is the friction of the bed.

use crate::fluid::Constants;
use crate::neighbours::{Group, Kind, Pass, even, load};
use crate::params::Tension;
use crate::particles::Particles;
use fearless_simd::{Simd, f32x8, prelude::*};

/// Kinds of surface tension as numbers, to compile a walk for each.
pub(crate) mod tension {
    pub const NONE: u8 = 0;
    pub const COLOUR_FIELD: u8 = 1;
    pub const BECKER_TESCHNER: u8 = 2;
    pub const AKINCI: u8 = 3;
}

/// Volume of each particle [m³]; none for the boundary.
#[derive(Clone, Copy, Debug)]
pub struct Volumes<'a> {
    pub(crate) solid: &'a [f32],
    pub(crate) mass: &'a [f32],
    pub(crate) density: &'a [f32],
}

impl Volumes<'_> {
    /// Those of a vector.
    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S, at: usize) -> f32x8<S> {
        let share = f32x8::splat(simd, 1.0) - load(simd, self.solid, at);
        share * load(simd, self.mass, at) / load(simd, self.density, at)
    }
}

/// Computes the acceleration of every particle of the fluid.
pub(crate) struct Forces<'a, const TENSION: u8, const WENDLAND: bool> {
    pub particles: &'a Particles,
    pub constants: &'a Constants,
    /// Mass with which each particle pushes [kg].
    pub pushing: &'a [f32],
    /// p/ρ² [m⁵/(kg·s²)]; zero for the boundary.
    pub pressure: &'a [f32],
    pub density: &'a [f32],
    /// 1 for the boundary, 0 for the fluid [-].
    pub solid: &'a [f32],
    /// For tension alone.
    pub volumes: Volumes<'a>,
    /// Viscosity times volume [Pa·s·m³]; of the boundary with its own viscosity.
    pub drag: &'a [f32],
    /// Normals of the surface, not normalised [-]; for `AKINCI` alone.
    pub normal: [&'a [f32]; 3],
}

impl<'a, const TENSION: u8, const WENDLAND: bool> Pass for Forces<'a, TENSION, WENDLAND> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let [x, y, z, u, v, w, pushing, pressure, viscous, solid] =
            even([x, y, z, u, v, w, self.pushing, self.pressure, self.drag, self.solid]);
        let c = self.constants;
        let zero = f32x8::splat(simd, 0.0);
        let (h, hh) = (f32x8::splat(simd, c.h), f32x8::splat(simd, c.h * c.h));
        for k in 0..group.count {
            let i = group.slots[k];
            let (xi, yi, zi) = (f32x8::splat(simd, x[i]), f32x8::splat(simd, y[i]), f32x8::splat(simd, z[i]));
            let (ui, vi, wi) = (f32x8::splat(simd, u[i]), f32x8::splat(simd, v[i]), f32x8::splat(simd, w[i]));
            let pi = f32x8::splat(simd, pressure[i]);
            // Water that presses on nothing, as when it falls along a wall, is not carried by the wall either.
            let lift = f32x8::splat(simd, c.lift.min(0.5 * pressure[i].max(0.0) / c.h));
            let (mut push, mut drag) = ([zero; 3], [zero; 3]);
            // Surface tension: a vector and a number, whose meaning depends on the kind.
            let (mut pull, mut curl) = ([zero; 3], zero);
            for vector in group.near(k) {
                let at = vector.start();
                let (dx, dy, dz) = (xi - load(simd, x, at), yi - load(simd, y, at), zi - load(simd, z, at));
                let (mj, pj, fj) =
                    (load(simd, pushing, at), load(simd, pressure, at), load(simd, viscous, at));
                // Behind the boundary pressure grows with depth as before it.
                let pj = load(simd, solid, at).mul_add(dz * lift, pj);
                let rr = group.squared(simd, vector, [dx, dy, dz]);
                let r = rr.sqrt();
                let q = (h - r).max(zero); // zero out of reach: so are all terms
                // (1.33): the slope of Wendland's kernel goes with (h − r)³ r, that of the spiky one (1.18) with (h − r)².
                let p =
                    if WENDLAND { (mj * q) * (q * q) * (pi + pj) } else { (mj * q) * (q / r) * (pi + pj) };
                push = [p.mul_add(dx, push[0]), p.mul_add(dy, push[1]), p.mul_add(dz, push[2])];
                // (1.35) with the Laplacian of the viscosity kernel, (1.22)
                let f = fj * q;
                drag = [
                    f.mul_add(load(simd, u, at) - ui, drag[0]),
                    f.mul_add(load(simd, v, at) - vi, drag[1]),
                    f.mul_add(load(simd, w, at) - wi, drag[2]),
                ];
                if TENSION == tension::COLOUR_FIELD {
                    // (1.39) and the Laplacian of the colour field, with the default kernel (1.15, 1.16)
                    let volume = self.volumes.load(simd, at);
                    let bell = (hh - rr).max(zero);
                    let n = volume * bell * bell;
                    pull = [n.mul_add(dx, pull[0]), n.mul_add(dy, pull[1]), n.mul_add(dz, pull[2])];
                    // Distances to what does not count are infinite; 0 times that is no number.
                    curl = (volume * bell).mul_add(hh * 3.0 - rr.min(hh) * 7.0, curl);
                }
                if TENSION == tension::BECKER_TESCHNER {
                    let bell = (hh - rr).max(zero);
                    // Weight for weight, not volume for volume: else the two pulls of a pair differ.
                    let n = load(simd, solid, at).simd_gt(zero).select(zero, bell * bell * bell);
                    pull = [n.mul_add(dx, pull[0]), n.mul_add(dy, pull[1]), n.mul_add(dz, pull[2])];
                }
                if TENSION == tension::AKINCI {
                    let fluid = q.simd_gt(zero) & load(simd, solid, at).simd_eq(zero);
                    // Cohesion (their eqs. 1 and 2) along the line between the two ...
                    let spline = q * r.min(h); // r may be infinite where q is zero
                    let cube = spline * spline * spline;
                    let inner = (cube + cube) - c.cohesion_offset;
                    let bell = (r + r).simd_gt(h).select(cube, inner);
                    // ... and the difference of normals (eq. 4), both stronger where particles are few (eq. 5).
                    let both = load(simd, self.density, at) + self.density[i];
                    let few = fluid.select(f32x8::splat(simd, 2.0 * c.rest_density) / both, zero);
                    let n = few * mj * bell * c.cohesion / r;
                    let a = (f32x8::splat(simd, self.normal[0][i]) - load(simd, self.normal[0], at)) * few;
                    let b = (f32x8::splat(simd, self.normal[1][i]) - load(simd, self.normal[1], at)) * few;
                    let d = (f32x8::splat(simd, self.normal[2][i]) - load(simd, self.normal[2], at)) * few;
                    pull =
                        [n.mul_add(dx, pull[0]) + a, n.mul_add(dy, pull[1]) + b, n.mul_add(dz, pull[2]) + d];
                }
            }
            let (push, drag) = (sum(push), sum(drag));
            let friction = c.friction / self.density[i];
            let mut a: [f32; 3] = std::array::from_fn(|axis| c.slope * push[axis] + friction * drag[axis]);
            a[2] -= c.gravity;
            if TENSION != tension::NONE {
                let pulled = c.pulled::<TENSION>(sum(pull), curl.reduce_sum(), self.density[i]);
                a = std::array::from_fn(|axis| a[axis] + pulled[axis]);
            }
            for axis in 0..3 {
                out[axis][i - first] = a[axis];
            }
        }
    }
}

impl Constants {
    /// Acceleration by surface tension from the sums over neighbours [m/s²].
    #[inline(always)]
    fn pulled<const TENSION: u8>(&self, pull: [f32; 3], curl: f32, density: f32) -> [f32; 3] {
        let factor = match TENSION {
            tension::COLOUR_FIELD => {
                let length = pull.iter().map(|p| p * p).sum::<f32>().sqrt() * self.poly6 * 6.0;
                if length < self.normal_threshold {
                    return [0.0; 3];
                }
                // (1.37): −σ ∇²c n/|n|, per density. Gradient and Laplacian share the factor −945/(32πh⁹) = −6 poly6.
                let laplacian = -6.0 * self.poly6 * curl;
                -self.tension * laplacian / length / density * (-6.0 * self.poly6)
            }
            // m_j/m_i = 1: all particles of the fluid weigh the same.
            tension::BECKER_TESCHNER => -self.tension * self.poly6,
            tension::AKINCI => -self.tension,
            _ => 0.0,
        };
        pull.map(|p| p * factor)
    }
}

#[inline(always)]
fn sum<S: Simd>(s: [f32x8<S>; 3]) -> [f32; 3] {
    [s[0].reduce_sum(), s[1].reduce_sum(), s[2].reduce_sum()]
}

/// Normals of the surface for Akinci et al. 2013: n = h Σ V ∇W.
pub(crate) struct Normals<'a> {
    pub particles: &'a Particles,
    pub constants: &'a Constants,
    pub volumes: Volumes<'a>,
}

impl<'a> Pass for Normals<'a> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let [x, y, z] = &self.particles.position;
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, self.constants.h * self.constants.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let mut sum = [zero; 3];
            for vector in group.near(k) {
                let at = vector.start();
                let [dx, dy, dz] = [
                    f32x8::splat(simd, x[i]) - load(simd, x, at),
                    f32x8::splat(simd, y[i]) - load(simd, y, at),
                    f32x8::splat(simd, z[i]) - load(simd, z, at),
                ];
                let bell = (hh - group.squared(simd, vector, [dx, dy, dz])).max(zero);
                let n = self.volumes.load(simd, at) * bell * bell;
                sum = [n.mul_add(dx, sum[0]), n.mul_add(dy, sum[1]), n.mul_add(dz, sum[2])];
            }
            for axis in 0..3 {
                out[axis][i - first] =
                    -6.0 * self.constants.poly6 * self.constants.h * sum[axis].reduce_sum();
            }
        }
    }
}

/// The number of a kind of tension.
pub(crate) const fn number(tension: Tension) -> u8 {
    match tension {
        Tension::None => tension::NONE,
        Tension::ColourField => tension::COLOUR_FIELD,
        Tension::BeckerTeschner => tension::BECKER_TESCHNER,
        Tension::Akinci => tension::AKINCI,
    }
}
