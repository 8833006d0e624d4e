//! A few particles and what may be their neighbours, as a walk hands them out.

use super::kept::{Keep, OWN_BITS};
use super::{LANES, TOGETHER};
use fearless_simd::{Simd, f32x8, prelude::*, u8x32};
use thalweg_field::band::Cut;

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
pub struct Vector(pub(super) u32);

/// Where the number of particles that count begins.
pub(super) const COUNTED: u32 = 28;

/// By the number of particles that count: 1 for each of them, 0 for the others.
pub(super) const COUNT: [[f32; LANES]; 2 * LANES] = {
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
    pub(super) list: &'a [u32],
    /// Which of them each particle reaches.
    pub(super) reached: [u32; TOGETHER],
    /// For each vector, by the number of particles in it that count: squared distances no smaller than this are
    /// looked at. Tiny for those that count, infinite for those that do not.
    pub(super) floors: &'a [[f32; LANES]; 2 * LANES],
}

/// Something computed for every particle from its neighbours.
pub trait Visitor: Sync {
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

/// Three values of a particle, each in all lanes. Written out, as in [`add3`]: a closure would not be compiled for the vectors at hand.
#[inline(always)]
pub fn splat3<S: Simd>(simd: S, [x, y, z]: [&[f32]; 3], i: usize) -> [f32x8<S>; 3] {
    [f32x8::splat(simd, x[i]), f32x8::splat(simd, y[i]), f32x8::splat(simd, z[i])]
}

/// Adds a multiple of one vector in space to another.
#[inline(always)]
pub fn add3<S: Simd>(to: [f32x8<S>; 3], by: f32x8<S>, way: [f32x8<S>; 3]) -> [f32x8<S>; 3] {
    [by.mul_add(way[0], to[0]), by.mul_add(way[1], to[1]), by.mul_add(way[2], to[2])]
}

/// Sums over all lanes.
#[inline(always)]
pub fn sum3<S: Simd>(all: [f32x8<S>; 3]) -> [f32; 3] {
    [all[0].reduce_sum(), all[1].reduce_sum(), all[2].reduce_sum()]
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

    /// 1 for the particles of a vector that count, 0 for the others `[-]`.
    #[inline(always)]
    pub fn counted<S: Simd>(&self, simd: S, vector: Vector) -> f32x8<S> {
        f32x8::from_slice(simd, &COUNT[vector.lanes()])
    }

    /// Keeps which vectors particles of the group reach: `reached` has a bit for each, by its place in [`Self::vectors`].
    /// `out` begins with the particle `first`.
    #[inline(always)]
    pub fn keep(&self, reached: [u32; TOGETHER], first: usize, out: &mut Keep) {
        for (&slot, bits) in self.slots[..self.count].iter().zip(reached) {
            out[slot - first] = bits;
        }
    }

    /// Finds which vectors each particle of the group reaches: a bit for each.
    #[inline(always)]
    pub fn find_reached<S: Simd>(&self, simd: S, place: [&[f32]; 3], h: f32) -> [u32; TOGETHER] {
        let here = [splat3(simd, place, self.slots[0]), splat3(simd, place, self.slots[1])];
        let hh = f32x8::splat(simd, h * h);
        // Of each vector, who is within reach.
        let mut within = [[0u8; 32]; TOGETHER];
        for (n, vector) in self.vectors().take(OWN_BITS).enumerate() {
            let at = vector.start();
            let there = [load(simd, place[0], at), load(simd, place[1], at), load(simd, place[2], at)];
            for (within, here) in within.iter_mut().zip(&here) {
                let [dx, dy, dz] = [here[0] - there[0], here[1] - there[1], here[2] - there[2]];
                let rr = dz.mul_add(dz, dy.mul_add(dy, dx * dx));
                within[n % 32] = rr.simd_lt(hh).to_bitmask() as u8;
            }
        }
        [Self::any(simd, &within[0]), Self::any(simd, &within[1])]
    }

    /// A bit for each vector of which anyone is within reach.
    #[inline(always)]
    pub fn any<S: Simd>(simd: S, within: &[u8; 32]) -> u32 {
        let none = u8x32::from_slice(simd, within).simd_eq(u8x32::splat(simd, 0));
        !(none.to_bitmask() as u32)
    }

    /// The vectors that such bits name.
    #[inline(always)]
    pub fn near_by(&self, reached: u32) -> Near<'_> {
        Near { list: self.list, bits: reached & ((1 << OWN_BITS) - 1), next: OWN_BITS }
    }

    /// What is within reach of one particle of the group, as far as it is known.
    #[inline(always)]
    pub fn near(&self, k: usize) -> Near<'_> {
        self.near_by(self.reached[k])
    }

    /// The ways to a place from the particles of a vector `[m]`, and their squares `[m²]`; infinite for those that do not count.
    #[inline(always)]
    pub fn ways<S: Simd>(
        &self,
        simd: S,
        vector: Vector,
        here: [f32x8<S>; 3],
        [x, y, z]: [&[f32]; 3],
    ) -> ([f32x8<S>; 3], f32x8<S>) {
        let at = vector.start();
        let [dx, dy, dz] =
            [here[0] - load(simd, x, at), here[1] - load(simd, y, at), here[2] - load(simd, z, at)];
        ([dx, dy, dz], self.squared(simd, vector, [dx, dy, dz]))
    }

    /// Squares of ways to or from the particles of a vector `[m²]`; infinite for those that do not count.
    #[inline(always)]
    pub fn squared<S: Simd>(&self, simd: S, vector: Vector, [dx, dy, dz]: [f32x8<S>; 3]) -> f32x8<S> {
        let floor = f32x8::from_slice(simd, &self.floors[vector.lanes()]);
        dz.mul_add(dz, dy.mul_add(dy, dx * dx)).max(floor)
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
