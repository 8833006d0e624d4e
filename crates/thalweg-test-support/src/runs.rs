//! Scenes as text, the states that they begin with, what these show, and runs that write files.

use std::path::Path;
use thalweg::Session;
use thalweg::project::Project;
use thalweg::run::{Earlier, Outcome, Report, RunOptions, Watcher, run};

/// Memory for every small scene `[bytes]`.
pub const MEMORY: u64 = 1 << 30;

/// Hills in the rain; none of the numbers is a multiple of anything that a solver counts by. What else a scene has, edges,
/// time and output, comes behind it.
pub const HILLS: &str = r#"
version = 1
seed = 5
[terrain]
size = [44, 37]
cell = "8 m"
[[terrain.layer]]
kind = "fbm"
height = "90 m"
wavelength = "150 m"
[[rain]]
rate = "80 mm/h"
"#;

/// Water of particles that slides down a slope and over an open edge, and more of it from a spout. Erosion, time and output
/// come behind it.
pub const SPOUT: &str = r#"
version = 1
seed = 3
[terrain]
size = [24, 16]
cell = "10 cm"
[[terrain.layer]]
kind = "ramp"
grade = 0.14
direction = "270 deg"
[solver]
kind = "sph"
[solver.fluid]
spacing = "5 cm"
max_particles = 5000
[edges]
east = "open"
[[emitter]]
shape = "disc"
at = [0.4, 0.8, 0.6]
above_bed = true
radius = "12 cm"
velocity = [1, 0, -0.5]
[[water]]
depth = "25 cm"
from = [0.2, 0.3]
to = [0.9, 1.2]
"#;

/// A run into a folder.
pub fn options(out: &Path, earlier: Earlier) -> RunOptions {
    RunOptions { out: out.into(), earlier, max_bytes: MEMORY }
}

/// What becomes of the run in a folder: it goes on, or there is none.
pub fn earlier(goes_on: bool) -> Earlier {
    if goes_on { Earlier::Resume } else { Earlier::Refuse }
}

/// The report of a run that nobody stops.
pub fn finished(project: &Project, out: &Path, earlier: Earlier, watcher: &mut dyn Watcher) -> Box<Report> {
    match run(project, &options(out, earlier), watcher).unwrap() {
        Outcome::Finished(report) => report,
        other => panic!("{}: {other:?}", out.display()),
    }
}

/// A scene that stands in a file of a folder.
pub fn project(folder: &Path, text: &str) -> Project {
    let file = folder.join("scene.toml");
    std::fs::write(&file, text).unwrap();
    Project::open(file.to_str().unwrap(), &[]).unwrap()
}

/// Steps until so many are taken or all is over, as a run does.
pub fn drive(state: &mut Session, until: u64) {
    while !state.is_over() && state.steps_taken() < until {
        state.advance(until - state.steps_taken()).unwrap();
    }
}

/// All maps of a state and the books behind them, bit by bit.
pub fn bits(state: &mut Session) -> Vec<u64> {
    let snapshot = state.snapshot();
    let fields = snapshot.fields.iter().flat_map(|field| field.values.values());
    let mut bits: Vec<u64> = fields.map(|v| u64::from(v.to_bits())).collect();
    let (water, solids) = (state.ledger().water, state.ledger().solids);
    let [shortest, longest] = state.clock().dt;
    let numbers = [snapshot.time, water.added, water.end, solids.bed_end, solids.exported, shortest, longest];
    bits.extend(numbers.map(f64::to_bits));
    bits.push(snapshot.step);
    bits
}
