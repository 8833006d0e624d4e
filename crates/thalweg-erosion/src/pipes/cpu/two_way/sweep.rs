//! One pass down a band that takes several steps.

use super::super::add_water::add_water;
use super::super::band::Band;
use super::super::edges::{set_ends, set_outer_row};
use super::super::layout::{
    Layout, Lines, MARGIN,
    plane::{BED, SEDIMENT},
};
use super::super::{Pass, Scratch};
use super::carry_sediment::{donor_cell, semi_lagrangian};
use super::edge_pipes::{end_inflows, finish_ends, outer_row_inflow, outflow_over_edges};
use super::move_water::{Load, keep, move_water};
use super::outflow::{Gain, outflow};
use super::{REACH, plane};
use fearless_simd::{Level, Simd, dispatch};

/// Scratch of one of the steps in flight; rows are found by their number modulo the ring's length.
#[derive(Clone, Debug)]
pub(in super::super) struct InFlight {
    /// The bed before the step changed it.
    old_bed: [Lines; 2],
    cargo: [Lines; 3],
    moved_east: [Lines; 2],
    moved_south: [Lines; 2],
}

impl InFlight {
    pub(in super::super) fn new(layout: &Layout) -> Self {
        let row = || Lines::new(layout.stride, 0.0);
        Self {
            old_bed: [row(), row()],
            cargo: [row(), row(), row()],
            moved_east: [row(), row()],
            moved_south: [row(), row()],
        }
    }
}

/// What all bands share during a sweep.
pub(in super::super) struct Sweep<'a> {
    pub pass: Pass<'a>,
    /// How much wider the pipes to the north and to the south are in each column.
    pub gain_along_columns: &'a [f32],
    pub choice: Choice,
}

/// Which of the compiled variants runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Choice {
    pub diagonal: bool,
    /// With pipes as deep as the water.
    pub deep: bool,
    pub donor: bool,
}

impl Sweep<'_> {
    /// Takes all steps in one band, with the widest vectors this machine has.
    pub(in super::super) fn run(&self, level: Level, band: &mut Band) {
        match (self.choice.diagonal, self.choice.deep, self.choice.donor) {
            (false, false, false) => self.run_as::<false, false, false>(level, band),
            (false, false, true) => self.run_as::<false, false, true>(level, band),
            (false, true, false) => self.run_as::<false, true, false>(level, band),
            (false, true, true) => self.run_as::<false, true, true>(level, band),
            (true, false, false) => self.run_as::<true, false, false>(level, band),
            (true, false, true) => self.run_as::<true, false, true>(level, band),
            (true, true, false) => self.run_as::<true, true, false>(level, band),
            (true, true, true) => self.run_as::<true, true, true>(level, band),
        }
    }

    fn run_as<const DIAGONAL: bool, const DEEP: bool, const DONOR: bool>(
        &self,
        level: Level,
        band: &mut Band,
    ) {
        dispatch!(level, simd => self.go_down::<_, DIAGONAL, DEEP, DONOR>(simd, band));
    }

    #[inline(always)]
    fn go_down<S: Simd, const DIAGONAL: bool, const DEEP: bool, const DONOR: bool>(
        &self,
        simd: S,
        band: &mut Band,
    ) {
        let steps = self.pass.wettings.len();
        let own = band.own.start as isize..band.own.end as isize;
        let rows = self.pass.layout.rows as isize;
        let Scratch::TwoWay(mut in_flight) = std::mem::take(&mut band.scratch) else {
            unreachable!("bands are made for the flows that the model has");
        };
        band.max_depth = 0.0;
        let top = own.start - (REACH * steps) as isize;
        let bottom = own.end + (REACH * (2 * steps + 1)) as isize;
        for front in top..bottom {
            for (step, flight) in in_flight[..steps].iter_mut().enumerate() {
                // Later steps follow three rows behind the earlier; the halo they can still use shrinks.
                let lead = front - (REACH * step) as isize;
                let ahead = (REACH * (steps - 1 - step)) as isize;
                let reaches = |row: isize, beyond: isize| {
                    row >= (own.start - ahead - beyond).max(0) && row < (own.end + ahead + beyond).min(rows)
                };
                let stages =
                    [reaches(lead, 3), reaches(lead - 1, 2), reaches(lead - 2, 1), reaches(lead - 3, 0)];
                if stages[0] {
                    self.add_water(simd, band, step, lead);
                }
                if stages[1] {
                    self.outflow::<S, DIAGONAL, DEEP>(simd, band, lead - 1);
                }
                if stages[2] {
                    // The first row finds no bed kept by the row before; the last step's depth sets the next Δt.
                    let first_last = [!reaches(lead - 3, 1), step + 1 == steps];
                    self.move_water::<S, DIAGONAL, DONOR>(simd, band, flight, first_last, lead - 2);
                }
                if stages[3] {
                    self.carry_sediment::<S, DIAGONAL, DONOR>(simd, band, flight, lead - 3);
                }
            }
        }
        band.scratch = Scratch::TwoWay(in_flight);
    }

    #[inline(always)]
    fn add_water<S: Simd>(&self, simd: S, band: &mut Band, step: usize, row: isize) {
        let Pass { layout, supply, wettings, rims, .. } = &self.pass;
        let here = band.row_mut(layout, row);
        let drained = add_water(simd, layout, supply, &wettings[step], row as usize, here);
        set_ends(layout, rims, here);
        if let Some(account) = band.account(row) {
            account.exported += drained;
        }
    }

    #[inline(always)]
    fn outflow<S: Simd, const DIAGONAL: bool, const DEEP: bool>(&self, simd: S, band: &mut Band, row: isize) {
        let Pass { layout, coefficients: k, rims, height_per_flux, .. } = &self.pass;
        let (at_north, at_south) = (row == 0, row + 1 == layout.rows as isize);
        let [above, here, below] = band.three_rows_mut(layout, row);
        if at_north {
            set_outer_row(layout, rims, rims.north, above, here, if at_south { here } else { below });
        }
        if at_south {
            set_outer_row(layout, rims, rims.south, below, here, if at_north { here } else { above });
        }
        let before = end_inflows(layout, here);
        let gain =
            Gain { along_row: rims.gain_along_row(layout, row), along_columns: self.gain_along_columns };
        outflow::<S, DIAGONAL, DEEP>(simd, layout, k, &gain, [above, below], here);
        let mut imported = finish_ends(layout, rims, k, before, here);
        if at_north {
            imported += outer_row_inflow(layout, rims.north, k, plane::SOUTH, above, here);
        }
        if at_south {
            imported += outer_row_inflow(layout, rims.south, k, plane::NORTH, below, here);
        }
        let exported =
            if rims.closed() { 0.0 } else { outflow_over_edges(layout, row as usize, here, |_| 1.0) };
        if let Some(account) = band.account(row) {
            account.imported += imported * height_per_flux;
            account.exported += exported * height_per_flux;
        }
    }

    #[inline(always)]
    fn move_water<S: Simd, const DIAGONAL: bool, const DONOR: bool>(
        &self,
        simd: S,
        band: &mut Band,
        flight: &mut InFlight,
        [first, last]: [bool; 2],
        row: isize,
    ) {
        let Pass { layout, coefficients: k, softness, ordinary, within, .. } = &self.pass;
        let index = row as usize;
        let [above, here, below] = band.three_rows_mut(layout, row);
        keep(layout, layout.plane(here, BED), &mut flight.old_bed[index % 2]);
        if first {
            keep(layout, layout.plane(above, BED), &mut flight.old_bed[(index + 1) % 2]);
        }
        let below_bed = (index + 1 < layout.rows).then(|| layout.plane(below, BED));
        let old_bed = three_rows(&flight.old_bed, index, below_bed);
        let softness = softness.map_or(*ordinary, |softness| softness.row(index));
        let load = Load {
            cargo: &mut flight.cargo[index % 3],
            moved_east: &mut flight.moved_east[index % 2],
            moved_south: &mut flight.moved_south[index % 2],
        };
        let beside = [&*above, &*below];
        let sums = move_water::<S, DIAGONAL, DONOR>(
            simd,
            layout,
            k,
            beside,
            here,
            old_bed,
            [softness, within],
            load,
        );
        if let Some(account) = band.account(row) {
            account.evaporated += sums.evaporated;
            account.eroded += sums.eroded;
            if last {
                band.max_depth = band.max_depth.max(sums.max_depth);
            }
        }
        // Beyond the ends there is nothing to carry; a look-up finds the edge cell's load.
        let cargo = &mut flight.cargo[index % 3];
        let (first, last) = (MARGIN, MARGIN + layout.cols - 1);
        cargo[first - 1] = if DONOR { 0.0 } else { cargo[first] };
        cargo[last + 1] = if DONOR { 0.0 } else { cargo[last] };
        if row == 0 {
            copy_cargo::<DONOR>(&mut flight.cargo, 0, 2);
        }
    }

    #[inline(always)]
    fn carry_sediment<S: Simd, const DIAGONAL: bool, const DONOR: bool>(
        &self,
        simd: S,
        band: &mut Band,
        flight: &mut InFlight,
        row: isize,
    ) {
        let Pass { layout, rims, .. } = &self.pass;
        let index = row as usize;
        if index + 1 == layout.rows {
            copy_cargo::<DONOR>(&mut flight.cargo, index % 3, (index + 1) % 3);
        }
        let cargo = [(index + 2) % 3, index % 3, (index + 1) % 3].map(|i| &*flight.cargo[i]);
        let [above, here, below] = band.three_rows_mut(layout, row);
        if DONOR {
            donor_cell::<S, DIAGONAL>(simd, layout, [above, below], here, cargo);
            if !rims.closed() {
                let exported = outflow_over_edges(layout, index, here, |col| cargo[1][MARGIN + col]);
                if let Some(account) = band.account(row) {
                    account.exported_sediment += exported;
                }
            }
        } else {
            let moved = [&*flight.moved_east[index % 2], &*flight.moved_south[index % 2]];
            semi_lagrangian(simd, layout, moved, cargo, layout.plane_mut(here, SEDIMENT));
        }
    }
}

/// A kept row between the one kept before and the one below; where the terrain ends the edge row continues.
#[inline(always)]
fn three_rows<'a>(kept: &'a [Lines; 2], index: usize, below: Option<&'a [f32]>) -> [&'a [f32]; 3] {
    let (here, above) = (&*kept[index % 2], &*kept[(index + 1) % 2]);
    [if index == 0 { here } else { above }, here, below.unwrap_or(here)]
}

/// Fills the ring's row beyond the terrain: nothing to carry there, or for a look-up the edge row's load.
#[inline(always)]
fn copy_cargo<const DONOR: bool>(ring: &mut [Lines; 3], edge: usize, beyond: usize) {
    if DONOR {
        ring[beyond].fill(0.0);
    } else if let Ok([from, to]) = ring.get_disjoint_mut([edge, beyond]) {
        to.copy_from_slice(from);
    }
}
