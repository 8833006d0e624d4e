//! What a file is.

use crate::heightmap::Format;
use crate::{checkpoint, nrrd, volume};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Kinds of files that are told apart before they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Heights or another map: PNG, TIFF, EXR, R16, R32, RAW, NPY, PFM, HGT or an ASCII grid.
    Heightmap,
    /// Particles or a mesh as PLY.
    Ply,
    /// A mesh as OBJ.
    Obj,
    /// A mesh as GLB.
    Glb,
    /// A mesh as STL.
    Stl,
    /// A volume of ground as TWV or NRRD.
    Volume,
    /// A checkpoint of a run.
    Checkpoint,
}

impl Kind {
    /// What a file is by its first bytes, else by its name; none if it is nothing of these, or no file.
    pub fn of(path: &Path) -> Option<Self> {
        // Opening a named pipe would wait for whoever writes into it.
        if !path.is_file() {
            return None;
        }
        let mut head = Vec::new();
        // What cannot be read is told when it is.
        File::open(path).and_then(|file| file.take(8).read_to_end(&mut head)).unwrap_or(0);
        let named = path.extension().unwrap_or_default().to_ascii_lowercase();
        match (head.as_slice(), named.to_str()) {
            ([b'p', b'l', b'y', b'\n' | b'\r', ..], _) => Some(Self::Ply),
            ([b'g', b'l', b'T', b'F', ..], _) => Some(Self::Glb),
            (head, _) if head == checkpoint::MAGIC => Some(Self::Checkpoint),
            (head, _) if head == volume::MAGIC || head.starts_with(nrrd::MAGIC) => Some(Self::Volume),
            (head, _) if Format::of(head, path).is_some() => Some(Self::Heightmap),
            (_, Some("ply")) => Some(Self::Ply),
            (_, Some("glb")) => Some(Self::Glb),
            (_, Some("stl")) => Some(Self::Stl),
            (_, Some("twc")) => Some(Self::Checkpoint),
            (_, Some("twv" | "nrrd")) => Some(Self::Volume),
            (_, Some("obj")) => Some(Self::Obj),
            _ => Format::named(path).map(|_| Self::Heightmap),
        }
    }
}
