//! A check of all cells: their energy, and numbers gone wild.

use super::Cpu;
use super::band::Band;
use super::layout::plane;
use crate::pipes::backend::Survey;
use crate::pipes::model::Model;
use crate::pipes::params::PipeArea;
use thalweg_field::band as bands;

impl Cpu {
    /// Checks all bands.
    pub(super) fn survey_all(&self, model: &Model, dt: f64) -> Survey {
        let mut surveys: Vec<_> = self.bands.iter().map(|band| (band, Survey::default())).collect();
        bands::for_each(&mut surveys, |_, (band, survey)| {
            for row in band.own.clone() {
                self.survey_row(model, dt, band, row, survey);
            }
        });
        let mut all = Survey::default();
        for (_, mut part) in surveys {
            all.low = all.low.min(part.low);
            all.high = all.high.max(part.high);
            all.weight.append(&mut part.weight);
            all.energy.append(&mut part.energy);
            all.stray_count += part.stray_count;
            all.stray = all.stray.or(part.stray);
        }
        all
    }

    fn survey_row(&self, model: &Model, dt: f64, band: &Band, index: usize, survey: &mut Survey) {
        let rows = self.rows_around(band, index);
        let row = rows[1];
        let [bed, depth, sediment] =
            [plane::BED, plane::DEPTH, plane::SEDIMENT].map(|which| self.cells_of(row, which));
        let (mut weight, mut energy) = (0.0, 0.0);
        for col in 0..self.layout.cols {
            let (b, d) = (bed[col], depth[col]);
            if !(b + d + sediment[col]).is_finite() {
                survey.stray_count += 1;
                survey.stray = survey.stray.or(Some((col, index)));
            }
            survey.low = survey.low.min(b);
            survey.high = survey.high.max(b + d);
            if d > 0.0 {
                let d = f64::from(d);
                let [east, south] = self.flows_around(rows, col).through();
                // The water in a pipe of length l and area A that carries the flux q has ½ρ l q²/A.
                let area = match model.params.area {
                    PipeArea::Constant => model.params.pipe_area,
                    PipeArea::Depth => model.cell * d,
                };
                // Films run dry within a step and leave no depth to divide by: nothing moves faster than a cell
                // in a step.
                let flow2 = east * east + south * south;
                let fastest = area * model.cell / dt;
                let moving = flow2.min(fastest * fastest) / (2.0 * model.params.gravity * model.cell * area);
                weight += d;
                energy += d * (f64::from(b) + 0.5 * d) + moving;
            }
        }
        survey.weight.push(weight);
        survey.energy.push(energy);
    }
}
