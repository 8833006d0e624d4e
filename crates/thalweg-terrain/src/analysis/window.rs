//! The 3 × 3 cells around a cell.

use thalweg_field::Grid2;

/// Heights around a cell, north-west to south-east. Beyond the edge the ground goes on as it came, so
/// that a plane has the same slope everywhere.
pub(super) fn window(height: &Grid2<f32>, col: usize, row: usize) -> [[f64; 3]; 3] {
    let at = |dc: isize, dr: isize| {
        let inside =
            |dc: isize, dr: isize| f64::from(height.at_clamped(col as isize + dc, row as isize + dr));
        let lies = |i: isize, n: usize| (0..n as isize).contains(&i);
        let east_ok = lies(col as isize + dc, height.cols());
        let south_ok = lies(row as isize + dr, height.rows());
        match (east_ok, south_ok) {
            (true, true) => inside(dc, dr),
            (false, true) => 2.0 * inside(0, dr) - inside(-dc, dr),
            (true, false) => 2.0 * inside(dc, 0) - inside(dc, -dr),
            (false, false) => 4.0 * inside(0, 0) - 2.0 * (inside(-dc, 0) + inside(0, -dr)) + inside(-dc, -dr),
        }
    };
    [-1, 0, 1].map(|dr| [-1, 0, 1].map(|dc| at(dc, dr)))
}
