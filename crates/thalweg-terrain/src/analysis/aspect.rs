//! Which way slopes face, and whether the grid has had a hand in it.

use super::slope::gradient;
use thalweg_field::{Grid2, Heightfield};

/// Slopes gentler than this face nowhere in particular `[rad]`: on whole-metre heights of 30 m cells they point along
/// the axes by rounding alone.
const GENTLE: f64 = 5.0 * std::f64::consts::PI / 180.0;

/// A quarter turn `[rad]`.
const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

/// Sectors of a quarter turn that aspects are counted in: 11.25° each.
const SECTORS: usize = 8;

/// How evenly the slopes of a terrain face all directions, as far as the grid can be the cause.
///
/// A mountain range has its own direction, but no reason to favour those of the grid. What a grid does, it does alike
/// along both axes and both ways; so all aspects are turned into one quarter of the circle, where the range's own
/// direction evens out and the grid's adds up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aspects {
    /// How many slopes face within 11.25° of the four axes, over how many would if they faced all ways alike `[-]`.
    pub near_axes: f64,
    /// The largest difference of a sector of 11.25° of the quarter turn from an even share, over that share `[-]`. The
    /// first sector has its middle on the axis.
    pub unevenness: f64,
}

impl Aspects {
    /// Counts the aspects of all slopes steeper than 5°; `None` without any.
    pub fn of(ground: &Heightfield) -> Option<Self> {
        let folded = Grid2::from_fn(ground.height.cols(), ground.height.rows(), |col, row| {
            let [east, north] = gradient(ground, col, row);
            let steep = (east * east + north * north).sqrt() > libm::tan(GENTLE);
            steep.then(|| libm::atan2(east, north).rem_euclid(QUARTER) / QUARTER)
        });
        let mut counts = [0u32; SECTORS];
        let (mut near, mut total) = (0u32, 0u32);
        for turn in folded.values().iter().flatten() {
            counts[(turn * SECTORS as f64).round() as usize % SECTORS] += 1;
            near += u32::from(turn.min(1.0 - turn) < 1.0 / SECTORS as f64);
            total += 1;
        }
        if total == 0 {
            return None;
        }
        let over_even = |count: u32, parts: usize| f64::from(count) * parts as f64 / f64::from(total);
        let deviations = counts.map(|count| (over_even(count, SECTORS) - 1.0).abs());
        // Two of the eight sectors' widths lie within one of an axis.
        let near_axes = over_even(near, SECTORS / 2);
        Some(Self { near_axes, unevenness: deviations.into_iter().fold(0.0, f64::max) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Frame;

    /// Ground 401 cells wide inside a circle, none outside.
    fn round(height: impl Fn(f32, f32) -> f32 + Sync) -> Heightfield {
        let height = Grid2::from_fn(401, 401, |col, row| {
            let (x, y) = (col as f32 - 200.0, 200.0 - row as f32);
            if x.hypot(y) < 200.0 { height(x, y) } else { f32::NAN }
        });
        Heightfield { height, frame: Frame::with_cell(1.0) }
    }

    #[test]
    fn a_cone_faces_all_ways_alike() {
        let aspects = Aspects::of(&round(|x, y| -x.hypot(y))).unwrap();
        // Sectors of 11.25° hold some 15 000 cells each; the cells along their borders are a hundredth of them.
        assert!((aspects.near_axes - 1.0).abs() < 0.01, "{aspects:?}");
        assert!(aspects.unevenness < 0.02, "{aspects:?}");
    }

    /// What slipping along eight directions makes: every slope faces 22.5° off an axis.
    #[test]
    fn an_eight_sided_pyramid_has_no_slopes_along_the_axes() {
        let face = |x: f32, y: f32, turn: f32| {
            let (sin, cos) = ((turn + 0.5) * std::f32::consts::FRAC_PI_4).sin_cos();
            x * cos + y * sin
        };
        let pyramid = round(|x, y| -(0..8).map(|i| face(x, y, i as f32)).fold(f32::MIN, f32::max));
        let aspects = Aspects::of(&pyramid).unwrap();
        // But for the cells on its eight edges, a hundredth of all.
        assert!(aspects.near_axes < 0.05, "{aspects:?}");
        // All are in two of eight sectors: four times an even share.
        assert!((aspects.unevenness - 3.0).abs() < 0.1, "{aspects:?}");
    }

    #[test]
    fn gentle_ground_faces_nowhere() {
        assert_eq!(Aspects::of(&round(|_, _| 3.0)), None);
        assert_eq!(Aspects::of(&round(|x, _| 0.05 * x)), None);
        assert!(Aspects::of(&round(|x, _| 0.5 * x)).unwrap().near_axes > 3.9);
    }
}
