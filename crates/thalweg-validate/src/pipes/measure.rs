//! Profiles, means and differences of maps, and names for tables.

use std::ops::RangeInclusive;
use thalweg_erosion::pipes::{Counterflow, PipeArea};
use thalweg_field::{Grid2, Water};

/// Where a profile of values at 0, 1, 2, ... first falls below `level`.
pub(super) fn first_below(profile: &[f64], level: f64) -> f64 {
    let Some(i) = profile.iter().position(|&v| v < level) else { return f64::NAN };
    if i == 0 { f64::NAN } else { i as f64 - (level - profile[i]) / (profile[i - 1] - profile[i]) }
}

/// Where a profile last rises above `level`.
pub(super) fn last_above(profile: &[f64], level: f64) -> f64 {
    let from_end: Vec<f64> = profile.iter().rev().map(|v| -v).collect();
    (profile.len() - 1) as f64 - first_below(&from_end, -level)
}

pub(super) fn widened(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| f64::from(v)).collect()
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Water above `level` along a ray from the middle of a grid; `direction` is east and south, `cells` how far.
pub(super) fn ray(
    water: &Grid2<f32>,
    level: f64,
    direction: [f64; 2],
    cells: RangeInclusive<i32>,
) -> Vec<f64> {
    let middle = [water.cols(), water.rows()].map(|cells| 0.5 * (cells - 1) as f64);
    let at = |n: i32| [0, 1].map(|axis| middle[axis] + f64::from(n) * direction[axis]);
    cells.map(at).map(|[col, row]| f64::from(water.bilinear(col, row)) - level).collect()
}

pub(super) fn worst(a: &Grid2<f32>, b: &Grid2<f32>) -> f64 {
    let differences = a.values().iter().zip(b.values()).map(|(&a, &b)| (f64::from(a) - f64::from(b)).abs());
    differences.fold(0.0, f64::max)
}

/// Water that is missing from the account, or too much in it `[m³]`.
pub(super) fn missing(water: &Water) -> f64 {
    water.start + water.added - water.evaporated - water.exported - water.end
}

pub(super) fn lowest(grid: &Grid2<f32>) -> f64 {
    grid.values().iter().fold(f64::INFINITY, |low, &v| low.min(f64::from(v)))
}

pub(super) fn area_name(area: PipeArea) -> &'static str {
    match area {
        PipeArea::Constant => "constant area",
        PipeArea::Depth => "area of the depth",
    }
}

pub(super) fn form_name(counterflow: Counterflow) -> &'static str {
    match counterflow {
        Counterflow::Cancel => "counterflow cancels",
        Counterflow::Keep => "counterflow kept",
    }
}
