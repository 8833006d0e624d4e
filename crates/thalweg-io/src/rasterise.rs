//! A mesh as a heightfield: how high it is at each cell, seen from above.

use thalweg_field::{Frame, Grid2, Heightfield, TriMesh};

/// Most cells that a mesh is laid out on.
const MOST: f64 = 1.0e9;

/// The highest point of a mesh above the middle of each cell of `cell` metres; cells beside it have none. `None` if the mesh
/// is less than a cell wide or more than a thousand million cells large.
pub fn heights_of_mesh(mesh: &TriMesh, cell: f64) -> Option<Heightfield> {
    let along = |axis: usize, pick: fn(f32, f32) -> f32| {
        mesh.positions.iter().map(|place| place[axis]).reduce(pick).map(f64::from)
    };
    let [west, south] = [along(0, f32::min)?, along(1, f32::min)?];
    let [east, north] = [along(0, f32::max)?, along(1, f32::max)?];
    let [cols, rows] = [(east - west) / cell, (north - south) / cell].map(|n| (n - 1.0e-6).ceil());
    if !(cols >= 1.0 && rows >= 1.0 && cols * rows <= MOST) {
        return None;
    }
    let [cols, rows] = [cols as usize, rows as usize];
    let mut height = Grid2::filled(cols, rows, f32::NAN);
    for triangle in &mesh.triangles {
        // Places in cells from the south-west, where the middle of the first one is 0.
        let [a, b, c] = triangle.map(|corner| {
            let [x, y, z] = mesh.positions[corner as usize].map(f64::from);
            [(x - west) / cell - 0.5, (y - south) / cell - 0.5, z]
        });
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        if area == 0.0 {
            continue;
        }
        let range = |axis: usize, count: usize| {
            let low = a[axis].min(b[axis]).min(c[axis]).ceil().max(0.0) as usize;
            let high = a[axis].max(b[axis]).max(c[axis]).floor();
            low..if high < 0.0 { 0 } else { (high as usize + 1).min(count) }
        };
        for y in range(1, rows) {
            for x in range(0, cols) {
                let (px, py) = (x as f64, y as f64);
                let share = |p: [f64; 3], q: [f64; 3]| {
                    ((q[0] - p[0]) * (py - p[1]) - (px - p[0]) * (q[1] - p[1])) / area
                };
                let [of_a, of_b, of_c] = [share(b, c), share(c, a), share(a, b)];
                // Neighbours share their edges: a little over is in both.
                if of_a.min(of_b).min(of_c) < -1.0e-9 {
                    continue;
                }
                let z = (of_a * a[2] + of_b * b[2] + of_c * c[2]) as f32;
                let row = rows - 1 - y;
                let there = height.at(x, row);
                // What is not there yet is no number.
                if there.is_nan() || there < z {
                    height.set(x, row, z);
                }
            }
        }
    }
    Some(Heightfield { height, frame: Frame { cell, origin: [west, south], crs: None } })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tent with its ridge in the north: asymmetrical, so that nothing can be turned unseen.
    #[test]
    fn a_slope_keeps_its_heights_and_its_side() {
        let mesh = TriMesh {
            positions: vec![[10.0, 20.0, 0.0], [18.0, 20.0, 0.0], [18.0, 26.0, 60.0], [10.0, 26.0, 60.0]],
            normals: Vec::new(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        };
        let ground = heights_of_mesh(&mesh, 2.0).unwrap();
        assert_eq!([ground.height.cols(), ground.height.rows()], [4, 3]);
        assert_eq!(ground.frame.origin, [10.0, 20.0]);
        for (row, expected) in [50.0, 30.0, 10.0].into_iter().enumerate() {
            for col in 0..4 {
                assert!(
                    (ground.height.at(col, row) - expected).abs() < 1.0e-4,
                    "{}",
                    ground.height.at(col, row)
                );
            }
        }
        assert!(heights_of_mesh(&mesh, 1.0e-6).is_none());
    }
}
