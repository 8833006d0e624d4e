//! The files a run leaves behind.

use crate::draw;
use crate::project::{Project, Scene};
use crate::state::State;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use thalweg_field::{Heightfield, Snapshot};
use thalweg_io::{WriteError, WriteOptions, atomic, write_heightfield, write_map};
use thalweg_render::{MapStyle, Picture, ReliefStyle, before_after, map, relief};

/// Longer side of a picture of the whole terrain [pixels].
const SIDE: usize = 1024;

/// The video of all frames: as it should be, and as an animated PNG where no video can be made.
pub const VIDEOS: [&str; 2] = ["frames.mp4", "frames.png"];

/// The first words of every scene that a run writes.
const WRITTEN: &str = "# Written by thalweg";

/// Where the files that a scene reads are kept.
const INPUTS: &str = "inputs";

/// What a run writes beside checkpoints, and may therefore overwrite.
const OWN: [&str; 12] = [
    "scene.toml",
    "report.json",
    "height.png",
    "height.exr",
    "height.thalweg.json",
    "maps",
    "pictures",
    "frames",
    "particles",
    "mesh",
    VIDEOS[0],
    VIDEOS[1],
];

/// Whether a scene's text is one that a run wrote into its folder.
pub fn is_written(scene: &str) -> bool {
    scene.starts_with(WRITTEN)
}

/// The first file of the user's own that a run into `out` would overwrite: the scene, or what it reads.
pub fn endangered(project: &Project, out: &Path) -> Option<PathBuf> {
    let out = out.canonicalize().ok()?;
    let hit = |file: &Path| {
        let file = file.canonicalize().ok()?;
        let within = file.strip_prefix(&out).ok()?.components().next()?;
        OWN.iter().any(|own| within.as_os_str() == *own).then_some(file.clone())
    };
    let scene = project.file().filter(|_| !is_written(project.text()));
    scene.and_then(hit).or_else(|| {
        let mut scene = project.scene.clone();
        scene.files_mut().into_iter().find_map(|(_, file)| hit(&project.folder.join(file)))
    })
}

/// Writes the scene as it runs, defaults filled in, and beside it what it reads: it can be run again from there.
pub fn write_scene(out: &Path, project: &Project, scene: &Scene) -> Result<Vec<PathBuf>, WriteError> {
    let mut scene = scene.clone();
    let mut written = vec![out.join("scene.toml")];
    for (_, file) in scene.files_mut() {
        let from = project.folder.join(&file);
        if !Path::new(file).starts_with(INPUTS) {
            *file = format!("{INPUTS}/{file}");
        }
        // A heightmap may have its description beside it.
        for from in [from.with_extension("thalweg.json"), from] {
            let to = out.join(&file).with_file_name(from.file_name().unwrap_or_default());
            let same = to.canonicalize().is_ok_and(|to| from.canonicalize().is_ok_and(|from| from == to));
            if from.is_file() && !written.contains(&to) {
                if !same {
                    copy(&from, &to)?;
                }
                written.push(to);
            }
        }
    }
    let text = toml::to_string_pretty(&scene).expect("a scene that was read can be written");
    let version = env!("CARGO_PKG_VERSION");
    atomic::write_atomic(&written[0], |file| {
        writeln!(file, "{WRITTEN} {version}: what ran, with every default filled in.")?;
        file.write_all(text.as_bytes())
    })?;
    Ok(written)
}

fn copy(from: &Path, to: &Path) -> Result<(), WriteError> {
    atomic::create_dir(to.parent().unwrap_or(Path::new(".")))?;
    atomic::write_atomic(to, |file| std::io::copy(&mut std::fs::File::open(from)?, file).map(drop))
}

/// Writes the height, and every other field into `maps/`.
pub fn write_maps(out: &Path, snapshot: &Snapshot, maps: bool) -> Result<Vec<PathBuf>, WriteError> {
    let mut files = Vec::new();
    if maps {
        atomic::create_dir(&out.join("maps"))?;
    }
    for field in &snapshot.fields {
        if field.info.name == "height" {
            // A terrain like any other: it can be read again, by us and by others, with its range beside it.
            let ground = Heightfield { height: field.values.clone(), frame: snapshot.frame.clone() };
            for name in ["height.png", "height.exr"] {
                write_heightfield(&out.join(name), &ground, &WriteOptions::default())?;
                files.push(out.join(name));
            }
            files.push(out.join("height.thalweg.json"));
        } else if maps {
            files.extend(write_map(&out.join("maps").join(&*field.info.name), field, &snapshot.frame)?);
        }
    }
    Ok(files)
}

fn write_picture(path: PathBuf, picture: &Picture) -> Result<PathBuf, WriteError> {
    draw::write_picture(&path, picture)?;
    Ok(path)
}

/// Draws the terrain before and after, each with the water that stands on it, and where ground was lost and gained;
/// `view` is that of the landscape. `None` if `stop` was set before all of them were there.
pub fn draw_pictures(
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
