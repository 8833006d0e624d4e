//! Commands that run a scene.

use super::memory_limit;
use crate::Failure;
use crate::args::{DemoArgs, Limits, RunArgs};
use crate::watch::Watch;
use std::path::{Path, PathBuf};
use thalweg::project::Project;
use thalweg::run::{Outcome, Report, RunError, RunOptions};

/// `thalweg demo`
pub fn demo(args: &DemoArgs) -> Result<(), Failure> {
    let seed = args.seed.map(|seed| format!("seed={seed}"));
    let project = Project::open("demo", seed.as_slice()).map_err(Failure::usage)?;
    let again = format!("thalweg run demo --out {} --resume", args.out.display());
    let Some(report) = go(&project, &args.out, false, &args.limits, &again)? else { return Ok(()) };
    if !args.limits.quiet {
        tell(&report, &args.out);
        println!("\nLook at {} first.", args.out.join("pictures/before_after.png").display());
    }
    Ok(())
}

/// `thalweg run`
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let mut changes = args.set.clone();
    changes.extend(args.steps.map(|steps| format!("time.steps={steps}")));
    changes.extend(args.seed.map(|seed| format!("seed={seed}")));
    changes.extend(args.frames.map(|every| format!("output.frames_every={every}")));
    changes.extend(args.backend.as_ref().map(|backend| format!("solver.backend={backend}")));
    let project = Project::open(&args.scene, &changes).map_err(Failure::usage)?;
    let out = args.out.clone().unwrap_or_else(|| Path::new("out").join(&project.name));
    let again = format!("thalweg run {} --out {} --resume", args.scene, out.display());
    let Some(report) = go(&project, &out, args.resume, &args.limits, &again)? else { return Ok(()) };
    if args.json {
        println!("{}", serde_json::to_string(&report).map_err(Failure::run)?);
    } else if !args.limits.quiet {
        tell(&report, &out);
    }
    Ok(())
}

/// Runs to the end; `None` if it was stopped, after saying how to go on.
fn go(
    project: &Project,
    out: &Path,
    resume: bool,
    limits: &Limits,
    again: &str,
) -> Result<Option<Box<Report>>, Failure> {
    if let Some(threads) = limits.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global().map_err(Failure::run)?;
    }
    let mut watch = Watch::new(limits.quiet);
    let options = RunOptions { out: PathBuf::from(out), resume, max_bytes: memory_limit(limits.max_memory) };
    let outcome = thalweg::run::run(project, &options, &mut watch);
    watch.finish();
    match outcome {
        Ok(Outcome::Finished(report)) => Ok(Some(report)),
        Ok(Outcome::Stopped { checkpoint, step }) => {
            eprintln!(
                "stopped after step {step}; the state is in {}\ngo on with: {again}",
                checkpoint.display()
            );
            Ok(None)
        }
        // A scene that cannot be set up is a bad scene.
        Err(RunError::Setup(error)) => Err(Failure::usage(error)),
        Err(error) => Err(Failure::run(error)),
    }
}

/// A short summary.
fn tell(report: &Report, out: &Path) {
    println!(
        "{}: {} steps, {:.0} s simulated in {:.1} s on {} threads",
        report.scene, report.steps, report.simulated_s, report.wall_s, report.threads
    );
    println!(
        "missing: water {:.1e}, ground {:.1e} of what moved",
        report.ledger.water.imbalance_rel, report.ledger.imbalance_rel
    );
    let (before, after) = (&report.realism_before, &report.realism_after);
    let number = |value: Option<f64>, factor: f64| value.map_or("-".into(), |v| format!("{:.3}", v * factor));
    println!("                                   before   after");
    for (name, a, b, factor) in [
        ("cells in pits [%]", before.pit_fraction, after.pit_fraction, 100.0),
        ("Hack exponent [-]", before.hack_exponent, after.hack_exponent, 1.0),
        ("landforms, distance to a real one", before.geomorphon_distance, after.geomorphon_distance, 1.0),
    ] {
        println!("{name:<34} {:>7} {:>7}", number(a, factor), number(b, factor));
    }
    println!("{} files in {}", report.files.len(), out.display());
}
