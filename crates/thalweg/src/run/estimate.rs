//! What running a scene will take, before it runs.

use super::pace::Pace;
use crate::project::{Complaint, Output, Scene};
use crate::session::Session;
use crate::solver::{Clock, Crowd};
use serde::Serialize;
use std::time::{Duration, Instant};
use thalweg_field::band;

/// What running a scene takes, roughly: memory within a few tenths, time within a factor of two or three.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Steps of all passes; fewer where simulated time ends the run.
    pub steps: u64,
    /// Simulated time of all passes `[s]`, with time steps as at the beginning.
    pub simulated_s: f64,
    /// Columns and rows of the terrain.
    pub cells: [usize; 2],
    /// Particles, of a method that has any.
    pub particles: Option<Particles>,
    /// Memory in use at the peak `[bytes]`.
    pub memory_bytes: u64,
    /// Time that the steps take on this machine, drawing and writing not counted `[s]`.
    pub wall_s: f64,
    /// Cells or particles times steps in each second that this is reckoned with `[1/s]`.
    pub rate: f64,
    /// On how many threads.
    pub threads: usize,
    /// Frames drawn during the run.
    pub frames: u64,
    /// Files in the output folder at the end `[bytes]`.
    pub disk_bytes: u64,
}

/// How many particles there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Particles {
    /// At the beginning.
    pub start: u64,
    /// At most, if none leaves before its time is up.
    pub most: u64,
}

/// Cells times steps that a trial takes, and particles times steps: a fifth of a second on a small machine. Counted, not
/// timed, so that the same scene is told the same time steps on every machine.
const CELL_STEPS: f64 = 16.0e6;
const PARTICLE_STEPS: f64 = 1.0e6;
/// Steps of a trial: at least one stride of the solvers, and no more than say something about the beginning.
const STEPS: std::ops::RangeInclusive<u64> = 8..=1024;
/// Fewest particles whose speed says something about many.
const ENOUGH: f64 = 5000.0;
/// What particles are reckoned with where too few are there to try: particles times steps in a second and thread `[1/s]`.
const PARTICLE_RATE: f64 = 2.5e6;
/// A cell in all maps of a run, as EXR and as PNG, compressed as they usually are `[bytes]`.
const MAPS_PER_CELL: u64 = 30;
/// A pixel of a picture, as PNG `[bytes]`.
const PNG_PER_PIXEL: u64 = 2;
/// A particle in a file `[bytes]`.
const FILE_PER_PARTICLE: u64 = 40;
/// A particle's part of the surface in a file `[bytes]`: about half a vertex and a triangle, as text in OBJ.
const MESH_PER_PARTICLE: u64 = 60;
/// A cell of virtual pipes, or a particle, in a checkpoint `[bytes]`.
const SAVED_PER_ITEM: u64 = 62;

/// How fast a solver was for a moment.
#[derive(Clone, Copy)]
struct Trial {
    /// Cells or particles times steps in a second `[1/s]`.
    rate: f64,
    /// The last time step `[s]`.
    dt: f64,
    /// Cells or particles, on average.
    items: f64,
}

impl Estimate {
    /// Looks at a scene that was just set up, and tries a few of its steps; the state is spent. The complaint says why
    /// it cannot be run at all.
    pub fn new(mut state: Session) -> Result<Self, Complaint> {
        let ground = &state.start().height;
        let (cells, scene) = ([ground.cols(), ground.rows()], state.scene().clone());
        let memory = state.memory();
        let mut estimate = Self {
            steps: 0,
            simulated_s: 0.0,
            cells,
            particles: None,
            memory_bytes: memory + scene.picture.memory(),
            wall_s: 0.0,
            rate: 0.0,
            threads: band::threads(),
            frames: 0,
            disk_bytes: 0,
        };
        let cell = state.start().frame.cell;
        let mut last = Trial { rate: 1.0, dt: 0.0, items: 0.0 };
        // Each method is tried on the ground of the beginning.
        for stage in (0..scene.stages()).map(|stage| scene.of_stage(stage)) {
            // Water finds its place in as many steps as the scene asks for, which may be more than anybody waits for.
            let mut plain = stage.clone();
            plain.solver.skip_relaxing();
            state = state.anew(plain.clone())?;
            if state.is_over() {
                continue;
            }
            let first = try_steps(&mut state);
            plain.time.coarse.clear();
            state = state.anew(plain)?;
            last = if stage.time.coarse.is_empty() { first } else { try_steps(&mut state) };
            estimate.add_passes(&stage, cell, [&first, &last]);
        }
        estimate.rate = last.rate;
        if let Some(crowd) = state.particles_within(estimate.simulated_s) {
            estimate.count_particles(crowd, scene.solver.relaxing(), &last);
        }
        let pace = Pace::of(&scene);
        estimate.frames = pace.map_or(0, |pace| pace.frames_in(estimate.steps, estimate.simulated_s));
        estimate.disk_bytes = estimate.disk(&scene);
        Ok(estimate)
    }

    /// Passes from coarse to fine; what was tried was tried on the coarsest and on the finest.
    fn add_passes(&mut self, scene: &Scene, cell: f64, [first, last]: [&Trial; 2]) {
        let whole = (self.cells[0] * self.cells[1]) as f64;
        for coarse in &scene.time.coarse {
            let factor = coarse.factor_on(cell) as f64;
            self.steps += coarse.steps;
            // Waves cross wider cells in longer steps.
            self.simulated_s += coarse.steps as f64 * (last.dt * factor).min(first.dt);
            self.wall_s += coarse.steps as f64 * whole / (factor * factor) / first.rate;
        }
        let steps = steps_within(scene, last.dt);
        self.steps += steps;
        self.simulated_s += steps as f64 * last.dt;
        self.wall_s += steps as f64 * whole / last.rate;
    }

    /// Particles are what steps work on, not cells.
    fn count_particles(&mut self, crowd: Crowd, relaxing: u64, trial: &Trial) {
        let Crowd { start, most, mean } = crowd;
        self.particles = Some(Particles { start, most });
        if trial.items < ENOUGH {
            self.rate = PARTICLE_RATE * self.threads as f64;
        }
        self.wall_s = (mean * self.steps as f64 + start as f64 * relaxing as f64) / self.rate;
    }

    /// Files in the output folder at the end `[bytes]`. A scene may ask for more than there are disks.
    fn disk(&self, scene: &Scene) -> u64 {
        let Output { checkpoint_every, last_state, maps, pictures, .. } = scene.output;
        let files_of = |every: u64| self.steps.checked_div(every).map_or(0, |files| files + 1).max(1);
        let cells = (self.cells[0] * self.cells[1]) as u64;
        let [width, height] = scene.picture.size.map(|side| side as u64);
        let drawn = self.frames + if pictures { 5 } else { 0 };
        let saves = u64::from(last_state) + u64::from((1..self.steps).contains(&checkpoint_every));
        let items = self.particles.map_or(cells, |particles| particles.most);
        let of_particles = |every: u64, formats: usize, bytes: u64| {
            let most = self.particles.map_or(0, |particles| particles.most);
            (files_of(every) * formats as u64).saturating_mul(most * bytes)
        };
        let output = &scene.output;
        [
            cells * if maps { MAPS_PER_CELL } else { 6 },
            drawn.saturating_mul(width * height * PNG_PER_PIXEL),
            saves * items * SAVED_PER_ITEM,
            of_particles(output.particles_every, output.particles.len(), FILE_PER_PARTICLE),
            of_particles(output.surface_every, output.surface.len(), MESH_PER_PARTICLE),
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }
}

/// Steps of the last pass, if its time steps stay as they are.
fn steps_within(scene: &Scene, dt: f64) -> u64 {
    let within = scene.time.duration.map_or(f64::INFINITY, |duration| (duration / dt).ceil());
    (scene.time.steps as f64).min(within) as u64
}

/// Takes a few steps of a pass.
fn try_steps(state: &mut Session) -> Trial {
    let Clock { items: count, kind, .. } = state.clock();
    let budget = if kind == "cells" { CELL_STEPS } else { PARTICLE_STEPS };
    let begun = state.steps_taken();
    let (mut spent, mut item_steps, mut dt) = (Duration::ZERO, 0.0, 0.0);
    // A pass that ends, and numbers that go wild, are for the run to tell.
    while !state.is_over() {
        let taken = state.steps_taken() - begun;
        // Particles may have yet to come.
        if taken >= *STEPS.end() || taken >= *STEPS.start() && item_steps >= budget {
            break;
        }
        let (before, clock) = (state.time(), Instant::now());
        let Ok(steps) = state.advance(*STEPS.start()) else { break };
        spent += clock.elapsed();
        let now = state.clock();
        item_steps += now.items as f64 * steps as f64;
        dt = (now.time - before) / steps as f64;
        if kind == "cells" && now.items != count {
            break;
        }
    }
    let steps = (state.steps_taken() - begun).max(1) as f64;
    Trial {
        rate: item_steps.max(1.0) / spent.as_secs_f64().max(1.0e-9),
        dt: f64::max(dt, f64::MIN_POSITIVE),
        items: item_steps / steps,
    }
}
