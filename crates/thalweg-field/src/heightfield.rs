//! Ground as a grid of heights, and where on earth it lies.

use crate::Grid2;

/// How the cells of a grid lie in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Side of a square cell `[m]`.
    pub cell: f64,
    /// World position (east, north) of the south-west corner of the grid `[m]`.
    pub origin: [f64; 2],
    /// Name of the coordinate system the origin is given in, such as `EPSG:32611`, where known.
    pub crs: Option<String>,
}

impl Frame {
    /// Cells of `cell` metres with the south-west corner at the world's origin.
    pub fn with_cell(cell: f64) -> Self {
        Self { cell, origin: [0.0, 0.0], crs: None }
    }
}

/// Bed heights in metres on square cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    /// Height of the bed at each cell centre `[m]`.
    pub height: Grid2<f32>,
    /// Cell size and position.
    pub frame: Frame,
}

impl Heightfield {
    /// Extent to the east and to the north `[m]`.
    pub fn extent(&self) -> [f64; 2] {
        [self.height.cols() as f64 * self.frame.cell, self.height.rows() as f64 * self.frame.cell]
    }

    /// Place of a cell's centre, in metres east and north of the south-west corner.
    pub fn local_from_cell(&self, col: usize, row: usize) -> [f64; 2] {
        let rows = self.height.rows() as f64;
        [(col as f64 + 0.5) * self.frame.cell, (rows - row as f64 - 0.5) * self.frame.cell]
    }

    /// Fractional column and row (cell centres at whole numbers) of a place given in metres east and
    /// north of the south-west corner.
    pub fn cell_from_local(&self, place: [f64; 2]) -> [f64; 2] {
        let rows = self.height.rows() as f64;
        [place[0] / self.frame.cell - 0.5, rows - place[1] / self.frame.cell - 0.5]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_up_and_places_come_back() {
        let ground = Heightfield { height: Grid2::filled(8, 4, 0.0), frame: Frame::with_cell(2.0) };
        assert_eq!(ground.local_from_cell(0, 0), [1.0, 7.0]);
        assert_eq!(ground.local_from_cell(7, 3), [15.0, 1.0]);
        assert_eq!(ground.cell_from_local(ground.local_from_cell(5, 2)), [5.0, 2.0]);
    }
}
