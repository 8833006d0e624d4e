//! Soil that creeps down slopes.
//!
//! Roering et al. 1999, eq. 8: the flux is D S / (1 − (S/S_c)²) along the slope S, which is taken from both axes, so that no
//! direction is preferred. Beyond a slope close to the critical one it goes on along its tangent.
//!
//! Steps are much longer than an explicit scheme allows: first all columns, then all rows are solved for the heights at the
//! end of the step, a tridiagonal system for each (Yanenko 1971). The law is replaced by its tangent at the slope that is
//! there (Newton), so that slopes near the critical one do not swing around it. Solving both axes at once and splitting the
//! product (Douglas & Gunn 1964) is a little more accurate on smooth ground, and throws soil over cliffs. Soil is moved
//! through the faces between cells; none is lost.

use super::layout::Layout;
use fearless_simd::{Level, Simd, dispatch};
use std::ops::Range;
use thalweg_field::band;

/// Columns that are worked on together: a strip of them stays in the cache.
const STRIP: usize = 32;
/// Rows that are solved together.
const LANES: usize = 8;
/// Groups of rows that one thread solves one after the other.
const GROUPS: usize = 8;
/// Share of the critical slope from which the law goes on along its tangent: there it has grown fiftyfold `[-]`.
const STRAIGHT_FROM: f64 = 0.99;
/// The law for one step.
#[derive(Clone, Copy, Debug)]
struct Law {
    /// D Δt / cell² `[-]`.
    base: f64,
    /// 1 / (critical slope · cell)² `[1/m²]`; 0 for a linear law.
    bend: f64,
}

/// Flux and its derivative, both for each metre between two cells.
#[derive(Clone, Copy)]
struct Face {
    flux: f64,
    steep: f64,
}

impl Law {
    /// `along` is the difference across the face, `aside` that at right angles, both over one cell `[m]`.
    #[inline(always)]
    fn face(&self, along: f64, aside: f64, extra: f64) -> Face {
        const CAP: f64 = STRAIGHT_FROM * STRAIGHT_FROM;
        const OVER: f64 = 1.0 / (1.0 - CAP);
        const STEEP: f64 = (1.0 + CAP) * OVER * OVER;
        const REST: f64 = (STEEP - OVER) * STRAIGHT_FROM;
        // (S/S_c)²
        let share = (along * along + aside * aside) * self.bend;
        let is_beyond = share > CAP;
        // One division for both: over the rest up to the critical slope, or over the slope itself.
        let over = 1.0 / if is_beyond { share.max(CAP).sqrt() } else { 1.0 - share };
        let secant = if is_beyond { STEEP - REST * over } else { over };
        // How the secant turns with the slope across the face; with the slope aside it does so too, but that is none of
        // this face's business.
        let turn = over * over * if is_beyond { REST * over } else { 2.0 };
        let steep = secant + turn * self.bend * along * along;
        Face { flux: (self.base * secant + extra) * along, steep: self.base * steep + extra }
    }
}

/// Room for a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Creep {
    strips: Vec<Strip>,
    /// For each part of the rows.
    lines: Vec<Lines>,
}

/// A strip of columns.
#[derive(Clone, Debug, Default)]
struct Strip {
    /// For each row the heights after the columns were solved.
    height: Vec<[f64; STRIP]>,
    /// The upper triangle of the columns' systems.
    upper: Vec<[f64; STRIP]>,
    /// For each row what rivers took, where there are any `[m]`.
    taken: Vec<[f64; STRIP]>,
    /// What went into outlets, as height of one cell `[m]`.
    exported: f64,
}

/// What the soil lies on.
pub(super) struct Slopes<'a> {
    pub(super) layout: &'a Layout,
    /// Diffusivity times time step `[m²]`.
    pub(super) spread: f64,
    /// Steepest slope `[-]`, if there is one.
    pub(super) critical: Option<f64>,
    /// Diffusivity times time step beside that of the soil, cell by cell `[m²]`.
    pub(super) floors: Option<&'a [f32]>,
    /// Share of the soil that comes to rest in each cell; rivers take the rest away `[-]`.
    pub(super) stays: Option<&'a [f32]>,
}

/// Least share of the soil that stays: what is taken follows from what stays `[-]`.
pub(super) const LEAST_STAYING: f32 = 1.0e-3;

impl Creep {
    /// Moves the soil of a step. Returns what left over the edges, as height of one cell; `taken` gets what rivers took from
    /// each cell `[m]`, and is empty if there are none.
    pub(super) fn go(&mut self, slopes: &Slopes, height: &mut [f64], taken: &mut Vec<f64>) -> f64 {
        taken.clear();
        if slopes.spread <= 0.0 && slopes.floors.is_none() {
            return 0.0;
        }
        taken.resize(slopes.stays.map_or(0, <[f32]>::len), 0.0);
        let area = slopes.layout.cell * slopes.layout.cell;
        let bend = slopes.critical.map_or(0.0, |critical| (critical * slopes.layout.cell).powi(-2));
        let law = Law { base: slopes.spread / area, bend };
        self.solve(slopes, &law, height, taken)
    }

    fn solve(&mut self, slopes: &Slopes, law: &Law, height: &mut [f64], taken: &mut [f64]) -> f64 {
        let layout = slopes.layout;
        let floor_share = 1.0 / (layout.cell * layout.cell);
        let level = Level::new();
        self.strips.resize_with(layout.cols.div_ceil(STRIP), Strip::default);
        let columns = Columns { slopes, law, floor_share, height };
        band::for_each(&mut self.strips, |number, strip| {
            dispatch!(level, simd => strip.solve(simd, &columns, number * STRIP));
        });
        let rows = Rows { slopes, law, floor_share, strips: &self.strips };
        let groups = layout.rows.div_ceil(LANES);
        self.lines.resize_with(groups.div_ceil(GROUPS), Lines::default);
        let inner = &mut height[layout.stride..][..layout.rows * layout.stride];
        let rows_of = layout.stride..(layout.rows + 1) * layout.stride;
        let taken = taken.get_mut(rows_of).unwrap_or_default();
        let length = LANES * layout.stride;
        let parts = RowGroups { rows: inner, taken, length, lines: &mut self.lines };
        let solve_some = |range: Range<usize>, part: RowGroups| {
            let mut taken = part.taken.chunks_mut(length);
            let groups = part.rows.chunks_mut(length).zip(range);
            let left = groups.map(|(heights, group)| {
                let (taken, lines) = (taken.next().unwrap_or_default(), &mut part.lines[0]);
                dispatch!(level, simd => rows.solve(simd, group * LANES, lines, heights, taken))
            });
            left.sum()
        };
        let left = band::measure_parts(0..groups, GROUPS, parts, &solve_some, &|a: f64, b| a + b);
        self.strips.iter().map(|strip| strip.exported).sum::<f64>() + left
    }
}

/// Rows that are cut in groups.
struct RowGroups<'a> {
    rows: &'a mut [f64],
    taken: &'a mut [f64],
    length: usize,
    /// For each part of `GROUPS` groups.
    lines: &'a mut [Lines],
}

impl band::Cut for RowGroups<'_> {
    fn cut(self, at: usize) -> (Self, Self) {
        let length = self.length;
        let (lines, lines_after) = self.lines.split_at_mut(at / GROUPS);
        let at = at * length;
        let (rows, rows_after) = self.rows.split_at_mut(at.min(self.rows.len()));
        let (taken, taken_after) = self.taken.split_at_mut(at.min(self.taken.len()));
        (
            Self { rows, taken, length, lines },
            Self { rows: rows_after, taken: taken_after, length, lines: lines_after },
        )
    }
}

/// The ground before a step.
struct Columns<'a> {
    slopes: &'a Slopes<'a>,
    law: &'a Law,
    floor_share: f64,
    height: &'a [f64],
}

impl Columns<'_> {
    /// Heights of a row, from one column before `col` to one after the strip; beyond the edges the ground goes on as it is.
    #[inline(always)]
    fn line(&self, col: usize, row: usize) -> [f64; STRIP + 2] {
        let layout = self.slopes.layout;
        spread(&self.height[layout.at(0, row.min(layout.rows - 1))..][..layout.cols], col)
    }

    /// Share of the soil that stays in each cell of a row; 0 in outlets and beyond the terrain.
    #[inline(always)]
    fn stays(&self, col: usize, row: usize, free: &[f64; STRIP]) -> [f64; STRIP] {
        let layout = self.slopes.layout;
        let free_row = if layout.is_outlet_row(row) { 0.0 } else { 1.0 };
        let mut share = *free;
        share.iter_mut().for_each(|share| *share *= free_row);
        if let Some(stays) = self.slopes.stays {
            let stays: [f32; STRIP + 2] = spread(&stays[layout.at(0, row)..][..layout.cols], col);
            for i in 0..STRIP {
                share[i] *= f64::from(stays[i + 1]);
            }
        }
        share
    }

    #[inline(always)]
    fn floors(&self, col: usize, row: usize) -> [f64; STRIP + 2] {
        let mut share = [0.0; STRIP + 2];
        if let Some(floors) = self.slopes.floors {
            let layout = self.slopes.layout;
            let floors: [f32; STRIP + 2] =
                spread(&floors[layout.at(0, row.min(layout.rows - 1))..][..layout.cols], col);
            for i in 0..STRIP + 2 {
                share[i] = f64::from(floors[i]) * self.floor_share;
            }
        }
        share
    }
}

/// A part of a row, with one more on either side; beyond the ends the last goes on.
#[inline(always)]
fn spread<T: Copy + Default>(row: &[T], col: usize) -> [T; STRIP + 2] {
    let mut part = [T::default(); STRIP + 2];
    if col > 0 && col + STRIP < row.len() {
        part.copy_from_slice(&row[col - 1..=col + STRIP]);
    } else {
        let last = row.len() - 1;
        for (i, value) in part.iter_mut().enumerate() {
            *value = row[(col + i).saturating_sub(1).min(last)];
        }
    }
    part
}

impl Strip {
    /// Eliminates down the columns and goes back up.
    #[inline(always)]
    fn solve<S: Simd>(&mut self, _: S, ground: &Columns, col: usize) {
        let layout = ground.slopes.layout;
        let rows = layout.rows;
        self.height.resize(rows, [0.0; STRIP]);
        self.upper.resize(rows, [0.0; STRIP]);
        let free = free_columns(layout, col);
        let mut here = ground.line(col, 0);
        let mut floor = ground.floors(col, 0);
        let (mut north_flux, mut north_steep) = ([0.0; STRIP], [0.0; STRIP]);
        let (mut upper_before, mut change_before) = ([0.0; STRIP], [0.0; STRIP]);
        // Faces of the first and the last row.
        let (mut first, mut last) = ([[0.0; 2]; STRIP], [[0.0; 2]; STRIP]);
        for row in 0..rows {
            let below = ground.line(col, row + 1);
            let floor_below = ground.floors(col, row + 1);
            let is_last = row + 1 == rows;
            let (mut south_flux, mut south_steep) = ([0.0; STRIP], [0.0; STRIP]);
            for i in 0..STRIP {
                let aside = 0.25 * ((here[i + 2] + below[i + 2]) - (here[i] + below[i]));
                let extra = 0.5 * (floor[i + 1] + floor_below[i + 1]);
                let face = ground.law.face(below[i + 1] - here[i + 1], aside, extra);
                (south_flux[i], south_steep[i]) = (face.flux, face.steep);
            }
            if is_last {
                (south_flux, south_steep) = ([0.0; STRIP], [0.0; STRIP]);
                last = std::array::from_fn(|i| [north_flux[i] * free[i], north_steep[i] * free[i]]);
            }
            if row == 0 {
                first = std::array::from_fn(|i| [south_flux[i] * free[i], south_steep[i] * free[i]]);
            }
            let stays = ground.stays(col, row, &free);
            let (change, upper) = (&mut self.height[row], &mut self.upper[row]);
            for i in 0..STRIP {
                let gain = south_flux[i] - north_flux[i];
                let coupling = south_steep[i] + north_steep[i] * (1.0 - upper_before[i]);
                let scale = stays[i] / (1.0 + stays[i] * coupling);
                upper[i] = south_steep[i] * scale;
                change[i] = (gain + north_steep[i] * change_before[i]) * scale;
            }
            (upper_before, change_before) = (*upper, *change);
            (here, floor) = (below, floor_below);
            (north_flux, north_steep) = (south_flux, south_steep);
        }
        self.go_back(ground, col, [first, last]);
    }

    /// From the last row to the first: changes, and heights with them. What crosses the faces of outlets is gone.
    #[inline(always)]
    fn go_back(&mut self, ground: &Columns, col: usize, [first, last]: [[[f64; 2]; STRIP]; 2]) {
        let layout = ground.slopes.layout;
        let rows = layout.rows;
        self.exported = 0.0;
        let rivers = ground.slopes.stays.is_some();
        self.taken.resize(if rivers { rows } else { 0 }, [0.0; STRIP]);
        let free = free_columns(layout, col);
        let mut after = [0.0; STRIP];
        for row in (0..rows).rev() {
            let (change, upper) = (&mut self.height[row], &self.upper[row]);
            for i in 0..STRIP {
                change[i] += upper[i] * after[i];
            }
            after = *change;
            let [north, south] = [layout.is_outlet_row(0), layout.is_outlet_row(rows - 1)];
            if row + 2 == rows && south && !(row == 0 && north) {
                // Its southern face leads into the outlet.
                self.exported += (0..STRIP).map(|i| last[i][1] * after[i] - last[i][0]).sum::<f64>();
            }
            if row == 1 && north && !(row + 1 == rows && south) {
                self.exported += (0..STRIP).map(|i| first[i][1] * after[i] + first[i][0]).sum::<f64>();
            }
            if rivers {
                let stays = ground.stays(col, row, &free);
                let taken = &mut self.taken[row];
                for i in 0..STRIP {
                    taken[i] = taken_with(change[i], stays[i]);
                }
            }
            let here = ground.line(col, row);
            for i in 0..STRIP {
                change[i] += here[i + 1];
            }
        }
    }
}

/// What rivers take from a cell that changes so much `[m]`.
#[inline(always)]
fn taken_with(change: f64, stays: f64) -> f64 {
    if stays > 0.0 { change * (1.0 - stays) / stays } else { 0.0 }
}

/// Columns of a strip that are no outlets: 1 for each, 0 for the others and beyond the terrain.
fn free_columns(layout: &Layout, col: usize) -> [f64; STRIP] {
    let [_, east, _, west] = layout.edges.map(|edge| edge.is_some());
    std::array::from_fn(|i| {
        let at = col + i;
        let fixed = (at == 0 && west) || (at + 1 == layout.cols && east) || at >= layout.cols;
        f64::from(u8::from(!fixed))
    })
}

/// The ground after the columns were solved.
struct Rows<'a> {
    slopes: &'a Slopes<'a>,
    law: &'a Law,
    floor_share: f64,
    strips: &'a [Strip],
}

/// What solving the rows needs.
#[derive(Clone, Debug, Default)]
struct Lines {
    upper: Vec<[f64; LANES]>,
    change: Vec<[f64; LANES]>,
}

impl Rows<'_> {
    /// A column of the rows that are solved together, with one more on either side.
    #[inline(always)]
    fn column(&self, rows: &[usize; LANES + 2], col: usize) -> [f64; LANES + 2] {
        let col = col.min(self.slopes.layout.cols - 1);
        let strip = &self.strips[col / STRIP];
        let mut column = [0.0; LANES + 2];
        for lane in 0..LANES + 2 {
            column[lane] = strip.height[rows[lane]][col % STRIP];
        }
        column
    }

    #[inline(always)]
    fn floors(&self, rows: &[usize; LANES + 2], col: usize) -> [f64; LANES] {
        let mut share = [0.0; LANES];
        if let Some(floors) = self.slopes.floors {
            let layout = self.slopes.layout;
            let col = col.min(layout.cols - 1);
            for lane in 0..LANES {
                share[lane] = f64::from(floors[layout.at(col, rows[lane + 1])]) * self.floor_share;
            }
        }
        share
    }

    #[inline(always)]
    fn stays(&self, rows: &[usize; LANES + 2], col: usize, free: &[f64; LANES]) -> [f64; LANES] {
        let mut share = *free;
        if let Some(stays) = self.slopes.stays {
            let layout = self.slopes.layout;
            for lane in 0..LANES {
                share[lane] *= f64::from(stays[layout.at(col, rows[lane + 1])]);
            }
        }
        share
    }

    /// Solves some rows together and sets their heights; `taken` gets what rivers took. Returns what went into outlets, as
    /// height of one cell `[m]`.
    #[inline(always)]
    fn solve<S: Simd>(
        &self,
        _: S,
        first: usize,
        lines: &mut Lines,
        heights: &mut [f64],
        taken: &mut [f64],
    ) -> f64 {
        let layout = self.slopes.layout;
        let cols = layout.cols;
        // Beyond the edges the last row goes on.
        let rows: [usize; LANES + 2] =
            std::array::from_fn(|lane| (first + lane).saturating_sub(1).min(layout.rows - 1));
        let free: [f64; LANES] =
            std::array::from_fn(|lane| f64::from(u8::from(!layout.is_outlet_row(rows[lane + 1]))));
        let [_, east, _, west] = layout.edges.map(|edge| edge.is_some());
        lines.upper.resize(cols, [0.0; LANES]);
        lines.change.resize(cols, [0.0; LANES]);
        let (mut upper, mut change) = ([0.0; LANES], [0.0; LANES]);
        let (mut west_flux, mut west_steep) = ([0.0; LANES], [0.0; LANES]);
        // Faces of the first and the last column.
        let (mut begin, mut end) = ([[0.0; LANES]; 2], [[0.0; LANES]; 2]);
        let mut here = self.column(&rows, 0);
        let mut floor = self.floors(&rows, 0);
        for col in 0..cols {
            let next = self.column(&rows, col + 1);
            let floor_next = self.floors(&rows, col + 1);
            let (mut east_flux, mut east_steep) = ([0.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                let aside = 0.25 * ((here[lane] + next[lane]) - (here[lane + 2] + next[lane + 2]));
                let extra = 0.5 * (floor[lane] + floor_next[lane]);
                let face = self.law.face(next[lane + 1] - here[lane + 1], aside, extra);
                (east_flux[lane], east_steep[lane]) = (face.flux, face.steep);
            }
            if col + 1 == cols {
                (east_flux, east_steep) = ([0.0; LANES], [0.0; LANES]);
                end = [west_flux, west_steep];
            }
            if col == 0 {
                begin = [east_flux, east_steep];
            }
            let free_col = if (col == 0 && west) || (col + 1 == cols && east) { 0.0 } else { 1.0 };
            let stays = self.stays(&rows, col, &free);
            for lane in 0..LANES {
                let gain = east_flux[lane] - west_flux[lane];
                let stays = stays[lane] * free_col;
                let coupling = east_steep[lane] + west_steep[lane] * (1.0 - upper[lane]);
                let scale = stays / (1.0 + stays * coupling);
                upper[lane] = east_steep[lane] * scale;
                change[lane] = (gain + west_steep[lane] * change[lane]) * scale;
            }
            (lines.upper[col], lines.change[col]) = (upper, change);
            (here, floor) = (next, floor_next);
            (west_flux, west_steep) = (east_flux, east_steep);
        }
        for col in (0..cols - 1).rev() {
            let after = lines.change[col + 1];
            let (change, upper) = (&mut lines.change[col], &lines.upper[col]);
            for lane in 0..LANES {
                change[lane] += upper[lane] * after[lane];
            }
        }
        let mut exported = 0.0;
        for (lane, row) in heights.chunks_mut(layout.stride).enumerate() {
            for (col, height) in row[1..=cols].iter_mut().enumerate() {
                *height =
                    self.strips[col / STRIP].height[rows[lane + 1]][col % STRIP] + lines.change[col][lane];
            }
            if let (Some(stays), Some(taken)) =
                (self.slopes.stays, taken.get_mut(lane * layout.stride..(lane + 1) * layout.stride))
            {
                let row = rows[lane + 1];
                for col in 0..cols {
                    let fixed = (col == 0 && west) || (col + 1 == cols && east) || free[lane] == 0.0;
                    let share = if fixed { 0.0 } else { f64::from(stays[layout.at(col, row)]) };
                    taken[col + 1] = self.strips[col / STRIP].taken[row][col % STRIP]
                        + taken_with(lines.change[col][lane], share);
                }
            }
            let both = cols == 2 && east && west;
            if free[lane] > 0.0 && west && !both {
                exported += begin[1][lane] * lines.change[1][lane] + begin[0][lane];
            }
            if free[lane] > 0.0 && east && !both {
                exported += end[1][lane] * lines.change[cols - 2][lane] - end[0][lane];
            }
        }
        exported
    }
}
