//! Scenes that come with the program.

use super::{Project, ProjectError, parse};
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
    scenes!["demo", "mountain", "mountain-rain", "river-detail", "lake-at-rest", "dam-break-2d", "tujunga": "bigtujunga_512.png" "README.md"]
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

    /// Copies the scene and its files to a folder; those that are there already stay. Returns what was written.
    pub fn copy_to(&self, folder: &Path) -> std::io::Result<Vec<PathBuf>> {
        std::fs::create_dir_all(folder)?;
        let text = [("scene.toml", self.text.as_bytes())];
        let mut written = Vec::new();
        for (name, content) in text.into_iter().chain(self.files.iter().copied()) {
            let path = folder.join(name);
            std::io::Write::write_all(&mut std::fs::File::create_new(&path)?, content)?;
            written.push(path);
        }
        Ok(written)
    }

    /// Opens it with `key=value` changes.
    pub fn open(&self, changes: &[String]) -> Result<Project, ProjectError> {
        let scene = parse(self.text, &format!("built-in {}", self.name), changes)?;
        let unpack = |source| ProjectError::Unpack { name: self.name.into(), source };
        let unpacked = match self.files {
            [] => None,
            _ => Some(tempfile::tempdir().map_err(unpack)?),
        };
        if let Some(folder) = &unpacked {
            self.copy_to(folder.path()).map_err(unpack)?;
        }
        let folder = unpacked.as_ref().map_or_else(PathBuf::new, |folder| folder.path().to_path_buf());
        Ok(Project { scene, name: self.name.into(), folder, _unpacked: unpacked })
    }
}
