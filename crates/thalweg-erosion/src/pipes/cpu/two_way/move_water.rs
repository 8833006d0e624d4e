//! Steps 3, 4, 5 and 7 of Schmidberger 2024: what the pipes do to the water and the bed of each cell.

use super::super::layout::{Layout, MARGIN};
use super::super::row_sums::RowSums;
use super::carry_sediment::Rows;
use super::plane;
use crate::lanes::{WIDEST, read, write};
use crate::pipes::step::Coefficients;
use fearless_simd::{Simd, prelude::*};

/// Water shallower than this carries nothing away: the sediment for each unit of its outflow would overflow.
const NEXT_TO_NOTHING: f32 = 1.0e-25;

/// What the sediment needs to travel, written by [`move_water`] and read by the carrying stage.
pub(super) struct Load<'a> {
    /// Donor cell: sediment that leaves with each m³/s of outflow. Semi-Lagrangian: the sediment itself.
    pub cargo: &'a mut [f32],
    /// Semi-Lagrangian: cells that the water moved to the east during the step.
    pub moved_east: &'a mut [f32],
    /// Semi-Lagrangian: cells that the water moved to the south.
    pub moved_south: &'a mut [f32],
}

/// Moves the water (Schmidberger 2024, eqs. 6 to 8), takes its velocity (eqs. 9 and 10), exchanges sediment with the bed
/// (eqs. 11 to 14) and evaporates (eq. 17) in one row. `old_bed` are rows of bed before the step: the slope must not see what
/// this step erodes.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // rows of five different things; a struct would only rename them
pub(super) fn move_water<S: Simd, const DIAGONAL: bool, const DONOR: bool>(
    simd: S,
    layout: &Layout,
    k: &Coefficients,
    [above, below]: [&[f32]; 2],
    here: &mut [f32],
    old_bed: Rows,
    [softness, within]: [&[f32]; 2],
    load_out: Load,
) -> RowSums {
    let layout = &layout.own_copy();
    let (own, pipes) = here.split_at_mut(plane::WEST * layout.stride);
    let [bed, depth, sediment] = layout.planes_mut(own);
    let (bed, depth, sediment) = (layout.cells_mut(bed), layout.cells_mut(depth), layout.cells_mut(sediment));
    let pipes = Pipes::new::<DIAGONAL>(layout, [above, pipes, below]);
    let bed_around = around(layout, old_bed);
    let (softness, within) = (&softness[..layout.padded], &within[..layout.padded]);
    let cargo = layout.cells_mut(load_out.cargo);
    let (moved_east, moved_south) =
        (layout.cells_mut(load_out.moved_east), layout.cells_mut(load_out.moved_south));

    let zero = S::f32s::splat(simd, 0.0);
    let one = S::f32s::splat(simd, 1.0);
    let half_per_cell = S::f32s::splat(simd, k.half_per_cell);
    // In as many lanes as the widest vectors have, so that sums do not depend on how wide they are.
    let ([mut evaporated, mut eroded], mut deepest) = ([[0.0; WIDEST]; 2], zero);

    for at in (0..layout.padded).step_by(S::f32s::LEN) {
        // Step 3: water height.
        let d1 = read(simd, depth, at);
        let Flow { out, inflow, east: flow_east, south: flow_south } = pipes.flow(simd, at);
        let d2 = d1 + (inflow - out) * k.height_per_flux;

        // Step 4: velocity. A flow that enters and leaves through opposite faces counts once.
        let mean_depth = (d1 + d2) * 0.5;
        let per_flux = if k.mean_flux {
            S::f32s::splat(simd, 0.5)
        } else {
            mean_depth.simd_gt(k.thin).select(half_per_cell / mean_depth, zero)
        };
        // Step 5: capacity against load. sin²α = t / (1 + t) where t = tan²α.
        let t = {
            let (rise_east, rise_south) = rise(simd, bed_around, at);
            let (grade_east, grade_south) = (rise_east * k.half_per_cell, rise_south * k.half_per_cell);
            grade_east * grade_east + grade_south * grade_south
        };
        let sin2 = (t / (one + t)).max(k.min_sin2);
        let ramp = (d2 * k.per_ramp_depth).min(one);
        // The root does not wait for the depth: it runs beside the division that the speed needs.
        let flow2 = flow_east * flow_east + flow_south * flow_south;
        let capacity = (flow2 * sin2).sqrt() * (per_flux * k.capacity * ramp);
        let b = read(simd, bed, at);
        let s0 = read(simd, sediment, at);
        let Exchanged { bed: b1, sediment: s1, taken } =
            exchange(simd, k, capacity, [b, s0, read(simd, softness, at)]);
        write::<S>(b1, bed, at);

        // Step 7: evaporation. It touches the depth alone, so it need not wait for the sediment.
        let kept = d2 * k.evaporation_keeps;
        let d3 = kept.simd_lt(k.dry).select(zero, kept); // what is not a number stays so and is found
        write::<S>(d3, depth, at);

        let counts = read(simd, within, at);
        let lane = at % WIDEST;
        write::<S>(read(simd, &evaporated, lane) + (d2 - d3) * counts, &mut evaporated, lane);
        write::<S>(read(simd, &eroded, lane) + taken.max(zero) * counts, &mut eroded, lane);
        deepest = deepest.max(d3 * counts);

        if DONOR {
            write::<S>(s1, sediment, at);
            let wet = d1.simd_gt(NEXT_TO_NOTHING);
            write::<S>(wet.select(s1 * k.height_per_flux / d1, zero), cargo, at);
        } else {
            write::<S>(s1, cargo, at);
            let cells_per_flux = per_flux * k.cells_per_speed;
            write::<S>((flow_east * cells_per_flux).max(-1.0).min(1.0), moved_east, at);
            write::<S>((flow_south * cells_per_flux).max(-1.0).min(1.0), moved_south, at);
        }
    }
    RowSums {
        evaporated: evaporated.into_iter().map(f64::from).sum(),
        eroded: eroded.into_iter().map(f64::from).sum(),
        max_depth: deepest.reduce_max(),
    }
}

/// The pipes out of the cells of a row and into them; straight ones in the order west, east, north, south, diagonal ones
/// north-west, north-east, south-west, south-east.
struct Pipes<'a> {
    out: [&'a [f32]; 4],
    inward: [&'a [f32]; 4],
    diagonals: Option<[[&'a [f32]; 4]; 2]>,
}

/// What flows through cells.
struct Flow<S: Simd> {
    out: S::f32s,
    inflow: S::f32s,
    /// Twice the mean to the east and to the south.
    east: S::f32s,
    south: S::f32s,
}

impl<'a> Pipes<'a> {
    /// The pipes of a row, given those planes alone, between the two rows beside it.
    #[inline(always)]
    fn new<const DIAGONAL: bool>(layout: &Layout, [above, here, below]: [&'a [f32]; 3]) -> Self {
        let pipe = |row, which, by| layout.cells(layout.plane(row, which), by);
        let own = |which: usize, by| {
            layout.cells(&here[(which - plane::WEST) * layout.stride..][..layout.stride], by)
        };
        let diagonals = || {
            let out = [plane::NORTH_WEST, plane::NORTH_EAST, plane::SOUTH_WEST, plane::SOUTH_EAST];
            let inward = [
                pipe(above, plane::SOUTH_EAST, -1),
                pipe(above, plane::SOUTH_WEST, 1),
                pipe(below, plane::NORTH_EAST, -1),
                pipe(below, plane::NORTH_WEST, 1),
            ];
            [out.map(|which| own(which, 0)), inward]
        };
        Self {
            out: [own(plane::WEST, 0), own(plane::EAST, 0), own(plane::NORTH, 0), own(plane::SOUTH, 0)],
            inward: [
                own(plane::EAST, -1),
                own(plane::WEST, 1),
                pipe(above, plane::SOUTH, 0),
                pipe(below, plane::NORTH, 0),
            ],
            diagonals: DIAGONAL.then(diagonals),
        }
    }

    /// Sums pair opposite sides, so that a turned terrain gives turned bits.
    #[inline(always)]
    fn flow<S: Simd>(&self, simd: S, at: usize) -> Flow<S> {
        let [w, e, n, s] = load_four(simd, self.out, at);
        let [in_w, in_e, in_n, in_s] = load_four(simd, self.inward, at);
        let mut flow = Flow {
            out: (w + e) + (n + s),
            inflow: (in_w + in_e) + (in_n + in_s),
            east: (in_w - in_e) + (e - w),
            south: (in_n - in_s) + (s - n),
        };
        if let Some([out, inward]) = self.diagonals {
            let [nw, ne, sw, se] = load_four(simd, out, at);
            let [in_nw, in_ne, in_sw, in_se] = load_four(simd, inward, at);
            flow.out += (nw + se) + (ne + sw);
            flow.inflow += (in_nw + in_se) + (in_ne + in_sw);
            // A diagonal pipe moves its water one cell along both axes.
            flow.east += ((in_nw + in_sw) - (in_ne + in_se)) + ((ne + se) - (nw + sw));
            flow.south += ((in_nw + in_ne) - (in_sw + in_se)) + ((sw + se) - (nw + ne));
        }
        flow
    }
}

/// Bed and sediment after water has taken up ground or laid it down, and what it took.
struct Exchanged<S: Simd> {
    bed: S::f32s,
    sediment: S::f32s,
    taken: S::f32s,
}

/// Exchanges sediment between bed and water (Schmidberger 2024, eqs. 12 to 14) that could carry `capacity`.
#[inline(always)]
fn exchange<S: Simd>(
    simd: S,
    k: &Coefficients,
    capacity: S::f32s,
    [bed, sediment, softness]: [S::f32s; 3],
) -> Exchanged<S> {
    let zero = S::f32s::splat(simd, 0.0);
    let lack = capacity - sediment;
    let take = (lack.max(zero) * k.dissolve_share).min(k.dissolve_limit) * softness;
    let give = ((-lack).max(zero) * k.deposit_share).min(k.deposit_limit);
    // What the bed, rounded, really gives is what the water gets: nothing is lost to rounding.
    let mut after = bed - (take - give);
    let mut taken = bed - after;
    let mut carried = sediment + taken;
    let overdrawn = carried.simd_lt(zero);
    if overdrawn.any_true() {
        // Rounding would have the water give more than it has: there nothing happens.
        after = overdrawn.select(bed, after);
        taken = overdrawn.select(zero, taken);
        carried = overdrawn.select(sediment, carried);
    }
    Exchanged { bed: after, sediment: carried, taken }
}

/// One vector of each of four pipes.
#[inline(always)]
pub(super) fn load_four<S: Simd>(simd: S, [a, b, c, d]: [&[f32]; 4], at: usize) -> [S::f32s; 4] {
    [read(simd, a, at), read(simd, b, at), read(simd, c, at), read(simd, d, at)]
}

/// Differences from west to east and from north to south.
#[inline(always)]
fn rise<S: Simd>(simd: S, [west, east, north, south]: [&[f32]; 4], at: usize) -> (S::f32s, S::f32s) {
    (read(simd, east, at) - read(simd, west, at), read(simd, south, at) - read(simd, north, at))
}

/// The cells to the west, east, north and south.
#[inline(always)]
fn around<'a>(layout: &Layout, [above, here, below]: Rows<'a>) -> [&'a [f32]; 4] {
    [layout.cells(here, -1), layout.cells(here, 1), layout.cells(above, 0), layout.cells(below, 0)]
}

/// Copies a plane and continues it level past both ends, for slopes at the edge.
#[inline(always)]
pub(super) fn keep(layout: &Layout, plane: &[f32], into: &mut [f32]) {
    into.copy_from_slice(plane);
    into[MARGIN - 1] = plane[MARGIN];
    into[MARGIN + layout.cols] = plane[MARGIN + layout.cols - 1];
}
