//! Numbers of cells in space, of which few have one: kept for blocks of cells.

/// Cells along each side of a block, as a power of two, and in it.
const BITS: usize = 3;
const BLOCK: usize = 1 << (3 * BITS);
/// No number, of a cell or of a block.
pub(super) const NONE: u32 = u32::MAX;

/// Cells to the east, to the north and up.
pub(super) type Cell = [usize; 3];

/// A number for each cell that has one.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// Cells and blocks along each side.
    cells: Cell,
    blocks: Cell,
    /// Where the numbers of each block are; [`NONE`] for one without.
    starts: Vec<u32>,
    /// The blocks that have some, one after the other.
    owners: Vec<usize>,
    slots: Vec<[u32; BLOCK]>,
}

impl Slots {
    /// For a box of so many cells, none of which has a number.
    pub(super) fn new(cells: Cell) -> Self {
        let blocks = cells.map(blocks_along);
        Self { cells, blocks, starts: vec![NONE; blocks.iter().product()], ..Self::default() }
    }

    /// Memory for a box of so many cells, before one has a number `[bytes]`.
    pub(super) fn memory_of(cells: Cell) -> u64 {
        cells.iter().map(|&count| blocks_along(count) as u64).product::<u64>() * size_of::<u32>() as u64
    }

    /// Cells along each side.
    #[inline(always)]
    pub(super) fn cells(&self) -> Cell {
        self.cells
    }

    /// The block of a cell, and where in it.
    #[inline(always)]
    fn place(&self, [x, y, z]: Cell) -> (usize, usize) {
        const WITHIN: usize = (1 << BITS) - 1;
        let block = (x >> BITS) + self.blocks[0] * ((y >> BITS) + self.blocks[1] * (z >> BITS));
        (block, (x & WITHIN) | (y & WITHIN) << BITS | (z & WITHIN) << (2 * BITS))
    }

    /// The number of a cell, or [`NONE`].
    #[inline(always)]
    pub(super) fn at(&self, cell: Cell) -> u32 {
        let (block, within) = self.place(cell);
        match self.starts[block] {
            NONE => NONE,
            start => self.slots[start as usize][within],
        }
    }

    /// Gives a cell a number.
    pub(super) fn set(&mut self, cell: Cell, slot: u32) {
        let (block, within) = self.place(cell);
        if self.starts[block] == NONE {
            self.starts[block] = self.slots.len() as u32;
            self.owners.push(block);
            self.slots.push([NONE; BLOCK]);
        }
        self.slots[self.starts[block] as usize][within] = slot;
    }

    /// Takes all numbers back.
    pub(super) fn clear(&mut self) {
        self.owners.drain(..).for_each(|block| self.starts[block] = NONE);
        self.slots.clear();
    }
}

fn blocks_along(cells: usize) -> usize {
    cells.div_ceil(1 << BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells on both sides of every border between blocks, and at the ends of the box.
    #[test]
    fn a_cell_has_its_own_number_until_all_are_taken_back() {
        let cells = [19, 9, 25];
        let mut slots = Slots::new(cells);
        let all = || (0..19 * 9 * 25).map(|n: usize| [n % 19, n / 19 % 9, n / 19 / 9]);
        for round in 0..2_u32 {
            assert!(all().all(|cell| slots.at(cell) == NONE), "a number is left in round {round}");
            let chosen = || all().enumerate().filter(|(n, _)| n % 7 == round as usize);
            chosen().for_each(|(n, cell)| slots.set(cell, n as u32));
            for (n, cell) in all().enumerate() {
                let expected = if n % 7 == round as usize { n as u32 } else { NONE };
                assert_eq!(slots.at(cell), expected, "{cell:?}");
            }
            slots.clear();
        }
    }

    #[test]
    fn a_large_box_costs_what_its_few_cells_with_numbers_do() {
        let cells = [512; 3];
        assert_eq!(Slots::memory_of(cells), 1 << 20);
        let mut slots = Slots::new(cells);
        slots.set([511, 0, 300], 5);
        assert_eq!((slots.at([511, 0, 300]), slots.slots.len()), (5, 1));
    }
}
