//! The edges of the terrain, as ghost cells just outside it.
//!
//! A closed edge is a wall too high to climb; an open one continues the ground downhill; a level one
//! holds a reservoir. The stages see only ghosts and need no special case at the rim.

use super::layout::{Layout, MARGIN, plane};
use crate::pipes::step::{Coefficients, WALL_GAIN};
use thalweg_field::{Edge, Edges};

/// Height of a wall: far above any terrain, and still exact to the metre in f32.
const WALL: f32 = 1.0e7;

/// One edge in the solver's heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rim {
    Closed,
    Open,
    Level(f32),
}

/// The four edges in the solver's heights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rims {
    pub north: Rim,
    pub east: Rim,
    pub south: Rim,
    pub west: Rim,
}

impl Rims {
    pub(super) fn new(edges: &Edges, datum: f64, unit: f64) -> Self {
        let rim = |edge| match edge {
            Edge::Closed => Rim::Closed,
            Edge::Open => Rim::Open,
            Edge::Level(level) => Rim::Level(((level - datum) / unit) as f32),
        };
        Self {
            north: rim(edges.north),
            east: rim(edges.east),
            south: rim(edges.south),
            west: rim(edges.west),
        }
    }
}

impl Rims {
    /// Whether nothing can leave or enter anywhere.
    pub(super) fn closed(&self) -> bool {
        [self.north, self.east, self.south, self.west].iter().all(|&rim| rim == Rim::Closed)
    }

    /// How much wider the pipes to the west and to the east are in a row.
    pub(super) fn gain_along_row(&self, layout: &Layout, row: usize) -> f32 {
        let north = row == 0 && self.north == Rim::Closed;
        let south = row + 1 == layout.rows && self.south == Rim::Closed;
        1.0 + WALL_GAIN * (f32::from(u8::from(north)) + f32::from(u8::from(south)))
    }

    /// How much wider the pipes to the north and to the south are in each column.
    pub(super) fn gain_along_columns(&self, layout: &Layout) -> Vec<f32> {
        let mut gain = vec![1.0; layout.padded];
        if self.west == Rim::Closed {
            gain[0] += WALL_GAIN;
        }
        if self.east == Rim::Closed {
            gain[layout.cols - 1] += WALL_GAIN;
        }
        gain
    }
}

impl Rim {
    /// Bed and depth of the ghost beside an edge cell; `inner_bed` is the bed one cell farther in.
    #[inline(always)]
    fn ghost(self, bed: f32, depth: f32, inner_bed: f32) -> (f32, f32) {
        match self {
            Self::Closed => (WALL, 0.0),
            // Downhill the slope goes on; on flat or rising ground the water falls over an edge.
            Self::Open => (bed - (inner_bed - bed).max(depth), depth),
            Self::Level(level) => (bed, (level - bed).max(0.0)),
        }
    }

    /// What lies beyond the corner of two edges: a wall beside a wall, the lower of two reservoirs.
    fn corner(self, other: Self) -> Self {
        match (self, other) {
            (Self::Closed, _) | (_, Self::Closed) => Self::Closed,
            (Self::Level(a), Self::Level(b)) => Self::Level(a.min(b)),
            (Self::Level(level), Self::Open) | (Self::Open, Self::Level(level)) => Self::Level(level),
            (Self::Open, Self::Open) => Self::Open,
        }
    }

    /// Outflow of a reservoir into the edge cell beside it.
    #[inline(always)]
    fn inflow(self, k: &Coefficients, before: f32, ghost: (f32, f32), cell: (f32, f32)) -> f32 {
        match self {
            Self::Level(_) => {
                let step = ghost.0 - cell.0;
                let over_sill = (ghost.1 + step.min(0.0)).max(cell.1 - step.max(0.0)).max(0.0);
                let push = k.push + k.push_per_depth * over_sill;
                (before + push * ((ghost.0 - cell.0) + (ghost.1 - cell.1))).max(0.0)
            }
            Self::Closed | Self::Open => 0.0,
        }
    }
}

/// Sets the ghosts at both ends of a row.
#[inline(always)]
pub(super) fn set_ends(layout: &Layout, rims: &Rims, row: &mut [f32]) {
    let [bed, depth] = layout.planes_mut::<2>(row);
    let (first, last) = (MARGIN, MARGIN + layout.cols - 1);
    let inner = usize::from(layout.cols > 1);
    (bed[first - 1], depth[first - 1]) = rims.west.ghost(bed[first], depth[first], bed[first + inner]);
    (bed[last + 1], depth[last + 1]) = rims.east.ghost(bed[last], depth[last], bed[last - inner]);
}

/// Sets the row of ghosts outside an edge row; `inner` is the row one farther in.
#[inline(always)]
pub(super) fn set_outer_row(
    layout: &Layout,
    rims: &Rims,
    rim: Rim,
    ghosts: &mut [f32],
    edge: &[f32],
    inner: &[f32],
) {
    let [bed, depth] = layout.planes_mut::<2>(ghosts);
    let (edge_bed, edge_depth) = (layout.plane(edge, plane::BED), layout.plane(edge, plane::DEPTH));
    let inner_bed = layout.plane(inner, plane::BED);
    let (first, last) = (MARGIN, MARGIN + layout.cols - 1);
    for i in first..=last {
        (bed[i], depth[i]) = rim.ghost(edge_bed[i], edge_depth[i], inner_bed[i]);
    }
    // Corners look along the diagonal, so that neither side is preferred.
    let step = usize::from(layout.cols > 1);
    let (west, east) = (rim.corner(rims.west), rim.corner(rims.east));
    (bed[first - 1], depth[first - 1]) =
        west.ghost(edge_bed[first], edge_depth[first], inner_bed[first + step]);
    (bed[last + 1], depth[last + 1]) = east.ghost(edge_bed[last], edge_depth[last], inner_bed[last - step]);
}

/// Clears the pipes of the ghosts and the padding at both ends and lets reservoirs flow in from both ends;
/// `before` holds what flowed in during the last step. Returns the inflow from both ends.
#[inline(always)]
pub(super) fn finish_ends(
    layout: &Layout,
    rims: &Rims,
    k: &Coefficients,
    before: [f32; 2],
    row: &mut [f32],
) -> f64 {
    let (first, last) = (MARGIN, MARGIN + layout.cols - 1);
    for pipe in row.chunks_exact_mut(layout.stride).skip(plane::WEST) {
        pipe[last + 1..].fill(0.0);
        pipe[first - 1] = 0.0;
    }
    let cell = |row: &[f32], i| (layout.plane(row, plane::BED)[i], layout.plane(row, plane::DEPTH)[i]);
    let from_west = rims.west.inflow(k, before[0], cell(row, first - 1), cell(row, first));
    let from_east = rims.east.inflow(k, before[1], cell(row, last + 1), cell(row, last));
    layout.plane_mut(row, plane::EAST)[first - 1] = from_west;
    layout.plane_mut(row, plane::WEST)[last + 1] = from_east;
    f64::from(from_west) + f64::from(from_east)
}

/// What flowed in through both ends of a row during the last step.
#[inline(always)]
pub(super) fn end_inflows(layout: &Layout, row: &[f32]) -> [f32; 2] {
    [layout.plane(row, plane::EAST)[MARGIN - 1], layout.plane(row, plane::WEST)[MARGIN + layout.cols]]
}

/// Clears the pipes of a row of ghosts, but for the pipe `toward` the edge row, through which a reservoir flows;
/// returns that inflow.
#[inline(always)]
pub(super) fn outer_row_inflow(
    layout: &Layout,
    rim: Rim,
    k: &Coefficients,
    toward: usize,
    ghosts: &mut [f32],
    edge: &[f32],
) -> f64 {
    let mut total = 0.0;
    for i in MARGIN..MARGIN + layout.cols {
        let cell = |row: &[f32]| (layout.plane(row, plane::BED)[i], layout.plane(row, plane::DEPTH)[i]);
        let (ghost, edge) = (cell(ghosts), cell(edge));
        let pipe = &mut layout.plane_mut(ghosts, toward)[i];
        *pipe = rim.inflow(k, *pipe, ghost, edge);
        total += f64::from(*pipe);
    }
    for (index, pipe) in ghosts.chunks_exact_mut(layout.stride).enumerate().skip(plane::WEST) {
        if index != toward {
            pipe.fill(0.0);
        }
    }
    total
}

/// Sum of what leaves the terrain from one row through its edges, each pipe weighed by `weight` of its cell.
#[inline(always)]
pub(super) fn outflow_over_edges(
    layout: &Layout,
    row_index: usize,
    row: &[f32],
    weight: impl Fn(usize) -> f32,
) -> f64 {
    let pipe = |which: usize, col: usize| {
        let planes = layout.planes;
        if which < planes { layout.plane(row, which)[MARGIN + col] * weight(col) } else { 0.0 }
    };
    let (north, south) = (row_index == 0, row_index + 1 == layout.rows);
    let last = layout.cols - 1;
    let mut total = f64::from(pipe(plane::WEST, 0)) + f64::from(pipe(plane::EAST, last));
    let mut over_side = |on: bool, pipes: [usize; 3]| {
        if on {
            // The whole row leaves over this side, through its straight and its diagonal pipes.
            for col in 0..layout.cols {
                total += pipes.iter().map(|&p| f64::from(pipe(p, col))).sum::<f64>();
            }
        } else {
            // Only the end cells leave, through the diagonals that point past the end.
            total += f64::from(pipe(pipes[1], 0)) + f64::from(pipe(pipes[2], last));
        }
    };
    over_side(north, [plane::NORTH, plane::NORTH_WEST, plane::NORTH_EAST]);
    over_side(south, [plane::SOUTH, plane::SOUTH_WEST, plane::SOUTH_EAST]);
    total
}
