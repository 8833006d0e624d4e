//! Edges that sink into the sea.

use super::{Check, Invalid};
use serde::{Deserialize, Serialize};
use thalweg_field::units;

/// Lets the ground fall to one height along all four edges of the terrain, with rounded corners.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Island {
    /// Distance from the edge over which the ground falls [m].
    #[serde(deserialize_with = "units::length")]
    pub shore: f64,
    /// Exponent of the fall [-]: 1 is even, more leaves a wider shelf and a steeper coast.
    #[serde(deserialize_with = "units::ratio")]
    pub sharpness: f64,
    /// Height of the edges [m]; 0 is sea level, less puts the coast inside the terrain.
    #[serde(deserialize_with = "units::length")]
    pub floor: f64,
}

impl Default for Island {
    fn default() -> Self {
        Self { shore: 2000.0, sharpness: 1.0, floor: 0.0 }
    }
}

impl Island {
    pub(super) fn check(&self, check: &Check) -> Result<(), Invalid> {
        check.positive("shore", self.shore)?;
        check.within("sharpness", self.sharpness, 0.1, 16.0)?;
        check.height("floor", self.floor)
    }

    /// The height at a place once the edges have sunk [m].
    pub(super) fn sunk(&self, place: [f64; 2], extent: [f64; 2], ground: f64) -> f64 {
        // How far into the shore a place lies, 0 inland and 1 at the edge; both axes count in a corner.
        let into = |axis: usize| {
            let edge = place[axis].min(extent[axis] - place[axis]);
            (1.0 - edge / self.shore).max(0.0)
        };
        let out = (into(0) * into(0) + into(1) * into(1)).sqrt().min(1.0);
        let land = libm::pow(1.0 - out * out * (3.0 - 2.0 * out), self.sharpness);
        self.floor + (ground - self.floor) * land
    }
}
