//! What a row adds to the account of a step.

use crate::lanes::{WIDEST, read, write};
use fearless_simd::Simd;

/// Heights, to be multiplied by the cell's area.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowSums {
    /// Water evaporated.
    pub evaporated: f64,
    /// Bed taken up.
    pub eroded: f64,
    /// Deepest water.
    pub max_depth: f32,
}

/// Adds up what happens to the cells of a row, in as many lanes as the widest vectors have, so that sums do not depend on how wide they
/// are.
pub(super) struct Adding {
    evaporated: [f32; WIDEST],
    eroded: [f32; WIDEST],
}

impl Adding {
    pub(super) const NONE: Self = Self { evaporated: [0.0; WIDEST], eroded: [0.0; WIDEST] };

    /// Counts a vector of cells: water that evaporated and ground that was taken.
    #[inline(always)]
    pub(super) fn count<S: Simd>(&mut self, simd: S, at: usize, [gone, taken]: [S::f32s; 2]) {
        let lane = at % WIDEST;
        write::<S>(read(simd, &self.evaporated, lane) + gone, &mut self.evaporated, lane);
        write::<S>(read(simd, &self.eroded, lane) + taken, &mut self.eroded, lane);
    }

    #[inline(always)]
    pub(super) fn sums(self, max_depth: f32) -> RowSums {
        RowSums {
            evaporated: self.evaporated.into_iter().map(f64::from).sum(),
            eroded: self.eroded.into_iter().map(f64::from).sum(),
            max_depth,
        }
    }
}
