//! A run goes on in the same bits however it is cut, saved and spread over threads.

use std::path::Path;
use std::sync::LazyLock;
use thalweg::Session;
use thalweg::io::checkpoint::{Checkpoint, newest};
use thalweg::project::Project;
use thalweg::run::{Earlier, Outcome, Progress, RunError, RunOptions, Silent, Watcher, restore, run, save};
use thalweg_test_support::on_threads;
use thalweg_test_support::runs::{self, HILLS, MEMORY, bits, drive, earlier, options, project};

/// Everything that moves, on two coarse passes and the terrain itself. None of the numbers are round.
static SCENE: LazyLock<String> = LazyLock::new(|| format!("{HILLS}{MORE}"));

const MORE: &str = r#"
[[terrain.hardness.layer]]
kind = "fbm"
wavelength = "60 m"
height = 1
[edges]
south = "open"
west = { level = "-20 m" }
[[rain]]
drops = { per_second = 2, depth = "2 cm", radius = "9 m" }
stop = "30 s"
[[source]]
at = [200, 290]
rate = "0.5 m3/s"
radius = "12 m"
[[drain]]
at = [40, 40]
rate = "0.1 m3/s"
[time]
steps = 90
[[time.coarse]]
factor = 4
steps = 75
[[time.coarse]]
factor = 2
steps = 70
[picture]
size = [64, 36]
[output]
maps = false
pictures = false
"#;

#[test]
fn a_run_resumed_at_random_steps_ends_in_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE);
    let mut whole = Session::new(&project, MEMORY).unwrap();
    drive(&mut whole, u64::MAX);
    let planned = whole.clock().planned;
    assert_eq!((whole.steps_taken(), planned), (235, 235));
    let ledger = whole.ledger();
    assert!(ledger.water.imbalance() < 1.0e-5, "water is out of balance by {:e}", ledger.water.imbalance());
    assert!(
        ledger.solids.imbalance() < 1.0e-4,
        "ground is out of balance by {:e}",
        ledger.solids.imbalance()
    );
    let expected = bits(&mut whole);

    let key = thalweg::field::random::Key::new(20);
    let random = (0..20).map(|i| 1 + key.with(i).bits() % (planned - 1));
    // The ends of passes and the steps around them are the hard ones.
    for (i, step) in random.chain([0, 74, 75, 76, 144, 145, 146, planned]).enumerate() {
        let checkpoints = folder.path().join(format!("checkpoints{i}"));
        std::fs::create_dir(&checkpoints).unwrap();
        let saved = on_threads(1 + i % 3, || {
            let mut first = Session::new(&project, MEMORY).unwrap();
            drive(&mut first, step);
            assert_eq!(first.steps_taken(), step);
            save(&first, &checkpoints, "a").unwrap()
        });
        let found = newest(&checkpoints, MEMORY).unwrap().found.unwrap();
        assert_eq!((found.step, &found.path), (step, &saved));
        let end = on_threads(1 + (i + 1) % 4, || {
            let mut second = Session::new(&project, MEMORY).unwrap();
            restore(&mut second, &found.checkpoint).unwrap();
            assert_eq!(second.steps_taken(), step);
            drive(&mut second, u64::MAX);
            bits(&mut second)
        });
        assert!(end == expected, "resumed at step {step}, the run ends in other bits");
    }
}

#[test]
fn the_scene_that_a_run_writes_makes_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE);
    let out = folder.path().join("out");
    let first = finished(&project, &out);
    let again = Project::open(out.to_str().unwrap(), &[]).unwrap();
    assert_eq!(again.scene, project.scene);
    let second = finished(&again, &folder.path().join("again"));
    assert_eq!(first.ledger, second.ledger);
    let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).unwrap();
    for name in ["height.exr", "height.png", "scene.toml"] {
        assert!(read(&out, name) == read(&folder.path().join("again"), name), "{name} differs");
    }
}

struct Patient {
    /// Looks after which it is told to stop.
    patience: std::cell::Cell<u64>,
    notices: Vec<String>,
}

impl Patient {
    fn new(patience: u64) -> Self {
        Self { patience: patience.into(), notices: Vec::new() }
    }
}

impl Watcher for Patient {
    fn progress(&mut self, _: &Progress) {}

    fn notice(&mut self, text: &str) {
        self.notices.push(text.into());
    }

    fn cancelled(&self) -> bool {
        self.patience.set(self.patience.get().saturating_sub(1));
        self.patience.get() == 0
    }
}

fn finished(project: &Project, out: &Path) -> Box<thalweg::run::Report> {
    runs::finished(project, out, Earlier::Refuse, &mut Silent)
}

#[test]
fn a_stopped_run_reports_the_same_as_one_that_never_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE.replace("[output]", "[output]\nframes_every = 120"));
    let whole = finished(&project, &folder.path().join("whole"));
    assert_eq!(whole.files.iter().filter(|file| file.starts_with("frames/")).count(), 2);
    let out = folder.path().join("out");
    let mut stops = 0;
    let report = loop {
        match run(&project, &options(&out, earlier(stops > 0)), &mut Patient::new(7)).unwrap() {
            Outcome::Finished(report) => break report,
            Outcome::StoppedBefore => panic!("there is nothing to relax"),
            Outcome::Stopped { checkpoint, step } => {
                assert!(checkpoint.is_file() && step > 0);
                assert!(!out.join("report.json").exists(), "a stopped run has no report");
                stops += 1;
            }
            over => panic!("{over:?}"),
        }
    };
    assert!(stops > 3, "stopped {stops} times");
    assert_eq!((report.dt, report.ledger, report.simulated_s), (whole.dt, whole.ledger, whole.simulated_s));
    assert_eq!((report.steps, &report.files), (whole.steps, &whole.files));
    let count = std::fs::read_dir(out.join("checkpoints")).unwrap().count();
    assert_eq!(count, 2, "two checkpoints are kept");
}

/// The run itself does not depend on whether anybody looks; and a run that was stopped shows the same frames, in the
/// same colours, as one that was not.
#[test]
fn frames_are_the_same_after_a_stop_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let unseen = finished(&project(folder.path(), &SCENE), &folder.path().join("unseen"));
    let text = SCENE.replace("[output]", "overlay = 'change'\n[output]\nframes_every = 50");
    let project = project(folder.path(), &text);
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    let report = finished(&project, &whole);
    assert_eq!(report.ledger, unseen.ledger);
    assert!(report.files.contains(&"frames/colours.json".into()), "{:?}", report.files);
    let mut resume = false;
    while let Outcome::Stopped { .. } =
        run(&project, &options(&out, earlier(resume)), &mut Patient::new(9)).unwrap()
    {
        resume = true;
    }
    assert!(resume, "it was never stopped");
    let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).unwrap();
    for name in report.files.iter().filter(|name| name.starts_with("frames/")) {
        assert!(read(&whole, name) == read(&out, name), "{name} differs");
    }
}

/// A frame shows the step it is named for, whatever else happens.
#[test]
fn frames_and_checkpoints_come_at_their_very_steps() {
    let folder = tempfile::tempdir().unwrap();
    let output = "[output]\nframes_every = 100\ncheckpoint_every = 33";
    let project = project(folder.path(), &SCENE.replace("[output]", output));
    let out = folder.path().join("out");
    let report = finished(&project, &out);
    let frames: Vec<_> = report.files.iter().filter(|file| file.starts_with("frames/")).collect();
    assert_eq!(frames, ["frames/frame_000000.png", "frames/frame_000001.png", "frames/frame_000002.png"]);
    let mut names: Vec<_> = std::fs::read_dir(out.join("checkpoints"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    // The last state is kept beside the one before it.
    assert_eq!(names, ["step_0000000231.twc", "step_0000000235.twc"]);
}

#[test]
fn a_duration_ends_the_run_on_time() {
    let folder = tempfile::tempdir().unwrap();
    let text = SCENE.replace("steps = 90", "steps = 100000\nduration = '70 s'");
    let project = project(folder.path(), &text);
    let mut whole = Session::new(&project, MEMORY).unwrap();
    drive(&mut whole, u64::MAX);
    assert_eq!(whole.pass_time(), 70.0, "seconds after which the run ended");
    assert!(whole.steps_taken() < 100_000);
    // However the steps are cut.
    let mut cut = Session::new(&project, MEMORY).unwrap();
    let mut until = 0;
    while !cut.is_over() {
        until += 3;
        drive(&mut cut, until);
    }
    assert!(bits(&mut cut) == bits(&mut whole), "{} and {} steps", cut.steps_taken(), whole.steps_taken());
}

#[test]
fn no_steps_at_all_are_a_run_too() {
    let folder = tempfile::tempdir().unwrap();
    let text = SCENE
        .replace("steps = 90", "steps = 0")
        .replace("steps = 75", "steps = 0")
        .replace("steps = 70", "steps = 0");
    let report = finished(&project(folder.path(), &text), &folder.path().join("out"));
    assert_eq!((report.steps, report.dt.min, report.dt.max, report.simulated_s), (0, 0.0, 0.0, 0.0));
}

/// Slopes that slip move ground without any water; the books are still numbers.
#[test]
fn a_dry_landslide_has_a_balance() {
    let folder = tempfile::tempdir().unwrap();
    let text = "version = 1\n[terrain]\nsize = [32, 32]\n[[terrain.layer]]\nkind = 'cone'\nheight = '900 m'\nradius = '100 m'\n\
                [time]\nsteps = 40\n[output]\nmaps = false\npictures = false";
    let ledger = finished(&project(folder.path(), text), &folder.path().join("out")).ledger;
    assert!(ledger.imbalance_rel < 1.0e-6, "{:e} of the ground is missing", ledger.imbalance_rel);
}

#[test]
fn checkpoints_of_other_runs_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let project = |text: &str| project(folder.path(), text);
    let checkpoints = folder.path().join("checkpoints");
    std::fs::create_dir(&checkpoints).unwrap();
    let mut state = Session::new(&project(&SCENE), MEMORY).unwrap();
    drive(&mut state, 200);
    let path = save(&state, &checkpoints, "a").unwrap();
    let checkpoint = Checkpoint::read(&path, MEMORY).unwrap();

    let refused = |text: &str, reason: &str| {
        let mut state = Session::new(&project(text), MEMORY).unwrap();
        let message = restore(&mut state, &checkpoint).unwrap_err();
        assert!(message.contains(reason), "{message}");
        assert_eq!(state.steps_taken(), 0, "a refused checkpoint changes nothing");
    };
    refused(&SCENE.replace("seed = 5", "seed = 6"), "another scene");
    refused(&SCENE.replace("80 mm/h", "81 mm/h"), "another scene");
    refused(&SCENE.replace("[44, 37]", "[44, 38]"), "another scene");
    refused(&SCENE.replace("steps = 75", "steps = 80"), "another scene");
    refused(&SCENE.replace("steps = 90", "steps = 10"), "step 200 already");
    // A longer run with other outputs may go on.
    let longer = SCENE.replace("steps = 90", "steps = 900").replace("maps = false", "maps = true");
    restore(&mut Session::new(&project(&longer), MEMORY).unwrap(), &checkpoint).unwrap();

    // Headers and sections that are whole but make no sense.
    let broken = |change: &dyn Fn(&mut Checkpoint), reason: &str| {
        let mut checkpoint = checkpoint.clone();
        change(&mut checkpoint);
        let mut state = Session::new(&project(&SCENE), MEMORY).unwrap();
        let message = restore(&mut state, &checkpoint).unwrap_err();
        assert!(message.contains(reason), "{message}");
    };
    broken(&|c| c.header["pass"] = 9.into(), "more passes");
    broken(&|c| c.header["pass"] = 0.into(), "does not fit");
    broken(&|c| c.header["pass"] = "two".into(), "lacks \"pass\"");
    broken(&|c| c.header["text"] = "nonsense".into(), "no scene");
    broken(&|c| c.header = serde_json::Value::Null, "no scene");
    for i in 0..checkpoint.sections.len() {
        broken(&|c| drop(c.sections.remove(i)), "is missing");
    }
}

/// A file that was exchanged under a run is noticed; one that was only moved is not in the way.
#[test]
fn the_ground_itself_is_compared_not_the_name_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |seed| {
        let ground = thalweg::terrain::Recipe::named("fbm", 320.0).unwrap().build(32, 32, 10.0, seed);
        let path = folder.path().join("a.exr");
        thalweg::io::write_heightfield(&path, &ground, &thalweg::io::WriteOptions::default()).unwrap();
    };
    write(1);
    let text = "version = 1\n[terrain]\nfile = 'a.exr'\n[[rain]]\nrate = 1e-5\n[time]\nsteps = 100\n[output]\npictures = false\nmaps = false";
    let project = project(folder.path(), text);
    let out = folder.path().join("out");
    let stopped = run(&project, &options(&out, Earlier::Refuse), &mut Patient::new(3)).unwrap();
    assert!(matches!(stopped, Outcome::Stopped { step: 24, .. }), "{stopped:?}");
    // The scene beside the output has its own copy of the ground and goes on from there.
    write(2);
    let error = run(&project, &options(&out, Earlier::Resume), &mut Patient::new(u64::MAX)).unwrap_err();
    assert!(
        matches!(&error, RunError::OtherRun { reason, .. } if reason.contains("another terrain")),
        "{error}"
    );
    assert!(error.is_usage());
    let own = Project::open(out.to_str().unwrap(), &[]).unwrap();
    assert_eq!(own.scene.terrain.file.as_deref(), Some("inputs/a.exr"));
    let ended = run(&own, &options(&out, Earlier::Resume), &mut Patient::new(u64::MAX)).unwrap();
    assert!(matches!(&ended, Outcome::Finished(report) if report.files.contains(&"inputs/a.exr".into())));
}

#[test]
fn a_broken_checkpoint_is_passed_over_for_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE.replace("[output]", "[output]\ncheckpoint_every = 40"));
    let whole = finished(&project, &folder.path().join("whole"));
    let out = folder.path().join("out");
    let stopped = run(&project, &options(&out, Earlier::Refuse), &mut Patient::new(16)).unwrap();
    let Outcome::Stopped { checkpoint, .. } = stopped else { panic!("{stopped:?}") };
    let bytes = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &bytes[..bytes.len() / 2]).unwrap();
    let mut watcher = Patient::new(u64::MAX);
    let Outcome::Finished(report) = run(&project, &options(&out, Earlier::Resume), &mut watcher).unwrap()
    else {
        panic!()
    };
    assert_eq!(report.ledger, whole.ledger);
    let told = watcher
        .notices
        .iter()
        .any(|notice| notice.contains("broken checkpoint") && notice.contains("cut off"));
    assert!(told, "{:?}", watcher.notices);

    // With none left there is nothing to resume.
    for entry in std::fs::read_dir(out.join("checkpoints")).unwrap() {
        std::fs::write(entry.unwrap().path(), b"THALWEGC").unwrap();
    }
    let error = run(&project, &options(&out, Earlier::Resume), &mut Patient::new(u64::MAX)).unwrap_err();
    assert!(
        matches!(&error, RunError::NothingToResume { broken, .. } if broken.contains("cut off")),
        "{error}"
    );
}

#[test]
fn a_run_never_writes_over_its_own_scene_or_ground() {
    let folder = tempfile::tempdir().unwrap();
    let scene = project(folder.path(), &SCENE);
    let error =
        run(&scene, &options(folder.path(), Earlier::Refuse), &mut Patient::new(u64::MAX)).unwrap_err();
    assert!(matches!(error, RunError::OverInput { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(folder.path().join("scene.toml")).unwrap(), *SCENE);

    std::fs::remove_file(folder.path().join("scene.toml")).unwrap();
    let ground = thalweg::terrain::Recipe::default().build(8, 8, 10.0, 1);
    let path = folder.path().join("height.exr");
    thalweg::io::write_heightfield(&path, &ground, &thalweg::io::WriteOptions::default()).unwrap();
    let file = folder.path().join("other.toml");
    std::fs::write(&file, "version = 1\n[terrain]\nfile = 'height.exr'").unwrap();
    let other = Project::open(file.to_str().unwrap(), &[]).unwrap();
    let error =
        run(&other, &options(folder.path(), Earlier::Refuse), &mut Patient::new(u64::MAX)).unwrap_err();
    assert!(error.to_string().contains("height.exr") && error.to_string().contains("--out"), "{error}");
}

#[test]
fn every_built_in_scene_can_be_set_up() {
    for scene in thalweg::project::built_in_scenes() {
        let project = Project::open(scene.name, &[]).unwrap();
        assert!(!scene.title().is_empty(), "{} has no title", scene.name);
        let state = Session::new(&project, MEMORY).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        let still = project.scene.solver.first().method().name == "still";
        assert_eq!(state.clock().planned > 0, !still, "{}", scene.name);
        // What it shows can be laid over the ground, by name.
        for field in &state.snapshot().fields {
            let known = thalweg::project::OVERLAYS.contains(&&*field.info.name);
            assert!(known, "{} cannot be named as an overlay", field.info.name);
        }
        // Written out, it is still the same scene.
        let text = toml::to_string_pretty(&project.scene).unwrap();
        assert_eq!(thalweg::project::parse(&text, scene.name, &[]).unwrap(), project.scene);
    }
}

/// Names of the frames that a run lists.
fn frames(report: &thalweg::run::Report) -> Vec<&String> {
    report.files.iter().filter(|file| file.starts_with("frames/frame_")).collect()
}

/// The scene with frames at a pace, drawn by the processor.
fn filmed(folder: &Path, pace: &str) -> Project {
    let text = SCENE.replace("[output]", &format!("renderer = 'cpu'\nfps = 5\n[output]\n{pace}"));
    project(folder, &text)
}

#[test]
fn a_film_has_the_length_that_was_asked_for_and_shows_start_and_end() {
    let folder = tempfile::tempdir().unwrap();
    // Fewer frames than steps, and more.
    for (seconds, count) in [("3 s", 15), ("1 min", 300)] {
        let project = filmed(folder.path(), &format!("video = '{seconds}'"));
        let out = folder.path().join(seconds);
        let report = finished(&project, &out);
        assert_eq!(frames(&report).len(), count, "frames of a film of {seconds} at 5 in each second");
        let read = |number: usize| std::fs::read(out.join(format!("frames/frame_{number:06}.png"))).unwrap();
        assert!(read(0) != read(count - 1), "the end looks like the start");
        assert!(report.files.iter().any(|file| file.starts_with("frames.")), "no video: {:?}", report.files);
        for drawn in ["frames", "video"] {
            assert!(report.timings_s[drawn] > 0.0, "{drawn} is not told apart: {:?}", report.timings_s);
        }
    }
}

/// The steps that the frames in a folder show, in their order.
fn shown(out: &Path) -> Vec<u64> {
    let path = |number: usize| out.join(format!("frames/frame_{number:06}.png"));
    let there = (0..).map(path).take_while(|path| path.is_file());
    let told = there.map(|path| thalweg::io::read_png_description(&path).unwrap());
    told.map(|text| text.strip_prefix("step ").unwrap().parse().unwrap()).collect()
}

/// More frames follow those that are there, and show what comes after them: nobody sees a run go back.
#[test]
fn a_run_that_goes_on_adds_its_frames_whatever_their_pace() {
    let folder = tempfile::tempdir().unwrap();
    let film = "video = '2 s'";
    let cases = [
        (film, film, None),
        ("frames_every = 60", "frames_every = 25", Some(vec![0, 60, 120, 180, 250, 275, 300])),
        ("frames_every = 60", "frames_every = 60", Some(vec![0, 60, 120, 180, 240, 300])),
    ];
    for (i, (before, after, expected)) in cases.into_iter().enumerate() {
        let out = folder.path().join(format!("out{i}"));
        finished(&filmed(folder.path(), before), &out);
        let first = shown(&out);
        let mut longer = filmed(folder.path(), after);
        longer.scene.time.steps += 70;
        let outcome = run(&longer, &options(&out, Earlier::Resume), &mut Patient::new(u64::MAX)).unwrap();
        let Outcome::Finished(report) = outcome else { panic!("{outcome:?}") };
        let all = shown(&out);
        assert!(all.starts_with(&first), "{before}, {after}: {first:?} became {all:?}");
        assert!(all.is_sorted() && all.last() <= Some(&305), "{before}, {after}: {all:?}");
        assert_eq!(frames(&report).len(), all.len(), "{before}, {after}");
        match expected {
            Some(expected) => assert_eq!(all, expected, "{before}, {after}"),
            None => assert!(all.len() > first.len() && all.last() == Some(&305), "{all:?}"),
        }
    }
}

/// Pictures are never worth a run.
#[test]
fn frames_and_pictures_that_cannot_be_written_do_not_end_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    for name in ["frames", "pictures"] {
        std::fs::write(out.join(name), "in the way").unwrap();
    }
    let mut project = filmed(folder.path(), "frames_every = 60");
    project.scene.output.pictures = true;
    let mut watcher = Patient::new(u64::MAX);
    let outcome = run(
        &project,
        &RunOptions { earlier: Earlier::Replace, ..options(&out, Earlier::Refuse) },
        &mut watcher,
    );
    assert!(matches!(outcome, Ok(Outcome::Finished(_))), "{outcome:?}");
    let told = watcher.notices.iter().filter(|notice| notice.contains("pictures are missing")).count();
    assert_eq!(told, 1, "{:?}", watcher.notices);
}

/// Two runs into one folder would mix their files.
#[test]
fn a_folder_that_a_run_writes_into_takes_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &SCENE);
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("unfinished.json"), "{}").unwrap();
    let mark = std::fs::File::open(out.join("unfinished.json")).unwrap();
    mark.lock().unwrap();
    for earlier in [Earlier::Refuse, Earlier::Replace, Earlier::Resume] {
        let refused =
            run(&project, &RunOptions { earlier, ..options(&out, Earlier::Refuse) }, &mut Patient::new(9));
        assert!(matches!(refused, Err(RunError::Busy { .. })), "{earlier:?}: {refused:?}");
    }
    drop(mark);
    let replaced = RunOptions { earlier: Earlier::Replace, ..options(&out, Earlier::Refuse) };
    let outcome = run(&project, &replaced, &mut Patient::new(u64::MAX));
    assert!(matches!(outcome, Ok(Outcome::Finished(_))), "{outcome:?}");
}

/// Asks to stop as soon as a video is being made.
struct NoFilm(bool);

impl Watcher for NoFilm {
    fn progress(&mut self, _: &Progress) {}

    fn notice(&mut self, _: &str) {}

    fn cancelled(&self) -> bool {
        self.0
    }

    fn busy(&mut self, what: &str, done: usize, _: usize) {
        self.0 |= what == "video" && done == 2;
    }
}

#[test]
fn a_run_that_is_stopped_while_its_video_is_made_keeps_its_frames_and_its_state() {
    let folder = tempfile::tempdir().unwrap();
    let project = filmed(folder.path(), "video = '3 s'");
    let out = folder.path().join("out");
    let outcome = run(&project, &options(&out, Earlier::Refuse), &mut NoFilm(false)).unwrap();
    assert!(matches!(outcome, Outcome::Stopped { step: 235, .. }), "{outcome:?}");
    assert!(out.join("frames/frame_000014.png").is_file() && !out.join("report.json").exists());
    let begun =
        std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let videos: Vec<_> = begun.filter(|name| name.starts_with("frames.")).collect();
    assert!(videos.is_empty(), "half a video: {videos:?}");
}

/// Frames at fixed times lie at the first step at or past each of them, which a run that draws every step can tell.
#[test]
fn frames_at_fixed_times_show_the_first_step_at_or_past_them() {
    let folder = tempfile::tempdir().unwrap();
    let [each, timed] = ["frames_every = 1", "frames_every = '2.5 s'"].map(|pace| {
        let project = filmed(folder.path(), pace);
        let out = folder.path().join(pace.replace(' ', ""));
        let report = finished(&project, &out);
        (project, out, frames(&report).len())
    });
    let mut state = Session::new(&each.0, MEMORY).unwrap();
    let mut due = 0_u64;
    loop {
        while state.time() >= 2.5 * due as f64 {
            let read = |out: &Path, number: u64| {
                std::fs::read(out.join(format!("frames/frame_{number:06}.png"))).unwrap()
            };
            let [expected, shown] = [read(&each.1, state.steps_taken()), read(&timed.1, due)];
            assert!(
                expected == shown,
                "frame {due} does not show step {} at {} s",
                state.steps_taken(),
                state.time()
            );
            due += 1;
        }
        if state.is_over() {
            break;
        }
        let next = state.steps_taken() + 1;
        drive(&mut state, next);
    }
    assert!(due > 10, "only {due} frames in {} s", state.time());
    assert_eq!(timed.2, due as usize, "frames that were written");
}

/// At the end of a coarse pass the picture of the ground is that of the next pass's beginning: camera, colours, detail.
#[test]
fn a_film_does_not_jump_where_a_coarse_pass_ends() {
    let folder = tempfile::tempdir().unwrap();
    let project = filmed(folder.path(), "");
    let mut state = Session::new(&project, MEMORY).unwrap();
    let mut steps = Vec::new();
    let mut last = state.scenery();
    for step in 1..=235 {
        drive(&mut state, step);
        let now = state.scenery();
        let [before, after] = [&last, &now].map(|shown| shown.field("height").unwrap());
        assert!(before.same_shape(after), "step {step}: {} by {} cells", after.cols(), after.rows());
        let moved: f32 = before.values().iter().zip(after.values()).map(|(a, b)| (a - b).abs()).sum();
        steps.push(moved / after.len() as f32);
        last = now;
    }
    // Steps 75 and 145 end the coarse passes.
    for end in [75_usize, 145] {
        let around = steps[end - 11..end - 1].iter().copied().fold(0.0, f32::max);
        let here = steps[end - 1];
        assert!(
            here < 3.0 * around + 0.01,
            "step {end} moves the ground seen by {here} m, those before by {around} m"
        );
    }
}
