//! Lists of what is near a cluster, and how they are kept from one walk to the next.

use super::{LANES, ROWS};
use fearless_simd::{Simd, prelude::*, u32x8};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A vector is a word: its first particle in the lower 28 bits, how many of its eight count in the upper four. More particles than
/// [`crate::MOST_PARTICLES`] are refused, which leaves room for those of the boundary.
pub(super) const COUNTED: u32 = 28;
pub(super) const FIRST: u32 = (1 << COUNTED) - 1;
/// Room for vectors and for rows from the beginning: few clusters are amid more.
const LEAST_ROOM: usize = 512;
/// Eight vectors one behind the other.
const AHEAD: [u32; LANES] = [0, 8, 16, 24, 32, 40, 48, 56];

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

/// Vectors around a cluster, and which of their particles are near. Kept by each thread, so that a step allocates nothing.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Up to eight particles in consecutive memory each; those of the fluid come first.
    pub vectors: Vec<u32>,
    /// How many there are, and how many of them are of the fluid.
    pub count: usize,
    pub wet_count: usize,
    /// The rows that they lie in: the first particle of each in the lower 28 bits, how many vectors in the upper four.
    rows: Vec<u32>,
    /// How many rows there are, and how many of them are of the fluid.
    pub row_count: usize,
    pub wet_row_count: usize,
    /// Of each vector, who is within reach of the cluster, a bit for each particle.
    pub bits: Vec<u8>,
    /// Particles within reach of the cluster.
    near: Vec<u32>,
}

impl Lists {
    /// Keeps vectors and bits, if there is room: how many rows there are, of the fluid and in all, and how many vectors; the rows; the bits,
    /// four bytes to a word.
    #[inline(always)]
    pub(super) fn keep(&self, reached: &[AtomicU32]) {
        let words = self.count.div_ceil(4);
        let Some((first, rest)) = reached.split_first() else { return };
        if self.row_count + words > rest.len() {
            first.store(0, Relaxed);
            return;
        }
        let header = self.count << 16 | self.row_count << 8 | self.wet_row_count;
        first.store(header as u32, Relaxed);
        let (rows, bits) = rest.split_at(self.row_count);
        for (kept, &row) in rows.iter().zip(&self.rows) {
            kept.store(row, Relaxed);
        }
        for (kept, &four) in bits.iter().zip(&self.bits.as_chunks::<4>().0[..words]) {
            kept.store(u32::from_le_bytes(four), Relaxed);
        }
    }

    /// Takes up what was kept; returns whether there was anything.
    #[inline(always)]
    pub(super) fn read<S: Simd>(&mut self, simd: S, reached: &[AtomicU32]) -> bool {
        let Some((first, rest)) = reached.split_first() else { return false };
        let header = first.load(Relaxed) as usize;
        if header == 0 {
            return false;
        }
        let (count, row_count, wet_row_count) = (header >> 16, header >> 8 & 0xff, header & 0xff);
        let (rows, bits) = rest.split_at(row_count);
        self.make_room(count + LANES, row_count);
        let ahead = u32x8::from_slice(simd, &AHEAD);
        self.count = 0;
        for (k, row) in rows.iter().enumerate() {
            if k == wet_row_count {
                self.wet_count = self.count;
            }
            let row = row.load(Relaxed);
            (ahead + (row & FIRST)).store_slice(&mut self.vectors[self.count..self.count + LANES]);
            self.count += (row >> COUNTED) as usize;
        }
        if wet_row_count == row_count {
            self.wet_count = self.count;
        }
        for (four, kept) in self.bits.as_chunks_mut::<4>().0.iter_mut().zip(&bits[..count.div_ceil(4)]) {
            *four = kept.load(Relaxed).to_le_bytes();
        }
        true
    }

    /// Keeps nothing of a cluster.
    #[inline(always)]
    pub(super) fn keep_nothing(reached: &[AtomicU32]) {
        reached.iter().take(1).for_each(|first| first.store(0, Relaxed));
    }

    /// Adds the vectors of rows with no more than eight each.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, simd: S, spans: &[[u32; 2]; ROWS]) {
        let ahead = u32x8::from_slice(simd, &AHEAD);
        let all = u32x8::splat(simd, LANES as u32);
        self.make_room(self.count + ROWS * LANES, self.row_count + ROWS);
        let (vectors, rows) = (&mut self.vectors[self.count..], &mut self.rows[self.row_count..]);
        let (mut count, mut row_count) = (0, 0);
        for &[at, end] in spans {
            // Eight vectors are written whether they are there or not: that is faster than to ask.
            let starts = ahead + at;
            let lanes = (u32x8::splat(simd, end) - starts).min(all);
            (starts | (lanes << COUNTED)).store_slice(&mut vectors[count..count + LANES]);
            let more = (end - at).div_ceil(LANES as u32);
            rows[row_count] = at | more << COUNTED;
            count += more as usize;
            row_count += usize::from(more > 0);
        }
        self.count += count;
        self.row_count += row_count;
    }

    /// Adds the vectors of a row of any length.
    #[cold]
    pub(super) fn add_crowd(&mut self, range: Range<u32>) {
        for at in range.clone().step_by(LANES) {
            self.make_room(self.count + 1, self.row_count + 1);
            self.vectors[self.count] = at | (range.end - at).min(LANES as u32) << COUNTED;
            self.rows[self.row_count] = at | 1 << COUNTED;
            (self.count, self.row_count) = (self.count + 1, self.row_count + 1);
        }
    }

    /// Makes room for so many vectors and rows; more than is asked for, so that it is enough for all at once.
    #[inline(always)]
    fn make_room(&mut self, count: usize, row_count: usize) {
        if self.vectors.len() < count {
            let count = (2 * count).max(LEAST_ROOM);
            self.vectors.resize(count, 0);
            self.bits.resize(count.next_multiple_of(4), 0);
            self.near.resize((count + 1) * LANES, 0);
        }
        if self.rows.len() < row_count {
            self.rows.resize((2 * row_count).max(LEAST_ROOM), 0);
        }
    }

    /// Lists the particles that are within reach; returns how many of them are of the fluid too.
    #[inline(always)]
    pub(super) fn expand(&mut self) -> (&[u32], usize) {
        let Self { vectors, count, wet_count, bits, near, .. } = self;
        let (mut wet, mut length) = (0, 0);
        for range in [0..*wet_count, *wet_count..*count] {
            wet = length;
            for (&vector, &bits) in vectors[range.clone()].iter().zip(&bits[range]) {
                let at = vector & FIRST;
                for (near, bit) in near[length..length + LANES].iter_mut().zip(SET[usize::from(bits)]) {
                    *near = at + bit;
                }
                length += bits.count_ones() as usize;
            }
        }
        (&near[..length], wet)
    }
}
