//! `thalweg check`: whether a scene can run, and what that takes.

use super::{memory_limit, scene};
use crate::Failure;
use crate::args::CheckArgs;
use crate::print::{answer, brief};
use serde_json::json;
use thalweg::Session;
use thalweg::run::Estimate;

/// `thalweg check`
pub(crate) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let mut project = scene::open(&args.scene, &args.set)?;
    project.allow_outside = args.allow_outside;
    if let Some(steps) = args.steps {
        project.scene = project.scene.lasting(steps);
    }
    let state = Session::new(&project, memory_limit(args.max_memory))?;
    let notices = state.notices.clone();
    let estimate = Estimate::new(state).map_err(|complaint| Failure::usage(complaint.message))?;
    if args.json {
        answer(&json!({ "scene": project.name, "fine": true, "notices": notices, "estimate": estimate }));
        return Ok(());
    }
    notices.iter().for_each(|notice| say!("note: {notice}"));
    tell(&args.scene, project.scene.time.duration.is_some(), &estimate);
    Ok(())
}

fn tell(name: &str, timed: bool, estimate: &Estimate) {
    let Estimate { steps, cells: [cols, rows], threads, frames, .. } = estimate;
    let particles = estimate.particles.map_or(String::new(), |particles| match particles.most {
        most if most > particles.start => format!(", {} particles, later up to {most}", particles.start),
        _ => format!(", {} particles", particles.start),
    });
    let about = if timed { "about " } else { "" };
    say!("{name}: fine; {cols} x {rows} cells{particles}, {about}{steps} steps");
    let condition = if estimate.particles.is_none() {
        ", less where water deepens and shortens the time steps"
    } else {
        ""
    };
    say!("simulated time  about {}{condition}", span(estimate.simulated_s));
    say!("memory          about {}", bytes(estimate.memory_bytes));
    let drawing = if *frames > 0 { format!("drawing {frames} frames") } else { "drawing".into() };
    let items = if estimate.particles.is_some() { "particles" } else { "cells" };
    say!(
        "time            about {} on {threads} threads, at {} million {items} times steps a second; {drawing} comes on top",
        span(estimate.wall_s),
        brief(estimate.rate / 1.0e6)
    );
    let frames = if *frames > 0 { format!(", {frames} frames among them") } else { String::new() };
    say!("files           about {}{frames}", bytes(estimate.disk_bytes));
}

/// A time in words.
fn span(seconds: f64) -> String {
    match seconds {
        172_800.0.. => format!("{} days", brief(seconds / 86_400.0)),
        7_200.0.. => format!("{} hours", brief(seconds / 3_600.0)),
        120.0.. => format!("{} minutes", brief(seconds / 60.0)),
        _ => format!("{} s", brief(seconds)),
    }
}

/// An amount of memory in words.
fn bytes(bytes: u64) -> String {
    match bytes {
        0x4000_0000.. => format!("{} GiB", brief(bytes as f64 / f64::from(1 << 30))),
        _ => format!("{} MiB", brief(bytes as f64 / f64::from(1 << 20))),
    }
}
