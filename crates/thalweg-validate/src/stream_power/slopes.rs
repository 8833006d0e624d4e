//! Hills whose form is known.

use super::setup::{KYR, creep_alone, ramp};
use crate::{Check, Checks, Stopped};
use thalweg_erosion::stream_power::{Land, Params, StreamPower};
use thalweg_field::{Edge, Edges, Grid2};

/// The cells of the demo, and as many as slopes are long above where rivers begin, √`channel_area`, on both sides of a ridge.
const CELL: f64 = 10.0;
const COLS: usize = 19;

/// A ridge between two outlets, after a long time.
fn ridge(params: &Params, steps: u64) -> Result<Grid2<f32>, Stopped> {
    let edges = Edges { west: Edge::Open, east: Edge::Open, ..Edges::default() };
    let mut flat = ramp(COLS, CELL);
    flat.height = flat.height.map(|_| 0.0);
    let mut land = StreamPower::new(&flat, params, &Land { edges, ..Land::default() })?;
    land.advance(steps)?;
    Ok(land.ground().height)
}

/// h = U x (L − x) / 2D (Culling 1960). Central differences of a parabola are exact.
pub(super) fn linear() -> Checks {
    let params = Params { creep: 0.02 * 1000.0 / KYR, step: 50.0 * KYR, ..creep_alone() };
    let height = ridge(&params, 400)?;
    let worst = (1..COLS - 1).map(|col| {
        let x = col as f64 * CELL;
        let exact = params.uplift * x * ((COLS - 1) as f64 * CELL - x) / (2.0 * params.creep);
        (f64::from(height.at(col, 1)) / exact - 1.0).abs()
    });
    let worst = worst.fold(0.0, f64::max);
    let source = "U x (L − x) / 2D, exact for central differences; heights in 32 bits";
    Ok(vec![Check::new("largest deviation of a height", "-", source).at_most(worst, 1.0e-5)])
}

/// Roering et al. 2001, eq. 6: with the flux U x the slope is D S_c² / (2 U x) · (√(1 + (2 U x / D S_c)²) − 1).
pub(super) fn critical() -> Checks {
    let mut checks = Vec::new();
    // Beyond a slope close to the critical one the law is given up (`LAW_UNTIL`), and slopes are steeper than it has them: the less
    // the more soil slopes have to carry for their diffusivity.
    let creep = Params::default().creep * KYR / 1000.0;
    for (creep, step, most) in
        [(creep, 5.0, 0.02), (creep, 1.0, 0.01), (0.25 * creep, 5.0, 0.03), (0.25 * creep, 1.0, 0.02)]
    {
        let params = Params {
            creep: creep * 1000.0 / KYR,
            step: step * KYR,
            critical_slope: Params::default().critical_slope,
            channel_area: Params::default().channel_area,
            ..creep_alone()
        };
        let height = ridge(&params, 4000)?;
        let critical = params.critical_slope.tan();
        let middle = (COLS / 2) as f64;
        let worst = (1..COLS / 2).map(|col| {
            let fall = f64::from(height.at(col, 1) - height.at(col - 1, 1)) / CELL;
            let flux = params.uplift * (middle - col as f64 + 0.5) * CELL;
            let ratio = 2.0 * flux / (params.creep * critical);
            let exact = critical * ((1.0 + ratio * ratio).sqrt() - 1.0) / ratio;
            (fall / exact - 1.0).abs()
        });
        let quantity = format!("largest deviation of a slope, D = {creep:.3} m²/yr, steps of {step} kyr");
        let source = "Roering et al. 2001, eq. 6; as far as the law is followed";
        checks.push(Check::new(quantity, "-", source).at_most(worst.fold(0.0, f64::max), most));
    }
    Ok(checks)
}
