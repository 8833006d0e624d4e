//! Heights that are to be written: in memory, or row by row from their file.

use super::heightmap;
use crate::Failure;
use std::path::Path;
use thalweg::field::{FieldInfo, Frame, Heightfield};
use thalweg::io::{CopyError, Streamed, Surveyed, Window, WriteOptions, geotiff_tells, write_heightfield};

/// Heights that are to be written.
pub(super) enum Relief {
    /// All of them are there, with what they are if not heights of the bed.
    Held(Heightfield, Option<FieldInfo>),
    /// There would be no room for all of them.
    Streamed(Box<Streamed>),
}

impl Relief {
    /// Columns and rows.
    pub(super) fn size(&self) -> [usize; 2] {
        match self {
            Self::Held(Heightfield { height, .. }, _) => [height.cols(), height.rows()],
            Self::Streamed(streamed) => [streamed.surveyed.cols, streamed.surveyed.rows],
        }
    }

    /// Where they lie.
    pub(super) fn frame(&self) -> &Frame {
        match self {
            Self::Held(ground, _) => &ground.frame,
            Self::Streamed(streamed) => &streamed.surveyed.frame,
        }
    }

    /// The lowest and the highest `[m]`.
    pub(super) fn range(&self) -> [f64; 2] {
        match self {
            Self::Held(ground, _) => heightmap::range(ground),
            Self::Streamed(streamed) => {
                let Surveyed { range: (low, high), .. } = streamed.surveyed;
                [low.into(), high.into()]
            }
        }
    }

    /// All of them.
    pub(super) fn whole(&self) -> Window {
        let [cols, rows] = self.size();
        Window { west: 0, north: 0, cols, rows }
    }

    /// Tells what a file of that name cannot.
    pub(super) fn tell(&self, path: &Path) {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        let told = |crs: &String| geotiff_tells(crs);
        if (ending == "tif" || ending == "tiff") && !self.frame().crs.as_ref().is_none_or(told) {
            remark!(
                "note: {}: other programs are not told its coordinate system, which has no number and cannot be written in ASCII",
                path.display()
            );
        }
    }

    /// Writes a part of them.
    pub(super) fn write(&self, window: Window, path: &Path, how: &WriteOptions) -> Result<(), Failure> {
        match self {
            Self::Held(ground, info) => {
                let how = WriteOptions { info: info.clone(), ..how.clone() };
                if window == self.whole() {
                    return Ok(write_heightfield(path, ground, &how)?);
                }
                let frame = window.frame(&ground.frame, ground.height.rows());
                let part = Heightfield { height: window.of(&ground.height), frame };
                Ok(write_heightfield(path, &part, &how)?)
            }
            Self::Streamed(streamed) => streamed.write(window, path, how).map_err(|error| match error {
                CopyError::Read(error) => Failure::usage(error),
                CopyError::Write(error) => error.into(),
            }),
        }
    }
}
