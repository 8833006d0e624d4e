//! Cells and accounts as plain numbers, and back.

use super::Cpu;
use super::band::exchange_halos;
use super::layout::{Flows, MARGIN, plane};
use super::{net, two_way};
use crate::pipes::backend::Account;
use std::ops::RangeInclusive;
use thalweg_field::range::{FINITE_F32, all_within};

/// Depths that are nothing but for rounding may lie a little below 0 `[m]`.
const WITH_DUST: RangeInclusive<f64> = -1.0e-3..=f32::MAX as f64;

/// Cells of margin on either side of a plane, as they are saved; beyond it there is never anything.
const SAVED_MARGIN: usize = 16;
/// Cells of margin that are not saved, on either side.
const BEYOND: usize = MARGIN - SAVED_MARGIN;

impl Cpu {
    /// Values in a plane of one row, as it is saved, and in a row.
    fn saved_stride(&self) -> usize {
        self.layout.stride - 2 * BEYOND
    }

    fn saved_row_len(&self) -> usize {
        self.layout.planes * self.saved_stride()
    }

    /// The rows' accounts, five numbers each.
    pub(crate) fn save_accounts(&self) -> Vec<f64> {
        let accounts = self.bands.iter().flat_map(|band| &band.accounts);
        let numbers =
            accounts.flat_map(|a| [a.evaporated, a.eroded, a.exported, a.imported, a.exported_sediment]);
        numbers.collect()
    }

    /// Whether cells and accounts are as many as those here.
    pub(crate) fn fits(&self, cells: &[f32], accounts: &[f64]) -> bool {
        let (accounts, rest) = accounts.as_chunks::<5>();
        cells.len() == self.saved_row_len() * (self.layout.rows + 2)
            && accounts.len() == self.layout.rows
            && rest.is_empty()
    }

    /// Cells as version 0.1 saved them: net flows stood in the pipes of both sides, and beds were one number.
    pub(crate) fn of_version_0_1(&self, cells: &[f32]) -> Option<Vec<f32>> {
        let (layout, stride, row_len) = (&self.layout, self.saved_stride(), self.saved_row_len());
        let old = two_way::planes(layout.planes == net::planes(true)) * stride;
        if layout.flows != Flows::Net || cells.len() != old * (layout.rows + 2) {
            return None;
        }
        let mut new = vec![0.0; row_len * (layout.rows + 2)];
        for (new, old) in new.chunks_mut(row_len).zip(cells.chunks(old)) {
            let flows = [
                (net::plane::EAST, two_way::plane::EAST),
                (net::plane::SOUTH, two_way::plane::SOUTH),
                (net::plane::SOUTH_EAST, two_way::plane::SOUTH_EAST),
                (net::plane::SOUTH_WEST, two_way::plane::SOUTH_WEST),
            ];
            let same = [plane::BED, plane::DEPTH, plane::SEDIMENT].map(|which| (which, which));
            for (to, from) in same.into_iter().chain(flows).filter(|(to, _)| *to < layout.planes) {
                new[to * stride..][..stride].copy_from_slice(&old[from * stride..][..stride]);
            }
        }
        Some(new)
    }

    /// Refuses cells that no run can have. Whatever is beyond the edges is made from what is within.
    pub(crate) fn check_cells(&self, cells: &[f32]) -> Result<(), String> {
        for (row, cells) in cells.chunks(self.saved_row_len()).skip(1).take(self.layout.rows).enumerate() {
            for (which, plane) in cells.chunks(self.saved_stride()).enumerate() {
                let (name, range) = match which {
                    plane::BED => ("height of the bed", &FINITE_F32),
                    plane::DEPTH => ("depth of the water", &WITH_DUST),
                    plane::SEDIMENT => ("sediment", &WITH_DUST),
                    _ => ("flow", &FINITE_F32),
                };
                let cells = &plane[SAVED_MARGIN..][..self.layout.cols];
                all_within(&format!("{name} in row {row}, cell"), cells, range)?;
            }
        }
        Ok(())
    }

    /// Takes up cells and accounts that fit.
    pub(crate) fn restore(&mut self, cells: &[f32], accounts: &[f64]) {
        let rows = self.bands.iter_mut().flat_map(|band| &mut band.accounts);
        let (accounts, _) = accounts.as_chunks::<5>();
        for (row, &[evaporated, eroded, exported, imported, exported_sediment]) in rows.zip(accounts) {
            *row = Account { evaporated, eroded, exported, imported, exported_sediment };
        }
        self.set_rows_with_ghosts(cells);
    }

    /// Rows of the state, ghosts and margins included.
    pub(crate) fn save_cells(&self) -> Vec<f32> {
        let rows = -1..=self.layout.rows as isize;
        let holder = |row: isize| {
            let row = row.clamp(0, self.layout.rows as isize - 1) as usize;
            self.bands.iter().find(|band| band.own.contains(&row)).expect("every row lies in a band")
        };
        let planes = |row: isize| holder(row).row(&self.layout, row).chunks(self.layout.stride);
        rows.flat_map(|row| planes(row).flat_map(|plane| &plane[BEYOND..][..self.saved_stride()]))
            .copied()
            .collect()
    }

    fn set_rows_with_ghosts(&mut self, cells: &[f32]) {
        let rows = self.layout.rows as isize;
        let (stride, len) = (self.saved_stride(), self.saved_row_len());
        for band in &mut self.bands {
            let first = if band.own.start == 0 { -1 } else { band.own.start as isize };
            let end = if band.own.end == self.layout.rows { rows + 1 } else { band.own.end as isize };
            for row in first..end {
                let saved = cells[(row + 1) as usize * len..][..len].chunks(stride);
                let planes = band.row_mut(&self.layout, row).chunks_mut(self.layout.stride);
                for (plane, saved) in planes.zip(saved) {
                    plane[BEYOND..][..stride].copy_from_slice(saved);
                }
            }
        }
        exchange_halos(&self.layout, &mut self.bands);
    }
}
