//! Pictures and videos: `thalweg render`, and those of runs.
//!
//! On Linux some of these need a graphics adapter, be it Mesa's software one, and fail without it.

use crate::common::{self, Folder, interrupted};

/// Width and height of a PNG file.
fn size(folder: &Folder, name: &str) -> (u32, u32) {
    let png = folder.read(name);
    assert!(png.starts_with(b"\x89PNG"), "{name} is no PNG file");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// Whether a PNG file moves.
fn is_animated(folder: &Folder, name: &str) -> bool {
    folder.read(name).windows(4).any(|four| four == b"acTL")
}

/// A folder with a terrain `a.exr` and the scene `small.toml`.
fn prepared() -> Folder {
    let folder = Folder::with_scene();
    folder.ok(&["generate", "--kind", "fbm", "--size", "40x30", "-o", "a.exr"]);
    folder
}

#[test]
fn the_name_tells_the_format_and_the_path_is_printed() {
    let folder = prepared();
    let draw = |name: &str, options: &[&str]| {
        let ran = folder.ok(&[&["render", "a.exr", "-o", name, "--size", "64x36"], options].concat());
        assert_eq!(ran.stdout, format!("{name}\n"));
    };
    draw("v.png", &[]);
    assert_eq!(size(&folder, "v.png"), (64, 36));
    draw("v.jpg", &[]);
    assert!(folder.read("v.jpg").starts_with(&[0xff, 0xd8, 0xff]));
    draw("v.PNG", &["--renderer", "cpu"]);
    draw("t.apng", &["--frames", "3"]);
    draw("t.png", &["--frames", "3", "--camera", "turntable"]);
    assert!(
        is_animated(&folder, "t.apng") && is_animated(&folder, "t.png") && !is_animated(&folder, "v.png")
    );
    for (arguments, words) in [
        (["-o", "x.bmp", "-q", "-q"].as_slice(), "cannot be used multiple"),
        (&["-o", "x.bmp"], ".png or .jpg"),
        (&["-o", "x"], ".png or .jpg"),
        (&["-o", "x.jpg", "--frames", "3"], "moving"),
        (&["-o", "x.png", "--frames", "1"], "--frames"),
        (&["-o", "x.mp4", "--camera", "top"], "--camera turntable"),
        (&["-o", "x.mp4", "--camera", "fly:0,0,900,0,20"], "--camera turntable"),
        (&["-o", "x.mp4", "--sheet"], "do not move"),
        (&["-o", "x.png", "--sheet", "--before-after"], "cannot be used with"),
        (&["-o", "x.png", "--before-after"], "only one state"),
        (&["-o", "x.png", "--step", "3"], "--step"),
    ] {
        folder.fails(&[&["render", "a.exr"], arguments].concat(), 2, &[words]);
    }
    assert!(folder.files().iter().all(|name| !name.starts_with("x.")));
}

#[test]
fn cameras_are_named_or_given_in_numbers() {
    let folder = prepared();
    let draw = |what: &str, camera: &str| {
        let options = ["--camera", camera, "--renderer", "cpu", "--size", "48x27"];
        folder.ok(&[&["render", what, "-o", "v.png"], options.as_slice()].concat());
        folder.read("v.png")
    };
    let plain = draw("a.exr", "scene");
    assert!(plain == draw("a.exr", "orbit") && plain == draw("a.exr", "14,35"), "the default is an orbit");
    assert!(plain != draw("a.exr", "-60,35") && plain != draw("a.exr", "fly:200,-300,400,0,40"));
    folder.write("seen.toml", format!("{}[camera]\nyaw = '120 deg'\npitch = '20 deg'\n", common::SMALL));
    assert!(draw("seen.toml", "scene") == draw("seen.toml", "120,20"), "the scene's own is used");
    for (camera, words) in [
        ("up", "fly:EAST"),
        ("10", "YAW,PITCH"),
        ("fly:1,2,3", "fly:EAST"),
        ("fly:1,2,inf,0,0", "fly:EAST"),
        ("10,200", "camera.pitch is 200.0 deg"),
        ("path", "[[camera.key]]"),
    ] {
        folder.fails(&["render", "a.exr", "-o", "x.png", "--camera", camera], 2, &["--camera", words]);
    }
}

#[test]
fn options_that_make_no_sense_are_blamed_on_themselves() {
    let folder = prepared();
    for (options, words) in [
        (["--look", "hase=0"], ["--look hase=0: unknown field", "did you mean `haze`?"]),
        (["--look", "haze=-1"], ["--look haze=-1: picture.haze is -1", "negative"]),
        (["--look", "haze"], ["--look haze", "KEY=VALUE"]),
        (["--overlay", "flwo"], ["--overlay flwo: ", "did you mean `flow`?"]),
        (["--overlay", "flow"], ["there is no \"flow\"", "there is height"]),
        (["--overlay", "slope:green"], ["--overlay slope:green: ", "`viridis`"]),
        (["--renderer", "abacus"], ["abacus", "cpu"]),
        (["--terrain", "no.exr"], ["--terrain", "PLY"]),
    ] {
        folder.fails(&[&["render", "a.exr", "-o", "x.png"], options.as_slice()].concat(), 2, &words);
    }
}

#[test]
fn a_finished_run_looks_like_its_own_view() {
    let folder = Folder::with_scene();
    let scene =
        common::SMALL.replace("pictures = false", "") + "[picture.overlay]\nfield = 'erosion-deposition'\n";
    folder.write("seen.toml", scene);
    folder.ok(&["run", "seen.toml", "-q", "--out", "o", "--set", "picture.renderer=gpu"]);
    folder.ok(&["render", "o", "-o", "again.png"]);
    assert!(folder.read("again.png") == folder.read("o/pictures/view.png"), "drawn again, it differs");
    let laid_over = |overlay: &str| {
        folder.ok(&["render", "o", "-o", "v.png", "--look", "legend=false", "--overlay", overlay]);
        folder.read("v.png")
    };
    assert!(laid_over("slope:viridis") != laid_over("slope:browns"), "the overlay itself is seen");
    assert!(laid_over("slope") != laid_over("speed"));

    folder.ok(&["render", "o", "-o", "pair.png", "--before-after", "--overlay", "change"]);
    let (width, height) = size(&folder, "pair.png");
    assert!(width > 320 && height > 90, "{width} by {height} pixels");
    folder.ok(&["render", "o", "-o", "sheet.png", "--sheet"]);
    let (width, height) = size(&folder, "sheet.png");
    assert!(width > 90 && height > 90, "{width} by {height} pixels");
}

/// Step 130 is the same whether it is run to from the start, or from a checkpoint, or was the end of a run.
#[test]
fn a_scene_is_drawn_at_any_step() {
    let folder = Folder::with_scene();
    let draw = |what: &str, options: &[&str]| {
        let plain = ["render", what, "-o", "v.png", "--renderer", "cpu", "--size", "60x40"];
        folder.ok(&[&plain, options].concat());
        folder.read("v.png")
    };
    folder.ok(&["run", "small.toml", "-q", "--out", "o", "--set", "output.checkpoint_every=110"]);
    folder.ok(&["run", "small.toml", "-q", "--out", "short", "--set", "time.steps=70"]);
    let expected = draw("short", &[]);
    assert!(draw("small.toml", &["--step", "130"]) == expected, "run from the start");
    assert!(draw("o", &["--step", "130"]) == expected, "run from the checkpoint at step 110");
    assert!(draw("o", &["--step", "40"]) == draw("small.toml", &["--step", "40"]), "before the checkpoint");
    assert!(draw("o", &["--step", "160"]) == draw("o", &[]), "the end of the run");
    assert!(draw("small.toml", &["--step", "0"]) == draw("small.toml", &[]), "the start");
    assert!(draw("small.toml", &["--step", "0"]) != expected);
    let pair = draw("small.toml", &["--step", "20", "--before-after"]);
    assert!(pair.len() > expected.len());
    folder.fails(
        &["render", "small.toml", "-o", "x.png", "--step", "161"],
        2,
        &["--step is 161", "160 steps"],
    );
}

#[test]
fn a_run_with_frames_ends_in_a_video() {
    let folder = Folder::with_scene();
    let report = folder.ok(&["run", "small.toml", "--out", "o", "--frames", "80", "--json"]).json();
    let files: Vec<_> = report["files"].as_array().unwrap().iter().filter_map(|file| file.as_str()).collect();
    let video = if files.contains(&"frames.mp4") { "frames.mp4" } else { "frames.png" };
    assert!(files.contains(&video) && folder.path(&format!("o/{video}")).is_file(), "{files:?}");
    assert_eq!(size(&folder, "o/frames/frame_000000.png"), (160, 90));
    folder.ok(&["run", "small.toml", "-q", "--out", "unseen"]);
    // The files themselves tell of the scene, which differs.
    let heights = |run: &str| {
        folder.ok(&["convert", &format!("{run}/height.exr"), &format!("{run}.r32")]);
        folder.read(&format!("{run}.r32"))
    };
    assert!(heights("o") == heights("unseen"), "looking changes nothing");

    // Without ffmpeg it is an animated PNG, and the run says where.
    let ran = folder.run_with(("PATH", ""), &["run", "small.toml", "--out", "p", "--frames", "80"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(is_animated(&folder, "p/frames.png") && !folder.path("p/frames.mp4").exists());
    assert!(ran.stdout.contains("p/frames.png"), "{ran:?}");
    let ran = folder.run_with(("PATH", ""), &["render", "o", "-o", "t.mp4", "--frames", "2"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "t.apng\n"), "{ran:?}");
    assert!(ran.stderr.contains("ffmpeg") && is_animated(&folder, "t.apng"), "{ran:?}");
    // A video that cannot be made is no reason to fail.
    std::fs::create_dir(folder.path("p/frames.png.d")).unwrap();
    std::fs::remove_file(folder.path("p/frames.png")).unwrap();
    std::fs::rename(folder.path("p/frames.png.d"), folder.path("p/frames.png")).unwrap();
    let again = ["run", "small.toml", "--out", "p", "--frames", "80", "--force"];
    let ran = folder.run_with(("PATH", ""), &again);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("no video was made"), "{ran:?}");
}

/// Numbers of the frames that a run drew.
fn frames(folder: &Folder, out: &str) -> usize {
    let drawn = format!("{out}/frames/frame_");
    folder.files().iter().filter(|name| name.starts_with(&drawn)).count()
}

#[test]
fn a_film_is_asked_for_by_its_length_and_frames_by_steps_or_by_time() {
    let folder = Folder::with_scene();
    let run = |out: &str, options: &[&str]| {
        let plain = ["-q", "--out", out, "--set", "picture.renderer=cpu", "--set", "picture.fps=5"];
        folder.ok(&[&["run", "small.toml"], plain.as_slice(), options].concat());
        frames(&folder, out)
    };
    assert_eq!(run("film", &["--video", "3s"]), 15);
    assert!(folder.path("film/frames.png").is_file() || folder.path("film/frames.mp4").is_file());
    assert_eq!(run("keyed", &["--set", "output.video=3 s"]), 15);
    assert_eq!(run("steps", &["--set", "output.video=3 s", "--frames", "40"]), 5, "the option counts");
    let report = folder.json("film/report.json");
    let times = (report["simulated_s"].as_f64().unwrap() / 20.0) as usize;
    assert_eq!(run("timed", &["--frames", "20s"]), times + 1);
    let written = |out: &str| String::from_utf8(folder.read(&format!("{out}/scene.toml"))).unwrap();
    assert!(written("film").contains("video = 3.0"), "{}", written("film"));
    assert!(written("timed").contains("frames_every = \"20 s\""), "{}", written("timed"));
    for (options, words) in [
        (["--video", "3 miles"].as_slice(), "miles"),
        (&["--video", "0s"], "longer than nothing"),
        (&["--video", "0.05s"], "--video: output.video is 0.05 s, 1 frames at 25"),
        (&["--frames", "often"], "neither a number of steps"),
        (&["--frames", "1e-9s"], "--frames: output.frames_every is 1e-9 s"),
        (&["--frames", "3", "--video", "3s"], "cannot be used with"),
    ] {
        folder.fails(&[&["run", "small.toml", "--out", "x"], options].concat(), 2, &[words]);
    }
    assert!(!folder.path("x").exists());
    // A terrain that stands still is gone around in that time.
    folder.ok(&["generate", "--kind", "fbm", "--size", "24x20", "-o", "a.exr"]);
    let turn = ["render", "a.exr", "--renderer", "cpu", "--size", "32x18", "--look", "fps=4"];
    folder.ok(&[turn.as_slice(), &["-o", "t.png", "--video", "1.5s"]].concat());
    let png = folder.read("t.png");
    let control = png.windows(4).position(|four| four == b"acTL").expect("an animated PNG") + 4;
    assert_eq!(png[control..control + 4], 6_u32.to_be_bytes(), "frames");
    let long = [turn.as_slice(), &["-o", "x.png", "--video", "9h"]].concat();
    folder.fails(&long, 2, &["--video is 32400 s", "between 2 and 100000"]);
}

/// Share of the pixels of a part of a picture that are bluer than red `[-]`.
fn blue(picture: &(usize, usize, Vec<u8>), columns: std::ops::Range<usize>) -> f64 {
    let (width, height, rgb) = picture;
    let pixel = |x: usize, y: usize| &rgb[3 * (y * width + x)..][..3];
    let wet = |x: usize| (0..*height).filter(|&y| pixel(x, y)[2] > pixel(x, y)[0].saturating_add(40)).count();
    columns.clone().map(wet).sum::<usize>() as f64 / (height * columns.len()) as f64
}

/// A lake that is there from the beginning is there in the picture of the beginning.
#[test]
fn before_shows_the_water_that_stood_there() {
    let folder = Folder::new();
    let lake = "version = 1\n[terrain]\nsize = [40, 40]\n[[terrain.layer]]\nkind = 'bump'\nheight = '-20 m'\n\
                radius = '150 m'\n[[water]]\nlevel = '-4 m'\n[time]\nsteps = 2\n[picture]\nsize = [200, 200]\n\
                renderer = 'cpu'\n[camera]\nkind = 'top'\n";
    folder.write("lake.toml", lake);
    folder.ok(&["run", "lake.toml", "-q", "--out", "o"]);
    folder.ok(&["render", "o", "-o", "run.png", "--before-after"]);
    folder.ok(&["render", "lake.toml", "-o", "scene.png", "--step", "2", "--before-after"]);
    for name in ["o/pictures/before_after.png", "run.png", "scene.png"] {
        let picture = thalweg::io::read_png_rgb(&folder.path(name), 1 << 30).unwrap();
        let half = picture.0 / 2;
        let [before, after] = [blue(&picture, 0..half), blue(&picture, half..2 * half)];
        assert!(after > 0.1, "{name}: {after} of the end is water");
        assert!(
            (before - after).abs() < 0.1 * after,
            "{name}: {before} of the start is water, {after} of the end"
        );
    }
}

#[test]
fn a_path_is_flown_along_while_the_scene_runs() {
    let folder = Folder::new();
    let path =
        "[camera]\nkind = 'path'\n[[camera.key]]\ntime = 0\n[[camera.key]]\ntime = '80 ms'\nyaw = '90 deg'\n";
    // Nothing happens, so that only the camera makes a difference.
    let still = "version = 1\n[terrain]\nsize = [24, 24]\n[time]\nsteps = 4\n[solver]\ntalus = false\n[output]\n\
                 pictures = false\nframes_every = 1\n[picture]\nsize = [60, 40]\nrenderer = 'cpu'\n";
    folder.write("fly.toml", format!("{still}{path}"));
    folder.write("stand.toml", still);
    folder.ok(&["run", "fly.toml", "-q", "--out", "fly"]);
    folder.ok(&["run", "stand.toml", "-q", "--out", "stand"]);
    let frame = |run: &str, number: u64| {
        let path = folder.path(&format!("{run}/frames/frame_{number:06}.png"));
        thalweg::io::read_png_rgb(&path, 1 << 30).unwrap()
    };
    assert!(frame("fly", 0) == frame("stand", 0), "the path begins with the usual view");
    assert!(frame("fly", 1) != frame("fly", 0) && frame("fly", 2) != frame("fly", 1));
    assert!(frame("fly", 3) == frame("fly", 2), "after its end it stands");
    assert!(frame("stand", 3) == frame("stand", 0));
}

const POINTS: &str = "ply\nformat ascii 1.0\ncomment radius 0.5\nelement vertex 4\nproperty float x\nproperty float y\n\
    property float z\nproperty float speed\nend_header\n0 0 0 0\n1 0 0 1\n0 1 0 2\n0 0 1 3\n";
const TRIANGLE: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n9 0 0\n0 9 5\n3 0 1 2\n";

#[test]
fn particles_and_meshes_are_drawn() {
    let folder = prepared();
    folder.write("p.ply", POINTS);
    folder.write("m.ply", TRIANGLE);
    folder.write("bare.ply", POINTS.replace("comment radius 0.5\n", ""));
    for renderer in ["cpu", "gpu"] {
        let draw = |options: &[&str]| {
            // Without what stands around them.
            let plain = ["--look", "legend=false", "--look", "scale_bar=false", "--size", "64x36"];
            let ran = folder
                .ok(&[&["render", "-o", "v.png", "--renderer", renderer], options, &plain[..]].concat());
            (folder.read("v.png"), ran.stderr)
        };
        let (spheres, said) = draw(&["p.ply"]);
        assert!(!said.contains("spheres"), "{renderer}: nothing is to be said of spheres: {said}");
        assert!(draw(&["p.ply", "--colour", "speed"]).0 != spheres, "{renderer}: colours tell the speed");
        assert!(draw(&["p.ply", "--particles", "mesh"]).0 != spheres, "{renderer}: a mesh");
        assert!(draw(&["p.ply", "--terrain", "a.exr"]).0 != spheres, "{renderer}: on terrain");
        assert!(draw(&["m.ply"]).0 != spheres, "{renderer}: another mesh");
        let (_, said) = draw(&["p.ply", "--particles", "surface"]);
        let plainly = said.matches("as spheres, not as the surface").count();
        assert_eq!(plainly, usize::from(renderer == "cpu"), "{renderer} said: {said}");
    }
    let ran = folder.ok(&["render", "bare.ply", "-o", "v.png", "--size", "64x36"]);
    assert!(ran.stderr.contains("radius is not known"), "{ran:?}");
    folder.fails(&["render", "p.ply", "-o", "x.png", "--colour", "sped"], 2, &["--colour", "speed"]);
    folder.write("cut.ply", &POINTS[..90]);
    folder.fails(&["render", "cut.ply", "-o", "x.png"], 2, &["cut.ply", "PLY"]);
}

/// Water of a small tank is not as clear as a lake: a block of 1.2 m by 0.8 m by 0.5 m of it is seen.
#[test]
fn a_file_of_particles_shows_its_water_as_a_surface() {
    let folder = Folder::new();
    let place = |i: usize| [i % 24, i / 24 % 16, i / 384].map(|n| 0.05 * n as f32);
    let lines: String = (0..3840).map(place).map(|[x, y, z]| format!("{x} {y} {z}\n")).collect();
    let header = POINTS.replace("vertex 4", "vertex 3840").replace("radius 0.5", "radius 0.025");
    let header = header.split("property float speed").next().unwrap();
    folder.write("tank.ply", format!("{header}end_header\n{lines}"));
    let water = |options: &[&str]| {
        let plain = ["render", "tank.ply", "-o", "v.png", "--size", "160x90", "--particles", "surface"];
        folder.ok(&[plain.as_slice(), options].concat());
        let picture = thalweg::io::read_png_rgb(&folder.path("v.png"), 1 << 30).unwrap();
        blue(&picture, 0..picture.0)
    };
    let [usual, lake] = [water(&[]), water(&["--look", "water.clear_depth=40 m"])];
    assert!(usual > 0.2 && lake < 0.02, "{usual} of the picture is blue, {lake} if it were clear as a lake");
}

/// A backend that Linux does not have stands for a machine without any adapter.
#[cfg(target_os = "linux")]
#[test]
fn without_an_adapter_the_processor_draws_or_the_reason_is_told() {
    let folder = prepared();
    let none = ("WGPU_BACKEND", "metal");
    let small = ["-o", "v.png", "--size", "64x36"];
    let draw = |options: &[&str]| folder.run_with(none, &[&["render", "a.exr"], options, &small].concat());

    let ran = draw(&["--renderer", "gpu"]);
    ran.failed(1, &["no graphics adapter was found", "WGPU_BACKEND=metal"], "--renderer gpu");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    assert!(!folder.path("v.png").exists());

    let ran = draw(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "v.png\n"), "{ran:?}");
    assert!(
        ran.stderr.starts_with("note: ") && ran.stderr.contains("WGPU_BACKEND=metal; unset it"),
        "{ran:?}"
    );
    let ran = draw(&["--renderer", "cpu"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");

    let ran = draw(&["--camera", "top", "--overlay", "slope"]);
    assert_eq!(ran.code, 0, "a map needs no adapter: {ran:?}");
    let ran = draw(&["--overlay", "slope"]);
    assert_eq!(ran.code, 0, "an overlay in perspective needs none either: {ran:?}");
    let ran = draw(&["--sheet"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(size(&folder, "v.png").0, 64, "a sheet is as wide as it was asked for");

    let options = ["--out", "out", "--frames", "80", "--set", "output.pictures=true"];
    let ran = folder.run_with(none, &[&["run", "small.toml"], options.as_slice()].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("WGPU_BACKEND=metal; unset it"), "{ran:?}");
    for name in ["pictures/view.png", "pictures/before_after.png", "frames/frame_000002.png"] {
        assert!(folder.path(&format!("out/{name}")).is_file(), "{name} is missing");
    }
}

/// A size that takes the processor a minute or more.
#[cfg(target_os = "linux")]
const LARGE: [usize; 2] = [8000, 6000];

/// Whether a process has said what Ctrl-C does to it.
#[cfg(target_os = "linux")]
fn expects_ctrl_c(process: u32) -> bool {
    const CTRL_C: u64 = 1 << 1;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & CTRL_C != 0))
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_while_the_processor_draws_ends_it_and_nothing_is_written() {
    let folder = prepared();
    folder.write("p.ply", POINTS);
    let size = format!("{}x{}", LARGE[0], LARGE[1]);
    for what in ["a.exr", "p.ply"] {
        let arguments =
            ["render", what, "-o", "v.png", "--renderer", "cpu", "--size", &size, "--max-memory", "100000"];
        let ran = interrupted(folder.command(&arguments), expects_ctrl_c);
        ran.failed(1, &["stopped", "nothing was written"], what);
        assert!(folder.files().iter().all(|name| !name.contains("v.png")), "{what}: {:?}", folder.files());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_while_a_run_draws_its_last_picture_leaves_its_state() {
    let folder = Folder::with_scene();
    let size = format!("picture.size=[{}, {}]", LARGE[0], LARGE[1]);
    let pictures = ["--set", "output.pictures=true", "--set", "picture.renderer=cpu", "--set", &size];
    let run = ["run", "small.toml", "--out", "o", "--max-memory", "100000"];
    let drawing = |_| folder.path("o/height.exr").is_file() && folder.path("o/maps/slope.exr").is_file();
    let ran = interrupted(folder.command(&[&run[..], &pictures].concat()), drawing);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("stopped after step 160"), "{ran:?}");
    let files = folder.files();
    assert!(!files.iter().any(|name| name.contains("view.png") || name == "o/report.json"), "{files:?}");
    assert!(files.iter().any(|name| name.starts_with("o/checkpoints/")), "no state among {files:?}");
}
