//! The view of a run and the frames taken while it goes on, with the scene's own camera and look.

use super::folder::series;
use super::pace::Pace;
use super::recorder::Now;
use super::{VIDEOS, Watcher, saved_scene};
use crate::draw::{self, DrawError, Exposure, Film, Marks, Painter};
use crate::project::Scene;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use thalweg_field::{Heightfield, Snapshot};
use thalweg_io::{WriteError, atomic, read_png_description, read_png_rgb, write_described_png};
use thalweg_render::{Look, Picture, Shot};

/// Takes the pictures of one run.
pub(super) struct Pictures {
    painter: Painter,
    look: Look,
    shot: Shot,
    size: [usize; 2],
    marks: Marks,
    /// Whether it was said already that a picture could not be drawn.
    told: bool,
}

impl Pictures {
    /// Sets up the renderer that the scene asks for, and the camera before the ground as it is at the start: from
    /// frame to frame it keeps its place. `None` if pictures would need more memory than may be used `[bytes]`, which is
    /// said.
    pub(super) fn new(now: &Now, max_bytes: u64, watcher: &mut dyn Watcher) -> Option<Self> {
        let scene = now.scene();
        let need = scene.picture.memory();
        if need > max_bytes {
            watcher.notice(&too_large(scene.picture.size, need, max_bytes));
            return None;
        }
        let mut pictures = Self {
            painter: Painter::for_run(scene.picture.renderer),
            look: draw::coloured_by(scene.picture.look(), now.start()),
            shot: scene.camera.shot(),
            size: scene.picture.size,
            marks: Marks::of(&scene.picture),
            told: false,
        };
        pictures.settle(scene, &draw::opening(scene, now.start_ground()));
        pictures.tell(watcher);
        Some(pictures)
    }

    /// Puts the camera before what it is to show.
    fn settle(&mut self, scene: &Scene, subject: &Snapshot) {
        let resolve = self.painter.view(subject, &self.look, self.size);
        self.shot = scene.camera.shot().settled(&*resolve);
    }

    /// Hands on what the painter noticed.
    fn tell(&mut self, watcher: &mut dyn Watcher) {
        self.painter.take_notices().iter().for_each(|notice| watcher.notice(notice));
    }

    /// The view of the landscape, from where the shot begins; `None` if it could not be drawn, which is said.
    pub(super) fn view(
        &mut self,
        snapshot: &mut Snapshot,
        now: &Now,
        watcher: &mut dyn Watcher,
    ) -> Option<Picture> {
        self.settle(now.scene(), snapshot);
        let look = self.look.clone();
        self.take(snapshot, now.start(), (&look, 0.0), watcher)
    }

    /// A picture at a moment of the shot `[s]`. A run does not fail because one cannot be drawn; there is none either once
    /// the run is to stop.
    fn take(
        &mut self,
        snapshot: &mut Snapshot,
        start: &Heightfield,
        (look, time): (&Look, f32),
        watcher: &mut dyn Watcher,
    ) -> Option<Picture> {
        let look = Look { time, ..look.clone() };
        let camera = self.shot.at(time);
        let (size, marks, stop) = (self.size, &self.marks, watcher.stopping());
        let exposure = Exposure { look: &look, camera: &camera, size, marks, stop };
        let painted = draw::lay_over(snapshot, &look, Some(start))
            .map_err(DrawError::from)
            .and_then(|()| self.painter.paint(snapshot, &exposure));
        self.tell(watcher);
        let failed = painted.as_ref().err().filter(|error| !matches!(error, DrawError::Stopped));
        let complaint = failed.filter(|_| !self.told).map(DrawError::to_string);
        if let Some(complaint) = complaint {
            watcher.notice(&format!("a picture could not be drawn: {complaint}"));
            self.told = true;
        }
        painted.ok()
    }
}

/// Why there are no pictures.
fn too_large([width, height]: [usize; 2], need: u64, max_bytes: u64) -> String {
    format!(
        "no view and no frames are drawn: {width} by {height} pixels need about {} MiB, but only {} MiB may be used; \
         use a smaller picture.size or raise --max-memory",
        need.div_ceil(1 << 20),
        max_bytes >> 20
    )
}

/// Frames during the run. Each tells in its file which step it shows.
pub(super) struct Frames {
    out: PathBuf,
    folder: PathBuf,
    /// `None`: there are none.
    pace: Option<Pace>,
    /// Number of the next moment of the pace.
    next: u64,
    /// Number of the next file. It is the moment's, unless an earlier part of the run had another pace.
    number: u64,
    fps: u32,
    /// The run's look, with the range of its overlay once that is known.
    look: Option<Look>,
    /// Whether that range is written down, because the scene does not say it.
    colours_kept: bool,
}

/// What the description of a frame begins with, before the number of the step that it shows.
const STEP: &str = "step ";

/// The range of the overlay of all frames, kept beside them so that a run that goes on uses the same.
#[derive(Serialize, Deserialize)]
struct Colours {
    overlay: String,
    range: [f32; 2],
}

impl Frames {
    /// The next one is the first that a run has to draw which begins, or goes on, from here.
    pub(super) fn new(out: &Path, now: &Now, pictures: Option<&Pictures>) -> Self {
        let fps = now.scene().picture.fps;
        let (out, folder) = (out.to_owned(), out.join("frames"));
        let mut frames =
            Self { out, folder, pace: None, next: 0, number: 0, fps, look: None, colours_kept: false };
        if let (Some(pace), Some(pictures)) = (Pace::of(now.scene()), pictures) {
            frames.pace = Some(pace);
            let mut look = pictures.look.clone();
            if now.steps_taken() > 0 {
                frames.go_on(pace, now);
                frames.recall_colours(&mut look);
            }
            frames.look = Some(look);
        }
        frames
    }

    /// Goes on after the frames of the steps that are taken. At another pace than before the next moments of that pace
    /// follow them: the film does not go back.
    fn go_on(&mut self, pace: Pace, now: &Now) {
        (self.next, self.number) = (pace.first(now), self.drawn_until(now.steps_taken()));
        let same = saved_scene(&self.out).is_some_and(|before| {
            Pace::of(&before) == Some(pace) && (before.time == now.scene().time || !pace.spans_the_run())
        });
        if same {
            // One that was stopped while it was drawn is still missing.
            self.next = self.next.min(self.number);
        }
    }

    /// Frames that show the steps up to this one. Later ones come from a run that was killed after it was saved.
    fn drawn_until(&self, step: u64) -> u64 {
        let mut there = series(&self.out, "frames");
        there.sort_unstable();
        let shown = |path: &Path| read_png_description(path)?.strip_prefix(STEP)?.parse::<u64>().ok();
        let last = there.iter().rev().find(|(_, path)| shown(path).is_none_or(|shown| shown <= step));
        last.map_or(0, |(number, _)| number + 1)
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("frame_{number:06}.png"))
    }

    fn colours(&self) -> PathBuf {
        self.folder.join("colours.json")
    }

    /// Begins anew, for a run that does.
    pub(super) fn rewind(&mut self) {
        (self.next, self.number) = (0, 0);
    }

    /// Steps that can be taken until a picture might be due.
    pub(super) fn due_in(&self, now: &Now) -> u64 {
        self.pace.map_or(u64::MAX, |pace| pace.due_in(self.next, now))
    }

    /// Whether a picture is due.
    pub(super) fn is_due(&self, now: &Now) -> bool {
        self.pace.is_some_and(|pace| pace.is_due(self.next, now))
    }

    /// Draws what is due: a frame, or several where one step passes the moments of several. Those that cannot be written
    /// are passed over.
    pub(super) fn draw(
        &mut self,
        (now, shown): (&Now, &mut Snapshot),
        pictures: &mut Pictures,
        watcher: &mut dyn Watcher,
    ) -> Result<(), WriteError> {
        let drawn = self.draw_due((now, shown), pictures, watcher);
        while drawn.is_err() && self.is_due(now) {
            self.pass();
        }
        drawn
    }

    /// The next one is another.
    fn pass(&mut self) {
        (self.next, self.number) = (self.next + 1, self.number + 1);
    }

    fn draw_due(
        &mut self,
        (now, shown): (&Now, &mut Snapshot),
        pictures: &mut Pictures,
        watcher: &mut dyn Watcher,
    ) -> Result<(), WriteError> {
        let Some(pace) = self.pace else { return Ok(()) };
        atomic::create_dir(&self.folder)?;
        self.fix_colours(shown, now.start())?;
        let Some(look) = self.look.clone() else { return Ok(()) };
        let description = format!("{STEP}{}", now.steps_taken());
        while pace.is_due(self.next, now) {
            let time = self.number as f32 / self.fps as f32;
            match pictures.take(shown, now.start(), (&look, time), watcher) {
                Some(Picture { width, height, rgb }) => {
                    write_described_png(&self.path(self.number), [width, height], &rgb, &description)?;
                }
                // A run that goes on from here draws it then.
                None if watcher.cancelled() => return Ok(()),
                None => {}
            }
            self.pass();
        }
        Ok(())
    }

    /// Fixes the overlay's range as soon as there is something to see, and writes it down.
    fn fix_colours(&mut self, snapshot: &mut Snapshot, start: &Heightfield) -> Result<(), WriteError> {
        let path = self.colours();
        let Some(look) = &mut self.look else { return Ok(()) };
        // A quantity that is not there is told when the picture is drawn.
        let there = draw::lay_over(snapshot, look, Some(start)).is_ok();
        if !(there && draw::keep_colours(look, snapshot)) {
            return Ok(());
        }
        let Some(overlay) = &look.overlay else { return Ok(()) };
        let Some(range) = overlay.style.range else { return Ok(()) };
        let colours = Colours { overlay: overlay.field.to_string(), range };
        let text = serde_json::to_string(&colours).unwrap_or_default();
        atomic::write_atomic(&path, |file| file.write_all(text.as_bytes()))?;
        self.colours_kept = true;
        Ok(())
    }

    fn recall_colours(&mut self, look: &mut Look) {
        let Some(overlay) = look.overlay.as_mut().filter(|overlay| overlay.style.range.is_none()) else {
            return;
        };
        let text = std::fs::read(self.colours()).unwrap_or_default();
        let colours: Option<Colours> = serde_json::from_slice(&text).ok();
        overlay.style.range =
            colours.filter(|colours| colours.overlay == overlay.field).map(|colours| colours.range);
        self.colours_kept = overlay.style.range.is_some();
    }

    /// All files of the run's frames, also those drawn before it was stopped and resumed.
    pub(super) fn written(&self) -> Vec<PathBuf> {
        let mut files = self.pictures();
        files.extend(self.colours_kept.then(|| self.colours()));
        files
    }

    fn pictures(&self) -> Vec<PathBuf> {
        let mut drawn = series(&self.out, "frames");
        drawn.retain(|(number, _)| *number < self.number);
        drawn.sort_unstable();
        drawn.into_iter().map(|(_, path)| path).collect()
    }

    /// Makes a video of all frames; `None` if there are fewer than two, if it was told to stop, or if it cannot be made,
    /// which is said.
    pub(super) fn film(&self, watcher: &mut dyn Watcher) -> Option<PathBuf> {
        let frames = self.pictures();
        if frames.len() < 2 {
            return None;
        }
        let film = Film::new(&self.out.join(VIDEOS[0]), "png", self.fps, frames.len());
        match develop(film, &frames, watcher) {
            Ok(made) => made,
            Err(error) => {
                watcher.notice(&format!("no video was made, the frames are there: {error}"));
                None
            }
        }
    }
}

fn develop(
    mut film: Film,
    frames: &[PathBuf],
    watcher: &mut dyn Watcher,
) -> Result<Option<PathBuf>, Box<dyn std::error::Error>> {
    let mut size = None;
    for (number, path) in frames.iter().enumerate() {
        if watcher.cancelled() {
            return Ok(None);
        }
        watcher.busy("video", number, frames.len());
        let (width, height, rgb) = read_png_rgb(path, u64::MAX)?;
        let [first_width, first_height] = *size.get_or_insert([width, height]);
        if [width, height] != [first_width, first_height] {
            let name = path.file_name().unwrap_or_default().display();
            return Err(format!(
                "{name} has {width} by {height} pixels, the first frame {first_width} by {first_height}, and a video has \
                 one size"
            )
            .into());
        }
        film.push(&Picture { width, height, rgb })?;
    }
    Ok(Some(film.finish()?))
}
