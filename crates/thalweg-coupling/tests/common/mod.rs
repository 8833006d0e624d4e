//! What the tests share: ground, water, and books that close.
#![allow(dead_code, reason = "each test file uses its own part")]

use thalweg_coupling::{ErosionParams, Params, Pool, Top, Torrent};
use thalweg_field::{Frame, Grid2, Heightfield};

/// Ground of vertices `cell` metres apart; `height` takes column and row from the north-west.
pub fn ground(
    cols: usize,
    rows: usize,
    cell: f64,
    height: impl Fn(usize, usize) -> f64 + Sync,
) -> Heightfield {
    Heightfield {
        height: Grid2::from_fn(cols, rows, |col, row| height(col, row) as f32),
        frame: Frame::with_cell(cell),
    }
}

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

/// Where the particles of the water are [m].
pub fn water(torrent: &Torrent) -> impl Iterator<Item = [f32; 3]> + '_ {
    let particles = torrent.fluid().particles();
    (0..particles.len()).filter(|&i| !particles.is_boundary(i)).map(|i| particles.get(i).position)
}

/// What came is there or gone, water and grains.
pub fn books_close(torrent: &Torrent) {
    let ledger = torrent.ledger();
    let (water, solids) = (ledger.water, ledger.solids);
    let (missing, moved) = (torrent.missing_grains(), solids.eroded + solids.added);
    assert!(missing.abs() <= 1.0e-9 * moved, "{missing:e} of {moved:e} m³ of grains moved are missing");
    let came = water.start + water.added;
    let missing = came - water.exported - water.end;
    assert!(missing.abs() <= 1.0e-9 * came, "{missing:e} of {came:e} m³ of water are missing");
}
