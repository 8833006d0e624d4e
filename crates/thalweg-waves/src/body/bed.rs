//! The bed under the water, as bodies meet it.

use super::obstacle::Obstacle;
use super::vector::{Vector, unit_or_zero};
use thalweg_field::Heightfield;

/// The bed under the water.
#[derive(Clone, Debug)]
pub(super) struct Bed {
    pub(super) ground: Heightfield,
}

impl Bed {
    /// Height above the world's 0; the outermost cells go on beyond the edge `[m]`.
    fn height(&self, place: [f64; 2]) -> f64 {
        let [col, row] = self.ground.cell_from_local(place);
        f64::from(self.ground.height.bilinear(col, row))
    }

    /// Whether a ball may touch it.
    pub(super) fn is_near(&self, place: Vector, reach: f64) -> bool {
        let cell = self.ground.frame.cell;
        let steps = ((reach / cell).ceil() as i64).min(64);
        let stride = reach.max(cell) / steps.max(1) as f64;
        (-steps..=steps).any(|j| {
            (-steps..=steps).any(|i| {
                let at = [place[0] + i as f64 * stride, place[1] + j as f64 * stride];
                self.height(at) > place[2] - reach
            })
        })
    }
}

impl Obstacle for Bed {
    fn depth(&self, at: Vector) -> f64 {
        self.height([at[0], at[1]]) - at[2]
    }

    fn normal(&self, at: Vector) -> Vector {
        let reach = 0.5 * self.ground.frame.cell;
        let slope = [0, 1].map(|axis: usize| {
            let height = |sign: f64| {
                let mut place = [at[0], at[1]];
                place[axis] += sign * reach;
                self.height(place)
            };
            (height(1.0) - height(-1.0)) / (2.0 * reach)
        });
        unit_or_zero([-slope[0], -slope[1], 1.0])
    }
}
