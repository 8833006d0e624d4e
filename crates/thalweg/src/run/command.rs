//! What a run can be told while it goes on.

use super::driver::Driver;
use super::folder::CHECKPOINTS;
use super::{RunError, Watcher, go_on};
use crate::session::{Edit, Refused, Session};
use crate::solver::Stroke;
use serde::Deserialize;
use std::str::FromStr;
use std::time::Duration;
use thalweg_io::{WriteError, checkpoint};

/// Something to do between two steps.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Edit the scene.
    Edit(Edit),
    /// Take the last edit back.
    Undo,
    /// Do the last edit that was taken back again.
    Redo,
    /// Wait.
    Pause,
    /// Go on.
    Resume,
    /// Go on for so many steps, and wait again.
    Step(u64),
    /// Go back to the beginning, with the settings of now.
    Reset,
    /// Write a checkpoint and end.
    Stop,
}

/// All of them, as they are written.
const COMMANDS: &str = "set KEY=VALUE, add LIST { KEY = VALUE, ... }, remove LIST N, paint { tool = \"raise\", \
                        along = [[EAST, NORTH]], radius = R, strength = S }, undo, redo, pause, resume, step [N], reset, stop";

impl FromStr for Command {
    type Err = String;

    /// Reads a line such as `set solver.fluid.viscosity=0.1`.
    fn from_str(line: &str) -> Result<Self, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let unknown = || format!("\"{line}\" is no command; there are: {COMMANDS}");
        match (word, rest.split_once(char::is_whitespace)) {
            ("set", _) if !rest.is_empty() => Ok(Self::Edit(Edit::set(rest))),
            ("add", Some((list, entry))) => {
                Ok(Self::Edit(Edit::Add { list: list.into(), entry: entry.trim().into(), at: None }))
            }
            ("remove", Some((list, at))) => {
                let at = at.trim().parse().map_err(|_| unknown())?;
                Ok(Self::Edit(Edit::Remove { list: list.into(), at }))
            }
            ("paint", _) if !rest.is_empty() => {
                let stroke: Painted = toml::from_str(&format!("stroke = {rest}"))
                    .map_err(|error| format!("paint: {}", error.message()))?;
                Ok(Self::Edit(Edit::Paint(stroke.stroke)))
            }
            ("step", None) if rest.is_empty() => Ok(Self::Step(1)),
            ("step", None) => rest.parse().map(Self::Step).map_err(|_| unknown()),
            ("undo", None) if rest.is_empty() => Ok(Self::Undo),
            ("redo", None) if rest.is_empty() => Ok(Self::Redo),
            ("pause", None) if rest.is_empty() => Ok(Self::Pause),
            ("resume", None) if rest.is_empty() => Ok(Self::Resume),
            ("reset", None) if rest.is_empty() => Ok(Self::Reset),
            ("stop", None) if rest.is_empty() => Ok(Self::Stop),
            _ => Err(unknown()),
        }
    }
}

/// A stroke as it is written after `paint`.
#[derive(Deserialize)]
struct Painted {
    stroke: Stroke,
}

/// Time between two looks for commands while a run waits.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Driver<'_> {
    /// Does what it is told since the last time, and waits if that is asked for. True if it is to stop. What is told after a number
    /// of steps to take is done when they are taken, so that a list of commands means the same however fast it is read.
    pub(super) fn obey(&mut self, state: &mut Session, watcher: &mut dyn Watcher) -> Result<bool, RunError> {
        match self.pause_at {
            // Whoever asks for more steps than there are finds the run at its end.
            Some(_) if state.is_over() => self.pause_at = None,
            Some(step) if state.steps_taken() < step => return Ok(false),
            Some(_) => self.wait(state, watcher),
            None => {}
        }
        loop {
            if self.orders.is_empty() {
                self.orders.extend(watcher.commands());
            }
            while let Some(command) = self.orders.pop_front() {
                match command {
                    Command::Edit(edit) => self.edit(state, edit, watcher),
                    Command::Undo => self.travel(state, "undo", Session::undo, watcher),
                    Command::Redo => self.travel(state, "redo", Session::redo, watcher),
                    Command::Pause => self.wait(state, watcher),
                    Command::Resume => self.paused = false,
                    Command::Step(steps) => {
                        self.paused = false;
                        self.pause_at = Some(state.steps_taken().saturating_add(steps));
                        return Ok(false);
                    }
                    Command::Reset => self.paused &= !self.reset(state, watcher)?,
                    Command::Stop => return Ok(true),
                }
            }
            if !self.paused {
                return Ok(false);
            }
            if watcher.cancelled() {
                return Ok(true);
            }
            if watcher.has_told_all() {
                watcher.notice("there are no more commands that could end the waiting: the run stops");
                return Ok(true);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn wait(&mut self, state: &Session, watcher: &mut dyn Watcher) {
        (self.paused, self.pause_at) = (true, None);
        watcher
            .notice(&format!("waiting after step {} for resume, step, reset or stop", state.steps_taken()));
    }

    /// Edits the scene; what makes no sense is told and changes nothing.
    fn edit(&mut self, state: &mut Session, edit: Edit, watcher: &mut dyn Watcher) {
        let label = match &edit {
            Edit::Set { .. } => format!("set {}", edit.label()),
            _ => edit.label(),
        };
        match state.apply(edit) {
            Ok(()) => {
                self.scene_is_old = true;
                watcher.notice(&format!("after step {}: {label}", state.steps_taken()));
            }
            Err(refused) => watcher.notice(&format!("{label}: {refused}")),
        }
    }

    /// Takes an edit back, or does it again.
    fn travel(
        &mut self,
        state: &mut Session,
        word: &str,
        way: impl FnOnce(&mut Session) -> Result<Option<Edit>, Refused>,
        watcher: &mut dyn Watcher,
    ) {
        match way(state) {
            Ok(Some(edit)) => {
                self.scene_is_old = true;
                watcher.notice(&format!("after step {}: {word} {}", state.steps_taken(), edit.label()));
            }
            Ok(None) => watcher.notice(&format!("{word}: there is nothing to {word}")),
            Err(refused) => watcher.notice(&format!("{word}: {refused}")),
        }
    }

    /// Goes back to the beginning; false if it could not.
    fn reset(&mut self, state: &mut Session, watcher: &mut dyn Watcher) -> Result<bool, RunError> {
        let reset = state.reset(&mut go_on(watcher));
        match reset {
            Ok(true) => {}
            Ok(false) => {
                watcher.notice("reset: stopped on the way; the run is as it was");
                return Ok(false);
            }
            Err(complaint) => {
                watcher.notice(&format!("reset: {}", complaint.message));
                return Ok(false);
            }
        }
        watcher.notice("back at step 0");
        self.drop_checkpoints()?;
        self.write_scene(state)?;
        self.recorders.iter_mut().for_each(|recorder| recorder.rewind());
        self.write_if_due(state, watcher)?;
        Ok(true)
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
