//! Steps 3 to 7 of Schmidberger 2024 for net flows: what they do to the water, the sediment and the bed of each cell.

use super::super::layout::Layout;
use super::super::row_sums::RowSums;
use super::faces::{Around, Own};
use super::plane::EAST;
use super::throttle::own_flows;
use crate::lanes::{LANES, load, store};
use crate::pipes::step::Coefficients;
use fearless_simd::{Simd, f32x8, prelude::*};

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

    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let [mut evaporated, mut eroded, mut deepest] = [zero; 3];
    for at in (0..layout.padded).step_by(LANES) {
        let flow = flows.load::<S, DIAGONAL>(simd, at);
        let d2 = load(simd, depth, at) - flow.divergence::<DIAGONAL>() * k.height_per_flux;
        // Evaporation touches the depth alone.
        let kept = d2 * k.evaporation_keeps;
        let d3 = kept.simd_lt(k.dry).select(zero, kept); // what is not a number stays so and is found
        store(d3, depth, at);
        let s0 = load(simd, sediment, at) - carried.load::<S, DIAGONAL>(simd, at).divergence::<DIAGONAL>();

        // Capacity K_c |v| sin α, growing with the depth up to that of the ramp: K_c q sin α over the larger of the two.
        let [east, south] = flow.through::<DIAGONAL>();
        let t = load(simd, slope, at);
        let t2 = t * t;
        let sin2 = (t2 / (one + t2)).max(k.min_sin2);
        let power = ((east * east + south * south) * sin2).sqrt();
        let most = d3 * k.most_load;
        let capacity = (power * k.capacity_per_flow / d2.max(k.ramp_depth)).min(most);

        // Exchange with the bed; what the water cannot hold at all settles at once.
        let lack = capacity - s0;
        let take = (lack.max(zero) * k.dissolve_share).min(k.dissolve_limit) * load(simd, softness, at);
        let give = ((-lack).max(zero) * k.deposit_share).min(k.deposit_limit).max(s0 - most);
        let s1 = s0 + (take - give);
        store(s1, sediment, at);
        // What the water, rounded, really gets is what the bed gives, be it less than the bed's height can tell: the rest is kept.
        let taken = s1 - s0;
        let b = load(simd, bed, at);
        let low = load(simd, rest, at) - taken;
        let b1 = b + low;
        store(b1, bed, at);
        store(low - (b1 - b), rest, at);

        let counts = load(simd, within, at);
        evaporated += (d2 - d3) * counts;
        eroded += taken.max(zero) * counts;
        deepest = deepest.max(d3 * counts);
    }
    RowSums {
        evaporated: f64::from(evaporated.reduce_sum()),
        eroded: f64::from(eroded.reduce_sum()),
        max_depth: deepest.reduce_max(),
    }
}
