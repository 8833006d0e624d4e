//! The surface of a fluid made of particles, as a mesh.
//!
//! [`reconstruct`] takes [`Points`] and gives a closed [`TriMesh`]: the particles are spread over a fine
//! grid with a smooth kernel, the surface is where the sum crosses a threshold, marching cubes turn it
//! into triangles, and smoothing takes out the bumps of single particles where the fluid is dense.
//! Krištof et al. 2009 drew their rivers this way, with tetrahedra instead of cubes and a coarse grid of
//! occupied blocks so that empty space costs nothing; the blocks here are the subdomains of
//! `splashsurf_lib`, and the smoothing is the weighted one of Löschner et al. 2023, which leaves drops
//! and thin sheets alone.
//!
//! The same particles give the same bytes for any number of threads.
//!
//! ```
//! use thalweg_field::Points;
//! use thalweg_surface::{SurfaceParams, reconstruct};
//!
//! // A drop of 4 × 4 × 4 particles, 2 cm apart.
//! let place = |i: usize| [i % 4, i / 4 % 4, i / 16].map(|n| 0.02 * n as f32);
//! let drop = Points { positions: (0..64).map(place).collect(), radius: 0.01, ..Points::default() };
//! let mesh = reconstruct(&drop, &SurfaceParams::of(&drop))?;
//! assert_eq!(mesh.normals.len(), mesh.positions.len());
//! // Closed, and in one piece without holes: Euler's V - E + F = 2, with three half edges to a face.
//! assert_eq!(mesh.positions.len(), mesh.triangles.len() / 2 + 2);
//! # Ok::<(), thalweg_surface::SurfaceError>(())
//! ```

mod lattice;
mod memory;
mod order;
mod params;
mod smooth;

pub use memory::memory_needed;
pub use params::{SurfaceError, SurfaceParams};

use splashsurf_lib::mesh::TriMesh3d;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::postprocessing::marching_cubes_cleanup;
use splashsurf_lib::{
    GridDecompositionParameters, Parameters, SpatialDecomposition, SurfaceReconstruction, UniformGrid,
};
use thalweg_field::{Points, TriMesh};

use lattice::Lattice;

/// Cubes along each side of a subdomain, the piece that one thread works on.
const SUBDOMAIN: u32 = 64;

/// Density of the fluid `[kg/m³]`. It cancels, but the library wants the same one everywhere.
const DENSITY: f32 = 1.0;

/// The closed surface around the particles, with normals. No particles, no surface.
pub fn reconstruct(points: &Points, params: &SurfaceParams) -> Result<TriMesh, SurfaceError> {
    cut_into(points, params, SUBDOMAIN)
}

/// [`reconstruct`] with subdomains of that many cubes; how the space is cut does not change the result.
fn cut_into(points: &Points, params: &SurfaceParams, subdomain: u32) -> Result<TriMesh, SurfaceError> {
    let params = params.clone().validated()?;
    let Some(lattice) = Lattice::around(points, &params)? else { return Ok(TriMesh::default()) };
    memory::admit(points, &lattice, &params)?;
    let particles = lattice.cubes_from_world(points);
    let found = march(&particles, &params, subdomain)?;
    let mut mesh = order::sorted(&found.mesh);
    if params.merge_slivers {
        mesh = without_slivers(&mesh, &found.grid);
    }
    let neighbours = smooth::Neighbours::of(&mesh);
    smooth::positions(&mut mesh, &neighbours, &found, &particles, &params);
    smooth::normals(&mut mesh, &neighbours, params.normal_smoothing_iterations);
    lattice.world_from_cubes(&mut mesh);
    Ok(mesh)
}

/// Sums the kernels on the grid and triangulates the threshold.
///
/// Lengths are in cubes, so that every corner of the grid is a whole number: neighbouring subdomains then
/// compute the same bits where they meet, and it does not matter which of them comes first. The vector
/// code of the library would be twice as fast, but it rounds by the place in the subdomain.
fn march(
    particles: &[Vector3<f32>],
    params: &SurfaceParams,
    subdomain: u32,
) -> Result<SurfaceReconstruction<i64, f32>, SurfaceError> {
    let radius = params.radius_in_cubes();
    let settings = Parameters {
        rest_density: DENSITY,
        iso_surface_threshold: params.iso_threshold,
        enable_simd: false,
        // Never without subdomains: the undivided way sums in the order in which threads finish.
        spatial_decomposition: SpatialDecomposition::UniformGrid(GridDecompositionParameters {
            subdomain_num_cubes_per_dim: subdomain,
            auto_disable: false,
        }),
        global_neighborhood_list: params.smoothing_iterations > 0,
        ..Parameters::new(radius, params.support_in_cubes(), 1.0)
    };
    let found = splashsurf_lib::reconstruct_surface(particles, &settings)
        .map_err(|error| SurfaceError::Failed(error.to_string()))?;
    if u32::try_from(found.mesh.vertices.len()).is_err() {
        return Err(SurfaceError::Failed(format!("it has {} corners", found.mesh.vertices.len())));
    }
    Ok(found)
}

/// Merges the corners around each corner of the grid. Marching cubes cut off slivers there, whose normals
/// point anywhere and which smoothing only presses flat (Löschner et al. 2023 after Moore & Warren 1992);
/// about half of all corners go.
fn without_slivers(mesh: &TriMesh, grid: &UniformGrid<i64, f32>) -> TriMesh {
    /// Rounds of merging; the first does nearly all of it.
    const ROUNDS: usize = 5;
    let mut merged = TriMesh3d {
        vertices: mesh.positions.iter().map(|&p| p.into()).collect(),
        triangles: mesh.triangles.iter().map(|t| t.map(|i| i as usize)).collect(),
    };
    marching_cubes_cleanup(&mut merged, grid, None, ROUNDS, false);
    TriMesh {
        positions: merged.vertices.iter().map(|v| [v.x, v.y, v.z]).collect(),
        normals: Vec::new(),
        triangles: merged.triangles.iter().map(|t| t.map(|i| i as u32)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::random::Key;

    #[test]
    fn how_space_is_cut_does_not_show() {
        let key = Key::new(5);
        let place = |i: u64| std::array::from_fn(|axis| key.with(i).with(axis as u64).unit() as f32);
        let cloud = Points { positions: (0..3000).map(place).collect(), radius: 0.03, ..Points::default() };
        let params = SurfaceParams::of(&cloud);
        let whole = cut_into(&cloud, &params, 128).unwrap();
        assert!(!whole.triangles.is_empty());
        for side in [16, 23, 64] {
            assert!(cut_into(&cloud, &params, side).unwrap() == whole, "subdomains of {side} cubes");
        }
    }
}
