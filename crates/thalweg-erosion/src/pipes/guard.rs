//! Watching a run: numbers gone wild, and water with more energy than was ever put into it.

use super::backend::{Account, Survey};
use super::error::StepError;
use super::model::Model;
use super::schedule::Clock;

/// Growth of the energy beyond what was put in that still counts as right `[-]`. Pipes carry momentum but not along with
/// the water, which heaps at the front of a frictionless dam break: by up to 0.16 in random scenes. Sloshing that is
/// unstable passes any bound.
const ENERGY_SLACK: f64 = 0.3;

/// What is watched during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    /// The time step and the energy.
    Full,
    /// The energy alone.
    Energy,
    /// Neither, to study instability itself.
    Off,
}

/// How much energy the water may have, in the solver's heights times weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub watch: Watch,
    /// Energy of the water at the beginning and all that was added since.
    pub energy_in: f64,
    pub added_at_last_check: f64,
    pub eroded_at_last_check: f64,
    /// Lowest bed so far, in the solver's heights.
    pub lowest: f32,
}

impl Guard {
    /// For water as it is at the beginning.
    pub(super) fn new(start: &Survey) -> Self {
        Self {
            watch: Watch::Full,
            energy_in: start.energy_above_lowest(),
            added_at_last_check: 0.0,
            eroded_at_last_check: 0.0,
            lowest: start.low,
        }
    }

    /// Begins to watch anew, for water that somebody has changed; `added` is all that rained and sprang.
    pub(super) fn begin_again(&mut self, now: &Survey, account: &Account, added: f64) {
        self.energy_in = now.energy_above_lowest();
        self.added_at_last_check = added + account.imported;
        self.eroded_at_last_check = account.eroded;
        self.lowest = now.low;
    }

    /// Stops a run whose numbers have gone wild, or whose water has more energy than was put into it; `added` is all that
    /// rained and sprang.
    pub(super) fn check(
        &mut self,
        model: &Model,
        clock: &Clock,
        survey: &Survey,
        account: &Account,
        added: f64,
    ) -> Result<(), StepError> {
        let (step, time, dt) = (clock.step, clock.time, clock.dt);
        if let Some((col, row)) = survey.stray {
            return Err(StepError::NotFinite { count: survey.stray_count, step, time, col, row });
        }
        // Water can bring no more than its weight times the height of the highest surface.
        let added = added + account.imported;
        self.energy_in += (added - self.added_at_last_check) * f64::from(survey.high - survey.low);
        self.added_at_last_check = added;
        // What was eroded settles somewhere, and lifts the water there by at most the deepest water.
        self.energy_in += (account.eroded - self.eroded_at_last_check) * clock.max_depth / model.unit;
        self.eroded_at_last_check = account.eroded;
        // Heights are counted from the lowest bed; where that sinks, all water stands higher above it.
        let sunk = f64::from(self.lowest - survey.low).max(0.0);
        self.energy_in += sunk * survey.weight.iter().sum::<f64>();
        self.lowest = self.lowest.min(survey.low);
        let ratio = survey.energy_above_lowest() / self.energy_in;
        if self.watch != Watch::Off && ratio > 1.0 + ENERGY_SLACK {
            return Err(StepError::Sloshing { ratio, step, time, safety: model.params.safety, dt });
        }
        Ok(())
    }
}
