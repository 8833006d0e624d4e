//! Scenes that come with the program.

use super::{Origin, Project, ProjectError, parse};
use std::path::{Path, PathBuf};

/// A scene inside the program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// The text of its `scene.toml`.
    pub text: &'static str,
    /// Files it reads: name relative to the scene, and content.
    pub files: &'static [(&'static str, &'static [u8])],
}

macro_rules! scenes {
    ($($name:literal $(: $($file:literal)+)?),* $(,)?) => {
        &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../../../scenes/", $name, "/scene.toml")),
            files: &[$($(($file, include_bytes!(concat!("../../../../scenes/", $name, "/", $file)))),+)?],
        }),*]
    };
}

/// All of them.
pub fn built_in_scenes() -> &'static [BuiltIn] {
    scenes!["demo", "mountain", "mountain-rain", "river-detail", "lake-at-rest", "dam-break-2d", "pool", "fluid-water", "fluid-honey", "fluid-heavy", "dam-break", "ditch", "meander", "canyon", "lake", "waterfall", "settling", "diffusion", "tujunga": "bigtujunga_512.png" "README.md"]
}

impl BuiltIn {
    /// The scene of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        built_in_scenes().iter().find(|scene| scene.name == name)
    }

    /// One line about it.
    pub fn title(&self) -> String {
        parse(self.text, self.name, &[]).map(|scene| scene.title).unwrap_or_default()
    }

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
        let name = self.name.into();
        Ok(Project { scene, name, folder, allow_outside: false, origin, _unpacked: unpacked })
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
