//! Whatever lies beside a picture is understood or refused: a description, a world file, a coordinate system.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use thalweg::field::{FieldInfo, Grid2, Heightfield};
use thalweg::io::{ReadOptions, WriteOptions, estimate, read_heightfield, read_map, write_heightfield};

const BESIDE: [&str; 4] = ["a.thalweg.json", "a.png.thalweg.json", "a.pgw", "a.prj"];

/// A world file in degrees, so that a coordinate system has something to say.
const DEGREES: &str = "0.01\n0\n0\n-0.01\n7.005\n46.995\n";

/// The same small terrain in every run.
fn picture(path: &Path) {
    let height = Grid2::from_fn(4, 3, |col, row| (7 * col + row) as f32);
    let frame = thalweg::field::Frame::with_cell(2.0);
    let how = WriteOptions { info: Some(FieldInfo::new("height", "m", "")), ..WriteOptions::default() };
    write_heightfield(path, &Heightfield { height, frame }, &how).expect("a terrain can be written");
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&which, bytes)) = bytes.split_first() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    // Raw numbers hear from their description alone.
    let [png, raw] = ["a.png", "a.r16"].map(|name| folder.path().join(name));
    picture(&png);
    std::fs::write(&raw, [0; 24]).expect("a file");
    let name = BESIDE[usize::from(which) % BESIDE.len()];
    if name == "a.prj" {
        std::fs::write(folder.path().join("a.pgw"), DEGREES).expect("a file");
    }
    std::fs::write(folder.path().join(name), bytes).expect("a file");
    let plain = ReadOptions { max_bytes: 16 << 20, ..ReadOptions::default() };
    for path in [&png, &raw] {
        for options in [plain.clone(), ReadOptions { utm: true, ..plain.clone() }] {
            let _ = estimate(path, &options);
            if let Ok(terrain) = read_heightfield(path, &options) {
                assert!(terrain.field.height.values().iter().all(|height| height.is_finite()));
                assert!(terrain.field.frame.cell > 0.0 && terrain.field.frame.cell.is_finite());
            }
        }
        let _ = read_map(path, 16 << 20);
    }
});
