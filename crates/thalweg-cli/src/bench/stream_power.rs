//! How fast stream power is.

use super::{Case, Machine, Row, best};
use crate::Failure;
use std::collections::BTreeMap;
use thalweg::erosion::stream_power::reference::Reference;
use thalweg::erosion::stream_power::{Land, Params, StreamPower};
use thalweg::field::Heightfield;
use thalweg::terrain::Recipe;

/// Repeats of a measurement; the best counts.
const REPEATS: usize = 7;
const SIZES: [usize; 4] = [256, 512, 1024, 2048];
const CELL: f64 = 20.0;
/// Steps before anything is measured: by then most hollows of the noise have drained.
const WARM: u64 = 40;

/// Every preset at every size, on one thread and on all.
pub(super) fn cases() -> Vec<Case> {
    let all = Params::PRESETS.iter().flat_map(|(preset, _)| SIZES.map(|size| (*preset, size)));
    all.map(|(preset, size)| Case {
        name: format!("stream-power/{preset}/{size}"),
        run: Box::new(move |machine: &Machine| {
            let threads = if machine.cores > 1 { vec![1, machine.cores] } else { vec![1] };
            threads.into_iter().map(|n| measure(preset, size, n)).collect()
        }),
    })
    .collect()
}

fn hills(size: usize) -> Heightfield {
    Recipe::named("fbm", size as f64 * CELL).unwrap_or_default().build(size, size, CELL, 1)
}

fn measure(preset: &'static str, size: usize, threads: usize) -> Result<Row, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::run)?;
    pool.install(|| {
        let params = Params::preset(preset).unwrap_or_default();
        let mut land = StreamPower::new(&hills(size), &params, &Land::open()).map_err(Failure::run)?;
        land.advance(WARM).map_err(Failure::run)?;
        let steps = (2_usize << 20).div_ceil(size * size) as u64;
        let mut plain = Reference::new(land.ground().height.map(f64::from), CELL, &params);
        let seconds = best(REPEATS, || land.advance(steps).map_err(Failure::run))?;
        let throughput = (size * size) as f64 * steps as f64 / seconds;
        // The plain program computes this preset alone.
        let reference_ratio = if preset == "braun-2013" && threads == 1 {
            let seconds = best(3, || {
                plain.step(params.step);
                Ok(())
            })?;
            Some(throughput / ((size * size) as f64 / seconds))
        } else {
            None
        };
        Ok(Row {
            solver: "stream-power",
            case: preset.into(),
            size: format!("{size}x{size}"),
            threads,
            backend: "cpu".into(),
            throughput,
            unit: "cells*steps/s",
            reference_ratio,
            bytes_per_item: StreamPower::BYTES_PER_CELL,
            stages_ms: BTreeMap::from([("step", seconds * 1.0e3 / steps as f64)]),
            ..Row::default()
        })
    })
}
