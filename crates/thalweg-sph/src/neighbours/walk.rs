//! The walk over every particle with its neighbours.

use super::cells::for_each_segments;
use super::group::{COUNTED, Group, Kind, Visitor};
use super::kept::{EVERY, Kept};
use super::{ABREAST, CELLS, FINER, LANES, Neighbours, ROWS, SLACK, TOGETHER};
use crate::particles::{BOUNDARY, Particles};
use fearless_simd::{Level, Simd, dispatch, f32x8, i32x8, prelude::*, u32x8};
use std::cell::Cell;
use std::ops::Range;

/// Shortest squared distance, over h² `[-]`: terms divide by the distance, also by that of a particle to itself.
const CLOSEST: f32 = 1.0e-12;

thread_local! {
    /// The list of one group's vectors; kept, so that a step allocates nothing.
    static LIST: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

/// What lies around a segment.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    /// Of each row, the first particle of each cell, and behind them of the next; whatever a number's lower five bits
    /// say is inside.
    bounds: [[u32; 32]; ROWS],
    /// First of those cells, counted along x from the origin.
    first: i32,
    /// Lower side of the segment's row along y and z `[m]`.
    floor: [f32; 2],
}

/// For each row around a segment, the first of its cells that particles reach, and the one behind the last.
struct Stretches {
    from: [i32; ROWS],
    to: [i32; ROWS],
}

/// A walk under way.
struct Walk<'a, V> {
    neighbours: &'a Neighbours,
    particles: &'a Particles,
    kept: Option<&'a Kept>,
    visitor: &'a V,
}

impl Neighbours {
    /// Walks over all particles of the visitor's kind with their neighbours.
    pub fn walk<V: Visitor>(&self, particles: &Particles, visitor: &V, out: V::Out) {
        Walk { neighbours: self, particles, kept: None, visitor }.go(out);
    }

    /// Walks over all particles of the fluid with the neighbours that another walk has kept.
    pub fn walk_kept<V: Visitor>(&self, particles: &Particles, kept: &Kept, visitor: &V, out: V::Out) {
        Walk { neighbours: self, particles, kept: Some(kept), visitor }.go(out);
    }

    /// Smallest squared distances, for [`Group::floors`].
    fn floors(&self) -> [[f32; LANES]; 2 * LANES] {
        let tiny = CLOSEST * self.h * self.h;
        std::array::from_fn(|lanes| {
            std::array::from_fn(|lane| if lane < lanes { tiny } else { f32::INFINITY })
        })
    }

    /// Finds what lies around a segment.
    #[inline(always)]
    fn find_around(&self, segment: u32, around: &mut Around) {
        let row = segment / self.size[0];
        let floor = |axis: usize, row: u32| self.origin[axis] + row as f32 * self.h;
        around.floor = [floor(1, row % self.size[1]), floor(2, row / self.size[1])];
        around.first = ((segment % self.size[0]) as i32 - 1) * CELLS as i32;
        for (i, bounds) in around.bounds.iter_mut().enumerate() {
            let (dy, dz) = (i as i32 % 3 - 1, i as i32 / 3 - 1);
            let middle = segment as i32 + (dz * self.size[1] as i32 + dy) * self.size[0] as i32;
            let (mut there, mut rank) = self.rank((middle - 1) as u32);
            for k in 0..3 {
                if k > 0 {
                    rank += u32::from(there);
                    there = self.rank((middle - 1 + k as i32) as u32).0;
                }
                let at = rank as usize * CELLS;
                if there {
                    bounds[k * CELLS..(k + 1) * CELLS].copy_from_slice(&self.starts[at..at + CELLS]);
                } else {
                    bounds[k * CELLS..(k + 1) * CELLS].fill(self.starts[at]);
                }
            }
            bounds[ABREAST] = self.starts[(rank + u32::from(there)) as usize * CELLS];
        }
    }

    /// Lists the vectors within reach of a few particles of one segment; returns how many there are.
    #[inline(always)]
    fn list_vectors<S: Simd>(
        &self,
        simd: S,
        particles: &Particles,
        slots: &[usize; TOGETHER],
        around: &Around,
        list: &mut Vec<u32>,
    ) -> usize {
        let stretches = self.find_stretches(simd, particles, slots, around);
        // Eight vectors are written whether they are there or not: that is faster than to ask.
        let ahead = u32x8::from_slice(simd, &[0, 8, 16, 24, 32, 40, 48, 56]);
        let all = u32x8::splat(simd, LANES as u32);
        if list.len() < ROWS * LANES {
            list.resize(ROWS * LANES, 0);
        }
        let mut length = 0;
        for row in 0..ROWS {
            let bounds = &around.bounds[row];
            let (mut at, end) =
                (bounds[stretches.from[row] as usize % 32], bounds[stretches.to[row] as usize % 32]);
            loop {
                let starts = ahead + at;
                let lanes = (u32x8::splat(simd, end) - starts).min(all);
                (starts | (lanes << COUNTED)).store_slice(&mut list[length..length + LANES]);
                let count = (end - at).div_ceil(LANES as u32) as usize;
                if count <= LANES {
                    length += count;
                    break;
                }
                // Crowded: room for what comes after these eight, and for all other rows.
                length += LANES;
                at += (LANES * LANES) as u32;
                list.resize(list.len().max(length + ROWS * LANES), 0);
            }
        }
        length
    }

    /// Trims the rows around a segment to the chords of the spheres around a few of its particles.
    #[inline(always)]
    fn find_stretches<S: Simd>(
        &self,
        simd: S,
        particles: &Particles,
        slots: &[usize; TOGETHER],
        around: &Around,
    ) -> Stretches {
        let h = self.h;
        let reach = h * (1.0 + SLACK);
        let mut low = [f32::INFINITY; 3];
        let mut high = [f32::NEG_INFINITY; 3];
        for &slot in slots {
            for axis in 0..3 {
                let value = particles.position[axis][slot];
                low[axis] = low[axis].min(value);
                high[axis] = high[axis].max(value);
            }
        }
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

impl<V: Visitor> Walk<'_, V> {
    fn go(&self, out: V::Out) {
        let level = Level::new();
        for_each_segments(self.neighbours, out, &|range, first, out: V::Out| {
            dispatch!(level, simd => self.go_over(simd, range, first, out));
        });
    }

    /// The inner part, compiled for each kind of vectors; `out` begins with the particle `first`.
    #[inline(always)]
    fn go_over<S: Simd>(&self, simd: S, range: Range<usize>, first: usize, mut out: V::Out) {
        let Self { neighbours, particles, kept, visitor } = *self;
        let mut list = LIST.take();
        let floors = neighbours.floors();
        let mut around = Around::default();
        for segment in range {
            let (mut at, to) = (neighbours.first_of(segment), neighbours.first_of(segment + 1));
            let mut around_is_known = false;
            loop {
                let (slots, count) = self.next_few(&mut at, to);
                if count == 0 {
                    break;
                }
                if !around_is_known {
                    neighbours.find_around(neighbours.segments[segment], &mut around);
                    around_is_known = true;
                }
                let length = neighbours.list_vectors(simd, particles, &slots, &around, &mut list);
                let reached = match kept {
                    Some(kept) => [kept.reached[slots[0]], kept.reached[slots[1]]],
                    None => [EVERY; TOGETHER],
                };
                let group = Group { slots, count, list: &list[..length], reached, floors: &floors };
                visitor.group(simd, &group, first, &mut out);
            }
        }
        LIST.set(list);
    }

    /// The next few particles of the right kind from `at` on, before `to`; the last is repeated where there are fewer.
    #[inline(always)]
    fn next_few(&self, at: &mut usize, to: usize) -> ([usize; TOGETHER], usize) {
        let wanted = match V::KIND {
            Kind::Fluid => 0,
            Kind::Boundary => BOUNDARY,
        };
        let mut slots = [0; TOGETHER];
        let mut count = 0;
        while *at < to && count < TOGETHER {
            if self.particles.tag[*at] & BOUNDARY == wanted {
                slots[count] = *at;
                count += 1;
            }
            *at += 1;
        }
        if count > 0 {
            for k in count..TOGETHER {
                slots[k] = slots[count - 1];
            }
        }
        (slots, count)
    }
}
