//! Chores: `cargo xtask test` runs all tests, `cargo xtask ci` everything that CI checks.

use std::process::{Command, ExitCode};

/// Crates that must build where there are no files, clocks or threads.
const PORTABLE: [&str; 4] = ["thalweg-field", "thalweg-terrain", "thalweg-erosion", "thalweg-render"];

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let done = match task.as_str() {
        "test" => test(),
        "lint" => lint(),
        "wasm" => wasm(),
        "ci" => lint() && wasm() && test(),
        _ => {
            eprintln!(
                "cargo xtask test   all tests\n\
                 cargo xtask lint   formatting, clippy, documentation\n\
                 cargo xtask wasm   the portable crates build for wasm32-unknown-unknown\n\
                 cargo xtask ci     all of these"
            );
            return ExitCode::from(2);
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn test() -> bool {
    run("cargo", &["test", "--workspace", "--locked"])
}

fn lint() -> bool {
    run("cargo", &["fmt", "--all", "--check"])
        && run("cargo", &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
        && run_with("RUSTDOCFLAGS", "-D warnings", "cargo", &["doc", "--workspace", "--no-deps", "--locked"])
}

fn wasm() -> bool {
    // A fresh toolchain lacks the target; where it is not managed by rustup it must be there already.
    let target = "wasm32-unknown-unknown";
    if Command::new("rustup").args(["target", "add", target]).status().is_err() {
        eprintln!("rustup is not here; the target {target} must be installed by other means");
    }
    PORTABLE.iter().all(|name| {
        run("cargo", &["check", "--locked", "--no-default-features", "--target", target, "--package", name])
    })
}

fn run(program: &str, args: &[&str]) -> bool {
    run_with("CARGO_TERM_COLOR", "auto", program, args)
}

fn run_with(variable: &str, value: &str, program: &str, args: &[&str]) -> bool {
    println!("> {program} {}", args.join(" "));
    match Command::new(program).args(args).env(variable, value).status() {
        Ok(status) if status.success() => true,
        Ok(status) => {
            eprintln!("{program} {} failed: {status}", args.join(" "));
            false
        }
        Err(error) => {
            eprintln!("cannot run {program}: {error}");
            false
        }
    }
}
