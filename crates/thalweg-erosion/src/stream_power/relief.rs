//! How high the ground will be, and the uplift that makes it as high as it should be.

use super::incision::{Incision, Law};
use super::layout::{Layout, WAY};
use super::order::{Order, Stretch};
use super::params::Params;
use super::power::power;

/// Share of the way to the uplift that is found to be right that is gone in each step: the rivers' network changes with it `[-]`.
const FOLLOW: f64 = 0.25;
/// Uplift is scaled up and down no further `[-]`.
const MOST: f64 = 1.0e3;

/// Height of the highest ground above its outlet once the rivers are steady, as they run now `[m]`. A steady river has
/// K A^m S^n = U + G Q/A (Yuan et al. 2019, eq. 12); no slope is steeper than the critical one.
pub(super) fn expected(
    layout: &Layout,
    order: &Order,
    ways: &[u8],
    incision: &mut Incision,
    (pattern, risen): (&[f32], f64),
    law: &Law,
    params: &Params,
) -> f64 {
    let steepest = params.steepest().unwrap_or(1.0);
    let Incision { area, flow, nodes, lines, .. } = incision;
    let passing = flow.of(area);
    lines.clear();
    lines.resize(order.len(), [0.0; 2]);
    for (here, at, below) in order.stretches().rev().flat_map(|stretch| stretch.drained().rev()) {
        let flux = lines[here][0] + risen * f64::from(pattern[at]);
        lines[here][0] = flux;
        lines[below][0] += flux;
    }
    let mut highest = 0.0_f64;
    for (here, at, below) in order.stretches().flat_map(Stretch::drained) {
        let wears = risen * f64::from(pattern[at]) + law.g * lines[here][0] / f64::from(area[at]);
        // Above the heads of rivers slopes creep, and are not as steep as rivers too small to cut would have to be.
        let head = law.head / f64::from(passing[at]);
        let pull = nodes[at].pull * (1.0 + head * head);
        let fall = (wears.max(0.0) + law.threshold) / pull.max(f64::MIN_POSITIVE);
        let fall = if law.n == 1.0 { fall } else { power(fall.max(f64::MIN_POSITIVE), 1.0 / law.n) };
        let height = lines[below][1] + fall.min(steepest * layout.distance(ways[at] & WAY));
        lines[here][1] = height;
        highest = highest.max(height);
    }
    highest
}

/// Height of the highest ground above the lowest outlet `[m]`.
pub(super) fn present(layout: &Layout, height: &[f64]) -> f64 {
    let lines = (0..layout.rows).map(|row| &height[layout.at(0, row)..][..layout.cols]);
    let highest = lines.flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    highest - layout.outlets().into_iter().map(|at| height[at]).fold(f64::INFINITY, f64::min)
}

/// A gain closer to the one that makes the relief as much larger as is wanted.
pub(super) fn adjusted(gain: f64, larger: f64, n: f64) -> f64 {
    if !(larger.is_finite() && larger > 0.0) {
        return gain;
    }
    (gain * larger.powf(n * FOLLOW)).clamp(1.0 / MOST, MOST)
}
