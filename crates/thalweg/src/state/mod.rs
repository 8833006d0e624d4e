//! Everything a run needs to go on.

mod ground;

pub use ground::{Ground, start_ground};
pub(crate) use ground::{memory_beside, standing_water};

use crate::project::{CameraTable, Complaint, Difference, Mistake, Output, PictureTable, Project, Scene};
use crate::solver::{Books, Clock, Crowd, GoOn, Sections, Setup, Solver, StepError};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thalweg_erosion::pipes::Ledger;
use thalweg_field::{Grid2, Heightfield, Points, Snapshot};
use thalweg_io::ReadError;
use thalweg_io::checkpoint::{Checkpoint, CheckpointError, Section, rotate};

/// Why a scene cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A file it names cannot be read.
    #[error("{place}: {source}")]
    Read {
        /// Where the scene names it.
        place: String,
        /// Why.
        source: ReadError,
    },
    /// Values that do not fit the terrain; one line for each.
    #[error("{}", .0.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<Mistake>),
    /// Too large for this machine.
    #[error(
        "{place}: {cols} by {rows} cells need about {need_mib} MiB, but only {limit_mib} MiB may be used; \
         use a smaller terrain.size or raise --max-memory"
    )]
    Memory {
        /// Where the scene asks for it.
        place: String,
        /// Columns.
        cols: usize,
        /// Rows.
        rows: usize,
        /// Estimated need [MiB].
        need_mib: u64,
        /// The limit [MiB].
        limit_mib: u64,
    },
}

impl SetupError {
    /// What the solver says about a value, with the value's place.
    pub(crate) fn invalid(project: &Project, invalid: impl Into<Complaint>) -> Self {
        Self::complaints(project, vec![invalid.into()])
    }

    /// What is wrong, one by one, each with its place.
    pub fn mistakes(&self) -> Vec<Mistake> {
        let place = match self {
            Self::Wrong(mistakes) => return mistakes.clone(),
            Self::Read { place, .. } | Self::Memory { place, .. } => place,
        };
        let told = self.to_string();
        let message = told.strip_prefix(&format!("{place}: ")).unwrap_or(&told).to_owned();
        vec![Mistake { place: place.clone(), message }]
    }

    pub(crate) fn complaints(project: &Project, complaints: Vec<Complaint>) -> Self {
        let located = |complaint: Complaint| Mistake {
            place: project.place_of(&complaint.path),
            message: complaint.message,
        };
        Self::Wrong(complaints.into_iter().map(located).collect())
    }
}

/// The state of a run: saved in checkpoints, shown as snapshots.
#[derive(Debug)]
pub struct State {
    setup: Setup,
    solver: Box<dyn Solver>,
    /// What was changed while it ran, and after which step.
    changes: Vec<Change>,
    /// What was assumed or repaired while reading files.
    pub notices: Vec<String>,
}

/// A value that was changed while a scene ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Steps taken before.
    pub step: u64,
    /// What was set, as KEY=VALUE.
    pub set: String,
}

impl State {
    /// Builds the terrain of a project and puts its water over it, using at most `max_bytes` of memory.
    pub fn new(project: &Project, max_bytes: u64) -> Result<Self, SetupError> {
        let scene = project.scene.clone();
        let mut notices = Vec::new();
        let ground = Ground::new(project, max_bytes, &mut notices)?;
        let (cols, rows) = (ground.field.height.cols(), ground.field.height.rows());
        let mut complaints = scene.check_places(ground.field.extent());
        for (i, coarse) in scene.time.coarse.iter().enumerate() {
            let factor = coarse.factor;
            if cols / factor < 2 || rows / factor < 2 {
                let path = format!("time.coarse[{i}].factor");
                let message = format!(
                    "{path} is {factor}, but the terrain has only {cols} by {rows} cells; use a smaller factor"
                );
                complaints.push(Complaint { path, message });
            }
        }
        if !complaints.is_empty() {
            return Err(SetupError::complaints(project, complaints));
        }
        let setup = Setup { scene: Arc::new(scene), ground: Arc::new(ground), max_bytes };
        let solver = build(&setup).map_err(|invalid| SetupError::invalid(project, invalid))?;
        Ok(Self { setup, solver, changes: Vec::new(), notices })
    }

    /// Lets the water find its place before the first step, if the scene asks for it; `go_on` is asked before each damped
    /// step. False if some are left: the first step takes them.
    pub fn relax(&mut self, go_on: &mut GoOn) -> Result<bool, Complaint> {
        self.solver.relax(go_on)
    }

    /// Goes back to the beginning, with the settings it has now, and lets the water find its place as [`Self::relax`] does.
    /// False if it was stopped on the way; the complaint says why it cannot. Nothing changes then.
    pub fn reset(&mut self, go_on: &mut GoOn) -> Result<bool, Complaint> {
        let mut solver = build(&self.setup)?;
        if !solver.relax(go_on)? {
            return Ok(false);
        }
        self.solver = solver;
        self.changes.clear();
        Ok(true)
    }

    /// Goes back to the beginning of a run that is tried out: without passes over a coarser terrain before, and the water
    /// does not find its place first.
    pub(crate) fn begin_plainly(&mut self, coarse: bool) -> Result<(), Complaint> {
        let scene = Arc::make_mut(&mut self.setup.scene);
        if !coarse {
            scene.time.coarse.clear();
        }
        scene.solver.skip_relaxing();
        self.reset(&mut |_| true).map(drop)
    }

    /// Memory that running it takes, pictures not counted [bytes].
    pub fn memory(&self) -> u64 {
        // It was asked before anything was set up.
        (self.scene().solver.method().memory)(&self.setup).unwrap_or(u64::MAX)
    }

    /// Particles that a run of so much time [s] will have; `None` for methods without any.
    pub fn particles_within(&self, time: f64) -> Option<Crowd> {
        self.solver.particles_within(time)
    }

    /// The terrain before anything happened, at full resolution.
    pub fn start(&self) -> &Heightfield {
        &self.setup.ground.field
    }

    /// Depth of the water on it then [m].
    pub fn start_water(&self) -> Grid2<f32> {
        standing_water(self.scene(), self.start())
    }

    /// The scene it runs.
    pub fn scene(&self) -> &Scene {
        &self.setup.scene
    }

    /// What was changed while it ran.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// How far it is, and how far it goes.
    pub fn clock(&self) -> Clock {
        self.solver.clock()
    }

    /// Steps taken by all passes.
    pub fn steps_taken(&self) -> u64 {
        self.clock().steps
    }

    /// Simulated time of all passes [s].
    pub fn time(&self) -> f64 {
        self.clock().time
    }

    /// Simulated time of the present pass, which the scene's duration counts [s].
    pub fn pass_time(&self) -> f64 {
        self.clock().pass_time
    }

    /// Whether all passes are over.
    pub fn is_over(&self) -> bool {
        self.clock().is_over
    }

    /// Steps, at least one, that surely do not pass a time of the present pass [s] but with the last of them: where it
    /// might come, steps are taken one by one, so that it is met at the same step however the run was cut.
    pub fn steps_before(&self, pass_time: f64) -> u64 {
        self.solver.steps_before(pass_time)
    }

    /// Takes so many steps, or fewer where something has to be looked at before; returns how many.
    pub fn advance(&mut self, steps: u64) -> Result<u64, StepError> {
        let steps = steps.min(self.clock().next_look);
        self.solver.advance(steps)?;
        Ok(steps)
    }

    /// Refuses numbers that have gone wild. The solver looks for them now and then; what is saved, shown or handed to
    /// the next pass must be free of them.
    pub fn check_finite(&self) -> Result<(), StepError> {
        self.solver.check_finite()
    }

    /// The bed as it is now, with the cells of the present pass.
    pub fn ground(&self) -> Heightfield {
        self.solver.ground()
    }

    /// The particles, if the method has any.
    pub fn points(&self) -> Option<Points> {
        self.solver.points()
    }

    /// Where water and ground went.
    pub fn books(&self) -> Books {
        self.solver.books()
    }

    /// The books of all passes.
    pub fn ledger(&self) -> Ledger {
        self.books().ledger
    }

    /// Everything there is to show.
    pub fn snapshot(&mut self) -> Snapshot {
        self.solver.snapshot()
    }

    /// Everything there is to see, with the cells of the terrain itself: a coarse pass as if it were refined now. From
    /// the last step of a pass to the first of the next, nothing that is seen jumps.
    pub fn scenery(&mut self) -> Snapshot {
        self.solver.scenery()
    }

    /// Takes over a scene that differs in what can change while it runs: parameters of the method, emitters, how long
    /// it runs, and what it writes beside pictures. `set` is told with the run. The text says why not; nothing
    /// changes then.
    pub fn change(&mut self, scene: Scene, set: &str) -> Result<(), String> {
        let mut able = self.scene().clone();
        (able.time.steps, able.time.duration) = (scene.time.steps, scene.time.duration);
        (able.emitters, able.solver) = (scene.emitters.clone(), able.solver.with_params_of(&scene.solver));
        let Output { frames_every, video, pictures, .. } = able.output;
        able.output = Output { frames_every, video, pictures, ..scene.output.clone() };
        if let Some(Difference { path, .. }) = Difference::first(&able, &scene) {
            return Err(format!("{path} cannot change while the scene runs; start it anew with --set {set}"));
        }
        let setup = Setup { scene: Arc::new(scene), ..self.setup.clone() };
        self.solver.change(&setup).map_err(|complaint| complaint.message)?;
        self.changes.push(Change { step: self.steps_taken(), set: set.into() });
        self.setup = setup;
        Ok(())
    }

    /// Writes the state as a checkpoint into `folder`; `name` is the scene's.
    pub fn save(&self, folder: &Path, name: &str) -> Result<PathBuf, CheckpointError> {
        let clock = self.clock();
        let mut sections = Sections::default();
        self.solver.save(&mut sections);
        sections.put("thalweg", env!("CARGO_PKG_VERSION"));
        sections.put("scene", name);
        sections.put("text", toml::to_string(self.scene()).unwrap_or_default());
        sections.put("site", self.setup.ground.fingerprint());
        sections.put("step", clock.steps);
        sections.put("time", clock.time);
        sections.put("changes", serde_json::to_value(&self.changes).unwrap_or_default());
        let arrays = sections.arrays().iter();
        let arrays: Vec<_> =
            arrays.map(|(name, section): &(String, Section)| (&**name, section.borrow())).collect();
        rotate(folder, clock.steps, &sections.header.clone().into(), &arrays)
    }

    /// Goes back to a checkpoint of the same scene; the text says why not. Nothing changes then.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), String> {
        let header = &checkpoint.header;
        let saved: Scene = header["text"]
            .as_str()
            .and_then(|text| toml::from_str(text).ok())
            .ok_or("its header holds no scene of this version")?;
        if let Some(difference) = Difference::first(&essence(&saved), &essence(self.scene())) {
            let Difference { path, left, right } = difference;
            // Fewer steps are shared out among the passes; only the number of all of them tells how.
            let passes = if path.starts_with("time.coarse") { " (--steps N keeps its passes)" } else { "" };
            return Err(format!(
                "it belongs to a run with another scene or other settings: {path} was {left}, and is {right} here; \
                 run without --resume, or with the settings it had{passes}"
            ));
        }
        if header["site"].as_str() != Some(&self.setup.ground.fingerprint()) {
            return Err("it belongs to a run on another terrain: a file that the scene reads has changed since; run without --resume, or put the file back".into());
        }
        let changes = serde_json::from_value(header["changes"].clone())
            .map_err(|error| format!("its header tells no changes of the scene: {error}"))?;
        let mut solver = build(&self.setup).map_err(|complaint| complaint.message)?;
        solver.load(&Sections::of(checkpoint))?;
        let (step, told) = (solver.clock().steps, &header["step"]);
        if told.as_u64() != Some(step) {
            return Err(format!("its header tells step {told}, and its state is at step {step}"));
        }
        self.solver = solver;
        self.changes = changes;
        Ok(())
    }
}

/// The solver of a scene, at its beginning.
fn build(setup: &Setup) -> Result<Box<dyn Solver>, Complaint> {
    (setup.scene.solver.method().build)(setup)
}

/// What makes a run: a longer one may go on from a shorter one, one that went wild with a shorter time step, outputs
/// may differ, and files may be called differently (their content is compared by itself).
fn essence(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.title.clear();
    scene.output = Output::default();
    (scene.camera, scene.picture) = (CameraTable::default(), PictureTable::default());
    (scene.time.steps, scene.time.duration) = (0, None);
    scene.solver.drop_free();
    for (_, file) in scene.files_mut() {
        file.clear();
    }
    scene
}
