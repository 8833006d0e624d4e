//! A run of stream power: passes over coarser terrain, then the terrain itself.

use super::method::{Method, read_as, table};
use super::relief::{bed_moved, finer};
use super::{
    Books, Canvas, CellPatch, Clock, Layer, Patch, Sections, Setup, Solver, StepError, Stroke, Wanted,
    cannot_paint,
};
use crate::project::{Complaint, Scene};
use crate::world::memory_beside;
use schemars::JsonSchema;
use thalweg_erosion::stream_power::{Land, Params, Saved, StreamPower};
use thalweg_field::range::{FINITE, NATURAL, all_within, whole};
use thalweg_field::units::YEAR;
use thalweg_field::{Field, FieldInfo, Frame, Grid2, Heightfield, Invalid, Ledger, Region, Snapshot, Solids};
use thalweg_terrain::analysis::slope;
use thalweg_terrain::resample;

/// Stream power, as scenes know it.
pub(super) const METHOD: Method = Method {
    name: "stream-power",
    about: "Valleys over geological time.",
    schema: Params::json_schema,
    presets: &Params::PRESETS,
    preset: |name| Params::preset(name).as_ref().map(table),
    read: read_as::<Params>,
    check,
    understands: &["rain", "source", "time.coarse", "terrain.uplift"],
    instead: &[
        (
            "terrain.volume",
            "it needs one height for every cell; use kind = \"still\" to show the volume, or leave it out",
        ),
        ("drain", "rivers leave over open edges; leave it out"),
        ("emitter", "rivers come from rain and [[source]]; leave it out"),
        ("sink", "rivers leave over open edges; leave it out"),
        ("obstacle", "it flows around raised ground: add it to the terrain; leave it out"),
        ("water.particles", "its lakes follow from the ground; leave the key out"),
        ("output.particles", "it has no particles; leave the key out"),
        ("output.surface", "it has no particles; leave the key out"),
    ],
    more_maps: &[],
    free: &["step"],
    relax: None,
    spacing: |_| None,
    memory_of_cells: |[cols, rows], _| memory(cols, rows),
    memory: |setup| {
        let height = &setup.ground.heights().height;
        Ok(memory(height.cols(), height.rows()))
    },
    build: |setup| Ok(Box::new(Run::new(setup)?)),
};

/// Density of solid rock `[kg/m³]`.
const ROCK_DENSITY: f64 = 2650.0;

/// Memory that running it takes `[bytes]`.
fn memory(cols: usize, rows: usize) -> u64 {
    StreamPower::memory(cols, rows).saturating_add(memory_beside(cols, rows))
}

fn check(scene: &Scene) -> Vec<Complaint> {
    let params = match scene.solver.first().params::<Params>() {
        Ok(params) => params,
        Err(complaint) => return vec![complaint],
    };
    let mut found = Vec::new();
    if let Err(invalid) = params.validated() {
        found.push(in_solver(invalid));
    }
    let drained = Land { edges: scene.edges, ..Land::default() }.validated(1, 1);
    found.extend(drained.err().map(Complaint::from));
    for (i, rain) in scene.rain.iter().enumerate() {
        let [path, when] = [format!("rain[{i}].drops"), format!("rain[{i}].start")];
        if rain.drops.is_some() {
            let message =
                format!("{path}: over thousands of years single drops do not matter; give the rain a rate");
            found.push(Complaint { path, message });
        }
        if rain.start != 0.0 || rain.stop.is_some() {
            let message = format!("{when}: rain lasts for all of the run here; leave out start and stop");
            found.push(Complaint { path: when, message });
        }
    }
    let rains = scene.rain.iter().any(|rain| rain.rate.is_some_and(|rate| rate > 0.0));
    if !(scene.sources.is_empty() || rains) {
        let path = "source".to_owned();
        let message =
            format!("{path}: a river that enters is weighed against the rain; give a [[rain]] with a rate");
        found.push(Complaint { path, message });
    }
    found
}

fn in_solver(invalid: Invalid) -> Complaint {
    Invalid { key: format!("solver.{}", invalid.key), ..invalid }.into()
}

/// The state of a run.
#[derive(Debug)]
struct Run {
    setup: Setup,
    params: Params,
    /// The solver on the present terrain.
    land: StreamPower,
    /// Which pass runs: coarse ones first, then the terrain itself.
    pass: usize,
    past: Past,
}

/// Passes that are over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Past {
    steps: u64,
    /// Simulated time `[s]`.
    time: f64,
    solids: Option<Solids>,
}

impl Run {
    fn new(setup: &Setup) -> Result<Self, Complaint> {
        let params: Params = setup.params()?;
        let ground = setup.ground.of_pass(&setup.scene, 0);
        let land = StreamPower::new(&ground, &params, &land(setup, &ground))?;
        Ok(Self { setup: setup.clone(), params, land, pass: 0, past: Past::default() })
    }

    fn scene(&self) -> &Scene {
        &self.setup.scene
    }

    /// Length of the next step `[s]`: the last one ends where the duration does.
    fn dt(&self) -> f64 {
        let time = &self.scene().time;
        let all = time.steps_in_all().max(1) as f64;
        let dt = self.params.years.map_or(self.params.step, |years| years / all);
        time.duration_of(self.pass).map_or(dt, |duration| dt.min(duration - self.land.time()))
    }

    fn is_pass_over(&self) -> bool {
        self.scene().time.is_over(self.pass, self.land.steps_taken(), self.land.time())
    }

    fn is_last_pass(&self) -> bool {
        self.scene().time.is_last(self.pass)
    }

    fn is_over(&self) -> bool {
        self.is_last_pass() && self.is_pass_over()
    }

    /// Share of the work of all passes that is done.
    fn share(&self) -> f64 {
        if self.is_over() {
            return 1.0;
        }
        let time = &self.scene().time;
        let work = |factor: usize, steps: u64| steps as f64 / (factor * factor) as f64;
        let cell = self.setup.ground.heights().frame.cell;
        let coarse = time.coarse.iter().map(|coarse| (coarse.factor_on(cell), coarse.steps));
        let passes: Vec<_> = coarse.chain([(1, time.steps)]).collect();
        let all: f64 = passes.iter().map(|&(factor, steps)| work(factor, steps)).sum();
        let done: f64 = passes[..self.pass].iter().map(|&(factor, steps)| work(factor, steps)).sum();
        (done + work(passes[self.pass].0, self.land.steps_taken())) / all.max(f64::MIN_POSITIVE)
    }

    /// Ends a coarse pass: the finer terrain takes over the shape and gets back some of its own detail.
    fn refine(&mut self) -> Result<(), Complaint> {
        let solids = Some(self.solids());
        let past = Past {
            steps: self.past.steps + self.land.steps_taken(),
            time: self.past.time + self.land.time(),
            solids,
        };
        let ground = finer(&self.setup, self.pass, &self.land.ground());
        self.pass += 1;
        let mut fine = self.on(&ground)?;
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        fine.inherit(&self.land, |grid| fit(&grid, cols, rows));
        (self.land, self.past) = (fine, past);
        Ok(())
    }

    /// The solver of the present pass on some ground.
    fn on(&self, ground: &Heightfield) -> Result<StreamPower, Complaint> {
        let start = self.setup.ground.of_pass(self.scene(), self.pass);
        Ok(StreamPower::resumed(&start, ground, &self.params, &land(&self.setup, ground))?)
    }

    /// The books of all passes. What refining changed of the ground counts as added.
    fn solids(&self) -> Solids {
        let now = self.land.ledger().solids;
        let Some(past) = self.past.solids else { return now };
        Solids {
            bed_start: past.bed_start,
            added: past.added + now.added + now.bed_start - past.bed_end,
            exported: past.exported + now.exported,
            eroded: past.eroded + now.eroded,
            ..now
        }
    }

    fn set_heights(
        &mut self,
        region: Region,
        paint: impl FnOnce(&Region, Vec<f64>) -> Vec<f64>,
    ) -> Result<Patch, Complaint> {
        let before = self.land.heights(&region);
        let after = paint(&region, before.clone());
        self.land.set_heights(&region, &after)?;
        Ok(Patch::Cells(CellPatch { layer: Layer::Ground, grid: self.grid(), region, before, after }))
    }

    fn grid(&self) -> [usize; 2] {
        self.land.size()
    }
}

/// A map on so many columns and rows.
fn fit(grid: &Grid2<f32>, cols: usize, rows: usize) -> Grid2<f32> {
    if grid.cols() == cols && grid.rows() == rows {
        return grid.clone();
    }
    let field = Heightfield { height: grid.clone(), frame: Frame::with_cell(1.0) };
    resample(&field, cols, rows).height
}

/// What a scene has over the ground of a pass.
fn land(setup: &Setup, ground: &Heightfield) -> Land {
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    let natural = |grid: &Grid2<f32>| fit(grid, cols, rows).map(|value| value.max(0.0));
    Land {
        rain: rain(setup, ground),
        softness: setup.ground.softness().map(natural),
        uplift: setup.ground.uplift.as_ref().map(natural),
        edges: setup.scene.edges,
        seed: setup.scene.seed,
    }
}

/// How much water each cell gets, as a share of the mean rain: all rains together, and rivers that enter. A river that brings as much
/// water as rain brings to some area counts as if it had drained that area.
fn rain(setup: &Setup, ground: &Heightfield) -> Option<Grid2<f32>> {
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    let Scene { rain, sources, .. } = &*setup.scene;
    let rains = rain.iter().zip(&setup.ground.masks);
    if sources.is_empty() && rains.clone().all(|(_, mask)| mask.is_none()) {
        return None;
    }
    let mut sum = Grid2::filled(cols, rows, 0.0_f32);
    for (rain, mask) in rains {
        let rate = rain.rate.unwrap_or(0.0) as f32;
        let mask = mask.as_ref().map(|mask| fit(mask, cols, rows));
        for (i, sum) in sum.values_mut().iter_mut().enumerate() {
            *sum += rate * mask.as_ref().map_or(1.0, |mask| mask.values()[i].max(0.0));
        }
    }
    let mean = thalweg_field::sum::ordered_sum(sum.values()) / sum.len() as f64;
    for source in sources {
        let [col, row] = ground.cell_from_local(source.at);
        let nearest = |place: f64, cells: usize| (place.round().max(0.0) as usize).min(cells - 1);
        let at = nearest(row, rows) * cols + nearest(col, cols);
        sum.values_mut()[at] += (source.rate / ground.frame.cell.powi(2)) as f32;
    }
    (mean > 0.0).then(|| sum.map(|rain| (f64::from(rain) / mean) as f32))
}

impl Solver for Run {
    fn clock(&self) -> Clock {
        let time = &self.scene().time;
        let dt = self.dt();
        let taken = self.past.steps + self.land.steps_taken();
        let [cols, rows] = self.grid();
        Clock {
            steps: taken,
            time: self.past.time + self.land.time(),
            pass_time: self.land.time(),
            dt: if taken == 0 { [0.0; 2] } else { [dt; 2] },
            items: cols * rows,
            kind: "cells",
            planned: time.steps_in_all(),
            most_steps: 1.min(time.steps_of(self.pass).saturating_sub(self.land.steps_taken())),
            is_over: self.is_over(),
            share: self.share(),
            end_time: time.duration.filter(|_| self.is_last_pass()).map(|end| self.past.time + end),
            dt_grows_with_cells: false,
        }
    }

    fn steps_before(&self, _: f64) -> u64 {
        1
    }

    fn advance(&mut self, steps: u64) -> Result<(), StepError> {
        for _ in 0..steps {
            self.land.step(self.dt()).map_err(StepError::wild)?;
        }
        if self.is_pass_over() && !self.is_last_pass() {
            self.check_finite()?;
            self.refine().map_err(StepError::Invalid)?;
        }
        Ok(())
    }

    fn change(&mut self, setup: &Setup) -> Result<(), Complaint> {
        let params: Params = setup.params()?;
        self.land.change(&params, &land(setup, &self.land.ground())).map_err(in_solver)?;
        (self.setup, self.params) = (setup.clone(), params);
        Ok(())
    }

    fn paint(&mut self, stroke: &Stroke) -> Result<Patch, Complaint> {
        let layer = stroke.tool.layer();
        if layer != Layer::Ground {
            return Err(cannot_paint(layer));
        }
        let [cols, rows] = self.grid();
        let canvas = Canvas::new(cols, rows, self.land.frame());
        let region = stroke.region(&canvas);
        self.set_heights(region, |region, now| stroke.painted(&canvas, region, &now))
    }

    fn repaint(&mut self, patch: &Patch) -> Result<Patch, Complaint> {
        let Patch::Cells(patch) = patch else { return Err(cannot_paint(Layer::Water)) };
        let patch = patch.on_grid(self.grid());
        self.set_heights(patch.region.clone(), |_, now| patch.over(&now))
    }

    fn shift_ground(&mut self, by: &Grid2<f32>) -> Result<(), Complaint> {
        let whole = Region { cols: 0..by.cols(), rows: 0..by.rows() };
        let shift = |_: &Region, now: Vec<f64>| {
            now.into_iter().zip(by.values()).map(|(now, &by)| now + f64::from(by)).collect()
        };
        self.set_heights(whole, shift).map(drop)
    }

    fn check_finite(&self) -> Result<(), StepError> {
        self.land.check_finite().map_err(StepError::wild)
    }

    fn ground(&self) -> Heightfield {
        self.land.ground()
    }

    fn snapshot(&self, wanted: &Wanted) -> Snapshot {
        let ground = self.land.ground();
        let mut shown = Snapshot::of_fields(ground.frame.clone(), Vec::new());
        (shown.step, shown.time) =
            (self.past.steps + self.land.steps_taken(), self.past.time + self.land.time());
        let mut add = |info: FieldInfo, values: &dyn Fn() -> Grid2<f32>| {
            if wanted.has(&info.name) {
                shown.fields.push(Field { info, values: values() });
            }
        };
        let label = FieldInfo::new;
        add(label("height", "m", "height of the bed"), &|| ground.height.clone());
        let ways = ["water", "drainage_area", "steepness", "chi", "basins"];
        if ways.iter().any(|name| wanted.has(name)) {
            let survey = self.land.survey();
            add(label("water", "m", "depth of the lakes"), &|| survey.lakes());
            add(
                label("drainage_area", "m²", "area that drains through the cell, weighted with rain"),
                &|| survey.drainage_area(),
            );
            let unit = format!("m^{}", (200.0 * survey.concavity()).round() / 100.0);
            let steepness = FieldInfo {
                unit: unit.into(),
                ..label("steepness", "", "steepness of the rivers, slope times area to the power m/n")
            };
            add(steepness, &|| survey.steepness());
            add(label("chi", "m", "way to the outlet, parts weighted with area to the power -m/n"), &|| {
                survey.chi()
            });
            add(label("basins", "-", "number of the outlet that the cell drains to"), &|| survey.basins());
        }
        add(label("sediment", "m", "sediment on the rock"), &|| self.land.sediment());
        add(label("uplift", "m", "how far the rock has risen"), &|| self.land.uplifted());
        // People count the age of ground in years, and files are for people.
        add(
            label("age", "yr", "time that the ground at the surface has lain within its uppermost metre"),
            &|| self.land.age().map(|seconds| (f64::from(seconds) / YEAR) as f32),
        );
        if ["erosion", "deposition"].iter().any(|name| wanted.has(name)) {
            let raised = self.raised();
            add(label("erosion", "m", "ground lost since the beginning, uplift included"), &|| {
                bed_moved(&ground, &raised, -1.0)
            });
            add(label("deposition", "m", "ground gained since the beginning beside uplift"), &|| {
                bed_moved(&ground, &raised, 1.0)
            });
        }
        add(label("slope", "rad", "slope of the bed"), &|| slope(&ground));
        shown
    }

    fn scenery(&self) -> Snapshot {
        let mut snapshot = self.snapshot(&Wanted::all());
        if self.is_last_pass() {
            return snapshot;
        }
        let passes = self.pass..self.scene().time.coarse.len();
        let ground = passes.fold(self.land.ground(), |ground, pass| finer(&self.setup, pass, &ground));
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        for field in &mut snapshot.fields {
            field.values = match &*field.info.name {
                "height" => ground.height.clone(),
                "slope" => slope(&ground),
                _ => fit(&field.values, cols, rows),
            };
        }
        snapshot.frame = ground.frame;
        snapshot
    }

    fn books(&self) -> Books {
        let solids = self.solids();
        let ledger = Ledger { solids, ..Ledger::default() };
        Books {
            ledger,
            solid_density: ROCK_DENSITY,
            solids_missing: solids.imbalance(),
            particles: None,
            crumbs: None,
            waves: None,
        }
    }

    fn save(&self, into: &mut Sections) {
        let Saved { size, step, numbers, height, cells } = self.land.save();
        into.put("pass", self.pass);
        into.put("size", size.to_vec());
        into.put("pass_step", step);
        into.put_doubles("numbers", numbers);
        into.put_doubles("height", height);
        into.put_floats("cells", cells);
        into.put_doubles("past", self.past.numbers());
    }

    fn load(&mut self, from: &Sections) -> Result<(), String> {
        let (pass, step) = (from.number("pass")? as usize, from.number("pass_step")?);
        let time = &self.scene().time;
        let steps = match time.coarse.get(pass) {
            Some(coarse) => coarse.steps,
            None if pass == time.coarse.len() => time.steps,
            None => return Err("it counts more passes than the scene has".into()),
        };
        if step > steps {
            return Err(from.too_far(time.steps_in_all())?);
        }
        let past = Past::from_numbers(from.doubles("past")?)?;
        let said = |complaint: Complaint| complaint.message;
        self.pass = pass;
        let ground = self.setup.ground.of_pass(self.scene(), pass);
        let mut land = self.on(&ground).map_err(said)?;
        let saved = Saved {
            size: [ground.height.cols(), ground.height.rows()],
            step,
            numbers: from.doubles("numbers")?.to_vec(),
            height: from.doubles("height")?.to_vec(),
            cells: from.floats("cells")?.to_vec(),
        };
        land.restore(&saved)?;
        (self.land, self.past) = (land, past);
        Ok(())
    }
}

impl Run {
    /// The ground at the beginning, as far as it has risen since.
    fn raised(&self) -> Heightfield {
        let mut start = self.setup.ground.of_pass(self.scene(), self.pass);
        let uplifted = self.land.uplifted();
        start.height.values_mut().iter_mut().zip(uplifted.values()).for_each(|(start, by)| *start += by);
        start
    }
}

impl Past {
    fn numbers(&self) -> Vec<f64> {
        let Some(s) = self.solids else { return Vec::new() };
        vec![self.steps as f64, self.time, s.bed_start, s.bed_end, s.exported, s.added, s.eroded]
    }

    fn from_numbers(numbers: &[f64]) -> Result<Self, String> {
        let &[steps, time, bed_start, bed_end, exported, added, eroded] = numbers else {
            let none = numbers.is_empty().then(Self::default);
            return none.ok_or_else(|| "its state does not fit the terrain".into());
        };
        all_within("time of its earlier passes,", &[time], &NATURAL)?;
        all_within("account of its earlier passes,", &numbers[2..], &FINITE)?;
        let steps = whole("the steps of its earlier passes", steps, 1 << 53)?;
        let solids = Solids { bed_start, bed_end, suspended: 0.0, exported, added, eroded };
        Ok(Self { steps, time, solids: Some(solids) })
    }
}
