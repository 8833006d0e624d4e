//! Takes the steps of a run, writes what is due, and brings it to its end.

use super::command::Command;
use super::folder::{self, CHECKPOINTS, REPORT};
use super::progress::{Teller, Timings, Watcher};
use super::recorder::{Ending, Now, Recorder, Shows};
use super::report::{self, Report};
use super::{Outcome, RunError, output, save, stride};
use crate::project::Project;
use crate::session::Session;
use crate::solver::{StepError, Wanted};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thalweg_io::{WriteError, atomic};

/// Longest time that a kill may cost, where the scene wants checkpoints on the way.
const SAVE_AFTER: Duration = Duration::from_secs(600);

/// Takes the steps of a run and writes what is due.
pub(super) struct Driver<'a> {
    pub project: &'a Project,
    pub out: &'a Path,
    /// Whatever writes while the run goes on, and at its end.
    pub recorders: Vec<Box<dyn Recorder>>,
    /// The scene as it was written, and what it reads.
    pub scene: Vec<PathBuf>,
    /// The newest checkpoint of this run.
    pub saved: Option<PathBuf>,
    /// Whether the scene was changed since it was written.
    pub scene_is_old: bool,
    /// Whether it waits, and the step after which it will.
    pub paused: bool,
    pub pause_at: Option<u64>,
    /// Commands that it was told and has not done yet.
    pub orders: VecDeque<Command>,
    pub timings: Timings,
}

impl Driver<'_> {
    /// Takes all steps, with frames and checkpoints when they are due. Returns early if it is told to stop.
    pub(super) fn advance(
        &mut self,
        state: &mut Session,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<Outcome>, RunError> {
        self.write_if_due(state, watcher)?;
        let (mut teller, mut saved) = (Teller::new(state), Instant::now());
        let mut warned = false;
        loop {
            if self.obey(state, watcher)? {
                return self.stop(state).map(Some);
            }
            if state.is_over() {
                return Ok(None);
            }
            let every = state.scene().output.checkpoint_every;
            let to_save = to_next(state.steps_taken(), every);
            let due = |now: &Now| self.recorders.iter().map(|recorder| recorder.due_in(now)).min();
            let to_show = Now::tell(state, due);
            let to_pause =
                self.pause_at.map_or(u64::MAX, |step| step.saturating_sub(state.steps_taken()).max(1));
            let clock = Instant::now();
            let name = state.method_at_work();
            let steps = self
                .timings
                .of(name, || {
                    stride(self.project, state, to_save.min(to_pause).min(to_show.unwrap_or(u64::MAX)))
                })
                .map_err(|error| self.with_checkpoint(error))?;
            let took = clock.elapsed();
            if !warned {
                let warnings = state.warnings();
                warnings.iter().for_each(|warning| watcher.notice(warning));
                warned = !warnings.is_empty();
            }
            self.write_if_due(state, watcher)?;
            if watcher.cancelled() {
                return self.stop(state).map(Some);
            }
            let late = every > 0 && saved.elapsed() > SAVE_AFTER;
            if (steps == to_save || late) && !state.is_over() {
                self.saved = Some(self.save(state)?);
                saved = Instant::now();
            }
            teller.tell(state, (steps, took), watcher);
        }
    }

    /// Draws and writes what is due at this step.
    pub(super) fn write_if_due(
        &mut self,
        state: &Session,
        watcher: &mut dyn Watcher,
    ) -> Result<(), RunError> {
        for recorder in &mut self.recorders {
            if !Now::tell(state, |now| recorder.is_due(now)) {
                continue;
            }
            let written = self.timings.of(recorder.name(), || {
                let mut shown = match recorder.shows() {
                    Shows::Points => state.show(&Wanted::points()),
                    Shows::Maps => {
                        let more = state.scene().output.more_maps.clone();
                        state.show(&Wanted { points: false, mesh: false, ..Wanted::all_and(&more) })
                    }
                    Shows::PointsAndBed => {
                        state.show(&Wanted { points: true, ..Wanted::fields(&["height"]) })
                    }
                    Shows::Water => {
                        state.show(&Wanted { points: true, ..Wanted::fields(&["height", "water"]) })
                    }
                    Shows::Scenery => state.scenery(),
                };
                Now::tell(state, |now| recorder.write(now, &mut shown, watcher))
            });
            if let Err(source) = written {
                return Err(self.unwritten(source, state));
            }
        }
        Ok(())
    }

    /// Hours of work must not be lost to a full disk: saves the state, if that can be.
    fn unwritten(&mut self, source: WriteError, state: &Session) -> RunError {
        let saved = self.save(state).ok().or_else(|| self.saved.clone());
        RunError::Write { source, saved }
    }

    fn stop(&mut self, state: &Session) -> Result<Outcome, RunError> {
        let checkpoint = self.save(state)?;
        Ok(Outcome::Stopped { checkpoint, step: state.steps_taken() })
    }

    /// An error with the checkpoint to go on from.
    fn with_checkpoint(&self, error: RunError) -> RunError {
        match error {
            RunError::Step { source, .. } => self.wild(source),
            other => other,
        }
    }

    fn wild(&self, source: StepError) -> RunError {
        RunError::Step { source, saved: self.saved.clone() }
    }

    /// Writes a checkpoint, of a state that is worth it. The scene in the folder is the one that goes on from there.
    fn save(&mut self, state: &Session) -> Result<PathBuf, RunError> {
        state.check_finite().map_err(|source| self.wild(source))?;
        let folder = self.out.join(CHECKPOINTS);
        atomic::create_dir(&folder)?;
        let path = self.timings.of("checkpoints", || save(state, &folder, &self.project.name))?;
        self.write_scene(state)?;
        Ok(path)
    }

    /// Writes the scene, if it was changed since it was written.
    pub(super) fn write_scene(&mut self, state: &Session) -> Result<(), WriteError> {
        if std::mem::take(&mut self.scene_is_old) {
            self.scene = output::write_scene(self.out, self.project, state.scene())?;
        }
        Ok(())
    }

    /// All steps are taken: keeps the last state, writes maps, pictures and the report. A run that is told to stop
    /// meanwhile has not finished.
    pub(super) fn finish(
        mut self,
        state: &Session,
        begin: Instant,
        watcher: &mut dyn Watcher,
    ) -> Result<Outcome, RunError> {
        let last = self.keep_last(state, watcher);
        let mut files = match self.show(state, watcher) {
            Ok(shown) => shown,
            Err(source) if last.is_some() => return Err(RunError::Write { source, saved: last }),
            Err(source) => return Err(self.unwritten(source, state)),
        };
        if watcher.cancelled() {
            return self.stop(state);
        }
        let path = self.out.join(REPORT);
        files.extend(self.scene);
        files.extend(last);
        files.push(path.clone());
        watcher.busy("measuring", 0, 1);
        let realism =
            self.timings.of("realism", || report::realism(state.scene(), state.start(), &state.ground()));
        let finish = report::Finish {
            out: self.out,
            timings_s: self.timings.0,
            wall_s: begin.elapsed().as_secs_f64(),
            files: relative(self.out, &files),
            realism,
        };
        let told = Report::new(self.project, state, finish);
        told.write(&path)?;
        for stale in folder::finish(self.out, &files)? {
            watcher.notice(&format!("{}: removed; it was made before the run went on", stale.display()));
        }
        Ok(Outcome::Finished(Box::new(told)))
    }

    /// Saves the last state, so that a longer run can go on from it. Where that fails the results are still worth
    /// writing.
    fn keep_last(&mut self, state: &Session, watcher: &mut dyn Watcher) -> Option<PathBuf> {
        if !state.scene().output.last_state {
            return None;
        }
        watcher.busy("saving the last state", 0, 1);
        let complain = |error: &RunError| {
            watcher
                .notice(&format!("the last state was not kept, so no longer run can go on from it: {error}"));
        };
        self.save(state).inspect_err(complain).ok()
    }

    /// Writes maps, and the last of what was written all along.
    fn show(&mut self, state: &Session, watcher: &mut dyn Watcher) -> Result<Vec<PathBuf>, WriteError> {
        self.write_scene(state)?;
        watcher.busy("writing maps", 0, 1);
        let (out, output) = (self.out, &state.scene().output);
        let mut snapshot = self.timings.of("maps", || state.show(&Wanted::all_and(&output.more_maps)));
        let Self { recorders, timings, .. } = self;
        Now::tell(state, |now| {
            let ending = &mut Ending { now, snapshot: &mut snapshot, timings, watcher };
            let mut files = ending.timings.of("maps", || output::write_maps(out, ending.snapshot, output))?;
            if let Some(volume) = state.volume() {
                files.extend(output::write_ground(out, (volume, ending.snapshot), output)?);
            }
            if !output.ground.is_empty() || !output.water.is_empty() {
                ending.watcher.busy("writing meshes", 0, 1);
                let meshes =
                    || output::write_height_meshes(out, ending.snapshot, state.scene(), ending.watcher);
                files.extend(ending.timings.of("meshes", meshes)?);
            }
            for recorder in recorders {
                files.extend(recorder.finish(ending)?);
            }
            Ok(files)
        })
    }
}

/// Steps until their number is next a multiple of `every`; never if that is 0.
pub(super) fn to_next(taken: u64, every: u64) -> u64 {
    if every > 0 { every - taken % every } else { u64::MAX }
}

/// Names of files within the output folder, sorted.
fn relative(out: &Path, files: &[PathBuf]) -> Vec<String> {
    let name = |file: &PathBuf| file.strip_prefix(out).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let mut names: Vec<_> = files.iter().map(name).collect();
    names.sort();
    names
}
