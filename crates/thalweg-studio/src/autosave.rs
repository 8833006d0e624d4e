//! What is left of a session when the studio ends without being asked to.

use crate::engine::Opening;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thalweg::io::{atomic, checkpoint};
use thalweg::project::{Project, Scene};
use thalweg::{Session, run};

/// At most so much work is lost.
pub(crate) const INTERVAL: Duration = Duration::from_secs(60);

/// The file that tells what the saved state belongs to.
const NOTE: &str = "session.json";

/// What a saved state belongs to.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    name: String,
    /// What was opened, for the files that the scene reads.
    origin: String,
    folder: PathBuf,
}

/// Saves a session now and then.
#[derive(Debug)]
pub(crate) struct Autosave {
    note: Note,
    last: Instant,
    saved_step: u64,
}

impl Autosave {
    pub(crate) fn of(opening: &Opening, name: &str) -> Self {
        let (origin, folder) = match opening {
            Opening::Scene(origin) => (origin.clone(), PathBuf::new()),
            Opening::Ground { file, .. } => (String::new(), file.parent().unwrap_or(Path::new("")).into()),
            Opening::Saved(folder) => match read(folder) {
                Ok(note) => (note.origin, note.folder),
                Err(_) => (String::new(), PathBuf::new()),
            },
        };
        Self { note: Note { name: name.into(), origin, folder }, last: Instant::now(), saved_step: 0 }
    }

    /// Saves if it is time and something happened.
    pub(crate) fn if_due(&mut self, session: &Session) -> Result<(), String> {
        if self.last.elapsed() < INTERVAL || session.steps_taken() == self.saved_step {
            return Ok(());
        }
        let Some(folder) = folder() else { return Ok(()) };
        (self.last, self.saved_step) = (Instant::now(), session.steps_taken());
        self.write(&folder, session)
    }

    /// Writes a state that can be gone on from, its scene as text, and what it belongs to.
    fn write(&self, folder: &Path, session: &Session) -> Result<(), String> {
        session.check_finite().map_err(|error| error.to_string())?;
        atomic::create_dir(folder).map_err(|error| error.to_string())?;
        run::save(session, folder, &self.note.name).map_err(|error| error.to_string())?;
        let text = toml::to_string(session.scene()).map_err(|error| error.to_string())?;
        put(&folder.join("scene.toml"), &text)?;
        let note = serde_json::to_string(&self.note).map_err(|error| error.to_string())?;
        put(&folder.join(NOTE), &note)
    }

    /// The scene of a saved state.
    pub(crate) fn project(folder: &Path) -> Result<Project, String> {
        let Note { name, origin, folder: files } = read(folder)?;
        let text = std::fs::read_to_string(folder.join("scene.toml")).map_err(|error| error.to_string())?;
        let scene: Scene = toml::from_str(&text).map_err(|error| error.message().to_owned())?;
        if origin.is_empty() {
            return Project::from_scene(scene, &name, &files).map_err(|error| error.to_string());
        }
        let mut project = Project::open(&origin, &[]).map_err(|error| error.to_string())?;
        project.scene = scene;
        Ok(project)
    }

    /// Goes on from the newest saved state.
    pub(crate) fn restore(folder: &Path, session: &mut Session) -> Result<(), String> {
        let newest = checkpoint::newest(folder, u64::MAX).map_err(|error| error.to_string())?;
        let found = newest.found.ok_or("there is no saved state that is whole")?;
        run::restore(session, &found.checkpoint)
    }
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    let write = |file: &mut dyn std::io::Write| file.write_all(text.as_bytes());
    atomic::write_atomic(path, |file| write(file)).map_err(|error| error.to_string())
}

fn read(folder: &Path) -> Result<Note, String> {
    let text = std::fs::read_to_string(folder.join(NOTE)).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// Where the state is saved: `THALWEG_STATE`, or the place that the system has for such things.
pub(crate) fn folder() -> Option<PathBuf> {
    let named =
        |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || {
        let local = named("LOCALAPPDATA").or_else(|| named("XDG_STATE_HOME"));
        local.or_else(|| named("HOME").map(|home| home.join(".local").join("state")))
    };
    named("THALWEG_STATE")
        .or_else(|| home().map(|home| home.join("thalweg")))
        .map(|base| base.join("autosave"))
}

/// What the last studio left behind, if it ended without being asked to.
pub(crate) fn left_behind() -> Option<(PathBuf, String)> {
    let folder = folder()?;
    let note = read(&folder).ok()?;
    Some((folder, note.name))
}

/// Forgets what was saved: the studio ends as it should, or nobody wants it back.
pub(crate) fn forget() {
    if let Some(folder) = folder() {
        let _ = std::fs::remove_file(folder.join(NOTE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::Edit;

    const MEMORY: u64 = 1 << 30;

    /// Edits, what can be undone and every bit are there again.
    #[test]
    fn saved_work_goes_on_to_the_same_bits() {
        let folder = tempfile::tempdir().unwrap();
        let text =
            "version = 1\n[terrain]\nsize = [32, 24]\ncell = 4\n[[rain]]\nrate = 1e-5\n[time]\nsteps = 500";
        let opening = Opening::Ground { file: "hill.png".into(), text: text.into() };
        let project = Project::from_text(text, "hill", Path::new(""), &[]).unwrap();
        let mut session = Session::new(&project, MEMORY).unwrap();
        session.tick(40).unwrap();
        session.apply(Edit::set("rain.0.rate=4e-5")).unwrap();
        session.tick(10).unwrap();
        Autosave::of(&opening, "hill").write(folder.path(), &session).unwrap();

        let again = Autosave::project(folder.path()).unwrap();
        let mut restored = Session::new(&again, MEMORY).unwrap();
        Autosave::restore(folder.path(), &mut restored).unwrap();
        assert_eq!((restored.steps_taken(), restored.undoable()), (50, session.undoable()));
        session.tick(60).unwrap();
        restored.tick(60).unwrap();
        assert_eq!(session.snapshot(), restored.snapshot());
    }
}
