//! Any text is a scene or is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg::project::parse;

fuzz_target!(|text: &str| {
    if let Ok(scene) = parse(text, "fuzz", &[]) {
        // What was read can be written and is read as the same.
        let written = toml::to_string(&scene).expect("a scene can be written");
        assert_eq!(parse(&written, "fuzz", &[]).expect("what was written can be read"), scene);
    }
});
