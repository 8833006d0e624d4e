//! Any bytes are particles or a mesh, or are refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg::io::{read_mesh, read_obj, read_ply};

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.ply", "a.obj", "a.stl", "a.glb"] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        let _ = read_ply(&path, 16 << 20);
        let _ = read_obj(&path, 16 << 20);
        let _ = read_mesh(&path, 16 << 20);
    }
});
