//! What lies over the ground, and what is around it.

use thalweg_field::{Edge, Edges, Grid2, Invalid, require};

/// What lies over the ground, and what is around it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Land {
    /// Rain on each cell, as a share of the mean `[-]`; missing: the same everywhere.
    pub rain: Option<Grid2<f32>>,
    /// How easily each cell erodes, 0 (never) to 1 (as the parameters say) or more `[-]`; missing: 1.
    pub softness: Option<Grid2<f32>>,
    /// How fast each cell rises, as a share of what the parameters say `[-]`; missing: 1.
    pub uplift: Option<Grid2<f32>>,
    /// The edges of the terrain.
    pub edges: Edges,
    /// Seed of the variation of the rock and of the ways of the water.
    pub seed: u64,
}

impl Land {
    /// Bare land from which water leaves over all four edges.
    pub fn open() -> Self {
        Self { edges: Edges::all(Edge::Open), ..Self::default() }
    }

    /// Checks every number and every grid's shape once, before a run.
    pub fn validated(&self, cols: usize, rows: usize) -> Result<(), Invalid> {
        let drained = self.edges.sides().iter().any(|edge| *edge != Edge::Closed);
        let remedy =
            "rivers need a way out; make one of north, east, south and west \"open\" or { level = HEIGHT }";
        require(drained, "edges", "closed all around", remedy)?;
        for (name, grid) in [("rain", &self.rain), ("softness", &self.softness), ("uplift", &self.uplift)] {
            let Some(grid) = grid else { continue };
            let fits = grid.cols() == cols && grid.rows() == rows;
            require(
                fits,
                name,
                format!("{} by {}", grid.cols(), grid.rows()),
                "it must be as large as the terrain",
            )?;
            let stray = grid.values().iter().copied().find(|&value| !(value >= 0.0 && value.is_finite()));
            require(stray.is_none(), name, stray.unwrap_or(0.0), "it must be 0 or more everywhere")?;
        }
        Ok(())
    }
}
