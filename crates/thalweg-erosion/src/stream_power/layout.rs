//! Cells with a rim around them, and the ways between them.

use std::ops::Range;
use thalweg_field::{Edge, Edges, Grid2};

/// Neighbours of a cell, counter-clockwise from the east. Odd ones are diagonal, and k + 4 is opposite to k.
pub(super) const WAYS: usize = 8;
/// The code of a cell without a way down.
pub(super) const PIT: u8 = 8;
/// The code of a cell where water leaves the terrain.
pub(super) const OUTLET: u8 = 9;
/// The code of the rim.
pub(super) const RIM: u8 = 10;
/// The part of a code that tells the way.
pub(super) const WAY: u8 = 0x0f;
/// The part of a code that tells that a cell lies under standing water.
pub(super) const UNDER_WATER: u8 = 0x10;
/// The part of a code that tells that all water of a lake runs through a cell.
pub(super) const SPILL: u8 = 0x20;

/// How cells lie in memory: rows one after the other, with a rim of one cell all around that is no ground.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) cols: usize,
    pub(super) rows: usize,
    /// Side of a cell `[m]`.
    pub(super) cell: f64,
    /// Cells from one row to the next.
    pub(super) stride: usize,
    /// Whether water leaves over the northern, eastern, southern and western edge, and the level beyond it `[m]`.
    pub(super) edges: [Option<f64>; 4],
}

impl Layout {
    pub(super) fn new(cols: usize, rows: usize, cell: f64, edges: &Edges) -> Self {
        let outlet = |edge| match edge {
            Edge::Closed => None,
            Edge::Open => Some(f64::NEG_INFINITY),
            Edge::Level(level) => Some(level),
        };
        Self { cols, rows, cell, stride: cols + 2, edges: edges.sides().map(outlet) }
    }

    /// Cells with the rim.
    pub(super) fn len(&self) -> usize {
        self.stride * (self.rows + 2)
    }

    /// Cells of the terrain.
    pub(super) fn cells(&self) -> usize {
        self.cols * self.rows
    }

    pub(super) fn at(&self, col: usize, row: usize) -> usize {
        (row + 1) * self.stride + col + 1
    }

    /// Column and row of a cell.
    pub(super) fn place(&self, at: usize) -> [usize; 2] {
        [at % self.stride - 1, at / self.stride - 1]
    }

    /// How far it is in memory to each neighbour.
    pub(super) fn offsets(&self) -> [isize; WAYS] {
        let s = self.stride as isize;
        [1, 1 - s, -s, -s - 1, -1, s - 1, s, s + 1]
    }

    /// How far it is on the ground to a neighbour `[m]`.
    pub(super) fn distance(&self, way: u8) -> f64 {
        if way & 1 == 1 { self.cell * std::f64::consts::SQRT_2 } else { self.cell }
    }

    /// The level beyond the edge that a cell lies at, if water leaves there: the higher of two at a corner.
    pub(super) fn outlet(&self, col: usize, row: usize) -> Option<f64> {
        let [north, east, south, west] = self.edges;
        let sides = [
            (row == 0, north),
            (col + 1 == self.cols, east),
            (row + 1 == self.rows, south),
            (col == 0, west),
        ];
        sides.into_iter().filter_map(|(here, level)| if here { level } else { None }).reduce(f64::max)
    }

    /// Every outlet.
    pub(super) fn outlets(&self) -> Vec<usize> {
        let (cols, rows) = (self.cols, self.rows);
        let inner = (1..rows.saturating_sub(1)).flat_map(|row| [(0, row), (cols - 1, row)]);
        let ends = (0..cols).flat_map(|col| [(col, 0), (col, rows - 1)]);
        let mut all: Vec<_> = ends
            .chain(inner)
            .filter(|&(col, row)| self.outlet(col, row).is_some())
            .map(|(col, row)| self.at(col, row))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Values of some columns in a row, which is counted with the rim.
    #[inline(always)]
    pub(super) fn cells_of<'a, T>(&self, all: &'a [T], row: usize, cols: &Range<usize>) -> &'a [T] {
        &all[row * self.stride + 1 + cols.start..][..cols.len()]
    }

    /// A value for every cell, and one for the rim.
    pub(super) fn filled<T: Copy>(&self, value: T) -> Vec<T> {
        vec![value; self.len()]
    }

    /// Puts a rim around a grid.
    pub(super) fn padded<T: Copy, U: Copy>(&self, grid: &Grid2<T>, rim: U, value: impl Fn(T) -> U) -> Vec<U> {
        let mut all = self.filled(rim);
        for row in 0..self.rows {
            let to = &mut all[self.at(0, row)..][..self.cols];
            to.iter_mut().zip(grid.row(row)).for_each(|(to, &from)| *to = value(from));
        }
        all
    }

    /// Takes the rim off.
    pub(super) fn grid<T: Copy + Sync>(&self, all: &[T], value: impl Fn(T) -> f32 + Sync) -> Grid2<f32> {
        Grid2::from_fn(self.cols, self.rows, |col, row| value(all[self.at(col, row)]))
    }
}
