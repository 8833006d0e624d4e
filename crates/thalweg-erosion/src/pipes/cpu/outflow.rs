//! Step 2 of Schmidberger 2024: the outflow through the pipes of each cell.

use super::layout::{LANES, Layout, load, plane, store};
use crate::pipes::step::Coefficients;
use fearless_simd::{Simd, f32x8, prelude::*};

/// Accelerates the pipes of one row by the drop of the water surface (eqs. 2 and 4), then caps them by the
/// water that is there (eqs. 3 and 5). With `DIAGONAL` there are eight pipes, with `DRAG` the bed holds
/// the water back.
#[inline(always)]
pub fn outflow<S: Simd, const DIAGONAL: bool, const DRAG: bool>(
    simd: S,
    layout: &Layout,
    k: &Coefficients,
    [above, below]: [&[f32]; 2],
    here: &mut [f32],
) {
    let neighbour = |row, by| {
        let (bed, depth) = (layout.plane(row, plane::BED), layout.plane(row, plane::DEPTH));
        (layout.cells(bed, by), layout.cells(depth, by))
    };
    let (own, pipes) = here.split_at_mut(plane::WEST * layout.stride);
    let (bed, depth) = neighbour(own, 0);
    let (to_west, to_east) = (neighbour(own, -1), neighbour(own, 1));
    let (to_north, to_south) = (neighbour(above, 0), neighbour(below, 0));
    let (to_north_west, to_north_east) = (neighbour(above, -1), neighbour(above, 1));
    let (to_south_west, to_south_east) = (neighbour(below, -1), neighbour(below, 1));
    let mut pipes = pipes.chunks_exact_mut(layout.stride);
    let mut pipe = || layout.cells_mut(pipes.next().expect("a row holds all its pipes"));
    let [west, east, north, south] = [pipe(), pipe(), pipe(), pipe()];
    let mut diagonals = if DIAGONAL { Some([pipe(), pipe(), pipe(), pipe()]) } else { None };

    let zero = f32x8::splat(simd, 0.0);
    for at in (0..layout.padded).step_by(LANES) {
        let (b, d) = (load(simd, bed, at), load(simd, depth, at));
        let mut flux = [&*west, east, north, south].map(|pipe| load(simd, pipe, at));
        let mut flux_diagonal = [zero; 4];
        if let Some(pipes) = &diagonals {
            flux_diagonal = std::array::from_fn(|i| load(simd, pipes[i], at));
        }
        // Differences of bed and of depth are taken apart: on a high mountain the level itself, as one
        // number, could not resolve a film of rain.
        let drop = |(bed, depth): (&[f32], &[f32])| (b - load(simd, bed, at)) + (d - load(simd, depth, at));

        let push = k.push + k.push_per_depth * d;
        let mut keep = f32x8::splat(simd, 1.0);
        if DRAG {
            // Quadratic drag, taken implicitly so that thin water stops instead of turning back.
            let [w, e, n, s] = flux;
            let [nw, ne, sw, se] = flux_diagonal;
            let (east, south) = ((e - w) + ((ne + se) - (nw + sw)), (s - n) + ((sw + se) - (nw + ne)));
            let flow = (east * east + south * south).sqrt();
            keep = keep / (1.0 + k.drag * flow / (d * d).max(k.thin_squared));
        }
        let accelerated =
            |flux: f32x8<S>, push: f32x8<S>, drop: f32x8<S>| ((flux + push * drop) * keep).max(zero);
        flux = [
            accelerated(flux[0], push, drop(to_west)),
            accelerated(flux[1], push, drop(to_east)),
            accelerated(flux[2], push, drop(to_north)),
            accelerated(flux[3], push, drop(to_south)),
        ];
        let mut out = (flux[0] + flux[1]) + (flux[2] + flux[3]);
        if DIAGONAL {
            let push = push * k.diagonal_push;
            flux_diagonal = [
                accelerated(flux_diagonal[0], push, drop(to_north_west)),
                accelerated(flux_diagonal[1], push, drop(to_north_east)),
                accelerated(flux_diagonal[2], push, drop(to_south_west)),
                accelerated(flux_diagonal[3], push, drop(to_south_east)),
            ];
            let [nw, ne, sw, se] = flux_diagonal;
            out = out + ((nw + se) + (ne + sw));
        }

        // Eq. 3 with the cell's area, and a hair less, so that rounding cannot take more than there is.
        let share = (d * k.all_of_it) / (out * k.height_per_flux);
        let limited = share.simd_lt(1.0);
        let cap = limited.select(share, f32x8::splat(simd, 1.0));
        for (pipe, flux) in [&mut *west, &mut *east, &mut *north, &mut *south].into_iter().zip(flux) {
            store(flux * cap, pipe, at);
        }
        if let Some(pipes) = &mut diagonals {
            for (pipe, flux) in pipes.iter_mut().zip(flux_diagonal) {
                store(flux * cap, pipe, at);
            }
        }
    }
}
