//! Metres and cubes.

use splashsurf_lib::nalgebra::Vector3;
use thalweg_field::{Points, TriMesh};

use crate::{SurfaceError, SurfaceParams};

/// Cubes along one side that can still be told apart: a place in `f32` then has 1/128 of a cube or better.
const MOST_CUBES: u64 = 1 << 17;

/// The grid of cubes around some particles. Its corners lie on whole multiples of the cube's side in the
/// world, whatever the particles do, so that the surface does not shimmer from frame to frame.
pub(crate) struct Lattice {
    /// Side of a cube `[m]`.
    cube: f64,
    /// The corner from which cubes are counted, in cubes from the world's origin.
    corner: [f64; 3],
}

impl Lattice {
    /// The grid around these particles; `None` if there are none.
    pub(crate) fn around(points: &Points, params: &SurfaceParams) -> Result<Option<Self>, SurfaceError> {
        let mut wild = points.positions.iter().enumerate().filter(|(_, p)| !p.iter().all(|x| x.is_finite()));
        if let Some((first, &at)) = wild.next() {
            let count = 1 + wild.count();
            return Err(SurfaceError::NotFinite { count, total: points.len(), first, at });
        }
        let Some(&start) = points.positions.first() else { return Ok(None) };
        let (low, high) = points.positions.iter().fold((start, start), |(low, high), p| {
            (std::array::from_fn(|i| low[i].min(p[i])), std::array::from_fn(|i| high[i].max(p[i])))
        });
        let cube = params.cube();
        let extent = (0..3).map(|i| f64::from(high[i]) - f64::from(low[i])).fold(0.0, f64::max);
        let cubes = (extent / cube).ceil() as u64;
        if cubes > MOST_CUBES {
            return Err(SurfaceError::TooWide { extent, cube, cubes, most: MOST_CUBES });
        }
        Ok(Some(Self { cube, corner: low.map(|x| (f64::from(x) / cube).floor()) }))
    }

    /// Places in cubes.
    pub(crate) fn cubes_from_world(&self, points: &Points) -> Vec<Vector3<f32>> {
        let place = |p: &[f32; 3]| Vector3::from_fn(|i, _| self.cubes(i, p[i]));
        points.positions.iter().map(place).collect()
    }

    /// A coordinate along one axis in cubes.
    pub(crate) fn cubes(&self, axis: usize, metres: f32) -> f32 {
        (f64::from(metres) / self.cube - self.corner[axis]) as f32
    }

    /// Moves a mesh from cubes to metres.
    pub(crate) fn world_from_cubes(&self, mesh: &mut TriMesh) {
        for p in &mut mesh.positions {
            *p = std::array::from_fn(|i| ((f64::from(p[i]) + self.corner[i]) * self.cube) as f32);
        }
    }
}
