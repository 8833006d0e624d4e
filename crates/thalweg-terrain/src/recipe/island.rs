//! Edges that sink into the sea.

use super::{height, size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::{describe::within, units};

/// Lets the ground fall to one height along all four edges of the terrain, with rounded corners.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Island {
    /// Distance from the edge over which the ground falls `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = size().slider(100.0, 1.0e4))]
    pub shore: f64,
    /// Exponent of the fall `[-]`: 1 is even, more leaves a wider shelf and a steeper coast.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.1, 16.0).slider(0.5, 4.0))]
    pub sharpness: f64,
    /// Height of the edges `[m]`; 0 is sea level, less puts the coast inside the terrain.
    #[serde(with = "units::Length")]
    #[schemars(transform = height().slider(-1000.0, 100.0))]
    pub floor: f64,
}

impl Default for Island {
    fn default() -> Self {
        Self { shore: 2000.0, sharpness: 1.0, floor: 0.0 }
    }
}

impl Island {
    /// The height at a place once the edges have sunk `[m]`.
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
