//! How the command line speaks: first words, help, scenes from standard input, errors for programs, harmless text.

use crate::common::{Folder, Ran, SMALL};
use std::io::Write;
use std::process::Stdio;

impl Folder {
    /// Runs the program with a text on standard input.
    fn run_on(&self, text: &str, arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that refuses does not read.
        let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// A heightmap of 16 bits that says all about itself.
    fn with_heightmap(name: &str) -> Self {
        let folder = Self::new();
        folder.ok(&["generate", "--kind", "fbm", "--size", "40x30", "--cell", "10", "-o", name]);
        folder
    }
}

/// Lines of a message that begin with the program's name, as words.
fn commands(message: &str) -> Vec<Vec<String>> {
    let lines = message.lines().filter_map(|line| line.trim().strip_prefix("thalweg "));
    lines.map(|line| line.split(' ').map(|word| word.trim_matches('\'').to_owned()).collect()).collect()
}

fn words(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

/// Whoever names a heightmap where a scene should be is told two commands, and these do it.
#[test]
fn a_heightmap_is_answered_with_the_commands_that_erode_it() {
    for first in ["run", "check"] {
        for name in ["island.png", "island.tif", "island.exr", "island.r16"] {
            let folder = Folder::with_heightmap(name);
            let ran = folder.fails(&[first, name], 2, &["heightmap", name]);
            let told = commands(&ran.stderr);
            assert_eq!(told.len(), 3, "{first} {name}: {ran:?}");
            assert_eq!(words(&told[0]), ["erode", name], "{ran:?}");
            assert_eq!(words(&told[1]), ["new", "island", "--terrain", name], "{ran:?}");
            assert_eq!(words(&told[2]), ["run", "island"], "{ran:?}");
            if first == "run" && name == "island.png" {
                folder.ok(&words(&told[1]));
                folder.ok(&[&words(&told[2])[..], &["-q", "--steps", "8", "--set", "output.pictures=false"]]
                    .concat());
                assert!(folder.path("out/island/height.exr").is_file());
                // The folder is there now: another one is told.
                let ran = folder.fails(&["run", name], 2, &["thalweg new island-2 --terrain island.png"]);
                folder.ok(&words(&commands(&ran.stderr)[1]));
            }
        }
    }
    let folder = Folder::with_heightmap("a.png");
    // By its content, whatever it is called.
    std::fs::rename(folder.path("a.png"), folder.path("heights.dat")).unwrap();
    folder.fails(&["run", "heights.dat"], 2, &["thalweg new heights --terrain heights.dat"]);
    folder.write("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n");
    let ran =
        folder.fails(&["run", "a.ply"], 2, &["particles or of a mesh", "thalweg render a.ply -o a.png"]);
    folder.ok(&words(&commands(&ran.stderr)[0]));
}

#[test]
fn help_is_a_word_too() {
    let folder = Folder::new();
    assert_eq!(folder.ok(&["help", "run"]).stdout, folder.ok(&["run", "--help"]).stdout);
    assert_eq!(folder.ok(&["help"]).stdout, folder.ok(&["--help"]).stdout);
    folder.fails(&["help", "fly"], 2, &["fly"]);
}

/// A folder around somebody's own heightmap runs as it is, and says what was assumed.
#[test]
fn new_makes_a_scene_around_a_heightmap() {
    let folder = Folder::with_heightmap("made.png");
    let ran = folder.ok(&["new", "a", "--terrain", "made.png"]);
    assert!(!ran.stderr.contains("assumed"), "the file says it all: {ran:?}");
    assert!(ran.stdout.contains("thalweg run a") && ran.stdout.contains("a/made.png"), "{ran:?}");
    let scene = String::from_utf8(folder.read("a/scene.toml")).unwrap();
    for line in ["file = \"made.png\"", "cell = \"10 m\"", "north = \"open\"", "[[rain]]", "# "] {
        assert!(scene.contains(line), "{line:?} is not in\n{scene}");
    }
    assert_eq!(folder.read("a/made.png"), folder.read("made.png"));
    assert_eq!(folder.read("a/made.thalweg.json"), folder.read("made.thalweg.json"));
    // Nothing is overwritten, and nothing is left where it is refused.
    let before = folder.files();
    folder.fails(
        &["new", "a", "--terrain", "made.png"],
        2,
        &["scene.toml is already there", "another folder"],
    );
    folder.fails(&["new", "b", "--terrain", "none.png"], 2, &["none.png", "no such file"]);
    folder.fails(&["new", "b", "--from", "demo", "--cell", "3"], 2, &["--metres-per-pixel", "--terrain"]);
    folder.fails(&["new", "b"], 2, &["--from", "--terrain"]);
    folder.write("broken.png", "no picture");
    folder.fails(&["new", "b", "--terrain", "broken.png"], 2, &["broken.png", "broken PNG"]);
    std::fs::remove_file(folder.path("broken.png")).unwrap();
    assert_eq!(folder.files(), before);

    // Numbers that say nothing: 65535 m over 400 m are no mountains.
    std::fs::remove_file(folder.path("made.thalweg.json")).unwrap();
    folder.ok(&["convert", "made.png", "plain.r16", "--size", "32x24"]);
    std::fs::remove_file(folder.path("plain.thalweg.json")).unwrap();
    let ran = folder.ok(&["new", "c", "--terrain", "plain.r16"]);
    for said in [
        "plain.r16 does not say how large a pixel is: 10 m assumed; --metres-per-pixel changes it",
        "0 m assumed for black and 50 m for white; --input-heights changes it",
    ] {
        assert!(ran.stderr.contains(said), "{said:?} is not in {ran:?}");
    }
    let scene = String::from_utf8(folder.read("c/scene.toml")).unwrap();
    assert!(scene.contains("height_range = [\"0 m\", \"50 m\"]"), "{scene}");
    folder.ok(&["run", "c", "-q", "--steps", "8", "--set", "output.pictures=false"]);
    let ran = folder.ok(&["new", "d", "--terrain", "plain.r16", "--cell", "3", "--heights", "-5..90"]);
    assert!(!ran.stderr.contains("assumed"), "{ran:?}");
    let info = folder.ok(&["info", "d", "--json"]).json();
    assert_eq!(info["scene"]["terrain"]["cell"], 3.0);
    assert_eq!(info["scene"]["terrain"]["height_range"], serde_json::json!([-5.0, 90.0]));
    // What a scene cannot say about raw numbers, a file of our own does.
    let raw = ["new", "e", "--terrain", "plain.r16", "--raw-size", "48x16", "--height-range", "0,100"];
    folder.ok(&raw);
    assert_eq!(folder.ok(&["info", "e/plain.exr", "--json"]).json()["statistics"]["cols"], 48);
    folder.ok(&["check", "e"]);
    // In the file's own folder it stays where it is.
    folder.write("f/h.png", folder.read("made.png"));
    folder.ok(&["new", "f", "--terrain", "f/h.png"]);
    folder.ok(&["check", "f"]);
}

/// The settings of a built-in scene on another ground.
#[test]
fn new_puts_a_built_in_scene_on_a_heightmap() {
    let folder = Folder::with_heightmap("h.exr");
    folder.ok(&["new", "a", "--terrain", "h.exr", "--from", "tujunga"]);
    assert_eq!(folder.ok(&["info", "a", "--json"]).json()["scene"]["terrain"]["file"], "h.exr");
    assert!(!folder.path("a/bigtujunga_512.png").exists());
    folder.ok(&["new", "b", "--terrain", "h.exr", "--from", "demo", "--metres-per-pixel", "20"]);
    let scene = folder.ok(&["info", "b", "--json"]).json()["scene"].clone();
    assert_eq!((&scene["terrain"]["cell"], &scene["solver"]["time_lapse"]), (&20.0.into(), &150.0.into()));
    assert!(scene["terrain"]["layer"].is_null(), "{scene}");
    // Its spring is elsewhere.
    folder.fails(&["new", "c", "--terrain", "h.exr", "--from", "mountain"], 2, &["source[0].at", "outside"]);
    assert!(!folder.path("c").exists());
}

#[test]
fn a_scene_comes_from_standard_input() {
    let folder = Folder::with_heightmap("hills.exr");
    let scene = "version = 1\n[terrain]\nfile = 'hills.exr'\n[[rain]]\nrate = '50 mm/h'\n[time]\nsteps = 20\n[output]\npictures = false\n";
    let ran = folder.run_on(scene, &["run", "-", "-q", "--seed", "5"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    assert_eq!(folder.json("out/stdin/report.json")["steps"], 20);
    assert_eq!(folder.json("out/stdin/report.json")["seed"], 5);
    let ran = folder.run_on(scene, &["check", "-"]);
    assert!(ran.code == 0 && ran.stdout.contains("fine; 40 x 30 cells"), "{ran:?}");
    let ran = folder.run_on(scene, &["info", "-", "--json"]);
    assert_eq!(ran.json()["scene"]["terrain"]["file"], "hills.exr");
    let ran = folder.run_on(scene, &["render", "-", "-o", "a.png", "--size", "60x40", "--renderer", "cpu"]);
    assert!(ran.code == 0 && folder.path("a.png").is_file(), "{ran:?}");
    let ran = folder.run_on("version = 1\nsead = 3", &["run", "-"]);
    ran.failed(2, &["stdin:2:1: unknown field `sead`", "did you mean `seed`?"], "a misspelt key");
    let ran = folder.run_on(scene, &["run", "-", "--commands", "-"]);
    ran.failed(2, &["--commands", "cannot both come from standard input"], "two from one input");
}

#[test]
fn shells_complete_and_the_manual_is_written() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.ok(&["completions", shell]).stdout;
        // Not all shells are told the values of an option.
        let scene = if matches!(shell, "powershell" | "elvish") { "scenes" } else { "mountain-rain" };
        for word in ["thalweg", "generate", "metres-per-pixel", scene] {
            assert!(script.contains(word), "{word} is not in the completions of {shell}");
        }
    }
    folder.fails(&["completions", "cmd"], 2, &["bash", "fish"]);
    let page = folder.ok(&["man"]).stdout;
    assert!(page.contains(".TH thalweg 1") && page.contains("Water on terrain"), "{page}");
    folder.ok(&["man", "-o", "share/man1"]);
    let run = String::from_utf8(folder.read("share/man1/thalweg-run.1")).unwrap();
    assert!(run.contains("\\-\\-resume"), "{run}");
    assert!(
        folder.path("share/man1/thalweg.1").is_file() && folder.path("share/man1/thalweg-erode.1").is_file()
    );
}

/// A program that asked for JSON gets it, whatever goes wrong.
#[test]
fn errors_are_json_where_json_was_asked_for() {
    let folder = Folder::with_scene();
    folder.write("wrong.toml", "version = 1\nsead = 3\n[[rain]]\nrate = '-3 mm/h'\n");
    folder.write("far.toml", SMALL.replace("[\"200 m\", \"300 m\"]", "[\"200 km\", 3]"));
    folder.write("broken.twc", "hello");
    for (arguments, code, kind, said) in [
        (&["run", "montain", "--json"][..], 2, "usage", "did you mean"),
        (&["run", "wrong.toml", "--json"], 2, "usage", "sead"),
        (&["check", "far.toml", "--json"], 2, "usage", "outside"),
        (&["info", "broken.twc", "--json"], 2, "usage", "not a thalweg checkpoint"),
        (&["validate", "nothing", "--json"], 2, "usage", "nothing"),
        (&["run", "--json"], 2, "usage", "SCENE"),
        (&["run", "small.toml", "--threads", "0", "--json"], 2, "usage", "--threads"),
        (&["fly", "--json"], 2, "usage", "fly"),
        (&["run", "small.toml", "--json", "-q", "--set", "solver.dt=60 s"], 1, "run", "not stable"),
    ] {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        assert_eq!(ran.stdout.lines().count(), 1, "{arguments:?}: {ran:?}");
        let error = &ran.json()["error"];
        assert_eq!(error["kind"], kind, "{arguments:?}: {ran:?}");
        assert!(error["message"].as_str().unwrap().contains(said), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(said), "people are told as ever: {ran:?}");
    }
    let mistakes = folder.run(&["check", "wrong.toml", "--json"]).json()["error"]["mistakes"].clone();
    assert_eq!(mistakes[0]["place"], "wrong.toml:2:1", "{mistakes}");
    assert!(mistakes[0]["message"].as_str().unwrap().starts_with("unknown field `sead`"), "{mistakes}");
    let mistakes = folder.run(&["check", "far.toml", "--json"]).json()["error"]["mistakes"].clone();
    assert_eq!(mistakes[0]["place"], "far.toml:18:6", "{mistakes}");
}

/// What running takes is told before: the right order of magnitude is enough.
#[test]
fn check_estimates_what_a_run_takes() {
    let folder = Folder::with_scene();
    let told = folder.ok(&["check", "small.toml"]).stdout;
    for word in [
        "small.toml: fine; 48 x 40 cells, 160 steps",
        "memory          about",
        "time            about",
        "threads",
    ] {
        assert!(told.contains(word), "{word:?} is not in {told}");
    }
    let estimate = folder.ok(&["check", "small.toml", "--json"]).json()["estimate"].clone();
    let again = folder.ok(&["check", "small.toml", "--json"]).json()["estimate"].clone();
    assert_eq!(estimate["simulated_s"], again["simulated_s"], "one scene, two simulated times");
    let report = folder.ok(&["run", "small.toml", "--json"]).json();
    assert_eq!(estimate["steps"], report["steps"]);
    let ratio = |key: &str| estimate[key].as_f64().unwrap() / report[key].as_f64().unwrap();
    assert!(
        (0.3..3.0).contains(&ratio("simulated_s")),
        "{estimate} for a run of {} s",
        report["simulated_s"]
    );
    let files = folder.files().into_iter().filter(|name| name.starts_with("out/small/"));
    let written: usize = files.map(|name| folder.read(&name).len()).sum();
    let ratio = estimate["disk_bytes"].as_f64().unwrap() / written as f64;
    assert!((0.2..5.0).contains(&ratio), "{} bytes expected, {written} written", estimate["disk_bytes"]);
    // Nor does it choke on what nobody can wait for, or on nothing at all.
    let endless = ["time.steps=1000000000000", "output.frames_every=1", "picture.size=[16384, 16384]"];
    let mut arguments = vec!["check", "small.toml", "--max-memory", "100000"];
    arguments.extend(endless.iter().flat_map(|change| ["--set", change]));
    assert!(folder.ok(&arguments).stdout.contains("days"));
    folder.ok(&["check", "small.toml", "--set", "time.steps=0", "--set", "time.coarse=[]"]);
}

/// Water that comes from an emitter is counted before it is there.
#[test]
fn check_counts_particles_to_come() {
    let folder = Folder::new();
    let scene = r#"version = 1
[terrain]
size = [24, 16]
cell = "10 cm"
[[terrain.layer]]
kind = "ramp"
grade = 0.0
[solver]
kind = "sph"
[solver.fluid]
spacing = "5 cm"
dt = "2 ms"
[[emitter]]
shape = "disc"
at = [1.2, 0.8, 0.5]
radius = "20 cm"
velocity = [1, 0, 0]
rate = "50 l/s"
lifetime = "0.1 s"
[time]
steps = 200
[picture]
size = [160, 90]
"#;
    folder.write("jet.toml", scene);
    let estimate = folder.ok(&["check", "jet.toml", "--json"]).json()["estimate"].clone();
    // 0.05 m³/s in pieces of (5 cm)³, for a tenth of a second.
    let expected = 0.05 / 0.05_f64.powi(3) * 0.1;
    let most = estimate["particles"]["most"].as_f64().unwrap();
    assert!((most / expected - 1.0).abs() < 0.2, "{most} particles instead of {expected}: {estimate}");
    assert_eq!(estimate["particles"]["start"], 0, "{estimate}");
    assert!((estimate["simulated_s"].as_f64().unwrap() - 0.4).abs() < 1.0e-6, "{estimate}");
    let report = folder.ok(&["run", "jet.toml", "-q", "--json", "--set", "output.pictures=false"]).json();
    let end = report["particles"]["end"].as_f64().unwrap();
    assert!((0.5..2.0).contains(&(most / end)), "{most} expected, {end} at the end");
    let told = folder.ok(&["check", "jet.toml"]).stdout;
    assert!(told.contains("0 particles, later up to"), "{told}");
}

/// Water that finds its place for very long is reckoned with and not waited for.
#[test]
fn check_reckons_with_relaxing_and_does_not_wait_for_it() {
    let folder = Folder::new();
    let wall = |relax: u64| {
        let relax = format!("solver.fluid.relax={relax}");
        let check = ["check", "dam-break", "--json", "--set", "solver.fluid.spacing=10 cm", "--set", &relax];
        folder.ok(&check).json()["estimate"]["wall_s"].as_f64().unwrap()
    };
    let [short, long] = [0, 10_000_000].map(wall);
    assert!(long > 100.0 * short, "{short} s, and {long} s with ten million damped steps before");
}

/// A link to a heightmap is a heightmap.
#[cfg(unix)]
#[test]
fn a_scene_is_made_around_a_link() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("far")).unwrap();
    folder.ok(&["generate", "--size", "64", "-o", "far/ground.exr"]);
    std::os::unix::fs::symlink("far/ground.exr", folder.path("link.exr")).unwrap();
    folder.ok(&["new", "scene", "--terrain", "link.exr"]);
    assert!(!folder.path("scene/link.exr").is_symlink() && folder.path("scene/link.exr").is_file());
    folder.ok(&["check", "scene"]);
}

/// A run in words: where its water and its ground went.
#[test]
fn info_tells_what_a_run_did() {
    let folder = Folder::with_scene();
    folder.ok(&["run", "small.toml", "-q", "--out", "o", "--set", "terrain.size=[80, 70]"]);
    let told = folder.ok(&["info", "o"]).stdout;
    for word in [
        "160, ",
        " s simulated in ",
        "m³ came",
        "evaporated",
        "eroded: ",
        "came to rest",
        "afloat",
        "missing",
        "Hack exponent",
        "folder          o/maps with ",
    ] {
        assert!(told.contains(word), "{word:?} is not in\n{told}");
    }
    // A map is what it says it is, and no terrain.
    for name in ["o/maps/flow.exr", "o/maps/flow.png"] {
        let told = folder.ok(&["info", name]);
        assert!(told.stdout.contains("map             flow: mean discharge"), "{told:?}");
        assert!(told.stdout.contains(" m²/s, mean ") && !told.stdout.contains("heights"), "{told:?}");
        assert_eq!(told.stderr, "", "{told:?}");
        let json = folder.ok(&["info", name, "--json"]).json();
        assert_eq!(
            (&json["kind"], &json["quantity"], &json["unit"]),
            (&"map".into(), &"flow".into(), &"m²/s".into())
        );
    }
    assert!(folder.ok(&["info", "o/height.png"]).stdout.contains("heights"));
    // Without its report a folder is an unfinished one.
    std::fs::remove_file(folder.path("o/report.json")).unwrap();
    assert!(
        folder.ok(&["info", "o"]).stdout.starts_with("unfinished"),
        "{}",
        folder.ok(&["info", "o"]).stdout
    );
    assert!(!folder.ok(&["info", "small.toml"]).stdout.contains("unfinished"));
}

#[test]
fn info_reads_particles_and_meshes() {
    let folder = Folder::new();
    folder.write("p.ply", "ply\nformat ascii 1.0\ncomment radius 0.25\ncomment unit speed m/s\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nproperty float speed\nend_header\n1 2 3 -0.0001\n4 5 -6 7\n");
    let told = folder.ok(&["info", "p.ply"]).stdout;
    for word in [
        "particles       2, radius 0.250 m",
        "east            1.00 to 4.00 m",
        "up              -6.00 to 3.00 m",
        "speed           -1.00e-4 to 7.00 m/s",
    ] {
        assert!(told.contains(word), "{word:?} is not in\n{told}");
    }
    assert_eq!(folder.ok(&["info", "p.ply", "--json"]).json()["columns"][0]["max"], 7.0);
    folder.write("m.obj", "# a roof\nv 0 0 0\nv 2 0 0 0.5 0.5 0.5\nv 2 3 0\nv 0 3 1e0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\nf -4 -3 -1\n");
    let json = folder.ok(&["info", "m.obj", "--json"]).json();
    assert_eq!((&json["kind"], &json["corners"], &json["triangles"]), (&"mesh".into(), &4.into(), &3.into()));
    let told = folder.ok(&["info", "m.obj"]).stdout;
    assert!(
        told.contains("mesh            4 corners, 3 triangles")
            && told.contains("up              0 to 3.00 m"),
        "{told}"
    );
    for (text, said) in [
        ("v 0 0\n", "line 1 has a corner of less than three numbers"),
        ("v 0 0 x\n", "\"x\" where a number should be"),
        ("v 0 0 0\nf 1 2 3\n", "corner 2, but there are 1"),
        ("v 0 0 0\nf 0 1 1\n", "line 2 has \"0\""),
        ("v 0 0 inf\n", "no place"),
        ("hello\n", "no corners"),
    ] {
        folder.write("bad.obj", text);
        folder.fails(&["info", "bad.obj"], 2, &["bad.obj", said]);
    }
}

/// Nothing rounds to a negative nothing.
#[test]
fn nothing_is_printed_as_minus_nothing() {
    let folder = Folder::new();
    folder.write("sea.toml", "version = 1\n[terrain]\nsize = [16, 16]\n[[terrain.layer]]\nkind = 'plane'\nheight = '-1 mm'\n[time]\nsteps = 0\n[output]\npictures = false\n");
    folder.ok(&["run", "sea.toml", "-q", "--out", "o"]);
    let told = folder.ok(&["info", "o/height.exr"]).stdout;
    assert!(told.contains("heights         0.00 to 0.00 m") && !told.contains("-0.0"), "{told}");
}

/// Measures of landscapes are for landscapes.
#[test]
fn a_tank_has_no_realism() {
    let folder = Folder::with_scene();
    let wide = ["run", "small.toml", "--out", "wide", "--set", "terrain.size=[80, 70]"];
    assert!(folder.ok(&wide).stdout.contains("Hack exponent"));
    let report = folder.json("wide/report.json");
    assert!(report["realism_before"]["pit_fraction"].is_number(), "{report}");
    for (name, change) in
        [("small", "terrain.size=[48, 40]"), ("fine", "terrain.cell=50 cm"), ("dry", "rain=[]")]
    {
        let mut arguments =
            vec!["run", "small.toml", "--out", name, "--set", "terrain.size=[80, 70]", "--set", change];
        arguments.extend(["--set", "source=[]", "--steps", "8"]);
        let ran = folder.ok(&arguments);
        assert!(!ran.stdout.contains("Hack"), "{name}: {ran:?}");
        let report = folder.json(&format!("{name}/report.json"));
        assert!(report["realism_before"].is_null() && report["realism_after"].is_null(), "{name}: {report}");
        assert!(!folder.ok(&["info", name]).stdout.contains("Hack"), "{name}");
    }
}

/// Names and titles are other people's text: a terminal must not obey it.
#[cfg(unix)]
#[test]
fn escape_codes_in_names_and_titles_are_written_out() {
    let folder = Folder::with_heightmap("a.png");
    let red = "a\u{1b}[31mred.png";
    std::fs::copy(folder.path("a.png"), folder.path(red)).unwrap();
    let title = SMALL.replace("\"small\"", "\"\\u001b]0;owned\\u0007 \\u202e\\u009b2J\"");
    folder.write("t\u{1b}[2J.toml", &title);
    folder.write("w\u{7}.toml", format!("{title}\n\"k\u{9b}31m\" = 3\n"));
    folder.write("ring.toml", "version = 1\n[terrain]\nfile = \"a\\u001b[31mred.png\"\nheight_range=[0,\"1 m\"]\n[time]\nsteps = 1\n[[rain]]\nrate=0\nmask=\"x\\u001b[1m.png\"\n");
    let wicked = |c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}';
    for arguments in [
        &["run", red][..],
        &["erode", red],
        &["info", red],
        &["info", "t\u{1b}[2J.toml"],
        &["info", "t\u{1b}[2J.toml", "--json"],
        &["check", "t\u{1b}[2J.toml"],
        &["check", "w\u{7}.toml"],
        &["check", "w\u{7}.toml", "--json"],
        &["check", "ring.toml"],
        &["run", "t\u{1b}[2J.toml", "--out", "o\u{1b}c", "--steps", "1"],
        &["info", "o\u{1b}c"],
        &["scenes", "\u{1b}[5m"],
        &["\u{1b}[5m"],
        &["run", "small", "--threads", "\u{1b}[5m"],
        &["run", "\u{1b}]0;x\u{7}"],
        &["new", "n\u{1b}c", "--terrain", red],
        &["render", red, "-o", "p\u{1b}c.png", "--size", "40x30", "--renderer", "cpu"],
        &["render", "n\u{1b}.png", "-o", "q.png", "--renderer", "cpu"],
        &["convert", red, "c\u{1b}.exr"],
    ] {
        let ran = folder.run(arguments);
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains(wicked), "{arguments:?} lets a terminal do something: {ran:?}");
        }
    }
    let ran = folder.run(&["info", "t\u{1b}[2J.toml"]);
    assert!(ran.stdout.contains("\\u{1b}]0;owned\\u{7}"), "it is written out: {ran:?}");
    let json = folder.run(&["info", "t\u{1b}[2J.toml", "--json"]).json();
    assert_eq!(json["scene"]["title"], "\u{1b}]0;owned\u{7} \u{202e}\u{9b}2J", "programs get it as it is");
}
