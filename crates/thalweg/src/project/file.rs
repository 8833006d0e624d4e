//! Scenes from files.

use super::builtin::{BuiltIn, built_in_scenes};
use super::{Origin, Project, ProjectError, nearest, parse, read_text};
use std::path::{Path, PathBuf};

impl Project {
    /// Opens a scene by file, by folder holding a `scene.toml`, or by built-in name, with `key=value` changes.
    pub fn open(name: &str, changes: &[String]) -> Result<Self, ProjectError> {
        let path = Path::new(name);
        let file = if path.is_dir() { path.join("scene.toml") } else { path.to_path_buf() };
        if file.is_file() {
            return Self::open_file(&file, changes);
        }
        match BuiltIn::named(name) {
            Some(built_in) => built_in.open(changes),
            None if path.is_dir() => Err(ProjectError::NoSceneIn { path: path.into() }),
            // Something is there, and it is no file.
            None if path.exists() => Self::open_file(&file, changes),
            None => {
                let near = nearest(name, built_in_scenes().iter().map(|scene| scene.name));
                let hint = near.map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"));
                Err(ProjectError::NotFound { name: name.into(), hint })
            }
        }
    }

    fn open_file(file: &Path, changes: &[String]) -> Result<Self, ProjectError> {
        let place = file.display().to_string();
        let unreadable = |source| ProjectError::Unreadable { path: file.into(), source };
        let text = read_text(thalweg_io::open_regular(file).map_err(unreadable)?, &place)?;
        let scene = parse(&text, &place, changes)?;
        // The folder's name where the file is called scene.toml, also for `run .`.
        let whole = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        let named = if file.file_name() == Some("scene.toml".as_ref()) { whole.parent() } else { Some(file) };
        let name = named
            .and_then(Path::file_stem)
            .map_or("scene".into(), |name| name.to_string_lossy().into_owned());
        let folder = file.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let origin = Origin { file: Some(file.into()), place, text, changes: changes.to_vec() };
        Ok(Self::of(scene, name, folder, origin))
    }
}

impl BuiltIn {
    /// Copies the scene and its files to a folder and returns what was written. Nothing is overwritten: where one of
    /// the files is there already, none is written.
    pub fn copy_to(&self, folder: &Path) -> std::io::Result<Vec<PathBuf>> {
        let scene = ("scene.toml", self.text.as_bytes());
        let files: Vec<_> = std::iter::once(scene).chain(self.files.iter().copied()).collect();
        write_all_new(folder, &files)
    }

    /// Opens it with `key=value` changes.
    pub fn open(&self, changes: &[String]) -> Result<Project, ProjectError> {
        let place = format!("built-in {}", self.name);
        let scene = parse(self.text, &place, changes)?;
        let unpack = |source| ProjectError::Unpack { name: self.name.into(), source };
        let unpacked = match self.files {
            [] => None,
            _ => Some(tempfile::tempdir().map_err(unpack)?),
        };
        if let Some(folder) = &unpacked {
            self.copy_to(folder.path()).map_err(unpack)?;
        }
        let folder = unpacked.as_ref().map_or_else(PathBuf::new, |folder| folder.path().to_path_buf());
        let origin = Origin { file: None, place, text: self.text.into(), changes: changes.to_vec() };
        let mut project = Project::of(scene, self.name.into(), folder, origin);
        project.unpacked = unpacked;
        Ok(project)
    }
}

/// Writes files, each with its name and content, to a folder that is made if need be, and returns their paths. Nothing
/// is overwritten: where one of the files is there already, none is written.
pub fn write_all_new(folder: &Path, files: &[(&str, &[u8])]) -> std::io::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let files: Vec<_> = files.iter().map(|(name, content)| (folder.join(name), content)).collect();
    if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        let message = format!("{} is already there", path.display());
        return Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, message));
    }
    for (path, content) in &files {
        thalweg_io::atomic::write_new(path, content)?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}
