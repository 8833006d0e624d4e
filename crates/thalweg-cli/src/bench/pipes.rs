//! How fast the pipe solver is.

use super::{Case, Machine, Row, best};
use crate::Failure;
use std::collections::BTreeMap;
use thalweg::erosion::pipes::reference::Reference;
use thalweg::erosion::pipes::{Params, Pipes, Source, Weather};
use thalweg::field::{Grid2, Heightfield, Window};
use thalweg::terrain::Recipe;

/// Repeats of a measurement; the best counts.
const REPEATS: usize = 9;
/// Cells times steps in one repeat.
const WORK: usize = 48 << 20;
const SIZES: [usize; 5] = [256, 512, 1024, 2048, 4096];

/// Every preset at every size, on one thread and on all.
pub(super) fn cases() -> Vec<Case> {
    let all = Params::PRESETS.iter().flat_map(|(preset, _)| SIZES.map(|size| (*preset, size)));
    all.map(|(preset, size)| Case {
        name: format!("pipes/{preset}/{size}"),
        run: Box::new(move |machine: &Machine| {
            let threads = if machine.cores > 1 { vec![1, machine.cores] } else { vec![1] };
            let bandwidth = |threads: usize| machine.copy_gb_per_s[usize::from(threads > 1)] * 1.0e9;
            threads.into_iter().map(|n| measure(preset, size, n, bandwidth(n))).collect()
        }),
    })
    .collect()
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
        let seconds = best(REPEATS, || pipes.advance(steps).map(drop).map_err(Failure::run))?;
        let throughput = (size * size) as f64 * steps as f64 / seconds;

        // The plain program is slow: a few steps tell its speed.
        let reference_ratio = if preset == "thalweg" || threads > 1 {
            None
        } else {
            let mut plain = Reference::new(ground.height.clone(), 1.0, params.dt.unwrap_or(0.01), &params);
            let inflow = Grid2::filled(size, size, 1.0e-3);
            let few = (4_usize << 20).div_ceil(size * size) as u64;
            let seconds = best(REPEATS, || {
                (0..few).for_each(|_| plain.step(&inflow));
                Ok(())
            })?;
            Some(throughput / ((size * size) as f64 * few as f64 / seconds))
        };
        let bytes = pipes.bytes_per_cell();
        Ok(Row {
            solver: "pipes",
            case: preset.into(),
            size: format!("{size}x{size}"),
            threads,
            backend: "cpu".into(),
            throughput,
            unit: "cells*steps/s",
            reference_ratio,
            bytes_per_item: bytes,
            roofline_share: Some(throughput * 2.0 * bytes as f64 / bandwidth),
            stages_ms: BTreeMap::from([("step", seconds * 1.0e3 / steps as f64)]),
            ..Row::default()
        })
    })
}
