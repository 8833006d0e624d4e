//! When things are due: the time step, slipping slopes, and a check of all cells.

use super::error::StepError;
use super::guard::Watch;
use super::model::Model;
use super::params::Params;

/// Steps for which one time step is chosen; the number of steps in a sweep divides it.
pub(super) const CONTROL: u64 = 8;
/// Share of a step that rounding of times may amount to `[-]`.
const ROUNDING: f64 = 1.0e-6;
/// Steps between two checks of the energy and for numbers gone wild.
const CHECK_EVERY: u64 = 256;
/// Share of a cell that water may cross in a step `[-]`. A sheet on a slope carries d^{3/2}, so that its waves run half as fast again,
/// and upwind they are stable up to a whole cell.
const CROSSED: f64 = 0.75;
/// Water for the wave speed of a dry terrain `[m]`: the first rain must not meet a step of a minute.
const SHALLOWEST: f64 = 0.01;

/// How far a run is.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// Steps taken.
    pub step: u64,
    /// Simulated time, and the present time step `[s]`.
    pub time: f64,
    pub dt: f64,
    /// The time step that was chosen when it was last due `[s]`: somebody who makes water deeper meanwhile makes steps
    /// shorter, and who takes that back gets this one again.
    pub chosen_dt: f64,
    /// Deepest water on the terrain `[m]`.
    pub max_depth: f64,
    /// Deepest water when the time step was last chosen `[m]`, which rain is measured by.
    pub rain_depth: f64,
    /// Time in which the fastest water crosses a cell `[s]`; infinite where nothing flows.
    pub crossing: f64,
    /// Time beyond which no step goes `[s]`.
    pub end: f64,
    /// Rain that waits to fall, for each rain.
    pub rain_carry: Vec<f64>,
}

impl Clock {
    /// Before the first step, under so many rains.
    pub(super) fn new(rains: usize) -> Self {
        Self {
            step: 0,
            time: 0.0,
            dt: 0.0,
            chosen_dt: 0.0,
            max_depth: 0.0,
            rain_depth: 0.0,
            crossing: f64::INFINITY,
            end: f64::INFINITY,
            rain_carry: vec![0.0; rains],
        }
    }

    /// Whether the time step is to be chosen anew: every few steps, and where the end comes before the next choice.
    pub(super) fn is_control_due(&self) -> bool {
        self.step.is_multiple_of(CONTROL) || self.steps_to_end() < 1.0 - ROUNDING
    }

    /// Whether no step is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.time >= self.end
    }

    /// Steps as long as the present one until the end.
    fn steps_to_end(&self) -> f64 {
        (self.end - self.time) / self.dt
    }

    /// One step on.
    pub(super) fn advance(&mut self) {
        let is_last = self.steps_to_end() < 1.0 + ROUNDING;
        self.time = if is_last { self.end } else { self.time + self.dt };
    }

    /// Whether slopes slip after the step just taken.
    pub(super) fn is_slip_due(&self, params: &Params) -> bool {
        params.talus && self.to_slip(params) == u64::from(params.talus_every)
    }

    /// Whether all cells are checked after the step just taken.
    pub(super) fn is_check_due(&self) -> bool {
        self.step.is_multiple_of(CHECK_EVERY)
    }

    /// Steps that one sweep takes: it crosses nothing that is due, takes at most `most` steps, and ends at `end`.
    pub(super) fn stride(&self, end: u64, most: usize, params: &Params) -> usize {
        let to_control = CONTROL - self.step % CONTROL;
        let to_slip = if params.talus { self.to_slip(params) } else { u64::MAX };
        let to_end = (self.steps_to_end() - ROUNDING).ceil().max(1.0);
        let steps = (end - self.step).min(to_control).min(to_slip).min(most as u64) as usize;
        if to_end < steps as f64 { to_end as usize } else { steps }
    }

    /// Steps until the next round of slipping.
    fn to_slip(&self, params: &Params) -> u64 {
        let every = u64::from(params.talus_every);
        every - self.step % every
    }

    /// Chooses the time step for water that is `deepest` on the terrain or in a reservoir beside it `[m]`.
    pub(super) fn choose_dt(&mut self, model: &Model, deepest: f64, watch: Watch) -> Result<(), StepError> {
        self.rain_depth = self.max_depth;
        let limit = max_dt(model, deepest);
        let usable = model.params.safety * limit.min(CROSSED * self.crossing);
        self.dt = match model.params.dt {
            Some(dt) if watch == Watch::Full && dt > model.limit_at(deepest) => {
                let (step, depth) = (self.step, deepest);
                return Err(StepError::TooLong { dt, step, depth, limit, suggested: usable });
            }
            Some(dt) => dt,
            None => usable.min(model.params.max_dt),
        };
        // The steps that are left before the end are equally long.
        let left = (self.steps_to_end() - ROUNDING).ceil().max(1.0);
        if left <= CONTROL as f64 {
            self.dt = (self.end - self.time) / left;
        }
        self.chosen_dt = self.dt;
        Ok(())
    }
}

/// The longest stable time step on water so deep `[m]` `[s]`.
pub(super) fn max_dt(model: &Model, deepest: f64) -> f64 {
    model.limit_at(deepest.max(SHALLOWEST))
}
