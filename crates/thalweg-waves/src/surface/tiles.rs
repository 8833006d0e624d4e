//! Bumps put onto cells, tile by tile, and filtered.

use super::cosine::Cosine;
use fearless_simd::{Level, dispatch};
use std::ops::Range;
use thalweg_field::{Grid2, band};

/// Side of a tile, in cells.
pub(super) const SIDE: usize = 64;
const CELLS: usize = SIDE * SIDE;
/// Side of what one tile's bumps touch: a bump lies between four cells.
const TOUCHED: usize = SIDE + 1;

/// A bump as the cells see it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dot {
    /// Column and row, whole at the centres of cells, counted from the first tile.
    pub(super) col: f32,
    pub(super) row: f32,
    /// Its height, and height times velocity, east and north.
    pub(super) values: [f32; 3],
    /// Its radius among the bands.
    pub(super) band: u32,
}

/// Tiles that cover a grid, and some beyond its edges, where bumps begin that reach into it.
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    /// Tiles in a row, and rows of them.
    pub(super) size: [usize; 2],
    /// Cells before the grid's first, each way.
    pub(super) margin: usize,
    /// Dots of each tile of each band: where they begin in `order`.
    first: Vec<u32>,
    order: Vec<Dot>,
    sums: Vec<[i64; TOUCHED * TOUCHED]>,
    field: Vec<f32>,
    other: Vec<f32>,
    /// Tiles with dots, and tiles that those reach.
    active: Vec<bool>,
    reached: Vec<bool>,
}

/// Sums are kept as whole numbers of this, so that they do not depend on their order `[m]`.
const GRAIN: f64 = 1.0 / (1_u64 << 32) as f64;
/// A number to which adding rounds to whole ones (1.5 × 2⁵²).
const ROUNDS: f64 = 6_755_399_441_055_744.0;

/// A number as a whole number of grains.
#[inline(always)]
fn grains(value: f32) -> i64 {
    let sum = f64::from(value) * (1.0 / GRAIN) + ROUNDS;
    sum.to_bits() as i64 - ROUNDS.to_bits() as i64
}

impl Tiles {
    pub(super) fn new([cols, rows]: [usize; 2], margin: usize) -> Self {
        let size = [cols, rows].map(|cells| (cells + 2 * margin).div_ceil(SIDE));
        let count = size[0] * size[1];
        Self {
            size,
            margin,
            first: Vec::new(),
            order: Vec::new(),
            sums: Vec::new(),
            field: vec![0.0; count * CELLS],
            other: vec![0.0; count * CELLS],
            active: vec![false; count],
            reached: vec![false; count],
        }
    }

    pub(super) fn bytes(size: [usize; 2], margin: usize) -> u64 {
        let tiles: usize = size.map(|cells| (cells + 2 * margin).div_ceil(SIDE)).iter().product();
        (tiles * (2 * CELLS * size_of::<f32>() + TOUCHED * TOUCHED * size_of::<i64>())) as u64
    }

    fn count(&self) -> usize {
        self.size[0] * self.size[1]
    }

    /// Whether a dot at that column and row lies on any tile, all four of its cells.
    pub(super) fn holds(&self, col: f32, row: f32) -> bool {
        let inside = |at: f32, tiles: usize| at >= 0.0 && at < (tiles * SIDE - 1) as f32;
        inside(col, self.size[0]) && inside(row, self.size[1])
    }

    /// Takes in the dots of all bands, each to its tile.
    pub(super) fn sort(&mut self, parts: &[Vec<Dot>], bands: usize) {
        let dots = || parts.iter().flatten();
        let tiles = self.count();
        let cols = self.size[0];
        let key =
            |dot: &Dot| dot.band as usize * tiles + dot.row as usize / SIDE * cols + dot.col as usize / SIDE;
        self.first.clear();
        self.first.resize(bands * tiles + 1, 0);
        for dot in dots() {
            self.first[key(dot) + 1] += 1;
        }
        for i in 1..self.first.len() {
            self.first[i] += self.first[i - 1];
        }
        self.order.resize(dots().count(), Dot::default());
        let mut next = self.first.clone();
        for dot in dots() {
            let at = &mut next[key(dot)];
            self.order[*at as usize] = *dot;
            *at += 1;
        }
    }

    fn dots(&self, band: usize, tile: usize) -> Range<usize> {
        let at = band * self.count() + tile;
        self.first[at] as usize..self.first[at + 1] as usize
    }

    /// Whether a band has any dots.
    pub(super) fn has(&self, band: usize) -> bool {
        let tiles = self.count();
        self.first[band * tiles] < self.first[(band + 1) * tiles]
    }

    /// Filters what was put onto the cells; what comes out lies in the tiles until the next time.
    pub(super) fn filter(&mut self, level: Level, radius: f64) {
        let filter = Cosine::new(radius);
        self.reach(filter.reach());
        self.gather();
        self.filter_down(level, &filter);
        self.transpose_to_other(level);
        self.filter_across(level, &filter);
    }

    /// Puts one value of a band's dots onto the cells: sums up the dots of each tile.
    pub(super) fn put(&mut self, band: usize, value: usize) {
        let tiles = self.count();
        for tile in 0..tiles {
            self.active[tile] = !self.dots(band, tile).is_empty();
        }
        if self.sums.is_empty() {
            self.sums = vec![[0; TOUCHED * TOUCHED]; tiles];
        }
        let cols = self.size[0];
        let (first, order) = (&self.first[band * tiles..], &self.order);
        band::for_each(&mut self.sums, |tile, sums| {
            let dots = &order[first[tile] as usize..first[tile + 1] as usize];
            if dots.is_empty() {
                return;
            }
            sums.fill(0);
            let corner = [(tile % cols * SIDE) as f32, (tile / cols * SIDE) as f32];
            for dot in dots {
                let (col, row) = (dot.col - corner[0], dot.row - corner[1]);
                let (c, r) = (col as usize % SIDE, row as usize % SIDE);
                let (east, south) = (col - c as f32, row - r as f32);
                let height = dot.values[value];
                let (below, above) = (height * south, height * (1.0 - south));
                let at = r * TOUCHED + c;
                let cells: &mut [i64; TOUCHED + 2] =
                    (&mut sums[at..at + TOUCHED + 2]).try_into().expect("as long");
                cells[0] += grains(above * (1.0 - east));
                cells[1] += grains(above * east);
                cells[TOUCHED] += grains(below * (1.0 - east));
                cells[TOUCHED + 1] += grains(below * east);
            }
        });
    }

    /// Notes the tiles that a filter of some reach brings anything to.
    fn reach(&mut self, reach: usize) {
        let [cols, rows] = self.size;
        let far = (reach + 2).div_ceil(SIDE);
        self.reached.fill(false);
        for row in 0..rows {
            for col in 0..cols {
                if !self.active[row * cols + col] {
                    continue;
                }
                for r in row.saturating_sub(far)..=(row + far).min(rows - 1) {
                    let from = r * cols + col.saturating_sub(far);
                    self.reached[from..=r * cols + (col + far).min(cols - 1)].fill(true);
                }
            }
        }
    }

    /// Adds up what each tile and its neighbours put on its cells. Tiles lie one below the other, column by column.
    fn gather(&mut self) {
        let [cols, rows] = self.size;
        let (sums, active, reached) = (&self.sums, &self.active, &self.reached);
        band::for_each_chunk(&mut self.field, CELLS, |at, field| {
            let (col, row) = (at / rows, at % rows);
            let tile = row * cols + col;
            if !reached[tile] {
                return;
            }
            if active[tile] {
                for (r, cells) in field.chunks_exact_mut(SIDE).enumerate() {
                    for (cell, &sum) in cells.iter_mut().zip(&sums[tile][r * TOUCHED..]) {
                        *cell = sum as f32;
                    }
                }
            } else {
                field.fill(0.0);
            }
            let mut own = |sum: i64, r: usize, c: usize| {
                field[r * SIDE + c] += sum as f32;
            };
            if col > 0 && active[tile - 1] {
                for r in 0..SIDE {
                    own(sums[tile - 1][r * TOUCHED + SIDE], r, 0);
                }
            }
            if row > 0 && active[tile - cols] {
                for c in 0..SIDE {
                    own(sums[tile - cols][SIDE * TOUCHED + c], 0, c);
                }
            }
            if row > 0 && col > 0 && active[tile - cols - 1] {
                own(sums[tile - cols - 1][SIDE * TOUCHED + SIDE], 0, 0);
            }
            for cell in field {
                *cell *= GRAIN as f32;
            }
        });
    }

    fn filter_down(&mut self, level: Level, filter: &Cosine) {
        let [cols, rows] = self.size;
        let (field, reached) = (&self.field, &self.reached);
        band::for_each_chunk(&mut self.other, rows * CELLS, |col, column| {
            let is_reached = |row: usize| reached[row * cols + col];
            runs(rows, is_reached, |run| {
                let cells = run.start * CELLS..run.end * CELLS;
                let from = &field[col * rows * CELLS..][cells.clone()];
                filter.down(level, from, &mut column[cells]);
            });
        });
    }

    /// Turns rows into columns: tiles that lay one below the other now lie beside each other.
    fn transpose_to_other(&mut self, level: Level) {
        let [cols, rows] = self.size;
        let (from, reached) = (&self.other, &self.reached);
        band::for_each_chunk(&mut self.field, CELLS, |at, to| {
            let (row, col) = (at / cols, at % cols);
            if reached[row * cols + col] {
                transpose(level, &from[(col * rows + row) * CELLS..][..CELLS], to);
            }
        });
    }

    fn filter_across(&mut self, level: Level, filter: &Cosine) {
        let [cols, _] = self.size;
        let (field, reached) = (&self.field, &self.reached);
        band::for_each_chunk(&mut self.other, cols * CELLS, |row, line| {
            let is_reached = |col: usize| reached[row * cols + col];
            runs(cols, is_reached, |run| {
                let cells = run.start * CELLS..run.end * CELLS;
                let from = &field[row * cols * CELLS..][cells.clone()];
                filter.down(level, from, &mut line[cells]);
            });
        });
    }

    /// Writes what came out onto a grid; cells that nothing reached become 0.
    pub(super) fn write(&self, level: Level, grid: &mut Grid2<f32>) {
        let [cols, _] = self.size;
        let (margin, wide) = (self.margin, grid.cols());
        let (other, reached) = (&self.other, &self.reached);
        let rows = grid.rows();
        // Tile after tile, each turned back.
        band::for_each_chunk(grid.values_mut(), SIDE * wide, |strip, cells| {
            let high = cells.len() / wide;
            let from_row = strip * SIDE;
            debug_assert!(from_row + high <= rows);
            let mut turned = [0.0; CELLS];
            for tile_row in (from_row + margin) / SIDE..=(from_row + high - 1 + margin) / SIDE {
                let r0 = (tile_row * SIDE).saturating_sub(margin).max(from_row);
                let r1 = ((tile_row + 1) * SIDE - margin).min(from_row + high);
                for tile_col in margin / SIDE..=(wide - 1 + margin) / SIDE {
                    let c0 = (tile_col * SIDE).saturating_sub(margin);
                    let c1 = ((tile_col + 1) * SIDE - margin).min(wide);
                    let is_reached = reached[tile_row * cols + tile_col];
                    if is_reached {
                        let at = (tile_row * cols + tile_col) * CELLS;
                        transpose(level, &other[at..at + CELLS], &mut turned);
                    }
                    for r in r0..r1 {
                        let to = &mut cells[(r - from_row) * wide..][c0..c1];
                        if is_reached {
                            let from = (r + margin) % SIDE * SIDE + (c0 + margin) % SIDE;
                            to.copy_from_slice(&turned[from..from + to.len()]);
                        } else {
                            to.fill(0.0);
                        }
                    }
                }
            }
        });
    }

    /// Whether any cell of a row of the grid was reached, between which columns.
    pub(super) fn reached_in(&self, row: usize, wide: usize) -> Range<usize> {
        let [cols, _] = self.size;
        let line = &self.reached[(row + self.margin) / SIDE * cols..][..cols];
        let first = line.iter().position(|&reached| reached);
        let last = line.iter().rposition(|&reached| reached);
        match (first, last) {
            (Some(first), Some(last)) => {
                let from = (first * SIDE).saturating_sub(self.margin).min(wide);
                from..((last + 1) * SIDE).saturating_sub(self.margin).clamp(from, wide)
            }
            _ => 0..0,
        }
    }
}

/// Calls `each` for every run of indices for which something holds.
fn runs(count: usize, holds: impl Fn(usize) -> bool, mut each: impl FnMut(Range<usize>)) {
    let mut start = 0;
    while start < count {
        if !holds(start) {
            start += 1;
            continue;
        }
        let end = (start..count).find(|&i| !holds(i)).unwrap_or(count);
        each(start..end);
        start = end;
    }
}

fn transpose(level: Level, from: &[f32], to: &mut [f32]) {
    dispatch!(level, _simd => transpose_blocks(from, to));
}

/// Block by block, each as a whole: eight rows are read, eight written.
#[inline(always)]
fn transpose_blocks(from: &[f32], to: &mut [f32]) {
    const BLOCK: usize = 8;
    for row in (0..SIDE).step_by(BLOCK) {
        for col in (0..SIDE).step_by(BLOCK) {
            let mut block = [[0.0_f32; BLOCK]; BLOCK];
            for (r, line) in block.iter_mut().enumerate() {
                line.copy_from_slice(&from[(row + r) * SIDE + col..][..BLOCK]);
            }
            for c in 0..BLOCK {
                let turned: [f32; BLOCK] = std::array::from_fn(|r| block[r][c]);
                to[(col + c) * SIDE + row..][..BLOCK].copy_from_slice(&turned);
            }
        }
    }
}
