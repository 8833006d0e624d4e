//! Water on a slope: a sheet of rain, and a mound that falls.

use super::measure::area_name;
use super::setup::{clear, grid, ground, pipes, presets, standing};
use crate::{Check, Checks};
use thalweg_erosion::pipes::{GRAVITY, Params, PipeArea, StepError, Weather};
use thalweg_field::{Edge, Edges};

pub(super) fn steady_sheet() -> Checks {
    let (cols, rows, grade, rain) = (100, 24, 0.05, 1.0e-4);
    let slope = ground(cols, rows, 1.0, |x, _| 10.0 - grade * x);
    let edges = Edges { east: Edge::Open, ..Edges::default() };
    let weather = Weather { edges, ..Weather::raining(rain) };
    let mut checks = Vec::new();
    for (neighbours, area, drag) in [
        (8, PipeArea::Depth, 0.25),
        (8, PipeArea::Depth, 0.05),
        (4, PipeArea::Depth, 0.25),
        (4, PipeArea::Constant, 0.0),
    ] {
        let params = Params { drag, ..clear(neighbours, area) };
        let mut pipes = pipes(&slope, &params, &weather);
        pipes.advance(3000)?;
        let (before, since) = (pipes.ledger().water.exported, pipes.time());
        pipes.advance(1000)?;
        let outflow = (pipes.ledger().water.exported - before) / (pipes.time() - since);
        let what = |what: &str| format!("{what}, drag {drag}, {neighbours} neighbours, {}", area_name(area));
        let expected = rain * (cols * rows) as f64;
        let check = Check::new(what("outflow"), "m³/s", "continuity: what rains runs off");
        checks.push(check.near_share(outflow, expected, 0.001));
        if drag == 0.0 {
            continue; // without drag nothing sets the depth but the length of the slope
        }
        let depth = pipes.depth();
        for col in [20, 50, 80] {
            // What has rained above the lower face of the cell runs through it.
            let q = rain * (col + 1) as f64;
            let balanced = (drag * q * q / (GRAVITY * grade)).cbrt();
            let check = Check::new(
                what(&format!("depth {col} m down")),
                "m",
                "Chezy: v² = g d S / c_f, with v d = R x",
            );
            checks.push(check.near_share(f64::from(depth.at(col, rows / 2)), balanced, 0.03));
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
