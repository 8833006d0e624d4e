//! `thalweg bench`: throughput, beside what the memory allows and what a plain program does.

mod io;
mod pipes;
mod render;
mod sph;
mod stream_power;
mod volume;
mod waves;

use crate::Failure;
use crate::args::CasesArgs;
use crate::print::answer;
use serde::Serialize;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

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
#[derive(Default, Serialize)]
struct Row {
    solver: &'static str,
    case: String,
    size: String,
    threads: usize,
    backend: String,
    /// Items times steps, or frames, per second.
    throughput: f64,
    unit: &'static str,
    /// Speed-up over the plain reference in the same run; only where both compute the same.
    reference_ratio: Option<f64>,
    bytes_per_item: usize,
    /// Share of what the memory would allow if every step read and wrote the state once.
    roofline_share: Option<f64>,
    stages_ms: BTreeMap<&'static str, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames_per_s: Option<f64>,
    /// What the source document prints for as many particles.
    #[serde(skip_serializing_if = "Option::is_none")]
    printed_frames_per_s: Option<f64>,
    /// Seconds of the water's time for each second of computing.
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated_per_s: Option<f64>,
    /// By how much the density is off, on average over particles and steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    density_error: Option<f64>,
    /// Particles within reach of one of the fluid, on average, itself not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    neighbours: Option<f64>,
    /// Rounds in a step of methods that take any, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<f64>,
    /// Speed of water on a volume as a share of that of the same water on heights.
    #[serde(skip_serializing_if = "Option::is_none")]
    heights_ratio: Option<f64>,
}

type Measure = dyn Fn(&Machine) -> Result<Vec<Row>, Failure>;

/// Something to measure.
struct Case {
    /// Such as `pipes/mei-2007/512`.
    name: String,
    run: Box<Measure>,
}

/// Runs the cases asked for: `pipes`, `pipes/mei-2007`, `render/terrain/1024`, ...
pub(crate) fn bench(args: &CasesArgs) -> Result<(), Failure> {
    let cases: Vec<Case> = pipes::cases()
        .into_iter()
        .chain(sph::cases())
        .chain(stream_power::cases())
        .chain(volume::cases())
        .chain(waves::cases())
        .chain(render::cases())
        .chain(io::cases())
        .collect();
    let asked = |case: &&Case| {
        let below = |asked: &String| case.name == *asked || case.name.starts_with(&format!("{asked}/"));
        args.cases.is_empty() || args.cases.iter().any(below)
    };
    let chosen: Vec<_> = cases.iter().filter(asked).collect();
    if chosen.is_empty() {
        let names = cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>().join(", ");
        let message = format!(
            "there is no such case; choose from pipes, sph, pcisph, dfsph, dam, stream-power, volume, waves, render, io, {names}"
        );
        return Err(Failure::usage(message));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let machine = Machine { cores, copy_gb_per_s: [copy_bandwidth(1)?, copy_bandwidth(cores)?] };
    if !args.json {
        let [one, all] = machine.copy_gb_per_s;
        say!("{cores} cores; memory copies at {one:.1} GB/s on one thread, {all:.1} GB/s on all");
        say!(
            "{:<28} {:>11} {:>7} {:>9} {:<18} {:>10} {:>8} {:>8}  stages",
            "case",
            "size",
            "threads",
            "M/s",
            "of",
            "bytes/item",
            "roofline",
            "x plain"
        );
    }
    let mut rows = Vec::new();
    for case in &chosen {
        for row in (case.run)(&machine)? {
            if !args.json {
                tell(&row);
            }
            rows.push(row);
        }
    }
    if args.json {
        answer(&Table { machine, cases: rows });
    }
    Ok(())
}

fn tell(row: &Row) {
    let ratio = row.reference_ratio.map_or("-".into(), |ratio| format!("{ratio:.1}"));
    let roofline = row.roofline_share.map_or("-".into(), |share| format!("{:.0}%", share * 100.0));
    let mut stages: Vec<_> = row.stages_ms.iter().map(|(stage, ms)| format!("{stage} {ms:.1} ms")).collect();
    stages.extend(row.frames_per_s.map(|frames| format!("{frames:.2} frames/s")));
    stages.extend(row.printed_frames_per_s.map(|frames| format!("printed {frames:.2}")));
    stages.extend(row.simulated_per_s.map(|ratio| format!("{ratio:.3} simulated s/s")));
    stages.extend(row.density_error.map(|error| format!("density {:.3} % off", 100.0 * error)));
    stages.extend(row.neighbours.map(|count| format!("{count:.1} neighbours")));
    stages.extend(row.rounds.map(|rounds| format!("{rounds:.1} rounds")));
    stages.extend(row.heights_ratio.map(|ratio| format!("{:.0} % of the speed on heights", 100.0 * ratio)));
    let millions = row.throughput / 1.0e6;
    let digits = if millions < 10.0 { 2 } else { 1 };
    say!(
        "{:<28} {:>11} {:>7} {:>9.digits$} {:<18} {:>10} {:>8} {:>8}  {}",
        format!("{}/{}", row.solver, row.case),
        row.size,
        row.threads,
        millions,
        row.unit,
        row.bytes_per_item,
        roofline,
        ratio,
        stages.join(", ")
    );
}

/// The shortest of several repeats `[s]`.
fn best(repeats: usize, mut work: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
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
    let seconds = best(9, || {
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
