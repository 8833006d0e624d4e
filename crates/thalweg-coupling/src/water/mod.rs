//! Water of particles on a bed: one step of everything.

mod books;
mod columns;
mod count;
mod edit;
mod emitters;
mod fixtures;
mod obstacles;
mod room;
mod saved;
mod show;
mod start;

pub(crate) use columns::{Columns, GIVING, KEPT, top_of};
pub use edit::Exchanged;
pub use saved::Saved;

use crate::boundary::UPDATE_EVERY;
use crate::ground::{AnyGround, Ground, on_ground};
use crate::heightfield::{Bed, HeightGround};
use crate::params::Params;
use crate::sediment::{self, Sediment};
use crate::setting::{Setting, Sink, Terrain};
use crate::solid::Body;
use crate::volume::VolumeGround;
use books::Accounts;
use emitters::GoneEmitter;
use fixtures::bodies;
use obstacles::{Held, Obstacles};
use room::check_spread;
use start::{Beginning, check_mouths, initial_particles, particle_volume, running_emitters};
use thalweg_field::{Edge, Heightfield, Invalid, TimeSteps, band, require};
use thalweg_sph::{Extremes, Fluid, FluidError, Particle, Removed, RunningEmitter};
use thalweg_terrain::volume::Volume;

/// How far above the bed particles are born, at least, in spacings `[-]`: a little less than at rest.
const BORN_ABOVE: f64 = 0.4;
/// Cells wider than so many spacings are to blame where the bed needs too many boundary particles `[-]`.
const WIDE_CELL: f64 = 64.0;
/// Why water of particles cannot go on.
pub type StepError = FluidError;

/// Water of particles on a bed.
#[derive(Debug)]
pub struct ParticleWater {
    params: Params,
    fluid: Fluid,
    ground: AnyGround,
    sediment: Sediment,
    emitters: Vec<RunningEmitter>,
    /// Emitters that were taken away, or moved: one that comes back goes on.
    gone: Vec<GoneEmitter>,
    sinks: Vec<Sink>,
    /// Bodies that water cannot enter.
    bodies: Vec<Body>,
    edges: [Edge; 4],
    /// Particles that an emitter lets go.
    born: Vec<Particle>,
    accounts: Accounts,
    /// Volume of a particle at rest `[m³]`; kept, since to find it takes a sum over a lattice.
    volume: f64,
    /// Time since sediment was last exchanged `[s]`.
    waiting: f64,
    /// Damped steps taken before time began.
    relaxed: u32,
    /// Whether somebody painted since the last step: the boundary is looked after at once then.
    painted: bool,
    /// Whether fixtures were put since the last step: the boundary is weighed anew then.
    fixed: bool,
    /// Particles that emitters did not let go because there was no room.
    held_back: f64,
    beginning: Beginning,
}

impl ParticleWater {
    /// Puts water on the ground. It finds its place before the first step; see [`Self::relax`].
    pub fn new<'a>(
        terrain: impl Into<Terrain<'a>>,
        params: &Params,
        setting: &Setting,
    ) -> Result<Self, Invalid> {
        params.validated()?;
        check_edges(setting)?;
        let mut ground = ground_of(terrain.into(), params, setting)?;
        check_joined(&ground, params, setting)?;
        let volume = particle_volume(params);
        let emitters = running_emitters(&setting.emitters, params, volume)?;
        check_mouths(&ground, &setting.emitters)?;
        let bodies = bodies(&setting.solids, params)?;
        let particles = initial_particles(&ground, params, setting, (&emitters, &bodies))?;
        let beginning = Beginning::of(&particles, params);
        let capacity = beginning.capacity(&emitters, params);
        let speed = beginning.expected_speed(&emitters, params);
        let mut fluid = Fluid::new(&params.fluid, speed, capacity, params.erosion.enabled)?;
        let (weight, heavier) = (params.fluid.density * params.fluid.gravity, sediment::surplus(params));
        for (depth, particle) in &particles {
            let Particle { position, velocity, expires, cargo, .. } = *particle;
            let pressure = weight * depth * (1.0 + heavier * cargo);
            fluid.add_under(pressure, position, velocity, expires, cargo);
        }
        if let Some(friction) = params.bed.friction {
            fluid.set_wall_viscosity(friction);
        }
        fluid.set_surplus(heavier);
        sediment::thicken(&mut fluid, params);
        fluid.join_sides(joined_sides(&ground, params));
        fluid.set_boundary_factors(params.boundary_factors());
        ground.set_room(room::boundary_room(&ground, params, setting, capacity));
        check_spread(&ground, params, setting)?;
        let accounts = Accounts {
            water_start: particles.len() as f64 * volume,
            grains_start: particles.iter().map(|(_, p)| p.cargo).sum::<f64>() * volume,
            ..Accounts::default()
        };
        let mut water = Self {
            params: params.clone(),
            born: Vec::new(),
            fluid,
            ground,
            sediment: Sediment::default(),
            emitters,
            gone: Vec::new(),
            sinks: setting.sinks.clone(),
            bodies,
            edges: setting.edges.sides(),
            beginning,
            accounts,
            volume,
            waiting: 0.0,
            relaxed: 0,
            painted: false,
            fixed: false,
            held_back: 0.0,
        };
        water.check_fixtures(&water.emitters)?;
        water.put_fixtures();
        water.put_bodies()?;
        water.check_start()?;
        Ok(water)
    }

    /// Bytes for each particle of fluid or boundary.
    pub const fn bytes_per_particle(erosion: bool) -> u64 {
        Fluid::bytes_per_particle(erosion) + if erosion { Sediment::BYTES } else { 0 }
    }

    /// Refuses ground that needs more boundary particles around the water than there is room for.
    fn check_start(&mut self) -> Result<(), Invalid> {
        let reach = self.boundary_reach();
        self.ground.check_start(&self.fluid, reach).map_err(|error| {
            let (spacing, cell) = (self.params.fluid.spacing, self.ground.cell());
            let wide = cell > WIDE_CELL * spacing;
            let (key, value) = if wide { ("terrain.cell", cell) } else { ("fluid.spacing", spacing) };
            let remedy = format!("with particles {spacing} m apart on cells of {cell} m, {error}");
            Invalid { key: key.into(), value: value.to_string(), remedy }
        })
    }

    /// Lets particles find their places before time begins, in as many damped steps as the parameters say. `go_on` is told
    /// how many are taken before each, and says whether to take it. False if some are left: they are taken before the first
    /// step.
    pub fn relax(&mut self, go_on: &mut dyn FnMut(u32) -> bool) -> Result<bool, StepError> {
        while self.relaxed < self.params.fluid.relax {
            if !go_on(self.relaxed) {
                return Ok(false);
            }
            let dt = 0.5 * self.fluid.choose_dt(f64::INFINITY);
            self.prepare(u64::from(self.relaxed), self.boundary_reach())?;
            on_ground!(&self.ground, ground => {
                let obstacles = Obstacles::of(&**ground, &self.params, self.edges, &self.sinks)
                    .with_bodies(&self.bodies, 0.0);
                self.fluid.relax(&obstacles, dt)
            })?;
            self.ground.slow(&mut self.fluid, dt);
            self.relaxed += 1;
        }
        Ok(true)
    }

    /// Takes some steps.
    pub fn advance(&mut self, steps: u64) -> Result<TimeSteps, StepError> {
        self.advance_watched(steps, &mut |_| ())
    }

    /// Takes some steps, and tells the name of every stage as soon as it is done; for whoever has a clock.
    pub fn advance_watched(
        &mut self,
        steps: u64,
        done: &mut (dyn FnMut(&'static str) + Send),
    ) -> Result<TimeSteps, StepError> {
        self.relax(&mut |_| true)?;
        if self.params.erosion.still {
            return self.advance_still(steps);
        }
        band::enter(|| {
            let mut taken = TimeSteps::NONE;
            for _ in 0..steps {
                taken.add(TimeSteps::one(self.step(done)?));
            }
            Ok(taken)
        })
    }

    /// Takes some steps in which sediment moves and water stands still: settling and diffusion alone. Sound and flow do
    /// not limit such a step, only the sediment and `max_dt` do.
    pub fn advance_still(&mut self, steps: u64) -> Result<TimeSteps, StepError> {
        let fluid = &self.params.fluid;
        let dt = fluid.dt.unwrap_or(sediment::max_dt(&self.params).min(fluid.max_dt));
        for _ in 0..steps {
            self.prepare(self.fluid.steps_taken(), self.params.fluid.smoothing_radius())?;
            self.exchange_sediment(dt);
            self.fluid.accelerate_and_move(&Held, dt)?;
            self.reshape_bed(dt);
        }
        Ok(TimeSteps::one(dt))
    }

    /// One step, in the order of Kataev 2022, fig. 4.1. Returns how long it was `[s]`.
    fn step(&mut self, done: &mut (dyn FnMut(&'static str) + Send)) -> Result<f64, StepError> {
        let dt = self.fluid.choose_dt(self.sediment_limit());
        self.emit(dt);
        self.move_bodies();
        let changed = self.update_boundary(self.steps_taken(), self.boundary_reach())?;
        done("boundary");
        self.sort(changed)?;
        done("sort");
        self.fluid.compute_density();
        self.press_driven();
        done("density");
        self.waiting += dt;
        let due = self.params.erosion.enabled
            && self.steps_taken().is_multiple_of(u64::from(self.params.erosion.every));
        let waited = if due { std::mem::take(&mut self.waiting) } else { 0.0 };
        if due {
            self.exchange_sediment(waited);
            done("sediment");
        }
        let taken = self.move_water(dt)?;
        self.give_back(dt - taken);
        done("forces");
        if due {
            self.reshape_bed(waited);
            done("bed");
        }
        Ok(taken)
    }

    /// Takes back what was to happen in the rest of a step that turned out to be shorter `[s]`.
    fn give_back(&mut self, rest: f64) {
        let began = self.fluid.time() - self.fluid.last_dt();
        for emitter in self.emitters.iter_mut().filter(|emitter| emitter.runs(began)) {
            emitter.go_back(rest);
        }
        self.waiting = (self.waiting - rest).max(0.0);
    }

    /// Longest step for the sediment `[s]`; a step that parameters fix is theirs.
    fn sediment_limit(&self) -> f64 {
        if self.params.fluid.dt.is_some() {
            f64::INFINITY
        } else {
            sediment::max_dt(&self.params) / f64::from(self.params.erosion.every)
        }
    }

    /// New particles.
    fn emit(&mut self, dt: f64) {
        let most = self.params.fluid.max_particles as usize;
        let time = self.fluid.time();
        let clear = (BORN_ABOVE * self.params.fluid.spacing) as f32;
        let mut born = std::mem::take(&mut self.born);
        for emitter in self.emitters.iter_mut().filter(|emitter| emitter.runs(time)) {
            let room = most.saturating_sub(self.fluid.len());
            let solid = |at: [f32; 3]| self.bodies.iter().any(|body| body.holds(at.map(f64::from), time));
            let above = |at: [f32; 3]| self.ground.clearance(at) > clear && !solid(at);
            born.clear();
            self.held_back += emitter.emit([time, dt], room, above, |particle| born.push(particle));
            for particle in &born {
                self.fluid.add_again(particle);
            }
            let volume = born.len() as f64 * self.volume;
            self.accounts.water_added += volume;
            self.accounts.grains_added += volume * emitter.description().sediment;
        }
        self.born = born;
    }

    /// Presses the water that emitters drive as that which they drive it into.
    fn press_driven(&mut self) {
        let (time, growth) = (self.fluid.time(), f64::from(self.fluid.constants().growth()));
        for emitter in self.emitters.iter_mut().filter(|emitter| emitter.runs(time)) {
            emitter.press(self.fluid.sorted(), &self.fluid.particles().compression, growth);
            self.fluid.prescribe(emitter.driven());
        }
    }

    /// Boundary particles where water is or may come within `reach` `[m]`; whether some are new or gone.
    fn update_boundary(&mut self, step: u64, reach: f64) -> Result<bool, StepError> {
        let due = std::mem::take(&mut self.painted) || step.is_multiple_of(UPDATE_EVERY);
        let moved = due && self.ground.update_boundary(&mut self.fluid, reach)? > 0;
        Ok(std::mem::take(&mut self.fixed) || moved)
    }

    /// Sorts particles and drops those that are gone; with new boundary particles, weighs them. Looks at the flow along the bed.
    fn sort(&mut self, changed: bool) -> Result<(), StepError> {
        let Removed { count, cargo } = self.fluid.sort()?;
        let volume = self.volume;
        self.accounts.water_gone += count as f64 * volume;
        self.accounts.grains_gone += cargo * volume;
        if changed {
            self.fluid.weigh_boundary();
        }
        self.ground.measure(&self.fluid);
        Ok(())
    }

    /// All that comes before anything moves.
    fn prepare(&mut self, step: u64, reach: f64) -> Result<(), StepError> {
        let changed = self.update_boundary(step, reach)?;
        self.sort(changed)?;
        self.fluid.compute_density();
        Ok(())
    }

    /// How far from water boundary particles are needed until the next update `[m]`.
    fn boundary_reach(&self) -> f64 {
        let Extremes { speed, .. } = self.fluid.extremes();
        let h = self.params.fluid.smoothing_radius();
        let gravity = self.params.fluid.gravity;
        let time = UPDATE_EVERY as f64 * self.fluid.last_dt().max(self.params.fluid.dt.unwrap_or(0.0));
        h + (f64::from(speed) + gravity * time) * time
    }

    /// Forces, and the move of every particle; the bed slows those that are near. Returns how long the step was in the end `[s]`.
    fn move_water(&mut self, dt: f64) -> Result<f64, StepError> {
        let time = self.fluid.time();
        on_ground!(&self.ground, ground => {
            let obstacles = Obstacles::of(&**ground, &self.params, self.edges, &self.sinks)
                .with_bodies(&self.bodies, time)
                .with_emitters(&self.emitters);
            self.fluid.accelerate_and_move(&obstacles, dt)
        })?;
        let taken = self.fluid.last_dt();
        self.ground.slow(&mut self.fluid, taken);
        Ok(taken)
    }

    /// Erosion, transport, deposition; the ground notes what it gains.
    fn exchange_sediment(&mut self, dt: f64) {
        on_ground!(&mut self.ground, ground => {
            self.sediment.exchange(&mut self.fluid, &**ground, &self.params, dt);
            for (spot, gain) in self.sediment.settled(&self.fluid, &self.params) {
                ground.gain(spot, gain);
                self.accounts.eroded += (-gain).max(0.0);
            }
        });
    }

    /// Lets the ground follow what it gained and lost in the time `dt` `[s]`.
    fn reshape_bed(&mut self, dt: f64) {
        self.ground.reshape(&mut self.fluid, &self.params, dt);
    }

    /// The longest stable time step at present `[s]`.
    pub fn max_dt(&self) -> f64 {
        self.fluid.max_dt().min(self.sediment_limit())
    }

    /// Simulated time `[s]`.
    pub fn time(&self) -> f64 {
        self.fluid.time()
    }

    /// Steps taken.
    pub fn steps_taken(&self) -> u64 {
        self.fluid.steps_taken()
    }

    /// Its parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The fluid.
    pub fn fluid(&self) -> &Fluid {
        &self.fluid
    }

    /// The bed of triangles over a heightfield.
    ///
    /// # Panics
    /// Where the ground is a volume.
    pub fn bed(&self) -> &Bed {
        let AnyGround::Heights(ground) = &self.ground else { panic!("the ground is a volume") };
        ground.bed()
    }

    /// The rock, where the ground is a volume.
    pub fn volume(&self) -> Option<&Volume> {
        let AnyGround::Volume(ground) = &self.ground else { return None };
        Some(ground.volume())
    }

    /// The terrain as it is now; of a volume its uppermost surface.
    pub fn ground(&self) -> Heightfield {
        self.ground.height_map()
    }

    /// Particles of the fluid.
    pub fn particle_count(&self) -> usize {
        self.fluid.len()
    }

    /// Particles of the fluid that are in the ground.
    pub fn buried(&self) -> usize {
        let particles = self.fluid.particles();
        let place = |i: usize| particles.get(i).position.map(f64::from);
        let water = (0..particles.len()).filter(|&i| !particles.is_boundary(i));
        water.filter(|&i| self.ground.holds(place(i))).count()
    }

    /// Particles that emitters did not let go, on average, because there were `max_particles` already.
    pub fn held_back(&self) -> f64 {
        self.held_back
    }

    /// Density of the grains `[kg/m³]`.
    pub fn solid_density(&self) -> f64 {
        self.params.erosion.sediment_density
    }
}

/// The ground of a terrain, unless it is none for particles of this size.
fn ground_of(terrain: Terrain, params: &Params, setting: &Setting) -> Result<AnyGround, Invalid> {
    check_terrain(terrain, params)?;
    Ok(match terrain {
        Terrain::Heights(heights) => {
            AnyGround::Heights(Box::new(HeightGround::new(heights, params, setting)))
        }
        Terrain::Volume(volume) => AnyGround::Volume(Box::new(VolumeGround::new(volume, params, setting)?)),
    })
}

/// Refuses reservoirs: particles cannot keep a level.
fn check_edges(setting: &Setting) -> Result<(), Invalid> {
    let kept = |edge: &&Edge| matches!(edge, Edge::Level(_));
    let sides = setting.edges.sides();
    let level = sides.iter().find(kept);
    let remedy = "particles cannot keep a reservoir level; it is closed or open";
    require(level.is_none(), "edges", format!("{level:?}"), remedy)
}

/// Lowest and highest coordinates of the edges that are joined `[m]`.
fn joined_sides(ground: &impl Ground, params: &Params) -> [Option<[f32; 2]>; 2] {
    let (joined, extent) = (params.periodic.joined(), ground.extent());
    std::array::from_fn(|axis| joined[axis].then_some(extent[axis]))
}

/// Refuses to join edges that are open, or so close that water would feel itself.
fn check_joined(ground: &impl Ground, params: &Params, setting: &Setting) -> Result<(), Invalid> {
    let least = 2.0 * params.fluid.smoothing_radius();
    let [north, east, south, west] = setting.edges.sides();
    let edges = [[west, east], [south, north]];
    for (axis, sides) in joined_sides(ground, params).into_iter().enumerate() {
        let Some([low, high]) = sides else { continue };
        let name = ["east and west", "north and south"][axis];
        let closed = edges[axis] == [Edge::Closed; 2];
        require(
            closed,
            "periodic",
            name,
            "the edges that are joined are not open; leave them out of [edges]",
        )?;
        let remedy = format!("joined edges are at least {least:.4} m apart, two smoothing radii");
        require(f64::from(high - low) >= least, "periodic", format!("{name}, {} m", high - low), remedy)?;
    }
    Ok(())
}

/// Refuses ground that is no bed for particles of this size.
fn check_terrain(terrain: Terrain, params: &Params) -> Result<(), Invalid> {
    let ([cols, rows], cell) = terrain.cells();
    let whole = format!("{cols} by {rows}");
    require(cols >= 2 && rows >= 2, "terrain.size", whole, "a bed needs two cells along each side")?;
    let spacing = params.fluid.spacing;
    let remedy = format!(
        "it is at most twice the terrain's cell of {cell} m, else cells have more detail than the water"
    );
    require(spacing <= 2.0 * cell * (1.0 + 1.0e-9), "fluid.spacing", spacing, remedy)
}
