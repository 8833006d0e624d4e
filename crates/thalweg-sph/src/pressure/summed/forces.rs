//! What pushes and drags a particle: pressure, viscosity, surface tension, gravity, and the boundary.
//!
//! One walk computes all of them, so that positions and velocities are read once.
//!
//! A boundary particle takes part as one of the fluid that stands still: its mass is that of the fluid it stands for
//! (Akinci et al. 2012), its pressure is that of the particle it pushes, and more the deeper it lies below that (Adami
//! et al. 2012), and its drag is the friction of the bed.

use crate::constants::Constants;
use crate::kernel_set::KernelSet;
use crate::neighbours::{Cluster, Kind, Visitor, add3, apart, dot3, even, scale3};
use crate::particles::Particles;
use crate::pressure::at_rest::CLOSEST;
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
    /// Masses that push, densities; and what tension alone reads.
    pub surface: Surface<'a>,
    pub kernels: K,
}

impl<'a, const TENSION: u8, K: KernelSet> Visitor for Forces<'a, TENSION, K> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, [ax, ay, az]: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let Surface { density, pushing, .. } = self.surface;
        let [x, y, z, u, v, w, pushing, pressure, viscous] =
            even([x, y, z, u, v, w, pushing, self.pressure, self.drag]);
        let c = self.constants;
        let zero = f32x8::splat(simd, 0.0);
        let (h, closest) = (f32x8::splat(simd, c.h), f32x8::splat(simd, CLOSEST * c.h * c.h));
        let (here, speed) = (cluster.own3(simd, [x, y, z]), cluster.own3(simd, [u, v, w]));
        let own = cluster.own(simd, pressure);
        // Water that presses on nothing, as when it falls along a wall, is not carried by the wall either.
        let lift = (own.max(zero) * (0.5 / c.h)).min(f32x8::splat(simd, c.lift));
        let (mut push, mut drag) = ([zero; 3], [zero; 3]);
        let mut pull = Pull::none(simd);
        for (near, j) in cluster.all().enumerate() {
            let solid = near >= cluster.fluid().len();
            let way = apart(here, [x, y, z], j);
            let rr = dot3(way, way).max(closest);
            let r = rr.sqrt();
            let q = (h - r).max(zero); // zero out of reach: so are all terms
            // Pressure (Kataev 2022, eq. 1.33); behind the boundary it grows with depth as before it.
            let behind = if solid { way[2] * -lift } else { zero };
            let mass = f32x8::splat(simd, pushing[j]);
            push = add3(push, self.kernels.slope(mass, q, r) * (own + (behind + pressure[j])), way);
            // Friction (eq. 1.35) with the Laplacian of the viscosity kernel (eq. 1.22).
            drag = add3(drag, q * viscous[j], apart(speed, [u, v, w], j));
            if TENSION != tension::NONE && !solid {
                let pair = Pair { away: way, rr, r, within: q };
                pull.add::<TENSION>(simd, &self.surface, &pair, cluster, j);
            }
        }
        let friction = f32x8::splat(simd, c.friction) / cluster.own(simd, density);
        let mut a = add3(scale3(push, f32x8::splat(simd, -c.slope)), friction, drag);
        a[2] -= c.gravity;
        if TENSION != tension::NONE {
            let pulled = pull.acceleration::<TENSION>(simd, &self.surface, cluster);
            a = [a[0] + pulled[0], a[1] + pulled[1], a[2] + pulled[2]];
        }
        cluster.put3(a, [ax, ay, az]);
    }
}
