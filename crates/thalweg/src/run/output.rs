//! The files a run leaves behind.

use crate::project::Scene;
use crate::state::State;
use std::io::Write;
use std::path::{Path, PathBuf};
use thalweg_field::{Heightfield, Snapshot};
use thalweg_io::{WriteError, atomic, write_map, write_png_rgb};
use thalweg_render::{Camera, MapStyle, Picture, ReliefStyle, before_after, map, perspective, relief};

/// Longer side of a picture of the whole terrain [pixels].
const SIDE: usize = 1024;
/// Width and height of the view of the landscape [pixels].
const VIEW: [usize; 2] = [1600, 900];

/// Writes the scene as it runs, defaults filled in.
pub fn write_scene(out: &Path, scene: &Scene) -> Result<(), WriteError> {
    let text = toml::to_string_pretty(scene).expect("a scene that was read can be written");
    atomic::write_atomic(&out.join("scene.toml"), |file| file.write_all(text.as_bytes()))
}

/// Writes the height, and every other field into `maps/`.
pub fn write_maps(out: &Path, snapshot: &Snapshot, maps: bool) -> Result<Vec<PathBuf>, WriteError> {
    let mut files = Vec::new();
    if maps {
        atomic::create_dir(&out.join("maps"))?;
    }
    for field in &snapshot.fields {
        if field.info.name == "height" {
            files.extend(write_map(&out.join("height"), field, &snapshot.frame)?);
        } else if maps {
            files.extend(write_map(&out.join("maps").join(field.info.name), field, &snapshot.frame)?);
        }
    }
    Ok(files)
}

fn write_picture(path: PathBuf, picture: &Picture) -> Result<PathBuf, WriteError> {
    write_png_rgb(&path, picture.width, picture.height, &picture.rgb)?;
    Ok(path)
}

/// A style whose colours mean the same heights before and after.
fn style(start: &Heightfield, style: ReliefStyle) -> ReliefStyle {
    let range = start.height.range().map(|(low, high)| [low, high.max(low + 1.0)]);
    ReliefStyle { height_range: range, ..style }
}

/// Draws the terrain before and after, a view of the landscape, and where ground was lost and gained.
pub fn draw_pictures(out: &Path, start: &Heightfield, end: &Snapshot) -> Result<Vec<PathBuf>, WriteError> {
    let folder = out.join("pictures");
    atomic::create_dir(&folder)?;
    let top = style(start, ReliefStyle::default());
    let before = thalweg_render::Scene::ground(start);
    let Some(after) = thalweg_render::Scene::snapshot(end) else { return Ok(Vec::new()) };
    let metres_per_pixel = start.extent()[0].max(start.extent()[1]) / SIDE as f64;
    let [before, now] = [&before, &after].map(|scene| {
        let mut picture = relief(scene, &top, SIDE);
        picture.scale_bar(metres_per_pixel);
        picture
    });
    let label = format!("after {} steps", end.step);
    let view = perspective(&after, &style(start, ReliefStyle::side_lit()), &Camera::default(), VIEW);
    let mut files = vec![
        write_picture(
            folder.join("before_after.png"),
            &before_after(&[(&before, "before"), (&now, &label)]),
        )?,
        write_picture(folder.join("view.png"), &view)?,
    ];
    for name in ["flow", "erosion", "deposition"] {
        if let Some(field) = end.fields.iter().find(|field| field.info.name == name) {
            let picture = map(&after, field, &MapStyle::of(&field.info), SIDE);
            files.push(write_picture(folder.join(format!("{name}.png")), &picture)?);
        }
    }
    Ok(files)
}

/// Pictures during the run.
pub struct Frames {
    folder: PathBuf,
    every: u64,
    next: u64,
    written: Vec<PathBuf>,
}

impl Frames {
    pub fn new(out: &Path, every: u64, state: &mut State) -> Result<Self, WriteError> {
        let folder = out.join("frames");
        let mut frames = Self { folder, every, next: u64::MAX, written: Vec::new() };
        if every > 0 {
            atomic::create_dir(&frames.folder)?;
            frames.next = state.steps_taken().next_multiple_of(every);
            frames.draw_if_due(state)?;
        }
        Ok(frames)
    }

    pub fn draw_if_due(&mut self, state: &mut State) -> Result<(), WriteError> {
        if state.steps_taken() < self.next {
            return Ok(());
        }
        let number = self.next / self.every;
        self.next += self.every;
        let style = style(state.start(), ReliefStyle::default());
        let snapshot = state.snapshot();
        if let Some(scene) = thalweg_render::Scene::snapshot(&snapshot) {
            let picture = relief(&scene, &style, SIDE);
            self.written.push(write_picture(self.folder.join(format!("frame_{number:06}.png")), &picture)?);
        }
        Ok(())
    }

    pub fn written(self) -> Vec<PathBuf> {
        self.written
    }
}
