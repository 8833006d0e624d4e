//! A finished run goes on, in the bits of one that was asked to be longer at once; and its progress tells the truth.

use std::path::Path;
use std::sync::LazyLock;
use thalweg::Session;
use thalweg::project::Project;
use thalweg::run::{Earlier, Outcome, Progress, Report, Silent, Watcher, run, simulate};
use thalweg_test_support::runs::{self, HILLS, MEMORY, SPOUT, drive, options};

/// Hills whose water may leave.
static PIPES: LazyLock<String> = LazyLock::new(|| {
    format!("{HILLS}[edges]\nsouth = \"open\"\n[time]\nsteps = 90\n[output]\npictures = false\n")
});

const COARSE: &str =
    "[[time.coarse]]\nfactor = 4\nsteps = 75\n[[time.coarse]]\nfactor = 2\nsteps = 70\n[output]";

/// A spout over ground that stays.
static PARTICLES: LazyLock<String> = LazyLock::new(|| {
    let erosion = "[solver.erosion]\nenabled = false\n";
    format!("{SPOUT}{erosion}[time]\nsteps = 70\n[output]\nparticles = \"ply\"\npictures = false\n")
});

fn project(text: &str, change: &str) -> Project {
    let changes: Vec<_> = (!change.is_empty()).then(|| change.to_owned()).into_iter().collect();
    Project::from_text(text, "scene", Path::new(""), &changes).unwrap()
}

fn finished(project: &Project, out: &Path, earlier: Earlier) -> Box<Report> {
    runs::finished(project, out, earlier, &mut Silent)
}

/// What differs between the results of two runs; earlier steps of particles are no results.
fn differences(report: &Report, one: &Path, other: &Path) -> Vec<String> {
    let results = report.files.iter().filter(|name| *name != "report.json");
    let differs = |name: &&String| std::fs::read(one.join(name)).ok() != std::fs::read(other.join(name)).ok();
    results.filter(differs).cloned().collect()
}

#[test]
fn a_finished_run_goes_on_to_the_bits_of_a_longer_one() {
    let coarse = PIPES.replace("[output]", COARSE);
    let timed_particles = PARTICLES.replace("steps = 70", "steps = 100000\nduration = '50 ms'");
    for (text, longer) in [
        (&*PIPES, "time.steps=131"),
        (&coarse, "time.steps=131"),
        (&*PARTICLES, "time.steps=101"),
        (&timed_particles, "time.duration=70 ms"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let [out, whole] = ["out", "whole"].map(|name| folder.path().join(name));
        let short = finished(&project(text, ""), &out, Earlier::Refuse);
        let gone_on = finished(&project(text, longer), &out, Earlier::Resume);
        let expected = finished(&project(text, longer), &whole, Earlier::Refuse);
        assert!(gone_on.steps > short.steps, "{longer}: {} steps after {}", gone_on.steps, short.steps);
        let differences = differences(&expected, &whole, &out);
        assert!(differences.is_empty(), "{longer}: these differ: {differences:?}");
        assert_eq!((gone_on.ledger, gone_on.dt), (expected.ledger, expected.dt), "{longer}");
        let missing: Vec<_> = gone_on.files.iter().filter(|name| !out.join(name).is_file()).collect();
        assert!(missing.is_empty(), "{longer}: the report lists {missing:?}, which are not there");
    }
}

/// The last steps before the end of a duration are shorter, so that it ends on time; a longer run goes on from there, on time again.
#[test]
fn a_run_that_ended_on_time_goes_on_to_a_later_time() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let timed = PIPES.replace("steps = 90", "steps = 100000\nduration = '50 s'");
    let short = finished(&project(&timed, ""), &out, Earlier::Refuse);
    let longer = finished(&project(&timed, "time.duration=71 s"), &out, Earlier::Resume);
    assert_eq!((short.simulated_s, longer.simulated_s), (50.0, 71.0));
    assert!(longer.ledger.imbalance_rel < 1.0e-6, "{:?}", longer.ledger);
}

#[test]
fn a_run_that_is_over_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    finished(&project(&PIPES, ""), &out, Earlier::Refuse);
    let report = std::fs::read(out.join("report.json")).unwrap();
    let again = run(&project(&PIPES, ""), &options(&out, Earlier::Resume), &mut Silent).unwrap();
    assert!(matches!(again, Outcome::AlreadyOver { step: 90 }), "{again:?}");
    assert!(report == std::fs::read(out.join("report.json")).unwrap(), "the report changed");
}

/// The state that is kept is no burden to those who do not want it.
#[test]
fn the_last_state_is_kept_unless_the_scene_says_no() {
    let folder = tempfile::tempdir().unwrap();
    for (change, kept) in [("output.last_state=true", true), ("output.last_state=false", false)] {
        let out = folder.path().join(change);
        let report = finished(&project(&PIPES, change), &out, Earlier::Refuse);
        let name = "checkpoints/step_0000000090.twc";
        assert_eq!((out.join(name).is_file(), report.files.contains(&name.into())), (kept, kept), "{change}");
    }
}

/// Keeps everything it is told.
#[derive(Default)]
struct Listener {
    told: Vec<Progress>,
    stages: Vec<String>,
    notices: Vec<String>,
}

impl Watcher for Listener {
    fn progress(&mut self, progress: &Progress) {
        self.told.push(*progress);
    }

    fn busy(&mut self, what: &str, _: usize, _: usize) {
        self.stages.push(what.into());
    }

    fn notice(&mut self, text: &str) {
        self.notices.push(text.into());
    }

    fn cancelled(&self) -> bool {
        false
    }
}

/// A step on cells four times as wide costs a sixteenth.
#[test]
fn the_share_that_is_done_is_the_share_of_the_cost() {
    let coarse = PIPES.replace("[output]", COARSE).replace("[44, 37]", "[48, 40]");
    let mut state = Session::new(&project(&coarse, ""), MEMORY).unwrap();
    let costs = [75.0 / 16.0, 70.0 / 4.0, 90.0];
    let all: f64 = costs.iter().sum();
    let mut is = |step: u64, expected: f64| {
        drive(&mut state, step);
        let share = state.clock().share;
        assert!((share - expected).abs() < 1.0e-12, "after step {step} {share} is done, not {expected}");
    };
    is(0, 0.0);
    is(75, costs[0] / all);
    is(145, (costs[0] + costs[1]) / all);
    is(190, (costs[0] + costs[1] + 45.0) / all);
    is(235, 1.0);
}

#[test]
fn a_run_that_time_ends_tells_its_share_of_the_time() {
    for (text, seconds) in [(&PIPES, 50.0), (&PARTICLES, 0.1)] {
        let change = format!("time.duration={seconds}");
        let text = text.replace("steps = 90", "steps = 100000").replace("steps = 70", "steps = 100000");
        let mut state = Session::new(&project(&text, &change), MEMORY).unwrap();
        drive(&mut state, 40);
        let expected = state.time() / seconds;
        assert!(
            (state.clock().share - expected).abs() < 1.0e-9,
            "{} is done, not {expected}",
            state.clock().share
        );
        assert_eq!(state.clock().end_time, Some(seconds));
        drive(&mut state, u64::MAX);
        assert_eq!(state.clock().share, 1.0);
    }
    // While the coarse passes run, the steps to come are guessed from theirs.
    let coarse = PIPES.replace("[output]", COARSE).replace("steps = 90", "steps = 100000\nduration = '50 s'");
    let mut state = Session::new(&project(&coarse, ""), MEMORY).unwrap();
    drive(&mut state, 145);
    let before = state.clock().share;
    assert!((0.001..0.5).contains(&before), "{before} is done before the last pass begins");
}

#[test]
fn a_run_through_all_passes_in_memory_is_the_run_that_writes() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(&PIPES.replace("[output]", COARSE), "");
    let state = simulate(&project, MEMORY, &mut Silent).unwrap();
    assert!(state.is_over());
    let out = folder.path().join("out");
    finished(&project, &out, Earlier::Refuse);
    let flow = thalweg::io::read_map(&out.join("maps/flow.exr"), MEMORY).unwrap();
    let snapshot = state.snapshot();
    assert!(snapshot.field("flow").unwrap().values() == flow.values.values(), "the flow differs");
    assert_eq!(state.ground().height.cols(), 44);
}

#[test]
fn the_end_of_a_run_tells_what_it_does_and_the_timings_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut listener = Listener::default();
    let project =
        project(&PARTICLES.replace("particles = \"ply\"", "particles = \"ply\"\nparticles_every = 10"), "");
    let outcome =
        run(&project, &options(&folder.path().join("out"), Earlier::Refuse), &mut listener).unwrap();
    let Outcome::Finished(report) = outcome else { panic!("{outcome:?}") };
    for stage in ["saving the last state", "writing maps", "measuring"] {
        assert!(listener.stages.iter().any(|told| told == stage), "{stage} is not in {:?}", listener.stages);
    }
    let last = listener.told.last().unwrap();
    assert_eq!((last.share, last.step, last.items), (1.0, 70, "particles"));
    assert!(last.rate > 0.0, "{} particles per second", last.rate);
    let timings = &report.timings_s;
    for name in ["setup", "sph", "particles", "checkpoints", "maps", "realism"] {
        assert!(timings.contains_key(name), "{name} is not in {timings:?}");
    }
    let sum: f64 = timings.values().sum();
    // What is not timed is bookkeeping: a few small files.
    let rest = report.wall_s - sum;
    assert!(rest >= 0.0 && sum > 0.5 * report.wall_s, "{sum} s of {} s are told: {timings:?}", report.wall_s);
}

/// A program that cannot draw says so, and runs.
#[cfg(not(feature = "render"))]
#[test]
fn without_drawing_a_scene_with_pictures_runs_with_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let mut listener = Listener::default();
    let project = project(&PIPES, "output.pictures=true");
    let out = folder.path().join("out");
    let outcome = run(&project, &options(&out, Earlier::Refuse), &mut listener).unwrap();
    assert!(matches!(outcome, Outcome::Finished(_)), "{outcome:?}");
    assert!(listener.notices.iter().any(|text| text.contains("`render`")), "{:?}", listener.notices);
    assert!(out.join("maps/flow.exr").is_file() && !out.join("pictures").exists());
}

/// A scene of values is checked and filled in as one of a file is.
#[test]
fn a_scene_made_of_values_is_the_scene_of_the_same_text() {
    use thalweg::project::{Rain, Scene, Terrain, Time};
    let scene = Scene {
        seed: 4,
        terrain: Terrain { size: Some([20, 16]), ..Terrain::default() },
        rain: vec![Rain { rate: Some(2.0e-5), ..Rain::default() }],
        time: Time { steps: 12, ..Time::default() },
        ..Scene::default()
    };
    let made = Project::from_scene(scene.clone(), "made", Path::new("")).unwrap();
    let text = "version = 1\nseed = 4\n[terrain]\nsize = [20, 16]\n[[rain]]\nrate = 2e-5\n[time]\nsteps = 12";
    assert_eq!(made.scene, project(text, "").scene);
    let wrong = Scene { time: Time { duration: Some(-1.0), ..Time::default() }, ..scene };
    let refused = Project::from_scene(wrong, "made", Path::new("")).unwrap_err().to_string();
    assert!(refused.starts_with("made: time.duration is -1 s"), "{refused}");
}
