//! Waters on top of each other.

use crate::{WaterPoint, WaterSurface};

/// The sum of several surfaces: a sea, and waves that run over it.
///
/// Waves are seen where they are, not where the others take them: right while those are much longer or much lower.
pub struct Sum<'a>(pub &'a [&'a dyn WaterSurface]);

impl std::fmt::Debug for Sum<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "Sum of {} surfaces", self.0.len())
    }
}

impl WaterSurface for Sum<'_> {
    fn at(&self, place: [f64; 2]) -> WaterPoint {
        self.0.iter().fold(WaterPoint::default(), |sum, water| sum.plus(1.0, water.at(place)))
    }

    fn felt_at(&self, place: [f64; 2], body: usize) -> WaterPoint {
        self.0.iter().fold(WaterPoint::default(), |sum, water| sum.plus(1.0, water.felt_at(place, body)))
    }
}
