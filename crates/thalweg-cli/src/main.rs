//! The command line of thalweg.
//!
//! Exit codes: 0 done, or stopped as asked; 1 the run failed; 2 bad command line or bad scene.

/// Prints a line of results.
macro_rules! say {
    ($($text:tt)*) => { $crate::print::line(format_args!($($text)*)) };
}

/// Prints a line about the work itself, apart from the results.
macro_rules! remark {
    ($($text:tt)*) => { $crate::print::remark(format_args!($($text)*)) };
}

mod args;
mod bench;
mod command;
mod failure;
mod print;
mod runtime_dir;
mod watch;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

/// Most Linux systems hand out pages of 2 MiB to those alone who ask, and this allocator asks: the processor then looks fewer
/// places up.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let result = match Cli::try_parse() {
        Ok(cli) => obey(cli),
        // Help and version are no mistakes.
        Err(asked) if asked.exit_code() == 0 => asked.exit(),
        Err(mistake) => Err(mistake.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Also where the command line could not be understood.
            failure.tell(std::env::args_os().any(|argument| argument == "--json"));
            ExitCode::from(failure.code())
        }
    }
}

fn obey(Cli { command }: Cli) -> Result<(), Failure> {
    if command.as_ref().is_some_and(Command::may_draw) {
        runtime_dir::lend();
    }
    match command {
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
        Some(Command::Query(args)) => command::query(&args),
        Some(Command::Studio(args)) => command::studio(&args),
        Some(Command::Explain(args)) => command::explain(&args),
        Some(Command::Schema) => command::schema(),
        Some(Command::Validate(args)) => command::validate(&args),
        Some(Command::Bench(args)) => bench::bench(&args),
        Some(Command::Doctor(args)) => command::doctor(&args),
        Some(Command::Erode(args)) => command::erode(&args),
        Some(Command::Completions(args)) => command::completions(&args),
        Some(Command::Man(args)) => command::man(&args),
    }
}
