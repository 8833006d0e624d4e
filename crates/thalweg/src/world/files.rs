//! Maps that a scene names: given with the project, or read from the files beside it. And meshes.

use super::SetupError;
use crate::project::Project;
use thalweg_field::{Heightfield, TriMesh};
use thalweg_terrain::volume::Volume;

/// A map that a scene names.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    /// The name of its file.
    pub file: &'a str,
    /// The key that names it.
    pub key: &'a str,
    /// Whether it holds heights; if not, it weighs something: black is 0, white is 1.
    #[cfg_attr(not(feature = "files"), expect(dead_code))]
    pub is_terrain: bool,
    /// Memory that may be used `[bytes]`.
    #[cfg_attr(not(feature = "files"), expect(dead_code))]
    pub max_bytes: u64,
}

impl Request<'_> {
    /// Columns and rows of the map.
    pub(super) fn size(&self, project: &Project) -> Result<[usize; 2], SetupError> {
        match project.map(self.file) {
            Some(map) => Ok([map.height.cols(), map.height.rows()]),
            None => self.size_of_file(project),
        }
    }

    /// The map; `notices` gets what had to be assumed.
    pub(super) fn read(
        &self,
        project: &Project,
        notices: &mut Vec<String>,
    ) -> Result<Heightfield, SetupError> {
        match project.map(self.file) {
            Some(map) => Ok(map.clone()),
            None => self.read_file(project, notices),
        }
    }
}

#[cfg(not(feature = "files"))]
impl Request<'_> {
    fn size_of_file(&self, project: &Project) -> Result<[usize; 2], SetupError> {
        self.read_file(project, &mut Vec::new()).map(|_| [0, 0])
    }

    fn read_file(&self, project: &Project, _: &mut Vec<String>) -> Result<Heightfield, SetupError> {
        Err(self.nowhere(project, "; give the map with the project"))
    }

    pub(super) fn read_mesh(&self, project: &Project) -> Result<TriMesh, SetupError> {
        Err(self.nowhere(project, ""))
    }

    pub(super) fn read_volume(&self, project: &Project) -> Result<Volume, SetupError> {
        Err(self.nowhere(project, ""))
    }

    fn nowhere(&self, project: &Project, remedy: &str) -> SetupError {
        let Self { file, key, .. } = self;
        let message = format!("{key} is \"{file}\", and no file can be read here{remedy}");
        SetupError::complaints(project, vec![crate::project::Complaint { path: (*key).into(), message }])
    }
}

#[cfg(feature = "files")]
pub(crate) mod native {
    use super::{Heightfield, Project, Request, SetupError, TriMesh, Volume};
    use crate::project::Complaint;
    use std::path::{Component, Path, PathBuf};
    use thalweg_io::{Notice, ReadError, ReadOptions, estimate, read_heightfield, read_mesh, read_volume};

    impl Request<'_> {
        pub(super) fn size_of_file(&self, project: &Project) -> Result<[usize; 2], SetupError> {
            let found = estimate(&self.path(project)?, &self.options(project));
            found.map(|found| [found.cols, found.rows]).map_err(|source| self.unreadable(project, source))
        }

        pub(super) fn read_file(
            &self,
            project: &Project,
            notices: &mut Vec<String>,
        ) -> Result<Heightfield, SetupError> {
            let imported = read_heightfield(&self.path(project)?, &self.options(project))
                .map_err(|source| self.unreadable(project, source))?;
            // That there are few shades of grey matters for heights alone.
            let worth = |notice: &&Notice| {
                self.is_terrain || !matches!(notice, Notice::EightBit | Notice::FewLevels { .. })
            };
            let told = imported.notices.iter().filter(worth).map(|notice| format!("{}: {notice}", self.file));
            notices.extend(told);
            Ok(imported.field)
        }

        pub(crate) fn read_mesh(&self, project: &Project) -> Result<TriMesh, SetupError> {
            read_mesh(&self.path(project)?, self.max_bytes).map_err(|source| self.unreadable(project, source))
        }

        pub(crate) fn read_volume(&self, project: &Project) -> Result<Volume, SetupError> {
            read_volume(&self.path(project)?, self.max_bytes)
                .map_err(|source| self.unreadable(project, source))
        }

        fn options(&self, project: &Project) -> ReadOptions {
            let terrain = &project.scene.terrain;
            let (cell, height_range) = if self.is_terrain {
                (terrain.cell, terrain.height_range)
            } else {
                (Some(1.0), Some([0.0, 1.0]))
            };
            let utm = self.is_terrain && terrain.utm;
            ReadOptions { cell, height_range, utm, max_bytes: self.max_bytes, ..ReadOptions::default() }
        }

        fn unreadable(&self, project: &Project, source: ReadError) -> SetupError {
            SetupError::Read { place: project.place_of(self.key), source }
        }

        /// The path of the file. Scenes may come from strangers: unless that is allowed, neither the path nor a link on it
        /// leads out of the scene's folder.
        fn path(&self, project: &Project) -> Result<PathBuf, SetupError> {
            let Self { file, key, .. } = *self;
            let path = project.folder.join(file);
            if project.allow_outside {
                return Ok(path);
            }
            let refused =
                |message| Err(SetupError::complaints(project, vec![Complaint { path: key.into(), message }]));
            if !is_inside(file) {
                return refused(format!(
                    "{key} is \"{file}\", outside the scene's folder; copy the file beside the scene and name it \
                     relative to it, or allow it with --allow-outside"
                ));
            }
            let folder = if project.folder.as_os_str().is_empty() { Path::new(".") } else { &project.folder };
            match (path.canonicalize(), folder.canonicalize()) {
                (Ok(whole), Ok(folder)) if !whole.starts_with(&folder) => refused(format!(
                    "\"{file}\" is a link that leads outside the scene's folder, to {}; copy the file beside the \
                     scene, or allow it with --allow-outside",
                    whole.display()
                )),
                // Where it is not there, reading it will tell.
                _ => Ok(path),
            }
        }
    }

    /// Whether a path leads to a place below the folder that it begins in, links aside.
    pub(crate) fn is_inside(file: &str) -> bool {
        Path::new(file).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    }
}
