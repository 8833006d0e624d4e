//! Steepness.

use super::window::window;
use thalweg_field::{Grid2, Heightfield};

/// How much the ground rises towards the east and the north at a cell `[-]`, from weighted differences over its
/// eight neighbours (Horn 1981).
pub fn gradient(ground: &Heightfield, col: usize, row: usize) -> [f64; 2] {
    let across = 8.0 * ground.frame.cell;
    let [n, m, s] = window(&ground.height, col, row);
    let east = ((n[2] + 2.0 * m[2] + s[2]) - (n[0] + 2.0 * m[0] + s[0])) / across;
    let north = ((n[0] + 2.0 * n[1] + n[2]) - (s[0] + 2.0 * s[1] + s[2])) / across;
    [east, north]
}

/// Steepness of every cell `[rad]`, from weighted differences over its eight neighbours (Horn 1981).
pub fn slope(ground: &Heightfield) -> Grid2<f32> {
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |col, row| {
        let [east, north] = gradient(ground, col, row);
        libm::atan((east * east + north * north).sqrt()) as f32
    })
}

/// Share of the cells that are steeper than an angle `[rad]`; `None` without data.
pub fn share_steeper(slope: &Grid2<f32>, angle: f32) -> Option<f64> {
    let told = slope.values().iter().filter(|steepness| steepness.is_finite());
    let count = told.clone().count();
    (count > 0).then(|| told.filter(|&&steepness| steepness > angle).count() as f64 / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Frame;

    #[test]
    fn a_plane_is_equally_steep_everywhere_edges_included() {
        let height = Grid2::from_fn(9, 7, |col, row| 3.0 * col as f32 - 4.0 * row as f32);
        let steepness = slope(&Heightfield { height, frame: Frame::with_cell(10.0) });
        for &angle in steepness.values() {
            assert!((angle - 0.5f32.atan()).abs() < 1.0e-6, "{angle} rad");
        }
    }

    #[test]
    fn a_cone_is_as_steep_as_it_was_made() {
        let recipe = crate::Recipe::named("cone", 1000.0).unwrap(); // 200 m over 420 m
        let steepness = slope(&recipe.build(101, 101, 1000.0 / 101.0, 1));
        let flank = steepness.at(70, 50);
        assert!((flank - (200.0f32 / 420.0).atan()).abs() < 2.0e-3, "{flank} rad");
    }

    /// A roof of 40° on one side and 20° on the other, with its ridge at three quarters of its width.
    #[test]
    fn three_quarters_of_a_lopsided_roof_are_steep() {
        let [steep, gentle] = [40.0f32, 20.0].map(|angle| angle.to_radians().tan());
        let height = Grid2::from_fn(200, 5, |col, _| {
            if col < 150 { steep * (col as f32 - 150.0) } else { -gentle * (col as f32 - 150.0) }
        });
        let roof = slope(&Heightfield { height, frame: Frame::with_cell(1.0) });
        let share = share_steeper(&roof, 30.0f32.to_radians()).unwrap();
        assert!((share - 0.75).abs() <= 0.005, "{share}");
        assert_eq!(share_steeper(&Grid2::filled(2, 2, f32::NAN), 0.5), None);
    }

    #[test]
    fn grids_one_cell_wide_have_a_slope() {
        for (cols, rows) in [(0, 0), (1, 1), (1, 5), (5, 1)] {
            let height = Grid2::from_fn(cols, rows, |col, row| (col + row) as f32);
            let steepness = slope(&Heightfield { height, frame: Frame::with_cell(1.0) });
            assert!(steepness.values().iter().all(|angle| angle.is_finite()), "{cols} × {rows}");
        }
    }
}
