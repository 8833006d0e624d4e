//! `thalweg query`: what there is at some places of a scene, at some time.

use super::simulate::set_threads;
use super::{memory_limit, scene};
use crate::Failure;
use crate::args::QueryArgs;
use crate::print::answer;
use crate::watch::Watch;
use serde_json::json;
use std::path::Path;
use thalweg::Session;
use thalweg::run::{Watcher, advance_to};
use thalweg::solver::Seen;

/// Most places that are asked for in one go.
const MOST: usize = 1_000_000;

/// `thalweg query`
pub(crate) fn query(args: &QueryArgs) -> Result<(), Failure> {
    let places = places(args)?;
    set_threads(args.limits.threads)?;
    let project = scene::open(&args.scene, &args.set)?;
    let mut watch = Watch::new(args.limits.quiet || args.json);
    let mut state = Session::new(&project, memory_limit(args.limits.max_memory))?;
    state.notices.iter().for_each(|notice| watch.notice(notice));
    let time = args.time.unwrap_or(0.0);
    while state.clock().time < time && !state.is_over() && !watch.cancelled() {
        let step = state.steps_taken() + state.steps_before(time);
        advance_to(&project, &mut state, step, None, &mut watch)?;
    }
    watch.finish();
    let now = state.clock().time;
    if now < time {
        return Err(Failure::usage(format!(
            "--time is {time} s, but the scene ends after {now} s; make it longer with --set time.duration={time}"
        )));
    }
    tell(args.json, now, &places, &state.seen_at(&places));
    Ok(())
}

fn tell(json: bool, time: f64, places: &[[f64; 2]], seen: &[Seen]) {
    let all = places.iter().zip(seen);
    if json {
        let one =
            |([east, north], seen): (&[f64; 2], &Seen)| json!({ "east": east, "north": north, "seen": seen });
        answer(&json!({ "time": time, "places": all.map(one).collect::<Vec<_>>() }));
        return;
    }
    say!(
        "east [m],north [m],surface [m],bed [m],depth [m],normal_east [-],normal_north [-],normal_up [-],velocity_east [m/s],\
         velocity_north [m/s],velocity_up [m/s]"
    );
    for ([east, north], Seen { bed, depth, surface, normal: [x, y, z], velocity: [u, v, w] }) in all {
        say!("{east},{north},{surface},{bed},{depth},{x},{y},{z},{u},{v},{w}");
    }
}

/// The places of the command line, and those of its file.
fn places(args: &QueryArgs) -> Result<Vec<[f64; 2]>, Failure> {
    let mut places = Vec::new();
    for text in &args.at {
        places.push(place(text).ok_or_else(|| {
            Failure::usage(format!(
                "--at is \"{text}\"; it is two numbers in metres, east and north: --at 120,80"
            ))
        })?);
    }
    if let Some(file) = &args.points {
        places.extend(from_file(file)?);
    }
    match places.len() {
        0 => Err(Failure::usage(
            "say where to look: --at EAST,NORTH, or --points FILE with such a line for each place",
        )),
        count if count > MOST => {
            Err(Failure::usage(format!("{count} places are too many; ask for at most {MOST} at a time")))
        }
        _ => Ok(places),
    }
}

fn place(text: &str) -> Option<[f64; 2]> {
    let mut parts =
        text.split([',', ';', '\t']).map(|part| part.trim().parse::<f64>().ok().filter(|x| x.is_finite()));
    Some([parts.next()??, parts.next()??])
}

/// A line for each place; further columns and a first line of headings are passed over.
fn from_file(file: &Path) -> Result<Vec<[f64; 2]>, Failure> {
    let unreadable = |error: std::io::Error| Failure::usage(format!("{}: {error}", file.display()));
    let read = |mut from: std::fs::File| std::io::read_to_string(&mut from);
    let text = thalweg::io::open_regular(file).and_then(read).map_err(unreadable)?;
    let lines =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let mut found = Vec::new();
    for (number, line) in lines {
        match place(line) {
            Some(place) => found.push(place),
            None if found.is_empty() && number == 0 => {}
            None => {
                return Err(Failure::usage(format!(
                    "{}:{}: \"{line}\" is no place; a line is east and north in metres: 120,80",
                    file.display(),
                    number + 1
                )));
            }
        }
    }
    Ok(found)
}
