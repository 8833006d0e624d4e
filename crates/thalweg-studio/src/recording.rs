//! Every picture as a frame of a film.

use crate::picture_file;
use std::path::{Path, PathBuf};
use thalweg::render::Picture;

/// A sequence of frames that is being written, or none.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    folder: Option<PathBuf>,
    frames: usize,
}

impl Recording {
    pub(crate) fn is_on(&self) -> bool {
        self.folder.is_some()
    }

    /// Frames so far.
    pub(crate) fn frames(&self) -> usize {
        self.frames
    }

    /// Begins, or ends and tells where how many frames are.
    pub(crate) fn toggle(&mut self, out: &Path, name: &str) -> Option<(PathBuf, usize)> {
        if let Some(folder) = self.folder.take() {
            return Some((folder, std::mem::take(&mut self.frames)));
        }
        let stem = format!("{}_frames", picture_file::plain(name));
        let numbered = (2..).map(|number| out.join(format!("{stem}_{number}")));
        let free = |folder: &PathBuf| !folder.exists();
        self.folder = std::iter::once(out.join(&stem)).chain(numbered).find(free);
        self.frames = 0;
        None
    }

    /// Writes a picture as the next frame, if frames are written; the recording ends if that cannot be.
    pub(crate) fn take(&mut self, picture: &Picture) -> Result<(), String> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let name = format!("frame_{:06}.png", self.frames);
        match picture_file::write_picture(folder, &name, picture) {
            Ok(_) => self.frames += 1,
            Err(reason) => {
                self.folder = None;
                return Err(format!("the recording ends after {} frames: {reason}", self.frames));
            }
        }
        Ok(())
    }
}
