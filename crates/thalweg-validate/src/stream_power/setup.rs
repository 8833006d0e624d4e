//! Ground and laws that several cases share.

use thalweg_erosion::stream_power::{Land, Params};
use thalweg_field::random::Key;
use thalweg_field::units::YEAR;
use thalweg_field::{Edge, Edges, Frame, Grid2, Heightfield};

/// A thousand years `[s]`.
pub(super) const KYR: f64 = 1.0e3 * YEAR;

/// Rivers alone, by the plain law: no creep, no deposition, the same rock everywhere.
pub(super) fn rivers_alone() -> Params {
    Params { creep: 0.0, ..Params::preset("braun-2013").unwrap_or_default() }
}

/// Creep alone.
pub(super) fn creep_alone() -> Params {
    Params { erodibility: 0.0, deposition: 0.0, ..rivers_alone() }
}

/// Three rows that drain to the west, falling gently.
pub(super) fn ramp(cols: usize, cell: f64) -> Heightfield {
    Heightfield {
        height: Grid2::from_fn(cols, 3, |col, _| 0.01 * (col as f64 * cell) as f32),
        frame: Frame::with_cell(cell),
    }
}

/// Water leaves to the west alone.
pub(super) fn open_west() -> Land {
    Land { edges: Edges { west: Edge::Open, ..Edges::default() }, ..Land::default() }
}

/// Rough low ground, the same at any resolution: bumps of 800 m and less.
pub(super) fn rough(cells: usize, extent: f64) -> Heightfield {
    let cell = extent / cells as f64;
    let key = Key::new(11);
    let corner = |col: f64, row: f64, octave: u64| {
        key.with(octave).with(col as i64 as u64).with(row as i64 as u64).unit()
    };
    let bump = |x: f64, y: f64, octave: u64| {
        let (col, row) = (x.floor(), y.floor());
        let [u, v] = [x - col, y - row].map(|t| t * t * (3.0 - 2.0 * t));
        let along = |row: f64| corner(col, row, octave) * (1.0 - u) + corner(col + 1.0, row, octave) * u;
        along(row) * (1.0 - v) + along(row + 1.0) * v
    };
    let height = |col: usize, row: usize| {
        let [x, y] = [col, row].map(|at| (at as f64 + 0.5) * cell / 800.0);
        let sum: f64 = (0..4)
            .map(|i| bump(x * f64::powi(2.0, i), y * f64::powi(2.0, i), i as u64) / f64::powi(2.0, i))
            .sum();
        (40.0 * sum) as f32
    };
    Heightfield { height: Grid2::from_fn(cells, cells, height), frame: Frame::with_cell(cell) }
}
