//! Hollows: how high water stands in them, where it leaves, and which way it runs until then.
//!
//! Every hollow is a basin; basins that touch are joined by passes. From the outlets inwards, the lowest pass is opened first
//! (Cordonnier, Bovy & Braun 2019; the order is that of the priority-flood of Barnes et al. 2014, on basins instead of
//! cells), and so every basin gets the lowest way out there is.

use super::layout::{Layout, OUTLET, PIT, SPILL, UNDER_WATER, WAY, WAYS};
use super::order::Order;
use super::params::Lakes;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

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
    /// Ground that breaching takes away, cell by cell `[m]`.
    pub(super) cuts: Vec<(u32, f64)>,
    basin: Vec<u32>,
    /// For each basin its pit.
    pits: Vec<u32>,
}

impl Hollows {
    /// Forgets the hollows of the step before.
    pub(super) fn clear(&mut self) {
        self.lakes.clear();
        self.cells.clear();
        self.cuts.clear();
    }

    /// Gives every hollow a way out. The order must be that of the ways; both are for the ground as it is.
    pub(super) fn drain(
        &mut self,
        layout: &Layout,
        height: &mut [f64],
        order: &Order,
        ways: &mut [u8],
        choice: Lakes,
    ) {
        self.label(layout, order, ways);
        if self.pits.len() == 1 {
            return;
        }
        for opened in self.open(layout, height) {
            match choice {
                Lakes::Keep | Lakes::Pass => self.fill(layout, height, ways, opened),
                Lakes::Breach => self.breach(layout, height, ways, opened),
            }
        }
    }

    /// Numbers the basins, what drains off the terrain first.
    fn label(&mut self, layout: &Layout, order: &Order, ways: &[u8]) {
        self.basin.resize(layout.len(), OUTSIDE);
        self.pits.clear();
        self.pits.push(0);
        let offsets = layout.offsets();
        for &cell in order.cells.iter().rev() {
            let at = cell as usize;
            self.basin[at] = match ways[at] & WAY {
                OUTLET => OUTSIDE,
                PIT => {
                    self.pits.push(cell);
                    (self.pits.len() - 1) as u32
                }
                way => self.basin[at.wrapping_add_signed(offsets[way as usize])],
            };
        }
    }

    /// Opens the lowest pass first, from outside inwards.
    fn open(&self, layout: &Layout, height: &[f64]) -> Vec<Opened> {
        let (offsets, basin) = (layout.offsets(), &self.basin);
        let borders = Borders::new(layout, basin, self.pits.len());
        let mut is_open = vec![false; self.pits.len()];
        // The lowest pass into each basin that is known; only what is lower still is worth queueing.
        let mut lowest = vec![(u64::MAX, u32::MAX, u8::MAX); self.pits.len()];
        let mut queue = BinaryHeap::new();
        let mut found = Vec::with_capacity(self.pits.len() - 1);
        let mut next = Some((OUTSIDE, f64::NEG_INFINITY));
        while let Some((from, level)) = next.take() {
            is_open[from as usize] = true;
            for &cell in borders.of(from) {
                for (way, &offset) in offsets.iter().enumerate() {
                    let other = (cell as usize).wrapping_add_signed(offset);
                    if !is_open[basin[other] as usize] {
                        let pass = level.max(height[cell as usize]).max(height[other]);
                        let back = ((way + WAYS / 2) % WAYS) as u8;
                        let pass = (ordered(pass), other as u32, back);
                        let lowest = &mut lowest[basin[other] as usize];
                        if pass < *lowest {
                            *lowest = pass;
                            queue.push(Reverse(pass));
                        }
                    }
                }
            }
            while let Some(Reverse((pass, inside, way))) = queue.pop() {
                let basin = basin[inside as usize];
                if !is_open[basin as usize] {
                    let level = unordered(pass);
                    found.push(Opened { basin, inside, way, level });
                    next = Some((basin, level));
                    break;
                }
            }
        }
        found
    }

    /// Lets water stand up to the pass. Everything under it drains towards the pass, by the fewest cells.
    fn fill(&mut self, layout: &Layout, height: &[f64], ways: &mut [u8], opened: Opened) {
        let Opened { basin, inside, way, level } = opened;
        let offsets = layout.offsets();
        let first = self.cells.len();
        let spill = inside as usize;
        ways[spill] = way | SPILL;
        let mut queue = VecDeque::from([(spill, level)]);
        // What is in the lake already is told by having left its basin.
        self.basin[spill] = OUTSIDE;
        while let Some((at, full)) = queue.pop_front() {
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
                    queue.push_back((other, full));
                }
            }
        }
        let (first, last) = (first as u32, self.cells.len() as u32);
        self.lakes.push(Lake { spill: inside, first, last, room: 0.0 });
    }

    /// Turns the way from the pass to the pit around, and cuts it down until water runs.
    fn breach(&mut self, layout: &Layout, height: &mut [f64], ways: &mut [u8], opened: Opened) {
        let offsets = layout.offsets();
        let step = |at: usize, way: u8| at.wrapping_add_signed(offsets[way as usize]);
        let pit = self.pits[opened.basin as usize] as usize;
        let (mut at, mut next) = (opened.inside as usize, opened.way);
        while at != pit {
            let down = ways[at] & WAY;
            ways[at] = next;
            (at, next) = (step(at, down), (down + (WAYS / 2) as u8) % WAYS as u8);
        }
        ways[pit] = next;
        let (mut at, mut most) = (pit, height[pit]);
        while ways[at] & WAY < PIT {
            most -= BREACH_SLOPE * layout.distance(ways[at] & WAY);
            at = step(at, ways[at] & WAY);
            if height[at] <= most || ways[at] & WAY == OUTLET {
                return;
            }
            self.cuts.push((at as u32, height[at] - most));
            height[at] = most;
        }
    }

    /// Finds how much fits into the lakes, for heights that have changed since.
    pub(super) fn measure(&mut self, height: &[f64]) {
        for lake in &mut self.lakes {
            let cells = &self.cells[lake.first as usize..lake.last as usize];
            lake.room = cells.iter().map(|cell| (cell.full - height[cell.cell as usize]).max(0.0)).sum();
        }
    }

    /// Raises the floors of lakes by their share of what came to rest in them; `settled` is as height of one cell `[m]`.
    pub(super) fn settle(&self, settled: &[f64], height: &mut [f64]) {
        for (lake, settled) in self.lakes.iter().zip(settled) {
            if *settled > 0.0 {
                let share = settled / lake.room;
                for cell in &self.cells[lake.first as usize..lake.last as usize] {
                    let at = cell.cell as usize;
                    height[at] += share * (cell.full - height[at]).max(0.0);
                }
            }
        }
    }
}

/// The cells of each basin that touch another.
struct Borders {
    first: Vec<u32>,
    cells: Vec<u32>,
}

impl Borders {
    fn new(layout: &Layout, basin: &[u32], basins: usize) -> Self {
        let offsets = layout.offsets();
        let mut touching = Vec::new();
        let mut first = vec![0; basins + 1];
        let mut differs = vec![0_u32; layout.cols];
        for row in 0..layout.rows {
            let start = layout.at(0, row);
            let own = &basin[start..][..layout.cols];
            differs.fill(0);
            for offset in offsets {
                let beside = &basin[start.wrapping_add_signed(offset)..][..layout.cols];
                let pairs = differs.iter_mut().zip(own.iter().zip(beside));
                pairs.for_each(|(differs, (own, beside))| *differs |= own ^ beside);
            }
            for (col, _) in differs.iter().enumerate().filter(|(_, differs)| **differs != 0) {
                touching.push((start + col) as u32);
                first[own[col] as usize + 1] += 1;
            }
        }
        for i in 0..basins {
            first[i + 1] += first[i];
        }
        let mut place = first.clone();
        let mut cells = vec![0; touching.len()];
        for cell in touching {
            let place = &mut place[basin[cell as usize] as usize];
            cells[*place as usize] = cell;
            *place += 1;
        }
        Self { first, cells }
    }

    fn of(&self, basin: u32) -> &[u32] {
        let basin = basin as usize;
        &self.cells[self.first[basin] as usize..self.first[basin + 1] as usize]
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
