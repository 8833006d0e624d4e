//! The faces around the cells of a row.

use super::super::layout::Layout;
use crate::lanes::read;
use fearless_simd::{Simd, prelude::*};

/// Something that belongs to the four faces of each cell of a row: east, south, south-east, south-west.
pub(super) type Own<'a> = [&'a [f32]; 4];

/// Values at the eight faces around each cell of a row, positive to the east and to the south.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// At the faces to the west, east, north and south.
    straight: [&'a [f32]; 4],
    /// At the corners to the north-west, south-east, north-east and south-west.
    diagonal: [&'a [f32]; 4],
}

/// What one vector of cells has around it.
#[derive(Clone, Copy)]
pub(super) struct Sides<S: Simd> {
    /// West, east, north, south.
    pub straight: [S::f32s; 4],
    /// North-west, south-east, north-east, south-west.
    pub diagonal: [S::f32s; 4],
}

impl<'a> Around<'a> {
    /// Around a row, from its own faces and those of the row above. Without diagonals theirs are never looked at.
    #[inline(always)]
    pub(super) fn new<const DIAGONAL: bool>(layout: &Layout, above: Own<'a>, here: Own<'a>) -> Self {
        let cells = |plane: &'a [f32], by| layout.cells(plane, by);
        Self {
            straight: [cells(here[0], -1), cells(here[0], 0), cells(above[1], 0), cells(here[1], 0)],
            diagonal: if DIAGONAL {
                [cells(above[2], -1), cells(here[2], 0), cells(above[3], 1), cells(here[3], 0)]
            } else {
                Default::default()
            },
        }
    }

    #[inline(always)]
    pub(super) fn load<S: Simd, const DIAGONAL: bool>(&self, simd: S, at: usize) -> Sides<S> {
        let zero = S::f32s::splat(simd, 0.0);
        Sides {
            straight: load_four(simd, self.straight, at),
            diagonal: if DIAGONAL { load_four(simd, self.diagonal, at) } else { [zero; 4] },
        }
    }
}

/// One vector of each of four planes. Closures would not be compiled for the vectors of the loop that they stand in.
#[inline(always)]
fn load_four<S: Simd>(simd: S, [a, b, c, d]: [&[f32]; 4], at: usize) -> [S::f32s; 4] {
    [read(simd, a, at), read(simd, b, at), read(simd, c, at), read(simd, d, at)]
}

impl<S: Simd> Sides<S> {
    /// What leaves through each face, 0 where it comes in.
    #[inline(always)]
    pub(super) fn outward(&self) -> Self {
        let [w, e, n, s] = self.straight;
        let [nw, se, ne, sw] = self.diagonal;
        Self {
            straight: [(-w).max(0.0), e.max(0.0), (-n).max(0.0), s.max(0.0)],
            diagonal: [(-nw).max(0.0), se.max(0.0), (-ne).max(0.0), sw.max(0.0)],
        }
    }

    /// The squares.
    #[inline(always)]
    pub(super) fn squared(&self) -> Self {
        let [w, e, n, s] = self.straight;
        let [nw, se, ne, sw] = self.diagonal;
        Self { straight: [w * w, e * e, n * n, s * s], diagonal: [nw * nw, se * se, ne * ne, sw * sw] }
    }

    /// Sum over all faces. Opposite sides are paired, so that turned terrain gives turned bits.
    #[inline(always)]
    pub(super) fn sum<const DIAGONAL: bool>(&self) -> S::f32s {
        let [w, e, n, s] = self.straight;
        let straight = (w + e) + (n + s);
        let [nw, se, ne, sw] = self.diagonal;
        if DIAGONAL { straight + ((nw + se) + (ne + sw)) } else { straight }
    }

    /// What leaves less what comes.
    #[inline(always)]
    pub(super) fn divergence<const DIAGONAL: bool>(&self) -> S::f32s {
        let [w, e, n, s] = self.straight;
        let straight = (e - w) + (s - n);
        let [nw, se, ne, sw] = self.diagonal;
        if DIAGONAL { straight + ((se - nw) + (sw - ne)) } else { straight }
    }

    /// Twice the flow through the cell to the east and to the south: it enters and leaves. A flow across a corner counts
    /// along both axes.
    #[inline(always)]
    pub(super) fn through<const DIAGONAL: bool>(&self) -> [S::f32s; 2] {
        let [w, e, n, s] = self.straight;
        if !DIAGONAL {
            return [w + e, n + s];
        }
        let [nw, se, ne, sw] = self.diagonal;
        let (falling, rising) = (nw + se, ne + sw);
        [(w + e) + (falling - rising), (n + s) + (falling + rising)]
    }
}
