//! What happens at the edges of a terrain.

use crate::describe::within;
use crate::units;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens at one edge of the terrain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Edge {
    /// A wall.
    #[default]
    Closed,
    /// Water and its sediment leave and are counted; the bed of the edge itself does not erode.
    Open,
    /// A reservoir of clear water that keeps its surface at this height.
    Level(
        /// Height of the surface that a reservoir beyond this edge keeps `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = within(-1.0e6, 1.0e6).slider(-100.0, 1000.0))]
        f64,
    ),
}

/// The four edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Edges {
    /// The northern edge, row 0.
    pub north: Edge,
    /// The eastern edge, the last column.
    pub east: Edge,
    /// The southern edge, the last row.
    pub south: Edge,
    /// The western edge, column 0.
    pub west: Edge,
}

impl Edges {
    /// All four: north, east, south and west.
    pub fn sides(&self) -> [Edge; 4] {
        [self.north, self.east, self.south, self.west]
    }

    /// The same on all four sides.
    pub fn all(edge: Edge) -> Self {
        Self { north: edge, east: edge, south: edge, west: edge }
    }
}
