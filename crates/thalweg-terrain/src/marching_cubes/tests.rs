use super::*;
use std::collections::BTreeMap;
use thalweg_field::random::Key;

fn depths(size: usize, depth: impl Fn([f64; 3]) -> f64 + Sync) -> Volume {
    let middle = size as f64 / 2.0;
    Volume::from_depths([size; 3], 1.0, 0.0, |[x, y, z], row| {
        for (n, out) in row.iter_mut().enumerate() {
            *out = depth([x + n as f64, y, z].map(|at| at - middle)) as f32;
        }
    })
    .unwrap()
}

fn random(size: [usize; 3], seed: u64) -> Volume {
    let mut volume = Volume::empty(size, 1.0, 0.0).unwrap();
    let key = Key::new(seed);
    for n in 0..size.iter().product() {
        let at = [n % size[0], n / size[0] % size[1], n / size[0] / size[1]];
        volume.set_share(at, key.with(n as u64).unit() as f32);
    }
    volume
}

/// Corners less edges plus faces, after a check that every edge has two triangles that run along it in opposite ways.
fn euler_characteristic(mesh: &TriMesh) -> i64 {
    let mut edges = BTreeMap::new();
    for triangle in &mesh.triangles {
        for n in 0..3 {
            *edges.entry((triangle[n], triangle[(n + 1) % 3])).or_insert(0) += 1;
        }
    }
    for (&(a, b), &count) in &edges {
        assert_eq!((count, edges.get(&(b, a))), (1, Some(&1)), "edge from {a} to {b}");
    }
    mesh.positions.len() as i64 - edges.len() as i64 / 2 + mesh.triangles.len() as i64
}

/// What area, volume and shape surfaces have, and that they are closed, `thalweg validate volume` measures.
#[test]
fn normals_of_a_ball_point_away_from_its_middle() {
    let ball = Surface::of(&depths(64, |p| 24.0 - p.iter().map(|x| x * x).sum::<f64>().sqrt())).mesh();
    for (p, n) in ball.positions.iter().zip(&ball.normals) {
        let out: f32 = (0..3).map(|axis| (p[axis] - 32.0) * n[axis]).sum::<f32>() / 24.0;
        assert!(out > 0.99, "normal {n:?} at {p:?}");
    }
}

#[test]
fn all_air_has_no_surface_and_all_rock_that_of_its_box() {
    let empty = Volume::empty([20, 30, 16], 2.0, 5.0).unwrap();
    assert!(Surface::of(&empty).mesh().triangles.is_empty());
    let full = Volume::from_depths([20, 30, 16], 2.0, 5.0, |_, row| row.fill(99.0)).unwrap();
    let mesh = Surface::of(&full).mesh();
    assert_eq!(euler_characteristic(&mesh), 2);
    assert_eq!(mesh.bounds(), Some([[0.0, 0.0, 5.0], [40.0, 60.0, 37.0]]));
}

/// What particles collide with is what is drawn.
#[test]
fn the_triangles_of_cells_are_those_of_the_surface() {
    let volume = random([9, 7, 8], 3);
    let mesh = Surface::of(&volume).mesh();
    let mut count = 0;
    for n in 0..10 * 8 * 9 {
        let at = [n % 10, n / 10 % 8, n / 80].map(|n: isize| n - 1);
        let share = |corner: isize| {
            volume.share([at[0] + (corner & 1), at[1] + (corner >> 1 & 1), at[2] + (corner >> 2)])
        };
        for triangle in Cell([0, 1, 2, 3, 4, 5, 6, 7].map(share)).triangles() {
            count += 1;
            for corner in triangle {
                let place: [f32; 3] = std::array::from_fn(|axis| at[axis] as f32 + 0.5 + corner[axis]);
                let near = |p: &[f32; 3]| (0..3).all(|axis| (p[axis] - place[axis]).abs() < 1.0e-5);
                assert!(mesh.positions.iter().any(near), "{place:?}");
            }
        }
    }
    assert_eq!(count, mesh.triangles.len());
}
