//! Water on a heightfield, and how it goes on: what is due when, and who does it.

use super::backend::{Backend, Moment, Quantity, Swept};
use super::books::Books;
use super::cpu::Cpu;
use super::error::StepError;
use super::guard::{Guard, Watch};
use super::model::Model;
use super::params::Params;
use super::schedule::{self, CONTROL, Clock};
use super::weather::Weather;
use crate::law::slip::Slipping;
use thalweg_field::{Frame, Heightfield, Invalid, Ledger, TimeSteps, require};

/// Water on a heightfield, and the ground it wears away.
#[derive(Clone, Debug)]
pub struct Pipes {
    pub(super) model: Model,
    pub(super) backend: Cpu,
    pub(super) clock: Clock,
    pub(super) guard: Guard,
    pub(super) books: Books,
    /// No bed is higher or deeper, in the solver's heights.
    pub(super) highest: f32,
    /// Whether somebody painted its cells.
    pub(super) is_painted: bool,
}

impl Pipes {
    /// Puts the weather over a terrain. Nothing has happened yet.
    pub fn new(ground: &Heightfield, params: &Params, weather: &Weather) -> Result<Self, Invalid> {
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        params.validated()?;
        weather.validated(cols, rows)?;
        let stray = ground.height.values().iter().copied().find(|h| !h.is_finite());
        let finite = "every height must be a finite number";
        require(stray.is_none(), "terrain", stray.unwrap_or(0.0), finite)?;
        require(cols > 0 && rows > 0, "terrain", "empty", "it must have at least one cell")?;
        let model = Model::new(ground, params);
        let mut backend = Cpu::new(ground, &model, weather)?;
        let mut clock = Clock::new(weather.rain.len());
        let (datum, unit) = (model.datum, model.unit);
        let bed = |col: usize, row: usize| ((f64::from(ground.height.at(col, row)) - datum) / unit) as f32;
        backend.fill(Quantity::Bed, bed);
        if let Some(water) = &weather.water {
            backend.fill(Quantity::Depth, |col, row| (f64::from(water.at(col, row)) / unit) as f32);
            clock.max_depth = water.range().map_or(0.0, |(_, deepest)| f64::from(deepest));
        }
        if let Some(afloat) = &weather.afloat {
            backend.fill(Quantity::Sediment, |col, row| (f64::from(afloat.at(col, row)) / unit) as f32);
        }
        // Deposits may build up; twice the relief is more than water can heap.
        let heights = (0..rows).flat_map(|row| (0..cols).map(move |col| (col, row)));
        let highest = heights.fold(0.0, |highest: f32, (col, row)| highest.max(bed(col, row).abs()));
        let guard = Guard::new(&backend.survey(&model, clock.dt));
        let books = Books::open(&backend);
        Ok(Self { model, backend, clock, guard, books, highest: 2.0 * highest, is_painted: false })
    }

    /// Memory that a run on so many cells needs, without maps and pictures `[bytes]`.
    pub fn memory(cols: usize, rows: usize, params: &Params) -> u64 {
        Cpu::memory(cols, rows, params)
    }

    /// Bytes of state for each cell.
    pub fn bytes_per_cell(&self) -> usize {
        self.backend.bytes_per_cell()
    }

    /// Lets the time step and the energy go unwatched, to study instability itself.
    #[must_use]
    pub fn unguarded(mut self) -> Self {
        self.guard.watch = Watch::Off;
        self
    }

    /// Lets the time step be whatever it is, but watches the energy.
    #[must_use]
    pub fn watching_energy_only(mut self) -> Self {
        self.guard.watch = Watch::Energy;
        self
    }

    /// Uses the vectors that every machine of this kind has, instead of the widest of this one. Results do not depend
    /// on it; speed does.
    #[must_use]
    pub fn with_plain_vectors(mut self) -> Self {
        self.backend.use_plain_vectors();
        self
    }

    /// Cuts the rows into `bands` bands and takes up to `steps` steps in a sweep (1, 2, 4 or 8). Results do not
    /// depend on it; speed does.
    pub fn cut_into(&mut self, bands: usize, steps: usize) {
        assert!(
            steps > 0 && (CONTROL as usize).is_multiple_of(steps),
            "{steps} steps in a sweep do not divide {CONTROL}"
        );
        self.backend.cut_into(bands, steps);
    }

    /// Number of bands and steps in a sweep.
    pub fn cuts(&self) -> (usize, usize) {
        self.backend.cuts()
    }

    /// Steps taken so far.
    pub fn steps_taken(&self) -> u64 {
        self.clock.step
    }

    /// Simulated time `[s]`.
    pub fn time(&self) -> f64 {
        self.clock.time
    }

    /// Cell size and position of its terrain.
    pub fn frame(&self) -> &Frame {
        &self.model.frame
    }

    /// The parameters it runs with.
    pub fn params(&self) -> &Params {
        &self.model.params
    }

    /// Lets no step go beyond a time `[s]`: the last ones before it are as much shorter as it takes to end there.
    pub fn end_at(&mut self, time: Option<f64>) {
        self.clock.end = time.unwrap_or(f64::INFINITY);
    }

    /// Takes `steps` steps, or those up to the end.
    pub fn advance(&mut self, steps: u64) -> Result<TimeSteps, StepError> {
        let end = self.clock.step + steps;
        let mut taken = TimeSteps::NONE;
        while self.clock.step < end && !self.clock.is_at_end() {
            if self.clock.is_control_due() {
                self.clock.choose_dt(&self.model, self.deepest(), self.guard.watch)?;
            }
            self.sweep(self.clock.stride(end, self.backend.steps_per_sweep(), &self.model.params));
            taken.add(TimeSteps::one(self.clock.dt));
            if self.clock.is_slip_due(&self.model.params) {
                self.slip();
            }
            if self.clock.is_check_due() {
                self.check()?;
            }
        }
        Ok(taken)
    }

    /// The longest stable time step at present `[s]`.
    pub fn max_dt(&self) -> f64 {
        schedule::max_dt(&self.model, self.deepest())
    }

    /// Deepest water on the terrain or in a reservoir beside it `[m]`.
    pub(super) fn deepest(&self) -> f64 {
        self.clock.max_depth.max(f64::from(self.backend.deepest_reservoir()) * self.model.unit)
    }

    /// Takes `count` steps in one sweep.
    fn sweep(&mut self, count: usize) {
        let Self { model, backend, clock, books, .. } = self;
        for place in 0..count {
            let step = clock.step + place as u64;
            let when = Moment { step, time: clock.time, dt: clock.dt, deepest: clock.rain_depth };
            let added = backend.supply(place, when, &mut clock.rain_carry);
            clock.advance();
            books.added.add(added);
        }
        let Swept { deepest, briskest } = backend.sweep(model, count, clock.dt);
        clock.max_depth = f64::from(deepest) * model.unit;
        clock.crossing = clock.dt / f64::from(briskest).sqrt();
        clock.step += count as u64;
    }

    /// Lets slopes steeper than the angle of repose slip.
    fn slip(&mut self) {
        let Model { params, frame, unit, .. } = &self.model;
        let share = params.talus_rate * self.clock.dt * f64::from(params.talus_every);
        let slipping = Slipping::new(params.repose, share, frame.cell / unit)
            .with_edges_that_follow(params.edges_follow);
        self.backend.slip(&slipping, self.highest);
    }

    /// Stops a run whose numbers have gone wild, or whose water has more energy than was put into it.
    fn check(&mut self) -> Result<(), StepError> {
        let survey = self.backend.survey(&self.model, self.clock.dt);
        let account = self.backend.account();
        self.guard.check(&self.model, &self.clock, &survey, &account, self.books.added.value())
    }

    /// The account of water and ground so far.
    pub fn ledger(&self) -> Ledger {
        let [cols, rows] = self.backend.size();
        self.books.ledger(&self.model, &self.backend, cols * rows)
    }
}
