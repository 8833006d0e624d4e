//! Files of the fluid's surface, during the run and of its last step.

use super::RunOptions;
use super::driver::to_next;
use super::particles::earlier;
use super::progress::Watcher;
use super::recorder::{Ending, Now, Recorder, Shows};
use crate::draw::tints;
use std::collections::BTreeSet;
use std::path::PathBuf;
use thalweg_field::Snapshot;
use thalweg_io::{MeshExtras, WriteError, atomic, write_mesh_with};
use thalweg_surface::{SurfaceParams, reconstruct};

/// Writes surfaces when they are due.
pub(super) struct Surfaces {
    folder: PathBuf,
    max_bytes: u64,
    written: BTreeSet<PathBuf>,
    /// Whether it was said already that a surface could not be made.
    told: bool,
}

impl Surfaces {
    /// A run that goes on counts what it wrote before as its own.
    pub(super) fn new(options: &RunOptions, now: &Now) -> Self {
        let written = earlier(options, now, "mesh");
        Self { folder: options.out.join("mesh"), max_bytes: options.max_bytes, written, told: false }
    }

    /// Names of the files of the present step.
    fn paths(&self, now: &Now) -> Vec<PathBuf> {
        let formats = now.scene().output.surface.iter();
        let step = now.steps_taken();
        formats.map(|format| self.folder.join(format!("surface_{step:06}.{}", format.extension()))).collect()
    }

    /// Surfaces have the colour of what the water carries. A run does not fail because one cannot be made; that is
    /// said once.
    fn write_now(
        &mut self,
        now: &Now,
        shown: &Snapshot,
        watcher: &mut dyn Watcher,
    ) -> Result<(), WriteError> {
        let paths = self.paths(now);
        let Some(points) = shown.points.as_ref().filter(|_| !paths.is_empty()) else { return Ok(()) };
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
        // MeshLab refuses a file without a triangle.
        if mesh.triangles.is_empty() {
            return Ok(());
        }
        atomic::create_dir(&self.folder)?;
        let colours = tints(&mesh, points, &now.scene().picture.look());
        let up = now.scene().output.mesh_up.map(Into::into);
        let extras = MeshExtras { colours: colours.as_deref(), up, ..MeshExtras::default() };
        for path in paths {
            write_mesh_with(&path, &mesh, &extras)?;
            self.written.insert(path);
        }
        Ok(())
    }
}

impl Recorder for Surfaces {
    fn name(&self) -> &'static str {
        "surfaces"
    }

    fn due_in(&self, now: &Now) -> u64 {
        to_next(now.steps_taken(), now.scene().output.surface_every)
    }

    fn is_due(&self, now: &Now) -> bool {
        let every = now.scene().output.surface_every;
        every > 0 && now.steps_taken().is_multiple_of(every)
    }

    fn shows(&self) -> Shows {
        Shows::Points
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
        self.written.clear();
    }

    fn finish(&mut self, ending: &mut Ending) -> Result<Vec<PathBuf>, WriteError> {
        let Ending { now, snapshot, timings, watcher } = ending;
        if self.paths(now).iter().any(|path| !self.written.contains(path)) {
            watcher.busy("writing the surface", 0, 1);
            timings.of("surfaces", || self.write_now(now, snapshot, *watcher))?;
        }
        Ok(self.written.iter().cloned().collect())
    }
}
