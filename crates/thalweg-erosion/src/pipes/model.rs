//! The terrain and the parameters in the solver's own units.

use super::params::{Params, PipeArea};
use super::step::stable_dt;
use thalweg_field::{Frame, Grid2, Heightfield};

/// What stays the same during a run. Heights in the solver are counted from a datum, in a unit of their own.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub params: Params,
    pub frame: Frame,
    /// Side of a cell in the solver.
    pub cell: f64,
    /// Metres per unit of height in the solver.
    pub unit: f64,
    /// Height that counts as 0 in the solver `[m]`: keeps f32 for the relief instead of the elevation.
    pub datum: f64,
}

impl Model {
    pub(super) fn new(ground: &Heightfield, params: &Params) -> Self {
        Self {
            cell: if params.height_unit.is_some() { 1.0 } else { ground.frame.cell },
            unit: params.height_unit.unwrap_or(1.0),
            datum: datum(&ground.height),
            params: params.clone(),
            frame: ground.frame.clone(),
        }
    }

    /// The longest stable time step on water of some depth `[m]` `[s]`.
    pub(super) fn limit_at(&self, depth: f64) -> f64 {
        let section = match self.params.area {
            PipeArea::Constant => self.params.pipe_area / self.cell,
            PipeArea::Depth => depth / self.unit,
        };
        stable_dt(&self.params, self.cell, (self.params.gravity * section).sqrt())
    }
}

/// Height that counts as 0: heights minus it are exact in f32, and so are heights rebuilt from them.
fn datum(height: &Grid2<f32>) -> f64 {
    let (low, high) = height.range().unwrap_or((0.0, 0.0));
    f64::from(if low > 0.0 {
        low.floor()
    } else if high < 0.0 {
        high.ceil()
    } else {
        0.0
    })
}
