//! Ground that rises, wears down and creeps, step by step.

use super::creep::{Creep, Slopes};
use super::error::StepError;
use super::floors::{self, Floors};
use super::incision::{Basin, Ground, Incision, Law};
use super::lakes::Hollows;
use super::land::Land;
use super::layout::{Layout, OUTLET, UNDER_WATER};
use super::order::{Climb, Order};
use super::params::{Lakes, Params, REFERENCE_AREA};
use super::rock::{self, Strata, Surface};
use super::{outlets, receivers, relief, uplift};
use crate::lanes;
use fearless_simd::{Level, Simd, dispatch};
use std::ops::Range;
use thalweg_field::band::{self, Lines};
use thalweg_field::random::Key;
use thalweg_field::sum::Compensated;
use thalweg_field::{Frame, Grid2, Heightfield, Invalid, Ledger, Solids, require};

/// Change of the surface over which its age is forgotten `[m]`: about the depth that cosmic rays reach (Lal 1991).
const FRESH: f32 = 1.0;

/// Ground that rises, wears down and creeps.
#[derive(Clone, Debug)]
pub struct StreamPower {
    pub(super) layout: Layout,
    pub(super) frame: Frame,
    pub(super) params: Params,
    pub(super) land: Land,
    pub(super) clock: Clock,
    pub(super) cells: Cells,
    pub(super) books: Books,
    /// What follows from the parameters and the land, cell by cell.
    pub(super) given: Given,
    pub(super) routes: Routes,
    pub(super) work: Work,
}

/// How far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clock {
    pub(super) step: u64,
    /// Simulated time `[s]`.
    pub(super) time: f64,
    /// What uplift is multiplied with to reach the relief that is wanted `[-]`.
    pub(super) gain: f64,
}

/// What is saved of every cell. All have a rim.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// Height of the bed, at outlets of the water if that is higher `[m]`.
    pub(super) height: Vec<f64>,
    /// Sediment on the rock `[m]`.
    pub(super) sediment: Vec<f32>,
    /// How far the rock has risen `[m]`.
    pub(super) uplifted: Vec<f32>,
    /// How long the surface has been one `[s]`.
    pub(super) age: Vec<f32>,
}

/// The accounts, as height of one cell `[m]`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Books {
    pub(super) start: f64,
    pub(super) added: Compensated,
    pub(super) exported: Compensated,
    pub(super) eroded: Compensated,
}

/// What follows from parameters and land.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// The ground at the beginning `[m]`.
    pub(super) start: Grid2<f32>,
    /// Beds of outlets that lie under water, by cell `[m]`.
    pub(super) drowned: Vec<(u32, f64)>,
    pub(super) rock: Vec<f32>,
    pub(super) pattern: Vec<f32>,
    pub(super) rain: Option<Vec<f32>>,
    pub(super) strata: Option<Strata>,
}

/// The ways of the water.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    pub(super) ways: Vec<u8>,
    pub(super) order: Order,
    pub(super) hollows: Hollows,
    climb: Climb,
}

/// Room for a step, which is not saved.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    pub(super) incision: Incision,
    creep: Creep,
    stays: Vec<f32>,
    erodibility: Vec<f32>,
    floors: floors::Room,
}

impl StreamPower {
    /// Puts land over a terrain. Nothing has happened yet.
    pub fn new(ground: &Heightfield, params: &Params, land: &Land) -> Result<Self, Invalid> {
        Self::resumed(ground, ground, params, land)
    }

    /// The same where the ground has changed since the beginning, as on a finer grid after a coarse one: the form that is kept
    /// and the layers of rock are those of the beginning.
    pub fn resumed(
        start: &Heightfield,
        ground: &Heightfield,
        params: &Params,
        land: &Land,
    ) -> Result<Self, Invalid> {
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        params.validated()?;
        require(
            cols > 1 && rows > 1,
            "terrain",
            format!("{cols} by {rows}"),
            "it must have at least 2 by 2 cells",
        )?;
        let most = u32::MAX as usize / 4;
        require(
            cols < most / rows,
            "terrain",
            format!("{cols} by {rows}"),
            format!("it may have {most} cells"),
        )?;
        land.validated(cols, rows)?;
        for field in [start, ground] {
            let stray = field.height.values().iter().copied().find(|h| !h.is_finite());
            require(
                stray.is_none(),
                "terrain",
                stray.unwrap_or(0.0),
                "every height must be a finite number",
            )?;
        }
        let layout = Layout::new(cols, rows, ground.frame.cell, &land.edges);
        let mut height = layout.padded(&ground.height, f64::INFINITY, f64::from);
        let drowned = drown(&layout, &mut height);
        let cells = Cells {
            sediment: layout.filled(0.0),
            uplifted: layout.filled(0.0),
            age: layout.filled(0.0),
            height,
        };
        let given = Given::new(&layout, &start.height, drowned, params, land);
        let books = Books { start: sum(&layout, &cells.height), ..Books::default() };
        let clock = Clock { gain: 1.0, ..Clock::default() };
        let (params, land) = (params.clone(), land.clone());
        let (routes, work) = (Routes::default(), Work::default());
        Ok(Self {
            layout,
            frame: ground.frame.clone(),
            params,
            land,
            clock,
            cells,
            books,
            given,
            routes,
            work,
        })
    }

    /// Bytes for each cell: what is saved (8 for the height, 4 each for sediment, uplift and age), what follows from the land (4 each for
    /// the start, the rock and the share of the uplift), and the room for a step, most of it for the rivers and their order.
    pub const BYTES_PER_CELL: usize = 20 + 12 + 155;

    /// Memory that a run on so many cells needs, without maps and pictures `[bytes]`.
    pub fn memory(cols: usize, rows: usize) -> u64 {
        (cols as u64 + 2).saturating_mul(rows as u64 + 2).saturating_mul(Self::BYTES_PER_CELL as u64)
    }

    /// Steps taken so far.
    pub fn steps_taken(&self) -> u64 {
        self.clock.step
    }

    /// Simulated time `[s]`.
    pub fn time(&self) -> f64 {
        self.clock.time
    }

    /// The parameters it runs with.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Cell size and position of its terrain.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Columns and rows of its terrain.
    pub fn size(&self) -> [usize; 2] {
        [self.layout.cols, self.layout.rows]
    }

    /// Goes on with other parameters and land; the edges stay.
    pub fn change(&mut self, params: &Params, land: &Land) -> Result<(), Invalid> {
        params.validated()?;
        land.validated(self.layout.cols, self.layout.rows)?;
        let drowned = std::mem::take(&mut self.given.drowned);
        let start = std::mem::take(&mut self.given.start);
        self.given = Given::new(&self.layout, &start, drowned, params, land);
        (self.params, self.land) = (params.clone(), Land { edges: self.land.edges, ..land.clone() });
        Ok(())
    }

    /// Takes so many steps of the length that the parameters say.
    pub fn advance(&mut self, steps: u64) -> Result<(), StepError> {
        (0..steps).try_for_each(|_| self.step(self.params.step))
    }

    /// Takes one step of `dt` seconds.
    pub fn step(&mut self, dt: f64) -> Result<(), StepError> {
        self.rise(dt);
        self.route();
        self.creep(dt);
        self.cut_and_fill(dt);
        self.finish(dt)?;
        self.follow_relief(dt);
        Ok(())
    }

    /// Rock rises.
    fn rise(&mut self, dt: f64) {
        let Cells { height, uplifted, .. } = &mut self.cells;
        let by = self.params.uplift * self.clock.gain * dt;
        let rose = uplift::raise(&self.layout, &self.given.pattern, by, height, uplifted);
        self.books.added.add(rose);
    }

    /// Water finds its way.
    fn route(&mut self) {
        let key = Key::new(self.land.seed).with(self.clock.step);
        self.routes.find(&self.layout, &mut self.cells.height, &self.params, key);
        self.work.incision.gather(&self.layout, &self.routes.order, self.given.rain.as_deref());
        let side = self.params.flow_width / self.layout.cell;
        self.work.incision.gather_flow(&self.layout, &self.routes.ways, side);
    }

    /// Rivers cut into their beds and lay down what they carry. The heights that this leads to stay with the rivers until the end of the
    /// step.
    fn cut_and_fill(&mut self, dt: f64) {
        let Self { layout, params, cells, given, routes, work, .. } = self;
        let law = law(layout, params, dt);
        let Routes { ways, order, hollows, .. } = routes;
        let erodibility = given.erodibility(&work.erodibility);
        let crept = work.creep.crept(layout, &cells.height, &work.stays);
        let ground = Ground { ways, erodibility, crept };
        let incision = &mut work.incision;
        incision.weigh(layout, &ground, &law);
        hollows.measure(|at| incision.nodes[at].start);
        let basin = &Basin { cell: layout.cell, order, ways, hollows };
        let outcome = incision.solve(basin, &law);
        hollows.settle(&incision.settled, &order.place, &mut incision.found);
        let edges = match params.edges_follow {
            true => outlets::follow(layout, ways, order, &mut incision.found),
            false => 0.0,
        };
        // A flood that breaks through carries off what it cuts. Laid down by the rivers on its way it would dam them again, higher.
        self.books.exported.add(outcome.exported + hollows.cut + edges);
    }

    /// Finds the uplift that leads to the relief that is wanted, if one is.
    fn follow_relief(&mut self, dt: f64) {
        let Self { layout, params, cells, given, routes: Routes { order, ways, .. }, work, clock, .. } = self;
        if let Some(wanted) = params.relief {
            let law = law(layout, params, dt);
            let risen = (&given.pattern[..], params.uplift * clock.gain * dt);
            let found = relief::expected(layout, order, ways, &mut work.incision, risen, &law, params);
            // Ground that is too high already is lifted less until it has come down.
            let found = found.max(relief::present(layout, &cells.height));
            clock.gain = relief::adjusted(clock.gain, wanted / found, params.slope_exponent);
        }
    }

    /// Soil creeps, and rivers level their valleys. What creeps into a river does not raise its bed but is carried on by it:
    /// rivers are narrower than cells, and would have to cut the more the finer the cells are.
    fn creep(&mut self, dt: f64) {
        let Self { layout, params, clock, given, cells, work, routes, .. } = self;
        if given.varies(params) {
            given.surface(layout, cells, params).erodibility(&mut work.erodibility);
        } else {
            work.erodibility.clear();
        }
        let floors = Floors { width: params.valley_width, cut: params.erodibility * dt };
        let widest = floors.spread(layout, work.incision.passing(), &mut work.floors);
        let floors = (widest > 0.0).then_some(&work.floors.spread[..]);
        let law = law(layout, params, dt);
        stays(&law, layout, [&work.incision.area, work.incision.passing()], &routes.ways, &mut work.stays);
        let (spread, critical) = (params.diffusivity() * dt, params.steepest());
        let uplift = params.uplift * clock.gain;
        // Slopes are about as long as the area at their foot, where rivers begin, is wide.
        let comes =
            uplift.max(0.0) * params.head_area().sqrt() / (params.diffusivity() * critical.unwrap_or(1.0));
        let risen = (&given.pattern[..], uplift * dt);
        let erodibility = given.erodibility(&work.erodibility);
        let slopes = Slopes {
            layout,
            spread,
            critical,
            comes,
            floors,
            widest,
            stays: &work.stays,
            erodibility,
            risen,
        };
        work.creep.go(&slopes, &cells.height);
    }

    /// Takes over the heights that were found, counts what moved, and what it left at the surface.
    fn finish(&mut self, dt: f64) -> Result<(), StepError> {
        let Self { layout, cells, work, books, clock, routes, .. } = self;
        // What breaching cut was there before.
        let mut eroded = routes.hollows.cut;
        let (stride, level) = (layout.stride, Level::new());
        let (place, found) = (&routes.order.place, &work.incision.found);
        let height = Lines { values: &mut cells.height[..], length: stride };
        let surface = [&mut cells.sediment, &mut cells.age].map(|values| Lines { values, length: stride });
        let finish_row = |row: Range<usize>, (height, surface): (Lines<'_, f64>, [Lines<'_, f32>; 2])| {
            if !(1..=layout.rows).contains(&row.start) {
                return [0.0; 2];
            }
            let found = place.fetch(layout, row.start, found);
            let [sediment, age] = surface.map(|line| &mut line.values[1..=layout.cols]);
            let changed = Changed { height: &mut height.values[1..=layout.cols], sediment, age };
            dispatch!(level, simd => changed.finish(simd, found, dt as f32))
        };
        let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        let [lost, wild] = band::measure_parts(0..layout.rows + 2, 1, (height, surface), &finish_row, &add);
        eroded += lost;
        books.eroded.add(eroded);
        clock.step += 1;
        clock.time += dt;
        if wild == 0.0 { Ok(()) } else { self.check_finite() }
    }

    /// Refuses numbers that have gone wild.
    pub fn check_finite(&self) -> Result<(), StepError> {
        let layout = &self.layout;
        let places = (0..layout.rows).flat_map(|row| (0..layout.cols).map(move |col| (col, row)));
        let mut strays = places.filter(|&(col, row)| !self.cells.height[layout.at(col, row)].is_finite());
        match strays.next() {
            None => Ok(()),
            Some((col, row)) => {
                Err(StepError::NotFinite { count: 1 + strays.count(), step: self.clock.step, col, row })
            }
        }
    }

    /// The account of the ground so far; there is no account of water, which is not moved but known.
    pub fn ledger(&self) -> Ledger {
        let area = self.layout.cell * self.layout.cell;
        let Books { start, added, exported, eroded } = &self.books;
        let solids = Solids {
            bed_start: start * area,
            bed_end: sum(&self.layout, &self.cells.height) * area,
            suspended: 0.0,
            exported: exported.value() * area,
            added: added.value() * area,
            eroded: eroded.value() * area,
        };
        Ledger { solids, ..Ledger::default() }
    }
}

/// A row of cells that has changed in a step.
struct Changed<'a> {
    height: &'a mut [f64],
    sediment: &'a mut [f32],
    age: &'a mut [f32],
}

/// Cells that are finished together.
const TOGETHER: usize = 64;

impl Changed<'_> {
    /// Takes over heights, and finds what lies at the surface, and its age. Returns what was lost `[m]`, and something other than 0 if
    /// numbers have gone wild.
    #[inline(always)]
    fn finish<S: Simd>(self, _: S, mut found: impl Iterator<Item = f64>, dt: f32) -> [f64; 2] {
        let [mut lost, mut wild] = [lanes::Sum::default(); 2];
        let surface = self.sediment.chunks_mut(TOGETHER).zip(self.age.chunks_mut(TOGETHER));
        for (height, (sediment, age)) in self.height.chunks_mut(TOGETHER).zip(surface) {
            let mut changes = [0.0; TOGETHER];
            for (change, (height, found)) in changes.iter_mut().zip(height.iter_mut().zip(&mut found)) {
                *change = found - *height;
                *height = found;
            }
            for (change, (sediment, age)) in changes.iter().zip(sediment.iter_mut().zip(age)) {
                let change = *change as f32;
                *sediment = (*sediment + change).max(0.0);
                *age = (*age + dt) / (1.0 + change.abs() / FRESH);
            }
            lost.add(height.len(), |at| changes[at].min(0.0));
            // Not a number, or without end: 0 times it is no 0.
            wild.add(height.len(), |at| changes[at] * 0.0);
        }
        [-lost.value(), wild.value()]
    }
}

/// Share of the soil that stays in each cell: what is no river, and what lies under a lake, keeps all of it, an outlet none. A
/// river lays some of what comes down to it right there, the more the smaller it is; soil must know that while it creeps, or
/// it would fill small rivers up above their banks `[-]`.
fn stays(law: &Law, layout: &Layout, [area, passing]: [&[f32]; 2], ways: &[u8], stays: &mut Vec<f32>) {
    let (stride, level) = (layout.stride, Level::new());
    stays.resize(layout.len(), 1.0);
    band::for_each_chunk(stays, stride, |row, stays| {
        let cells = row * stride..(row + 1) * stride;
        let (area, passing) = (&area[cells.clone()], &passing[cells.clone()]);
        dispatch!(level, simd => stays_of_row(simd, law, [area, passing], &ways[cells], stays));
    });
}

#[inline(always)]
fn stays_of_row<S: Simd>(_: S, law: &Law, [area, passing]: [&[f32]; 2], ways: &[u8], stays: &mut [f32]) {
    let cells = area.iter().zip(passing).zip(ways);
    let (head, g) = ((law.head * law.head) as f32, law.g as f32);
    for (stays, ((&area, &passing), &code)) in stays.iter_mut().zip(cells) {
        // 1 − 1/((1 + (head / passing)²)(1 + g / larger)), without a difference of numbers that are almost equal.
        let (square, larger) = (passing * passing, if area > passing { area } else { passing });
        let share = (square * g + head * (larger + g)) / ((square + head) * (larger + g));
        let dry = if code & UNDER_WATER != 0 || head == 0.0 { 1.0 } else { share };
        *stays = if code == OUTLET { 0.0 } else { dry };
    }
}

/// The law of the rivers for a step.
pub(super) fn law(layout: &Layout, params: &Params, dt: f64) -> Law {
    let m = params.area_exponent;
    Law {
        m,
        n: params.slope_exponent,
        g: params.deposition,
        cut: params.erodibility * dt * (layout.cell * layout.cell / REFERENCE_AREA).powf(m),
        head: params.head_area() / (layout.cell * layout.cell),
        threshold: params.threshold * dt,
        traps: params.lakes == Lakes::Keep,
    }
}

impl Given {
    fn new(
        layout: &Layout,
        start: &Grid2<f32>,
        drowned: Vec<(u32, f64)>,
        params: &Params,
        land: &Land,
    ) -> Self {
        let padded = |grid: &Grid2<f32>| layout.padded(grid, 0.0, |value| value);
        let softness = land.softness.as_ref().map(padded);
        let top = start.range().map_or(0.0, |(_, high)| f64::from(high));
        Self {
            rock: rock::erodibility(layout, params, softness.as_deref(), land.seed),
            pattern: uplift::pattern(layout, start, params, land),
            rain: land.rain.as_ref().map(padded),
            strata: Strata::new(params, top),
            start: start.clone(),
            drowned,
        }
    }

    /// How easily cells erode, where it depends on what lies at the surface and was found, and where it does not `[-]`.
    fn erodibility<'a>(&'a self, at_surface: &'a [f32]) -> &'a [f32] {
        if at_surface.is_empty() { &self.rock } else { at_surface }
    }

    /// Whether erodibility depends on what lies at the surface.
    pub(super) fn varies(&self, params: &Params) -> bool {
        self.strata.is_some() || params.sediment_erodibility != 1.0
    }

    pub(super) fn surface<'a>(
        &'a self,
        layout: &'a Layout,
        cells: &'a Cells,
        params: &Params,
    ) -> Surface<'a> {
        Surface {
            layout,
            rock: &self.rock,
            strata: self.strata.as_ref(),
            height: &cells.height,
            sediment: &cells.sediment,
            uplifted: &cells.uplifted,
            loose: params.sediment_erodibility as f32,
        }
    }
}

impl Routes {
    /// Finds the way of the water from every cell to an outlet. Breaching changes the heights.
    pub(super) fn find(&mut self, layout: &Layout, height: &mut [f64], params: &Params, key: Key) {
        self.ways.resize(layout.len(), 0);
        receivers::find(layout, height, params.routing, key, &mut self.ways);
        self.hollows.clear();
        self.hollows.drain(layout, height, &mut self.ways, &mut self.climb, params.lakes);
        self.order.sort(layout, &self.ways);
    }
}

/// Raises outlets to the level beyond them. Returns the beds that are now under water.
fn drown(layout: &Layout, height: &mut [f64]) -> Vec<(u32, f64)> {
    let mut drowned = Vec::new();
    for at in layout.outlets() {
        let [col, row] = layout.place(at);
        let level = layout.outlet(col, row).unwrap_or(f64::NEG_INFINITY);
        if height[at] < level {
            drowned.push((at as u32, height[at]));
            height[at] = level;
        }
    }
    drowned
}

/// The sum over all cells, row by row `[m]`.
pub(super) fn sum(layout: &Layout, height: &[f64]) -> f64 {
    let mut sum = Compensated::default();
    for row in 0..layout.rows {
        sum.add(height[layout.at(0, row)..][..layout.cols].iter().sum());
    }
    sum.value()
}
