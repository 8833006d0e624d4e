//! Water that runs side by side.
//!
//! On a slope water runs down in many threads beside each other. The ways of the water have one thread in every row of cells, and
//! each gathers the less the finer the cells are; rivers would begin later and later. What cuts is therefore the water that passes
//! over a stretch of fixed length across the flow (Pelletier 2010 counts area for each unit of such a stretch for the same reason):
//! the flow as a vector, averaged over a square whose side is that length. A river that crosses the square counts in full wherever
//! in it it runs, so that its bed becomes as wide as the square; threads of a slope are added up, and those that meet from two
//! sides cancel out.

use super::incision::LEAST_AREA;
use super::layout::{Layout, OUTLET, WAY};
use fearless_simd::{Level, Simd, dispatch};
use std::f32::consts::FRAC_1_SQRT_2;
use std::ops::Range;
use thalweg_field::band::{self, Lines};

/// Cells that the square reaches to on either side at most. It is narrower than asked for on cells that are finer still.
const FARTHEST: usize = 32;
/// Columns that are worked on together.
const STRIP: usize = 256;
const WIDE: usize = STRIP + 2 * FARTHEST;

/// Room for the averages.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    /// Area whose water passes over the stretch at each cell, in cells.
    passes: Vec<f32>,
    /// Flow to the east and to the south, averaged along the rows.
    east: Vec<f32>,
    south: Vec<f32>,
}

/// How cells count in an average over a side of the square.
#[derive(Clone, Copy)]
struct Taps {
    /// Whole cells on either side of the middle one, and one more that counts in part.
    whole: usize,
    part: f32,
    /// One over the side of the square, in cells.
    per_side: f32,
}

impl Taps {
    fn new(side: f64) -> Self {
        let half = (0.5 * (side - 1.0)).min((FARTHEST - 1) as f64);
        let whole = half.floor();
        let per_side = (1.0 / (1.0 + 2.0 * half)) as f32;
        Self { whole: whole as usize, part: (half - whole) as f32, per_side }
    }

    fn reach(&self) -> usize {
        self.whole + 1
    }
}

impl Flow {
    /// Gathers what passes over a stretch of `side` cells.
    pub(super) fn gather(&mut self, layout: &Layout, ways: &[u8], area: &[f32], side: f64) {
        if side <= 1.0 {
            self.passes.clear();
            return;
        }
        let (taps, level, stride) = (Taps::new(side), Level::new(), layout.stride);
        for plane in [&mut self.east, &mut self.south] {
            plane.resize(layout.len(), 0.0);
        }
        self.passes.resize(layout.len(), 1.0);
        let along = |row: Range<usize>, [east, south]: [Lines<'_, f32>; 2]| {
            let row = row.start;
            if (1..=layout.rows).contains(&row) {
                let line = row * stride + 1..row * stride + 1 + layout.cols;
                let threads = Threads { layout, row: row - 1, ways: &ways[line.clone()], area: &area[line] };
                let cells = 1..=layout.cols;
                let (east, south) = (&mut east.values[cells.clone()], &mut south.values[cells]);
                dispatch!(level, simd => threads.along(simd, taps, east, south));
            }
        };
        let planes = [&mut self.east, &mut self.south].map(|values| Lines { values, length: stride });
        band::for_each_part(0..layout.rows + 2, 1, planes, &along);
        let (east, south) = (&self.east, &self.south);
        band::for_each_chunk(&mut self.passes, stride, |row, found| {
            if (1..=layout.rows).contains(&row) {
                let averaged = Averaged { layout, row, east, south };
                dispatch!(level, simd => averaged.across(simd, taps, &mut found[1..=layout.cols]));
            }
        });
    }

    /// The area whose water passes over the stretch at each cell: that of its own thread where cells are as wide or wider.
    pub(super) fn of<'a>(&'a self, area: &'a [f32]) -> &'a [f32] {
        if self.passes.is_empty() { area } else { &self.passes }
    }
}

/// The threads of water of a row.
struct Threads<'a> {
    layout: &'a Layout,
    row: usize,
    ways: &'a [u8],
    area: &'a [f32],
}

/// The way of each code as a vector to the east and to the south; those of outlets are found from the edge.
const EAST: [f32; 16] =
    directions([1.0, FRAC_1_SQRT_2, 0.0, -FRAC_1_SQRT_2, -1.0, -FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2]);
const SOUTH: [f32; 16] =
    directions([0.0, -FRAC_1_SQRT_2, -1.0, -FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2, 1.0, FRAC_1_SQRT_2]);

const fn directions(ways: [f32; 8]) -> [f32; 16] {
    let mut all = [0.0; 16];
    let mut way = 0;
    while way < ways.len() {
        all[way] = ways[way];
        way += 1;
    }
    all
}

impl Threads<'_> {
    /// The flow as a vector, averaged along the row. Beyond the ends it goes on as it is.
    #[inline(always)]
    fn along<S: Simd>(&self, _: S, taps: Taps, east: &mut [f32], south: &mut [f32]) {
        let (cols, reach) = (self.area.len(), taps.reach());
        for first in (0..cols).step_by(STRIP) {
            let (mut e, mut s) = ([0.0; WIDE], [0.0; WIDE]);
            let count = STRIP.min(cols - first);
            let wide = count + 2 * reach;
            self.vectors(first, reach, [&mut e[..wide], &mut s[..wide]]);
            for (values, mean) in [(&e, &mut *east), (&s, &mut *south)] {
                for (at, mean) in mean[first..][..count].iter_mut().enumerate() {
                    let mut sum = values[at + reach];
                    for by in 1..=taps.whole {
                        sum += values[at + reach - by] + values[at + reach + by];
                    }
                    sum += taps.part * (values[at] + values[at + 2 * reach]);
                    *mean = taps.per_side * sum;
                }
            }
        }
    }

    /// The flow as a vector in a strip of the row, from `reach` cells before the column `first` on.
    #[inline(always)]
    fn vectors(&self, first: usize, reach: usize, [east, south]: [&mut [f32]; 2]) {
        let begin = first.saturating_sub(reach);
        let end = (first + east.len() - reach).min(self.area.len());
        let (before, count) = (reach - (first - begin), end - begin);
        let cells = self.area[begin..end].iter().zip(&self.ways[begin..end]);
        let flows = east[before..].iter_mut().zip(&mut south[before..]);
        for ((east, south), (area, way)) in flows.zip(cells) {
            let way = (way & WAY) as usize;
            (*east, *south) = (area * EAST[way], area * SOUTH[way]);
        }
        for col in (begin..end).filter(|&col| self.is_at_edge(col) && self.ways[col] & WAY == OUTLET) {
            let ([to_east, to_south], at) = (self.over_edge(col), before + col - begin);
            (east[at], south[at]) = (self.area[col] * to_east, self.area[col] * to_south);
        }
        for flow in [east, south] {
            let (first, last) = (flow[before], flow[before + count - 1]);
            flow[..before].fill(first);
            flow[before + count..].fill(last);
        }
    }

    #[inline(always)]
    fn is_at_edge(&self, col: usize) -> bool {
        let (last_col, last_row) = (self.layout.cols - 1, self.layout.rows - 1);
        self.row == 0 || self.row == last_row || col == 0 || col == last_col
    }

    /// The way of what leaves the terrain.
    #[inline(always)]
    fn over_edge(&self, col: usize) -> [f32; 2] {
        let (last_col, last_row) = (self.layout.cols - 1, self.layout.rows - 1);
        match (col, self.row) {
            (_, 0) => [0.0, -1.0],
            (_, row) if row == last_row => [0.0, 1.0],
            (col, _) if col == last_col => [1.0, 0.0],
            _ => [-1.0, 0.0],
        }
    }
}

/// The flow that was averaged along the rows.
struct Averaged<'a> {
    layout: &'a Layout,
    row: usize,
    east: &'a [f32],
    south: &'a [f32],
}

impl Averaged<'_> {
    /// What passes over the stretch at each cell of a row.
    #[inline(always)]
    fn across<S: Simd>(&self, _: S, taps: Taps, found: &mut [f32]) {
        let Self { layout, row, .. } = *self;
        for (first, found) in (0..).step_by(STRIP).zip(found.chunks_mut(STRIP)) {
            let cols = first..first + found.len();
            let mut mean = [[0.0; STRIP]; 2];
            for (values, mean) in [self.east, self.south].into_iter().zip(&mut mean) {
                let mean = &mut mean[..cols.len()];
                mean.copy_from_slice(layout.cells_of(values, row, &cols));
                for by in 1..=taps.reach() {
                    let counts = if by <= taps.whole { 1.0 } else { taps.part };
                    let north = layout.cells_of(values, row.saturating_sub(by).max(1), &cols);
                    let south = layout.cells_of(values, (row + by).min(layout.rows), &cols);
                    for (mean, (north, south)) in mean.iter_mut().zip(north.iter().zip(south)) {
                        *mean += counts * (north + south);
                    }
                }
            }
            // The mean flow over the square, times its side.
            for (found, (east, south)) in found.iter_mut().zip(mean[0].iter().zip(&mean[1])) {
                *found = (east * east + south * south).sqrt().max(LEAST_AREA as f32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Edges;

    const CELLS: usize = 41;

    /// What passes over a stretch of `side` cells where water runs to the east, out of so much area in each row.
    fn passing(side: f64, area: impl Fn(usize) -> f64) -> impl Fn(usize, usize) -> f64 {
        let layout = Layout::new(CELLS, CELLS, 1.0, &Edges::default());
        let mut areas = layout.filled(0.0_f32);
        for row in 0..CELLS {
            areas[layout.at(0, row)..][..CELLS].fill(area(row) as f32);
        }
        let mut flow = Flow::default();
        flow.gather(&layout, &layout.filled(0), &areas, side);
        let found = flow.of(&areas).to_vec();
        move |col, row| f64::from(found[layout.at(col, row)])
    }

    #[test]
    fn threads_of_a_slope_add_up() {
        for side in [0.5, 1.0, 1.5, 2.0, 3.0, 7.3, 20.0] {
            let found = passing(side, |_| 50.0)(20, 20);
            let expected = 50.0 * side.max(1.0);
            assert!((found / expected - 1.0).abs() < 1.0e-5, "{found} over {side} cells, not {expected}");
        }
    }

    #[test]
    fn a_river_counts_in_full_in_all_its_bed_and_not_beyond() {
        for (side, half) in [(3.0, 1), (5.0, 2), (9.0, 4)] {
            let found = passing(side, |row| if row == 20 { 1.0e4 } else { 0.0 });
            for row in 0..CELLS {
                let expected = if row.abs_diff(20) <= half { 1.0e4 } else { 0.0 };
                assert!(
                    (found(20, row) - expected).abs() < 0.1,
                    "{} in row {row}, {side} cells",
                    found(20, row)
                );
            }
        }
        // A side of 4 cells ends in the middle of the cells beside.
        let found = passing(4.0, |row| if row == 20 { 1.0e4 } else { 0.0 });
        assert!((found(20, 22) - 5.0e3).abs() < 0.1, "{}", found(20, 22));
    }
}
