//! What pushes and drags a particle: pressure, viscosity, surface tension, gravity, the boundary, and for spray the air.

use super::{Numbers, SPRAY};
use crate::neighbours::{Cluster, Kind, Visitor, add3, apart, dot3, even, scale3};
use crate::particles::Particles;
use crate::tension::{self, Pair, Pull, Surface};
use fearless_simd::{Simd, f32x8, prelude::*};

/// Computes the acceleration of every particle of the fluid.
pub(super) struct Forces<'a, const TENSION: u8, const THICK: bool> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// Downwards `[m/s²]`.
    pub gravity: f32,
    /// Compression that pushes `[-]`; of the boundary 1 if it is rough, else 0.
    pub pushing: &'a [f32],
    /// Half of the viscosity that what each particle of the fluid carries adds, as a factor of the viscous force `[m²/s]`; read where it is
    /// `THICK`.
    pub thickness: &'a [f32],
    /// What tension alone reads.
    pub surface: Surface<'a>,
}

impl<'a, const TENSION: u8, const THICK: bool> Visitor for Forces<'a, TENSION, THICK> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, [ax, ay, az]: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let thickness = if THICK { self.thickness } else { self.pushing };
        let [x, y, z, u, v, w, mass, pushing, thickness] =
            even([x, y, z, u, v, w, &self.particles.mass, self.pushing, thickness]);
        let n = self.numbers;
        let zero = f32x8::splat(simd, 0.0);
        let (h, closest) = (f32x8::splat(simd, n.h), f32x8::splat(simd, n.closest));
        let stiffness = f32x8::splat(simd, n.stiffness);
        let (mut viscosity, mut drag) =
            (f32x8::splat(simd, -n.viscosity), f32x8::splat(simd, -n.wall_viscosity));
        if THICK {
            let own = cluster.own(simd, thickness);
            viscosity -= own;
            drag = (own * n.per_thickness).mul_add(drag, drag);
        }
        let (here, speed) = (cluster.own3(simd, [x, y, z]), cluster.own3(simd, [u, v, w]));
        let own = cluster.own(simd, pushing) * stiffness;
        let growth = n.growth_around(simd, self.particles, cluster) * stiffness;
        let (mut push, mut filled) = ([zero; 3], zero);
        let mut pull = Pull::none(simd);
        for j in cluster.fluid() {
            let way = apart(here, [x, y, z], j);
            let rr = dot3(way, way).max(closest);
            let r = rr.sqrt();
            let q = (r - h).min(zero); // zero out of reach: so are all terms
            let both = stiffness.mul_add(f32x8::splat(simd, pushing[j]), own);
            // Viscosity (Monaghan 1992) along the way between the two; it keeps angular momentum.
            let rate = dot3(apart(speed, [u, v, w], j), way) / rr;
            let between = if THICK { viscosity - f32x8::splat(simd, thickness[j]) } else { viscosity };
            let slope = q * q * q;
            push = add3(push, slope * between.mul_add(rate, both), way);
            filled = slope.mul_add(rr, filled);
            if TENSION != tension::NONE {
                let pair = Pair { away: way, rr, r, within: -q };
                pull.add::<TENSION>(simd, &self.surface, &pair, cluster, j);
            }
        }
        for j in cluster.boundary() {
            let way = apart(here, [x, y, z], j);
            let rr = dot3(way, way).max(closest);
            let q = (rr.sqrt() - h).min(zero);
            let slope = q * q * q * (n.share * mass[j]);
            // Behind the boundary pressure goes on growing with depth; it never pulls.
            let both = own + (own - growth * way[2]).max(-own);
            let rough = drag * pushing[j];
            let rate = dot3(apart(speed, [u, v, w], j), way) / rr;
            push = add3(push, slope * rough.mul_add(rate, both), way);
            filled = slope.mul_add(rr, filled);
        }
        let mut a = scale3(push, f32x8::splat(simd, n.slope));
        a[2] -= self.gravity;
        // Air slows drops that fly alone; without it what splashes up from rough ground would fly on like a ball.
        let spray = (filled * n.slope).simd_gt(f32x8::splat(simd, -3.0 * SPRAY));
        let air = spray.select(dot3(speed, speed).sqrt() * -self.surface.constants.air, zero);
        a = add3(a, air, speed);
        if TENSION != tension::NONE {
            let pulled = pull.acceleration::<TENSION>(simd, &self.surface, cluster);
            a = [a[0] + pulled[0], a[1] + pulled[1], a[2] + pulled[2]];
        }
        cluster.put3(a, [ax, ay, az]);
    }
}
