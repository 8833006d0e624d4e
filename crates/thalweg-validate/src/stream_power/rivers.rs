//! Rivers whose form is known.

use super::setup::{KYR, open_west, ramp, rivers_alone};
use crate::{Check, Checks};
use thalweg_erosion::stream_power::{Lakes, Land, Params, REFERENCE_AREA, StreamPower};
use thalweg_field::{Frame, Grid2, Heightfield};

const CELL: f64 = 100.0;

/// Slope of a steady river: K (A / 1 km²)^m Sⁿ = (1 + G) U (Whipple & Tucker 1999, eq. 8; Yuan et al. 2019, eq. 12).
fn slope(params: &Params, area: f64) -> f64 {
    let pull = params.erodibility * (area / REFERENCE_AREA).powf(params.area_exponent);
    ((1.0 + params.deposition) * params.uplift / pull).powf(1.0 / params.slope_exponent)
}

/// Every cell of a row against the law.
pub(super) fn steady_slope() -> Checks {
    let mut checks = Vec::new();
    for (m, n, g) in [
        (0.5, 1.0, 0.0),
        (0.45, 1.0, 0.0),
        (1.0, 2.0, 0.0),
        (0.4, 0.7, 0.0),
        (0.5, 1.0, 0.6),
        (0.5, 1.0, 3.0),
        (1.0, 2.0, 0.6),
        (0.4, 0.7, 0.6),
    ] {
        let params = Params {
            area_exponent: m,
            slope_exponent: n,
            deposition: g,
            step: 200.0 * KYR,
            ..rivers_alone()
        };
        let cols = 120;
        let mut land = StreamPower::new(&ramp(cols, CELL), &params, &open_west())?;
        land.advance(1500)?;
        let height = land.ground().height;
        // Heights are shown in 32 bits: a fall of a metre at a thousand is known to 1e-4.
        let worst = (1..cols).map(|col| {
            let fall = f64::from(height.at(col, 1) - height.at(col - 1, 1)) / CELL;
            let expected = slope(&params, (cols - col) as f64 * CELL * CELL);
            (fall / expected - 1.0).abs()
        });
        let quantity = format!("largest deviation of a slope, m = {m}, n = {n}, G = {g}");
        let source = "K Aᵐ Sⁿ = (1 + G) U; heights of some hundred metres in 32 bits";
        checks.push(Check::new(quantity, "-", source).at_most(worst.fold(0.0, f64::max), 2.0e-4));
    }
    Ok(checks)
}

/// Half-way up a river of 10 km; cells half as long must halve the error, the scheme being of first order.
pub(super) fn profile() -> Checks {
    let (length, width) = (10_000.0, 100.0);
    let mut errors = Vec::new();
    for cols in [50, 100, 200] {
        let cell = length / cols as f64;
        let plain = Params { step: 200.0 * KYR, ..rivers_alone() };
        // The river drains a strip of the same width however fine the cells.
        let params = Params { erodibility: plain.erodibility * (width / cell).sqrt(), ..plain.clone() };
        let mut land = StreamPower::new(&ramp(cols + 1, cell), &params, &open_west())?;
        land.advance(1500)?;
        // z(x) = U/K ∫ A^−½ dx with A = width (length − x).
        let scale = plain.uplift / plain.erodibility * (REFERENCE_AREA / width).sqrt();
        let exact = 2.0 * scale * (length.sqrt() - (0.5 * length).sqrt());
        errors.push((f64::from(land.ground().height.at(cols / 2, 1)) - exact).abs() / exact);
    }
    let check = |quantity: &str| Check::new(quantity, "-", "analytic profile, first-order scheme");
    Ok(vec![
        check("error half-way up, 200 cells").at_most(errors[2], 0.01),
        check("error with cells half as long").within(errors[1] / errors[0], 0.4..=0.6),
        check("error with cells half as long again").within(errors[2] / errors[1], 0.4..=0.6),
    ])
}

/// A bowl behind a sill gets the sediment of the slope behind it.
pub(super) fn lake() -> Checks {
    let cols = 60;
    let bowl = |col: usize| match col {
        0..=9 => 0.1 * col as f32,
        10 => 30.0,
        11..=29 => 10.0,
        _ => 30.0 + 5.0 * (col - 29) as f32,
    };
    let ground =
        Heightfield { height: Grid2::from_fn(cols, 3, |col, _| bowl(col)), frame: Frame::with_cell(50.0) };
    let soft = Grid2::from_fn(cols, 3, |col, _| if col > 29 { 1.0 } else { 0.0 });
    let land = Land { softness: Some(soft), ..open_west() };
    let params = Params { uplift: 0.0, lakes: Lakes::Keep, step: 20.0 * KYR, ..rivers_alone() };
    let mut run = StreamPower::new(&ground, &params, &land)?;
    let before = run.survey().lakes();
    run.advance(400)?;
    let after = run.ground().height;
    let floor = (11..30).map(|col| f64::from(after.at(col, 1)));
    let ledger = run.ledger().solids;
    Ok(vec![
        Check::new("depth of the lake at the beginning", "m", "the sill less the floor").near(
            f64::from(before.at(20, 1)),
            20.0,
            1.0e-4,
        ),
        Check::new("lowest floor at the end", "m", "the sill, less nothing")
            .at_least(floor.clone().fold(f64::INFINITY, f64::min), 29.99),
        // A floor that is full rises by 1e-4 over each of some 1000 m.
        Check::new("highest floor at the end", "m", "the sill and the slope of a full floor")
            .at_most(floor.fold(0.0, f64::max), 30.3),
        Check::new("ground that is missing", "-", "64-bit sums").at_most(ledger.imbalance(), 1.0e-9),
    ])
}
