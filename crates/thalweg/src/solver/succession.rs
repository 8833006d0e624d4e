//! Methods one after the other: each works on the ground that the one before left.

use super::relief::bed_moved;
use super::{Books, Clock, Crowd, Patch, Sections, Setup, Solver, StepError, Stroke, Wanted};
use crate::project::Complaint;
use std::sync::Arc;
use thalweg_field::range::{FINITE, all_within, whole};
use thalweg_field::{Field, Grid2, Heightfield, Ledger, Points, Snapshot, Solids};
use thalweg_terrain::resample;
use thalweg_terrain::volume::Volume;

/// What `[[before]]` of a scene asks for, then the scene's own method. It is the methods' doing all along; here is only the handing over
/// of the ground.
#[derive(Debug)]
pub(crate) struct Succession {
    /// The scene as a whole.
    setup: Setup,
    /// Which method is at work; the scene's own is the last.
    stage: usize,
    /// The ground that was left to it `[m]`; none: that of the scene.
    inherited: Option<Heightfield>,
    /// The ground from which erosion and deposition are counted `[m]`; none: that of the scene.
    counted_from: Option<Heightfield>,
    solver: Box<dyn Solver>,
    past: Past,
}

/// Methods that are done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Past {
    steps: u64,
    /// Simulated time `[s]`.
    time: f64,
    /// Shortest and longest step `[s]`; both 0 before the first.
    dt: [f64; 2],
    solids: Solids,
}

/// The range of two ranges; one that ends at 0 is none.
fn joined(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    match (a[1] > 0.0, b[1] > 0.0) {
        (true, true) => [a[0].min(b[0]), a[1].max(b[1])],
        (true, false) => a,
        _ => b,
    }
}

impl Succession {
    /// Begins with the first method that has a step to take.
    pub(crate) fn new(setup: &Setup) -> Result<Self, Complaint> {
        let solver = build(setup, 0, None)?;
        let past = Past::default();
        let mut all =
            Self { setup: setup.clone(), stage: 0, inherited: None, counted_from: None, solver, past };
        all.go_on_while_over()?;
        Ok(all)
    }

    fn is_last(&self) -> bool {
        self.stage == self.setup.scene.before.len()
    }

    /// Hands the ground over from methods that are done.
    fn go_on_while_over(&mut self) -> Result<(), Complaint> {
        while self.solver.clock().is_over && !self.is_last() {
            self.go_on()?;
        }
        Ok(())
    }

    /// Hands the ground over to the next method.
    fn go_on(&mut self) -> Result<(), Complaint> {
        let clock = self.solver.clock();
        let ground = self.solver.ground();
        let past = Past {
            steps: self.past.steps + clock.steps,
            time: self.past.time + clock.time,
            dt: joined(self.past.dt, clock.dt),
            solids: together(&self.past.solids, &self.solver.books().ledger.solids, self.stage),
        };
        let uplift = self.solver.snapshot(&Wanted::fields(&["uplift"]));
        // Where rock rose there is more gone than ever stood there; what is told is what happened to the ground since.
        let rose = uplift.field("uplift").is_some_and(|uplift| uplift.values().iter().any(|&by| by != 0.0));
        let start = self.counted_from.take().unwrap_or_else(|| self.setup.ground.heights().clone());
        self.counted_from = Some(if rose { ground.clone() } else { start });
        self.solver = build(&self.setup, self.stage + 1, Some(&ground))?;
        (self.stage, self.inherited, self.past) = (self.stage + 1, Some(ground), past);
        Ok(())
    }

    fn ledger(&self, now: Ledger) -> Ledger {
        Ledger { solids: together(&self.past.solids, &now.solids, self.stage), ..now }
    }
}

/// The solids of methods that are done and of one at work. Water is of one method alone; sediment that one leaves in its water when it ends
/// is gone from the ground, and counts as carried away.
fn together(past: &Solids, now: &Solids, stage: usize) -> Solids {
    if stage == 0 {
        return *now;
    }
    Solids {
        bed_start: past.bed_start,
        bed_end: now.bed_end,
        suspended: now.suspended,
        exported: past.exported + past.suspended + now.exported,
        // Ground is handed over as it is shown, in numbers that are a little shorter.
        added: past.added + now.added + now.bed_start - past.bed_end,
        eroded: past.eroded + now.eroded,
    }
}

/// What one of the methods runs: the scene as if it were alone in it.
fn setup_of(setup: &Setup, stage: usize, inherited: Option<&Heightfield>) -> Setup {
    let ground = match inherited {
        None => setup.ground.clone(),
        Some(heights) => Arc::new(setup.ground.reshaped(heights.clone())),
    };
    Setup { scene: Arc::new(setup.scene.of_stage(stage)), ground, max_bytes: setup.max_bytes }
}

fn build(setup: &Setup, stage: usize, inherited: Option<&Heightfield>) -> Result<Box<dyn Solver>, Complaint> {
    let own = setup_of(setup, stage, inherited);
    let built = (own.scene.solver.first().method().build)(&own);
    built.map_err(|complaint| complaint.of_stage(&setup.scene, stage))
}

impl Solver for Succession {
    fn relax(&mut self, go_on: &mut super::GoOn) -> Result<bool, Complaint> {
        self.solver.relax(go_on)
    }

    fn clock(&self) -> Clock {
        let clock = self.solver.clock();
        let scene = &self.setup.scene;
        let steps = |stage: usize| scene.time_of_stage(stage).steps_in_all();
        let stages = scene.stages();
        let planned: u64 = (0..stages).map(steps).sum();
        let done: u64 = (0..self.stage).map(steps).sum();
        let share = (done as f64 + clock.share * steps(self.stage) as f64) / planned.max(1) as f64;
        Clock {
            steps: self.past.steps + clock.steps,
            time: self.past.time + clock.time,
            dt: joined(self.past.dt, clock.dt),
            planned: self.past.steps + clock.planned + (self.stage + 1..stages).map(steps).sum::<u64>(),
            is_over: clock.is_over && self.is_last(),
            share: if clock.is_over && self.is_last() { 1.0 } else { share.min(1.0) },
            end_time: clock.end_time.filter(|_| self.is_last()).map(|end| self.past.time + end),
            ..clock
        }
    }

    fn stage(&self) -> usize {
        self.stage
    }

    fn steps_before(&self, pass_time: f64) -> u64 {
        self.solver.steps_before(pass_time)
    }

    fn advance(&mut self, steps: u64) -> Result<(), StepError> {
        self.solver.advance(steps)?;
        self.go_on_while_over().map_err(StepError::Invalid)
    }

    fn change(&mut self, setup: &Setup) -> Result<(), Complaint> {
        let own = setup_of(setup, self.stage, self.inherited.as_ref());
        self.solver.change(&own).map_err(|complaint| complaint.of_stage(&setup.scene, self.stage))?;
        self.setup = setup.clone();
        Ok(())
    }

    fn paint(&mut self, stroke: &Stroke) -> Result<Patch, Complaint> {
        self.solver.paint(stroke)
    }

    fn repaint(&mut self, patch: &Patch) -> Result<Patch, Complaint> {
        self.solver.repaint(patch)
    }

    fn shift_ground(&mut self, by: &Grid2<f32>) -> Result<(), Complaint> {
        self.solver.shift_ground(by)
    }

    fn check_finite(&self) -> Result<(), StepError> {
        self.solver.check_finite()
    }

    fn ground(&self) -> Heightfield {
        self.solver.ground()
    }

    fn volume(&self) -> Option<&Volume> {
        self.solver.volume()
    }

    fn particles_within(&self, time: f64) -> Option<Crowd> {
        self.solver.particles_within(time)
    }

    fn points(&self) -> Option<Points> {
        self.solver.points()
    }

    fn snapshot(&self, wanted: &Wanted) -> Snapshot {
        self.as_of_all(self.solver.snapshot(wanted))
    }

    fn scenery(&self) -> Snapshot {
        self.as_of_all(self.solver.scenery())
    }

    fn books(&self) -> Books {
        let books = self.solver.books();
        Books { ledger: self.ledger(books.ledger), ..books }
    }

    fn warning(&self) -> Option<String> {
        self.solver.warning()
    }

    fn save(&self, into: &mut Sections) {
        self.solver.save(into);
        let Past { steps, time, dt: [shortest, longest], solids } = self.past;
        into.put("stage", self.stage);
        let Solids { bed_start, bed_end, suspended, exported, added, eroded } = solids;
        let books = [bed_start, bed_end, suspended, exported, added, eroded];
        into.put_doubles("stage_past", [&[steps as f64, time, shortest, longest], &books[..]].concat());
        let inherited = self.inherited.as_ref().map_or(Vec::new(), |ground| ground.height.values().to_vec());
        into.put_floats("stage_ground", inherited);
        let counted = self.counted_from.as_ref().map_or(Vec::new(), |ground| ground.height.values().to_vec());
        into.put_floats("stage_counted_from", counted);
    }

    fn load(&mut self, from: &Sections) -> Result<(), String> {
        let stage = from.number("stage")? as usize;
        if stage > self.setup.scene.before.len() {
            return Err("it counts more methods than the scene has".into());
        }
        let misfit = || "its methods do not fit the scene".to_owned();
        let numbers: [f64; 10] = from.doubles("stage_past")?.try_into().map_err(|_| misfit())?;
        all_within("account of its earlier methods,", &numbers, &FINITE)?;
        let [steps, time, shortest, longest, bed_start, bed_end, suspended, exported, added, eroded] =
            numbers;
        let steps = whole("the steps of its earlier methods", steps, 1 << 53)?;
        let start = self.setup.ground.heights();
        let ground = |name: &str| match from.floats(name)? {
            [] if stage == 0 => Ok(None),
            heights if stage > 0 => {
                let fits = |height: &f32| height.is_finite();
                let height = Grid2::from_values(start.height.cols(), start.height.rows(), heights.to_vec());
                let height = height.filter(|_| heights.iter().all(fits)).ok_or_else(misfit)?;
                Ok(Some(Heightfield { height, frame: start.frame.clone() }))
            }
            _ => Err(misfit()),
        };
        let (inherited, counted) = (ground("stage_ground")?, ground("stage_counted_from")?);
        self.solver = build(&self.setup, stage, inherited.as_ref()).map_err(|complaint| complaint.message)?;
        self.solver.load(from)?;
        let solids = Solids { bed_start, bed_end, suspended, exported, added, eroded };
        (self.stage, self.inherited, self.counted_from) = (stage, inherited, counted);
        self.past = Past { steps, time, dt: [shortest, longest], solids };
        Ok(())
    }
}

impl Succession {
    /// Steps and time of a snapshot, and what became of the ground, with what the methods before did.
    fn as_of_all(&self, mut shown: Snapshot) -> Snapshot {
        shown.step += self.past.steps;
        shown.time += self.past.time;
        for Field { info, values } in &mut shown.fields {
            let sign = match &*info.name {
                "erosion" => -1.0,
                "deposition" => 1.0,
                _ => continue,
            };
            if let Some(start) = &self.counted_from {
                let now = self.solver.ground();
                let [start, now] = [start, &now].map(|ground| resample(ground, values.cols(), values.rows()));
                *values = bed_moved(&now, &start, sign);
            }
        }
        shown
    }
}
