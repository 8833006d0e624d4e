//! Where pressure pushes particles to.

use crate::neighbours::{Cluster, Kind, Visitor, add3, apart, dot3, even, scale3};
use crate::particles::Particles;
use crate::pressure::at_rest::Numbers;
use fearless_simd::{Simd, f32x8, prelude::*};

/// The flow without pressure, and what pressure adds to it.
pub(super) struct Push<'a> {
    pub particles: &'a Particles,
    pub numbers: &'a Numbers,
    /// Pressure over density `[m²/s²]`.
    pub pressure: &'a [f32],
    /// Whether pressure grows with depth behind the boundary.
    pub heavy: bool,
    /// The flow without it `[m/s]`; missing: none.
    pub start: Option<[&'a [f32]; 3]>,
    /// How long it pushes `[s]`.
    pub time: f32,
}

impl<'a> Visitor for Push<'a> {
    type Out = [&'a mut [f32]; 3];
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, [ahead_x, ahead_y, ahead_z]: &mut Self::Out) {
        let [x, y, z] = &self.particles.position;
        let [x, y, z, mass, pressure] = even([x, y, z, &self.particles.mass, self.pressure]);
        let n = self.numbers;
        let zero = f32x8::splat(simd, 0.0);
        let h = f32x8::splat(simd, n.h);
        let here = cluster.own3(simd, [x, y, z]);
        let own = cluster.own(simd, pressure);
        let mut push = [zero; 3];
        for j in cluster.fluid() {
            let way = apart(here, [x, y, z], j);
            let q = (dot3(way, way).sqrt() - h).min(zero); // zero out of reach: so are all terms
            push = add3(push, q * q * q * (own + pressure[j]), way);
        }
        let growth = n.growth_around(simd, self.particles, cluster);
        let weight = growth * if self.heavy { n.stiffness } else { 0.0 };
        for j in cluster.boundary() {
            let way = apart(here, [x, y, z], j);
            let q = (dot3(way, way).sqrt() - h).min(zero);
            let slope = q * q * q * (n.share * mass[j]);
            // Behind the boundary pressure goes on growing with depth; it never pulls.
            let behind = (own - weight * way[2]).max(-own);
            push = add3(push, slope * (own + behind), way);
        }
        let start = match self.start {
            Some(start) => cluster.own3(simd, start),
            None => [zero; 3],
        };
        let [dx, dy, dz] = scale3(push, f32x8::splat(simd, self.time * n.slope));
        cluster.put3([start[0] + dx, start[1] + dy, start[2] + dz], [ahead_x, ahead_y, ahead_z]);
    }
}
