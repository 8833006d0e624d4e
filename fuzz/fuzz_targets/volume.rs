//! Any bytes are a volume or are refused, and what is read is written and read again as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg::io::{read_volume, write_volume};

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    std::fs::write(&path, bytes).expect("a file");
    if let Ok(volume) = read_volume(&path, 16 << 20) {
        assert!(volume.rock().is_finite());
        let again = folder.path().join("a.twv");
        write_volume(&again, &volume).expect("what was read can be written");
        let again = read_volume(&again, 64 << 20).expect("what was written can be read");
        assert_eq!(again.rock().to_bits(), volume.rock().to_bits());
    }
});
