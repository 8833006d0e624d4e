//! What is within reach of a cluster.

use super::cells::COUNT;
use super::cluster::{Kind, even, load};
use super::{ABREAST, CELLS, FINER, KINDS, LANES, Neighbours, ROWS, SLACK};
use crate::particles::Particles;
use fearless_simd::{Simd, f32x8, i32x8, prelude::*, u32x8};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where the number of particles that count begins in a word for a vector: the lower 28 bits are its first particle. More particles
/// than [`crate::MOST_PARTICLES`] are refused, which leaves room for those of the boundary.
const COUNTED: u32 = 28;

/// By the bits of a byte: the numbers of those that are set, in order.
const SET: [[u32; LANES]; 256] = {
    let mut set = [[0; LANES]; 256];
    let mut at = 0;
    while at < 256 * LANES {
        let (bits, bit) = (at / LANES, at % LANES);
        let before = (bits & ((1 << bit) - 1)).count_ones() as usize;
        if bits >> bit & 1 == 1 {
            set[bits][before] = bit as u32;
        }
        at += 1;
    }
    set
};

/// First particle of each cell of three segments in a row, and behind them of the next; whatever a number's lower bits say is inside.
type Row = [u32; (ABREAST + 1).next_power_of_two()];

/// What lies around a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// Rows of each kind.
    bounds: [[Row; ROWS]; KINDS],
    /// Whether there is anything of each kind.
    any: [bool; KINDS],
    /// First of those cells, counted along x from the origin.
    first: i32,
    /// Lower side of the segment's row along y and z `[m]`.
    floor: [f32; 2],
}

impl Default for Around {
    fn default() -> Self {
        let bounds = [[[0; (ABREAST + 1).next_power_of_two()]; ROWS]; KINDS];
        Self { bounds, any: [false; KINDS], first: 0, floor: [0.0; 2] }
    }
}

/// For each row around a segment, the first of its cells that particles reach, and the one behind the last.
struct Stretches {
    from: [i32; ROWS],
    to: [i32; ROWS],
}

/// Where the particles of a cluster are `[m]`, the first in the lanes that do not count too; and the box around them.
struct Members<S: Simd> {
    place: [f32x8<S>; 3],
    low: [f32; 3],
    high: [f32; 3],
}

/// Vectors around a cluster, and which of their particles are near. Kept by each thread, so that a step allocates nothing.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Up to eight particles in consecutive memory each; those of the fluid come first.
    vectors: Vec<u32>,
    /// How many there are, and how many of them are of the fluid.
    count: usize,
    wet_count: usize,
    /// Of each, who is within reach of the cluster, a bit for each particle.
    bits: Vec<u8>,
    /// Particles within reach of the cluster.
    near: Vec<u32>,
}

/// How it is known what is within reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// It is found.
    Anew,
    /// It is found and kept, as far as there is room.
    Keep,
    /// It was kept; what there was no room for is found again.
    Known,
}

impl Lists {
    /// Takes up what was kept; returns for how many vectors.
    #[inline(always)]
    fn read(&mut self, reached: &[AtomicU64]) -> usize {
        for (bits, kept) in self.bits.as_chunks_mut::<LANES>().0.iter_mut().zip(reached) {
            *bits = kept.load(Relaxed).to_le_bytes();
        }
        (reached.len() * LANES).min(self.count)
    }

    /// Keeps what was found, as far as there is room.
    #[inline(always)]
    fn keep(&self, reached: &[AtomicU64]) {
        for (bits, kept) in self.bits.as_chunks::<LANES>().0.iter().zip(reached) {
            kept.store(u64::from_le_bytes(*bits), Relaxed);
        }
    }

    /// Lists the particles that are within reach; returns how many of them are of the fluid too.
    #[inline(always)]
    fn expand(&mut self) -> (&[u32], usize) {
        let Self { vectors, count, wet_count, bits, near } = self;
        if near.len() < (*count + 1) * LANES {
            near.resize((*count + 1) * LANES, 0);
        }
        let (mut wet, mut length) = (0, 0);
        for range in [0..*wet_count, *wet_count..*count] {
            wet = length;
            for (&vector, &bits) in vectors[range.clone()].iter().zip(&bits[range]) {
                let at = vector & ((1 << COUNTED) - 1);
                for (near, bit) in near[length..length + LANES].iter_mut().zip(SET[usize::from(bits)]) {
                    *near = at + bit;
                }
                length += bits.count_ones() as usize;
            }
        }
        (&near[..length], wet)
    }
}

/// The spheres around the particles of a cluster, to tell what is in any of them: |a − b|² < h² is |a|² + min (|b|² − 2 a·b) < h².
struct Spheres<S: Simd> {
    /// What places are counted from `[m]`.
    middle: [f32; 3],
    /// For each particle, −2 b and |b|², in all lanes.
    each: [[f32x8<S>; 4]; LANES],
    /// h² `[m²]`.
    square: f32,
}

impl<S: Simd> Members<S> {
    #[inline(always)]
    fn of(simd: S, particles: &Particles, cluster: &Range<usize>) -> Self {
        let counts = f32x8::from_slice(simd, &COUNT[cluster.len()]).simd_gt(f32x8::splat(simd, 0.0));
        let mut members = Self { place: [f32x8::splat(simd, 0.0); 3], low: [0.0; 3], high: [0.0; 3] };
        for axis in 0..3 {
            let column = &particles.position[axis][cluster.start..cluster.start + LANES];
            let place = counts.select(f32x8::from_slice(simd, column), f32x8::splat(simd, column[0]));
            members.place[axis] = place;
            (members.low[axis], members.high[axis]) = (place.reduce_min(), place.reduce_max());
        }
        members
    }
}

impl<S: Simd> Spheres<S> {
    #[inline(always)]
    fn around(simd: S, members: &Members<S>, h: f32) -> Self {
        let mut middle = [0.0; 3];
        let mut parts = [[0.0; LANES]; 4];
        let mut square = f32x8::splat(simd, 0.0);
        for axis in 0..3 {
            middle[axis] = 0.5 * (members.low[axis] + members.high[axis]);
            let way = members.place[axis] - middle[axis];
            square = way.mul_add(way, square);
            (way * -2.0).store_slice(&mut parts[axis]);
        }
        square.store_slice(&mut parts[3]);
        let mut each = [[square; 4]; LANES];
        for (k, sphere) in each.iter_mut().enumerate() {
            for (sphere, part) in sphere.iter_mut().zip(&parts) {
                *sphere = f32x8::splat(simd, part[k]);
            }
        }
        let reach = h * (1.0 + SLACK);
        Self { middle, each, square: reach * reach }
    }

    /// Which particles of a vector are in any of them, a bit for each.
    #[inline(always)]
    fn hold(&self, simd: S, place: [&[f32]; 3], vector: u32) -> u8 {
        let (at, count) = ((vector & ((1 << COUNTED) - 1)) as usize, vector >> COUNTED);
        let x = load(simd, place[0], at) - self.middle[0];
        let y = load(simd, place[1], at) - self.middle[1];
        let z = load(simd, place[2], at) - self.middle[2];
        let mut least = f32x8::splat(simd, self.square);
        for [a, b, c, square] in &self.each {
            least = least.min(z.mul_add(*c, y.mul_add(*b, x.mul_add(*a, *square))));
        }
        let rr = z.mul_add(z, y.mul_add(y, x.mul_add(x, least)));
        let within = rr.simd_lt(f32x8::splat(simd, self.square)).to_bitmask() as u32;
        (within & ((1 << count) - 1)) as u8
    }
}

impl Neighbours {
    /// Kind of the particles of an occupied segment.
    #[inline(always)]
    pub(super) fn kind_of(&self, segment: u32) -> Kind {
        if segment / self.size[0] % KINDS as u32 == Kind::Fluid as u32 { Kind::Fluid } else { Kind::Boundary }
    }

    /// Clusters of an occupied segment: the first particle of each, and how many there are, evenly.
    #[inline(always)]
    pub(super) fn clusters_of(&self, segment: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let (first, end) = (self.first_of(segment), self.first_of(segment + 1));
        let count = end - first;
        let clusters = count.div_ceil(LANES);
        (0..clusters).map(move |k| first + k * count / clusters..first + (k + 1) * count / clusters)
    }

    /// Finds what of some kinds lies around a segment.
    #[inline(always)]
    pub(super) fn find_around(&self, segment: u32, among: &[Kind], around: &mut Around) {
        let [width, depth] = [self.size[0] as i32, self.size[1] as i32];
        let row = segment / self.size[0] / KINDS as u32;
        let floor = |axis: usize, row: u32| self.origin[axis] + row as f32 * self.h;
        around.floor = [floor(1, row % self.size[1]), floor(2, row / self.size[1])];
        let along = (segment % self.size[0]) as i32 - 1;
        around.first = along * CELLS as i32;
        around.any = [false; KINDS];
        for &kind in among {
            for (i, bounds) in around.bounds[kind as usize].iter_mut().enumerate() {
                let (dy, dz) = (i as i32 % 3 - 1, i as i32 / 3 - 1);
                let row = (row as i32 + dz * depth + dy) * KINDS as i32 + kind as i32;
                self.find_bounds((row * width + along) as u32, bounds);
                around.any[kind as usize] |= bounds[0] != bounds[ABREAST];
            }
        }
    }

    /// First particles of the cells of three segments in a row.
    #[inline(always)]
    fn find_bounds(&self, segment: u32, bounds: &mut Row) {
        let (there, rank) = self.rank(segment);
        let mut at = rank as usize * CELLS;
        for k in 0..3 {
            let cells = &mut bounds[k * CELLS..(k + 1) * CELLS];
            if there >> k & 1 == 1 {
                cells.copy_from_slice(&self.starts[at..at + CELLS]);
                at += CELLS;
            } else {
                cells.fill(self.starts[at]);
            }
        }
        bounds[ABREAST] = self.starts[at];
    }

    /// Lists the particles within reach of a cluster; returns the list, and how many of it are of the fluid.
    #[inline(always)]
    pub(super) fn list_near<'a, S: Simd>(
        &self,
        simd: S,
        particles: &Particles,
        cluster: &Range<usize>,
        around: &Around,
        search: Search,
        lists: &'a mut Lists,
    ) -> (&'a [u32], usize) {
        let members = Members::of(simd, particles, cluster);
        self.list_vectors(simd, &members, around, lists);
        let reached = &self.reached[cluster.clone()];
        let known = if search == Search::Known { lists.read(reached) } else { 0 };
        if known < lists.count {
            let [x, y, z] = &particles.position;
            let place = even([x, y, z]);
            let spheres = Spheres::around(simd, &members, self.h);
            let unknown = known..lists.count;
            for (bits, &vector) in lists.bits[unknown.clone()].iter_mut().zip(&lists.vectors[unknown]) {
                *bits = spheres.hold(simd, place, vector);
            }
        }
        if search == Search::Keep {
            lists.keep(reached);
        }
        lists.expand()
    }

    /// Lists the vectors around a cluster.
    #[inline(always)]
    fn list_vectors<S: Simd>(&self, simd: S, members: &Members<S>, around: &Around, lists: &mut Lists) {
        let stretches = self.find_stretches(simd, members, around);
        let Lists { vectors, count, wet_count, bits, .. } = lists;
        *count = 0;
        for (kind, bounds) in around.bounds.iter().enumerate() {
            if around.any[kind] {
                stretches.list(simd, bounds, vectors, count);
            }
            if kind == Kind::Fluid as usize {
                *wet_count = *count;
            }
        }
        if bits.len() < vectors.len() {
            bits.resize(vectors.len(), 0);
        }
    }

    /// Trims the rows around a segment to the chords of the spheres around a box in it.
    #[inline(always)]
    fn find_stretches<S: Simd>(&self, simd: S, members: &Members<S>, around: &Around) -> Stretches {
        let Members { low, high, .. } = members;
        let h = self.h;
        let reach = h * (1.0 + SLACK);
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
        let mut stretches = Stretches { from: [0; ROWS], to: [0; ROWS] };
        let Stretches { from: begins, to: ends } = &mut stretches;
        from.store_slice(&mut begins[..LANES]);
        to.store_slice(&mut ends[..LANES]);
        begins.copy_within(4..8, 5);
        ends.copy_within(4..8, 5);
        begins[4] = (self.along(low[0] - reach) - around.first).max(0);
        ends[4] = (self.along(high[0] + reach) - around.first).min(ABREAST as i32 - 1) + 1;
        stretches
    }
}

impl Stretches {
    /// Adds the vectors of all rows of a kind to those that are there.
    #[inline(always)]
    fn list<S: Simd>(&self, simd: S, rows: &[Row; ROWS], vectors: &mut Vec<u32>, count: &mut usize) {
        // Eight vectors are written whether they are there or not: that is faster than to ask.
        let ahead = u32x8::from_slice(simd, &[0, 8, 16, 24, 32, 40, 48, 56]);
        let all = u32x8::splat(simd, LANES as u32);
        make_ready(vectors, *count);
        let mut length = *count;
        for ((bounds, from), to) in rows.iter().zip(self.from).zip(self.to) {
            let (at, end) = (bounds[from as usize % bounds.len()], bounds[to as usize % bounds.len()]);
            let starts = ahead + at;
            let lanes = (u32x8::splat(simd, end) - starts).min(all);
            (starts | (lanes << COUNTED)).store_slice(&mut vectors[length..length + LANES]);
            length += ((end - at).div_ceil(LANES as u32) as usize).min(LANES);
            if end - at > (LANES * LANES) as u32 {
                length = list_crowd(vectors, length, at + (LANES * LANES) as u32..end);
            }
        }
        *count = length;
    }
}

/// Makes room for eight more vectors of each row.
fn make_ready(vectors: &mut Vec<u32>, count: usize) {
    if vectors.len() < count + ROWS * LANES {
        vectors.resize(count + ROWS * LANES, 0);
    }
}

/// Adds the vectors of a range behind those that are there; returns how many there are then.
#[cold]
fn list_crowd(vectors: &mut Vec<u32>, mut count: usize, range: Range<u32>) -> usize {
    for at in range.clone().step_by(LANES) {
        make_ready(vectors, count + 1);
        vectors[count] = at | (range.end - at).min(LANES as u32) << COUNTED;
        count += 1;
    }
    count
}
