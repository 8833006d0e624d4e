//! What holds for any landscape.

use super::setup::rough;
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

/// Mean and greatest height of the same hills, with the cells of the last passes of the demo at its sizes. Cells finer than
/// `flow_width` gather the same water; wider ones are threads of their own width.
pub(super) fn resolution() -> Checks {
    let extent = 2560.0;
    let found = |cell: f64| -> Result<[f64; 2], Stopped> {
        let cells = (extent / cell) as usize;
        let mut land = StreamPower::new(&rough(cells, extent), &Params::default(), &Land::open())?;
        land.advance(300)?;
        let height = land.ground().height;
        let mean = ordered_sum(height.values()) / height.len() as f64;
        Ok([mean, height.range().map_or(0.0, |(_, high)| high.into())])
    };
    let [coarse, middle, fine] = [found(20.0)?, found(10.0)?, found(5.0)?];
    let check = |quantity: &str| Check::new(quantity, "-", "the same landscape, of another random network");
    Ok(vec![
        check("mean height, cells of 20 m over 10 m").within(coarse[0] / middle[0], 0.95..=1.05),
        check("mean height, cells of 10 m over 5 m").within(middle[0] / fine[0], 0.95..=1.05),
        check("relief, cells of 20 m over 10 m").within(coarse[1] / middle[1], 0.9..=1.1),
        check("relief, cells of 10 m over 5 m").within(middle[1] / fine[1], 0.9..=1.1),
    ])
}
