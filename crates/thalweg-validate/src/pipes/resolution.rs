//! A storm over the same kilometres on cells of several widths.

use super::setup::{ground, pipes};
use crate::{Check, Checks};
use thalweg_erosion::pipes::{Params, StepError, Weather};
use thalweg_field::{Edge, Edges, Grid2, Heightfield};

/// Side of the ground `[m]`.
const SIDE: f64 = 5120.0;
const HOUR: f64 = 3600.0;
const RAIN: f64 = 60.0e-3 / HOUR;
/// How far from the outlet the river is measured `[m]`.
const ABOVE_THE_OUTLET: f64 = 520.0;
/// Water deeper than this counts as river `[m]`.
const RIVER: f32 = 1.0;

/// A valley to the south between hills with smaller valleys.
fn valley(cell: f64) -> Heightfield {
    let size = (SIDE / cell) as usize;
    ground(size, size, cell, |x, y| {
        let (across, along) = (2.0 * x / SIDE - 1.0, 2.0 * y / SIDE);
        let flank = across.abs();
        let hills = 60.0 * (y / 140.0 + 1.5 * across).sin() + 25.0 * (x / 90.0).sin() * (y / 310.0).cos();
        500.0 * flank.powf(1.3) + 120.0 * (2.0 - along) + flank * hills
    })
}

/// What a storm leaves behind on cells of one width.
struct Flood {
    /// Ground that one in a thousand columns holds more of `[m]`.
    afloat: f64,
    /// Depth that one in a thousand cells is deeper than `[m]`.
    deep: f64,
    /// Width of the river `[m]`.
    width: f64,
}

fn flood(cell: f64) -> Result<Flood, StepError> {
    let south = Edges { south: Edge::Open, ..Edges::default() };
    let weather = Weather { edges: south, ..Weather::raining(RAIN) };
    let mut pipes = pipes(&valley(cell), &Params::default(), &weather);
    pipes.end_at(Some(HOUR));
    while pipes.time() < HOUR {
        pipes.advance(64)?;
    }
    let depth = pipes.depth();
    let wet = depth.row(((SIDE - ABOVE_THE_OUTLET) / cell) as usize).iter().filter(|&&d| d > RIVER);
    Ok(Flood {
        afloat: one_in_a_thousand(pipes.afloat()),
        width: wet.count() as f64 * cell,
        deep: one_in_a_thousand(depth),
    })
}

fn one_in_a_thousand(grid: Grid2<f32>) -> f64 {
    let mut values = grid.values().to_vec();
    values.sort_by(f32::total_cmp);
    f64::from(values[(values.len() - 1) * 999 / 1000])
}

/// Channels become wider than a cell where their discharge asks for it, because their banks slip: what stands in a column does not grow as
/// cells become narrower.
pub(super) fn resolution() -> Checks {
    const SOURCE: &str = "a river does not know the cells: as on 20 m";
    let widest = flood(20.0)?;
    let mut checks = Vec::new();
    for cell in [10.0, 5.0] {
        let found = flood(cell)?;
        let check = |what: &str| Check::new(format!("{what}, cells of {cell} m"), "m", SOURCE);
        let afloat = check("ground afloat in one of a thousand columns");
        checks.push(afloat.near_share(found.afloat, widest.afloat, 0.2));
        let deep = check("depth of one in a thousand cells");
        checks.push(deep.near_share(found.deep, widest.deep, 0.2));
        // Wider than a cell of its own, and no wider than two of the widest.
        let width = check("width of the river above the outlet");
        checks.push(width.within(found.width, 2.0 * cell..=40.0));
    }
    Ok(checks)
}
