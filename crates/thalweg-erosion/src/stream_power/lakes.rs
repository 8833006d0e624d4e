//! Hollows: how high water stands in them, where it leaves, and which way it runs until then.
//!
//! Every hollow is a basin; basins that touch are joined by passes. From the outlets inwards, the lowest pass is opened first
//! (Cordonnier, Bovy & Braun 2019; the order is that of the priority-flood of Barnes et al. 2014, on basins instead of
//! cells), and so every basin gets the lowest way out there is.

use super::layout::{Layout, PIT, SPILL, UNDER_WATER, WAY, WAYS};
use super::order::{Catchments, Climb, GROUP, Places, catchment};
use super::params::Lakes;
use fearless_simd::{Level, Simd, dispatch};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use thalweg_field::band;

/// How much the floor of a lake that has filled up rises for each metre from its outlet: deltas and fans are never quite level,
/// and what is level has no way down `[-]`.
const FILL_SLOPE: f64 = 1.0e-4;
/// How much a way that water cut out of a hollow falls for each metre `[-]`.
const BREACH_SLOPE: f64 = 1.0e-4;
/// The basin of everything that drains off the terrain.
const OUTSIDE: u32 = 0;

/// A hollow with its water.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lake {
    /// The cell that all its water runs through.
    pub(super) spill: u32,
    /// Its cells, in the list of all.
    first: u32,
    last: u32,
    /// Ground that fits into it, as height of one cell `[m]`.
    pub(super) room: f64,
}

/// A cell of a lake.
#[derive(Clone, Copy, Debug)]
pub(super) struct LakeCell {
    pub(super) cell: u32,
    /// Surface of the water `[m]`.
    pub(super) level: f64,
    /// Where its floor would be if the lake were full `[m]`.
    full: f64,
}

/// A basin that got its way out.
#[derive(Clone, Copy, Debug)]
struct Opened {
    basin: u32,
    /// The cell on this side of the pass, and the way across.
    inside: u32,
    way: u8,
    /// How high water stands `[m]`.
    level: f64,
}

/// What hollows there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Hollows {
    pub(super) lakes: Vec<Lake>,
    pub(super) cells: Vec<LakeCell>,
    /// Ground that breaching took away, as height of one cell `[m]`.
    pub(super) cut: f64,
    /// The basin of each cell, from 1.
    basin: Vec<u32>,
    /// For each cell of a basin a bit for every neighbour in another.
    borders: Vec<u8>,
    /// The pit of each basin.
    pits: Vec<u32>,
    /// The passes out of some basins each.
    passes: Vec<Passes>,
    /// The lowest pass into each basin that is known so far; what is open has none.
    lowest: Vec<Pass>,
    queue: BinaryHeap<Reverse<Pass>>,
    opened: Vec<Opened>,
    flood: VecDeque<(usize, f64)>,
}

/// A pass, the lower ones first: the height that water stands at to cross it and its own, as numbers, the cell inside and the
/// way out.
type Pass = (u64, u64, u32, u8);
/// Higher than any pass.
const NO_PASS: Pass = (u64::MAX, u64::MAX, u32::MAX, u8::MAX);
/// No pass is lower.
const OPEN: Pass = (0, 0, 0, 0);

/// The lowest pass from one basin to another.
#[derive(Clone, Copy, Debug)]
struct Lowest {
    beyond: u32,
    /// The cell in the basin beyond, or in its own if there is none beyond, and the way across.
    inside: u32,
    way: u8,
    height: f64,
}

/// The passes out of some basins.
#[derive(Clone, Debug, Default)]
struct Passes {
    lowest: Vec<Lowest>,
    /// Where those of each basin end.
    ends: Vec<u32>,
}

impl Hollows {
    /// Forgets the hollows of the step before.
    pub(super) fn clear(&mut self) {
        self.lakes.clear();
        self.cells.clear();
        self.cut = 0.0;
    }

    /// Gives every hollow a way out.
    pub(super) fn drain(
        &mut self,
        layout: &Layout,
        height: &mut [f64],
        ways: &mut [u8],
        climb: &mut Climb,
        choice: Lakes,
    ) {
        self.pits.clear();
        self.pits.extend((0..).zip(&*ways).filter(|(_, code)| **code & WAY == PIT).map(|(at, _)| at));
        if self.pits.is_empty() {
            return;
        }
        let basins = climb.from(layout, ways, &self.pits);
        self.label(layout, basins);
        self.open(layout, height, basins);
        let opened = std::mem::take(&mut self.opened);
        for &opened in &opened {
            match choice {
                Lakes::Keep | Lakes::Pass => self.fill(layout, height, ways, opened),
                Lakes::Breach => self.breach(layout, height, ways, opened),
            }
        }
        self.opened = opened;
    }

    /// Numbers the basins and finds their borders; everything else drains off the terrain.
    fn label(&mut self, layout: &Layout, basins: &[Catchments]) {
        self.basin.clear();
        self.basin.resize(layout.len(), OUTSIDE);
        for pit in 0..self.pits.len() {
            for &cell in catchment(basins, pit) {
                self.basin[cell as usize] = pit as u32 + 1;
            }
        }
        let (basin, level, cols) = (&self.basin, Level::new(), layout.cols);
        self.borders.resize(layout.len(), 0);
        band::for_each_chunk(&mut self.borders, layout.stride, |row, borders| {
            borders.fill(0);
            if row == 0 || row > layout.rows {
                return;
            }
            let first = layout.at(0, row - 1);
            for (way, offset) in layout.offsets().into_iter().enumerate() {
                let [own, beside] = [first, first.wrapping_add_signed(offset)].map(|at| &basin[at..][..cols]);
                dispatch!(level, simd => note_borders(simd, way, [own, beside], &mut borders[1..=cols]));
            }
        });
    }

    /// Opens the lowest pass first, from outside inwards.
    fn open(&mut self, layout: &Layout, height: &[f64], basins: &[Catchments]) {
        let ground = Ground { offsets: layout.offsets(), height, basin: &self.basin, borders: &self.borders };
        let Self { pits, passes, lowest, queue, opened, .. } = self;
        let groups = pits.len().div_ceil(GROUP);
        if passes.len() < groups {
            passes.resize_with(groups, Passes::default);
        }
        band::for_each(&mut passes[..groups], |group, passes| {
            let some = group * GROUP..((group + 1) * GROUP).min(pits.len());
            passes.find(&ground, some.map(|pit| catchment(basins, pit)));
        });
        lowest.clear();
        lowest.resize(pits.len() + 1, NO_PASS);
        queue.clear();
        for pit in 0..pits.len() {
            let mut out = passes[pit / GROUP].of(pit % GROUP).iter();
            if let Some(out) = out.find(|pass| pass.beyond == OUTSIDE) {
                lowest[pit + 1] = out.at_level(0);
                queue.push(Reverse(lowest[pit + 1]));
            }
        }
        lowest[OUTSIDE as usize] = OPEN;
        opened.clear();
        while let Some(Reverse(pass)) = queue.pop() {
            let (level, _, inside, way) = pass;
            let basin = ground.basin[inside as usize];
            if lowest[basin as usize] == pass {
                opened.push(Opened { basin, inside, way, level: unordered(level) });
                lowest[basin as usize] = OPEN;
                let pit = basin as usize - 1;
                for next in passes[pit / GROUP].of(pit % GROUP) {
                    let (pass, known) = (next.at_level(level), &mut lowest[next.beyond as usize]);
                    if pass < *known {
                        *known = pass;
                        queue.push(Reverse(pass));
                    }
                }
            }
        }
    }

    /// Lets water stand up to the pass. Everything under it drains towards the pass, by the fewest cells.
    fn fill(&mut self, layout: &Layout, height: &[f64], ways: &mut [u8], opened: Opened) {
        let Opened { basin, inside, way, level } = opened;
        let offsets = layout.offsets();
        let first = self.cells.len();
        let spill = inside as usize;
        ways[spill] = way | SPILL;
        self.flood.clear();
        self.flood.push_back((spill, level));
        // What is in the lake already is told by having left its basin.
        self.basin[spill] = OUTSIDE;
        while let Some((at, full)) = self.flood.pop_front() {
            if height[at] < level {
                ways[at] |= UNDER_WATER;
                self.cells.push(LakeCell { cell: at as u32, level, full });
            }
            for way in [0, 2, 4, 6, 1, 3, 5, 7] {
                let other = at.wrapping_add_signed(offsets[way]);
                if self.basin[other] == basin && height[other] <= level {
                    self.basin[other] = OUTSIDE;
                    ways[other] = ((way + WAYS / 2) % WAYS) as u8;
                    let full = full + FILL_SLOPE * layout.distance(way as u8);
                    self.flood.push_back((other, full));
                }
            }
        }
        let (first, last) = (first as u32, self.cells.len() as u32);
        self.lakes.push(Lake { spill: inside, first, last, room: 0.0 });
    }

    /// Turns the way from the pass to the pit around, and cuts it down until water runs. Where it leads to an outlet that is higher
    /// than the pit, it is cut down to that, and water stands in the rest of the hollow.
    fn breach(&mut self, layout: &Layout, height: &mut [f64], ways: &mut [u8], opened: Opened) {
        let offsets = layout.offsets();
        let step = |at: usize, way: u8| at.wrapping_add_signed(offsets[way as usize]);
        let pit = self.pits[opened.basin as usize - 1] as usize;
        let (mut at, mut next) = (opened.inside as usize, opened.way);
        while at != pit {
            let down = ways[at] & WAY;
            ways[at] = next;
            (at, next) = (step(at, down), (down + (WAYS / 2) as u8) % WAYS as u8);
        }
        ways[pit] = next;
        let (end, level) = lowest_cut(layout, height, ways, pit);
        let (mut at, mut most) = (pit, level);
        while at != end {
            if height[at] > most {
                self.cut += height[at] - most;
                height[at] = most;
            }
            most -= BREACH_SLOPE * layout.distance(ways[at] & WAY);
            at = step(at, ways[at] & WAY);
        }
        if level > height[pit] {
            self.fill(layout, height, ways, Opened { level, ..opened });
        }
    }

    /// Finds how much fits into the lakes, for heights that have changed since.
    pub(super) fn measure(&mut self, height: impl Fn(usize) -> f64) {
        for lake in &mut self.lakes {
            let cells = &self.cells[lake.first as usize..lake.last as usize];
            lake.room = cells.iter().map(|cell| (cell.full - height(cell.cell as usize)).max(0.0)).sum();
        }
    }

    /// Raises the floors of lakes by their share of what came to rest in them; `settled` is as height of one cell `[m]`, and `height`
    /// is in the order of `place`.
    pub(super) fn settle(&self, settled: &[f64], place: &Places, height: &mut [f64]) {
        for (lake, settled) in self.lakes.iter().zip(settled) {
            if *settled > 0.0 {
                let share = settled / lake.room;
                for cell in &self.cells[lake.first as usize..lake.last as usize] {
                    let at = place.of(cell.cell as usize);
                    height[at] += share * (cell.full - height[at]).max(0.0);
                }
            }
        }
    }
}

/// How far the way out of a pit must be cut: the cell that it ends at, the first that is low enough or else the outlet, and
/// how high water stands in the pit then `[m]`.
fn lowest_cut(layout: &Layout, height: &[f64], ways: &[u8], pit: usize) -> (usize, f64) {
    let offsets = layout.offsets();
    let (mut at, mut falls) = (pit, 0.0);
    while ways[at] & WAY < PIT {
        let way = ways[at] & WAY;
        falls += BREACH_SLOPE * layout.distance(way);
        at = at.wrapping_add_signed(offsets[way as usize]);
        if height[at] <= height[pit] - falls {
            return (at, height[pit]);
        }
    }
    (at, height[pit].max(height[at] + falls))
}

/// Notes which cells of basins have a neighbour in another, on the way `way`; `own` and `beside` are basins.
#[inline(always)]
fn note_borders<S: Simd>(_: S, way: usize, [own, beside]: [&[u32]; 2], borders: &mut [u8]) {
    for (borders, (&own, &beside)) in borders.iter_mut().zip(own.iter().zip(beside)) {
        *borders |= u8::from((own != OUTSIDE) & (own != beside)) << way;
    }
}

/// What passes are found on.
struct Ground<'a> {
    offsets: [isize; WAYS],
    height: &'a [f64],
    basin: &'a [u32],
    borders: &'a [u8],
}

impl Lowest {
    /// The pass where water stands at a height, which is given as a number.
    fn at_level(&self, level: u64) -> Pass {
        let own = ordered(self.height);
        (own.max(level), own, self.inside, self.way)
    }
}

impl Passes {
    /// Finds the lowest pass from each basin to each around it.
    fn find<'a>(&mut self, ground: &Ground, basins: impl Iterator<Item = &'a [u32]>) {
        self.lowest.clear();
        self.ends.clear();
        for cells in basins {
            let begin = self.lowest.len();
            for &cell in cells {
                let here = cell as usize;
                let mut bits = ground.borders[here];
                while bits != 0 {
                    let way = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    self.note(begin, ground, here, way);
                }
            }
            self.ends.push(self.lowest.len() as u32);
        }
    }

    /// Notes the pass from a cell to a neighbour if it is the lowest to that basin of those from `begin` on.
    #[inline(always)]
    fn note(&mut self, begin: usize, ground: &Ground, here: usize, way: usize) {
        let there = here.wrapping_add_signed(ground.offsets[way]);
        let (beyond, [own, other]) = (ground.basin[there], [here, there].map(|at| ground.height[at]));
        let height = if own > other { own } else { other };
        // Neighbours along the border mostly look at the same basin.
        let known = self.lowest[begin..].iter_mut().rev().find(|known| known.beyond == beyond);
        if known.as_ref().is_some_and(|known| height > known.height) {
            return;
        }
        let (inside, way) = if beyond == OUTSIDE { (here, way) } else { (there, (way + WAYS / 2) % WAYS) };
        let pass = Lowest { beyond, inside: inside as u32, way: way as u8, height };
        match known {
            Some(known) if pass.at_level(0) < known.at_level(0) => *known = pass,
            Some(_) => {}
            None => self.lowest.push(pass),
        }
    }

    /// The passes of one of the basins.
    fn of(&self, basin: usize) -> &[Lowest] {
        let begin = if basin == 0 { 0 } else { self.ends[basin - 1] as usize };
        &self.lowest[begin..self.ends[basin] as usize]
    }
}

/// A number whose order among whole numbers is that of the height.
fn ordered(height: f64) -> u64 {
    let bits = height.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn unordered(number: u64) -> f64 {
    f64::from_bits(if number >> 63 == 1 { number & !(1 << 63) } else { !number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_keep_their_order_as_whole_numbers() {
        let heights = [f64::NEG_INFINITY, -3.0, -1.0e-9, 0.0, 2.0, 1.0e9];
        assert!(heights.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert!(heights.iter().all(|&height| unordered(ordered(height)) == height));
    }
}
