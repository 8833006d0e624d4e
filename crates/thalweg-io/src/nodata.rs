//! Cells without a height.

use thalweg_field::Grid2;

/// Gives every cell that is not finite the mean of the known cells around it, ring by ring inwards from
/// the edge of each hole, and returns how many there were. With no known cell at all nothing changes.
///
/// A smooth guess that stays within the heights around the hole; whoever needs better fills it before.
pub fn fill_holes(heights: &mut Grid2<f32>) -> usize {
    let (cols, rows) = (heights.cols(), heights.rows());
    let missing = heights.values().iter().filter(|v| !v.is_finite()).count();
    if missing == 0 || missing == heights.len() {
        return missing;
    }
    let around = |cell: usize| {
        let (col, row) = (cell % cols, cell / cols);
        let near = |at: usize, count: usize| at.saturating_sub(1)..(at + 2).min(count);
        near(row, rows).flat_map(move |r| near(col, cols).map(move |c| r * cols + c))
    };
    let values = heights.values_mut();
    let mut ring: Vec<usize> = (0..values.len())
        .filter(|&cell| !values[cell].is_finite() && around(cell).any(|near| values[near].is_finite()))
        .collect();
    while !ring.is_empty() {
        // All means are taken before any is stored, so the result does not depend on the order of cells.
        let means: Vec<f32> = ring.iter().map(|&cell| mean(around(cell).map(|near| values[near]))).collect();
        for (&cell, mean) in ring.iter().zip(means) {
            values[cell] = mean;
        }
        let mut next: Vec<usize> =
            ring.iter().flat_map(|&cell| around(cell)).filter(|&near| !values[near].is_finite()).collect();
        next.sort_unstable();
        next.dedup();
        ring = next;
    }
    missing
}

fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) =
        values.filter(|v| v.is_finite()).fold((0.0, 0), |(sum, count), v| (sum + f64::from(v), count + 1));
    (sum / f64::from(count)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_in_a_slope_is_filled_within_its_edge() {
        let mut slope = Grid2::from_fn(30, 20, |col, _| col as f32);
        for row in 4..16 {
            slope.row_mut(row)[8..20].fill(if row % 2 == 0 { f32::NAN } else { f32::NEG_INFINITY });
        }
        assert_eq!(fill_holes(&mut slope), 12 * 12);
        assert!(slope.values().iter().all(|h| (0.0..=29.0).contains(h)));
        assert!(slope.at(8, 10) < slope.at(19, 10), "the fill should keep the slope's direction");
    }

    #[test]
    fn what_has_no_known_cell_stays_unknown() {
        let mut unknown = Grid2::filled(3, 3, f32::NAN);
        assert_eq!(fill_holes(&mut unknown), 9);
        assert!(unknown.values().iter().all(|v| v.is_nan()));
    }
}
