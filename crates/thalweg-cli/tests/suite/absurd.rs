//! Absurd numbers, endless input and machines that refuse to answer: one clear sentence, an exit code, never a hang.

use crate::common::Folder;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// A tank of particles with an emitter.
const TANK: &str = r#"version = 1
[terrain]
size = [24, 16]
cell = "10 cm"
[[terrain.layer]]
kind = "ramp"
grade = 0.1
[solver]
kind = "sph"
[solver.fluid]
spacing = "5 cm"
max_particles = 5000
[[water]]
depth = "20 cm"
bottom = "0.3 m"
from = [0.2, 0.3]
to = [0.9, 1.2]
[[emitter]]
shape = "disc"
at = [0.4, 0.8, 1.0]
radius = "12 cm"
velocity = [1, 0, -0.5]
[time]
steps = 20
[output]
pictures = false
"#;

#[test]
fn absurd_places_and_numbers_are_refused_with_their_key() {
    let folder = Folder::new();
    folder.write("tank.toml", TANK);
    for (change, key) in [
        ("emitter.0.at=[0.4, 0.8, 1e9]", "emitter[0].at"),
        ("emitter.0.at=[0.4, 0.8, 9e5]", "emitter[0].at"),
        ("water.0.bottom=1e9", "water[0].bottom"),
        ("water.0.bottom=9e5", "water[0].bottom"),
        ("water.0.velocity=[0, 0, 1e9]", "water[0].velocity"),
        ("terrain.layer.0.grade=1e9", "terrain.layer[0].grade"),
        ("terrain.layer.0.grade=1e6", "terrain.layer[0].grade"),
        ("terrain.cell=1e6", "terrain.cell"),
        ("solver.fluid.dt=1e6", "solver.fluid.dt"),
        ("solver.fluid.gravity=1e300", "solver.fluid.gravity"),
        ("solver.erosion.grain_radius=1e300", "solver.erosion.grain_radius"),
    ] {
        let arguments = ["run", "tank.toml", "-o", "o", "--max-memory", "2000", "--set", change];
        let ran = folder.run(&arguments);
        assert!(ran.code == 2 && ran.stderr.contains(key), "{change}: {ran:?}");
        assert!(!folder.path("o").exists(), "{change} wrote something");
    }
    // The emitter stands beside the bed of such cells; the first look at the bed finds out.
    let ran =
        folder.run(&["run", "tank.toml", "-o", "o", "--max-memory", "2000", "--set", "terrain.cell=5e4"]);
    assert!(ran.code == 1 && ran.stderr.contains("boundary particles"), "{ran:?}");
}

/// Each mistake was looked for by reading the file once for every key in it, twenty times over.
#[test]
fn thousands_of_unknown_keys_are_answered_promptly() {
    let folder = Folder::new();
    let keys: String = (0..10_000).map(|i| format!("key_{i} = {i}\n")).collect();
    let long = "k".repeat(1 << 20);
    for (text, words) in [
        (format!("version = 1\n{keys}"), "unknown field `key_"),
        (format!("version = 1\n[solver]\n{keys}"), "unknown field `key_"),
        (format!("version = 1\n{long} = 1\n"), "unknown field `kkkk"),
        (format!("version = 1\ntitle = 3\n{}", "[[rain]]\nrate = -1\n".repeat(10_000)), "title"),
        (format!("version = 1\n{}", "[[rain]]\nrate = -1\n".repeat(3_000)), "and 2980 more"),
    ] {
        folder.write("many.toml", text);
        for command in ["check", "run"] {
            let ran = folder.run(&[command, "many.toml"]);
            assert!(
                ran.code == 2 && ran.stderr.contains(words),
                "{}",
                &ran.stderr[..ran.stderr.len().min(500)]
            );
            assert!(ran.stderr.len() < 20_000, "{} bytes of complaints", ran.stderr.len());
        }
    }
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_no_terrain_no_mask_and_no_scene() {
    let folder = Folder::new();
    let made = Command::new("mkfifo").arg(folder.path("pipe.png")).status().unwrap();
    assert!(made.success());
    let rest = "[[rain]]\nrate = 1e-5\n[time]\nsteps = 3\n[output]\npictures = false\n";
    for (name, text) in [
        ("terrain", format!("version = 1\n[terrain]\nfile = 'pipe.png'\n{rest}")),
        (
            "mask",
            format!("version = 1\n[terrain]\nsize = [8, 8]\n{rest}")
                .replace("rate = 1e-5", "rate = 1e-5\nmask = 'pipe.png'"),
        ),
        (
            "hardness",
            format!("version = 1\n[terrain]\nsize = [8, 8]\n[terrain.hardness]\nfile = 'pipe.png'\n{rest}"),
        ),
    ] {
        folder.write("scene.toml", text);
        let ran = folder.run(&["run", "scene.toml", "-o", "o"]);
        assert!(ran.code == 2 && ran.stderr.contains("named pipe"), "{name}: {ran:?}");
    }
    for arguments in [&["run", "pipe.png"][..], &["info", "pipe.png"], &["render", "pipe.png", "-o", "a.png"]]
    {
        let ran = folder.run(arguments);
        assert!(ran.code != 0 && ran.stderr.contains("named pipe"), "{arguments:?}: {ran:?}");
    }
}

/// Nothing has happened yet, so there is nothing to go on from, and nothing half-written.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_scene_that_relaxes() {
    let folder = Folder::new();
    folder.write("tank.toml", TANK);
    let mut command =
        folder.command(&["run", "tank.toml", "-o", "o", "--json", "--set", "solver.fluid.relax=10000000"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    // Whatever it says, it is not left behind.
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(first.contains("relaxing, ") && first.ends_with(" of 10000000"), "{first}");
    let output = child.wait_with_output().unwrap();
    let said: Vec<_> = lines.map_while(Result::ok).collect();
    assert_eq!(output.status.code(), Some(0), "{said:?}");
    assert!(said.iter().any(|line| line.contains("stopped before the first step")), "{said:?}");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["stopped"], 0, "{answer}");
    assert!(!folder.path("o").exists(), "something was written");
}

#[test]
fn commands_from_a_folder_or_of_no_text_are_told_of() {
    let folder = Folder::with_scene();
    std::fs::create_dir(folder.path("orders")).unwrap();
    let ran = folder.run(&["run", "small.toml", "-o", "a", "--commands", "orders"]);
    assert!(ran.code == 2 && ran.stderr.contains("this is a folder"), "{ran:?}");
    folder
        .write("orders.txt", [&b"\xff\xfe\n"[..], &vec![b'x'; 1 << 20], b"\nset time.steps=3000\n"].concat());
    let ran = folder.run(&["run", "small.toml", "-o", "b", "--steps", "2000", "--commands", "orders.txt"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for words in ["line 1 is not UTF-8 text", "line 2 is longer than 65536 bytes", "set time.steps=3000"] {
        assert!(ran.stderr.contains(words), "{words:?} is not in {}", ran.stderr);
    }
}
