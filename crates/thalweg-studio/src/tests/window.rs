//! A studio without a screen, and somebody who uses it.

use crate::worker::Shown;
use crate::{Options, Studio};
use egui::{Modifiers, PointerButton, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use thalweg::project::RendererChoice;

/// A small hill in the rain, with a source.
pub(super) const HILL: &str = "version = 1
title = 'A small hill'
seed = 5
[terrain]
size = [48, 40]
cell = '5 m'
[[terrain.layer]]
kind = 'bump'
height = '60 m'
radius = '80 m'
[edges]
south = 'open'
[[rain]]
rate = '50 mm/h'
[[source]]
at = [120, 100]
rate = 0.5
radius = 10
[time]
steps = 1000000
";

/// Nothing takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// A studio, its folder, and somebody who uses it.
pub(super) struct Window {
    pub harness: Harness<'static, Option<Studio>>,
    pub folder: TempDir,
}

impl Window {
    /// Opens the text of a scene and waits for its first picture.
    pub(super) fn on(text: &str) -> Self {
        Self::sized(text, [1280.0, 720.0], RendererChoice::Cpu)
    }

    pub(super) fn sized(text: &str, size: [f32; 2], renderer: RendererChoice) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let scene = folder.path().join("hill.toml");
        std::fs::write(&scene, text).unwrap();
        let options = Options { scene: Some(scene.display().to_string()), renderer, ..Options::default() };
        let mut window = Self::with(options, folder, size);
        window.until("there is a picture", |studio| studio.painted.is_some());
        window
    }

    pub(super) fn with(options: Options, folder: TempDir, size: [f32; 2]) -> Self {
        let options = Options { out: Some(folder.path().join("out")), ..options };
        let builder = Harness::builder().with_size(Vec2::from(size));
        let harness = builder.build_ui_state(
            move |ui, studio: &mut Option<Studio>| {
                studio.get_or_insert_with(|| Studio::new(ui.ctx(), options.clone())).frame(ui);
            },
            None,
        );
        Self { harness, folder }
    }

    pub(super) fn studio(&self) -> &Studio {
        self.harness.state().as_ref().expect("made in the first frame")
    }

    /// What was shown last.
    pub(super) fn shown(&self) -> Arc<Shown> {
        self.studio().shown.clone().expect("a scene is open")
    }

    /// Shows frames until something is so.
    pub(super) fn until(&mut self, what: &str, is_so: impl Fn(&Studio) -> bool) {
        let begin = Instant::now();
        while !is_so(self.studio()) {
            let said: Vec<_> = self.studio().messages.all.iter().map(|message| &message.text).collect();
            assert!(begin.elapsed() < PATIENCE, "it took too long until {what}; it said {said:?}");
            std::thread::sleep(Duration::from_millis(4));
            self.harness.step();
        }
        self.harness.step();
    }

    /// Shows frames for a while, until what moves or is drawn has come to rest.
    pub(super) fn settle(&mut self) {
        for _ in 0..40 {
            std::thread::sleep(Duration::from_millis(15));
            self.harness.step();
        }
    }

    pub(super) fn press(&mut self, key: egui::Key) {
        self.press_with(Modifiers::NONE, key);
    }

    pub(super) fn press_with(&mut self, modifiers: Modifiers, key: egui::Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.harness.run_steps(3);
    }

    pub(super) fn click(&mut self, label: &str) {
        self.harness.get_by_label(label).click();
        self.harness.run_steps(3);
    }

    pub(super) fn sees(&self, text: &str) -> bool {
        self.harness.query_all_by_label_contains(text).next().is_some()
    }

    /// The pointer is pressed at one place of the view, goes to another and is let go of; shares of the view.
    pub(super) fn drag(&mut self, button: PointerButton, from: [f32; 2], to: [f32; 2]) {
        let view = self.view();
        let at = |[x, y]: [f32; 2]| view.min + Vec2::new(x, y) * view.size();
        let pressed =
            |pos, pressed| egui::Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
        self.harness.hover_at(at(from));
        self.harness.step();
        self.harness.event(pressed(at(from), true));
        self.harness.step();
        for i in 1..=6 {
            let share = i as f32 / 6.0;
            self.harness.hover_at(at([0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]))));
            self.harness.step();
        }
        self.harness.event(pressed(at(to), false));
        self.harness.run_steps(2);
    }

    /// Where the view is in the window.
    pub(super) fn view(&self) -> egui::Rect {
        self.harness.get_by_label("View of the scene").rect()
    }

    /// The scene pauses, and stays at a step.
    pub(super) fn pause(&mut self) {
        if self.shown().playing {
            self.press(egui::Key::Space);
        }
        self.until("it pauses", |studio| studio.shown.as_ref().is_some_and(|shown| !shown.playing));
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        let out = self.folder.path().join("out");
        let entries = std::fs::read_dir(out).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }
}

/// A file that is dropped onto the window.
#[derive(Debug)]
pub(super) struct Dropped(pub PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}
