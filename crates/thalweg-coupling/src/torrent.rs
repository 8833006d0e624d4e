//! Water of particles on a bed: one step of everything.

mod room;
mod saved;

pub use saved::Saved;

use crate::bed::Bed;
use crate::params::{Hold, Params};
use crate::piece::Pieces;
use crate::reshape;
use crate::sediment::{self, Sediment};
use crate::seed::{LOOK_EVERY, Seeds};
use crate::setting::{Edge, Pool, Setting, Sink, Top};
use room::{check_spread, pool_volume};
use thalweg_erosion::pipes::{Ledger, Solids, Water};
use thalweg_field::{Column, Field, FieldInfo, Heightfield, Points, band};
use thalweg_sph::{
    AT_ONCE, Emitter, Extremes, FOREVER, Fluid, FluidError, FluidParams, Grip, Invalid, Particle, Removed,
    Source, Surroundings, require,
};

/// Exchanges of sediment for each round of slipping.
const SLIP_EVERY: u64 = 4;
/// Cells wider than so many spacings are to blame where the bed needs too many boundary particles [-].
const WIDE_CELL: f64 = 64.0;
/// Share of the excess height between two vertices that one round moves [-].
const SLIP_SHARE: f64 = 1.0 / 16.0;

/// What a few steps were like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Shortest time step [s].
    pub dt_min: f64,
    /// Longest time step [s].
    pub dt_max: f64,
}

/// Why a torrent cannot go on.
pub type StepError = FluidError;

/// Water and grains that came and went [m³].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Accounts {
    water_start: f64,
    water_added: f64,
    water_gone: f64,
    grains_start: f64,
    grains_added: f64,
    grains_gone: f64,
    eroded: f64,
}

/// Water of particles on a bed.
#[derive(Debug)]
pub struct Torrent {
    params: Params,
    fluid: Fluid,
    bed: Bed,
    seeds: Seeds,
    sediment: Sediment,
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    edges: [Edge; 4],
    hardness: Option<Vec<f32>>,
    /// Solid volume that each triangle gained in a step, and the triangles that did [m³].
    gains: Vec<f64>,
    touched: Vec<u32>,
    /// Particles that a source lets go: position, velocity, end.
    born: Vec<([f32; 3], [f32; 3], f32)>,
    accounts: Accounts,
    /// Volume of a particle at rest [m³]; kept, since to find it takes a sum over a lattice.
    volume: f64,
    /// Time since sediment was last exchanged [s].
    waiting: f64,
    /// Damped steps taken before time began.
    relaxed: u32,
}

impl Torrent {
    /// Puts water on the ground. It finds its place before the first step; see [`Self::relax`].
    pub fn new(ground: &Heightfield, params: &Params, setting: &Setting) -> Result<Self, Invalid> {
        params.validated()?;
        let bed = Bed::new(ground);
        let spacing = params.fluid.spacing;
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let whole = format!("{cols} by {rows}");
        require(cols >= 2 && rows >= 2, "terrain.size", whole, "a bed needs two cells along each side")?;
        require(
            spacing <= 2.0 * bed.cell * (1.0 + 1.0e-9),
            "fluid.spacing",
            spacing,
            format!(
                "it is at most twice the terrain's cell of {} m, else cells have more detail than the water",
                bed.cell
            ),
        )?;
        let volume = particle_volume(params);
        let sources = sources(&setting.emitters, params, volume)?;
        let particles = initial_particles(&bed, params, setting, volume)?;
        let speed = expected_speed(&particles, &sources, params);
        let capacity = if sources.is_empty() { particles.len() } else { params.fluid.max_particles as usize };
        let mut fluid = Fluid::new(&params.fluid, speed, capacity, params.erosion.enabled)?;
        for particle in &particles {
            fluid.add(particle.position, particle.velocity, particle.expires, particle.cargo);
        }
        if let Some(friction) = params.bed.friction {
            fluid.set_wall_viscosity(friction);
        }
        if params.bed.hold != Hold::Pressure {
            fluid.set_grip(Grip::NONE);
        }
        let seeds = room::seeds(&bed, params, setting, capacity as u64);
        check_spread(&bed, &seeds, params, setting)?;
        let hardness = setting
            .hardness
            .as_ref()
            .map(|map| (0..rows).rev().flat_map(|row| map.row(row).iter().copied()).collect());
        let accounts = Accounts {
            water_start: particles.len() as f64 * volume,
            grains_start: particles.iter().map(|p| p.cargo).sum::<f64>() * volume,
            ..Accounts::default()
        };
        let mut torrent = Self {
            params: params.clone(),
            gains: vec![0.0; if params.erosion.enabled { bed.triangles() } else { 0 }],
            touched: Vec::new(),
            born: Vec::new(),
            fluid,
            bed,
            seeds,
            sediment: Sediment::default(),
            sources,
            sinks: setting.sinks.clone(),
            edges: setting.edges,
            hardness,
            accounts,
            volume,
            waiting: 0.0,
            relaxed: 0,
        };
        torrent.check_start()?;
        Ok(torrent)
    }

    /// Bytes for each particle of fluid or boundary.
    pub const fn bytes_per_particle(erosion: bool) -> u64 {
        Fluid::bytes_per_particle(erosion) + if erosion { Sediment::BYTES } else { 0 }
    }

    /// Refuses a bed that needs more boundary particles around the water than there is room for.
    fn check_start(&mut self) -> Result<(), Invalid> {
        let reach = self.look_reach();
        self.seeds.check_start(&self.bed, &self.fluid, reach).map_err(|error| {
            let Params { fluid: FluidParams { spacing, .. }, .. } = self.params;
            let wide = self.bed.cell > WIDE_CELL * spacing;
            let (key, value) =
                if wide { ("terrain.cell", self.bed.cell) } else { ("fluid.spacing", spacing) };
            let remedy = format!("with particles {spacing} m apart on cells of {} m, {error}", self.bed.cell);
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
            self.prepare(u64::from(self.relaxed), self.look_reach())?;
            let around = Around::of(&self.bed, &self.seeds, &self.params, self.edges, &self.sinks);
            self.fluid.relax(&around, dt)?;
            self.relaxed += 1;
        }
        Ok(true)
    }

    /// Takes some steps.
    pub fn advance(&mut self, steps: u64) -> Result<StepReport, StepError> {
        self.advance_watched(steps, &mut |_| ())
    }

    /// Takes some steps, and tells the name of every stage as soon as it is done; for whoever has a clock.
    pub fn advance_watched(
        &mut self,
        steps: u64,
        done: &mut (dyn FnMut(&'static str) + Send),
    ) -> Result<StepReport, StepError> {
        self.relax(&mut |_| true)?;
        if self.params.erosion.still {
            return self.advance_still(steps);
        }
        band::enter(|| {
            let mut report = StepReport { dt_min: f64::INFINITY, dt_max: 0.0 };
            for _ in 0..steps {
                let dt = self.step(done)?;
                report = StepReport { dt_min: report.dt_min.min(dt), dt_max: report.dt_max.max(dt) };
            }
            Ok(report)
        })
    }

    /// Takes some steps in which sediment moves and water stands still: settling and diffusion alone. Sound and flow do
    /// not limit such a step, only the sediment and `max_dt` do.
    pub fn advance_still(&mut self, steps: u64) -> Result<StepReport, StepError> {
        let fluid = &self.params.fluid;
        let dt = fluid.dt.unwrap_or(sediment::max_dt(&self.params).min(fluid.max_dt));
        for _ in 0..steps {
            self.prepare(self.fluid.steps_taken(), self.params.fluid.smoothing_radius())?;
            self.exchange_sediment(dt);
            self.reshape_bed();
            self.fluid.accelerate_and_move(&Held, dt)?;
        }
        Ok(StepReport { dt_min: dt, dt_max: dt })
    }

    /// One step, in the order of Kataev 2022, fig. 4.1. Returns how long it was [s].
    fn step(&mut self, done: &mut (dyn FnMut(&'static str) + Send)) -> Result<f64, StepError> {
        let dt = self.fluid.choose_dt(self.sediment_limit());
        self.emit(dt);
        let seeded = self.seed(self.steps_taken(), self.look_reach())?;
        done("seed");
        self.sort(seeded)?;
        done("sort");
        self.fluid.compute_density();
        done("density");
        self.waiting += dt;
        if self.params.erosion.enabled
            && self.steps_taken().is_multiple_of(u64::from(self.params.erosion.every))
        {
            let waited = std::mem::take(&mut self.waiting);
            self.exchange_sediment(waited);
            done("sediment");
            self.reshape_bed();
            done("bed");
        }
        self.move_water(dt)?;
        done("forces");
        Ok(dt)
    }

    /// Longest step for the sediment [s]; a step that parameters fix is theirs.
    fn sediment_limit(&self) -> f64 {
        if self.params.fluid.dt.is_some() {
            f64::INFINITY
        } else {
            sediment::max_dt(&self.params) / f64::from(self.params.erosion.every)
        }
    }

    /// New particles.
    fn emit(&mut self, dt: f64) {
        let volume = self.volume;
        let most = self.params.fluid.max_particles as usize;
        let time = self.fluid.time();
        let clear = (0.4 * self.params.fluid.spacing) as f32;
        let mut born = std::mem::take(&mut self.born);
        for source in &mut self.sources {
            let fraction = source.emitter().sediment;
            let room = most.saturating_sub(self.fluid.len());
            let above = |at: [f32; 3]| self.bed.clearance(at) > clear;
            born.clear();
            source.emit([time, dt], room, self.fluid.particles(), above, |at, velocity, expires| {
                born.push((at, velocity, expires));
            });
            for &(at, velocity, expires) in &born {
                self.fluid.add(at, velocity, expires, fraction);
            }
            self.accounts.water_added += born.len() as f64 * volume;
            self.accounts.grains_added += born.len() as f64 * volume * fraction;
        }
        self.born = born;
    }

    /// Boundary particles where water is or may come within `reach` [m]; whether some are new or gone.
    fn seed(&mut self, step: u64, reach: f64) -> Result<bool, StepError> {
        let looks = step.is_multiple_of(LOOK_EVERY);
        Ok(looks && self.seeds.look(&self.bed, &mut self.fluid, reach)? > 0)
    }

    /// Sorts particles and drops those that are gone; with new boundary particles, weighs them.
    fn sort(&mut self, seeded: bool) -> Result<(), StepError> {
        let Removed { count, cargo } = self.fluid.sort()?;
        let volume = self.volume;
        self.accounts.water_gone += count as f64 * volume;
        self.accounts.grains_gone += cargo * volume;
        if seeded {
            self.fluid.weigh_boundary();
        }
        Ok(())
    }

    /// All that comes before anything moves.
    fn prepare(&mut self, step: u64, reach: f64) -> Result<(), StepError> {
        let seeded = self.seed(step, reach)?;
        self.sort(seeded)?;
        self.fluid.compute_density();
        Ok(())
    }

    /// How far from water boundary particles are needed until the next look [m].
    fn look_reach(&self) -> f64 {
        let Extremes { speed, .. } = self.fluid.extremes();
        let h = self.params.fluid.smoothing_radius();
        let gravity = self.params.fluid.gravity;
        let time = LOOK_EVERY as f64 * self.fluid.last_dt().max(self.params.fluid.dt.unwrap_or(0.0));
        h + (f64::from(speed) + gravity * time) * time
    }

    /// Erosion, transport, deposition; triangles note what they gain.
    fn exchange_sediment(&mut self, dt: f64) {
        let (gains, touched, eroded) = (&mut self.gains, &mut self.touched, &mut self.accounts.eroded);
        let (bed, hardness) = (&self.bed, self.hardness.as_deref());
        let pieces = Pieces::new(bed, self.params.bed_spacing());
        self.sediment.exchange(&mut self.fluid, bed, hardness, &self.params, dt, |piece, gain| {
            let share = gain / pieces.triangles(bed, piece).count() as f64;
            for triangle in pieces.triangles(bed, piece) {
                if gains[triangle as usize] == 0.0 {
                    touched.push(triangle);
                }
                gains[triangle as usize] += share;
            }
            *eroded += (-gain).max(0.0);
        });
    }

    /// Moves the vertices of the triangles that gained or lost something (1.70, 1.71), one after the other in
    /// the order of their numbers.
    fn reshape_bed(&mut self) {
        self.touched.sort_unstable();
        self.touched.dedup();
        let packing = self.params.erosion.packing;
        for &triangle in &self.touched {
            let gain = std::mem::take(&mut self.gains[triangle as usize]);
            for (vertex, by) in reshape::changes(&self.bed, triangle, gain / packing) {
                if by != 0.0 {
                    self.bed.raise(vertex, by);
                }
            }
        }
        if self.params.erosion.talus
            && self.steps_taken().is_multiple_of(SLIP_EVERY * u64::from(self.params.erosion.every))
        {
            self.slip();
        }
        self.touched.clear();
    }

    /// Lets slopes slip around the triangles that changed: between each pair of neighbouring vertices a share of what is
    /// too high moves down (Musgrave et al. 1989).
    fn slip(&mut self) {
        let [cols, rows] = self.bed.size;
        let hold = self.params.erosion.repose.tan() * self.bed.cell;
        let diagonal = hold * std::f64::consts::SQRT_2;
        for index in 0..self.touched.len() {
            let [a, b, c] = self.bed.corners(self.touched[index] & !1);
            let d = c + 1;
            let (i, j) = (a % cols, a / cols);
            // The northern and the eastern side are those of the next cell, if there is one.
            let north = (j + 2 == rows).then_some((c, d, hold));
            let east = (i + 2 == cols).then_some((b, d, hold));
            let own = [(a, b, hold), (a, c, hold), (a, d, diagonal), (b, c, diagonal)];
            for (at, other, hold) in own.into_iter().chain(north).chain(east) {
                let drop = self.bed.exact_height(at) - self.bed.exact_height(other);
                let excess = drop.abs() - hold;
                if excess > 0.0 {
                    let volume = SLIP_SHARE
                        * excess
                        * self.bed.area_at(at).min(self.bed.area_at(other))
                        * drop.signum();
                    self.bed.raise(at, -volume / self.bed.area_at(at));
                    self.bed.raise(other, volume / self.bed.area_at(other));
                }
            }
        }
    }

    /// Forces, and the move of every particle.
    fn move_water(&mut self, dt: f64) -> Result<(), StepError> {
        let around = Around::of(&self.bed, &self.seeds, &self.params, self.edges, &self.sinks);
        self.fluid.accelerate_and_move(&around, dt).map(drop)
    }

    /// The longest stable time step at present [s].
    pub fn max_dt(&self) -> f64 {
        self.fluid.max_dt().min(self.sediment_limit())
    }

    /// Simulated time [s].
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

    /// The bed.
    pub fn bed(&self) -> &Bed {
        &self.bed
    }

    /// The terrain as it is now.
    pub fn ground(&self) -> Heightfield {
        self.bed.ground()
    }

    /// Particles of the fluid.
    pub fn particle_count(&self) -> usize {
        self.fluid.len()
    }

    /// Takes other parameters from now on.
    pub fn set_params(&mut self, params: &Params) -> Result<(), Invalid> {
        params.validated()?;
        let remedy = "it cannot be switched while water flows; start the scene with it";
        let switched = params.erosion.enabled == self.params.erosion.enabled;
        require(switched, "erosion.enabled", params.erosion.enabled, remedy)?;
        let within = |invalid: Invalid| Invalid { key: format!("fluid.{}", invalid.key), ..invalid };
        // The fluid first: unless told otherwise, the bed has its spacing.
        self.fluid.check_params(&params.fluid).map_err(within)?;
        let kept = params.bed_spacing() == self.params.bed_spacing();
        require(kept, "bed.spacing", params.bed_spacing(), "it cannot change while water flows")?;
        self.fluid.set_params(&params.fluid).map_err(within)?;
        self.fluid.set_wall_viscosity(
            params.bed.friction.unwrap_or(f64::from(self.fluid.constants().wall_viscosity)),
        );
        self.fluid.set_grip(if params.bed.hold == Hold::Pressure {
            Grip::on(&params.fluid)
        } else {
            Grip::NONE
        });
        self.volume = particle_volume(params);
        self.params = params.clone();
        Ok(())
    }

    /// Takes other sources from now on; one that stays as it was goes on as it was.
    pub fn set_emitters(&mut self, emitters: &[Emitter]) -> Result<(), Invalid> {
        let mut new = sources(emitters, &self.params, self.volume)?;
        for source in &mut new {
            if let Some(old) = self.sources.iter().find(|old| old.emitter().shape == source.emitter().shape) {
                source.set_travelled(old.travelled());
            }
        }
        self.sources = new;
        Ok(())
    }

    /// Density of the grains [kg/m³].
    pub fn solid_density(&self) -> f64 {
        self.params.erosion.sediment_density
    }

    /// Grains in the bed above 0 m, now or at the beginning [m³].
    fn bed_grains(&self, height: impl Fn(usize) -> f64) -> f64 {
        let [cols, rows] = self.bed.size;
        let row = |j: usize| (j * cols..(j + 1) * cols).map(|v| height(v) * self.bed.area_at(v)).sum::<f64>();
        (0..rows).map(row).sum::<f64>() * self.params.erosion.packing
    }

    /// Grains that the water carries [m³].
    fn suspended(&self) -> f64 {
        let particles = self.fluid.particles();
        let now = self.time() as f32;
        let part = |range: std::ops::Range<usize>| {
            let carried = |i: &usize| !particles.is_boundary(*i) && particles.expires[*i] > now;
            range.filter(carried).map(|i| particles.cargo.get(i).copied().unwrap_or(0.0)).sum::<f64>()
        };
        band::measure(0..particles.len(), 4096, &part, &|a, b| a + b) * self.volume
    }

    /// The books: water, and grains, in m³.
    pub fn ledger(&self) -> Ledger {
        let volume = self.volume;
        let particles = self.fluid.particles();
        // What has left is dropped when particles are next sorted; in the books it is gone already. What is there is
        // counted one by one: were it what came less what went, the books could not but close.
        let now = self.time() as f32;
        let water = (0..particles.len()).filter(|&i| !particles.is_boundary(i));
        let [alive, leaving] = water.clone().fold([0usize; 2], |[alive, leaving], i| {
            if particles.expires[i] > now { [alive + 1, leaving] } else { [alive, leaving + 1] }
        });
        let cargo: f64 = water
            .filter(|&i| particles.expires[i] <= now)
            .map(|i| particles.cargo.get(i).copied().unwrap_or(0.0))
            .sum();
        let a = &self.accounts;
        let bed_start = self.bed_grains(|v| self.bed.exact_height(v) - self.bed.change()[v]);
        let gained = self.bed_grains(|v| self.bed.change()[v]);
        Ledger {
            water: Water {
                start: a.water_start,
                added: a.water_added,
                evaporated: 0.0,
                exported: a.water_gone + leaving as f64 * volume,
                end: alive as f64 * volume,
            },
            solids: Solids {
                bed_start,
                bed_end: bed_start + gained,
                suspended: self.suspended(),
                exported: a.grains_gone + cargo * volume,
                added: a.grains_start + a.grains_added,
                eroded: a.eroded,
            },
        }
    }

    /// Grains that are missing: what came, less what is afloat, in the bed, or gone [m³].
    pub fn missing_grains(&self) -> f64 {
        let Solids { suspended, exported, added, .. } = self.ledger().solids;
        added - suspended - exported - self.bed_grains(|v| self.bed.change()[v])
    }

    /// The particles of the fluid with all that is known of them.
    pub fn points(&self) -> Points {
        let particles = self.fluid.particles();
        let now = self.time() as f32;
        let alive: Vec<usize> = (0..particles.len())
            .filter(|&i| !particles.is_boundary(i) && particles.expires[i] > now)
            .collect();
        let column = |name, unit, meaning, value: &dyn Fn(usize) -> f32| Column {
            info: FieldInfo::new(name, unit, meaning),
            values: alive.iter().map(|&i| value(i)).collect(),
        };
        let speed = |i: usize| (0..3).map(|axis| particles.velocity[axis][i].powi(2)).sum::<f32>().sqrt();
        // Density and pressure are those of the last step; before the first there are none.
        let density =
            |i: usize| self.fluid.last_density().get(i).copied().unwrap_or(self.params.fluid.density as f32);
        let mut columns = vec![
            column("velocity_x", "m/s", "velocity to the east", &|i| particles.velocity[0][i]),
            column("velocity_y", "m/s", "velocity to the north", &|i| particles.velocity[1][i]),
            column("velocity_z", "m/s", "velocity upwards", &|i| particles.velocity[2][i]),
            column("speed", "m/s", "speed of the water", &speed),
            column("density", "kg/m³", "density of the water", &density),
            column("pressure", "Pa", "pressure of the water", &|i| self.fluid.pressure_at(density(i))),
            column("id", "-", "number a particle was born with", &|i| particles.tag[i] as f32),
        ];
        if self.params.erosion.enabled {
            let carried = |i: usize| particles.cargo[i].max(0.0) as f32;
            columns.push(column("sediment", "-", "share of the water that is sediment", &carried));
        }
        let positions =
            alive.iter().map(|&i| std::array::from_fn(|axis| particles.position[axis][i])).collect();
        Points { positions, radius: (0.5 * self.params.fluid.spacing) as f32, columns }
    }

    /// Maps: height, water, speed, and with erosion sediment, erosion and deposition.
    pub fn fields(&self) -> Vec<Field> {
        let [cols, rows] = self.bed.size;
        let particles = self.fluid.particles();
        let now = self.time() as f32;
        let (mut depth, mut load, mut pace) =
            (vec![0.0f64; cols * rows], vec![0.0f64; cols * rows], vec![0.0f64; cols * rows]);
        let cell = self.bed.cell;
        let each = self.volume / (cell * cell);
        let wide = (2.0 * self.params.fluid.spacing / cell).max(1.0);
        for i in 0..particles.len() {
            if particles.is_boundary(i) || particles.expires[i] <= now {
                continue;
            }
            // Spread by a tent over the vertices around, as wide as cells and particles ask for.
            let at = [0, 1].map(|axis: usize| f64::from(particles.position[axis][i]) / cell - 0.5);
            let speed = (0..3).map(|axis| f64::from(particles.velocity[axis][i]).powi(2)).sum::<f64>().sqrt();
            let carried = particles.cargo.get(i).copied().unwrap_or(0.0);
            let range = |axis: usize| {
                let (from, to) = ((at[axis] - wide).ceil().max(0.0), (at[axis] + wide).floor());
                from as usize..((to + 1.0).max(0.0) as usize).min(self.bed.size[axis])
            };
            let tent = |axis: usize, n: usize| (1.0 - (at[axis] - n as f64).abs() / wide).max(0.0) / wide;
            for b in range(1) {
                for a in range(0) {
                    let share = tent(0, a) * tent(1, b) * each;
                    let v = b * cols + a;
                    depth[v] += share;
                    pace[v] += share * speed;
                    load[v] += share * carried;
                }
            }
        }
        let field = |name, unit, meaning, value: &(dyn Fn(usize) -> f32 + Sync)| Field {
            info: FieldInfo::new(name, unit, meaning),
            values: self.bed.grid(value),
        };
        let mut fields = vec![
            field("height", "m", "height of the bed", &|v| self.bed.heights()[v]),
            field("water", "m", "water above the bed", &|v| depth[v] as f32),
            field("speed", "m/s", "mean speed of the water", &|v| {
                if depth[v] > 0.0 { (pace[v] / depth[v]) as f32 } else { 0.0 }
            }),
        ];
        if self.params.erosion.enabled {
            let packing = self.params.erosion.packing;
            let change = self.bed.change();
            fields.extend([
                field("sediment", "m", "bed that the sediment afloat would make", &|v| {
                    (load[v] / packing) as f32
                }),
                field("erosion", "m", "bed lost since the beginning", &|v| (-change[v]).max(0.0) as f32),
                field("deposition", "m", "bed gained since the beginning", &|v| change[v].max(0.0) as f32),
            ]);
        }
        fields
    }
}

/// Volume of a particle at rest [m³].
fn particle_volume(params: &Params) -> f64 {
    params.fluid.particle_mass() / params.fluid.density
}

fn sources(emitters: &[Emitter], params: &Params, volume: f64) -> Result<Vec<Source>, Invalid> {
    let source = |(i, emitter): (usize, &Emitter)| {
        let key = format!("emitter[{i}]");
        let source = Source::new(emitter, params.fluid.spacing, volume, &key)?;
        check_sediment(&format!("{key}.sediment"), emitter.sediment, params)?;
        Ok(source)
    };
    emitters.iter().enumerate().map(source).collect()
}

/// Refuses more sediment than fits, and sediment where nothing carries it.
fn check_sediment(key: &str, sediment: f64, params: &Params) -> Result<(), Invalid> {
    let most = if params.erosion.enabled { params.erosion.max_fraction } else { 0.0 };
    let remedy = if params.erosion.enabled {
        format!("it lies between 0 and erosion.max_fraction, {most}")
    } else {
        "with erosion.enabled = false water is clear: leave it out".into()
    };
    require((0.0..=most).contains(&sediment), key, sediment, remedy)
}

/// Whether a place is within a pool over ground of some height.
fn holds(pool: &Pool, at: [f64; 3], ground: f64) -> bool {
    let bottom = pool.bottom.unwrap_or(ground);
    let top = match pool.top {
        Top::Level(level) => level,
        Top::Depth(depth) => bottom + depth,
    };
    (0..2).all(|axis| (pool.from[axis]..pool.to[axis]).contains(&at[axis])) && (bottom..top).contains(&at[2])
}

/// Water at the beginning, on a lattice that keeps half a spacing from the bed and from the sides of its box.
fn initial_particles(
    bed: &Bed,
    params: &Params,
    setting: &Setting,
    volume: f64,
) -> Result<Vec<Particle>, Invalid> {
    let spacing = params.fluid.spacing;
    let most = params.fluid.max_particles as usize;
    let extent = bed.extent().map(|range| range.map(f64::from));
    let mut particles = Vec::new();
    for (index, pool) in setting.water.iter().enumerate() {
        let key = |field: &str| format!("water[{index}].{field}");
        check_sediment(&key("sediment"), pool.sediment, params)?;
        let low: [f64; 2] = std::array::from_fn(|axis| pool.from[axis].max(extent[axis][0]));
        let high: [f64; 2] = std::array::from_fn(|axis| pool.to[axis].min(extent[axis][1]));
        let need = pool_volume(pool, bed.size, bed.cell) / volume;
        let remedy = |need: f64| {
            format!(
                "{need:.3e} particles of {volume:.3e} m³ do not fit into fluid.max_particles = {most}; use a larger fluid.spacing"
            )
        };
        let deep = matches!(pool.top, Top::Depth(_)) || pool.bottom.is_some();
        require(!deep || need <= 1.1 * most as f64 + 1.0, &key("to"), "too large", remedy(need))?;
        let count: [usize; 2] =
            std::array::from_fn(|axis| ((high[axis] - low[axis]) / spacing + 1.0e-6).max(0.0) as usize);
        for j in 0..count[1] {
            for i in 0..count[0] {
                let at = [low[0] + (i as f64 + 0.5) * spacing, low[1] + (j as f64 + 0.5) * spacing];
                let ground = f64::from(bed.below(at[0] as f32, at[1] as f32).1);
                let bottom = pool.bottom.map_or(ground, |bottom| bottom.max(ground));
                let top = match pool.top {
                    Top::Level(level) => level,
                    Top::Depth(depth) => pool.bottom.unwrap_or(ground) + depth,
                };
                // Layers are level, so that a lake is a lattice; on a slope the lowest keeps clear of the bed.
                let layer = match (pool.top, pool.bottom) {
                    (Top::Depth(_), None) => ground,
                    (_, Some(bottom)) => bottom,
                    (Top::Level(level), None) => level - ((level - ground) / spacing).ceil() * spacing,
                };
                let mut z = layer + 0.5 * spacing;
                while z <= top - 0.45 * spacing {
                    // A later pool takes the place of an earlier one.
                    let replaced = setting.water[index + 1..]
                        .iter()
                        .any(|later| holds(later, [at[0], at[1], z], ground));
                    if z >= bottom + 0.45 * spacing && !replaced {
                        if particles.len() >= most {
                            let remedy = remedy((particles.len() + 1) as f64);
                            return Err(Invalid { key: key("to"), value: "too large".into(), remedy });
                        }
                        particles.push(Particle {
                            position: [at[0] as f32, at[1] as f32, z as f32],
                            velocity: pool.velocity.map(|v| v as f32),
                            mass: 0.0,
                            expires: pool.lifetime.map_or(FOREVER, |lifetime| lifetime as f32),
                            tag: 0,
                            cargo: pool.sediment,
                        });
                    }
                    z += spacing;
                }
            }
        }
    }
    Ok(particles)
}

/// The fastest flow to be expected [m/s]: water that falls through its own height, leaves a source, or moves already.
fn expected_speed(particles: &[Particle], sources: &[Source], params: &Params) -> f64 {
    let FluidParams { gravity, spacing, .. } = params.fluid;
    let heights = particles.iter().map(|p| f64::from(p.position[2]));
    let (low, high) =
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)));
    // Ten layers of water at least.
    let fall = (high - low).max(10.0 * spacing);
    let moving = particles.iter().map(|p| f64::from(p.velocity.iter().map(|v| v * v).sum::<f32>()).sqrt());
    let leaving = sources.iter().map(Source::speed);
    moving.chain(leaving).fold((2.0 * gravity * fall).sqrt(), f64::max)
}

/// Nothing moves.
struct Held;

impl Surroundings for Held {
    fn end_move(&self, from: [f32; 3], particle: &mut Particle, _: f32) {
        (particle.position, particle.velocity) = (from, [0.0; 3]);
    }
}

/// The bed, the walls and the sinks, as a particle meets them.
struct Around<'a> {
    bed: &'a Bed,
    seeds: &'a Seeds,
    params: &'a Params,
    edges: [Edge; 4],
    sinks: &'a [Sink],
    extent: [[f32; 2]; 2],
    restitution: f32,
    /// Thickness of the layer in which the penalty acts [m].
    layer: f32,
}

impl<'a> Around<'a> {
    fn of(bed: &'a Bed, seeds: &'a Seeds, params: &'a Params, edges: [Edge; 4], sinks: &'a [Sink]) -> Self {
        let layer = (0.5 * params.fluid.spacing) as f32;
        let restitution = params.bed.restitution as f32;
        Self { bed, seeds, params, edges, sinks, extent: bed.extent(), restitution, layer }
    }

    /// Keeps a particle within the walls, or lets it vanish beyond an open edge.
    #[inline(always)]
    fn meet_edges(&self, particle: &mut Particle) {
        for axis in 0..2 {
            let [low, high] = self.extent[axis];
            // North and south lie along y, which is the second axis; the edges are north, east, south, west.
            let (below, above) =
                if axis == 0 { (self.edges[3], self.edges[1]) } else { (self.edges[2], self.edges[0]) };
            let at = particle.position[axis];
            let v = particle.velocity[axis];
            if at < low {
                if below == Edge::Open {
                    particle.expires = AT_ONCE;
                }
                particle.position[axis] = low;
                particle.velocity[axis] = if v < 0.0 { -self.restitution * v } else { v };
            } else if at > high {
                if above == Edge::Open {
                    particle.expires = AT_ONCE;
                }
                particle.position[axis] = high;
                particle.velocity[axis] = if v > 0.0 { -self.restitution * v } else { v };
            }
        }
    }
}

impl Surroundings for Around<'_> {
    /// Penalty (Krištof et al. 2009, eq. 6): the closer to the bed the stronger, and slowing what comes near.
    #[inline(always)]
    fn push(&self, position: [f32; 3], velocity: [f32; 3], _: f32) -> [f32; 3] {
        if self.params.bed.hold != Hold::Penalty {
            return [0.0; 3];
        }
        let (triangle, height) = self.bed.below(position[0], position[1]);
        let normal = self.bed.normal(triangle);
        let deep = self.layer - (position[2] - height) * normal[2];
        if deep <= 0.0 {
            return [0.0; 3];
        }
        let into = (0..3).map(|axis| velocity[axis] * normal[axis]).sum::<f32>();
        let strength = self.params.bed.stiffness as f32 * deep - self.params.bed.damping as f32 * into;
        normal.map(|n| strength.max(0.0) * n)
    }

    #[inline(always)]
    fn is_free(&self, low: [f32; 3], high: [f32; 3]) -> bool {
        let inside =
            (0..2).all(|axis| low[axis] >= self.extent[axis][0] && high[axis] <= self.extent[axis][1]);
        let drains = |sink: &Sink| {
            (0..3)
                .all(|axis| f64::from(high[axis]) >= sink.from[axis] && f64::from(low[axis]) <= sink.to[axis])
        };
        inside
            && self.params.bed.hold != Hold::Penalty
            && self.seeds.are_high(self.bed, low, high)
            && !self.sinks.iter().any(drains)
    }

    #[inline(always)]
    fn end_move(&self, from: [f32; 3], particle: &mut Particle, dt: f32) {
        self.meet_edges(particle);
        let high = self.seeds.is_high(self.bed, particle.position) && self.seeds.is_high(self.bed, from);
        if !high && self.bed.collide(from, particle, self.restitution, dt) {
            // Away from a slope may be through a wall.
            self.meet_edges(particle);
            let [x, y, z] = particle.position;
            particle.position[2] = z.max(self.bed.below(x, y).1);
        }
        for sink in self.sinks {
            let inside = |axis: usize| {
                let at = f64::from(particle.position[axis]);
                (sink.from[axis]..=sink.to[axis]).contains(&at)
            };
            if (0..3).all(inside) {
                particle.expires = AT_ONCE;
            }
        }
    }
}
