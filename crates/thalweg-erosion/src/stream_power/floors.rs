//! Level floors in large valleys.
//!
//! A river swings from side to side and planes its valley down to its own level. That happens within half the width of the
//! floor, which grows with the square root of the drainage area as the width of rivers does (Leopold & Maddock 1953). Here the
//! swinging is a spreading of the ground: fast within the floor, none beyond it.

use super::layout::Layout;
use super::params::REFERENCE_AREA;
use fearless_simd::{Level, Simd, dispatch};
use std::f64::consts::SQRT_2;
use std::ops::Range;
use thalweg_field::band::{self, Lines};

/// Most spreading in a step `[m²]`: it levels a floor of two hundred metres in ten steps, and more would only cost stages.
const LEVELLED: f64 = 2500.0;
/// The same on wide cells, in cells², where it costs little.
const LEVELLED_CELLS: f64 = 4.0;

/// How floors are made in a step.
pub(super) struct Floors {
    /// Width of the floor at the reference area `[m]`.
    pub(super) width: f64,
    /// What a river of the reference area cuts in a step `[m]`.
    pub(super) cut: f64,
}

/// Rows whose floors are found together, while they and what reaches over to them are in the cache.
const TOGETHER_ROWS: usize = 128;

impl Floors {
    /// Finds the spreading of each cell in a step, diffusivity times time `[m²]`; `area` is in cells. Returns the most there is.
    pub(super) fn spread(&self, layout: &Layout, area: &[f32], room: &mut Room) -> f32 {
        if self.width == 0.0 {
            return 0.0;
        }
        // How far the floor reaches beyond each cell, in cells.
        let scale = (0.5 * self.width / REFERENCE_AREA.sqrt()) as f32;
        // Rivers move sideways about as fast as they cut down where it is steep, across their own width.
        let factor = (4.0 * self.cut * layout.cell * layout.cell / self.width) as f32;
        let most = LEVELLED.max(LEVELLED_CELLS * layout.cell * layout.cell) as f32;
        // A floor that reaches over n rows has lost n cells of its reach: nothing comes from farther away than the farthest reach.
        let around = (scale * largest_of(layout, area).sqrt()) as usize + 2;
        let (stride, level, count) = (layout.stride, Level::new(), layout.rows.div_ceil(TOGETHER_ROWS));
        room.spread.resize(layout.len(), 0.0);
        room.reaches.resize_with(room.reaches.len().max(count), Vec::new);
        let inner = &mut room.spread[stride..][..layout.rows * stride];
        let spread = Lines { values: inner, length: stride * TOGETHER_ROWS };
        let spread_some = |number: Range<usize>, (reach, spread): (&mut [Vec<f32>], Lines<'_, f32>)| {
            let first = number.start * TOGETHER_ROWS;
            let own = first..(first + TOGETHER_ROWS).min(layout.rows);
            let rows = own.start.saturating_sub(around)..(own.end + around).min(layout.rows);
            let reach = &mut reach[0];
            reach.resize(rows.len() * stride, 0.0);
            let area = &area[(rows.start + 1) * stride..][..reach.len()];
            dispatch!(level, simd => reaches(simd, layout, area, scale, reach));
            dispatch!(level, simd => widen(simd, stride, reach));
            let reach = &reach[(own.start - rows.start) * stride..][..own.len() * stride];
            dispatch!(level, simd => level_out(simd, factor, most, reach, spread.values))
        };
        band::measure_parts(0..count, 1, (&mut room.reaches[..count], spread), &spread_some, &larger)
    }
}

/// Spreading, and room to find it.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    /// Diffusivity times time `[m²]`.
    pub(super) spread: Vec<f32>,
    /// How far floors reach beyond each cell, in cells, for rows that are worked on together.
    reaches: Vec<Vec<f32>>,
}

/// The largest area of all cells.
fn largest_of(layout: &Layout, area: &[f32]) -> f32 {
    let level = Level::new();
    let in_row = |row: Range<usize>| {
        let area = layout.cells_of(area, row.start, &(0..layout.cols));
        dispatch!(level, simd => largest_in(simd, area))
    };
    band::measure(1..layout.rows + 1, 1, &in_row, &larger)
}

#[inline(always)]
fn largest_in<S: Simd>(_: S, values: &[f32]) -> f32 {
    largest(values)
}

/// Makes reaches into spreading. Returns the most.
#[inline(always)]
fn level_out<S: Simd>(_: S, factor: f32, most: f32, reach: &[f32], spread: &mut [f32]) -> f32 {
    for (spread, reach) in spread.iter_mut().zip(reach) {
        *spread = (factor * reach * (reach - 0.5).max(0.0)).min(most);
    }
    largest(spread)
}

/// How far each cell reaches by itself. Nothing reaches in from beyond the terrain.
#[inline(always)]
fn reaches<S: Simd>(_: S, layout: &Layout, area: &[f32], scale: f32, reach: &mut [f32]) {
    let rows = reach.chunks_exact_mut(layout.stride).zip(area.chunks_exact(layout.stride));
    for (reach, area) in rows {
        let cells = reach[1..=layout.cols].iter_mut().zip(&area[1..]);
        cells.for_each(|(reach, area)| *reach = scale * area.sqrt());
        (reach[0], reach[layout.cols + 1]) = (0.0, 0.0);
    }
}

/// Lets every cell reach as far as the farthest reach over it: each step costs a cell, or √2 of them (Borgefors 1986).
#[inline(always)]
fn widen<S: Simd>(_: S, stride: usize, reach: &mut [f32]) {
    let (rows, inner) = (reach.len() / stride, 1..stride - 1);
    for row in 0..rows {
        let (before, here) = reach.split_at_mut(row * stride);
        if row > 0 {
            from_row(&before[(row - 1) * stride..], &mut here[..stride]);
        }
        from_west(&mut here[inner.clone()]);
    }
    for row in (0..rows).rev() {
        let (before, after) = reach.split_at_mut((row + 1) * stride);
        let here = &mut before[row * stride..];
        if row + 1 < rows {
            from_row(&after[..stride], here);
        }
        from_east(&mut here[inner.clone()]);
    }
}

/// Reaches over from the row beside.
#[inline(always)]
fn from_row(beside: &[f32], here: &mut [f32]) {
    let count = here.len() - 2;
    let (west, middle, east) = (&beside[..count], &beside[1..][..count], &beside[2..][..count]);
    for (i, here) in here[1..=count].iter_mut().enumerate() {
        let from_beside = larger(middle[i] - 1.0, larger(west[i], east[i]) - SQRT_2 as f32);
        *here = larger(*here, from_beside);
    }
}

/// Cells that go at once.
const TOGETHER: usize = 64;

/// Reaches over along the row, first one cell, then two, then four: differences of small numbers are exact, so that it is the
/// same as going from cell to cell, and several cells can go at once.
#[inline(always)]
fn from_west(here: &mut [f32]) {
    let (count, farthest) = (here.len(), largest(here));
    let mut by = 1;
    while (by as f32) < farthest && by < count {
        // Those behind first: what is reached from has not changed yet.
        for first in (by..count).step_by(TOGETHER).rev() {
            let some = TOGETHER.min(count - first);
            let mut west = [0.0; TOGETHER];
            west[..some].copy_from_slice(&here[first - by..][..some]);
            let pairs = here[first..].iter_mut().zip(&west[..some]);
            pairs.for_each(|(here, west)| *here = larger(*here, west - by as f32));
        }
        by *= 2;
    }
}

#[inline(always)]
fn from_east(here: &mut [f32]) {
    let (count, farthest) = (here.len(), largest(here));
    let mut by = 1;
    while (by as f32) < farthest && by < count {
        for first in (0..count - by).step_by(TOGETHER) {
            let some = TOGETHER.min(count - by - first);
            let mut east = [0.0; TOGETHER];
            east[..some].copy_from_slice(&here[first + by..][..some]);
            let pairs = here[first..].iter_mut().zip(&east[..some]);
            pairs.for_each(|(here, east)| *here = larger(*here, east - by as f32));
        }
        by *= 2;
    }
}

/// The larger of two numbers; one instruction where vectors have it, because it need not care for what is no number.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The largest of numbers that are not below 0; several at once, because it does not depend on their order.
#[inline(always)]
fn largest(values: &[f32]) -> f32 {
    let mut most = [0.0; TOGETHER];
    for some in values.chunks(TOGETHER) {
        most.iter_mut().zip(some).for_each(|(most, &value)| *most = larger(*most, value));
    }
    most.into_iter().fold(0.0, larger)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Edges;

    /// Going from cell to cell gives the same bits as going by doubling steps.
    #[test]
    fn reaches_are_those_of_the_nearest_large_rivers() {
        let layout = Layout::new(61, 47, 1.0, &Edges::default());
        let mut reach = layout.filled(0.0_f32);
        for (col, row, far) in [(7, 5, 9.3), (30, 20, 21.7), (33, 22, 1.4), (60, 46, 5.5), (0, 30, 3.1)] {
            reach[layout.at(col, row)] = far;
        }
        let mut expected = reach.clone();
        let step = |here: f32, beside: f32, cost: f32| here.max(beside - cost);
        let s = layout.stride;
        for at in s + 1..s * (layout.rows + 1) - 1 {
            if (1..=layout.cols).contains(&(at % s)) {
                let across = expected[at - s - 1].max(expected[at - s + 1]);
                let north = step(expected[at - s] - 1.0, across, SQRT_2 as f32);
                expected[at] = step(expected[at].max(north), expected[at - 1], 1.0);
            }
        }
        for at in (s + 1..s * (layout.rows + 1) - 1).rev() {
            if (1..=layout.cols).contains(&(at % s)) {
                let across = expected[at + s - 1].max(expected[at + s + 1]);
                let south = step(expected[at + s] - 1.0, across, SQRT_2 as f32);
                expected[at] = step(expected[at].max(south), expected[at + 1], 1.0);
            }
        }
        let level = Level::new();
        let inner = &mut reach[s..][..layout.rows * s];
        dispatch!(level, simd => widen(simd, s, inner));
        assert_eq!(reach, expected);
        assert!((reach[layout.at(30, 30)] - 11.7).abs() < 1.0e-5, "{}", reach[layout.at(30, 30)]);
    }

    /// Rows far enough apart to be found one after the other give the same bits as all at once.
    #[test]
    fn floors_reach_over_from_rows_that_are_found_apart() {
        let layout = Layout::new(50, 3 * TOGETHER_ROWS + 5, 10.0, &Edges::default());
        let mut area = layout.filled(1.0_f32);
        for (col, row, size) in [(20, TOGETHER_ROWS - 2, 1.0e6), (9, 2 * TOGETHER_ROWS + 1, 3.0e5)] {
            area[layout.at(col, row)] = size;
        }
        let floors = Floors { width: 30.0, cut: 5.0 };
        let mut room = Room::default();
        let widest = floors.spread(&layout, &area, &mut room);
        let (level, s) = (Level::new(), layout.stride);
        let mut expected = layout.filled(0.0_f32);
        let inner = s..s * (layout.rows + 1);
        let mut reach = vec![0.0; inner.len()];
        let (factor, most) = ((4.0 * 5.0 * 100.0 / 30.0) as f32, LEVELLED as f32);
        let found = dispatch!(level, simd => {
            reaches(simd, &layout, &area[inner.clone()], 0.015, &mut reach);
            widen(simd, s, &mut reach);
            level_out(simd, factor, most, &reach, &mut expected[inner])
        });
        assert_eq!((widest, room.spread), (found, expected));
        let over_the_cut = layout.at(20, TOGETHER_ROWS + 9);
        assert!(reach[over_the_cut - s] > 3.0, "nothing reaches over the cut");
    }
}
