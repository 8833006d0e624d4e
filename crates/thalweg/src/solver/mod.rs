//! The seam between a method and everything around it: what a method must do, and the table of methods.
//!
//! Whoever adds a method writes its crate, an adapter beside those that are here which implements [`Solver`], and a line in
//! the table of `method.rs`. Scene files, checks, checkpoints, progress, reports and pictures know methods by that table
//! alone. A program that uses this library adds its own with [`register`].

mod method;
mod particles;
mod patch;
mod pipes;
mod relief;
mod sections;
mod seen;
mod still;
mod stream_power;
mod stroke;
mod succession;
mod wanted;
mod waves;

pub use method::{Method, method, methods, read_as, register, table};
pub use patch::{CellPatch, Patch};
pub use sections::{Section, Sections};
pub use seen::Seen;
pub use stroke::{Canvas, Layer, Stroke, Tool};
pub(crate) use succession::Succession;
pub use wanted::Wanted;

use crate::project::{Complaint, Scene, Time};
use crate::world::Ground;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;
use thalweg_field::{Grid2, Heightfield, Ledger, Points, Snapshot};
use thalweg_terrain::volume::Volume;

/// What a method runs: a scene, its ground before anything happened, and the memory it may use.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The scene, checked.
    pub scene: Arc<Scene>,
    /// The ground of the scene at full resolution.
    pub ground: Arc<Ground>,
    /// Memory that it may use `[bytes]`.
    pub max_bytes: u64,
}

impl Setup {
    /// The parameters of the method.
    pub fn params<P: DeserializeOwned>(&self) -> Result<P, Complaint> {
        self.scene.solver.first().params()
    }
}

/// A method at work on a scene.
pub trait Solver: Debug + Send {
    /// Lets the water find its place before the first step, if the scene asks for it; false if it is told not to go on.
    fn relax(&mut self, _: &mut GoOn) -> Result<bool, Complaint> {
        Ok(true)
    }

    /// How far it is, and how far it goes.
    fn clock(&self) -> Clock;

    /// Which of the methods that follow one another is at work, counted from 0.
    fn stage(&self) -> usize {
        0
    }

    /// Steps, at least one, that surely do not pass a time of the present pass `[s]` but with the last of them: where it
    /// might come, steps are taken one by one, so that it is met at the same step however the run was cut.
    fn steps_before(&self, pass_time: f64) -> u64;

    /// Takes so many steps, no more than [`Clock::most_steps`], each no longer than is stable; and moves on to the next
    /// pass when one is over.
    fn advance(&mut self, steps: u64) -> Result<(), StepError>;

    /// Goes on from where it is with a scene that differs in what can change while it runs. The complaint says why it
    /// cannot; nothing changes then.
    fn change(&mut self, setup: &Setup) -> Result<(), Complaint>;

    /// Paints ground or water, and tells what changed. The complaint says why it cannot; nothing changes then.
    fn paint(&mut self, stroke: &Stroke) -> Result<Patch, Complaint> {
        Err(cannot_paint(stroke.tool.layer()))
    }

    /// Lays down what was there before or after a stroke, and tells what changed.
    fn repaint(&mut self, _: &Patch) -> Result<Patch, Complaint> {
        Err(cannot_paint(Layer::Ground))
    }

    /// Takes over what other waters did to the ground `[m]`.
    fn shift_ground(&mut self, _: &Grid2<f32>) -> Result<(), Complaint> {
        let message = "solver: this water cannot share its ground with others".into();
        Err(Complaint { path: "solver".into(), message })
    }

    /// Depth of the water that it puts on the ground, for waters that float on it `[m]`; none if there is nothing to float on.
    fn water(&self) -> Option<Grid2<f32>> {
        None
    }

    /// Whether it floats on the water of others.
    fn floats(&self) -> bool {
        false
    }

    /// Takes over how deep the water of others is now `[m]`.
    fn float_on(&mut self, _: &Grid2<f32>) -> Result<(), Complaint> {
        Ok(())
    }

    /// Refuses numbers that have gone wild. Solvers look for them now and then; what is saved, shown or handed to the
    /// next pass must be free of them.
    fn check_finite(&self) -> Result<(), StepError> {
        Ok(())
    }

    /// The bed as it is now, with the cells of the present pass.
    fn ground(&self) -> Heightfield;

    /// The ground as it is now, where it is a volume.
    fn volume(&self) -> Option<&Volume> {
        None
    }

    /// The particles, if the method has any.
    fn points(&self) -> Option<Points> {
        None
    }

    /// What there is to show of what is wanted.
    fn snapshot(&self, wanted: &Wanted) -> Snapshot;

    /// Everything there is to see, with the cells of the terrain itself: a coarse pass as if it were refined now.
    fn scenery(&self) -> Snapshot {
        self.snapshot(&Wanted::all())
    }

    /// What there is at some places, east and north of the south-west corner.
    fn seen_at(&self, places: &[[f64; 2]]) -> Vec<Seen> {
        seen::in_snapshot(&self.snapshot(&seen::wanted()), places)
    }

    /// Where water and ground went.
    fn books(&self) -> Books;

    /// Particles that a run of so much time `[s]` will have; `None` for methods without any.
    fn particles_within(&self, _time: f64) -> Option<Crowd> {
        None
    }

    /// What whoever runs it should know and did not ask for: something goes on otherwise than the scene says.
    fn warning(&self) -> Option<String> {
        None
    }

    /// Puts everything that it needs to go on into named sections.
    fn save(&self, into: &mut Sections);

    /// Goes on from such sections; the text says why not. It is of no use then.
    fn load(&mut self, from: &Sections) -> Result<(), String>;
}

/// How far a solver is, and how far it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Steps taken by all passes.
    pub steps: u64,
    /// Simulated time of all passes `[s]`.
    pub time: f64,
    /// Simulated time of the present pass, which the scene's duration counts `[s]`.
    pub pass_time: f64,
    /// Shortest and longest time step so far `[s]`; both 0 before the first.
    pub dt: [f64; 2],
    /// How many cells or particles a step works on at present.
    pub items: usize,
    /// Which of the two.
    pub kind: &'static str,
    /// Steps of all passes together.
    pub planned: u64,
    /// Steps that can be taken in one go, before a sample, the end of a pass or the end of the duration.
    pub most_steps: u64,
    /// Whether all passes are over.
    pub is_over: bool,
    /// Share of the work of all passes that is done, from 0 to 1: a step costs as much as it has cells `[-]`.
    pub share: f64,
    /// Simulated time at which it ends, where the scene's duration ends it and the last pass has begun `[s]`.
    pub end_time: Option<f64>,
    /// Whether time steps on wider cells are longer in proportion.
    pub dt_grows_with_cells: bool,
}

impl Clock {
    /// The clock of a method without coarse passes, after `steps` steps and `elapsed` seconds; `stride` is how many
    /// steps it takes in one go. The caller fills in its items and time steps.
    pub fn of_one_pass(time: &Time, (steps, elapsed): (u64, f64), stride: u64) -> Self {
        let late = time.duration.is_some_and(|duration| elapsed >= duration);
        let is_over = late || steps >= time.steps;
        let by_steps = steps as f64 / time.steps.max(1) as f64;
        let by_time = time.duration.map_or(0.0, |duration| elapsed / duration);
        Self {
            steps,
            time: elapsed,
            pass_time: elapsed,
            dt: [0.0; 2],
            items: 0,
            kind: "cells",
            planned: time.steps,
            most_steps: (stride - steps % stride).min(time.steps.saturating_sub(steps)),
            is_over,
            share: if is_over { 1.0 } else { by_steps.max(by_time) },
            end_time: time.duration,
            dt_grows_with_cells: false,
        }
    }
}

/// Where water and ground went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Books {
    /// The books of all passes.
    pub ledger: Ledger,
    /// Density of the ledger's solids `[kg/m³]`.
    pub solid_density: f64,
    /// |ground that is missing| / |what water moved|, or of the whole bed where slopes slipped but water moved
    /// nothing `[-]`.
    pub solids_missing: f64,
    /// How many particles came and went, if the method has any.
    pub particles: Option<ParticleCounts>,
    /// Rock that nothing held and that fell, if there was any.
    pub crumbs: Option<Crumbs>,
    /// Where the energy of waves came from and went, if there are waves.
    pub waves: Option<WaveBooks>,
}

/// Where the energy of waves came from and went `[J]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WaveBooks {
    /// Sent out by bodies and paddles.
    pub sent: f64,
    /// In the waves now.
    pub present: f64,
    /// Lost to damping.
    pub damped: f64,
    /// Lost by breaking.
    pub broken: f64,
    /// Kept by walls.
    pub kept_by_walls: f64,
    /// In waves that became too low to be seen.
    pub faded: f64,
    /// In waves that left over open edges.
    pub left: f64,
    /// |what is missing| / |what was sent| `[-]`.
    pub missing: f64,
    /// Waves that were sent where there is no water.
    pub on_land: u64,
}

impl WaveBooks {
    fn new(books: &thalweg_waves::Books, on_land: u64) -> Self {
        let thalweg_waves::Books { sent, present, damped, broken, kept_by_walls, faded, left, .. } = *books;
        let missing = books.missing();
        Self { sent, present, damped, broken, kept_by_walls, faded, left, missing, on_land }
    }
}

/// Rock that nothing held any more and that fell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Crumbs {
    /// How many pieces.
    pub count: u64,
    /// Their rock `[m³]`.
    pub volume: f64,
}

/// How many particles there were, came, went, and are left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ParticleCounts {
    /// At the beginning.
    pub start: u64,
    /// Came from emitters, or were poured out by hand.
    pub added: u64,
    /// Left over the edges, into sinks, at the end of their lives, or were scooped out.
    pub removed: u64,
    /// There now.
    pub end: u64,
    /// Due from emitters, but there was no room for them.
    pub held_back: u64,
    /// Rounds in which their pressure was sought, by methods that seek it so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
}

/// Rounds in which the pressure of particles was sought, and steps in which it was not found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rounds {
    /// How many there were.
    pub taken: u64,
    /// How often a step was taken anew, half as long.
    pub steps_anew: u64,
    /// Steps that went on with more left compressed than the tolerance.
    pub steps_unfinished: u64,
    /// What was left at most, on average over the particles of a step `[-]`.
    pub worst: f64,
}

/// How many particles a run will have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crowd {
    /// At the beginning.
    pub start: u64,
    /// At most, if none leaves before its time is up.
    pub most: u64,
    /// On average over the run.
    pub mean: f64,
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

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// Its numbers have gone wild; the solver says how.
    #[error(transparent)]
    Wild(Box<dyn Error + Send + Sync>),
    /// A value of the scene does not fit the terrain of the next pass.
    #[error("{}", .0.message)]
    Invalid(Complaint),
}

impl StepError {
    /// Numbers that have gone wild.
    pub fn wild(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Wild(Box::new(error))
    }
}

/// The water takes no paint of that kind.
fn cannot_paint(layer: Layer) -> Complaint {
    let what = match layer {
        Layer::Ground => "ground",
        Layer::Water => "water",
        Layer::Softness => "hardness",
    };
    Complaint { path: "paint".into(), message: format!("the {what} of this method cannot be painted") }
}
