//! How fast files of heights are written and read.

use super::{Case, Machine, Row, best};
use crate::Failure;
use std::collections::BTreeMap;
use std::hint::black_box;
use thalweg::io::{ReadOptions, WriteOptions, read_heightfield, write_heightfield};
use thalweg::terrain::Recipe;

/// Repeats of a measurement; the best counts.
const REPEATS: usize = 3;
const SIZE: usize = 4096;
const CELL: f64 = 5.0;

/// Files by their names.
const FORMATS: [(&str, &str); 4] =
    [("png16", "a.png"), ("exr", "a.exr"), ("tiff", "a.tif"), ("r16", "a.r16")];

/// Every format, on one thread and on all.
pub(super) fn cases() -> Vec<Case> {
    let case = |(name, file): (&'static str, &'static str)| Case {
        name: format!("io/{name}/{SIZE}"),
        run: Box::new(move |machine: &Machine| {
            let threads = if machine.cores > 1 { vec![1, machine.cores] } else { vec![1] };
            let mut rows = Vec::new();
            for n in threads {
                rows.extend(measure(name, file, n)?);
            }
            Ok(rows)
        }),
    };
    FORMATS.map(case).into()
}

/// Writing and reading, in bytes of heights per second, and how long copying them in memory takes. EXR is packed by all threads
/// whatever the number of threads here.
fn measure(name: &'static str, file: &str, threads: usize) -> Result<[Row; 2], Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::run)?;
    pool.install(|| {
        let ground = Recipe::named("fbm", SIZE as f64 * CELL).unwrap_or_default().build(SIZE, SIZE, CELL, 1);
        let bytes = (SIZE * SIZE * size_of::<f32>()) as f64;
        let mut copy = vec![0.0_f32; SIZE * SIZE];
        let plain = best(REPEATS, || {
            black_box(&mut copy).copy_from_slice(black_box(ground.height.values()));
            Ok(())
        })?;
        let folder = tempfile::tempdir().map_err(Failure::run)?;
        let path = folder.path().join(file);
        let write = best(REPEATS, || Ok(write_heightfield(&path, &ground, &WriteOptions::default())?))?;
        let length = path.metadata().map_err(Failure::run)?.len();
        let read = best(REPEATS, || {
            let read = read_heightfield(&path, &ReadOptions::default()).map_err(Failure::run)?;
            black_box(read);
            Ok(())
        })?;
        Ok([("write", write), ("read", read)].map(|(what, seconds)| Row {
            solver: "io",
            case: format!("{name}/{what}"),
            size: format!("{SIZE}x{SIZE}"),
            threads,
            backend: "cpu".into(),
            throughput: bytes / seconds,
            unit: "bytes of heights/s",
            // What a copy in memory takes stands beside it, among the stages.
            reference_ratio: None,
            bytes_per_item: (length as f64 / (SIZE * SIZE) as f64).round() as usize,
            stages_ms: BTreeMap::from([(what, seconds * 1.0e3), ("memory copy", plain * 1.0e3)]),
            ..Row::default()
        }))
    })
}
