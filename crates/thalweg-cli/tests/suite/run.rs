//! `thalweg run`: what it writes, what it prints, and that it can be stopped and resumed.

use crate::common::{self, Folder, same};
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_report_has_the_documented_keys_and_closed_books() {
    let folder = Folder::with_scene();
    let ran = folder.ok(&["run", "small.toml", "--out", "o", "--threads", "2", "--frames", "80", "--json"]);
    let report = ran.json();
    assert_eq!(report, folder.json("o/report.json"), "--json prints the report and nothing else");
    // serde_json keeps keys sorted here.
    assert_eq!(
        keys(&report),
        [
            "backend",
            "dt",
            "files",
            "ledger",
            "out",
            "realism_after",
            "realism_before",
            "scene",
            "seed",
            "simulated_s",
            "steps",
            "thalweg",
            "threads",
            "timings_s",
            "wall_s"
        ]
    );
    assert_eq!(keys(&report["dt"]), ["max", "mean", "min"]);
    let ledger = &report["ledger"];
    assert_eq!(
        keys(ledger),
        ["added", "bed_end", "bed_start", "eroded", "exported", "imbalance_rel", "suspended", "water"]
    );
    let water = &ledger["water"];
    assert_eq!(keys(water), ["added", "end", "evaporated", "exported", "imbalance_rel", "start"]);
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!(number(&water["imbalance_rel"]) < 1.0e-5, "{water}");
    assert!(number(&ledger["imbalance_rel"]) < 1.0e-4, "{ledger}");
    let missing = number(&water["start"]) + number(&water["added"])
        - number(&water["evaporated"])
        - number(&water["exported"])
        - number(&water["end"]);
    assert!(missing.abs() < 1.0e-4 * number(&water["added"]), "{missing} m³ of water are missing: {water}");
    assert_eq!((&report["scene"], &report["seed"]), (&"small".into(), &3.into()));
    assert_eq!(
        (&report["steps"], &report["threads"], &report["backend"]),
        (&160.into(), &2.into(), &"cpu".into())
    );
    let dt = &report["dt"];
    assert!(
        0.0 < number(&dt["min"])
            && number(&dt["min"]) <= number(&dt["mean"])
            && number(&dt["mean"]) <= number(&dt["max"])
    );
    assert!(number(&report["timings_s"]["pipes"]) > 0.0);

    let listed: Vec<_> = report["files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    let there: Vec<_> =
        folder.files().into_iter().filter_map(|name| name.strip_prefix("o/").map(str::to_owned)).collect();
    let there: Vec<_> = there.iter().map(String::as_str).collect();
    assert_eq!(listed, there, "the report lists what was written");
    for name in [
        "height.exr",
        "height.png",
        "maps/water.exr",
        "maps/flow.png",
        "maps/erosion.exr",
        "scene.toml",
        "frames/frame_000002.png",
    ] {
        assert!(listed.contains(&name), "{name} is not in {listed:?}");
    }
}

#[test]
fn quiet_is_silent_and_plain_runs_end_in_a_summary() {
    let folder = Folder::with_scene();
    let ran = folder.ok(&["run", "small.toml", "--quiet"]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert!(folder.path("out/small/height.exr").is_file(), "the default folder is out/SCENE");
    let ran = folder.ok(&["run", "small.toml", "--out", "o", "--set", "time.steps=8"]);
    assert!(ran.stdout.contains("68 steps") && ran.stdout.contains("missing: water"), "{ran:?}");
    assert_eq!(ran.stderr, "");
}

#[test]
fn any_number_of_threads_writes_the_same_files() {
    let folder = Folder::with_scene();
    let mut first = Vec::new();
    for threads in ["1", "2", "3", "8"] {
        folder.ok(&["run", "small.toml", "-q", "--out", threads, "--threads", threads, "--frames", "160"]);
        let results = folder.results(threads);
        assert!(results.len() > 20, "{} files", results.len());
        if first.is_empty() {
            first = results;
        } else {
            same(&first, &results, &format!("on {threads} threads"));
        }
    }
}

#[test]
fn the_scene_beside_the_output_makes_the_same_run() {
    let folder = Folder::with_scene();
    std::fs::create_dir(folder.path("ground")).unwrap();
    folder.ok(&["generate", "--kind", "fbm", "--size", "40x30", "-o", "ground/hills.png"]);
    let text = "version = 1\n[terrain]\nfile = 'ground/hills.png'\n[[rain]]\nrate = '50 mm/h'\nmask = 'ground/hills.png'\n[time]\nsteps = 50\n[output]\npictures = false";
    folder.write("scene.toml", text);
    for scene in ["small.toml", "scene.toml"] {
        folder.ok(&[
            "run",
            scene,
            "-q",
            "--out",
            "a",
            "--set",
            "solver.drag=0.3",
            "--seed",
            "9",
            "--steps",
            "70",
        ]);
        folder.ok(&["run", "a/scene.toml", "-q", "--out", "b"]);
        same(&folder.results("a"), &folder.results("b"), scene);
        // Also back into its own folder, and without the first scene.
        folder.ok(&["run", "a", "-q", "--out", "a", "--force"]);
        same(&folder.results("a"), &folder.results("b"), scene);
        std::fs::remove_dir_all(folder.path("a")).unwrap();
        std::fs::remove_dir_all(folder.path("b")).unwrap();
    }
}

/// A run that takes a second or two, so that there is time to stop it.
#[cfg(unix)]
const LONG: [&str; 8] = [
    "run",
    "small.toml",
    "--steps",
    "15000",
    "--set",
    "output.checkpoint_every=500",
    "--set",
    "output.maps=false",
];

#[cfg(unix)]
fn stop_after_first_checkpoint(folder: &Folder, signal: &str, arguments: &[&str]) -> common::Ran {
    use std::process::{Command, Stdio};
    let mut child = folder
        .command(&[&LONG, arguments].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let checkpoints = folder.path("o/checkpoints");
    let started = std::time::Instant::now();
    while !std::fs::read_dir(&checkpoints).is_ok_and(|mut entries| entries.next().is_some()) {
        assert!(started.elapsed().as_secs() < 60, "no checkpoint after a minute");
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be stopped");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    let output = child.wait_with_output().unwrap();
    common::Ran {
        code: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_the_run_says_how_to_go_on_and_going_on_ends_in_the_same_bits() {
    let folder = Folder::with_scene();
    folder.ok(&[&LONG[..], &["-q", "--out", "whole"]].concat());
    let ran = stop_after_first_checkpoint(&folder, "-INT", &["--out", "o"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!folder.path("o/report.json").exists());
    assert!(ran.stderr.contains("stopped after step") && !ran.stderr.contains("panicked"), "{ran:?}");
    let command = ran.stderr.lines().find_map(|line| line.strip_prefix("go on with: thalweg ")).unwrap();
    assert_eq!(command, "run o --out o --resume");
    let names: Vec<_> = folder.files().into_iter().filter(|name| name.starts_with("o/checkpoints")).collect();
    assert!((1..=2).contains(&names.len()), "{names:?}");
    assert!(folder.files().iter().all(|name| !name.ends_with(".part")));

    let arguments: Vec<_> = command.split(' ').chain(["--threads", "1"]).collect();
    let ran = folder.ok(&arguments);
    assert!(ran.stderr.contains("going on from step"), "{ran:?}");
    same(&folder.results("whole"), &folder.results("o"), "after Ctrl-C");
    assert_eq!(folder.json("whole/report.json")["ledger"], folder.json("o/report.json")["ledger"]);
}

#[cfg(unix)]
#[test]
fn a_stopped_run_answers_with_one_json_object_too() {
    let folder = Folder::with_scene();
    let ran = stop_after_first_checkpoint(&folder, "-TERM", &["--json", "-q", "--out", "o"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let said = ran.json();
    assert!(said["stopped"].as_u64().unwrap() >= 500, "{said}");
    assert_eq!(said["resume"], "thalweg run o --out o --resume");
    assert!(folder.path(said["checkpoint"].as_str().unwrap()).is_file());
    let info = folder.ok(&["info", said["checkpoint"].as_str().unwrap()]);
    assert!(info.stdout.contains("all checksums are right"), "{info:?}");
}

/// A process that is killed outright leaves what it had saved.
#[cfg(unix)]
#[test]
fn a_killed_run_goes_on_from_its_last_checkpoint() {
    use std::process::Stdio;
    let folder = Folder::with_scene();
    let mut child =
        folder.command(&[&LONG[..], &["-q", "--out", "o"]].concat()).stderr(Stdio::null()).spawn().unwrap();
    // Two are kept, and on a busy machine the first ones may be gone before anybody looks.
    let saved = || {
        let names = std::fs::read_dir(folder.path("o/checkpoints")).into_iter().flatten().flatten();
        names.map(|entry| entry.file_name()).any(|name| {
            name.to_str().is_some_and(|name| name.ends_with(".twc") && name >= "step_0000001000.twc")
        })
    };
    while !saved() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be killed");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    folder.ok(&["run", "o", "--out", "o", "--resume", "-q"]);
    folder.ok(&[&LONG[..], &["-q", "--out", "whole"]].concat());
    let whole: Vec<_> = folder.results("whole").into_iter().collect();
    let resumed: Vec<_> =
        folder.results("o").into_iter().filter(|(name, _)| !name.ends_with(".part")).collect();
    same(&whole, &resumed, "after a kill");
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    let folder = Folder::with_scene();
    folder.fails(&["run", "small.toml", "--out", "o", "--resume"], 2, &["o/checkpoints", "without --resume"]);
    assert!(!folder.path("o").exists(), "a refused run leaves nothing");
    folder.ok(&["run", "small.toml", "--out", "o", "-q", "--set", "output.checkpoint_every=50"]);
    folder.fails(
        &["run", "small.toml", "--out", "o", "--resume", "--seed", "8"],
        2,
        &["step_0000000160.twc", "other settings"],
    );
    folder.fails(&["run", "lake-at-rest", "--out", "o", "--resume"], 2, &["another scene"]);
    folder.fails(&["run", "small.toml", "--out", "o", "--resume", "--steps", "80"], 2, &["step 160 already"]);
    assert!(folder.path("o/report.json").is_file(), "a refused run leaves the old report");
    // A longer one goes on, and ends as if it had been asked for at once.
    folder.ok(&["run", "small.toml", "--out", "o", "--resume", "--steps", "200", "-q"]);
    folder.ok(&["run", "small.toml", "--out", "p", "--set", "time.steps=140", "-q"]);
    assert!(folder.read("o/height.exr") == folder.read("p/height.exr"));
}

#[test]
fn a_duration_ends_a_run() {
    let folder = Folder::with_scene();
    let report = folder
        .ok(&[
            "run",
            "small.toml",
            "--json",
            "--set",
            "time.duration=30 s",
            "--set",
            "time.steps=9999",
            "--set",
            "time.coarse=[]",
        ])
        .json();
    assert_eq!(report["simulated_s"], 30.0);
}

#[test]
fn a_time_step_that_is_too_long_fails_the_run_with_a_better_one() {
    let folder = Folder::with_scene();
    let ran = folder.fails(
        &["run", "small.toml", "--out", "o", "--set", "solver.dt=60 s"],
        1,
        &["dt = 60 s is not stable", "use dt ="],
    );
    assert!(!ran.stderr.contains("last good state"), "there is none: {ran:?}");
    assert!(!folder.path("o/report.json").exists());
    // What was saved before stays, and goes on with a shorter step.
    folder.ok(&["run", "small.toml", "--out", "o", "-q"]);
    let wild = ["run", "small.toml", "--out", "o", "--resume", "--steps", "200", "--set", "solver.dt=60 s"];
    folder.fails(&wild, 1, &["not stable", "the last good state is in o/checkpoints/step_0000000160.twc"]);
    assert!(folder.path("o/checkpoints/step_0000000160.twc").is_file());
    let tamer =
        ["run", "small.toml", "--out", "o", "--resume", "--steps", "200", "--set", "solver.dt=0.1 s", "-q"];
    folder.ok(&tamer);
}

/// Two hundred particles or so fall onto a slope.
const TORRENT: &str = r#"version = 1

[terrain]
size = [16, 12]
cell = "10 cm"

[[terrain.layer]]
kind = "ramp"
grade = 0.1

[solver]
kind = "sph"

[[water]]
depth = "20 cm"
from = [0.5, 0.5]
to = [0.8, 0.8]

[time]
steps = 40

[picture]
size = [160, 90]

[output]
particles = "ply"
surface = "obj"
"#;

#[test]
fn a_torrent_runs_is_drawn_and_is_told_of() {
    let folder = Folder::new();
    folder.write("torrent.toml", TORRENT);
    let check = folder.ok(&["check", "torrent.toml"]);
    assert!(check.stdout.contains("fine; 16 x 12 cells, "), "{check:?}");
    assert!(check.stdout.contains(" particles, 40 steps"), "{check:?}");
    let report = folder.ok(&["run", "torrent.toml", "--out", "o", "--frames", "20", "--json"]).json();
    assert_eq!(report["particles"]["start"], report["particles"]["end"], "{report}");
    for name in [
        "particles/step_000040.ply",
        "mesh/surface_000040.obj",
        "frames/frame_000002.png",
        "pictures/view.png",
    ] {
        assert!(folder.path(&format!("o/{name}")).is_file(), "{name} is missing");
    }
    folder.ok(&["render", "o", "-o", "a.png"]);
    folder.ok(&["render", "torrent.toml", "-o", "b.png", "--particles", "spheres", "--colour", "speed"]);
    let info = folder.ok(&["info", "torrent.toml"]);
    assert!(info.stdout.contains("sph, preset thalweg") && info.stdout.contains("0 emitters"), "{info:?}");
    folder.fails(&["render", "o", "-o", "c.png", "--colour", "spead"], 2, &["columns are: velocity_x"]);
    folder.fails(&["run", "torrent.toml", "--set", "rain.0.rate=1"], 2, &["rain[0]", "[[emitter]]"]);
    let large = ["run", "torrent.toml", "--max-memory", "1", "--set", "solver.fluid.spacing=1 mm"];
    folder.fails(&large, 2, &["--set solver.fluid.spacing=1 mm: particles 0.001 m apart", "--max-memory"]);
}

#[test]
fn a_run_obeys_the_lines_of_a_file() {
    let folder = Folder::new();
    folder.write("torrent.toml", TORRENT);
    folder.write(
        "orders",
        "# thicker\nset solver.fluid.viscosity=3\n\nfaster\nset solver.fluid.gravity=-1\nstop\n",
    );
    let long = ["run", "torrent.toml", "--out", "o", "--steps", "1000000", "--commands", "orders"];
    let ran = folder.ok(&long);
    for said in [
        "set solver.fluid.viscosity=3",
        "\"faster\" is no command; there are: set KEY=VALUE, add LIST",
        "set solver.fluid.gravity=-1: solver.fluid.gravity is -1",
        "stopped after step",
    ] {
        assert!(ran.stderr.contains(said), "{said:?} is not in {ran:?}");
    }
    let scene = String::from_utf8(folder.read("o/scene.toml")).unwrap();
    assert!(scene.contains("viscosity = 3.0"), "{scene}");
    let first = ["run", "torrent.toml", "--out", "o", "--resume", "--steps", "1000000"];
    folder.fails(&first, 2, &["solver.fluid.viscosity was 3.0, and is 0.001 here"]);
    folder.ok(&["run", "o", "--out", "o", "--resume", "--steps", "100", "-q"]);
    assert_eq!(folder.json("o/report.json")["changes"][0]["set"], "solver.fluid.viscosity=3");
    folder.fails(&["run", "torrent.toml", "--commands", "none"], 2, &["--commands none: cannot be read"]);
}

#[test]
fn a_run_obeys_standard_input() {
    use std::io::Write;
    use std::process::Stdio;
    let folder = Folder::new();
    folder.write("torrent.toml", TORRENT);
    let mut child = folder
        .command(&["run", "torrent.toml", "--out", "o", "--steps", "1000000", "--commands", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"pause\n").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it ended while it should wait");
    input.write_all(b"reset\nstop\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("back at step 0"), "{said}");
    assert!(folder.path("o/checkpoints/step_0000000000.twc").is_file(), "{said}");
}

/// Commands behind `step` wait until its steps are taken, and a file that ends while the run waits ends the waiting.
#[test]
fn a_file_of_commands_acts_at_its_steps() {
    let folder = Folder::new();
    folder.write("torrent.toml", TORRENT);
    folder.write(
        "orders",
        "step 21\nset solver.fluid.viscosity=3\nstep 4\nundo\nstep\nset time.steps=40\nstep 3\n",
    );
    let ran = folder.ok(&["run", "torrent.toml", "--out", "o", "--steps", "1000000", "--commands", "orders"]);
    for said in [
        "after step 21: set solver.fluid.viscosity=3",
        "after step 25: undo solver.fluid.viscosity=3",
        "after step 26: set time.steps=40",
        "there are no more commands that could end the waiting",
        "stopped after step 29",
    ] {
        assert!(ran.stderr.contains(said), "{said:?} is not in {ran:?}");
    }
    // More steps than there are lead to the end, and what is told then is done.
    folder.write("orders", "step 1000\nset time.steps=50\nstep 1000\n");
    let ran = folder.ok(&["run", "o", "--out", "o", "--resume", "--commands", "orders"]);
    assert!(ran.stderr.contains("after step 40: set time.steps=50"), "{ran:?}");
    assert_eq!(folder.json("o/report.json")["steps"], 50);
}

/// The example of the guide: springs, rain and drains come, move, change and go while pipes run.
#[test]
fn springs_and_rain_change_while_a_run_goes_on() {
    let folder = Folder::new();
    let guide = include_str!("../../../../docs/guide/recipes.md");
    let section = guide.split("## Play with the water while it runs").nth(1).expect("the guide has it");
    let block =
        |kind: &str| section.split(&format!("```{kind}\n")).nth(1).unwrap().split("```").next().unwrap();
    folder.write("valley.toml", block("toml"));
    folder.write("orders.txt", block("text"));
    let ran = folder.ok(&[
        "run",
        "valley.toml",
        "--commands",
        "orders.txt",
        "--set",
        "output.pictures=false",
        "--set",
        "output.more_maps=['outflow_east']",
        "--json",
    ]);
    let report = ran.json();
    let changes: Vec<_> =
        report["changes"].as_array().unwrap().iter().map(|change| change["step"].as_u64().unwrap()).collect();
    assert_eq!(changes, [200, 400, 600, 800, 800, 1000, 1000], "{report:#}");
    let water = &report["ledger"]["water"];
    let [added, exported, missing] =
        ["added", "exported", "imbalance_rel"].map(|key| water[key].as_f64().unwrap());
    assert!(added > 0.0 && exported > 0.0 && missing < 1.0e-5, "{water}");
    assert!(folder.path("out/valley/maps/outflow_east.exr").is_file(), "{:?}", folder.files());
    let refused = ["run", "valley.toml", "-o", "x", "--set", "output.more_maps=['outflow_up']"];
    folder.fails(&refused, 2, &["output.more_maps[0] is \"outflow_up\"", "outflow_west", "did you mean"]);
}

/// Each word into a named pipe is a writer of its own, and none of them is the last.
#[cfg(unix)]
#[test]
fn a_run_listens_to_a_named_pipe_again_and_again() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    folder.write("torrent.toml", TORRENT);
    let pipe = folder.path("orders");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = folder
        .command(&["run", "torrent.toml", "--out", "o", "--steps", "1000000", "--commands", "orders"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    for word in ["pause\n", "set solver.fluid.viscosity=3\n", "stop\n"] {
        std::fs::write(&pipe, word).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("set solver.fluid.viscosity=3"), "{said}");
    assert!(said.contains("stopped after step"), "{said}");
}
