//! Rivers that run twice, side by side.

use super::Channels;
use super::course::Courses;

/// How far a second furrow is looked for to each side of a river `[cells]`.
const APART: usize = 4;

/// The same in metres: what is farther away is a river of its own.
const FARTHEST: f64 = 150.0;

/// How much higher than both furrows the ground between them must be `[m]`: whole-metre heights step by one.
const BAR: f32 = 1.0;

/// Cells up and down the river that must have the second furrow too, and how many of them and the cell itself.
const ALONG: usize = 3;
const ENOUGH: usize = 5;

impl Channels<'_> {
    /// Share of the channel cells with two threads `[-]`: across the river, within four cells of its bed and 150 m, there is a
    /// second furrow behind a bar more than a metre high, and it is on the same side at five of the seven cells from three up
    /// the river to three down. A valley has one river; two that run side by side like the rails of a railway are a fault of
    /// a solver. `None` without channels, and for cells too wide to have one between two furrows.
    pub fn twin_share(&self) -> Option<f64> {
        if self.across() < 2 {
            return None;
        }
        let courses = Courses::of(self);
        let mut furrows = vec![[false; 2]; self.bed.len()];
        for &cell in &self.cells {
            let runs = courses.direction(cell);
            furrows[cell] = [-1, 1].map(|side| runs.is_some_and(|runs| self.has_furrow(cell, runs, side)));
        }
        let goes_on = |cell: usize, side: usize| {
            let near = courses.up(cell).take(ALONG + 1).chain(courses.down(cell).skip(1).take(ALONG));
            near.filter(|&cell| furrows[cell][side]).count() >= ENOUGH
        };
        let has_twin = |cell: usize| [0, 1].iter().any(|&side| furrows[cell][side] && goes_on(cell, side));
        let twins = self.cells.iter().filter(|&&cell| has_twin(cell)).count();
        (!self.cells.is_empty()).then(|| twins as f64 / self.cells.len() as f64)
    }

    /// How far is looked across `[cells]`.
    fn across(&self) -> usize {
        APART.min((FARTHEST / self.drainage.cell).floor() as usize)
    }

    /// Whether there is a second furrow to one side of a river that runs a given way.
    fn has_furrow(&self, cell: usize, [east, south]: [f64; 2], side: i32) -> bool {
        let (cols, rows) = (self.drainage.receiver.cols(), self.drainage.receiver.rows());
        let (col, row) = ((cell % cols) as f64, (cell / cols) as f64);
        let height = |steps: i32| {
            let steps = f64::from(side * steps);
            let (c, r) = ((col - south * steps).round(), (row + east * steps).round());
            let inside = c >= 0.0 && r >= 0.0 && c < cols as f64 && r < rows as f64;
            inside.then(|| self.bed[r as usize * cols + c as usize])
        };
        let Some(section) = (0..=self.across() as i32 + 1).map(height).collect::<Option<Vec<f32>>>() else {
            return false;
        };
        let mut bar = section[1];
        (2..=self.across()).any(|i| {
            let is_furrow = section[i] < section[i - 1] && section[i] < section[i + 1];
            let behind_bar = bar - section[0].max(section[i]) > BAR;
            bar = bar.max(section[i]);
            is_furrow && behind_bar
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Drainage;
    use thalweg_field::{Frame, Grid2, Heightfield};

    /// Share of twins in a valley that runs 20° off the axis and has the cross-section given, in cells from its middle.
    fn twins(section: impl Fn(f32) -> f32 + Sync) -> f64 {
        let (sin, cos) = 20.0f32.to_radians().sin_cos();
        let height = Grid2::from_fn(150, 300, |col, row| {
            let (x, y) = (col as f32 - 75.0, row as f32 - 150.0);
            let (across, along) = (x * cos - y * sin, x * sin + y * cos);
            500.0 - 0.5 * along + section(across)
        });
        let ground = Heightfield { height, frame: Frame::with_cell(10.0) };
        let drainage = Drainage::of(&ground);
        Channels::of(&drainage, &ground.height, 0.1e6).twin_share().unwrap()
    }

    #[test]
    fn a_valley_with_one_furrow_has_one_thread() {
        assert_eq!(twins(|across| 4.0 * across.abs()), 0.0);
    }

    #[test]
    fn two_furrows_with_a_bar_between_them_are_two_threads() {
        let share = twins(|across| 4.0 * (across.abs() - 1.5).abs());
        assert!(share > 0.8, "{share}");
    }

    /// Those are two rivers.
    #[test]
    fn furrows_ten_cells_apart_are_not() {
        assert_eq!(twins(|across| 4.0 * (across.abs() - 5.0).abs()), 0.0);
    }

    #[test]
    fn ground_without_channels_has_no_share() {
        let ground = Heightfield { height: Grid2::filled(4, 4, 1.0), frame: Frame::with_cell(1.0) };
        let drainage = Drainage::of(&ground);
        assert_eq!(Channels::of(&drainage, &ground.height, 1.0e9).twin_share(), None);
    }
}
