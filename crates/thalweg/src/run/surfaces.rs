//! Files of the fluid's surface, during the run and of its last step.

use super::RunOptions;
use super::driver::to_next;
use super::particles::earlier;
use super::progress::Watcher;
use super::recorder::{Ending, Recorder};
use crate::draw::tints;
use crate::state::State;
use std::collections::BTreeSet;
use std::path::PathBuf;
use thalweg_io::{WriteError, atomic, write_mesh};
use thalweg_surface::{SurfaceParams, reconstruct};

/// Writes surfaces when they are due.
pub struct Surfaces {
    folder: PathBuf,
    max_bytes: u64,
    written: BTreeSet<PathBuf>,
    /// Whether it was said already that a surface could not be made.
    told: bool,
}

impl Surfaces {
    /// A run that goes on counts what it wrote before as its own.
    pub fn new(options: &RunOptions, state: &State) -> Self {
        let written = earlier(options, state, "mesh");
        Self { folder: options.out.join("mesh"), max_bytes: options.max_bytes, written, told: false }
    }

    /// Names of the files of the present step.
    fn paths(&self, state: &State) -> Vec<PathBuf> {
        let formats = state.scene().output.surface.iter();
        let step = state.steps_taken();
        formats.map(|format| self.folder.join(format!("surface_{step:06}.{}", format.extension()))).collect()
    }

    /// Surfaces have the colour of what the water carries. A run does not fail because one cannot be made; that is
    /// said once.
    fn write_now(&mut self, state: &State, watcher: &mut dyn Watcher) -> Result<(), WriteError> {
        let paths = self.paths(state);
        let Some(points) = state.points().filter(|_| !paths.is_empty()) else { return Ok(()) };
        let params = SurfaceParams { max_bytes: self.max_bytes, ..SurfaceParams::of(&points) };
        let mesh = match reconstruct(&points, &params) {
            Ok(mesh) => mesh,
            Err(error) => {
                if !self.told {
                    watcher.notice(&format!("a surface could not be written: {error}"));
                    self.told = true;
                }
                return Ok(());
            }
        };
        atomic::create_dir(&self.folder)?;
        let colours = tints(&mesh, &points, &state.scene().picture.look());
        for path in paths {
            write_mesh(&path, &mesh, colours.as_deref())?;
            self.written.insert(path);
        }
        Ok(())
    }
}

impl Recorder for Surfaces {
    fn name(&self) -> &'static str {
        "surfaces"
    }

    fn due_in(&self, state: &State) -> u64 {
        to_next(state.steps_taken(), state.scene().output.surface_every)
    }

    fn is_due(&self, state: &State) -> bool {
        let every = state.scene().output.surface_every;
        every > 0 && state.steps_taken().is_multiple_of(every)
    }

    fn write(&mut self, state: &mut State, watcher: &mut dyn Watcher) -> Result<(), WriteError> {
        self.write_now(state, watcher)
    }

    fn rewind(&mut self) {
        self.written.clear();
    }

    fn finish(&mut self, ending: &mut Ending) -> Result<Vec<PathBuf>, WriteError> {
        let Ending { state, timings, watcher, .. } = ending;
        if self.paths(state).iter().any(|path| !self.written.contains(path)) {
            watcher.busy("writing the surface", 0, 1);
            timings.of("surfaces", || self.write_now(state, *watcher))?;
        }
        Ok(self.written.iter().cloned().collect())
    }
}
