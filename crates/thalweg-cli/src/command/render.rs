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
use thalweg::project::{OverlayTable, WaterTable};
use thalweg::render::{Camera, Look, Picture, Shot, before_after, full_sheet};
use thalweg::run::Watcher;

/// `thalweg render`
pub(crate) fn render(args: &RenderArgs) -> Result<(), Failure> {
    let moving = is_moving(args)?;
    let order = Order::new(args)?;
    let picture = &order.scene.picture;
    let ([width, height], limit) = (picture.size, memory_limit(args.reading.source.max_memory));
    let need = picture.memory();
    within_memory(&format!("{width} by {height} pixels"), need, limit, "use a smaller --size")?;
    // Before anything runs for long.
    let painter = Painter::new(picture.renderer).map_err(Failure::run)?;
    let mut watch = Watch::new(args.quiet);
    let subject = Subject::load(args, &order, limit, &mut watch)?;
    let mut studio = Studio::new(painter, &order, subject, args, watch.stop());
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
    let moving = draw::is_film(path) || draw::is_png(path) && args.moves();
    let wrong = if !(moving || draw::is_picture(path)) {
        "pictures are written as .png or .jpg, moving ones as .mp4 or .apng"
    } else if moving && (args.before_after || args.sheet) {
        "--before-after and --sheet do not move; write them as .png or .jpg"
    } else if !moving && args.moves() {
        "--frames and --video are for moving pictures; write them as .mp4, .apng or .png"
    } else {
        return Ok(moving);
    };
    Err(Failure::usage(format!("{}: {wrong}", path.display())))
}

/// The look of what a file holds. Water is as clear and as muddy to the eye as suits it, unless the options say: that of
/// particles as in a run of them, and of a mesh by the size of the whole.
fn for_a_file(mut look: Look, subject: &Snapshot, args: &RenderArgs) -> Look {
    /// Depth at which the far side of a mesh has vanished, in widths `[-]`.
    const DEEP: f32 = 0.5;
    let asked = |key: &str| args.look.iter().any(|look| look.trim_start().starts_with(key));
    let places = || subject.meshes.iter().flat_map(|mesh| &mesh.mesh.positions);
    let [low, high] = places().fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], place| {
        [low.min(place[0]), high.max(place[0])]
    });
    let [clear, muddy] = match &subject.points {
        Some(points) => WaterTable::usual(Some(2.0 * f64::from(points.radius))).map(|v| v as f32),
        None if low < high => [look.relief.water_deep.min(DEEP * (high - low)), look.water.muddy],
        None => return look,
    };
    if !asked("water.clear_depth") {
        look.relief.water_deep = clear;
    }
    if !asked("water.muddy") {
        look.water.muddy = muddy;
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
    fn new(
        painter: Painter,
        order: &Order,
        subject: Subject,
        args: &RenderArgs,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let picture = &order.scene.picture;
        // As in a run: colours are those of the start, whatever became of it.
        let look = match &subject.start {
            Some(start) => draw::coloured_by(picture.look(), start),
            None => for_a_file(picture.look(), &subject.now, args),
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
        let Subject { now, start, .. } = &mut self.subject;
        draw::lay_over(now, look, start.as_ref()).map_err(Failure::usage)?;
        let exposure = Exposure { look, camera, size, marks: &self.marks, stop: Some(&self.stop) };
        self.painter.paint(now, &exposure).map_err(refused)
    }

    /// The start, with the water that stood there, beside the present state.
    fn before_after(&mut self) -> Result<Picture, Failure> {
        let Some(before) = &self.subject.before else {
            let message = "--before-after needs a run, or a scene with --step: here is only one state";
            return Err(Failure::usage(message));
        };
        let look = Look { overlay: None, ..self.look.clone() };
        let camera = self.shot.at(0.0);
        let (size, marks, stop) = (self.size, &self.marks, Some(&*self.stop));
        let exposure = Exposure { look: &look, camera: &camera, size, marks, stop };
        let before = self.painter.paint(before, &exposure).map_err(refused)?;
        let after = self.view()?;
        let label = format!("after {} steps", self.subject.now.step);
        Ok(before_after(&[(&before, "before"), (&after, &label)]))
    }

    /// From above, the view, and each quantity from above, on a sheet as wide as the picture would be.
    fn sheet(&mut self) -> Result<Picture, Failure> {
        let [width, height] = self.size;
        // Large enough for any row; from above, a narrow terrain is high.
        let [half, tall] = [[width.div_ceil(2), height.div_ceil(2)], [width.div_ceil(2), height]];
        let look = self.look.clone();
        let plain = Look { overlay: None, ..look.clone() };
        let mut pictures = Vec::new();
        if self.subject.now.field("height").is_some() {
            pictures.push(("from above".to_owned(), self.paint(&plain, &Camera::Top, tall)?));
        }
        let camera = self.shot.at(0.0);
        pictures.push(("view".to_owned(), self.paint(&look, &camera, half)?));
        for name in ["flow", "speed", "erosion-deposition", "slope", "sediment", "wetness"] {
            let look = Look { overlay: Some(OverlayTable::named(name).overlay()), ..look.clone() };
            if draw::lay_over(&mut self.subject.now, &look, self.subject.start.as_ref()).is_ok() {
                pictures.push((name.to_owned(), self.paint(&look, &Camera::Top, tall)?));
            }
        }
        let labelled: Vec<_> = pictures.iter().map(|(name, picture)| (picture, name.as_str())).collect();
        Ok(full_sheet(&labelled, width))
    }

    /// Frames of a moving picture: as many as asked for, or as its length or that of the shot takes.
    fn frame_count(&self, args: &RenderArgs) -> Result<usize, Failure> {
        const MOST: f64 = 100_000.0;
        if let Some(frames) = args.frames {
            return Ok(frames as usize);
        }
        let seconds = args.video.unwrap_or(f64::from(self.shot.duration()));
        let frames = (seconds * f64::from(self.fps)).round();
        if args.video.is_some() && !(2.0..=MOST).contains(&frames) {
            let message = format!(
                "--video is {seconds} s, {frames} frames at {} in each second; a film has between 2 and {MOST}",
                self.fps
            );
            return Err(Failure::usage(message));
        }
        Ok(frames.max(2.0) as usize)
    }

    /// A moving picture of the shot; a camera that would stand still goes around.
    fn film(&mut self, args: &RenderArgs, watch: &mut Watch) -> Result<PathBuf, Failure> {
        let frames = self.frame_count(args)?;
        let mut film = Film::new(&args.output, "apng", self.fps, frames);
        if film.path() != args.output {
            let (asked, made) = (args.output.display(), film.path().display());
            remark!(
                "note: {asked} needs the program ffmpeg, which was not found; {made}, an animated PNG, is made instead"
            );
        }
        let Subject { now, start, .. } = &mut self.subject;
        draw::lay_over(now, &self.look, start.as_ref()).map_err(Failure::usage)?;
        let mut model = self.painter.model(now, &self.look).map_err(refused)?;
        for (number, time) in self.shot.moments(frames).enumerate() {
            let look = Look { time: number as f32 / self.fps as f32, ..self.look.clone() };
            let camera = self.shot.at(time);
            let (size, marks, stop) = (self.size, &self.marks, Some(&*self.stop));
            let exposure = Exposure { look: &look, camera: &camera, size, marks, stop };
            let picture = self.painter.paint_model(now, &mut model, &exposure).map_err(refused)?;
            film.push(&picture).map_err(Failure::run)?;
            watch.busy("drawing frames", number + 1, frames);
            if watch.cancelled() {
                return Err(Failure::run(format!("stopped after frame {number}; nothing was written")));
            }
        }
        film.finish().map_err(Failure::run)
    }
}

/// A quantity or a body that is not there was asked for; the rest is the machine's fault.
fn refused(error: DrawError) -> Failure {
    match error {
        DrawError::NoField(_) | DrawError::NoBody { .. } => Failure::usage(error),
        DrawError::Stopped => Failure::run("stopped while drawing; nothing was written"),
        DrawError::Gpu(_) => Failure::run(error),
    }
}
