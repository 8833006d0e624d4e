//! A rectangle of values.

use crate::band;

/// A rectangle of values in row-major order: row 0 is the north edge, column 0 the west edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid2<T> {
    cols: usize,
    rows: usize,
    values: Vec<T>,
}

impl<T: Copy> Grid2<T> {
    /// A grid with the same value everywhere.
    pub fn filled(cols: usize, rows: usize, value: T) -> Self {
        Self { cols, rows, values: vec![value; cols * rows] }
    }

    /// Takes over `values`, which hold `rows` rows of `cols`; `None` if their number does not fit.
    pub fn from_values(cols: usize, rows: usize, values: Vec<T>) -> Option<Self> {
        (cols.checked_mul(rows) == Some(values.len())).then_some(Self { cols, rows, values })
    }

    /// Evaluates `value(col, row)` for every cell, rows in parallel.
    pub fn from_fn(cols: usize, rows: usize, value: impl Fn(usize, usize) -> T + Sync) -> Self
    where
        T: Default + Send,
    {
        let mut grid = Self::filled(cols, rows, T::default());
        grid.for_each_row(|row, cells| {
            for (col, cell) in cells.iter_mut().enumerate() {
                *cell = value(col, row);
            }
        });
        grid
    }

    /// Calls `change(row, cells)` for every row, rows in parallel.
    pub fn for_each_row(&mut self, change: impl Fn(usize, &mut [T]) + Sync)
    where
        T: Send,
    {
        if self.cols > 0 {
            band::for_each_chunk(&mut self.values, self.cols, change);
        }
    }

    /// A grid of the same shape with `f` applied to every value.
    pub fn map<U: Copy>(&self, f: impl Fn(T) -> U) -> Grid2<U> {
        Grid2 { cols: self.cols, rows: self.rows, values: self.values.iter().map(|&v| f(v)).collect() }
    }

    /// Number of columns (west to east).
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of rows (north to south).
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True if there is no cell at all.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value at a cell.
    #[inline]
    pub fn at(&self, col: usize, row: usize) -> T {
        self.row(row)[col]
    }

    /// The value at the cell nearest to a place that may lie outside.
    #[inline]
    pub fn at_clamped(&self, col: isize, row: isize) -> T {
        let col = col.clamp(0, self.cols as isize - 1) as usize;
        let row = row.clamp(0, self.rows as isize - 1) as usize;
        self.values[row * self.cols + col]
    }

    /// Sets the value at a cell.
    pub fn set(&mut self, col: usize, row: usize, value: T) {
        self.row_mut(row)[col] = value;
    }

    /// One row, west to east.
    #[inline]
    pub fn row(&self, row: usize) -> &[T] {
        &self.values[row * self.cols..][..self.cols]
    }

    /// One row, west to east, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        &mut self.values[row * self.cols..][..self.cols]
    }

    /// All values, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values, row after row, to be changed.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Gives the values away, row after row.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }

    /// True if the other grid has as many columns and rows.
    pub fn same_shape<U>(&self, other: &Grid2<U>) -> bool {
        self.cols == other.cols && self.rows == other.rows
    }
}

impl Grid2<f32> {
    /// Smallest and largest finite value; `None` if there is no finite value.
    pub fn range(&self) -> Option<(f32, f32)> {
        let finite = self.values.iter().copied().filter(|v| v.is_finite());
        finite.fold(None, |range, v| match range {
            None => Some((v, v)),
            Some((low, high)) => Some((v.min(low), v.max(high))),
        })
    }

    /// Bilinear value at a place counted in cells from the centre of the north-west cell; outside the
    /// grid the edge value continues.
    pub fn bilinear(&self, col: f64, row: f64) -> f32 {
        let (c, r) = (col.floor(), row.floor());
        let (fc, fr) = ((col - c) as f32, (row - r) as f32);
        let (c, r) = (c as isize, r as isize);
        let north = self.at_clamped(c, r) * (1.0 - fc) + self.at_clamped(c + 1, r) * fc;
        let south = self.at_clamped(c, r + 1) * (1.0 - fc) + self.at_clamped(c + 1, r + 1) * fc;
        north * (1.0 - fr) + south * fr
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_of_the_wrong_length_is_refused() {
        assert!(Grid2::from_values(3, 2, vec![0.0; 5]).is_none());
        assert!(Grid2::from_values(usize::MAX, 2, vec![0.0; 5]).is_none());
        assert!(Grid2::from_values(3, 2, vec![0.0; 6]).is_some());
    }

    #[test]
    fn range_passes_over_what_is_not_finite() {
        let grid = Grid2::from_values(4, 1, vec![f32::NAN, 3.0, -1.0, f32::INFINITY]).unwrap();
        assert_eq!(grid.range(), Some((-1.0, 3.0)));
        assert_eq!(Grid2::filled(2, 2, f32::NAN).range(), None);
    }

    #[test]
    fn bilinear_meets_the_cells_and_halves_between_them() {
        let grid = Grid2::from_fn(3, 3, |c, r| (c + 10 * r) as f32);
        assert_eq!(grid.bilinear(2.0, 1.0), 12.0);
        assert_eq!(grid.bilinear(0.5, 0.5), 5.5);
        assert_eq!(grid.bilinear(-4.0, 9.0), 20.0);
    }
}
