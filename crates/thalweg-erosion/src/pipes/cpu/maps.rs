//! Maps of what the bands hold.

use super::Cpu;
use super::band::Band;
use super::layout::{Flows, Layout, MARGIN, plane};
use super::{net, two_way};
use crate::pipes::backend::Through;
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

    /// What flows through a cell.
    pub(super) fn through(&self, rows: [&[f32]; 3], col: usize) -> Through {
        let mut through = Through { flow: [0.0; 2], depth: 0.0 };
        let mut all = 0.0;
        for (to, [out, inward]) in self.flows_at(rows, col) {
            for (flow, from, sign) in [(out, [0, 0], 1.0), (inward, to, -1.0)] {
                // Each flow enters and leaves.
                through.flow[0] += 0.5 * sign * flow * to[0] as f64;
                through.flow[1] += 0.5 * sign * flow * to[1] as f64;
                let row = rows[(1 + from[1]) as usize];
                let depth = self.layout.plane(row, plane::DEPTH)[(MARGIN + col).wrapping_add_signed(from[0])];
                through.depth += flow * f64::from(depth);
                all += flow;
            }
        }
        through.depth = if all > 0.0 { through.depth / all } else { 0.0 };
        through
    }

    /// The neighbours of a cell, as columns to the east and rows to the south, with what flows to each and what comes from it.
    fn flows_at(
        &self,
        [above, here, below]: [&[f32]; 3],
        col: usize,
    ) -> impl Iterator<Item = ([isize; 2], [f64; 2])> {
        let diagonal = self.layout.planes > self.layout.flows.planes(false);
        let at = |row, which, by: isize| {
            f64::from(self.layout.plane(row, which)[(MARGIN + col).wrapping_add_signed(by)])
        };
        let straight = [[-1, 0], [1, 0], [0, -1], [0, 1]];
        let corners = [[-1, -1], [1, -1], [-1, 1], [1, 1]];
        let neighbours = straight.into_iter().chain(corners.into_iter().filter(move |_| diagonal));
        let flows: Vec<_> = neighbours
            .map(|to| {
                let flows = match self.layout.flows {
                    Flows::TwoWay => {
                        let out = two_way::plane::toward(to);
                        let back = two_way::plane::toward(to.map(|by| -by));
                        let there = [above, here, below][(1 + to[1]) as usize];
                        [at(here, out, 0), at(there, back, to[0])]
                    }
                    Flows::Net => {
                        let net = match net::plane::toward(to) {
                            Some(own) => at(here, own, 0),
                            None => {
                                let [by, row] = [to[0], to[1]];
                                let theirs = net::plane::toward([-by, -row]).unwrap_or(net::plane::EAST);
                                -at(if row < 0 { above } else { here }, theirs, by)
                            }
                        };
                        [net.max(0.0), (-net).max(0.0)]
                    }
                };
                (to, flows)
            })
            .collect();
        flows.into_iter()
    }
}
