//! What pushes and drags a particle: pressure, viscosity, surface tension, gravity, and the boundary.

use super::Numbers;
use crate::neighbours::{Group, Kind, Visitor, add3, even, load, splat3, sum3};
use crate::particles::Particles;
use crate::tension::{self, Pair, Pull, Surface};
use fearless_simd::{Simd, f32x8, prelude::*};

/// Computes the acceleration of every particle of the fluid.
pub(super) struct Forces<'a, const TENSION: u8> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// Downwards `[m/s²]`.
    pub gravity: f32,
    /// Compression that pushes `[-]`; of the boundary 1 if it is rough, else 0.
    pub pushing: &'a [f32],
    /// Who is of the boundary; and what tension alone reads.
    pub surface: Surface<'a>,
}

impl<'a, const TENSION: u8> Visitor for Forces<'a, TENSION> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let [x, y, z, u, v, w, mass, pushing, solid] =
            even([x, y, z, u, v, w, &self.particles.mass, self.pushing, self.surface.solid]);
        let n = self.numbers;
        let zero = f32x8::splat(simd, 0.0);
        let h = f32x8::splat(simd, n.h);
        let (stiffness, one) = (f32x8::splat(simd, n.stiffness), f32x8::splat(simd, 1.0));
        let (viscosity, drag) = (f32x8::splat(simd, n.viscosity), f32x8::splat(simd, n.wall_viscosity));
        for k in 0..group.count {
            let i = group.slots[k];
            let here = splat3(simd, [x, y, z], i);
            let [ui, vi, wi] = splat3(simd, [u, v, w], i);
            let own = f32x8::splat(simd, pushing[i]);
            let growth = f32x8::splat(simd, n.growth_around(self.particles, i));
            let mut push = [zero; 3];
            let mut pull = Pull::none(simd);
            for vector in group.near(k) {
                let at = vector.start();
                let (way, rr) = group.ways(simd, vector, here, [x, y, z]);
                let r = rr.sqrt();
                let q = (h - r).max(zero); // zero out of reach: so are all terms
                let steep = (q * q) * (q * load(simd, mass, at));
                let (solid, pressed) = (load(simd, solid, at), load(simd, pushing, at));
                let (wet, rough) = (one - solid, solid * pressed);
                // Behind the boundary pressure goes on growing with depth; it never pulls.
                let behind = growth.mul_add(way[2], own).max(-own);
                let other = solid.mul_add(behind, wet * pressed);
                // Viscosity (Monaghan 1992) along the way between the two; it keeps angular momentum.
                let (du, dv, dw) = (ui - load(simd, u, at), vi - load(simd, v, at), wi - load(simd, w, at));
                let apart = dw.mul_add(way[2], dv.mul_add(way[1], du * way[0]));
                let rub = rough.mul_add(drag, wet * viscosity) * apart / rr;
                let p = steep * (own + other).mul_sub(stiffness, rub);
                push = add3(push, p, way);
                if TENSION != tension::NONE {
                    let pair = Pair { away: way, rr, r, within: q };
                    pull.add::<TENSION>(simd, &self.surface, &pair, i, vector);
                }
            }
            let push = sum3(push);
            let mut a = [n.slope * push[0], n.slope * push[1], n.slope * push[2] - self.gravity];
            if TENSION != tension::NONE {
                let pulled = pull.acceleration::<TENSION>(self.surface.constants, self.surface.density[i]);
                a = std::array::from_fn(|axis| a[axis] + pulled[axis]);
            }
            for axis in 0..3 {
                out[axis][i - first] = a[axis];
            }
        }
    }
}
