//! Step 2 of Schmidberger 2024: the outflow through the pipes of each cell.

use super::super::layout::{Layout, plane};
use super::plane::WEST;
use crate::lanes::{read, write};
use crate::pipes::step::Coefficients;
use fearless_simd::{Simd, prelude::*};

/// Bed and depth of the cells on one side.
#[derive(Clone, Copy)]
struct Side<'a> {
    bed: &'a [f32],
    depth: &'a [f32],
}

impl<'a> Side<'a> {
    /// The cells of a row, moved `by` cells to the east.
    #[inline(always)]
    fn of(layout: &Layout, row: &'a [f32], by: isize) -> Self {
        Self {
            bed: layout.cells(layout.plane(row, plane::BED), by),
            depth: layout.cells(layout.plane(row, plane::DEPTH), by),
        }
    }
}

/// How much wider straight pipes along a wall are, for the diagonal ones that the wall blocks.
pub(super) struct Gain<'a> {
    /// Of the pipes to the west and to the east, in this row.
    pub along_row: f32,
    /// Of the pipes to the north and to the south, for each column.
    pub along_columns: &'a [f32],
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
    /// Eqs. 2 and 4: the flux after a step of acceleration by the drop of the surface towards one side. `wider` is how much
    /// wider than usual the pipe is.
    #[inline(always)]
    fn accelerated<const DEEP: bool>(
        &self,
        k: &Coefficients,
        flux: S::f32s,
        wider: S::f32s,
        side: Side,
    ) -> S::f32s {
        // Differences of bed and of depth are taken apart: on a high mountain the level itself, as one
        // number, could not resolve a film of rain.
        let depth = read(self.simd, side.depth, self.at);
        let step = self.bed - read(self.simd, side.bed, self.at);
        let drop = step + (self.depth - depth);
        let mut push = wider * k.push;
        if DEEP {
            // Only the water above the sill between the cells can flow (Bates et al. 2010).
            let over_sill = (self.depth + step.min(0.0)).max(depth - step.max(0.0)).max(0.0);
            push += over_sill * wider * k.push_per_depth;
        }
        (flux + push * drop).max(0.0)
    }
}

/// Accelerates the pipes of one row by the drop of the water surface (Schmidberger 2024, eqs. 2 and 4), then caps them by the
/// water that is there (eqs. 3 and 5). With `DIAGONAL` there are eight pipes, with `DEEP` they are as deep as the water.
///
/// It is one long loop because the pipes of a vector of cells stay in registers from its first line to its last.
#[inline(always)]
pub(super) fn outflow<S: Simd, const DIAGONAL: bool, const DEEP: bool>(
    simd: S,
    layout: &Layout,
    k: &Coefficients,
    gain: &Gain,
    [above, below]: [&[f32]; 2],
    here: &mut [f32],
) {
    let layout = &layout.own_copy();
    let along_columns = &gain.along_columns[..layout.padded];
    let (own, pipes) = here.split_at_mut(WEST * layout.stride);
    let middle = Side::of(layout, own, 0);
    let (to_west, to_east) = (Side::of(layout, own, -1), Side::of(layout, own, 1));
    let (to_north, to_south) = (Side::of(layout, above, 0), Side::of(layout, below, 0));
    let (to_north_west, to_north_east) = (Side::of(layout, above, -1), Side::of(layout, above, 1));
    let (to_south_west, to_south_east) = (Side::of(layout, below, -1), Side::of(layout, below, 1));
    let (straight, diagonal) = pipes.split_at_mut(4 * layout.stride);
    let [west, east, north, south] = layout.planes_mut(straight);
    let (west, east) = (layout.cells_mut(west), layout.cells_mut(east));
    let (north, south) = (layout.cells_mut(north), layout.cells_mut(south));
    // Without diagonal pipes these are empty and never touched.
    let [north_west, north_east, south_west, south_east]: [&mut [f32]; 4] = if DIAGONAL {
        layout.planes_mut::<4>(diagonal).map(|plane| layout.cells_mut(plane))
    } else {
        Default::default()
    };

    let zero = S::f32s::splat(simd, 0.0);
    let one = S::f32s::splat(simd, 1.0);
    for at in (0..layout.padded).step_by(S::f32s::LEN) {
        let d = read(simd, middle.depth, at);
        let (mut w, mut e) = (read(simd, west, at), read(simd, east, at));
        let (mut n, mut s) = (read(simd, north, at), read(simd, south, at));
        let [mut nw, mut ne, mut sw, mut se] = [zero; 4];
        if DIAGONAL {
            (nw, ne) = (read(simd, north_west, at), read(simd, north_east, at));
            (sw, se) = (read(simd, south_west, at), read(simd, south_east, at));
        }
        let here = Here { simd, at, bed: read(simd, middle.bed, at), depth: d };
        let (mut row, mut column) = (one, one);
        if DIAGONAL {
            row = S::f32s::splat(simd, gain.along_row);
            column = read(simd, along_columns, at);
        }
        w = here.accelerated::<DEEP>(k, w, row, to_west);
        e = here.accelerated::<DEEP>(k, e, row, to_east);
        n = here.accelerated::<DEEP>(k, n, column, to_north);
        s = here.accelerated::<DEEP>(k, s, column, to_south);
        let mut out = (w + e) + (n + s);
        if DIAGONAL {
            let narrow = S::f32s::splat(simd, k.diagonal_push);
            nw = here.accelerated::<DEEP>(k, nw, narrow, to_north_west);
            ne = here.accelerated::<DEEP>(k, ne, narrow, to_north_east);
            sw = here.accelerated::<DEEP>(k, sw, narrow, to_south_west);
            se = here.accelerated::<DEEP>(k, se, narrow, to_south_east);
            out += (nw + se) + (ne + sw);
        }

        // Eq. 3 with the cell's area, and a hair less, so that rounding cannot take more than there is.
        let share = (d * k.all_of_it) / (out * k.height_per_flux);
        let cap = share.simd_lt(one).select(share, one);
        write::<S>(w * cap, west, at);
        write::<S>(e * cap, east, at);
        write::<S>(n * cap, north, at);
        write::<S>(s * cap, south, at);
        if DIAGONAL {
            write::<S>(nw * cap, north_west, at);
            write::<S>(ne * cap, north_east, at);
            write::<S>(sw * cap, south_west, at);
            write::<S>(se * cap, south_east, at);
        }
    }
}
