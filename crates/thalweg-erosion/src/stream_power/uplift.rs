//! Where rock rises, and how fast.

use super::land::Land;
use super::layout::Layout;
use super::params::Params;
use crate::lanes;
use fearless_simd::{Level, Simd, dispatch};
use std::ops::Range;
use thalweg_field::Grid2;
use thalweg_field::band::{self, Lines};

/// Share of the uplift that is the same everywhere even where the form is kept entirely: low ground is raised too, so that its
/// rivers have something to cut `[-]`.
const EVERYWHERE: f64 = 0.1;

/// How much of the uplift each cell gets: what the form that is kept asks for times what the land has there; outlets get none
/// `[-]`.
pub(super) fn pattern(layout: &Layout, start: &Grid2<f32>, params: &Params, land: &Land) -> Vec<f32> {
    let mut pattern = form(layout, start, params);
    if let Some(map) = &land.uplift {
        let shares = layout.padded(map, 0.0, |share| share);
        pattern.iter_mut().zip(shares).for_each(|(pattern, share)| *pattern *= share);
    }
    layout.outlets().into_iter().for_each(|at| pattern[at] = 0.0);
    pattern
}

/// Uplift that follows the large form of the ground as far as it is kept `[-]`.
fn form(layout: &Layout, start: &Grid2<f32>, params: &Params) -> Vec<f32> {
    if params.keep_form == 0.0 {
        return layout.filled(1.0);
    }
    let smooth = smoothed(start, params.form_width / layout.cell);
    let (low, high) = smooth.range().unwrap_or((0.0, 0.0));
    let scale = if high > low { (1.0 - EVERYWHERE) / f64::from(high - low) } else { 0.0 };
    let keep = params.keep_form;
    layout.padded(&smooth, 0.0, |height| {
        (1.0 - keep + keep * (EVERYWHERE + scale * f64::from(height - low))) as f32
    })
}

/// The grid under a bell of that many cells: three means over boxes, whose ends count in part (Gwosdek et al. 2011).
fn smoothed(grid: &Grid2<f32>, cells: f64) -> Grid2<f32> {
    let mut now = grid.clone();
    for _ in 0..3 {
        let rows = now.clone();
        now.for_each_row(|row, line| mean_over(rows.row(row), cells, line));
        let mut turned = Grid2::from_fn(now.rows(), now.cols(), |col, row| now.at(row, col));
        let columns = turned.clone();
        turned.for_each_row(|row, line| mean_over(columns.row(row), cells, line));
        now = Grid2::from_fn(grid.cols(), grid.rows(), |col, row| turned.at(row, col));
    }
    now
}

/// The mean over a box whose variance is a third of `cells` squared; beyond the ends there is nothing.
fn mean_over(line: &[f32], cells: f64, means: &mut [f32]) {
    let variance = cells * cells / 3.0;
    let whole = (0.5 * (12.0 * variance + 1.0).sqrt() - 0.5).floor().max(0.0) as usize;
    // Gwosdek et al. 2011, eq. 9: what the ends must count for the variance to be right.
    let r = whole as f64;
    let part =
        (2.0 * r + 1.0) * (r * (r + 1.0) - 3.0 * variance) / (6.0 * (variance - (r + 1.0) * (r + 1.0)));
    let mut sums = vec![0.0; line.len() + 1];
    for (i, &value) in line.iter().enumerate() {
        sums[i + 1] = sums[i] + f64::from(value);
    }
    for (i, mean) in means.iter_mut().enumerate() {
        let (first, last) = (i.saturating_sub(whole), (i + whole + 1).min(line.len()));
        let (mut sum, mut weight) = (sums[last] - sums[first], (last - first) as f64);
        for end in [i.checked_sub(whole + 1), Some(i + whole + 1)].into_iter().flatten() {
            if let Some(&value) = line.get(end) {
                sum += part * f64::from(value);
                weight += part;
            }
        }
        *mean = (sum / weight) as f32;
    }
}

/// Raises every cell by `by` metres times its share. Returns the sum `[m]`.
pub(super) fn raise(
    layout: &Layout,
    pattern: &[f32],
    by: f64,
    height: &mut [f64],
    uplifted: &mut [f32],
) -> f64 {
    let (stride, level) = (layout.stride, Level::new());
    let raise_row = |row: Range<usize>, (height, uplifted): (Lines<'_, f64>, Lines<'_, f32>)| {
        if !(1..=layout.rows).contains(&row.start) {
            return 0.0;
        }
        let pattern = layout.cells_of(pattern, row.start, &(0..layout.cols));
        let cells = 1..=layout.cols;
        let (height, uplifted) = (&mut height.values[cells.clone()], &mut uplifted.values[cells]);
        dispatch!(level, simd => raise_some(simd, pattern, by, height, uplifted))
    };
    let parts = (Lines { values: height, length: stride }, Lines { values: uplifted, length: stride });
    band::measure_parts(0..layout.rows + 2, 1, parts, &raise_row, &|a, b| a + b)
}

/// Raises the cells of a row. Returns the sum `[m]`.
#[inline(always)]
fn raise_some<S: Simd>(_: S, pattern: &[f32], by: f64, height: &mut [f64], uplifted: &mut [f32]) -> f64 {
    for ((height, uplifted), pattern) in height.iter_mut().zip(uplifted).zip(pattern) {
        let rise = by * f64::from(*pattern);
        *height += rise;
        *uplifted += rise as f32;
    }
    lanes::sum(pattern.len(), |at| by * f64::from(pattern[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_becomes_a_bell_of_the_width_that_was_asked_for() {
        for cells in [0.4, 1.5, 7.3] {
            let spike = Grid2::from_fn(101, 101, |col, row| f32::from(u8::from(col == 50 && row == 50)));
            let bell = smoothed(&spike, cells);
            let (mut sum, mut spread) = (0.0, 0.0);
            for row in 0..101 {
                for col in 0..101 {
                    let value = f64::from(bell.at(col, row));
                    sum += value;
                    spread += value * (col as f64 - 50.0).powi(2);
                }
            }
            let deviation = (spread / sum).sqrt();
            assert!((sum - 1.0).abs() < 1.0e-4, "{sum}");
            // 32-bit cells.
            assert!((deviation / cells - 1.0).abs() < 1.0e-3, "{deviation} cells, not {cells}");
        }
    }
}
