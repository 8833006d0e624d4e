//! Why a run cannot be begun or brought to its end.

use crate::solver::StepError;
use crate::world::SetupError;
use std::path::{Path, PathBuf};
use thalweg_io::WriteError;
use thalweg_io::checkpoint::CheckpointError;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scene cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The numbers went wild; the last checkpoint, if any, is still good.
    #[error("{source}{}", last_good(saved.as_deref(), " and a shorter time step"))]
    Step {
        /// How.
        source: StepError,
        /// Where to go on from.
        saved: Option<PathBuf>,
    },
    /// A file cannot be written.
    #[error("{source}{}", last_good(saved.as_deref(), ""))]
    Write {
        /// Why.
        source: WriteError,
        /// Where to go on from.
        saved: Option<PathBuf>,
    },
    /// A checkpoint cannot be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The output folder is no folder.
    #[error("{}: is a file, but the output goes into a folder; choose another --out", path.display())]
    OutIsAFile {
        /// What is there.
        path: PathBuf,
    },
    /// Another run writes there.
    #[error("{}: another run writes into this folder; wait for its end, or choose another --out", out.display())]
    Busy {
        /// The folder.
        out: PathBuf,
    },
    /// The output would replace what the scene is made of.
    #[error("{}: would be overwritten by the output of the run; choose another --out", path.display())]
    OverInput {
        /// Which file.
        path: PathBuf,
    },
    /// The folder holds what an earlier run left.
    #[error(
        "{}: holds {holds}, and nothing is overwritten unasked; replace it with --force, or choose another folder \
         with --out{go_on}",
        out.display()
    )]
    Occupied {
        /// The folder.
        out: PathBuf,
        /// What is in it.
        holds: String,
        /// How to go on with it, if that is possible.
        go_on: String,
    },
    /// There is nothing to go on from.
    #[error("{}: no checkpoint to resume from{broken}; run without --resume to start anew, with --force if it holds files", folder.display())]
    NothingToResume {
        /// Where it was looked for.
        folder: PathBuf,
        /// What is wrong with those that are there.
        broken: String,
    },
    /// The checkpoint is not this run's.
    #[error("{}: cannot be resumed: {reason}", path.display())]
    OtherRun {
        /// Which.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

impl RunError {
    /// Whether what was asked for was wrong, so that nothing ran.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Setup(_) | Self::OutIsAFile { .. } | Self::OverInput { .. } | Self::Busy { .. } => true,
            Self::Occupied { .. } | Self::NothingToResume { .. } | Self::OtherRun { .. } => true,
            Self::Step { .. } | Self::Write { .. } | Self::Checkpoint(_) => false,
        }
    }
}

impl From<WriteError> for RunError {
    fn from(source: WriteError) -> Self {
        Self::Write { source, saved: None }
    }
}

fn last_good(saved: Option<&Path>, with: &str) -> String {
    saved.map_or(String::new(), |path| {
        format!("\nthe last good state is in {}; go on from there with --resume{with}", path.display())
    })
}
