//! Scene files: reading, checking, telling what is wrong and where.

mod builtin;
mod check;
mod locate;
mod schema;

pub use builtin::{BuiltIn, built_in_scenes};
pub use check::Complaint;
pub use schema::{
    Backend, Coarse, Drops, Hardness, Output, Pool, Rain, Scene, Solver, SolverKind, Source, Terrain, Time,
    VERSION,
};

use locate::Document;
use std::path::{Path, PathBuf};

/// A scene and the folder its files are in.
#[derive(Debug)]
pub struct Project {
    /// What it says.
    pub scene: Scene,
    /// Name for reports: the built-in's name, or the file's.
    pub name: String,
    /// Where the files it names are.
    pub folder: PathBuf,
    /// Holds the files of a built-in scene while it is in use.
    _unpacked: Option<tempfile::TempDir>,
}

/// Why there is no scene.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Nothing of that name.
    #[error(
        "there is no scene \"{name}\": no such file, and no built-in of that name{hint}; `thalweg scenes` lists them"
    )]
    NotFound {
        /// What was asked for.
        name: String,
        /// A similar name, if there is one.
        hint: String,
    },
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something in it is wrong.
    #[error("{place}: {message}")]
    Wrong {
        /// File, line and column, or the `--set` that did it.
        place: String,
        /// What and what would be right.
        message: String,
    },
    /// A built-in scene's files cannot be put anywhere.
    #[error("cannot unpack the built-in scene \"{name}\" to a temporary folder: {source}")]
    Unpack {
        /// Which.
        name: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Largest scene file that is taken for one [bytes].
const MOST_BYTES: u64 = 16 << 20;

impl Project {
    /// Opens a scene by file, by folder holding a `scene.toml`, or by built-in name, with `key=value` changes.
    pub fn open(name: &str, changes: &[String]) -> Result<Self, ProjectError> {
        let path = Path::new(name);
        let file = if path.is_dir() { path.join("scene.toml") } else { path.to_path_buf() };
        if file.is_file() {
            let unreadable = |source| ProjectError::Unreadable { path: file.clone(), source };
            let length = file.metadata().map_err(unreadable)?.len();
            if length > MOST_BYTES {
                let message = format!("{length} bytes are too many for a scene; is this the right file?");
                return Err(ProjectError::Wrong { place: file.display().to_string(), message });
            }
            let text = std::fs::read(&file).map_err(unreadable)?;
            let text = String::from_utf8(text).map_err(|error| {
                let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
                    .iter()
                    .filter(|&&b| b == b'\n')
                    .count();
                let place = format!("{}:{line}", file.display());
                ProjectError::Wrong { place, message: "not UTF-8 text; a scene is a TOML file".into() }
            })?;
            let scene = parse(&text, &file.display().to_string(), changes)?;
            let stem = if file.file_name() == Some("scene.toml".as_ref()) {
                file.parent()
            } else {
                Some(file.as_path())
            };
            let name = stem
                .and_then(Path::file_stem)
                .map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
            let folder = file.parent().map_or_else(PathBuf::new, Path::to_path_buf);
            return Ok(Self { scene, name, folder, _unpacked: None });
        }
        match BuiltIn::named(name) {
            Some(built_in) => built_in.open(changes),
            None => {
                let near = nearest(name, built_in_scenes().iter().map(|scene| scene.name));
                let hint = near.map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"));
                Err(ProjectError::NotFound { name: name.into(), hint })
            }
        }
    }
}

/// Reads a scene's text; `place` names it in messages.
pub fn parse(text: &str, place: &str, changes: &[String]) -> Result<Scene, ProjectError> {
    let document = Document::new(text, place);
    let scene: Scene = toml::from_str(text).map_err(|error| document.explain(&error))?;
    if changes.is_empty() {
        scene.validated().map_err(|complaint| document.complain(&complaint))?;
        return Ok(scene);
    }
    let mut table: toml::Table = toml::from_str(text).map_err(|error| document.explain(&error))?;
    for change in changes {
        set(&mut table, change)?;
        let changed: Scene =
            table.clone().try_into().map_err(|error: toml::de::Error| ProjectError::Wrong {
                place: format!("--set {change}"),
                message: locate::with_suggestion(error.message()),
            })?;
        drop(changed);
    }
    let scene: Scene = table.try_into().map_err(|error: toml::de::Error| ProjectError::Wrong {
        place: place.into(),
        message: error.to_string(),
    })?;
    scene.validated().map_err(|complaint| {
        // Blame the change that touched this key, else the file.
        let key = |change: &&String| {
            change.split('=').next().is_some_and(|key| plain(key) == plain(&complaint.path))
        };
        match changes.iter().rev().find(key) {
            Some(change) => {
                ProjectError::Wrong { place: format!("--set {change}"), message: complaint.message.clone() }
            }
            None => document.complain(&complaint),
        }
    })?;
    Ok(scene)
}

/// A key's path with one spelling: `rain[0].rate` and `rain.0.rate` are the same.
fn plain(path: &str) -> String {
    path.trim().replace('[', ".").replace(']', "")
}

/// Carries out one `key=value`.
fn set(table: &mut toml::Table, change: &str) -> Result<(), ProjectError> {
    let wrong = |message: String| ProjectError::Wrong { place: format!("--set {change}"), message };
    let (key, value) = change
        .split_once('=')
        .ok_or_else(|| wrong("write it as KEY=VALUE, such as time.steps=500".into()))?;
    let text = value.trim();
    // What is not a TOML value is text, so that nobody has to quote within quotes: rain.0.rate=12 mm/h.
    let value = toml::from_str::<toml::Table>(&format!("v = {text}"))
        .ok()
        .and_then(|mut table| table.remove("v"))
        .unwrap_or_else(|| toml::Value::String(text.into()));
    let key = plain(key);
    let mut parts = key.split('.').peekable();
    let mut place = parts
        .next()
        .filter(|part| !part.is_empty())
        .map(|part| table.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new())))
        .ok_or_else(|| wrong("the key is missing".into()))?;
    for part in parts {
        place = match place {
            toml::Value::Table(table) => {
                table.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new()))
            }
            toml::Value::Array(array) => {
                let length = array.len();
                let index = part.parse::<usize>().ok().filter(|&index| index < length);
                let index = index.ok_or_else(|| {
                    wrong(format!(
                        "there are {length} of these; \"{part}\" is not one of 0 to {}",
                        length.saturating_sub(1)
                    ))
                })?;
                &mut array[index]
            }
            _ => {
                return Err(wrong(format!("there is nothing below \"{part}\": its parent is a single value")));
            }
        };
    }
    *place = value;
    Ok(())
}

/// The name most like a misspelt one, if one is like it at all.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |other: &str| strsim::damerau_levenshtein(name, other);
    let best = names.into_iter().min_by_key(|other| likeness(other))?;
    (likeness(best) <= best.len().max(name.len()) / 3 + 1).then_some(best)
}
