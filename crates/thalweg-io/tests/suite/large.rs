//! Terrain that is larger than the memory it may take. Run alone, in release: `cargo test --release -p thalweg-io --test suite --
//! --ignored large --test-threads 1`; it needs 3 GB on the disk.

use std::io::Write;
use std::path::Path;
use thalweg_io::{ReadOptions, WriteOptions, copy_by_rows, survey};

/// Cells along each side: with floats a gigabyte.
const SIDE: usize = 16384;

/// Memory that all of it may take [byte].
const MOST: u64 = 1 << 30;

/// Most memory that this program has had [byte], where the system tells it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

fn convert(from: &Path, to: &Path) {
    // Less than the heights alone would take.
    let options = ReadOptions { max_bytes: 768 << 20, ..ReadOptions::default() };
    let surveyed = survey(from, &options).unwrap().expect("it comes row by row");
    assert_eq!([surveyed.cols, surveyed.rows], [SIDE, SIDE]);
    copy_by_rows(from, &options, &surveyed, to, &WriteOptions::default()).unwrap();
}

#[test]
#[ignore = "3 GB on the disk and a minute; see above"]
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
    let [tif, png] = ["a.tif", "a.png"].map(|name| folder.path().join(name));
    convert(&raw, &tif);
    std::fs::remove_file(&raw).unwrap();
    convert(&tif, &png);
    let Some(peak) = peak() else { return };
    assert!(peak < MOST, "{} MiB", peak >> 20);
    eprintln!("at most {} MiB", peak >> 20);
}
