//! Running a scene from start to end.

mod output;
mod report;

pub use report::{Dt, LedgerReport, Realism, Report, WaterReport};

use crate::project::Project;
use crate::stage::{PipesStage, Stage};
use crate::state::{SetupError, State};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use thalweg_erosion::pipes::StepError;
use thalweg_io::checkpoint::{self, CheckpointError};
use thalweg_io::{Notice, WriteError, atomic};

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
    #[error("{source}{}", hint.as_deref().unwrap_or_default())]
    Step {
        /// How.
        source: StepError,
        /// Where to go on from.
        hint: Option<String>,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A checkpoint cannot be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// There is nothing to go on from.
    #[error("{}: no checkpoint to resume from; run without --resume to start anew", folder.display())]
    NothingToResume {
        /// Where it was looked for.
        folder: PathBuf,
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

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Steps taken.
    pub step: u64,
    /// Steps planned.
    pub steps: u64,
    /// Simulated time [s].
    pub time: f64,
    /// Cells computed since the last call, steps taken times cells.
    pub cell_steps: u64,
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

/// Most steps between two looks at the clock and for Ctrl-C.
const LOOK_EVERY: u64 = 64;

/// Runs a scene and writes everything it says.
pub fn run(project: &Project, options: &RunOptions, watcher: &mut dyn Watcher) -> Result<Outcome, RunError> {
    let begin = Instant::now();
    let mut timings = BTreeMap::new();
    let mut state = State::new(project, options.max_bytes)?;
    for notice in &state.notices {
        watcher.notice(&Notice::to_string(notice));
    }
    timings.insert("setup", begin.elapsed().as_secs_f64());
    atomic::create_dir(&options.out)?;
    let checkpoints = options.out.join("checkpoints");
    if options.resume {
        resume(&mut state, &checkpoints, options.max_bytes, watcher)?;
    }
    output::write_scene(&options.out, &project.scene)?;

    let stage = PipesStage;
    let clock = Instant::now();
    let mut dt = Dt { min: f64::INFINITY, mean: 0.0, max: 0.0 };
    let (first_step, first_time) = (state.steps_taken(), state.time());
    let mut frames = output::Frames::new(&options.out, project.scene.output.frames_every, &mut state)?;
    let mut looked = Instant::now();
    let mut cell_steps = 0;
    while !state.is_over() {
        let steps = state.steps_to_next_look().min(LOOK_EVERY);
        let cells = state.cells();
        let report = stage.advance(&mut state, steps).map_err(|source| {
            let hint =
                checkpoint::newest(&checkpoints, options.max_bytes).ok().and_then(|newest| newest.found);
            let hint = hint.map(|found| format!(" (the last good state is in {})", found.path.display()));
            RunError::Step { source, hint }
        })?;
        state.note(steps, report.simulated)?;
        cell_steps += steps * cells as u64;
        dt.min = dt.min.min(report.dt_min);
        dt.max = dt.max.max(report.dt_max);
        frames.draw_if_due(&mut state)?;
        let every = project.scene.output.checkpoint_every;
        let due = every > 0 && state.steps_taken() / every > (state.steps_taken() - steps) / every;
        if watcher.cancelled() || (due && !state.is_over()) {
            atomic::create_dir(&checkpoints)?;
            let checkpoint = state.save(&checkpoints, &project.name)?;
            if watcher.cancelled() {
                return Ok(Outcome::Stopped { checkpoint, step: state.steps_taken() });
            }
        }
        if looked.elapsed().as_millis() > 200 || state.is_over() {
            let ledger = state.ledger();
            watcher.progress(&Progress {
                step: state.steps_taken(),
                steps: state.steps_planned(),
                time: state.time(),
                cell_steps: std::mem::take(&mut cell_steps),
                water: ledger.water.imbalance(),
                solids: ledger.solids.imbalance(),
            });
            looked = Instant::now();
        }
    }
    timings.insert(stage.name(), clock.elapsed().as_secs_f64());
    let steps = state.steps_taken() - first_step;
    dt.mean = if steps > 0 { (state.time() - first_time) / steps as f64 } else { 0.0 };
    if steps == 0 {
        dt.min = 0.0;
    }

    let clock = Instant::now();
    let snapshot = state.snapshot();
    let mut files = output::write_maps(&options.out, &snapshot, project.scene.output.maps)?;
    timings.insert("maps", clock.elapsed().as_secs_f64());
    if project.scene.output.pictures {
        let clock = Instant::now();
        files.extend(output::draw_pictures(&options.out, state.start(), &snapshot)?);
        timings.insert("pictures", clock.elapsed().as_secs_f64());
    }
    let clock = Instant::now();
    let realism = report::realism(state.start(), &state.settled_ground());
    timings.insert("realism", clock.elapsed().as_secs_f64());
    files.extend(frames.written());
    let report = Report::new(
        project,
        &state,
        dt,
        timings,
        begin.elapsed().as_secs_f64(),
        relative(&options.out, files),
        realism,
    );
    report.write(&options.out.join("report.json"))?;
    Ok(Outcome::Finished(Box::new(report)))
}

fn resume(
    state: &mut State,
    folder: &Path,
    max_bytes: u64,
    watcher: &mut dyn Watcher,
) -> Result<(), RunError> {
    let newest = checkpoint::newest(folder, max_bytes)?;
    for (_, reason) in &newest.skipped {
        watcher.notice(&format!("passed over a broken checkpoint: {reason}"));
    }
    let found = newest.found.ok_or_else(|| RunError::NothingToResume { folder: folder.into() })?;
    let path = found.path;
    state.restore(found.checkpoint).map_err(|reason| RunError::OtherRun { path: path.clone(), reason })?;
    watcher.notice(&format!("going on from step {} ({})", state.steps_taken(), path.display()));
    Ok(())
}

/// Names of files within the output folder, sorted.
fn relative(out: &Path, files: Vec<PathBuf>) -> Vec<String> {
    let name = |file: &PathBuf| file.strip_prefix(out).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let mut names: Vec<_> =
        files.iter().map(name).chain(["scene.toml".into(), "report.json".into()]).collect();
    names.sort();
    names
}
