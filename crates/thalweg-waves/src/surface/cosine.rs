//! The cosine bump ½(1 + cos(π x/r)) as a filter, in time that does not depend on its radius.
//!
//! Its sum over a window is that of the values and that of the values times a cosine; both slide along with a value more and a value less for each cell, the
//! second as the real part of a complex sum that is turned on by one cell. Columns are filtered side by side, one in each lane of a
//! vector.

use super::tiles::SIDE;
use fearless_simd::{Level, dispatch};
use std::f64::consts::PI;

/// A filter of some radius.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cosine {
    /// Cells on either side of the middle that it reaches.
    reach: usize,
    /// One cell's turn, and the turn of the farthest cell.
    turn: [f32; 2],
    last: [f32; 2],
}

impl Cosine {
    /// The radius in cells, 1 or more.
    pub(super) fn new(radius: f64) -> Self {
        let reach = (radius.ceil() as usize).max(1) - 1;
        let angle = PI / radius;
        let at = |n: f64| [libm::cos(angle * n) as f32, libm::sin(angle * n) as f32];
        Self { reach, turn: at(1.0), last: at(reach as f64) }
    }

    pub(super) fn reach(&self) -> usize {
        self.reach
    }

    /// Filters rows of [`SIDE`] columns, one below the other, down each column. Beyond the first and the last row there is nothing.
    pub(super) fn down(&self, level: Level, from: &[f32], to: &mut [f32]) {
        dispatch!(level, _simd => slide(self, from, to));
    }
}

/// Columns whose sums are held in registers.
const LANES: usize = 16;

#[inline(always)]
fn slide(filter: &Cosine, from: &[f32], to: &mut [f32]) {
    let (rows_in, _) = from.as_chunks::<SIDE>();
    let (rows_out, _) = to.as_chunks_mut::<SIDE>();
    let count = rows_in.len();
    let reach = filter.reach;
    let ([turn_re, turn_im], [last_re, last_im]) = (filter.turn, filter.last);
    const NOTHING: [f32; LANES] = [0.0; LANES];
    let mut sums = [[[0.0_f32; LANES]; 3]; SIDE / LANES];
    // The first rows come in before the middle reaches the first row. Some rows of all columns at a time stay in the cache.
    for start in (0..count + reach).step_by(SIDE) {
        for (group, sums) in sums.iter_mut().enumerate() {
            let first = group * LANES;
            let [mut sum, mut re, mut im] = *sums;
            for row in start..(start + SIDE).min(count + reach) {
                let lanes = |row: usize| -> [f32; LANES] {
                    rows_in.get(row).and_then(|line| line[first..].first_chunk().copied()).unwrap_or(NOTHING)
                };
                let enters = lanes(row);
                let leaves = if row > 2 * reach { lanes(row - 2 * reach - 1) } else { NOTHING };
                for lane in 0..LANES {
                    let (a, b) = (enters[lane], leaves[lane]);
                    // What leaves stands at −reach: its factor is the conjugate of the last one's.
                    let (r, i) = (re[lane] - b * last_re, im[lane] + b * last_im);
                    re[lane] = r * turn_re + i * turn_im + a * last_re;
                    im[lane] = i * turn_re - r * turn_im + a * last_im;
                    sum[lane] += a - b;
                }
                if row >= reach {
                    let out = &mut rows_out[row - reach][first..first + LANES];
                    for lane in 0..LANES {
                        out[lane] = 0.5 * (sum[lane] + re[lane]);
                    }
                }
            }
            *sums = [sum, re, im];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sliding_filter_is_the_plain_sum() {
        for radius in [1.5, 4.0, 7.3, 40.0] {
            let rows = 200;
            let value = |row: usize, lane: usize| ((row * 37 + lane * 11) % 101) as f32 / 50.0 - 1.0;
            let from: Vec<f32> = (0..rows * SIDE).map(|i| value(i / SIDE, i % SIDE)).collect();
            let mut to = vec![0.0; from.len()];
            Cosine::new(radius).down(Level::new(), &from, &mut to);
            for row in 0..rows {
                for lane in [0, 5, SIDE - 1] {
                    let weight = |other: usize| {
                        let away = (other as f64 - row as f64).abs() / radius;
                        if away < 1.0 { 0.5 * (1.0 + (PI * away).cos()) } else { 0.0 }
                    };
                    let plain: f64 =
                        (0..rows).map(|other| weight(other) * f64::from(value(other, lane))).sum();
                    let found = f64::from(to[row * SIDE + lane]);
                    assert!(
                        (found - plain).abs() < 1.0e-5 * radius.max(4.0),
                        "{found}, not {plain} at {row} of {radius}"
                    );
                }
            }
        }
    }
}
