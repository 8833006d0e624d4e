//! Water and ground of a run, and how they go on.

use super::cpu::add_water::{Moment, Supply, Wetting};
use super::cpu::band::{Band, REACH, RowAccount, exchange_halos};
use super::cpu::edges::{Rim, Rims};
use super::cpu::layout::{Layout, Lines, MARGIN, PaddedRows, plane};
use super::cpu::sweep::{Choice, Sweep};
use super::ledger::{Ledger, Solids, Water};
use super::params::{Counterflow, Invalid, Params, PipeArea, Slope, Transport};
use super::step::{Coefficients, THIN, stable_dt};
use super::weather::{Edge, Edges, Weather};
use crate::law::talus;
use fearless_simd::Level;
use std::ops::RangeInclusive;
use thalweg_field::range::{FINITE, FINITE_F32, NATURAL, all_within};
use thalweg_field::sum::Compensated;
use thalweg_field::{Field, FieldInfo, Frame, Grid2, Heightfield, Snapshot, band};

/// Steps between two looks at the time step; the number of steps in a sweep divides it.
const CONTROL: u64 = 8;
/// Steps that a sweep takes: enough that rows fetched from memory are worked on several times, not so many that the
/// rows in flight outgrow the cache. Measured best of 1, 2, 4 and 8 from 256 to 4096 cells a side.
const STEPS_PER_SWEEP: usize = 4;
/// Steps between two looks at the energy and for numbers gone wild.
const LOOK_EVERY: u64 = 256;
/// Growth of the energy beyond what was put in that still counts as right [-]. Pipes carry momentum but not along with
/// the water, which heaps at the front of a frictionless dam break: by up to 0.16 in random scenes. Sloshing that is
/// unstable passes any bound.
const ENERGY_SLACK: f64 = 0.3;
/// Water for the wave speed of a dry terrain [m]: the first rain must not meet a step of a minute.
const SHALLOWEST: f64 = 0.01;

/// What a number of steps did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Steps taken.
    pub steps: u64,
    /// Time they took in the simulation [s].
    pub simulated: f64,
    /// Smallest time step [s].
    pub dt_min: f64,
    /// Largest time step [s].
    pub dt_max: f64,
    /// Deepest water after the last step [m].
    pub max_depth: f64,
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A number overflowed.
    #[error(
        "{count} cells are no longer finite at step {step} (t = {time:.3} s), the first at column {col}, row {row}; \
         try a smaller dt, or weaker erosion (capacity, dissolve)"
    )]
    NotFinite {
        /// How many.
        count: usize,
        /// After which step.
        step: u64,
        /// Simulated time [s].
        time: f64,
        /// The first one's column.
        col: usize,
        /// The first one's row.
        row: usize,
    },
    /// The given time step is too long for the depth that the water has reached.
    #[error(
        "dt = {dt} s is not stable at step {step}: waves on {depth:.3} m of water allow at most {limit:.5} s; \
         use dt = {suggested:.5} s or leave dt out for an automatic one"
    )]
    TooLong {
        /// The time step [s].
        dt: f64,
        /// Before which step.
        step: u64,
        /// Deepest water [m].
        depth: f64,
        /// The longest stable step [s].
        limit: f64,
        /// A step with some reserve [s].
        suggested: f64,
    },
    /// The water has more energy than was ever put into it: it sloshes without bound, with its mass intact.
    #[error(
        "the water's energy grew to {ratio:.2} times what was put in by step {step} (t = {time:.3} s): the time step \
         is unstable; lower safety below {safety}, or dt below {dt:.5} s"
    )]
    Sloshing {
        /// Energy over what was put in [-].
        ratio: f64,
        /// After which step.
        step: u64,
        /// Simulated time [s].
        time: f64,
        /// Share of the stability limit in use [-].
        safety: f64,
        /// The time step [s].
        dt: f64,
    },
}

/// A run's state as plain numbers, enough to go on with the same bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// Columns and rows of the terrain.
    pub size: [usize; 2],
    /// Steps taken.
    pub step: u64,
    /// Time, time step and the like, in the order of [`Pipes::save`].
    pub numbers: Vec<f64>,
    /// The rows' accounts, five numbers each.
    pub accounts: Vec<f64>,
    /// Rows of the state, ghosts and margins included.
    pub cells: Vec<f32>,
}

/// What a look over all cells finds, in the solver's heights. Rows are summed one by one, so that the sums do
/// not depend on the cut.
#[derive(Clone, Debug)]
struct Survey {
    /// Lowest bed and highest surface.
    low: f32,
    high: f32,
    /// Water of each row.
    weight: Vec<f64>,
    /// Kinetic and potential energy of each row's water over its weight, above the datum.
    energy: Vec<f64>,
    /// Cells that are no longer finite, and the first of them.
    stray_count: usize,
    stray: Option<(usize, usize)>,
}

impl Default for Survey {
    fn default() -> Self {
        let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
        Self { low, high, weight: Vec::new(), energy: Vec::new(), stray_count: 0, stray: None }
    }
}

impl Survey {
    /// Energy of the water over its weight, above the lowest bed.
    fn energy_above_lowest(&self) -> f64 {
        self.energy.iter().sum::<f64>() - self.weight.iter().sum::<f64>() * f64::from(self.low)
    }
}

/// What is watched during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    Full,
    Energy,
    Off,
}

/// Water on a heightfield, and the ground it wears away.
#[derive(Clone, Debug)]
pub struct Pipes {
    params: Params,
    frame: Frame,
    layout: Layout,
    /// Side of a cell in the solver.
    cell: f64,
    /// Metres per unit of height in the solver.
    unit: f64,
    /// Height that counts as 0 in the solver [m]: keeps f32 for the relief instead of the elevation.
    datum: f64,
    bands: Vec<Band>,
    supply: Supply,
    rims: Rims,
    gain_along_columns: Vec<f32>,
    softness: Option<PaddedRows>,
    ordinary: Lines,
    within: Lines,
    wettings: Vec<Wetting>,
    level: Level,
    guard: Guard,
    step: u64,
    time: f64,
    dt: f64,
    max_depth: f64,
    /// Deepest water at the last look at the time step [m], which rain is measured by.
    rain_depth: f64,
    /// Rain that waits to fall, for each rain.
    rain_carry: Vec<f64>,
    /// Rained and sprung, in the solver's heights times cells.
    added: Compensated,
    /// No bed is higher or deeper, in the solver's heights.
    highest: f32,
    water_start: f64,
    bed_start: f64,
    /// Energy of the water at the beginning and all that was added since.
    energy_in: f64,
    added_at_last_look: f64,
    eroded_at_last_look: f64,
    /// Lowest bed so far, in the solver's heights.
    lowest: f32,
}

impl Pipes {
    /// Puts the weather over a terrain. Nothing has happened yet.
    pub fn new(ground: &Heightfield, params: &Params, weather: &Weather) -> Result<Self, Invalid> {
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        params.validated()?;
        weather.validated(cols, rows)?;
        let stray = ground.height.values().iter().copied().find(|h| !h.is_finite());
        super::params::require(
            stray.is_none(),
            "terrain",
            stray.unwrap_or(0.0),
            "every height must be a finite number",
        )?;
        super::params::require(cols > 0 && rows > 0, "terrain", "empty", "it must have at least one cell")?;
        let layout = Layout::new(cols, rows, params.neighbours == 8);
        let unit = params.height_unit.unwrap_or(1.0);
        let datum = datum(&ground.height);
        let bands = cut(&layout, STEPS_PER_SWEEP, band::threads());
        let rims = Rims::new(&weather.edges, datum, unit);
        let mut within = Lines::new(layout.padded, 1.0);
        within[cols..].fill(0.0);
        let mut pipes = Self {
            cell: if params.height_unit.is_some() { 1.0 } else { ground.frame.cell },
            unit,
            datum,
            bands,
            supply: Supply::new(weather, ground, &layout, unit)?,
            gain_along_columns: rims.gain_along_columns(&layout),
            rims,
            softness: softness(weather, cols, rows).map(|softness| PaddedRows::new(&softness, &layout)),
            ordinary: Lines::new(layout.padded, 1.0),
            within,
            wettings: vec![Wetting::default(); STEPS_PER_SWEEP],
            level: Level::new(),
            guard: Guard::Full,
            step: 0,
            time: 0.0,
            dt: 0.0,
            max_depth: 0.0,
            rain_depth: 0.0,
            rain_carry: vec![0.0; weather.rain.len()],
            added: Compensated::default(),
            highest: 0.0,
            water_start: 0.0,
            bed_start: 0.0,
            energy_in: 0.0,
            added_at_last_look: 0.0,
            eroded_at_last_look: 0.0,
            lowest: 0.0,
            params: params.clone(),
            frame: ground.frame.clone(),
            layout,
        };
        pipes.fill(plane::BED, |col, row| ((f64::from(ground.height.at(col, row)) - datum) / unit) as f32);
        if let Some(water) = &weather.water {
            pipes.fill(plane::DEPTH, |col, row| (f64::from(water.at(col, row)) / unit) as f32);
            pipes.max_depth = water.range().map_or(0.0, |(_, deepest)| f64::from(deepest));
        }
        pipes.water_start = pipes.total(plane::DEPTH);
        pipes.bed_start = pipes.total(plane::BED);
        // Deposits may build up; twice the relief is more than water can heap.
        let bed = pipes.rows().flat_map(|(_, _, row)| pipes.cells_of(row, plane::BED));
        pipes.highest = 2.0 * bed.fold(0.0, |highest: f32, &b| highest.max(b.abs()));
        exchange_halos(&pipes.layout, &mut pipes.bands);
        let survey = pipes.survey();
        (pipes.energy_in, pipes.lowest) = (survey.energy_above_lowest(), survey.low);
        Ok(pipes)
    }

    /// Memory that a run on so many cells needs, without maps and pictures [bytes].
    pub fn memory(cols: usize, rows: usize, params: &Params) -> u64 {
        let layout = Layout::new(cols, rows, params.neighbours == 8);
        (layout.row_len() as u64 * 4).saturating_mul(rows as u64 + 2 * (REACH * STEPS_PER_SWEEP) as u64)
    }

    /// Bytes of state for each cell.
    pub fn bytes_per_cell(&self) -> usize {
        self.layout.planes * size_of::<f32>()
    }

    /// Lets the time step and the energy go unwatched, to study instability itself.
    #[must_use]
    pub fn unguarded(mut self) -> Self {
        self.guard = Guard::Off;
        self
    }

    /// Lets the time step be whatever it is, but watches the energy.
    #[must_use]
    pub fn watching_energy_only(mut self) -> Self {
        self.guard = Guard::Energy;
        self
    }

    /// Uses the vectors that every machine of this kind has, instead of the widest of this one. Results do not depend
    /// on it; speed does.
    #[must_use]
    pub fn with_plain_vectors(mut self) -> Self {
        self.level = Level::baseline();
        self
    }

    /// Cuts the rows into `bands` bands and takes up to `steps` steps in a sweep (1, 2, 4 or 8). Results do not
    /// depend on it; speed does.
    pub fn cut_into(&mut self, bands: usize, steps: usize) {
        assert!(
            steps > 0 && (CONTROL as usize).is_multiple_of(steps),
            "{steps} steps in a sweep do not divide {CONTROL}"
        );
        let saved = self.save();
        self.bands = cut(&self.layout, steps, bands);
        self.wettings = vec![Wetting::default(); steps];
        self.restore(&saved).expect("a state fits its own terrain");
    }

    /// Number of bands and steps in a sweep.
    pub fn cuts(&self) -> (usize, usize) {
        (self.bands.len(), self.wettings.len())
    }

    /// Steps taken so far.
    pub fn steps_taken(&self) -> u64 {
        self.step
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The parameters it runs with.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Takes `steps` steps.
    pub fn advance(&mut self, steps: u64) -> Result<StepReport, StepError> {
        let end = self.step + steps;
        let mut report = StepReport { steps, dt_min: f64::INFINITY, ..StepReport::default() };
        let start = self.time;
        while self.step < end {
            if self.step.is_multiple_of(CONTROL) {
                self.choose_dt()?;
            }
            let to_control = CONTROL - self.step % CONTROL;
            let to_slip = if self.params.talus { self.to_slip() } else { u64::MAX };
            let count = (end - self.step).min(to_control).min(to_slip).min(self.wettings.len() as u64);
            self.sweep(count as usize);
            report.dt_min = report.dt_min.min(self.dt);
            report.dt_max = report.dt_max.max(self.dt);
            if self.params.talus && self.to_slip() == u64::from(self.params.talus_every) {
                self.slip();
            }
            if self.step.is_multiple_of(LOOK_EVERY) {
                self.look()?;
            }
        }
        report.simulated = self.time - start;
        report.max_depth = self.max_depth;
        Ok(report)
    }

    /// Steps until the next round of slipping.
    fn to_slip(&self) -> u64 {
        let every = u64::from(self.params.talus_every);
        every - self.step % every
    }

    /// The longest stable time step on water of some depth [m] [s].
    fn limit_at(&self, depth: f64) -> f64 {
        let section = match self.params.area {
            PipeArea::Constant => self.params.pipe_area / self.cell,
            PipeArea::Depth => depth / self.unit,
        };
        stable_dt(&self.params, self.cell, (self.params.gravity * section).sqrt())
    }

    /// The longest stable time step at present [s].
    pub fn max_dt(&self) -> f64 {
        self.limit_at(self.deepest().max(SHALLOWEST))
    }

    /// Deepest water on the terrain or in a reservoir beside it [m].
    fn deepest(&self) -> f64 {
        let Rims { north, east, south, west } = self.rims;
        let Layout { cols, rows, .. } = self.layout;
        let mut deepest = 0.0_f32;
        for (_, index, row) in self.rows() {
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
        self.max_depth.max(f64::from(deepest) * self.unit)
    }

    fn choose_dt(&mut self) -> Result<(), StepError> {
        self.rain_depth = self.max_depth;
        let limit = self.max_dt();
        let usable = self.params.safety * limit;
        self.dt = match self.params.dt {
            Some(dt) if self.guard == Guard::Full && dt > self.limit_at(self.deepest()) => {
                let depth = self.deepest();
                return Err(StepError::TooLong { dt, step: self.step, depth, limit, suggested: usable });
            }
            Some(dt) => dt,
            None => usable.min(self.params.max_dt),
        };
        Ok(())
    }

    /// Takes `count` steps in one pass over all bands.
    fn sweep(&mut self, count: usize) {
        exchange_halos(&self.layout, &mut self.bands);
        for (i, wetting) in self.wettings[..count].iter_mut().enumerate() {
            let when =
                Moment { step: self.step + i as u64, time: self.time, dt: self.dt, deepest: self.rain_depth };
            self.supply.prepare(&self.layout, when, &mut self.rain_carry, wetting);
            self.time += self.dt;
            self.added.add(wetting.added);
        }
        let coefficients = Coefficients::new(&self.params, self.cell, self.unit, self.dt);
        let sweep = Sweep {
            layout: self.layout,
            coefficients,
            height_per_flux: self.dt / (self.cell * self.cell),
            supply: &self.supply,
            wettings: &self.wettings[..count],
            rims: self.rims,
            gain_along_columns: &self.gain_along_columns,
            softness: self.softness.as_ref(),
            ordinary: &self.ordinary,
            within: &self.within,
            choice: Choice {
                diagonal: self.params.neighbours == 8,
                natural: self.params.drag > 0.0
                    || self.params.slope == Slope::Downstream
                    || self.params.area == PipeArea::Depth,
                donor: self.params.transport == Transport::DonorCell,
            },
        };
        let level = self.level;
        band::for_each(&mut self.bands, |_, band| sweep.run(level, band));

        let deepest = self.bands.iter().fold(0.0, |deepest: f32, band| deepest.max(band.max_depth));
        self.max_depth = f64::from(deepest) * self.unit;
        self.step += count as u64;
    }

    /// Lets slopes steeper than the angle of repose slip.
    fn slip(&mut self) {
        exchange_halos(&self.layout, &mut self.bands);
        let slipping = talus::Slipping::new(
            self.params.repose,
            self.params.talus_rate,
            self.frame.cell / self.unit,
            self.highest,
        );
        let layout = self.layout;
        band::for_each(&mut self.bands, |_, band| slip_band(&layout, &slipping, band));
    }

    /// Looks over all cells.
    fn survey(&self) -> Survey {
        let mut surveys: Vec<_> = self.bands.iter().map(|band| (band, Survey::default())).collect();
        band::for_each(&mut surveys, |_, (band, survey)| {
            for row in band.own.clone() {
                self.survey_row(band, row, survey);
            }
        });
        let mut all = Survey::default();
        for (_, part) in surveys {
            all.low = all.low.min(part.low);
            all.high = all.high.max(part.high);
            all.weight.append(&mut part.weight.clone());
            all.energy.append(&mut part.energy.clone());
            all.stray_count += part.stray_count;
            all.stray = all.stray.or(part.stray);
        }
        all
    }

    fn survey_row(&self, band: &Band, index: usize, survey: &mut Survey) {
        let row = band.row(&self.layout, index as isize);
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
                let [east, south] = self.flow_at(band, index, col);
                // The water in a pipe of length l and area A that carries the flux q has ½ρ l q²/A.
                let area = match self.params.area {
                    PipeArea::Constant => self.params.pipe_area,
                    PipeArea::Depth => self.cell * d,
                };
                // Films run dry within a step and leave no depth to divide by: nothing moves faster than a cell
                // in a step.
                let flow2 = east * east + south * south;
                let fastest = area * self.cell / self.dt;
                let moving = flow2.min(fastest * fastest) / (2.0 * self.params.gravity * self.cell * area);
                weight += d;
                energy += d * (f64::from(b) + 0.5 * d) + moving;
            }
        }
        survey.weight.push(weight);
        survey.energy.push(energy);
    }

    /// Stops a run whose numbers have gone wild, or whose water has more energy than was put into it.
    fn look(&mut self) -> Result<(), StepError> {
        exchange_halos(&self.layout, &mut self.bands);
        let survey = self.survey();
        let (step, time) = (self.step, self.time);
        if let Some((col, row)) = survey.stray {
            return Err(StepError::NotFinite { count: survey.stray_count, step, time, col, row });
        }
        // Water can bring no more than its weight times the height of the highest surface.
        let account = self.account();
        let added = self.added.value() + account.imported;
        self.energy_in += (added - self.added_at_last_look) * f64::from(survey.high - survey.low);
        self.added_at_last_look = added;
        // What was eroded settles somewhere, and lifts the water there by at most the deepest water.
        self.energy_in += (account.eroded - self.eroded_at_last_look) * self.max_depth / self.unit;
        self.eroded_at_last_look = account.eroded;
        // Heights are counted from the lowest bed; where that sinks, all water stands higher above it.
        let sunk = f64::from(self.lowest - survey.low).max(0.0);
        self.energy_in += sunk * survey.weight.iter().sum::<f64>();
        self.lowest = self.lowest.min(survey.low);
        let ratio = survey.energy_above_lowest() / self.energy_in;
        if self.guard != Guard::Off && ratio > 1.0 + ENERGY_SLACK {
            return Err(StepError::Sloshing { ratio, step, time, safety: self.params.safety, dt: self.dt });
        }
        Ok(())
    }

    /// The rows of the terrain, north to south, with the band that holds each.
    fn rows(&self) -> impl Iterator<Item = (&Band, usize, &[f32])> {
        self.bands.iter().flat_map(move |band| {
            band.own.clone().map(move |row| (band, row, band.row(&self.layout, row as isize)))
        })
    }

    fn cells_of<'a>(&self, row: &'a [f32], which: usize) -> &'a [f32] {
        &self.layout.plane(row, which)[MARGIN..][..self.layout.cols]
    }

    /// Flux through a cell to the east and to the south, from its pipes and its neighbours'.
    fn flow_at(&self, band: &Band, row: usize, col: usize) -> [f64; 2] {
        let [above, here, below] = [-1, 0, 1].map(|by| band.row(&self.layout, row as isize + by));
        let pipe = |row, which, by: isize| {
            f64::from(self.layout.plane(row, which)[(MARGIN + col).wrapping_add_signed(by)])
        };
        let mut east = pipe(here, plane::EAST, -1) - pipe(here, plane::WEST, 1) + pipe(here, plane::EAST, 0)
            - pipe(here, plane::WEST, 0);
        let mut south = pipe(above, plane::SOUTH, 0) - pipe(below, plane::NORTH, 0)
            + pipe(here, plane::SOUTH, 0)
            - pipe(here, plane::NORTH, 0);
        if self.params.neighbours == 8 {
            let out = [plane::NORTH_WEST, plane::NORTH_EAST, plane::SOUTH_WEST, plane::SOUTH_EAST];
            let [nw, ne, sw, se] = out.map(|which| pipe(here, which, 0));
            let (in_nw, in_ne) = (pipe(above, plane::SOUTH_EAST, -1), pipe(above, plane::SOUTH_WEST, 1));
            let (in_sw, in_se) = (pipe(below, plane::NORTH_EAST, -1), pipe(below, plane::NORTH_WEST, 1));
            east += (in_nw + in_sw) - (in_ne + in_se) + (ne + se) - (nw + sw);
            south += (in_nw + in_ne) - (in_sw + in_se) + (sw + se) - (nw + ne);
        }
        // Each flow enters and leaves; a net flow stands in the pipes of both sides besides.
        let counted = if self.params.counterflow == Counterflow::Cancel { 4.0 } else { 2.0 };
        [east / counted, south / counted]
    }

    fn fill(&mut self, which: usize, value: impl Fn(usize, usize) -> f32 + Sync) {
        let layout = self.layout;
        band::for_each(&mut self.bands, |_, band| {
            for row in band.own.clone() {
                let plane = layout.plane_mut(band.row_mut(&layout, row as isize), which);
                for (col, cell) in plane[MARGIN..][..layout.cols].iter_mut().enumerate() {
                    *cell = value(col, row);
                }
            }
        });
    }

    /// Sum over all cells, in the solver's heights.
    fn total(&self, which: usize) -> f64 {
        let in_row = |row| self.cells_of(row, which).iter().map(|&v| f64::from(v)).sum::<f64>();
        self.rows().map(|(_, _, row)| in_row(row)).sum()
    }

    /// A grid of what `fill` writes for each row, bands in parallel.
    fn grid(&self, fill: impl Fn(&Band, usize, &mut [f32]) + Sync) -> Grid2<f32> {
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
        band::for_each(&mut parts, |_, (band, part)| {
            for (row, cells) in band.own.clone().zip(part.chunks_exact_mut(cols)) {
                fill(band, row, cells);
            }
        });
        drop(parts);
        Grid2::from_values(cols, rows, values).expect("one value for each cell")
    }

    /// One plane, scaled to metres.
    fn plane_grid(&self, which: usize, datum: f64) -> Grid2<f32> {
        self.grid(|band, row, cells| {
            let plane = self.cells_of(band.row(&self.layout, row as isize), which);
            for (cell, &value) in cells.iter_mut().zip(plane) {
                *cell = (datum + self.unit * f64::from(value)) as f32;
            }
        })
    }

    /// Bed height [m].
    pub fn bed(&self) -> Grid2<f32> {
        self.plane_grid(plane::BED, self.datum)
    }

    /// Water depth [m].
    pub fn depth(&self) -> Grid2<f32> {
        self.plane_grid(plane::DEPTH, 0.0)
    }

    /// Suspended sediment, as the height of bed it would make [m].
    pub fn sediment(&self) -> Grid2<f32> {
        self.plane_grid(plane::SEDIMENT, 0.0)
    }

    /// Velocity to the east and to the north [m/s].
    pub fn velocity(&mut self) -> [Grid2<f32>; 2] {
        exchange_halos(&self.layout, &mut self.bands);
        [(0, 1.0), (1, -1.0)].map(|(axis, sign)| {
            self.grid(|band, row, cells| {
                for (col, cell) in cells.iter_mut().enumerate() {
                    let depth =
                        f64::from(self.cells_of(band.row(&self.layout, row as isize), plane::DEPTH)[col]);
                    *cell = if depth * self.unit > THIN {
                        // Where heights have a unit of their own, cells count as 1.
                        let metres = self.frame.cell / self.cell;
                        (sign * self.flow_at(band, row, col)[axis] * metres / (self.cell * depth)) as f32
                    } else {
                        0.0
                    };
                }
            })
        })
    }

    /// Discharge per metre of width [m²/s].
    pub fn discharge(&mut self) -> Grid2<f32> {
        exchange_halos(&self.layout, &mut self.bands);
        let metres = self.frame.cell / self.cell * self.unit / self.cell;
        self.grid(|band, row, cells| {
            for (col, cell) in cells.iter_mut().enumerate() {
                let [east, south] = self.flow_at(band, row, col);
                *cell = ((east * east + south * south).sqrt() * metres) as f32;
            }
        })
    }

    /// The terrain as it is now.
    pub fn ground(&self) -> Heightfield {
        Heightfield { height: self.bed(), frame: self.frame.clone() }
    }

    /// The present state, labelled.
    pub fn snapshot(&mut self) -> Snapshot {
        let [east, north] = self.velocity();
        let speed = Grid2::from_fn(east.cols(), east.rows(), |c, r| east.at(c, r).hypot(north.at(c, r)));
        let field = |name, unit, meaning, values| Field { info: FieldInfo::new(name, unit, meaning), values };
        Snapshot {
            step: self.step,
            time: self.time,
            ..Snapshot::of_fields(
                self.frame.clone(),
                vec![
                    field("height", "m", "height of the bed", self.bed()),
                    field("water", "m", "depth of the water above the bed", self.depth()),
                    field("sediment", "m", "suspended sediment, as height of bed", self.sediment()),
                    field("speed", "m/s", "speed of the water", speed),
                    field("velocity_east", "m/s", "velocity of the water to the east", east),
                    field("velocity_north", "m/s", "velocity of the water to the north", north),
                ],
            )
        }
    }

    /// All rows' accounts together, north to south.
    fn account(&self) -> RowAccount {
        let mut sum = RowAccount::default();
        for row in self.bands.iter().flat_map(|band| &band.accounts) {
            sum.evaporated += row.evaporated;
            sum.eroded += row.eroded;
            sum.exported += row.exported;
            sum.imported += row.imported;
            sum.exported_sediment += row.exported_sediment;
        }
        sum
    }

    /// The account of water and ground so far.
    pub fn ledger(&self) -> Ledger {
        let volume = self.frame.cell * self.frame.cell * self.unit;
        let account = self.account();
        let below =
            self.datum * (self.layout.cols * self.layout.rows) as f64 * self.frame.cell * self.frame.cell;
        Ledger {
            water: Water {
                start: self.water_start * volume,
                added: (self.added.value() + account.imported) * volume,
                evaporated: account.evaporated * volume,
                exported: account.exported * volume,
                end: self.total(plane::DEPTH) * volume,
            },
            solids: Solids {
                bed_start: self.bed_start * volume + below,
                bed_end: self.total(plane::BED) * volume + below,
                suspended: self.total(plane::SEDIMENT) * volume,
                exported: account.exported_sediment * volume,
                added: 0.0,
                eroded: account.eroded * volume,
            },
        }
    }

    fn rows_with_ghosts(&self) -> Vec<f32> {
        let rows = -1..=self.layout.rows as isize;
        let holder = |row: isize| {
            let row = row.clamp(0, self.layout.rows as isize - 1) as usize;
            self.bands.iter().find(|band| band.own.contains(&row)).expect("every row lies in a band")
        };
        rows.flat_map(|row| holder(row).row(&self.layout, row).iter().copied()).collect()
    }

    fn set_rows_with_ghosts(&mut self, cells: &[f32]) {
        let rows = self.layout.rows as isize;
        for band in &mut self.bands {
            let first = if band.own.start == 0 { -1 } else { band.own.start as isize };
            let end = if band.own.end == self.layout.rows { rows + 1 } else { band.own.end as isize };
            for row in first..end {
                let len = self.layout.row_len();
                band.row_mut(&self.layout, row).copy_from_slice(&cells[(row + 1) as usize * len..][..len]);
            }
        }
        exchange_halos(&self.layout, &mut self.bands);
    }

    /// Everything needed to go on later.
    pub fn save(&self) -> Saved {
        let [added, added_rest] = self.added.parts();
        let mut numbers = vec![
            self.time,
            self.dt,
            self.max_depth,
            self.water_start,
            self.bed_start,
            self.energy_in,
            self.added_at_last_look,
            self.eroded_at_last_look,
            added,
            added_rest,
            self.rain_depth,
            f64::from(self.lowest),
        ];
        numbers.extend(&self.rain_carry);
        let accounts = self.bands.iter().flat_map(|band| &band.accounts);
        let accounts =
            accounts.flat_map(|a| [a.evaporated, a.eroded, a.exported, a.imported, a.exported_sediment]);
        Saved {
            size: [self.layout.cols, self.layout.rows],
            step: self.step,
            numbers,
            accounts: accounts.collect(),
            cells: self.rows_with_ghosts(),
        }
    }

    /// Goes back to a saved state of the same scene. The text says why not: it does not fit this terrain, or a number in it
    /// makes no sense; nothing changes then.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), String> {
        let misfit = || "its state does not fit the terrain".to_owned();
        let &[
            time,
            dt,
            max_depth,
            water_start,
            bed_start,
            energy_in,
            looked,
            eroded,
            added,
            added_rest,
            rain_depth,
            lowest,
            ref rain_carry @ ..,
        ] = saved.numbers.as_slice()
        else {
            return Err(misfit());
        };
        let Layout { cols, rows, .. } = self.layout;
        let (accounts, rest) = saved.accounts.as_chunks::<5>();
        let fits = saved.size == [cols, rows]
            && saved.cells.len() == self.layout.row_len() * (rows + 2)
            && accounts.len() == rows
            && rest.is_empty()
            && rain_carry.len() == self.supply.rains();
        if !fits {
            return Err(misfit());
        }
        self.check_saved(saved)?;
        self.step = saved.step;
        (self.time, self.dt, self.max_depth) = (time, dt, max_depth);
        (self.water_start, self.bed_start) = (water_start, bed_start);
        (self.energy_in, self.added_at_last_look, self.eroded_at_last_look) = (energy_in, looked, eroded);
        self.added = Compensated::from_parts([added, added_rest]);
        self.rain_depth = rain_depth;
        self.lowest = lowest as f32;
        self.rain_carry = rain_carry.to_vec();
        let rows = self.bands.iter_mut().flat_map(|band| &mut band.accounts);
        for (row, &[evaporated, eroded, exported, imported, exported_sediment]) in rows.zip(accounts) {
            *row = RowAccount { evaporated, eroded, exported, imported, exported_sediment };
        }
        self.set_rows_with_ghosts(&saved.cells);
        Ok(())
    }

    /// Refuses numbers that no run can have.
    fn check_saved(&self, saved: &Saved) -> Result<(), String> {
        /// Depths that are nothing but for rounding may lie a little below 0 [m].
        const WITH_DUST: RangeInclusive<f64> = -1.0e-3..=f32::MAX as f64;
        // Time, time step, deepest water, water at the beginning; then sums that may have either sign.
        let (natural, either) = saved.numbers.split_at(4);
        all_within("its time, time step or depth,", natural, &NATURAL)?;
        all_within("its account,", either, &FINITE)?;
        all_within("account of row", &saved.accounts, &FINITE)?;
        // Whatever is beyond the edges is made from what is within.
        let row_len = self.layout.row_len();
        for (row, cells) in saved.cells.chunks(row_len).skip(1).take(self.layout.rows).enumerate() {
            for (which, plane) in cells.chunks(self.layout.stride).enumerate() {
                let (name, range) = match which {
                    plane::BED => ("height of the bed", &FINITE_F32),
                    plane::DEPTH => ("depth of the water", &WITH_DUST),
                    plane::SEDIMENT => ("sediment", &WITH_DUST),
                    // Opposite flows of one face may be kept as one, with a sign.
                    _ => ("outflow", &FINITE_F32),
                };
                let cells = &plane[MARGIN..][..self.layout.cols];
                all_within(&format!("{name} in row {row}, cell"), cells, range)?;
            }
        }
        Ok(())
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

/// Height that counts as 0: heights minus it are exact in f32, and so are heights rebuilt from them.
fn datum(height: &Grid2<f32>) -> f64 {
    let (low, high) = height.range().unwrap_or((0.0, 0.0));
    f64::from(if low > 0.0 {
        low.floor()
    } else if high < 0.0 {
        high.ceil()
    } else {
        0.0
    })
}

/// Bands for so many threads; none lower than its neighbours' halo.
fn cut(layout: &Layout, steps: usize, threads: usize) -> Vec<Band> {
    let most = layout.rows / (REACH * steps);
    band::split(layout.rows, threads.min(most.max(1))).map(|own| Band::new(layout, own, steps)).collect()
}

/// Slipping in one band; reads each row as it was before.
fn slip_band(layout: &Layout, slipping: &talus::Slipping, band: &mut Band) {
    let last = layout.rows as isize - 1;
    // The scratch of a sweep has room for the three rows that are looked at.
    let mut in_flight = std::mem::take(&mut band.in_flight);
    let old = &mut in_flight[0].cargo;
    let keep = |band: &Band, row: isize, into: &mut Lines| {
        into.copy_from_slice(layout.plane(band.row(layout, row.clamp(0, last)), plane::BED));
    };
    let first = band.own.start as isize;
    keep(band, first - 1, &mut old[0]);
    keep(band, first, &mut old[1]);
    for row in band.own.clone() {
        keep(band, row as isize + 1, &mut old[2]);
        let plane = layout.plane_mut(band.row_mut(layout, row as isize), plane::BED);
        let [north, here, south] = [0, 1, 2].map(|i: usize| &old[i][MARGIN..][..layout.cols]);
        slipping.row([north, here, south], &mut plane[MARGIN..][..layout.cols]);
        old.rotate_left(1);
    }
    // Sweeps expect nothing to be carried in from beyond the ends.
    for row in old {
        row.fill(0.0);
    }
    band.in_flight = in_flight;
}
