//! The cells between the middles of voxels, looked up one by one.

use super::{Block, SIDE, Volume, within_block};
use crate::marching_cubes::Cell;

impl Volume {
    /// The cell whose lowest corner is the middle of a voxel; outside the box there is air.
    #[inline]
    pub fn cell(&self, at: [isize; 3]) -> Cell {
        let within = |axis: usize| usize::try_from(at[axis]).ok().filter(|&n| n + 1 < self.size[axis]);
        if let (Some(x), Some(y), Some(z)) = (within(0), within(1), within(2)) {
            let last = SIDE - 1;
            if x % SIDE < last && y % SIDE < last && z % SIDE < last {
                return match &self.blocks[self.block_of([x, y, z])] {
                    Block::Even(share) => Cell([*share; 8]),
                    Block::Dense(shares) => {
                        let first = within_block([x, y, z]);
                        let row = |n: usize| first + n % 2 * SIDE + n / 2 * SIDE * SIDE;
                        let [a, b, c, d] = [0, 1, 2, 3].map(|n| [shares[row(n)], shares[row(n) + 1]]);
                        Cell([a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]])
                    }
                };
            }
        }
        Cell(std::array::from_fn(|n| {
            self.share(std::array::from_fn(|axis| at[axis] + (n >> axis & 1) as isize))
        }))
    }
}
