//! Sessions in files, and back.

use crate::session::Session;
use crate::solver::{Section, Sections};
use std::path::{Path, PathBuf};
use thalweg_io::checkpoint::{self as file, Checkpoint, CheckpointError, SectionRef, rotate};

/// Writes a session as a checkpoint into `folder`; `name` is the scene's.
pub fn save(session: &Session, folder: &Path, name: &str) -> Result<PathBuf, CheckpointError> {
    let sections = session.save(name);
    let arrays: Vec<_> =
        sections.arrays().iter().map(|(name, section)| (&**name, borrowed(section))).collect();
    rotate(folder, session.steps_taken(), &sections.header.clone().into(), &arrays)
}

fn borrowed(section: &Section) -> SectionRef<'_> {
    match section {
        Section::F32(values) => SectionRef::F32(values),
        Section::F64(values) => SectionRef::F64(values),
        Section::Bytes(values) => SectionRef::Bytes(values),
    }
}

/// Goes back to a checkpoint of the same scene; the text says why not. Nothing changes then.
pub fn restore(session: &mut Session, checkpoint: &Checkpoint) -> Result<(), String> {
    let mut sections = Sections::default();
    sections.header = checkpoint.header.as_object().cloned().unwrap_or_default();
    for (name, section) in &checkpoint.sections {
        let section = match section.clone() {
            file::Section::F32(values) => Section::F32(values),
            file::Section::F64(values) => Section::F64(values),
            file::Section::Bytes(values) => Section::Bytes(values),
            // No solver saves any.
            file::Section::U64(_) => continue,
        };
        sections.put_array(name, section);
    }
    session.load(&sections)
}
