//! `thalweg render`: pictures of terrains, runs, scenes, particles and meshes.

mod camera;
mod order;
mod subject;

use super::{memory_limit, within_memory};
use crate::Failure;
use crate::args::RenderArgs;
use crate::watch::Watch;
use order::Order;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use subject::Subject;
use thalweg::draw::{self, DrawError, Exposure, Film, Marks, Painter};
use thalweg::field::Snapshot;
use thalweg::project::OverlayTable;
use thalweg::render::{Camera, Look, Picture, Shot, before_after, contact_sheet};
use thalweg::run::Watcher;

/// `thalweg render`
pub fn render(args: &RenderArgs) -> Result<(), Failure> {
    let moving = is_moving(args)?;
    let order = Order::new(args)?;
    let picture = &order.scene.picture;
    let ([width, height], limit) = (picture.size, memory_limit(args.reading.max_memory));
    let need = draw::memory(picture.size, picture.supersampling);
    within_memory(&format!("{width} by {height} pixels"), need, limit, "use a smaller --size")?;
    // Before anything runs for long.
    let painter = Painter::new(picture.renderer).map_err(Failure::run)?;
    let mut watch = Watch::new(args.quiet);
    let subject = Subject::load(args, &order, limit, &mut watch)?;
    let mut studio = Studio::new(painter, &order, subject, watch.stop());
    let written = if moving {
        studio.film(args, &mut watch)
    } else {
        let picture = match args {
            RenderArgs { before_after: true, .. } => studio.before_after(),
            RenderArgs { sheet: true, .. } => studio.sheet(),
            _ => studio.view(),
        };
        picture.and_then(|picture| {
            draw::write_picture(&args.output, &picture).map_err(Failure::run)?;
            Ok(args.output.clone())
        })
    };
    watch.finish();
    studio.painter.take_notices().iter().for_each(|notice| remark!("note: {notice}"));
    say!("{}", written?.display());
    Ok(())
}

/// Whether the picture moves; what is neither a picture nor a moving one is refused.
fn is_moving(args: &RenderArgs) -> Result<bool, Failure> {
    let path = &args.output;
    let moving = draw::is_film(path) || draw::is_png(path) && args.frames.is_some();
    let wrong = if !(moving || draw::is_picture(path)) {
        "pictures are written as .png or .jpg, moving ones as .mp4 or .apng"
    } else if moving && (args.before_after || args.sheet) {
        "--before-after and --sheet do not move; write them as .png or .jpg"
    } else if !moving && args.frames.is_some() {
        "--frames is for moving pictures; write them as .mp4, .apng or .png"
    } else {
        return Ok(moving);
    };
    Err(Failure::usage(format!("{}: {wrong}", path.display())))
}

/// Water of a tank is as clear to the eye as a lake's: what is deep depends on the size of the whole.
fn for_small_worlds(mut look: Look, subject: &Snapshot) -> Look {
    /// Depth at which the far side has vanished, in widths [-].
    const DEEP: f32 = 0.5;
    let points = subject.points.iter().flat_map(|points| &points.positions);
    let places = points.chain(subject.meshes.iter().flat_map(|mesh| &mesh.mesh.positions));
    let start = [f32::INFINITY, f32::NEG_INFINITY];
    let [low, high] = places.fold(start, |[low, high], place| [low.min(place[0]), high.max(place[0])]);
    if subject.field("height").is_none() && low < high {
        look.relief.water_deep = look.relief.water_deep.min(DEEP * (high - low));
    }
    look
}

/// Everything that a picture needs.
struct Studio {
    painter: Painter,
    subject: Subject,
    look: Look,
    marks: Marks,
    shot: Shot,
    size: [usize; 2],
    fps: u32,
    /// Set once nothing is to be drawn any more.
    stop: Arc<AtomicBool>,
}

impl Studio {
    fn new(painter: Painter, order: &Order, subject: Subject, stop: Arc<AtomicBool>) -> Self {
        let picture = &order.scene.picture;
        // As in a run: colours are those of the start, whatever became of it.
        let look = match &subject.start {
            Some(start) => draw::coloured_by(picture.look(), start),
            None => for_small_worlds(picture.look(), &subject.now),
        };
        let resolve = painter.view(&subject.now, &look, picture.size);
        let shot = order.scene.camera.shot().settled(&*resolve);
        let (size, fps, marks) = (picture.size, picture.fps, Marks::of(picture));
        Self { painter, subject, look, marks, shot, size, fps, stop }
    }

    fn view(&mut self) -> Result<Picture, Failure> {
        let (look, camera) = (self.look.clone(), self.shot.at(0.0));
        self.paint(&look, &camera, self.size)
    }

    fn paint(&mut self, look: &Look, camera: &Camera, size: [usize; 2]) -> Result<Picture, Failure> {
        let Subject { now, start } = &mut self.subject;
        draw::lay_over(now, look, start.as_ref()).map_err(Failure::usage)?;
        let exposure = Exposure { look, camera, size, marks: &self.marks, stop: Some(&self.stop) };
        self.painter.paint(now, &exposure).map_err(refused)
    }

    /// The start, as bare ground, beside the present state.
    fn before_after(&mut self) -> Result<Picture, Failure> {
        let Some(start) = &self.subject.start else {
            let message = "--before-after needs a run, or a scene with --step: here is only one state";
            return Err(Failure::usage(message));
        };
        let look = Look { overlay: None, ..self.look.clone() };
        let camera = self.shot.at(0.0);
        let (size, marks, stop) = (self.size, &self.marks, Some(&*self.stop));
        let exposure = Exposure { look: &look, camera: &camera, size, marks, stop };
        let before = self.painter.paint(&draw::bare(start), &exposure).map_err(refused)?;
        let after = self.view()?;
        let label = format!("after {} steps", self.subject.now.step);
        Ok(before_after(&[(&before, "before"), (&after, &label)]))
    }

    /// From above, the view, and each quantity from above.
    fn sheet(&mut self) -> Result<Picture, Failure> {
        let [width, height] = self.size;
        let size = [width.div_ceil(SHEET_COLUMNS), height.div_ceil(SHEET_COLUMNS)];
        let look = self.look.clone();
        let plain = Look { overlay: None, ..look.clone() };
        let mut pictures = Vec::new();
        if self.subject.now.field("height").is_some() {
            pictures.push(("from above".to_owned(), self.paint(&plain, &Camera::Top, size)?));
        }
        let camera = self.shot.at(0.0);
        pictures.push(("view".to_owned(), self.paint(&look, &camera, size)?));
        for name in ["flow", "speed", "erosion-deposition", "slope", "sediment", "wetness"] {
            let look = Look { overlay: Some(OverlayTable::named(name).overlay()), ..look.clone() };
            if draw::lay_over(&mut self.subject.now, &look, self.subject.start.as_ref()).is_ok() {
                pictures.push((name.to_owned(), self.paint(&look, &Camera::Top, size)?));
            }
        }
        let labelled: Vec<_> = pictures.iter().map(|(name, picture)| (picture, name.as_str())).collect();
        Ok(contact_sheet(&labelled, Some(SHEET_COLUMNS)))
    }

    /// A moving picture of the shot; a camera that would stand still goes around.
    fn film(&mut self, args: &RenderArgs, watch: &mut Watch) -> Result<PathBuf, Failure> {
        let frames = args.frames.map_or_else(
            || (self.shot.duration() * self.fps as f32).round().max(2.0) as usize,
            |frames| frames as usize,
        );
        let mut film = Film::new(&args.output, "apng", self.fps, frames);
        if film.path() != args.output {
            let (asked, made) = (args.output.display(), film.path().display());
            remark!(
                "note: {asked} needs the program ffmpeg, which was not found; {made}, an animated PNG, is made instead"
            );
        }
        let Subject { now, start } = &mut self.subject;
        draw::lay_over(now, &self.look, start.as_ref()).map_err(Failure::usage)?;
        let mut model = self.painter.model(now, &self.look).map_err(refused)?;
        for (number, time) in self.shot.moments(frames).enumerate() {
            let look = Look { time: number as f32 / self.fps as f32, ..self.look.clone() };
            let camera = self.shot.at(time);
            let (size, marks, stop) = (self.size, &self.marks, Some(&*self.stop));
            let exposure = Exposure { look: &look, camera: &camera, size, marks, stop };
            let picture = self.painter.paint_model(now, &mut model, &exposure).map_err(refused)?;
            film.push(&picture).map_err(Failure::run)?;
            watch.frames(number + 1, frames);
            if watch.cancelled() {
                return Err(Failure::run(format!("stopped after frame {number}; nothing was written")));
            }
        }
        film.finish().map_err(Failure::run)
    }
}

/// Pictures beside each other on a sheet.
const SHEET_COLUMNS: usize = 3;

/// A quantity that is not there was asked for; the rest is the machine's fault.
fn refused(error: DrawError) -> Failure {
    match error {
        DrawError::NoField(_) => Failure::usage(error),
        DrawError::Stopped => Failure::run("stopped while drawing; nothing was written"),
        DrawError::Gpu(_) => Failure::run(error),
    }
}
