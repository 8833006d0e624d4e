//! `thalweg-studio [SCENE]`: the studio in a window.

use std::process::ExitCode;
use thalweg_studio::{Options, run};

const HELP: &str = "thalweg-studio [SCENE] [--out DIR]

Opens a window on a scene at work: a built-in name, a scene file or its folder. Without one it begins with a welcome.

  --out DIR   folder for pictures, exports and scenes [default: thalweg-studio among your pictures]
  --help      this text
  --version   the version";

fn main() -> ExitCode {
    let options = match read(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => return ExitCode::SUCCESS,
        Err(mistake) => {
            eprintln!("{mistake}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::from(1)
        }
    }
}

/// Reads the command line; nothing is left to do after help and version.
#[expect(clippy::print_stdout, reason = "what is asked for")]
fn read(mut arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options { recover: true, ..Options::default() };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(None);
            }
            "--version" => {
                println!("thalweg-studio {}", env!("CARGO_PKG_VERSION"));
                return Ok(None);
            }
            "--out" => options.out = Some(arguments.next().ok_or("--out needs a folder")?.into()),
            other if other.starts_with('-') => return Err(format!("{other} is not known")),
            _ if options.scene.is_some() => return Err("one scene at a time".into()),
            _ => options.scene = Some(argument),
        }
    }
    Ok(Some(options))
}
