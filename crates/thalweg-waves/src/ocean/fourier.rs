//! Fourier transforms of squares whose side is a power of two, after Stockham: many columns side by side, one in each lane of a vector.
//!
//! Every lane computes what the others do, in the same order, and no product is fused with a sum: the bits are the same on every
//! processor, however wide its vectors.

use fearless_simd::{Level, dispatch};
use std::f64::consts::TAU;

/// Columns side by side.
pub(super) const LANES: usize = 16;
type Lanes = [f32; LANES];
/// Numbers of each lane, real and imaginary parts.
type Numbers = [Lanes; 2];

/// The inverse transform of so many points, not divided by their number.
#[derive(Clone, Debug)]
pub(super) struct Fourier {
    count: usize,
    /// e^(2πi n/count) for n below count.
    turns: Vec<[f32; 2]>,
    level: Level,
}

/// Room for a transform.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    here: Vec<Numbers>,
    there: Vec<Numbers>,
}

/// A square of complex numbers, row by row.
#[derive(Clone, Debug, Default)]
pub(super) struct Square {
    pub(super) re: Vec<f32>,
    pub(super) im: Vec<f32>,
}

impl Square {
    /// Makes it a square of zeros.
    pub(super) fn clear(&mut self, count: usize) {
        for values in [&mut self.re, &mut self.im] {
            values.clear();
            values.resize(count * count, 0.0);
        }
    }
}

impl Fourier {
    pub(super) fn new(count: usize) -> Self {
        let turn = |n: usize| {
            let (sine, cosine) = libm::sincos(TAU * n as f64 / count as f64);
            [cosine as f32, sine as f32]
        };
        Self { count, turns: (0..count).map(turn).collect(), level: Level::new() }
    }

    /// Transforms the columns of a square and turns it: what was a column is a row of the other. Columns for which `is_there` says no,
    /// by their first one of [`LANES`], are zeros.
    pub(super) fn columns(
        &self,
        from: &Square,
        to: &mut Square,
        room: &mut Room,
        is_there: impl Fn(usize) -> bool,
    ) {
        let count = self.count;
        room.here.resize(count, Numbers::default());
        room.there.resize(count, Numbers::default());
        for first in (0..count).step_by(LANES) {
            if !is_there(first) {
                let rows = first * count..(first + LANES) * count;
                to.re[rows.clone()].fill(0.0);
                to.im[rows].fill(0.0);
                continue;
            }
            dispatch!(self.level, _simd => self.block(from, to, room, first));
        }
    }

    #[inline(always)]
    fn block(&self, from: &Square, to: &mut Square, room: &mut Room, first: usize) {
        let count = self.count;
        for (row, numbers) in room.here.iter_mut().enumerate() {
            let at = row * count + first;
            numbers[0].copy_from_slice(&from.re[at..at + LANES]);
            numbers[1].copy_from_slice(&from.im[at..at + LANES]);
        }
        let done = self.transform(&mut room.here, &mut room.there);
        for (part, values) in [&mut to.re, &mut to.im].into_iter().enumerate() {
            for (lane, row) in
                values[first * count..(first + LANES) * count].chunks_exact_mut(count).enumerate()
            {
                for (value, numbers) in row.iter_mut().zip(done) {
                    *value = numbers[part][lane];
                }
            }
        }
    }

    /// Transforms along all lanes; the result lies in one of the two.
    #[inline(always)]
    fn transform<'a>(&self, mut from: &'a mut [Numbers], mut to: &'a mut [Numbers]) -> &'a [Numbers] {
        let (mut length, mut stride) = (self.count, 1);
        while length > 1 {
            if length == 2 {
                halve(from, to, stride);
                (length, stride) = (1, 2 * stride);
            } else {
                self.quarter(from, to, (length, stride));
                (length, stride) = (length / 4, 4 * stride);
            }
            std::mem::swap(&mut from, &mut to);
        }
        from
    }

    /// One step that cuts transforms of `length` points, `stride` apart, into four each.
    #[inline(always)]
    fn quarter(&self, from: &[Numbers], to: &mut [Numbers], (length, stride): (usize, usize)) {
        let quarter = length / 4;
        let all = quarter * stride;
        for p in 0..quarter {
            let turn = |times: usize| self.turns[times * p * stride];
            let turns = [turn(1), turn(2), turn(3)];
            for q in 0..stride {
                let at = q + stride * p;
                let [a, b, c, d] = [0, 1, 2, 3].map(|n| &from[at + n * all]);
                let mut out = [Numbers::default(); 4];
                for lane in 0..LANES {
                    let part = |x: &Numbers| (x[0][lane], x[1][lane]);
                    let ((ar, ai), (br, bi), (cr, ci), (dr, di)) = (part(a), part(b), part(c), part(d));
                    let (even, odd) = ((ar + cr, ai + ci), (ar - cr, ai - ci));
                    let (both, apart) = ((br + dr, bi + di), (di - bi, br - dr));
                    let four = [
                        (even.0 + both.0, even.1 + both.1),
                        (odd.0 + apart.0, odd.1 + apart.1),
                        (even.0 - both.0, even.1 - both.1),
                        (odd.0 - apart.0, odd.1 - apart.1),
                    ];
                    (out[0][0][lane], out[0][1][lane]) = four[0];
                    for n in 1..4 {
                        let ([cosine, sine], (re, im)) = (turns[n - 1], four[n]);
                        out[n][0][lane] = cosine * re - sine * im;
                        out[n][1][lane] = cosine * im + sine * re;
                    }
                }
                let at = q + 4 * stride * p;
                for (n, out) in out.into_iter().enumerate() {
                    to[at + n * stride] = out;
                }
            }
        }
    }
}

/// The last step, of two points each.
#[inline(always)]
fn halve(from: &[Numbers], to: &mut [Numbers], stride: usize) {
    for q in 0..stride {
        let (a, b) = (from[q], from[q + stride]);
        for part in 0..2 {
            for lane in 0..LANES {
                to[q][part][lane] = a[part][lane] + b[part][lane];
                to[q + stride][part][lane] = a[part][lane] - b[part][lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_their_fourier_sums() {
        for count in [32, 64, 128] {
            let fourier = Fourier::new(count);
            let (mut from, mut to) = (Square::default(), Square::default());
            from.clear(count);
            to.clear(count);
            for n in 0..count * count {
                from.re[n] = ((n * 37) % 101) as f32 / 101.0 - 0.5;
                from.im[n] = ((n * 53) % 89) as f32 / 89.0 - 0.5;
            }
            fourier.columns(&from, &mut to, &mut Room::default(), |_| true);
            for (col, place) in [(0, 0), (3, 5), (17, count - 1), (count - 1, 7)] {
                let (mut re, mut im) = (0.0, 0.0);
                for row in 0..count {
                    let (s, c) = (TAU * (row * place) as f64 / count as f64).sin_cos();
                    let [a, b] = [&from.re, &from.im].map(|part| f64::from(part[row * count + col]));
                    re += a * c - b * s;
                    im += a * s + b * c;
                }
                let [x, y] = [&to.re, &to.im].map(|part| f64::from(part[col * count + place]));
                let off = (x - re).abs().max((y - im).abs());
                assert!(off < 2.0e-5, "{count} points, column {col}: {x} + {y}i, not {re} + {im}i");
            }
        }
    }
}
