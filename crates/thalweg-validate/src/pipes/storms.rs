//! A storm on slopes that erode, with everything as scenes have it.

use super::setup::{ground, pipes};
use crate::{Check, Checks};
use thalweg_erosion::pipes::{Fall, Params, Rain, StepError, Weather};
use thalweg_field::{Edge, Edges, Grid2, Heightfield, Window};

/// An hour of heavy rain, on cells as wide as those of common elevation models.
const HOUR: f64 = 3600.0;
const RAIN: f64 = 60.0e-3 / HOUR;
const CELL: f64 = 30.0;
const SIZE: usize = 128;

/// Mountains of some hundred metres with valleys that lead out; heights are whole sixteenths of a metre, which f32 has exactly up to
/// 100 km.
fn mountains(raised: f64) -> Heightfield {
    ground(SIZE, SIZE, CELL, |x, y| {
        let (u, v) = (x / 620.0, y / 540.0);
        let large = 260.0 * ((u * 0.7).sin() * (v * 0.6).cos() + (0.31 * u - 0.43 * v).sin());
        let small = 45.0 * ((2.3 * u + 1.1 * v).sin() + (1.7 * v - 2.9 * u).cos());
        ((large + small + 1000.0 + raised) * 16.0).round() / 16.0
    })
}

/// The same with its north-west corner at 0 m behind a wall on which no rain falls: heights in the solver count from the lowest cell, so
/// all the others are as high there as in nature. Edges do not slip, and the wall stands on nothing but edges and the corner's diagonal.
fn mountains_by_the_sea(raised: f64) -> Heightfield {
    let mut ground = mountains(raised);
    for (row, cols) in [(0, 2), (1, 2)] {
        ground.height.row_mut(row)[..cols].iter_mut().for_each(|height| *height += WALL);
    }
    ground.height.row_mut(0)[0] = 0.0;
    ground
}

/// Height of that wall above its foot `[m]`.
const WALL: f32 = 200.0;

/// Rain on all but the wall.
fn beside_the_wall() -> Weather {
    let mask = Grid2::from_fn(SIZE, SIZE, |col, row| f32::from(u8::from(col > 1 || row > 1)));
    let rain = Rain { fall: Fall::Steady { rate: RAIN }, mask: Some(mask), when: Window::ALWAYS };
    Weather { rain: vec![rain], edges: Edges::all(Edge::Open), ..Weather::default() }
}

/// How the bed changes in an hour `[m]`, and what was taken from it `[m³]`.
fn storm(ground: &Heightfield, params: &Params, weather: &Weather) -> Result<(Grid2<f32>, f64), StepError> {
    let mut pipes = pipes(ground, params, weather);
    pipes.end_at(Some(HOUR));
    while pipes.time() < HOUR {
        pipes.advance(64)?;
    }
    Ok((pipes.bed_above(&ground.height), pipes.ledger().solids.eroded))
}

pub(super) fn time_step() -> Checks {
    let ground = mountains(0.0);
    let weather = Weather { edges: Edges::all(Edge::Open), ..Weather::raining(RAIN) };
    let eroded = |safety| storm(&ground, &Params { safety, ..Params::default() }, &weather);
    let usual = Params::default().safety;
    let finest = eroded(0.25 * usual)?.1;
    let mut checks = Vec::new();
    for (name, share) in [("Δt", 1.0), ("Δt/2", 0.5)] {
        let found = eroded(share * usual)?.1;
        let check = Check::new(format!("ground taken by a storm at {name}"), "m³", "that at Δt/4");
        checks.push(check.near_share(found, finest, 0.03));
    }
    Ok(checks)
}

pub(super) fn high_ground() -> Checks {
    let weather = beside_the_wall();
    let change = |raised| -> Result<Grid2<f32>, StepError> {
        Ok(storm(&mountains_by_the_sea(raised), &Params::default(), &weather)?.0)
    };
    let low = change(0.0)?;
    let moved: f64 = low.values().iter().map(|&change| f64::from(change.abs())).sum();
    let mut checks = Vec::new();
    for raised in [500.0, 1500.0, 3000.0, 8000.0] {
        let high = change(raised)?;
        let pairs = low.values().iter().zip(high.values());
        let off: f64 = pairs.map(|(&low, &high)| f64::from((low - high).abs())).sum();
        let quantity = format!("change of bed that differs when raised by {raised} m");
        let check = Check::new(quantity, "of all change", "ground does not know how high it lies");
        checks.push(check.near(off / moved, 0.0, 1.0e-4));
    }
    Ok(checks)
}
