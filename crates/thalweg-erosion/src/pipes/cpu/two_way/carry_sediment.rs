//! Step 6 of Schmidberger 2024: sediment travels with the water.

use super::super::layout::{Layout, plane::SEDIMENT};
use super::move_water::load_four;
use super::plane;
use crate::lanes::{read, write};
use fearless_simd::{Simd, prelude::*};

/// Three neighbouring rows, north to south.
pub(super) type Rows<'a> = [&'a [f32]; 3];

/// Donor cell: every pipe takes along its share of the sediment in the cell that it leaves. The outflows
/// are capped by the water that is there, so no cell gives more than it has, and what one cell gives the
/// other gets.
#[inline(always)]
pub(super) fn donor_cell<S: Simd, const DIAGONAL: bool>(
    simd: S,
    layout: &Layout,
    [above, below]: [&[f32]; 2],
    here: &mut [f32],
    cargo: Rows,
) {
    let pipe = |row, which, by| layout.cells(layout.plane(row, which), by);
    let (own, pipes) = here.split_at_mut(plane::WEST * layout.stride);
    let own_pipe =
        |which: usize, by| layout.cells(&pipes[(which - plane::WEST) * layout.stride..][..layout.stride], by);
    let sediment = layout.cells_mut(layout.plane_mut(own, SEDIMENT));
    let cargo_at = |row: usize, by| layout.cells(cargo[row], by);

    let out = [plane::WEST, plane::EAST, plane::NORTH, plane::SOUTH].map(|p| own_pipe(p, 0));
    let inward = [
        (cargo_at(1, -1), own_pipe(plane::EAST, -1)),
        (cargo_at(1, 1), own_pipe(plane::WEST, 1)),
        (cargo_at(0, 0), pipe(above, plane::SOUTH, 0)),
        (cargo_at(2, 0), pipe(below, plane::NORTH, 0)),
    ];
    let diagonals = DIAGONAL.then(|| {
        let out = [plane::NORTH_WEST, plane::NORTH_EAST, plane::SOUTH_WEST, plane::SOUTH_EAST]
            .map(|p| own_pipe(p, 0));
        let inward = [
            (cargo_at(0, -1), pipe(above, plane::SOUTH_EAST, -1)),
            (cargo_at(0, 1), pipe(above, plane::SOUTH_WEST, 1)),
            (cargo_at(2, -1), pipe(below, plane::NORTH_EAST, -1)),
            (cargo_at(2, 1), pipe(below, plane::NORTH_WEST, 1)),
        ];
        (out, inward)
    });
    let own_cargo = cargo_at(1, 0);
    for at in (0..layout.padded).step_by(S::f32s::LEN) {
        let [w, e, n, s] = load_four(simd, out, at);
        let [in_w, in_e, in_n, in_s] = brought(simd, inward, at);
        let mut leaves = (w + e) + (n + s);
        let mut comes = (in_w + in_e) + (in_n + in_s);
        if let Some((out, inward)) = diagonals {
            let [nw, ne, sw, se] = load_four(simd, out, at);
            let [in_nw, in_ne, in_sw, in_se] = brought(simd, inward, at);
            leaves += (nw + se) + (ne + sw);
            comes += (in_nw + in_se) + (in_ne + in_sw);
        }
        let stays = read(simd, sediment, at) - read(simd, own_cargo, at) * leaves;
        write::<S>(stays + comes, sediment, at);
    }
}

/// Sediment that comes through each of four pipes: what every unit of flux carries, times the flux.
#[inline(always)]
fn brought<S: Simd>(simd: S, [a, b, c, d]: [(&[f32], &[f32]); 4], at: usize) -> [S::f32s; 4] {
    [
        read(simd, a.0, at) * read(simd, a.1, at),
        read(simd, b.0, at) * read(simd, b.1, at),
        read(simd, c.0, at) * read(simd, c.1, at),
        read(simd, d.0, at) * read(simd, d.1, at),
    ]
}

/// Semi-Lagrangian (Schmidberger 2024, eqs. 15 and 16): looks up the sediment where the water came from. Outflows are capped by
/// the water that is there, so water never comes from farther than one cell along either axis: with the
/// mean depth (d₁ + d₂)/2 below it, |u| Δt / l ≤ (d₂ + d₁) / (d₁ + d₂) = 1. The nine cells around are
/// enough, and no cell has to be looked up by index.
#[inline(always)]
pub(super) fn semi_lagrangian<S: Simd>(
    simd: S,
    layout: &Layout,
    moved: [&[f32]; 2],
    sediment: Rows,
    out: &mut [f32],
) {
    let layout = &layout.own_copy();
    let at_row = |row: usize| {
        let cells = |by| layout.cells(sediment[row], by);
        [cells(-1), cells(0), cells(1)]
    };
    let (north, middle, south) = (at_row(0), at_row(1), at_row(2));
    let moved = [layout.cells(moved[0], 0), layout.cells(moved[1], 0)];
    let out = layout.cells_mut(out);
    let (zero, one) = (S::f32s::splat(simd, 0.0), S::f32s::splat(simd, 1.0));
    for at in (0..layout.padded).step_by(S::f32s::LEN) {
        let (u, v) = (read(simd, moved[0], at), read(simd, moved[1], at));
        // Linear weights of the cell to either side and of the cell itself, along x and along y.
        let (w, e, stays_x) = (u.max(zero), (-u).max(zero), one - u.abs());
        let (n, s, stays_y) = (v.max(zero), (-v).max(zero), one - v.abs());
        let (nw, nn, ne) = (read(simd, north[0], at), read(simd, north[1], at), read(simd, north[2], at));
        let (ww, cc, ee) = (read(simd, middle[0], at), read(simd, middle[1], at), read(simd, middle[2], at));
        let (sw, ss, se) = (read(simd, south[0], at), read(simd, south[1], at), read(simd, south[2], at));
        let sides = (w * stays_y * ww + e * stays_y * ee) + (n * stays_x * nn + s * stays_x * ss);
        let corners = (n * w * nw + s * e * se) + (n * e * ne + s * w * sw);
        write::<S>((stays_x * stays_y * cc + sides) + corners, out, at);
    }
}
