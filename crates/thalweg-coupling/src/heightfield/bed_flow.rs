//! The flow along the bed, column by column of water: see [`crate::law_of_wall`].

use super::bed::Bed;
use crate::law_of_wall::{Few, Flow, LEAST_SPACINGS, Sum, Wall};
use crate::params::Params;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thalweg_field::band;
use thalweg_sph::{Fluid, Particles};

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
        let [i, j] = self.along(x, y);
        j * self.count[0] + i
    }

    /// The same, counted to the east and to the north.
    #[inline(always)]
    fn along(&self, x: f32, y: f32) -> [usize; 2] {
        // By way of 32 bits, which is quicker.
        let index =
            |v: f32, count: usize| (((v - self.corner) / self.side).max(0.0) as u32 as usize).min(count - 1);
        [index(x, self.count[0]), index(y, self.count[1])]
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
        let add = |range: Range<usize>| {
            let mut open = [Open::default(); OPEN];
            range.for_each(|i| self.add(bed, particles, i, &mut open));
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

    /// Adds a particle to its column, if it is low enough.
    #[inline(always)]
    fn add(&self, bed: &Bed, particles: &Particles, i: usize, open: &mut [Open; OPEN]) {
        let [x, y, z] = [particles.position[0][i], particles.position[1][i], particles.position[2][i]];
        let [east, north] = self.along(x, y);
        let column = north * self.count[0] + east;
        if particles.is_boundary(i) || z > self.tops[column] {
            return;
        }
        let (ground, normal) = bed.foot(x, y);
        let above = (z - ground) * normal[2];
        if above > self.height {
            return;
        }
        let open = &mut open[north % 4 * 4 + east % 4];
        if open.column != column {
            self.close(open);
            *open = Open { column, few: None };
        }
        let velocity = std::array::from_fn(|axis| particles.velocity[axis][i]);
        open.few.get_or_insert_default().add(above, velocity);
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
        let velocity = [u, v, w].map(|column| &mut column[..count]);
        band::for_each_part(0..count, PART, velocity, &|range, [u, v, w]: [&mut [f32]; 3]| {
            for (k, i) in range.enumerate() {
                let at = [x[i], y[i], z[i]];
                if tag[i] & thalweg_sph::BOUNDARY == 0 {
                    [u[k], v[k], w[k]] = self.slowed(bed, at, [u[k], v[k], w[k]], dt as f32);
                }
            }
        });
    }

    #[inline(always)]
    fn slowed(&self, bed: &Bed, [x, y, z]: [f32; 3], velocity: [f32; 3], dt: f32) -> [f32; 3] {
        let column = self.column(x, y);
        let flow = self.flows[column];
        if flow.drag == 0.0 || z > self.tops[column] {
            return velocity;
        }
        let (ground, normal) = bed.foot(x, y);
        if (z - ground) * normal[2] > self.height {
            return velocity;
        }
        flow.slowed(velocity, normal, dt)
    }
}
