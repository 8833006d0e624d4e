//! Files of particles, during the run and of its last step.

use super::driver::to_next;
use super::folder::series;
use super::progress::Watcher;
use super::recorder::{Ending, Now, Recorder, Shows};
use super::{Earlier, RunOptions};
use crate::whitewater::with_whitewater;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use thalweg_field::Snapshot;
use thalweg_io::{WriteError, atomic, read_pvd, write_points, write_pvd};

/// Writes particles when they are due.
pub(super) struct Particles {
    folder: PathBuf,
    written: BTreeSet<PathBuf>,
    /// Times of the files for ParaView `[s]`, by their names.
    times: BTreeMap<String, f64>,
}

/// The list of the files for ParaView.
const LIST: &str = "particles.pvd";

impl Particles {
    /// A run that goes on counts what it wrote before as its own.
    pub(super) fn new(options: &RunOptions, now: &Now) -> Self {
        let folder = options.out.join("particles");
        let written = earlier(options, now, "particles");
        let listed = read_pvd(&folder.join(LIST)).into_iter();
        let times = listed.map(|(time, name)| (name, time));
        let times = times.filter(|(name, _)| written.contains(&folder.join(name))).collect();
        Self { folder, written, times }
    }

    /// Names of the files of the present step.
    fn paths(&self, now: &Now) -> Vec<PathBuf> {
        let formats = now.scene().output.particles.iter();
        let step = now.steps_taken();
        formats.map(|format| self.folder.join(format!("step_{step:06}.{}", format.extension()))).collect()
    }

    fn write_now(&mut self, now: &Now, shown: &Snapshot) -> Result<(), WriteError> {
        let paths = self.paths(now);
        let points = shown.points.as_ref().or(shown.fronts.as_ref());
        let Some(points) = points.filter(|_| !paths.is_empty()) else { return Ok(()) };
        // Blender and MeshLab refuse a file without a point.
        if points.is_empty() {
            return Ok(());
        }
        atomic::create_dir(&self.folder)?;
        let points = with_whitewater(points);
        for path in paths {
            write_points(&path, &points, Some(shown.time))?;
            if path.extension().is_some_and(|end| end == "vtp") {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                self.times.insert(name, shown.time);
            }
            self.written.insert(path);
        }
        if !self.times.is_empty() {
            let list: Vec<_> = self.times.iter().map(|(name, time)| (*time, name.clone())).collect();
            write_pvd(&self.folder.join(LIST), &list)?;
        }
        Ok(())
    }
}

impl Recorder for Particles {
    fn name(&self) -> &'static str {
        "particles"
    }

    fn due_in(&self, now: &Now) -> u64 {
        to_next(now.steps_taken(), now.scene().output.particles_every)
    }

    fn is_due(&self, now: &Now) -> bool {
        let every = now.scene().output.particles_every;
        every > 0 && now.steps_taken().is_multiple_of(every)
    }

    fn shows(&self) -> Shows {
        Shows::Points
    }

    fn write(&mut self, now: &Now, shown: &mut Snapshot, _: &mut dyn Watcher) -> Result<(), WriteError> {
        self.write_now(now, shown)
    }

    fn rewind(&mut self) {
        self.written.clear();
        self.times.clear();
    }

    fn finish(&mut self, ending: &mut Ending) -> Result<Vec<PathBuf>, WriteError> {
        if self.paths(ending.now).iter().any(|path| !self.written.contains(path)) {
            ending.watcher.busy("writing particles", 0, 1);
            ending.timings.of("particles", || self.write_now(ending.now, ending.snapshot))?;
        }
        let list = (!self.times.is_empty()).then(|| self.folder.join(LIST));
        Ok(self.written.iter().cloned().chain(list).collect())
    }
}

/// Files of a series that a run which goes on wrote before.
pub(super) fn earlier(options: &RunOptions, now: &Now, folder: &str) -> BTreeSet<PathBuf> {
    if options.earlier != Earlier::Resume {
        return BTreeSet::new();
    }
    let until_now = |(step, _): &(u64, PathBuf)| *step <= now.steps_taken();
    series(&options.out, folder).into_iter().filter(until_now).map(|(_, path)| path).collect()
}
