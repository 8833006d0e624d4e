//! Upright walls, as bodies meet them.

use super::obstacle::Obstacle;
use super::vector::Vector;

/// What lies farther behind a wall is not in it but on its other side `[m]`.
const THICK: f64 = 2.0;

/// A wall from one place to another, as high as the sky and as deep as the sea, with the water on its left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wall {
    pub(super) ends: [[f64; 2]; 2],
    /// A unit vector.
    along: [f64; 2],
    length: f64,
}

impl Wall {
    /// None if it has no length.
    pub(super) fn new(ends: [[f64; 2]; 2]) -> Option<Self> {
        let way = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
        let length = libm::hypot(way[0], way[1]);
        (length > 0.0).then(|| Self { ends, along: way.map(|x| x / length), length })
    }

    /// Towards the water.
    pub(super) fn left(&self) -> [f64; 2] {
        [-self.along[1], self.along[0]]
    }

    /// How far along it a place is, and how far before it; below zero behind it `[m]`.
    fn seen_from(&self, at: [f64; 2]) -> [f64; 2] {
        let off = [at[0] - self.ends[0][0], at[1] - self.ends[0][1]];
        [self.along, self.left()].map(|way| off[0] * way[0] + off[1] * way[1])
    }

    /// Whether something that reaches so far around a place may touch it.
    pub(super) fn is_near(&self, at: [f64; 2], reach: f64) -> bool {
        let [along, before] = self.seen_from(at);
        let beyond = along - along.clamp(0.0, self.length);
        libm::hypot(beyond, before) < reach
    }
}

impl Obstacle for Wall {
    fn depth(&self, at: Vector) -> f64 {
        let [along, before] = self.seen_from([at[0], at[1]]);
        let is_in = (0.0..=self.length).contains(&along) && before > -THICK;
        if is_in { -before } else { f64::NEG_INFINITY }
    }

    fn normal(&self, _: Vector) -> Vector {
        let [east, north] = self.left();
        [east, north, 0.0]
    }
}
