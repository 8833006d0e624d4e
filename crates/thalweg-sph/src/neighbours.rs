//! Who is near whom: particles sorted into cells, and the walk over every particle with its neighbours.
//!
//! Space is cut into rows along x with a cross-section of h × h, rows into cells of h/4, eight cells make a segment.
//! Only segments with something in them exist: a bit for every possible segment and the number of set bits before
//! each word turn a place into an index. Particles are sorted by row, then along the row, so the neighbours of a
//! particle lie in nine stretches of memory, trimmed to the chord of the sphere around it. A stretch is read in
//! whole vectors; what is too far away is masked.
//!
//! The order within a cell is that of the particles before the sort, and every sum over neighbours goes in memory
//! order: the same bits for any number of threads.

use crate::particles::{BOUNDARY, PART, Particles, make_room};
use fearless_simd::{Level, Simd, dispatch, f32x8, i32x8, prelude::*, u32x8};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use thalweg_field::band::{self, Cut};

/// Particles whose neighbours are looked at together: they share every vector that is read.
pub const TOGETHER: usize = 2;
/// Values in a vector.
pub const LANES: usize = 8;
/// Cells in a segment.
const CELLS: usize = 8;
/// Cells along x for each h.
const FINER: f32 = 4.0;
/// Most segments that space may be cut into: their index and the cell within fit into 32 bits.
const MOST_SEGMENTS: u64 = 1 << 28;
/// Farthest from the origin that particles may be, in h: there f32 still tells places an eighth of h apart.
const FARTHEST: f32 = (1 << 20) as f32;
/// Share of h by which the search reaches farther than the kernels, so that rounding loses no neighbour.
const SLACK: f32 = 1.0e-4;
/// The cell of a particle that is no more.
const GONE: u32 = u32::MAX;
/// Rows around a row, itself included.
const ROWS: usize = 9;
/// Cells in a segment and its two neighbours in the row.
const ABREAST: usize = 3 * CELLS;

thread_local! {
    /// The list of one group's vectors; kept, so that a step allocates nothing.
    static LIST: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

/// Sorted particles and how to find those around a place.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// Reach of the kernels [m].
    h: f32,
    /// Lower corner of the first cell [m].
    origin: [f32; 3],
    /// Segments along x, rows along y and z; the outermost are always empty.
    size: [u32; 3],
    /// One bit for every segment, and the bits set before each word.
    occupied: Vec<AtomicU64>,
    before: Vec<u32>,
    /// Where each occupied segment lies among all.
    segments: Vec<u32>,
    /// Particles in each cell while they are counted.
    counts: Vec<AtomicU32>,
    /// First particle of each cell of the occupied segments, in order, and the number of all.
    starts: Vec<u32>,
    /// Cell of each unsorted particle, and its place among those of that cell.
    cell: Vec<u32>,
    place: Vec<u32>,
    /// Old index of each sorted particle.
    order: Vec<AtomicU32>,
}

/// Space that particles are spread over is larger than can be searched.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "particles are spread from {low:.3?} to {high:.3?} m, which is too wide for a search radius of {h} m"
)]
pub struct TooWide {
    /// Smallest coordinates: east, north, up [m].
    pub low: [f32; 3],
    /// Largest coordinates [m].
    pub high: [f32; 3],
    /// Search radius [m].
    pub h: f32,
}

/// What lies around a segment.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    /// Of each row, the first particle of each cell, and behind them of the next; whatever a number's lower five bits
    /// say is inside.
    bounds: [[u32; 32]; ROWS],
    /// First of those cells, counted along x from the origin.
    first: i32,
    /// Lower side of the segment's row along y and z [m].
    floor: [f32; 2],
}

/// Which particles a walk visits; their neighbours are always of both kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Those of the fluid.
    Fluid,
    /// Those of the boundary.
    Boundary,
}

/// Up to eight particles in consecutive memory: the first in the lower 28 bits, how many of the eight count in the upper
/// four. More particles than [`crate::MOST_PARTICLES`] are refused, which leaves room for those of the boundary.
#[derive(Clone, Copy, Debug)]
pub struct Vector(u32);

/// Where the number of particles that count begins.
const COUNTED: u32 = 28;

/// By the number of particles that count: 1 for each of them, 0 for the others.
const COUNT: [[f32; LANES]; 2 * LANES] = {
    let mut count = [[0.0; LANES]; 2 * LANES];
    let mut at = 0;
    while at < 2 * LANES * LANES {
        let (lanes, lane) = (at / LANES, at % LANES);
        count[lanes][lane] = if lane < lanes { 1.0 } else { 0.0 };
        at += 1;
    }
    count
};

/// A few particles and all that may be their neighbours.
#[derive(Debug)]
pub struct Group<'a> {
    /// The particles; the last is repeated where there are fewer.
    pub slots: [usize; TOGETHER],
    /// How many there really are.
    pub count: usize,
    /// The vectors of everything within reach of any of them, themselves included, and some that are too far.
    list: &'a [u32],
    /// Which of them each particle reaches.
    reached: [u32; TOGETHER],
    /// For each vector, by the number of particles in it that count: squared distances no smaller than this are
    /// looked at. Tiny for those that count, infinite for those that do not.
    floors: &'a [[f32; LANES]; 2 * LANES],
}

/// Something computed for every particle from its neighbours.
pub trait Pass: Sync {
    /// Where results go; cut along with the particles.
    type Out: Cut;
    /// Which particles it computes something for.
    const KIND: Kind;
    /// Computes one group; `out` begins with the results of the particle `first`.
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out);
}

/// Columns cut to the length of the first: where one can be read, so can all, and it is checked once.
#[inline(always)]
pub fn even<const N: usize>(mut columns: [&[f32]; N]) -> [&[f32]; N] {
    let length = columns[0].len();
    for column in &mut columns {
        *column = &column[..length];
    }
    columns
}

/// Reads a vector.
#[inline(always)]
pub fn load<S: Simd>(simd: S, column: &[f32], at: usize) -> f32x8<S> {
    f32x8::from_slice(simd, &column[at..at + LANES])
}

impl Vector {
    /// The first particle.
    #[inline(always)]
    pub fn start(self) -> usize {
        (self.0 & ((1 << COUNTED) - 1)) as usize
    }

    /// How many count.
    #[inline(always)]
    fn lanes(self) -> usize {
        (self.0 >> COUNTED) as usize
    }
}

impl Group<'_> {
    /// Everything within reach of any particle of the group, themselves included, and some that are too far.
    #[inline(always)]
    pub fn vectors(&self) -> impl ExactSizeIterator<Item = Vector> {
        self.list.iter().map(|&word| Vector(word))
    }

    /// 1 for the particles of a vector that count, 0 for the others [-].
    #[inline(always)]
    pub fn counted<S: Simd>(&self, simd: S, vector: Vector) -> f32x8<S> {
        f32x8::from_slice(simd, &COUNT[vector.lanes()])
    }

    /// Keeps the vectors that particles of the group reach: `reached` has a bit for each, by its place in [`Self::vectors`].
    /// `out` begins with the particle `first`.
    #[inline(always)]
    pub fn keep(&self, mut reached: [u32; TOGETHER], first: usize, (lists, out): &mut Keep) {
        let at = self.slots[0] - first;
        // Particles between those of the group are of the boundary and keep nothing.
        let list = lists[at..at + self.count].as_flattened_mut();
        let mut left = reached.iter().fold(0, |all, bits| all | bits);
        if self.list.len() > 32 || left.count_ones() as usize > list.len() {
            reached = [EVERY; TOGETHER];
        } else {
            let mut bits = [0; TOGETHER];
            for (place, kept) in list.iter_mut().enumerate() {
                if left == 0 {
                    break;
                }
                let from = left.trailing_zeros();
                left &= left - 1;
                *kept = self.list[from as usize];
                for k in 0..TOGETHER {
                    bits[k] |= (reached[k] >> from & 1) << place;
                }
            }
            reached = bits;
        }
        for (&slot, bits) in self.slots[..self.count].iter().zip(reached) {
            out[slot - first] = bits;
        }
    }

    /// What is within reach of one particle of the group, as far as it is known.
    #[inline(always)]
    pub fn near(&self, k: usize) -> Near<'_> {
        Near { list: self.list, bits: self.reached[k] & ((1 << OWN_BITS) - 1), next: OWN_BITS }
    }

    /// Squared distances from a place to the particles of a vector [m²]; infinite to those that do not count.
    #[inline(always)]
    pub fn squared<S: Simd>(&self, simd: S, vector: Vector, [dx, dy, dz]: [f32x8<S>; 3]) -> f32x8<S> {
        let floor = f32x8::from_slice(simd, &self.floors[vector.lanes()]);
        dz.mul_add(dz, dy.mul_add(dy, dx * dx)).max(floor)
    }
}

/// Vectors kept for each particle of a group.
pub const KEEP: usize = 8;
/// Vectors of a list that have a bit of their own.
const OWN_BITS: usize = 31;
/// All vectors of a list.
const EVERY: u32 = u32::MAX;

/// The vectors that particles of the fluid have within reach, found by one walk and kept for others: they need not list
/// and look through those again.
#[derive(Debug, Default)]
pub struct Kept {
    /// Lists of groups, each beginning at the group's first particle and running on into what its others have.
    lists: Vec<[u32; KEEP]>,
    /// For each particle which vectors of its group's list it reaches, a bit for each; or [`EVERY`] where they were too
    /// many to keep.
    reached: Vec<u32>,
}

/// Where a walk keeps what it finds.
pub type Keep<'a> = (&'a mut [[u32; KEEP]], &'a mut [u32]);

impl Kept {
    /// Bytes for each particle.
    pub const BYTES: u64 = 4 * KEEP as u64 + 4;

    /// Makes room for `count` particles.
    pub fn resize(&mut self, count: usize) {
        make_room(&mut self.lists, count);
        self.lists.resize(count, [0; KEEP]);
        make_room(&mut self.reached, count);
        self.reached.resize(count, 0);
    }

    /// Where a walk keeps what it finds.
    pub fn keep(&mut self) -> Keep<'_> {
        (&mut self.lists, &mut self.reached)
    }
}

/// The vectors of a group that are within reach of a particle.
#[derive(Debug)]
pub struct Near<'a> {
    list: &'a [u32],
    bits: u32,
    next: usize,
}

impl Iterator for Near<'_> {
    type Item = Vector;

    #[inline(always)]
    fn next(&mut self) -> Option<Vector> {
        if self.bits != 0 {
            let at = self.bits.trailing_zeros() as usize;
            self.bits &= self.bits - 1;
            return self.list.get(at).map(|&word| Vector(word));
        }
        let word = self.list.get(self.next);
        self.next += 1;
        word.map(|&word| Vector(word))
    }
}

/// Segments along x, rows along y and z that a box from the lowest to the highest coordinates is cut into, with an empty
/// one all around.
fn cells_over(bounds: [[f32; 2]; 3], h: f32) -> Result<[u64; 3], TooWide> {
    let extent = bounds.map(|[low, high]| (high - low).max(0.0));
    let cells = |extent: f32, side: f32| ((f64::from(extent) / f64::from(side)) as u64).saturating_add(4);
    let size = [cells(extent[0], 2.0 * h), cells(extent[1], h), cells(extent[2], h)];
    let all = size.iter().try_fold(1u64, |all, n| all.checked_mul(*n)).unwrap_or(u64::MAX);
    let told_apart = |[low, high]: [f32; 2]| low > high || low.abs().max(high.abs()) <= FARTHEST * h;
    if bounds.into_iter().all(told_apart) && all <= MOST_SEGMENTS {
        Ok(size)
    } else {
        Err(TooWide { low: bounds.map(|[low, _]| low), high: bounds.map(|[_, high]| high), h })
    }
}

/// Smallest and largest coordinates of what lives beyond `now`.
fn bounds(particles: &Particles, now: f32) -> [[f32; 2]; 3] {
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
    /// A search for everything nearer than `h`.
    pub fn new(h: f32) -> Self {
        Self { h, ..Self::default() }
    }

    /// Old index of every sorted particle.
    pub fn order(&self) -> impl ExactSizeIterator<Item = usize> {
        self.order.iter().map(|old| old.load(Relaxed) as usize)
    }

    /// Bytes for the search among `count` particles, about.
    pub const fn bytes(count: u64) -> u64 {
        // Two numbers for each particle while sorting and the order, and in a dense fluid about one cell each, with two counts.
        count * (3 * 4 + 2 * 4)
    }

    /// Bytes for the cells of a box from the lowest to the highest coordinates [m], whatever is in it.
    pub fn grid_bytes(low: [f64; 3], high: [f64; 3], h: f64) -> Result<u64, TooWide> {
        let size = cells_over(std::array::from_fn(|axis| [low[axis] as f32, high[axis] as f32]), h as f32)?;
        // A bit for each, and a number for every 64.
        Ok(size.iter().product::<u64>() / 64 * (8 + 4))
    }

    /// Sorts particles into cells: `sorted` gets those of `from` that live beyond `now` [s].
    pub fn sort(&mut self, from: &Particles, sorted: &mut Particles, now: f32) -> Result<(), TooWide> {
        self.lay_out(from, now)?;
        self.find_segments(from, now);
        self.count_cells(from.len());
        self.put_in_order(from.len());
        sorted.gather(from, &self.order);
        Ok(())
    }

    /// Refuses particles that are spread over more space than can be searched.
    pub fn check_spread(&self, particles: &Particles, now: f32) -> Result<(), TooWide> {
        cells_over(bounds(particles, now), self.h).map(drop)
    }

    /// Chooses the cells: just as many as the particles need, with an empty one all around.
    fn lay_out(&mut self, particles: &Particles, now: f32) -> Result<(), TooWide> {
        let bounds = bounds(particles, now);
        let h = self.h;
        let long = 2.0 * h; // a segment
        let size = cells_over(bounds, h)?;
        let all: u64 = size.iter().product();
        self.size = size.map(|n| n as u32);
        let low = |axis: usize| if bounds[axis][0].is_finite() { bounds[axis][0] } else { 0.0 };
        self.origin = [low(0) - 1.5 * long, low(1) - 1.5 * h, low(2) - 1.5 * h];
        let words = (all as usize).div_ceil(64) + 1;
        self.occupied.resize_with(words, AtomicU64::default);
        band::for_each_part(0..words, 4096, &mut self.occupied[..words], &|_, words: &mut [AtomicU64]| {
            words.iter_mut().for_each(|word| *word.get_mut() = 0);
        });
        Ok(())
    }

    /// Cell along x, counted from the origin.
    #[inline(always)]
    fn along(&self, x: f32) -> i32 {
        ((x - self.origin[0]) * (FINER / self.h)) as i32
    }

    /// Notes the segment of every particle, and which segments have any.
    fn find_segments(&mut self, particles: &Particles, now: f32) {
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
            let cell = row * (self.size[0] * CELLS as u32) + x;
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

    /// Whether a segment is occupied, and how many are before it.
    #[inline(always)]
    fn rank(&self, segment: u32) -> (bool, u32) {
        let (word, bit) = (segment as usize / 64, segment % 64);
        let bits = self.occupied[word].load(Relaxed);
        let below = bits & ((1u64 << bit) - 1);
        (bits >> bit & 1 == 1, self.before[word] + below.count_ones())
    }

    /// Counts the particles of each cell, and gives each a place among those of its cell.
    fn count_cells(&mut self, count: usize) {
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
    fn put_in_order(&mut self, count: usize) {
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
    fn first_of(&self, segment: usize) -> usize {
        self.starts.get(segment * CELLS).map_or(0, |&start| start as usize)
    }

    /// Walks over all particles of the pass's kind with their neighbours.
    pub fn walk<P: Pass>(&self, particles: &Particles, pass: &P, out: P::Out) {
        self.walk_with(particles, None, pass, out);
    }

    /// Walks over all particles of the fluid with the neighbours that another walk has kept.
    pub fn walk_kept<P: Pass>(&self, particles: &Particles, kept: &Kept, pass: &P, out: P::Out) {
        self.walk_with(particles, Some(kept), pass, out);
    }

    fn walk_with<P: Pass>(&self, particles: &Particles, kept: Option<&Kept>, pass: &P, out: P::Out) {
        let level = Level::new();
        for_each_segments(self, out, &|range, first, out: P::Out| {
            dispatch!(level, simd => self.walk_part(simd, particles, kept, pass, range, first, out));
        });
    }

    #[inline(always)]
    #[expect(
        clippy::too_many_arguments,
        reason = "the inner part of `walk`, compiled for each kind of vectors"
    )]
    fn walk_part<S: Simd, P: Pass>(
        &self,
        simd: S,
        particles: &Particles,
        kept: Option<&Kept>,
        pass: &P,
        range: Range<usize>,
        first: usize,
        mut out: P::Out,
    ) {
        let mut list = LIST.take();
        let floors = self.floors();
        let mut around = Around::default();
        let wanted = match P::KIND {
            Kind::Fluid => 0,
            Kind::Boundary => BOUNDARY,
        };
        for segment in range {
            let (mut at, to) = (self.first_of(segment), self.first_of(segment + 1));
            let mut looked_around = false;
            loop {
                // The next few of the right kind.
                let mut slots = [0; TOGETHER];
                let mut count = 0;
                while at < to && count < TOGETHER {
                    if particles.tag[at] & BOUNDARY == wanted {
                        slots[count] = at;
                        count += 1;
                    }
                    at += 1;
                }
                if count == 0 {
                    break;
                }
                for k in count..TOGETHER {
                    slots[k] = slots[count - 1];
                }
                let mut group =
                    Group { slots, count, list: &[], reached: [EVERY; TOGETHER], floors: &floors };
                if let Some(kept) = kept.filter(|kept| kept.reached[slots[0]] != EVERY) {
                    group.list = kept.lists[slots[0]..slots[0] + count].as_flattened();
                    for (reached, &slot) in group.reached.iter_mut().zip(&slots) {
                        *reached = kept.reached[slot];
                    }
                } else {
                    if !looked_around {
                        self.look_around(self.segments[segment], &mut around);
                        looked_around = true;
                    }
                    let length = self.list_vectors(simd, particles, &slots, &around, &mut list);
                    group.list = &list[..length];
                }
                pass.group(simd, &group, first, &mut out);
            }
        }
        LIST.set(list);
    }

    /// Smallest squared distances, for [`Group::floors`].
    fn floors(&self) -> [[f32; LANES]; 2 * LANES] {
        let tiny = 1.0e-12 * self.h * self.h;
        std::array::from_fn(|lanes| {
            std::array::from_fn(|lane| if lane < lanes { tiny } else { f32::INFINITY })
        })
    }

    /// Finds what lies around a segment.
    #[inline(always)]
    fn look_around(&self, segment: u32, around: &mut Around) {
        let row = segment / self.size[0];
        let floor = |axis: usize, row: u32| self.origin[axis] + row as f32 * self.h;
        around.floor = [floor(1, row % self.size[1]), floor(2, row / self.size[1])];
        around.first = ((segment % self.size[0]) as i32 - 1) * CELLS as i32;
        for (i, bounds) in around.bounds.iter_mut().enumerate() {
            let (dy, dz) = (i as i32 % 3 - 1, i as i32 / 3 - 1);
            let middle = segment as i32 + (dz * self.size[1] as i32 + dy) * self.size[0] as i32;
            let (mut there, mut rank) = self.rank((middle - 1) as u32);
            for k in 0..3 {
                if k > 0 {
                    rank += u32::from(there);
                    there = self.rank((middle - 1 + k as i32) as u32).0;
                }
                let at = rank as usize * CELLS;
                if there {
                    bounds[k * CELLS..(k + 1) * CELLS].copy_from_slice(&self.starts[at..at + CELLS]);
                } else {
                    bounds[k * CELLS..(k + 1) * CELLS].fill(self.starts[at]);
                }
            }
            bounds[ABREAST] = self.starts[(rank + u32::from(there)) as usize * CELLS];
        }
    }

    /// Lists the vectors within reach of a few particles of one segment; returns how many there are.
    #[inline(always)]
    fn list_vectors<S: Simd>(
        &self,
        simd: S,
        particles: &Particles,
        slots: &[usize; TOGETHER],
        around: &Around,
        list: &mut Vec<u32>,
    ) -> usize {
        let h = self.h;
        let reach = h * (1.0 + SLACK);
        let mut low = [f32::INFINITY; 3];
        let mut high = [f32::NEG_INFINITY; 3];
        for &slot in slots {
            for axis in 0..3 {
                let value = particles.position[axis][slot];
                low[axis] = low[axis].min(value);
                high[axis] = high[axis].max(value);
            }
        }
        // Distance to the rows below and above that of the particles, along y and z.
        let side = |axis: usize| {
            let floor = around.floor[axis - 1];
            [(low[axis] - floor - SLACK * h).max(0.0), (floor + h - high[axis] - SLACK * h).max(0.0)]
        };
        let (y, z) = (side(1), side(2));
        let yy = f32x8::from_slice(simd, &[y[0], 0.0, y[1], y[0], y[1], y[0], 0.0, y[1]]);
        let zz = f32x8::from_slice(simd, &[z[0], z[0], z[0], 0.0, 0.0, z[1], z[1], z[1]]);
        let left = f32x8::splat(simd, reach * reach) - (yy * yy + zz * zz);
        let chord = left.max(f32x8::splat(simd, 0.0)).sqrt();
        let scale = FINER / h;
        let cells = |x: f32x8<S>| ((x - self.origin[0]) * scale).to_int::<i32x8<S>>() - around.first;
        let from = cells(low[0] - chord).max(i32x8::splat(simd, 0));
        let to = cells(chord + high[0]).min(i32x8::splat(simd, ABREAST as i32 - 1)) + 1;
        let to = left.simd_gt(f32x8::splat(simd, 0.0)).select(to, from);
        // The row of the particles themselves comes in between.
        let (mut froms, mut tos) = ([0; ROWS], [0; ROWS]);
        from.store_slice(&mut froms[..LANES]);
        to.store_slice(&mut tos[..LANES]);
        froms.copy_within(4..8, 5);
        tos.copy_within(4..8, 5);
        froms[4] = (self.along(low[0] - reach) - around.first).max(0);
        tos[4] = (self.along(high[0] + reach) - around.first).min(ABREAST as i32 - 1) + 1;
        // Eight vectors are written whether they are there or not: that is faster than to ask.
        let ahead = u32x8::from_slice(simd, &[0, 8, 16, 24, 32, 40, 48, 56]);
        let all = u32x8::splat(simd, LANES as u32);
        if list.len() < ROWS * LANES {
            list.resize(ROWS * LANES, 0);
        }
        let mut length = 0;
        for row in 0..ROWS {
            let bounds = &around.bounds[row];
            let (mut at, end) = (bounds[froms[row] as usize % 32], bounds[tos[row] as usize % 32]);
            loop {
                let starts = ahead + at;
                let lanes = (u32x8::splat(simd, end) - starts).min(all);
                (starts | (lanes << COUNTED)).store_slice(&mut list[length..length + LANES]);
                let count = (end - at).div_ceil(LANES as u32) as usize;
                if count <= LANES {
                    length += count;
                    break;
                }
                // Crowded: room for what comes after these eight, and for all other rows.
                length += LANES;
                at += (LANES * LANES) as u32;
                list.resize(list.len().max(length + ROWS * LANES), 0);
            }
        }
        length
    }
}

/// Calls `work(segments, first particle, out)` for stretches of occupied segments; `out` is cut along the particles.
fn for_each_segments<O: Cut>(
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
