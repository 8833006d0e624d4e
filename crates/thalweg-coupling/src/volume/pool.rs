//! Water at the beginning in caves and on rock: the open places of a pool, and columns of particles that hold their volume.

use super::rock::{Rock, Vector};
use crate::setting::Setting;
use crate::water::{Columns, GIVING, KEPT, top_of};
use thalweg_field::{Invalid, Pool};
use thalweg_terrain::volume::SURFACE;

/// Places along each side of a column where its water is looked up.
const LOOKS: usize = 3;
/// Times that a particle too near to the rock is moved away from it.
const NUDGES: usize = 4;

/// Where the water of a pool is.
pub(super) struct Wet<'a> {
    rock: &'a Rock,
    pool: &'a Pool,
    /// Voxels of the box around the pool: first, and how many along each side; and which of them water reaches.
    first: [usize; 3],
    size: [usize; 3],
    reached: Bits,
}

/// One bit for each of many.
struct Bits(Vec<u64>);

impl Bits {
    fn none(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn has(&self, n: usize) -> bool {
        self.0[n / 64] >> (n % 64) & 1 == 1
    }

    fn set(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }
}

/// Memory that filling a pool takes in a box of so many voxels at most: their bits, and as much again for rows that wait `[bytes]`.
pub(super) fn memory_of(voxels: u64) -> u64 {
    voxels.div_ceil(64) * 16
}

impl<'a> Wet<'a> {
    /// The open places of a pool. Without a bottom water comes in at its level, and goes to all places below that it can reach; places in
    /// the rock that are closed stay dry. With one it is wherever there is no rock.
    pub(super) fn new(rock: &'a Rock, pool: &'a Pool, extent: [[f32; 2]; 2]) -> Self {
        let [low, high] = bounds(rock, pool, extent);
        let voxel = |at: Vector, axis: usize, round: fn(f64) -> f64| {
            round(at[axis]).clamp(0.0, rock.size()[axis] as f64 - 1.0) as usize
        };
        let (low, high) = (rock.in_voxels(low), rock.in_voxels(high));
        let first = [0, 1, 2].map(|axis| voxel(low, axis, f64::floor));
        let last = [0, 1, 2].map(|axis| voxel(high, axis, f64::ceil).max(first[axis]));
        let size: [usize; 3] = std::array::from_fn(|axis| last[axis] - first[axis] + 1);
        let mut wet = Self { rock, pool, first, size, reached: Bits::none(size.iter().product()) };
        wet.flood(high[2]);
        wet
    }

    fn is_air(&self, at: [usize; 3]) -> bool {
        self.rock.volume().share(std::array::from_fn(|axis| (self.first[axis] + at[axis]) as isize))
            <= SURFACE
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.size[0] * (y + self.size[1] * z)
    }

    /// Lets water in, at a level in voxels.
    fn flood(&mut self, level: f64) {
        let everywhere = self.pool.bottom.is_some() || matches!(self.pool.top, thalweg_field::Top::Depth(_));
        let mut open = Vec::new();
        for n in 0..self.size.iter().product() {
            let at = [n % self.size[0], n / self.size[0] % self.size[1], n / self.size[0] / self.size[1]];
            let at_level = (self.first[2] + at[2]) as f64 > level - 1.5;
            if everywhere && self.is_air(at) {
                self.reached.set(n);
            } else if at_level {
                self.spread(at, &mut open);
            }
        }
    }

    /// Lets water from a place into all that are open to it: row by row, so that of each row one place waits.
    fn spread(&mut self, from: [usize; 3], open: &mut Vec<[usize; 3]>) {
        open.push(from);
        while let Some(at) = open.pop() {
            if !self.is_dry_air(at) {
                continue;
            }
            let (mut first, mut last) = (at, at);
            while first[0] > 0 && self.is_dry_air([first[0] - 1, at[1], at[2]]) {
                first[0] -= 1;
            }
            while last[0] + 1 < self.size[0] && self.is_dry_air([last[0] + 1, at[1], at[2]]) {
                last[0] += 1;
            }
            (first[0]..=last[0]).for_each(|x| self.reached.set(self.index([x, at[1], at[2]])));
            for (axis, step) in [(1, -1), (1, 1), (2, -1), (2, 1)] {
                let beside = at[axis].checked_add_signed(step).filter(|&n| n < self.size[axis]);
                let Some(beside) = beside else { continue };
                let mut row = at;
                row[axis] = beside;
                let is_open = |x: usize| self.is_dry_air([x, row[1], row[2]]);
                let starts = |x: &usize| is_open(*x) && (*x == first[0] || !is_open(*x - 1));
                open.extend((first[0]..=last[0]).filter(starts).map(|x| [x, row[1], row[2]]));
            }
        }
    }

    /// Whether water could come to a place, and has not.
    fn is_dry_air(&self, at: [usize; 3]) -> bool {
        !self.reached.has(self.index(at)) && self.is_air(at)
    }

    /// Whether a cell of the volume has a corner that water reaches.
    fn reaches(&self, cell: [isize; 3]) -> bool {
        (0..8).any(|n| {
            let at: [isize; 3] =
                std::array::from_fn(|axis| cell[axis] + (n >> axis & 1) as isize - self.first[axis] as isize);
            let inside = (0..3).all(|axis| (0..self.size[axis] as isize).contains(&at[axis]));
            inside && self.reached.has(self.index(at.map(|n| n as usize)))
        })
    }

    /// Calls `put` with the heights between which there is water at a place, from the top down `[m]`.
    fn intervals(&self, [east, north]: [f64; 2], mut put: impl FnMut(f64, f64)) {
        let ground = top(self.rock, [east, north]);
        let high = top_of(self.pool, ground);
        let low = match (self.pool.bottom, self.pool.top) {
            (Some(bottom), _) => bottom,
            (None, thalweg_field::Top::Depth(_)) => ground,
            (None, thalweg_field::Top::Level(_)) => f64::NEG_INFINITY,
        };
        let at = |up: f64| {
            let [x, y, _] = self.rock.in_voxels([east, north, 0.0]);
            [x, y, up]
        };
        let height = |up: f64| self.rock.in_metres([0.0, 0.0, up])[2];
        // Between the middles of voxels the share is linear.
        for n in (0..=self.size[2]).rev() {
            let up = (self.first[2] + n) as f64 - 1.0;
            let cell = at(up).map(|v| v.floor() as isize);
            let [below, above] = [up, up + 1.0].map(|up| f64::from(self.rock.share_at(at(up)) - SURFACE));
            if (below > 0.0 && above > 0.0) || !self.reaches(cell) {
                continue;
            }
            let crossing = up + below / (below - above);
            let (from, to) = match (below > 0.0, above > 0.0) {
                (false, false) => (up, up + 1.0),
                (true, _) => (crossing, up + 1.0),
                _ => (up, crossing),
            };
            let (from, to) = (height(from).max(low), height(to).min(high));
            if from < to {
                put(from, to);
            }
        }
    }

    /// Volume of the water, about `[m³]`.
    pub(super) fn volume(&self) -> f64 {
        let side = self.rock.voxel();
        let mut sum = 0.0;
        for n in 0..self.size[0] * self.size[1] {
            let at = [self.first[0] + n % self.size[0], self.first[1] + n / self.size[0]];
            let [x, y] = at.map(|n| (n as f64 + 0.5) * side);
            let inside = (self.pool.from[0]..self.pool.to[0]).contains(&x)
                && (self.pool.from[1]..self.pool.to[1]).contains(&y);
            if inside {
                self.intervals([x, y], |from, to| sum += to - from);
            }
        }
        sum * side * side
    }

    /// Calls `put` with the places of particles and the height that the water reaches there `[m]`. Returns how many there are.
    pub(super) fn fill(
        &self,
        columns: &Columns,
        put: &mut dyn FnMut([f64; 3], f64) -> Result<(), Invalid>,
    ) -> Result<usize, Invalid> {
        let (mut owed, mut ends, mut filled) = (0.0, Vec::new(), 0);
        for column in columns.back_and_forth() {
            ends.clear();
            for n in 0..LOOKS * LOOKS {
                let part = |cell: usize, n: usize| cell as f64 + (n as f64 + 0.5) / LOOKS as f64;
                let at = columns.place([part(column[0], n % LOOKS), part(column[1], n / LOOKS)]);
                self.intervals(at, |from, to| ends.extend([(to, 1i32), (from, -1)]));
            }
            ends.sort_by(|a: &(f64, i32), b| b.0.total_cmp(&a.0));
            let depth: f64 = ends.iter().map(|&(height, side)| f64::from(side) * height).sum::<f64>()
                / (LOOKS * LOOKS) as f64;
            let wanted = depth / columns.layer + owed;
            let count = if depth > 0.0 { wanted.round().max(0.0) as usize } else { 0 };
            owed = wanted - count as f64;
            let [east, north] = columns.middle(column);
            let top = top_of(self.pool, top(self.rock, [east, north]));
            for k in 0..count {
                let below = layer_of(k, count, depth / columns.layer) * columns.layer;
                match self.clear([east, north, height_below(&ends, below)], columns.spacing) {
                    Some(at) => {
                        put(at, top)?;
                        filled += 1;
                    }
                    None => owed += 1.0,
                }
            }
        }
        Ok(filled)
    }

    /// A place far enough from the rock, that one or one nearby; none if there is none.
    fn clear(&self, mut at: [f64; 3], spacing: f64) -> Option<[f64; 3]> {
        let kept = KEPT * spacing;
        for _ in 0..NUDGES {
            let (distance, out) = self.rock.distance(at.map(|v| v as f32));
            let by = kept - f64::from(distance);
            if by <= 0.0 {
                return Some(at);
            }
            at = std::array::from_fn(|axis| at[axis] + by * f64::from(out[axis]));
        }
        (!self.rock.is_rock(at.map(|v| v as f32))).then_some(at)
    }
}

/// How deep in the water of a column a particle is, in layers; the lowest few give way where there is no room for whole ones.
fn layer_of(k: usize, count: usize, room: f64) -> f64 {
    let whole = count.saturating_sub(GIVING);
    let giving = (room - whole as f64) / (count - whole).max(1) as f64;
    if k < whole { k as f64 + 0.5 } else { whole as f64 + (k - whole) as f64 * giving + 0.5 * giving }
}

/// The height with so much water above it `[m]`, between ends of water from the top down.
fn height_below(ends: &[(f64, i32)], depth: f64) -> f64 {
    let (mut above, mut wet) = (0.0, 0);
    for pair in ends.windows(2) {
        wet += pair[0].1;
        let each = f64::from(wet) / (LOOKS * LOOKS) as f64;
        let more = each * (pair[0].0 - pair[1].0);
        if above + more >= depth && each > 0.0 {
            return pair[0].0 - (depth - above) / each;
        }
        above += more;
    }
    ends.last().map_or(0.0, |end| end.0)
}

/// Lowest and highest places that a pool may reach `[m]`.
fn bounds(rock: &Rock, pool: &Pool, extent: [[f32; 2]; 2]) -> [[f64; 3]; 2] {
    let side = |axis: usize| {
        let [low, high] = extent[axis].map(f64::from);
        [pool.from[axis].clamp(low, high), pool.to[axis].clamp(low, high)]
    };
    let ([west, east], [south, north]) = (side(0), side(1));
    let volume = rock.volume();
    let high = volume.bottom() + rock.size()[2] as f64 * rock.voxel();
    let level = match pool.top {
        thalweg_field::Top::Level(level) => level,
        thalweg_field::Top::Depth(depth) => pool.bottom.map_or(high, |bottom| bottom + depth),
    };
    [[west, south, pool.bottom.unwrap_or(volume.bottom())], [east, north, level.min(high)]]
}

/// Height of the uppermost surface at a place `[m]`; the bottom where there is none.
pub(super) fn top(rock: &Rock, [east, north]: [f64; 2]) -> f64 {
    const RUN: usize = 16;
    let [x, y, _] = rock.in_voxels([east, north, 0.0]);
    let (first, within) = ([x.floor(), y.floor()], [(x - x.floor()) as f32, (y - y.floor()) as f32]);
    let count = rock.size()[2];
    let mut shares = [0.0; 4 * (RUN + 1)];
    for run in (0..count.div_ceil(RUN)).rev() {
        let start = [first[0] as isize, first[1] as isize, (run * RUN) as isize];
        rock.volume().copy_shares(start, [2, 2, RUN + 1], &mut shares);
        let at = |n: usize| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| shares[4 * n + k]);
            let (south, north) = (a + within[0] * (b - a), c + within[0] * (d - c));
            south + within[1] * (north - south) - SURFACE
        };
        if let Some(n) = (0..RUN).rev().find(|&n| at(n) > 0.0) {
            let up = (run * RUN + n) as f64 + f64::from(at(n) / (at(n) - at(n + 1)));
            return rock.in_metres([0.0, 0.0, up])[2];
        }
    }
    rock.volume().bottom()
}

/// Water of all pools at the beginning, about `[m³]`.
pub(super) fn volume(rock: &Rock, setting: &Setting, extent: [[f32; 2]; 2]) -> f64 {
    setting.water.iter().map(|pool| Wet::new(rock, pool, extent).volume()).sum()
}
