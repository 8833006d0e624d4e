//! Obstacles and gates of scenes, from the file to the result.

use std::path::Path;
use thalweg::Session;
use thalweg::project::Project;
use thalweg::run::{Earlier, Silent};
use thalweg_test_support::runs::{MEMORY, finished, project};

/// A tank of 2 m by 0.6 m with 0.4 m of water behind a gate, and a pier in the dry part.
const TANK: &str = r#"
version = 1
[terrain]
size = [41, 13]
cell = "5 cm"
[[terrain.layer]]
kind = "plane"
[solver]
kind = "sph"
[solver.erosion]
enabled = false
[solver.fluid]
spacing = "5 cm"
[[water]]
depth = "40 cm"
to = ["52.5 cm", "1 m"]
[[obstacle]]
shape = "box"
from = ["52.5 cm", -1, 0]
to = ["62.5 cm", 1, 1]
opens = "20 ms"
lift = "3 m/s"
[time]
duration = "0.6 s"
[output]
particles = "ply"
pictures = false
"#;

const PIER: &str = r#"
[[obstacle]]
shape = "mesh"
file = "pier.obj"
at = [1.2, 0.3, 0]
scale = "10 cm"
turn = "45 deg"
"#;

/// A pier of 2 by 2 by 10, with Y up as other programs export it.
fn write_pier(folder: &Path, closed: bool) {
    let corners = (0..8).map(|n| {
        let [x, y, z] = [n & 1, n >> 1 & 1, n >> 2];
        format!("v {} {} {}\n", 2 * x - 1, 10 * z - 2, 1 - 2 * y)
    });
    let sides = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"];
    let faces = sides.iter().skip(usize::from(!closed)).map(|side| format!("f {side}\n"));
    let text: String = corners.chain(faces).collect();
    std::fs::write(folder.join("pier.obj"), text).unwrap();
}

fn opened(folder: &Path, text: &str) -> Result<Session, String> {
    Session::new(&project(folder, text), MEMORY).map_err(|error| error.to_string())
}

#[test]
fn a_gate_opens_and_water_flows_around_a_pier() {
    let folder = tempfile::tempdir().unwrap();
    write_pier(folder.path(), true);
    let mut state = opened(folder.path(), &format!("{TANK}{PIER}")).unwrap();
    let count = state.points().unwrap().positions.len();
    let mut behind = 0;
    while state.time() < 0.6 {
        state.advance(4).unwrap();
        let places = state.points().unwrap().positions;
        assert_eq!(places.len(), count, "at {} s", state.time());
        behind = places.iter().filter(|at| at[0] > 1.4).count();
        // Turned by 45 degrees, the pier of 20 cm is a rhombus.
        let inside = |at: &&[f32; 3]| (at[0] - 1.2).abs() + (at[1] - 0.3).abs() < 0.1414 - 2.0e-3;
        assert_eq!(places.iter().filter(inside).count(), 0, "in the pier at {} s", state.time());
    }
    assert!(behind > count / 20, "{behind} of {count} particles came around the pier");
}

/// Pictures show the gate rise and go, and the pier where it stands.
#[test]
fn obstacles_are_seen_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    write_pier(folder.path(), true);
    let mut state = opened(folder.path(), &format!("{TANK}{PIER}")).unwrap();
    let seen = |state: &Session| {
        let bounds = |body: &thalweg::field::Body| {
            let [low, high] = body.parts[0].mesh.bounds().unwrap();
            [low, high].map(|corner| body.pose.world(corner.map(f64::from)))
        };
        state.snapshot().bodies.iter().map(bounds).collect::<Vec<_>>()
    };
    let close = |a: [f64; 3], b: [f64; 3]| (0..3).all(|axis| (a[axis] - b[axis]).abs() < 1.0e-6);
    let [gate, pier] = seen(&state)[..] else { panic!("two obstacles") };
    assert!(close(gate[0], [0.525, -1.0, 0.0]) && close(gate[1], [0.625, 1.0, 1.0]), "{gate:?}");
    let half = 0.1 * f64::sqrt(2.0);
    assert!(close(pier[0], [1.2 - half, 0.3 - half, -0.2]) && close(pier[1], [1.2 + half, 0.3 + half, 0.8]));
    while state.time() < 0.2 {
        state.advance(1).unwrap();
    }
    let risen = seen(&state)[0][0][2];
    assert!((risen - 3.0 * (state.time() - 0.02)).abs() < 1.0e-9, "the gate has risen by {risen} m");
    while state.time() < 0.4 {
        state.advance(4).unwrap();
    }
    assert_eq!(seen(&state).len(), 1, "the gate is gone");
}

/// Files of a run hold the mesh, so that it can be resumed from its folder alone; a stopped run ends as one that never stopped.
#[test]
fn a_run_with_a_mesh_is_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    write_pier(folder.path(), true);
    let scene = format!("{TANK}{PIER}").replace("0.6 s", "0.1 s");
    let out = folder.path().join("out");
    let report = finished(&project(folder.path(), &scene), &out, Earlier::Refuse, &mut Silent);
    assert!(report.particles.is_some());
    let again = Project::open(out.to_str().unwrap(), &[]).unwrap();
    assert_eq!(again.scene.obstacles.len(), 2);
    assert!(out.join(again.scene.obstacles[1].file.as_ref().unwrap()).is_file(), "the mesh is not there");
}

#[test]
fn wrong_obstacles_are_told_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let told = |text: &str| opened(folder.path(), &format!("{TANK}{text}")).map(drop).unwrap_err();
    let missing = told(PIER);
    assert!(missing.contains("pier.obj") && missing.contains("scene.toml:"), "{missing}");
    write_pier(folder.path(), false);
    let open = told(PIER);
    assert!(open.contains("obstacle[1].file") && open.contains("not closed"), "{open}");
    let thin = told("[[obstacle]]\nshape = 'box'\nfrom = [1, 0, 0]\nto = [1.04, 1, 1]");
    assert!(thin.contains("obstacle[1].to") && thin.contains("two spacings"), "{thin}");
}
