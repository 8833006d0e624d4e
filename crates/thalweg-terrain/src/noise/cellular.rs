//! Distances to scattered points (Worley 1996).

use crate::recipe::{Kind, LayerContext, Surface, height, layer, size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::{describe::within, random::Key, units};

/// What is made of the distances to the scattered points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cellular {
    /// A cone on every point; their feet meet at the cell borders, high between near points and low
    /// between far ones.
    #[default]
    Peaks,
    /// Distance to the nearest point: bowls.
    F1,
    /// Distance to the second nearest point.
    F2,
    /// Second nearest less nearest distance: plateaus cut apart by sharp borders.
    #[serde(rename = "f2-f1")]
    F2MinusF1,
}

layer! {
    /// Voronoi ground: one point in every square of a grid, and what the distances to them make.
    Voronoi {
        /// Height where the measure is one: of the highest peak, or at one spacing's distance `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(0.0, 4000.0))]
        height: f64 = 1500.0,
        /// Mean distance between neighbouring points `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(100.0, 1.0e4))]
        spacing: f64 = 3000.0,
        /// How far the points leave the middle of their squares `[-]`; 0 is a grid, 1 anywhere inside.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(0.0, 1.0).slider(0.0, 1.0))]
        jitter: f64 = 0.9,
        /// What is made of the distances.
        measure: Cellular = Cellular::Peaks,
        /// Share by which the lowest peaks are lower than the highest `[-]`; only for peaks.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(0.0, 1.0).slider(0.0, 1.0))]
        variety: f64 = 0.4,
        /// Exponent on the measure `[-]`: 1 leaves straight cones, more makes concave, pointed ones.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(0.1, 16.0).slider(0.5, 4.0))]
        sharpness: f64 = 1.0,
    }
}

impl Kind for Voronoi {
    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let key = context.key;
        // The grid lies at an angle of its own: with little jitter its rows show, and rows along the edges
        // of the map look made.
        let angle = key.unit() * std::f64::consts::TAU;
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        Box::new(move |[east, north]| {
            let turned = [east * cos - north * sin, east * sin + north * cos];
            self.height * libm::pow(self.measured(key, turned), self.sharpness)
        })
    }
}

impl Voronoi {
    /// The measure before its exponent, never negative; distances are counted in spacings.
    fn measured(&self, key: Key, place: [f64; 2]) -> f64 {
        let [x, y] = place.map(|metres| metres / self.spacing);
        let (mut nearest, mut second, mut top) = (f64::MAX, f64::MAX, 0.0f64);
        // No peak reaches farther than one square. Points up to two squares away can be second nearest:
        // the one in the place's own square may be 1.42 off and its nearer neighbour's 1.8, but never 2.
        let reach = if self.measure == Cellular::Peaks { 1 } else { 2 };
        for row in -reach..=reach {
            for col in -reach..=reach {
                let (col, row) = (x.floor() + f64::from(col), y.floor() + f64::from(row));
                let key = key.with(col as i64 as u64).with(row as i64 as u64);
                let offset = |axis| 0.5 + self.jitter * (key.with(axis).unit() - 0.5);
                let (dx, dy) = (col + offset(0) - x, row + offset(1) - y);
                let distance = (dx * dx + dy * dy).sqrt();
                top = top.max(1.0 - self.variety * key.unit() - distance);
                second = second.min(distance.max(nearest));
                nearest = nearest.min(distance);
            }
        }
        match self.measure {
            Cellular::Peaks => top,
            Cellular::F1 => nearest,
            Cellular::F2 => second,
            Cellular::F2MinusF1 => second - nearest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points without jitter stand on a grid, so every distance is known.
    #[test]
    fn distances_to_a_regular_grid_are_known() {
        let value = |measure, place| {
            Voronoi { jitter: 0.0, variety: 0.0, spacing: 10.0, measure, ..Voronoi::default() }
                .measured(Key::new(1), place)
        };
        assert_eq!(value(Cellular::F1, [5.0, 5.0]), 0.0);
        assert_eq!(value(Cellular::F2, [5.0, 5.0]), 1.0);
        assert_eq!(value(Cellular::Peaks, [5.0, 5.0]), 1.0);
        assert_eq!(value(Cellular::F2MinusF1, [10.0, 5.0]), 0.0);
        assert_eq!(value(Cellular::Peaks, [10.0, 5.0]), 0.5);
    }

    /// A search that misses a point jumps where the search window moves on.
    #[test]
    fn voronoi_ground_has_no_steps() {
        for measure in [Cellular::Peaks, Cellular::F1, Cellular::F2, Cellular::F2MinusF1] {
            let voronoi = Voronoi { jitter: 1.0, spacing: 10.0, measure, ..Voronoi::default() };
            for line in 0..20 {
                let value =
                    |i: i32| voronoi.measured(Key::new(2), [f64::from(i) * 0.1, f64::from(line) * 13.7]);
                let step = (0..20_000).map(|i| (value(i + 1) - value(i)).abs()).fold(0.0, f64::max);
                // No measure changes faster than two distances do: 2 × 0.1 m in spacings of 10 m.
                assert!(step <= 0.020_001, "{measure:?} jumps by {step} spacings");
            }
        }
    }
}
