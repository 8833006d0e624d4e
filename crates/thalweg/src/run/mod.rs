//! Running a scene from start to end.

mod command;
mod estimate;
mod exports;
mod output;
mod pace;
mod pictures;
mod report;

pub use command::Command;
pub use estimate::{Estimate, Particles};
pub use output::{VIDEOS, is_written};
pub use report::{Dt, LedgerReport, Realism, Report, WaterReport};

use crate::project::Project;
use crate::stage::StepError;
use crate::state::{NoteError, SetupError, State};
use exports::Exports;
use pace::Pace;
use pictures::{Frames, Pictures};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use thalweg_io::checkpoint::{self, CheckpointError};
use thalweg_io::{WriteError, atomic};

/// How a scene is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Folder for everything that is written.
    pub out: PathBuf,
    /// Go on from the newest checkpoint in it.
    pub resume: bool,
    /// Memory that may be used [bytes].
    pub max_bytes: u64,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scene cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The numbers went wild; the last checkpoint, if any, is still good.
    #[error("{source}{}", last_good(saved.as_deref(), " and a shorter time step"))]
    Step {
        /// How.
        source: StepError,
        /// Where to go on from.
        saved: Option<PathBuf>,
    },
    /// A file cannot be written.
    #[error("{source}{}", last_good(saved.as_deref(), ""))]
    Write {
        /// Why.
        source: WriteError,
        /// Where to go on from.
        saved: Option<PathBuf>,
    },
    /// A checkpoint cannot be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The output folder is no folder.
    #[error("{}: is a file, but the output goes into a folder; choose another --out", path.display())]
    OutIsAFile {
        /// What is there.
        path: PathBuf,
    },
    /// The output would replace what the scene is made of.
    #[error("{}: would be overwritten by the output of the run; choose another --out", path.display())]
    OverInput {
        /// Which file.
        path: PathBuf,
    },
    /// There is nothing to go on from.
    #[error("{}: no checkpoint to resume from{broken}; run without --resume to start anew", folder.display())]
    NothingToResume {
        /// Where it was looked for.
        folder: PathBuf,
        /// What is wrong with those that are there.
        broken: String,
    },
    /// The checkpoint is not this run's.
    #[error("{}: cannot be resumed: {reason}", path.display())]
    OtherRun {
        /// Which.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

impl RunError {
    /// Whether what was asked for was wrong, so that nothing ran.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Setup(_) | Self::OutIsAFile { .. } | Self::OverInput { .. } => true,
            Self::NothingToResume { .. } | Self::OtherRun { .. } => true,
            Self::Step { .. } | Self::Write { .. } | Self::Checkpoint(_) => false,
        }
    }
}

impl From<WriteError> for RunError {
    fn from(source: WriteError) -> Self {
        Self::Write { source, saved: None }
    }
}

fn last_good(saved: Option<&Path>, with: &str) -> String {
    saved.map_or(String::new(), |path| {
        format!("\nthe last good state is in {}; go on from there with --resume{with}", path.display())
    })
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Steps taken.
    pub step: u64,
    /// Steps planned.
    pub steps: u64,
    /// Simulated time [s].
    pub time: f64,
    /// Cells or particles computed since the last call: steps taken times how many there are.
    pub item_steps: u64,
    /// Which of the two: "cells" or "particles".
    pub items: &'static str,
    /// Imbalance of the water's account [-].
    pub water: f64,
    /// Imbalance of the ground's account [-].
    pub solids: f64,
}

/// Whoever looks on while a scene runs.
pub trait Watcher {
    /// Called now and then.
    fn progress(&mut self, progress: &Progress);
    /// Something was assumed, repaired or passed over.
    fn notice(&mut self, text: &str);
    /// Whether to stop after this step.
    fn cancelled(&self) -> bool;
    /// What is set once the run is to stop, for work that takes long and looks at it from several threads; without it
    /// a picture is drawn to its end first.
    fn stopping(&self) -> Option<&AtomicBool> {
        None
    }
    /// What to do before the next step; asked for again and again.
    fn commands(&mut self) -> Vec<Command> {
        Vec::new()
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum Outcome {
    /// All steps are done and everything is written.
    Finished(Box<Report>),
    /// Stopped on request; the run can go on from here.
    Stopped {
        /// The checkpoint.
        checkpoint: PathBuf,
        /// Steps taken.
        step: u64,
    },
}

/// Time between two reports of progress.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// Runs a scene and writes everything it says.
pub fn run(project: &Project, options: &RunOptions, watcher: &mut dyn Watcher) -> Result<Outcome, RunError> {
    let begin = Instant::now();
    let out = &options.out;
    if out.exists() && !out.is_dir() {
        return Err(RunError::OutIsAFile { path: out.clone() });
    }
    if let Some(path) = output::endangered(project, out) {
        return Err(RunError::OverInput { path });
    }
    let mut timings = BTreeMap::new();
    let mut state = State::new(project, options.max_bytes)?;
    state.notices.iter().for_each(|notice| watcher.notice(notice));
    timings.insert("setup", begin.elapsed().as_secs_f64());

    let mut saved = None;
    if options.resume {
        saved = Some(resume(&mut state, &out.join("checkpoints"), options.max_bytes, watcher)?);
    }
    let mut pictures = None;
    if project.scene.output.pictures || Pace::of(&project.scene).is_some() {
        pictures = Pictures::new(&state, options.max_bytes, watcher);
    }
    atomic::create_dir(out)?;
    // From here on the report of an earlier run would tell of other files than those that are there.
    let report = out.join("report.json");
    match std::fs::remove_file(&report) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(WriteError::Io { path: report, source: error }.into());
        }
        _ => {}
    }
    let mut files = output::write_scene(out, project, state.scene())?;
    files.push(report.clone());

    let clock = Instant::now();
    let frames = Frames::new(out, &mut state, pictures.as_mut(), watcher)?;
    let exports = Exports::new(out, options.max_bytes, &state, watcher)?;
    let mut driver = Driver { project, out, pictures, frames, exports, saved, scene_is_old: false };
    if let Some(stopped) = driver.advance(&mut state, watcher)? {
        return Ok(stopped);
    }
    timings.insert(state.stage().name(), clock.elapsed().as_secs_f64());
    files.extend(driver.frames.written());
    let clock = Instant::now();
    if let Some(video) = driver.frames.film(out, watcher) {
        files.push(video);
        timings.insert("video", clock.elapsed().as_secs_f64());
    }

    match driver.show(&mut state, &mut timings, watcher) {
        Ok(Some(shown)) => files.extend(shown),
        Ok(None) => return driver.stop(&state),
        Err(source) => {
            // Hours of work must not be lost to a full disk.
            let saved = driver.save(&state).ok().or(driver.saved);
            return Err(RunError::Write { source, saved });
        }
    }
    let clock = Instant::now();
    let realism = report::realism(state.scene(), state.start(), &state.ground());
    timings.insert("realism", clock.elapsed().as_secs_f64());
    let finish = report::Finish {
        timings_s: timings,
        wall_s: begin.elapsed().as_secs_f64(),
        files: relative(out, &files),
        realism,
    };
    let told = Report::new(project, &state, finish);
    told.write(&report)?;
    Ok(Outcome::Finished(Box::new(told)))
}

/// Takes some steps and notes them.
fn stride(project: &Project, state: &mut State, steps: u64) -> Result<(), RunError> {
    let wild = |source| RunError::Step { source, saved: None };
    let report = state.stage().advance(state, steps).map_err(wild)?;
    state.note(&report).map_err(|error| match error {
        NoteError::Step(source) => wild(source),
        NoteError::Invalid(invalid) => SetupError::invalid(project, invalid).into(),
    })
}

/// Takes a scene to a step, or to its end if that comes before, and writes nothing. With a folder of checkpoints it
/// goes on from the newest that helps. Stops early if it is told to.
pub fn advance_to(
    project: &Project,
    state: &mut State,
    step: u64,
    checkpoints: Option<(&Path, u64)>,
    watcher: &mut dyn Watcher,
) -> Result<(), RunError> {
    if let Some((folder, max_bytes)) = checkpoints
        && let Some(found) = checkpoint::newest_until(folder, step, max_bytes)?.found
    {
        // One that does not fit costs time, and nothing else.
        match state.restore(&found.checkpoint) {
            Ok(()) => {}
            Err(reason) => watcher.notice(&format!("{}: passed over: {reason}", found.path.display())),
        }
    }
    let mut teller = Teller::new();
    while !state.is_over() && state.steps_taken() < step && !watcher.cancelled() {
        let steps = state.steps_to_next_look().min(step - state.steps_taken());
        stride(project, state, steps)?;
        teller.tell(state, steps, watcher);
    }
    Ok(())
}

/// Tells how far a run is, now and then.
struct Teller {
    told: Instant,
    item_steps: u64,
}

impl Teller {
    fn new() -> Self {
        Self { told: Instant::now(), item_steps: 0 }
    }

    fn tell(&mut self, state: &State, steps: u64, watcher: &mut dyn Watcher) {
        let (count, items) = state.items();
        self.item_steps += steps * count as u64;
        if self.told.elapsed() <= TELL_EVERY && !state.is_over() {
            return;
        }
        watcher.progress(&Progress {
            step: state.steps_taken(),
            steps: state.steps_planned(),
            time: state.time(),
            item_steps: std::mem::take(&mut self.item_steps),
            items,
            water: state.ledger().water.imbalance(),
            solids: state.solids_missing(),
        });
        self.told = Instant::now();
    }
}

/// Takes the steps of a run and writes what is due.
struct Driver<'a> {
    project: &'a Project,
    out: &'a Path,
    pictures: Option<Pictures>,
    frames: Frames,
    exports: Exports,
    /// The newest checkpoint of this run.
    saved: Option<PathBuf>,
    /// Whether the scene was changed since it was written.
    scene_is_old: bool,
}

impl Driver<'_> {
    /// Takes all steps, with frames and checkpoints when they are due. Returns early if it is told to stop.
    fn advance(&mut self, state: &mut State, watcher: &mut dyn Watcher) -> Result<Option<Outcome>, RunError> {
        let mut teller = Teller::new();
        loop {
            if self.obey(state, watcher)? {
                return self.stop(state).map(Some);
            }
            if state.is_over() {
                return Ok(None);
            }
            let taken = state.steps_taken();
            let to_save = to_next(taken, state.scene().output.checkpoint_every);
            let to_show = self.frames.due_in(state).min(self.exports.due_in(state));
            let steps = state.steps_to_next_look().min(to_save).min(to_show);
            stride(self.project, state, steps).map_err(|error| self.with_checkpoint(error))?;
            self.write_if_due(state, watcher)?;
            if watcher.cancelled() {
                return self.stop(state).map(Some);
            }
            if steps == to_save && !state.is_over() {
                self.saved = Some(self.save(state)?);
            }
            teller.tell(state, steps, watcher);
        }
    }

    /// Draws and writes what is due at this step.
    fn write_if_due(&mut self, state: &mut State, watcher: &mut dyn Watcher) -> Result<(), RunError> {
        self.frames.draw_if_due(state, self.pictures.as_mut(), watcher)?;
        Ok(self.exports.write_if_due(state, watcher)?)
    }

    fn stop(&mut self, state: &State) -> Result<Outcome, RunError> {
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
    fn save(&mut self, state: &State) -> Result<PathBuf, RunError> {
        state.check_finite().map_err(|source| self.wild(source))?;
        let folder = self.out.join("checkpoints");
        atomic::create_dir(&folder)?;
        let path = state.save(&folder, &self.project.name)?;
        self.write_scene(state)?;
        Ok(path)
    }

    /// Writes the scene, if it was changed since it was written.
    fn write_scene(&mut self, state: &State) -> Result<(), WriteError> {
        if std::mem::take(&mut self.scene_is_old) {
            output::write_scene(self.out, self.project, state.scene())?;
        }
        Ok(())
    }

    /// Writes the last particles, maps and pictures; `None` if it is told to stop before all of them are there.
    fn show(
        &mut self,
        state: &mut State,
        timings: &mut BTreeMap<&'static str, f64>,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<Vec<PathBuf>>, WriteError> {
        let (out, output) = (self.out, state.scene().output.clone());
        self.write_scene(state)?;
        let clock = Instant::now();
        self.exports.finish(state, watcher)?;
        let mut files: Vec<_> = self.exports.written().collect();
        if !files.is_empty() {
            timings.insert("particles", clock.elapsed().as_secs_f64());
        }
        let clock = Instant::now();
        let mut snapshot = state.snapshot();
        files.extend(output::write_maps(out, &snapshot, output.maps)?);
        timings.insert("maps", clock.elapsed().as_secs_f64());
        if output.pictures {
            let clock = Instant::now();
            let view =
                self.pictures.as_mut().and_then(|pictures| pictures.view(&mut snapshot, state, watcher));
            let Some(drawn) = output::draw_pictures(out, state, &snapshot, view, watcher.stopping())? else {
                return Ok(None);
            };
            files.extend(drawn);
            timings.insert("pictures", clock.elapsed().as_secs_f64());
        }
        Ok(Some(files))
    }
}

/// Steps until their number is next a multiple of `every`; never if that is 0.
fn to_next(taken: u64, every: u64) -> u64 {
    if every > 0 { every - taken % every } else { u64::MAX }
}

/// Goes back to the newest checkpoint that is whole, and returns its path.
fn resume(
    state: &mut State,
    folder: &Path,
    max_bytes: u64,
    watcher: &mut dyn Watcher,
) -> Result<PathBuf, RunError> {
    let newest = checkpoint::newest(folder, max_bytes)?;
    let Some(found) = newest.found else {
        let reasons: Vec<_> = newest.skipped.iter().map(|(_, reason)| reason.to_string()).collect();
        let broken = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
        return Err(RunError::NothingToResume { folder: folder.into(), broken });
    };
    for (_, reason) in &newest.skipped {
        watcher.notice(&format!("passed over a broken checkpoint: {reason}"));
    }
    let path = found.path;
    state.restore(&found.checkpoint).map_err(|reason| RunError::OtherRun { path: path.clone(), reason })?;
    watcher.notice(&format!("going on from step {} ({})", state.steps_taken(), path.display()));
    Ok(path)
}

/// Names of files within the output folder, sorted.
fn relative(out: &Path, files: &[PathBuf]) -> Vec<String> {
    let name = |file: &PathBuf| file.strip_prefix(out).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let mut names: Vec<_> = files.iter().map(name).collect();
    names.sort();
    names
}
