//! Every command but `run`: what it prints and writes.

use crate::common::{self, Folder};
use thalweg::project::built_in_scenes;

#[test]
fn a_newcomer_is_told_where_to_begin() {
    let folder = Folder::new();
    let ran = folder.ok(&[]);
    for word in ["thalweg demo", "thalweg scenes", "thalweg erode", "--help"] {
        assert!(ran.stdout.contains(word), "{ran:?}");
    }
    let help = folder.ok(&["--help"]).stdout;
    for command in [
        "demo", "run", "scenes", "new", "generate", "info", "convert", "render", "check", "explain",
        "schema", "validate", "bench",
    ] {
        assert!(help.contains(command), "{command} is not in the help:\n{help}");
        folder.ok(&[command, "--help"]);
    }
    folder.fails(&["fly"], 2, &["fly"]);
    folder.fails(&["run"], 2, &["SCENE"]);
    folder.fails(&["run", "demo", "--threads", "0"], 2, &["--threads"]);
    folder.fails(&["run", "demo", "--seed", "18446744073709551615"], 2, &["--seed"]);
    folder.fails(&["run", "demo", "--backend", "abacus"], 2, &["cpu"]);
}

#[test]
fn the_built_in_scenes_are_listed_copied_and_checked() {
    let folder = Folder::new();
    let listed = folder.ok(&["scenes"]).stdout;
    let json = folder.ok(&["scenes", "--json"]).json();
    assert_eq!(listed.lines().count(), built_in_scenes().len());
    for (i, scene) in built_in_scenes().iter().enumerate() {
        assert!(listed.contains(scene.name) && listed.contains(&scene.title()));
        assert_eq!(json["scenes"][i]["name"], scene.name);
        // A copy is as good as the original.
        folder.ok(&["new", scene.name, "--from", scene.name]);
        folder.ok(&["info", scene.name]);
        // Each is set up elsewhere; a check takes some steps, to tell how long a run will be.
        if i % 6 == 0 {
            folder.ok(&["check", &format!("{}/scene.toml", scene.name)]);
        }
    }
    for name in ["tujunga", "pool", "dam-break"] {
        let ran = folder.ok(&["check", name]);
        assert!(ran.stdout.contains(&format!("{name}: fine")), "{ran:?}");
    }
}

/// The program alone, as on a machine where nobody built the studio.
#[test]
fn the_studio_is_started_or_it_is_told_how_to_build_it() {
    let folder = Folder::new();
    let alone = folder.path(&format!("thalweg{}", std::env::consts::EXE_SUFFIX));
    std::fs::copy(env!("CARGO_BIN_EXE_thalweg"), &alone).unwrap();
    let mut command = std::process::Command::new(&alone);
    command.arg("studio");
    let ran = folder.judge(command, "studio");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("cargo build --release -p thalweg-studio"), "{ran:?}");
    assert_eq!(ran.stderr.trim().lines().count(), 1, "{ran:?}");
}

#[test]
fn new_never_overwrites() {
    let folder = Folder::new();
    let ran = folder.ok(&["new", "mine", "--from", "tujunga"]);
    assert!(ran.stdout.contains("thalweg run mine"), "{ran:?}");
    let before = folder.files();
    folder.write("mine/scene.toml", "edited");
    folder.fails(
        &["new", "mine", "--from", "tujunga"],
        2,
        &["scene.toml is already there", "another folder"],
    );
    folder.fails(&["new", "mine", "--from", "demo"], 2, &["scene.toml is already there"]);
    assert_eq!(folder.read("mine/scene.toml"), b"edited");
    assert_eq!(folder.files(), before);
    // One file in the way: none is written.
    folder.write("half/bigtujunga_512.png", "a picture of my own");
    folder.fails(&["new", "half", "--from", "tujunga"], 2, &["bigtujunga_512.png is already there"]);
    assert!(!folder.path("half/scene.toml").exists());
    folder.write("file", "");
    folder.fails(&["new", "file", "--from", "demo"], 2, &["file in the way"]);
    folder.fails(&["new", "file/below", "--from", "demo"], 2, &["file in the way"]);
    folder.fails(&["new", "there", "--from", "montain"], 2, &["did you mean \"mountain\"?"]);
    folder.ok(&["new", "deep/down/there", "--from", "demo"]);
}

#[test]
fn keys_are_explained() {
    let folder = Folder::new();
    let told = folder.ok(&["explain", "solver.capacity"]).stdout;
    for words in ["Sediment capacity", "0 s to 1e6 s", "mei-2007", "0.01 s", "can change while", "pipes"] {
        assert!(told.contains(words), "{words:?} is not in\n{told}");
    }
    assert!(folder.ok(&["explain", "solver.fluid.spacing"]).stdout.contains("needs a start anew"));
    assert!(folder.ok(&["explain", "rain.0.rate"]).stdout.contains("mm/h"));
    assert!(folder.ok(&["explain", "solver.repose"]).stdout.contains("40 deg"));
    let json = folder.ok(&["explain", "rain.rate", "--json"]).json();
    assert_eq!(json["parameters"][0]["forms"][0]["unit"], "m/s", "{json}");
    folder.fails(&["explain", "solver.capcity"], 2, &["did you mean `solver.capacity`?"]);
    let refused = folder.run(&["explain", "solver.capcity", "--json"]);
    assert_eq!((refused.code, &refused.json()["error"]["kind"]), (2, &"usage".into()));
}

/// Editors find the schema beside the scene.
#[test]
fn a_new_scene_names_its_schema() {
    let folder = Folder::new();
    folder.ok(&["new", "mine", "--from", "demo"]);
    let scene = String::from_utf8(folder.read("mine/scene.toml")).unwrap();
    assert!(scene.starts_with("#:schema ./scene.schema.json\n"), "{scene}");
    let printed: serde_json::Value = folder.ok(&["schema"]).json();
    let beside: serde_json::Value = serde_json::from_slice(&folder.read("mine/scene.schema.json")).unwrap();
    assert_eq!(printed, beside);
    assert_eq!(printed["properties"]["seed"]["type"], "integer");
}

/// Ready-made volumes go into every format that a volume goes into, and those that can be read tell the same.
#[test]
fn volumes_are_made_looked_at_and_converted() {
    let folder = Folder::new();
    let made = |name: &str| {
        let args =
            ["generate", "--kind", "volume-overhangs", "--size", "40x24", "--cell", "2", "--seed", "4", "-o"];
        folder.ok(&[&args[..], &[name]].concat()).stdout
    };
    let told = made("a.twv");
    assert!(told.contains("40 by 24 by 15 voxels of 2 m"), "{told}");
    let info = |name: &str| folder.ok(&["info", name, "--json"]).json();
    let first = info("a.twv");
    assert_eq!((&first["kind"], &first["voxel"]), (&"volume".into(), &2.0.into()));
    made("b.nrrd");
    assert_eq!(info("b.nrrd"), first);
    made("c.ply");
    let mesh = info("c.ply");
    assert_eq!(mesh["triangles"], first["triangles"], "{mesh}");
    // The surface alone has the colours of the beds.
    let header = folder.read("c.ply");
    assert!(header.windows(18).any(|text| text == b"property uchar red"));
    made("d.exr");
    assert_eq!(info("d.exr")["statistics"]["cols"], 40);
    for name in ["e.glb", "e.obj"] {
        made(name);
        assert!(!folder.read(name).is_empty());
    }
    folder.ok(&["convert", "a.twv", "f.exr"]);
    assert!(folder.read("f.exr") == folder.read("d.exr"), "the heights are not those of the volume");
    folder.ok(&["render", "a.twv", "--size", "96x64", "-o", "a.png"]);
    folder.fails(
        &["generate", "--kind", "volume-peak", "-o", "x.twv"],
        2,
        &["did you mean \"volume-peaks\"?"],
    );
    let large =
        ["generate", "--kind", "volume-peaks", "--size", "4096", "--max-memory", "100", "-o", "x.twv"];
    folder.fails(&large, 2, &["voxels need about", "smaller --size"]);
    folder.fails(
        &["generate", "--kind", "volume-peaks", "--size", "8", "-o", "x.jpg"],
        2,
        &["x.jpg", ".png"],
    );
}

/// What a run on a volume left is drawn as the volume that it is, not as its uppermost heights.
#[test]
fn a_finished_run_on_a_volume_is_drawn_as_a_volume() {
    let folder = Folder::new();
    let scene = "version = 1\n[terrain]\nsize = [32, 24]\ncell = '50 cm'\n[[terrain.layer]]\nkind = 'plane'\nheight = '6 m'\n\
                 [terrain.volume]\nheight = '9 m'\n[[terrain.volume.tube]]\nfrom = [8, -2, 3]\nto = [8, 20, 3]\nradius = 2\n\
                 [terrain.volume.strata]\n[solver]\nkind = 'still'\n[time]\nsteps = 0\n";
    folder.write("tunnel.toml", scene);
    folder.ok(&["run", "tunnel.toml", "--out", "out"]);
    let look = ["--size", "160x100", "--camera", "0,12"];
    let drawn = |what: &str, to: &str| {
        folder.ok(&[&["render", what, "-o", to], &look[..]].concat());
        folder.read(to)
    };
    let run = drawn("out", "run.png");
    assert!(
        run == drawn("tunnel.toml", "scene.png"),
        "the run and the beginning of its scene differ, and nothing has happened"
    );
    assert!(run != drawn("out/height.exr", "heights.png"), "it is drawn as heights");
    let size = "--max-memory=1";
    folder.fails(&["render", "out", "-o", "x.png", size], 2, &["MiB"]);
}

#[test]
fn terrain_is_made_looked_at_and_converted() {
    let folder = Folder::new();
    let kinds = folder.ok(&["generate", "--list"]).stdout;
    for line in kinds.lines() {
        let kind = line.split(' ').next().unwrap();
        folder.ok(&["generate", "--kind", kind, "--size", "24x16", "-o", "a.exr"]);
    }
    folder.ok(&["generate", "--kind", "fbm", "--size", "40x30", "--cell", "5", "--seed", "4", "-o", "a.exr"]);
    for name in ["b.png", "b.tif", "b.r16", "c.exr"] {
        folder.ok(&["convert", "a.exr", name]);
        let info = folder.ok(&["info", name, "--json"]).json();
        assert_eq!(info["kind"], "terrain");
        assert_eq!(info["frame"]["cell"], 5.0, "{name}: {info}");
        assert_eq!((&info["statistics"]["cols"], &info["statistics"]["rows"]), (&40.into(), &30.into()));
    }
    let text = folder.ok(&["info", "b.tif"]).stdout;
    for word in ["40 x 30 cells, 200 x 150 m", "heights", "slope", "in pits"] {
        assert!(text.contains(word), "{text}");
    }
    folder.ok(&["convert", "a.exr", "d.exr", "--size", "20x15"]);
    assert_eq!(folder.ok(&["info", "d.exr", "--json"]).json()["frame"]["cell"], 10.0);
    assert!(folder.read("c.exr") == folder.read("a.exr"), "converting to the same format changes nothing");
    folder.fails(&["generate", "--kind", "fmb", "-o", "x.png"], 2, &["did you mean \"fbm\"?", "--list"]);
    folder.fails(&["generate", "--size", "0", "-o", "x.png"], 2, &["between 1 and 65536"]);
    folder.fails(&["generate", "--cell", "-3", "--size", "8", "-o", "x.png"], 2, &["--cell"]);
    folder.fails(
        &["generate", "--size", "65536", "--max-memory", "100", "-o", "x.png"],
        2,
        &["MiB", "smaller --size"],
    );
    folder.fails(&["generate", "--size", "8", "-o", "x.jpg"], 1, &["x.jpg", ".png"]);
    folder.fails(&["convert", "a.exr", "x.exr", "--size", "65536", "--max-memory", "100"], 2, &["MiB"]);
    assert!(!folder.path("x.png").exists() && !folder.path("x.exr").exists());
}

#[test]
fn checkpoints_scenes_and_finished_runs_are_described() {
    let folder = Folder::with_scene();
    folder.ok(&["run", "small.toml", "-q", "--out", "o", "--set", "output.checkpoint_every=130"]);
    let checkpoint = "o/checkpoints/step_0000000130.twc";
    let text = folder.ok(&["info", checkpoint]).stdout;
    for word in ["scene small", "130", "48 x 40 cells", "all checksums are right"] {
        assert!(text.contains(word), "{text}");
    }
    let json = folder.ok(&["info", checkpoint, "--json"]).json();
    assert_eq!((&json["kind"], &json["header"]["step"]), (&"checkpoint".into(), &130.into()));
    let text = folder.ok(&["info", "small.toml"]).stdout;
    for word in ["small", "48 x 40 cells of 10 m", "1 rains, 1 sources", "100"] {
        assert!(text.contains(word), "{text}");
    }
    assert_eq!(folder.ok(&["info", "small.toml", "--json"]).json()["scene"]["seed"], 3);
    let text = folder.ok(&["info", "o"]).stdout;
    assert!(text.contains("scene small") && text.contains("o/height.exr"), "{text}");
    assert_eq!(folder.ok(&["info", "o", "--json"]).json()["report"]["steps"], 160);
    folder.write("broken.twc", &folder.read(checkpoint)[..1000]);
    folder.fails(&["info", "broken.twc"], 2, &["broken.twc", "cut off"]);
    folder.write("other.twc", "hello");
    folder.fails(&["info", "other.twc"], 2, &["not a thalweg checkpoint"]);
    folder.fails(&["info", "nothing.png"], 2, &["nothing.png", "no such file"]);
    folder.fails(&["info", "montain"], 2, &["did you mean \"mountain\"?"]);
}

#[test]
fn terrains_scenes_and_finished_runs_are_drawn() {
    let folder = Folder::with_scene();
    folder.ok(&["generate", "--kind", "fbm", "--size", "40x30", "-o", "a.exr"]);
    folder.ok(&["run", "small.toml", "-q", "--out", "o"]);
    // Coarse passes and standing water do not get into each other's way.
    let pool = format!("{}\n[[water]]\ndepth = '3 m'\nto = ['200 m', '200 m']\n", common::SMALL);
    folder.write("pool.toml", pool);
    for what in ["a.exr", "small.toml", "pool.toml", "o"] {
        let size = |name: &str| {
            let png = folder.read(name);
            let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
            assert!(png.starts_with(b"\x89PNG"), "{what}");
            (number(16), number(20))
        };
        folder.ok(&["render", what, "-o", "top.png", "--size", "120x60", "--camera", "top"]);
        let (width, height) = size("top.png");
        assert!(width <= 120 && height == 60, "{what} is {width} by {height} pixels");
        folder.ok(&["render", what, "-o", "side.png", "--size", "90x60", "--camera", "30,40"]);
        assert_eq!(size("side.png"), (90, 60));
    }
    folder.fails(&["render", "a.exr", "-o", "x.gif"], 2, &["x.gif", ".png or .jpg", ".mp4"]);
    folder.fails(&["render", "a.exr", "-o", "x.png", "--camera", "up"], 2, &["YAW,PITCH"]);
    folder.fails(&["render", "a.exr", "-o", "x.png", "--camera", "10,200"], 2, &["pitch"]);
    folder.fails(&["render", "a.exr", "-o", "x.png", "--size", "16384", "--max-memory", "100"], 2, &["MiB"]);
    folder.fails(&["render", "a.exr", "-o", "x.png", "--size", "65536"], 2, &["--size 65536x65536", "16384"]);
    folder.fails(&["render", "a.exr", "-o", "no/x.png", "--size", "20"], 1, &["no", "does not exist"]);
    folder.write("empty/readme", "");
    folder.fails(&["render", "empty", "-o", "x.png"], 2, &["without a scene.toml"]);
    assert!(!folder.path("x.png").exists());
}

/// Whoever reads only the first line has read enough.
#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = Folder::with_scene();
    for line in [
        "\"$THALWEG\" scenes | true",
        "{ \"$THALWEG\" scenes; echo $? >&2; } | head -1 >/dev/null",
        "\"$THALWEG\" info small.toml --json | head -c 1",
        "{ sleep 0.3; \"$THALWEG\" scenes; echo code $? >&2; } | true",
        "{ sleep 0.3; \"$THALWEG\" run small.toml --out o; echo code $? >&2; } | true",
        "{ sleep 0.3; \"$THALWEG\" run small.toml --out o --set solver.dt=99; } 2>&1 | true",
    ] {
        let ran = folder.shell(line);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        assert!(!ran.stderr.contains("code ") || ran.stderr.contains("code 0"), "{line}: {ran:?}");
    }
    if std::path::Path::new("/dev/full").exists() {
        let ran = folder.shell("\"$THALWEG\" scenes >/dev/full");
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stderr.contains("standard output: cannot be written"), "{ran:?}");
    }
}
