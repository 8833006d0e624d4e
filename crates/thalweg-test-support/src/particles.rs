//! Particle water: pools, parameters, an eroding stream, the bits of a state, and books that close.

use crate::ground;
use thalweg_coupling::{BedParams, Emitter, ErosionParams, Params, ParticleWater, Saved, Setting, Shape};
use thalweg_field::{Edge, Edges, Heightfield, Pool, Top, random::Key};

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

/// A stream down rough ground that it erodes: a muddy source, a clear one whose water does not last, open ends.
pub fn stream() -> (Heightfield, Params, Setting) {
    let (cols, rows) = (31, 15);
    let ground = ground(cols, rows, 0.1, |col, row| {
        let bump = 0.04 * Key::new(3).with((row * cols + col) as u64).unit();
        0.02 * (cols - col) as f64 + 0.01 * (row as f64 - 7.0).powi(2) + bump
    });
    let erosion = ErosionParams {
        critical_shear: 1.0,
        strength: 10.0,
        grain_radius: 20.0e-6,
        ..ErosionParams::default()
    };
    let emitter = Emitter {
        shape: Shape::Disc { at: [0.3, 0.75, 1.0], radius: 0.16 },
        velocity: [1.5, 0.0, -0.5],
        rate: None,
        lifetime: None,
        sediment: 0.01,
        start: 0.0,
        stop: f64::INFINITY,
    };
    let shape = Shape::Line { from: [0.5, 0.5, 1.1], to: [0.5, 1.0, 1.1] };
    let short = Emitter { shape, sediment: 0.0, lifetime: Some(0.8), ..emitter.clone() };
    let pool =
        Pool { velocity: [1.5, 0.0, 0.0], sediment: 0.02, ..still_water([0.4, 0.5], [2.9, 0.9], 0.12) };
    let setting = Setting {
        water: vec![pool],
        emitters: vec![emitter, short],
        edges: Edges { east: Edge::Open, west: Edge::Open, ..Edges::default() },
        ..Setting::default()
    };
    let bed = BedParams { friction: Some(1.0), ..BedParams::default() };
    (ground, Params { erosion, bed, ..Params::default() }, setting)
}

/// A saved state, bit by bit.
pub fn bits(saved: &Saved) -> Vec<u64> {
    let doubles = saved.numbers.iter().chain(&saved.doubles).map(|v| v.to_bits());
    let floats = saved.floats.iter().map(|v| u64::from(v.to_bits()));
    let tags = saved.tags.iter().map(|&tag| u64::from(tag));
    [saved.step].into_iter().chain(doubles).chain(floats).chain(tags).collect()
}
