//! The flow along the bed, column by column of water: see [`crate::law_of_wall`].

use super::bed::Bed;
use crate::law_of_wall::{Few, Flow, LEAST_SPACINGS, Sum, Wall};
use crate::params::Params;
use fearless_simd::{Level, Simd, dispatch, f32x8, i32x8, prelude::*, u32x8};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thalweg_field::band;
use thalweg_sph::neighbours::{LANES, load};
use thalweg_sph::{BOUNDARY, Fluid, Particles};

/// Columns that are emptied and read together.
const RUN: usize = 256;
/// Particles that are looked at together.
const PART: usize = 1024;
/// Columns that particles in memory order go to and fro between: two to the east by two to the north, with two to spare each.
const OPEN: usize = 16;

/// What was found for a column and is not added to it yet: the sums of columns are shared by threads, and slow to add to.
#[derive(Clone, Copy, Default)]
struct Open {
    column: usize,
    /// Nothing, if it is empty.
    few: Option<Few>,
}

/// The flow along the bed.
#[derive(Debug, Default)]
pub(crate) struct BedFlow {
    /// Side of a column and height of the mean `[m]`.
    side: f32,
    height: f32,
    wall: Wall,
    /// Columns to the east and to the north, and where the first begins `[m]`.
    count: [usize; 2],
    corner: f32,
    sums: Vec<Sum>,
    flows: Vec<Flow>,
    /// Above this no particle of a column is low enough to count `[m]`; infinite where it is not known.
    tops: Vec<f32>,
    /// Which runs of columns have water.
    used: Vec<AtomicBool>,
}

/// Who of eight particles is low enough to count.
struct Low<S: Simd> {
    /// A bit for each.
    bits: u32,
    /// The column of each, and which of the open ones it may be.
    column: [i32; LANES],
    slot: i32x8<S>,
    /// How high they are above the ground `[m]`, and its normals.
    above: f32x8<S>,
    normal: [f32x8<S>; 3],
}

impl<S: Simd> Low<S> {
    /// The lanes of those, among the first.
    #[inline(always)]
    fn lanes(&self, count: usize) -> impl Iterator<Item = usize> + use<S> {
        let bits = self.bits & ((1 << count.min(LANES)) - 1);
        (0..LANES).filter(move |lane| bits >> lane & 1 == 1)
    }
}

impl BedFlow {
    /// Bytes for each vertex of the bed, at most.
    pub(crate) const BYTES: u64 = (size_of::<Sum>() + size_of::<Flow>() + size_of::<f32>() + 1) as u64;

    /// No water yet.
    pub(crate) fn new(bed: &Bed, params: &Params) -> Self {
        let cells = (LEAST_SPACINGS * params.fluid.spacing / bed.cell - 1.0e-6).ceil().max(1.0);
        let count = bed.cells().map(|n| n.div_ceil(cells as usize));
        let columns = count[0] * count[1];
        let mut flow = Self {
            side: (cells * bed.cell) as f32,
            count,
            corner: (0.5 * bed.cell) as f32,
            sums: std::iter::repeat_with(Sum::default).take(columns).collect(),
            flows: vec![Flow::default(); columns],
            tops: vec![f32::INFINITY; columns],
            used: std::iter::repeat_with(AtomicBool::default).take(columns.div_ceil(RUN)).collect(),
            ..Self::default()
        };
        flow.set_params(params);
        flow
    }

    /// Takes other parameters from now on.
    pub(crate) fn set_params(&mut self, params: &Params) {
        self.wall = Wall::of(params);
        self.height = self.wall.height as f32;
    }

    /// The column above a place; places beyond the edge count as on it.
    #[inline(always)]
    fn column(&self, x: f32, y: f32) -> usize {
        // By way of 32 bits, which is quicker.
        let index =
            |v: f32, count: usize| (((v - self.corner) / self.side).max(0.0) as u32 as usize).min(count - 1);
        index(y, self.count[1]) * self.count[0] + index(x, self.count[0])
    }

    /// The flow above a place.
    #[inline(always)]
    pub(crate) fn at(&self, x: f32, y: f32) -> Flow {
        self.flows[self.column(x, y)]
    }

    /// Looks at the sorted particles of a fluid.
    pub(crate) fn measure(&mut self, bed: &Bed, fluid: &Fluid) {
        if self.wall.roughness <= 0.0 {
            self.forget();
            return;
        }
        self.find_tops(bed);
        self.forget();
        let particles = fluid.sorted();
        let level = Level::new();
        let add = |range: Range<usize>| {
            let mut open = [Open::default(); OPEN];
            dispatch!(level, simd => self.add(simd, bed, particles, range, &mut open));
            open.iter().for_each(|open| self.close(open));
        };
        band::measure(0..particles.len(), PART, &add, &|(), ()| ());
        let Self { sums, used, wall, .. } = self;
        band::for_each_chunk(&mut self.flows, RUN, |run, flows| {
            if used[run].load(Relaxed) {
                let sums = &sums[run * RUN..];
                flows.iter_mut().zip(sums).for_each(|(flow, sum)| *flow = sum.flow(*wall));
            }
        });
    }

    /// Finds how high water counts, in the runs of columns that had some when they were last looked at.
    fn find_tops(&mut self, bed: &Bed) {
        let mut tops = std::mem::take(&mut self.tops);
        band::for_each_chunk(&mut tops, RUN, |run, tops| {
            if self.used[run].load(Relaxed) {
                tops.iter_mut().enumerate().for_each(|(k, top)| *top = self.top(bed, run * RUN + k));
            } else if tops[0].is_finite() {
                tops.fill(f32::INFINITY);
            }
        });
        self.tops = tops;
    }

    /// The highest place above the triangles of a column that is as far from one of them as the mean is high.
    fn top(&self, bed: &Bed, column: usize) -> f32 {
        let [cols, rows] = bed.cells();
        let wide = (self.side / bed.cell as f32).round() as usize;
        let range = |n: usize, end: usize| n * wide..((n + 1) * wide).min(end);
        let mut top = f32::NEG_INFINITY;
        for j in range(column / self.count[0], rows) {
            for i in range(column % self.count[0], cols) {
                let first = 2 * (j * cols + i) as u32;
                for triangle in [first, first + 1] {
                    let ground = bed.corners(triangle).map(|vertex| bed.heights()[vertex]);
                    let ground = ground[0].max(ground[1]).max(ground[2]);
                    top = top.max(ground + self.height / bed.normal(triangle)[2]);
                }
            }
        }
        // A little more, for rounding.
        top + 1.0e-3 * self.height
    }

    /// Empties the columns.
    fn forget(&mut self) {
        for (run, used) in self.used.iter_mut().enumerate() {
            if std::mem::take(used.get_mut()) {
                let columns = run * RUN..((run + 1) * RUN).min(self.sums.len());
                self.sums[columns.clone()].fill_with(Sum::default);
                self.flows[columns].fill(Flow::default());
            }
        }
    }

    /// Who of eight particles is low enough for its column; nothing, if none is.
    #[inline(always)]
    fn low<S: Simd>(&self, simd: S, bed: &Bed, [x, y, z]: [f32x8<S>; 3], tag: &[u32]) -> Option<Low<S>> {
        let index = |place: f32x8<S>, count: usize| {
            let cell = ((place - self.corner) / self.side).max(f32x8::splat(simd, 0.0));
            cell.min(f32x8::splat(simd, (count - 1) as f32)).to_int::<i32x8<S>>()
        };
        let (east, north) = (index(x, self.count[0]), index(y, self.count[1]));
        let mut column = [0; LANES];
        (north * self.count[0] as i32 + east).store_slice(&mut column);
        let tops = column.map(|column| self.tops[column as usize]);
        let fluid = u32x8::from_slice(simd, tag).simd_lt(u32x8::splat(simd, BOUNDARY));
        let near = z.simd_le(f32x8::from_slice(simd, &tops)) & fluid;
        if near.to_bitmask() == 0 {
            return None;
        }
        let (ground, normal) = bed.feet(simd, x, y);
        let above = (z - ground) * normal[2];
        let low = near & above.simd_le(f32x8::splat(simd, self.height));
        let slot = (north & 3) * 4 + (east & 3);
        Some(Low { bits: low.to_bitmask() as u32, column, slot, above, normal })
    }

    /// Adds the particles that are low enough to their columns.
    #[inline(always)]
    fn add<S: Simd>(
        &self,
        simd: S,
        bed: &Bed,
        particles: &Particles,
        range: Range<usize>,
        open: &mut [Open; OPEN],
    ) {
        let Particles { position: [x, y, z], velocity: [u, v, w], tag, .. } = particles;
        for at in range.clone().step_by(LANES) {
            let place = [load(simd, x, at), load(simd, y, at), load(simd, z, at)];
            let Some(found) = self.low(simd, bed, place, &tag[at..at + LANES]) else { continue };
            let mut above = [0.0; LANES];
            found.above.store_slice(&mut above);
            let mut slot = [0; LANES];
            found.slot.store_slice(&mut slot);
            for k in found.lanes(range.end - at) {
                let column = found.column[k] as usize;
                let open = &mut open[slot[k] as usize % OPEN];
                if open.column != column {
                    self.close(open);
                    *open = Open { column, few: None };
                }
                let i = at + k;
                open.few.get_or_insert_default().add(above[k], [u[i], v[i], w[i]]);
            }
        }
    }

    /// Adds what was found for a column.
    fn close(&self, open: &Open) {
        if let Some(few) = &open.few {
            self.sums[open.column].add_few(few);
            self.used[open.column / RUN].store(true, Relaxed);
        }
    }

    /// Slows the particles of a fluid, where they are after their step, by the stress on the bed below them; what they do not slow
    /// down by in the time `dt` `[s]` they keep.
    pub(crate) fn slow(&self, bed: &Bed, fluid: &mut Fluid, dt: f64) {
        if self.wall.roughness <= 0.0 {
            return;
        }
        let count = fluid.particles().len();
        let Particles { position: [x, y, z], velocity: [u, v, w], tag, .. } = fluid.particles_mut();
        let (place, velocity): ([&[f32]; 3], _) = ([x, y, z], [u, v, w].map(|column| &mut column[..count]));
        let level = Level::new();
        band::for_each_part(0..count, PART, velocity, &|range, velocity: [&mut [f32]; 3]| {
            dispatch!(level, simd => self.slow_part(simd, bed, (place, tag), range, velocity, dt as f32));
        });
    }

    /// The same for some of them.
    #[inline(always)]
    fn slow_part<S: Simd>(
        &self,
        simd: S,
        bed: &Bed,
        ([x, y, z], tag): ([&[f32]; 3], &[u32]),
        range: Range<usize>,
        [u, v, w]: [&mut [f32]; 3],
        dt: f32,
    ) {
        for first in range.clone().step_by(LANES) {
            let place = [load(simd, x, first), load(simd, y, first), load(simd, z, first)];
            let Some(found) = self.low(simd, bed, place, &tag[first..first + LANES]) else { continue };
            let mut normal = [[0.0; LANES]; 3];
            for (to, from) in normal.iter_mut().zip(found.normal) {
                from.store_slice(to);
            }
            for lane in found.lanes(range.end - first) {
                let k = first + lane - range.start;
                let normal = [normal[0][lane], normal[1][lane], normal[2][lane]];
                let flow = &self.flows[found.column[lane] as usize];
                [u[k], v[k], w[k]] = flow.slowed([u[k], v[k], w[k]], normal, dt);
            }
        }
    }
}
