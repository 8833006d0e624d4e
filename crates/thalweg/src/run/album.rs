//! The pictures of a run: frames while it goes on, a video of them, and what it looks like at the end.

use super::RunOptions;
use super::pace::Pace;
use super::pictures::{Frames, Pictures};
use super::progress::Watcher;
use super::recorder::{Ending, Now, Recorder, Shows};
use crate::draw;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use thalweg_field::Snapshot;
use thalweg_io::{WriteError, atomic};
use thalweg_render::{MapStyle, Picture, ReliefStyle, before_after, map, relief};

/// Longer side of a picture of the whole terrain `[pixels]`.
const SIDE: usize = 1024;

/// All pictures of a run.
pub(super) struct Album {
    out: PathBuf,
    /// What draws the view and the frames, if there is room for them.
    pictures: Option<Pictures>,
    frames: Frames,
    /// Whether it was said already that a picture could not be written.
    told: bool,
}

impl Album {
    /// Sets up what draws, if the scene asks for pictures.
    pub(super) fn new(now: &Now, options: &RunOptions, watcher: &mut dyn Watcher) -> Option<Self> {
        let scene = now.scene();
        if !scene.output.pictures && Pace::of(scene).is_none() {
            return None;
        }
        let pictures = Pictures::new(now, options.max_bytes, watcher);
        let frames = Frames::new(&options.out, now, pictures.as_ref());
        Some(Self { out: options.out.clone(), pictures, frames, told: false })
    }

    /// Pictures are never worth a run: one that cannot be written is told, and the run goes on.
    fn tell(&mut self, error: &WriteError, watcher: &mut dyn Watcher) {
        if !std::mem::replace(&mut self.told, true) {
            watcher.notice(&format!("pictures are missing: {error}"));
        }
    }

    /// Writes the pictures of the end; those that can be.
    fn write_all(&mut self, pictures: &[(&'static str, Picture)], watcher: &mut dyn Watcher) -> Vec<PathBuf> {
        let folder = self.out.join("pictures");
        if let Err(error) = atomic::create_dir(&folder) {
            self.tell(&error, watcher);
            return Vec::new();
        }
        let mut files = Vec::new();
        for (name, picture) in pictures {
            let path = folder.join(format!("{name}.png"));
            match draw::write_picture(&path, picture) {
                Ok(()) => files.push(path),
                Err(error) => self.tell(&error, watcher),
            }
        }
        files
    }
}

impl Recorder for Album {
    fn name(&self) -> &'static str {
        "frames"
    }

    fn due_in(&self, now: &Now) -> u64 {
        self.frames.due_in(now)
    }

    fn is_due(&self, now: &Now) -> bool {
        self.frames.is_due(now)
    }

    fn shows(&self) -> Shows {
        Shows::Scenery
    }

    fn write(
        &mut self,
        now: &Now,
        shown: &mut Snapshot,
        watcher: &mut dyn Watcher,
    ) -> Result<(), WriteError> {
        let Some(pictures) = &mut self.pictures else { return Ok(()) };
        if let Err(error) = self.frames.draw((now, shown), pictures, watcher) {
            self.tell(&error, watcher);
        }
        Ok(())
    }

    fn rewind(&mut self) {
        self.frames.rewind();
    }

    fn finish(&mut self, ending: &mut Ending) -> Result<Vec<PathBuf>, WriteError> {
        let Ending { now, snapshot, timings, watcher } = ending;
        let mut files = self.frames.written();
        files.extend(timings.of("video", || self.frames.film(*watcher)));
        if now.scene().output.pictures {
            let drawn = timings.of("pictures", || {
                watcher.busy("drawing", 0, 2);
                let pictures = self.pictures.as_mut();
                let view = pictures.and_then(|pictures| pictures.view(snapshot, now, *watcher));
                watcher.busy("drawing", 1, 2);
                draw_pictures(now, snapshot, view, watcher.stopping())
            });
            // None if it was told to stop, as the driver will see.
            files.extend(timings.of("pictures", || self.write_all(&drawn.unwrap_or_default(), *watcher)));
        }
        Ok(files)
    }
}

/// Draws the terrain before and after, each with the water that stands on it, and where ground was lost and gained;
/// `view` is that of the landscape. All of them by name; `None` if `stop` was set before they were there.
fn draw_pictures(
    now: &Now,
    end: &Snapshot,
    view: Option<Picture>,
    stop: Option<&AtomicBool>,
) -> Option<Vec<(&'static str, Picture)>> {
    let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let start = now.start();
    let top = ReliefStyle { height_range: draw::height_range(start), ..ReliefStyle::default() };
    let opening = draw::opening(now.scene(), now.start_ground());
    let [Some(before), Some(after)] = [&opening, end].map(thalweg_render::Scene::snapshot) else {
        return Some(Vec::new());
    };
    let [before, after] = [before, after].map(|scene| thalweg_render::Scene { stop, ..scene });
    let metres_per_pixel = start.extent()[0].max(start.extent()[1]) / SIDE as f64;
    let [before, now] = [&before, &after].map(|scene| {
        let mut picture = relief(scene, &top, SIDE);
        picture.scale_bar(metres_per_pixel);
        picture
    });
    let label = format!("after {} steps", end.step);
    let mut pictures = vec![("before_after", before_after(&[(&before, "before"), (&now, &label)]))];
    pictures.extend(view.map(|view| ("view", view)));
    for name in ["flow", "erosion", "deposition"] {
        if let Some(field) = end.fields.iter().find(|field| field.info.name == name) {
            pictures.push((name, map(&after, field, &MapStyle::of(&field.info), SIDE)));
        }
        if stopped() {
            return None;
        }
    }
    Some(pictures)
}
