//! The ground row by row, laid out for vectors, and the soil that crosses its faces.

use super::law::Law;
use super::tile::{MARGIN, STRIP, Tile, WIDE};
use super::{Slopes, Stage};
use fearless_simd::{Level, Simd, dispatch};
use std::ops::Range;
use thalweg_field::band::{self, Lines};

/// Rows of a tile: those around it that are computed twice are few beside them.
const TOGETHER: usize = 128;

/// What a row knows of its cells, one after the other.
pub(super) const EAST: usize = 0; // How much higher the cell to the east was at the beginning `[m]`.
pub(super) const SOUTH: usize = 1; // How much higher the cell to the south was `[m]`.
pub(super) const STAYS: usize = 2; // Share of the soil that comes to rest `[-]`.
pub(super) const RISEN: usize = 3; // How far rock rises in this step `[m]`.
pub(super) const FLOOR: usize = 4; // What spreads beside the soil, over the cell's area `[-]`.
pub(super) const SOFTNESS: usize = 5; // What the square of the slope counts, over that of the common rock `[-]`.
const KNOWN: usize = 6;

/// The ground at the beginning of a step. A row has margins on either side of each of its quantities.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) cols: usize,
    pub(super) rows: usize,
    /// Values of a quantity from one row to the next.
    pub(super) stride: usize,
    known: Vec<f32>,
}

/// Soil that has crossed the eastern and the southern face of each cell towards it, row by row `[m]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Crossed {
    faces: Vec<f32>,
}

impl Crossed {
    /// None has.
    pub(super) fn clear(&mut self, rows: &Rows) {
        self.faces.clear();
        self.faces.resize(2 * rows.stride * rows.rows, 0.0);
    }
}

impl Rows {
    /// Takes up the ground. Returns the most that spreads beside the soil, over a cell's area `[-]`.
    pub(super) fn take_up(&mut self, slopes: &Slopes, height: &[f64]) -> f32 {
        let layout = slopes.layout;
        (self.cols, self.rows) = (layout.cols, layout.rows);
        self.stride = layout.cols.next_multiple_of(STRIP) + 2 * MARGIN;
        self.known.resize(KNOWN * self.stride * self.rows, 0.0);
        let (stride, cols, rows) = (self.stride, self.cols, self.rows);
        let per_area = (1.0 / (layout.cell * layout.cell)) as f32;
        let (pattern, by) = slopes.risen;
        let (by, level) = (by as f32, Level::new());
        let take_up = |row: Range<usize>, known: &mut [f32]| {
            let row = row.start;
            let line = |row: usize| {
                let cells = layout.at(0, row)..layout.at(0, row) + cols;
                Line {
                    height: &height[cells.clone()],
                    stays: &slopes.stays[cells.clone()],
                    pattern: &pattern[cells.clone()],
                    erodibility: &slopes.erodibility[cells.clone()],
                    floors: slopes.floors.map(|floors| &floors[cells]),
                }
            };
            let ground = Ground { here: line(row), below: line((row + 1).min(rows - 1)), by, per_area };
            dispatch!(level, simd => ground.take_up(simd, known, stride))
        };
        let known = Lines { values: &mut self.known, length: KNOWN * stride };
        band::measure_parts(0..rows, 1, known, &|row, known| take_up(row, known.values), &f32::max)
    }

    /// Takes some stages, at most [`tile::STAGES`], from what had crossed after the last two to what has crossed after the last two
    /// of them.
    pub(super) fn cross(&self, law: &Law, stages: &[Stage], from: [&Crossed; 2], to: [&mut Crossed; 2]) {
        let (level, row) = (Level::new(), 2 * self.stride);
        let from = from.map(|crossed| &crossed.faces[..]);
        let to = to.map(|crossed| Lines { values: &mut crossed.faces, length: row });
        let cross = |rows: Range<usize>, to: [Lines<'_, f32>; 2]| {
            let mut to = to.map(|cells| cells.values);
            for col in (0..self.cols).step_by(STRIP) {
                let tile = Tile { ground: self, from, stages, rows: rows.clone(), col };
                dispatch!(level, simd => tile.cross(simd, law.on(simd), &mut to));
            }
        };
        band::for_each_part(0..self.rows, TOGETHER, to, &cross);
    }

    /// Lays down what stays, and tells what does not, in 64 bits: what crossed a face counts alike on both sides.
    pub(super) fn settle(&self, slopes: &Slopes, crossed: &Crossed, height: &mut [f64], soil: &mut [f64]) {
        let (layout, level) = (slopes.layout, Level::new());
        let line = layout.stride;
        let settle = |row: Range<usize>, [height, soil]: [Lines<'_, f64>; 2]| {
            if row.start > 0 && row.start <= self.rows {
                let faces = |row: usize, which: usize| &crossed.faces[(2 * row + which) * self.stride..];
                let row = row.start - 1;
                let came = Came {
                    east: &faces(row, 0)[MARGIN - 1..][..=self.cols],
                    south: &faces(row, 1)[MARGIN..][..self.cols],
                    north: (row > 0).then(|| &faces(row - 1, 1)[MARGIN..][..self.cols]),
                };
                let stays = &slopes.stays[layout.at(0, row)..][..self.cols];
                let (height, soil) =
                    (&mut height.values[1..][..self.cols], &mut soil.values[1..][..self.cols]);
                dispatch!(level, simd => came.settle(simd, stays, height, soil));
            }
        };
        let parts = [Lines { values: height, length: line }, Lines { values: soil, length: line }];
        band::for_each_part(0..layout.rows + 2, 1, parts, &settle);
    }

    /// A quantity of a row's cells from one margin before a column on.
    #[inline(always)]
    pub(super) fn known(&self, which: usize, row: usize, col: usize) -> &[f32; WIDE] {
        part(&self.known, (row * KNOWN + which) * self.stride + col)
    }
}

/// Values of a strip with its margins.
#[inline(always)]
pub(super) fn part(values: &[f32], at: usize) -> &[f32; WIDE] {
    values[at..].first_chunk().expect("rows are whole strips with a margin on either side")
}

/// A row of the ground.
struct Line<'a> {
    height: &'a [f64],
    stays: &'a [f32],
    pattern: &'a [f32],
    erodibility: &'a [f32],
    floors: Option<&'a [f32]>,
}

impl Line<'_> {
    /// The height of a cell at the end of the step, but for the soil. Rivers keep their level while rock rises, as steady ones do:
    /// what they will have cut at the end of the step banks must not wait for, or they would stand the steeper the finer the
    /// cells are.
    #[inline(always)]
    fn height(&self, col: usize, by: f32) -> f64 {
        self.height[col] - f64::from(by * self.pattern[col] * (1.0 - self.stays[col]))
    }
}

/// A row of the ground, and the one below it; what the pattern of the uplift and the floors are multiplied with.
struct Ground<'a> {
    here: Line<'a>,
    below: Line<'a>,
    by: f32,
    per_area: f32,
}

impl Ground<'_> {
    #[inline(always)]
    fn take_up<S: Simd>(&self, _: S, known: &mut [f32], stride: usize) -> f32 {
        let Self { here, below, by, per_area } = self;
        let cols = here.height.len();
        let mut planes = known.chunks_exact_mut(stride).map(|plane| &mut plane[MARGIN - 1..][..cols + 2]);
        let mut plane = || planes.next().unwrap_or_default();
        let [east, south, stays, risen, floor, softness] = [(); KNOWN].map(|()| plane());
        // Beyond the edges the ground goes on as it is: nothing crosses them.
        for col in 0..cols - 1 {
            east[col + 1] = (here.height(col + 1, *by) - here.height(col, *by)) as f32;
        }
        (east[0], east[cols]) = (0.0, 0.0);
        for col in 0..cols {
            south[col + 1] = (below.height(col, *by) - here.height(col, *by)) as f32;
        }
        (south[0], south[cols + 1]) = (south[1], south[cols]);
        stays[1..=cols].copy_from_slice(here.stays);
        for (col, risen) in risen[1..=cols].iter_mut().enumerate() {
            *risen = by * here.pattern[col] * here.stays[col];
        }
        // The critical slope goes with the fourth root of the erodibility.
        softness[1..=cols].iter_mut().zip(here.erodibility).for_each(|(soft, rock)| *soft = rock.sqrt());
        (softness[0], softness[cols + 1]) = (softness[1], softness[cols]);
        let mut most = 0.0_f32;
        let Some(floors) = here.floors else {
            floor.fill(0.0);
            return most;
        };
        for (floor, spread) in floor[1..].iter_mut().zip(floors) {
            *floor = per_area * spread;
            most = if *floor > most { *floor } else { most };
        }
        (floor[0], floor[cols + 1]) = (floor[1], floor[cols]);
        most
    }
}

/// What crossed the faces around a row.
struct Came<'a> {
    /// The first is the western face of the first cell.
    east: &'a [f32],
    south: &'a [f32],
    north: Option<&'a [f32]>,
}

impl Came<'_> {
    #[inline(always)]
    fn settle<S: Simd>(&self, _: S, stays: &[f32], height: &mut [f64], soil: &mut [f64]) {
        let cols = height.len();
        let (west, east, south) = (&self.east[..cols], &self.east[1..][..cols], &self.south[..cols]);
        let stays = &stays[..cols];
        let soil = &mut soil[..cols];
        for at in 0..cols {
            let along = f64::from(east[at]) - f64::from(west[at]);
            soil[at] = along + f64::from(south[at]);
        }
        if let Some(north) = self.north {
            soil.iter_mut().zip(north).for_each(|(gained, north)| *gained -= f64::from(*north));
        }
        for at in 0..cols {
            let whole = (soil[at] < 0.0) & (stays[at] > 0.0);
            let kept = soil[at] * if whole { 1.0 } else { f64::from(stays[at]) };
            height[at] += kept;
            soil[at] -= kept;
        }
    }
}
