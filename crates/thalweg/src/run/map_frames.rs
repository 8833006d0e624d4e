//! Maps while a run goes on: those of the surface of water, frame by frame, for compositing and games.

use super::art;
use super::pace::Pace;
use super::progress::Watcher;
use super::recorder::{Ending, Now, Recorder, Shows};
use super::{Earlier, RunOptions};
use crate::project::{MapFormat, Output};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thalweg_field::{Field, Frame, Snapshot};
use thalweg_io::{
    WriteError, atomic, write_map_exr, write_map_png, write_map_tiff, write_npz_fields, write_vti,
};

/// Where they are kept.
pub(super) const FOLDER: &str = "map_frames";

/// Writes one map.
type WriteMap = fn(&Path, &Field, &Frame) -> Result<(), WriteError>;

/// Writes maps when they are due.
pub(super) struct MapFrames {
    folder: PathBuf,
    pace: Pace,
    /// The frame that is next.
    next: u64,
    written: BTreeSet<PathBuf>,
}

impl MapFrames {
    /// A run that goes on counts what it wrote before as its own.
    pub(super) fn new(options: &RunOptions, now: &Now) -> Self {
        let pace = Pace::Every(now.scene().output.maps_every);
        let folder = options.out.join(FOLDER);
        let resumes = options.earlier == Earlier::Resume;
        let next = if resumes { pace.first(now) } else { 0 };
        let there = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_before = |path: &PathBuf| number(path).is_some_and(|number| number < next);
        let written = there.filter(is_before).collect();
        Self { folder, pace, next, written }
    }

    fn write_frame(&mut self, shown: &Snapshot, asked: &Output) -> Result<(), WriteError> {
        let maps: Vec<&Field> = shown.fields.iter().collect();
        let path = |stem: &str, end: &str| self.folder.join(format!("{stem}_{:06}.{end}", self.next));
        let formats =
            if asked.map_formats.is_empty() { &[MapFormat::Layers] } else { &asked.map_formats[..] };
        let mut written = Vec::new();
        for format in formats {
            let (end, each): (_, Option<WriteMap>) = match format {
                MapFormat::Exr => ("exr", Some(write_map_exr)),
                MapFormat::Png => ("png", Some(write_map_png)),
                MapFormat::Tif => ("tif", Some(write_map_tiff)),
                MapFormat::Layers => ("exr", None),
                MapFormat::Npz => ("npz", None),
                MapFormat::Vti => ("vti", None),
            };
            if let Some(write) = each {
                for map in &maps {
                    let path = path(&map.info.name, end);
                    write(&path, map, &shown.frame)?;
                    written.push(path);
                }
                continue;
            }
            let path = path("maps", end);
            match format {
                MapFormat::Npz => write_npz_fields(&path, &maps, &shown.frame, shown.time)?,
                MapFormat::Vti => write_vti(&path, &maps, &shown.frame, Some(shown.time))?,
                _ => art::write_all_layers(&path, shown, &maps)?,
            }
            written.push(path);
        }
        self.written.extend(written);
        Ok(())
    }
}

/// The frame that a file is of.
fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.rsplit_once('_')?.1.parse().ok()
}

impl Recorder for MapFrames {
    fn name(&self) -> &'static str {
        "map frames"
    }

    fn due_in(&self, now: &Now) -> u64 {
        self.pace.due_in(self.next, now)
    }

    fn is_due(&self, now: &Now) -> bool {
        self.pace.is_due(self.next, now)
    }

    fn shows(&self) -> Shows {
        Shows::Maps
    }

    fn write(&mut self, now: &Now, shown: &mut Snapshot, _: &mut dyn Watcher) -> Result<(), WriteError> {
        atomic::create_dir(&self.folder)?;
        while self.pace.is_due(self.next, now) {
            self.write_frame(shown, &now.scene().output)?;
            self.next += 1;
        }
        Ok(())
    }

    fn rewind(&mut self) {
        self.next = 0;
        self.written.clear();
    }

    fn finish(&mut self, _: &mut Ending) -> Result<Vec<PathBuf>, WriteError> {
        Ok(self.written.iter().cloned().collect())
    }
}
