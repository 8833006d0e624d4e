//! What is written while a run goes on, and at its end.

use super::RunOptions;
use super::map_frames::MapFrames;
use super::particles::Particles;
use super::probes::Probes;
use super::progress::{Timings, Watcher};
use super::trajectories::Trajectories;
use super::volumes::Volumes;
use crate::project::{Every, Scene};
use crate::session::Session;
use crate::solver::Clock;
use crate::world::Ground;
use std::path::PathBuf;
use thalweg_field::{Heightfield, Snapshot};
use thalweg_io::WriteError;

/// How far a run is, for those who write something of it.
#[derive(Clone, Copy)]
pub(super) struct Now<'a> {
    pub clock: Clock,
    scene: &'a Scene,
    start: &'a Ground,
    steps_before: &'a dyn Fn(f64) -> u64,
}

impl<'a> Now<'a> {
    /// Tells somebody how far a session is.
    pub(super) fn tell<T>(session: &Session, somebody: impl FnOnce(&Now) -> T) -> T {
        let steps_before = |pass_time| session.steps_before(pass_time);
        somebody(&Now {
            clock: session.clock(),
            scene: session.scene(),
            start: session.start_ground(),
            steps_before: &steps_before,
        })
    }

    /// The scene as it is edited.
    pub(super) fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// The terrain before anything happened.
    pub(super) fn start(&self) -> &'a Heightfield {
        self.start.heights()
    }

    /// The same, be it heights or a volume.
    #[cfg(feature = "render")]
    pub(super) fn start_ground(&self) -> &'a Ground {
        self.start
    }

    /// Steps taken by all passes.
    pub(super) fn steps_taken(&self) -> u64 {
        self.clock.steps
    }

    /// Steps, at least one, that surely do not pass a time of the present pass `[s]` but with the last of them.
    pub(super) fn steps_before(&self, pass_time: f64) -> u64 {
        (self.steps_before)(pass_time)
    }
}

/// What is written when it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// Particles and bodies alone.
    Points,
    /// All maps.
    Maps,
    /// Particles, and the height of the bed.
    PointsAndBed,
    /// Particles, the height of the bed and the depth of the water.
    #[cfg_attr(not(feature = "render"), expect(dead_code, reason = "whoever makes surfaces asks for it"))]
    Water,
    /// All there is to see.
    #[cfg_attr(not(feature = "render"), expect(dead_code, reason = "whoever draws asks for it"))]
    Scenery,
}

/// Writes something at certain steps, and at the end.
pub(super) trait Recorder {
    /// Its name among the timings.
    fn name(&self) -> &'static str;

    /// Steps until something is to be written, at least one.
    fn due_in(&self, now: &Now) -> u64;

    /// Whether something is to be written at this step.
    fn is_due(&self, now: &Now) -> bool;

    /// What it has to be shown then.
    fn shows(&self) -> Shows;

    /// Writes what is due at this step.
    fn write(&mut self, now: &Now, shown: &mut Snapshot, watcher: &mut dyn Watcher)
    -> Result<(), WriteError>;

    /// Begins anew, for a run that does.
    fn rewind(&mut self);

    /// Writes what belongs to the end. Returns all files of the run, also those written before it was stopped and
    /// resumed.
    fn finish(&mut self, ending: &mut Ending) -> Result<Vec<PathBuf>, WriteError>;
}

/// How a run ends.
pub(super) struct Ending<'a> {
    pub now: &'a Now<'a>,
    /// Everything there is to show.
    pub snapshot: &'a mut Snapshot,
    pub timings: &'a mut Timings,
    pub watcher: &'a mut dyn Watcher,
}

/// Those that a scene asks for.
pub(super) fn recorders(
    now: &Now,
    options: &RunOptions,
    watcher: &mut dyn Watcher,
) -> Vec<Box<dyn Recorder>> {
    let mut recorders: Vec<Box<dyn Recorder>> = vec![Box::new(Particles::new(options, now))];
    if !now.scene().probes.is_empty() {
        recorders.push(Box::new(Probes::new(options, now)));
    }
    if !now.scene().bodies.is_empty() && now.scene().output.bodies_every != Every::NEVER {
        recorders.push(Box::new(Trajectories::new(options, now)));
    }
    if now.scene().output.maps_every != Every::NEVER {
        recorders.push(Box::new(MapFrames::new(options, now)));
    }
    if !now.scene().output.volumes.is_empty() {
        recorders.push(Box::new(Volumes::new(options, now)));
    }
    recorders.extend(drawing(now, options, watcher));
    recorders
}

/// Those that draw.
#[cfg(feature = "render")]
fn drawing(now: &Now, options: &RunOptions, watcher: &mut dyn Watcher) -> Vec<Box<dyn Recorder>> {
    let mut recorders: Vec<Box<dyn Recorder>> = vec![Box::new(super::surfaces::Surfaces::new(options, now))];
    if let Some(animation) = super::animation::Animation::new(options, now) {
        recorders.push(Box::new(animation));
    }
    if let Some(album) = super::album::Album::new(now, options, watcher) {
        recorders.push(Box::new(album));
    }
    recorders
}

/// None draws in a program that was built without it, which is said to those who ask for pictures.
#[cfg(not(feature = "render"))]
fn drawing(now: &Now, _: &RunOptions, watcher: &mut dyn Watcher) -> Vec<Box<dyn Recorder>> {
    let output = &now.scene().output;
    let frames = output.video.is_some() || output.frames_every != Every::NEVER;
    if output.pictures || frames || !output.surface.is_empty() || !output.animation.is_empty() {
        let message = "no pictures, frames, surfaces and animations are made: this program was built without the feature `render`";
        watcher.notice(message);
    }
    Vec::new()
}
