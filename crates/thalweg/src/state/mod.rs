//! Everything a run needs to go on.

mod pipes;
mod site;
mod sph;

pub use site::start_ground;

use crate::project::{
    CameraTable, Complaint, Difference, Method, Mistake, Output, PictureTable, Project, Scene,
};
use crate::stage::{PipesStage, SphStage, Stage, StepError, StepReport};
use pipes::PipesRun;
use serde::{Deserialize, Serialize};
use site::{Site, standing_water};
use sph::SphRun;
use std::path::{Path, PathBuf};
use thalweg_erosion::pipes::{Invalid, Ledger};
use thalweg_field::range::{NATURAL, all_within};
use thalweg_field::{Grid2, Heightfield, Points, Snapshot};
use thalweg_io::ReadError;
use thalweg_io::checkpoint::{Checkpoint, CheckpointError, Section};

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

/// How far the water has found its place before a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relaxing {
    /// Damped steps taken.
    pub step: u32,
    /// Damped steps to take.
    pub steps: u32,
}

/// Whoever is told how far the water has found its place, and whether to go on with it.
pub type GoOn<'a> = dyn FnMut(Relaxing) -> bool + 'a;

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

/// Why a run cannot go on after some steps.
#[derive(Debug, thiserror::Error)]
pub enum NoteError {
    /// Its numbers have gone wild.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A value of the scene does not fit the terrain of the next pass.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// The state of a run: saved in checkpoints, shown as snapshots.
#[derive(Debug)]
pub struct State {
    scene: Scene,
    /// Terrain and everything on it at full resolution, before anything happened.
    site: Site,
    pub(crate) method: Running,
    /// What was changed while it ran, and after which step.
    changes: Vec<Change>,
    /// Memory that it may use [bytes].
    max_bytes: u64,
    /// What was assumed or repaired while reading files.
    pub notices: Vec<String>,
}

/// The method that runs, and its state.
#[derive(Debug)]
pub(crate) enum Running {
    Pipes(Box<PipesRun>),
    Sph(Box<SphRun>),
}

/// A value that was changed while a scene ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Steps taken before.
    pub step: u64,
    /// What was set, as KEY=VALUE.
    pub set: String,
}

/// How many particles there were, came, went, and are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ParticleCounts {
    /// At the beginning.
    pub start: u64,
    /// Came from emitters.
    pub added: u64,
    /// Left over the edges, into sinks, or at the end of their lives.
    pub removed: u64,
    /// There now.
    pub end: u64,
}

/// What runs where.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    scene: &'a Scene,
    site: &'a Site,
    /// Memory that it may use [bytes].
    max_bytes: u64,
}

/// How a method's run goes on.
trait Course {
    /// Lets the water find its place before the first step; false if it is told not to go on.
    fn relax(&mut self, _: &mut GoOn) -> Result<bool, Complaint> {
        Ok(true)
    }
    fn steps_taken(&self) -> u64;
    fn time(&self) -> f64;
    fn pass_time(&self) -> f64;
    fn dt(&self) -> [f64; 2];
    fn items(&self) -> (usize, &'static str);
    fn steps_planned(&self, scene: &Scene) -> u64;
    fn steps_to_next_look(&self, scene: &Scene) -> u64;
    fn steps_before(&self, pass_time: f64) -> u64;
    fn is_over(&self, scene: &Scene) -> bool;
    fn share(&self, plan: Plan) -> f64;
    fn end_time(&self, scene: &Scene) -> Option<f64>;
    fn note(&mut self, plan: Plan, report: &StepReport) -> Result<(), NoteError>;
    fn check_finite(&self) -> Result<(), StepError>;
    fn ground(&self) -> Heightfield;
    fn points(&self) -> Option<Points>;
    fn ledger(&self) -> Ledger;
    fn solid_density(&self) -> f64;
    fn solids_missing(&self) -> f64;
    fn snapshot(&mut self, plan: Plan) -> Snapshot;
    /// The snapshot itself, for methods that know one size of cells only.
    fn scenery(&mut self, plan: Plan) -> Snapshot {
        self.snapshot(plan)
    }
    fn save(&self, folder: &Path, header: serde_json::Value) -> Result<PathBuf, CheckpointError>;
}

impl Running {
    /// Begins the run of a scene.
    fn new(plan: Plan) -> Result<Self, Complaint> {
        Ok(match &plan.scene.solver.method {
            Method::Pipes(params) => Self::Pipes(Box::new(PipesRun::new(plan, params)?)),
            Method::Sph(params) => {
                SphRun::admit(plan, params)?;
                Self::Sph(Box::new(SphRun::new(plan, params)?))
            }
        })
    }

    fn course(&self) -> &dyn Course {
        match self {
            Self::Pipes(run) => &**run,
            Self::Sph(run) => &**run,
        }
    }

    fn course_mut(&mut self) -> &mut dyn Course {
        match self {
            Self::Pipes(run) => &mut **run,
            Self::Sph(run) => &mut **run,
        }
    }
}

impl State {
    /// Builds the terrain of a project and puts its water over it, using at most `max_bytes` of memory.
    pub fn new(project: &Project, max_bytes: u64) -> Result<Self, SetupError> {
        let scene = project.scene.clone();
        let mut notices = Vec::new();
        let site = Site::new(project, max_bytes, &mut notices)?;
        let (cols, rows) = (site.ground.height.cols(), site.ground.height.rows());
        let mut complaints = scene.check_places(site.ground.extent());
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
        let plan = Plan { scene: &scene, site: &site, max_bytes };
        let method = Running::new(plan).map_err(|invalid| SetupError::invalid(project, invalid))?;
        Ok(Self { scene, site, method, changes: Vec::new(), max_bytes, notices })
    }

    /// Lets the water find its place before the first step, if the scene asks for it; `go_on` is asked before each damped
    /// step. False if some are left: the first step takes them.
    pub fn relax(&mut self, go_on: &mut GoOn) -> Result<bool, Complaint> {
        self.method.course_mut().relax(go_on)
    }

    /// Goes back to the beginning, with the settings it has now, and lets the water find its place as [`Self::relax`] does.
    /// False if it was stopped on the way; the complaint says why it cannot. Nothing changes then.
    pub fn reset(&mut self, go_on: &mut GoOn) -> Result<bool, Complaint> {
        let plan = Plan { scene: &self.scene, site: &self.site, max_bytes: self.max_bytes };
        let mut method = Running::new(plan)?;
        if !method.course_mut().relax(go_on)? {
            return Ok(false);
        }
        self.method = method;
        self.changes.clear();
        Ok(true)
    }

    /// Goes back to the beginning, on the terrain itself without passes over a coarser one before.
    pub(crate) fn skip_coarse(&mut self) -> Result<(), Complaint> {
        self.scene.time.coarse.clear();
        self.reset(&mut |_| true).map(drop)
    }

    /// Goes back to the beginning, and the water does not find its place before the first step.
    pub(crate) fn skip_relaxing(&mut self) -> Result<(), Complaint> {
        if let Method::Sph(params) = &mut self.scene.solver.method {
            params.fluid.relax = 0;
            self.reset(&mut |_| true)?;
        }
        Ok(())
    }

    /// Memory that running it takes, pictures not counted [bytes].
    pub fn memory(&self) -> u64 {
        let (cols, rows) = (self.site.ground.height.cols(), self.site.ground.height.rows());
        match &self.scene.solver.method {
            Method::Pipes(params) => site::memory(cols, rows, params),
            // It was asked before anything was set up.
            Method::Sph(params) => SphRun::memory(
                Plan { scene: &self.scene, site: &self.site, max_bytes: self.max_bytes },
                params,
            )
            .unwrap_or(u64::MAX),
        }
    }

    /// Where its particles come from.
    pub(crate) fn emitters(&self) -> Vec<thalweg_sph::Emitter> {
        sph::emitters(&self.scene, &self.site.ground)
    }

    /// The terrain before anything happened, at full resolution.
    pub fn start(&self) -> &Heightfield {
        &self.site.ground
    }

    /// Depth of the water on it then [m].
    pub fn start_water(&self) -> Grid2<f32> {
        standing_water(&self.scene, &self.site.ground)
    }

    /// The scene it runs.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What was changed while it ran.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The stage that advances it.
    pub fn stage(&self) -> &'static dyn Stage {
        match self.method {
            Running::Pipes(_) => &PipesStage,
            Running::Sph(_) => &SphStage,
        }
    }

    /// Steps taken by all passes.
    pub fn steps_taken(&self) -> u64 {
        self.method.course().steps_taken()
    }

    /// Simulated time of all passes [s].
    pub fn time(&self) -> f64 {
        self.method.course().time()
    }

    /// Simulated time of the present pass, which the scene's duration counts [s].
    pub fn pass_time(&self) -> f64 {
        self.method.course().pass_time()
    }

    /// Shortest and longest time step so far [s]; both 0 before the first.
    pub fn dt_range(&self) -> [f64; 2] {
        if self.steps_taken() > 0 { self.method.course().dt() } else { [0.0; 2] }
    }

    /// Steps of all passes together.
    pub fn steps_planned(&self) -> u64 {
        self.method.course().steps_planned(&self.scene)
    }

    /// How many cells or particles a step works on at present, and which of the two.
    pub fn items(&self) -> (usize, &'static str) {
        self.method.course().items()
    }

    /// Steps until something has to be looked at: a sample, the end of a pass, the end of the duration.
    pub fn steps_to_next_look(&self) -> u64 {
        self.method.course().steps_to_next_look(&self.scene)
    }

    /// Steps, at least one, that surely do not pass a time of the present pass [s] but with the last of them: where it
    /// might come, steps are taken one by one, so that it is met at the same step however the run was cut.
    pub fn steps_before(&self, pass_time: f64) -> u64 {
        self.method.course().steps_before(pass_time)
    }

    /// Whether all passes are over.
    pub fn is_over(&self) -> bool {
        self.method.course().is_over(&self.scene)
    }

    /// Share of the work of all passes that is done, from 0 to 1: a step costs as much as it has cells [-].
    pub fn share(&self) -> f64 {
        self.method.course().share(Plan { scene: &self.scene, site: &self.site, max_bytes: self.max_bytes })
    }

    /// Simulated time at which it ends, where the scene's duration ends it and the last pass has begun [s].
    pub fn end_time(&self) -> Option<f64> {
        self.method.course().end_time(&self.scene)
    }

    /// Notes steps that a stage has taken, and moves on to the next pass when one is over.
    pub fn note(&mut self, report: &StepReport) -> Result<(), NoteError> {
        self.method
            .course_mut()
            .note(Plan { scene: &self.scene, site: &self.site, max_bytes: self.max_bytes }, report)
    }

    /// Refuses numbers that have gone wild. The solver looks for them now and then; what is saved, shown or handed to
    /// the next pass must be free of them.
    pub fn check_finite(&self) -> Result<(), StepError> {
        self.method.course().check_finite()
    }

    /// The bed as it is now, with the cells of the present pass.
    pub fn ground(&self) -> Heightfield {
        self.method.course().ground()
    }

    /// The particles, if the method has any.
    pub fn points(&self) -> Option<Points> {
        self.method.course().points()
    }

    /// How many particles came and went, if the method has any.
    pub fn particle_counts(&self) -> Option<ParticleCounts> {
        match &self.method {
            Running::Pipes(_) => None,
            Running::Sph(run) => Some(run.counts()),
        }
    }

    /// The books of all passes.
    pub fn ledger(&self) -> Ledger {
        self.method.course().ledger()
    }

    /// Density of the ledger's solids [kg/m³].
    pub fn solid_density(&self) -> f64 {
        self.method.course().solid_density()
    }

    /// |ground that is missing| / |what water moved|, or of the whole bed where slopes slipped but water moved
    /// nothing [-].
    pub fn solids_missing(&self) -> f64 {
        self.method.course().solids_missing()
    }

    /// Everything there is to show.
    pub fn snapshot(&mut self) -> Snapshot {
        self.method.course_mut().snapshot(Plan {
            scene: &self.scene,
            site: &self.site,
            max_bytes: self.max_bytes,
        })
    }

    /// Everything there is to see, with the cells of the terrain itself: a coarse pass as if it were refined now. From
    /// the last step of a pass to the first of the next, nothing that is seen jumps.
    pub fn scenery(&mut self) -> Snapshot {
        self.method.course_mut().scenery(Plan {
            scene: &self.scene,
            site: &self.site,
            max_bytes: self.max_bytes,
        })
    }

    /// Takes over a scene that differs in what can change while it runs: parameters of the method, emitters, how long
    /// it runs, and what it writes beside pictures. `set` is told with the run. The text says why not; nothing
    /// changes then.
    pub fn change(&mut self, scene: Scene, set: &str) -> Result<(), String> {
        let mut able = self.scene.clone();
        (able.time.steps, able.time.duration) = (scene.time.steps, scene.time.duration);
        (able.emitters, able.solver.method) = (scene.emitters.clone(), scene.solver.method.clone());
        let Output { frames_every, video, pictures, .. } = able.output;
        able.output = Output { frames_every, video, pictures, ..scene.output.clone() };
        if let Some(Difference { path, .. }) = Difference::first(&able, &scene) {
            return Err(format!("{path} cannot change while the scene runs; start it anew with --set {set}"));
        }
        if (&self.scene.solver, &self.scene.emitters) != (&scene.solver, &scene.emitters) {
            let plan = Plan { scene: &scene, site: &self.site, max_bytes: self.max_bytes };
            let changed = match (&mut self.method, &scene.solver.method) {
                (Running::Pipes(run), Method::Pipes(params)) => run.change(plan, params),
                (Running::Sph(run), Method::Sph(params)) => {
                    SphRun::admit(plan, params).and_then(|()| run.change(plan, params))
                }
                _ => Err(does_not_fit()),
            };
            changed.map_err(|complaint| complaint.message)?;
        }
        self.changes.push(Change { step: self.steps_taken(), set: set.into() });
        self.scene = scene;
        Ok(())
    }

    /// Writes the state as a checkpoint into `folder`; `name` is the scene's.
    pub fn save(&self, folder: &Path, name: &str) -> Result<PathBuf, CheckpointError> {
        let header = serde_json::json!({
            "thalweg": env!("CARGO_PKG_VERSION"),
            "scene": name,
            "text": toml::to_string(&self.scene).unwrap_or_default(),
            "site": self.site.fingerprint(),
            "step": self.steps_taken(),
            "time": self.time(),
            "changes": self.changes,
        });
        self.method.course().save(folder, header)
    }

    /// Goes back to a checkpoint of the same scene; the text says why not. Nothing changes then.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), String> {
        let header = &checkpoint.header;
        let saved: Scene = header["text"]
            .as_str()
            .and_then(|text| toml::from_str(text).ok())
            .ok_or("its header holds no scene of this version")?;
        if let Some(difference) = Difference::first(&essence(&saved), &essence(&self.scene)) {
            let Difference { path, left, right } = difference;
            // Fewer steps are shared out among the passes; only the number of all of them tells how.
            let passes = if path.starts_with("time.coarse") { " (--steps N keeps its passes)" } else { "" };
            return Err(format!(
                "it belongs to a run with another scene or other settings: {path} was {left}, and is {right} here; \
                 run without --resume, or with the settings it had{passes}"
            ));
        }
        if header["site"].as_str() != Some(&self.site.fingerprint()) {
            return Err("it belongs to a run on another terrain: a file that the scene reads has changed since; run without --resume, or put the file back".into());
        }
        let plan = Plan { scene: &self.scene, site: &self.site, max_bytes: self.max_bytes };
        let changes = serde_json::from_value(header["changes"].clone())
            .map_err(|error| format!("its header tells no changes of the scene: {error}"))?;
        let method = match &self.scene.solver.method {
            Method::Pipes(params) => Running::Pipes(Box::new(PipesRun::restored(plan, params, checkpoint)?)),
            Method::Sph(params) => Running::Sph(Box::new(SphRun::restored(plan, params, checkpoint)?)),
        };
        let (step, told) = (method.course().steps_taken(), &header["step"]);
        if told.as_u64() != Some(step) {
            return Err(format!("its header tells step {told}, and its state is at step {step}"));
        }
        self.method = method;
        self.changes = changes;
        Ok(())
    }
}

/// The state of a run cannot be taken over by other parameters.
fn does_not_fit() -> Complaint {
    let message = "the water that flows does not fit it; start the scene anew with it".into();
    Complaint { path: "solver".into(), message }
}

/// A checkpoint's numbers by name; the texts say which is missing.
struct Parts<'a>(&'a Checkpoint);

impl Parts<'_> {
    fn number(&self, key: &str) -> Result<u64, String> {
        self.0.header[key].as_u64().ok_or_else(|| format!("its header lacks \"{key}\""))
    }

    fn doubles(&self, name: &str) -> Result<Vec<f64>, String> {
        match self.0.section(name) {
            Some(Section::F64(values)) => Ok(values.clone()),
            _ => Err(lacks(name)),
        }
    }

    fn floats(&self, name: &str) -> Result<Vec<f32>, String> {
        match self.0.section(name) {
            Some(Section::F32(values)) => Ok(values.clone()),
            _ => Err(lacks(name)),
        }
    }

    fn bytes(&self, name: &str) -> Result<&[u8], String> {
        match self.0.section(name) {
            Some(Section::Bytes(values)) => Ok(values),
            _ => Err(lacks(name)),
        }
    }

    /// The shortest and the longest time step so far [s]; before the first there is none.
    fn time_steps(&self, clock: &[f64]) -> Result<[f64; 2], String> {
        let none = [f64::INFINITY, 0.0];
        let steps: [f64; 2] = clock.try_into().map_err(|_| lacks("clock"))?;
        if steps != none {
            all_within("its shortest or longest time step,", &steps, &NATURAL)?;
        }
        Ok(steps)
    }

    /// The words for a checkpoint beyond the end of the run.
    fn too_far(&self, steps: u64) -> Result<String, String> {
        let step = self.number("step")?;
        Ok(format!(
            "it is at step {step} already, beyond the {steps} steps asked for; ask for more, or run without --resume"
        ))
    }
}

fn lacks(section: &str) -> String {
    format!("its section \"{section}\" is missing")
}

/// What makes a run: a longer one may go on from a shorter one, one that went wild with a shorter time step, outputs
/// may differ, and files may be called differently (their content is compared by itself).
fn essence(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.title.clear();
    scene.output = Output::default();
    (scene.camera, scene.picture) = (CameraTable::default(), PictureTable::default());
    (scene.time.steps, scene.time.duration) = (0, None);
    match &mut scene.solver.method {
        Method::Pipes(params) => (params.dt, params.safety, params.max_dt) = (None, 0.0, 0.0),
        Method::Sph(params) => {
            let fluid = &mut params.fluid;
            (fluid.dt, fluid.safety, fluid.max_dt) = (None, 0.0, 0.0);
        }
    }
    for (_, file) in scene.files_mut() {
        file.clear();
    }
    scene
}
