//! Any line is a command or is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg::run::Command;

fuzz_target!(|line: &str| {
    let _ = line.parse::<Command>();
});
