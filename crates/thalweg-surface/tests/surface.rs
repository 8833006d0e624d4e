//! What surfaces are like, through the public API.

use std::collections::HashMap;
use std::f64::consts::PI;

use thalweg_field::random::Key;
use thalweg_field::{Points, TriMesh};
use thalweg_surface::{SurfaceError, SurfaceParams, memory_needed, reconstruct};
use thalweg_test_support::on_threads;

/// Half the distance between particles `[m]`.
const RADIUS: f32 = 0.05;

fn points(positions: Vec<[f32; 3]>) -> Points {
    Points { positions, radius: RADIUS, ..Points::default() }
}

/// A ball of particles on a lattice, `reach` particles from its middle to its rim, each moved by up to
/// `shake` of their distance.
fn ball(reach: f32, centre: [f32; 3], shake: f32) -> Points {
    let n = reach.ceil() as i32;
    let mut positions = Vec::new();
    for z in -n..=n {
        for y in -n..=n {
            for x in -n..=n {
                if ((x * x + y * y + z * z) as f32) <= reach * reach {
                    let key = Key::new(11).with(positions.len() as u64);
                    let at = |axis: usize, i: i32| {
                        let moved = shake * (2.0 * key.with(axis as u64).unit() as f32 - 1.0);
                        centre[axis] + 2.0 * RADIUS * (i as f32 + moved)
                    };
                    positions.push([at(0, x), at(1, y), at(2, z)]);
                }
            }
        }
    }
    points(positions)
}

/// Radius of the ball that has the particles' volume `[m]`.
fn true_radius(points: &Points) -> f64 {
    let volume = points.len() as f64 * f64::from(2.0 * RADIUS).powi(3);
    (volume * 0.75 / PI).cbrt()
}

fn corner(mesh: &TriMesh, i: u32) -> [f64; 3] {
    mesh.positions[i as usize].map(f64::from)
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Volume `[m³]`, above zero if triangles are counter-clockwise from outside, and area `[m²]`.
fn volume_and_area(mesh: &TriMesh) -> (f64, f64) {
    // From a corner of the mesh, so that places far from the origin lose nothing.
    let origin = corner(mesh, 0);
    mesh.triangles.iter().fold((0.0, 0.0), |(volume, area), t| {
        let [a, b, c] = t.map(|i| minus(corner(mesh, i), origin));
        let normal = cross(minus(b, a), minus(c, a));
        (volume + dot(a, normal) / 6.0, area + dot(normal, normal).sqrt() / 2.0)
    })
}

/// Edges that are not run through exactly once in each direction.
fn open_edges(mesh: &TriMesh) -> usize {
    let mut balance: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
    for t in &mesh.triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            balance.entry([a.min(b), a.max(b)]).or_default()[usize::from(a > b)] += 1;
        }
    }
    balance.values().filter(|&&runs| runs != [1, 1]).count()
}

#[test]
fn a_ball_of_particles_has_the_volume_and_area_of_the_ball() {
    for (reach, shake) in [(6.0, 0.0), (10.0, 0.0), (10.0, 0.2)] {
        let points = ball(reach, [1.0, 2.0, 3.0], shake);
        let mesh = reconstruct(&points, &SurfaceParams::of(&points)).unwrap();
        assert_eq!(open_edges(&mesh), 0, "edges that do not join two triangles");
        let radius = true_radius(&points);
        let (volume, area) = volume_and_area(&mesh);
        let volume = volume / (4.0 / 3.0 * PI * radius.powi(3));
        let area = area / (4.0 * PI * radius.powi(2));
        // Measured 0.980, 1.000 and 1.000 of the volume, 0.998, 1.010 and 1.015 of the area: smoothing
        // shrinks small balls a little, the lattice's facets add to the area.
        assert!((0.97..1.02).contains(&volume), "{volume:.3} of the volume with {} particles", points.len());
        assert!((0.98..1.03).contains(&area), "{area:.3} of the area with {} particles", points.len());
    }
}

#[test]
fn normals_have_length_one_and_point_outwards() {
    let centre = [-4.0, 0.0, 7.0];
    let points = ball(10.0, centre, 0.0);
    let mesh = reconstruct(&points, &SurfaceParams::of(&points)).unwrap();
    assert_eq!(mesh.normals.len(), mesh.positions.len());
    let mut worst: f64 = 0.0;
    for (p, n) in mesh.positions.iter().zip(&mesh.normals) {
        let n = n.map(f64::from);
        assert!((dot(n, n) - 1.0).abs() < 1.0e-5, "a normal of length² {}", dot(n, n));
        let out = minus(p.map(f64::from), centre.map(f64::from));
        worst = worst.max((dot(out, n) / dot(out, out).sqrt()).min(1.0).acos().to_degrees());
    }
    // The lattice's facets lean by up to 13°, measured.
    assert!(worst < 20.0, "a normal {worst:.0} degrees off the radius");
}

#[test]
fn each_option_alone_keeps_the_mesh_closed() {
    let points = ball(5.0, [0.0; 3], 0.3);
    let default = SurfaceParams::of(&points);
    let raw = SurfaceParams { merge_slivers: false, smoothing_iterations: 0, ..default.clone() };
    let count = |params: &SurfaceParams| {
        let mesh = reconstruct(&points, params).unwrap();
        assert_eq!(open_edges(&mesh), 0, "{params:?}");
        mesh.positions.len()
    };
    let all = count(&raw);
    count(&SurfaceParams { normal_smoothing_iterations: 0, ..raw.clone() });
    count(&SurfaceParams { smoothing_iterations: 40, ..raw.clone() });
    count(&SurfaceParams { smoothing_length: 3.0, cube_size: 1.0, ..default.clone() });
    let merged = count(&default);
    assert!(merged * 10 < all * 7, "{merged} of {all} corners are left");
}

#[test]
fn a_lone_particle_stays_a_drop_of_its_size() {
    let points = points(vec![[10.0, -3.0, 0.5]]);
    let mesh = reconstruct(&points, &SurfaceParams::of(&points)).unwrap();
    assert_eq!(open_edges(&mesh), 0);
    let (volume, _) = volume_and_area(&mesh);
    // The cubic spline falls to 0.6 of its peak at 0.62 smoothing lengths, so that the drop has 1.24 particle
    // radii: 0.95 (2 r)³ and, in cubes of half a radius, a little less.
    let share = volume / f64::from(2.0 * RADIUS).powi(3);
    assert!((0.85..1.0).contains(&share), "{share:.2} of the particle's volume");
}

#[test]
fn no_particles_give_no_surface() {
    let none = points(Vec::new());
    assert_eq!(reconstruct(&none, &SurfaceParams::of(&none)), Ok(TriMesh::default()));
    assert_eq!(memory_needed(&none, &SurfaceParams::of(&none)), Ok(0));
}

#[test]
fn degenerate_clouds_still_close() {
    let cases: [(&str, Vec<[f32; 3]>); 5] = [
        ("two in one place", vec![[1.0; 3]; 2]),
        ("a row", (0..30).map(|i| [0.1 * i as f32, 0.0, 0.0]).collect()),
        ("a sheet", (0..400).map(|i| [0.1 * (i % 20) as f32, 0.1 * (i / 20) as f32, -1.0]).collect()),
        ("one that strayed", vec![[0.0; 3], [0.1, 0.0, 0.0], [900.0, -1200.0, 3.0]]),
        ("a crowd", (0..500).map(|i| [1.0e-4 * i as f32, 0.0, 0.0]).collect()),
    ];
    for (name, positions) in cases {
        let cloud = points(positions);
        let mesh = reconstruct(&cloud, &SurfaceParams::of(&cloud)).unwrap();
        assert!(!mesh.triangles.is_empty(), "{name}");
        assert_eq!(open_edges(&mesh), 0, "{name}");
        assert!(mesh.positions.iter().chain(&mesh.normals).flatten().all(|x| x.is_finite()), "{name}");
    }
}

#[test]
fn one_two_and_eight_threads_give_the_same_bytes() {
    // Several subdomains, and spray in a thousand more: enough for them to be stitched in another order.
    let mut cloud = ball(14.0, [8.0; 3], 0.3);
    for i in 0..1500 {
        let key = Key::new(3).with(i);
        cloud.positions.push(std::array::from_fn(|axis| 16.0 * key.with(axis as u64).unit() as f32));
    }
    let bytes = |threads: usize| {
        let mesh = on_threads(threads, || reconstruct(&cloud, &SurfaceParams::of(&cloud)).unwrap());
        let numbers = mesh.positions.iter().chain(&mesh.normals).flatten().map(|x| x.to_bits());
        numbers.chain(mesh.triangles.iter().flatten().copied()).collect::<Vec<u32>>()
    };
    let one = bytes(1);
    assert!(one.len() > 100_000, "{} numbers", one.len());
    for threads in [2, 8, 8] {
        assert!(bytes(threads) == one, "{threads} threads differ from one");
    }
}

#[test]
fn positions_that_are_no_numbers_are_counted_and_refused() {
    let mut cloud = ball(3.0, [0.0; 3], 0.0);
    cloud.positions[17][1] = f32::NAN;
    cloud.positions[40] = [f32::INFINITY; 3];
    let error = reconstruct(&cloud, &SurfaceParams::of(&cloud)).unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("2 of 123 particles have no finite position, the first is number 17"),
        "{message}"
    );
}

#[test]
fn more_memory_than_allowed_is_refused_before_it_is_taken() {
    let cloud = ball(6.0, [0.0; 3], 0.0);
    let needed = memory_needed(&cloud, &SurfaceParams::of(&cloud)).unwrap();
    let params = SurfaceParams { max_bytes: needed - 1, ..SurfaceParams::of(&cloud) };
    let refused = SurfaceError::Memory { particles: 925, needed, allowed: needed - 1 };
    assert_eq!(reconstruct(&cloud, &params), Err(refused));
    assert!(reconstruct(&cloud, &SurfaceParams { max_bytes: needed, ..params }).is_ok());
}

#[test]
fn particles_a_world_apart_are_refused() {
    let cloud = points(vec![[0.0; 3], [1.0e9, 0.0, 0.0]]);
    let error = reconstruct(&cloud, &SurfaceParams::of(&cloud)).unwrap_err();
    assert!(matches!(error, SurfaceError::TooWide { cubes: 10_000_000_000.., .. }), "{error}");
}

#[test]
fn a_negative_radius_is_refused() {
    let cloud = Points { radius: -1.0, ..ball(2.0, [0.0; 3], 0.0) };
    let error = reconstruct(&cloud, &SurfaceParams::of(&cloud)).unwrap_err();
    assert_eq!(error.to_string(), "particle_radius is -1; it must be above 0 m");
}
