//! The fluid: its particles, its parameters, and what is known of them.

mod periodic;
mod saved;
mod step;

use crate::boundary::BoundaryFactors;
use crate::constants::Constants;
use crate::integrate::Extremes;
use crate::neighbours::Neighbours;
use crate::params::{FluidParams, PressureSolver};
use crate::particles::{BOUNDARY, Particle, Particles};
use crate::pressure::incompressible::Incompressible;
use crate::pressure::summed::Summed;
use crate::pressure::wcsph::Wcsph;
use crate::pressure::{Pressure, Shared};
use crate::rounds::RoundsTaken;
use crate::thickening::Thickening;
use periodic::Periodic;
use thalweg_field::{Invalid, require};

/// A particle without a lifetime vanishes then `[s]`.
pub const FOREVER: f32 = f32::MAX;
/// A particle that vanishes before the next step `[s]`.
pub const AT_ONCE: f32 = f32::NEG_INFINITY;

/// Particles that vanished, and what they carried.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Removed {
    /// How many.
    pub count: u64,
    /// Their cargo together.
    pub cargo: f64,
}

/// A fluid of particles, and the particles of whatever bounds it.
#[derive(Debug)]
pub struct Fluid {
    params: FluidParams,
    constants: Constants,
    /// Viscosity between fluid and boundary `[Pa·s]`.
    wall_viscosity: f32,
    /// By how much a particle full of cargo is heavier than one without, over the weight of that `[-]`.
    surplus: f32,
    /// How cargo thickens it, if it does, and the largest share of it that there may be `[-]`.
    thickening: Option<Thickening>,
    most_cargo: f64,
    boundary: BoundaryFactors,
    expected_speed: f64,
    /// Sorted, at the present time; velocities half a step before.
    now: Particles,
    /// After the step, in the order of `now`; what is added goes behind.
    next: Particles,
    neighbours: Neighbours,
    periodic: Periodic,
    /// How it resists being compressed, and what that finds.
    pressure: Box<dyn Pressure>,
    shared: Shared,
    /// How many particles of `next` the densities belong to: all that the last step moved.
    known: usize,
    last: Extremes,
    /// Simulated time `[s]`, steps taken, and the last step `[s]`.
    time: f64,
    steps: u64,
    last_dt: f64,
    born: u32,
    fluid_count: usize,
}

impl Fluid {
    /// Nothing yet. `expected_speed` is the fastest flow to be expected `[m/s]`: a Tait fluid is ten times as fast for
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
            surplus: 0.0,
            thickening: None,
            most_cargo: 0.0,
            boundary: BoundaryFactors::of(params),
            expected_speed,
            now: Particles::with_capacity(capacity, cargo),
            next: Particles::with_capacity(capacity, cargo),
            neighbours: Neighbours::new(constants.h),
            periodic: Periodic::default(),
            pressure: match params.pressure {
                PressureSolver::Wcsph => Box::new(Wcsph::default()),
                PressureSolver::Pcisph => Box::new(Incompressible::pcisph()),
                PressureSolver::Dfsph => Box::new(Incompressible::dfsph()),
                PressureSolver::Summed => Box::new(Summed::default()),
            },
            shared: Shared::default(),
            known: 0,
            last: Extremes { speed: 0.0, acceleration: params.gravity as f32 },
            time: 0.0,
            steps: 0,
            last_dt: 0.0,
            born: 0,
            fluid_count: 0,
            params: params.clone(),
        })
    }

    /// Bytes for each particle, by the method that takes most.
    pub const fn bytes_per_particle(cargo: bool) -> u64 {
        2 * Particles::bytes(1, cargo) + Neighbours::bytes(1) + Shared::BYTES + Summed::BYTES
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
        let remedy =
            "they cannot change while a fluid is flowing: its particles have the mass that goes with them";
        let (old, new) = (&self.params, params);
        require(new.kernels == old.kernels, "kernels", format!("{:?}", new.kernels), remedy)?;
        require(new.pressure == old.pressure, "pressure", format!("{:?}", new.pressure), remedy)
    }

    /// Takes other parameters from now on, if they fit the particles, and another speed of the fastest flow to be expected
    /// `[m/s]`.
    pub fn set_params(&mut self, params: &FluidParams, expected_speed: f64) -> Result<(), Invalid> {
        self.check_params(params)?;
        self.expected_speed = expected_speed;
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

    /// Viscosity between the fluid and its boundary from now on `[Pa·s]`.
    pub fn set_wall_viscosity(&mut self, viscosity: f64) {
        self.wall_viscosity = viscosity as f32;
    }

    /// By how much a particle full of cargo is heavier than one without from now on, over the weight of that `[-]`. The pull itself is that of
    /// the [`Surroundings`](crate::Surroundings); pressure behind a boundary grows with depth accordingly, where density follows the flow.
    pub fn set_surplus(&mut self, surplus: f64) {
        self.surplus = surplus as f32;
    }

    /// From now on cargo thickens the fluid, as grains do that in their densest packing fill a share `packed` of the room, of which there is at
    /// most a share `most` in a particle `[-]`; missing: it does not. Where density is summed up it never does.
    pub fn set_thickening(&mut self, packed: Option<f64>, most: f64) {
        (self.thickening, self.most_cargo) = (packed.map(Thickening::around), most);
    }

    /// Joins opposite sides from now on, given by their lowest and highest coordinate along x and y `[m]`: what is near one is also beyond
    /// the other. Whoever ends the moves of particles puts those back that leave. For weakly compressible water without cargo.
    pub fn join_sides(&mut self, sides: [Option<[f32; 2]>; 2]) {
        self.periodic = Periodic::new(sides);
    }

    /// How strongly the boundary acts from now on.
    pub fn set_boundary_factors(&mut self, boundary: BoundaryFactors) {
        self.boundary = boundary;
    }

    /// Particles of the fluid.
    pub fn len(&self) -> usize {
        self.fluid_count
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.fluid_count == 0
    }

    /// Simulated time `[s]`.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken.
    pub fn steps_taken(&self) -> u64 {
        self.steps
    }

    /// What the rounds came to in which its method looks for the pressure; nothing where it takes none.
    pub fn rounds_taken(&self) -> RoundsTaken {
        self.pressure.rounds()
    }

    /// Counts them on from there.
    pub fn count_rounds_from(&mut self, taken: RoundsTaken) {
        self.pressure.count_rounds_from(taken);
    }

    /// The last step `[s]`; 0 before the first.
    pub fn last_dt(&self) -> f64 {
        self.last_dt
    }

    /// The fastest and the most accelerated particle of the last step.
    pub fn extremes(&self) -> Extremes {
        self.last
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

    /// Density of each sorted particle `[kg/m³]`.
    pub fn density(&self) -> &[f32] {
        &self.shared.density
    }

    /// Density that the last step found `[kg/m³]`, in the order of [`Fluid::particles`]; what was added since has none.
    pub fn last_density(&self) -> &[f32] {
        &self.shared.density[..self.known]
    }

    /// Pressure at a density `[Pa]`.
    pub fn pressure_at(&self, density: f32) -> f32 {
        self.constants.pressure(density)
    }

    /// The number that the next particle of the fluid is born with.
    pub fn next_tag(&self) -> u32 {
        self.born
    }

    /// Adds a particle of the fluid.
    pub fn add(&mut self, position: [f32; 3], velocity: [f32; 3], expires: f32, cargo: f64) {
        self.add_under(0.0, position, velocity, expires, cargo);
    }

    /// Adds a particle of the fluid that is under a pressure `[Pa]`.
    pub fn add_under(
        &mut self,
        pressure: f64,
        position: [f32; 3],
        velocity: [f32; 3],
        expires: f32,
        cargo: f64,
    ) {
        let Constants { sound_speed, rest_density, .. } = self.constants;
        let compression = (pressure / f64::from(rest_density * sound_speed * sound_speed)) as f32;
        self.add_again(&Particle { position, velocity, mass: 0.0, expires, compression, tag: 0, cargo });
    }

    /// Adds a particle as it was before, but for its number, and with the mass that all have.
    pub fn add_again(&mut self, particle: &Particle) {
        let particle = Particle { mass: self.constants.mass, tag: self.born, ..*particle };
        self.born = (self.born + 1) & !BOUNDARY;
        // Where no sound bounds it, the next step is short enough for the new one.
        if self.params.pressure.is_incompressible() {
            let speed = particle.velocity.iter().map(|v| v * v).sum::<f32>().sqrt();
            self.last.speed = self.last.speed.max(speed);
        }
        self.next.push(particle);
        self.fluid_count += 1;
    }

    /// Adds a particle of the boundary; `tag` is the owner's, and [`SLIP`](crate::SLIP) if it has no friction. It stands for
    /// a `share` of the fluid that one of its particles is, unless the boundary is weighed.
    pub fn add_boundary(&mut self, position: [f32; 3], velocity: [f32; 3], tag: u32, share: f32) {
        let mass = self.constants.mass * share;
        self.next.push(Particle {
            position,
            velocity,
            mass,
            expires: FOREVER,
            compression: 0.0,
            tag: tag | BOUNDARY,
            cargo: 0.0,
        });
    }
}
