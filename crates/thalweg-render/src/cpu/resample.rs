//! Grids at other sizes, without holes, and blurred.

use glam::Vec3;
use thalweg_field::Grid2;

/// Replaces cells that hold no number by the mean of the neighbours that do, ring by ring. Light and
/// slopes near a hole then come from ground that continues into it.
pub(crate) fn filled(grid: &Grid2<f32>) -> Grid2<f32> {
    let mut known = grid.clone();
    // Large holes end on the lowest ground: enough rings for the normals, the rest is never seen.
    const RINGS: usize = 8;
    for _ in 0..RINGS {
        if known.values().iter().all(|v| v.is_finite()) {
            return known;
        }
        known = Grid2::from_fn(known.cols(), known.rows(), |col, row| {
            let here = known.at(col, row);
            if here.is_finite() {
                return here;
            }
            let (mut sum, mut count) = (0.0, 0.0);
            for (dc, dr) in [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)] {
                let v = known.at_clamped(col as isize + dc, row as isize + dr);
                if v.is_finite() {
                    sum += v;
                    count += 1.0;
                }
            }
            if count > 0.0 { sum / count } else { f32::NAN }
        });
    }
    let lowest = grid.range().map_or(0.0, |(low, _)| low);
    known.map(|v| if v.is_finite() { v } else { lowest })
}

/// Enlarges a grid by the uniform cubic B-spline along its cells: smooth enough for light to show no
/// cell borders, never beyond the values of the cells, and a little rounder than they are.
pub(crate) fn enlarged(grid: &Grid2<f32>, cols: usize, rows: usize) -> Grid2<f32> {
    let (across, down) = (taps(grid.cols(), cols), taps(grid.rows(), rows));
    let wide: Grid2<f32> = Grid2::from_fn(cols, grid.rows(), |col, row| {
        let (first, weights) = across[col];
        (0..4).map(|i| weights[i as usize] * grid.at_clamped(first + i, row as isize)).sum()
    });
    Grid2::from_fn(cols, rows, |col, row| {
        let (first, weights) = down[row];
        (0..4).map(|i| weights[i as usize] * wide.at_clamped(col as isize, first + i)).sum()
    })
}

/// First of four cells and their weights for each of `to` places spread over `from` cells.
fn taps(from: usize, to: usize) -> Vec<(isize, [f32; 4])> {
    let tap = |i: usize| {
        let place = (i as f64 + 0.5) * from as f64 / to as f64 - 0.5;
        let t = (place - place.floor()) as f32;
        let s = 1.0 - t;
        let inner = |d: f32| (4.0 + d * d * (3.0 * d - 6.0)) / 6.0;
        (place.floor() as isize - 1, [s.powi(3) / 6.0, inner(t), inner(s), t.powi(3) / 6.0])
    };
    (0..to).map(tap).collect()
}

/// Undoes in advance what [`enlarged`] rounds off, so that ridges stay where they are: a B-spline
/// along `f - f''/6` follows cubics exactly (quasi-interpolation, de Boor & Fix 1973).
pub(crate) fn sharpened(grid: &Grid2<f32>) -> Grid2<f32> {
    Grid2::from_fn(grid.cols(), grid.rows(), |col, row| {
        let at = |dc, dr| grid.at_clamped(col as isize + dc, row as isize + dr);
        let bend = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4.0 * at(0, 0);
        at(0, 0) - bend / 6.0
    })
}

/// Shrinks a picture in linear light: every pixel is the mean of the area that it covers.
pub(crate) fn shrunk(grid: &Grid2<Vec3>, cols: usize, rows: usize) -> Grid2<Vec3> {
    let narrow = area_averaged_rows(grid, cols);
    transposed(&area_averaged_rows(&transposed(&narrow), rows))
}

fn area_averaged_rows(grid: &Grid2<Vec3>, cols: usize) -> Grid2<Vec3> {
    let step = grid.cols() as f64 / cols as f64;
    Grid2::from_fn(cols, grid.rows(), |col, row| {
        let (start, end) = (col as f64 * step, (col + 1) as f64 * step);
        let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
        for i in start as usize..(end.ceil() as usize).min(grid.cols()) {
            let share = ((i + 1) as f64).min(end) - (i as f64).max(start);
            sum += grid.at(i, row) * share as f32;
            weight += share as f32;
        }
        sum / weight
    })
}

/// Blurs by about a Gaussian of that standard deviation in cells: three box filters in a row, each way.
pub(crate) fn blurred(grid: &Grid2<f32>, sigma: f32) -> Grid2<f32> {
    // Three boxes of width w have the variance (w² - 1) / 4.
    let reach = (((4.0 * sigma * sigma + 1.0).sqrt() - 1.0) * 0.5).round() as usize;
    let boxed = |mut grid: Grid2<f32>| {
        grid.for_each_row(|_, cells| (0..3).for_each(|_| box_filter(cells, reach)));
        grid
    };
    transposed(&boxed(transposed(&boxed(grid.clone()))))
}

/// Mean over `2 reach + 1` cells; beyond the ends the last cell continues.
fn box_filter(cells: &mut [f32], reach: usize) {
    let source = cells.to_vec();
    let at = |i: isize| f64::from(source[i.clamp(0, source.len() as isize - 1) as usize]);
    let reach = reach as isize;
    let mut sum: f64 = (-reach..=reach).map(at).sum();
    let width = (2 * reach + 1) as f64;
    for (i, cell) in cells.iter_mut().enumerate() {
        *cell = (sum / width) as f32;
        sum += at(i as isize + reach + 1) - at(i as isize - reach);
    }
}

fn transposed<T: Copy + Default + Send + Sync>(grid: &Grid2<T>) -> Grid2<T> {
    Grid2::from_fn(grid.rows(), grid.cols(), |col, row| grid.at(row, col))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enlarging_and_blurring_keep_a_plane() {
        let plane = Grid2::from_fn(40, 30, |c, r| 3.0 * c as f32 - 2.0 * r as f32);
        for source in [&plane, &sharpened(&plane)] {
            let height = enlarged(source, 80, 60).at(40, 30);
            // Away from the edges, where the continued edge cells bend it.
            assert!((height - (3.0 * 19.75 - 2.0 * 14.75)).abs() < 1.0e-4, "{height}");
        }
        let soft = blurred(&plane, 2.0);
        assert!((soft.at(20, 15) - plane.at(20, 15)).abs() < 1.0e-4, "{}", soft.at(20, 15));
    }

    #[test]
    fn shrinking_keeps_the_mean() {
        let grid = Grid2::from_fn(7, 5, |c, r| Vec3::splat(((c * 31 + r * 17) % 11) as f32));
        let mean = |g: &Grid2<Vec3>| g.values().iter().map(|v| f64::from(v.x)).sum::<f64>() / g.len() as f64;
        assert!((mean(&grid) - mean(&shrunk(&grid, 3, 2))).abs() < 1.0e-6);
    }

    #[test]
    fn a_hole_takes_the_height_of_its_rim() {
        let mut grid = Grid2::filled(9, 9, 5.0);
        grid.set(4, 4, f32::NAN);
        grid.set(0, 0, f32::INFINITY);
        assert_eq!(filled(&grid), Grid2::filled(9, 9, 5.0));
        assert_eq!(filled(&Grid2::filled(3, 3, f32::NAN)), Grid2::filled(3, 3, 0.0));
    }
}
