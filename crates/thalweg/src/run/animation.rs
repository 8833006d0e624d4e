//! The animation: what is seen at each moment is kept in a file of its own, and at the end all of them make one.

use super::folder::series;
use super::output::{
    ANIMATIONS, FILM, bed_colours, colours_of_ground, colours_of_water, ground_of, linear, tin_params,
};
use super::pace::Pace;
use super::progress::Watcher;
use super::recorder::{Ending, Now, Recorder, Shows};
use super::{Earlier, RunOptions};
use crate::draw::tints;
use crate::project::{AnimationFormat, Every};
use std::path::{Path, PathBuf};
use thalweg_field::{Body, BodyPart, Snapshot, TriMesh};
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
    /// What was seen at the step before, if a moment may lie between that and this one.
    before: Option<Snapshot>,
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
            before: None,
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
            let seen = self.before.as_ref().map(|before| between(before, shown, time));
            let moment = self.moment(now, (seen.as_ref().unwrap_or(shown), time), watcher);
            let folder = self.out.join(FOLDER);
            atomic::create_dir(&folder)?;
            write_moment(&folder.join(format!("moment_{:06}.twm", self.next)), &moment)?;
            self.next += 1;
        }
        Ok(())
    }

    /// Whether the next moment may lie between this step and the one after it.
    fn is_next(&self, now: &Now) -> bool {
        matches!(self.every, Every::Time(_)) && self.pace.due_in(self.next, now) == 1
    }

    /// What is seen at a time; `shown` is that but for its particles, which are where they are at its own time.
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
                Ok(tin) => {
                    let look = now.scene().picture.look();
                    let colours = colours_of_water(&tin, shown, depth, &look);
                    add("Water".into(), tin.mesh, colours);
                }
                Err(error) => wrong = Some(error.to_string()),
            }
        }
        things.extend(shown.bodies.iter().enumerate().map(|(number, body)| of_body(number, body)));
        things.extend(drops.map(|points| Thing { name: "Particles".into(), shape: Shape::Points(points) }));
        if let Some(reason) = wrong.filter(|_| !self.told) {
            self.told = true;
            watcher.notice(&format!("the water of a moment is not in the animation: {reason}"));
        }
        Moment { time, things }
    }
}

impl Recorder for Animation {
    fn name(&self) -> &'static str {
        "animation"
    }

    fn due_in(&self, now: &Now) -> u64 {
        let steps = self.pace.due_in(self.next, now);
        // The step before a moment is looked at as well.
        if matches!(self.every, Every::Time(_)) { steps.saturating_sub(1).max(1) } else { steps }
    }

    fn is_due(&self, now: &Now) -> bool {
        self.pace.is_due(self.next, now) || self.is_next(now)
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
        self.write_now(now, shown, watcher)?;
        self.before = self.is_next(now).then(|| shown.clone());
        Ok(())
    }

    fn rewind(&mut self) {
        (self.next, self.before) = (0, None);
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
            let still = still(now, snapshot);
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
                match write(&path, *format, &motion, (&moments, self.max_bytes)) {
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

/// What is seen at a time between two steps: maps and bodies go straight from one to the other. Particles stay where they are at the
/// second; they know their velocities.
fn between(before: &Snapshot, shown: &Snapshot, time: f64) -> Snapshot {
    let mut seen = shown.clone();
    let share = (time - before.time) / (shown.time - before.time);
    if !(0.0..1.0).contains(&share) {
        return seen;
    }
    for field in &mut seen.fields {
        // A pass over finer cells begins with other maps.
        let Some(old) = before.field(&field.info.name).filter(|old| old.same_shape(&field.values)) else {
            continue;
        };
        let mixed = old.values().iter().zip(field.values.values_mut());
        mixed.for_each(|(old, new)| *new = old + (*new - old) * share as f32);
    }
    for (old, body) in before.bodies.iter().zip(&mut seen.bodies).filter(|(old, body)| old.name == body.name)
    {
        body.pose = old.pose.toward(&body.pose, share);
    }
    seen
}

fn write(
    path: &Path,
    format: AnimationFormat,
    motion: &Motion,
    (moments, max_bytes): (&[PathBuf], u64),
) -> Result<(), MotionError> {
    let moment = |number: usize| read_moment(&moments[number], max_bytes);
    match format {
        AnimationFormat::Usda => write_usda(path, motion, moment),
        AnimationFormat::Glb => write_glb_motion(path, motion, moment),
    }
}

/// A body in one piece, with the colours of its parts.
fn of_body(number: usize, body: &Body) -> Thing {
    let letters = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = body.name.chars().map(letters).collect();
    let (mut mesh, mut colours) = (TriMesh::default(), Vec::new());
    let normals = body.parts.iter().all(|part| !part.mesh.normals.is_empty());
    for BodyPart { mesh: part, material } in &body.parts {
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(&part.positions);
        mesh.normals.extend(part.normals.iter().filter(|_| normals));
        mesh.triangles.extend(part.triangles.iter().map(|triangle| triangle.map(|corner| first + corner)));
        colours.extend(part.positions.iter().map(|place| {
            let below = material.bottom.filter(|(_, height)| place[2] < *height);
            let [red, green, blue] = below.map_or(material.colour, |(colour, _)| colour).map(linear);
            [red, green, blue, 1.0]
        }));
    }
    Thing { name: format!("Body_{number}_{name}"), shape: Shape::Body { mesh, colours, pose: body.pose } }
}

/// The ground as it is at the end, which stands still here.
fn still(now: &Now, shown: &Snapshot) -> Vec<Thing> {
    let surface = match &shown.ground {
        Some(ground) => {
            let colours = ground.strata.as_ref().map(|strata| bed_colours(strata, &ground.mesh));
            Some((ground.mesh.clone(), colours.unwrap_or_default()))
        }
        None => {
            let ground = ground_of(shown).unwrap_or_else(|| now.start().clone());
            let tin = ground_mesh(&ground, &tin_params(&now.scene().output), None).ok();
            tin.map(|tin| {
                let colours =
                    colours_of_ground(&tin, shown.field("deposition"), &ground, &now.scene().picture.look());
                (tin.mesh, colours)
            })
        }
    };
    let ground = surface.filter(|(mesh, _)| !mesh.triangles.is_empty());
    let thing = |(mesh, colours)| Thing { name: "Ground".into(), shape: Shape::Mesh { mesh, colours } };
    ground.map(thing).into_iter().collect()
}
