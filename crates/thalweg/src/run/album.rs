//! The pictures of a run: frames while it goes on, a video of them, and what it looks like at the end.

use super::RunOptions;
use super::pace::Pace;
use super::pictures::{Frames, Pictures};
use super::progress::Watcher;
use super::recorder::{Ending, Recorder};
use crate::draw;
use crate::state::State;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use thalweg_field::Snapshot;
use thalweg_io::{WriteError, atomic};
use thalweg_render::{MapStyle, Picture, ReliefStyle, before_after, map, relief};

/// Longer side of a picture of the whole terrain [pixels].
const SIDE: usize = 1024;

/// All pictures of a run.
pub struct Album {
    out: PathBuf,
    /// What draws the view and the frames, if there is room for them.
    pictures: Option<Pictures>,
    frames: Frames,
}

impl Album {
    /// Sets up what draws, if the scene asks for pictures.
    pub fn new(state: &State, options: &RunOptions, watcher: &mut dyn Watcher) -> Option<Self> {
        let scene = state.scene();
        if !scene.output.pictures && Pace::of(scene).is_none() {
            return None;
        }
        let pictures = Pictures::new(state, options.max_bytes, watcher);
        let frames = Frames::new(&options.out, state, pictures.as_ref());
        Some(Self { out: options.out.clone(), pictures, frames })
    }
}

impl Recorder for Album {
    fn name(&self) -> &'static str {
        "frames"
    }

    fn due_in(&self, state: &State) -> u64 {
        self.frames.due_in(state)
    }

    fn is_due(&self, state: &State) -> bool {
        self.frames.is_due(state)
    }

    fn write(&mut self, state: &mut State, watcher: &mut dyn Watcher) -> Result<(), WriteError> {
        match &mut self.pictures {
            Some(pictures) => self.frames.draw(state, pictures, watcher),
            None => Ok(()),
        }
    }

    fn rewind(&mut self) {
        self.frames.rewind();
    }

    fn finish(&mut self, ending: &mut Ending) -> Result<Vec<PathBuf>, WriteError> {
        let Ending { state, snapshot, timings, watcher } = ending;
        let mut files = self.frames.written();
        files.extend(timings.of("video", || self.frames.film(&self.out, *watcher)));
        if state.scene().output.pictures {
            let drawn = timings.of("pictures", || {
                watcher.busy("drawing", 0, 2);
                let pictures = self.pictures.as_mut();
                let view = pictures.and_then(|pictures| pictures.view(snapshot, state, *watcher));
                watcher.busy("drawing", 1, 2);
                draw_pictures(&self.out, state, snapshot, view, watcher.stopping())
            })?;
            // None if it was told to stop, as the driver will see.
            files.extend(drawn.into_iter().flatten());
        }
        Ok(files)
    }
}

fn write_picture(path: PathBuf, picture: &Picture) -> Result<PathBuf, WriteError> {
    draw::write_picture(&path, picture)?;
    Ok(path)
}

/// Draws the terrain before and after, each with the water that stands on it, and where ground was lost and gained;
/// `view` is that of the landscape. `None` if `stop` was set before all of them were there.
fn draw_pictures(
    out: &Path,
    state: &State,
    end: &Snapshot,
    view: Option<Picture>,
    stop: Option<&AtomicBool>,
) -> Result<Option<Vec<PathBuf>>, WriteError> {
    let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let folder = out.join("pictures");
    atomic::create_dir(&folder)?;
    let start = state.start();
    let top = ReliefStyle { height_range: draw::height_range(start), ..ReliefStyle::default() };
    let opening = draw::opening(state);
    let [Some(before), Some(after)] = [&opening, end].map(thalweg_render::Scene::snapshot) else {
        return Ok(Some(Vec::new()));
    };
    let [before, after] = [before, after].map(|scene| thalweg_render::Scene { stop, ..scene });
    let metres_per_pixel = start.extent()[0].max(start.extent()[1]) / SIDE as f64;
    let [before, now] = [&before, &after].map(|scene| {
        let mut picture = relief(scene, &top, SIDE);
        picture.scale_bar(metres_per_pixel);
        picture
    });
    if stopped() {
        return Ok(None);
    }
    let label = format!("after {} steps", end.step);
    let sheet = before_after(&[(&before, "before"), (&now, &label)]);
    let mut files = vec![write_picture(folder.join("before_after.png"), &sheet)?];
    if let Some(view) = view {
        files.push(write_picture(folder.join("view.png"), &view)?);
    }
    for name in ["flow", "erosion", "deposition"] {
        if let Some(field) = end.fields.iter().find(|field| field.info.name == name) {
            let picture = map(&after, field, &MapStyle::of(&field.info), SIDE);
            if stopped() {
                return Ok(None);
            }
            files.push(write_picture(folder.join(format!("{name}.png")), &picture)?);
        }
    }
    Ok(Some(files))
}
