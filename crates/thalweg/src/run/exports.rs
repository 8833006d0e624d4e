//! Files of particles and of the fluid's surface, during the run and of its last step.

use super::{Watcher, to_next};
use crate::draw::tints;
use crate::project::Output;
use crate::state::State;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thalweg_field::Points;
use thalweg_io::{WriteError, atomic, write_mesh, write_points};
use thalweg_render::Look;
use thalweg_surface::{SurfaceParams, reconstruct};

/// Writes particles and surfaces when they are due.
pub struct Exports {
    out: PathBuf,
    max_bytes: u64,
    written: BTreeSet<PathBuf>,
    /// Whether it was said already that a surface could not be made.
    told: bool,
}

impl Exports {
    /// Begins with how things stand, if that is due. A run that goes on counts what it wrote before as its own.
    pub fn new(
        out: &Path,
        max_bytes: u64,
        state: &State,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, WriteError> {
        let mut exports = Self { out: out.into(), max_bytes, written: BTreeSet::new(), told: false };
        let output = &state.scene().output;
        let earlier =
            |every: u64| (0..state.steps_taken()).step_by(every.max(1) as usize).filter(move |_| every > 0);
        let particles = earlier(output.particles_every).flat_map(|step| exports.particles(output, step));
        let surfaces = earlier(output.surface_every).flat_map(|step| exports.surfaces(output, step));
        let there = particles.chain(surfaces).filter(|path| path.is_file()).collect();
        exports.written = there;
        exports.write_if_due(state, watcher)?;
        Ok(exports)
    }

    /// Names of the files of a step's particles.
    fn particles(&self, output: &Output, step: u64) -> Vec<PathBuf> {
        let name = |end: &str| self.out.join(format!("particles/step_{step:06}.{end}"));
        output.particles.iter().map(|format| name(format.extension())).collect()
    }

    /// Names of the files of a step's surface.
    fn surfaces(&self, output: &Output, step: u64) -> Vec<PathBuf> {
        let name = |end: &str| self.out.join(format!("mesh/surface_{step:06}.{end}"));
        output.surface.iter().map(|format| name(format.extension())).collect()
    }

    /// Steps until something is to be written.
    pub fn due_in(&self, state: &State) -> u64 {
        let (output, taken) = (&state.scene().output, state.steps_taken());
        to_next(taken, output.particles_every).min(to_next(taken, output.surface_every))
    }

    /// Writes what is due at this step.
    pub fn write_if_due(&mut self, state: &State, watcher: &mut dyn Watcher) -> Result<(), WriteError> {
        let (output, taken) = (&state.scene().output, state.steps_taken());
        let due = |every: u64| every > 0 && taken.is_multiple_of(every);
        self.write(state, [due(output.particles_every), due(output.surface_every)], watcher)
    }

    /// Writes the last step, unless that is there already.
    pub fn finish(&mut self, state: &State, watcher: &mut dyn Watcher) -> Result<(), WriteError> {
        let (output, taken) = (&state.scene().output, state.steps_taken());
        let missing = |paths: Vec<PathBuf>| paths.iter().any(|path| !self.written.contains(path));
        let due = [missing(self.particles(output, taken)), missing(self.surfaces(output, taken))];
        self.write(state, due, watcher)
    }

    /// Forgets everything, for a run that begins anew.
    pub fn rewind(&mut self) {
        self.written.clear();
    }

    /// All files, also those written before the run was stopped and resumed.
    pub fn written(&self) -> impl Iterator<Item = PathBuf> {
        self.written.iter().cloned()
    }

    fn write(
        &mut self,
        state: &State,
        [particles, surface]: [bool; 2],
        watcher: &mut dyn Watcher,
    ) -> Result<(), WriteError> {
        let (output, taken) = (&state.scene().output, state.steps_taken());
        let particles = if particles { self.particles(output, taken) } else { Vec::new() };
        let surfaces = if surface { self.surfaces(output, taken) } else { Vec::new() };
        if particles.is_empty() && surfaces.is_empty() {
            return Ok(());
        }
        let Some(points) = state.points() else { return Ok(()) };
        if !particles.is_empty() {
            atomic::create_dir(&self.out.join("particles"))?;
        }
        for path in particles {
            write_points(&path, &points)?;
            self.written.insert(path);
        }
        self.write_surface(&points, &state.scene().picture.look(), surfaces, watcher)
    }

    /// Surfaces have the colour of what the water carries. A run does not fail because one cannot be made; that is
    /// said once.
    fn write_surface(
        &mut self,
        points: &Points,
        look: &Look,
        paths: Vec<PathBuf>,
        watcher: &mut dyn Watcher,
    ) -> Result<(), WriteError> {
        if paths.is_empty() {
            return Ok(());
        }
        let params = SurfaceParams { max_bytes: self.max_bytes, ..SurfaceParams::of(points) };
        let mesh = match reconstruct(points, &params) {
            Ok(mesh) => mesh,
            Err(error) => {
                if !self.told {
                    watcher.notice(&format!("a surface could not be written: {error}"));
                    self.told = true;
                }
                return Ok(());
            }
        };
        atomic::create_dir(&self.out.join("mesh"))?;
        let colours = tints(&mesh, points, look);
        for path in paths {
            write_mesh(&path, &mesh, colours.as_deref())?;
            self.written.insert(path);
        }
        Ok(())
    }
}
