//! Vectors of cells.

use fearless_simd::{Simd, prelude::*};

/// Numbers that are added up side by side.
const LANES: usize = 8;

/// A sum of numbers, every eighth of them on its own first: several are added at once, always in the same order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    lanes: [f64; LANES],
    rest: f64,
}

impl Sum {
    /// Adds so many numbers: whole eights, but for the last ones.
    #[inline(always)]
    pub(crate) fn add(&mut self, count: usize, number: impl Fn(usize) -> f64) {
        let whole = count - count % LANES;
        for first in (0..whole).step_by(LANES) {
            for (lane, sum) in self.lanes.iter_mut().enumerate() {
                *sum += number(first + lane);
            }
        }
        self.rest += (whole..count).map(number).sum::<f64>();
    }

    #[inline(always)]
    pub(crate) fn value(&self) -> f64 {
        self.lanes.iter().sum::<f64>() + self.rest
    }
}

/// The sum of so many numbers.
#[inline(always)]
pub(crate) fn sum(count: usize, number: impl Fn(usize) -> f64) -> f64 {
    let mut sum = Sum::default();
    sum.add(count, number);
    sum.value()
}

/// Values that are worked on together: as many as there is room for, with others behind the last.
#[inline(always)]
pub(crate) fn some<T: Copy, const N: usize>(values: &[T], behind: T) -> [T; N] {
    values.first_chunk().copied().unwrap_or_else(|| {
        let mut some = [behind; N];
        some[..values.len()].copy_from_slice(values);
        some
    })
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
