//! The order in which water passes through the cells.

use super::layout::{Layout, RIM, WAY, WAYS};
use thalweg_field::band;

/// Cells in an order in which every cell comes after all that drain into it.
///
/// As good as the stack of Braun & Willett 2013, and cheaper: from every cell that nothing drains into, it goes down until a
/// cell that still waits for another tributary. What follows one another lies side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// The cells; downstream last.
    pub(super) cells: Vec<u32>,
    /// For each cell how many neighbours drain into it and have not come yet.
    waiting: Vec<u8>,
}

/// It is in the order already.
const DONE: u8 = 0xff;

impl Order {
    /// Puts all cells in order.
    pub(super) fn sort(&mut self, layout: &Layout, ways: &[u8]) {
        self.waiting.resize(layout.len(), 0);
        self.count_donors(layout, ways);
        self.cells.clear();
        self.cells.reserve(layout.cells());
        let offsets = layout.offsets();
        for row in 0..layout.rows {
            let first = layout.at(0, row);
            for start in first..first + layout.cols {
                if self.waiting[start] == 0 {
                    self.go_down(start, ways, &offsets);
                }
            }
        }
        debug_assert_eq!(self.cells.len(), layout.cells(), "water runs in circles");
    }

    #[inline]
    fn go_down(&mut self, start: usize, ways: &[u8], offsets: &[isize; WAYS]) {
        let mut at = start;
        loop {
            self.cells.push(at as u32);
            self.waiting[at] = DONE;
            let Some(&offset) = offsets.get((ways[at] & WAY) as usize) else { return };
            at = at.wrapping_add_signed(offset);
            self.waiting[at] -= 1;
            if self.waiting[at] > 0 {
                return;
            }
        }
    }

    /// A cell drains into this one if its way is the opposite of the way to it.
    fn count_donors(&mut self, layout: &Layout, ways: &[u8]) {
        let (stride, offsets) = (layout.stride, layout.offsets());
        band::for_each_chunk(&mut self.waiting, stride, |row, waiting| {
            if row == 0 || row > layout.rows {
                return waiting.fill(DONE);
            }
            waiting.fill(0);
            let first = row * stride + 1;
            for (way, offset) in offsets.iter().enumerate() {
                let opposite = ((way + WAYS / 2) % WAYS) as u8;
                let beside = &ways[first.wrapping_add_signed(*offset)..][..layout.cols];
                let own = &mut waiting[1..=layout.cols];
                own.iter_mut().zip(beside).for_each(|(own, &way)| *own += u8::from(way & WAY == opposite));
            }
            (waiting[0], waiting[stride - 1]) = (DONE, DONE);
        });
        debug_assert!(ways[0] == RIM);
    }
}
