//! The command line of thalweg.
//!
//! Exit codes: 0 done; 1 the run failed; 2 bad command line or bad scene.

mod args;
mod bench;
mod command;
mod watch;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

/// Why a command ended early, and with which exit code.
#[derive(Debug)]
pub enum Failure {
    /// The run failed: exit code 1.
    Run(String),
    /// Bad command line or bad scene: exit code 2.
    Usage(String),
}

impl Failure {
    /// A failed run.
    pub fn run(error: impl ToString) -> Self {
        Self::Run(error.to_string())
    }

    /// A mistake in what was asked for.
    pub fn usage(error: impl ToString) -> Self {
        Self::Usage(error.to_string())
    }
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        None => {
            command::welcome();
            Ok(())
        }
        Some(Command::Demo(args)) => command::demo(&args),
        Some(Command::Run(args)) => command::run(&args),
        Some(Command::Scenes(args)) => command::scenes(&args),
        Some(Command::New(args)) => command::new(&args),
        Some(Command::Generate(args)) => command::generate(&args),
        Some(Command::Info(args)) => command::info(&args),
        Some(Command::Convert(args)) => command::convert(&args),
        Some(Command::Render(args)) => command::render(&args),
        Some(Command::Check(args)) => command::check(&args),
        Some(Command::Validate(args)) => command::validate(&args),
        Some(Command::Bench(args)) => bench::bench(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Run(message)) => {
            eprintln!("thalweg: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            eprintln!("thalweg: {message}");
            ExitCode::from(2)
        }
    }
}
