//! Maps of what the bands hold.

use super::Cpu;
use super::band::Band;
use super::layout::{Flows, Layout, MARGIN};
use super::{net, two_way};
use crate::pipes::backend::{FlowsAround, Neighbour};
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

    /// What flows between a cell and its neighbours.
    pub(super) fn flows_around(&self, rows: [&[f32]; 3], col: usize) -> FlowsAround {
        let mut flows = FlowsAround::default();
        let neighbours = Neighbour::around(self.layout.planes > self.layout.flows.planes(false));
        for (flow, to) in flows.0.iter_mut().zip(neighbours) {
            *flow = self.between(rows, col, to.step());
        }
        flows
    }

    /// What flows from a cell to the neighbour so many columns to the east and rows to the south, and what comes from it.
    fn between(&self, [above, here, below]: [&[f32]; 3], col: usize, to: [isize; 2]) -> [f64; 2] {
        let at = |row, which, by: isize| {
            f64::from(self.layout.plane(row, which)[(MARGIN + col).wrapping_add_signed(by)])
        };
        let back = to.map(|by| -by);
        let there = [above, here, below][(1 + to[1]) as usize];
        match self.layout.flows {
            Flows::TwoWay => {
                let [out, inward] = [to, back].map(two_way::plane::toward);
                [at(here, out, 0), at(there, inward, to[0])]
            }
            Flows::Net => {
                let own = net::plane::toward(to).map(|own| at(here, own, 0));
                let theirs = || net::plane::toward(back).map_or(0.0, |theirs| -at(there, theirs, to[0]));
                let net = own.unwrap_or_else(theirs);
                [net.max(0.0), (-net).max(0.0)]
            }
        }
    }
}
