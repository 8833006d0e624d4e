//! Commands that run a scene.

use super::info::tell_realism;
use super::{memory_limit, scene};
use crate::Failure;
use crate::args::{BackendArg, DemoArgs, Limits, RunArgs};
use crate::print::{answer, shell_word};
use crate::watch::Watch;
use serde_json::json;
use std::path::Path;
use thalweg::project::{Backend, Every, Output, Project};
use thalweg::run::{Outcome, Report, RunOptions, VIDEOS};

/// `thalweg demo`
pub fn demo(args: &DemoArgs) -> Result<(), Failure> {
    let mut project = Project::open("demo", &[])?;
    project.scene.seed = args.seed.unwrap_or(project.scene.seed);
    let options =
        RunOptions { out: args.out.clone(), resume: false, max_bytes: memory_limit(args.limits.max_memory) };
    if let Outcome::Finished(report) = go(&project, &options, None, &args.limits)?
        && !args.limits.quiet
    {
        tell(&report, &args.out);
        say!("\nLook at {} first.", args.out.join("pictures/before_after.png").display());
    }
    Ok(())
}

/// `thalweg run`
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    if args.scene == scene::STDIN && args.commands.as_deref() == Some(Path::new(scene::STDIN)) {
        return Err(Failure::usage(
            "the scene and --commands cannot both come from standard input; put one of them into a file",
        ));
    }
    let mut project = scene::open(&args.scene, &args.set)?;
    let scene = &mut project.scene;
    scene.time.steps = args.steps.unwrap_or(scene.time.steps);
    scene.seed = args.seed.unwrap_or(scene.seed);
    film(&mut scene.output, args);
    scene.solver.backend = match args.backend {
        None => scene.solver.backend,
        Some(BackendArg::Cpu) => Backend::Cpu,
        Some(BackendArg::Auto) => Backend::Auto,
    };
    if let Some(complaint) = scene.complaints().first() {
        let option = if complaint.path == "output.video" { "--video" } else { "--frames" };
        return Err(Failure::usage(format!("{option}: {}", complaint.message)));
    }
    let out = args.out.clone().unwrap_or_else(|| Path::new("out").join(&project.name));
    let options =
        RunOptions { out: out.clone(), resume: args.resume, max_bytes: memory_limit(args.limits.max_memory) };
    let outcome = go(&project, &options, args.commands.as_deref(), &args.limits)?;
    match &outcome {
        Outcome::Finished(report) if args.json => {
            answer(report);
        }
        Outcome::Stopped { checkpoint, step } if args.json => {
            answer(&json!({ "stopped": step, "checkpoint": checkpoint, "resume": again(&out) }));
        }
        Outcome::Finished(report) if !args.limits.quiet => tell(report, &out),
        _ => {}
    }
    Ok(())
}

/// The frames that are asked for take the place of the scene's.
fn film(output: &mut Output, args: &RunArgs) {
    if args.frames.is_some() || args.video.is_some() {
        (output.frames_every, output.video) = (args.frames.unwrap_or(Every::NEVER), args.video);
    }
}

/// Runs to the end, or until it is stopped; then it says how to go on.
fn go(
    project: &Project,
    options: &RunOptions,
    commands: Option<&Path>,
    limits: &Limits,
) -> Result<Outcome, Failure> {
    if let Some(threads) = limits.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global().map_err(Failure::run)?;
    }
    let mut watch = Watch::new(limits.quiet);
    if let Some(from) = commands {
        watch.obey(from).map_err(Failure::usage)?;
    }
    let outcome = thalweg::run::run(project, options, &mut watch);
    watch.finish();
    let outcome = outcome?;
    if let Outcome::Stopped { checkpoint, step } = &outcome {
        // Even when quiet: whoever stops a run wants to know where it is.
        remark!("stopped after step {step}; the state is in {}", checkpoint.display());
        remark!("go on with: {}", again(&options.out));
    }
    Ok(outcome)
}

/// The command that goes on with a run. The folder holds the scene exactly as it runs, changes and all.
fn again(out: &Path) -> String {
    let name = shell_word(&out.to_string_lossy());
    format!("thalweg run {name} --out {name} --resume")
}

/// A short summary.
fn tell(report: &Report, out: &Path) {
    say!(
        "{}: {} steps, {:.0} s simulated in {:.1} s on {} threads",
        report.scene,
        report.steps,
        report.simulated_s,
        report.wall_s,
        report.threads
    );
    say!(
        "missing: water {:.1e}, ground {:.1e} of what moved",
        report.ledger.water.imbalance_rel,
        report.ledger.imbalance_rel
    );
    if let (Some(before), Some(after)) = (&report.realism_before, &report.realism_after) {
        tell_realism(before, after);
    }
    say!("{} files in {}", report.files.len(), out.display());
    if let Some(video) = report.files.iter().find(|file| VIDEOS.contains(&file.as_str())) {
        say!("video: {}", out.join(video).display());
    }
}
