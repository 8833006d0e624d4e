//! The stream that the books are kept of.

use super::setup::{ground, still_water};
use thalweg_coupling::{BedParams, Emitter, ErosionParams, Params, Setting, Shape};
use thalweg_field::random::Key;
use thalweg_field::{Edge, Edges, Heightfield, Pool, Top};

/// A stream down rough ground that it erodes: a muddy source, a clear one whose water does not last, open ends.
pub fn eroding_stream() -> (Heightfield, Params, Setting) {
    let (cols, rows) = (31, 15);
    let ground = ground(cols, rows, 0.1, |col, row| {
        let bump = 0.04 * Key::new(3).with((row * cols + col) as u64).unit();
        0.02 * (cols - col) as f64 + 0.01 * (row as f64 - 7.0).powi(2) + bump
    });
    let params = Params {
        erosion: ErosionParams {
            critical_shear: Some(1.0),
            strength: Some(1.0),
            grain_radius: Some(20.0e-6),
            ..ErosionParams::default()
        },
        bed: BedParams { friction: Some(1.0), ..BedParams::default() },
        ..Params::default()
    };
    let disc = Shape::Disc { at: [0.3, 0.75, 1.0], radius: 0.16 };
    let emitter = Emitter { sediment: 0.01, ..Emitter::new(disc, [1.5, 0.0, -0.5]) };
    let shape = Shape::Line { from: [0.5, 0.5, 1.1], to: [0.5, 1.0, 1.1] };
    let short = Emitter { shape, sediment: 0.0, lifetime: Some(0.8), ..emitter.clone() };
    let water = still_water([0.4, 0.5], [2.9, 0.9], None, Top::Depth(0.12));
    let pool = Pool { sediment: 0.02, velocity: [1.5, 0.0, 0.0], ..water };
    let setting = Setting {
        water: vec![pool],
        emitters: vec![emitter, short],
        edges: Edges { east: Edge::Open, west: Edge::Open, ..Edges::default() },
        ..Setting::default()
    };
    (ground, params, setting)
}
