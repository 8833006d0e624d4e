//! The output folder: what an earlier run left in it, and whether its run has finished.

use super::output::{self, OWN, PICTURES, SCENE};
use super::{Earlier, RunError, RunOptions};
use crate::project::{OVERLAYS, Project};
use crate::session::Session;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use thalweg_io::{WriteError, atomic, checkpoint};

/// Lies in the folder from the first write of a run to its last.
const MARK: &str = "unfinished.json";

/// Written last.
pub(super) const REPORT: &str = "report.json";

/// Where states are kept.
pub(super) const CHECKPOINTS: &str = "checkpoints";

/// Files that are numbered: their folder, and what their names begin and end with.
const SERIES: [(&str, &str, &[&str]); 6] = [
    ("frames", "frame_", &[".png"]),
    ("particles", "step_", &[".ply", ".vtp"]),
    ("mesh", "surface_", &[".obj", ".ply", ".glb", ".stl"]),
    ("volumes", "water_", &[".vdb"]),
    ("moments", "moment_", &[".twm"]),
    (CHECKPOINTS, "step_", &[".twc"]),
];

/// A run that has not finished: it still goes on, was stopped, or was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    /// Version of the program.
    pub thalweg: String,
    /// Name of the scene.
    pub scene: String,
    /// Steps that it is to take.
    pub steps: u64,
    /// The newest step that is saved, if any.
    #[serde(skip)]
    pub saved: Option<u64>,
    /// Whether it goes on at this moment.
    #[serde(skip)]
    pub alive: bool,
}

impl Unfinished {
    /// What to do about it, in words.
    pub fn advice(&self, out: &Path) -> String {
        match self.saved {
            _ if self.alive => "it still goes on; wait for its end".into(),
            Some(step) => format!("step {step} is saved, go on with: {}", resume_command(out)),
            None => "nothing is saved; start it again, with --force if the folder holds files of it".into(),
        }
    }

    /// What a folder tells of a run that has not finished in it: by its mark, or by saved states and no report.
    pub fn within(out: &Path) -> Option<Self> {
        let (mark, saved) = (std::fs::read(out.join(MARK)), newest_saved(out));
        if mark.is_err() && (out.join(REPORT).is_file() || saved.is_none()) {
            return None;
        }
        let unknown = || Self { thalweg: "?".into(), scene: "?".into(), steps: 0, saved: None, alive: false };
        let told = serde_json::from_slice(&mark.unwrap_or_default()).unwrap_or_else(|_| unknown());
        Some(Self { saved, alive: is_held(out), ..told })
    }
}

/// The command that goes on with the run in a folder, which holds the scene exactly as it runs, changes and all.
pub fn resume_command(out: &Path) -> String {
    let name = shell_word(&out.to_string_lossy());
    format!("thalweg run {name} --out {name} --resume")
}

/// A word as a shell takes it for one.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    // What begins like an option is taken for one, quoted or not.
    let word = if word.starts_with('-') { format!("./{word}") } else { word.to_owned() };
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Whether a run has finished in the folder, and none has begun since.
pub(super) fn is_finished(out: &Path) -> bool {
    out.join(REPORT).is_file() && !out.join(MARK).exists()
}

/// Refuses a folder in which the run would overwrite something that nobody asked it to.
pub fn admit(project: &Project, options: &RunOptions) -> Result<(), RunError> {
    let out = &options.out;
    if out.exists() && !out.is_dir() {
        return Err(RunError::OutIsAFile { path: out.clone() });
    }
    if is_held(out) {
        return Err(RunError::Busy { out: out.clone() });
    }
    if let Some(path) = output::endangered(project, out) {
        return Err(RunError::OverInput { path });
    }
    match holdings(out).filter(|_| options.earlier == Earlier::Refuse) {
        None => Ok(()),
        Some(holds) => {
            let longer = if is_finished(out) { " --steps N" } else { "" };
            let go_on = newest_saved(out)
                .map_or(String::new(), |_| format!(", or go on with it: {}{longer}", resume_command(out)));
            Err(RunError::Occupied { out: out.clone(), holds, go_on })
        }
    }
}

/// Whether a run writes into the folder at this moment.
fn is_held(out: &Path) -> bool {
    File::open(out.join(MARK)).is_ok_and(|mark| matches!(mark.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The mark, locked for as long as it is kept open. Some file systems know no locks; there, whoever runs twice into one
/// folder is not told.
fn hold(mark: &Path) -> Option<File> {
    File::open(mark).ok().filter(|file| file.try_lock().is_ok())
}

/// What an earlier run left in a folder, in words.
fn holdings(out: &Path) -> Option<String> {
    if is_finished(out) {
        let report = read_report(out);
        let (scene, steps) = (report["scene"].as_str().unwrap_or("?"), &report["steps"]);
        let files = report["files"].as_array().map_or(0, Vec::len);
        return Some(format!("a finished run of \"{scene}\" ({steps} steps, {files} files)"));
    }
    if let Some(step) = newest_saved(out) {
        return Some(format!("a run that has not finished, saved at step {step}"));
    }
    let there: Vec<_> = OWN.into_iter().filter(|name| *name != SCENE && out.join(name).exists()).collect();
    (!there.is_empty()).then(|| there.join(", "))
}

/// Takes possession of the folder: from here on its run has not finished. What an earlier run left goes, unless this
/// one goes on with it. What is returned keeps others out until it is dropped.
pub(super) fn begin(
    project: &Project,
    state: &Session,
    options: &RunOptions,
) -> Result<Option<File>, WriteError> {
    let out = &options.out;
    atomic::create_dir(out)?;
    let mark = Unfinished {
        thalweg: env!("CARGO_PKG_VERSION").into(),
        scene: project.name.clone(),
        steps: state.clock().planned,
        saved: None,
        alive: true,
    };
    let text = serde_json::to_string(&mark).unwrap_or_default();
    let old = if options.earlier == Earlier::Resume { Vec::new() } else { own_files(out) };
    atomic::write_atomic(&out.join(MARK), |file| file.write_all(text.as_bytes()))?;
    let held = hold(&out.join(MARK));
    // The report goes first: it tells of files that are about to go.
    remove(&out.join(REPORT))?;
    let read = output::inputs(project, state.scene());
    old.iter()
        .filter(|file| !read.iter().any(|input| same(input, file)))
        .try_for_each(|file| remove(file))?;
    Ok(held)
}

/// Everything is written: what an earlier run left and this one did not replace goes, and the mark goes last. Returns
/// what went.
pub(super) fn finish(out: &Path, files: &[PathBuf]) -> Result<Vec<PathBuf>, WriteError> {
    let stale: Vec<_> = singles(out).into_iter().filter(|file| !files.contains(file)).collect();
    stale.iter().try_for_each(|file| remove(file))?;
    remove(&out.join(MARK))?;
    Ok(stale)
}

/// The step of the newest checkpoint, whole or not.
fn newest_saved(out: &Path) -> Option<u64> {
    checkpoint::list(&out.join(CHECKPOINTS)).ok()?.first().map(|(step, _)| *step)
}

fn read_report(out: &Path) -> Value {
    let text = std::fs::read(out.join(REPORT)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// The files of a run that have names of their own.
fn singles(out: &Path) -> Vec<PathBuf> {
    // Names without a dot are folders; a file that is called so is not ours.
    let ours = |name: &&str| name.contains('.') && ![SCENE, REPORT].contains(name);
    let top = OWN.into_iter().filter(ours).map(str::to_owned);
    let maps =
        OVERLAYS.into_iter().flat_map(|map| ["exr", "png", "tif"].map(|end| format!("maps/{map}.{end}")));
    let pictures = PICTURES.into_iter().map(|picture| format!("pictures/{picture}.png"));
    let names = top.chain(maps).chain(pictures).chain(["frames/colours.json".into()]);
    names.map(|name| out.join(name)).filter(|path| path.is_file()).collect()
}

/// Everything in the folder that a run wrote, but for its scene.
fn own_files(out: &Path) -> Vec<PathBuf> {
    let mut files = singles(out);
    files.extend(SERIES.iter().flat_map(|(folder, ..)| series(out, folder)).map(|(_, path)| path));
    // A report may come from anywhere: it names nothing outside the folder.
    let plain = |name: &&str| Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let report = read_report(out);
    let listed = report["files"].as_array().into_iter().flatten().filter_map(Value::as_str).filter(plain);
    let listed = listed.filter(|name| *name != SCENE).map(|name| out.join(name));
    files.extend(listed.filter(|path| path.is_file()));
    files
}

/// The numbered files in one of the folders for such, with their numbers.
pub(super) fn series(out: &Path, folder: &str) -> Vec<(u64, PathBuf)> {
    let Some((_, begin, ends)) = SERIES.iter().find(|(name, ..)| *name == folder) else { return Vec::new() };
    let number = |path: &Path| -> Option<u64> {
        let name = path.file_name()?.to_str()?.strip_prefix(begin)?;
        let digits = ends.iter().find_map(|end| name.strip_suffix(end))?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let entries = std::fs::read_dir(out.join(folder)).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter_map(|path| Some((number(&path)?, path))).collect()
}

fn same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Removes a file; one that is not there is fine.
fn remove(path: &Path) -> Result<(), WriteError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(WriteError::Io { path: path.into(), source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_a_quoted_name_for_one_word() {
        for (word, quoted) in [
            ("out/a.png", "out/a.png"),
            ("my island.png", "'my island.png'"),
            ("it's", "'it'\\''s'"),
            ("-q.png", "./-q.png"),
        ] {
            assert_eq!(shell_word(word), quoted);
        }
    }
}
