//! How much fluid a boundary particle stands for (Akinci et al. 2012).

use crate::constants::Constants;
use crate::kernel::{Kernel, Poly6, Viscosity};
use crate::neighbours::{Cluster, Kind, Visitor, apart, dot3};
use crate::params::{FluidParams, PressureSolver};
use crate::particles::Particles;
use fearless_simd::{Simd, f32x8, prelude::*};

/// How strongly the particles of a boundary act on the fluid.
///
/// One layer of boundary particles stands for all the fluid that is missing behind it, and its own volume (Akinci et al.
/// 2012) fits neither the density nor the force of that fluid for any kernel. Both are scaled so that the lowest layer of
/// a fluid at rest, one spacing above a flat layer of boundary particles, has the density at rest and is carried as if
/// the fluid went on. So boundary particles belong half a spacing below the surface that they stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoundaryFactors {
    /// On its mass where density is summed up `[-]`.
    pub density: f32,
    /// On its mass where pressure pushes `[-]`.
    pub push: f32,
    /// On its volume where friction drags `[-]`: with it water at the surface of the boundary goes as fast as the boundary.
    pub drag: f32,
    /// Whether what each stands for is found from how close it stands to others; else its owner knows.
    pub weighed: bool,
}

impl BoundaryFactors {
    /// No boundary at all: the boundary shows in friction only.
    pub const NONE: Self = Self { density: 0.0, push: 0.0, drag: 1.0, weighed: true };

    /// The same where each stands for what its owner says.
    pub const SHARES: Self = Self { density: 0.0, push: 0.0, drag: 1.0, weighed: false };

    /// Layers of fluid that stands still: they act as what they are.
    const FLUID: Self = Self { density: 1.0, push: 1.0, drag: 1.0, weighed: false };

    /// Layers of the boundary: as many as particles reach through, or one that stands for all.
    pub fn layers(params: &FluidParams) -> u32 {
        match params.pressure {
            PressureSolver::Summed => 1,
            _ => 2,
        }
    }

    /// The right boundary on a fluid.
    pub fn of(params: &FluidParams) -> Self {
        match params.pressure {
            PressureSolver::Summed => Self::single(params),
            _ => Self::FLUID,
        }
    }

    fn single(params: &FluidParams) -> Self {
        let (h, spacing) = (params.smoothing_radius(), params.spacing);
        let ([bell, spike], friction, weighing) = (params.kernels(), Viscosity(h), Poly6(h));
        let volume = params.particle_mass() / params.density;
        let reach = (h / spacing).ceil() as i32 + 1;
        let along = || (-reach..=reach).map(|i| f64::from(i) * spacing);
        // Over a plane at the height z that is shifted sideways: sums of W, of the upward slope, of the Laplacian, and of the
        // kernel that weighs the boundary.
        let plane = |shift: [f64; 2], z: f64| {
            let mut sums = [0.0; 4];
            for x in along() {
                for y in along() {
                    let r = ((x + shift[0]).powi(2) + (y + shift[1]).powi(2) + z * z).sqrt();
                    sums[0] += bell.value(r);
                    sums[1] -= if r > 0.0 { spike.slope(r) * z / r } else { 0.0 };
                    sums[2] += friction.laplacian(r);
                    sums[3] += weighing.value(r);
                }
            }
            sums
        };
        let own = plane([0.0; 2], 0.0)[3];
        let mut missing = [0.0; 4];
        for layer in 1..=reach {
            let sums = plane([0.0; 2], f64::from(layer) * spacing);
            missing = std::array::from_fn(|k| missing[k] + volume * sums[k]);
        }
        let mut there = [0.0; 4];
        for i in 0..16 {
            let shift = [f64::from(i % 4) * 0.25 * spacing, f64::from(i / 4) * 0.25 * spacing];
            let sums = plane(shift, spacing);
            there = std::array::from_fn(|k| there[k] + sums[k] / own / 16.0);
        }
        Self {
            density: (missing[0] / there[0]) as f32,
            // Behind the boundary pressure is that of the particle itself, so both terms of eq. 1.33 of Kataev 2022 are the same; a boundary
            // particle has only the first.
            push: (2.0 * missing[1] / there[1]) as f32,
            // Fluid behind the boundary would move as the mirror image of that before it: at twice the difference.
            drag: (2.0 * missing[2] / there[2]) as f32,
            weighed: true,
        }
    }
}

/// Weighs every boundary particle: ρ₀ over the sum of the kernel over its neighbours in the boundary. The sum counts
/// the particle itself: a lone one on a ridge has no others.
pub(crate) struct Weigh<'a> {
    pub particles: &'a Particles,
    pub constants: &'a Constants,
}

impl<'a> Visitor for Weigh<'a> {
    type Out = &'a mut [f32];
    const KIND: Kind = Kind::Boundary;
    const AMONG: &'static [Kind] = &[Kind::Boundary];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, out: &mut Self::Out) {
        let [x, y, z] = self.particles.position.each_ref().map(Vec::as_slice);
        let c = self.constants;
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, c.h * c.h);
        let here = cluster.own3(simd, [x, y, z]);
        let mut sum = zero;
        for j in cluster.boundary() {
            let way = apart(here, [x, y, z], j);
            let bell = (hh - dot3(way, way)).max(zero);
            sum += bell * bell * bell;
        }
        cluster.put(f32x8::splat(simd, c.rest_density) / (sum * c.poly6), out);
    }
}
