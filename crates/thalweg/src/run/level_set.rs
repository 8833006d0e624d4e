//! How far voxels near a closed mesh lie from it, below zero inside: what renderers and Houdini take for a level set.

use std::collections::BTreeMap;
use thalweg_field::TriMesh;
use thalweg_io::SparseGrid;

/// How far on either side distances are told, in voxels: what OpenVDB has as well `[-]`.
const BAND: f64 = 3.0;

type Vector = [f64; 3];

/// Distances of the centres of voxels from a closed mesh `[m]`, with `origin` the centre of voxel 0, 0, 0. Voxels inside that are
/// farther off are inactive and hold minus the largest distance.
pub(super) fn level_set(mesh: &TriMesh, voxel: f64, origin: Vector) -> SparseGrid<f32> {
    let most = BAND * voxel;
    // In voxels, so that a voxel's centre is its number.
    let corners: Vec<Vector> = mesh
        .positions
        .iter()
        .map(|place| std::array::from_fn(|axis| (f64::from(place[axis]) - origin[axis]) / voxel))
        .collect();
    let mut nearest: BTreeMap<[i32; 3], f64> = BTreeMap::new();
    // Where the mesh crosses the upright line through each column of voxels, and whether it faces up there.
    let mut crossings: BTreeMap<[i32; 2], Vec<(f64, bool)>> = BTreeMap::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
        let [low, high] = [f64::min, f64::max]
            .map(|pick| -> Vector { std::array::from_fn(|axis| pick(pick(a[axis], b[axis]), c[axis])) });
        let range = |axis: usize| (low[axis] - BAND).ceil() as i32..=(high[axis] + BAND).floor() as i32;
        for x in range(0) {
            for y in range(1) {
                for z in range(2) {
                    let away = distance([x, y, z].map(f64::from), [a, b, c]);
                    if away < BAND {
                        let least = nearest.entry([x, y, z]).or_insert(away);
                        *least = least.min(away);
                    }
                }
                if let Some(crossing) = crossing([x, y].map(f64::from), [a, b, c]) {
                    crossings.entry([x, y]).or_default().push(crossing);
                }
            }
        }
    }
    let mut grid = SparseGrid::new(most as f32);
    // Inside: below more faces that look up than down.
    let inside = |crossings: &[(f64, bool)], z: i32| {
        let above = crossings.iter().filter(|(height, _)| *height > f64::from(z));
        above.map(|(_, up)| if *up { 1 } else { -1 }).sum::<i32>() > 0
    };
    for (&[x, y], crossings) in &crossings {
        let ends = crossings.iter().map(|(height, _)| *height);
        let [low, high] =
            [ends.clone().fold(f64::INFINITY, f64::min), ends.fold(f64::NEG_INFINITY, f64::max)];
        for z in low.ceil() as i32..=high.floor() as i32 {
            if !nearest.contains_key(&[x, y, z]) && inside(crossings, z) {
                grid.set_inactive([x, y, z], -most as f32);
            }
        }
    }
    for (at, away) in nearest {
        let within = crossings.get(&[at[0], at[1]]).is_some_and(|crossings| inside(crossings, at[2]));
        let sign = if within { -1.0 } else { 1.0 };
        grid.set(at, (sign * away * voxel) as f32);
    }
    grid
}

/// Height at which the upright line through a point meets a triangle, and whether that faces up there. A line through an edge
/// belongs to one of the two triangles beside it.
fn crossing([x, y]: [f64; 2], [a, b, c]: [Vector; 3]) -> Option<(f64, bool)> {
    let edge = |p: Vector, q: Vector| (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if area == 0.0 {
        return None;
    }
    let turn = area.signum();
    // As if the point lay a little to the east, and still less to the north.
    let left = |p: Vector, q: Vector| {
        let side = turn * edge(p, q);
        let [dx, dy] = [turn * (q[0] - p[0]), turn * (q[1] - p[1])];
        side > 0.0 || side == 0.0 && (dy < 0.0 || dy == 0.0 && dx > 0.0)
    };
    let inside = left(a, b) && left(b, c) && left(c, a);
    let height = || (edge(b, c) * a[2] + edge(c, a) * b[2] + edge(a, b) * c[2]) / area;
    inside.then(|| (height(), area > 0.0))
}

/// Distance of a point from a triangle (Ericson 2005, section 5.1.5).
fn distance(p: Vector, [a, b, c]: [Vector; 3]) -> f64 {
    let less = |p: Vector, q: Vector| -> Vector { std::array::from_fn(|axis| p[axis] - q[axis]) };
    let dot = |p: Vector, q: Vector| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let along = |from: Vector, way: Vector, share: f64| -> f64 {
        let nearest: Vector = std::array::from_fn(|axis| from[axis] + share * way[axis]);
        let off = less(p, nearest);
        dot(off, off).sqrt()
    };
    let (ab, ac) = (less(b, a), less(c, a));
    let (ap, bp, cp) = (less(p, a), less(p, b), less(p, c));
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return along(a, ab, 0.0);
    }
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return along(b, ab, 0.0);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return along(a, ab, d1 / (d1 - d3));
    }
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return along(c, ab, 0.0);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return along(a, ac, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return along(b, less(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let all = va + vb + vc;
    let inner: Vector = std::array::from_fn(|axis| a[axis] + ab[axis] * vb / all + ac[axis] * vc / all);
    let off = less(p, inner);
    dot(off, off).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A closed box from (0, 0, 0) to (4, 3, 2) m, faces outwards.
    fn block() -> TriMesh {
        let positions = (0..8)
            .map(|i| [4.0 * (i & 1) as f32, 3.0 * (i >> 1 & 1) as f32, 2.0 * (i >> 2) as f32])
            .collect();
        let quads: [[u32; 4]; 6] =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        TriMesh { positions, normals: Vec::new(), triangles }
    }

    #[test]
    fn distances_from_a_box_are_those_of_its_formula() {
        let voxel = 0.125;
        // Voxels lie on corners, edges and diagonals of the faces, where signs are hardest.
        for origin in [[0.0; 3], [0.0625, 0.03125, 0.01]] {
            let grid = level_set(&block(), voxel, origin);
            for x in -5..40 {
                for y in -5..30 {
                    for z in -5..24 {
                        let place: Vector =
                            std::array::from_fn(|axis| f64::from([x, y, z][axis]) * voxel + origin[axis]);
                        let over: Vector = std::array::from_fn(|axis| {
                            (place[axis] - [2.0, 1.5, 1.0][axis]).abs() - [2.0, 1.5, 1.0][axis]
                        });
                        let out = over.iter().map(|o| o.max(0.0).powi(2)).sum::<f64>().sqrt();
                        let exact = out + over.iter().fold(f64::NEG_INFINITY, |m, &o| m.max(o)).min(0.0);
                        let (found, active) = grid.at([x, y, z]);
                        let expected = exact.clamp(-BAND * voxel, BAND * voxel);
                        let off = (f64::from(found) - expected).abs();
                        // On the surface itself either sign is right.
                        assert!(off < 1.0e-6, "{found} m instead of {expected} m at {place:?}");
                        assert_eq!(active, exact.abs() < BAND * voxel - 1.0e-9 || active && off < 1.0e-6);
                    }
                }
            }
        }
    }
}
