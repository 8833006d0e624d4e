//! Maps of what the bands hold.

use super::Cpu;
use super::band::Band;
use super::layout::{Layout, MARGIN, plane};
use crate::pipes::model::Model;
use crate::pipes::params::Counterflow;
use thalweg_field::{Grid2, band as bands};

impl Cpu {
    /// A grid of what `fill` writes for each row, bands in parallel.
    pub(super) fn grid(&self, fill: impl Fn(&Band, usize, &mut [f32]) + Sync) -> Grid2<f32> {
        let Layout { cols, rows, .. } = self.layout;
        let mut values = vec![0.0; cols * rows];
        let mut rest = values.as_mut_slice();
        let mut parts: Vec<_> = self
            .bands
            .iter()
            .map(|band| {
                let (part, others) = std::mem::take(&mut rest).split_at_mut(band.own.len() * cols);
                rest = others;
                (band, part)
            })
            .collect();
        bands::for_each(&mut parts, |_, (band, part)| {
            for (row, cells) in band.own.clone().zip(part.chunks_exact_mut(cols)) {
                fill(band, row, cells);
            }
        });
        drop(parts);
        Grid2::from_values(cols, rows, values).expect("one value for each cell")
    }

    /// Flux through a cell to the east and to the south, from its pipes and its neighbours'.
    pub(super) fn flow_at(&self, model: &Model, [above, here, below]: [&[f32]; 3], col: usize) -> [f64; 2] {
        let pipe = |row, which, by: isize| {
            f64::from(self.layout.plane(row, which)[(MARGIN + col).wrapping_add_signed(by)])
        };
        let mut east = pipe(here, plane::EAST, -1) - pipe(here, plane::WEST, 1) + pipe(here, plane::EAST, 0)
            - pipe(here, plane::WEST, 0);
        let mut south = pipe(above, plane::SOUTH, 0) - pipe(below, plane::NORTH, 0)
            + pipe(here, plane::SOUTH, 0)
            - pipe(here, plane::NORTH, 0);
        if model.params.neighbours == 8 {
            let out = [plane::NORTH_WEST, plane::NORTH_EAST, plane::SOUTH_WEST, plane::SOUTH_EAST];
            let [nw, ne, sw, se] = out.map(|which| pipe(here, which, 0));
            let (in_nw, in_ne) = (pipe(above, plane::SOUTH_EAST, -1), pipe(above, plane::SOUTH_WEST, 1));
            let (in_sw, in_se) = (pipe(below, plane::NORTH_EAST, -1), pipe(below, plane::NORTH_WEST, 1));
            east += (in_nw + in_sw) - (in_ne + in_se) + (ne + se) - (nw + sw);
            south += (in_nw + in_ne) - (in_sw + in_se) + (sw + se) - (nw + ne);
        }
        // Each flow enters and leaves; a net flow stands in the pipes of both sides besides.
        let counted = if model.params.counterflow == Counterflow::Cancel { 4.0 } else { 2.0 };
        [east / counted, south / counted]
    }
}
