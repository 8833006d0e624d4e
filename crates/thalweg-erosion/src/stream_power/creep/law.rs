//! How much soil crosses a face.

use fearless_simd::{Simd, prelude::*};

/// Shares of the critical slope up to which the law holds at least and at most `[-]`. Beyond it the flux grows as quickly with the
/// slope as there, then half as quickly: slopes can be a little steeper than the critical one, and stages are not without number.
const LAW_UNTIL: [f64; 2] = [0.92, 0.98];
/// Share of the flux at the foot of a slope up to which the law holds `[-]`: where more soil comes down, the little that is missing
/// of it makes slopes a few hundredths steeper.
const LAW_FOR: f64 = 0.6;
/// What is over 1 keeps stages stable while slopes turn `[-]`.
const MARGIN: f64 = 1.05;

/// The law of Roering et al. 1999 for one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    /// D Δt / cell² `[-]`.
    base: f64,
    /// 1 / (critical slope · cell)² `[1/m²]`; 0 for a linear law.
    bend: f64,
    /// (S/S_c)² = x up to which the law holds; beyond it 1/(1 − x) goes on as most − rest/x, with the same value and turn there.
    cap: f64,
    most: f64,
    rest: f64,
}

impl Law {
    /// The law for a `spread` of diffusivity times time step `[m²]`; `critical` is the steepest slope, if there is one, and
    /// `comes` the soil that comes down to the foot of a slope, over D S_c: what slopes have to carry decides up to where the law must
    /// hold, not cells or steps, so that finer ones give the same slopes.
    pub(super) fn new(cell: f64, spread: f64, critical: Option<f64>, comes: f64) -> Self {
        let base = spread / (cell * cell);
        let bend = critical.map_or(0.0, |critical| (critical * cell).powi(-2));
        // The slope S with S / (1 − S²) = flux.
        let flux = (LAW_FOR * comes).max(f64::MIN_POSITIVE);
        let until = ((1.0 + 4.0 * flux * flux).sqrt() - 1.0) / (2.0 * flux);
        let cap = until.clamp(LAW_UNTIL[0], LAW_UNTIL[1]).powi(2);
        let over = 1.0 / (1.0 - cap);
        Self { base, bend, cap, most: over + over * over * cap, rest: (over * cap).powi(2) }
    }

    /// Stages that make a step together, of which one explicit step is stable up to a quarter of a cell's difference through each
    /// face; `extra` is what spreads beside the soil, where it is most.
    pub(super) fn stages(&self, extra: f64) -> usize {
        let bent = if self.bend > 0.0 { (1.0 + self.cap) / (1.0 - self.cap).powi(2) } else { 1.0 };
        let times = 4.0 * MARGIN * (self.base * bent + extra);
        if times <= 0.0 { 0 } else { (0.5 * (1.0 + 8.0 * times).sqrt() - 0.5).ceil().max(1.0) as usize }
    }

    /// What the square of the difference through a face of common rock is multiplied with to tell the share of the critical slope
    /// `[1/m²]`.
    pub(super) fn bend(&self) -> f32 {
        self.bend as f32
    }

    /// The same for several faces at once.
    #[inline(always)]
    pub(super) fn on<S: Simd>(&self, simd: S) -> Faces<S> {
        let splat = |value: f64| S::f32s::splat(simd, value as f32);
        Faces {
            base: splat(self.base),
            cap: splat(self.cap),
            most: splat(self.base * self.most),
            rest: splat(self.base * self.rest),
            one: splat(1.0),
        }
    }
}

/// The law for several faces at once.
#[derive(Clone, Copy)]
pub(super) struct Faces<S: Simd> {
    base: S::f32s,
    cap: S::f32s,
    most: S::f32s,
    rest: S::f32s,
    one: S::f32s,
}

impl<S: Simd> Faces<S> {
    /// Soil that crosses a face in a step `[m]`; `along` is the difference across the face, `aside` that at right angles, both
    /// over one cell `[m]`; `bend` is what their square is multiplied with, `extra` what spreads beside the soil.
    #[inline(always)]
    pub(super) fn flux(&self, [along, aside]: [S::f32s; 2], bend: S::f32s, extra: S::f32s) -> S::f32s {
        let share = (along * along + aside * aside) * bend;
        let holds = share.simd_lt(self.cap);
        let above = holds.select(self.base, self.most * share - self.rest);
        let below = holds.select(self.one - share, share);
        (above / below + extra) * along
    }
}
