//! What holds for any landscape.

use super::setup::{KYR, rough};
use crate::{Check, Checks, Stopped};
use thalweg_erosion::stream_power::{Lakes, Land, Params, Routing, StreamPower};
use thalweg_field::sum::ordered_sum;

/// Everything at once, for each way to treat hollows and to find ways.
pub(super) fn books() -> Checks {
    let mut checks = Vec::new();
    for (lakes, routing, n) in [
        (Lakes::Keep, Routing::Rho8, 1.0),
        (Lakes::Pass, Routing::D8, 1.0),
        (Lakes::Breach, Routing::Dinf, 1.0),
        (Lakes::Keep, Routing::Rho8, 1.5),
    ] {
        let params = Params { lakes, routing, slope_exponent: n, ..Params::default() };
        let mut land = StreamPower::new(&rough(96, 4000.0), &params, &Land::open())?;
        land.advance(60)?;
        let solids = land.ledger().solids;
        let quantity = format!("ground that is missing, of what moved, {lakes:?}, {routing:?}, n = {n}");
        checks.push(Check::new(quantity, "-", "64-bit sums").at_most(solids.imbalance(), 1.0e-9));
        let quantity = format!("share of the eroded ground that left, {lakes:?}, {routing:?}, n = {n}");
        let source = "no more can leave than is eroded, and some does";
        checks.push(Check::new(quantity, "-", source).within(solids.exported / solids.eroded, 0.01..=1.0));
    }
    Ok(checks)
}

/// Mean and greatest height over the same kilometres, from the same hills.
pub(super) fn resolution() -> Checks {
    let extent = 4000.0;
    let found = |cells: usize| -> Result<[f64; 2], Stopped> {
        let params = Params { step: 10.0 * KYR, ..Params::default() };
        let mut land = StreamPower::new(&rough(cells, extent), &params, &Land::open())?;
        land.advance(300)?;
        let height = land.ground().height;
        let mean = ordered_sum(height.values()) / height.len() as f64;
        Ok([mean, height.range().map_or(0.0, |(_, high)| high.into())])
    };
    let [coarse, middle, fine] = [found(64)?, found(128)?, found(256)?];
    // Water runs down a slope in lines that are one cell wide, and a finer line gathers less: rivers begin a little lower, and
    // the ground between them is a little higher, the finer the cells. A known deviation, up to a fifth for cells half as wide.
    let source = "the same, less a known deviation of up to a fifth";
    let check = |quantity: &str| Check::new(quantity, "-", source);
    Ok(vec![
        check("mean height, cells of 62.5 m over 31.25 m").within(coarse[0] / middle[0], 0.8..=1.05),
        check("mean height, cells of 31.25 m over 15.6 m").within(middle[0] / fine[0], 0.8..=1.05),
        check("relief, cells of 62.5 m over 31.25 m").within(coarse[1] / middle[1], 0.8..=1.05),
        check("relief, cells of 31.25 m over 15.6 m").within(middle[1] / fine[1], 0.8..=1.05),
    ])
}
