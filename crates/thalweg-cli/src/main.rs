//! The command line of thalweg.
//!
//! Exit codes: 0 done, or stopped as asked; 1 the run failed; 2 bad command line or bad scene.

/// Prints a line of results.
macro_rules! say {
    ($($text:tt)*) => { $crate::print_line(format_args!($($text)*)) };
}

/// Prints a line about the work itself, apart from the results.
macro_rules! remark {
    ($($text:tt)*) => { $crate::print_remark(format_args!($($text)*)) };
}

mod args;
mod bench;
mod command;
mod runtime_dir;
mod watch;

use args::{Cli, Command};
use clap::Parser;
use std::io::{ErrorKind, Write};
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

/// Prints a line on standard output. A reader that has gone away (`thalweg scenes | head -1`) has read enough: the
/// program ends in peace.
fn print_line(line: std::fmt::Arguments) {
    if let Err(error) = writeln!(std::io::stdout(), "{line}") {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        remark!("standard output: cannot be written: {error}");
        std::process::exit(1);
    }
}

/// Prints a line on standard error, if anybody reads it.
fn print_remark(line: std::fmt::Arguments) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let _folder = command.as_ref().filter(|command| command.may_draw()).and_then(|_| runtime_dir::lend());
    let result = match command {
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
        Some(Command::Doctor(args)) => command::doctor(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Run(message)) => {
            remark!("{message}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            remark!("{message}");
            ExitCode::from(2)
        }
    }
}
