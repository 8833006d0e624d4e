//! The open sea, beyond every grid.

use crate::Grid2;

/// Waves of the open sea, and how high the water stands: everything that lies lower than `level` is under water, as far as
/// the eye reaches. Inside the grid of a snapshot these waves have the share that its field `sea_share` tells, and its
/// field `waves` lies on top of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sea {
    /// Height of the water at rest `[m]`.
    pub level: f32,
    /// Waves that repeat, in squares of different size; they add up.
    pub patches: Vec<SeaPatch>,
    /// Depth of the sea outside the grid `[m]`.
    pub depth: f32,
}

/// A square of waves that repeats in all directions. Its grids have one shape; like all grids their first row lies in the
/// north, and a value belongs to the middle of its cell.
#[derive(Clone, Debug, PartialEq)]
pub struct SeaPatch {
    /// Side of the square `[m]`.
    pub side: f32,
    /// South-west corner of one of its copies, east and north of the scene's origin `[m]`.
    pub corner: [f32; 2],
    /// Height of what was at a place at rest above the sea's level `[m]`.
    pub height: Grid2<f32>,
    /// How far it has moved to the east `[m]`; empty where waves only rise and fall.
    pub east: Grid2<f32>,
    /// How far it has moved to the north `[m]`; empty where waves only rise and fall.
    pub north: Grid2<f32>,
    /// Share of the surface that foam covers `[-]`; empty if nobody keeps it: it is drawn where crests fold.
    pub foam: Grid2<f32>,
}

impl Sea {
    /// Flat water without an end `[m]`.
    pub fn at_rest(level: f32, depth: f32) -> Self {
        Self { level, patches: Vec::new(), depth }
    }
}

impl SeaPatch {
    /// Whether all its grids can be drawn: square cells, one shape, a size.
    pub fn is_whole(&self) -> bool {
        let fits = |grid: &Grid2<f32>| grid.is_empty() || grid.same_shape(&self.height);
        let square = self.height.cols() == self.height.rows() && !self.height.is_empty();
        square
            && self.side.is_finite()
            && self.side > 0.0
            && [&self.east, &self.north, &self.foam].into_iter().all(fits)
            && self.east.is_empty() == self.north.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_whose_grids_do_not_fit_together_is_not_whole() {
        let grid = |side: usize| Grid2::filled(side, side, 0.0_f32);
        let none = || grid(0);
        let patch =
            |height, east, north, foam| SeaPatch { side: 9.0, corner: [0.0; 2], height, east, north, foam };
        assert!(patch(grid(4), grid(4), grid(4), grid(4)).is_whole());
        assert!(patch(grid(4), none(), none(), none()).is_whole());
        assert!(!patch(grid(4), grid(4), none(), none()).is_whole(), "half of a displacement");
        assert!(!patch(grid(4), none(), none(), grid(8)).is_whole(), "foam of another shape");
        assert!(!patch(none(), none(), none(), none()).is_whole(), "nothing");
        assert!(!patch(Grid2::filled(4, 2, 0.0), none(), none(), none()).is_whole(), "no square");
        assert!(!SeaPatch { side: 0.0, ..patch(grid(4), none(), none(), none()) }.is_whole(), "no size");
    }
}
