//! Patches of the bed, each with boundary particles of its own: triangles; or, where those are smaller than the distance
//! between particles, squares of cells.

use super::bed::{Bed, Triangle};
use crate::boundary::steps;

/// A patch has the number of its first triangle.
pub type Patch = u32;

/// How the bed is cut into patches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patches {
    /// Distance between boundary particles `[m]`.
    spacing: f64,
    /// Cells along a square; none if patches are triangles.
    side: usize,
}

/// A square of cells: those from, those to, east and north.
type Square = [[usize; 2]; 2];

impl Patches {
    /// For boundary particles that far apart `[m]`.
    pub fn new(bed: &Bed, spacing: f64) -> Self {
        let small = steps(bed.cell, spacing) == 1;
        // Rounding must not turn a spacing of three cells into one of two.
        let cells = (spacing / bed.cell * (1.0 + 1.0e-9)) as usize;
        Self { spacing, side: if small { cells.max(1) } else { 0 } }
    }

    /// Cells along a patch.
    pub fn side(&self) -> usize {
        self.side.max(1)
    }

    /// The patches within a rectangle of cells, which begins with a patch: from, to; east and north.
    pub fn within(&self, bed: &Bed, [[west, east], [south, north]]: Square) -> impl Iterator<Item = Patch> {
        let (side, wide) = (self.side(), bed.cells()[0]);
        let first = move |i: usize, j: usize| 2 * (j * wide + i) as u32;
        let squares = (south..north)
            .step_by(side)
            .flat_map(move |j| (west..east).step_by(side).map(move |i| first(i, j)));
        let triangles = if self.side == 0 { 2 } else { 1 };
        squares.flat_map(move |first| first..first + triangles)
    }

    /// The triangles of a patch.
    pub fn triangles(&self, bed: &Bed, patch: Patch) -> impl Iterator<Item = Triangle> {
        let [[west, east], [south, north]] = self.square(bed, patch);
        let (whole, wide) = (self.side > 0, bed.cells()[0]);
        let cells = (south..north).flat_map(move |j| (west..east).map(move |i| 2 * (j * wide + i) as u32));
        cells.flat_map(move |first| if whole { first..first + 2 } else { patch..patch + 1 })
    }

    fn square(&self, bed: &Bed, patch: Patch) -> Square {
        let cells = bed.cells();
        let cell = patch as usize / 2;
        let at = [cell % cells[0], cell / cells[0]];
        std::array::from_fn(|axis| [at[axis], (at[axis] + self.side()).min(cells[axis])])
    }

    /// Unit normal of a patch, upwards.
    #[inline(always)]
    pub fn normal(&self, bed: &Bed, patch: Patch) -> [f32; 3] {
        if self.side == 0 {
            return bed.normal(patch);
        }
        let ([sx, sy], _) = self.plane(bed, patch);
        let per = 1.0 / (1.0 + sx * sx + sy * sy).sqrt();
        [-sx * per, -sy * per, per]
    }

    /// Area of a patch as it lies in space, for each of its boundary particles `[m²]`.
    #[inline(always)]
    pub fn area_each(&self, bed: &Bed, patch: Patch) -> f32 {
        let count = self.samples(bed, patch) as f32;
        if self.side == 0 {
            return bed.slanted_area(patch) / count;
        }
        let ([sx, sy], [wide, deep]) = self.plane(bed, patch);
        wide * deep * (1.0 + sx * sx + sy * sy).sqrt() / count
    }

    /// Mean of a value over the vertices of a patch.
    #[inline(always)]
    pub fn mean_of(&self, bed: &Bed, values: &[f32], patch: Patch) -> f32 {
        if self.side == 0 {
            return bed.mean_of(values, patch);
        }
        let [[west, east], [south, north]] = self.square(bed, patch);
        let row = |j: usize| &values[j * bed.size[0] + west..=j * bed.size[0] + east];
        let sum: f32 = (south..=north).flat_map(row).sum();
        sum / ((east - west + 1) * (north - south + 1)) as f32
    }

    /// Slope of a square to the east and to the north `[-]`, from its corners, and how wide it is along both `[m]`.
    fn plane(&self, bed: &Bed, patch: Patch) -> ([f32; 2], [f32; 2]) {
        let [[west, east], [south, north]] = self.square(bed, patch);
        let height = |i: usize, j: usize| bed.heights()[j * bed.size[0] + i];
        let [a, b, c, d] =
            [height(west, south), height(east, south), height(west, north), height(east, north)];
        let cell = bed.cell as f32;
        let [wide, deep] = [(east - west) as f32 * cell, (north - south) as f32 * cell];
        ([(b + d - a - c) / (2.0 * wide), (c + d - a - b) / (2.0 * deep)], [wide, deep])
    }

    /// Scan lines along both sides of a square (Kataev 2022, 4.6.3). The two triangles of a cell share theirs: were each
    /// sampled by itself, the bed would be bumpy, and water on it as slow as on a rough one.
    fn lines(&self, bed: &Bed, patch: Patch) -> [usize; 2] {
        let (slope, wide) = self.plane(bed, patch);
        std::array::from_fn(|axis| {
            steps(f64::from(wide[axis] * (1.0 + slope[axis] * slope[axis]).sqrt()), self.spacing)
        })
    }

    /// Where scan lines cross on a patch.
    fn crossings(&self, [columns, rows]: [usize; 2], patch: Patch) -> impl Iterator<Item = [usize; 2]> {
        let upper = patch % 2 == 1;
        let whole = self.side > 0;
        let on_piece = move |&[i, j]: &[usize; 2]| {
            let (here, diagonal) = ((2 * i + 1) * rows + (2 * j + 1) * columns, 2 * columns * rows);
            // Crossings on the diagonal belong to one triangle and the other in turn.
            whole || upper == if here == diagonal { i % 2 == 1 } else { here > diagonal }
        };
        (0..rows).flat_map(move |j| (0..columns).map(move |i| [i, j])).filter(on_piece)
    }

    /// Calls `put` for points on a patch that are about the spacing apart.
    pub fn sample(&self, bed: &Bed, patch: Patch, mut put: impl FnMut([f64; 3])) {
        let square = self.square(bed, patch);
        let lines = self.lines(bed, patch);
        let along = |axis: usize, n: usize| {
            let [from, to] = square[axis].map(|cells| cells as f64);
            bed.cell * (0.5 + from + (n as f64 + 0.5) * (to - from) / lines[axis] as f64)
        };
        for [i, j] in self.crossings(lines, patch) {
            let (x, y) = (along(0, i), along(1, j));
            put([x, y, f64::from(bed.below(x as f32, y as f32).1)]);
        }
    }

    /// How many points [`Self::sample`] puts on a patch at most, found without counting them.
    pub fn most_samples(&self, bed: &Bed, patch: Patch) -> f64 {
        let [columns, rows] = self.lines(bed, patch).map(|lines| lines as f64);
        if self.side > 0 { columns * rows } else { 0.5 * (columns * rows + columns.min(rows)).ceil() }
    }

    /// How many points [`Self::sample`] puts on a patch.
    fn samples(&self, bed: &Bed, patch: Patch) -> usize {
        self.crossings(self.lines(bed, patch), patch).count()
    }
}
