//! What a run can be told while it goes on.

use super::driver::Driver;
use super::folder::CHECKPOINTS;
use super::{RunError, Watcher, go_on};
use crate::project::ProjectError;
use crate::state::State;
use std::str::FromStr;
use std::time::Duration;
use thalweg_io::{WriteError, checkpoint};

/// Something to do between two steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Change a value of the scene, KEY=VALUE as for `--set`.
    Set(String),
    /// Wait.
    Pause,
    /// Go on.
    Resume,
    /// Go back to the beginning, with the settings of now.
    Reset,
    /// Write a checkpoint and end.
    Stop,
}

impl FromStr for Command {
    type Err = String;

    /// Reads a line such as `set solver.fluid.viscosity=0.1`.
    fn from_str(line: &str) -> Result<Self, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (word, rest.trim()) {
            ("set", change) if !change.is_empty() => Ok(Self::Set(change.into())),
            ("pause", "") => Ok(Self::Pause),
            ("resume", "") => Ok(Self::Resume),
            ("reset", "") => Ok(Self::Reset),
            ("stop", "") => Ok(Self::Stop),
            _ => {
                Err(format!("\"{line}\" is no command; there are: set KEY=VALUE, pause, resume, reset, stop"))
            }
        }
    }
}

/// Time between two looks for commands while a run waits.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Driver<'_> {
    /// Does what it is told since the last time, and waits if that is asked for. True if it is to stop.
    pub(super) fn obey(&mut self, state: &mut State, watcher: &mut dyn Watcher) -> Result<bool, RunError> {
        let mut paused = false;
        loop {
            for command in watcher.commands() {
                match command {
                    Command::Set(change) => self.set(state, &change, watcher),
                    Command::Pause => {
                        paused = true;
                        let step = state.steps_taken();
                        watcher.notice(&format!("waiting after step {step} for resume, reset or stop"));
                    }
                    Command::Resume => paused = false,
                    Command::Reset => {
                        self.reset(state, watcher)?;
                        paused = false;
                    }
                    Command::Stop => return Ok(true),
                }
            }
            if !paused {
                return Ok(false);
            }
            if watcher.cancelled() {
                return Ok(true);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Changes a value; a wrong one is told and changes nothing.
    fn set(&mut self, state: &mut State, change: &str, watcher: &mut dyn Watcher) {
        let scene = state.scene().with(change).map_err(|error| match error {
            ProjectError::Wrong(mistakes) => {
                mistakes.into_iter().map(|mistake| mistake.message).collect::<Vec<_>>().join("; ")
            }
            other => other.to_string(),
        });
        match scene.and_then(|scene| state.change(scene, change)) {
            Ok(()) => {
                self.scene_is_old = true;
                watcher.notice(&format!("after step {}: set {change}", state.steps_taken()));
            }
            Err(reason) => watcher.notice(&format!("set {change}: {reason}")),
        }
    }

    fn reset(&mut self, state: &mut State, watcher: &mut dyn Watcher) -> Result<(), RunError> {
        let reset = state.reset(&mut go_on(watcher));
        match reset {
            Ok(true) => {}
            Ok(false) => {
                watcher.notice("reset: stopped on the way; the run is as it was");
                return Ok(());
            }
            Err(complaint) => {
                watcher.notice(&format!("reset: {}", complaint.message));
                return Ok(());
            }
        }
        watcher.notice("back at step 0");
        self.drop_checkpoints()?;
        self.write_scene(state)?;
        self.recorders.iter_mut().for_each(|recorder| recorder.rewind());
        self.write_if_due(state, watcher)
    }

    /// Removes the checkpoints of steps that have not happened any more.
    fn drop_checkpoints(&mut self) -> Result<(), RunError> {
        self.saved = None;
        for (_, path) in checkpoint::list(&self.out.join(CHECKPOINTS))? {
            std::fs::remove_file(&path).map_err(|source| WriteError::Io { path, source })?;
        }
        Ok(())
    }
}
