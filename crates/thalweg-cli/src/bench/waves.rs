//! How fast waves go, and how fast their surface is made.

use super::{Case, Machine, Row, best};
use crate::Failure;
use std::collections::BTreeMap;
use std::time::Instant;
use thalweg::field::random::Key;
use thalweg::waves::{Basin, BodyParams, Emission, Fleet, Params, Sea, Setup, Speed, Waves};

const REPEATS: usize = 15;
/// Cells along each side of the surface, each 1 m wide.
const CELLS: usize = 1024;
const PARTICLES: usize = 100_000;
/// Particles of a sea that is only moved.
const MANY: usize = 1_000_000;
/// Ships under way, and frames in a second that Mikeš 2015 prints for them, table 6.2, case D, on a GTX 970.
const SHIPS: [(usize, f64); 6] = [(1, 199.0), (2, 144.0), (4, 93.0), (8, 60.0), (16, 35.0), (32, 18.0)];
/// The same of boats that lie still while one passes, case C.
const BOATS: [(usize, f64); 6] = [(1, 145.0), (2, 136.0), (4, 97.0), (8, 60.0), (16, 33.0), (32, 24.0)];
/// Longest sides of a hull's triangles, for hulls of more and more of them (Mikeš 2015, figure 6.7) `[m]`.
const DETAILS: [f64; 3] = [0.6, 0.3, 0.15];
/// Steps that ships go before they are measured, and how many are measured at a time; the fastest such part counts.
const WARM: usize = 120;
const PART: usize = 40;
const PARTS: usize = 6;

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
        case("propagate".into(), Box::new(|threads| surface("bumps", [4.0, 4.0], threads))),
        case("splat".into(), Box::new(|threads| surface("splat", [4.0, 4.0], threads))),
        case("step".into(), Box::new(|threads| step(PARTICLES, CELLS, threads))),
    ];
    cases.splice(2..2, filter);
    for (ships, printed) in SHIPS {
        cases.push(case(
            format!("ships/{ships}"),
            Box::new(move |threads| {
                sail(ships, None, threads).map(|row| Row { printed_frames_per_s: Some(printed), ..row })
            }),
        ));
    }
    for (boats, printed) in BOATS {
        cases.push(case(
            format!("boats/{boats}"),
            Box::new(move |threads| {
                moor(boats, threads).map(|row| Row { printed_frames_per_s: Some(printed), ..row })
            }),
        ));
    }
    for detail in DETAILS {
        cases.push(case(format!("faces/{detail}"), Box::new(move |threads| sail(1, Some(detail), threads))));
    }
    for cells in [256, 512, 1024, 2048] {
        cases.push(case(
            format!("resolution/{cells}"),
            Box::new(move |threads| step(PARTICLES, cells, threads)),
        ));
    }
    for count in [10_000, 100_000, 1_000_000] {
        cases.push(case(format!("particles/{count}"), Box::new(move |threads| step(count, CELLS, threads))));
    }
    cases
}

/// A sea full of waves of all directions, of radii from one to another `[m]`.
fn sea(count: usize, cells: usize, [smallest, largest]: [f64; 2]) -> Result<Waves, Failure> {
    let params = Params {
        smallest_radius: smallest,
        largest_radius: largest,
        speed: Speed::Constant,
        lowest_crest: 1.0e-6,
        damping: 0.0,
        ..Params::default()
    };
    let setup = Setup { params, basin: Basin::open(), size: [cells; 2], cell: 1.0, velocity: false };
    let mut waves = Waves::new(setup).map_err(Failure::run)?;
    let key = Key::new(7);
    let share = |n: usize, what: u64| key.with(n as u64).with(what).unit();
    let emissions: Vec<Emission> = (0..count)
        .map(|n| {
            let angle = std::f64::consts::TAU * share(n, 2);
            let octaves = ((largest / smallest).log2() + 1.0).floor() * share(n, 3);
            Emission {
                place: [share(n, 0) * cells as f64, share(n, 1) * cells as f64],
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
    let count = if stage == "bumps" { MANY } else { PARTICLES };
    let mut waves = sea(count, CELLS, radii)?;
    let seconds = stages(&mut waves).get(stage).copied().unwrap_or(f64::NAN);
    let cells = CELLS * CELLS;
    let bytes = waves.particle_bytes() as usize / count;
    let (case, items, unit, bytes_per_item) = match stage {
        "bumps" => ("propagate".into(), count, "particles/s", bytes),
        "splat" => (stage.into(), count, "particles/s", bytes),
        _ => (format!("{stage}/{}", radii[0]), cells, "cells/s", 2 * size_of::<f32>()),
    };
    let size = if items == cells { format!("{CELLS}^2") } else { count.to_string() };
    Ok(Row { bytes_per_item, ..row(&case, size, threads, [items as f64, seconds], unit) })
}

/// A picture: particles of three radii go on by 1/60 s, and their surface is made.
fn step(count: usize, cells: usize, threads: usize) -> Result<Row, Failure> {
    let mut waves = sea(count, cells, [4.0, 16.0])?;
    let mut steps = 0.0;
    let seconds = best(REPEATS, || {
        steps += 1.0;
        waves.skip_to(steps / 60.0);
        waves.refresh();
        Ok(())
    })?;
    let stages_ms = stages(&mut waves).into_iter().map(|(stage, seconds)| (stage, seconds * 1.0e3)).collect();
    let size = format!("{count}, {cells}^2");
    Ok(Row {
        frames_per_s: Some(1.0 / seconds),
        bytes_per_item: waves.particle_bytes() as usize / count,
        stages_ms,
        ..row("step", size, threads, [count as f64, seconds], "particles*steps/s")
    })
}

/// Ships under way.
fn sail(ships: usize, detail: Option<f64>, threads: usize) -> Result<Row, Failure> {
    let ship = |n: usize| BodyParams {
        size: [18.0, 5.0, 4.0],
        at: [40.0 + 70.0 * (n % 6) as f64, 60.0 + 70.0 * (n / 6) as f64, 0.0],
        velocity: [5.0, 0.0, 0.0],
        throttle: 0.6,
        detail,
        ..BodyParams::default()
    };
    let case = detail.map_or_else(|| format!("ships/{ships}"), |detail| format!("faces/{detail}"));
    float(&case, &(0..ships).map(ship).collect::<Vec<_>>(), threads)
}

/// Boats that lie still, and one that passes them.
fn moor(boats: usize, threads: usize) -> Result<Row, Failure> {
    let boat = |n: usize| BodyParams {
        size: [8.0, 2.6, 1.8],
        at: [60.0 + 14.0 * (n % 8) as f64, 80.0 + 14.0 * (n / 8) as f64, 0.0],
        ..BodyParams::default()
    };
    let ferry = BodyParams {
        size: [16.0, 4.6, 3.4],
        at: [40.0, 60.0, 0.0],
        velocity: [6.0, 0.0, 0.0],
        throttle: 0.9,
        ..BodyParams::default()
    };
    let bodies: Vec<_> = std::iter::once(ferry).chain((0..boats).map(boat)).collect();
    float(&format!("boats/{boats}"), &bodies, threads)
}

/// Bodies on a sea of 512 x 512 cells of 1 m: a step of theirs on the waves that they make, and one of those.
fn float(case: &str, bodies: &[BodyParams], threads: usize) -> Result<Row, Failure> {
    let params = Params { lowest_crest: 4.0e-3, ..Params::default() };
    let setup = Setup { params, basin: Basin::open(), size: [512; 2], cell: 1.0, velocity: true };
    let mut waves = Waves::new(setup).map_err(Failure::run)?;
    let mut fleet = Fleet::new(Sea { least_radius: 2.0, ..Sea::default() }).map_err(Failure::run)?;
    for body in bodies {
        fleet.add(body, None).map_err(Failure::run)?;
    }
    go(&mut fleet, &mut waves, WARM)?;
    let (mut afloat, mut surface) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..PARTS {
        let [bodies, made] = go(&mut fleet, &mut waves, PART)?;
        (afloat, surface) = (afloat.min(bodies), surface.min(made));
    }
    let faces: usize = (0..bodies.len()).map(|n| fleet.hull(n).triangle_count()).sum();
    let saved = fleet.save();
    Ok(Row {
        frames_per_s: Some(1.0 / (afloat + surface)),
        bytes_per_item: (saved.bodies.len() + saved.waves.len()) * size_of::<f64>() / faces,
        stages_ms: BTreeMap::from([("bodies", afloat * 1.0e3), ("waves", surface * 1.0e3)]),
        ..row(case, format!("{faces} faces"), threads, [faces as f64, afloat], "faces*steps/s")
    })
}

/// So many steps, and how long bodies and waves took for each `[s]`.
fn go(fleet: &mut Fleet, waves: &mut Waves, steps: usize) -> Result<[f64; 2], Failure> {
    const DT: f64 = 1.0 / 60.0;
    let mut spent = [0.0; 2];
    for _ in 0..steps {
        let clock = Instant::now();
        let wake = fleet.step(DT, waves).map_err(Failure::run)?;
        let afloat = clock.elapsed().as_secs_f64();
        waves.emit(&wake.emissions).map_err(Failure::run)?;
        waves.advance(DT);
        spent = [spent[0] + afloat, spent[1] + clock.elapsed().as_secs_f64() - afloat];
    }
    Ok(spent.map(|seconds| seconds / steps as f64))
}
