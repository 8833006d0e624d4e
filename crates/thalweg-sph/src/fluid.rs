//! The fluid: its particles and the steps it takes.

use crate::boundary::{Grip, Weigh};
use crate::density::Density;
use crate::forces::{Forces, Normals, Volumes, number, tension};
use crate::integrate::{Extremes, Motion, Surroundings};
use crate::neighbours::{Kept, Neighbours, TooWide};
use crate::params::{Equation, FluidParams, Invalid, Kernels, require};
use crate::particles::{BOUNDARY, PADDING, PART, Particle, Particles, SLIP, make_room};
use std::f64::consts::PI;
use std::ops::{Range, RangeInclusive};
use thalweg_field::band;
use thalweg_field::range::{FINITE_F32, NATURAL, NATURAL_F32, all_within, whole};

/// Share of the numerical viscosity that acts between water and boundary [-].
pub(crate) const WALL_SHARE: f64 = 0.005;
/// Shortest normal of the colour field that counts as a surface, over 1/h [-]. A flat surface of full density has a normal
/// of about 1.4/h; what is far from any has next to none.
pub(crate) const NORMAL_THRESHOLD: f64 = 0.32;
/// A particle without a lifetime vanishes then [s].
pub const FOREVER: f32 = f32::MAX;
/// A particle that vanishes before the next step [s].
pub const AT_ONCE: f32 = f32::NEG_INFINITY;

/// No particle of a run that makes sense is faster [m/s].
const FASTEST: f32 = 1.0e6;
/// By so much rounding may take what a particle carries beyond nothing and beyond all of it [-].
const CARGO_SLACK: f64 = 1.0e-3;

/// What the parameters come down to in the loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// Smoothing radius [m].
    pub h: f32,
    /// Mass of a particle [kg].
    pub mass: f32,
    /// Density at rest [kg/m³].
    pub rest_density: f32,
    /// Equation of state.
    pub equation: Equation,
    /// k of the linear equation [m²/s²], or B of the Tait equation [Pa].
    pub stiffness: f32,
    /// 315/(64πh⁹) [1/m⁹].
    pub poly6: f32,
    /// 21/(2πh⁸) [1/m⁸].
    pub wendland: f32,
    /// Factor of the slope of the pressure kernel, calibrated for the gradient: 45/(πh⁶) of the spiky one [1/m⁶], 210/(πh⁸)
    /// of Wendland's [1/m⁸].
    pub slope: f32,
    /// 45/(πh⁶), calibrated for the Laplacian [1/m⁶].
    pub friction: f32,
    /// Viscosity with what keeps the pressure smooth [Pa·s].
    pub viscosity: f32,
    /// The same towards a boundary, unless its owner says otherwise: only a little of what keeps the pressure smooth, else
    /// thin water would crawl [Pa·s].
    pub wall_viscosity: f32,
    /// Downwards [m/s²].
    pub gravity: f32,
    /// How p/ρ² grows with depth behind the boundary; half of it, since the boundary pushes with the sum of two [m⁴/(kg·s²)].
    pub lift: f32,
    /// Strength of the surface tension.
    pub tension: f32,
    /// Shortest normal of the colour field that counts as a surface [1/m].
    pub normal_threshold: f32,
    /// 32/(πh⁹) of Akinci's cohesion [1/m⁹].
    pub cohesion: f32,
    /// h⁶/64 of Akinci's cohesion [m⁶].
    pub cohesion_offset: f32,
    /// Speed of sound [m/s].
    pub sound_speed: f32,
}

impl Constants {
    fn new(params: &FluidParams, expected_speed: f64) -> Self {
        let h = params.smoothing_radius();
        let [slope, laplacian] = params.calibration();
        let sound_speed = match params.equation {
            Equation::Linear => params.stiffness.sqrt(),
            Equation::Tait => params.sound_speed.unwrap_or(10.0 * expected_speed),
        };
        let stiffness = match params.equation {
            Equation::Linear => params.stiffness,
            Equation::Tait => params.density * sound_speed * sound_speed / 7.0,
        };
        Self {
            h: h as f32,
            mass: params.particle_mass() as f32,
            rest_density: params.density as f32,
            equation: params.equation,
            stiffness: stiffness as f32,
            poly6: (315.0 / (64.0 * PI * h.powi(9))) as f32,
            wendland: (21.0 / (2.0 * PI * h.powi(8))) as f32,
            slope: match params.kernels {
                Kernels::Wendland => (210.0 / (PI * h.powi(8)) * slope) as f32,
                Kernels::Mueller => (45.0 / (PI * h.powi(6)) * slope) as f32,
            },
            friction: (45.0 / (PI * h.powi(6)) * laplacian) as f32,
            viscosity: (params.viscosity + params.density * params.damping * h * sound_speed) as f32,
            wall_viscosity: (params.viscosity
                + WALL_SHARE * params.density * params.damping * h * sound_speed)
                as f32,
            gravity: params.gravity as f32,
            lift: if params.calibrate { (0.5 * params.gravity / params.density) as f32 } else { 0.0 },
            tension: params.tension as f32,
            normal_threshold: (NORMAL_THRESHOLD / h) as f32,
            cohesion: (32.0 / (PI * h.powi(9))) as f32,
            cohesion_offset: (h.powi(6) / 64.0) as f32,
            sound_speed: sound_speed as f32,
        }
    }
}

/// Particles that vanished, and what they carried.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Removed {
    /// How many.
    pub count: u64,
    /// Their cargo together.
    pub cargo: f64,
}

/// Refuses particles that no run can have: the text says which number is wrong.
fn check_state(particles: &Particles, density: &[f32], mass: f32) -> Result<(), String> {
    let count = particles.len();
    let column =
        |values: &[f32], what: &str, range: RangeInclusive<f64>| all_within(what, &values[..count], &range);
    for (values, axis) in particles.position.iter().zip(["east", "north", "up"]) {
        column(values, &format!("position {axis} of particle"), FINITE_F32)?;
    }
    let fastest = f64::from(FASTEST);
    for (values, axis) in particles.velocity.iter().zip(["east", "north", "up"]) {
        column(values, &format!("velocity {axis} of particle"), -fastest..=fastest)?;
    }
    column(&particles.mass, "mass of particle", f64::from(f32::MIN_POSITIVE)..=1.0e3 * f64::from(mass))?;
    column(&particles.expires, "end of particle", f64::NEG_INFINITY..=f64::INFINITY)?;
    all_within("density of particle", density, &NATURAL_F32)?;
    let cargo = particles.cargo.get(..count).unwrap_or_default();
    all_within("sediment of particle", cargo, &(-CARGO_SLACK..=1.0 + CARGO_SLACK))
}

/// Why a fluid cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FluidError {
    /// Numbers have gone wild.
    #[error(
        "{count} particles became non-finite at step {step} (t = {time:.4} s), first near {at:.3?} m; \
         try a shorter time step (fluid.safety or fluid.dt) or more damping"
    )]
    NotFinite {
        /// How many.
        count: usize,
        /// When.
        step: u64,
        /// When [s].
        time: f64,
        /// Where the first one was [m].
        at: [f32; 3],
    },
    /// Particles are everywhere.
    #[error(
        "step {step} (t = {time:.4} s): {spread}; try a shorter time step (fluid.safety or fluid.dt), \
         or put a sink or walls where they should stop"
    )]
    TooWide {
        /// How far.
        spread: TooWide,
        /// When.
        step: u64,
        /// When [s].
        time: f64,
    },
    /// The bed asks for more boundary particles than there is room for.
    #[error(
        "step {step} (t = {time:.4} s): the bed near {at:.1?} m needs {count:.2e} boundary particles, and there is room \
         for {room}; use a larger fluid.spacing or a flatter bed, or raise --max-memory"
    )]
    Crowded {
        /// How many a tile of the bed needs.
        count: f64,
        /// How many more there can be.
        room: usize,
        /// When.
        step: u64,
        /// When [s].
        time: f64,
        /// Where, east and north [m].
        at: [f64; 2],
    },
}

/// A fluid of particles, and the particles of whatever bounds it.
#[derive(Debug)]
pub struct Fluid {
    params: FluidParams,
    constants: Constants,
    /// Viscosity between fluid and boundary [Pa·s].
    wall_viscosity: f32,
    grip: Grip,
    expected_speed: f64,
    /// Sorted, at the present time; velocities half a step before.
    now: Particles,
    /// After the step, in the order of `now`; what is added goes behind.
    next: Particles,
    neighbours: Neighbours,
    kept: Kept,
    /// Mass with which each pushes [kg].
    pushing: Vec<f32>,
    density: Vec<f32>,
    /// How many particles of `next` the densities belong to: all that the last step moved.
    known: usize,
    pressure: Vec<f32>,
    /// 1 for the boundary, 0 for the fluid [-].
    solid: Vec<f32>,
    /// Viscosity times volume [Pa·s·m³]; before that is known, the mass with which each counts in the density [kg].
    drag: Vec<f32>,
    normal: [Vec<f32>; 3],
    last: Extremes,
    /// Simulated time [s], steps taken, and the last step [s].
    time: f64,
    steps: u64,
    last_dt: f64,
    born: u32,
    fluid_count: usize,
}

impl Fluid {
    /// Nothing yet. `expected_speed` is the fastest flow to be expected [m/s]: a Tait fluid is ten times as fast for
    /// sound unless its parameters say otherwise. `cargo` tells whether particles carry something.
    pub fn new(
        params: &FluidParams,
        expected_speed: f64,
        capacity: usize,
        cargo: bool,
    ) -> Result<Self, Invalid> {
        params.validated()?;
        let constants = Constants::new(params, expected_speed);
        Ok(Self {
            constants,
            wall_viscosity: constants.wall_viscosity,
            grip: Grip::on(params),
            expected_speed,
            now: Particles::with_capacity(capacity, cargo),
            next: Particles::with_capacity(capacity, cargo),
            neighbours: Neighbours::new(constants.h),
            kept: Kept::default(),
            pushing: Vec::new(),
            density: Vec::new(),
            known: 0,
            pressure: Vec::new(),
            solid: Vec::new(),
            drag: Vec::new(),
            normal: Default::default(),
            last: Extremes { speed: 0.0, acceleration: params.gravity as f32 },
            time: 0.0,
            steps: 0,
            last_dt: 0.0,
            born: 0,
            fluid_count: 0,
            params: params.clone(),
        })
    }

    /// Bytes for each particle.
    pub const fn bytes_per_particle(cargo: bool) -> u64 {
        2 * Particles::bytes(1, cargo) + Neighbours::bytes(1) + Kept::BYTES + 5 * 4
    }

    /// Its parameters.
    pub fn params(&self) -> &FluidParams {
        &self.params
    }

    /// Refuses parameters that do not fit the particles: these stay as they are, so spacing and radius must too, and
    /// as long as there are any also what they weigh and the room they take, mass over density.
    pub fn check_params(&self, params: &FluidParams) -> Result<(), Invalid> {
        params.validated()?;
        let fixed = |params: &FluidParams| {
            [params.spacing, params.smoothing_radius(), params.density, params.particle_mass()]
        };
        let (old, new) = (fixed(&self.params), fixed(params));
        let names = [
            ("spacing", ""),
            ("radius", ""),
            ("density", ": its particles keep their mass, so their volume would change"),
            ("mass", ""),
        ];
        for ((name, why), (old, new)) in names.into_iter().zip(old.into_iter().zip(new)) {
            let remedy = format!("it cannot change while a fluid is flowing{why}; it stays {old}");
            let free = self.is_empty() && ["density", "mass"].contains(&name);
            require(old == new || free, name, new, remedy)?;
        }
        Ok(())
    }

    /// Takes other parameters from now on, if they fit the particles.
    pub fn set_params(&mut self, params: &FluidParams) -> Result<(), Invalid> {
        self.check_params(params)?;
        let own = self.wall_viscosity == self.constants.wall_viscosity;
        self.constants = Constants::new(params, self.expected_speed);
        if own {
            self.wall_viscosity = self.constants.wall_viscosity;
        }
        self.params = params.clone();
        Ok(())
    }

    /// What the parameters come down to.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// Viscosity between the fluid and its boundary from now on [Pa·s].
    pub fn set_wall_viscosity(&mut self, viscosity: f64) {
        self.wall_viscosity = viscosity as f32;
    }

    /// How strongly the boundary acts from now on.
    pub fn set_grip(&mut self, grip: Grip) {
        self.grip = grip;
    }

    /// Particles of the fluid.
    pub fn len(&self) -> usize {
        self.fluid_count
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.fluid_count == 0
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken.
    pub fn steps_taken(&self) -> u64 {
        self.steps
    }

    /// The last step [s]; 0 before the first.
    pub fn last_dt(&self) -> f64 {
        self.last_dt
    }

    /// The fastest and the most accelerated particle of the last step.
    pub fn extremes(&self) -> Extremes {
        self.last
    }

    /// Adds to what the sorted particles of the fluid carry.
    pub fn add_cargo(&mut self, gain: &[f64]) {
        let count = self.now.len();
        let tags = &self.now.tag;
        band::for_each_part(0..count, PART, &mut self.now.cargo[..count], &|range, cargo: &mut [f64]| {
            for (i, cargo) in range.zip(cargo) {
                *cargo += if tags[i] & BOUNDARY == 0 { gain[i] } else { 0.0 };
            }
        });
    }

    /// What is near each sorted particle of the fluid, as the density found.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Numbers of the fluid that are not in its particles: time, last step, fastest and most accelerated particle.
    pub fn clock(&self) -> [f64; 6] {
        let Extremes { speed, acceleration } = self.last;
        let counts = [self.steps as f64, f64::from(self.born)];
        [self.time, self.last_dt, f64::from(speed), f64::from(acceleration), counts[0], counts[1]]
    }

    /// Takes up where another run left off: its particles in their order, the densities that were known, and its clock.
    /// The text says which number makes no sense; nothing changes then. Tags of the boundary are their owner's to check.
    pub fn take_up(&mut self, particles: Particles, density: &[f32], clock: [f64; 6]) -> Result<(), String> {
        check_state(&particles, density, self.constants.mass)?;
        let [time, last_dt, speed, acceleration, steps, born] = clock;
        all_within("time of its clock,", &[time, last_dt], &NATURAL)?;
        all_within("speed of its clock,", &[speed, acceleration], &NATURAL_F32)?;
        let steps = whole("the number of its steps", steps, 1 << 53)?;
        let born = whole("the number of its particles so far", born, BOUNDARY.into())?;
        self.neighbours.check_spread(&particles, time as f32).map_err(|wide| wide.to_string())?;
        self.fluid_count = (0..particles.len()).filter(|&i| !particles.is_boundary(i)).count();
        self.next = particles;
        self.density.clear();
        self.density.extend_from_slice(density);
        self.known = density.len();
        (self.time, self.last_dt) = (time, last_dt);
        self.last = Extremes { speed: speed as f32, acceleration: acceleration as f32 };
        (self.steps, self.born) = (steps, born as u32);
        Ok(())
    }

    /// All particles, those of the boundary too, where they are at the present time.
    pub fn particles(&self) -> &Particles {
        &self.next
    }

    /// The same, to change what they carry or when they vanish.
    pub fn particles_mut(&mut self) -> &mut Particles {
        &mut self.next
    }

    /// Sorted particles of the step that is under way.
    pub fn sorted(&self) -> &Particles {
        &self.now
    }

    /// The search that goes with them.
    pub fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }

    /// Volume of each sorted particle [m³]; zero for the boundary.
    pub fn volumes(&self) -> Volumes<'_> {
        Volumes { solid: &self.solid, mass: &self.now.mass, density: &self.density }
    }

    /// Density of each sorted particle [kg/m³].
    pub fn density(&self) -> &[f32] {
        &self.density
    }

    /// Density that the last step found [kg/m³], in the order of [`Fluid::particles`]; what was added since has none.
    pub fn last_density(&self) -> &[f32] {
        &self.density[..self.known]
    }

    /// Pressure at a density [Pa].
    pub fn pressure_at(&self, density: f32) -> f32 {
        self.constants.pressure(density)
    }

    /// Adds a particle of the fluid.
    pub fn add(&mut self, position: [f32; 3], velocity: [f32; 3], expires: f32, cargo: f64) {
        let particle =
            Particle { position, velocity, mass: self.constants.mass, expires, tag: self.born, cargo };
        self.born = (self.born + 1) & !BOUNDARY;
        self.next.push(particle);
        self.fluid_count += 1;
    }

    /// Adds a particle of the boundary; `tag` is the owner's, and [`SLIP`] if it has no friction.
    pub fn add_boundary(&mut self, position: [f32; 3], velocity: [f32; 3], tag: u32) {
        let mass = self.constants.mass; // until it is weighed
        self.next.push(Particle {
            position,
            velocity,
            mass,
            expires: FOREVER,
            tag: tag | BOUNDARY,
            cargo: 0.0,
        });
    }

    /// The longest stable time step [s]: sound and flow cross less than half of h, forces do not overshoot, and
    /// friction does not reverse what it slows.
    pub fn max_dt(&self) -> f64 {
        let c = &self.constants;
        let h = f64::from(c.h);
        let sound = 0.4 * h / f64::from(c.sound_speed + self.last.speed);
        let force = 0.25 * (h / f64::from(self.last.acceleration).max(1.0e-9)).sqrt();
        let viscosity = f64::from(c.viscosity.max(self.wall_viscosity)).max(1.0e-12);
        let friction = 0.06 * h * h * f64::from(c.rest_density) / viscosity;
        sound.min(force).min(friction)
    }

    /// The time step that comes next [s], at most `limit`.
    pub fn choose_dt(&self, limit: f64) -> f64 {
        self.params.dt.unwrap_or((self.params.safety * self.max_dt()).min(self.params.max_dt)).min(limit)
    }

    /// Sorts the particles; those whose time is over are dropped and returned.
    pub fn sort(&mut self) -> Result<Removed, FluidError> {
        let now = self.time as f32;
        let gone = |range: Range<usize>| {
            let mut removed = Removed::default();
            if self.next.expires[range.clone()].iter().all(|&expires| expires > now) {
                return removed;
            }
            for i in range {
                if self.next.expires[i] <= now && !self.next.is_boundary(i) {
                    removed.count += 1;
                    removed.cargo += self.next.cargo.get(i).copied().unwrap_or(0.0);
                }
            }
            removed
        };
        let both = |a: Removed, b: Removed| Removed { count: a.count + b.count, cargo: a.cargo + b.cargo };
        let removed = band::measure(0..self.next.len(), PART, &gone, &both);
        self.fluid_count -= removed.count as usize;
        self.neighbours.sort(&self.next, &mut self.now, now).map_err(|spread| self.too_wide(spread))?;
        self.known = 0;
        let length = self.now.len() + PADDING;
        for column in
            [&mut self.pushing, &mut self.density, &mut self.pressure, &mut self.solid, &mut self.drag]
        {
            make_room(column, length);
            column.resize(length, 0.0);
        }
        // Volumes are divided by it, behind the last particle too.
        self.density[length - PADDING..].fill(self.constants.rest_density);
        self.kept.resize(self.now.len());
        Ok(removed)
    }

    /// Finds how much fluid every sorted boundary particle stands for. Needed whenever some were added or removed.
    pub fn weigh_boundary(&mut self) {
        let count = self.now.len();
        let pass = Weigh { particles: &self.now, constants: &self.constants };
        self.neighbours.walk(&self.now, &pass, &mut self.density[..count]);
        for i in 0..count {
            if self.now.is_boundary(i) {
                self.now.mass[i] = self.density[i];
            }
        }
    }

    /// Density, and pressure from it (1.25, 1.32).
    pub fn compute_density(&mut self) {
        let count = self.now.len();
        let (now, grip) = (&self.now, self.grip);
        let masses = [&mut self.drag[..count], &mut self.pushing[..count], &mut self.solid[..count]];
        band::for_each_part(0..count, PART, masses, &|range, [dense, pushing, solid]: [&mut [f32]; 3]| {
            for (k, i) in range.enumerate() {
                let [a, b, c] =
                    if now.is_boundary(i) { [grip.density, grip.push, 1.0] } else { [1.0, 1.0, 0.0] };
                (dense[k], pushing[k], solid[k]) = (a * now.mass[i], b * now.mass[i], c);
            }
        });
        let out = [&mut self.density[..count], &mut self.pressure[..count]];
        let (constants, dense) = (&self.constants, &self.drag[..]);
        let out = (out, self.kept.keep());
        match self.params.kernels {
            Kernels::Wendland => {
                self.neighbours.walk(now, &Density::<true> { particles: now, constants, dense }, out);
            }
            Kernels::Mueller => {
                self.neighbours.walk(now, &Density::<false> { particles: now, constants, dense }, out);
            }
        }
        let (now, c, wall) = (&self.now, &self.constants, self.wall_viscosity);
        let columns = [&mut self.density[..count], &mut self.pressure[..count], &mut self.drag[..count]];
        band::for_each_part(0..count, PART, columns, &|range, [density, pressure, drag]: [&mut [f32]; 3]| {
            for (k, i) in range.enumerate() {
                if now.is_boundary(i) {
                    (density[k], pressure[k]) = (c.rest_density, 0.0);
                    let rough = if now.tag[i] & SLIP == 0 { wall * grip.drag } else { 0.0 };
                    drag[k] = rough * (now.mass[i] / c.rest_density);
                } else {
                    drag[k] = c.viscosity * (now.mass[i] / density[k]);
                }
            }
        });
        if self.params.surface == crate::Tension::Akinci {
            let [a, b, c] = &mut self.normal;
            let normals = [a, b, c].map(|column| {
                column.resize(count + PADDING, 0.0);
                &mut column[..count]
            });
            let pass = Normals {
                particles: &self.now,
                constants: &self.constants,
                volumes: Volumes { solid: &self.solid, mass: &self.now.mass, density: &self.density },
            };
            self.neighbours.walk_kept(&self.now, &self.kept, &pass, normals);
        }
    }

    /// Forces (1.33–1.41) and the move of every particle (1.45, 1.46).
    pub fn accelerate_and_move(
        &mut self,
        surroundings: &impl Surroundings,
        dt: f64,
    ) -> Result<Extremes, FluidError> {
        // Eq. 1.47 puts the first velocity half a step back; half a kick from the start is the same.
        let motion = Motion { kick: (0.5 * (self.last_dt + dt)) as f32, drift: dt as f32, keep: 1.0 };
        self.go(surroundings, motion)?;
        self.time += dt;
        self.steps += 1;
        self.last_dt = dt;
        Ok(self.last)
    }

    /// A step that slows every particle down, and takes no time.
    pub fn relax(&mut self, surroundings: &impl Surroundings, dt: f64) -> Result<(), FluidError> {
        self.go(surroundings, Motion { kick: dt as f32, drift: dt as f32, keep: 0.9 })
    }

    fn go(&mut self, surroundings: &impl Surroundings, motion: Motion) -> Result<(), FluidError> {
        match number(self.params.surface) {
            tension::COLOUR_FIELD => self.compute_forces::<{ tension::COLOUR_FIELD }>(),
            tension::BECKER_TESCHNER => self.compute_forces::<{ tension::BECKER_TESCHNER }>(),
            tension::AKINCI => self.compute_forces::<{ tension::AKINCI }>(),
            _ => self.compute_forces::<{ tension::NONE }>(),
        }
        self.last = motion.apply(&self.now, &mut self.next, &self.density, surroundings);
        if (self.last.speed + self.last.acceleration).is_finite() { Ok(()) } else { Err(self.wild(motion)) }
    }

    fn compute_forces<const TENSION: u8>(&mut self) {
        match self.params.kernels {
            Kernels::Wendland => self.walk_forces::<TENSION, true>(),
            Kernels::Mueller => self.walk_forces::<TENSION, false>(),
        }
    }

    /// Accelerations, where velocities after the step will be.
    fn walk_forces<const TENSION: u8, const WENDLAND: bool>(&mut self) {
        let count = self.now.len();
        self.next.resize(count);
        self.known = count;
        let pass = Forces::<TENSION, WENDLAND> {
            particles: &self.now,
            constants: &self.constants,
            pushing: &self.pushing,
            pressure: &self.pressure,
            density: &self.density,
            solid: &self.solid,
            volumes: Volumes { solid: &self.solid, mass: &self.now.mass, density: &self.density },
            drag: &self.drag,
            normal: [&self.normal[0], &self.normal[1], &self.normal[2]],
        };
        let [u, v, w] = &mut self.next.velocity;
        let out = [&mut u[..count], &mut v[..count], &mut w[..count]];
        self.neighbours.walk_kept(&self.now, &self.kept, &pass, out);
    }

    /// Tells that particles are spread too far at the present step.
    pub fn too_wide(&self, spread: TooWide) -> FluidError {
        FluidError::TooWide { spread, step: self.steps, time: self.time }
    }

    /// Tells which particles have gone wild.
    fn wild(&self, motion: Motion) -> FluidError {
        let square = |v: [f32; 3]| v.iter().map(|v| v * v).sum::<f32>();
        let lost = |i: &usize| {
            let (from, to) = (self.now.get(*i), self.next.get(*i));
            let kicked = std::array::from_fn(|axis| (to.velocity[axis] - from.velocity[axis]) / motion.kick);
            !(square(kicked) + square(to.velocity) + to.position.iter().sum::<f32>()).is_finite()
        };
        let mut all = (0..self.now.len()).filter(|&i| !self.now.is_boundary(i)).filter(lost);
        let at = self.now.get(all.next().unwrap_or(0)).position;
        FluidError::NotFinite { count: 1 + all.count(), step: self.steps, time: self.time, at }
    }
}
