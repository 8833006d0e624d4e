//! Running a scene from start to end.

#[cfg(feature = "render")]
mod album;
#[cfg(feature = "render")]
mod animation;
mod art;
mod checkpoint;
mod command;
mod driver;
mod error;
mod estimate;
mod folder;
mod gauge;
mod level_set;
mod map_frames;
mod output;
// Where nothing is drawn, frames are only counted.
#[cfg_attr(not(feature = "render"), expect(dead_code))]
mod pace;
mod particles;
#[cfg(feature = "render")]
mod pictures;
mod probes;
mod progress;
mod recorder;
mod report;
#[cfg(feature = "render")]
mod surfaces;
mod trajectories;
mod volumes;

pub use art::{ground_shares, write_layered_maps, write_normals, write_shares};
pub use checkpoint::{restore, save};
pub use command::Command;
pub use error::RunError;
pub use estimate::{Estimate, Particles};
pub use folder::{Unfinished, admit, resume_command, shell_word};
pub use output::{VIDEOS, bed_colours, colours_of_ground, story};
pub use progress::{Progress, Silent, Watcher};
pub use report::{Dt, LedgerReport, OtherWater, Report, WaterReport, absolute};
pub use thalweg_terrain::analysis::Realism;

use crate::project::{Project, Scene};
use crate::session::Session;
use crate::solver::{Relaxing, StepError};
use crate::world::SetupError;
use driver::Driver;
use folder::CHECKPOINTS;
use progress::{Teller, Timings};
use recorder::Now;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Instant;
use thalweg_io::checkpoint::{self as checkpoints, Checkpoint};

/// How a scene is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Folder for everything that is written.
    pub out: PathBuf,
    /// What becomes of a run that is in it already.
    pub earlier: Earlier,
    /// Memory that may be used `[bytes]`.
    pub max_bytes: u64,
}

/// What becomes of an earlier run in the output folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Earlier {
    /// It stays, and the new one is refused.
    #[default]
    Refuse,
    /// It goes.
    Replace,
    /// It goes on from its newest checkpoint.
    Resume,
}

/// How a run ended.
#[derive(Debug)]
pub enum Outcome {
    /// All steps are done and everything is written.
    Finished(Box<Report>),
    /// Stopped on request before the first step; nothing was written.
    StoppedBefore,
    /// Stopped on request; the run can go on from here.
    Stopped {
        /// The checkpoint.
        checkpoint: PathBuf,
        /// Steps taken.
        step: u64,
    },
    /// The run that was to go on had finished before, and as long as asked for; nothing was done.
    AlreadyOver {
        /// Steps that it took.
        step: u64,
    },
}

/// Runs a scene and writes everything it says.
pub fn run(project: &Project, options: &RunOptions, watcher: &mut dyn Watcher) -> Result<Outcome, RunError> {
    let begin = Instant::now();
    admit(project, options)?;
    let mut timings = Timings::default();
    let mut state = timings.of("setup", || Session::new(project, options.max_bytes))?;
    state.notices.iter().for_each(|notice| watcher.notice(notice));

    let mut saved = None;
    if options.earlier == Earlier::Resume {
        saved = Some(resume(&mut state, options, watcher)?);
        if state.is_over() && folder::is_finished(&options.out) {
            return Ok(Outcome::AlreadyOver { step: state.steps_taken() });
        }
    } else if !timings.of("setup", || relax(project, &mut state, watcher))? {
        return Ok(Outcome::StoppedBefore);
    }
    let recorders =
        timings.of("setup", || Now::tell(&state, |now| recorder::recorders(now, options, watcher)));
    let _held = folder::begin(project, &state, options)?;
    let scene = output::write_scene(&options.out, project, state.scene())?;
    let mut driver = Driver {
        project,
        out: &options.out,
        recorders,
        scene,
        saved,
        scene_is_old: false,
        paused: false,
        pause_at: None,
        orders: VecDeque::new(),
        timings,
    };
    match driver.advance(&mut state, watcher)? {
        Some(stopped) => Ok(stopped),
        None => driver.finish(&state, begin, watcher),
    }
}

/// Runs a scene to its end in memory, through all its passes, and writes nothing. If the watcher stops it, the state is
/// not over.
pub fn simulate(project: &Project, max_bytes: u64, watcher: &mut dyn Watcher) -> Result<Session, RunError> {
    let mut state = Session::new(project, max_bytes)?;
    state.notices.iter().for_each(|notice| watcher.notice(notice));
    advance_to(project, &mut state, u64::MAX, None, watcher)?;
    Ok(state)
}

/// Lets the water find its place before the first step; false if it is told to stop.
fn relax(project: &Project, state: &mut Session, watcher: &mut dyn Watcher) -> Result<bool, SetupError> {
    state.relax(&mut go_on(watcher)).map_err(|complaint| SetupError::complaints(project, vec![complaint]))
}

/// Tells a watcher how far the water has found its place, and asks whether to go on.
fn go_on(watcher: &mut dyn Watcher) -> impl FnMut(Relaxing) -> bool {
    |relaxing| {
        watcher.busy("relaxing", relaxing.step as usize, relaxing.steps as usize);
        !watcher.cancelled()
    }
}

/// Takes so many steps, or fewer where something has to be looked at before; returns how many.
fn stride(project: &Project, state: &mut Session, steps: u64) -> Result<u64, RunError> {
    state.advance(steps).map_err(|error| match error {
        StepError::Invalid(invalid) => SetupError::invalid(project, invalid).into(),
        source @ StepError::Wild(_) => RunError::Step { source, saved: None },
    })
}

/// Takes a scene to a step, or to its end if that comes before, and writes nothing. With a folder of checkpoints it
/// goes on from the newest that helps. Stops early if it is told to.
pub fn advance_to(
    project: &Project,
    state: &mut Session,
    step: u64,
    checkpoints: Option<(&Path, u64)>,
    watcher: &mut dyn Watcher,
) -> Result<(), RunError> {
    if let Some((folder, max_bytes)) = checkpoints
        && let Some(found) = checkpoints::newest_until(folder, step, max_bytes)?.found
    {
        // One that does not fit costs time, and nothing else.
        match restore(state, &found.checkpoint) {
            Ok(()) => {}
            Err(reason) => watcher.notice(&format!("{}: passed over: {reason}", found.path.display())),
        }
    }
    if state.steps_taken() == 0 && !relax(project, state, watcher)? {
        return Ok(());
    }
    let mut teller = Teller::new(state);
    while !state.is_over() && state.steps_taken() < step && !watcher.cancelled() {
        let clock = Instant::now();
        let steps = stride(project, state, step - state.steps_taken())?;
        teller.tell(state, (steps, clock.elapsed()), watcher);
    }
    Ok(())
}

/// Goes back to the newest checkpoint that is whole, and returns its path.
fn resume(state: &mut Session, options: &RunOptions, watcher: &mut dyn Watcher) -> Result<PathBuf, RunError> {
    let folder = options.out.join(CHECKPOINTS);
    let newest = checkpoints::newest(&folder, options.max_bytes)?;
    let Some(found) = newest.found else {
        let reasons: Vec<_> = newest.skipped.iter().map(|(_, reason)| reason.to_string()).collect();
        let broken = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
        return Err(RunError::NothingToResume { folder, broken });
    };
    for (_, reason) in &newest.skipped {
        watcher.notice(&format!("passed over a broken checkpoint: {reason}"));
    }
    let path = found.path;
    restore(state, &found.checkpoint).map_err(|reason| RunError::OtherRun { path: path.clone(), reason })?;
    watcher.notice(&format!("going on from step {} ({})", state.steps_taken(), path.display()));
    Ok(path)
}

/// The scene of the run that is saved in a folder.
pub fn saved_scene(out: &Path) -> Option<Scene> {
    toml::from_str(saved_header(out)?["text"].as_str()?).ok()
}

/// The name of that scene.
pub fn saved_name(out: &Path) -> Option<String> {
    saved_header(out)?["scene"].as_str().map(str::to_owned)
}

fn saved_header(out: &Path) -> Option<serde_json::Value> {
    let paths = checkpoints::list(&out.join(CHECKPOINTS)).ok()?;
    paths.iter().find_map(|(_, path)| Checkpoint::read_header(path).ok())
}
