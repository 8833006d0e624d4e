//! Pictures in a row, as a video.

use std::path::{Path, PathBuf};
use thalweg_io::{Animation, WriteError, ffmpeg_present};
use thalweg_render::Picture;

use super::extension;

/// Whether the name can only be that of a moving picture.
pub fn is_film(path: &Path) -> bool {
    matches!(extension(path).as_str(), "mp4" | "apng")
}

/// A video that is being made, picture by picture.
#[derive(Debug)]
pub struct Film {
    path: PathBuf,
    fps: u32,
    frames: usize,
    animation: Option<Animation>,
}

impl Film {
    /// Begins a video of so many frames. A name that ends in `.mp4` becomes an H.264 video if the program ffmpeg is
    /// there, and otherwise an animated PNG of the same name with the ending `without`; any other name is an
    /// animated PNG.
    pub fn new(path: &Path, without: &str, fps: u32, frames: usize) -> Self {
        let video = extension(path) == "mp4" && !ffmpeg_present();
        let path = if video { path.with_extension(without) } else { path.into() };
        Self { path, fps, frames, animation: None }
    }

    /// Where it is written to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a picture; the first one decides the size.
    pub fn push(&mut self, picture: &Picture) -> Result<(), WriteError> {
        let animation = match &mut self.animation {
            Some(animation) => animation,
            empty => {
                let frames = self.frames.min(u32::MAX as usize) as u32;
                let size = [picture.width, picture.height];
                empty.insert(Animation::create(&self.path, size, self.fps, frames)?)
            }
        };
        animation.push(&picture.rgb)
    }

    /// Puts the file in its place, once all pictures are there.
    pub fn finish(self) -> Result<PathBuf, WriteError> {
        if let Some(animation) = self.animation {
            animation.finish()?;
        }
        Ok(self.path)
    }
}
