//! Two pipes through each face, one for each way (Mei et al. 2007): each cell keeps what it sends to its neighbours.
//!
//! | stage | steps of Schmidberger 2024, chapter 4 | file |
//! |---|---|---|
//! | 1 | increasing water height | `add_water.rs` |
//! | 2 | outflow flux | `outflow.rs` |
//! | 3 | water height, velocity, erosion and deposition, evaporation | `move_water.rs` |
//! | 4 | transporting sediment | `carry_sediment.rs` |

mod carry_sediment;
mod edge_pipes;
mod move_water;
mod outflow;
pub(super) mod sweep;

/// Planes of a row, behind those that every row has.
pub(super) mod plane {
    /// Outflow through the pipe to the west neighbour, and so on `[m³/s]`.
    pub(crate) const WEST: usize = 3;
    pub(crate) const EAST: usize = 4;
    pub(crate) const NORTH: usize = 5;
    pub(crate) const SOUTH: usize = 6;
    pub(crate) const NORTH_WEST: usize = 7;
    pub(crate) const NORTH_EAST: usize = 8;
    pub(crate) const SOUTH_WEST: usize = 9;
    pub(crate) const SOUTH_EAST: usize = 10;

    /// The pipe to a neighbour so many columns to the east and rows to the south.
    pub(crate) fn toward(to: [isize; 2]) -> usize {
        match to {
            [-1, 0] => WEST,
            [1, 0] => EAST,
            [0, -1] => NORTH,
            [0, 1] => SOUTH,
            [-1, -1] => NORTH_WEST,
            [1, -1] => NORTH_EAST,
            [-1, 1] => SOUTH_WEST,
            _ => SOUTH_EAST,
        }
    }
}

/// Planes of a row with or without pipes to diagonal neighbours.
pub(super) fn planes(diagonal: bool) -> usize {
    if diagonal { 11 } else { 7 }
}

/// Rows that one step reaches beyond its own: outflow one, moved water one more, carried sediment one more.
pub(super) const REACH: usize = 3;
