//! Opposite flows through one face cancel.

use super::layout::{LANES, Layout, MARGIN, load, plane, store};
use fearless_simd::Simd;

/// Leaves in each of two opposite pipes the net flow in its direction, negative where it is the other that flows:
/// the next step pushes from there. The second plane is read `by` cells to the east of the first.
#[inline(always)]
fn cancel_pair<S: Simd>(simd: S, layout: &Layout, first: &mut [f32], second: &mut [f32], by: isize) {
    let first = layout.cells_mut(first);
    let second = &mut second[MARGIN.wrapping_add_signed(by)..][..layout.padded];
    for at in (0..layout.padded).step_by(LANES) {
        let (a, b) = (load(simd, first, at), load(simd, second, at));
        store(a - b, first, at);
        store(b - a, second, at);
    }
}

/// Cancels the flows through the faces within a row and through those to the row above. The sediment has
/// travelled with both flows by then; only momentum is left in them.
#[inline(always)]
pub(super) fn cancel<S: Simd, const DIAGONAL: bool>(
    simd: S,
    layout: &Layout,
    above: &mut [f32],
    here: &mut [f32],
) {
    let (north_row, row) = (above, here);
    let pipes = plane::WEST * layout.stride;
    let [west, east, north, _] = layout.planes_mut::<4>(&mut row[pipes..]);
    // The vectors begin at the first cell; the face of the west ghost comes first.
    let net = east[MARGIN - 1] - west[MARGIN];
    (east[MARGIN - 1], west[MARGIN]) = (net, -net);
    cancel_pair(simd, layout, east, west, 1);
    let [_, _, _, south] = layout.planes_mut::<4>(&mut north_row[pipes..]);
    cancel_pair(simd, layout, north, south, 0);
    if DIAGONAL {
        let diagonals = plane::NORTH_WEST * layout.stride;
        let [north_west, north_east, _, _] = layout.planes_mut::<4>(&mut row[diagonals..]);
        let [_, _, south_west, south_east] = layout.planes_mut::<4>(&mut north_row[diagonals..]);
        cancel_pair(simd, layout, north_west, south_east, -1);
        cancel_pair(simd, layout, north_east, south_west, 1);
    }
}
