//! `thalweg studio`: starts the studio, which is a program of its own so that nobody has to build it who does not want it.

use crate::Failure;
use crate::args::StudioArgs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `thalweg studio`
pub(crate) fn studio(args: &StudioArgs) -> Result<(), Failure> {
    let own = std::env::current_exe().unwrap_or_default();
    let program = beside(&own);
    if !program.is_file() {
        return Err(Failure::usage(format!(
            "the studio is not built; build it with `cargo build --release -p thalweg-studio`, or put {} beside {}",
            program.file_name().unwrap_or_default().display(),
            own.display()
        )));
    }
    let mut command = Command::new(&program);
    command.args(&args.scene);
    if let Some(out) = &args.out {
        command.arg("--out").arg(out);
    }
    let status = command.status().map_err(|error| Failure::run(format!("{}: {error}", program.display())))?;
    // It has said itself why.
    if status.success() { Ok(()) } else { Err(Failure::run("the studio ended with an error")) }
}

/// The studio beside a program.
fn beside(own: &Path) -> PathBuf {
    own.with_file_name(format!("thalweg-studio{}", std::env::consts::EXE_SUFFIX))
}
