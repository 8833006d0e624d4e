//! Which renderer draws.

use super::Marks;
use super::overlay::{NoField, ranged};
use crate::project::RendererChoice;
use crate::whitewater::with_whitewater;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use thalweg_field::{Column, Points, Snapshot};
use thalweg_gpu::{Breadth, Candidate, Choice, Gpu, GpuError};
use thalweg_render::gpu::{Renderer, World};
use thalweg_render::{Camera, Cut, Extent, Look, ParticleShape, Picture, Scene, View, map, relief, sketch};

/// Why there is no picture.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DrawError {
    /// The graphics device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// Nobody waits for it any more.
    #[error("stopped while drawing")]
    Stopped,
    /// The camera belongs to a body that is not there.
    #[error("the camera belongs to \"{name}\", and no body has that name; {}", there(known))]
    NoBody {
        /// The name that the camera tells.
        name: String,
        /// The bodies that there are.
        known: Vec<String>,
    },
    /// The quantity to be shown is not there.
    #[error(transparent)]
    NoField(#[from] NoField),
}

/// The bodies that there are, as an error tells them.
fn there(known: &[String]) -> String {
    if known.is_empty() { "there are no bodies".into() } else { format!("there is {}", known.join(", ")) }
}

/// One picture to take of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Exposure<'a> {
    /// Light, air, water, overlay.
    pub look: &'a Look,
    /// Where from.
    pub camera: &'a Camera,
    /// Columns and rows `[px]`; from the top, the terrain's shape is fitted into them.
    pub size: [usize; 2],
    /// What stands around the landscape.
    pub marks: &'a Marks,
    /// Set by whoever wants no picture any more; the processor then stops within a moment.
    pub stop: Option<&'a AtomicBool>,
}

/// A snapshot where it is drawn: on the graphics device, if that draws.
#[derive(Debug)]
pub struct Model(Option<World>);

/// Tells the view that a camera has of something.
pub type Resolve = Box<dyn Fn(&Camera) -> View>;

/// Draws snapshots. Holds the renderer, which is made once.
#[derive(Debug)]
pub struct Painter {
    engine: Engine,
    /// Whether the processor may take over.
    may_fall_back: bool,
    notices: Vec<String>,
    /// Whether it was said that a surface is drawn as spheres.
    told_of_spheres: bool,
}

#[derive(Debug)]
enum Engine {
    Gpu(Box<Renderer>),
    Cpu,
}

impl Painter {
    /// Sets up what is asked for. Where anything will do and there is no graphics device, the processor draws, and a
    /// notice says so.
    pub fn new(choice: RendererChoice) -> Result<Self, GpuError> {
        let mut painter = Self::with_processor(choice != RendererChoice::Gpu);
        if choice != RendererChoice::Cpu {
            painter.take_device(Renderer::choose(Breadth::First))?;
        }
        Ok(painter)
    }

    /// As `new`, for a run, which is worth more than its pictures: even where the graphics device was asked for, the
    /// processor takes over.
    pub fn for_run(choice: RendererChoice) -> Self {
        let mut painter = Self::new(choice).unwrap_or_else(|error| {
            let mut painter = Self::with_processor(true);
            painter.fall_back(&error);
            painter
        });
        painter.may_fall_back = true;
        painter
    }

    fn with_processor(may_fall_back: bool) -> Self {
        Self { engine: Engine::Cpu, may_fall_back, notices: Vec::new(), told_of_spheres: false }
    }

    fn take_device(&mut self, choice: Choice<Renderer>) -> Result<(), GpuError> {
        match choice.made {
            Ok(renderer) => {
                let passed_over = choice.candidates.iter().filter_map(Candidate::complaint);
                self.notices.extend(
                    passed_over.map(|complaint| format!("passed over the graphics adapter {complaint}")),
                );
                self.engine = Engine::Gpu(Box::new(renderer));
            }
            Err(error) if self.may_fall_back => self.fall_back(&error),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The graphics device, if that draws.
    pub fn device(&self) -> Option<&Gpu> {
        match &self.engine {
            Engine::Gpu(renderer) => Some(renderer.gpu()),
            Engine::Cpu => None,
        }
    }

    /// What was noticed since the last time somebody asked.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn fall_back(&mut self, error: &GpuError) {
        self.notices.push(format!("the processor draws, plainly: {error}"));
        self.engine = Engine::Cpu;
    }

    /// Whoever tells the views that cameras have of a snapshot, in pictures of that size. They are the same whoever
    /// draws.
    pub fn view(&self, snapshot: &Snapshot, look: &Look, size: [usize; 2]) -> Resolve {
        let (aspect, exaggeration) = (size[0] as f32 / size[1] as f32, look.relief.vertical_exaggeration);
        let mut look = Look { overlay: None, ..look.clone() };
        look.water.foam = 0.0; // it takes time, and no camera stands elsewhere for it
        let extent = Extent::of(&as_drawn(snapshot, &look));
        Box::new(move |camera| extent.view(camera, exaggeration, aspect))
    }

    /// Draws a picture. The overlay's quantity must be in the snapshot: see [`lay_over`](super::lay_over).
    pub fn paint(&mut self, snapshot: &Snapshot, exposure: &Exposure) -> Result<Picture, DrawError> {
        let mut model = self.model(snapshot, exposure.look)?;
        self.paint_model(snapshot, &mut model, exposure)
    }

    /// Brings a snapshot to where it is drawn, for several pictures of the same look.
    pub fn model(&mut self, snapshot: &Snapshot, look: &Look) -> Result<Model, DrawError> {
        match &mut self.engine {
            Engine::Cpu => Ok(Model(None)),
            Engine::Gpu(renderer) => {
                match renderer.load(&as_drawn(snapshot, look), &ranged(look, snapshot)) {
                    Ok(world) => Ok(Model(Some(world))),
                    Err(error) if self.may_fall_back => {
                        self.fall_back(&error);
                        Ok(Model(None))
                    }
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// Draws a picture of a snapshot that was brought there before.
    pub fn paint_model(
        &mut self,
        snapshot: &Snapshot,
        model: &mut Model,
        exposure: &Exposure,
    ) -> Result<Picture, DrawError> {
        if let Some(name) = exposure.camera.body().filter(|name| snapshot.body(name).is_none()) {
            let known = snapshot.bodies.iter().map(|body| body.name.to_string()).collect();
            return Err(DrawError::NoBody { name: name.into(), known });
        }
        let stopped = || exposure.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stopped() {
            return Err(DrawError::Stopped);
        }
        let look = &ranged(exposure.look, snapshot);
        let exposure = &Exposure { look, ..*exposure };
        let Exposure { camera, marks, .. } = *exposure;
        let size = fitted(snapshot, exposure);
        let aspect = size[0] as f32 / size[1] as f32;
        if let (Engine::Gpu(renderer), Some(world)) = (&mut self.engine, &mut model.0) {
            match renderer.picture(world, look, camera, size) {
                Ok(_) if stopped() => return Err(DrawError::Stopped),
                Ok(mut picture) => {
                    marks.draw(&mut picture, &world.view(camera, look, aspect), snapshot, look);
                    return Ok(picture);
                }
                Err(error) if self.may_fall_back => self.fall_back(&error),
                Err(error) => return Err(error.into()),
            }
        }
        self.tell_of_spheres(snapshot, look);
        let picture = with_cpu(&as_drawn(snapshot, look), exposure, size);
        if stopped() { Err(DrawError::Stopped) } else { Ok(picture) }
    }

    /// Says, once, that the surface asked for is none.
    fn tell_of_spheres(&mut self, snapshot: &Snapshot, look: &Look) {
        let particles = snapshot.points.as_ref().is_some_and(|points| !points.is_empty());
        if particles && look.particles.shape == ParticleShape::Surface && !self.told_of_spheres {
            self.told_of_spheres = true;
            self.notices
                .push("the processor draws particles as spheres, not as the surface of a fluid".into());
        }
    }
}

/// A snapshot with what is drawn of it. Particles, where they are drawn, are all its water: the depth that they add up to on
/// the ground would be a second surface among them. As a surface they have foam.
fn as_drawn<'a>(snapshot: &'a Snapshot, look: &Look) -> Cow<'a, Snapshot> {
    let shape = look.particles.shape;
    let Some(points) = snapshot.points.as_ref().filter(|_| shape != ParticleShape::Hidden) else {
        return Cow::Borrowed(snapshot);
    };
    let left = look.cut.filter(|_| snapshot.ground.is_some()).map(|cut| without(points, cut));
    let points = left.as_ref().unwrap_or(points);
    let foaming = shape == ParticleShape::Surface && look.water.foam > 0.0;
    let white = if foaming { with_whitewater(points) } else { Cow::Borrowed(points) };
    let laid_over = look.overlay.as_ref().is_some_and(|overlay| overlay.field == "water");
    let doubled = !laid_over && snapshot.field("water").is_some();
    if matches!(white, Cow::Borrowed(_)) && !doubled && left.is_none() {
        return Cow::Borrowed(snapshot);
    }
    let kept = |name: &str| !doubled || name != "water";
    let fields = snapshot.fields.iter().filter(|field| kept(&field.info.name)).cloned().collect();
    Cow::Owned(Snapshot {
        frame: snapshot.frame.clone(),
        step: snapshot.step,
        time: snapshot.time,
        fields,
        points: Some(white.into_owned()),
        meshes: snapshot.meshes.clone(),
        bodies: snapshot.bodies.clone(),
        fronts: None,
        sea: snapshot.sea.clone(),
        ground: snapshot.ground.clone(),
    })
}

/// Particles less those that are taken away with the ground.
fn without(points: &Points, cut: Cut) -> Points {
    let kept: Vec<bool> = points.positions.iter().map(|place| !cut.takes(*place)).collect();
    fn of<T: Copy>(all: &[T], kept: &[bool]) -> Vec<T> {
        all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(one, _)| *one).collect()
    }
    let column = |column: &Column| Column { info: column.info.clone(), values: of(&column.values, &kept) };
    Points {
        positions: of(&points.positions, &kept),
        radius: points.radius,
        ids: of(&points.ids, &kept),
        columns: points.columns.iter().map(column).collect(),
    }
}

/// The size of a picture; from the top, the largest of the terrain's own shape that fits in.
fn fitted(snapshot: &Snapshot, exposure: &Exposure) -> [usize; 2] {
    let [width, height] = exposure.size;
    match snapshot.field("height") {
        Some(ground) if *exposure.camera == Camera::Top && !ground.is_empty() => {
            let [cols, rows] = [ground.cols() as f64, ground.rows() as f64];
            let scale = (width as f64 / cols).min(height as f64 / rows);
            [cols, rows].map(|cells| (cells * scale).round().max(1.0) as usize)
        }
        _ => exposure.size,
    }
}

/// Draws with the processor: ground alone, seen from above, as a map, everything else in space.
fn with_cpu(snapshot: &Snapshot, exposure: &Exposure, size: [usize; 2]) -> Picture {
    let Exposure { look, camera, marks, stop, .. } = *exposure;
    let particles = snapshot.points.is_some() && look.particles.shape != ParticleShape::Hidden;
    let meshes = !snapshot.meshes.is_empty() || !snapshot.bodies.is_empty() || snapshot.ground.is_some();
    let sea = snapshot.sea.is_some() && look.water.visible;
    let alone = *camera == Camera::Top && !particles && !meshes && !sea;
    let scene = Scene::snapshot(snapshot).filter(|_| alone).map(|scene| Scene {
        water_depth: scene.water_depth.filter(|_| look.water.visible),
        stop,
        ..scene
    });
    let overlay =
        look.overlay.as_ref().and_then(|overlay| Some((overlay, snapshot.labelled(&overlay.field)?)));
    let longer = size[0].max(size[1]);
    let mut picture = match (&scene, overlay) {
        (Some(scene), Some((overlay, field))) => map(scene, field, &overlay.style, longer),
        (Some(scene), None) => relief(scene, &look.relief, longer),
        (None, _) => sketch(snapshot, look, camera, size, stop),
    };
    let aspect = size[0] as f32 / size[1] as f32;
    let view = Extent::of(snapshot).view(camera, look.relief.vertical_exaggeration, aspect);
    // A map has its legend beside it, where the arrow would stand.
    let beside = scene.is_some() && overlay.is_some();
    let marks =
        Marks { legend: marks.legend && !beside, north_arrow: marks.north_arrow && !beside, ..marks.clone() };
    marks.draw(&mut picture, &view, snapshot, look);
    picture
}
