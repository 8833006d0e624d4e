//! What the cases are made of: ground, water and parameters.

use thalweg_erosion::pipes::{Counterflow, Params, PipeArea, Pipes, Slope, StepError, Weather, stable_dt};
use thalweg_field::random::Key;
use thalweg_field::{Frame, Grid2, Heightfield};

pub(super) const CONSERVED: &str = "conservation; limit of f32 measured in methods/pipes.md";

/// Ground of `cols` by `rows` cells of side `cell` `[m]`; `height` takes metres east and south of the
/// north-west corner.
pub(super) fn ground(
    cols: usize,
    rows: usize,
    cell: f64,
    height: impl Fn(f64, f64) -> f64 + Sync,
) -> Heightfield {
    Heightfield { height: grid(cols, rows, cell, height), frame: Frame::with_cell(cell) }
}

pub(super) fn flat(cols: usize, rows: usize, cell: f64) -> Heightfield {
    ground(cols, rows, cell, |_, _| 0.0)
}

pub(super) fn grid(
    cols: usize,
    rows: usize,
    cell: f64,
    value: impl Fn(f64, f64) -> f64 + Sync,
) -> Grid2<f32> {
    Grid2::from_fn(cols, rows, |c, r| value((c as f64 + 0.5) * cell, (r as f64 + 0.5) * cell) as f32)
}

/// Water standing at the beginning, nothing else.
pub(super) fn standing(water: Grid2<f32>) -> Weather {
    Weather { water: Some(water), ..Weather::default() }
}

/// Water alone: nothing holds it back, wears the ground or evaporates.
pub(super) fn clear(neighbours: u8, area: PipeArea) -> Params {
    Params {
        neighbours,
        area,
        drag: 0.0,
        erosion: false,
        evaporation: 0.0,
        talus: false,
        ..Params::default()
    }
}

/// The same with pipes of one way or of two.
pub(super) fn with(counterflow: Counterflow, params: Params) -> Params {
    match counterflow {
        Counterflow::Cancel => Params { counterflow, ..params },
        Counterflow::Keep => {
            Params { counterflow, drag: 0.0, slope: Slope::Bed, max_load: Params::NO_LIMIT, ..params }
        }
    }
}

pub(super) fn pipes(ground: &Heightfield, params: &Params, weather: &Weather) -> Pipes {
    Pipes::new(ground, params, weather).expect("the numbers of a built-in case are valid")
}

/// Runs to `time` `[s]` in equal steps of at most `share` of the limit for waves of `speed` `[m/s]`.
pub(super) fn run_to(
    time: f64,
    share: f64,
    speed: f64,
    ground: &Heightfield,
    params: Params,
    weather: &Weather,
) -> Result<Pipes, StepError> {
    let steps = (time / (share * stable_dt(&params, ground.frame.cell, speed))).ceil();
    let mut pipes = pipes(ground, &Params { dt: Some(time / steps), ..params }, weather);
    pipes.advance(steps as u64)?;
    Ok(pipes)
}

pub(super) fn preset(name: &str) -> Params {
    Params::preset(name).expect("a preset of that name")
}

pub(super) fn presets() -> impl Iterator<Item = (&'static str, Params)> {
    Params::PRESETS.into_iter().map(|(name, _)| (name, preset(name)))
}

/// Hills and hollows `scale` times some ten metres high, different in every direction.
pub(super) fn rough(size: usize, cell: f64, scale: f64, base: f64) -> Heightfield {
    let height = Grid2::from_fn(size, size, |c, r| {
        let (x, y) = (c as f64 * 0.21, r as f64 * 0.17);
        let noise = Key::new(11).with((r * size + c) as u64).unit();
        let hills = 4.0 * (x.sin() + (y * 1.3).cos() + (x * 0.4 + y).sin()) + 0.3 * noise + 0.05 * c as f64;
        (base + scale * hills) as f32
    });
    Heightfield { height, frame: Frame::with_cell(cell) }
}
