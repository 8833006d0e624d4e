//! Strokes on the ground and the water of a run of pipes.

use super::super::{Canvas, CellPatch, Layer, Patch, Stroke, cannot_paint};
use super::PipesRun;
use crate::project::Complaint;
use thalweg_erosion::pipes::Quantity;
use thalweg_field::{Grid2, Region};

impl PipesRun {
    /// Sets cells of the present pass to what `paint` makes of them, given as metres above the solver's datum: from those it finds the
    /// bits of its own heights again. What is left alone keeps them.
    fn set_cells(
        &mut self,
        layer: Layer,
        region: Region,
        paint: impl FnOnce(&Region, Vec<f64>) -> Vec<f64>,
    ) -> Result<Patch, Complaint> {
        let quantity = quantity(layer)?;
        let unit = self.pipes.params().height_unit.unwrap_or(1.0);
        let metres = |own: &[f32]| own.iter().map(|&own| unit * f64::from(own)).collect::<Vec<_>>();
        let now = self.pipes.cells(quantity, &region);
        let before = metres(&now);
        let painted = paint(&region, before.clone()).into_iter().zip(&before).zip(now);
        let own = |((painted, &before), now): ((f64, &f64), f32)| {
            if painted == before { now } else { (painted / unit) as f32 }
        };
        let own: Vec<_> = painted.map(own).collect();
        let after = metres(&own);
        self.pipes.set_cells(quantity, &region, &own)?;
        let grid = [self.flow.cols(), self.flow.rows()];
        Ok(Patch::Cells(CellPatch { layer, grid, region, before, after }))
    }
}

fn quantity(layer: Layer) -> Result<Quantity, Complaint> {
    match layer {
        Layer::Ground => Ok(Quantity::Bed),
        Layer::Water => Ok(Quantity::Depth),
        Layer::Softness => Err(cannot_paint(layer)),
    }
}

pub(super) fn paint(run: &mut PipesRun, stroke: &Stroke) -> Result<Patch, Complaint> {
    let canvas = Canvas::new(run.flow.cols(), run.flow.rows(), run.pipes.frame());
    let (layer, region) = (stroke.tool.layer(), stroke.region(&canvas));
    let datum = run.pipes.metres(quantity(layer)?, 0.0);
    run.set_cells(layer, region, |region, now| {
        let heights: Vec<_> = now.iter().map(|now| datum + now).collect();
        let painted = stroke.painted(&canvas, region, &heights).into_iter().zip(&heights).zip(now);
        painted
            .map(|((painted, before), now)| if painted == *before { now } else { painted - datum })
            .collect()
    })
}

pub(super) fn repaint(run: &mut PipesRun, patch: &Patch) -> Result<Patch, Complaint> {
    let Patch::Cells(patch) = patch else { return Err(cannot_paint(Layer::Water)) };
    let patch = patch.on_grid([run.flow.cols(), run.flow.rows()]);
    let least = if patch.layer == Layer::Water { 0.0 } else { f64::NEG_INFINITY };
    run.set_cells(patch.layer, patch.region.clone(), |_, now| {
        patch.over(&now).into_iter().map(|value| value.max(least)).collect()
    })
}

pub(super) fn shift_ground(run: &mut PipesRun, by: &Grid2<f32>) -> Result<(), Complaint> {
    let whole = Region { cols: 0..by.cols(), rows: 0..by.rows() };
    let shift = |_: &Region, now: Vec<f64>| {
        now.into_iter().zip(by.values()).map(|(now, &by)| now + f64::from(by)).collect()
    };
    run.set_cells(Layer::Ground, whole, shift).map(drop)
}
