//! The studio in use, without a screen: one test for each thing that its users expect.

mod window;

use crate::command::Command;
use crate::drawing::Economy;
use crate::panels::import::Import;
use crate::tools::Hand;
use crate::{FIRST_SCENE, Options};
use egui::{Key, Modifiers, PointerButton};
use std::time::Instant;
use thalweg::project::RendererChoice;
use thalweg::solver::Tool;
use window::{Dropped, HILL, Window};

fn bed(window: &Window) -> f64 {
    let shown = window.shown();
    shown.snapshot.field("height").unwrap().values().iter().map(|&height| f64::from(height)).sum()
}

fn rain(window: &Window) -> f64 {
    window.shown().scene.rain[0].rate.unwrap()
}

#[test]
fn a_scene_moves_behind_the_welcome_before_anybody_does_anything() {
    let begin = Instant::now();
    let options = Options { renderer: RendererChoice::Cpu, ..Options::default() };
    let mut window = Window::with(options, tempfile::tempdir().unwrap(), [1280.0, 720.0]);
    window.until("it moves", |studio| {
        studio.painted.is_some() && studio.shown.as_ref().is_some_and(|shown| shown.clock.steps > 0)
    });
    eprintln!("{FIRST_SCENE} moves after {:.1} s", begin.elapsed().as_secs_f64());
    assert!(window.sees("Welcome to thalweg"));
    window.click("Play with this one");
    assert!(!window.sees("Welcome to thalweg"));
    let before = window.shown().clock.steps;
    window
        .until("it goes on", |studio| studio.shown.as_ref().is_some_and(|shown| shown.clock.steps > before));
}

#[test]
fn play_pause_step_and_reset_have_keys_and_buttons() {
    let mut window = Window::on(HILL);
    assert!(window.shown().playing, "a scene plays when it is opened");
    window.pause();
    let step = window.shown().clock.steps;
    window.press(Key::Period);
    window
        .until("it steps", |studio| studio.shown.as_ref().is_some_and(|shown| shown.clock.steps == step + 1));
    window.click("Step");
    window.until("it steps again", |studio| {
        studio.shown.as_ref().is_some_and(|shown| shown.clock.steps == step + 2)
    });
    window.press(Key::R);
    window.until("it is reset", |studio| studio.shown.as_ref().is_some_and(|shown| shown.clock.steps == 0));
    window.press(Key::P);
    window.until("it plays", |studio| studio.shown.as_ref().is_some_and(|shown| shown.clock.steps > 0));
    for fact in ["Time per step", "Cells", "Simulated", "Pace", "Missing", "Memory", "Drawn by", "Camera"] {
        assert!(window.sees(fact), "{fact} is not shown");
    }
}

#[test]
fn a_live_value_acts_at_once_and_can_be_undone() {
    let mut window = Window::on(HILL);
    window.pause();
    let before = rain(&window);
    window.harness.state_mut().as_mut().unwrap().set("rain.0.rate", "1e-4".into(), false);
    window.until("it rains more", |studio| {
        studio.shown.as_ref().is_some_and(|shown| shown.scene.rain[0].rate == Some(1.0e-4))
    });
    assert!(window.studio().waiting.is_empty());
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.until("it is undone", |studio| {
        studio.shown.as_ref().is_some_and(|shown| shown.scene.rain[0].rate == Some(before))
    });
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.until("it is redone", |studio| {
        studio.shown.as_ref().is_some_and(|shown| shown.scene.rain[0].rate == Some(1.0e-4))
    });
    window.harness.state_mut().as_mut().unwrap().windows.history = true;
    window.harness.run_steps(2);
    assert!(window.sees("As it was opened") && window.sees("rain.0.rate=1e-4"));
}

#[test]
fn a_hundred_edits_can_be_undone() {
    let mut window = Window::on(HILL);
    window.pause();
    let before = rain(&window);
    for i in 1..=100 {
        window.harness.state_mut().as_mut().unwrap().set("rain.0.rate", format!("{i}e-7"), false);
    }
    window.until("all are made", |studio| {
        studio.shown.as_ref().is_some_and(|shown| shown.undoable[0].len() == 100)
    });
    for _ in 0..100 {
        window.harness.state_mut().as_mut().unwrap().obey(Command::Undo);
    }
    window.until("all are undone", |studio| {
        studio.shown.as_ref().is_some_and(|shown| shown.undoable[0].is_empty())
    });
    assert_eq!(rain(&window), before);
}

#[test]
fn what_needs_a_restart_waits_for_one_button() {
    let mut window = Window::on(HILL);
    window.pause();
    let studio = window.harness.state_mut().as_mut().unwrap();
    studio.set("seed", "11".into(), false);
    window.until("it is marked", |studio| studio.waiting.len() == 1);
    assert_eq!(window.shown().scene.seed, 5, "nothing has changed yet");
    window.click("Apply 1 change and restart");
    window
        .until("it begins anew", |studio| studio.shown.as_ref().is_some_and(|shown| shown.scene.seed == 11));
    assert!(window.studio().waiting.is_empty());
    assert_eq!(window.shown().undoable[0].len(), 0);
}

#[test]
fn parameters_are_found_by_a_word_and_told_with_their_units() {
    let mut window = Window::on(HILL);
    assert!(window.sees("Rate (mm/h)"), "rain is told in millimetres per hour");
    window.harness.state_mut().as_mut().unwrap().panel.search = "capacity".into();
    window.harness.run_steps(2);
    assert!(window.sees("Capacity") && !window.sees("Rate (mm/h)"));
    window.press_with(Modifiers::COMMAND, Key::P);
    assert!(window.sees("Play or pause"), "the search finds commands");
}

#[test]
fn escape_closes_what_is_open_and_never_the_window() {
    let mut window = Window::on(HILL);
    window.press(Key::F1);
    assert!(window.sees("Back to the beginning"), "keys are shown");
    window.press(Key::Escape);
    assert!(!window.studio().windows.keys);
    window.click("Raise");
    assert_eq!(window.studio().brush.hand, Hand::Brush(Tool::Raise));
    window.press(Key::Escape);
    assert_eq!(window.studio().brush.hand, Hand::Look);
    window.press(Key::Escape);
    let output = window.harness.output();
    let closes = |output: &egui::ViewportOutput| output.commands.contains(&egui::ViewportCommand::Close);
    assert!(!output.viewport_output.values().any(closes));
}

#[test]
fn closing_with_unsaved_work_asks() {
    let mut window = Window::on(HILL);
    window.pause();
    window.harness.state_mut().as_mut().unwrap().set("rain.0.rate", "1e-5".into(), false);
    window.until("it is changed", crate::Studio::is_unsaved);
    window.press_with(Modifiers::COMMAND, Key::Q);
    assert!(window.sees("Save and quit"), "nobody was asked");
    window.click("Save and quit");
    assert!(window.files().iter().any(|file| file.ends_with("hill.toml")), "{:?}", window.files());
}

#[test]
fn a_brush_works_where_it_is_drawn_and_is_one_edit() {
    let mut window = Window::on(HILL);
    window.pause();
    let before = bed(&window);
    window.click("Raise");
    window.drag(PointerButton::Primary, [0.45, 0.55], [0.55, 0.6]);
    window.until("there is a stroke", |studio| {
        studio.shown.as_ref().is_some_and(|shown| shown.undoable[0].len() == 1)
    });
    assert!(bed(&window) > before + 1.0, "{} m higher in all", bed(&window) - before);
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.until("it is undone", |studio| {
        studio.shown.as_ref().is_some_and(|shown| shown.undoable[0].is_empty())
    });
    assert!((bed(&window) - before).abs() < 1.0e-3);
    let radius = window.studio().brush.radius;
    window.press(Key::CloseBracket);
    assert!((window.studio().brush.radius / radius - 1.25).abs() < 1.0e-9);
    window.press(Key::OpenBracket);
    assert!((window.studio().brush.radius / radius - 1.0).abs() < 1.0e-9);
}

#[test]
fn sources_are_placed_and_dragged() {
    let mut window = Window::on(HILL);
    window.pause();
    window.click("Source");
    window.drag(PointerButton::Primary, [0.4, 0.6], [0.4, 0.6]);
    window.until("there are two", |studio| {
        studio.shown.as_ref().is_some_and(|shown| shown.scene.sources.len() == 2)
    });
    window.press(Key::Escape);
    let [east, north] = window.shown().scene.sources[1].at;
    let studio = window.studio();
    let view = &studio.painted.as_ref().unwrap().view;
    let at = view.place_of(studio.ground.as_ref().unwrap().drawn([east, north]).into()).unwrap();
    window.drag(PointerButton::Primary, at, [at[0] + 0.1, at[1]]);
    window.until("it went", |studio| {
        studio.shown.as_ref().is_some_and(|shown| shown.scene.sources[1].at[0] > east + 2.0)
    });
    assert_eq!(window.shown().scene.sources[0].at, [120.0, 100.0], "the other one stays");
}

#[test]
fn the_view_is_turned_and_brought_nearer() {
    let mut window = Window::on(HILL);
    window.pause();
    let camera = window.studio().camera.clone();
    window.drag(PointerButton::Primary, [0.5, 0.5], [0.6, 0.5]);
    let turned = window.studio().camera.clone();
    assert_ne!(camera, turned);
    window.press(Key::T);
    assert_eq!(window.studio().camera, thalweg::render::Camera::Top);
    window.press(Key::F);
    assert_eq!(window.studio().camera, thalweg::render::Camera::default());
}

#[test]
fn overlays_have_keys_a_legend_and_a_probe() {
    let mut window = Window::on(HILL);
    window.pause();
    window.press(Key::Num2);
    window.until("it is drawn", |studio| {
        studio.painted.as_ref().is_some_and(|painted| painted.range.is_some())
    });
    let [low, high] = window.studio().painted.as_ref().unwrap().range.unwrap();
    assert!(low >= 0.0 && high > 0.1 && high < 1.6, "slopes from {low} to {high} rad");
    window.press(Key::Num0);
    assert!(window.studio().look.overlay.is_none());
}

#[test]
fn a_picture_is_saved_where_it_says() {
    let mut window = Window::on(HILL);
    window.pause();
    window.press(Key::F12);
    assert!(window.sees("Open folder") && window.sees("Copy path") && window.sees("Saved "));
    let files = window.files();
    assert!(files.len() == 1 && files[0].extension().is_some_and(|end| end == "png"), "{files:?}");
    let bytes = std::fs::read(&files[0]).unwrap();
    assert!(bytes.len() > 5_000, "{} bytes are no picture of a hill", bytes.len());
}

#[test]
fn frames_are_recorded_until_told_to_stop() {
    let mut window = Window::on(HILL);
    window.press(Key::F11);
    window.until("there are frames", |studio| studio.recording.frames() >= 3);
    assert!(window.sees("Recording"));
    window.press(Key::F11);
    let folder = window.folder.path().join("out").join("hill_frames");
    assert!(std::fs::read_dir(folder).unwrap().count() >= 3);
}

#[test]
fn exporting_tells_the_numbers_or_what_is_missing() {
    let mut window = Window::on(HILL);
    window.pause();
    window.press_with(Modifiers::COMMAND, Key::E);
    assert!(window.sees("The same on the command line:"));
    window.click("Export");
    window.until("it is done", |studio| !studio.messages.all.is_empty());
    let heights = window.folder.path().join("out").join("hill_export").join("heights.exr");
    assert!(heights.is_file(), "the heights are written in any case");
    let message = window.studio().messages.all.last().unwrap().clone();
    if message.is_trouble {
        assert!(message.text.contains("cargo build --release"), "{}", message.text);
    } else {
        assert!(window.sees("Scale Z"), "the numbers for Unreal are shown");
    }
}

#[test]
fn the_gallery_shows_every_scene_and_opens_the_one_that_is_chosen() {
    let mut window = Window::on(HILL);
    window.click("Scenes…");
    window.click("dam-break-2d");
    window.until("it is open", |studio| studio.name == "dam-break-2d" && studio.shown.is_some());
    assert!(window.studio().windows.gallery.is_none());
}

#[test]
fn a_heightmap_is_looked_at_before_it_is_loaded() {
    let mut window = Window::on(HILL);
    let file = window.folder.path().join("ground.png");
    let ground = thalweg::field::Heightfield {
        height: thalweg::field::Grid2::from_fn(80, 60, |col, row| (col + row) as f32),
        frame: thalweg::field::Frame::with_cell(2.5),
    };
    thalweg::io::write_heightfield(&file, &ground, &thalweg::io::WriteOptions::default()).unwrap();
    window.harness.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(file)));
    window.harness.run_steps(3);
    assert!(
        window
            .studio()
            .windows
            .import
            .as_ref()
            .is_some_and(|import: &Import| format!("{import:?}").contains("ground.png"))
    );
    assert!(window.sees("80 × 60 cells") && window.sees("Metres per pixel") && window.sees("Highest height"));
    window.click("Load and let it rain");
    window.until("it is loaded", |studio| {
        studio.name == "ground.png" && studio.shown.as_ref().is_some_and(|shown| shown.clock.steps > 0)
    });
    let shown = window.shown();
    let height = shown.snapshot.field("height").unwrap();
    assert_eq!([height.cols(), height.rows()], [80, 60]);
    assert!((shown.snapshot.frame.cell - 2.5).abs() < 1.0e-6, "{} m", shown.snapshot.frame.cell);
}

#[test]
fn kept_moments_can_be_looked_at_again() {
    let mut window = Window::on(HILL);
    window.until("some are kept", |studio| studio.timeline.frames.len() > 4);
    window.pause();
    let now = window.shown().clock.steps;
    window.harness.state_mut().as_mut().unwrap().timeline.chosen = Some(1);
    let kept = window.studio().timeline.chosen().unwrap();
    assert!(kept.step < now);
    window.click("Now");
    assert!(window.studio().timeline.chosen().is_none());
}

#[test]
fn nothing_is_clipped_in_the_smallest_and_in_larger_windows() {
    for (size, scale) in
        [([1280.0, 720.0], 1.0), ([1920.0, 1080.0], 1.0), ([1920.0, 1080.0], 1.5), ([1920.0, 1080.0], 2.0)]
    {
        let mut window = Window::on(HILL);
        let size = egui::Vec2::from(size) / scale;
        window.harness.set_size(size);
        window.harness.run_steps(4);
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, size);
        use egui_kittest::kittest::Queryable;
        for label in [
            "File",
            "Help",
            "Reset",
            "Redo",
            "Export…",
            "Scenes…",
            "Loop",
            "Now",
            "Memory",
            "Changed only",
            "Raise",
        ] {
            let rect = window.harness.get_by_label(label).rect();
            assert!(screen.expand(0.5).contains_rect(rect), "{label} is at {rect:?} of {size:?}");
        }
        let view = window.view();
        assert!(
            view.width() > 0.35 * size.x && view.height() > 0.5 * size.y,
            "the view has {view:?} of {size:?}"
        );
    }
}

/// Every panel as it is seen; `THALWEG_PICTURES` names a folder for the pictures.
#[test]
fn the_window_is_drawn_with_all_its_panels() {
    if thalweg::draw::Painter::for_run(RendererChoice::Auto).device().is_none() {
        eprintln!("skipped: there is no graphics adapter (Debian: apt-get install mesa-vulkan-drivers)");
        return;
    }
    for size in [[1280.0, 720.0], [1920.0, 1080.0]] {
        let scene = if cfg!(debug_assertions) { "dam-break-2d" } else { "tujunga" };
        let options = Options { scene: Some(scene.into()), ..Options::default() };
        let mut window = Window::with(options, tempfile::tempdir().unwrap(), size);
        window.until("there are some steps", |studio| {
            studio.painted.is_some() && studio.shown.as_ref().is_some_and(|shown| shown.clock.steps > 60)
        });
        window.pause();
        for (name, command) in [
            ("main", None),
            ("overlay", Some(Command::Overlay(4))),
            ("keys", Some(Command::Help)),
            ("gallery", Some(Command::Scenes)),
            ("export", Some(Command::Export)),
            ("welcome", Some(Command::Welcome)),
            ("search", Some(Command::Search)),
            ("light", Some(Command::Dark)),
        ]
        .into_iter()
        .take(if size[1] > 720.0 && std::env::var_os("THALWEG_PICTURES").is_none() { 2 } else { 8 })
        {
            let studio = window.harness.state_mut().as_mut().unwrap();
            command.into_iter().for_each(|command| studio.obey(command));
            window.settle();
            window.until("what is at rest is drawn finely", |studio| studio.economy() <= Economy::Plain);
            let picture = window.harness.render().unwrap();
            let first = *picture.get_pixel(0, 0);
            let other = picture.pixels().filter(|pixel| **pixel != first).count();
            assert!(other * 4 > (size[0] * size[1]) as usize, "{name} is blank: {other} pixels differ");
            if let Some(folder) = std::env::var_os("THALWEG_PICTURES") {
                let file = format!("{name}_{}.png", size[1]);
                picture.save(std::path::Path::new(&folder).join(file)).unwrap();
            }
            window.press(Key::Escape);
        }
    }
}

/// Software Vulkan must reach ten pictures a second at 1280 × 720 with 512 × 512 cells: it leaves out what it takes.
#[test]
#[ignore = "measures time, so it needs the machine for itself"]
fn a_machine_without_a_card_still_draws_ten_pictures_a_second() {
    let options = Options { scene: Some("tujunga".into()), ..Options::default() };
    let mut window = Window::with(options, tempfile::tempdir().unwrap(), [1280.0, 720.0]);
    window.until("there is a picture", |studio| studio.painted.is_some());
    window.pause();
    let (mut took, mut economy) = (Vec::new(), Economy::None);
    for turn in 0..60 {
        let side = if turn % 2 == 0 { 0.52 } else { 0.48 };
        let until_now = window.studio().camera.clone();
        window.harness.state_mut().as_mut().unwrap().camera = thalweg::render::Camera::orbit(side, 0.6);
        assert_ne!(window.studio().camera, until_now);
        window.harness.state_mut().as_mut().unwrap().painted = None;
        window.harness.step();
        window.until("it is drawn", |studio| studio.painted.is_some());
        let painted = window.studio().painted.as_ref().unwrap();
        took.push(painted.took);
        economy = painted.economy;
    }
    let mean = took[30..].iter().sum::<f64>() / 30.0;
    eprintln!("{:.0} ms a picture, {economy:?}", 1.0e3 * mean);
    assert!(mean < 0.1, "{mean} s for a picture");
}
