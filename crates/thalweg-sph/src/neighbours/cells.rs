//! Sorting: which cells there are, and the order of the particles in them.

use super::cluster::{Kind, load};
use super::{CELLS, FARTHEST, FINER, GONE, KINDS, LANES, MOST_SEGMENTS, Neighbours, TooWide};
use crate::particles::{BOUNDARY, COPY, PART, Particles, make_room};
use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*, u32x8};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use thalweg_field::band::{self, Cut};

/// Length of a segment, in h `[-]`.
const LONG: f32 = CELLS as f32 / FINER;

/// By the number of particles that count: 1 for each of them, 0 for the others.
pub(super) const COUNT: [[f32; LANES]; LANES + 1] = {
    let mut count = [[0.0; LANES]; LANES + 1];
    let mut at = 0;
    while at < (LANES + 1) * LANES {
        let (lanes, lane) = (at / LANES, at % LANES);
        count[lanes][lane] = if lane < lanes { 1.0 } else { 0.0 };
        at += 1;
    }
    count
};

/// Segments along x, rows of each kind along y and z that a box from the lowest to the highest coordinates is cut into, with an empty
/// one all around.
pub(super) fn cells_over(bounds: [[f32; 2]; 3], h: f32) -> Result<[u64; 3], TooWide> {
    let extent = bounds.map(|[low, high]| (high - low).max(0.0));
    let cells = |extent: f32, side: f32| ((f64::from(extent) / f64::from(side)) as u64).saturating_add(4);
    let size = [cells(extent[0], LONG * h), cells(extent[1], h), cells(extent[2], h)];
    let all = size.iter().try_fold(KINDS as u64, |all, n| all.checked_mul(*n)).unwrap_or(u64::MAX);
    let told_apart = |[low, high]: [f32; 2]| low > high || low.abs().max(high.abs()) <= FARTHEST * h;
    if bounds.into_iter().all(told_apart) && all <= MOST_SEGMENTS {
        Ok(size)
    } else {
        Err(TooWide { low: bounds.map(|[low, _]| low), high: bounds.map(|[_, high]| high), h })
    }
}

/// Smallest and largest coordinates of what lives beyond `now`.
pub(super) fn bounds(particles: &Particles, now: f32) -> [[f32; 2]; 3] {
    let level = Level::new();
    let part = |range: Range<usize>| dispatch!(level, simd => bounds_of(simd, particles, now, range));
    let both = |a: [[f32; 2]; 3], b: [[f32; 2]; 3]| {
        std::array::from_fn(|axis| [a[axis][0].min(b[axis][0]), a[axis][1].max(b[axis][1])])
    };
    band::measure(0..particles.len(), PART, &part, &both)
}

#[inline(always)]
fn bounds_of<S: Simd>(simd: S, particles: &Particles, now: f32, range: Range<usize>) -> [[f32; 2]; 3] {
    let none = [f32x8::splat(simd, f32::INFINITY), f32x8::splat(simd, f32::NEG_INFINITY)];
    let [mut x, mut y, mut z] = [none; 3];
    let mut at = range.start;
    while at < range.end {
        let ends = load(simd, &particles.expires, at);
        let counted = f32x8::from_slice(simd, &COUNT[(range.end - at).min(LANES)]);
        let lives = ends.simd_gt(f32x8::splat(simd, now)) & counted.simd_gt(f32x8::splat(simd, 0.0));
        for (found, column) in [&mut x, &mut y, &mut z].into_iter().zip(&particles.position) {
            let value = load(simd, column, at);
            *found = [found[0].min(lives.select(value, none[0])), found[1].max(lives.select(value, none[1]))];
        }
        at += LANES;
    }
    [x, y, z].map(|[low, high]| [low.reduce_min(), high.reduce_max()])
}

impl Neighbours {
    /// Chooses the cells: just as many as the particles need, with an empty one all around.
    pub(super) fn lay_out(&mut self, particles: &Particles, now: f32) -> Result<(), TooWide> {
        let bounds = bounds(particles, now);
        let h = self.h;
        let size = cells_over(bounds, h)?;
        let all = size.iter().product::<u64>() * KINDS as u64;
        self.size = size.map(|n| n as u32);
        let low = |axis: usize| if bounds[axis][0].is_finite() { bounds[axis][0] } else { 0.0 };
        self.origin = [low(0) - 1.5 * LONG * h, low(1) - 1.5 * h, low(2) - 1.5 * h];
        let words = (all as usize).div_ceil(64) + 1;
        make_room(&mut self.occupied, words);
        make_room(&mut self.before, words);
        self.occupied.resize_with(words, AtomicU64::default);
        band::for_each_part(0..words, 4096, &mut self.occupied[..words], &|_, words: &mut [AtomicU64]| {
            words.iter_mut().for_each(|word| *word.get_mut() = 0);
        });
        Ok(())
    }

    /// Cell along x, counted from the origin.
    #[inline(always)]
    pub(super) fn along(&self, x: f32) -> i32 {
        ((x - self.origin[0]) * (FINER / self.h)) as i32
    }

    /// Notes the segment of every particle, and which segments have any.
    pub(super) fn find_segments(&mut self, particles: &Particles, now: f32) {
        let count = particles.len();
        let mut cell = std::mem::take(&mut self.cell);
        make_room(&mut cell, count);
        cell.resize(count, 0);
        let (this, level) = (&*self, Level::new());
        band::for_each_part(0..count, PART, &mut cell[..], &|range, part: &mut [u32]| {
            dispatch!(level, simd => this.find_segments_of(simd, particles, now, range.start, part));
        });
        self.cell = cell;
        self.before.clear();
        self.segments.clear();
        for (word, bits) in self.occupied.iter_mut().enumerate() {
            self.before.push(self.segments.len() as u32);
            let mut bits = *bits.get_mut();
            while bits != 0 {
                self.segments.push(word as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    #[inline(always)]
    fn find_segments_of<S: Simd>(
        &self,
        simd: S,
        particles: &Particles,
        now: f32,
        first: usize,
        part: &mut [u32],
    ) {
        let along = |axis: usize, at: usize, per: f32| {
            let way = load(simd, &particles.position[axis], at) - self.origin[axis];
            (way * per).to_int::<u32x8<S>>()
        };
        for (k, cells) in part.chunks_mut(LANES).enumerate() {
            let at = first + k * LANES;
            let x = along(0, at, FINER / self.h);
            let row = along(2, at, 1.0 / self.h) * self.size[1] + along(1, at, 1.0 / self.h);
            let tag = u32x8::from_slice(simd, &particles.tag[at..at + LANES]);
            let solid = tag.simd_ge(u32x8::splat(simd, BOUNDARY)) & !tag.simd_eq(u32x8::splat(simd, COPY));
            let kind = solid
                .select(u32x8::splat(simd, Kind::Boundary as u32), u32x8::splat(simd, Kind::Fluid as u32));
            let cell = (row * KINDS as u32 + kind) * (self.size[0] * CELLS as u32) + x;
            let lives = load(simd, &particles.expires, at).simd_gt(f32x8::splat(simd, now));
            let mut found = [0; LANES];
            lives.select(cell, u32x8::splat(simd, GONE)).store_slice(&mut found);
            for (cell, found) in cells.iter_mut().zip(found) {
                *cell = found;
                let segment = found / CELLS as u32;
                let (word, bit) = (segment as usize / 64, 1u64 << (segment % 64));
                if found != GONE && self.occupied[word].load(Relaxed) & bit == 0 {
                    self.occupied[word].fetch_or(bit, Relaxed);
                }
            }
        }
    }

    /// Whether a segment and those behind it are occupied, a bit for each, and how many are before it.
    #[inline(always)]
    pub(super) fn rank(&self, segment: u32) -> (u64, u32) {
        let (word, bit) = (segment as usize / 64, segment % 64);
        let [bits, next] = [self.occupied[word].load(Relaxed), self.occupied[word + 1].load(Relaxed)];
        let below = bits & ((1u64 << bit) - 1);
        (bits >> bit | next << 1 << (63 - bit), self.before[word] + below.count_ones())
    }

    /// Counts the particles of each cell, and gives each a place among those of its cell.
    pub(super) fn count_cells(&mut self, count: usize) {
        let cells = self.segments.len() * CELLS;
        make_room(&mut self.counts, cells);
        self.counts.resize_with(cells, AtomicU32::default);
        self.counts.iter_mut().for_each(|count| *count.get_mut() = 0);
        let (mut cell, mut place) = (std::mem::take(&mut self.cell), std::mem::take(&mut self.place));
        make_room(&mut place, count);
        place.resize(count, 0);
        let this = &*self;
        let work = |_: Range<usize>, [cell, place]: [&mut [u32]; 2]| {
            for (cell, place) in cell.iter_mut().zip(place) {
                if *cell != GONE {
                    let (_, rank) = this.rank(*cell / CELLS as u32);
                    *cell = rank * CELLS as u32 + *cell % CELLS as u32;
                    *place = this.counts[*cell as usize].fetch_add(1, Relaxed);
                }
            }
        };
        band::for_each_part(0..count, PART, [&mut cell[..], &mut place[..]], &work);
        (self.cell, self.place) = (cell, place);
        self.starts.clear();
        make_room(&mut self.starts, cells + 1);
        let mut start = 0;
        for count in &mut self.counts {
            self.starts.push(start);
            start += *count.get_mut();
        }
        self.starts.push(start);
    }

    /// Makes the order of all cells. Threads put particles into a cell in any order; there it is put right.
    pub(super) fn put_in_order(&mut self, count: usize) {
        let alive = self.starts.last().copied().unwrap_or(0) as usize;
        make_room(&mut self.order, alive);
        self.order.resize_with(alive, AtomicU32::default);
        let this = &*self;
        band::for_each_part(0..count, PART, (), &|range, ()| {
            for i in range {
                if this.cell[i] != GONE {
                    let at = this.starts[this.cell[i] as usize] + this.place[i];
                    this.order[at as usize].store(i as u32, Relaxed);
                }
            }
        });
        let mut order = std::mem::take(&mut self.order);
        for_each_segments(self, &mut order[..], &|range, first, part: &mut [AtomicU32]| {
            for cell in range.start * CELLS..range.end * CELLS {
                let [a, b] = [self.starts[cell], self.starts[cell + 1]].map(|at| at as usize - first);
                if !part[a..b].is_sorted_by_key(|old| old.load(Relaxed)) {
                    part[a..b].sort_unstable_by_key(|old| old.load(Relaxed));
                }
            }
        });
        self.order = order;
    }

    /// First particle of an occupied segment; behind the last, the number of all.
    #[inline]
    pub(super) fn first_of(&self, segment: usize) -> usize {
        self.starts.get(segment * CELLS).map_or(0, |&start| start as usize)
    }
}

/// Calls `work(segments, first particle, out)` for stretches of occupied segments; `out` is cut along the particles.
pub(super) fn for_each_segments<O: Cut>(
    neighbours: &Neighbours,
    out: O,
    work: &(impl Fn(Range<usize>, usize, O) + Sync),
) {
    fn go<O: Cut>(
        n: &Neighbours,
        range: Range<usize>,
        out: O,
        work: &(impl Fn(Range<usize>, usize, O) + Sync),
    ) {
        let (first, end) = (n.first_of(range.start), n.first_of(range.end));
        if range.len() <= 1 || end - first <= PART / 2 {
            if !range.is_empty() {
                work(range, first, out);
            }
            return;
        }
        let middle = range.start + range.len() / 2;
        let (before, after) = out.cut(n.first_of(middle) - first);
        band::join(|| go(n, range.start..middle, before, work), || go(n, middle..range.end, after, work));
    }
    go(neighbours, 0..neighbours.segments.len(), out, work);
}
