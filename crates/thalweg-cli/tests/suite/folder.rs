//! The output folder: nothing in it is overwritten unasked, and a run that has not finished is known as such.

use crate::common::{self, Folder, same};

const SHORT: [&str; 6] = ["run", "small.toml", "--out", "o", "--set", "time.coarse=[]"];

#[test]
fn a_second_run_into_a_folder_is_refused_with_three_ways_on() {
    let folder = Folder::with_scene();
    folder.ok(&[&SHORT[..], &["-q", "--steps", "9"]].concat());
    let before = folder.results("o");
    let words = [
        "o: holds a finished run of \"small\" (9 steps, ",
        "--force",
        "--out",
        "thalweg run o --out o --resume --steps N",
    ];
    folder.fails(&[&SHORT[..], &["--steps", "12"]].concat(), 2, &words);
    folder.fails(&["run", "o", "-o", "o", "--steps", "5"], 2, &words);
    folder.fails(&["demo", "--out", "o"], 2, &words);
    same(&before, &folder.results("o"), "a refused run");
    folder.ok(&[&SHORT[..], &["-q", "--steps", "12", "--force"]].concat());
    assert_eq!(folder.json("o/report.json")["steps"], 12);
    folder.fails(&[&SHORT[..], &["--force", "--resume"]].concat(), 2, &["--force", "--resume"]);
    // A folder that holds files of the same names is asked about, too.
    folder.write("p/maps/flow.png", "mine");
    folder.fails(&["run", "small.toml", "--out", "p"], 2, &["p: holds maps", "--force"]);
    assert_eq!(folder.read("p/maps/flow.png"), b"mine");
    // Somebody's own scene is never replaced.
    folder.write("q/scene.toml", common::SMALL);
    folder.fails(&["run", "small.toml", "--out", "q", "--force"], 2, &["q/scene.toml", "overwritten"]);
}

#[test]
fn force_leaves_nothing_of_the_old_run_among_the_new() {
    let folder = Folder::with_scene();
    let more = ["--set", "output.checkpoint_every=30", "--set", "output.maps=true"];
    folder.ok(&[&["run", "small.toml", "-q", "--out", "o"], &more[..]].concat());
    folder.write("o/maps/mine.txt", "kept");
    let fewer = ["--set", "output.maps=false", "--set", "output.last_state=false", "--steps", "20"];
    folder.ok(&[&["run", "small.toml", "-q", "--out", "o", "--force"], &fewer[..]].concat());
    let left: Vec<_> = folder.files().into_iter().filter(|name| name.starts_with("o/")).collect();
    let expected =
        ["height.exr", "height.png", "height.thalweg.json", "maps/mine.txt", "report.json", "scene.toml"];
    assert_eq!(left, expected.map(|name| format!("o/{name}")), "only the new run and the user's own file");
    // Its own scene and inputs may be read from the folder that is replaced.
    folder.ok(&["generate", "--kind", "fbm", "--size", "40x30", "-o", "hills.png"]);
    folder.write(
        "hills.toml",
        "version = 1\n[terrain]\nfile = 'hills.png'\n[time]\nsteps = 8\n[output]\npictures = false",
    );
    folder.ok(&["run", "hills.toml", "-q", "--out", "h"]);
    folder.ok(&["run", "h", "-q", "--out", "h", "--force"]);
    assert!(folder.path("h/inputs/hills.png").is_file() && folder.path("h/report.json").is_file());
}

#[test]
fn a_finished_run_goes_on_from_its_own_folder() {
    let folder = Folder::with_scene();
    folder.ok(&["run", "small.toml", "-q", "--out", "o"]);
    let ran = folder.ok(&["run", "o", "--out", "o", "--resume"]);
    assert!(ran.stderr.contains("the run is over, after step 160"), "{ran:?}");
    assert!(
        ran.stderr.contains("go on for longer with: thalweg run o --out o --resume --steps N"),
        "{ran:?}"
    );
    let said = folder.ok(&["run", "o", "--out", "o", "--resume", "--json", "-q"]).json();
    assert_eq!(said["already_over"], 160);
    // The passes that are over stay, the last one takes what is left.
    folder.ok(&["run", "small.toml", "-q", "--out", "o", "--resume", "--steps", "210"]);
    folder.ok(&["run", "small.toml", "-q", "--out", "whole", "--set", "time.steps=150"]);
    same(&folder.results("whole"), &folder.results("o"), "going on");
    assert_eq!(folder.json("o/report.json")["steps"], 210);
    folder.ok(&["run", "o", "-q", "--out", "o", "--resume", "--steps", "220"]);
    assert_eq!(folder.json("o/report.json")["steps"], 220);
    folder.fails(
        &["run", "o", "--out", "o", "--resume", "--steps", "40"],
        2,
        &["its coarse passes alone have 60 steps"],
    );
}

#[test]
fn steps_are_those_of_all_passes() {
    let folder = Folder::with_scene();
    let ran = folder.ok(&["run", "small.toml", "--out", "o", "--steps", "40"]);
    assert_eq!(folder.json("o/report.json")["steps"], 40);
    assert!(
        ran.stderr.contains("40 steps in all: 15 on cells 2 times as wide, 25 on the terrain itself"),
        "{ran:?}"
    );
    let scene = String::from_utf8(folder.read("o/scene.toml")).unwrap();
    assert!(scene.contains("steps = 15") && scene.contains("steps = 25"), "{scene}");
}

#[test]
fn the_report_names_its_folder() {
    let folder = Folder::with_scene();
    let report = folder.ok(&[&SHORT[..], &["--steps", "3", "--json"]].concat()).json();
    let out = folder.path("o").canonicalize().unwrap();
    let told = std::path::Path::new(report["out"].as_str().unwrap());
    assert!(told.is_absolute(), "{report}");
    assert_eq!(told.canonicalize().unwrap(), out);
}

/// A process that is killed over an old result leaves a folder that says so.
#[cfg(unix)]
#[test]
fn a_run_killed_over_an_old_result_is_known_as_unfinished() {
    let folder = Folder::with_scene();
    folder.ok(&[&SHORT[..], &["-q", "--steps", "9"]].concat());
    let long = ["--steps", "1000000000", "--force", "-q", "--set", "output.checkpoint_every=200"];
    let mut child = folder.command(&[&SHORT[..], &long[..]].concat()).spawn().unwrap();
    let started = std::time::Instant::now();
    while !folder.path("o/checkpoints/step_0000000400.twc").exists() {
        assert!(started.elapsed().as_secs() < 120, "no checkpoint after two minutes");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let info = folder.run(&["info", "o"]);
    for said in ["unfinished run  scene small", "go on with: thalweg run o --out o --resume"] {
        assert!(info.stdout.contains(said), "{said:?} is not in {info:?}");
    }
    assert_eq!(folder.run(&["info", "o", "--json"]).json()["kind"], "unfinished run");
    let ran = folder.run(&["render", "o", "-o", "p.png"]);
    ran.failed(2, &["the run in it has not finished", "thalweg run o --out o --resume"], "render");
    assert!(!folder.path("p.png").exists() && !folder.path("o/height.exr").exists(), "{:?}", folder.files());
    let ran = folder.run(&[&SHORT[..], &["--steps", "5"]].concat());
    ran.failed(2, &["o: holds a run that has not finished, saved at step", "--resume"], "a third run");
    folder.ok(&["run", "o", "--out", "o", "--resume", "-q", "--steps", "10000"]);
    assert!(folder.ok(&["info", "o"]).stdout.contains("run             scene"));
    assert!(!folder.path("o/unfinished.json").exists());
}

#[test]
fn a_stopped_run_is_unfinished_and_a_failed_one_is_in_nobodys_way() {
    let folder = Folder::with_scene();
    folder.write("orders", "stop\n");
    folder.ok(&["run", "small.toml", "--out", "o", "--commands", "orders", "--set", "time.steps=1000000"]);
    assert!(folder.ok(&["info", "o"]).stdout.contains("unfinished run"));
    // It wrote nothing but its scene: the next one needs no force.
    folder.fails(&["run", "small.toml", "--out", "w", "--set", "solver.dt=60 s"], 1, &["not stable"]);
    assert!(folder.ok(&["info", "w"]).stdout.contains("nothing is saved; start it again"));
    // A scene that was copied from a run is none.
    std::fs::create_dir(folder.path("copy")).unwrap();
    folder.write("copy/scene.toml", folder.read("w/scene.toml"));
    assert!(!folder.ok(&["info", "copy"]).stdout.contains("unfinished"));
    folder.ok(&["run", "small.toml", "--out", "w", "-q"]);
}
