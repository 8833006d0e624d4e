//! What is written while a run goes on, and at its end.

use super::RunOptions;
use super::particles::Particles;
use super::progress::{Timings, Watcher};
use crate::state::State;
use std::path::PathBuf;
use thalweg_field::Snapshot;
use thalweg_io::WriteError;

/// Writes something at certain steps, and at the end.
pub(super) trait Recorder {
    /// Its name among the timings.
    fn name(&self) -> &'static str;

    /// Steps until something is to be written, at least one.
    fn due_in(&self, state: &State) -> u64;

    /// Whether something is to be written at this step.
    fn is_due(&self, state: &State) -> bool;

    /// Writes what is due at this step.
    fn write(&mut self, state: &mut State, watcher: &mut dyn Watcher) -> Result<(), WriteError>;

    /// Begins anew, for a run that does.
    fn rewind(&mut self);

    /// Writes what belongs to the end. Returns all files of the run, also those written before it was stopped and
    /// resumed.
    fn finish(&mut self, ending: &mut Ending) -> Result<Vec<PathBuf>, WriteError>;
}

/// How a run ends.
pub(super) struct Ending<'a> {
    pub state: &'a State,
    /// Everything there is to show.
    pub snapshot: &'a mut Snapshot,
    pub timings: &'a mut Timings,
    pub watcher: &'a mut dyn Watcher,
}

/// Those that a scene asks for.
pub(super) fn recorders(
    state: &State,
    options: &RunOptions,
    watcher: &mut dyn Watcher,
) -> Vec<Box<dyn Recorder>> {
    let mut recorders: Vec<Box<dyn Recorder>> = vec![Box::new(Particles::new(options, state))];
    recorders.extend(drawing(state, options, watcher));
    recorders
}

/// Those that draw.
#[cfg(feature = "render")]
fn drawing(state: &State, options: &RunOptions, watcher: &mut dyn Watcher) -> Vec<Box<dyn Recorder>> {
    let mut recorders: Vec<Box<dyn Recorder>> =
        vec![Box::new(super::surfaces::Surfaces::new(options, state))];
    if let Some(album) = super::album::Album::new(state, options, watcher) {
        recorders.push(Box::new(album));
    }
    recorders
}

/// None draws in a program that was built without it, which is said to those who ask for pictures.
#[cfg(not(feature = "render"))]
fn drawing(state: &State, _: &RunOptions, watcher: &mut dyn Watcher) -> Vec<Box<dyn Recorder>> {
    use crate::project::Every;
    let output = &state.scene().output;
    let frames = output.video.is_some() || output.frames_every != Every::NEVER;
    if output.pictures || frames || !output.surface.is_empty() {
        let message =
            "no pictures, frames and surfaces are made: this program was built without the feature `render`";
        watcher.notice(message);
    }
    Vec::new()
}
