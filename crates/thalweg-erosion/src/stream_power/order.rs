//! The order in which water passes through the cells.

use super::layout::{Layout, RIM, WAY, WAYS};
use fearless_simd::{Level, Simd, dispatch};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use thalweg_field::band::{self, Cut};

/// Catchments that one thread goes through one after the other.
pub(super) const GROUP: usize = 16;
/// Cells that climb side by side: enough that none waits for another, so few that they stay in a neighbourhood that fits into
/// the cache. Measured best of 8, 32 and 128.
const ABREAST: usize = 8;

/// Cells in an order in which every cell comes after the one that it drains to.
///
/// As good as the stack of Braun & Willett 2013, and faster: some cells climb side by side, so that neighbours in the order do
/// not wait for each other. Catchments follow one another, and threads can take some each.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// The catchments of the outlets; their cells, upstream last, are the order.
    climb: Climb,
    /// The place of each cell of the terrain.
    pub(super) place: Places,
    /// Where each group of catchments ends.
    ends: Vec<u32>,
    outlets: Vec<u32>,
}

/// What finding an order needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Climb {
    /// For each cell a bit for every neighbour that drains into it.
    donors: Vec<u8>,
    groups: Vec<Catchments>,
}

/// Some catchments, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Catchments {
    /// Their cells, each after the one that it drains to; then room.
    cells: Vec<u32>,
    /// For each the place in `cells` of the one that it drains to; its own for a root.
    below: Vec<u32>,
    /// Where each catchment ends.
    ends: Vec<u32>,
    /// Cells that come next, the last first, each with the place of the one that it drains to; then room.
    next: Vec<[u32; 2]>,
}

impl Order {
    /// Puts all cells in order. Every one must drain to an outlet.
    pub(super) fn sort(&mut self, layout: &Layout, ways: &[u8]) {
        if self.outlets.is_empty() {
            self.outlets = layout.outlets().into_iter().map(|at| at as u32).collect();
        }
        let groups = self.climb.from(layout, ways, &self.outlets);
        let mut end = 0;
        self.ends.clear();
        self.ends.extend(groups.iter().map(|group| {
            end += group.len();
            end as u32
        }));
        debug_assert_eq!(end, layout.cells(), "water runs in circles");
        self.place.resize(layout.len());
        self.for_each((), |stretch, ()| {
            for (&cell, here) in stretch.cells.iter().zip(stretch.begin..) {
                self.place.set(cell as usize, here as u32);
            }
        });
    }

    /// The cells where water leaves.
    pub(super) fn outlets(&self) -> &[u32] {
        &self.outlets
    }

    /// How many cells there are.
    pub(super) fn len(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// The stretches that the order is made of, one after the other.
    pub(super) fn stretches(&self) -> impl DoubleEndedIterator<Item = Stretch<'_>> {
        (0..self.ends.len()).map(|number| self.stretch(number))
    }

    fn stretch(&self, number: usize) -> Stretch<'_> {
        let group = &self.climb.groups[number];
        let begin = self.ends[number] as usize - group.len();
        Stretch { cells: &group.cells[..group.len()], below: &group.below[..group.len()], begin }
    }

    /// Calls `work(stretch, parts)` for every stretch of the order, with the parts of what is kept in the order, and combines
    /// what it returns: always the same stretches in the same order.
    pub(super) fn measure<P: Cut, T: Send>(
        &self,
        parts: P,
        work: impl Fn(Stretch, P) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        self.go_through(0..self.ends.len(), parts, &work, &combine)
    }

    /// The same for work that returns nothing.
    pub(super) fn for_each<P: Cut>(&self, parts: P, work: impl Fn(Stretch, P) + Sync) {
        self.measure(parts, work, |(), ()| ());
    }

    fn go_through<P: Cut, T: Send>(
        &self,
        numbers: Range<usize>,
        parts: P,
        work: &(impl Fn(Stretch, P) -> T + Sync),
        combine: &(impl Fn(T, T) -> T + Sync),
    ) -> T {
        let (first, half) = (self.stretch(numbers.start), numbers.len() / 2);
        if half == 0 {
            return work(first, parts);
        }
        let middle = numbers.start + half;
        let (before, after) = parts.cut(self.stretch(middle).begin - first.begin);
        let (a, b) = band::join(
            || self.go_through(numbers.start..middle, before, work, combine),
            || self.go_through(middle..numbers.end, after, work, combine),
        );
        combine(a, b)
    }
}

/// Some catchments, which are a part of the order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'a> {
    /// Their cells, upstream last.
    pub(super) cells: &'a [u32],
    /// For each the place in the stretch of the cell that it drains to; its own for an outlet.
    pub(super) below: &'a [u32],
    /// The place of the first in the order.
    pub(super) begin: usize,
}

impl<'a> Stretch<'a> {
    /// All but the outlets: their places in the order, the cells, and the places of those that they drain to.
    pub(super) fn drained(self) -> impl DoubleEndedIterator<Item = (usize, usize, usize)> + 'a {
        let pairs = self.cells.iter().zip(self.below).enumerate();
        let places = pairs
            .map(move |(here, (&at, &below))| (self.begin + here, at as usize, self.begin + below as usize));
        places.filter(|(here, _, below)| here != below)
    }
}

impl Climb {
    /// Climbs the catchments of some roots, in groups.
    pub(super) fn from(&mut self, layout: &Layout, ways: &[u8], roots: &[u32]) -> &[Catchments] {
        self.donors.resize(layout.len(), 0);
        find_donors(layout, ways, &mut self.donors);
        let count = roots.len().div_ceil(GROUP);
        if self.groups.len() < count {
            self.groups.resize_with(count, Catchments::default);
        }
        let (donors, offsets) = (&self.donors[..], layout.offsets());
        band::for_each(&mut self.groups[..count], |number, group| {
            let roots = &roots[number * GROUP..];
            group.climb(&roots[..roots.len().min(GROUP)], donors, &offsets);
        });
        &self.groups[..count]
    }
}

/// The cells of the catchment of one of the roots that were climbed.
pub(super) fn catchment(groups: &[Catchments], root: usize) -> &[u32] {
    let (group, number) = (&groups[root / GROUP], root % GROUP);
    let begin = if number == 0 { 0 } else { group.ends[number - 1] as usize };
    &group.cells[begin..group.ends[number] as usize]
}

impl Catchments {
    fn len(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    fn climb(&mut self, roots: &[u32], donors: &[u8], offsets: &[isize; WAYS]) {
        // The way of no donor at all is behind the last.
        let mut steps = [0_u32; 2 * WAYS];
        steps.iter_mut().zip(offsets).for_each(|(step, &offset)| *step = offset as u32);
        self.ends.clear();
        let mut end = 0;
        for &root in roots {
            self.make_room(end, 1);
            self.next[0] = [root, end as u32];
            let mut waiting = 1;
            while waiting > 0 {
                let count = waiting.min(ABREAST);
                waiting -= count;
                self.make_room(end + count, waiting + (WAYS + 1) * ABREAST);
                // All of them are copied, which needs no guess how many there are.
                let mut batch = [[0; 2]; ABREAST];
                batch.copy_from_slice(&self.next[waiting..][..ABREAST]);
                let (cells, below) = (&mut self.cells[end..][..count], &mut self.below[end..][..count]);
                for (i, &[cell, from]) in batch[..count].iter().enumerate() {
                    (cells[i], below[i]) = (cell, from);
                    let bits = donors[cell as usize];
                    note_next(&mut self.next[waiting..][..WAYS], [cell, (end + i) as u32], bits, &steps);
                    waiting += bits.count_ones() as usize;
                }
                end += count;
            }
            self.ends.push(end as u32);
        }
    }

    fn make_room(&mut self, cells: usize, waiting: usize) {
        if self.cells.len() < cells {
            self.cells.resize(2 * cells, 0);
            self.below.resize(2 * cells, 0);
        }
        if self.next.len() < waiting {
            self.next.resize(2 * waiting, [0; 2]);
        }
    }
}

/// Writes down the donors of a cell, each with the place of the cell. Most cells have one donor, none or two: writing two and
/// counting afterwards needs no guess.
#[inline(always)]
fn note_next(next: &mut [[u32; 2]], [cell, place]: [u32; 2], bits: u8, steps: &[u32; 2 * WAYS]) {
    let donor = |bits: u8| [cell.wrapping_add(steps[bits.trailing_zeros() as usize % (2 * WAYS)]), place];
    let more = bits & bits.wrapping_sub(1);
    (next[0], next[1]) = (donor(bits), donor(more));
    let mut rest = more & more.wrapping_sub(1);
    for next in &mut next[2..] {
        if rest == 0 {
            break;
        }
        *next = donor(rest);
        rest &= rest - 1;
    }
}

/// A neighbour drains into a cell if its way is the opposite of the way to it.
fn find_donors(layout: &Layout, ways: &[u8], donors: &mut [u8]) {
    let (stride, offsets, level) = (layout.stride, layout.offsets(), Level::new());
    debug_assert!(ways[0] == RIM);
    band::for_each_chunk(donors, stride, |row, donors| {
        donors.fill(0);
        if row == 0 || row > layout.rows {
            return;
        }
        let own = &mut donors[1..=layout.cols];
        for (way, offset) in offsets.iter().enumerate() {
            let beside = &ways[(row * stride + 1).wrapping_add_signed(*offset)..][..layout.cols];
            dispatch!(level, simd => note_donors(simd, way, beside, own));
        }
    });
}

#[inline(always)]
fn note_donors<S: Simd>(_: S, way: usize, beside: &[u8], donors: &mut [u8]) {
    let opposite = ((way + WAYS / 2) % WAYS) as u8;
    for (donors, &beside) in donors.iter_mut().zip(beside) {
        *donors |= u8::from(beside & WAY == opposite) << way;
    }
}

/// A number for each cell, each of which one thread writes once.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<AtomicU32>);

impl Places {
    fn resize(&mut self, length: usize) {
        self.0.resize_with(length, AtomicU32::default);
    }

    #[inline(always)]
    fn set(&self, cell: usize, place: u32) {
        self.0[cell].store(place, Relaxed);
    }

    /// The place of a cell.
    #[inline(always)]
    pub(super) fn of(&self, cell: usize) -> usize {
        self.0[cell].load(Relaxed) as usize
    }

    /// Brings values from the order to the cells of a row, which is counted with the rim.
    #[inline(always)]
    pub(super) fn fetch<'a>(
        &'a self,
        layout: &Layout,
        row: usize,
        values: &'a [f64],
    ) -> impl ExactSizeIterator<Item = f64> + 'a {
        let places = layout.cells_of(&self.0, row, &(0..layout.cols));
        places.iter().map(|place| values[place.load(Relaxed) as usize])
    }
}

impl Clone for Places {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|place| AtomicU32::new(place.load(Relaxed))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::OUTLET;
    use super::*;
    use thalweg_field::{Edge, Edges};

    /// Everything runs to the west, by ways that are drawn among the three.
    #[test]
    fn every_cell_comes_once_and_after_the_one_that_it_drains_to() {
        let layout = Layout::new(40, 33, 1.0, &Edges { west: Edge::Open, ..Edges::default() });
        let mut ways = layout.filled(RIM);
        for row in 0..layout.rows {
            for col in 0..layout.cols {
                let drawn = [4, 3, 5][(col * 7 + row * 13 + col * row) % 3];
                let leads = match drawn {
                    3 if row == 0 => 4,
                    5 if row + 1 == layout.rows => 4,
                    way => way,
                };
                ways[layout.at(col, row)] = if col == 0 { OUTLET } else { leads };
            }
        }
        let mut order = Order::default();
        order.sort(&layout, &ways);
        let mut seen = layout.filled(false);
        for Stretch { cells, below, begin } in order.stretches() {
            for (here, (&cell, &below)) in cells.iter().zip(below).enumerate() {
                let at = cell as usize;
                assert!(!std::mem::replace(&mut seen[at], true), "cell {at} twice");
                assert_eq!(order.place.of(at), begin + here);
                let expected = match ways[at] {
                    OUTLET => at,
                    way => at.wrapping_add_signed(layout.offsets()[way as usize]),
                };
                assert_eq!(cells[below as usize] as usize, expected);
                assert!(below as usize <= here);
            }
        }
        assert_eq!(order.len(), layout.cells());
    }
}
