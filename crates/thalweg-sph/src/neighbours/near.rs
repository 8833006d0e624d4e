//! What is within reach of a cluster.

use super::cells::COUNT;
use super::cluster::{Kind, even, load};
use super::lists::{COUNTED, FIRST, Lists};
use super::{ABREAST, BESIDE, CELLS, FINER, KINDS, LANES, Neighbours, ROWS, SLACK};
use crate::particles::Particles;
use fearless_simd::{Simd, f32x8, i32x8, prelude::*};
use std::ops::Range;

/// Cells of a row that are looked at and the end of the last, and more: a power of two.
const ROW: usize = (ABREAST + 1).next_power_of_two();

/// First particle of each cell of a segment and beside it, and behind them of the next; whatever a number's lower bits say is inside.
type Row = [u32; ROW];

/// What lies around a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// Rows of each kind.
    bounds: [[Row; ROWS]; KINDS],
    /// Whether there is anything of each kind.
    any: [bool; KINDS],
    /// First of those cells, counted along x from the origin.
    first: i32,
    /// Lower side of the segment's row along y and z `[m]`.
    floor: [f32; 2],
}

impl Default for Around {
    fn default() -> Self {
        let bounds = [[[0; ROW]; ROWS]; KINDS];
        Self { bounds, any: [false; KINDS], first: 0, floor: [0.0; 2] }
    }
}

/// For each row around a segment, the first of its cells that particles reach, and the one behind the last.
struct Stretches {
    from: [i32; ROWS],
    to: [i32; ROWS],
}

/// Where the particles of a cluster are `[m]`, the first in the lanes that do not count too; and the box around them.
struct Members<S: Simd> {
    place: [f32x8<S>; 3],
    low: [f32; 3],
    high: [f32; 3],
}

/// The spheres around the particles of a cluster, to tell what is in any of them: |a − b|² < h² is |a|² + min (|b|² − 2 a·b) < h².
struct Spheres<S: Simd> {
    /// What places are counted from `[m]`.
    middle: [f32; 3],
    /// For each particle, −2 b and |b|², in all lanes.
    each: [[f32x8<S>; 4]; LANES],
    /// h² `[m²]`.
    square: f32,
}

impl<S: Simd> Members<S> {
    #[inline(always)]
    fn of(simd: S, particles: &Particles, cluster: &Range<usize>) -> Self {
        let counts = f32x8::from_slice(simd, &COUNT[cluster.len()]).simd_gt(f32x8::splat(simd, 0.0));
        let mut members = Self { place: [f32x8::splat(simd, 0.0); 3], low: [0.0; 3], high: [0.0; 3] };
        for axis in 0..3 {
            let column = &particles.position[axis][cluster.start..cluster.start + LANES];
            let place = counts.select(f32x8::from_slice(simd, column), f32x8::splat(simd, column[0]));
            members.place[axis] = place;
            (members.low[axis], members.high[axis]) = (place.reduce_min(), place.reduce_max());
        }
        members
    }
}

impl<S: Simd> Spheres<S> {
    #[inline(always)]
    fn around(simd: S, members: &Members<S>, h: f32) -> Self {
        let mut middle = [0.0; 3];
        let mut parts = [[0.0; LANES]; 4];
        let mut square = f32x8::splat(simd, 0.0);
        for axis in 0..3 {
            middle[axis] = 0.5 * (members.low[axis] + members.high[axis]);
            let way = members.place[axis] - middle[axis];
            square = way.mul_add(way, square);
            (way * -2.0).store_slice(&mut parts[axis]);
        }
        square.store_slice(&mut parts[3]);
        let mut each = [[square; 4]; LANES];
        for (k, sphere) in each.iter_mut().enumerate() {
            for (sphere, part) in sphere.iter_mut().zip(&parts) {
                *sphere = f32x8::splat(simd, part[k]);
            }
        }
        let reach = h * (1.0 + SLACK);
        Self { middle, each, square: reach * reach }
    }

    /// Which particles of a vector are in any of them, a bit for each.
    #[inline(always)]
    fn hold(&self, simd: S, place: [&[f32]; 3], vector: u32) -> u8 {
        let (at, count) = ((vector & FIRST) as usize, vector >> COUNTED);
        let x = load(simd, place[0], at) - self.middle[0];
        let y = load(simd, place[1], at) - self.middle[1];
        let z = load(simd, place[2], at) - self.middle[2];
        let mut least = f32x8::splat(simd, self.square);
        for [a, b, c, square] in &self.each {
            least = least.min(z.mul_add(*c, y.mul_add(*b, x.mul_add(*a, *square))));
        }
        let rr = z.mul_add(z, y.mul_add(y, x.mul_add(x, least)));
        let within = rr.simd_lt(f32x8::splat(simd, self.square)).to_bitmask() as u32;
        (within & ((1 << count) - 1)) as u8
    }
}

impl Neighbours {
    /// Kind of the particles of an occupied segment.
    #[inline(always)]
    pub(super) fn kind_of(&self, segment: u32) -> Kind {
        if segment / self.size[0] % KINDS as u32 == Kind::Fluid as u32 { Kind::Fluid } else { Kind::Boundary }
    }

    /// Clusters of an occupied segment: the first particle of each, and how many there are, evenly.
    #[inline(always)]
    pub(super) fn clusters_of(&self, segment: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let (first, end) = (self.first_of(segment), self.first_of(segment + 1));
        let count = end - first;
        let clusters = count.div_ceil(LANES);
        (0..clusters).map(move |k| first + k * count / clusters..first + (k + 1) * count / clusters)
    }

    /// Finds what of some kinds lies around a segment.
    #[inline(always)]
    pub(super) fn find_around(&self, segment: u32, among: &[Kind], around: &mut Around) {
        let [width, depth] = [self.size[0] as i32, self.size[1] as i32];
        let row = segment / self.size[0] / KINDS as u32;
        let floor = |axis: usize, row: u32| self.origin[axis] + row as f32 * self.h;
        around.floor = [floor(1, row % self.size[1]), floor(2, row / self.size[1])];
        let along = (segment % self.size[0]) as i32;
        around.first = along * CELLS as i32 - BESIDE as i32;
        around.any = [false; KINDS];
        for &kind in among {
            for (i, bounds) in around.bounds[kind as usize].iter_mut().enumerate() {
                let (dy, dz) = (i as i32 % 3 - 1, i as i32 / 3 - 1);
                let row = (row as i32 + dz * depth + dy) * KINDS as i32 + kind as i32;
                self.find_bounds((row * width + along - 1) as u32, bounds);
                around.any[kind as usize] |= bounds[0] != bounds[ABREAST];
            }
        }
    }

    /// First particles of the cells of the second of three segments in a row, and of those beside it.
    #[inline(always)]
    fn find_bounds(&self, segment: u32, bounds: &mut Row) {
        let (there, rank) = self.rank(segment);
        let mut at = rank as usize * CELLS;
        let mut from = 0;
        for (k, cells) in [CELLS - BESIDE..CELLS, 0..CELLS, 0..BESIDE + 1].into_iter().enumerate() {
            let bounds = &mut bounds[from..from + cells.len()];
            from += cells.len();
            if there >> k & 1 == 1 {
                bounds.copy_from_slice(&self.starts[at + cells.start..at + cells.end]);
                at += CELLS;
            } else {
                bounds.fill(self.starts[at]);
            }
        }
    }

    /// Finds the vectors around a cluster, and who of them is within reach.
    #[inline(always)]
    pub(super) fn find_near<S: Simd>(
        &self,
        simd: S,
        particles: &Particles,
        cluster: &Range<usize>,
        around: &Around,
        lists: &mut Lists,
    ) {
        let members = Members::of(simd, particles, cluster);
        let stretches = self.find_stretches(simd, &members, around);
        (lists.count, lists.row_count) = (0, 0);
        for (kind, bounds) in around.bounds.iter().enumerate() {
            if around.any[kind] {
                stretches.list(simd, bounds, lists);
            }
            if kind == Kind::Fluid as usize {
                (lists.wet_count, lists.wet_row_count) = (lists.count, lists.row_count);
            }
        }
        let [x, y, z] = &particles.position;
        let place = even([x, y, z]);
        let spheres = Spheres::around(simd, &members, self.h);
        for (bits, &vector) in lists.bits.iter_mut().zip(&lists.vectors[..lists.count]) {
            *bits = spheres.hold(simd, place, vector);
        }
    }

    /// Trims the rows around a segment to the chords of the spheres around a box in it.
    #[inline(always)]
    fn find_stretches<S: Simd>(&self, simd: S, members: &Members<S>, around: &Around) -> Stretches {
        let Members { low, high, .. } = members;
        let h = self.h;
        let reach = h * (1.0 + SLACK);
        // Distance to the rows below and above that of the particles, along y and z.
        let side = |axis: usize| {
            let floor = around.floor[axis - 1];
            [(low[axis] - floor - SLACK * h).max(0.0), (floor + h - high[axis] - SLACK * h).max(0.0)]
        };
        let (y, z) = (side(1), side(2));
        let yy = f32x8::from_slice(simd, &[y[0], 0.0, y[1], y[0], y[1], y[0], 0.0, y[1]]);
        let zz = f32x8::from_slice(simd, &[z[0], z[0], z[0], 0.0, 0.0, z[1], z[1], z[1]]);
        let left = f32x8::splat(simd, reach * reach) - (yy * yy + zz * zz);
        let chord = left.max(f32x8::splat(simd, 0.0)).sqrt();
        let scale = FINER / h;
        let cells = |x: f32x8<S>| ((x - self.origin[0]) * scale).to_int::<i32x8<S>>() - around.first;
        let from = cells(low[0] - chord).max(i32x8::splat(simd, 0));
        let to = cells(chord + high[0]).min(i32x8::splat(simd, ABREAST as i32 - 1)) + 1;
        let to = left.simd_gt(f32x8::splat(simd, 0.0)).select(to, from);
        // The row of the particles themselves comes in between.
        let mut stretches = Stretches { from: [0; ROWS], to: [0; ROWS] };
        let Stretches { from: begins, to: ends } = &mut stretches;
        from.store_slice(&mut begins[..LANES]);
        to.store_slice(&mut ends[..LANES]);
        begins.copy_within(4..8, 5);
        ends.copy_within(4..8, 5);
        begins[4] = (self.along(low[0] - reach) - around.first).max(0);
        ends[4] = (self.along(high[0] + reach) - around.first).min(ABREAST as i32 - 1) + 1;
        stretches
    }
}

impl Stretches {
    /// Adds the vectors of all rows of a kind to those that are there.
    #[inline(always)]
    fn list<S: Simd>(&self, simd: S, rows: &[Row; ROWS], lists: &mut Lists) {
        let mut spans = [[0; 2]; ROWS];
        let mut longest = 0;
        for (k, [at, end]) in spans.iter_mut().enumerate() {
            *at = rows[k][self.from[k] as usize % rows[k].len()];
            *end = rows[k][self.to[k] as usize % rows[k].len()];
            longest = longest.max(*end - *at);
        }
        if longest <= (LANES * LANES) as u32 {
            lists.add(simd, &spans);
        } else {
            spans.iter().for_each(|&[at, end]| lists.add_crowd(at..end));
        }
    }
}
