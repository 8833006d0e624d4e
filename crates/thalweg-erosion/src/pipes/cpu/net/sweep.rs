//! One pass down a band that takes several steps.
//!
//! The stages of a step follow each other down the rows, and each later step follows two rows behind the earlier one: while row r gets its
//! ghosts, the faces of row r − 1 are pushed and its cells throttled, and row r − 2 moves and gets its rain.

use super::super::add_water::add_water;
use super::super::band::Band;
use super::super::edges::{Rim, Rims, set_ends, set_outer_row};
use super::super::layout::{Layout, Lines, plane};
use super::super::{Pass, Scratch};
use super::REACH;
use super::edge_flows::edge_flows;
use super::faces::Own;
use super::move_water::{Setting, move_water};
use super::push::{Gain, push};
use super::throttle::{Outflow, hold_back, own_flows, throttle};
use fearless_simd::{Level, Simd, dispatch};

/// Scratch of one of the steps in flight; rows are found by their number modulo two.
#[derive(Clone, Debug)]
pub(in super::super) struct InFlight {
    /// Share of what was pushed that leaves each cell.
    keep: [Lines; 2],
    /// Sediment that leaves with each unit of flow.
    cargo: [Lines; 2],
    /// Fall of the surface along the outflow.
    slope: [Lines; 2],
    /// Each flow times its fall.
    falls: [[Lines; 4]; 2],
    /// Sediment that travels through each face.
    carried: [[Lines; 4]; 2],
}

impl InFlight {
    pub(in super::super) fn new(layout: &Layout) -> Self {
        let row = || Lines::new(layout.stride, 0.0);
        let pair = || [row(), row()];
        let four = || [row(), row(), row(), row()];
        Self {
            keep: pair(),
            cargo: pair(),
            slope: pair(),
            falls: [four(), four()],
            carried: [four(), four()],
        }
    }
}

/// How wide faces are beside walls.
#[derive(Clone, Debug)]
pub(in super::super) struct Walls {
    along_columns: Vec<f32>,
    per_column: Vec<f32>,
}

impl Walls {
    pub(in super::super) fn new(layout: &Layout, rims: &Rims) -> Self {
        let of_cells = rims.gain_along_columns(layout);
        Self {
            along_columns: layout.widened(&of_cells),
            per_column: of_cells.iter().map(|g| 1.0 / g).collect(),
        }
    }
}

/// What all bands share during a sweep.
pub(in super::super) struct Sweep<'a> {
    pub pass: Pass<'a>,
    pub walls: &'a Walls,
    /// Whether there are flows across corners.
    pub diagonal: bool,
}

/// The row of a ring of two that a row of the terrain has.
fn place(row: isize) -> usize {
    row.rem_euclid(2) as usize
}

fn four(lines: &[Lines; 4]) -> Own<'_> {
    [0, 1, 2, 3].map(|i| &*lines[i])
}

fn four_mut(lines: &mut [Lines; 4]) -> [&mut [f32]; 4] {
    lines.each_mut().map(|line| &mut **line)
}

impl Sweep<'_> {
    /// Takes all steps in one band, with the widest vectors this machine has.
    pub(in super::super) fn run(&self, level: Level, band: &mut Band) {
        let Scratch::Net(mut in_flight) = std::mem::take(&mut band.scratch) else {
            unreachable!("bands are made for the flows that the model has");
        };
        band.max_depth = 0.0;
        band.briskest = 0.0;
        if self.diagonal {
            dispatch!(level, simd => self.go_down::<_, true>(simd, band, &mut in_flight));
        } else {
            dispatch!(level, simd => self.go_down::<_, false>(simd, band, &mut in_flight));
        }
        band.scratch = Scratch::Net(in_flight);
    }

    #[inline(always)]
    fn go_down<S: Simd, const DIAGONAL: bool>(&self, simd: S, band: &mut Band, in_flight: &mut [InFlight]) {
        let steps = self.pass.wettings.len();
        let reach = REACH as isize;
        let own = band.own.start as isize..band.own.end as isize;
        let rows = self.pass.layout.rows as isize;
        let top = own.start - reach * steps as isize;
        let bottom = own.end + reach * steps as isize;
        for front in top..bottom {
            for (step, flight) in in_flight[..steps].iter_mut().enumerate() {
                // Later steps follow two rows behind the earlier; the halo they can still use shrinks.
                let lead = front - reach * step as isize;
                let ahead = reach * (steps - 1 - step) as isize;
                let (first, end) = (own.start - ahead, own.end + ahead);
                let reaches = |row: isize, above: isize, below: isize| {
                    row >= (first - above).max(0) && row < (end + below).min(rows)
                };
                if reaches(lead, 2, 2) {
                    set_ends(&self.pass.layout, &self.pass.rims, band.row_mut(&self.pass.layout, lead));
                }
                let throttled = reaches(lead - 1, 1, 1);
                if reaches(lead - 1, 2, 1) {
                    self.push::<S, DIAGONAL>(simd, band, flight, lead - 1, throttled);
                }
                if throttled {
                    let last = step + 1 == steps;
                    self.throttle::<S, DIAGONAL>(simd, band, flight, last, lead - 1);
                }
                // The row of ghosts north of the terrain has faces too.
                if reaches(lead - 2, 1, 0) || (lead == 1 && first <= 0) {
                    self.hold_back::<S, DIAGONAL>(simd, band, flight, lead - 2);
                }
                if reaches(lead - 2, 0, 0) {
                    self.move_water::<S, DIAGONAL>(simd, band, flight, step + 1 == steps, lead - 2);
                    self.add_water(simd, band, step, lead - 2);
                }
            }
        }
    }

    #[inline(always)]
    fn add_water<S: Simd>(&self, simd: S, band: &mut Band, step: usize, row: isize) {
        let Pass { layout, supply, wettings, .. } = &self.pass;
        let here = band.row_mut(layout, row);
        let drained = add_water(simd, layout, supply, &wettings[step], row as usize, here);
        // Behind the last cell it never rains.
        layout.plane_mut(here, plane::DEPTH)[layout.ends()[1] + 1..].fill(0.0);
        if let Some(account) = band.account(row) {
            account.exported += drained;
        }
    }

    fn gain(&self, row: isize) -> Gain<'_> {
        let along_row = self.pass.rims.gain_along_row(&self.pass.layout, row);
        Gain {
            along_row,
            per_row: 1.0 / along_row,
            along_columns: &self.walls.along_columns,
            per_column: &self.walls.per_column,
            within: self.pass.within,
        }
    }

    #[inline(always)]
    fn push<S: Simd, const DIAGONAL: bool>(
        &self,
        simd: S,
        band: &mut Band,
        flight: &mut InFlight,
        row: isize,
        throttled: bool,
    ) {
        let Pass { layout, coefficients: k, rims, .. } = &self.pass;
        // A halo may end at the first row, whose cells are then not looked at.
        let (at_north, at_south) = (throttled && row == 0, row + 1 == layout.rows as isize);
        if at_south {
            let [inner, here, below] = band.three_rows_mut(layout, row);
            set_outer_row(layout, rims, rims.south, below, here, if at_north { here } else { inner });
        }
        let falls = &mut flight.falls;
        if at_north {
            let [above, here, below] = band.three_rows_mut(layout, row);
            set_outer_row(layout, rims, rims.north, above, here, if at_south { here } else { below });
            let falls = four_mut(&mut falls[place(-1)]);
            push::<S, DIAGONAL>(simd, layout, k, &self.gain(-1), [above, here], falls);
        }
        let falls = four_mut(&mut falls[place(row)]);
        push::<S, DIAGONAL>(simd, layout, k, &self.gain(row), band.two_rows_mut(layout, row), falls);
    }

    #[inline(always)]
    fn throttle<S: Simd, const DIAGONAL: bool>(
        &self,
        simd: S,
        band: &mut Band,
        flight: &mut InFlight,
        is_last: bool,
        row: isize,
    ) {
        let Pass { layout, coefficients: k, rims, .. } = &self.pass;
        let [above, here, below] = band.three_rows_mut(layout, row);
        let InFlight { keep, cargo, slope, falls, .. } = flight;
        let [keep, cargo, slope] = [keep, cargo, slope].map(|ring| &mut *ring[place(row)]);
        let out = Outflow { keep, cargo, slope };
        let falls = [four(&falls[place(row - 1)]), four(&falls[place(row)])];
        let briskest = throttle::<S, DIAGONAL>(simd, layout, k, &self.gain(row), [above, here], falls, out);
        if !k.downstream {
            let ends = [row == 0, row + 1 == layout.rows as isize];
            bed_slope(layout, k.half_per_cell, [above, here, below], ends, &mut flight.slope[place(row)]);
        }
        set_ghosts(layout, [rims.west, rims.east], flight, row);
        if is_last && band.account(row).is_some() {
            band.briskest = band.briskest.max(briskest);
        }
    }

    #[inline(always)]
    fn hold_back<S: Simd, const DIAGONAL: bool>(
        &self,
        simd: S,
        band: &mut Band,
        flight: &mut InFlight,
        row: isize,
    ) {
        let Pass { layout, rims, .. } = &self.pass;
        if row < 0 {
            set_ghost_row(layout, rims, rims.north, flight, row);
        }
        if row + 1 == layout.rows as isize {
            set_ghost_row(layout, rims, rims.south, flight, row + 1);
        }
        let InFlight { keep, cargo, carried, .. } = flight;
        let (own, next) = (place(row), place(row + 1));
        let rows = [[&*keep[own], &*keep[next]], [&*cargo[own], &*cargo[next]]];
        let here = band.row_mut(layout, row);
        hold_back::<S, DIAGONAL>(simd, layout, here, rows, four_mut(&mut carried[place(row)]));
    }

    #[inline(always)]
    fn move_water<S: Simd, const DIAGONAL: bool>(
        &self,
        simd: S,
        band: &mut Band,
        flight: &InFlight,
        is_last: bool,
        row: isize,
    ) {
        let Pass { layout, coefficients: k, rims, softness, ordinary, within, height_per_flux, .. } =
            &self.pass;
        let index = row as usize;
        let carried = [four(&flight.carried[place(row - 1)]), four(&flight.carried[place(row)])];
        let [above, here, _] = band.three_rows_mut(layout, row);
        let setting = Setting {
            carried,
            slope: &flight.slope[place(row)],
            softness: softness.map_or(*ordinary, |softness| softness.row(index)),
            within,
        };
        let sums = move_water::<S, DIAGONAL>(simd, layout, k, above, here, &setting);
        let over_edges = (!rims.closed()).then(|| {
            let flows = [above, here].map(|row| own_flows::<DIAGONAL>(layout, row));
            [flows, carried].map(|flows| edge_flows::<DIAGONAL>(layout, index, flows))
        });
        let Some(account) = band.account(row) else { return };
        account.evaporated += sums.evaporated;
        account.eroded += sums.eroded;
        if let Some([water, sediment]) = over_edges {
            account.exported += water.out * height_per_flux;
            account.imported += water.inward * height_per_flux;
            account.exported_sediment += sediment.out;
        }
        if is_last {
            band.max_depth = band.max_depth.max(sums.max_depth);
        }
    }
}

/// Slope of the bed across each cell of a row; where the terrain ends it goes on level.
fn bed_slope(layout: &Layout, half_per_cell: f32, rows: [&[f32]; 3], at_ends: [bool; 2], slope: &mut [f32]) {
    let [above, here, below] = rows.map(|row| layout.plane(row, plane::BED));
    let (above, below) = (if at_ends[0] { here } else { above }, if at_ends[1] { here } else { below });
    let [first, last] = layout.ends();
    for i in first..=last {
        let (west, east) = ((i - 1).max(first), (i + 1).min(last));
        let grade = [here[east] - here[west], below[i] - above[i]].map(|rise| rise * half_per_cell);
        slope[i] = (grade[0] * grade[0] + grade[1] * grade[1]).sqrt();
    }
}

/// What leaves the ghosts at both ends of a row: reservoirs give clear water, as much as is pushed.
fn set_ghosts(layout: &Layout, [west, east]: [Rim; 2], flight: &mut InFlight, row: isize) {
    let [first, last] = layout.ends();
    for (i, rim) in [(first - 1, west), (last + 1, east)] {
        flight.keep[place(row)][i] = rim.gives();
        flight.cargo[place(row)][i] = 0.0;
    }
}

/// The same for a row of ghosts.
fn set_ghost_row(layout: &Layout, rims: &Rims, rim: Rim, flight: &mut InFlight, row: isize) {
    let [first, last] = layout.ends();
    flight.keep[place(row)][first..=last].fill(rim.gives());
    flight.cargo[place(row)][first..=last].fill(0.0);
    set_ghosts(layout, [rim.corner(rims.west), rim.corner(rims.east)], flight, row);
}
