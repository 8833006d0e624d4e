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

use crate::particles::{BOUNDARY, PART, Particles};
use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};
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
/// Share of h by which the search reaches farther than the kernels, so that rounding loses no neighbour.
const SLACK: f32 = 1.0e-4;
/// The cell of a particle that is no more.
const GONE: u32 = u32::MAX;
/// Rows around a row, itself included.
const ROWS: usize = 9;
/// Bounds of the cells in a segment and its two neighbours in the row.
const BOUNDS: usize = 3 * CELLS + 1;

thread_local! {
    /// The list of one group's vectors; kept, so that a step allocates nothing.
    static VECTORS: Cell<Vec<Vector>> = const { Cell::new(Vec::new()) };
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
    sorted: Vec<u32>,
}

/// Space that particles are spread over is larger than can be searched.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("particles are spread over {extent:?} m, which is too wide for a search radius of {h} m")]
pub struct TooWide {
    /// Along each axis [m].
    pub extent: [f32; 3],
    /// Search radius [m].
    pub h: f32,
}

/// Which particles a walk visits; their neighbours are always of both kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Those of the fluid.
    Fluid,
    /// Those of the boundary.
    Boundary,
}

/// Up to eight particles in consecutive memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vector {
    /// The first.
    pub at: u32,
    /// How many of the eight count.
    pub lanes: u32,
}

/// A few particles and all that may be their neighbours.
#[derive(Debug)]
pub struct Group<'a> {
    /// The particles; the last is repeated where there are fewer.
    pub slots: [usize; TOGETHER],
    /// How many there really are.
    pub count: usize,
    /// Everything within reach of any of them, themselves included, and some that are too far.
    pub vectors: &'a [Vector],
    /// For each vector, by the number of particles in it that count: squared distances no smaller than this are
    /// looked at. Tiny for those that count, infinite for those that do not.
    pub floors: &'a [[f32; LANES]; LANES + 1],
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

/// Reads a vector.
#[inline(always)]
pub fn load<S: Simd>(simd: S, column: &[f32], at: usize) -> f32x8<S> {
    f32x8::from_slice(simd, &column[at..at + LANES])
}

impl Vector {
    /// The first particle.
    #[inline(always)]
    pub fn start(self) -> usize {
        self.at as usize
    }
}

impl Group<'_> {
    /// Squared distances from a place to the particles of a vector [m²]; infinite to those that do not count.
    #[inline(always)]
    pub fn squared<S: Simd>(&self, simd: S, vector: Vector, [dx, dy, dz]: [f32x8<S>; 3]) -> f32x8<S> {
        let floor = f32x8::from_slice(simd, &self.floors[vector.lanes as usize]);
        dz.mul_add(dz, dy.mul_add(dy, dx * dx)).max(floor)
    }
}

/// Which vectors of a group have something within reach of a particle: one bit for each, the last for all that follow.
pub type Reached = u32;

/// Vectors that have a bit of their own.
pub const OWN_BITS: usize = 31;

/// The vectors of a group that are within reach of a particle.
#[derive(Debug)]
pub struct Near<'a> {
    vectors: &'a [Vector],
    bits: Reached,
    next: usize,
}

impl<'a> Near<'a> {
    /// Those of `vectors` whose bit is set, and all that have no bit of their own.
    #[inline(always)]
    pub fn new(vectors: &'a [Vector], bits: Reached) -> Self {
        Self { vectors, bits, next: OWN_BITS }
    }
}

impl Iterator for Near<'_> {
    type Item = Vector;

    #[inline(always)]
    fn next(&mut self) -> Option<Vector> {
        if self.bits != 0 {
            let at = self.bits.trailing_zeros() as usize;
            self.bits &= self.bits - 1;
            return self.vectors.get(at).copied();
        }
        let vector = self.vectors.get(self.next).copied();
        self.next += 1;
        vector
    }
}

/// Smallest and largest coordinates.
fn bounds(particles: &Particles, now: f32) -> [[f32; 2]; 3] {
    let nothing = [[f32::INFINITY, f32::NEG_INFINITY]; 3];
    let part = |range: Range<usize>| {
        let mut found = nothing;
        for (axis, found) in found.iter_mut().enumerate() {
            let (values, expires) =
                (&particles.position[axis][range.clone()], &particles.expires[range.clone()]);
            for (&value, &expires) in values.iter().zip(expires) {
                let lives = expires > now;
                found[0] = if lives && value < found[0] { value } else { found[0] };
                found[1] = if lives && value > found[1] { value } else { found[1] };
            }
        }
        found
    };
    let both = |a: [[f32; 2]; 3], b: [[f32; 2]; 3]| {
        std::array::from_fn(|axis| [a[axis][0].min(b[axis][0]), a[axis][1].max(b[axis][1])])
    };
    band::measure(0..particles.len(), PART, &part, &both)
}

impl Neighbours {
    /// A search for everything nearer than `h`.
    pub fn new(h: f32) -> Self {
        Self { h, ..Self::default() }
    }

    /// Old index of every sorted particle.
    pub fn order(&self) -> &[u32] {
        &self.sorted
    }

    /// Bytes for the search among `count` particles, about.
    pub const fn bytes(count: u64) -> u64 {
        // Two numbers for each particle while sorting and two orders, and in a dense fluid about one cell each, with two counts.
        count * (4 * 4 + 2 * 4)
    }

    /// Sorts particles into cells: `sorted` gets those of `from` that live beyond `now` [s].
    pub fn sort(&mut self, from: &Particles, sorted: &mut Particles, now: f32) -> Result<(), TooWide> {
        self.lay_out(from, now)?;
        self.find_segments(from, now);
        self.count_cells(from.len());
        self.put_in_order(from.len());
        sorted.gather(from, &self.sorted);
        Ok(())
    }

    /// Chooses the cells: just as many as the particles need, with an empty one all around.
    fn lay_out(&mut self, particles: &Particles, now: f32) -> Result<(), TooWide> {
        let bounds = bounds(particles, now);
        let h = self.h;
        let extent: [f32; 3] = std::array::from_fn(|axis| (bounds[axis][1] - bounds[axis][0]).max(0.0));
        let long = 2.0 * h; // a segment
        let cells = |extent: f32, side: f32| (f64::from(extent) / f64::from(side)) as u64 + 4;
        let size = [cells(extent[0], long), cells(extent[1], h), cells(extent[2], h)];
        let all = size.iter().try_fold(1u64, |all, n| all.checked_mul(*n)).unwrap_or(u64::MAX);
        if !extent.iter().all(|e| e.is_finite()) || all > MOST_SEGMENTS {
            return Err(TooWide { extent, h });
        }
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

    /// Row along y or z.
    #[inline(always)]
    fn row(&self, axis: usize, value: f32) -> u32 {
        ((value - self.origin[axis]) * (1.0 / self.h)) as u32
    }

    /// Notes the segment of every particle, and which segments have any.
    fn find_segments(&mut self, particles: &Particles, now: f32) {
        let count = particles.len();
        let mut cell = std::mem::take(&mut self.cell);
        cell.resize(count, 0);
        let [x, y, z] = &particles.position;
        let this = &*self;
        band::for_each_part(0..count, PART, &mut cell[..], &|range, part: &mut [u32]| {
            for (i, cell) in range.zip(part) {
                if particles.expires[i] <= now {
                    *cell = GONE;
                    continue;
                }
                let along = this.along(x[i]) as u32;
                let row = this.row(2, z[i]) * this.size[1] + this.row(1, y[i]);
                let segment = row * this.size[0] + along / CELLS as u32;
                let (word, bit) = (segment as usize / 64, 1u64 << (segment % 64));
                if this.occupied[word].load(Relaxed) & bit == 0 {
                    this.occupied[word].fetch_or(bit, Relaxed);
                }
                *cell = segment * CELLS as u32 + along % CELLS as u32;
            }
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
        self.counts.resize_with(cells, AtomicU32::default);
        self.counts.iter_mut().for_each(|count| *count.get_mut() = 0);
        let (mut cell, mut place) = (std::mem::take(&mut self.cell), std::mem::take(&mut self.place));
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
        self.order.resize_with(alive, AtomicU32::default);
        self.sorted.resize(alive, 0);
        let this = &*self;
        band::for_each_part(0..count, PART, (), &|range, ()| {
            for i in range {
                if this.cell[i] != GONE {
                    let at = this.starts[this.cell[i] as usize] + this.place[i];
                    this.order[at as usize].store(i as u32, Relaxed);
                }
            }
        });
        let mut sorted = std::mem::take(&mut self.sorted);
        for_each_segments(self, &mut sorted[..], &|range, first, part: &mut [u32]| {
            for (i, slot) in part.iter_mut().enumerate() {
                *slot = self.order[first + i].load(Relaxed);
            }
            for cell in range.start * CELLS..range.end * CELLS {
                let [a, b] = [self.starts[cell], self.starts[cell + 1]].map(|at| at as usize - first);
                if b - a > 1 {
                    part[a..b].sort_unstable();
                }
            }
        });
        self.sorted = sorted;
    }

    /// First particle of an occupied segment; behind the last, the number of all.
    fn first_of(&self, segment: usize) -> usize {
        self.starts.get(segment * CELLS).map_or(0, |&start| start as usize)
    }

    /// Walks over all particles of the pass's kind with their neighbours.
    pub fn walk<P: Pass>(&self, particles: &Particles, pass: &P, out: P::Out) {
        let level = Level::new();
        for_each_segments(self, out, &|range, first, out: P::Out| {
            dispatch!(level, simd => self.walk_part(simd, particles, pass, range, first, out));
        });
    }

    #[inline(always)]
    fn walk_part<S: Simd, P: Pass>(
        &self,
        simd: S,
        particles: &Particles,
        pass: &P,
        range: Range<usize>,
        first: usize,
        mut out: P::Out,
    ) {
        let mut vectors = VECTORS.take();
        let floors = self.floors();
        let mut bounds = [[0u32; BOUNDS]; ROWS];
        for segment in range {
            self.gather_bounds(self.segments[segment], &mut bounds);
            let (from, to) = (self.first_of(segment), self.first_of(segment + 1));
            let wanted = match P::KIND {
                Kind::Fluid => 0,
                Kind::Boundary => BOUNDARY,
            };
            let mut at = from;
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
                self.list_vectors(simd, particles, &slots, self.segments[segment], &bounds, &mut vectors);
                let group = Group { slots, count, vectors: &vectors, floors: &floors };
                pass.group(simd, &group, first, &mut out);
            }
        }
        VECTORS.set(vectors);
    }

    /// Smallest squared distances, for [`Group::floors`].
    fn floors(&self) -> [[f32; LANES]; LANES + 1] {
        let tiny = 1.0e-12 * self.h * self.h;
        std::array::from_fn(|lanes| {
            std::array::from_fn(|lane| if lane < lanes { tiny } else { f32::INFINITY })
        })
    }

    /// First particles of all cells in the segments around one.
    #[inline(always)]
    fn gather_bounds(&self, segment: u32, bounds: &mut [[u32; BOUNDS]; ROWS]) {
        for (i, bounds) in bounds.iter_mut().enumerate() {
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
            bounds[3 * CELLS] = self.starts[(rank + u32::from(there)) as usize * CELLS];
        }
    }

    /// Lists the vectors within reach of a few particles of one segment.
    #[inline(always)]
    fn list_vectors<S: Simd>(
        &self,
        simd: S,
        particles: &Particles,
        slots: &[usize; TOGETHER],
        segment: u32,
        bounds: &[[u32; BOUNDS]; ROWS],
        vectors: &mut Vec<Vector>,
    ) {
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
        // Distance to the rows below, at and above that of the particles, along y and z.
        let row = segment / self.size[0];
        let side = |axis: usize, row: u32| {
            let floor = self.origin[axis] + row as f32 * h;
            [(low[axis] - floor - SLACK * h).max(0.0), 0.0, (floor + h - high[axis] - SLACK * h).max(0.0)]
        };
        let (y, z) = (side(1, row % self.size[1]), side(2, row / self.size[1]));
        let yy = f32x8::from_slice(simd, &[y[0], 0.0, y[2], y[0], y[2], y[0], 0.0, y[2]]);
        let zz = f32x8::from_slice(simd, &[z[0], z[0], z[0], 0.0, 0.0, z[2], z[2], z[2]]);
        let left = f32x8::splat(simd, reach * reach) - (yy * yy + zz * zz);
        let chord = left.max(f32x8::splat(simd, 0.0)).sqrt();
        let scale = FINER / h;
        let first = ((segment % self.size[0]) as i32 - 1) * CELLS as i32;
        let cells = |x: f32x8<S>| ((x - self.origin[0]) * scale).to_int::<fearless_simd::i32x8<S>>() - first;
        let from = cells(low[0] - chord).max(fearless_simd::i32x8::splat(simd, 0));
        let to = cells(chord + high[0]).min(fearless_simd::i32x8::splat(simd, 3 * CELLS as i32 - 1));
        let (mut froms, mut tos, mut lefts) = ([0i32; LANES], [0i32; LANES], [0f32; LANES]);
        from.store_slice(&mut froms);
        to.store_slice(&mut tos);
        left.store_slice(&mut lefts);
        vectors.clear();
        for (i, bounds) in bounds.iter().enumerate() {
            let (from, to) = if i == 4 {
                let from = (self.along(low[0] - reach) - first).max(0);
                (from, (self.along(high[0] + reach) - first).min(3 * CELLS as i32 - 1))
            } else {
                let k = if i > 4 { i - 1 } else { i };
                if lefts[k] <= 0.0 {
                    continue;
                }
                (froms[k], tos[k])
            };
            let (mut at, end) = (bounds[from as usize], bounds[(to + 1) as usize]);
            while at < end {
                vectors.push(Vector { at, lanes: (end - at).min(LANES as u32) });
                at += LANES as u32;
            }
        }
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
