//! A part of a grid.

use std::ops::Range;

/// Cells of a grid between two columns and two rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// From west to east.
    pub cols: Range<usize>,
    /// From north to south.
    pub rows: Range<usize>,
}

impl Region {
    /// How many cells it has.
    pub fn len(&self) -> usize {
        self.cols.len() * self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Column and row of its cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let cols = self.cols.clone();
        self.rows.clone().flat_map(move |row| cols.clone().map(move |col| (col, row)))
    }
}
