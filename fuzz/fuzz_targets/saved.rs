//! Any bytes are a frame of an animation or a list of files with their times, or are refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg::io::{read_moment, read_pvd};

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    std::fs::write(&path, bytes).expect("a file");
    let _ = read_moment(&path, 16 << 20);
    let _ = read_pvd(&path);
});
