//! Checkpoints: the whole state of a run in one `.twc` file.
//!
//! ```text
//! "THALWEGC"  version u32  0u32  length of index u64  checksum of index u64  index  section  section ...
//! ```
//! All numbers are little-endian. The index is JSON: the caller's header, and name, kind, length and
//! checksum of every section. As the index holds the checksums of the sections, its own checksum (XXH3,
//! 64 bits) stands for the whole file, and nothing is trusted before it has been checked.
//!
//! ```
//! use thalweg_io::checkpoint::{self, Section, SectionRef};
//!
//! let folder = tempfile::tempdir()?;
//! let depth = vec![0.5f32; 1000]; // borrowed while it is written, never copied
//! let header = serde_json::json!({ "scene": "gully", "time": 12.5 });
//! checkpoint::rotate(folder.path(), 400, &header, &[("water_depth", SectionRef::F32(&depth))])?;
//!
//! let newest = checkpoint::newest(folder.path(), 1 << 30)?;
//! let found = newest.found.expect("one was just written");
//! assert_eq!(found.step, 400);
//! assert_eq!(found.checkpoint.section("water_depth"), Some(&Section::F32(depth)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::WriteError;
use crate::atomic::write_atomic;
use crate::error::{cause, mebibytes};
use crate::reading::open_regular;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

#[cfg(target_endian = "big")]
compile_error!("sections are written as they lie in memory, which must be little-endian");

pub(crate) const MAGIC: [u8; 8] = *b"THALWEGC";
const VERSION: u32 = 1;

/// Bytes before the index.
const PREFIX: u64 = 32;

/// Checkpoints that [`rotate`] keeps: the new one, and the one before in case the new one is damaged later.
const KEPT: usize = 2;

/// The state of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Whatever the caller wants to find again: scene, time, parameters.
    pub header: Value,
    /// The named arrays.
    pub sections: Vec<(String, Section)>,
}

/// One array of a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub enum Section {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 64-bit unsigned integers.
    U64(Vec<u64>),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// One array of a checkpoint, borrowed for writing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SectionRef<'a> {
    /// 32-bit floats.
    F32(&'a [f32]),
    /// 64-bit floats.
    F64(&'a [f64]),
    /// 64-bit unsigned integers.
    U64(&'a [u64]),
    /// Bytes.
    Bytes(&'a [u8]),
}

/// Why a checkpoint could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The system refused to open or read it.
    #[error("{}: cannot be read: {}", path.display(), cause(path, source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Some other kind of file.
    #[error("{}: not a thalweg checkpoint; try one of the step_*.twc files in the checkpoints folder", path.display())]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// A checkpoint of another version.
    #[error(
        "{}: checkpoint version {found}, but this program reads version {VERSION}; \
         try the program that wrote it, or start the run again",
        path.display()
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The end is missing.
    #[error(
        "{}: cut off: {expected} bytes were written but {found} are there; try the checkpoint before it",
        path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Length it should have `[byte]`.
        expected: u64,
        /// Length it has `[byte]`.
        found: u64,
    },
    /// The index does not have its checksum, or does not make sense.
    #[error("{}: its index is corrupt; try the checkpoint before it", path.display())]
    CorruptIndex {
        /// The file.
        path: PathBuf,
    },
    /// A section does not have its checksum.
    #[error("{}: section {section} is corrupt; try the checkpoint before it", path.display())]
    CorruptSection {
        /// The file.
        path: PathBuf,
        /// Name of the section.
        section: String,
    },
    /// More memory than the caller allows.
    #[error(
        "{}: its sections need {} of memory but only {} are allowed; try a higher memory limit",
        path.display(), mebibytes(*needed), mebibytes(*allowed)
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Memory needed `[byte]`.
        needed: u64,
        /// Memory allowed `[byte]`.
        allowed: u64,
    },
}

#[derive(Serialize, Deserialize)]
struct Index<H> {
    header: H,
    sections: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    kind: Kind,
    bytes: u64,
    checksum: u64,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    F32,
    F64,
    U64,
    Bytes,
}

impl<'a> SectionRef<'a> {
    fn kind(self) -> Kind {
        match self {
            Self::F32(_) => Kind::F32,
            Self::F64(_) => Kind::F64,
            Self::U64(_) => Kind::U64,
            Self::Bytes(_) => Kind::Bytes,
        }
    }

    fn bytes(self) -> &'a [u8] {
        match self {
            Self::F32(values) => bytemuck::cast_slice(values),
            Self::F64(values) => bytemuck::cast_slice(values),
            Self::U64(values) => bytemuck::cast_slice(values),
            Self::Bytes(values) => values,
        }
    }
}

impl Section {
    /// The same array, borrowed.
    pub fn borrow(&self) -> SectionRef<'_> {
        match self {
            Self::F32(values) => SectionRef::F32(values),
            Self::F64(values) => SectionRef::F64(values),
            Self::U64(values) => SectionRef::U64(values),
            Self::Bytes(values) => SectionRef::Bytes(values),
        }
    }

    /// Reads an array whose length has been checked.
    fn read(kind: Kind, bytes: usize, file: &mut impl Read) -> io::Result<Self> {
        fn array<T: bytemuck::Pod>(bytes: usize, file: &mut impl Read) -> io::Result<Vec<T>> {
            let mut values = vec![T::zeroed(); bytes / size_of::<T>()];
            file.read_exact(bytemuck::cast_slice_mut(&mut values))?;
            Ok(values)
        }
        match kind {
            Kind::F32 => array(bytes, file).map(Self::F32),
            Kind::F64 => array(bytes, file).map(Self::F64),
            Kind::U64 => array(bytes, file).map(Self::U64),
            Kind::Bytes => array(bytes, file).map(Self::Bytes),
        }
    }
}

impl Kind {
    fn size(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F64 | Self::U64 => 8,
            Self::Bytes => 1,
        }
    }
}

impl Checkpoint {
    /// The section of that name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|(own, _)| own == name).map(|(_, section)| section)
    }

    /// Writes it; see [`write()`] for a state that should not be copied first.
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let sections: Vec<_> =
            self.sections.iter().map(|(name, section)| (name.as_str(), section.borrow())).collect();
        write(path, &self.header, &sections)
    }

    /// Reads a checkpoint and checks every byte of it. Lengths are compared with the file and with
    /// `max_bytes` before anything is allocated.
    pub fn read(path: &Path, max_bytes: u64) -> Result<Self, CheckpointError> {
        let (index, mut file) = open(path, max_bytes)?;
        let needed: u64 = index.sections.iter().map(|entry| entry.bytes).sum();
        if needed > max_bytes {
            return Err(CheckpointError::TooLarge { path: path.into(), needed, allowed: max_bytes });
        }
        let mut sections = Vec::with_capacity(index.sections.len());
        for entry in index.sections {
            let section = Section::read(entry.kind, entry.bytes as usize, &mut file)
                .map_err(|source| CheckpointError::Io { path: path.into(), source })?;
            if xxh3_64(section.borrow().bytes()) != entry.checksum {
                return Err(CheckpointError::CorruptSection { path: path.into(), section: entry.name });
            }
            sections.push((entry.name, section));
        }
        Ok(Self { header: index.header, sections })
    }

    /// Reads the header alone, whatever the size of the sections.
    pub fn read_header(path: &Path) -> Result<Value, CheckpointError> {
        open(path, u64::MAX).map(|(index, _)| index.header)
    }
}

/// Opens a checkpoint, checks its index and that the file is as long as the index says.
fn open(path: &Path, max_bytes: u64) -> Result<(Index<Value>, BufReader<File>), CheckpointError> {
    let io = |source| CheckpointError::Io { path: path.into(), source };
    let file = open_regular(path).map_err(io)?;
    let found = file.metadata().map_err(io)?.len();
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut prefix = Vec::new();
    file.by_ref().take(PREFIX).read_to_end(&mut prefix).map_err(io)?;
    if !prefix.starts_with(&MAGIC) {
        return Err(CheckpointError::NotACheckpoint { path: path.into() });
    }
    let truncated = |expected| CheckpointError::Truncated { path: path.into(), expected, found };
    let corrupt = || CheckpointError::CorruptIndex { path: path.into() };
    let number = |at: usize| {
        let bytes = prefix.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u64::from_le_bytes).ok_or_else(|| truncated(PREFIX))
    };
    let (version, length, checksum) = (number(8)?, number(16)?, number(24)?);
    let (version, reserved) = (version as u32, version >> 32);
    if version != VERSION {
        return Err(CheckpointError::OtherVersion { path: path.into(), found: version });
    }
    if reserved != 0 {
        return Err(corrupt());
    }
    let start = PREFIX.saturating_add(length);
    if start > found {
        return Err(truncated(start));
    }
    if length > max_bytes {
        return Err(CheckpointError::TooLarge { path: path.into(), needed: length, allowed: max_bytes });
    }
    let mut json = Vec::new();
    file.by_ref().take(length).read_to_end(&mut json).map_err(io)?;
    if xxh3_64(&json) != checksum {
        return Err(corrupt());
    }
    let index: Index<Value> = serde_json::from_slice(&json).map_err(|_| corrupt())?;
    if index.sections.iter().any(|entry| entry.bytes % entry.kind.size() != 0) {
        return Err(corrupt());
    }
    let expected = index.sections.iter().fold(start, |sum, entry| sum.saturating_add(entry.bytes));
    match found {
        _ if found < expected => Err(truncated(expected)),
        _ if found > expected => Err(corrupt()),
        _ => Ok((index, file)),
    }
}

/// Writes a checkpoint without copying its sections.
pub fn write(path: &Path, header: &Value, sections: &[(&str, SectionRef)]) -> Result<(), CheckpointError> {
    let entries = sections.iter().map(|(name, section)| Entry {
        name: (*name).into(),
        kind: section.kind(),
        bytes: section.bytes().len() as u64,
        checksum: xxh3_64(section.bytes()),
    });
    let index = Index { header, sections: entries.collect() };
    write_atomic(path, |writer| {
        let json = serde_json::to_vec(&index)?;
        writer.write_all(&MAGIC)?;
        writer.write_all(&u64::from(VERSION).to_le_bytes())?;
        writer.write_all(&(json.len() as u64).to_le_bytes())?;
        writer.write_all(&xxh3_64(&json).to_le_bytes())?;
        writer.write_all(&json)?;
        sections.iter().try_for_each(|(_, section)| writer.write_all(section.bytes()))
    })?;
    Ok(())
}

/// Writes `folder/step_<step>.twc` and, once it is safely in place, removes all checkpoints but it and the
/// one before it. Those of later steps go too: they are left over from a run that this one replaces.
pub fn rotate(
    folder: &Path,
    step: u64,
    header: &Value,
    sections: &[(&str, SectionRef)],
) -> Result<PathBuf, CheckpointError> {
    let path = folder.join(format!("step_{step:010}.twc"));
    write(&path, header, sections)?;
    let steps = list(folder)?;
    let later = steps.iter().filter(|(other, _)| *other > step);
    let earlier = steps.iter().filter(|(other, _)| *other <= step).skip(KEPT);
    for (_, old) in later.chain(earlier) {
        fs::remove_file(old).map_err(|source| CheckpointError::Io { path: old.clone(), source })?;
    }
    Ok(path)
}

/// The checkpoints of a folder with their steps, latest first, by name alone. A folder that is not there has none.
pub fn list(folder: &Path) -> Result<Vec<(u64, PathBuf)>, CheckpointError> {
    let io = |source| CheckpointError::Io { path: folder.into(), source };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(io)?,
    };
    let mut steps = Vec::new();
    for entry in entries {
        let path = entry.map_err(io)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let digits = name.strip_prefix("step_").and_then(|name| name.strip_suffix(".twc"));
        let digits = digits.filter(|digits| digits.len() >= 10 && digits.bytes().all(|b| b.is_ascii_digit()));
        if let Some(step) = digits.and_then(|digits| digits.parse().ok()) {
            steps.push((step, path));
        }
    }
    steps.sort_unstable_by(|a, b| b.cmp(a));
    Ok(steps)
}

/// What [`newest`] found.
#[derive(Debug)]
pub struct Newest {
    /// The newest checkpoint that is whole.
    pub found: Option<Found>,
    /// Newer ones that are not, with the reason.
    pub skipped: Vec<(PathBuf, CheckpointError)>,
}

/// A checkpoint in a folder.
#[derive(Debug)]
pub struct Found {
    /// Its file.
    pub path: PathBuf,
    /// The step it was written at.
    pub step: u64,
    /// What it holds.
    pub checkpoint: Checkpoint,
}

/// Reads the newest whole checkpoint of a folder, passing over broken ones. A folder that is not there
/// has none.
pub fn newest(folder: &Path, max_bytes: u64) -> Result<Newest, CheckpointError> {
    newest_until(folder, u64::MAX, max_bytes)
}

/// As [`newest`], of those written at that step or before it.
pub fn newest_until(folder: &Path, step: u64, max_bytes: u64) -> Result<Newest, CheckpointError> {
    let mut skipped = Vec::new();
    for (step, path) in list(folder)?.into_iter().filter(|(taken, _)| *taken <= step) {
        match Checkpoint::read(&path, max_bytes) {
            Ok(checkpoint) => return Ok(Newest { found: Some(Found { path, step, checkpoint }), skipped }),
            Err(error) => skipped.push((path, error)),
        }
    }
    Ok(Newest { found: None, skipped })
}
