//! How fast particle water is, beside the tables of the documents.

mod dam;

use super::{Case, Machine, Row};
use crate::Failure;
use std::collections::BTreeMap;
use std::time::Instant;
use thalweg::coupling::{Params, ParticleWater, Setting};
use thalweg::field::{Frame, Grid2, Heightfield, Pool, Top};
use thalweg::sph::reference::{Plain, Point};
use thalweg::sph::{Fluid, PressureSolver};

/// Repeats of a measurement; the best counts.
const REPEATS: usize = 5;
/// Particles times steps in one repeat; in a step of rounds there is some thirty times as much to do.
const WORK: usize = 2 << 20;
const WORK_IN_ROUNDS: usize = WORK / 32;
const SIZES: [usize; 5] = [10_000, 50_000, 100_000, 200_000, 650_000];

/// Frames per second that the documents print: Kataev 2022, tables 6.1 and 6.2 (eight cores), and Krištof et al. 2009,
/// table 1 (four cores), by the number of particles.
const PRINTED_WATER: [(usize, f64); 3] = [(10_000, 36.2), (50_000, 6.1), (100_000, 3.5)];
const PRINTED_EROSION: [(usize, f64); 5] =
    [(10_000, 6.1), (50_000, 1.3), (100_000, 0.7), (200_000, 0.4), (650_000, 1.0 / 4.5)];

/// What is measured of the default solver: water alone, water that exchanges sediment as by default, and in every step.
const KINDS: [&str; 3] = ["water", "erosion", "erosion-each-step"];
/// Particles with which the solvers that work in rounds are measured.
const SIZES_IN_ROUNDS: [usize; 3] = [10_000, 50_000, 200_000];
/// What they are measured with: their default; 0.1 % of the density; and that with a reach of two spacings, which has 25 to 35 neighbours as in
/// other programs.
const SETTINGS: [(&str, Option<f64>, Option<f64>); 3] =
    [("water", None, None), ("water-0.1%", Some(1.0e-3), None), ("water-0.1%-near", Some(1.0e-3), Some(2.0))];
/// So many particles have their neighbours counted, about.
const COUNTED: usize = 500;

/// What water is made of.
#[derive(Clone, Copy)]
struct Kind {
    solver: &'static str,
    pressure: PressureSolver,
    /// Instead of the defaults `[-]`: how much the density may change in a step, and the reach in spacings.
    tolerance: Option<f64>,
    reach: Option<f64>,
    case: &'static str,
}

/// Every kind at every size, on one thread and on all; then a dam that breaks, by each solver.
pub(super) fn cases() -> Vec<Case> {
    let weakly = KINDS.map(|case| Kind {
        solver: "sph",
        pressure: PressureSolver::Wcsph,
        tolerance: None,
        reach: None,
        case,
    });
    let rounds = [("pcisph", PressureSolver::Pcisph), ("dfsph", PressureSolver::Dfsph)];
    let rounds = rounds.into_iter().flat_map(|(solver, pressure)| {
        SETTINGS.map(|(case, tolerance, reach)| Kind { solver, pressure, tolerance, reach, case })
    });
    let both = |kind: Kind, size: usize| Case {
        name: format!("{}/{}/{size}", kind.solver, kind.case),
        run: Box::new(move |machine: &Machine| {
            let threads = if machine.cores > 1 { vec![1, machine.cores] } else { vec![1] };
            threads.into_iter().map(|n| measure(kind, size, n)).collect()
        }),
    };
    let weakly = weakly.into_iter().flat_map(|kind| SIZES.map(|size| both(kind, size)));
    let rounds = rounds.flat_map(|kind| SIZES_IN_ROUNDS.map(|size| both(kind, size)));
    weakly.chain(rounds).chain(dam::cases()).collect()
}

/// Muddy water in a tank with a rough bed, sloshing: boundary particles on all sides take part.
fn tank(
    Kind { pressure, tolerance, reach, case: kind, .. }: Kind,
    size: usize,
) -> Result<ParticleWater, Failure> {
    let mut params = Params::default();
    params.fluid.pressure = pressure;
    params.fluid.tolerance = tolerance.unwrap_or(params.fluid.tolerance);
    let spacing = params.fluid.spacing;
    params.fluid.radius = reach.map(|reach| reach * spacing);
    // Twice as long as wide, half as deep.
    let wide = (size as f64).cbrt().round();
    let (long, deep) = ((2.0 * wide) as usize, (size as f64 / (2.0 * wide * wide)).round());
    let cell = 2.0 * spacing;
    let rough = |col: usize, row: usize| 0.3 * spacing as f32 * ((col * 7 + row * 13) % 5) as f32;
    let [cols, rows] = [long, wide as usize].map(|n| n / 2 + 1);
    let ground = Heightfield { height: Grid2::from_fn(cols, rows, rough), frame: Frame::with_cell(cell) };
    params.erosion.enabled = kind.starts_with("erosion");
    params.erosion.every = if kind == "erosion-each-step" { 1 } else { params.erosion.every };
    params.fluid.max_particles = 2 * size as u32;
    let pool = Pool {
        from: [0.0; 2],
        to: [1.0e9; 2],
        bottom: None,
        top: Top::Level(deep * spacing + 0.6 * spacing),
        velocity: [1.0, 0.3, 0.0],
        sediment: if params.erosion.enabled { 0.05 } else { 0.0 },
        lifetime: None,
    };
    let setting = Setting { water: vec![pool], ..Setting::default() };
    ParticleWater::new(&ground, &params, &setting).map_err(Failure::run)
}

fn measure(kind: Kind, size: usize, threads: usize) -> Result<Row, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::run)?;
    pool.install(|| {
        let mut torrent = tank(kind, size)?;
        let count = torrent.particle_count();
        let work = if kind.pressure.is_incompressible() { WORK_IN_ROUNDS } else { WORK };
        // Seeding comes every eighth step, sediment every fourth.
        let steps = (work / count).max(1).next_multiple_of(8) as u64;
        torrent.advance(16).map_err(Failure::run)?;
        let (mut fastest, mut stages_ms) = (f64::INFINITY, BTreeMap::new());
        let (rounds, taken) = (torrent.fluid().rounds_taken().rounds, torrent.steps_taken());
        for _ in 0..REPEATS {
            let mut stages: BTreeMap<&'static str, f64> = BTreeMap::new();
            let begin = Instant::now();
            let mut clock = begin;
            let mut note = |stage: &'static str| {
                *stages.entry(stage).or_default() += clock.elapsed().as_secs_f64() * 1.0e3 / steps as f64;
                clock = Instant::now();
            };
            torrent.advance_watched(steps, &mut note).map_err(Failure::run)?;
            let seconds = begin.elapsed().as_secs_f64();
            if seconds < fastest {
                (fastest, stages_ms) = (seconds, stages);
            }
        }
        let throughput = count as f64 * steps as f64 / fastest;
        let rounds =
            (torrent.fluid().rounds_taken().rounds - rounds) as f64 / (torrent.steps_taken() - taken) as f64;
        let erodes = torrent.params().erosion.enabled;
        let alike = !kind.pressure.is_incompressible() && !erodes && threads == 1;
        let plain = if alike { Some(plain_speed(torrent.fluid())) } else { None };
        let printed: &[(usize, f64)] = if erodes { &PRINTED_EROSION } else { &PRINTED_WATER };
        Ok(Row {
            solver: kind.solver,
            case: kind.case.into(),
            size: count.to_string(),
            threads,
            backend: "cpu".into(),
            throughput,
            unit: "particles*steps/s",
            reference_ratio: plain.map(|plain| throughput / plain),
            bytes_per_item: ParticleWater::bytes_per_particle(erodes) as usize,
            roofline_share: None,
            stages_ms,
            frames_per_s: Some(throughput / count as f64),
            printed_frames_per_s: printed.iter().find(|(n, _)| *n == size).map(|(_, fps)| *fps),
            neighbours: Some(neighbours(torrent.fluid())),
            rounds: kind.pressure.is_incompressible().then_some(rounds),
            ..Row::default()
        })
    })
}

/// Particles within reach of one of the fluid, on average over some of them.
fn neighbours(fluid: &Fluid) -> f64 {
    let (particles, reach) = (fluid.particles(), fluid.params().smoothing_radius() as f32);
    let place = |i: usize| [0, 1, 2].map(|axis: usize| particles.position[axis][i]);
    let near = |a: [f32; 3], b: [f32; 3]| {
        (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>() < reach * reach
    };
    let every = (fluid.len() / COUNTED).max(1);
    let looked: Vec<usize> =
        (0..particles.len()).filter(|&i| !particles.is_boundary(i)).step_by(every).collect();
    let around = |&i: &usize| (0..particles.len()).filter(|&j| j != i && near(place(i), place(j))).count();
    looked.iter().map(around).sum::<usize>() as f64 / looked.len().max(1) as f64
}

/// Particles times steps per second of the plain program, on the same particles; one round of forces is nearly a step.
fn plain_speed(fluid: &Fluid) -> f64 {
    let points = Point::all(fluid.particles());
    let clock = Instant::now();
    let plain = Plain::new(fluid.params(), fluid.constants().sound_speed.into(), &points);
    std::hint::black_box(plain.accelerations());
    fluid.len() as f64 / clock.elapsed().as_secs_f64()
}
