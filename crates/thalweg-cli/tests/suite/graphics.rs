//! The first commands end with their pictures, whatever graphics the machine has.
#![cfg(target_os = "linux")] // where drivers can be hidden from a program

use crate::common::{Folder, Ran};
use std::collections::HashSet;
use thalweg::io::read_png_rgb;

/// A file that is not there.
const NOWHERE: &str = "/nonexistent/driver.json";

/// What is hidden from the program.
type Hidden = &'static [(&'static str, &'static str)];

const OPENGL_ALONE: Hidden = &[("WGPU_BACKEND", "gl")];
const VULKAN_WITHOUT_A_DRIVER: Hidden =
    &[("WGPU_BACKEND", "vulkan"), ("VK_DRIVER_FILES", NOWHERE), ("VK_ICD_FILENAMES", NOWHERE)];
/// Neither Vulkan nor OpenGL finds a driver.
const NO_ADAPTER: Hidden = &[
    ("VK_DRIVER_FILES", NOWHERE),
    ("VK_ICD_FILENAMES", NOWHERE),
    ("__EGL_VENDOR_LIBRARY_FILENAMES", NOWHERE),
    ("LIBGL_DRIVERS_PATH", "/nonexistent"),
];
const AS_IT_IS: Hidden = &[];

/// Runs the program as a newcomer would, on a machine without some things and without a desktop.
fn run(folder: &Folder, hidden: Hidden, arguments: &[&str]) -> Ran {
    let mut command = folder.command(arguments);
    command.envs(hidden.iter().copied()).env_remove("XDG_RUNTIME_DIR");
    let ran = folder.judge(command, &format!("{hidden:?} {arguments:?}"));
    assert_eq!(ran.code, 0, "{hidden:?} {arguments:?}: {ran:?}");
    for word in ["XDG_RUNTIME_DIR", "MESA", "libEGL", "error:"] {
        assert!(!ran.stderr.contains(word), "{hidden:?}: {word} on the screen: {ran:?}");
    }
    let told = ran.stderr.lines().filter(|line| line.contains("the processor draws")).count();
    assert!(told <= 1, "{hidden:?}: the same is told {told} times: {ran:?}");
    ran
}

/// A picture of something has many colours, dark ones and bright ones.
fn assert_shows_something(folder: &Folder, name: &str, hidden: Hidden) {
    let (width, height, rgb) =
        read_png_rgb(&folder.path(name), 1 << 30).unwrap_or_else(|error| panic!("{hidden:?}: {error}"));
    let colours: HashSet<_> = rgb.chunks_exact(3).collect();
    let brightness = rgb.chunks_exact(3).map(|c| c.iter().map(|v| u32::from(*v)).sum::<u32>() / 3);
    let (dark, bright) = brightness.fold((255, 0), |(low, high), v| (v.min(low), v.max(high)));
    assert!(
        colours.len() > 200 && bright - dark > 60,
        "{hidden:?}: {name}, {width} by {height}: {} colours from {dark} to {bright}",
        colours.len()
    );
}

/// The demo, tiny.
fn demo_is_drawn(hidden: Hidden) -> Ran {
    let folder = Folder::new();
    let small = ["--set", "terrain.size=[64, 64]", "--set", "terrain.cell=160 m", "--set", "time.coarse=[]"];
    let picture = ["--set", "picture.size=[160, 90]", "--steps", "20", "--out", "out"];
    let ran = run(&folder, hidden, &[&["run", "demo"], &small[..], &picture].concat());
    assert_shows_something(&folder, "out/pictures/before_after.png", hidden);
    assert_shows_something(&folder, "out/pictures/view.png", hidden);
    ran
}

/// A column of particles that collapses.
fn particles_are_drawn(hidden: Hidden) {
    let folder = Folder::new();
    let small = ["--set", "solver.fluid.spacing=10 cm", "--set", "picture.size=[160, 90]"];
    let arguments = ["--steps", "20", "--frames", "10", "--out", "out"];
    run(&folder, hidden, &[&["run", "dam-break"], &small[..], &arguments].concat());
    for name in ["pictures/view.png", "frames/frame_000000.png", "frames/frame_000002.png"] {
        assert_shows_something(&folder, &format!("out/{name}"), hidden);
    }
}

/// Whether the program finds an adapter here. None may be passed over where it is the only kind: whatever a machine
/// has is used.
fn adapter_is_there(hidden: Hidden) -> bool {
    let found = run(&Folder::new(), hidden, &["doctor", "--json"]).json();
    let adapters = found["adapters"].as_array().unwrap();
    assert!(
        adapters.is_empty() || adapters.iter().any(|adapter| adapter["passed_over"].is_null()),
        "{found}"
    );
    !adapters.is_empty()
}

#[test]
fn with_opengl_alone_every_scene_is_drawn() {
    let ran = demo_is_drawn(OPENGL_ALONE);
    assert_ne!(adapter_is_there(OPENGL_ALONE), ran.stderr.contains("the processor draws"), "{ran:?}");
    particles_are_drawn(OPENGL_ALONE);
}

#[test]
fn with_vulkan_and_no_driver_every_scene_is_drawn() {
    let ran = demo_is_drawn(VULKAN_WITHOUT_A_DRIVER);
    assert!(ran.stderr.contains("the processor draws"), "{ran:?}");
    particles_are_drawn(VULKAN_WITHOUT_A_DRIVER);
}

#[test]
fn without_any_adapter_every_scene_is_drawn() {
    let ran = demo_is_drawn(NO_ADAPTER);
    assert!(ran.stderr.contains("the processor draws"), "{ran:?}");
    particles_are_drawn(NO_ADAPTER);
}

#[test]
fn with_the_graphics_of_this_machine_every_scene_is_drawn() {
    let ran = demo_is_drawn(AS_IT_IS);
    assert_ne!(adapter_is_there(AS_IT_IS), ran.stderr.contains("the processor draws"), "{ran:?}");
    particles_are_drawn(AS_IT_IS);
}

/// A run that asks for a graphics device, or for pictures too large for its memory, is not refused for that.
#[test]
fn pictures_never_refuse_a_run() {
    let folder = Folder::with_scene();
    let drawn = ["run", "small.toml", "--set", "output.pictures=true", "--frames", "80"];
    let ran =
        run(&folder, NO_ADAPTER, &[&drawn[..], &["--set", "picture.renderer=gpu", "--out", "a"]].concat());
    assert!(ran.stderr.contains("the processor draws"), "{ran:?}");
    assert_shows_something(&folder, "a/pictures/view.png", NO_ADAPTER);
    let large = ["--set", "picture.size=[8000, 8000]", "--max-memory", "1000", "--out", "b"];
    let ran = run(&folder, AS_IT_IS, &[&drawn[..], &large].concat());
    assert!(ran.stderr.contains("8000 by 8000 pixels need about"), "{ran:?}");
    assert!(folder.path("b/report.json").is_file() && !folder.path("b/pictures/view.png").exists());
}

#[test]
fn the_doctor_names_every_adapter_and_what_draws() {
    let folder = Folder::new();
    let ran = run(&folder, NO_ADAPTER, &["doctor"]);
    for words in ["adapters    none", "mesa-vulkan-drivers", "by the processor"] {
        assert!(ran.stdout.contains(words), "{words}: {ran:?}");
    }
    // Set to nothing, the variable is not set.
    let empty = run(&folder, &[("WGPU_BACKEND", "")], &["doctor", "--json"]).json();
    assert_eq!(empty["adapters"], run(&folder, AS_IT_IS, &["doctor", "--json"]).json()["adapters"]);
    let found = run(&folder, AS_IT_IS, &["doctor", "--json"]).json();
    let adapters = found["adapters"].as_array().unwrap();
    let draws = found["draws"].as_str().unwrap();
    let first = adapters.iter().find(|adapter| adapter["passed_over"].is_null());
    assert!(first.is_none_or(|adapter| draws.starts_with(adapter["name"].as_str().unwrap())), "{found}");
    assert!(
        found["threads"].as_u64().unwrap() > 0 && found["memory"]["used_at_most"].as_u64() > Some(0),
        "{found}"
    );
}
