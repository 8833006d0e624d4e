//! Steps 3, 4, 5 and 7 of Schmidberger 2024: what the pipes do to the water and the bed of each cell.

use super::layout::{LANES, Layout, MARGIN, load, plane, store};
use crate::pipes::step::Coefficients;
use fearless_simd::{Simd, f32x8, mask32x8, prelude::*};

/// What a row adds to the account of a step; heights, to be multiplied by the cell's area.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowSums {
    /// Water evaporated.
    pub evaporated: f64,
    /// Bed taken up.
    pub eroded: f64,
    /// Deepest water.
    pub max_depth: f32,
}

/// Rows of bed before the step: the slope must not see what this step erodes.
pub struct OldBed<'a> {
    pub above: &'a [f32],
    pub here: &'a [f32],
    pub below: &'a [f32],
}

/// What the sediment needs to travel, written by [`move_water`] and read by the carrying stage.
pub struct Load<'a> {
    /// Donor cell: sediment that leaves with each m³/s of outflow. Semi-Lagrangian: the sediment itself.
    pub cargo: &'a mut [f32],
    /// Semi-Lagrangian: cells that the water moved to the east during the step.
    pub moved_east: &'a mut [f32],
    /// Semi-Lagrangian: cells that the water moved to the south.
    pub moved_south: &'a mut [f32],
}

/// Moves the water (eqs. 6 to 8), takes its velocity (eqs. 9 and 10), exchanges sediment with the bed
/// (eqs. 11 to 14) and evaporates (eq. 17) in one row.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // rows of five different things; a struct would only rename them
pub fn move_water<S: Simd, const DIAGONAL: bool, const DONOR: bool>(
    simd: S,
    layout: &Layout,
    k: &Coefficients,
    [above, below]: [&[f32]; 2],
    here: &mut [f32],
    old_bed: &OldBed,
    softness: &[f32],
    load_out: Load,
) -> RowSums {
    let pipe = |row, which, by| layout.cells(layout.plane(row, which), by);
    let (own, pipes) = here.split_at_mut(plane::WEST * layout.stride);
    let own_pipe =
        |which: usize, by| layout.cells(&pipes[(which - plane::WEST) * layout.stride..][..layout.stride], by);
    let [bed, depth, sediment] = layout.planes_mut::<3>(own).map(|plane| layout.cells_mut(plane));

    let (west, east) = (own_pipe(plane::WEST, 0), own_pipe(plane::EAST, 0));
    let (north, south) = (own_pipe(plane::NORTH, 0), own_pipe(plane::SOUTH, 0));
    let (from_west, from_east) = (own_pipe(plane::EAST, -1), own_pipe(plane::WEST, 1));
    let (from_north, from_south) = (pipe(above, plane::SOUTH, 0), pipe(below, plane::NORTH, 0));
    let diagonals = DIAGONAL.then(|| Diagonals {
        out: [plane::NORTH_WEST, plane::NORTH_EAST, plane::SOUTH_WEST, plane::SOUTH_EAST]
            .map(|p| own_pipe(p, 0)),
        inward: [
            pipe(above, plane::SOUTH_EAST, -1),
            pipe(above, plane::SOUTH_WEST, 1),
            pipe(below, plane::NORTH_EAST, -1),
            pipe(below, plane::NORTH_WEST, 1),
        ],
    });
    let (bed_west, bed_east) = (layout.cells(old_bed.here, -1), layout.cells(old_bed.here, 1));
    let (bed_north, bed_south) = (layout.cells(old_bed.above, 0), layout.cells(old_bed.below, 0));
    let softness = &softness[..layout.padded];
    let cargo = layout.cells_mut(load_out.cargo);
    let (moved_east, moved_south) =
        (layout.cells_mut(load_out.moved_east), layout.cells_mut(load_out.moved_south));

    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let all: mask32x8<S> = zero.simd_eq(zero);
    let tail = layout.cols - (layout.padded - LANES);
    let last: mask32x8<S> = f32x8::from_fn(simd, |lane| lane as f32).simd_lt(tail as f32);
    let [mut evaporated, mut eroded, mut deepest] = [zero; 3];

    for at in (0..layout.padded).step_by(LANES) {
        let within = if at + LANES < layout.padded { all } else { last };
        // Step 3: water height. The sums pair opposite sides, so that a turned terrain gives turned bits.
        let d1 = load(simd, depth, at);
        let (w, e) = (load(simd, west, at), load(simd, east, at));
        let (n, s) = (load(simd, north, at), load(simd, south, at));
        let (in_w, in_e) = (load(simd, from_west, at), load(simd, from_east, at));
        let (in_n, in_s) = (load(simd, from_north, at), load(simd, from_south, at));
        let mut out = (w + e) + (n + s);
        let mut inflow = (in_w + in_e) + (in_n + in_s);
        let mut flow_east = (in_w - in_e) + (e - w);
        let mut flow_south = (in_n - in_s) + (s - n);
        if let Some(diagonals) = &diagonals {
            let [nw, ne, sw, se] = diagonals.out.map(|pipe| load(simd, pipe, at));
            let [in_nw, in_ne, in_sw, in_se] = diagonals.inward.map(|pipe| load(simd, pipe, at));
            out = out + ((nw + se) + (ne + sw));
            inflow = inflow + ((in_nw + in_se) + (in_ne + in_sw));
            // A diagonal pipe moves its water one cell along both axes.
            flow_east = flow_east + (((in_nw + in_sw) - (in_ne + in_se)) + ((ne + se) - (nw + sw)));
            flow_south = flow_south + (((in_nw + in_ne) - (in_sw + in_se)) + ((sw + se) - (nw + ne)));
        }
        let d2 = d1 + k.height_per_flux * (inflow - out);

        // Step 4: velocity. A flow that enters and leaves through opposite faces counts once.
        let mean_depth = (d1 + d2) * 0.5;
        let per_flux = if k.mean_flux {
            f32x8::splat(simd, 0.5)
        } else {
            mean_depth.simd_gt(k.thin).select(k.half_per_cell / mean_depth, zero)
        };
        let (u, v) = (flow_east * per_flux, flow_south * per_flux);

        // Step 5: capacity against load. sin²α = t / (1 + t) where t = tan²α.
        let grade_east = (load(simd, bed_east, at) - load(simd, bed_west, at)) * k.half_per_cell;
        let grade_south = (load(simd, bed_south, at) - load(simd, bed_north, at)) * k.half_per_cell;
        let t = grade_east * grade_east + grade_south * grade_south;
        let sin2 = (t / (one + t)).max(k.min_sin2);
        let ramp = (d2 * k.per_ramp_depth).min(one);
        let capacity = k.capacity * ((u * u + v * v) * sin2).sqrt() * ramp;
        let b = load(simd, bed, at);
        let s0 = load(simd, sediment, at);
        let lack = capacity - s0;
        let take = (lack.max(zero) * k.dissolve_share).min(k.dissolve_limit) * load(simd, softness, at);
        let give = ((-lack).max(zero) * k.deposit_share).min(k.deposit_limit);
        let b1 = b - (take - give);
        // What the bed, rounded, really gave is what the water carries: nothing is lost to rounding. Where
        // rounding would have the water give more than it has, nothing happens.
        let taken = b - b1;
        let s1 = s0 + taken;
        let fine = s1.simd_ge(zero);
        let b1 = fine.select(b1, b);
        let s1 = fine.select(s1, s0);
        store(b1, bed, at);

        // Step 7: evaporation. It touches the depth alone, so it need not wait for the sediment.
        let kept = d2 * k.evaporation_keeps;
        let d3 = kept.simd_lt(k.dry).select(zero, kept); // what is not a number stays so and is found
        store(d3, depth, at);

        evaporated = evaporated + within.select(d2 - d3, zero);
        eroded = eroded + within.select(fine.select(taken.max(zero), zero), zero);
        deepest = deepest.max(within.select(d3, zero));

        if DONOR {
            store(s1, sediment, at);
            let wet = d1.simd_gt(zero);
            store(wet.select(s1 * k.height_per_flux / d1, zero), cargo, at);
        } else {
            store(s1, cargo, at);
            store((u * k.cells_per_speed).max(-1.0).min(1.0), moved_east, at);
            store((v * k.cells_per_speed).max(-1.0).min(1.0), moved_south, at);
        }
    }
    RowSums {
        evaporated: f64::from(evaporated.reduce_sum()),
        eroded: f64::from(eroded.reduce_sum()),
        max_depth: deepest.reduce_max(),
    }
}

/// Diagonal pipes, in the order north-west, north-east, south-west, south-east.
struct Diagonals<'a> {
    out: [&'a [f32]; 4],
    inward: [&'a [f32]; 4],
}

/// Copies a row of bed and continues it level past both ends, for slopes at the edge.
#[inline(always)]
pub fn keep_bed(layout: &Layout, bed: &[f32], into: &mut [f32]) {
    into.copy_from_slice(bed);
    into[MARGIN - 1] = bed[MARGIN];
    into[MARGIN + layout.cols] = bed[MARGIN + layout.cols - 1];
}
