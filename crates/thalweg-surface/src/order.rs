//! One order for corners and triangles, whichever thread found them first.

use rayon::prelude::*;
use splashsurf_lib::mesh::TriMesh3d;
use thalweg_field::TriMesh;

/// Bits of a place that sort as its numbers do: by height, then north, then east.
type Key = [u32; 3];

fn key(p: [f32; 3]) -> Key {
    let rising = |x: f32| {
        let bits = x.to_bits();
        if bits >> 31 == 1 { !bits } else { bits | (1 << 31) }
    };
    [rising(p[2]), rising(p[1]), rising(p[0])]
}

/// The mesh with its corners sorted by place, its triangles by their corners, each beginning with the
/// smallest. The library stitches subdomains in the order of a concurrent hash map.
pub(crate) fn sorted(mesh: &TriMesh3d<f32>) -> TriMesh {
    let places: Vec<[f32; 3]> = mesh.vertices.iter().map(|v| [v.x, v.y, v.z]).collect();
    let mut order: Vec<u32> = (0..places.len() as u32).collect();
    order.par_sort_unstable_by_key(|&i| key(places[i as usize]));
    settle_ties(&mut order, &places, &mesh.triangles);
    let mut rank = vec![0; order.len()];
    for (place, &i) in order.iter().enumerate() {
        rank[i as usize] = place as u32;
    }
    let mut triangles: Vec<[u32; 3]> =
        mesh.triangles.par_iter().map(|t| turned(t.map(|i| rank[i]))).collect();
    triangles.par_sort_unstable();
    let positions = order.iter().map(|&i| places[i as usize]).collect();
    TriMesh { positions, normals: Vec::new(), triangles }
}

/// The triangle begun at its smallest corner; it faces the same side.
fn turned([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// Orders corners that share a place by the places of their neighbours. They are rare: the threshold must
/// be met within rounding at a corner of the grid, where the edges that meet there get a corner each.
fn settle_ties(order: &mut [u32], places: &[[f32; 3]], triangles: &[[usize; 3]]) {
    let at = |i: u32| key(places[i as usize]);
    let mut rings: Vec<(u32, Vec<Key>)> = order
        .chunk_by(|&a, &b| at(a) == at(b))
        .filter(|run| run.len() > 1)
        .flatten()
        .map(|&i| (i, Vec::new()))
        .collect();
    if rings.is_empty() {
        return;
    }
    rings.sort_unstable_by_key(|(i, _)| *i);
    for triangle in triangles {
        for corner in 0..3 {
            if let Ok(found) = rings.binary_search_by_key(&(triangle[corner] as u32), |(i, _)| *i) {
                rings[found].1.push(at(triangle[(corner + 1) % 3] as u32));
            }
        }
    }
    rings.iter_mut().for_each(|(_, ring)| ring.sort_unstable());
    let ring_of = |i: u32| {
        let found = rings.binary_search_by_key(&i, |(i, _)| *i).expect("every tied corner has a ring");
        &rings[found].1
    };
    for run in order.chunk_by_mut(|&a, &b| at(a) == at(b)).filter(|run| run.len() > 1) {
        run.sort_by(|&a, &b| ring_of(a).cmp(ring_of(b)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashsurf_lib::nalgebra::Vector3;

    /// Two tetrahedra that touch in one place with a corner each, and lie on both sides of zero.
    fn hourglass(order: [usize; 8]) -> TriMesh3d<f32> {
        let tip = [0.0, 0.0, 0.0];
        let places = [
            tip,
            [1.0, 0.0, 1.0],
            [-1.0, 1.0, 1.0],
            [-1.0, -1.0, 1.0],
            tip,
            [1.0, 0.0, -1.0],
            [-1.0, 1.0, -1.0],
            [-1.0, -1.0, -1.0],
        ];
        let upper = [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]];
        let lower = upper.map(|[a, b, c]| [a + 4, c + 4, b + 4]);
        let mut vertices = vec![Vector3::zeros(); 8];
        for (old, &new) in order.iter().enumerate() {
            vertices[new] = Vector3::from(places[old]);
        }
        let mut triangles: Vec<[usize; 3]> =
            upper.into_iter().chain(lower).map(|t| t.map(|i| order[i])).collect();
        triangles.rotate_left(order[0]);
        TriMesh3d { vertices, triangles }
    }

    #[test]
    fn a_shuffled_mesh_sorts_to_the_same_one_even_where_corners_share_a_place() {
        let one = sorted(&hourglass([0, 1, 2, 3, 4, 5, 6, 7]));
        for order in [[4, 1, 2, 3, 0, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1, 0], [3, 5, 0, 6, 1, 7, 4, 2]] {
            assert_eq!(sorted(&hourglass(order)), one, "{order:?}");
        }
        let heights: Vec<f32> = one.positions.iter().map(|p| p[2]).collect();
        assert_eq!(heights, [-1.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn turning_keeps_the_side_a_triangle_faces() {
        for t in [[1, 2, 3], [2, 3, 1], [3, 1, 2]] {
            assert_eq!(turned(t), [1, 2, 3]);
        }
        assert_eq!(turned([3, 2, 1]), [1, 3, 2]);
    }
}
