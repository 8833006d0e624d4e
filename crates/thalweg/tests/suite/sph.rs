//! Scenes of particles from start to end: files, books, stops, and commands while they run.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::LazyLock;
use thalweg::io::checkpoint::newest;
use thalweg::project::{Project, ProjectError};
use thalweg::run::{Command, Earlier, Outcome, Progress, RunError, Watcher, run};
use thalweg::solver::{Stroke, Tool};
use thalweg::{Edit, Session};
use thalweg_test_support::runs::{MEMORY, SPOUT, drive, earlier, finished, options, project};

/// What a spout makes of a slope, with a hole that swallows some of it.
static SCENE: LazyLock<String> = LazyLock::new(|| format!("{SPOUT}{MORE}"));

const MORE: &str = r#"
sediment = "5 %"
[solver.erosion]
strength = 1
critical_shear = 0.1
[[sink]]
from = [2.2, 0, -5]
to = [2.4, 0.8, 5]
[time]
steps = 150
[output]
particles_every = 50
particles = ["ply", "vtp"]
surface = ["obj", "glb"]
pictures = false
"#;

/// Hands out commands, each after so many looks.
#[derive(Default)]
struct Told {
    commands: VecDeque<(u64, Command)>,
    looks: u64,
    notices: Vec<String>,
    stop_after: Option<u64>,
}

impl Watcher for Told {
    fn progress(&mut self, progress: &Progress) {
        assert_eq!(progress.items, "particles");
    }

    fn notice(&mut self, text: &str) {
        self.notices.push(text.into());
    }

    fn cancelled(&self) -> bool {
        self.stop_after.is_some_and(|looks| self.looks > looks)
    }

    fn commands(&mut self) -> Vec<Command> {
        self.looks += 1;
        let mut due = Vec::new();
        while self.commands.front().is_some_and(|(look, _)| *look <= self.looks) {
            due.extend(self.commands.pop_front().map(|(_, command)| command));
        }
        due
    }
}

fn told(commands: &[(u64, &str)]) -> Told {
    let commands = commands.iter().map(|(look, line)| (*look, line.parse().unwrap())).collect();
    Told { commands, ..Told::default() }
}

/// The last particles and the ground, byte for byte.
fn result(out: &Path) -> [Vec<u8>; 2] {
    ["particles/step_000150.ply", "height.exr"].map(|name| std::fs::read(out.join(name)).unwrap())
}

#[test]
fn a_small_torrent_runs_from_start_to_end_with_closed_books() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let project = project(folder.path(), &SCENE);
    let report = finished(&project, &out, Earlier::Refuse, &mut Told::default());
    for name in [
        "particles/step_000000.ply",
        "particles/step_000050.vtp",
        "particles/step_000150.ply",
        "mesh/surface_000150.obj",
        "mesh/surface_000150.glb",
        "maps/water.exr",
        "maps/erosion.exr",
        "height.exr",
    ] {
        assert!(report.files.contains(&name.into()), "{name} is not in {:?}", report.files);
    }
    assert!(report.files.iter().all(|name| out.join(name).is_file()), "{:?}", report.files);
    assert_eq!(report.files.iter().filter(|name| name.starts_with("mesh/")).count(), 2);
    let (ledger, water) = (&report.ledger, &report.ledger.water);
    assert!(ledger.imbalance_rel < 1.0e-9, "ground is out of balance by {:e}", ledger.imbalance_rel);
    assert!(water.imbalance_rel < 1.0e-9, "water is out of balance by {:e}", water.imbalance_rel);
    assert!(ledger.suspended > 0.0 && water.added > 0.0, "{ledger:?}");
    let count = report.particles.unwrap();
    assert!(count.start > 500 && count.added > 0, "{count:?}");
    assert_eq!(count.start + count.added, count.removed + count.end);
    assert!(report.timings_s.contains_key("sph"));

    // The scene beside the output makes the same run.
    let again = Project::open(out.to_str().unwrap(), &[]).unwrap();
    assert_eq!(again.scene, project.scene);
    finished(&again, &folder.path().join("again"), Earlier::Refuse, &mut Told::default());
    assert!(result(&out) == result(&folder.path().join("again")), "it ends in other bits");
}

#[test]
fn a_torrent_that_was_stopped_ends_in_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE);
    let whole = folder.path().join("whole");
    let expected = finished(&project, &whole, Earlier::Refuse, &mut Told::default());
    let out = folder.path().join("out");
    let mut stops = 0;
    let report = loop {
        let mut watcher = Told { stop_after: Some(4), ..Told::default() };
        match run(&project, &options(&out, earlier(stops > 0)), &mut watcher).unwrap() {
            Outcome::Finished(report) => break report,
            Outcome::StoppedBefore => panic!("there is nothing to relax"),
            Outcome::Stopped { .. } => stops += 1,
            over => panic!("{over:?}"),
        }
    };
    assert_eq!(stops, 2);
    assert!(result(&out) == result(&whole), "it ends in other bits");
    assert_eq!((report.ledger, report.dt, &report.files), (expected.ledger, expected.dt, &expected.files));
}

#[test]
fn a_duration_ends_a_torrent_at_the_same_step_however_it_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE.replace("steps = 150", "steps = 100000\nduration = '60 ms'"));
    let ends_at = |cut: u64| {
        let mut state = Session::new(&project, MEMORY).unwrap();
        while !state.is_over() {
            let next = state.steps_taken().saturating_add(cut);
            drive(&mut state, next);
        }
        (state.steps_taken(), state.time())
    };
    let (steps, time) = ends_at(u64::MAX);
    assert!((0.06..0.07).contains(&time), "it ended after {time} s");
    assert_eq!(ends_at(3), (steps, time));
}

#[test]
fn checkpoints_of_other_torrents_are_refused_with_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let own = project(folder.path(), &SCENE);
    let mut watcher = Told { stop_after: Some(1), ..Told::default() };
    assert!(matches!(run(&own, &options(&out, Earlier::Refuse), &mut watcher), Ok(Outcome::Stopped { .. })));
    let refused = |text: &str, reason: &str| {
        let error = run(&project(folder.path(), text), &options(&out, Earlier::Resume), &mut Told::default())
            .unwrap_err();
        assert!(matches!(error, RunError::OtherRun { .. }) && error.to_string().contains(reason), "{error}");
    };
    refused(
        &SCENE.replace("critical_shear = 0.1", "critical_shear = 0.2"),
        "solver.erosion.critical_shear was 0.1, and is 0.2 here",
    );
    refused(&SCENE.replace("\"12 cm\"", "\"11 cm\""), "emitter[0].radius was 0.12, and is 0.11 here");
    refused(&SCENE.replace("steps = 150", "steps = 3"), "already");
}

#[test]
fn parameters_change_while_a_torrent_flows() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE);
    let out = folder.path().join("out");
    let commands = [
        (3, "set solver.fluid.viscosity=2"),
        (3, "set emitter.0.velocity=[2, 0, 0]"),
        (4, "set solver.fluid.gravity=5"),
        (4, "set solver.fluid.viscosity=-1"),
        (4, "set solver.fluid.viscosty=1"),
        (4, "set solver.fluid.spacing=3 cm"),
        (4, "set terrain.cell=1"),
        (4, "set output.particles_every=60"),
        (5, "set time.steps=150"),
    ];
    let mut watcher = told(&commands);
    let report = finished(&project, &out, Earlier::Refuse, &mut watcher);
    let notices = watcher.notices.join("\n");
    for said in [
        "after step 32: set solver.fluid.viscosity=2",
        "set solver.fluid.viscosity=-1: solver.fluid.viscosity is -1 Pa·s; it must lie between 0 and 1e8 Pa·s (water has 0.001, honey 10)",
        "did you mean `viscosity`?",
        "spacing is 0.03; it cannot change while",
        "set terrain.cell=1: terrain.cell cannot change while the scene runs; start it anew with --set terrain.cell=1",
    ] {
        assert!(notices.contains(said), "{said:?} is not in\n{notices}");
    }
    assert_eq!(report.steps, 150);
    let changed: Vec<_> = report.changes.iter().map(|change| (change.step, change.set.as_str())).collect();
    assert_eq!(changed[0], (32, "solver.fluid.viscosity=2"));
    assert_eq!(changed.len(), 5, "{changed:?}");
    assert!(out.join("particles/step_000120.ply").is_file(), "{:?}", report.files);
    assert!(report.ledger.imbalance_rel < 1.0e-9 && report.ledger.water.imbalance_rel < 1.0e-9);

    // The scene in the folder is the one that runs now; from there a stopped run goes on in the same bits.
    let cut = folder.path().join("cut");
    let mut watcher = told(&[&commands[..], &[(6, "stop")]].concat());
    assert!(matches!(
        run(&project, &options(&cut, Earlier::Refuse), &mut watcher),
        Ok(Outcome::Stopped { .. })
    ));
    let error = run(&project, &options(&cut, Earlier::Resume), &mut Told::default()).unwrap_err().to_string();
    assert!(error.contains("solver.fluid") || error.contains("emitter[0]"), "{error}");
    let own = Project::open(cut.to_str().unwrap(), &[]).unwrap();
    let resumed = finished(&own, &cut, Earlier::Resume, &mut Told::default());
    assert!(result(&cut) == result(&out), "it ends in other bits");
    assert_eq!((&resumed.changes, resumed.ledger), (&report.changes, report.ledger));
}

#[test]
fn a_pause_waits_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE);
    let [whole, out] = ["whole", "out"].map(|name| folder.path().join(name));
    finished(&project, &whole, Earlier::Refuse, &mut Told::default());
    let begin = std::time::Instant::now();
    let mut watcher = told(&[(2, "pause"), (12, "resume")]);
    finished(&project, &out, Earlier::Refuse, &mut watcher);
    assert!(begin.elapsed().as_millis() >= 180, "it did not wait");
    assert!(result(&whole) == result(&out), "it ends in other bits");
    // What waits can be stopped.
    let mut watcher = told(&[(2, "pause"), (4, "stop")]);
    let stopped =
        run(&project, &options(&folder.path().join("third"), Earlier::Refuse), &mut watcher).unwrap();
    assert!(matches!(stopped, Outcome::Stopped { step: 16, .. }), "{stopped:?}");
}

#[test]
fn a_reset_begins_anew_with_the_settings_of_now() {
    let folder = tempfile::tempdir().unwrap();
    let text = SCENE.replace("particles_every = 50", "particles_every = 50\ncheckpoint_every = 20");
    let [whole, out] = ["whole", "out"].map(|name| folder.path().join(name));
    let thick =
        project(folder.path(), &text.replace("spacing = \"5 cm\"", "spacing = \"5 cm\"\nviscosity = 2"));
    finished(&thick, &whole, Earlier::Refuse, &mut Told::default());
    let mut watcher = told(&[(4, "set solver.fluid.viscosity=2"), (7, "reset")]);
    let report = finished(&project(folder.path(), &text), &out, Earlier::Refuse, &mut watcher);
    assert!(result(&whole) == result(&out), "it ends in other bits");
    assert!(report.changes.is_empty(), "{:?}", report.changes);
    let own = Project::open(out.to_str().unwrap(), &[]).unwrap();
    assert_eq!(own.scene, thick.scene);
    let newest = newest(&out.join("checkpoints"), MEMORY).unwrap().found.unwrap();
    assert_eq!(newest.step, 150, "no checkpoint is left of what was before");
}

/// Pipes change in the same way.
#[test]
fn parameters_of_pipes_change_too() {
    struct Plain(Told);
    impl Watcher for Plain {
        fn progress(&mut self, progress: &Progress) {
            assert_eq!(progress.items, "cells");
        }
        fn notice(&mut self, text: &str) {
            self.0.notice(text);
        }
        fn cancelled(&self) -> bool {
            self.0.cancelled()
        }
        fn commands(&mut self) -> Vec<Command> {
            self.0.commands()
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let text = "version = 1\n[terrain]\nsize = [32, 32]\n[[rain]]\nrate = '80 mm/h'\n[time]\nsteps = 60\n\
                [output]\npictures = false\nmaps = false";
    let project = project(folder.path(), text);
    let [out, cut] = ["out", "cut"].map(|name| folder.path().join(name));
    let commands =
        [(3, "set solver.capacity=0.5"), (3, "set edges.north=open"), (3, "set solver.neighbours=4")];
    let mut watcher = Plain(told(&commands));
    let Outcome::Finished(report) = run(&project, &options(&out, Earlier::Refuse), &mut watcher).unwrap()
    else {
        panic!()
    };
    assert_eq!(report.changes.len(), 1, "{:?}", watcher.0.notices);
    let refused = "set edges.north=open: edges.north cannot change while the scene runs";
    assert!(watcher.0.notices.iter().any(|notice| notice.starts_with(refused)), "{:?}", watcher.0.notices);
    let mut watcher = Plain(told(&[commands[0], (5, "stop")]));
    assert!(matches!(
        run(&project, &options(&cut, Earlier::Refuse), &mut watcher),
        Ok(Outcome::Stopped { .. })
    ));
    let own = Project::open(cut.to_str().unwrap(), &[]).unwrap();
    let Outcome::Finished(resumed) =
        run(&own, &options(&cut, Earlier::Resume), &mut Plain(Told::default())).unwrap()
    else {
        panic!()
    };
    assert_eq!(resumed.ledger, report.ledger);
}

/// Edits and what is undone of them go on in the same bits after a stop, step by step or not.
#[test]
fn a_run_that_is_painted_stepped_and_undone_goes_on_in_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE);
    let [out, cut] = ["out", "cut"].map(|name| folder.path().join(name));
    let commands = [
        (2, "paint { tool = 'raise', along = [[0.4, 0.4]], radius = 0.3, strength = 0.1 }"),
        (3, "add sink { from = [0, 0, 0], to = [0.1, 0.1, 0.5] }"),
        (4, "undo"),
        (4, "undo"),
        (5, "redo"),
        (5, "redo"),
        (5, "redo"),
        (5, "undo"),
        (5, "paint {tool='raise',along=[],radius=3}"),
    ];
    let mut watcher = told(&commands);
    let report = finished(&project, &out, Earlier::Refuse, &mut watcher);
    assert_eq!(report.changes.len(), 7, "{:?}", watcher.notices);
    assert!(
        watcher.notices.iter().any(|notice| notice == "redo: there is nothing to redo"),
        "{:?}",
        watcher.notices
    );
    assert!(watcher.notices.iter().any(|notice| notice.contains("has 0 points")), "{:?}", watcher.notices);
    let mut watcher = told(&[&commands[..6], &[(5, "pause"), (6, "step 3"), (9, "stop")]].concat());
    assert!(matches!(
        run(&project, &options(&cut, Earlier::Refuse), &mut watcher),
        Ok(Outcome::Stopped { .. })
    ));
    let waits = watcher.notices.iter().filter(|notice| notice.starts_with("waiting after step")).count();
    assert_eq!(waits, 2, "{:?}", watcher.notices);
    assert!(report.ledger.imbalance_rel < 1.0e-9 && report.ledger.water.imbalance_rel < 1.0e-9, "{report:?}");
}

#[test]
fn commands_are_read_from_lines() {
    assert_eq!(
        "set a.b=1 2".parse(),
        Ok(Command::Edit(Edit::Set { key: "a.b".into(), value: "1 2".into() }))
    );
    let entry = "{ at = [1, 2], rate = 3 }".to_owned();
    let add = Edit::Add { list: "source".into(), entry: entry.clone(), at: None };
    assert_eq!(format!("add source {entry}").parse(), Ok(Command::Edit(add)));
    let remove = Edit::Remove { list: "source".into(), at: 2 };
    assert_eq!("remove source 2".parse(), Ok(Command::Edit(remove)));
    let stroke =
        Stroke { tool: Tool::Raise, along: vec![[1.0, 2.0]], radius: 3.0, strength: 4.0, level: None };
    let paint = "paint { tool = 'raise', along = [[1, 2]], radius = 3, strength = 4 }";
    assert_eq!(paint.parse(), Ok(Command::Edit(Edit::Paint(stroke))));
    assert!("paint { tool = 'rise' }".parse::<Command>().unwrap_err().contains("unknown variant `rise`"));
    assert_eq!(("step".parse(), "step 7".parse()), (Ok(Command::Step(1)), Ok(Command::Step(7))));
    assert_eq!(("undo".parse(), "redo".parse()), (Ok(Command::Undo), Ok(Command::Redo)));
    assert_eq!("  pause ".parse(), Ok(Command::Pause));
    let wrong = "faster".parse::<Command>().unwrap_err();
    assert!(wrong.starts_with("\"faster\" is no command; there are: set KEY=VALUE, add LIST"), "{wrong}");
    for wrong in ["set", "pause 3", "step x", "remove source", "undo 2"] {
        assert!(wrong.parse::<Command>().is_err(), "{wrong}");
    }
}

#[test]
fn a_torrent_that_needs_too_much_memory_is_refused_before_it_takes_any() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE.replace("max_particles = 5000", "max_particles = 90000000"));
    let error = Session::new(&project, MEMORY).unwrap_err().to_string();
    assert!(error.contains("scene.toml:15:17: particles 0.05 m apart"), "{error}");
    assert!(
        error.contains("smaller solver.fluid.max_particles") && error.contains("--max-memory"),
        "{error}"
    );
}

#[test]
fn water_and_emitters_that_do_not_fit_the_terrain_are_told_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let told = |from: &str, to: &str| {
        let project = project(folder.path(), &SCENE.replace(from, to));
        Session::new(&project, MEMORY).unwrap_err().to_string()
    };
    let outside = told("at = [0.4, 0.8, 0.6]", "at = [40, 0.8, 0.6]");
    assert!(outside.contains("emitter[0] is 40 m east"), "{outside}");
    let coarse = told("spacing = \"5 cm\"", "spacing = \"30 cm\"");
    assert!(coarse.contains("scene.toml:14:11: solver.fluid.spacing is 0.3;"), "{coarse}");
    let thick = told("sediment = \"5 %\"", "sediment = 0.95");
    assert!(thick.contains("water[0].sediment is 0.95;"), "{thick}");
    let still = told("velocity = [1, 0, -0.5]", "velocity = [0, 0, 0]");
    assert!(still.contains("emitter[0].velocity"), "{still}");
}

/// The file opens where the scene does.
#[test]
fn a_wrong_scene_of_particles_is_no_project() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.toml");
    std::fs::write(&file, SCENE.replace("\"sph\"", "\"pipes\"")).unwrap();
    let error = Project::open(file.to_str().unwrap(), &[]).unwrap_err();
    assert!(matches!(error, ProjectError::Wrong(_)), "{error}");
}

/// A tank without a way out fills until there are as many particles as there may be.
#[test]
fn a_source_without_room_is_told_once_and_stands_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let text = SCENE.replace("max_particles = 5000", "max_particles = 1270");
    let project = project(folder.path(), &text);
    let mut watcher = Told::default();
    let report = finished(&project, &out, Earlier::Refuse, &mut watcher);
    let told: Vec<_> = watcher.notices.iter().filter(|text| text.contains("held back")).collect();
    assert_eq!(told.len(), 1, "{:?}", watcher.notices);
    assert!(told[0].starts_with("solver.fluid.max_particles is 1270"), "{told:?}");
    let counts = report.particles.unwrap();
    assert!(counts.held_back > 0 && counts.end <= 1270, "{counts:?}");
    assert_eq!(report.warnings.len(), 1);
    let written = std::fs::read_to_string(out.join("report.json")).unwrap();
    assert!(written.contains("\"held_back\"") && written.contains("there is no room for more"), "{written}");
}

/// Tables of probes go on where a run does, and are the same as those of one that never stopped.
#[test]
fn probes_write_tables_that_go_on_with_their_run() {
    const PROBES: &str = r#"
[[probe]]
name = "gauge"
kind = "pressure"
at = [0.5, 0.7, 0.35]
every = "5 ms"
[[probe]]
name = "level"
kind = "surface"
at = [0.5, 0.7, 0]
[[probe]]
name = "outflow"
kind = "discharge"
from = [1.5, 0]
to = [1.5, 1.6]
[[probe]]
name = "load"
kind = "force"
from = [0.3, 0.4]
to = [0.8, 1.1]
"#;
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    let project = project(folder.path(), &format!("{}{PROBES}", *SCENE));
    let report = finished(&project, &whole, Earlier::Refuse, &mut Told::default());
    let stopped =
        run(&project, &options(&parts, Earlier::Refuse), &mut Told { stop_after: Some(4), ..told(&[]) });
    assert!(matches!(stopped, Ok(Outcome::Stopped { .. })), "{stopped:?}");
    finished(&project, &parts, Earlier::Resume, &mut Told::default());
    for (name, columns) in [("gauge", 2), ("level", 2), ("outflow", 2), ("load", 4)] {
        let file = format!("probes/{name}.csv");
        assert!(report.files.contains(&file), "{file} is not in {:?}", report.files);
        let [table, again] = [&whole, &parts].map(|out| std::fs::read_to_string(out.join(&file)).unwrap());
        assert_eq!(table, again, "{file}");
        let lines: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert!(lines.len() > 10 && lines.iter().all(|line| line.len() == columns), "{table}");
    }
    let ply = std::fs::read(whole.join("particles/step_000150.ply")).unwrap();
    assert!(String::from_utf8_lossy(&ply).contains("\ncomment time 0."), "no time in a file of particles");
}
