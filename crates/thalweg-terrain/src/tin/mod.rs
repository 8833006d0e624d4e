//! Ground and water as meshes for engines: as few triangles as a budget allows, where they matter most.

mod greedy;

use crate::analysis::gradient;
use greedy::{Greedy, Target};
use std::collections::BTreeMap;
use thalweg_field::{Grid2, Heightfield, Invalid, TriMesh};

/// How near a mesh must come to the cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TinParams {
    /// Triangles, without those of walls and bottom; the mesh has fewer if it needs fewer.
    pub max_triangles: usize,
    /// How far any cell may lie above or below the mesh `[m]`; 0: not at all.
    pub max_error: f64,
}

impl Default for TinParams {
    fn default() -> Self {
        Self { max_triangles: 200_000, max_error: 0.0 }
    }
}

/// A surface as triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Tin {
    /// Its triangles, with normals.
    pub mesh: TriMesh,
    /// Place of each corner in a picture of the cells, from its south-west corner `[-]`.
    pub uvs: Vec<[f32; 2]>,
    /// How far a cell lies above or below the mesh at most `[m]`.
    pub error: f64,
}

/// Ground as a mesh from the centres of the outermost cells on. Normals are those of the cells, whatever the triangles.
///
/// With `bottom` `[m]` the mesh is closed: walls go down from its edges to a floor at that height, which must lie below all of it.
pub fn ground_mesh(ground: &Heightfield, params: &TinParams, bottom: Option<f64>) -> Result<Tin, Invalid> {
    let heights = &ground.height;
    check(heights)?;
    let lowest = heights.range().map_or(0.0, |(low, _)| f64::from(low));
    if let Some(bottom) = bottom.filter(|bottom| !(bottom.is_finite() && *bottom < lowest)) {
        return Err(invalid(
            "bottom",
            bottom,
            format!("it must lie below the ground, whose lowest cell is {lowest} m high"),
        ));
    }
    let mut greedy = Greedy::new(Target { heights, ceilings: None });
    greedy.refine(params.max_error, params.max_triangles.max(2));
    let mut tin = build(ground, heights, &greedy, |_| true);
    tin.mesh.normals = greedy
        .points
        .iter()
        .map(|&[col, row]| {
            let [east, north] = gradient(ground, col as usize, row as usize);
            let length = (east * east + north * north + 1.0).sqrt();
            [-east / length, -north / length, 1.0 / length].map(|x| x as f32)
        })
        .collect();
    if let Some(bottom) = bottom {
        close(&mut tin, bottom as f32);
    }
    Ok(tin)
}

/// The surface of water that is `least` deep or more `[m]`. Beyond its shores it goes on below the ground, so that the two
/// meet in a line and leave no gap; where no water is at all it is empty.
pub fn water_mesh(
    ground: &Heightfield,
    depth: &Grid2<f32>,
    least: f32,
    params: &TinParams,
) -> Result<Tin, Invalid> {
    check(&ground.height)?;
    check(depth)?;
    if !depth.same_shape(&ground.height) {
        return Err(invalid(
            "depth",
            format!("{} × {} cells", depth.cols(), depth.rows()),
            "it must have the cells of the ground",
        ));
    }
    let dry = depth.map(|depth| depth < least);
    let levels = levels(ground, depth, &dry);
    let mut greedy = Greedy::new(Target { heights: &levels, ceilings: Some(&dry) });
    greedy.refine(params.max_error, params.max_triangles.max(2));
    let is_wet = |triangle| {
        let mut wet = false;
        greedy.for_each_cell(triangle, |col, row, _| wet |= !dry.at(col, row));
        wet
    };
    let mut tin = build(ground, &levels, &greedy, is_wet);
    tin.mesh = tin.mesh.with_normals();
    Ok(tin)
}

/// Level of the water; on dry land what it must stay below: at the shore the level goes on under the ground, farther off the
/// ground itself and half a cell less.
fn levels(ground: &Heightfield, depth: &Grid2<f32>, dry: &Grid2<bool>) -> Grid2<f32> {
    let sunk = (0.5 * ground.frame.cell) as f32;
    Grid2::from_fn(depth.cols(), depth.rows(), |col, row| {
        let bed = ground.height.at(col, row);
        if !dry.at(col, row) {
            return bed + depth.at(col, row);
        }
        let (mut sum, mut count) = (0.0, 0.0);
        for [dc, dr] in [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]] {
            let (c, r) = (col as isize + dc, row as isize + dr);
            let inside = (0..depth.cols() as isize).contains(&c) && (0..depth.rows() as isize).contains(&r);
            if inside && !dry.at(c as usize, r as usize) {
                let (c, r) = (c as usize, r as usize);
                sum += f64::from(ground.height.at(c, r)) + f64::from(depth.at(c, r));
                count += 1.0;
            }
        }
        if count > 0.0 { bed.min((sum / count) as f32) } else { bed - sunk }
    })
}

fn invalid(key: &str, value: impl ToString, remedy: impl Into<String>) -> Invalid {
    Invalid { key: key.into(), value: value.to_string(), remedy: remedy.into() }
}

/// Refuses grids without triangles, and cells without a height.
fn check(grid: &Grid2<f32>) -> Result<(), Invalid> {
    let [cols, rows] = [grid.cols(), grid.rows()];
    if cols < 2 || rows < 2 {
        return Err(invalid(
            "cells",
            format!("{cols} × {rows}"),
            "a mesh needs two columns and two rows at least",
        ));
    }
    match grid.values().iter().position(|value| !value.is_finite()) {
        Some(at) => {
            let what = format!("{} at column {}, row {}", grid.values()[at], at % cols, at / cols);
            Err(invalid("height", what, "every cell needs one; fill what is missing"))
        }
        None => Ok(()),
    }
}

/// The triangles that are wanted, and the corners that they need.
fn build(ground: &Heightfield, heights: &Grid2<f32>, greedy: &Greedy, wanted: impl Fn(usize) -> bool) -> Tin {
    let mut mesh = TriMesh::default();
    let mut uvs = Vec::new();
    let mut numbers = vec![u32::MAX; greedy.points.len()];
    let all = (0..greedy.triangles()).all(&wanted);
    let mut number = |corner: usize| {
        if numbers[corner] == u32::MAX {
            numbers[corner] = mesh.positions.len() as u32;
            let [col, row] = greedy.points[corner].map(|x| x as usize);
            let [east, north] = ground.local_from_cell(col, row);
            mesh.positions.push([east as f32, north as f32, heights.at(col, row)]);
            let [cols, rows] = [heights.cols(), heights.rows()].map(|n| n as f64);
            uvs.push([((col as f64 + 0.5) / cols) as f32, (1.0 - (row as f64 + 0.5) / rows) as f32]);
        }
        numbers[corner]
    };
    if all {
        // In the order of the points, so that others can go by it.
        (0..greedy.points.len()).for_each(|corner| {
            number(corner);
        });
    }
    let mut triangles = Vec::new();
    for (triangle, corners) in greedy.corners.chunks_exact(3).enumerate() {
        if all || wanted(triangle) {
            // Counter-clockwise as seen from above: rows run south.
            triangles.push([corners[0], corners[1], corners[2]].map(&mut number));
        }
    }
    mesh.triangles = triangles;
    Tin { mesh, uvs, error: greedy.error() }
}

/// Adds walls below the edges, and a floor. Their corners are their own, so that the edges stay sharp.
fn close(tin: &mut Tin, bottom: f32) {
    // Edges that belong to one triangle alone run along the border, once around.
    let mut open = BTreeMap::new();
    for triangle in &tin.mesh.triangles {
        for i in 0..3 {
            let (from, to) = (triangle[i], triangle[(i + 1) % 3]);
            if open.remove(&(to, from)).is_none() {
                open.insert((from, to), ());
            }
        }
    }
    let Tin { mesh, uvs, .. } = tin;
    let mut add = |mesh: &mut TriMesh, place: [f32; 3], normal: [f32; 3], uv: [f32; 2]| {
        mesh.positions.push(place);
        mesh.normals.push(normal);
        uvs.push(uv);
        mesh.positions.len() as u32 - 1
    };
    let places = mesh.positions.clone();
    let uv_of = |place: [f32; 3], [low, high]: [[f32; 3]; 2]| {
        [0, 1].map(|axis| (place[axis] - low[axis]) / (high[axis] - low[axis]).max(f32::MIN_POSITIVE))
    };
    let Some(bounds @ [low, high]) = mesh.bounds() else { return };
    let middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), bottom];
    let centre = add(mesh, middle, [0.0, 0.0, -1.0], uv_of(middle, bounds));
    for &(from, to) in open.keys() {
        let [a, b] = [from, to].map(|corner| places[corner as usize]);
        let [below_a, below_b] = [a, b].map(|[x, y, _]| [x, y, bottom]);
        // Outside is on the right of an edge that goes around counter-clockwise.
        let (along, length) = ([b[0] - a[0], b[1] - a[1]], (b[0] - a[0]).hypot(b[1] - a[1]));
        let outward = [along[1] / length, -along[0] / length, 0.0];
        let wall = [a, b, below_a, below_b].map(|place| add(mesh, place, outward, uv_of(place, bounds)));
        mesh.triangles.extend([[wall[1], wall[0], wall[2]], [wall[1], wall[2], wall[3]]]);
        let floor = [below_a, below_b].map(|place| add(mesh, place, [0.0, 0.0, -1.0], uv_of(place, bounds)));
        mesh.triangles.push([centre, floor[1], floor[0]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Frame;

    /// High in the north-west, rough, partly below zero, not square.
    fn ground(cols: usize, rows: usize) -> Heightfield {
        let key = thalweg_field::random::Key::new(7);
        let height = Grid2::from_fn(cols, rows, |col, row| {
            let (east, south) = (col as f64 / cols as f64, row as f64 / rows as f64);
            let rough = key.with(col as u64).with(row as u64).unit();
            (900.0 * (1.0 - east) * (1.0 - south) - 150.0 * east + 5.0 * rough) as f32
        });
        Heightfield { height, frame: Frame::with_cell(2.5) }
    }

    /// Volume below a closed mesh `[m³]`, by the divergence theorem.
    fn volume(mesh: &TriMesh) -> f64 {
        let part = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|i| mesh.positions[i as usize].map(f64::from));
            (a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]))
                / 6.0
        };
        mesh.triangles.iter().map(part).sum()
    }

    /// Height of a mesh above a place, from the triangle there.
    fn height_at(mesh: &TriMesh, [x, y]: [f64; 2]) -> Option<f64> {
        mesh.triangles.iter().find_map(|triangle| {
            let [a, b, c] = triangle.map(|i| mesh.positions[i as usize].map(f64::from));
            let cross = |p: [f64; 3], q: [f64; 3]| (p[0] - x) * (q[1] - y) - (p[1] - y) * (q[0] - x);
            let (wa, wb, wc) = (cross(b, c), cross(c, a), cross(a, b));
            let all = wa + wb + wc;
            let slack = -1.0e-6 * all.abs();
            (all > 0.0 && wa >= slack && wb >= slack && wc >= slack)
                .then(|| (wa * a[2] + wb * b[2] + wc * c[2]) / all)
        })
    }

    #[test]
    fn every_cell_lies_within_the_error_of_a_mesh_that_is_told() {
        let ground = ground(41, 29);
        for (max_triangles, max_error) in [(200, 0.0), (10_000, 20.0), (100_000, 0.0)] {
            let tin = ground_mesh(&ground, &TinParams { max_triangles, max_error }, None).unwrap();
            assert!(tin.mesh.triangles.len() <= max_triangles);
            let mut worst: f64 = 0.0;
            for row in 0..29 {
                for col in 0..41 {
                    let height = height_at(&tin.mesh, ground.local_from_cell(col, row)).unwrap();
                    worst = worst.max((height - f64::from(ground.height.at(col, row))).abs());
                }
            }
            // Corners are 32-bit floats of up to 900 m.
            assert!((worst - tin.error).abs() < 1.0e-3, "{worst} m, said to be {} m", tin.error);
            if max_error > 0.0 {
                assert!(
                    tin.error <= max_error && tin.mesh.triangles.len() < 2000,
                    "{}",
                    tin.mesh.triangles.len()
                );
            }
        }
    }

    #[test]
    fn a_plane_is_two_triangles_that_face_up() {
        let height = Grid2::from_fn(30, 20, |col, row| 3.0 * col as f32 - 4.0 * row as f32);
        let plane = Heightfield { height, frame: Frame::with_cell(10.0) };
        let tin = ground_mesh(&plane, &TinParams::default(), None).unwrap();
        assert_eq!((tin.mesh.triangles.len(), tin.error), (2, 0.0));
        let [east, north] = [0.3_f64, 0.4];
        let length = (1.0 + east * east + north * north).sqrt();
        for normal in tin.mesh.normals.iter().chain(&tin.mesh.clone().with_normals().normals) {
            let off: f64 = [-east, -north, 1.0]
                .iter()
                .zip(normal)
                .map(|(n, m)| (n / length - f64::from(*m)).abs())
                .sum();
            assert!(off < 1.0e-6, "{normal:?}");
        }
        // The north-west corner is the upper left one of a picture.
        let at = tin.mesh.positions.iter().position(|p| *p == [5.0, 195.0, 0.0]).unwrap();
        assert_eq!(tin.uvs[at], [0.5 / 30.0, 1.0 - 0.5 / 20.0]);
    }

    #[test]
    fn a_closed_mesh_holds_the_volume_below_it_and_has_no_open_edge() {
        let height = Grid2::from_fn(12, 9, |col, _| col as f32);
        let ramp = Heightfield { height, frame: Frame::with_cell(2.0) };
        let tin = ground_mesh(&ramp, &TinParams::default(), Some(-3.0)).unwrap();
        // 22 m by 16 m, 8.5 m high in the middle.
        let expected = 22.0 * 16.0 * 8.5;
        assert!((volume(&tin.mesh) - expected).abs() < 1.0e-6 * expected, "{} m³", volume(&tin.mesh));
        let rough =
            ground_mesh(&ground(41, 29), &TinParams { max_triangles: 500, max_error: 0.0 }, Some(-1000.0))
                .unwrap();
        // Corners of walls stand where those of the ground do: by their places, each edge has two triangles.
        let place = |i: u32| rough.mesh.positions[i as usize].map(f32::to_bits);
        let mut edges = BTreeMap::new();
        for triangle in &rough.mesh.triangles {
            for i in 0..3 {
                let (from, to) = (place(triangle[i]), place(triangle[(i + 1) % 3]));
                *edges.entry((from, to)).or_insert(0) += 1;
                *edges.entry((to, from)).or_insert(0) -= 1;
            }
        }
        assert_eq!(edges.values().filter(|&&n| n != 0).count(), 0, "open edges");
        assert!(
            ground_mesh(&ground(41, 29), &TinParams::default(), Some(0.0)).is_err(),
            "a floor above the ground"
        );
    }

    #[test]
    fn water_reaches_under_its_shores_and_never_shows_on_dry_land() {
        // A valley from north to south with water up to 4 m in it, and another beyond a ridge without any.
        let height = Grid2::from_fn(60, 20, |col, _| 10.0 * (0.2 * col as f32).cos() + 0.01 * col as f32);
        let ground = Heightfield { height, frame: Frame::with_cell(1.0) };
        let depth =
            Grid2::from_fn(
                60,
                20,
                |col, row| {
                    if col < 30 { (4.0 - ground.height.at(col, row)).max(0.0) } else { 0.0 }
                },
            );
        let tin =
            water_mesh(&ground, &depth, 0.01, &TinParams { max_triangles: 4000, max_error: 0.01 }).unwrap();
        assert!(
            !tin.mesh.triangles.is_empty() && tin.mesh.triangles.len() < 800,
            "{}",
            tin.mesh.triangles.len()
        );
        for row in 0..20 {
            for col in 0..60 {
                let level = height_at(&tin.mesh, ground.local_from_cell(col, row));
                let bed = f64::from(ground.height.at(col, row));
                if depth.at(col, row) >= 0.01 {
                    let level = level.expect("water has a surface");
                    assert!((level - 4.0).abs() < 0.011, "{level} m at {col}, {row}");
                } else if let Some(level) = level {
                    assert!(level <= bed + 0.011, "{} m above dry land at {col}, {row}", level - bed);
                }
            }
        }
        let none = water_mesh(&ground, &depth.map(|_| 0.0), 0.01, &TinParams::default()).unwrap();
        assert!(none.mesh.triangles.is_empty() && none.mesh.positions.is_empty());
    }

    #[test]
    fn grids_without_triangles_or_heights_are_refused() {
        let mut holed = ground(5, 4);
        holed.height.set(3, 2, f32::NAN);
        let told = ground_mesh(&holed, &TinParams::default(), None).unwrap_err().to_string();
        assert!(told.contains("column 3, row 2"), "{told}");
        assert!(ground_mesh(&ground(1, 4), &TinParams::default(), None).is_err());
    }
}
