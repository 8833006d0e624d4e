//! `thalweg bench`: throughput, beside what the memory allows and what a plain program does.

use crate::Failure;
use crate::args::CasesArgs;
use serde::Serialize;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;
use thalweg::erosion::pipes::reference::Reference;
use thalweg::erosion::pipes::{Params, Pipes, Source, Weather, Window};
use thalweg::field::{Grid2, Heightfield};
use thalweg::terrain::Recipe;

/// What `bench --json` prints.
#[derive(Serialize)]
struct Table {
    machine: Machine,
    cases: Vec<Row>,
}

#[derive(Serialize)]
struct Machine {
    cores: usize,
    /// Copying large arrays, bytes read and written [GB/s], on one thread and on all.
    copy_gb_per_s: [f64; 2],
}

/// One measurement.
#[derive(Serialize)]
struct Row {
    solver: &'static str,
    case: &'static str,
    size: String,
    threads: usize,
    backend: &'static str,
    /// Cells times steps per second.
    throughput: f64,
    unit: &'static str,
    /// Speed-up over the plain scalar reference in the same run; only where both compute the same.
    reference_ratio: Option<f64>,
    bytes_per_item: usize,
    /// Share of what the memory would allow if every step read and wrote the state once.
    roofline_share: f64,
    stages_ms: BTreeMap<&'static str, f64>,
}

/// Repeats of a measurement; the best counts.
const REPEATS: usize = 9;
/// Cells times steps in one repeat.
const WORK: usize = 48 << 20;
const SIZES: [usize; 5] = [256, 512, 1024, 2048, 4096];

/// Runs the cases asked for: `pipes`, `pipes/mei-2007`, `pipes/mei-2007/512`, ...
pub fn bench(args: &CasesArgs) -> Result<(), Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads: Vec<usize> = if cores > 1 { vec![1, cores] } else { vec![1] };
    let cases: Vec<_> =
        Params::PRESETS.iter().flat_map(|(preset, _)| SIZES.map(|size| (*preset, size))).collect();
    let name = |(preset, size): &(&str, usize)| format!("pipes/{preset}/{size}");
    let asked = |case: &(&str, usize)| {
        let name = name(case);
        let below = |asked: &String| name == *asked || name.starts_with(&format!("{asked}/"));
        args.cases.is_empty() || args.cases.iter().any(below)
    };
    let chosen: Vec<_> = cases.iter().filter(|case| asked(case)).collect();
    if chosen.is_empty() {
        let names = cases.iter().map(name).collect::<Vec<_>>().join(", ");
        return Err(Failure::usage(format!("there is no such case; choose from pipes, {names}")));
    }
    let machine = Machine { cores, copy_gb_per_s: [copy_bandwidth(1)?, copy_bandwidth(cores)?] };
    if !args.json {
        let [one, all] = machine.copy_gb_per_s;
        say!("{cores} cores; memory copies at {one:.1} GB/s on one thread, {all:.1} GB/s on all");
        say!(
            "{:<18} {:>9} {:>7} {:>9} {:>12} {:>10} {:>10}",
            "pipes",
            "size",
            "threads",
            "M cells/s",
            "bytes/cell",
            "roofline",
            "x plain"
        );
    }
    let mut rows = Vec::new();
    for &&(preset, size) in &chosen {
        for &threads in &threads {
            let bandwidth = machine.copy_gb_per_s[usize::from(threads > 1)] * 1.0e9;
            let row = measure(preset, size, threads, bandwidth)?;
            if !args.json {
                let ratio = row.reference_ratio.map_or("-".into(), |ratio| format!("{ratio:.1}"));
                say!(
                    "{:<18} {:>9} {:>7} {:>9.0} {:>12} {:>9.0}% {:>10}",
                    row.case,
                    row.size,
                    row.threads,
                    row.throughput / 1.0e6,
                    row.bytes_per_item,
                    row.roofline_share * 100.0,
                    ratio
                );
            }
            rows.push(row);
        }
    }
    if args.json {
        say!("{}", serde_json::to_string(&Table { machine, cases: rows }).map_err(Failure::run)?);
    }
    Ok(())
}

/// Hills of a few cells' height, wet all over: the most work there is.
fn hills(size: usize) -> Heightfield {
    let cell = 1.0;
    Recipe::named("fbm", size as f64 * cell).unwrap_or_default().build(size, size, cell, 1)
}

fn measure(preset: &'static str, size: usize, threads: usize, bandwidth: f64) -> Result<Row, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::run)?;
    pool.install(|| {
        let ground = hills(size);
        let params = Params::preset(preset).unwrap_or_default();
        let middle = size as f64 / 2.0;
        let mut weather = Weather::raining(1.0e-3);
        weather.sources.push(Source { at: [middle, middle], rate: 1.0, radius: 5.0, when: Window::ALWAYS });
        let mut pipes = Pipes::new(&ground, &params, &weather).map_err(Failure::run)?;
        let steps = (WORK / (size * size)).next_multiple_of(16) as u64;
        pipes.advance(16).map_err(Failure::run)?;
        let seconds = best(|| pipes.advance(steps).map(drop).map_err(Failure::run))?;
        let throughput = (size * size) as f64 * steps as f64 / seconds;

        // The plain program is slow: a few steps tell its speed.
        let reference_ratio = if preset == "thalweg" || threads > 1 {
            None
        } else {
            let mut plain = Reference::new(ground.height.clone(), 1.0, params.dt.unwrap_or(0.01), &params);
            let inflow = Grid2::filled(size, size, 1.0e-3);
            let few = (4_usize << 20).div_ceil(size * size) as u64;
            let seconds = best(|| {
                (0..few).for_each(|_| plain.step(&inflow));
                Ok(())
            })?;
            Some(throughput / ((size * size) as f64 * few as f64 / seconds))
        };
        let bytes = pipes.bytes_per_cell();
        Ok(Row {
            solver: "pipes",
            case: preset,
            size: format!("{size}x{size}"),
            threads,
            backend: "cpu",
            throughput,
            unit: "cells*steps/s",
            reference_ratio,
            bytes_per_item: bytes,
            roofline_share: throughput * 2.0 * bytes as f64 / bandwidth,
            stages_ms: BTreeMap::from([("step", seconds * 1.0e3 / steps as f64)]),
        })
    })
}

fn best(mut work: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let clock = Instant::now();
        work()?;
        best = best.min(clock.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Copies arrays far larger than the caches.
fn copy_bandwidth(threads: usize) -> Result<f64, Failure> {
    const VALUES: usize = 32 << 20;
    let from = vec![1.0_f32; VALUES];
    let mut to = vec![0.0_f32; VALUES];
    let seconds = best(|| {
        std::thread::scope(|scope| {
            let part = VALUES.div_ceil(threads);
            for (to, from) in to.chunks_mut(part).zip(from.chunks(part)) {
                scope.spawn(move || black_box(to).copy_from_slice(black_box(from)));
            }
        });
        Ok(())
    })?;
    Ok(2.0 * (VALUES * size_of::<f32>()) as f64 / seconds / 1.0e9)
}
