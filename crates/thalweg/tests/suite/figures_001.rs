//! The figures of Schmidberger 2024 in short: 600 of their iterations. `cargo xtask figures-001` runs them whole.

#![cfg(feature = "files")]

use thalweg::Session;
use thalweg::project::Project;

const STEPS: u64 = 600;
/// K_s Δt of table 2, of mountains 1000 m high `[m]`.
const MOST_IN_A_STEP: f64 = 3.0e-5 * 0.002 * 1000.0;

fn ended(scene: &str, changes: &[&str]) -> Session {
    let steps = format!("time.steps={STEPS}");
    let changes: Vec<_> = changes.iter().copied().chain([steps.as_str()]).map(str::to_owned).collect();
    let mut session = Session::new(&Project::open(scene, &changes).unwrap(), 1 << 30).unwrap();
    session.tick(u64::MAX).unwrap();
    for field in &session.snapshot().fields {
        let wild = field.values.values().iter().filter(|value| !value.is_finite()).count();
        assert_eq!(wild, 0, "{scene}: cells of {} are no numbers", field.info.name);
    }
    session
}

/// The largest value of a map within 300 m of a place, and anywhere.
fn largest(session: &Session, map: &str, [east, north]: [f64; 2]) -> [f64; 2] {
    let shown = session.snapshot();
    let values = shown.field(map).unwrap();
    let (cell, rows) = (shown.frame.cell, values.rows());
    let mut found = [0.0_f64; 2];
    for (i, &value) in values.values().iter().enumerate() {
        let (col, row) = (i % values.cols(), i / values.cols());
        let at = [(col as f64 + 0.5) * cell, ((rows - row) as f64 - 0.5) * cell];
        let near = (at[0] - east).hypot(at[1] - north) < 300.0;
        found =
            [if near { found[0].max(f64::from(value)) } else { found[0] }, found[1].max(f64::from(value))];
    }
    found
}

/// A river cuts as deep as the table lets it, 250 times as fast as printed, and drops cut less.
#[test]
fn river_sources_cut_canals_and_rain_less() {
    let limit = 250.0 * MOST_IN_A_STEP * STEPS as f64;
    // Steps of 1.5e-5 are taken from heights below 1, which 32 bits round at 3e-8: each may be 0.2 % more.
    let mountain = ended("schmidberger-mountain", &[]);
    let [canal, most] = largest(&mountain, "erosion", [3950.0, 2300.0]);
    assert!(
        canal > 0.8 * limit && most <= 1.004 * limit,
        "{canal} m at the spring, {most} m of at most {limit} m"
    );
    let [both, rain] =
        [&mountain, &ended("schmidberger-rain", &[])].map(|session| session.ledger().solids.eroded);
    assert!(rain > 0.0 && both > 1.5 * rain, "{both} m³ with rivers, {rain} m³ by drops alone");
    let [river, _] = largest(&ended("schmidberger-river", &[]), "erosion", [1300.0, 2200.0]);
    assert!(river > 0.8 * limit, "{river} m on detailed ground, of at most {limit} m");
}

/// As printed, table 2 cannot give what the figures show.
#[test]
fn the_table_as_printed_gives_no_canals() {
    let printed = ["solver.time_lapse=1", "solver.velocity=mean-flux"];
    let [_, most] = largest(&ended("schmidberger-mountain", &printed), "erosion", [0.0, 0.0]);
    let limit = MOST_IN_A_STEP * STEPS as f64;
    assert!(most > 0.5 * limit && most < 1.1 * limit, "{most} m of {limit} m");
}

/// What is below 0.0001 after an iteration is set to 0.
#[test]
fn weak_springs_dry_up_as_they_rise() {
    let weak = ["rain=[]", "source.0.rate=2e5 m3/s", "source.1.rate=2e5 m3/s"];
    assert_eq!(largest(&ended("schmidberger-mountain", &weak), "water", [0.0, 0.0])[1], 0.0);
}
