//! The pipe model on the processor: bands of rows, all stages of a step fused into one sweep.
//!
//! A band holds its rows and a halo of its neighbours' rows in one block of memory. A sweep goes down
//! the rows once and takes several steps on the way: while stage 1 of the first step works on row r,
//! stage 2 is at r − 1, and the second step follows three rows behind. Rows are touched while they are
//! in the cache, and nothing but the state itself is kept. Halo rows are computed twice, once on each
//! side of a cut, with the same numbers; so any cut gives the same bits.
//!
//! What flows is one of two things: a pipe for each way through a face, as the papers have it (`two_way`), or the one net flow that
//! is left of them (`net`).

mod add_water;
mod band;
mod edges;
mod layout;
mod maps;
mod net;
mod row_sums;
mod saved;
mod slip;
mod survey;
mod two_way;

use super::backend::{Account, Backend, FlowsAround, Moment, Quantity, Survey, Swept};
use super::model::Model;
use super::params::{Counterflow, Params, PipeArea, Transport};
use super::step::Coefficients;
use super::weather::Weather;
use crate::law::slip::Slipping;
use add_water::{Supply, Wetting};
use band::{Band, Scratch, exchange_halos};
use edges::{Rim, Rims};
use fearless_simd::Level;
use layout::{Flows, Layout, Lines, MARGIN, PaddedRows, plane};
use thalweg_field::{Edge, Edges, Grid2, Heightfield, Invalid, Region, band as bands};

/// Steps that a sweep takes: enough that rows fetched from memory are worked on several times, not so many that the
/// rows in flight outgrow the cache. Measured best of 1, 2, 4 and 8 from 256 to 4096 cells a side.
const STEPS_PER_SWEEP: usize = 4;

/// What all bands share during a sweep, whatever flows.
struct Pass<'a> {
    layout: Layout,
    coefficients: Coefficients,
    /// Δt/l², for the accounts.
    height_per_flux: f64,
    supply: &'a Supply,
    /// Water for each of the steps.
    wettings: &'a [Wetting],
    rims: Rims,
    /// Softness of each cell, if it varies.
    softness: Option<&'a PaddedRows>,
    /// Softness of a row of ordinary ground.
    ordinary: &'a [f32],
    /// 1 for the cells of a row, 0 for the padding behind them.
    within: &'a [f32],
}

/// The cells of a terrain, cut into bands.
#[derive(Clone, Debug)]
pub(super) struct Cpu {
    layout: Layout,
    bands: Vec<Band>,
    supply: Supply,
    /// Water for each of the steps of a sweep.
    wettings: Vec<Wetting>,
    rims: Rims,
    gain_along_columns: Vec<f32>,
    walls: net::sweep::Walls,
    softness: Option<PaddedRows>,
    ordinary: Lines,
    within: Lines,
    level: Level,
}

impl Cpu {
    /// Dry cells without height, under some weather.
    pub(super) fn new(ground: &Heightfield, model: &Model, weather: &Weather) -> Result<Self, Invalid> {
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let layout = layout_of(cols, rows, &model.params);
        let rims = Rims::new(&weather.edges, model.datum, model.unit);
        let mut within = Lines::new(layout.padded, 1.0);
        within[cols..].fill(0.0);
        Ok(Self {
            bands: cut(&layout, STEPS_PER_SWEEP, bands::threads()),
            supply: Supply::new(weather, ground, &layout, model.unit)?,
            wettings: vec![Wetting::default(); STEPS_PER_SWEEP],
            gain_along_columns: rims.gain_along_columns(&layout),
            walls: net::sweep::Walls::new(&layout, &rims),
            rims,
            softness: softness(weather, cols, rows).map(|softness| PaddedRows::new(&softness, &layout)),
            ordinary: Lines::new(layout.padded, 1.0),
            within,
            level: Level::new(),
            layout,
        })
    }

    /// Memory for so many cells `[bytes]`.
    pub(super) fn memory(cols: usize, rows: usize, params: &Params) -> u64 {
        let layout = layout_of(cols, rows, params);
        (layout.row_len() as u64 * 4)
            .saturating_mul(rows as u64 + 2 * (layout.reach() * STEPS_PER_SWEEP) as u64)
    }

    /// Bytes of state for each cell.
    pub(super) fn bytes_per_cell(&self) -> usize {
        self.layout.planes * size_of::<f32>()
    }

    /// Columns and rows.
    pub(super) fn size(&self) -> [usize; 2] {
        [self.layout.cols, self.layout.rows]
    }

    /// Uses the vectors that every machine of this kind has.
    pub(super) fn use_plain_vectors(&mut self) {
        self.level = Level::baseline();
    }

    /// Cuts the rows anew.
    pub(super) fn cut_into(&mut self, bands: usize, steps: usize) {
        let (cells, accounts) = (self.save_cells(), self.save_accounts());
        self.bands = cut(&self.layout, steps, bands);
        self.wettings = vec![Wetting::default(); steps];
        self.restore(&cells, &accounts);
    }

    /// Number of bands and steps in a sweep.
    pub(super) fn cuts(&self) -> (usize, usize) {
        (self.bands.len(), self.wettings.len())
    }

    /// The rows of the terrain, north to south.
    fn rows(&self) -> impl Iterator<Item = (usize, &[f32])> {
        self.bands.iter().flat_map(move |band| {
            band.own.clone().map(move |row| (row, band.row(&self.layout, row as isize)))
        })
    }

    /// A row between the two beside it, each from the band that answers for it; beyond the terrain the ghosts.
    fn rows_around<'a>(&'a self, band: &'a Band, row: usize) -> [&'a [f32]; 3] {
        let at = self.bands.partition_point(|other| other.own.end <= row);
        [-1, 0, 1].map(|by| {
            let row = row as isize + by;
            let own = |band: &&Band| usize::try_from(row).is_ok_and(|row| band.own.contains(&row));
            let near = self.bands[at.saturating_sub(1)..(at + 2).min(self.bands.len())].iter();
            near.clone().find(own).unwrap_or(band).row(&self.layout, row)
        })
    }

    /// The plane with what a quantity is more than its own plane can tell.
    fn rest_of(&self, quantity: Quantity) -> Option<usize> {
        let has = quantity == Quantity::Bed && self.layout.flows == Flows::Net;
        has.then_some(net::plane::BED_REST)
    }

    fn cells_of<'a>(&self, row: &'a [f32], which: usize) -> &'a [f32] {
        &self.layout.plane(row, which)[MARGIN..][..self.layout.cols]
    }
}

impl Backend for Cpu {
    fn steps_per_sweep(&self) -> usize {
        self.wettings.len()
    }

    fn supply(&mut self, place: usize, when: Moment, carry: &mut [f64]) -> f64 {
        let wetting = &mut self.wettings[place];
        self.supply.prepare(&self.layout, when, carry, wetting);
        wetting.added
    }

    fn sweep(&mut self, model: &Model, count: usize, dt: f64) -> Swept {
        exchange_halos(&self.layout, &mut self.bands);
        let Model { params, cell, unit, .. } = model;
        let pass = Pass {
            layout: self.layout,
            coefficients: Coefficients::new(params, *cell, *unit, dt),
            height_per_flux: dt / (cell * cell),
            supply: &self.supply,
            wettings: &self.wettings[..count],
            rims: self.rims,
            softness: self.softness.as_ref(),
            ordinary: &self.ordinary,
            within: &self.within,
        };
        let (level, diagonal) = (self.level, params.neighbours == 8);
        match self.layout.flows {
            Flows::Net => {
                let sweep = net::sweep::Sweep { pass, walls: &self.walls, diagonal };
                bands::for_each(&mut self.bands, |_, band| sweep.run(level, band));
            }
            Flows::TwoWay => {
                let choice = two_way::sweep::Choice {
                    diagonal,
                    deep: params.area == PipeArea::Depth,
                    donor: params.transport == Transport::DonorCell,
                };
                let gain_along_columns = &self.gain_along_columns;
                let sweep = two_way::sweep::Sweep { pass, gain_along_columns, choice };
                bands::for_each(&mut self.bands, |_, band| sweep.run(level, band));
            }
        }
        let largest = |of: fn(&Band) -> f32| self.bands.iter().map(of).fold(0.0, f32::max);
        Swept { deepest: largest(|band| band.max_depth), briskest: largest(|band| band.briskest) }
    }

    fn slip(&mut self, slipping: &Slipping, highest: f32) {
        exchange_halos(&self.layout, &mut self.bands);
        let (level, layout, rims) = (self.level, self.layout, self.rims);
        let slipping = match layout.flows {
            Flows::Net => *slipping,
            Flows::TwoWay => slipping.in_quanta_of(highest),
        };
        bands::for_each(&mut self.bands, |_, band| slip::slip(level, &layout, &rims, &slipping, band));
    }

    fn survey(&self, model: &Model, dt: f64) -> Survey {
        self.survey_all(model, dt)
    }

    /// All rows' accounts together, north to south.
    fn account(&self) -> Account {
        let mut sum = Account::default();
        for row in self.bands.iter().flat_map(|band| &band.accounts) {
            sum.evaporated += row.evaporated;
            sum.eroded += row.eroded;
            sum.exported += row.exported;
            sum.imported += row.imported;
            sum.exported_sediment += row.exported_sediment;
        }
        sum
    }

    fn total(&self, quantity: Quantity) -> f64 {
        let sum = |row, which| self.cells_of(row, which).iter().map(|&v| f64::from(v)).sum::<f64>();
        let rest = self.rest_of(quantity);
        self.rows()
            .map(|(_, row)| sum(row, plane_of(quantity)) + rest.map_or(0.0, |rest| sum(row, rest)))
            .sum()
    }

    fn deepest_reservoir(&self) -> f32 {
        let Rims { north, east, south, west } = self.rims;
        let Layout { cols, rows, .. } = self.layout;
        let mut deepest = 0.0_f32;
        for (index, row) in self.rows() {
            let bed = self.cells_of(row, plane::BED);
            let whole = [(north, index == 0), (south, index + 1 == rows)];
            let ends = [(west, &bed[..1]), (east, &bed[cols - 1..])];
            let whole = whole.into_iter().filter(|(_, here)| *here).map(|(rim, _)| (rim, bed));
            for (rim, beds) in whole.chain(ends) {
                if let Rim::Level(level) = rim {
                    deepest = beds.iter().fold(deepest, |deepest, &bed| deepest.max(level - bed));
                }
            }
        }
        deepest
    }

    fn set_weather(&mut self, ground: &Heightfield, model: &Model, weather: &Weather) -> Result<(), Invalid> {
        let Layout { cols, rows, .. } = self.layout;
        self.supply = Supply::new(weather, ground, &self.layout, model.unit)?;
        self.rims = Rims::new(&weather.edges, model.datum, model.unit);
        self.gain_along_columns = self.rims.gain_along_columns(&self.layout);
        self.walls = net::sweep::Walls::new(&self.layout, &self.rims);
        self.softness = softness(weather, cols, rows).map(|soft| PaddedRows::new(&soft, &self.layout));
        Ok(())
    }

    fn cells(&self, quantity: Quantity, region: &Region) -> Vec<f32> {
        let rows = self.rows().filter(|(row, _)| region.rows.contains(row));
        rows.flat_map(|(_, row)| &self.cells_of(row, plane_of(quantity))[region.cols.clone()])
            .copied()
            .collect()
    }

    fn set_cells(&mut self, quantity: Quantity, region: &Region, values: &[f32]) {
        let (layout, which) = (self.layout, plane_of(quantity));
        for band in &mut self.bands {
            for row in band.own.clone().filter(|row| region.rows.contains(row)) {
                let new = &values[(row - region.rows.start) * region.cols.len()..][..region.cols.len()];
                let plane = layout.plane_mut(band.row_mut(&layout, row as isize), which);
                plane[MARGIN..][region.cols.clone()].copy_from_slice(new);
            }
        }
    }

    fn fill(&mut self, quantity: Quantity, value: impl Fn(usize, usize) -> f32 + Sync) {
        let (layout, which) = (self.layout, plane_of(quantity));
        bands::for_each(&mut self.bands, |_, band| {
            for row in band.own.clone() {
                let plane = layout.plane_mut(band.row_mut(&layout, row as isize), which);
                for (col, cell) in plane[MARGIN..][..layout.cols].iter_mut().enumerate() {
                    *cell = value(col, row);
                }
            }
        });
    }

    fn map(&self, quantity: Quantity, value: impl Fn(usize, usize, f64) -> f32 + Sync) -> Grid2<f32> {
        self.grid(|band, row, cells| {
            let inside = band.row(&self.layout, row as isize);
            let plane = self.cells_of(inside, plane_of(quantity));
            let rest = self.rest_of(quantity).map(|rest| self.cells_of(inside, rest));
            for (col, cell) in cells.iter_mut().enumerate() {
                let rest = rest.map_or(0.0, |rest| f64::from(rest[col]));
                *cell = value(col, row, f64::from(plane[col]) + rest);
            }
        })
    }

    fn map_of_flows(&self, value: impl Fn([usize; 2], FlowsAround) -> f32 + Sync) -> Grid2<f32> {
        self.grid(|band, row, cells| {
            let rows = self.rows_around(band, row);
            for (col, cell) in cells.iter_mut().enumerate() {
                *cell = value([col, row], self.flows_around(rows, col));
            }
        })
    }
}

/// The plane that holds a quantity.
fn plane_of(quantity: Quantity) -> usize {
    match quantity {
        Quantity::Bed => plane::BED,
        Quantity::Depth => plane::DEPTH,
        Quantity::Sediment => plane::SEDIMENT,
    }
}

/// How easily each cell erodes. Open edges do not: they are the base level that the rivers inside are graded to.
/// Otherwise water that falls over the edge would saw through the whole terrain.
fn softness(weather: &Weather, cols: usize, rows: usize) -> Option<Grid2<f32>> {
    let Edges { north, east, south, west } = weather.edges;
    if ![north, east, south, west].contains(&Edge::Open) {
        return weather.softness.clone();
    }
    Some(Grid2::from_fn(cols, rows, |col, row| {
        let outlet = [(north, row == 0), (east, col + 1 == cols), (south, row + 1 == rows), (west, col == 0)]
            .iter()
            .any(|&(edge, here)| here && edge == Edge::Open);
        if outlet { 0.0 } else { weather.softness.as_ref().map_or(1.0, |softness| softness.at(col, row)) }
    }))
}

fn layout_of(cols: usize, rows: usize, params: &Params) -> Layout {
    let flows = match params.counterflow {
        Counterflow::Keep => Flows::TwoWay,
        Counterflow::Cancel => Flows::Net,
    };
    Layout::new(cols, rows, flows, params.neighbours == 8)
}

/// Bands for so many threads; none lower than its neighbours' halo.
fn cut(layout: &Layout, steps: usize, threads: usize) -> Vec<Band> {
    let most = layout.rows / (layout.reach() * steps);
    bands::split(layout.rows, threads.min(most.max(1))).map(|own| Band::new(layout, own, steps)).collect()
}
