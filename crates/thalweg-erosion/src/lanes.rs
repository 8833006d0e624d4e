//! Vectors of cells.

use fearless_simd::{Simd, f32x8, prelude::*};

/// Cells in a vector.
pub(crate) const LANES: usize = 8;

/// Reads one vector.
#[inline(always)]
pub(crate) fn load<S: Simd>(simd: S, cells: &[f32], at: usize) -> f32x8<S> {
    f32x8::from_slice(simd, &cells[at..at + LANES])
}

/// Writes one vector.
#[inline(always)]
pub(crate) fn store<S: Simd>(value: f32x8<S>, cells: &mut [f32], at: usize) {
    value.store_slice(&mut cells[at..at + LANES]);
}

/// Cells in the widest vector that any machine has.
pub(crate) const WIDEST: usize = 16;

/// Reads one vector, as wide as this machine has them.
#[inline(always)]
pub(crate) fn read<S: Simd>(simd: S, cells: &[f32], at: usize) -> S::f32s {
    S::f32s::from_slice(simd, &cells[at..at + S::f32s::LEN])
}

/// Writes one vector, as wide as this machine has them.
#[inline(always)]
pub(crate) fn write<S: Simd>(value: S::f32s, cells: &mut [f32], at: usize) {
    value.store_slice(&mut cells[at..at + S::f32s::LEN]);
}
