//! Commands that run a scene.

use super::info::tell_realism;
use super::{memory_limit, scene};
use crate::Failure;
use crate::args::{BackendArg, DemoArgs, Limits, RunArgs};
use crate::print::{answer, brief};
use crate::watch::Watch;
use serde_json::json;
use std::path::Path;
use thalweg::project::{Backend, Every, Output, Project, Scene, Time};
use thalweg::run::{
    Earlier, Outcome, Report, RunOptions, VIDEOS, absolute, resume_command, saved_name, saved_scene,
};

/// What is said of a run that was stopped while its water was finding its place.
const STOPPED_BEFORE: &str = "stopped before the first step; nothing has happened and nothing was written";

/// `thalweg demo`
pub(crate) fn demo(args: &DemoArgs) -> Result<(), Failure> {
    let mut project = Project::open("demo", &[])?;
    project.scene.seed = args.seed.unwrap_or(project.scene.seed);
    let earlier = if args.force { Earlier::Replace } else { Earlier::Refuse };
    let options =
        RunOptions { out: args.out.clone(), earlier, max_bytes: memory_limit(args.limits.max_memory) };
    if let Outcome::Finished(report) = go(&project, &options, None, &args.limits)?
        && !args.limits.quiet
    {
        tell(&report, &args.out);
        say!("\nLook at {} first.", args.out.join("pictures/before_after.png").display());
    }
    Ok(())
}

/// `thalweg run`
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    if args.scene == scene::STDIN && args.commands.as_deref() == Some(Path::new(scene::STDIN)) {
        return Err(Failure::usage(
            "the scene and --commands cannot both come from standard input; put one of them into a file",
        ));
    }
    let mut project = scene::open(&args.scene, &args.set)?;
    project.allow_outside = args.allow_outside;
    let scene = &mut project.scene;
    scene.seed = args.seed.unwrap_or(scene.seed);
    film(&mut scene.output, args);
    scene.solver.first_mut().backend = match args.backend {
        None => scene.solver.first().backend,
        Some(BackendArg::Cpu) => Backend::Cpu,
        Some(BackendArg::Auto) => Backend::Auto,
    };
    if let Some(complaint) = scene.complaints().first() {
        let option = if complaint.path == "output.video" { "--video" } else { "--frames" };
        return Err(Failure::usage(format!("{option}: {}", complaint.message)));
    }
    let out = args.out.clone().unwrap_or_else(|| Path::new("out").join(&project.name));
    if let Some(steps) = args.steps {
        set_steps(&mut project.scene, steps, args, &out)?;
    }
    // The folder of a run is named otherwise than the scene that runs in it.
    if let Some(name) = saved_name(&out).filter(|_| args.resume) {
        project.name = name;
    }
    let earlier = match args {
        RunArgs { resume: true, .. } => Earlier::Resume,
        RunArgs { force: true, .. } => Earlier::Replace,
        _ => Earlier::Refuse,
    };
    let options = RunOptions { out: out.clone(), earlier, max_bytes: memory_limit(args.limits.max_memory) };
    let outcome = go(&project, &options, args.commands.as_deref(), &args.limits)?;
    match &outcome {
        Outcome::Finished(report) if args.json => {
            answer(report);
        }
        Outcome::Finished(report) if !args.limits.quiet => tell(report, &out),
        _ => stopped(&outcome, &out, args.json),
    }
    Ok(())
}

/// Answers for a run that has not finished.
pub(super) fn stopped(outcome: &Outcome, out: &Path, json: bool) {
    let out_text = absolute(out);
    match outcome {
        _ if !json => {}
        Outcome::Stopped { checkpoint, step } => {
            let resume = resume_command(out);
            answer(&json!({ "out": out_text, "stopped": step, "checkpoint": checkpoint, "resume": resume }));
        }
        Outcome::AlreadyOver { step } => {
            answer(&json!({ "out": out_text, "already_over": step }));
        }
        Outcome::StoppedBefore => {
            answer(&json!({ "out": out_text, "stopped": 0, "note": STOPPED_BEFORE }));
        }
        Outcome::Finished(_) => {}
    }
}

/// The frames that are asked for take the place of the scene's.
fn film(output: &mut Output, args: &RunArgs) {
    if args.frames.is_some() || args.video.is_some() {
        (output.frames_every, output.video) = (args.frames.unwrap_or(Every::NEVER), args.video);
    }
}

/// Uses so many threads from here on.
pub(super) fn set_threads(threads: Option<u16>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global().map_err(Failure::run)
}

/// Runs to the end, or until it is stopped; then it says how to go on.
pub(super) fn go(
    project: &Project,
    options: &RunOptions,
    commands: Option<&Path>,
    limits: &Limits,
) -> Result<Outcome, Failure> {
    set_threads(limits.threads)?;
    let mut watch = Watch::new(limits.quiet);
    if let Some(from) = commands {
        watch.obey(from).map_err(Failure::usage)?;
    }
    let outcome = thalweg::run::run(project, options, &mut watch);
    watch.finish();
    let outcome = outcome?;
    let (out, again) = (options.out.display(), resume_command(&options.out));
    match &outcome {
        // Even when quiet: whoever stops a run wants to know where it is.
        Outcome::Stopped { checkpoint, step } => {
            remark!("stopped after step {step}; the state is in {}", checkpoint.display());
            remark!("go on with: {again}");
        }
        Outcome::AlreadyOver { step } => {
            remark!("{out}: the run is over, after step {step}, and has its results; nothing was done");
            remark!("go on for longer with: {again} --steps N");
        }
        Outcome::StoppedBefore => remark!("{STOPPED_BEFORE}"),
        Outcome::Finished(_) => {}
    }
    Ok(outcome)
}

/// Makes a run `steps` long, all methods and passes together, and says how they are shared out. Those of a run that goes on stay
/// as they were, and the last one takes what is left.
fn set_steps(scene: &mut Scene, steps: u64, args: &RunArgs, out: &Path) -> Result<(), Failure> {
    *scene = match saved_scene(out).filter(|_| args.resume) {
        Some(begun) => scene.going_on(&begun, steps).map_err(|reason| {
            Failure::usage(format!("{}: cannot be resumed with --steps {steps}: {reason}", out.display()))
        })?,
        None => scene.lasting(steps),
    };
    let shared = !scene.before.is_empty() || !scene.time.coarse.is_empty();
    if shared && !args.limits.quiet {
        let before = scene.before.iter().map(|earlier| (&earlier.solver, &earlier.time));
        let stages = before.chain([(scene.solver.first(), &scene.time)]);
        let told: Vec<_> = match &scene.before[..] {
            [] => vec![passes(&scene.time)],
            _ => stages.map(|(solver, time)| format!("{} {}", solver.method().name, passes(time))).collect(),
        };
        remark!("note: {steps} steps in all: {}", told.join("; then "));
    }
    Ok(())
}

/// The passes of a method in words.
fn passes(time: &Time) -> String {
    let coarse = time.coarse.iter().map(|pass| format!("{} on {}", pass.steps, pass.width()));
    let passes: Vec<_> = coarse.chain([format!("{} on the terrain itself", time.steps)]).collect();
    passes.join(", ")
}

/// A short summary.
pub(super) fn tell(report: &Report, out: &Path) {
    say!(
        "{}: {} steps, {} s simulated in {:.1} s on {} threads",
        report.scene,
        report.steps,
        brief(report.simulated_s),
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
