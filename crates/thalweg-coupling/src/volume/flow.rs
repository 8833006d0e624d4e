//! The flow along the surface of the rock, cell by cell, and the stress between the two: the same law as over a heightfield.
//!
//! Space is cut into cells. Each that is no farther from the rock than the mean of the flow is high knows its foot: the nearest place of the surface
//! in a neighbouring cell, and so on from cell to cell (Danielsson 1980). What flows there counts for the cell that its foot is in.

use super::slots::{Cell, NONE, Slots};
use crate::law_of_wall::{Flow, LEAST_SPACINGS, Sum, Wall};
use crate::params::Params;
use std::ops::Range;
use thalweg_field::band;
use thalweg_sph::{BOUNDARY, Fluid, Particles};

/// Particles that are looked at together.
const PART: usize = 1024;
/// How far below the surface of its foot the middle of a cell may lie, in sides of a cell `[-]`.
const BELOW: f32 = -0.75;

/// A place of the surface.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Foot {
    pub at: [f32; 3],
    pub normal: [f32; 3],
    /// The slot of the cell it is in.
    own: u32,
}

impl Foot {
    pub(super) fn new(at: [f32; 3], normal: [f32; 3]) -> Self {
        Self { at, normal, own: NONE }
    }

    /// How far above it a place is `[m]`.
    #[inline(always)]
    fn above(&self, at: [f32; 3]) -> f32 {
        (0..3).map(|axis| (at[axis] - self.at[axis]) * self.normal[axis]).sum()
    }
}

/// The flow along the rock.
#[derive(Debug, Default)]
pub(super) struct RockFlow {
    /// Side of a cell and height of the mean `[m]`.
    side: f32,
    height: f32,
    wall: Wall,
    /// Where the first cell begins `[m]`.
    corner: [f32; 3],
    /// The slot of each cell, and of each slot its cell and its foot.
    slots: Slots,
    cells: Vec<Cell>,
    feet: Vec<Foot>,
    sums: Vec<Sum>,
    flows: Vec<Flow>,
}

impl RockFlow {
    /// No water yet, in a box of so many voxels of a side, from a bottom upwards `[m]`.
    pub(super) fn new(size: [usize; 3], voxel: f64, bottom: f64, params: &Params) -> Self {
        let voxels = voxels_along(voxel, params);
        let first = (0.5 * voxel) as f32;
        let mut flow = Self {
            side: (voxels as f64 * voxel) as f32,
            // Up from one voxel below the middle of the first: the surface may be there.
            corner: [first, first, (bottom - 0.5 * voxel) as f32],
            slots: Slots::new(cells_of(size, voxels)),
            ..Self::default()
        };
        flow.set_params(params);
        flow
    }

    /// Memory of one in a box of so many voxels of a side, before there is water `[bytes]`.
    pub(super) fn memory_of(size: [usize; 3], voxel: f64, params: &Params) -> u64 {
        Slots::memory_of(cells_of(size, voxels_along(voxel, params)))
    }

    /// Takes other parameters from now on.
    pub(super) fn set_params(&mut self, params: &Params) {
        self.wall = Wall::of(params);
        self.height = self.wall.height as f32;
    }

    /// Side of a cell `[m]`.
    pub(super) fn side(&self) -> f32 {
        self.side
    }

    /// The cell around a place; places outside count as at the edge.
    #[inline(always)]
    fn cell(&self, at: [f32; 3]) -> Cell {
        let count = self.slots.cells();
        std::array::from_fn(|axis| {
            (((at[axis] - self.corner[axis]) / self.side).max(0.0) as usize).min(count[axis] - 1)
        })
    }

    fn middle(&self, cell: Cell) -> [f32; 3] {
        std::array::from_fn(|axis| self.corner[axis] + (cell[axis] as f32 + 0.5) * self.side)
    }

    /// Finds the feet of all cells near places of the surface.
    pub(super) fn find_feet<'a>(&mut self, places: impl Iterator<Item = &'a Foot>) {
        self.slots.clear();
        self.cells.clear();
        self.feet.clear();
        if self.wall.roughness <= 0.0 {
            return;
        }
        for foot in places {
            self.offer(self.cell(foot.at), Foot { own: NONE, ..*foot });
        }
        for (slot, foot) in self.feet.iter_mut().enumerate() {
            foot.own = slot as u32;
        }
        self.spread();
        let slots = self.feet.len();
        self.sums.resize_with(slots, Sum::default);
        self.flows.resize(slots, Flow::default());
    }

    /// Gives a cell a foot, unless it has a nearer one.
    fn offer(&mut self, cell: Cell, foot: Foot) {
        let far = |foot: &Foot, at: [f32; 3]| (0..3).map(|n| (at[n] - foot.at[n]).powi(2)).sum::<f32>();
        let middle = self.middle(cell);
        match self.slots.at(cell) {
            NONE => {
                self.slots.set(cell, self.feet.len() as u32);
                self.cells.push(cell);
                self.feet.push(foot);
            }
            slot => {
                let old = &mut self.feet[slot as usize];
                if far(&foot, middle) < far(old, middle) {
                    *old = foot;
                }
            }
        }
    }

    /// Hands feet on from cell to cell, as far as the mean is high.
    fn spread(&mut self) {
        let own = self.feet.len();
        let reach = self.height + self.side;
        let count = self.slots.cells();
        let mut next = 0;
        while next < self.cells.len() {
            let (cell, foot) = (self.cells[next], self.feet[next]);
            next += 1;
            for axis in 0..3 {
                let before = cell[axis].checked_sub(1);
                let behind = Some(cell[axis] + 1).filter(|&n| n < count[axis]);
                for beside in [before, behind].into_iter().flatten() {
                    let mut other = cell;
                    other[axis] = beside;
                    let has_own = (self.slots.at(other) as usize) < own;
                    if !has_own && (BELOW * self.side..reach).contains(&foot.above(self.middle(other))) {
                        self.offer(other, foot);
                    }
                }
            }
        }
    }

    /// The foot of the cell around a place, and the flow there.
    #[inline(always)]
    pub(super) fn at(&self, at: [f32; 3]) -> Option<(&Foot, &Flow)> {
        let slot = self.slots.at(self.cell(at));
        if slot == NONE {
            return None;
        }
        let foot = &self.feet[slot as usize];
        Some((foot, &self.flows[foot.own as usize]))
    }

    /// How far above its foot a place is `[m]`, the normal there, and the flow; none far from the rock.
    #[inline(always)]
    pub(super) fn above(&self, at: [f32; 3]) -> Option<(f32, [f32; 3], &Flow)> {
        let (foot, flow) = self.at(at)?;
        let above = foot.above(at);
        (above <= self.height).then_some((above, foot.normal, flow))
    }

    /// Looks at the sorted particles of a fluid.
    pub(super) fn measure(&mut self, fluid: &Fluid) {
        if self.wall.roughness <= 0.0 {
            return;
        }
        self.sums.iter_mut().for_each(|sum| *sum = Sum::default());
        let particles = fluid.sorted();
        let add = |range: Range<usize>| range.for_each(|i| self.add(particles, i));
        band::measure(0..particles.len(), PART, &add, &|(), ()| ());
        for (flow, sum) in self.flows.iter_mut().zip(&self.sums) {
            *flow = sum.flow(self.wall);
        }
    }

    /// Adds a particle to the cell of its foot, if it is near enough.
    #[inline(always)]
    fn add(&self, particles: &Particles, i: usize) {
        if particles.is_boundary(i) {
            return;
        }
        let at = std::array::from_fn(|axis| particles.position[axis][i]);
        let slot = self.slots.at(self.cell(at));
        if slot == NONE {
            return;
        }
        let foot = &self.feet[slot as usize];
        let above = foot.above(at);
        if above <= self.height {
            let velocity = std::array::from_fn(|axis| particles.velocity[axis][i]);
            self.sums[foot.own as usize].add(above.max(0.0), velocity);
        }
    }

    /// Slows the particles of a fluid, where they are after their step of `dt` `[s]`, by the stress on the rock near them.
    pub(super) fn slow(&self, fluid: &mut Fluid, dt: f64) {
        if self.wall.roughness <= 0.0 {
            return;
        }
        let count = fluid.particles().len();
        let Particles { position: [x, y, z], velocity: [u, v, w], tag, .. } = fluid.particles_mut();
        let velocity = [u, v, w].map(|column| &mut column[..count]);
        band::for_each_part(0..count, PART, velocity, &|range, [u, v, w]: [&mut [f32]; 3]| {
            for (k, i) in range.enumerate().filter(|(_, i)| tag[*i] & BOUNDARY == 0) {
                if let Some((_, normal, flow)) = self.above([x[i], y[i], z[i]]) {
                    [u[k], v[k], w[k]] = flow.slowed([u[k], v[k], w[k]], normal, dt as f32);
                }
            }
        });
    }
}

/// Voxels along the side of a cell.
fn voxels_along(voxel: f64, params: &Params) -> usize {
    (LEAST_SPACINGS * params.fluid.spacing / voxel - 1.0e-6).ceil().max(1.0) as usize
}

/// Cells of so many voxels in a box of voxels.
fn cells_of(size: [usize; 3], voxels: usize) -> Cell {
    size.map(|n| (n + 1).div_ceil(voxels))
}
