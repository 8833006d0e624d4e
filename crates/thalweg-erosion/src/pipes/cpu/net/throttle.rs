//! What holds the water back: the bed's drag, and that no more can leave a cell than is there.

use super::super::layout::{Layout, plane};
use super::faces::{Around, Own, Sides};
use super::plane::EAST;
use super::push::Gain;
use crate::lanes::{read, write};
use crate::pipes::step::Coefficients;
use fearless_simd::{Simd, prelude::*};
use std::f32::consts::FRAC_1_SQRT_2;

/// Water shallower than this stays: what leaves could not be divided by it `[m]`.
const NEXT_TO_NOTHING: f32 = 1.0e-30;

/// What the outflow of a row's cells is like.
pub(in super::super) struct Outflow<'a> {
    /// Share of what was pushed that really leaves `[-]`.
    pub keep: &'a mut [f32],
    /// Sediment that leaves with each unit of flow.
    pub cargo: &'a mut [f32],
    /// Fall of the surface along the ways that the water takes.
    pub slope: &'a mut [f32],
}

/// Works out what holds back the outflow of each cell of a row. Returns the largest square of the share of a cell that water
/// crosses in a step.
///
/// Drag is quadratic, τ = ρ c_f v², and implicit: q' = q − Δt c_f q'²/d² has the root q' = q / ½(1 + √(1 + 4 Δt c_f q/d²)). With the
/// flow of the step before instead of q', thin water on a slope would overshoot in every step.
#[inline(always)]
pub(super) fn throttle<S: Simd, const DIAGONAL: bool>(
    simd: S,
    layout: &Layout,
    k: &Coefficients,
    gain: &Gain,
    [above, here]: [&[f32]; 2],
    [falls_above, falls]: [Own; 2],
    out: Outflow,
) -> f32 {
    let flows = |row| own_flows::<DIAGONAL>(layout, row);
    let flows = Around::new::<DIAGONAL>(layout, flows(above), flows(here));
    let falls = Around::new::<DIAGONAL>(layout, falls_above, falls);
    let depth = layout.cells(layout.plane(here, plane::DEPTH), 0);
    let sediment = layout.cells(layout.plane(here, plane::SEDIMENT), 0);
    let [keep, cargo, slope] = [out.keep, out.cargo, out.slope].map(|plane| layout.cells_mut(plane));
    let per_column = &gain.per_column[..layout.padded];
    let within = &gain.within[..layout.padded];
    let (zero, one) = (S::f32s::splat(simd, 0.0), S::f32s::splat(simd, 1.0));
    let per_row = S::f32s::splat(simd, gain.per_row);
    let mut briskest = zero;
    for at in (0..layout.padded).step_by(S::f32s::LEN) {
        let d = read(simd, depth, at);
        let leaving = flows.load::<S, DIAGONAL>(simd, at).outward();
        let out = leaving.sum::<DIAGONAL>();
        let per_depth = one / d.max(NEXT_TO_NOTHING);
        let per_depth_at_most = per_depth.min(k.per_thin);

        // Times that the pushed flow would empty the cell (eq. 3 of the thesis, with the cell's area).
        let emptied = out * k.height_per_flux * per_depth;
        let mut hold = one.max(emptied * k.per_all_of_it);
        if k.drag > 0.0 {
            let q2 = discharge2::<S, DIAGONAL>(k, &leaving, [per_row, read(simd, per_column, at)]);
            let drag = q2.sqrt() * k.drag * (per_depth_at_most * per_depth_at_most);
            hold = hold.max((one + (one + drag).sqrt()) * 0.5);
        }
        let kept = d.simd_gt(NEXT_TO_NOTHING).select(one / hold, zero);
        write::<S>(kept, keep, at);
        write::<S>(read(simd, sediment, at) * k.height_per_flux * per_depth_at_most, cargo, at);

        // Mean slope of the surface along the ways that the water takes. A slope across the cell, from the
        // neighbours on either side, would not see the cell itself: pools and bars would alternate.
        let fall = fall_per_cell::<S, DIAGONAL>(&falls.load::<S, DIAGONAL>(simd, at).outward());
        write::<S>(fall / (out.max(f32::MIN_POSITIVE) * k.cell), slope, at);

        // Water that falls rather than flows does not set the time step.
        let crossed = emptied * kept;
        let brisk = (crossed * crossed).min(d * k.brisk_per_depth);
        briskest = briskest.max(brisk * read(simd, within, at));
    }
    briskest.reduce_max()
}

/// Σ Q²/w over the faces that water leaves by, w being their share of the section: q², whichever way it runs. `per_wider` is the inverse of
/// what straight faces along walls are wider, along the row and along the columns.
#[inline(always)]
fn discharge2<S: Simd, const DIAGONAL: bool>(
    k: &Coefficients,
    leaving: &Sides<S>,
    per_wider: [S::f32s; 2],
) -> S::f32s {
    let squares = leaving.squared();
    let [w, e, n, s] = squares.straight;
    if !DIAGONAL {
        return (w + e) + (n + s);
    }
    let [nw, se, ne, sw] = squares.diagonal;
    ((w + e) * per_wider[0] + (n + s) * per_wider[1]) * k.per_straight
        + ((nw + se) + (ne + sw)) * k.per_diagonal
}

/// Flow times fall for each cell of way: that to a diagonal neighbour is longer by √2.
#[inline(always)]
fn fall_per_cell<S: Simd, const DIAGONAL: bool>(falling: &Sides<S>) -> S::f32s {
    let [w, e, n, s] = falling.straight;
    let fall = (w + e) + (n + s);
    if !DIAGONAL {
        return fall;
    }
    let [nw, se, ne, sw] = falling.diagonal;
    fall + ((nw + se) + (ne + sw)) * FRAC_1_SQRT_2
}

/// The flows of a row's own faces.
#[inline(always)]
pub(super) fn own_flows<'a, const DIAGONAL: bool>(layout: &Layout, row: &'a [f32]) -> Own<'a> {
    let flow = |which| layout.plane(row, EAST + which);
    if DIAGONAL { [0, 1, 2, 3].map(flow) } else { [flow(0), flow(1), &[], &[]] }
}

/// The flow through one face of each cell, held back by what leaves the cell or the one beyond: shares that are kept, and cargoes.
#[inline(always)]
fn hold_back_face<S: Simd>(
    simd: S,
    [keep, cargo]: [&[f32]; 2],
    [keep_there, cargo_there]: [&[f32]; 2],
    flow: &mut [f32],
    carried: &mut [f32],
) {
    let length = flow.len();
    let (keep, cargo) = (&keep[..length], &cargo[..length]);
    let (keep_there, cargo_there) = (&keep_there[..length], &cargo_there[..length]);
    let carried = &mut carried[..length];
    for at in (0..length).step_by(S::f32s::LEN) {
        let q = read(simd, flow, at);
        let out = q.max(0.0) * read(simd, keep, at);
        let back = q.min(0.0) * read(simd, keep_there, at);
        write::<S>(out + back, flow, at);
        write::<S>(out * read(simd, cargo, at) + back * read(simd, cargo_there, at), carried, at);
    }
}

/// What leaves in the end, water and sediment: each flow is held back by the cell that it leaves. `leaving` has what is kept and the
/// cargo, each of this row and of the row below.
#[inline(always)]
pub(super) fn hold_back<'a, S: Simd, const DIAGONAL: bool>(
    simd: S,
    layout: &Layout,
    here: &mut [f32],
    leaving: [[&'a [f32]; 2]; 2],
    carried: [&mut [f32]; 4],
) {
    let (straight, diagonal) = here[EAST * layout.stride..].split_at_mut(2 * layout.stride);
    let [east, south] = layout.planes_mut::<2>(straight);
    let [south_east, south_west]: [&mut [f32]; 2] =
        if DIAGONAL { layout.planes_mut::<2>(diagonal) } else { Default::default() };
    let wide = |rows: [[&'a [f32]; 2]; 2], row: usize, by| rows.map(|of| layout.wide::<S>(of[row], by));
    let own = wide(leaving, 0, 0);
    let [carried_e, carried_s, carried_se, carried_sw] = carried.map(|plane| layout.wide_mut::<S>(plane));
    hold_back_face(simd, own, wide(leaving, 0, 1), layout.wide_mut::<S>(east), carried_e);
    hold_back_face(simd, own, wide(leaving, 1, 0), layout.wide_mut::<S>(south), carried_s);
    if DIAGONAL {
        hold_back_face(simd, own, wide(leaving, 1, 1), layout.wide_mut::<S>(south_east), carried_se);
        hold_back_face(simd, own, wide(leaving, 1, -1), layout.wide_mut::<S>(south_west), carried_sw);
    }
    // Between ghosts, and between them and the padding, nothing flows.
    let [first, last] = layout.ends();
    let none = |plane: &mut [f32], between: usize| {
        plane[between] = 0.0;
        plane[last + 2..].fill(0.0);
    };
    none(east, last + 1);
    none(south, last + 1);
    south[first - 1] = 0.0;
    if DIAGONAL {
        none(south_east, last + 1);
        none(south_west, first - 1);
    }
}
