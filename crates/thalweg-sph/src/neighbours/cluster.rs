//! Eight particles side by side and what may be their neighbours, as a walk hands them out.

use super::LANES;
use fearless_simd::{Simd, f32x8, prelude::*};
use std::ops::Range;
use thalweg_field::band::Cut;

/// Kinds of particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of the fluid; copies of it beyond a side that is joined with another are of it too.
    Fluid,
    /// Of the boundary.
    Boundary,
}

/// Up to eight particles of one kind that lie together, one in each lane of a vector, and all that may be their neighbours.
#[derive(Debug)]
pub struct Cluster<'a> {
    /// The first; the others follow it in memory.
    pub first: usize,
    /// How many there are; what stands in the lanes behind them means nothing.
    pub count: usize,
    /// Where the results of the first go.
    pub(super) at: usize,
    /// Those of the fluid, then those of the boundary.
    pub(super) near: &'a [u32],
    /// How many are of the fluid.
    pub(super) wet: usize,
}

/// Something computed for every particle from its neighbours.
pub trait Visitor: Sync {
    /// Where results go; cut along with the particles.
    type Out: Cut;
    /// Which particles it computes something for.
    const KIND: Kind;
    /// Which kinds of neighbours it looks at.
    const AMONG: &'static [Kind];
    /// Computes the particles of a cluster without looking around, if their results can be told; returns whether it did. Results go from `at` on.
    fn without(&self, _cluster: Range<usize>, _at: usize, _out: &mut Self::Out) -> bool {
        false
    }
    /// Computes one cluster.
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, out: &mut Self::Out);
}

impl Cluster<'_> {
    /// Whether nothing at all is near.
    #[inline(always)]
    pub fn is_alone(&self) -> bool {
        self.near.is_empty()
    }

    /// Everything of the fluid that is within reach of any particle of the cluster, themselves included.
    #[inline(always)]
    pub fn fluid(&self) -> impl ExactSizeIterator<Item = usize> {
        self.near[..self.wet].iter().map(|&j| j as usize)
    }

    /// Everything of the boundary.
    #[inline(always)]
    pub fn boundary(&self) -> impl ExactSizeIterator<Item = usize> {
        self.near[self.wet..].iter().map(|&j| j as usize)
    }

    /// Both.
    #[inline(always)]
    pub fn all(&self) -> impl ExactSizeIterator<Item = usize> {
        self.near.iter().map(|&j| j as usize)
    }

    /// A value of each particle of the cluster.
    #[inline(always)]
    pub fn own<S: Simd>(&self, simd: S, column: &[f32]) -> f32x8<S> {
        load(simd, column, self.first)
    }

    /// Three values of each.
    #[inline(always)]
    pub fn own3<S: Simd>(&self, simd: S, [x, y, z]: [&[f32]; 3]) -> [f32x8<S>; 3] {
        [self.own(simd, x), self.own(simd, y), self.own(simd, z)]
    }

    /// Numbers of the particles of the cluster, and where the results of each go.
    #[inline(always)]
    pub fn places(&self) -> impl ExactSizeIterator<Item = (usize, usize)> {
        let (first, at) = (self.first, self.at);
        (0..self.count).map(move |k| (first + k, at + k))
    }

    /// What a column of results has for them so far.
    #[inline(always)]
    pub fn result<S: Simd>(&self, simd: S, column: &[f32]) -> f32x8<S> {
        let mut values = [0.0; LANES];
        values[..self.count].copy_from_slice(&column[self.at..self.at + self.count]);
        f32x8::from_slice(simd, &values)
    }

    /// Puts a result of each into a column.
    #[inline(always)]
    pub fn put<S: Simd>(&self, result: f32x8<S>, column: &mut [f32]) {
        let column = &mut column[self.at..self.at + self.count];
        if self.count == LANES {
            result.store_slice(column);
        } else {
            let mut values = [0.0; LANES];
            result.store_slice(&mut values);
            column.copy_from_slice(&values[..self.count]);
        }
    }

    /// Puts three results of each into columns.
    #[inline(always)]
    pub fn put3<S: Simd>(&self, [a, b, c]: [f32x8<S>; 3], [x, y, z]: [&mut [f32]; 3]) {
        self.put(a, x);
        self.put(b, y);
        self.put(c, z);
    }
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

/// What the particle `j` has, less what the particles of a cluster have: ways to it, or how much faster it goes. Written out, as in
/// [`add3`]: a closure would not be compiled for the vectors at hand.
#[inline(always)]
pub fn apart<S: Simd>(own: [f32x8<S>; 3], [x, y, z]: [&[f32]; 3], j: usize) -> [f32x8<S>; 3] {
    [x[j] - own[0], y[j] - own[1], z[j] - own[2]]
}

/// The product of two vectors in space.
#[inline(always)]
pub fn dot3<S: Simd>(a: [f32x8<S>; 3], b: [f32x8<S>; 3]) -> f32x8<S> {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// Adds a multiple of one vector in space to another.
#[inline(always)]
pub fn add3<S: Simd>(to: [f32x8<S>; 3], by: f32x8<S>, way: [f32x8<S>; 3]) -> [f32x8<S>; 3] {
    [by.mul_add(way[0], to[0]), by.mul_add(way[1], to[1]), by.mul_add(way[2], to[2])]
}

/// A multiple of a vector in space.
#[inline(always)]
pub fn scale3<S: Simd>([x, y, z]: [f32x8<S>; 3], by: f32x8<S>) -> [f32x8<S>; 3] {
    [x * by, y * by, z * by]
}
