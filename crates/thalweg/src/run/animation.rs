//! The animation: what is seen at each moment is kept in a file of its own, and at the end all of them make one.

use super::folder::series;
use super::output::{ANIMATIONS, FILM, ground_of, linear, tin_params};
use super::pace::Pace;
use super::progress::Watcher;
use super::recorder::{Ending, Now, Recorder, Shows};
use super::{Earlier, RunOptions};
use crate::draw::tints;
use crate::project::{AnimationFormat, Every};
use std::path::{Path, PathBuf};
use thalweg_field::{BodyPart, Heightfield, Pose, Snapshot, TriMesh};
use thalweg_io::{
    Moment, Motion, MotionError, Shape, Thing, WriteError, atomic, points_at, read_moment, write_glb_motion,
    write_moment, write_usda,
};
use thalweg_surface::{SurfaceParams, reconstruct};
use thalweg_terrain::tin::{ground_mesh, water_mesh};

/// Where moments are kept until the end.
const FOLDER: &str = "moments";

/// Keeps moments when they are due, and writes the animation at the end.
pub(super) struct Animation {
    out: PathBuf,
    pace: Pace,
    every: Every,
    max_bytes: u64,
    /// The moment that is next.
    next: u64,
    told: bool,
}

impl Animation {
    /// Nothing if the scene asks for none. A run that goes on keeps the moments from before.
    pub(super) fn new(options: &RunOptions, now: &Now) -> Option<Self> {
        let every = now.scene().output.animation_every;
        if every == Every::NEVER || now.scene().output.animation.is_empty() {
            return None;
        }
        let pace = Pace::Every(every);
        let before = if options.earlier == Earlier::Resume { pace.first(now) } else { 0 };
        Some(Self {
            out: options.out.clone(),
            pace,
            every,
            max_bytes: options.max_bytes,
            next: before,
            told: false,
        })
    }

    fn write_now(
        &mut self,
        now: &Now,
        shown: &Snapshot,
        watcher: &mut dyn Watcher,
    ) -> Result<(), WriteError> {
        while self.pace.is_due(self.next, now) {
            let time = match self.every {
                Every::Time(every) => every * self.next as f64,
                Every::Steps(_) => shown.time,
            };
            let moment = self.moment(now, (shown, time), watcher);
            let folder = self.out.join(FOLDER);
            atomic::create_dir(&folder)?;
            write_moment(&folder.join(format!("moment_{:06}.twm", self.next)), &moment)?;
            self.next += 1;
        }
        Ok(())
    }

    /// What is seen at a time that is now, or was since the step before.
    fn moment(&mut self, now: &Now, (shown, time): (&Snapshot, f64), watcher: &mut dyn Watcher) -> Moment {
        let mut things = Vec::new();
        let mut add = |name: String, mesh: TriMesh, colours: Vec<[f32; 4]>| {
            if !mesh.triangles.is_empty() {
                things.push(Thing { name, shape: Shape::Mesh { mesh, colours } });
            }
        };
        let mut wrong = None;
        let mut drops = None;
        if let Some(points) = shown.points.as_ref().filter(|points| !points.is_empty()) {
            let params = SurfaceParams { max_bytes: self.max_bytes, ..SurfaceParams::of(points) };
            let mut carried = points_at(points, shown.time, time);
            drops = Some(carried.clone());
            carried.columns.extend(points.column("sediment").cloned());
            match reconstruct(&carried, &params) {
                Ok(mesh) => {
                    let colours = tints(&mesh, &carried, &now.scene().picture.look());
                    add("Water".into(), mesh, colours.unwrap_or_default());
                }
                Err(error) => wrong = Some(error.to_string()),
            }
        } else if let (Some(ground), Some(depth)) = (ground_of(shown), shown.field("water")) {
            match water_mesh(&ground, depth, FILM, &tin_params(&now.scene().output)) {
                Ok(tin) => add("Water".into(), tin.mesh, Vec::new()),
                Err(error) => wrong = Some(error.to_string()),
            }
        }
        for (number, body) in shown.meshes.iter().enumerate() {
            let letters = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
            let name: String = body.name.chars().map(letters).collect();
            add(format!("Body_{number}_{name}"), body.mesh.clone(), Vec::new());
        }
        for body in &shown.bodies {
            for (number, part) in body.parts.iter().enumerate() {
                let name =
                    format!("{}_{number}", body.name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
                let (mesh, colours) = posed(part, &body.pose);
                add(name, mesh, colours);
            }
        }
        things.extend(drops.map(|points| Thing { name: "Particles".into(), shape: Shape::Points(points) }));
        if let Some(reason) = wrong.filter(|_| !self.told) {
            self.told = true;
            watcher.notice(&format!("the water of a moment is not in the animation: {reason}"));
        }
        Moment { time, things }
    }
}

/// A part of a body where it is now, in its colours.
fn posed(part: &BodyPart, pose: &Pose) -> (TriMesh, Vec<[f32; 4]>) {
    let turned = |way: [f32; 3]| pose.turned(way.map(f64::from));
    let mut mesh = TriMesh::clone(&part.mesh);
    let linear = |colour: [u8; 3]| {
        let [red, green, blue] = colour.map(linear);
        [red, green, blue, 1.0]
    };
    let colour = |place: &[f32; 3]| match part.material.bottom {
        Some((bottom, height)) if place[2] < height => linear(bottom),
        _ => linear(part.material.colour),
    };
    let colours = mesh.positions.iter().map(colour).collect();
    for place in &mut mesh.positions {
        let way = turned(*place);
        *place = std::array::from_fn(|axis| (pose.place[axis] + way[axis]) as f32);
    }
    for normal in &mut mesh.normals {
        *normal = turned(*normal).map(|x| x as f32);
    }
    (mesh, colours)
}

impl Recorder for Animation {
    fn name(&self) -> &'static str {
        "animation"
    }

    fn due_in(&self, now: &Now) -> u64 {
        self.pace.due_in(self.next, now)
    }

    fn is_due(&self, now: &Now) -> bool {
        self.pace.is_due(self.next, now)
    }

    fn shows(&self) -> Shows {
        Shows::Water
    }

    fn write(
        &mut self,
        now: &Now,
        shown: &mut Snapshot,
        watcher: &mut dyn Watcher,
    ) -> Result<(), WriteError> {
        self.write_now(now, shown, watcher)
    }

    fn rewind(&mut self) {
        self.next = 0;
    }

    fn finish(&mut self, ending: &mut Ending) -> Result<Vec<PathBuf>, WriteError> {
        let Ending { now, snapshot, timings, watcher } = ending;
        watcher.busy("writing the animation", 0, 1);
        let mut files = Vec::new();
        timings.of("animation", || -> Result<(), WriteError> {
            self.write_now(now, snapshot, *watcher)?;
            let mut moments: Vec<_> =
                series(&self.out, FOLDER).into_iter().filter(|(number, _)| *number < self.next).collect();
            moments.sort();
            let moments: Vec<PathBuf> = moments.into_iter().map(|(_, path)| path).collect();
            let output = &now.scene().output;
            let still = still(now.start(), snapshot, &tin_params(output));
            let fps = match self.every {
                Every::Time(every) => 1.0 / every,
                Every::Steps(_) => f64::from(now.scene().picture.fps),
            };
            let motion = Motion { fps, still: &still, moments: moments.len() };
            for format in &output.animation {
                let path = self.out.join(match format {
                    AnimationFormat::Usda => ANIMATIONS[0],
                    AnimationFormat::Glb => ANIMATIONS[1],
                });
                match write(&path, *format, &motion, &moments) {
                    Ok(()) => files.push(path),
                    Err(MotionError::Write(error)) => return Err(error),
                    Err(MotionError::Read(error)) => {
                        watcher.notice(&format!("the animation is not written: {error}"));
                    }
                }
            }
            Ok(())
        })?;
        // What a longer run would go on from stays.
        files.extend(series(&self.out, FOLDER).into_iter().map(|(_, path)| path));
        Ok(files)
    }
}

fn write(
    path: &Path,
    format: AnimationFormat,
    motion: &Motion,
    moments: &[PathBuf],
) -> Result<(), MotionError> {
    let moment = |number: usize| read_moment(&moments[number]);
    match format {
        AnimationFormat::Usda => write_usda(path, motion, moment),
        AnimationFormat::Glb => write_glb_motion(path, motion, moment),
    }
}

/// The ground as it is at the end, which stands still here.
fn still(start: &Heightfield, shown: &Snapshot, params: &thalweg_terrain::tin::TinParams) -> Vec<Thing> {
    let mesh = match &shown.ground {
        Some(ground) => Some(ground.mesh.clone()),
        None => {
            let ground = ground_of(shown).unwrap_or_else(|| start.clone());
            ground_mesh(&ground, params, None).ok().map(|tin| tin.mesh)
        }
    };
    let ground = mesh.filter(|mesh| !mesh.triangles.is_empty());
    let thing = |mesh| Thing { name: "Ground".into(), shape: Shape::Mesh { mesh, colours: Vec::new() } };
    ground.map(thing).into_iter().collect()
}
