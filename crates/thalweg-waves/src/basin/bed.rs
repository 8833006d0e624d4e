//! How deep the water is.

use crate::plane::Vec2;
use thalweg_field::Heightfield;

/// Depth of the water at rest, below zero where the ground stands out of it.
#[derive(Clone, Debug)]
pub(super) struct Bed {
    depth: Heightfield,
    least: f64,
}

impl Bed {
    pub(super) fn new(depth: &Heightfield) -> Self {
        let least = depth.height.range().map_or(0.0, |(least, _)| f64::from(least));
        Self { depth: depth.clone(), least: least.max(0.0) }
    }

    pub(super) fn depth(&self, place: Vec2) -> f64 {
        let [col, row] = self.depth.cell_from_local(place);
        f64::from(self.depth.height.bilinear(col, row)).max(0.0)
    }

    /// Of the shallowest water `[m]`.
    pub(super) fn least(&self) -> f64 {
        self.least
    }

    pub(super) fn cell(&self) -> f64 {
        self.depth.frame.cell
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.depth.height.len() * size_of::<f32>()) as u64
    }
}
