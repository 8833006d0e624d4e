//! A run of virtual pipes: passes over coarser terrain, then the terrain itself.

use super::method::{Method, read_as, table};
use super::sections::time_steps;
use super::{
    Books, Canvas, CellPatch, Clock, Layer, Patch, Sections, Setup, Solver, StepError, Stroke, Wanted,
    cannot_paint,
};
use crate::project::{Complaint, Scene, Source};
use crate::world::{memory_beside, standing_water};
use schemars::JsonSchema;
use std::cmp::Ordering;
use std::sync::Arc;
use thalweg_erosion::pipes::{self, Counterflow, Fall, Neighbour, Params, Pipes, Quantity, Saved, Weather};
use thalweg_field::range::{FINITE, NATURAL, NATURAL_F32, all_within, whole};
use thalweg_field::sum::ordered_sum;
use thalweg_field::{
    Field, FieldInfo, Frame, Grid2, Heightfield, Invalid, Ledger, Region, Snapshot, Solids, TimeSteps, Water,
    Window,
};
use thalweg_terrain::analysis::slope;
use thalweg_terrain::resample;

/// Virtual pipes, as scenes know them.
pub(super) const METHOD: Method = Method {
    name: "pipes",
    about: "Virtual pipes.",
    schema: Params::json_schema,
    presets: &Params::PRESETS,
    preset: |name| Params::preset(name).as_ref().map(table),
    read: read_as::<Params>,
    check,
    understands: &["rain", "source", "drain", "time.coarse"],
    instead: &[
        (
            "terrain.volume",
            "it needs one height for every cell; use kind = \"still\" to show the volume, or leave it out",
        ),
        ("emitter", "let water in with [[source]] or [[rain]]"),
        ("sink", "take water out with [[drain]]"),
        ("obstacle", "it flows around raised ground: add it to the terrain; leave it out"),
        ("water.particles", "its water stands clear on the bed; leave the key out"),
        ("output.particles", "it has no particles; leave the key out"),
        ("output.surface", "it has no particles; leave the key out"),
    ],
    more_maps: &OUTFLOWS,
    // The last three are of today; states of version 0.1 had their product in capacity.
    free: &["dt", "safety", "max_dt", "talus_rate", "capacity", "time_lapse", "max_load"],
    relax: None,
    spacing: |_| None,
    memory_of_cells: |[cols, rows], params| {
        params.clone().try_into().map_or(0, |params| memory(cols, rows, &params))
    },
    memory: |setup| {
        let height = &setup.ground.heights().height;
        Ok(memory(height.cols(), height.rows(), &setup.params()?))
    },
    build: |setup| Ok(Box::new(PipesRun::new(setup)?)),
};

/// Memory that running it takes `[bytes]`.
fn memory(cols: usize, rows: usize, params: &Params) -> u64 {
    Pipes::memory(cols, rows, params).saturating_add(memory_beside(cols, rows))
}

fn check(scene: &Scene) -> Vec<Complaint> {
    let params = match scene.solver.first().params::<Params>() {
        Ok(params) => params,
        Err(complaint) => return vec![complaint],
    };
    let mut found = Vec::new();
    if let Err(invalid) = params.validated() {
        let [path, message] = [format!("solver.{}", invalid.key), format!("solver.{invalid}")];
        found.push(Complaint { path, message });
    }
    for (i, name) in scene.output.more_maps.iter().enumerate().filter(|_| params.neighbours == 4) {
        if OUTFLOWS[4..].contains(&name.as_str()) {
            let path = format!("output.more_maps[{i}]");
            let message = format!(
                "{path} is \"{name}\", and with solver.neighbours = 4 there are only {}",
                OUTFLOWS[..4].join(", ")
            );
            found.push(Complaint { path, message });
        }
    }
    found
}

/// Maps of the flow to each neighbour, in the order of [`Neighbour::ALL`].
const OUTFLOWS: [&str; 8] = [
    "outflow_west",
    "outflow_east",
    "outflow_north",
    "outflow_south",
    "outflow_north_west",
    "outflow_north_east",
    "outflow_south_west",
    "outflow_south_east",
];

/// Steps between two samples of flow and wetness.
const SAMPLE_EVERY: u64 = 64;
/// Steps taken in one go. The solver chooses its time step anew whenever the steps taken are a multiple of this.
const STRIDE: u64 = 8;
/// Water deeper than this counts as wet `[m]`.
const WET: f32 = 0.01;
/// Density of solid rock `[kg/m³]`.
const ROCK_DENSITY: f64 = 2650.0;

/// The state of a run of virtual pipes.
#[derive(Debug)]
struct PipesRun {
    setup: Setup,
    /// The solver on the present terrain.
    pipes: Pipes,
    /// Which pass runs: coarse ones first, then the terrain itself.
    pass: usize,
    /// What the passes that are over leave behind.
    past: Option<Past>,
    /// The bed that they left to the present pass `[m]`: solvers measure heights from what they began with.
    inherited: Option<Grid2<f32>>,
    dt: TimeSteps,
    /// Time-weighted sums of discharge per width and of being wet, and the time of the pass that they cover.
    flow: Grid2<f32>,
    wet: Grid2<f32>,
    sampled: f64,
}

/// Passes that are over.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Past {
    steps: u64,
    /// Simulated time `[s]`.
    time: f64,
    ledger: Ledger,
}

impl PipesRun {
    /// Puts weather over the terrain of the first pass.
    fn new(setup: &Setup) -> Result<Self, Complaint> {
        let ground = setup.ground.of_pass(&setup.scene, 0);
        let empty = Grid2::filled(ground.height.cols(), ground.height.rows(), 0.0);
        let mut pipes = flood(setup, &setup.params()?, &ground)?;
        let first = setup.scene.time.coarse.first();
        pipes.end_at(first.map_or(setup.scene.time.duration, |coarse| coarse.duration));
        Ok(Self {
            pipes,
            setup: setup.clone(),
            pass: 0,
            past: None,
            inherited: None,
            dt: TimeSteps::NONE,
            flow: empty.clone(),
            wet: empty,
            sampled: 0.0,
        })
    }

    fn scene(&self) -> &Scene {
        &self.setup.scene
    }

    fn steps_taken(&self) -> u64 {
        self.past.map_or(0, |past| past.steps) + self.pipes.steps_taken()
    }

    fn time(&self) -> f64 {
        self.past.map_or(0.0, |past| past.time) + self.pipes.time()
    }

    fn is_pass_over(&self) -> bool {
        self.scene().time.is_over(self.pass, self.pipes.steps_taken(), self.pipes.time())
    }

    fn is_last_pass(&self) -> bool {
        self.scene().time.is_last(self.pass)
    }

    fn is_over(&self) -> bool {
        self.is_last_pass() && self.is_pass_over()
    }

    fn most_steps(&self) -> u64 {
        let taken = self.pipes.steps_taken();
        let time = &self.scene().time;
        let aligned = (STRIDE - taken % STRIDE).min(time.steps_of(self.pass).saturating_sub(taken));
        time.duration_of(self.pass).map_or(aligned, |duration| aligned.min(self.steps_before(duration)))
    }

    /// Share of the work of all passes that is done.
    fn share(&self) -> f64 {
        if self.is_over() {
            return 1.0;
        }
        let Heightfield { height, frame } = self.setup.ground.heights();
        let cells =
            |factor: usize| ((height.cols() / factor).max(1) * (height.rows() / factor).max(1)) as f64;
        let coarse = self.scene().time.coarse.iter();
        let coarse = coarse.map(|coarse| (cells(coarse.factor_on(frame.cell)), coarse.steps as f64));
        let passes = coarse.chain([(cells(1), self.last_pass_steps())]);
        let (mut done, mut all) = (0.0, 0.0);
        for (pass, (cells, steps)) in passes.enumerate() {
            all += cells * steps;
            done += match pass.cmp(&self.pass) {
                Ordering::Less => cells * steps,
                Ordering::Equal => cells * (self.pipes.steps_taken() as f64).min(steps),
                Ordering::Greater => 0.0,
            };
        }
        done / all
    }

    /// The time step to come, as far as it is known `[s]`.
    fn next_dt(&self) -> f64 {
        let params = self.pipes.params();
        params.dt.unwrap_or((params.safety * self.pipes.max_dt()).min(params.max_dt))
    }

    /// Steps that the last pass will take, as far as that is known: where time ends it, as many as steps like those of
    /// the present pass would be. Cells that are smaller have steps that much shorter.
    fn last_pass_steps(&self) -> f64 {
        let time = &self.scene().time;
        let most = time.steps as f64;
        let Some(duration) = time.duration else { return most };
        let taken = self.pipes.steps_taken();
        let dt = if taken > 0 { self.pipes.time() / taken as f64 } else { self.next_dt() };
        let cell = self.setup.ground.heights().frame.cell;
        let finer = time.coarse.get(self.pass).map_or(1, |coarse| coarse.factor_on(cell));
        (duration * finer as f64 / dt).min(most)
    }

    fn sample(&mut self) {
        add_sample(&self.pipes, self.sampled, &mut self.flow, &mut self.wet);
        self.sampled = self.pipes.time();
    }

    /// Ends a coarse pass: the finer terrain takes over the shape, the water and what is afloat in it, and gets back some of its
    /// own detail.
    fn refine(&mut self) -> Result<(), Complaint> {
        let past = Past { steps: self.steps_taken(), time: self.time(), ledger: self.ledger() };
        let eroded = self.pipes.ground();
        let ground = finer(&self.setup, self.pass, &eroded);
        self.pass += 1;
        let size = [ground.height.cols(), ground.height.rows()];
        let [water, afloat] =
            [self.pipes.depth(), self.pipes.afloat()].map(|grid| spread(grid, &eroded.frame, size));
        let over = Weather { water: Some(water), afloat: Some(afloat), ..weather(&self.setup, &ground) };
        self.pipes = Pipes::new(&ground, &self.pipes.params().clone(), &over)?;
        self.pipes.end_at(self.scene().time.duration_of(self.pass));
        (self.past, self.inherited) = (Some(past), Some(ground.height));
        let empty = Grid2::filled(size[0], size[1], 0.0);
        (self.flow, self.wet, self.sampled) = (empty.clone(), empty, 0.0);
        Ok(())
    }

    /// Mean discharge per width and share of the time under water, over the time of the pass that is sampled; at the end
    /// also over what has flowed since the last sample.
    fn means(&self) -> [Grid2<f32>; 2] {
        let (mut flow, mut wet, mut sampled) = (self.flow.clone(), self.wet.clone(), self.sampled);
        if self.is_over() {
            add_sample(&self.pipes, sampled, &mut flow, &mut wet);
            sampled = self.pipes.time();
        }
        let per_time = if sampled > 0.0 { (1.0 / sampled) as f32 } else { 0.0 };
        [flow, wet].map(|sum| sum.map(|v| v * per_time))
    }

    /// What the maps of the flow to a neighbour tell.
    fn outflow_meaning(&self) -> &'static str {
        match self.pipes.params().counterflow {
            Counterflow::Keep => "outflow to the neighbour on that side",
            Counterflow::Cancel => {
                "net flow to the neighbour on that side, negative where it comes from there"
            }
        }
    }

    /// Sets cells of the present pass to what `paint` makes of them, given as metres above the solver's datum: from those it finds the
    /// bits of its own heights again. What is left alone keeps them.
    fn set_cells(
        &mut self,
        layer: Layer,
        region: Region,
        paint: impl FnOnce(&Region, Vec<f64>) -> Vec<f64>,
    ) -> Result<Patch, Complaint> {
        let quantity = quantity(layer)?;
        let unit = self.pipes.params().height_unit.unwrap_or(1.0);
        let metres = |own: &[f32]| own.iter().map(|&own| unit * f64::from(own)).collect::<Vec<_>>();
        let now = self.pipes.cells(quantity, &region);
        let before = metres(&now);
        let painted = paint(&region, before.clone()).into_iter().zip(&before).zip(now);
        let own = |((painted, &before), now): ((f64, &f64), f32)| {
            if painted == before { now } else { (painted / unit) as f32 }
        };
        let own: Vec<_> = painted.map(own).collect();
        let after = metres(&own);
        self.pipes.set_cells(quantity, &region, &own)?;
        let grid = [self.flow.cols(), self.flow.rows()];
        Ok(Patch::Cells(CellPatch { layer, grid, region, before, after }))
    }

    /// Refuses a saved state that lies beyond the passes of the scene.
    fn check_pass(&self, pass: usize, step: u64, from: &Sections) -> Result<(), String> {
        let time = &self.scene().time;
        let passes = time.coarse.len();
        if pass > passes {
            return Err("it counts more passes than the scene has".into());
        }
        if time.coarse.get(pass).is_some_and(|coarse| step > coarse.steps) {
            return Err(format!("its pass {pass} is at step {step}, beyond its end"));
        }
        if pass == passes && step > time.steps {
            return Err(from.too_far(time.steps_in_all())?);
        }
        Ok(())
    }

    /// The books of all passes. What refining changed of ground and water counts as added.
    fn ledger(&self) -> Ledger {
        let now = self.pipes.ledger();
        let Some(Past { ledger: past, .. }) = &self.past else { return now };
        Ledger {
            water: Water {
                start: past.water.start,
                added: past.water.added + now.water.added + now.water.start - past.water.end,
                evaporated: past.water.evaporated + now.water.evaporated,
                exported: past.water.exported + now.water.exported,
                end: now.water.end,
            },
            solids: Solids {
                bed_start: past.solids.bed_start,
                bed_end: now.solids.bed_end,
                suspended: now.solids.suspended,
                exported: past.solids.exported + now.solids.exported,
                added: past.solids.added + now.solids.added + now.solids.bed_start
                    - past.solids.bed_end
                    - past.solids.suspended,
                eroded: past.solids.eroded + now.solids.eroded,
            },
        }
    }
}

/// Adds what flows and what is wet now, weighted with the time since the last sample.
fn add_sample(pipes: &Pipes, sampled: f64, flow: &mut Grid2<f32>, wet: &mut Grid2<f32>) {
    let span = (pipes.time() - sampled) as f32;
    let (depth, discharge) = (pipes.depth(), pipes.discharge());
    flow.for_each_row(|row, cells| {
        for (flow, q) in cells.iter_mut().zip(discharge.row(row)) {
            *flow += q * span;
        }
    });
    wet.for_each_row(|row, cells| {
        for (wet, &d) in cells.iter_mut().zip(depth.row(row)) {
            *wet += if d > WET { span } else { 0.0 };
        }
    });
}

/// The next finer terrain with the shape that a pass gave it and a share of its own detail.
pub(super) fn finer(setup: &Setup, pass: usize, eroded: &Heightfield) -> Heightfield {
    let detail = setup.scene.time.coarse[pass].detail as f32;
    let before = setup.ground.of_pass(&setup.scene, pass);
    let own = setup.ground.of_pass(&setup.scene, pass + 1);
    let (cols, rows) = (own.height.cols(), own.height.rows());
    let smooth = resample(&before, cols, rows);
    let mut ground = resample(eroded, cols, rows);
    for (i, height) in ground.height.values_mut().iter_mut().enumerate() {
        *height += detail * (own.height.values()[i] - smooth.height.values()[i]);
    }
    ground.frame = own.frame;
    ground
}

/// A grid on finer cells, none of it lost: what interpolation makes more or less of is spread over all.
fn spread(coarse: Grid2<f32>, frame: &Frame, [cols, rows]: [usize; 2]) -> Grid2<f32> {
    let of_cells = cols as f64 * rows as f64 / coarse.len() as f64;
    let before = ordered_sum(coarse.values()) * of_cells;
    let fine = resample(&Heightfield { height: coarse, frame: frame.clone() }, cols, rows).height;
    let fine = fine.map(|value| value.max(0.0));
    let after = ordered_sum(fine.values());
    let scale = if after > 0.0 { before / after } else { 0.0 };
    fine.map(|value| (f64::from(value) * scale) as f32)
}

/// Bed lost (sign -1) or gained (sign 1) since the beginning `[m]`.
pub(super) fn change(ground: &Heightfield, start: &Heightfield, sign: f32) -> Grid2<f32> {
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |c, r| {
        (sign * (ground.height.at(c, r) - start.height.at(c, r))).max(0.0)
    })
}

fn replace(snapshot: &mut Snapshot, name: &str, values: Grid2<f32>) {
    if let Some(field) = snapshot.fields.iter_mut().find(|field| field.info.name == name) {
        field.values = values;
    }
}

fn quantity(layer: Layer) -> Result<Quantity, Complaint> {
    match layer {
        Layer::Ground => Ok(Quantity::Bed),
        Layer::Water => Ok(Quantity::Depth),
        Layer::Softness => Err(cannot_paint(layer)),
    }
}

fn misfit() -> String {
    "its state does not fit the terrain".into()
}

impl Solver for PipesRun {
    fn clock(&self) -> Clock {
        let past = self.past.map_or(0.0, |past| past.time);
        let time = &self.scene().time;
        Clock {
            steps: self.steps_taken(),
            time: self.time(),
            pass_time: self.pipes.time(),
            dt: self.dt.or_zero(),
            items: self.flow.len(),
            kind: "cells",
            planned: time.steps_in_all(),
            most_steps: self.most_steps(),
            is_over: self.is_over(),
            share: self.share(),
            end_time: time.duration.filter(|_| self.is_last_pass()).map(|duration| past + duration),
            dt_grows_with_cells: self.pipes.params().dt.is_none(),
        }
    }

    fn steps_before(&self, pass_time: f64) -> u64 {
        // The time step is known only when it is about to be chosen.
        let taken = self.pipes.steps_taken();
        let after = || self.pipes.time() + (STRIDE + 1) as f64 * self.next_dt();
        let far = taken.is_multiple_of(STRIDE) && after() < pass_time;
        if far { STRIDE } else { 1 }
    }

    /// Also samples the flow. What has flowed since the last sample is shown at the end but not counted: a longer run
    /// that goes on from there samples at the same steps as if it had been asked for at once.
    fn advance(&mut self, steps: u64) -> Result<(), StepError> {
        self.dt.add(self.pipes.advance(steps).map_err(StepError::wild)?);
        if self.pipes.steps_taken().is_multiple_of(SAMPLE_EVERY) {
            self.sample();
        }
        if self.is_pass_over() {
            self.check_finite()?;
            if !self.is_last_pass() {
                self.refine().map_err(StepError::Invalid)?;
            }
        }
        Ok(())
    }

    fn change(&mut self, setup: &Setup) -> Result<(), Complaint> {
        let in_solver =
            |invalid: Invalid| Complaint::from(Invalid { key: format!("solver.{}", invalid.key), ..invalid });
        let before = self.pipes.params().clone();
        self.pipes.set_params(&setup.params()?).map_err(in_solver)?;
        let brings = |setup: &Setup| {
            let Scene { rain, sources, drains, .. } = &*setup.scene;
            (rain.clone(), sources.clone(), drains.clone())
        };
        if brings(setup) != brings(&self.setup) || !Arc::ptr_eq(&setup.ground, &self.setup.ground) {
            let ground = self.pipes.ground();
            if let Err(invalid) = self.pipes.set_weather(&ground, &weather(setup, &ground)) {
                self.pipes.set_params(&before).map_err(in_solver)?;
                return Err(invalid.into());
            }
        }
        self.setup = setup.clone();
        self.pipes.end_at(self.scene().time.duration_of(self.pass));
        Ok(())
    }

    fn paint(&mut self, stroke: &Stroke) -> Result<Patch, Complaint> {
        let canvas = Canvas::new(self.flow.cols(), self.flow.rows(), self.pipes.frame());
        let (layer, region) = (stroke.tool.layer(), stroke.region(&canvas));
        let datum = self.pipes.metres(quantity(layer)?, 0.0);
        self.set_cells(layer, region, |region, now| {
            let heights: Vec<_> = now.iter().map(|now| datum + now).collect();
            let painted = stroke.painted(&canvas, region, &heights).into_iter().zip(&heights).zip(now);
            painted
                .map(|((painted, before), now)| if painted == *before { now } else { painted - datum })
                .collect()
        })
    }

    fn repaint(&mut self, patch: &Patch) -> Result<Patch, Complaint> {
        let Patch::Cells(patch) = patch else { return Err(cannot_paint(Layer::Water)) };
        let patch = patch.on_grid([self.flow.cols(), self.flow.rows()]);
        let least = if patch.layer == Layer::Water { 0.0 } else { f64::NEG_INFINITY };
        self.set_cells(patch.layer, patch.region.clone(), |_, now| {
            patch.over(&now).into_iter().map(|value| value.max(least)).collect()
        })
    }

    fn shift_ground(&mut self, by: &Grid2<f32>) -> Result<(), Complaint> {
        let whole = Region { cols: 0..by.cols(), rows: 0..by.rows() };
        let shift = |_: &Region, now: Vec<f64>| {
            now.into_iter().zip(by.values()).map(|(now, &by)| now + f64::from(by)).collect()
        };
        self.set_cells(Layer::Ground, whole, shift).map(drop)
    }

    fn check_finite(&self) -> Result<(), StepError> {
        let [bed, depth, sediment] = [self.pipes.bed(), self.pipes.depth(), self.pipes.sediment()];
        let cells = bed.values().iter().zip(depth.values()).zip(sediment.values());
        let wild = |((b, d), s): ((&f32, &f32), &f32)| !(b + d + s).is_finite();
        let mut strays = cells.enumerate().filter(|(_, cell)| wild(*cell)).map(|(at, _)| at);
        let Some(first) = strays.next() else { return Ok(()) };
        Err(StepError::wild(pipes::StepError::NotFinite {
            count: 1 + strays.count(),
            step: self.steps_taken(),
            time: self.time(),
            col: first % bed.cols(),
            row: first / bed.cols(),
        }))
    }

    fn ground(&self) -> Heightfield {
        self.pipes.ground()
    }

    fn water(&self) -> Option<Grid2<f32>> {
        Some(self.pipes.depth())
    }

    fn snapshot(&self, wanted: &Wanted) -> Snapshot {
        let ground = self.pipes.ground();
        let mut shown = Snapshot::of_fields(ground.frame.clone(), Vec::new());
        (shown.step, shown.time) = (self.steps_taken(), self.time());
        let mut add = |name, unit, meaning, values: &dyn Fn() -> Grid2<f32>| {
            if wanted.has(name) {
                shown.fields.push(Field { info: FieldInfo::new(name, unit, meaning), values: values() });
            }
        };
        add("height", "m", "height of the bed", &|| ground.height.clone());
        add("water", "m", "depth of the water above the bed", &|| self.pipes.depth());
        add("sediment", "m", "sediment in the water, as the height it has at rest", &|| {
            self.pipes.sediment()
        });
        let moving = ["speed", "velocity_east", "velocity_north"].iter().any(|name| wanted.has(name));
        if moving {
            let [east, north] = self.pipes.velocity();
            // By the square root alone, which is rounded the same everywhere.
            let speed = || {
                Grid2::from_fn(east.cols(), east.rows(), |c, r| {
                    let [east, north] = [&east, &north].map(|grid| f64::from(grid.at(c, r)));
                    (east * east + north * north).sqrt() as f32
                })
            };
            add("speed", "m/s", "speed of the water", &speed);
            add("velocity_east", "m/s", "velocity of the water to the east", &|| east.clone());
            add("velocity_north", "m/s", "velocity of the water to the north", &|| north.clone());
        }
        if ["erosion", "deposition"].iter().any(|name| wanted.has(name)) {
            let start = self.setup.ground.of_pass(self.scene(), self.pass);
            // Not from heights, which on high ground cannot tell what a shower does.
            let gained = self.pipes.bed_above(&start.height);
            add("erosion", "m", "bed lost since the beginning", &|| gained.map(|gain| (-gain).max(0.0)));
            add("deposition", "m", "bed gained since the beginning", &|| gained.map(|gain| gain.max(0.0)));
        }
        if ["flow", "wetness"].iter().any(|name| wanted.has(name)) {
            let [flow, wet] = self.means();
            add("flow", "m²/s", "mean discharge per metre of width", &|| flow.clone());
            add("wetness", "-", "share of the time under water", &|| wet.clone());
        }
        add("slope", "rad", "slope of the bed", &|| slope(&ground));
        let outflows = OUTFLOWS.iter().zip(Neighbour::ALL).take(self.pipes.neighbours().len());
        for (name, to) in outflows.filter(|(name, _)| wanted.names(name)) {
            add(name, "m³/s", self.outflow_meaning(), &|| self.pipes.outflow(to));
        }
        shown
    }

    fn scenery(&self) -> Snapshot {
        let mut snapshot = self.snapshot(&Wanted::all());
        if self.sampled == 0.0 && !self.is_over() {
            // Until a pass has its first sample, what is now stands for the mean.
            let depth = self.pipes.depth();
            replace(&mut snapshot, "flow", self.pipes.discharge());
            replace(&mut snapshot, "wetness", depth.map(|depth| f32::from(depth > WET)));
        }
        if self.is_last_pass() {
            return snapshot;
        }
        let passes = self.pass..self.scene().time.coarse.len();
        let ground = passes.fold(self.pipes.ground(), |ground, pass| finer(&self.setup, pass, &ground));
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        for field in &mut snapshot.fields {
            let coarse = Heightfield { height: field.values.clone(), frame: snapshot.frame.clone() };
            field.values = resample(&coarse, cols, rows).height;
        }
        let start = self.setup.ground.heights();
        replace(&mut snapshot, "slope", slope(&ground));
        replace(&mut snapshot, "erosion", change(&ground, start, -1.0));
        replace(&mut snapshot, "deposition", change(&ground, start, 1.0));
        replace(&mut snapshot, "height", ground.height);
        snapshot.frame = ground.frame;
        snapshot
    }

    fn books(&self) -> Books {
        let ledger = self.ledger();
        let solids_missing = solids_missing(&ledger.solids);
        Books {
            ledger,
            solid_density: ROCK_DENSITY,
            solids_missing,
            particles: None,
            crumbs: None,
            waves: None,
        }
    }

    fn save(&self, into: &mut Sections) {
        let Saved { size, step, numbers, accounts, cells, painted, crossing, afloat_start, chosen_dt } =
            self.pipes.save();
        into.put("pass", self.pass);
        into.put("size", size.to_vec());
        into.put("pass_step", step);
        into.put_doubles("numbers", numbers);
        into.put_doubles("accounts", accounts);
        into.put_floats("cells", cells);
        if let Some(painted) = painted {
            into.put_doubles("painted", painted.to_vec());
        }
        if let Some(dt) = chosen_dt {
            into.put_doubles("chosen_dt", vec![dt]);
        }
        into.put_doubles("past", self.past.map_or(Vec::new(), |past| past.numbers().to_vec()));
        // Nothing that flows takes no time.
        let flowing = [crossing.unwrap_or(0.0), afloat_start];
        into.put_doubles("clock", [&[self.sampled, self.dt.0[0], self.dt.0[1]], &flowing[..]].concat());
        into.put_floats("flow", self.flow.values().to_vec());
        into.put_floats("wet", self.wet.values().to_vec());
        into.put_floats("inherited", self.inherited.as_ref().map_or(Vec::new(), |bed| bed.values().to_vec()));
    }

    fn load(&mut self, from: &Sections) -> Result<(), String> {
        let (pass, step) = (from.number("pass")? as usize, from.number("pass_step")?);
        self.check_pass(pass, step, from)?;
        let mut ground = self.setup.ground.of_pass(self.scene(), pass);
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let grid = |name| Grid2::from_values(cols, rows, from.floats(name)?.to_vec()).ok_or_else(misfit);
        if pass > 0 {
            ground.height = grid("inherited")?;
        }
        let params = self.setup.params().map_err(|complaint| complaint.message)?;
        let mut pipes = flood(&self.setup, &params, &ground).map_err(|complaint| complaint.message)?;
        // States of version 0.1 know nothing of what flows.
        let (clock, flowing) = from.doubles("clock")?.split_at_checked(3).ok_or_else(misfit)?;
        let saved = Saved {
            size: [cols, rows],
            step,
            numbers: from.doubles("numbers")?.to_vec(),
            accounts: from.doubles("accounts")?.to_vec(),
            cells: from.floats("cells")?.to_vec(),
            // States of version 0.1 know nothing of paint.
            painted: from.doubles("painted").ok().and_then(|painted| painted.try_into().ok()),
            crossing: flowing.first().copied().filter(|&crossing| crossing != 0.0),
            afloat_start: flowing.get(1).copied().unwrap_or(0.0),
            chosen_dt: from.doubles("chosen_dt").ok().and_then(|dt| dt.first().copied()),
        };
        pipes.restore(&saved)?;
        let past = match from.doubles("past")? {
            [] if pass == 0 => None,
            numbers if pass > 0 => Some(Past::from_numbers(numbers)?),
            _ => return Err(misfit()),
        };
        let (&[sampled], dt) = clock.split_first_chunk::<1>().ok_or_else(misfit)?;
        all_within("the time of its last sample,", &[sampled], &(0.0..=pipes.time()))?;
        let (flow, wet, dt) = (grid("flow")?, grid("wet")?, time_steps(dt)?);
        all_within("flow in cell", flow.values(), &NATURAL_F32)?;
        all_within("wetness in cell", wet.values(), &NATURAL_F32)?;
        let inherited = (pass > 0).then_some(ground.height);
        *self = Self { setup: self.setup.clone(), pipes, pass, past, inherited, dt, flow, wet, sampled };
        self.pipes.end_at(self.scene().time.duration_of(self.pass));
        Ok(())
    }
}

/// |ground that is missing| / |what water moved|, or of the whole bed where slopes slipped but water moved nothing `[-]`.
fn solids_missing(solids: &Solids) -> f64 {
    let share = solids.imbalance();
    if share.is_finite() {
        return share;
    }
    let missing = solids.bed_start + solids.added - solids.bed_end - solids.suspended - solids.exported;
    missing.abs() / solids.bed_start.abs().max(solids.bed_end.abs())
}

impl Past {
    fn numbers(&self) -> [f64; 13] {
        let Ledger { water: w, solids: s } = self.ledger;
        [
            self.steps as f64,
            self.time,
            w.start,
            w.added,
            w.evaporated,
            w.exported,
            w.end,
            s.bed_start,
            s.bed_end,
            s.suspended,
            s.exported,
            s.added,
            s.eroded,
        ]
    }

    fn from_numbers(numbers: &[f64]) -> Result<Self, String> {
        let [steps, time, w0, w1, w2, w3, w4, s0, s1, s2, s3, s4, s5] =
            numbers.try_into().map_err(|_| misfit())?;
        let steps = whole("the steps of its earlier passes", steps, 1 << 53)?;
        all_within("time of its earlier passes,", &[time], &NATURAL)?;
        all_within("account of its earlier passes,", &numbers[2..], &FINITE)?;
        let water = Water { start: w0, added: w1, evaporated: w2, exported: w3, end: w4 };
        let solids =
            Solids { bed_start: s0, bed_end: s1, suspended: s2, exported: s3, added: s4, eroded: s5 };
        Ok(Self { steps, time, ledger: Ledger { water, solids } })
    }
}

/// Puts weather on a terrain, and the water that the scene begins with.
fn flood(setup: &Setup, params: &Params, ground: &Heightfield) -> Result<Pipes, Complaint> {
    let scene = &setup.scene;
    let water = (!scene.water.is_empty()).then(|| standing_water(scene, ground));
    Ok(Pipes::new(ground, params, &Weather { water, ..weather(setup, ground) })?)
}

/// The weather of a scene over the ground of a pass.
fn weather(setup: &Setup, ground: &Heightfield) -> Weather {
    let Setup { scene, ground: whole_ground, .. } = setup;
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    let fit = |grid: &Grid2<f32>| -> Grid2<f32> {
        if grid.cols() == cols && grid.rows() == rows {
            return grid.clone();
        }
        let field = Heightfield { height: grid.clone(), frame: Frame::with_cell(1.0) };
        resample(&field, cols, rows).height.map(|v| v.max(0.0))
    };
    let window = |start, stop: Option<f64>| Window { start, stop: stop.unwrap_or(f64::INFINITY) };
    let rain = scene.rain.iter().zip(&whole_ground.masks).map(|(rain, mask)| pipes::Rain {
        fall: match rain.drops {
            Some(drops) => {
                Fall::Drops { per_second: drops.per_second, depth: drops.depth, radius: drops.radius }
            }
            None => Fall::Steady { rate: rain.rate.unwrap_or(0.0) },
        },
        mask: mask.as_ref().map(fit),
        when: window(rain.start, rain.stop),
    });
    // A coarse terrain whose sides are not whole multiples of its cells is a little shorter or longer, and what
    // just touches a fine terrain may miss the cells of a coarse one: then it goes to the nearest.
    let (whole, here) = (whole_ground.heights().extent(), ground.extent());
    let placed = |source: &Source| {
        let at = [0, 1].map(|axis| source.at[axis] * (here[axis] / whole[axis]));
        let [col, row] = ground.cell_from_local(at);
        let index = |at: f64, count: usize| at.round().clamp(0.0, (count - 1) as f64) as usize;
        let nearest = ground.local_from_cell(index(col, cols), index(row, rows));
        let outside = (0..2).any(|axis| at[axis] < 0.0 || at[axis] > here[axis]);
        let misses = (at[0] - nearest[0]).hypot(at[1] - nearest[1]) > source.radius;
        if outside && misses { nearest } else { at }
    };
    let source = |source: &Source, sign: f64| pipes::Source {
        at: placed(source),
        rate: sign * source.rate,
        radius: source.radius,
        when: window(source.start, source.stop),
    };
    Weather {
        rain: rain.collect(),
        sources: scene
            .sources
            .iter()
            .map(|s| source(s, 1.0))
            .chain(scene.drains.iter().map(|s| source(s, -1.0)))
            .collect(),
        edges: scene.edges,
        water: None,
        afloat: None,
        softness: whole_ground.softness().map(fit),
        seed: scene.seed,
    }
}
