//! Bodies in the water, and gates: nothing enters them, water rests against them, and runs go on to the same bits.

use std::sync::Arc;
use thalweg_coupling::{Params, ParticleWater, Setting, Solid, SolidShape};
use thalweg_field::{Heightfield, TriMesh};
use thalweg_sph::{FluidParams, PressureSolver};
use thalweg_test_support::ground;
use thalweg_test_support::particles::{bits, clear, still_water, water};

const SPACING: f64 = 0.05;

/// A level floor of 2 m by 0.6 m, which begins half a cell from its corner.
fn floor() -> Heightfield {
    ground(41, 13, SPACING, |_, _| 0.0)
}

fn boxed(from: [f64; 3], to: [f64; 3], turn: f64) -> Solid {
    Solid { shape: SolidShape::Box { from, to, turn }, opens: None, lift: None }
}

/// An octahedron about a place, so far to each corner `[m]`.
fn octahedron(at: [f32; 3], far: f32) -> Solid {
    let corner = |n: usize| {
        let mut corner = at;
        corner[n / 2] += if n.is_multiple_of(2) { far } else { -far };
        corner
    };
    let triangles = (0..8u32)
        .map(|n| {
            let [x, y, z] = [n & 1, 2 + (n >> 1 & 1), 4 + (n >> 2)];
            if n.count_ones().is_multiple_of(2) { [x, y, z] } else { [y, x, z] }
        })
        .collect();
    let mesh = TriMesh { positions: (0..6).map(corner).collect(), normals: Vec::new(), triangles };
    Solid { shape: SolidShape::Mesh(Arc::new(mesh)), opens: None, lift: None }
}

const SOLVERS: [PressureSolver; 3] = [PressureSolver::Wcsph, PressureSolver::Pcisph, PressureSolver::Dfsph];

fn pool(pressure: PressureSolver, solids: Vec<Solid>, to: f64, deep: f64) -> ParticleWater {
    let pool = still_water([0.5 * SPACING; 2], [0.5 * SPACING + to, 0.5 * SPACING + 0.6], deep);
    let setting = Setting { water: vec![pool], solids, ..Setting::default() };
    let params = Params { fluid: FluidParams { pressure, ..FluidParams::default() }, ..clear() };
    ParticleWater::new(&floor(), &params, &setting).unwrap()
}

/// Fastest particle `[m/s]`.
fn fastest(torrent: &ParticleWater) -> f32 {
    let particles = torrent.fluid().particles();
    let speed = |i: usize| (0..3).map(|axis| particles.velocity[axis][i].powi(2)).sum::<f32>().sqrt();
    (0..particles.len()).filter(|&i| !particles.is_boundary(i)).map(speed).fold(0.0, f32::max)
}

/// Whether a place is within a box that is not turned, by more than rounding.
fn inside(at: [f32; 3], from: [f64; 3], to: [f64; 3]) -> bool {
    (0..3).all(|axis| (from[axis] + 1.0e-4..to[axis] - 1.0e-4).contains(&f64::from(at[axis])))
}

fn places(torrent: &ParticleWater) -> Vec<[f32; 3]> {
    water(torrent).collect()
}

/// A box on the floor, one that is turned and drowned, and a mesh: water around them stays where it is.
#[test]
fn water_rests_against_bodies() {
    let solids = vec![
        boxed([0.3, 0.2, 0.0], [0.5, 0.4, 0.8], 0.0),
        boxed([0.8, 0.2, 0.1], [1.1, 0.4, 0.3], 0.6),
        octahedron([1.6, 0.3, 0.2], 0.2),
    ];
    SOLVERS.into_iter().for_each(|pressure| rests(pressure, &solids));
}

fn rests(pressure: PressureSolver, solids: &[Solid]) {
    let mut torrent = pool(pressure, solids.to_vec(), 2.0, 0.4);
    let count = torrent.particle_count();
    let volume = count as f64 * SPACING.powi(3);
    // The box on the floor, the drowned box, and the octahedron take their room.
    let expected = 2.0 * 0.6 * 0.4 - 0.2 * 0.2 * 0.4 - 0.3 * 0.2 * 0.2 - 4.0 / 3.0 * 0.2_f64.powi(3);
    assert!((volume / expected - 1.0).abs() < 0.04, "{pressure:?}: {volume} m³ of {expected}");
    while torrent.time() < 2.5 {
        torrent.advance(20).unwrap();
    }
    assert_eq!(torrent.particle_count(), count);
    let entered =
        places(&torrent).into_iter().filter(|&at| inside(at, [0.3, 0.2, 0.0], [0.5, 0.4, 0.8])).count();
    assert_eq!(entered, 0, "{pressure:?}: particles in the box");
    let octahedral =
        |at: &&[f32; 3]| (at[0] - 1.6).abs() + (at[1] - 0.3).abs() + (at[2] - 0.2).abs() < 0.2 - 1.0e-3;
    assert_eq!(places(&torrent).iter().filter(octahedral).count(), 0, "{pressure:?}: particles in the mesh");
    // Between lattice and slanting faces are gaps of half a spacing, which the water fills first; then it is a pond on rough ground.
    assert!(fastest(&torrent) < 0.3, "{pressure:?}: {} m/s", fastest(&torrent));
}

/// A box whose sides the lattice of the water fits is as quiet as the walls of a tank.
#[test]
fn water_beside_a_box_that_fits_is_at_rest_from_the_first_step() {
    for pressure in SOLVERS {
        let mut torrent =
            pool(pressure, vec![boxed([0.325, 0.225, 0.0], [0.525, 0.425, 0.8], 0.0)], 2.0, 0.4);
        while torrent.time() < 0.4 {
            torrent.advance(10).unwrap();
            let (fastest, time) = (fastest(&torrent), torrent.time());
            assert!(fastest < 0.05, "{pressure:?}: {fastest} m/s at {time} s");
        }
    }
}

fn gated(pressure: PressureSolver, opens: f64, lift: Option<f64>) -> ParticleWater {
    let gate = boxed([0.525, -0.1, -0.1], [0.625, 0.8, 0.6], 0.0);
    pool(pressure, vec![Solid { opens: Some(opens), lift, ..gate }], 0.5, 0.4)
}

/// Water waits behind a closed gate, at rest and without a leak, and comes when it opens: at once, or first below it.
#[test]
fn a_gate_holds_water_until_it_opens() {
    for (lift, pressure) in
        [None, Some(2.0)].into_iter().flat_map(|lift| SOLVERS.map(|solver| (lift, solver)))
    {
        let mut torrent = gated(pressure, 0.3, lift);
        while torrent.time() < 0.29 {
            torrent.advance(1).unwrap();
        }
        let beyond = |torrent: &ParticleWater| places(torrent).iter().filter(|at| at[0] > 0.526).count();
        assert_eq!(beyond(&torrent), 0, "it leaks, {pressure:?}, lift {lift:?}");
        // A column at rest has no particle faster than that.
        assert!(fastest(&torrent) < 0.4, "{pressure:?}: {} m/s behind a closed gate", fastest(&torrent));
        while torrent.time() < 0.47 {
            torrent.advance(1).unwrap();
        }
        let highest = places(&torrent).iter().filter(|at| at[0] > 0.63).map(|at| at[2]).fold(0.0, f32::max);
        assert!(highest > 0.0, "nothing came through, {pressure:?}, lift {lift:?}");
        // 0.17 s at 2 m/s: it is 0.34 m above where it began, which was 0.1 m below the floor.
        let risen = 0.24 + 2.0 * SPACING as f32;
        assert!(lift.is_none() || highest < risen, "{highest} m below a gate that is lifted");
        let count = torrent.particle_count();
        torrent.advance(400).unwrap();
        assert_eq!(torrent.particle_count(), count);
        let level = beyond(&torrent) as f64 / count as f64;
        assert!(level > 0.5, "only {level} of the water came out, {pressure:?}, lift {lift:?}");
        let particles = torrent.fluid().particles();
        let of_gate = |i: &usize| {
            let at = particles.get(*i).position;
            particles.is_boundary(*i) && inside(at, [0.525, 0.1, 0.0], [0.625, 0.5, 9.0])
        };
        assert_eq!((0..particles.len()).filter(of_gate).count(), 0, "the gate is still there, lift {lift:?}");
    }
}

#[test]
fn a_run_saved_while_a_gate_is_lifted_goes_on_to_the_same_bits() {
    let mut first = gated(PressureSolver::Wcsph, 0.02, Some(1.0));
    for steps in [13, 60, 30] {
        first.advance(steps).unwrap();
        let saved = first.save();
        let mut second = gated(PressureSolver::Wcsph, 0.02, Some(1.0));
        second.restore(&saved).unwrap();
        second.advance(50).unwrap();
        let mut whole = gated(PressureSolver::Wcsph, 0.02, Some(1.0));
        whole.advance(saved.step + 50).unwrap();
        assert!(
            bits(&whole.save()) == bits(&second.save()),
            "the run saved at step {} went elsewhere",
            saved.step
        );
    }
}

/// Water that falls onto bodies at 8 m/s is stopped by their faces, edges and corners.
#[test]
fn nothing_is_shot_into_a_body() {
    let solids = vec![boxed([0.4, 0.15, 0.0], [0.6, 0.45, 0.2], 0.4), octahedron([1.1, 0.3, 0.15], 0.15)];
    let mut drops = still_water([0.2, 0.1], [1.4, 0.5], 0.5);
    (drops.bottom, drops.velocity) = (Some(0.4), [1.0, 0.0, -8.0]);
    let setting = Setting { water: vec![drops], solids, ..Setting::default() };
    let mut torrent = ParticleWater::new(&floor(), &clear(), &setting).unwrap();
    let count = torrent.particle_count();
    let (sin, cos) = 0.4_f32.sin_cos();
    for _ in 0..40 {
        torrent.advance(10).unwrap();
        for [x, y, z] in places(&torrent) {
            let (a, b) = (x - 0.5, y - 0.3);
            let own = [cos * a + sin * b, cos * b - sin * a];
            assert!(
                own[0].abs() > 0.0999 || own[1].abs() > 0.1499 || !(1.0e-4..0.1999).contains(&z),
                "{:?} is in the box at {} s",
                [x, y, z],
                torrent.time()
            );
            let far = (x - 1.1).abs() + (y - 0.3).abs() + (z - 0.15).abs();
            assert!(far > 0.1495, "{:?} is in the mesh", [x, y, z]);
        }
    }
    assert_eq!(torrent.particle_count(), count);
}

#[test]
fn bodies_that_cannot_be_are_told_by_their_key() {
    let setting =
        Setting { solids: vec![boxed([0.3, 0.2, 0.0], [0.35, 0.4, 0.8], 0.0)], ..Setting::default() };
    let error = ParticleWater::new(&floor(), &clear(), &setting).unwrap_err().to_string();
    assert!(error.contains("obstacle[0].to") && error.contains("two spacings"), "{error}");
    let setting = Setting {
        solids: vec![boxed([0.3, 0.2, 0.0], [1.0, 0.4, 0.8], 0.0)],
        max_bytes: Some(150_000),
        ..Setting::default()
    };
    let error = ParticleWater::new(&floor(), &clear(), &setting).map(drop).unwrap_err().to_string();
    assert!(error.contains("obstacle[0]") && error.contains("no memory"), "{error}");
}
