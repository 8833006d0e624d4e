//! How a row of the state lies in memory.
//!
//! All quantities of one row lie together, plane after plane, so that a row is one run of memory:
//! it is copied to a halo, prefetched and kept in the cache as a whole. Every plane has margins, so that
//! vectors may reach one cell past either end; the cell just outside is the edge's ghost.

use super::{net, two_way};
use crate::lanes::WIDEST;
use fearless_simd::{Simd, prelude::*};
use std::ops::{Deref, DerefMut};
use thalweg_field::Grid2;

/// Values in a cache line.
const LINE: usize = 16;
/// Cells of margin on either side of a plane: whole lines, so that the first cell begins one, and enough for the widest vector
/// moved by a cell.
pub(super) const MARGIN: usize = WIDEST + LINE;

/// Planes that every row has.
pub(super) mod plane {
    pub(crate) const BED: usize = 0;
    pub(crate) const DEPTH: usize = 1;
    pub(crate) const SEDIMENT: usize = 2;
}

/// What flows between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flows {
    /// A pipe for each way through a face (`two_way`).
    TwoWay,
    /// One net flow through each face (`net`).
    Net,
}

impl Flows {
    /// Planes in a row with or without flows to diagonal neighbours.
    pub(super) fn planes(self, diagonal: bool) -> usize {
        match self {
            Self::TwoWay => two_way::planes(diagonal),
            Self::Net => net::planes(diagonal),
        }
    }
}

/// Shape of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Cells of the terrain in a row.
    pub cols: usize,
    /// Rows of the terrain.
    pub rows: usize,
    /// Cells in a row, rounded up to whole vectors.
    pub padded: usize,
    /// Values in a plane of one row.
    pub stride: usize,
    /// What flows between cells.
    pub flows: Flows,
    /// Planes in a row.
    pub planes: usize,
}

impl Layout {
    pub(super) fn new(cols: usize, rows: usize, flows: Flows, diagonal: bool) -> Self {
        let padded = cols.next_multiple_of(WIDEST);
        Self {
            cols,
            rows,
            padded,
            stride: (padded + 2 * MARGIN).next_multiple_of(LINE),
            flows,
            planes: flows.planes(diagonal),
        }
    }

    /// The same, for one loop: of a layout that lies in memory it is not plain that it stays as it is while the loop writes there, and
    /// whether each of a dozen rows is long enough would be asked for every vector.
    #[inline(always)]
    pub(super) fn own_copy(&self) -> Self {
        *self
    }

    /// Values in a row.
    pub(super) fn row_len(&self) -> usize {
        self.stride * self.planes
    }

    /// One plane of a row, margins included.
    #[inline(always)]
    pub(super) fn plane<'a>(&self, row: &'a [f32], plane: usize) -> &'a [f32] {
        &row[plane * self.stride..][..self.stride]
    }

    #[inline(always)]
    pub(super) fn plane_mut<'a>(&self, row: &'a mut [f32], plane: usize) -> &'a mut [f32] {
        &mut row[plane * self.stride..][..self.stride]
    }

    /// The first `N` planes of a row, each to be changed.
    #[inline(always)]
    pub(super) fn planes_mut<'a, const N: usize>(&self, row: &'a mut [f32]) -> [&'a mut [f32]; N] {
        let mut planes = row.chunks_exact_mut(self.stride);
        std::array::from_fn(|_| planes.next().expect("a row holds all its planes"))
    }

    /// The cells of a plane, moved `by` cells to the east; whole vectors.
    #[inline(always)]
    pub(super) fn cells<'a>(&self, plane: &'a [f32], by: isize) -> &'a [f32] {
        &plane[MARGIN.wrapping_add_signed(by)..][..self.padded]
    }

    #[inline(always)]
    pub(super) fn cells_mut<'a>(&self, plane: &'a mut [f32]) -> &'a mut [f32] {
        &mut plane[MARGIN..][..self.padded]
    }

    /// The same with the ghosts at both ends, which lie in the last lane of the first vector and behind the last cell.
    #[inline(always)]
    pub(super) fn wide<'a, S: Simd>(&self, plane: &'a [f32], by: isize) -> &'a [f32] {
        &plane[(MARGIN - S::f32s::LEN).wrapping_add_signed(by)..][..self.width::<S>()]
    }

    #[inline(always)]
    pub(super) fn wide_mut<'a, S: Simd>(&self, plane: &'a mut [f32]) -> &'a mut [f32] {
        &mut plane[MARGIN - S::f32s::LEN..][..self.width::<S>()]
    }

    /// Cells in a row with the ghosts at both ends, rounded up to whole vectors.
    #[inline(always)]
    fn width<S: Simd>(&self) -> usize {
        (S::f32s::LEN + self.cols + 1).next_multiple_of(S::f32s::LEN)
    }

    /// One value for each cell, and 1 for what lies beside them, a vector of the widest on either side.
    pub(super) fn widened(&self, of_cells: &[f32]) -> Vec<f32> {
        let mut wide = vec![1.0; self.padded + 2 * WIDEST];
        wide[WIDEST..][..self.cols].copy_from_slice(&of_cells[..self.cols]);
        wide
    }

    /// Rows that one step reaches beyond its own.
    pub(super) fn reach(&self) -> usize {
        match self.flows {
            Flows::TwoWay => two_way::REACH,
            Flows::Net => net::REACH,
        }
    }

    /// Where the first and the last cell of a plane lie.
    #[inline(always)]
    pub(super) fn ends(&self) -> [usize; 2] {
        [MARGIN, MARGIN + self.cols - 1]
    }
}

/// Values that begin at a cache line: vectors then never straddle two.
#[derive(Debug)]
pub(super) struct Lines {
    values: Vec<f32>,
    start: usize,
    len: usize,
}

impl Lines {
    pub(super) fn new(len: usize, value: f32) -> Self {
        let values = vec![value; len + LINE];
        // Where no offset can be told, any will do: it only costs time.
        let start = Some(values.as_ptr().align_offset(LINE * size_of::<f32>()))
            .filter(|&start| start < LINE)
            .unwrap_or(0);
        Self { values, start, len }
    }
}

impl Clone for Lines {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.len, 0.0);
        copy.copy_from_slice(self);
        copy
    }
}

impl Deref for Lines {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        &self.values[self.start..][..self.len]
    }
}

impl DerefMut for Lines {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.values[self.start..][..self.len]
    }
}

/// A grid that the state is multiplied with, its rows padded to whole vectors.
#[derive(Clone, Debug)]
pub(super) struct PaddedRows {
    padded: usize,
    values: Lines,
}

impl PaddedRows {
    pub(super) fn new(grid: &Grid2<f32>, layout: &Layout) -> Self {
        let mut values = Lines::new(layout.padded * layout.rows, 0.0);
        for (row, cells) in values.chunks_exact_mut(layout.padded).enumerate() {
            cells[..layout.cols].copy_from_slice(grid.row(row));
        }
        Self { padded: layout.padded, values }
    }

    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.padded..][..self.padded]
    }
}
