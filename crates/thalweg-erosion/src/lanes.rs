//! Vectors of cells.

use fearless_simd::{Simd, prelude::*};

/// Numbers that are added up side by side.
const LANES: usize = 8;

/// The sum of so many numbers, every eighth of them on its own first: several are added at once, always in the same order.
#[inline(always)]
pub(crate) fn sum(count: usize, number: impl Fn(usize) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let whole = count - count % LANES;
    for first in (0..whole).step_by(LANES) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += number(first + lane);
        }
    }
    sums.iter().sum::<f64>() + (whole..count).map(number).sum::<f64>()
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
