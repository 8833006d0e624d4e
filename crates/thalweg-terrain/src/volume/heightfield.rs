//! Heightfields as volumes, and back.

use super::{SURFACE, Volume};
use thalweg_field::{Frame, Grid2, Heightfield, Invalid};

impl Volume {
    /// The ground below a heightfield, with voxels as wide as its cells, and so many of them from a bottom upwards.
    pub fn from_heightfield(ground: &Heightfield, bottom: f64, up: usize) -> Result<Self, Invalid> {
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let cell = ground.frame.cell;
        let upright = upright(ground);
        Self::from_depths([cols, rows, up], cell, bottom, |[east, north, height], row| {
            let [col, line] = ground.cell_from_local([east, north]).map(|n| n.round() as usize);
            for (n, depth) in row.iter_mut().enumerate() {
                let below = f64::from(ground.height.at(col + n, line)) - height;
                *depth = below as f32 * upright.at(col + n, line);
            }
        })
    }

    /// The uppermost surface; the bottom where a column has no rock. Caves and overhangs are lost.
    pub fn heightfield(&self) -> Heightfield {
        let [cols, rows, up] = self.size();
        let height = Grid2::from_fn(cols, rows, |col, row| {
            let share = |z: isize| self.share([col as isize, (rows - 1 - row) as isize, z]);
            let top = (0..up as isize).rev().find(|&z| share(z) > SURFACE);
            let height = top.map_or(0.0, |z| {
                let [rock, air] = [share(z), share(z + 1)];
                z as f64 + 0.5 + f64::from((rock - SURFACE) / (rock - air))
            });
            (self.bottom() + height.min(up as f64) * self.voxel()) as f32
        });
        Heightfield { height, frame: Frame::with_cell(self.voxel()) }
    }
}

/// Cosine of the slope: what is so far below a slope is nearer to it than that.
pub(super) fn upright(ground: &Heightfield) -> Grid2<f32> {
    let per_cell = (0.5 / ground.frame.cell) as f32;
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |col, row| {
        let at = |by: [isize; 2]| ground.height.at_clamped(col as isize + by[0], row as isize + by[1]);
        let [east, south] = [at([1, 0]) - at([-1, 0]), at([0, 1]) - at([0, -1])].map(|rise| rise * per_cell);
        1.0 / (1.0 + east * east + south * south).sqrt()
    })
}
