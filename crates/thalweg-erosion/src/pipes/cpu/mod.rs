//! The pipe model on the processor: bands of rows, all stages of a step fused into one sweep.
//!
//! A band holds its rows and a halo of its neighbours' rows in one block of memory. A sweep goes down
//! the rows once and takes several steps on the way: while stage 1 of the first step works on row r,
//! stage 2 is at r − 1, and the second step follows three rows behind. Rows are touched while they are
//! in the cache, and nothing but the state itself is kept. Halo rows are computed twice, once on each
//! side of a cut, with the same numbers; so any cut gives the same bits.
//!
//! | stage | steps of Schmidberger 2024, chapter 4 | file |
//! |---|---|---|
//! | 1 | increasing water height | `add_water.rs` |
//! | 2 | outflow flux | `outflow.rs` |
//! | 3 | water height, velocity, erosion and deposition, evaporation | `move_water.rs` |
//! | 4 | transporting sediment | `carry_sediment.rs` |
//! | 5 | (not in the thesis) opposite flows cancel | `cancel.rs` |

mod add_water;
mod band;
mod cancel;
mod carry_sediment;
mod edges;
mod layout;
mod maps;
mod move_water;
mod outflow;
mod saved;
mod survey;
mod sweep;
mod talus;

use super::backend::{Account, Backend, Moment, Quantity, Survey};
use super::model::Model;
use super::params::{Params, PipeArea, Slope, Transport};
use super::step::Coefficients;
use super::weather::Weather;
use crate::law::talus::Slipping;
use add_water::{Supply, Wetting};
use band::{Band, REACH, exchange_halos};
use edges::{Rim, Rims};
use fearless_simd::Level;
use layout::{Layout, Lines, MARGIN, PaddedRows, plane};
use sweep::{Choice, Sweep};
use thalweg_field::{Edge, Edges, Grid2, Heightfield, Invalid, Region, band as bands};

/// Steps that a sweep takes: enough that rows fetched from memory are worked on several times, not so many that the
/// rows in flight outgrow the cache. Measured best of 1, 2, 4 and 8 from 256 to 4096 cells a side.
const STEPS_PER_SWEEP: usize = 4;

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
    softness: Option<PaddedRows>,
    ordinary: Lines,
    within: Lines,
    level: Level,
}

impl Cpu {
    /// Dry cells without height, under some weather.
    pub(super) fn new(ground: &Heightfield, model: &Model, weather: &Weather) -> Result<Self, Invalid> {
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let layout = Layout::new(cols, rows, model.params.neighbours == 8);
        let rims = Rims::new(&weather.edges, model.datum, model.unit);
        let mut within = Lines::new(layout.padded, 1.0);
        within[cols..].fill(0.0);
        Ok(Self {
            bands: cut(&layout, STEPS_PER_SWEEP, bands::threads()),
            supply: Supply::new(weather, ground, &layout, model.unit)?,
            wettings: vec![Wetting::default(); STEPS_PER_SWEEP],
            gain_along_columns: rims.gain_along_columns(&layout),
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
        let layout = Layout::new(cols, rows, params.neighbours == 8);
        (layout.row_len() as u64 * 4).saturating_mul(rows as u64 + 2 * (REACH * STEPS_PER_SWEEP) as u64)
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

    fn sweep(&mut self, model: &Model, count: usize, dt: f64) -> f32 {
        exchange_halos(&self.layout, &mut self.bands);
        let Model { params, cell, unit, .. } = model;
        let sweep = Sweep {
            layout: self.layout,
            coefficients: Coefficients::new(params, *cell, *unit, dt),
            height_per_flux: dt / (cell * cell),
            supply: &self.supply,
            wettings: &self.wettings[..count],
            rims: self.rims,
            gain_along_columns: &self.gain_along_columns,
            softness: self.softness.as_ref(),
            ordinary: &self.ordinary,
            within: &self.within,
            choice: Choice {
                diagonal: params.neighbours == 8,
                natural: params.drag > 0.0
                    || params.slope == Slope::Downstream
                    || params.area == PipeArea::Depth,
                donor: params.transport == Transport::DonorCell,
            },
        };
        let level = self.level;
        bands::for_each(&mut self.bands, |_, band| sweep.run(level, band));
        self.bands.iter().fold(0.0, |deepest: f32, band| deepest.max(band.max_depth))
    }

    fn slip(&mut self, slipping: &Slipping) {
        exchange_halos(&self.layout, &mut self.bands);
        let layout = self.layout;
        bands::for_each(&mut self.bands, |_, band| talus::slip(&layout, slipping, band));
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
        let which = plane_of(quantity);
        let in_row = |row| self.cells_of(row, which).iter().map(|&v| f64::from(v)).sum::<f64>();
        self.rows().map(|(_, row)| in_row(row)).sum()
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

    fn map(&self, quantity: Quantity, value: impl Fn(f32) -> f32 + Sync) -> Grid2<f32> {
        self.grid(|band, row, cells| {
            let plane = self.cells_of(band.row(&self.layout, row as isize), plane_of(quantity));
            for (cell, &inside) in cells.iter_mut().zip(plane) {
                *cell = value(inside);
            }
        })
    }

    fn map_of_flow(
        &self,
        model: &Model,
        value: impl Fn(f64, &dyn Fn() -> [f64; 2]) -> f32 + Sync,
    ) -> Grid2<f32> {
        self.grid(|band, row, cells| {
            let rows = self.rows_around(band, row);
            let depth = self.cells_of(rows[1], plane::DEPTH);
            for (col, cell) in cells.iter_mut().enumerate() {
                *cell = value(depth[col].into(), &|| self.flow_at(model, rows, col));
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

/// Bands for so many threads; none lower than its neighbours' halo.
fn cut(layout: &Layout, steps: usize, threads: usize) -> Vec<Band> {
    let most = layout.rows / (REACH * steps);
    bands::split(layout.rows, threads.min(most.max(1))).map(|own| Band::new(layout, own, steps)).collect()
}
