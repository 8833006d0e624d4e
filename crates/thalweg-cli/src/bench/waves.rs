//! How fast waves go, and how fast their surface is made.

use super::{Case, Machine, Row, best};
use crate::Failure;
use std::collections::BTreeMap;
use std::time::Instant;
use thalweg::field::random::Key;
use thalweg::waves::{Basin, Emission, Params, Setup, Speed, Waves};

const REPEATS: usize = 15;
/// Cells along each side of the surface, each 1 m wide.
const CELLS: usize = 1024;
const PARTICLES: usize = 100_000;
/// Particles of a sea that is only moved.
const MANY: usize = 1_000_000;

pub(super) fn cases() -> Vec<Case> {
    let case = |name: String, measure: Box<dyn Fn(usize) -> Result<Row, Failure> + Sync>| Case {
        name: format!("waves/{name}"),
        run: Box::new(move |machine: &Machine| {
            let threads = if machine.cores > 1 { vec![1, machine.cores] } else { vec![1] };
            let on = |threads| {
                let pool =
                    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::run)?;
                pool.install(|| measure(threads))
            };
            threads.into_iter().map(on).collect()
        }),
    };
    let filter = [4.0, 16.0, 64.0].map(|radius| {
        case(
            format!("filter/{radius}"),
            Box::new(move |threads| surface("filter", [radius, radius], threads)),
        )
    });
    let mut cases = vec![
        case("propagate".into(), Box::new(propagate)),
        case("splat".into(), Box::new(|threads| surface("splat", [4.0, 4.0], threads))),
        case("step".into(), Box::new(step)),
    ];
    cases.splice(2..2, filter);
    cases
}

/// A sea full of waves of all directions, of radii from one to another `[m]`.
fn sea(count: usize, [smallest, largest]: [f64; 2]) -> Result<Waves, Failure> {
    let params = Params {
        smallest_radius: smallest,
        largest_radius: largest,
        speed: Speed::Constant,
        lowest_crest: 1.0e-6,
        damping: 0.0,
        ..Params::default()
    };
    let setup = Setup { params, basin: Basin::open(), size: [CELLS; 2], cell: 1.0, velocity: false };
    let mut waves = Waves::new(setup).map_err(Failure::run)?;
    let key = Key::new(7);
    let share = |n: usize, what: u64| key.with(n as u64).with(what).unit();
    let emissions: Vec<Emission> = (0..count)
        .map(|n| {
            let angle = std::f64::consts::TAU * share(n, 2);
            let octaves = ((largest / smallest).log2() + 1.0).floor() * share(n, 3);
            Emission {
                place: [share(n, 0) * CELLS as f64, share(n, 1) * CELLS as f64],
                heading: [angle.cos(), angle.sin()],
                width: 1.0,
                amplitude: 0.05,
                radius: smallest * octaves.floor().exp2(),
                ..Emission::default()
            }
        })
        .collect();
    waves.emit(&emissions).map_err(Failure::run)?;
    Ok(waves)
}

fn row(case: &str, size: String, threads: usize, [items, seconds]: [f64; 2], unit: &'static str) -> Row {
    Row {
        solver: "waves",
        case: case.into(),
        size,
        threads,
        backend: "cpu".into(),
        throughput: items / seconds,
        unit,
        stages_ms: BTreeMap::from([("once", seconds * 1.0e3)]),
        ..Row::default()
    }
}

/// Where all particles are, from where they last changed.
fn propagate(threads: usize) -> Result<Row, Failure> {
    let waves = sea(MANY, [4.0, 4.0])?;
    let mut places = [Vec::new(), Vec::new()];
    let seconds = best(REPEATS, || {
        waves.places(&mut places);
        std::hint::black_box(&places);
        Ok(())
    })?;
    Ok(row("propagate", MANY.to_string(), threads, [MANY as f64, seconds], "particles/s"))
}

/// The shortest time of each stage of making the surface `[s]`.
fn stages(waves: &mut Waves) -> BTreeMap<&'static str, f64> {
    let mut fastest = BTreeMap::new();
    for _ in 0..REPEATS {
        let mut once = BTreeMap::<&'static str, f64>::new();
        let mut clock = Instant::now();
        waves.refresh_telling(&mut |stage| {
            *once.entry(stage).or_default() += clock.elapsed().as_secs_f64();
            clock = Instant::now();
        });
        for (stage, seconds) in once {
            let best = fastest.entry(stage).or_insert(f64::INFINITY);
            *best = seconds.min(*best);
        }
    }
    fastest
}

/// One stage of making the surface, with waves of one radius.
fn surface(stage: &'static str, radii: [f64; 2], threads: usize) -> Result<Row, Failure> {
    let mut waves = sea(PARTICLES, radii)?;
    let seconds = stages(&mut waves).get(stage).copied().unwrap_or(f64::NAN);
    let cells = (CELLS * CELLS) as f64;
    let (items, unit) = if stage == "splat" { (PARTICLES as f64, "particles/s") } else { (cells, "cells/s") };
    let case = if stage == "splat" { stage.into() } else { format!("{stage}/{}", radii[0]) };
    Ok(row(&case, format!("{CELLS}^2"), threads, [items, seconds], unit))
}

/// A picture: 100,000 particles of three radii go on by 1/60 s, and their surface is made.
fn step(threads: usize) -> Result<Row, Failure> {
    let mut waves = sea(PARTICLES, [4.0, 16.0])?;
    let mut steps = 0.0;
    let seconds = best(REPEATS, || {
        steps += 1.0;
        waves.skip_to(steps / 60.0);
        waves.refresh();
        Ok(())
    })?;
    let stages_ms = stages(&mut waves).into_iter().map(|(stage, seconds)| (stage, seconds * 1.0e3)).collect();
    let size = format!("{PARTICLES}, {CELLS}^2");
    Ok(Row {
        frames_per_s: Some(1.0 / seconds),
        stages_ms,
        ..row("step", size, threads, [PARTICLES as f64, seconds], "particles*steps/s")
    })
}
