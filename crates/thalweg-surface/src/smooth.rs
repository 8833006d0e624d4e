//! Smoothing of places and normals.

use std::f32::consts::PI;

use rayon::prelude::*;
use splashsurf_lib::SurfaceReconstruction;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::sph_interpolation::SphInterpolator;
use thalweg_field::TriMesh;

use crate::{DENSITY, SurfaceParams};

/// The neighbours of every corner of a closed mesh.
pub(crate) struct Neighbours {
    /// Where the neighbours of a corner begin in `list`; one more entry than corners.
    start: Vec<u32>,
    list: Vec<u32>,
}

impl Neighbours {
    /// In a closed mesh each edge is run through once in either direction, so that the corners that follow
    /// a corner in its triangles are its neighbours, each once.
    pub(crate) fn of(mesh: &TriMesh) -> Self {
        let mut start = vec![0; mesh.positions.len() + 1];
        for corner in mesh.triangles.iter().flatten() {
            start[*corner as usize + 1] += 1;
        }
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut next = start.clone();
        let mut list = vec![0; 3 * mesh.triangles.len()];
        for triangle in &mesh.triangles {
            for i in 0..3 {
                let place = &mut next[triangle[i] as usize];
                list[*place as usize] = triangle[(i + 1) % 3];
                *place += 1;
            }
        }
        Self { start, list }
    }

    fn around(&self, corner: usize) -> &[u32] {
        &self.list[self.start[corner] as usize..self.start[corner + 1] as usize]
    }
}

/// Moves every corner towards the mean of its neighbours, as far as its weight says.
pub(crate) fn positions(
    mesh: &mut TriMesh,
    neighbours: &Neighbours,
    found: &SurfaceReconstruction<i64, f32>,
    particles: &[Vector3<f32>],
    params: &SurfaceParams,
) {
    if params.smoothing_iterations == 0 {
        return;
    }
    let weights = weights(mesh, found, particles, params);
    let mut old = mesh.positions.clone();
    for _ in 0..params.smoothing_iterations {
        std::mem::swap(&mut old, &mut mesh.positions);
        mesh.positions.par_iter_mut().enumerate().for_each(|(corner, place)| {
            let here = Vector3::from(old[corner]);
            let around = neighbours.around(corner);
            let sum: Vector3<f32> = around.iter().map(|&i| Vector3::from(old[i as usize]) - here).sum();
            *place = (here + sum * (weights[corner] / around.len().max(1) as f32)).into();
        });
    }
}

/// How much each corner may be smoothed, from 0 for lone drops to 1 inside the fluid.
///
/// Löschner et al. 2023: neighbours of a particle count from 1 when close to 0 at the end of the kernel,
/// the counts are interpolated to the surface, divided by what the count is inside the fluid, and sent
/// through a smooth step.
fn weights(
    mesh: &TriMesh,
    found: &SurfaceReconstruction<i64, f32>,
    particles: &[Vector3<f32>],
    params: &SurfaceParams,
) -> Vec<f32> {
    let (Some(lists), Some(densities)) = (&found.particle_neighbors, &found.particle_densities) else {
        unreachable!("the subdomains give densities, and neighbours when asked");
    };
    let support = params.support_in_cubes();
    let counts: Vec<f32> = (particles.par_iter().zip(lists))
        .map(|(here, list)| {
            list.iter().map(|&j| 1.0 - (particles[j] - here).norm_squared() / support.powi(2)).sum()
        })
        .collect();
    // One particle in every (2 r)³, times the integral of 1 - (d / 2 s r)² over the ball of 2 s r. The
    // authors' 13 is this for a smoothing length of two radii.
    let full = 8.0 * PI / 15.0 * params.smoothing_length.powi(3);
    let mass = DENSITY * (2.0 * params.radius_in_cubes()).powi(3);
    let places: Vec<Vector3<f32>> = mesh.positions.iter().map(|&p| p.into()).collect();
    SphInterpolator::new(particles, densities, mass, support)
        .interpolate_scalar_quantity(&counts, &places, true)
        .into_iter()
        .map(|count| {
            let x = (count / full).clamp(0.0, 1.0);
            x.powi(3) * (10.0 - 15.0 * x + 6.0 * x.powi(2))
        })
        .collect()
}

/// Works out the normals, weighed by the area of the triangles, and averages each with its neighbours.
pub(crate) fn normals(mesh: &mut TriMesh, neighbours: &Neighbours, iterations: u32) {
    *mesh = std::mem::take(mesh).with_normals();
    let mut old = mesh.normals.clone();
    for _ in 0..iterations {
        std::mem::swap(&mut old, &mut mesh.normals);
        mesh.normals.par_iter_mut().enumerate().for_each(|(corner, normal)| {
            let here = Vector3::from(old[corner]);
            let sum = here
                + neighbours
                    .around(corner)
                    .iter()
                    .map(|&i| Vector3::from(old[i as usize]))
                    .sum::<Vector3<f32>>();
            *normal = sum.try_normalize(f32::EPSILON).unwrap_or(here).into();
        });
    }
}
