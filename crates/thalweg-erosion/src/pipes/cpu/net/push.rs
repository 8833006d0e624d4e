//! Step 2 of Schmidberger 2024 for net flows: the drop of the water surface pushes the water through every face.

use super::super::layout::{Layout, plane};
use super::plane::EAST;
use crate::lanes::{WIDEST, read, write};
use crate::pipes::step::Coefficients;
use fearless_simd::{Simd, prelude::*};

/// Share of the depths by which two surfaces may differ and still count as level: half a unit in the last place of
/// either, and a little `[-]`.
const LEVEL: f32 = 7.0e-8;

/// How much wider straight faces along a wall are, for the diagonal ones that the wall blocks.
pub(in super::super) struct Gain<'a> {
    /// Of the faces to the east and the west, in this row, and its inverse.
    pub along_row: f32,
    pub per_row: f32,
    /// Of the faces to the south, for each cell and the ghosts at both ends.
    pub along_columns: &'a [f32],
    /// Its inverse, for each cell.
    pub per_column: &'a [f32],
    /// 1 for each cell, 0 for the padding behind them.
    pub within: &'a [f32],
}

/// Bed and depth of the cells on one side.
#[derive(Clone, Copy)]
struct Side<'a> {
    bed: &'a [f32],
    depth: &'a [f32],
}

impl<'a> Side<'a> {
    #[inline(always)]
    fn of<S: Simd>(layout: &Layout, row: &'a [f32], by: isize) -> Self {
        Self {
            bed: layout.wide::<S>(layout.plane(row, plane::BED), by),
            depth: layout.wide::<S>(layout.plane(row, plane::DEPTH), by),
        }
    }
}

/// The cells at hand.
#[derive(Clone, Copy)]
struct Here<S: Simd> {
    simd: S,
    at: usize,
    bed: S::f32s,
    depth: S::f32s,
}

impl<S: Simd> Here<S> {
    /// The flow after a step of acceleration by the drop of the surface towards one side, and that flow times its fall: 0 where it
    /// runs uphill. `wider` is how much wider than usual the face is.
    #[inline(always)]
    fn pushed(&self, k: &Coefficients, flow: S::f32s, wider: S::f32s, side: Side) -> [S::f32s; 2] {
        let zero = S::f32s::splat(self.simd, 0.0);
        // Differences of bed and of depth are taken apart: on a high mountain the level itself, as one
        // number, could not resolve a film of rain.
        let depth = read(self.simd, side.depth, self.at);
        let step = self.bed - read(self.simd, side.bed, self.at);
        let drop = step + (self.depth - depth);
        // Only the water above the sill between the cells can flow (Bates et al. 2010): a deep lake leaves
        // through a shallow outlet. It is the higher surface that counts, also where water runs up against it.
        let over_sill = (self.depth + step.min(0.0)).max(depth - step.max(0.0)).max(0.0);
        let push = (over_sill * k.push_per_depth + k.push) * wider;
        // A level lake is level only to the rounding of its depths, and nothing would ever damp what flows
        // because of that.
        let rounding = (self.depth + depth) * LEVEL;
        let drop = drop.abs().simd_gt(rounding).select(drop, zero);
        let pushed = flow + push * drop;
        let falls = (pushed * drop).simd_gt(zero);
        [pushed, falls.select(pushed * drop.abs(), zero)]
    }

    /// Pushes the flow through one face of each cell.
    #[inline(always)]
    fn push(&self, k: &Coefficients, wider: S::f32s, side: Side, flows: &mut [f32], falls: &mut [f32]) {
        let [flow, fall] = self.pushed(k, read(self.simd, flows, self.at), wider, side);
        write::<S>(flow, flows, self.at);
        write::<S>(fall, falls, self.at);
    }
}

/// Pushes the flows of one row's own faces, which lead to its cells and to those of the row below; `falls` gets each flow
/// times its fall.
#[inline(always)]
pub(super) fn push<S: Simd, const DIAGONAL: bool>(
    simd: S,
    layout: &Layout,
    k: &Coefficients,
    gain: &Gain,
    [here, below]: [&mut [f32]; 2],
    falls: [&mut [f32]; 4],
) {
    let (own, flows) = here.split_at_mut(EAST * layout.stride);
    let middle = Side::of::<S>(layout, own, 0);
    let sides = [Side::of::<S>(layout, own, 1), Side::of::<S>(layout, below, 0)];
    let corners = [Side::of::<S>(layout, below, 1), Side::of::<S>(layout, below, -1)];
    let (straight, diagonal) = flows.split_at_mut(2 * layout.stride);
    let [east, south] = layout.planes_mut::<2>(straight).map(|plane| layout.wide_mut::<S>(plane));
    let [south_east, south_west]: [&mut [f32]; 2] = if DIAGONAL {
        layout.planes_mut::<2>(diagonal).map(|plane| layout.wide_mut::<S>(plane))
    } else {
        Default::default()
    };
    let [fall_e, fall_s, fall_se, fall_sw] = falls.map(|plane| layout.wide_mut::<S>(plane));
    let wide = fall_e.len();
    let along_columns = &gain.along_columns[WIDEST - S::f32s::LEN..][..wide];
    let along_row = S::f32s::splat(simd, if DIAGONAL { gain.along_row } else { 1.0 });
    let one = S::f32s::splat(simd, 1.0);
    let narrow = S::f32s::splat(simd, k.diagonal_push);
    for at in (0..wide).step_by(S::f32s::LEN) {
        let here = Here { simd, at, bed: read(simd, middle.bed, at), depth: read(simd, middle.depth, at) };
        let column = if DIAGONAL { read(simd, along_columns, at) } else { one };
        here.push(k, along_row, sides[0], east, fall_e);
        here.push(k, column, sides[1], south, fall_s);
        if DIAGONAL {
            here.push(k, narrow, corners[0], south_east, fall_se);
            here.push(k, narrow, corners[1], south_west, fall_sw);
        }
    }
}
