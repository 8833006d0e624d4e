//! A band of rows with its halo and the scratch that a sweep needs.

use super::layout::{Flows, Layout, Lines};
use super::slip::SlipRows;
use super::{net, two_way};
use crate::pipes::backend::Account;
use std::ops::Range;
use thalweg_field::band as bands;

/// What the steps in flight need besides the state.
#[derive(Clone, Debug)]
pub(super) enum Scratch {
    TwoWay(Vec<two_way::sweep::InFlight>),
    Net(Vec<net::sweep::InFlight>),
}

impl Default for Scratch {
    fn default() -> Self {
        Self::Net(Vec::new())
    }
}

impl Scratch {
    fn new(layout: &Layout, steps: usize) -> Self {
        match layout.flows {
            Flows::TwoWay => {
                Self::TwoWay((0..steps).map(|_| two_way::sweep::InFlight::new(layout)).collect())
            }
            Flows::Net => Self::Net((0..steps).map(|_| net::sweep::InFlight::new(layout)).collect()),
        }
    }
}

/// Some rows of the terrain, those that a sweep of several steps reaches around them, and one row of
/// ghosts where the terrain ends.
#[derive(Clone, Debug)]
pub(super) struct Band {
    /// The rows it answers for.
    pub own: Range<usize>,
    /// Rows of halo on either side.
    pub halo: usize,
    /// Halo, own rows, halo.
    pub block: Lines,
    pub scratch: Scratch,
    /// Made when slopes first slip.
    pub slip_rows: Option<SlipRows>,
    /// One for each of its own rows, so that sums come out the same however the rows are cut into bands.
    pub accounts: Vec<Account>,
    /// Deepest water after the last sweep.
    pub max_depth: f32,
    /// Largest square of the share of a cell that water crossed in the last step.
    pub briskest: f32,
}

impl Band {
    pub(super) fn new(layout: &Layout, own: Range<usize>, steps_per_sweep: usize) -> Self {
        let halo = layout.reach() * steps_per_sweep;
        Self {
            halo,
            block: Lines::new((own.len() + 2 * halo) * layout.row_len(), 0.0),
            scratch: Scratch::new(layout, steps_per_sweep),
            slip_rows: None,
            accounts: vec![Account::default(); own.len()],
            max_depth: 0.0,
            briskest: 0.0,
            own,
        }
    }

    /// Where a row of the terrain lies in the block; −1 and `rows` are the ghosts.
    #[inline(always)]
    fn slot(&self, row: isize) -> usize {
        (row + self.halo as isize - self.own.start as isize) as usize
    }

    /// The account of one of its own rows; `None` in the halo.
    #[inline(always)]
    pub(super) fn account(&mut self, row: isize) -> Option<&mut Account> {
        self.accounts.get_mut(usize::try_from(row - self.own.start as isize).ok()?)
    }

    /// One row.
    pub(super) fn row(&self, layout: &Layout, row: isize) -> &[f32] {
        let len = layout.row_len();
        &self.block[self.slot(row) * len..][..len]
    }

    /// One row, to be changed.
    #[inline(always)]
    pub(super) fn row_mut(&mut self, layout: &Layout, row: isize) -> &mut [f32] {
        let (len, slot) = (layout.row_len(), self.slot(row));
        &mut self.block[slot * len..][..len]
    }

    /// A row between the two beside it, north to south.
    #[inline(always)]
    pub(super) fn three_rows_mut(&mut self, layout: &Layout, row: isize) -> [&mut [f32]; 3] {
        let (len, slot) = (layout.row_len(), self.slot(row - 1));
        let (above, rest) = self.block[slot * len..][..3 * len].split_at_mut(len);
        let (here, below) = rest.split_at_mut(len);
        [above, here, below]
    }

    /// A row and the one below it.
    #[inline(always)]
    pub(super) fn two_rows_mut(&mut self, layout: &Layout, row: isize) -> [&mut [f32]; 2] {
        let (len, slot) = (layout.row_len(), self.slot(row));
        let (here, below) = self.block[slot * len..][..2 * len].split_at_mut(len);
        [here, below]
    }

    /// The rows on either side of a cut, between two rows.
    fn beside_mut(&mut self, layout: &Layout, cut: usize, [first, end]: [usize; 2]) -> [&mut [f32]; 2] {
        let (len, slot) = (layout.row_len(), self.slot(first as isize));
        let rows = &mut self.block[slot * len..][..(end - first) * len];
        let (above, below) = rows.split_at_mut((cut - first) * len);
        [above, below]
    }
}

/// Gives every band its neighbours' newest rows. Both sides of a cut copy at once, so that no thread waits so long between two
/// sweeps that it falls asleep.
pub(super) fn exchange_halos(layout: &Layout, bands: &mut [Band]) {
    let (north, south) = bands.split_at_mut(bands.len() / 2);
    if north.len() + south.len() > 2 {
        bands::join(|| exchange_halos(layout, north), || exchange_halos(layout, south));
    }
    if let (Some(north), Some(south)) = (north.last_mut(), south.first_mut()) {
        let (cut, halo) = (south.own.start, south.halo);
        // A band is at least as high as its neighbours' halo, but the terrain may end before it.
        let around = [cut - halo, (cut + halo).min(south.own.end)];
        let [from_north, into_north] = north.beside_mut(layout, cut, around);
        let [into_south, from_south] = south.beside_mut(layout, cut, around);
        bands::join(|| into_south.copy_from_slice(from_north), || into_north.copy_from_slice(from_south));
    }
}
