//! A method that advances a state.

use crate::state::{Running, State};
use thalweg_coupling as coupling;
use thalweg_erosion::pipes;

/// What a number of steps did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Smallest time step [s].
    pub dt_min: f64,
    /// Largest time step [s].
    pub dt_max: f64,
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// Virtual pipes.
    #[error(transparent)]
    Pipes(#[from] pipes::StepError),
    /// Particles on a bed.
    #[error(transparent)]
    Sph(#[from] coupling::StepError),
    /// The state is that of another method.
    #[error("a run of another method cannot be advanced by \"{stage}\"; use the state's own stage")]
    OtherMethod {
        /// The stage's name.
        stage: &'static str,
    },
}

/// One way in which a state goes on.
pub trait Stage {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// The longest stable time step at present [s]; 0 for a state of another method.
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
        match &state.method {
            Running::Pipes(run) => run.pipes.max_dt(),
            Running::Sph(_) => 0.0,
        }
    }

    fn advance(&self, state: &mut State, steps: u64) -> Result<StepReport, StepError> {
        let Running::Pipes(run) = &mut state.method else {
            return Err(StepError::OtherMethod { stage: self.name() });
        };
        let pipes::StepReport { dt_min, dt_max, .. } = run.pipes.advance(steps)?;
        Ok(StepReport { dt_min, dt_max })
    }
}

/// Particles on a bed: water, boundary, shear erosion, sediment.
#[derive(Clone, Copy, Debug, Default)]
pub struct SphStage;

impl Stage for SphStage {
    fn name(&self) -> &'static str {
        "sph"
    }

    fn max_dt(&self, state: &State) -> f64 {
        match &state.method {
            Running::Sph(run) => run.torrent.max_dt(),
            Running::Pipes(_) => 0.0,
        }
    }

    fn advance(&self, state: &mut State, steps: u64) -> Result<StepReport, StepError> {
        let Running::Sph(run) = &mut state.method else {
            return Err(StepError::OtherMethod { stage: self.name() });
        };
        let coupling::StepReport { dt_min, dt_max, .. } = run.torrent.advance(steps)?;
        Ok(StepReport { dt_min, dt_max })
    }
}
