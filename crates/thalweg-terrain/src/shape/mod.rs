//! Ground with a formula: planes, hills, bowls and channels.
//!
//! Directions are bearings: clockwise from north, so 0 is north and 90° east. Places are metres east and
//! north of the south-west corner; a centre left out is the middle of the terrain.

mod canyon;
mod centerline;
mod channel;
mod mound;
mod plane;

pub use canyon::Canyon;
pub use channel::{Ditch, Meander};
pub use mound::{Basin, Bump, Cone};
pub use plane::{Plane, Ramp};

/// Zero up to `from`, one beyond `to`, an S-curve without kinks between.
pub(crate) fn smoothstep(from: f64, to: f64, value: f64) -> f64 {
    if from == to {
        return if value < from { 0.0 } else { 1.0 };
    }
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A line through a place: how far along it and how far to its right other places lie `[m]`.
struct Bearing {
    through: [f64; 2],
    /// East and north part of the direction.
    direction: [f64; 2],
}

impl Bearing {
    fn new(through: [f64; 2], direction: f64) -> Self {
        Self { through, direction: [libm::sin(direction), libm::cos(direction)] }
    }

    fn along_and_right(&self, place: [f64; 2]) -> [f64; 2] {
        let [dx, dy] = [place[0] - self.through[0], place[1] - self.through[1]];
        let [east, north] = self.direction;
        [dx * east + dy * north, dx * north - dy * east]
    }
}
