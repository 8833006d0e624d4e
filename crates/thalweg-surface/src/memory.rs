//! How much memory a surface takes, before it takes it.

use std::f64::consts::PI;

use rayon::prelude::*;
use thalweg_field::Points;

use crate::lattice::Lattice;
use crate::{SurfaceError, SurfaceParams};

// Measured as the resident peak of balls, films and spray of 14 to 160 thousand particles.
/// One corner of the raw mesh, with its two triangles, stitched and sorted `[byte]`.
const PER_CORNER: f64 = 200.0;
/// The half edges at a corner while slivers are merged `[byte]`.
const PER_MERGED_CORNER: f64 = 530.0;
/// A particle without its list of neighbours `[byte]`.
const PER_PARTICLE: f64 = 100.0;
/// A neighbour of a particle; lists grow by doubling `[byte]`.
const PER_NEIGHBOUR: f64 = 10.0;
/// The grid and the particles of one subdomain, one for each thread `[byte]`.
const PER_THREAD: f64 = 8.0e6;

/// Memory that [`reconstruct`](crate::reconstruct) takes at its peak `[byte]`: estimated, rather above than
/// below, from the particles and the area of their surface.
pub fn memory_needed(points: &Points, params: &SurfaceParams) -> Result<u64, SurfaceError> {
    let params = params.clone().validated()?;
    let lattice = Lattice::around(points, &params)?;
    Ok(lattice.map_or(0, |lattice| estimate(points, &lattice, &params)))
}

/// Refuses work that would take more than is allowed.
pub(crate) fn admit(points: &Points, lattice: &Lattice, params: &SurfaceParams) -> Result<(), SurfaceError> {
    let (needed, allowed) = (estimate(points, lattice, params), params.max_bytes);
    if needed > allowed {
        return Err(SurfaceError::Memory { particles: points.len(), needed, allowed });
    }
    Ok(())
}

fn estimate(points: &Points, lattice: &Lattice, params: &SurfaceParams) -> u64 {
    let per_corner = PER_CORNER + if params.merge_slivers { PER_MERGED_CORNER } else { 0.0 };
    // A kernel of radius 2 s r holds one particle in every (2 r)³.
    let neighbours = 4.0 / 3.0 * PI * f64::from(params.smoothing_length).powi(3);
    let listed = if params.smoothing_iterations > 0 { neighbours } else { 0.0 };
    let per_particle = PER_PARTICLE + PER_NEIGHBOUR * listed;
    let threads = rayon::current_num_threads() as f64;
    let bytes = per_corner * corners(points, lattice, params)
        + per_particle * points.len() as f64
        + PER_THREAD * threads;
    bytes as u64
}

/// About how many corners the surface has before slivers are merged.
///
/// Marching cubes put a corner on every edge of the grid that the surface cuts. A surface of area `A` and
/// normal `n` cuts `A (|n.x| + |n.y| + |n.z|)` of them, which is the area of the stairs that follow it.
/// The blocks that hold particles are such stairs if they are as wide as a kernel and thus have no gaps
/// inside the fluid; where particles are alone, the sum of their drops is less.
fn corners(points: &Points, lattice: &Lattice, params: &SurfaceParams) -> f64 {
    /// Bumps of the surface over the blocks, at most `[-]`.
    const MARGIN: f64 = 1.25;
    let block = params.support_in_cubes();
    let stairs = exposed_faces(&occupied_blocks(points, lattice, block)) as f64 * f64::from(block).powi(2);
    let drop = lone_radius(params.iso_threshold) * f64::from(params.smoothing_length / params.cube_size);
    let drops = points.len() as f64 * 6.0 * PI * drop.powi(2); // a ball's stairs: 1.5 times its area
    MARGIN * stairs.min(drops)
}

/// Radius of the drop around a particle that has no neighbours, in smoothing lengths.
fn lone_radius(iso_threshold: f32) -> f64 {
    // The cubic spline over its value at the middle falls from 1 to 0 between 0 and 2.
    let spline =
        |q: f64| if q < 1.0 { 1.0 - 1.5 * q * q + 0.75 * q.powi(3) } else { 0.25 * (2.0 - q).powi(3) };
    let (mut inside, mut outside) = (0.0, 2.0);
    for _ in 0..40 {
        let middle = 0.5 * (inside + outside);
        *(if spline(middle) > f64::from(iso_threshold) { &mut inside } else { &mut outside }) = middle;
    }
    outside
}

/// Bits for each coordinate of a block; one more than the widest lattice needs, so that neighbours fit.
const BITS: u32 = 20;

/// The blocks that hold particles, sorted and each once; `side` in cubes. This is the coarse grid that
/// Krištof et al. 2009 keep to pass over empty space, as a list.
fn occupied_blocks(points: &Points, lattice: &Lattice, side: f32) -> Vec<u64> {
    let key = |p: &[f32; 3]| {
        let block = |axis: usize| (lattice.cubes(axis, p[axis]) / side) as u64 + 1;
        (0..3).fold(0, |key, axis| (key << BITS) | block(axis))
    };
    let mut blocks: Vec<u64> = points.positions.par_iter().map(key).collect();
    blocks.par_sort_unstable();
    blocks.dedup();
    blocks
}

/// Faces between a block of the list and one that is not in it.
fn exposed_faces(blocks: &[u64]) -> usize {
    let steps = [1, 1 << BITS, 1 << (2 * BITS)];
    let free = |neighbour: u64| blocks.binary_search(&neighbour).is_err();
    let faces = |&block: &u64| {
        steps
            .iter()
            .flat_map(|step| [block - step, block + step])
            .filter(|&neighbour| free(neighbour))
            .count()
    };
    blocks.par_iter().map(faces).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reconstruct;
    use thalweg_field::random::Key;

    #[test]
    fn a_bar_of_blocks_shows_its_faces() {
        let bar: Vec<u64> = (5..8).map(|x| (1 << (2 * BITS)) | (1 << BITS) | x).collect();
        assert_eq!(exposed_faces(&bar), 14);
        assert_eq!(exposed_faces(&[]), 0);
    }

    #[test]
    fn the_estimate_of_corners_holds_for_bulk_films_and_spray() {
        const RADIUS: f32 = 0.1;
        let draw = |i: usize| (0..3).map(move |axis| Key::new(7).with(i as u64).with(axis).unit() as f32);
        let lattice = |counts: [usize; 3]| {
            let place = move |i: usize| [i % counts[0], i / counts[0] % counts[1], i / counts[0] / counts[1]];
            (0..counts.iter().product()).map(move |i| {
                let mut shaken = draw(i).map(|x| 0.4 * x);
                place(i).map(|n| 2.0 * RADIUS * (n as f32 + shaken.next().unwrap()))
            })
        };
        let scattered = |i: usize| {
            let mut at = draw(i).map(|x| 8.0 * x);
            std::array::from_fn(|_| at.next().unwrap())
        };
        let cases: [(&str, Vec<[f32; 3]>); 4] = [
            ("bulk", lattice([16, 16, 16]).collect()),
            ("film", lattice([50, 50, 1]).collect()),
            ("spray", (0..2000).map(scattered).collect()),
            ("one", vec![[3.0, -2.0, 1.0]]),
        ];
        for (name, positions) in cases {
            let points = Points { positions, radius: RADIUS, ..Points::default() };
            let params = SurfaceParams { merge_slivers: false, ..SurfaceParams::of(&points) };
            let lattice = Lattice::around(&points, &params).unwrap().unwrap();
            let expected = corners(&points, &lattice, &params);
            let found = reconstruct(&points, &params).unwrap().positions.len() as f64;
            // Blocks stand out by up to a kernel on all sides; 16 particles are four kernels.
            let ratio = expected / found;
            assert!((1.0..2.0).contains(&ratio), "{name}: {expected:.0} corners expected, {found} found");
        }
    }
}
