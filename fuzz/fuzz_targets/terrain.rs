//! Any bytes are a terrain or are refused; the first byte chooses the format that they claim to have.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg::io::{ReadOptions, estimate, read_heightfield, read_map, read_png_description, read_png_rgb, survey};

const NAMES: [&str; 10] =
    ["a.png", "a.tif", "a.exr", "a.r16", "a.raw", "a.r32", "a.asc", "N34W119.hgt", "a.npy", "a.pfm"];

fuzz_target!(|bytes: &[u8]| {
    let Some((&format, bytes)) = bytes.split_first() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(NAMES[usize::from(format) % NAMES.len()]);
    std::fs::write(&path, bytes).expect("a file");
    let options = ReadOptions { max_bytes: 16 << 20, ..ReadOptions::default() };
    let size = estimate(&path, &options);
    let refused = size.is_err();
    if let Ok(terrain) = read_heightfield(&path, &options) {
        let size = size.expect("what can be read can be measured");
        assert_eq!([size.cols, size.rows], [terrain.field.height.cols(), terrain.field.height.rows()]);
        assert!(terrain.field.height.values().iter().all(|height| height.is_finite()));
    }
    let given = ReadOptions { cell: Some(5.0), band: Some("1".into()), utm: refused, ..options.clone() };
    let _ = read_heightfield(&path, &given);
    let _ = survey(&path, &options);
    let _ = read_map(&path, 16 << 20);
    let _ = read_png_description(&path);
    let _ = read_png_rgb(&path, 16 << 20);
});
