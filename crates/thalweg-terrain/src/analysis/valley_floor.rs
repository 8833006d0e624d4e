//! Flat floors that rivers have laid along their way.

use super::Channels;
use super::course::Courses;
use thalweg_field::Grid2;

/// Steepest slope of a floor `[rad]`: fans and flood plains are flatter than 3°, the feet of slopes are not.
const FLAT: f32 = 3.0 * std::f32::consts::PI / 180.0;

/// Farthest that the floor is followed to each side `[cells]`.
const FARTHEST: i32 = 100;

/// Width of the flat floors along the rivers of a terrain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValleyFloors {
    /// Share of the river cells with a floor at least three cells wide `[-]`.
    pub share: f64,
    /// Width that half of the river cells do not exceed `[m]`.
    pub median_width: f64,
    /// Width that nine tenths of the river cells do not exceed `[m]`.
    pub wide_width: f64,
}

impl Channels<'_> {
    /// Width of the floor at each channel cell: how far the ground across the river is flatter than 3°, both sides
    /// together, in steps of a cell. `slope` is that of the ground. `None` without channels.
    pub fn valley_floors(&self, slope: &Grid2<f32>) -> Option<ValleyFloors> {
        let courses = Courses::of(self);
        let mut widths: Vec<u32> =
            self.cells.iter().map(|&cell| floor_width(slope, cell, courses.direction(cell))).collect();
        widths.sort_unstable();
        let count = widths.len();
        let width = |tenths: usize| {
            widths
                .get((count * tenths / 10).min(count.saturating_sub(1)))
                .map(|&w| f64::from(w) * self.drainage.cell)
        };
        let broad = widths.iter().filter(|&&width| width >= 3).count();
        Some(ValleyFloors {
            share: broad as f64 / count as f64,
            median_width: width(5)?,
            wide_width: width(9)?,
        })
    }
}

/// Cells across the river that are flat, from the river's own on to both sides.
fn floor_width(slope: &Grid2<f32>, cell: usize, runs: Option<[f64; 2]>) -> u32 {
    let Some([east, south]) = runs else { return 0 };
    let (col, row) = ((cell % slope.cols()) as f64, (cell / slope.cols()) as f64);
    let flat = |steps: i32| {
        let c = col - south * f64::from(steps);
        let r = row + east * f64::from(steps);
        let inside = c > -0.5 && r > -0.5 && c < slope.cols() as f64 - 0.5 && r < slope.rows() as f64 - 0.5;
        inside && slope.at(c.round() as usize, r.round() as usize) < FLAT
    };
    if !flat(0) {
        return 0;
    }
    let side = |sign: i32| (1..=FARTHEST).take_while(|&steps| flat(sign * steps)).count() as u32;
    1 + side(-1) + side(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Drainage, slope};
    use thalweg_field::{Frame, Heightfield};

    /// A valley with walls of 30° and a floor so many cells wide, which falls by 1 % to the south and by 2° to
    /// its middle.
    fn valley(floor: f32) -> ValleyFloors {
        let height = Grid2::from_fn(81, 400, |col, row| {
            let across = (col as f32 - 40.0).abs();
            let wall = (across - floor / 2.0).max(0.0) * 30.0 * 30.0f32.to_radians().tan();
            wall + across - 0.3 * row as f32
        });
        let ground = Heightfield { height, frame: Frame::with_cell(30.0) };
        let drainage = Drainage::of(&ground);
        Channels::of(&drainage, &ground.height, 1.0e6).valley_floors(&slope(&ground)).unwrap()
    }

    #[test]
    fn a_floor_is_as_wide_as_it_was_made() {
        for cells in [10.0, 20.0] {
            let floors = valley(cells);
            // The cell at each foot, half floor and half wall, does not count.
            assert!((floors.median_width - cells as f64 * 30.0).abs() <= 61.0, "{floors:?} of {cells} cells");
            assert!(floors.share > 0.95, "{floors:?}");
        }
    }

    #[test]
    fn a_notch_has_no_floor() {
        let floors = valley(0.0);
        assert!(floors.share == 0.0 && floors.wide_width <= 30.0, "{floors:?}");
    }
}
