//! Scene files: reading, checking, telling what is wrong and where.

mod builtin;
mod camera;
mod check;
mod describe;
mod difference;
mod explain;
#[cfg(feature = "files")]
mod file;
mod floating;
mod ground;
mod guide;
mod locate;
mod obstacles;
mod output;
mod particles;
mod passes;
mod picture;
mod probes;
mod ranges;
mod schema;
mod solver;
#[cfg(test)]
mod sph_tests;
mod stages;
#[cfg(test)]
mod tests;
mod waters;

pub use builtin::{BuiltIn, built_in_scenes};
pub use camera::{CameraKey, CameraKind, CameraTable, KeyKind};
pub use check::Complaint;
pub use describe::{description, json_schema};
pub use difference::Difference;
pub use explain::{Explained, Preset, UnknownKey, explain, told};
#[cfg(feature = "files")]
pub use file::write_all_new;
pub use floating::Wavemaker;
pub use ground::{GroundMap, Terrain};
pub use guide::with_tables;
pub use obstacles::{Obstacle, ObstacleShape};
pub use output::{
    AnimationFormat, ArtMap, Every, MapFormat, Output, ParticleFormat, SurfaceFormat, Up, VolumeFormat,
};
pub use passes::{Coarse, Time};
pub use picture::{
    ColoursChoice, CutTable, LightChoice, OVERLAYS, OverlayTable, ParticlesTable, PictureTable,
    RendererChoice, ScaleChoice, ShapeChoice, SnowChoice, WaterTable,
};
pub use probes::{Probe, ProbeKind};
pub use schema::{Backend, Scene, VERSION};
pub use solver::{Earlier, SolverTable, Solvers};
pub use waters::{Drops, Emitter, EmitterShape, Pool, Rain, Sink, Source};

use locate::Document;
use std::io::Read;
use std::path::{Path, PathBuf};
use thalweg_field::Heightfield;

/// A scene and the folder its files are in.
#[derive(Debug)]
pub struct Project {
    /// What it says.
    pub scene: Scene,
    /// Name for reports: the built-in's name, or the file's.
    pub name: String,
    /// Where the files it names are.
    pub folder: PathBuf,
    /// Whether it may read files outside that folder; at first it may not.
    pub allow_outside: bool,
    /// Where it was read from.
    origin: Origin,
    /// Maps that it names, as far as they were given with it.
    maps: Vec<(String, Heightfield)>,
    /// Holds the files of a built-in scene while it is in use.
    #[cfg(feature = "files")]
    unpacked: Option<tempfile::TempDir>,
}

/// A scene's text and the changes made to it, to say where a mistake stands.
#[derive(Debug)]
struct Origin {
    /// The file, unless it is a built-in scene or came as text.
    file: Option<PathBuf>,
    place: String,
    text: String,
    changes: Vec<String>,
}

/// One thing that is wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// File, line and column, or the `--set` that did it.
    pub place: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
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
    /// A folder that holds no scene.
    #[error("{}: a folder without a scene.toml; name the scene file, or see `thalweg scenes`", path.display())]
    NoSceneIn {
        /// Which folder.
        path: PathBuf,
    },
    /// Something in it is wrong; one line for each mistake.
    #[error("{}", .0.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<Mistake>),
    /// A built-in scene's files cannot be put anywhere.
    #[error("cannot unpack the built-in scene \"{name}\" to a temporary folder: {source}")]
    Unpack {
        /// Which.
        name: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Longest name that is taken for a misspelt one `[bytes]`.
const LONGEST_NAME: usize = 64;
/// Largest scene file that is taken for one `[bytes]`.
const MOST_BYTES: u64 = 16 << 20;

impl ProjectError {
    fn wrong(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Wrong(vec![Mistake { place: place.into(), message: message.into() }])
    }
}

impl Project {
    fn of(scene: Scene, name: String, folder: PathBuf, origin: Origin) -> Self {
        Self {
            scene,
            name,
            folder,
            allow_outside: false,
            origin,
            maps: Vec::new(),
            #[cfg(feature = "files")]
            unpacked: None,
        }
    }

    /// A scene from whatever can be read, such as standard input; the rest is as in [`Self::from_text`].
    pub fn from_reader(
        input: impl Read,
        name: &str,
        folder: &Path,
        changes: &[String],
    ) -> Result<Self, ProjectError> {
        Self::from_text(&read_text(input, name)?, name, folder, changes)
    }

    /// A scene from its text, with `key=value` changes. `name` is its name in reports and in messages; files that it
    /// names are in `folder`, an empty one is the current folder.
    pub fn from_text(
        text: &str,
        name: &str,
        folder: &Path,
        changes: &[String],
    ) -> Result<Self, ProjectError> {
        let scene = parse(text, name, changes)?;
        let origin = Origin { file: None, place: name.into(), text: text.into(), changes: changes.to_vec() };
        Ok(Self::of(scene, name.into(), folder.into(), origin))
    }

    /// A scene made of values, checked and with its defaults filled in as one from a file. Files that it names are in
    /// `folder`.
    pub fn from_scene(mut scene: Scene, name: &str, folder: &Path) -> Result<Self, ProjectError> {
        let mistake = |complaint: Complaint| Mistake { place: name.into(), message: complaint.message };
        let mistakes: Vec<_> = scene.complaints().into_iter().map(mistake).collect();
        if !mistakes.is_empty() {
            return Err(ProjectError::Wrong(mistakes));
        }
        scene.fill_in();
        let origin = Origin { file: None, place: name.into(), text: String::new(), changes: Vec::new() };
        Ok(Self::of(scene, name.into(), folder.into(), origin))
    }

    /// The file it was read from, unless it is built in or came as text.
    pub fn file(&self) -> Option<&Path> {
        self.origin.file.as_deref()
    }

    /// Gives it a map under the name by which the scene knows it; no file of that name is read then. Maps that weigh
    /// something have values from 0 to 1.
    pub fn give_map(&mut self, name: &str, map: Heightfield) {
        self.maps.push((name.into(), map));
    }

    pub(crate) fn map(&self, name: &str) -> Option<&Heightfield> {
        self.maps.iter().find(|(own, _)| own == name).map(|(_, map)| map)
    }

    /// Its text as it was read.
    pub fn text(&self) -> &str {
        &self.origin.text
    }

    /// Where the value at a path such as `source[0].at` comes from: file, line and column, or the change that set it.
    pub fn place_of(&self, path: &str) -> String {
        let path = plain(path);
        let sets = |change: &&String| {
            let key = change.split('=').next().map(plain).unwrap_or_default();
            path == key || path.starts_with(&format!("{key}."))
        };
        match self.origin.changes.iter().rev().find(sets) {
            Some(change) => format!("--set {change}"),
            None => Document::new(&self.origin.text, &self.origin.place).place_of(&path),
        }
    }
}

/// Reads a scene's text, which is UTF-8 and not large.
fn read_text(input: impl Read, place: &str) -> Result<String, ProjectError> {
    let mut bytes = Vec::new();
    let unreadable = |source| ProjectError::Unreadable { path: place.into(), source };
    input.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        let message =
            format!("more than {MOST_BYTES} bytes are too many for a scene; is this the right file?");
        return Err(ProjectError::wrong(place, message));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|&&b| b == b'\n').count();
        let message = "not UTF-8 text; a scene is a TOML file";
        ProjectError::wrong(format!("{place}:{line}"), message)
    })
}

/// Reads a scene's text; `place` names it in messages.
pub fn parse(text: &str, place: &str, changes: &[String]) -> Result<Scene, ProjectError> {
    let document = Document::new(text, place);
    let scene = document.scene().map_err(ProjectError::Wrong)?;
    let mut table: toml::Table =
        toml::from_str(text).map_err(|error| ProjectError::wrong(place, locate::said(&error)))?;
    // The scene as in the file, and after each change; one may need the next to make sense.
    let mut scenes = vec![Ok(scene)];
    for change in changes {
        set(&mut table, change).map_err(|message| ProjectError::wrong(format!("--set {change}"), message))?;
        scenes.push(table.clone().try_into().map_err(|error: toml::de::Error| locate::said(&error)));
    }
    // Whatever is wrong in the end is blamed on what brought it up first.
    let culprit = |is_wrong: &dyn Fn(&Result<Scene, String>) -> bool| {
        let first = scenes.iter().position(is_wrong).unwrap_or(0);
        first.checked_sub(1).map(|change| format!("--set {}", changes[change]))
    };
    let scene = match scenes.last() {
        Some(Ok(scene)) => scene,
        Some(Err(message)) => {
            let blamed = culprit(&|scene| scene.as_ref().is_err_and(|other| other == message));
            return Err(ProjectError::wrong(blamed.unwrap_or(place.into()), message));
        }
        None => unreachable!("the scene in the file comes first"),
    };
    let complaints = scene.complaints();
    let more = complaints.len().saturating_sub(locate::MOST_MISTAKES);
    let mut mistakes: Vec<_> = complaints
        .into_iter()
        .take(locate::MOST_MISTAKES)
        .map(|complaint| {
            let blamed = culprit(&|scene| scene.as_ref().is_ok_and(|s| s.complaints().contains(&complaint)));
            // Those in the file come in its order, before the changes.
            let at = blamed.is_none().then(|| document.start_of_path(&complaint.path).unwrap_or(0));
            let place = blamed.unwrap_or_else(|| document.place_of(&complaint.path));
            (at.unwrap_or(usize::MAX), Mistake { place, message: complaint.message })
        })
        .collect();
    if mistakes.is_empty() {
        let mut scene = scene.clone();
        scene.fill_in();
        return Ok(scene);
    }
    mistakes.sort_by_key(|(at, _)| *at);
    let mut told: Vec<_> = mistakes.into_iter().map(|(_, mistake)| mistake).collect();
    if more > 0 {
        told.push(Mistake { place: place.into(), message: format!("and {more} more") });
    }
    Err(ProjectError::Wrong(told))
}

impl Scene {
    /// A scene from its table, checked and with its defaults filled in; the text says what is wrong.
    pub(crate) fn from_table(table: toml::Table) -> Result<Self, String> {
        let mut scene: Self = table.try_into().map_err(|error: toml::de::Error| locate::said(&error))?;
        let complaints = scene.complaints();
        if !complaints.is_empty() {
            return Err(complaints
                .into_iter()
                .map(|complaint| complaint.message)
                .collect::<Vec<_>>()
                .join("; "));
        }
        scene.fill_in();
        Ok(scene)
    }

    /// The scene with one `key=value` changed.
    pub fn with(&self, change: &str) -> Result<Self, ProjectError> {
        let text = toml::to_string(self).map_err(|error| ProjectError::wrong("scene", error.to_string()))?;
        parse(&text, "scene", &[change.into()])
    }
}

/// A key's path with one spelling: `rain[0].rate` and `rain.0.rate` are the same.
pub(crate) fn plain(path: &str) -> String {
    path.trim().replace('[', ".").replace(']', "")
}

/// Carries out one `key=value`; the text says why not.
pub(crate) fn set(table: &mut toml::Table, change: &str) -> Result<(), String> {
    let (key, value) = change.split_once('=').ok_or("write it as KEY=VALUE, such as time.steps=500")?;
    let text = value.trim();
    // What is not a TOML value is text, so that nobody has to quote within quotes: rain.0.rate=12 mm/h.
    let value = toml::from_str::<toml::Table>(&format!("v = {text}"))
        .ok()
        .filter(|table| table.len() == 1)
        .and_then(|mut table| table.remove("v"))
        .unwrap_or_else(|| toml::Value::String(text.into()));
    let key = plain(key);
    let parts: Vec<_> = key.split('.').collect();
    if parts.iter().any(|part| part.is_empty()) {
        return Err("a part of the key is missing; write it as section.key=VALUE".into());
    }
    // What is not there yet becomes a list where a number follows, else a section.
    let fresh = |i: usize| match parts.get(i + 1) {
        Some(next) if next.parse::<usize>().is_ok() => toml::Value::Array(Vec::new()),
        _ => toml::Value::Table(toml::Table::new()),
    };
    let mut place = table.entry(parts[0]).or_insert_with(|| fresh(0));
    for (i, part) in parts.iter().enumerate().skip(1) {
        place = match place {
            toml::Value::Table(table) => table.entry(*part).or_insert_with(|| fresh(i)),
            toml::Value::Array(array) => {
                let length = array.len();
                let index = part.parse::<usize>().ok().filter(|&index| index <= length);
                let index = index.ok_or_else(|| {
                    let list = parts[..i].join(".");
                    // Either its number or its place is missing.
                    let key = if i + 1 == parts.len() { *part } else { "KEY" };
                    format!(
                        "{list} is a list of {length}, counted from 0, and \"{part}\" is none of them nor the next; write \
                         {list}.0.{key}"
                    )
                })?;
                if index == length {
                    array.push(fresh(i));
                }
                &mut array[index]
            }
            _ => {
                return Err(format!(
                    "there is nothing below \"{}\": it is a single value",
                    parts[..i].join(".")
                ));
            }
        };
    }
    *place = value;
    Ok(())
}

/// The name most like a misspelt one, if one is like it at all.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing takes as long as the names are; nobody misspells a whole page.
    if name.len() > LONGEST_NAME {
        return None;
    }
    let likeness = |other: &str| strsim::damerau_levenshtein(name, other);
    let best = names.into_iter().min_by_key(|other| likeness(other))?;
    (likeness(best) <= best.len().max(name.len()) / 3 + 1).then_some(best)
}
