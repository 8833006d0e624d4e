//! A scene at work: how it is opened, obeys, steps and is shown.

use crate::autosave::Autosave;
use crate::worker::{Board, Order, Said, Shown};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use thalweg::field::{Heightfield, Snapshot};
use thalweg::io::{WriteOptions, write_heightfield};
use thalweg::project::{BuiltIn, Project, Scene};
use thalweg::{Edit, Refused, Session};

/// What is to be opened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Opening {
    /// A built-in scene, a scene file or its folder.
    Scene(String),
    /// A heightmap, with the text of a scene around it.
    Ground { file: PathBuf, text: String },
    /// What was saved before the studio ended without being asked to.
    Saved(PathBuf),
}

impl Opening {
    /// Its name, for people.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Scene(name) => {
                let path = Path::new(name);
                // A folder's scene has the folder's name.
                let own = path.file_stem().filter(|stem| *stem != "scene");
                let named = own.or_else(|| path.parent()?.file_name());
                named.map_or(name.clone(), |stem| stem.to_string_lossy().into_owned())
            }
            Self::Ground { file, .. } => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            Self::Saved(_) => "the work of the last time".into(),
        }
    }

    fn project(&self) -> Result<Project, String> {
        let project = match self {
            Self::Scene(name) => Project::open(name, &[]),
            Self::Ground { file, text } => {
                let folder = file.parent().unwrap_or(Path::new(""));
                Project::from_text(text, &self.name(), folder, &[])
            }
            Self::Saved(folder) => return Autosave::project(folder),
        };
        project.map_err(|error| error.to_string())
    }
}

/// Time that a burst of steps takes before orders are looked at again `[s]`.
const BURST: f64 = 0.02;
/// Weight of the newest burst in the times that are told `[-]`.
const NEWEST: f64 = 0.2;

/// A scene at work.
pub(crate) struct Engine {
    /// Keeps the files of a built-in scene there.
    project: Project,
    session: Session,
    start: Arc<Heightfield>,
    scene: Arc<Scene>,
    playing: bool,
    /// Steps to take and then rest.
    wanted: u64,
    /// Memory that may be used `[bytes]`.
    max_bytes: u64,
    /// Seconds that a step took lately, and simulated seconds in each.
    step_time: f64,
    pace: f64,
    autosave: Autosave,
}

impl Engine {
    /// Opens a scene; what is wrong with it is told, and there is none then.
    pub(crate) fn open(opening: Opening, board: &Board) -> Option<Self> {
        let max_bytes = usable_memory();
        let opened = opening.project().and_then(|project| {
            let mut session = Session::new(&project, max_bytes).map_err(|error| error.to_string())?;
            if let Opening::Saved(folder) = &opening {
                Autosave::restore(folder, &mut session)?;
            }
            Ok((project, session))
        });
        let (project, mut session) = match opened {
            Ok(opened) => opened,
            Err(text) => {
                board.say(Said::Trouble(text));
                return None;
            }
        };
        // Nobody can change what is assumed about the files of a built-in scene.
        let is_own = !matches!(&opening, Opening::Scene(name) if BuiltIn::named(name).is_some());
        session.notices.iter().filter(|_| is_own).for_each(|notice| board.say(Said::Note(notice.clone())));
        if session.steps_taken() == 0 {
            relax(&mut session, board);
        }
        let start = Arc::new(session.start().clone());
        let scene = Arc::new(session.scene().clone());
        let autosave = Autosave::of(&opening, &project.name);
        Some(Self {
            project,
            session,
            start,
            scene,
            playing: true,
            wanted: 0,
            max_bytes,
            step_time: 0.0,
            pace: 0.0,
            autosave,
        })
    }

    /// Whether no step is due.
    pub(crate) fn rests(&self) -> bool {
        self.session.is_over() || !self.playing && self.wanted == 0
    }

    /// Carries an order out; why it cannot is told.
    pub(crate) fn obey(&mut self, order: Order, board: &Board) {
        let done = match order {
            Order::Play(playing) => {
                (self.playing, self.wanted) = (playing, 0);
                Ok(())
            }
            Order::Step(steps) => {
                (self.playing, self.wanted) = (false, steps);
                Ok(())
            }
            Order::Reset => self.reset(board),
            Order::Edit(edit) => self.edit(edit, false, board),
            Order::Adjust(edit) => self.edit(edit, true, board),
            Order::Undo => self.session.undo().map(drop).map_err(|refused| refused.reason),
            Order::Redo => self.session.redo().map(drop).map_err(|refused| refused.reason),
            Order::Restart(changes) => self.restart(&changes, board),
            Order::WriteHeights(path) => self.write_heights(&path, board),
        };
        if let Err(reason) = done {
            board.say(Said::Trouble(reason));
        }
        if *self.scene != *self.session.scene() {
            self.scene = Arc::new(self.session.scene().clone());
        }
    }

    fn reset(&mut self, board: &Board) -> Result<(), String> {
        board.busy(Some("Going back to the beginning".into()));
        let done = self.session.reset(&mut |_| !board.is_over());
        board.busy(None);
        (self.step_time, self.pace) = (0.0, 0.0);
        done.map(drop).map_err(|complaint| complaint.message)
    }

    fn edit(&mut self, edit: Edit, joins: bool, board: &Board) -> Result<(), String> {
        let done = if joins { self.session.adjust(edit.clone()) } else { self.session.apply(edit.clone()) };
        match (done, edit) {
            (Err(Refused { needs_restart: true, .. }), Edit::Set { key, value }) => {
                board.say(Said::NeedsRestart { key, value });
                Ok(())
            }
            (done, _) => done.map_err(|refused| refused.reason),
        }
    }

    /// The scene as it is edited, with changes that need a beginning; its files stay where they are.
    fn restart(&mut self, changes: &[String], board: &Board) -> Result<(), String> {
        board.busy(Some("Beginning anew".into()));
        let mut scene = self.session.scene().clone();
        let changed = changes.iter().try_for_each(|change| {
            scene = scene.with(change)?;
            Ok(())
        });
        let fresh =
            changed.and_then(|()| Project::from_scene(scene, &self.project.name, &self.project.folder));
        let session = fresh
            .map_err(|error| error.to_string())
            .and_then(|project| Session::new(&project, self.max_bytes).map_err(|error| error.to_string()));
        board.busy(None);
        self.session = session?;
        relax(&mut self.session, board);
        self.start = Arc::new(self.session.start().clone());
        (self.step_time, self.pace) = (0.0, 0.0);
        Ok(())
    }

    fn write_heights(&self, path: &Path, board: &Board) -> Result<(), String> {
        let options = WriteOptions::default();
        write_heightfield(path, &self.session.ground(), &options).map_err(|error| error.to_string())?;
        board.say(Said::Wrote(path.into()));
        Ok(())
    }

    /// Takes steps for a moment, if any are due; whether there is something new to see.
    pub(crate) fn advance(&mut self, board: &Board) -> bool {
        if self.rests() {
            return false;
        }
        let most = if self.step_time > 0.0 { (BURST / self.step_time).clamp(1.0, 1.0e6) as u64 } else { 1 };
        let budget = if self.wanted > 0 { self.wanted.min(most) } else { most };
        let (begin, before) = (Instant::now(), self.session.time());
        match self.session.tick(budget) {
            Ok(steps) => {
                self.wanted -= self.wanted.min(steps);
                self.measure(steps, begin.elapsed().as_secs_f64(), self.session.time() - before);
            }
            Err(error) => {
                (self.playing, self.wanted) = (false, 0);
                board.say(Said::Trouble(error.to_string()));
            }
        }
        for event in self.session.events() {
            if let thalweg::Event::Warned(warning) = event {
                board.say(Said::Note(warning));
            }
        }
        if let Err(reason) = self.autosave.if_due(&self.session) {
            board.say(Said::Trouble(reason));
        }
        true
    }

    fn measure(&mut self, steps: u64, took: f64, simulated: f64) {
        if steps == 0 || took <= 0.0 {
            return;
        }
        let (step_time, pace) = (took / steps as f64, simulated / took);
        let newest = if self.step_time > 0.0 { NEWEST } else { 1.0 };
        self.step_time += newest * (step_time - self.step_time);
        self.pace += newest * (pace - self.pace);
    }

    /// What there is to see now.
    pub(crate) fn show(&self) -> Shown {
        Shown {
            snapshot: Arc::new(self.snapshot()),
            start: self.start.clone(),
            scene: self.scene.clone(),
            clock: self.session.clock(),
            books: self.session.books(),
            method: self.session.method_at_work(),
            memory: self.session.memory(),
            undoable: self.session.undoable(),
            playing: self.playing && !self.session.is_over(),
            step_time: self.step_time,
            pace: self.pace,
        }
    }

    /// With the cells of the terrain itself, so that nothing jumps when a pass ends.
    fn snapshot(&self) -> Snapshot {
        self.session.scenery()
    }
}

/// Lets the water find its place.
fn relax(session: &mut Session, board: &Board) {
    let done = session.relax(&mut |relaxing| {
        board.busy(Some(format!("The water finds its place: {} of {} steps", relaxing.step, relaxing.steps)));
        !board.is_over()
    });
    board.busy(None);
    if let Err(complaint) = done {
        board.say(Said::Trouble(complaint.message));
    }
}

/// Three quarters of what the machine has, as on the command line; 4 GiB where that is not known `[bytes]`.
fn usable_memory() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    match system.total_memory() {
        0 => 4 << 30,
        total => total / 4 * 3,
    }
}
