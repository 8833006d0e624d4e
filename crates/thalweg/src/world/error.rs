//! Why a scene cannot be set up.

use crate::project::{Complaint, Mistake, Project};

/// Why a scene cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A file it names cannot be read.
    #[cfg(feature = "files")]
    #[error("{place}: {source}")]
    Read {
        /// Where the scene names it.
        place: String,
        /// Why.
        source: thalweg_io::ReadError,
    },
    /// Values that do not fit the terrain; one line for each.
    #[error("{}", .0.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<Mistake>),
    /// Too large for this machine.
    #[error(
        "{place}: {cols} by {rows} cells need about {need_mib} MiB, but only {limit_mib} MiB may be used; \
         use a smaller terrain.size or raise --max-memory"
    )]
    Memory {
        /// Where the scene asks for it.
        place: String,
        /// Columns.
        cols: usize,
        /// Rows.
        rows: usize,
        /// Estimated need `[MiB]`.
        need_mib: u64,
        /// The limit `[MiB]`.
        limit_mib: u64,
    },
}

impl SetupError {
    /// What the solver says about a value, with the value's place.
    pub(crate) fn invalid(project: &Project, invalid: impl Into<Complaint>) -> Self {
        Self::complaints(project, vec![invalid.into()])
    }

    /// What is wrong, one by one, each with its place.
    pub fn mistakes(&self) -> Vec<Mistake> {
        let place = match self {
            Self::Wrong(mistakes) => return mistakes.clone(),
            #[cfg(feature = "files")]
            Self::Read { place, .. } => place,
            Self::Memory { place, .. } => place,
        };
        let told = self.to_string();
        let message = told.strip_prefix(&format!("{place}: ")).unwrap_or(&told).to_owned();
        vec![Mistake { place: place.clone(), message }]
    }

    pub(crate) fn complaints(project: &Project, complaints: Vec<Complaint>) -> Self {
        let located = |complaint: Complaint| Mistake {
            place: project.place_of(&complaint.path),
            message: complaint.message,
        };
        Self::Wrong(complaints.into_iter().map(located).collect())
    }
}
