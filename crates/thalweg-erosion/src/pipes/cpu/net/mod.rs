//! One net flow through each face of a cell: shallow water that keeps its momentum, held back by the bed.
//!
//! The faces of a cell to the east, south, south-east and south-west are its own; the others are its neighbours'. A flow is
//! positive away from the cell that owns the face.
//!
//! | stage | what happens | file |
//! |---|---|---|
//! | 1 | the drop of the surface pushes every flow | `push.rs` |
//! | 2 | the bed's drag and the water that is there hold back what leaves a cell | `throttle.rs` |
//! | 3 | water and sediment move; bed and water exchange sediment; water evaporates | `move_water.rs` |
//! | 4 | water comes | `add_water.rs` |
//!
//! Water comes last, so that a steady flow is as deep after a step as the drag that holds it says.

pub(super) mod edge_flows;
pub(super) mod faces;
pub(super) mod move_water;
pub(super) mod push;
pub(super) mod sweep;
pub(super) mod throttle;

/// Planes of a row, behind those that every row has.
pub(super) mod plane {
    /// What the bed is higher than its plane tells, less than that can resolve.
    pub(crate) const BED_REST: usize = 3;
    /// Flow through the face to the east neighbour, and so on `[m³/s]`.
    pub(crate) const EAST: usize = 4;
    pub(crate) const SOUTH: usize = 5;
    pub(crate) const SOUTH_EAST: usize = 6;
    pub(crate) const SOUTH_WEST: usize = 7;

    /// The flow of a cell's own face to a neighbour so many columns to the east and rows to the south.
    pub(crate) fn toward(to: [isize; 2]) -> Option<usize> {
        match to {
            [1, 0] => Some(EAST),
            [0, 1] => Some(SOUTH),
            [1, 1] => Some(SOUTH_EAST),
            [-1, 1] => Some(SOUTH_WEST),
            _ => None,
        }
    }
}

/// Planes of a row with or without flows across corners.
pub(super) fn planes(diagonal: bool) -> usize {
    if diagonal { 8 } else { 6 }
}

/// Rows that one step reaches beyond its own: what holds a flow back lies one row on, what pushes it one more.
pub(super) const REACH: usize = 2;
