//! One dam that breaks, by each solver: how much of its time a second of computing gives, and how well the water keeps its volume.

use super::super::{Case, Machine, Row};
use crate::Failure;
use std::time::Instant;
use thalweg::coupling::{Params, ParticleWater, Setting};
use thalweg::field::{Frame, Grid2, Heightfield, Pool, Top};
use thalweg::sph::PressureSolver;
use thalweg::sph::kernel::{Kernel, Wendland, lattice_sum};

/// Side of the column, and the tank: its length and width `[m]`.
const COLUMN: f64 = 1.0;
const TANK: [f64; 2] = [3.0, 0.5];
const SPACING: f64 = 0.05;
/// How long it is watched `[s]`: until the front has gone over the bed.
const DURATION: f64 = 0.5;

/// All solvers, on one thread.
pub(super) fn cases() -> impl Iterator<Item = Case> {
    let solvers = [
        ("wcsph", PressureSolver::Wcsph),
        ("pcisph", PressureSolver::Pcisph),
        ("dfsph", PressureSolver::Dfsph),
    ];
    solvers.into_iter().map(|(name, pressure)| Case {
        name: format!("dam/{name}"),
        run: Box::new(move |_: &Machine| Ok(vec![measure(name, pressure)?])),
    })
}

fn measure(name: &str, pressure: PressureSolver) -> Result<Row, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(Failure::run)?;
    pool.install(|| {
        let mut water = dam(pressure)?;
        let count = water.particle_count();
        let clock = Instant::now();
        let mut steps = 0;
        while water.time() < DURATION {
            water.advance(1).map_err(Failure::run)?;
            steps += 1;
        }
        let seconds = clock.elapsed().as_secs_f64();
        Ok(Row {
            solver: "dam",
            case: name.into(),
            size: count.to_string(),
            threads: 1,
            backend: "cpu".into(),
            throughput: (count * steps) as f64 / seconds,
            unit: "particles*steps/s",
            bytes_per_item: ParticleWater::bytes_per_particle(false) as usize,
            simulated_per_s: Some(water.time() / seconds),
            density_error: Some(density_error(&water)),
            ..Row::default()
        })
    })
}

/// Water held by nothing on flat ground.
fn dam(pressure: PressureSolver) -> Result<ParticleWater, Failure> {
    let cell = 2.0 * SPACING;
    let [cols, rows] = TANK.map(|side| (side / cell).round() as usize + 1);
    let ground =
        Heightfield { height: Grid2::from_fn(cols, rows, |_, _| 0.0), frame: Frame::with_cell(cell) };
    let mut params = Params::default();
    params.erosion.enabled = false;
    (params.fluid.pressure, params.fluid.spacing) = (pressure, SPACING);
    let pool = Pool {
        from: [0.0; 2],
        to: [0.5 * cell + COLUMN, 1.0e9],
        bottom: None,
        top: Top::Level(COLUMN),
        velocity: [0.0; 3],
        sediment: 0.0,
        lifetime: None,
    };
    let setting = Setting { water: vec![pool], ..Setting::default() };
    ParticleWater::new(&ground, &params, &setting).map_err(Failure::run)
}

/// By how much water stands closer in the end than on its lattice, on average: summed up over all pairs, whatever the solver believes.
fn density_error(water: &ParticleWater) -> f64 {
    let params = water.fluid().params();
    let (h, spacing) = (params.smoothing_radius(), params.spacing);
    let kernel = Wendland(h);
    let at_rest = params.density * lattice_sum(spacing, h, |r| spacing.powi(3) * kernel.value(r));
    let particles = water.fluid().particles();
    let place = |i: usize| [0, 1, 2].map(|axis: usize| f64::from(particles.position[axis][i]));
    let density = |i: usize| {
        let here = place(i);
        let weight = |j: usize| {
            let there = place(j);
            let r = (0..3).map(|axis| (here[axis] - there[axis]).powi(2)).sum::<f64>().sqrt();
            if r < h { f64::from(particles.mass[j]) * kernel.value(r) } else { 0.0 }
        };
        (0..particles.len()).map(weight).sum::<f64>()
    };
    let fluid: Vec<usize> = (0..particles.len()).filter(|&i| !particles.is_boundary(i)).collect();
    fluid.iter().map(|&i| (density(i) / at_rest - 1.0).max(0.0)).sum::<f64>() / fluid.len() as f64
}
