//! A run of virtual pipes: passes over coarser terrain, then the terrain itself.

mod paint;
mod passes;
mod saved;
mod shown;
mod weather;

use super::method::{Method, read_as, table};
use super::{Books, Clock, Patch, Sections, Setup, Solver, StepError, Stroke, Wanted};
use crate::project::{Complaint, Scene};
use crate::world::memory_beside;
use passes::{Past, solids_missing};
use schemars::JsonSchema;
use shown::OUTFLOWS;
use std::sync::Arc;
use thalweg_erosion::pipes::{self, Params, Pipes};
use thalweg_field::{Grid2, Heightfield, Invalid, Snapshot, TimeSteps};
use weather::{flood, weather};

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

/// Steps between two samples of flow and wetness.
const SAMPLE_EVERY: u64 = 64;
/// Steps taken in one go. The solver chooses its time step anew whenever the steps taken are a multiple of this.
const STRIDE: u64 = 8;
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
        paint::paint(self, stroke)
    }

    fn repaint(&mut self, patch: &Patch) -> Result<Patch, Complaint> {
        paint::repaint(self, patch)
    }

    fn shift_ground(&mut self, by: &Grid2<f32>) -> Result<(), Complaint> {
        paint::shift_ground(self, by)
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

    fn snapshot(&self, wanted: &Wanted) -> Snapshot {
        shown::snapshot(self, wanted)
    }

    fn scenery(&self) -> Snapshot {
        shown::scenery(self)
    }

    fn save(&self, into: &mut Sections) {
        saved::save(self, into);
    }

    fn load(&mut self, from: &Sections) -> Result<(), String> {
        saved::load(self, from)
    }
}
