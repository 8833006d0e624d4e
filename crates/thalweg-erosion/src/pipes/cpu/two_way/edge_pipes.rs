//! Pipes over the edges of the terrain.

use super::super::edges::{Rim, Rims};
use super::super::layout::{Layout, MARGIN, plane as cell};
use super::plane;
use crate::pipes::step::Coefficients;

/// Outflow of a reservoir into the edge cell beside it.
#[inline(always)]
fn inflow(rim: Rim, k: &Coefficients, before: f32, ghost: (f32, f32), cell: (f32, f32)) -> f32 {
    match rim {
        Rim::Level(_) => {
            let step = ghost.0 - cell.0;
            let over_sill = (ghost.1 + step.min(0.0)).max(cell.1 - step.max(0.0)).max(0.0);
            let push = k.push + k.push_per_depth * over_sill;
            (before + push * ((ghost.0 - cell.0) + (ghost.1 - cell.1))).max(0.0)
        }
        Rim::Closed | Rim::Open => 0.0,
    }
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
    let at = |row: &[f32], i| (layout.plane(row, cell::BED)[i], layout.plane(row, cell::DEPTH)[i]);
    let from_west = inflow(rims.west, k, before[0], at(row, first - 1), at(row, first));
    let from_east = inflow(rims.east, k, before[1], at(row, last + 1), at(row, last));
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
        let at = |row: &[f32]| (layout.plane(row, cell::BED)[i], layout.plane(row, cell::DEPTH)[i]);
        let (ghost, edge) = (at(ghosts), at(edge));
        let pipe = &mut layout.plane_mut(ghosts, toward)[i];
        *pipe = inflow(rim, k, *pipe, ghost, edge);
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
