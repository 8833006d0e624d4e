//! Particle water: pools, parameters, an eroding stream, the bits of a state, and books that close.

use thalweg_coupling::{ErosionParams, Params, ParticleWater, Saved};
use thalweg_field::{Pool, Top};
pub use thalweg_validate::eroding_stream as stream;

/// Clear water at rest on the bed.
pub fn still_water(from: [f64; 2], to: [f64; 2], depth: f64) -> Pool {
    let top = Top::Depth(depth);
    Pool { from, to, bottom: None, top, velocity: [0.0; 3], sediment: 0.0, lifetime: None }
}

/// Water alone.
pub fn clear() -> Params {
    let erosion = ErosionParams { enabled: false, ..ErosionParams::default() };
    Params { erosion, ..Params::default() }
}

/// Where the particles of the water are `[m]`.
pub fn water(torrent: &ParticleWater) -> impl Iterator<Item = [f32; 3]> + '_ {
    let particles = torrent.fluid().particles();
    (0..particles.len()).filter(|&i| !particles.is_boundary(i)).map(|i| particles.get(i).position)
}

/// What came is there or gone, water and grains.
pub fn books_close(torrent: &ParticleWater) {
    let ledger = torrent.ledger();
    let (water, solids) = (ledger.water, ledger.solids);
    let (missing, moved) = (torrent.missing_grains(), solids.eroded + solids.added);
    assert!(missing.abs() <= 1.0e-9 * moved, "{missing:e} of {moved:e} m³ of grains moved are missing");
    let came = water.start + water.added;
    let missing = came - water.exported - water.end;
    assert!(missing.abs() <= 1.0e-9 * came, "{missing:e} of {came:e} m³ of water are missing");
}

/// A saved state, bit by bit.
pub fn bits(saved: &Saved) -> Vec<u64> {
    let doubles = saved.numbers.iter().chain(&saved.doubles).map(|v| v.to_bits());
    let floats = saved.floats.iter().map(|v| u64::from(v.to_bits()));
    let tags = saved.tags.iter().map(|&tag| u64::from(tag));
    [saved.step].into_iter().chain(doubles).chain(floats).chain(tags).collect()
}
