//! A run of virtual pipes: passes over coarser terrain, then the terrain itself.

use super::site::standing_water;
use super::{Course, NoteError, Parts, Plan, does_not_fit};
use crate::project::{Complaint, Scene, Source};
use crate::stage::{StepError, StepReport};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use thalweg_erosion::pipes::{self, Fall, Ledger, Params, Pipes, Saved, Weather, Window};
use thalweg_field::range::{FINITE, NATURAL, NATURAL_F32, all_within, whole};
use thalweg_field::{Field, FieldInfo, Frame, Grid2, Heightfield, Points, Snapshot};
use thalweg_io::checkpoint::{Checkpoint, CheckpointError, SectionRef, rotate};
use thalweg_terrain::analysis::slope;
use thalweg_terrain::resample;

/// Steps between two samples of flow and wetness.
const SAMPLE_EVERY: u64 = 64;
/// Steps taken in one go. The solver chooses its time step anew whenever the steps taken are a multiple of this.
const STRIDE: u64 = 8;
/// Water deeper than this counts as wet [m].
const WET: f32 = 0.01;
/// Density of solid rock [kg/m³].
const ROCK_DENSITY: f64 = 2650.0;

/// The state of a run of virtual pipes.
#[derive(Debug)]
pub(crate) struct PipesRun {
    /// The solver on the present terrain.
    pub pipes: Pipes,
    /// Which pass runs: coarse ones first, then the terrain itself.
    pass: usize,
    /// What the passes that are over leave behind.
    past: Option<Past>,
    /// The bed that they left to the present pass [m]: solvers measure heights from what they began with.
    inherited: Option<Grid2<f32>>,
    /// Shortest and longest time step so far [s].
    dt: [f64; 2],
    /// Time-weighted sums of discharge per width and of being wet, and the time of the pass that they cover.
    flow: Grid2<f32>,
    wet: Grid2<f32>,
    sampled: f64,
}

/// Passes that are over.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Past {
    steps: u64,
    /// Simulated time [s].
    time: f64,
    ledger: Ledger,
}

impl PipesRun {
    /// Puts weather over the terrain of the first pass.
    pub fn new(plan: Plan, params: &Params) -> Result<Self, pipes::Invalid> {
        let ground = plan.site.ground_of(plan.scene, 0);
        let empty = Grid2::filled(ground.height.cols(), ground.height.rows(), 0.0);
        Ok(Self {
            pipes: flood(plan, params, &ground, None)?,
            pass: 0,
            past: None,
            inherited: None,
            dt: [f64::INFINITY, 0.0],
            flow: empty.clone(),
            wet: empty,
            sampled: 0.0,
        })
    }

    /// The state that a checkpoint holds; the text says why there is none.
    pub fn restored(plan: Plan, params: &Params, checkpoint: &Checkpoint) -> Result<Self, String> {
        let parts = Parts(checkpoint);
        let (pass, step) = (parts.number("pass")? as usize, parts.number("pass_step")?);
        let passes = plan.scene.time.coarse.len();
        if pass > passes {
            return Err("it counts more passes than the scene has".into());
        }
        if plan.scene.time.coarse.get(pass).is_some_and(|coarse| step > coarse.steps) {
            return Err(format!("its pass {pass} is at step {step}, beyond its end"));
        }
        if pass == passes && step > plan.scene.time.steps {
            return Err(parts.too_far(plan.scene.time.steps_in_all())?);
        }
        let mut ground = plan.site.ground_of(plan.scene, pass);
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let grid = |name| Grid2::from_values(cols, rows, parts.floats(name)?).ok_or_else(misfit);
        if pass > 0 {
            ground.height = grid("inherited")?;
        }
        let mut pipes = flood(plan, params, &ground, None).map_err(|error| error.to_string())?;
        let saved = Saved {
            size: [cols, rows],
            step,
            numbers: parts.doubles("numbers")?,
            accounts: parts.doubles("accounts")?,
            cells: parts.floats("cells")?,
        };
        pipes.restore(&saved)?;
        let past = match parts.doubles("past")?.as_slice() {
            [] if pass == 0 => None,
            numbers if pass > 0 => Some(Past::from_numbers(numbers)?),
            _ => return Err(misfit()),
        };
        let clock = parts.doubles("clock")?;
        let (&[sampled], dt) = clock.split_first_chunk::<1>().ok_or_else(misfit)?;
        all_within("the time of its last sample,", &[sampled], &(0.0..=pipes.time()))?;
        let (flow, wet) = (grid("flow")?, grid("wet")?);
        all_within("flow in cell", flow.values(), &NATURAL_F32)?;
        all_within("wetness in cell", wet.values(), &NATURAL_F32)?;
        let (inherited, dt) = ((pass > 0).then_some(ground.height), parts.time_steps(dt)?);
        Ok(Self { pipes, pass, past, inherited, dt, flow, wet, sampled })
    }

    /// Goes on with other parameters, from where it is.
    pub fn change(&mut self, plan: Plan, params: &Params) -> Result<(), Complaint> {
        let mut ground = plan.site.ground_of(plan.scene, self.pass);
        if let Some(height) = &self.inherited {
            ground.height = height.clone();
        }
        let mut pipes = flood(plan, params, &ground, None)?;
        pipes.restore(&self.pipes.save()).map_err(|_| does_not_fit())?;
        self.pipes = pipes;
        Ok(())
    }

    fn pass_steps(&self, scene: &Scene) -> u64 {
        scene.time.coarse.get(self.pass).map_or(scene.time.steps, |coarse| coarse.steps)
    }

    fn is_last_pass(&self, scene: &Scene) -> bool {
        self.pass == scene.time.coarse.len()
    }

    /// The time step to come, as far as it is known [s].
    fn next_dt(&self) -> f64 {
        let params = self.pipes.params();
        params.dt.unwrap_or((params.safety * self.pipes.max_dt()).min(params.max_dt))
    }

    /// Steps that the last pass will take, as far as that is known: where time ends it, as many as steps like those of
    /// the present pass would be. Cells that are smaller have steps that much shorter.
    fn last_pass_steps(&self, scene: &Scene) -> f64 {
        let most = scene.time.steps as f64;
        let Some(duration) = scene.time.duration else { return most };
        let taken = self.pipes.steps_taken();
        let dt = if taken > 0 { self.pipes.time() / taken as f64 } else { self.next_dt() };
        let finer = scene.time.coarse.get(self.pass).map_or(1, |coarse| coarse.factor);
        (duration * finer as f64 / dt).min(most)
    }

    fn sample(&mut self) {
        add_sample(&mut self.pipes, self.sampled, &mut self.flow, &mut self.wet);
        self.sampled = self.pipes.time();
    }

    /// Ends a coarse pass: what was afloat settles, the finer terrain takes over the shape and gets back some of
    /// its own detail.
    fn refine(&mut self, plan: Plan) -> Result<(), pipes::Invalid> {
        let past = Past { steps: self.steps_taken(), time: self.time(), ledger: self.ledger() };
        let eroded = self.settled_ground();
        let ground = finer(plan, self.pass, &eroded);
        self.pass += 1;
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let water = Heightfield { height: self.pipes.depth(), frame: eroded.frame };
        let water = resample(&water, cols, rows).height.map(|d| d.max(0.0));
        self.pipes = flood(plan, &self.pipes.params().clone(), &ground, Some(water))?;
        (self.past, self.inherited) = (Some(past), Some(ground.height));
        let empty = Grid2::filled(cols, rows, 0.0);
        (self.flow, self.wet, self.sampled) = (empty.clone(), empty, 0.0);
        Ok(())
    }

    /// The bed with everything that is afloat laid down where it is.
    fn settled_ground(&self) -> Heightfield {
        let mut ground = self.pipes.ground();
        let sediment = self.pipes.sediment();
        for (height, s) in ground.height.values_mut().iter_mut().zip(sediment.values()) {
            *height += s;
        }
        ground
    }
}

/// Adds what flows and what is wet now, weighted with the time since the last sample.
fn add_sample(pipes: &mut Pipes, sampled: f64, flow: &mut Grid2<f32>, wet: &mut Grid2<f32>) {
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
fn finer(plan: Plan, pass: usize, eroded: &Heightfield) -> Heightfield {
    let detail = plan.scene.time.coarse[pass].detail as f32;
    let before = plan.site.ground_of(plan.scene, pass);
    let own = plan.site.ground_of(plan.scene, pass + 1);
    let (cols, rows) = (own.height.cols(), own.height.rows());
    let smooth = resample(&before, cols, rows);
    let mut ground = resample(eroded, cols, rows);
    for (i, height) in ground.height.values_mut().iter_mut().enumerate() {
        *height += detail * (own.height.values()[i] - smooth.height.values()[i]);
    }
    ground.frame = own.frame;
    ground
}

/// Bed lost (sign -1) or gained (sign 1) since the beginning [m].
fn change(ground: &Heightfield, start: &Heightfield, sign: f32) -> Grid2<f32> {
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |c, r| {
        (sign * (ground.height.at(c, r) - start.height.at(c, r))).max(0.0)
    })
}

fn replace(snapshot: &mut Snapshot, name: &str, values: Grid2<f32>) {
    if let Some(field) = snapshot.fields.iter_mut().find(|field| field.info.name == name) {
        field.values = values;
    }
}

fn misfit() -> String {
    "its state does not fit the terrain".into()
}

impl Course for PipesRun {
    fn steps_taken(&self) -> u64 {
        self.past.map_or(0, |past| past.steps) + self.pipes.steps_taken()
    }

    fn time(&self) -> f64 {
        self.past.map_or(0.0, |past| past.time) + self.pipes.time()
    }

    fn pass_time(&self) -> f64 {
        self.pipes.time()
    }

    fn dt(&self) -> [f64; 2] {
        self.dt
    }

    fn items(&self) -> (usize, &'static str) {
        (self.flow.len(), "cells")
    }

    fn steps_planned(&self, scene: &Scene) -> u64 {
        scene.time.steps_in_all()
    }

    fn steps_to_next_look(&self, scene: &Scene) -> u64 {
        let taken = self.pipes.steps_taken();
        let aligned = (STRIDE - taken % STRIDE).min(self.pass_steps(scene).saturating_sub(taken));
        match scene.time.duration {
            Some(duration) if self.is_last_pass(scene) => aligned.min(self.steps_before(duration)),
            _ => aligned,
        }
    }

    fn steps_before(&self, pass_time: f64) -> u64 {
        // The time step is known only when it is about to be chosen.
        let taken = self.pipes.steps_taken();
        let after = || self.pipes.time() + (STRIDE + 1) as f64 * self.next_dt();
        let far = taken.is_multiple_of(STRIDE) && after() < pass_time;
        if far { STRIDE } else { 1 }
    }

    fn is_over(&self, scene: &Scene) -> bool {
        let late = scene.time.duration.is_some_and(|duration| self.pipes.time() >= duration);
        self.is_last_pass(scene) && (late || self.pipes.steps_taken() >= self.pass_steps(scene))
    }

    fn share(&self, plan: Plan) -> f64 {
        let Plan { scene, site, .. } = plan;
        if self.is_over(scene) {
            return 1.0;
        }
        let (cols, rows) = (site.ground.height.cols(), site.ground.height.rows());
        let cells = |factor: usize| ((cols / factor).max(1) * (rows / factor).max(1)) as f64;
        let coarse = scene.time.coarse.iter().map(|coarse| (cells(coarse.factor), coarse.steps as f64));
        let passes = coarse.chain([(cells(1), self.last_pass_steps(scene))]);
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

    fn end_time(&self, scene: &Scene) -> Option<f64> {
        let past = self.past.map_or(0.0, |past| past.time);
        scene.time.duration.filter(|_| self.is_last_pass(scene)).map(|duration| past + duration)
    }

    /// Samples the flow, and moves on to the next pass when one is over. What has flowed since the last sample is shown
    /// at the end but not counted: a longer run that goes on from there samples at the same steps as if it had
    /// been asked for at once.
    fn note(&mut self, plan: Plan, report: &StepReport) -> Result<(), NoteError> {
        let [shortest, longest] = self.dt;
        self.dt = [shortest.min(report.dt_min), longest.max(report.dt_max)];
        let is_over = self.is_over(plan.scene);
        if self.pipes.steps_taken().is_multiple_of(SAMPLE_EVERY) {
            self.sample();
        }
        let pass_is_over = self.pipes.steps_taken() >= self.pass_steps(plan.scene);
        if pass_is_over || is_over {
            self.check_finite()?;
        }
        if pass_is_over && !self.is_last_pass(plan.scene) {
            self.refine(plan)?;
        }
        Ok(())
    }

    fn check_finite(&self) -> Result<(), StepError> {
        let [bed, depth, sediment] = [self.pipes.bed(), self.pipes.depth(), self.pipes.sediment()];
        let cells = bed.values().iter().zip(depth.values()).zip(sediment.values());
        let wild = |((b, d), s): ((&f32, &f32), &f32)| !(b + d + s).is_finite();
        let mut strays = cells.enumerate().filter(|(_, cell)| wild(*cell)).map(|(at, _)| at);
        let Some(first) = strays.next() else { return Ok(()) };
        Err(StepError::Pipes(pipes::StepError::NotFinite {
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

    fn points(&self) -> Option<Points> {
        None
    }

    fn ledger(&self) -> Ledger {
        // What refining changed of ground and water counts as added.
        let now = self.pipes.ledger();
        let Some(Past { ledger: past, .. }) = &self.past else { return now };
        Ledger {
            water: pipes::Water {
                start: past.water.start,
                added: past.water.added + now.water.added + now.water.start - past.water.end,
                evaporated: past.water.evaporated + now.water.evaporated,
                exported: past.water.exported + now.water.exported,
                end: now.water.end,
            },
            solids: pipes::Solids {
                bed_start: past.solids.bed_start,
                bed_end: now.solids.bed_end,
                suspended: now.solids.suspended,
                exported: past.solids.exported + now.solids.exported,
                added: past.solids.added + now.solids.bed_start - past.solids.bed_end - past.solids.suspended,
                eroded: past.solids.eroded + now.solids.eroded,
            },
        }
    }

    fn solid_density(&self) -> f64 {
        ROCK_DENSITY
    }

    fn solids_missing(&self) -> f64 {
        let solids = self.ledger().solids;
        let share = solids.imbalance();
        if share.is_finite() {
            return share;
        }
        let missing = solids.bed_start + solids.added - solids.bed_end - solids.suspended - solids.exported;
        missing.abs() / solids.bed_start.abs().max(solids.bed_end.abs())
    }

    fn snapshot(&mut self, plan: Plan) -> Snapshot {
        let mut snapshot = self.pipes.snapshot();
        (snapshot.step, snapshot.time) = (self.steps_taken(), self.time());
        let ground = self.pipes.ground();
        let start = plan.site.ground_of(plan.scene, self.pass);
        let (mut flow, mut wet, mut sampled) = (self.flow.clone(), self.wet.clone(), self.sampled);
        if self.is_over(plan.scene) {
            add_sample(&mut self.pipes, sampled, &mut flow, &mut wet);
            sampled = self.pipes.time();
        }
        let per_time = if sampled > 0.0 { (1.0 / sampled) as f32 } else { 0.0 };
        let mut add = |name, unit, meaning, values| {
            snapshot.fields.push(Field { info: FieldInfo::new(name, unit, meaning), values });
        };
        add("erosion", "m", "bed lost since the beginning", change(&ground, &start, -1.0));
        add("deposition", "m", "bed gained since the beginning", change(&ground, &start, 1.0));
        add("flow", "m²/s", "mean discharge per metre of width", flow.map(|v| v * per_time));
        add("wetness", "-", "share of the time under water", wet.map(|v| v * per_time));
        add("slope", "rad", "slope of the bed", slope(&ground));
        snapshot
    }

    fn scenery(&mut self, plan: Plan) -> Snapshot {
        let mut snapshot = self.snapshot(plan);
        if self.sampled == 0.0 && !self.is_over(plan.scene) {
            // Until a pass has its first sample, what is now stands for the mean.
            let depth = self.pipes.depth();
            replace(&mut snapshot, "flow", self.pipes.discharge());
            replace(&mut snapshot, "wetness", depth.map(|depth| f32::from(depth > WET)));
        }
        if self.is_last_pass(plan.scene) {
            return snapshot;
        }
        let passes = self.pass..plan.scene.time.coarse.len();
        let ground = passes.fold(self.settled_ground(), |ground, pass| finer(plan, pass, &ground));
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        for field in &mut snapshot.fields {
            let coarse = Heightfield { height: field.values.clone(), frame: snapshot.frame.clone() };
            field.values = resample(&coarse, cols, rows).height;
        }
        let start = &plan.site.ground;
        replace(&mut snapshot, "slope", slope(&ground));
        replace(&mut snapshot, "erosion", change(&ground, start, -1.0));
        replace(&mut snapshot, "deposition", change(&ground, start, 1.0));
        replace(&mut snapshot, "height", ground.height);
        snapshot.frame = ground.frame;
        snapshot
    }

    fn save(&self, folder: &Path, mut header: serde_json::Value) -> Result<PathBuf, CheckpointError> {
        let Saved { size, step, numbers, accounts, cells } = self.pipes.save();
        header["pass"] = self.pass.into();
        header["size"] = size.to_vec().into();
        header["pass_step"] = step.into();
        let past = self.past.map_or(Vec::new(), |past| past.numbers().to_vec());
        let clock = [self.sampled, self.dt[0], self.dt[1]];
        let sections = [
            ("numbers", SectionRef::F64(&numbers)),
            ("accounts", SectionRef::F64(&accounts)),
            ("cells", SectionRef::F32(&cells)),
            ("past", SectionRef::F64(&past)),
            ("clock", SectionRef::F64(&clock)),
            ("flow", SectionRef::F32(self.flow.values())),
            ("wet", SectionRef::F32(self.wet.values())),
            ("inherited", SectionRef::F32(self.inherited.as_ref().map_or(&[], Grid2::values))),
        ];
        rotate(folder, self.steps_taken(), &header, &sections)
    }
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
        let water = pipes::Water { start: w0, added: w1, evaporated: w2, exported: w3, end: w4 };
        let solids =
            pipes::Solids { bed_start: s0, bed_end: s1, suspended: s2, exported: s3, added: s4, eroded: s5 };
        Ok(Self { steps, time, ledger: Ledger { water, solids } })
    }
}

/// Puts weather on a terrain, and the water given or that the scene begins with.
fn flood(
    plan: Plan,
    params: &Params,
    ground: &Heightfield,
    water: Option<Grid2<f32>>,
) -> Result<Pipes, pipes::Invalid> {
    let Plan { scene, site, .. } = plan;
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    let fit = |grid: &Grid2<f32>| -> Grid2<f32> {
        if grid.cols() == cols && grid.rows() == rows {
            return grid.clone();
        }
        let field = Heightfield { height: grid.clone(), frame: Frame::with_cell(1.0) };
        resample(&field, cols, rows).height.map(|v| v.max(0.0))
    };
    let window = |start, stop: Option<f64>| Window { start, stop: stop.unwrap_or(f64::INFINITY) };
    let rain = scene.rain.iter().zip(&site.masks).map(|(rain, mask)| pipes::Rain {
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
    let (whole, here) = (site.ground.extent(), ground.extent());
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
    let weather = Weather {
        rain: rain.collect(),
        sources: scene
            .sources
            .iter()
            .map(|s| source(s, 1.0))
            .chain(scene.drains.iter().map(|s| source(s, -1.0)))
            .collect(),
        edges: scene.edges,
        water: water.or_else(|| (!scene.water.is_empty()).then(|| standing_water(scene, ground))),
        softness: site.softness.as_ref().map(fit),
        seed: scene.seed,
    };
    Pipes::new(ground, params, &weather)
}
