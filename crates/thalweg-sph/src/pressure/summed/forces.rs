//! What pushes and drags a particle: pressure, viscosity, surface tension, gravity, and the boundary.
//!
//! One walk computes all of them, so that positions and velocities are read once.
//!
//! A boundary particle takes part as one of the fluid that stands still: its mass is that of the fluid it stands for
//! (Akinci et al. 2012), its pressure is that of the particle it pushes, and more the deeper it lies below that (Adami
//! et al. 2012), and its drag is the friction of the bed.

use crate::constants::Constants;
use crate::kernel_set::KernelSet;
use crate::neighbours::{Group, Kind, Visitor, add3, even, load, splat3, sum3};
use crate::particles::Particles;
use crate::tension::{self, Pair, Pull, Surface};
use fearless_simd::{Simd, f32x8, prelude::*};

/// Computes the acceleration of every particle of the fluid.
pub(crate) struct Forces<'a, const TENSION: u8, K> {
    pub particles: &'a Particles,
    pub constants: &'a Constants,
    /// p/ρ² [m⁵/(kg·s²)]; zero for the boundary.
    pub pressure: &'a [f32],
    /// Viscosity times volume `[Pa·s·m³]`; of the boundary with its own viscosity.
    pub drag: &'a [f32],
    /// Masses that push, densities, who is of the boundary; and what tension alone reads.
    pub surface: Surface<'a>,
    pub kernels: K,
}

impl<'a, const TENSION: u8, K: KernelSet> Visitor for Forces<'a, TENSION, K> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let Surface { density, pushing, solid, .. } = self.surface;
        let [x, y, z, u, v, w, pushing, pressure, viscous, solid] =
            even([x, y, z, u, v, w, pushing, self.pressure, self.drag, solid]);
        let c = self.constants;
        let zero = f32x8::splat(simd, 0.0);
        let h = f32x8::splat(simd, c.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let here = splat3(simd, [x, y, z], i);
            let [ui, vi, wi] = splat3(simd, [u, v, w], i);
            let pi = f32x8::splat(simd, pressure[i]);
            // Water that presses on nothing, as when it falls along a wall, is not carried by the wall either.
            let lift = f32x8::splat(simd, c.lift.min(0.5 * pressure[i].max(0.0) / c.h));
            let (mut push, mut drag) = ([zero; 3], [zero; 3]);
            let mut pull = Pull::none(simd);
            for vector in group.near(k) {
                let at = vector.start();
                let (way, rr) = group.ways(simd, vector, here, [x, y, z]);
                let (mj, pj, fj) =
                    (load(simd, pushing, at), load(simd, pressure, at), load(simd, viscous, at));
                // Behind the boundary pressure grows with depth as before it.
                let pj = load(simd, solid, at).mul_add(way[2] * lift, pj);
                let r = rr.sqrt();
                let q = (h - r).max(zero); // zero out of reach: so are all terms
                // Pressure (Kataev 2022, eq. 1.33).
                let p = self.kernels.slope(mj, q, r) * (pi + pj);
                push = add3(push, p, way);
                // Friction (eq. 1.35) with the Laplacian of the viscosity kernel (eq. 1.22).
                let f = fj * q;
                drag = [
                    f.mul_add(load(simd, u, at) - ui, drag[0]),
                    f.mul_add(load(simd, v, at) - vi, drag[1]),
                    f.mul_add(load(simd, w, at) - wi, drag[2]),
                ];
                if TENSION != tension::NONE {
                    let pair = Pair { away: way, rr, r, within: q };
                    pull.add::<TENSION>(simd, &self.surface, &pair, i, vector);
                }
            }
            let (push, drag) = (sum3(push), sum3(drag));
            let friction = c.friction / density[i];
            let mut a: [f32; 3] = std::array::from_fn(|axis| c.slope * push[axis] + friction * drag[axis]);
            a[2] -= c.gravity;
            if TENSION != tension::NONE {
                let pulled = pull.acceleration::<TENSION>(c, density[i]);
                a = std::array::from_fn(|axis| a[axis] + pulled[axis]);
            }
            for axis in 0..3 {
                out[axis][i - first] = a[axis];
            }
        }
    }
}
