//! Terrain that is larger than the memory it may take. Run alone, in release: `cargo test --release -p thalweg-io --test suite --
//! --ignored large --test-threads 1`; it needs 3 GB on the disk.

use crate::common::{in_one_strip, peak};
use std::io::Write;
use std::path::Path;
use thalweg_io::{ReadOptions, Streamed, Window, WriteOptions, survey};

/// Cells along each side: with floats a gigabyte.
const SIDE: usize = 16384;

/// Memory that all of it may take [byte].
const MOST: u64 = 1 << 30;

fn convert(from: &Path, to: &Path, part: Option<Window>) {
    // Less than the heights alone would take.
    let options = ReadOptions { max_bytes: 768 << 20, ..ReadOptions::default() };
    let surveyed = survey(from, &options).unwrap().expect("it comes row by row");
    assert_eq!([surveyed.cols, surveyed.rows], [SIDE, SIDE]);
    let streamed = Streamed { from: from.into(), options, surveyed };
    streamed.write(part.unwrap_or(streamed.whole()), to, &WriteOptions::default()).unwrap();
}

#[test]
#[ignore = "3 GB on the disk and some minutes; see above"]
fn a_terrain_of_a_gigabyte_passes_through_less_memory() {
    let folder = tempfile::tempdir().unwrap();
    let raw = folder.path().join("a.r32");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&raw).unwrap());
    for row in 0..SIDE {
        let bytes: Vec<u8> = (0..SIDE)
            .flat_map(|col| {
                let height = 2000.0 - 0.1 * row as f32 + ((col * 31 + row * 17) % 251) as f32 * 0.01;
                height.to_le_bytes()
            })
            .collect();
        file.write_all(&bytes).unwrap();
    }
    drop(file);
    let [tif, exr, png] = ["a.tif", "a.exr", "a.png"].map(|name| folder.path().join(name));
    let plain = folder.path().join("one_strip.tif");
    convert(&raw, &tif, None);
    std::fs::rename(&raw, &plain).unwrap();
    in_one_strip(&plain, [SIDE; 2]);
    for (from, to) in [(&tif, &exr), (&tif, &png), (&plain, &png)] {
        convert(from, to, None);
    }
    let tile = Window { west: SIDE / 2, north: SIDE / 2, cols: SIDE / 2, rows: SIDE / 2 };
    convert(&tif, &exr, Some(tile));
    let Some(peak) = peak() else { return };
    assert!(peak < MOST, "{} MiB", peak >> 20);
    eprintln!("at most {} MiB", peak >> 20);
}
