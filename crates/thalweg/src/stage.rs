//! A method that advances a state.

use crate::state::State;
use thalweg_erosion::pipes::{StepError, StepReport};

/// One way in which a state goes on.
pub trait Stage {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// The longest stable time step at present [s].
    fn max_dt(&self, state: &State) -> f64;

    /// Takes `steps` steps, each no longer than is stable.
    fn advance(&self, state: &mut State, steps: u64) -> Result<StepReport, StepError>;
}

/// Virtual pipes: shallow water, sediment, talus.
#[derive(Clone, Copy, Debug, Default)]
pub struct PipesStage;

impl Stage for PipesStage {
    fn name(&self) -> &'static str {
        "pipes"
    }

    fn max_dt(&self, state: &State) -> f64 {
        state.pipes.max_dt()
    }

    fn advance(&self, state: &mut State, steps: u64) -> Result<StepReport, StepError> {
        state.pipes.advance(steps)
    }
}
