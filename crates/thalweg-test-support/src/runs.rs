//! Scenes as text, the states that they begin with, and what these show.

use std::path::Path;
use thalweg::Session;
use thalweg::project::Project;

/// Memory for every small scene `[bytes]`.
pub const MEMORY: u64 = 1 << 30;

/// A scene that stands in a file of a folder.
pub fn project(folder: &Path, text: &str) -> Project {
    let file = folder.join("scene.toml");
    std::fs::write(&file, text).unwrap();
    Project::open(file.to_str().unwrap(), &[]).unwrap()
}

/// Steps until so many are taken or all is over, as a run does.
pub fn drive(state: &mut Session, until: u64) {
    while !state.is_over() && state.steps_taken() < until {
        state.advance(until - state.steps_taken()).unwrap();
    }
}

/// All maps of a state and the books behind them, bit by bit.
pub fn bits(state: &mut Session) -> Vec<u64> {
    let snapshot = state.snapshot();
    let fields = snapshot.fields.iter().flat_map(|field| field.values.values());
    let mut bits: Vec<u64> = fields.map(|v| u64::from(v.to_bits())).collect();
    let (water, solids) = (state.ledger().water, state.ledger().solids);
    let [shortest, longest] = state.clock().dt;
    let numbers = [snapshot.time, water.added, water.end, solids.bed_end, solids.exported, shortest, longest];
    bits.extend(numbers.map(f64::to_bits));
    bits.push(snapshot.step);
    bits
}
