//! Water on a slope: a sheet of rain, and a mound that falls.

use super::setup::{clear, grid, ground, pipes, presets, standing};
use crate::{Check, Checks};
use thalweg_erosion::pipes::{GRAVITY, Params, PipeArea, StepError, Weather};
use thalweg_field::{Edge, Edges};

/// Rain on slopes that scenes have, at the time step that scenes have: in every cell the sheet is as deep as drag says.
pub(super) fn steady_sheet() -> Checks {
    const CHEZY: &str = "Chezy: v² = g d S / c_f, with v d = R x";
    let (cols, rows, rain) = (100, 8, 200.0e-3 / 3600.0);
    let default = Params { erosion: false, talus: false, ..Params::default() };
    let four = Params { neighbours: 4, ..default.clone() };
    let smooth = Params { drag: 0.05, ..default.clone() };
    let mut checks = Vec::new();
    for (name, params) in [("default", default), ("4 neighbours", four), ("drag 0.05", smooth)] {
        for (grade, cell) in [0.05, 0.3, 0.6].into_iter().flat_map(|s| [1.0, 10.0, 30.0].map(|l| (s, l))) {
            let slope = ground(cols, rows, cell, |x, _| grade * (cols as f64 * cell - x));
            let edges = Edges { east: Edge::Open, ..Edges::default() };
            let mut pipes = pipes(&slope, &params, &Weather { edges, ..Weather::raining(rain) });
            let expected = |col: usize| {
                // What has rained above the lower face of the cell runs through it.
                let q = rain * cell * (col + 1) as f64;
                (params.drag * q * q / (GRAVITY * grade)).cbrt()
            };
            // Six times what the sheet takes to run down, at its foot.
            let whole = cols as f64 * cell;
            let long = 6.0 * expected(cols - 1) / rain;
            while pipes.time() < long {
                pipes.advance(64)?;
            }
            let (before, since) = (pipes.ledger().water.exported, pipes.time());
            pipes.advance(64)?;
            let outflow = (pipes.ledger().water.exported - before) / (pipes.time() - since);
            let what = |what: &str| format!("{what}, slope {grade}, cells of {cell} m, {name}");
            let check = Check::new(what("outflow"), "m³/s", "continuity: what rains runs off");
            checks.push(check.near_share(outflow, rain * whole * rows as f64 * cell, 0.001));
            let depth = pipes.depth();
            let shares = (0..cols)
                .flat_map(|col| (0..rows).map(move |row| (col, row)))
                .map(|(col, row)| f64::from(depth.at(col, row)) / expected(col));
            let (low, high) = shares.fold((f64::MAX, 0.0_f64), |(l, h), s| (l.min(s), h.max(s)));
            for (which, found) in [("shallowest", low), ("deepest", high)] {
                let quantity = what(&format!("{which} cell over theory"));
                checks.push(Check::new(quantity, "-", CHEZY).near(found, 1.0, 0.02));
            }
        }
    }
    Ok(checks)
}

/// A mound of water on a smooth incline: its middle falls like a stone, ½ g S t², whichever way is down. Only
/// while the way is short against the mound: pipes do not carry their momentum along.
pub(super) fn downhill() -> Checks {
    let (size, grade) = (64, 0.02);
    let middle = 0.5 * size as f64;
    let directions = [("east", 1.0, 0.0), ("west", -1.0, 0.0), ("north", 0.0, 1.0), ("south", 0.0, -1.0)];
    // Flatter than the incline, so that it falls rather than spreads.
    let mound = |x: f64, y: f64| 0.02 * (-((x - middle).powi(2) + (y - middle).powi(2)) / 72.0).exp();
    let weather = standing(grid(size, size, 1.0, mound));
    let fall = |params: Params, east: f64, north: f64| {
        let down = |x: f64, y: f64| 3.0 - grade * ((x - middle) * east + (middle - y) * north);
        let mut pipes = pipes(&ground(size, size, 1.0, down), &params, &weather);
        let steps = 16;
        pipes.advance(steps)?;
        let [u, v] = pipes.velocity();
        let depth = pipes.depth();
        let (mut along, mut across, mut speed, mut all) = (0.0, 0.0, 0.0, 0.0);
        for (row, col) in (0..size).flat_map(|row| (0..size).map(move |col| (row, col))) {
            let d = f64::from(depth.at(col, row));
            let (x, y) = (col as f64 + 0.5 - middle, middle - 0.5 - row as f64);
            along += d * (x * east + y * north);
            across += d * (x * north - y * east);
            speed += d * (f64::from(u.at(col, row)) * east + f64::from(v.at(col, row)) * north);
            all += d;
        }
        Ok::<_, StepError>((pipes.time(), steps as f64, along / all, across / all, speed / all))
    };
    let mut checks = Vec::new();
    for (direction, east, north) in directions {
        for neighbours in [4, 8] {
            let (time, steps, along, across, speed) =
                fall(Params { dt: Some(0.1), ..clear(neighbours, PipeArea::Depth) }, east, north)?;
            let what = |what: &str| format!("{what} to the {direction}, {neighbours} neighbours");
            let source = "free fall along the incline, ½ g S t² and g S t";
            // Speed first, then place: n(n + 1)/2 steps' worth instead of n²/2.
            let way = 0.5 * GRAVITY * grade * time * time * (1.0 + 1.0 / steps);
            checks.push(Check::new(what("way"), "m", source).near_share(along, way, 0.02));
            checks.push(Check::new(what("way sideways when running"), "m", source).near(across, 0.0, 1.0e-4));
            checks.push(Check::new(what("speed"), "m/s", source).near_share(
                speed,
                GRAVITY * grade * time,
                0.02,
            ));
        }
        for (name, params) in presets() {
            let (_, _, along, _, speed) = fall(Params { evaporation: 0.0, ..params }, east, north)?;
            let what = |what: &str| format!("{what} to the {direction}, {name}");
            checks.push(Check::new(what("way"), "m", "down is down").at_least(along, 1.0e-4));
            checks.push(Check::new(what("speed"), "m/s", "down is down").at_least(speed, 1.0e-4));
        }
    }
    Ok(checks)
}
