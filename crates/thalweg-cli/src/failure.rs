//! Why a command ended early.

use serde_json::{Value, json};
use thalweg::SetupError;
use thalweg::io::WriteError;
use thalweg::project::{Mistake, ProjectError};
use thalweg::run::RunError;

/// Why a command ended early, and with which exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    message: String,
    /// What is wrong with a scene, one by one, each with its place.
    mistakes: Vec<Mistake>,
    /// Whether the JSON object that was asked for is printed already.
    answered: bool,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The run: exit code 1.
    Run,
    /// The command line or the scene: exit code 2.
    Usage,
}

impl Failure {
    /// A failed run.
    pub(crate) fn run(error: impl ToString) -> Self {
        Self { kind: Kind::Run, message: error.to_string(), mistakes: Vec::new(), answered: false }
    }

    /// A mistake in what was asked for.
    pub(crate) fn usage(error: impl ToString) -> Self {
        Self { kind: Kind::Usage, ..Self::run(error) }
    }

    /// A failure that the JSON object on standard output tells already.
    pub(crate) fn answered(self) -> Self {
        Self { answered: true, ..self }
    }

    /// The same, told in other words.
    pub(crate) fn reworded(mut self, words: impl Fn(&str) -> String) -> Self {
        for mistake in &mut self.mistakes {
            (mistake.place, mistake.message) = (words(&mistake.place), words(&mistake.message));
        }
        self.message = words(&self.message);
        self
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self.kind {
            Kind::Run => 1,
            Kind::Usage => 2,
        }
    }

    /// Tells it on standard error and, for a program that waits for a JSON object, on standard output.
    pub(crate) fn tell(&self, json: bool) {
        if json && !self.answered {
            crate::print::answer(&self.to_json());
        }
        remark!("{}", self.message);
    }

    fn to_json(&self) -> Value {
        let kind = match self.kind {
            Kind::Run => "run",
            Kind::Usage => "usage",
        };
        let mistake = |mistake: &Mistake| json!({ "place": mistake.place, "message": mistake.message });
        let mistakes: Vec<_> = self.mistakes.iter().map(mistake).collect();
        json!({ "error": { "kind": kind, "message": self.message, "mistakes": mistakes } })
    }
}

impl From<WriteError> for Failure {
    /// A name that no format goes by, or a range that is too narrow, is a mistake in what was asked for.
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Extension { .. } | WriteError::OutOfRange { .. } => Self::usage(error),
            _ => Self::run(error),
        }
    }
}

impl From<ProjectError> for Failure {
    fn from(error: ProjectError) -> Self {
        let failure = Self::usage(&error);
        match error {
            ProjectError::Wrong(mistakes) => Self { mistakes, ..failure },
            _ => failure,
        }
    }
}

impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Self {
        Self { mistakes: error.mistakes(), ..Self::usage(error) }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Setup(error) => error.into(),
            error if error.is_usage() => Self::usage(error),
            error => Self::run(error),
        }
    }
}

impl From<clap::Error> for Failure {
    /// In plain letters: what was typed is part of it.
    fn from(error: clap::Error) -> Self {
        Self::usage(error.render().to_string().trim_end())
    }
}
