//! Steps 3 to 7 of Schmidberger 2024 for net flows: what they do to the water, the sediment and the bed of each cell.

use super::super::layout::Layout;
use super::super::row_sums::{Adding, RowSums};
use super::faces::{Around, Own};
use super::plane::EAST;
use super::throttle::own_flows;
use crate::lanes::{read, write};
use crate::pipes::step::Coefficients;
use fearless_simd::{Simd, prelude::*};

/// What else decides how a row's bed changes.
pub(super) struct Setting<'a> {
    /// Sediment that travels through the faces of the row above and of this one.
    pub carried: [Own<'a>; 2],
    /// Fall of the surface along the outflow, or the bed's slope.
    pub slope: &'a [f32],
    /// How easily each cell erodes.
    pub softness: &'a [f32],
    /// 1 for each cell, 0 for the padding behind them.
    pub within: &'a [f32],
}

/// Moves the water of one row (Schmidberger 2024, eqs. 6 to 8) and the sediment in it, exchanges sediment with the bed (eqs. 11 to 14)
/// and evaporates (eq. 17).
///
/// Sediment moves before it is exchanged: then it is spread among the cells as the water is, and no share of it can be above
/// the largest around.
#[inline(always)]
pub(super) fn move_water<S: Simd, const DIAGONAL: bool>(
    simd: S,
    layout: &Layout,
    k: &Coefficients,
    above: &[f32],
    here: &mut [f32],
    setting: &Setting,
) -> RowSums {
    let (own, flows) = here.split_at_mut(EAST * layout.stride);
    let [bed, depth, sediment, rest] = layout.planes_mut::<4>(own).map(|plane| layout.cells_mut(plane));
    let flow = |which: usize| &flows[which * layout.stride..][..layout.stride];
    let flows: Own = if DIAGONAL { [0, 1, 2, 3].map(flow) } else { [flow(0), flow(1), &[], &[]] };
    let flows = Around::new::<DIAGONAL>(layout, own_flows::<DIAGONAL>(layout, above), flows);
    let carried = Around::new::<DIAGONAL>(layout, setting.carried[0], setting.carried[1]);
    let slope = layout.cells(setting.slope, 0);
    let (softness, within) = (&setting.softness[..layout.padded], &setting.within[..layout.padded]);

    let zero = S::f32s::splat(simd, 0.0);
    let one = S::f32s::splat(simd, 1.0);
    let (mut adding, mut deepest) = (Adding::NONE, zero);
    for at in (0..layout.padded).step_by(S::f32s::LEN) {
        let flow = flows.load::<S, DIAGONAL>(simd, at);
        let d2 = read(simd, depth, at) - flow.divergence::<DIAGONAL>() * k.height_per_flux;
        // Evaporation touches the depth alone.
        let kept = d2 * k.evaporation_keeps;
        let d3 = kept.simd_lt(k.dry).select(zero, kept); // what is not a number stays so and is found
        write::<S>(d3, depth, at);
        let s0 = read(simd, sediment, at) - carried.load::<S, DIAGONAL>(simd, at).divergence::<DIAGONAL>();

        // Capacity K_c |v| sin α, growing with the depth up to that of the ramp: K_c q sin α over the larger of the two.
        let [east, south] = flow.through::<DIAGONAL>();
        let t = read(simd, slope, at);
        let t2 = t * t;
        // sin²α = t²/(1 + t²), at least the smallest; one division serves it and the depth.
        let (sin2, per_sin2) = (t2.max((one + t2) * k.min_sin2), one + t2);
        let deep = d2.max(k.ramp_depth);
        let power2 = (east * east + south * south) * sin2 / (per_sin2 * (deep * deep));
        let most = d3 * k.most_load;
        let capacity = (power2.sqrt() * k.capacity_per_flow).min(most);

        // Exchange with the bed; what the water cannot hold at all settles at once.
        let lack = capacity - s0;
        let take = (lack.max(zero) * k.dissolve_share).min(k.dissolve_limit) * read(simd, softness, at);
        let give = ((-lack).max(zero) * k.deposit_share).min(k.deposit_limit).max(s0 - most);
        let s1 = s0 + (take - give);
        write::<S>(s1, sediment, at);
        // What the water, rounded, really gets is what the bed gives, be it less than the bed's height can tell: the rest is kept.
        let taken = s1 - s0;
        let b = read(simd, bed, at);
        let low = read(simd, rest, at) - taken;
        let b1 = b + low;
        write::<S>(b1, bed, at);
        write::<S>(low - (b1 - b), rest, at);

        let counts = read(simd, within, at);
        adding.count(simd, at, [(d2 - d3) * counts, taken.max(zero) * counts]);
        deepest = deepest.max(d3 * counts);
    }
    adding.sums(deepest.reduce_max())
}
