//! Incompressible SPH: the pressure is whatever keeps the fluid from being compressed, found in rounds. The sums are those of
//! [`super::at_rest`], so water at rest stays at rest on any ground.
//!
//! 1. [`around`]: how the pressure of each particle parts it from its neighbours;
//! 2. all other forces give a flow without pressure;
//! 3. [`rounds`] until what that flow leaves compressed is no more than `tolerance`: [`push`] adds to it what pressure does,
//!    [`parting`] finds what is left, which corrects the pressure;
//! 4. particles that stand closer than at rest are moved some of the way apart, their places alone;
//! 5. [`spread`]: particles that go fast are shifted to where there are fewer.
//!
//! Where this parts from both papers: what is compressed follows from the flow, not from densities summed up anew, and particles that
//! stand too close are moved apart without a change of their velocities. On rough ground such particles would be shot away
//! otherwise, as fast as their overlap over the time step.
//!
//! The two methods differ in their rounds. **PCISPH** (Solenthaler & Pajarola 2009) corrects the pressure of all particles by the
//! factor of one amid a lattice (eq. 8), and takes at least three rounds. **DFSPH** corrects that of each particle by its own factor
//! (Bender & Koschier 2015, eq. 9). Both begin with the pressure of the step before, and each round makes use of those before it. A step whose
//! rounds do not get there is taken anew, half as long.

mod around;
mod parting;
mod push;
mod rounds;
mod spread;

use super::at_rest::{Columns, Numbers, calibration, friction_limit};
use super::{Pressure, Shared, Sorted, resize_column};
use crate::constants::Constants;
use crate::integrate::{Extremes, Shift};
use crate::kernel::{Kernel, Wendland, lattice_sum};
use crate::params::FluidParams;
use crate::particles::{BOUNDARY, PART, Particles};
use crate::rounds::RoundsTaken;
use around::Around;
use push::Push;
use rounds::{Found, Task, Work};
use spread::Spread;
use std::ops::Range;
use thalweg_field::band;

/// Share of a spacing that particles may cross in a step `[-]`.
const FLOW_SHARE: f64 = 0.4;
/// Share of √(Δs/g) that a step may last `[-]`.
const FALL_SHARE: f64 = 0.1;
/// Nothing to speak of, where a step is divided by speed `[m/s]` or gravity `[m/s²]`.
const NOTHING: f64 = 1.0e-9;
/// A step may be so much longer than the one before `[-]`: one that had to be shortened is followed by others like it.
const GROWTH: f64 = 1.2;
/// What is left may be so many times the tolerance before a step is taken anew `[-]`.
const FAILED: f64 = 10.0;
/// No step is taken anew in which sound, were there any, would cross less than this share of a spacing `[-]`.
const SHORTEST: f64 = 0.2;
/// Share of the way apart that a particle which stands too close goes in a step `[-]`: neighbours go too (Ihmsen et al. 2014 take half,
/// with fewer neighbours), and what is left comes next time.
const PLACING_SHARE: f32 = 0.25;
/// Fewest rounds of PCISPH (Solenthaler & Pajarola 2009, 3.3).
const EVEN_ROUNDS: u32 = 3;

/// Which of the two methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounds {
    Pcisph,
    Dfsph,
}

/// Columns for sorted particles, of the fluid and of the boundary. While pressure is sought, columns of the particles after the
/// step, which are not known yet, are borrowed: positions for the flow, velocities for the flow without pressure, compression for
/// the pressure, mass for the way that it is corrected, what pushes and ends for what is left compressed before and after.
#[derive(Debug)]
pub(crate) struct Incompressible {
    rounds: Rounds,
    columns: Columns,
    /// How its own pressure parts each particle from its neighbours: see [`Around`] `[1/m²]`.
    diagonal: Vec<f32>,
    /// By how much closer than at rest fluid stands around each `[-]`.
    crowding: Vec<f32>,
    /// Particles of known velocity and compression: water that emitters drive.
    given: Vec<(u32, f32)>,
    taken: RoundsTaken,
}

impl Incompressible {
    pub(crate) fn pcisph() -> Self {
        Self::new(Rounds::Pcisph)
    }

    pub(crate) fn dfsph() -> Self {
        Self::new(Rounds::Dfsph)
    }

    fn new(rounds: Rounds) -> Self {
        Self {
            rounds,
            columns: Columns::default(),
            diagonal: Vec::new(),
            crowding: Vec::new(),
            given: Vec::new(),
            taken: RoundsTaken::default(),
        }
    }
}

impl Pressure for Incompressible {
    fn resize(&mut self, length: usize) {
        self.columns.resize(length);
        resize_column(&mut self.diagonal, length);
        resize_column(&mut self.crowding, length);
    }

    fn compute_density(&mut self, sorted: Sorted, shared: &mut Shared, next: &mut Particles) {
        let Sorted { particles, neighbours, params, .. } = sorted;
        let count = particles.len();
        self.columns.mark_boundary(particles, next);
        let numbers = Numbers::new(sorted);
        let around = Around { particles, numbers: &numbers, level: level(params) };
        let out = [&mut self.diagonal, &mut self.crowding].map(|column| &mut column[..count]);
        neighbours.walk(particles, &around, out);
        self.columns.finish_density(sorted, shared, &particles.compression);
        // The pressure of the step before is the first guess, and what emitters press by.
        next.compression[..count].copy_from_slice(&particles.compression[..count]);
        self.given.clear();
    }

    /// They take no part in the rounds, and are walls that go along with the flow.
    fn prescribe(&mut self, given: &[(u32, f32)]) {
        self.given.extend_from_slice(given);
        given.iter().for_each(|&(i, _)| self.diagonal[i as usize] = 0.0);
    }

    /// Velocities and positions are of the same time.
    fn kick(&self, _: f64, dt: f64) -> f64 {
        dt
    }

    fn growth(&self) -> f64 {
        GROWTH
    }

    fn accelerate(&mut self, sorted: Sorted, shared: &Shared, next: &mut Particles, kick: f64) -> f64 {
        let numbers = Numbers::new(sorted);
        let count = sorted.particles.len();
        let without = Numbers { growth: 0.0, ..numbers };
        let out = next.velocity.each_mut().map(|column| &mut column[..count]);
        self.columns.accelerate(sorted, shared, &without, out);
        let mut kick = kick;
        move_on(sorted.particles, next, kick as f32);
        let shortest = SHORTEST * sorted.params.spacing / f64::from(sorted.constants.sound_speed);
        loop {
            self.begin(sorted, next);
            let found = self.keep_flow(sorted, &numbers, next, kick as f32);
            self.taken.rounds += u64::from(found.rounds);
            let tolerance = sorted.params.tolerance;
            if found.error <= FAILED * tolerance || kick <= shortest {
                self.taken.go_on(found.error, tolerance);
                break;
            }
            self.taken.anew += 1;
            kick *= 0.5;
            halve(sorted.particles, next);
        }
        finish(sorted, next, kick as f32);
        self.keep_places(sorted, &numbers, next);
        Spread::over(sorted, &numbers, next, kick as f32);
        kick
    }

    fn rounds(&self) -> RoundsTaken {
        self.taken
    }

    fn count_rounds_from(&mut self, taken: RoundsTaken) {
        self.taken = taken;
    }

    fn shift(&self, _: &FluidParams, _: &Constants) -> Shift {
        Shift::By
    }

    fn max_dt(&self, constants: &Constants, extremes: Extremes, wall_viscosity: f32) -> f64 {
        let spacing = f64::from(constants.mass / constants.rest_density).cbrt();
        let flow = FLOW_SHARE * spacing / f64::from(extremes.speed).max(NOTHING);
        let fall = FALL_SHARE * (spacing / f64::from(constants.gravity).max(NOTHING)).sqrt();
        flow.min(fall).min(friction_limit(constants, wall_viscosity))
    }
}

impl Incompressible {
    /// The pressure of the step before or the one that is given, none for spray; and a flow in which the boundary goes as it goes.
    fn begin(&self, sorted: Sorted, next: &mut Particles) {
        let Sorted { particles, constants, .. } = sorted;
        let count = particles.len();
        for (own, ahead) in particles.velocity.iter().zip(&mut next.position) {
            let work = |range: Range<usize>, ahead: &mut [f32]| ahead.copy_from_slice(&own[range]);
            band::for_each_part(0..count, PART, &mut ahead[..count], &work);
        }
        let stiffness = constants.sound_speed * constants.sound_speed;
        let work = |range: Range<usize>, pressure: &mut [f32]| {
            for (pressure, i) in pressure.iter_mut().zip(range) {
                let moved = self.diagonal[i] != 0.0;
                *pressure = if moved { stiffness * particles.compression[i] } else { 0.0 };
            }
        };
        band::for_each_part(0..count, PART, &mut next.compression[..count], &work);
        for &(i, compression) in &self.given {
            next.compression[i as usize] = stiffness * compression;
        }
    }

    /// Finds the pressure under which the flow does not compress the fluid.
    fn keep_flow(&mut self, sorted: Sorted, numbers: &Numbers, next: &mut Particles, kick: f32) -> Found {
        let Particles { position, velocity, mass, expires, compression, .. } = next;
        let (least, even) = match self.rounds {
            Rounds::Pcisph => (EVEN_ROUNDS, lattice_diagonal(sorted.params)),
            Rounds::Dfsph => (1, 0.0),
        };
        let task = Task {
            sorted,
            numbers,
            diagonal: &self.diagonal,
            given: &self.given,
            even,
            start: velocity.each_ref().map(Vec::as_slice),
            time: kick,
            rounds: [least, sorted.params.max_rounds],
        };
        task.run(&mut Work {
            flow: position.each_mut().map(Vec::as_mut_slice),
            pressure: compression,
            way: mass,
            before: &mut self.columns.pushing,
            left: expires,
        })
    }

    /// Finds where particles go that stand closer than at rest; nothing pushes yet, and nothing moves.
    fn keep_places(&mut self, sorted: Sorted, numbers: &Numbers, next: &mut Particles) {
        let Sorted { particles, neighbours, params, .. } = sorted;
        let count = particles.len();
        let (diagonal, crowding) = (&self.diagonal, &self.crowding);
        let part = |range: Range<usize>, pressure: &mut [f32]| {
            let mut sums = (0.0, 0);
            for (k, i) in range.enumerate() {
                let counts = particles.tag[i] & BOUNDARY == 0 && diagonal[i] != 0.0;
                let closer = if counts { crowding[i].max(0.0) } else { 0.0 };
                pressure[k] = if closer > 0.0 { PLACING_SHARE * closer / diagonal[i].abs() } else { 0.0 };
                sums = (sums.0 + f64::from(closer), sums.1 + u64::from(counts));
            }
            sums
        };
        let both = |a: (f64, u64), b: (f64, u64)| (a.0 + b.0, a.1 + b.1);
        let pressure = &mut self.columns.pushing;
        let (closer, all) = band::measure_parts(0..count, PART, &mut pressure[..count], &part, &both);
        if closer <= params.tolerance * all as f64 {
            return;
        }
        let push = Push { particles, numbers, pressure, heavy: false, start: None, time: 1.0 };
        let ahead = next.position.each_mut().map(|column| &mut column[..count]);
        neighbours.walk(particles, &push, ahead);
    }
}

/// Accelerations from the flow that was found, and its pressure as the compression that a fluid of that speed of sound would have.
/// Nothing is moved aside yet.
fn finish(sorted: Sorted, next: &mut Particles, kick: f32) {
    let Sorted { particles, constants, .. } = sorted;
    let count = particles.len();
    let per = 1.0 / kick;
    for axis in 0..3 {
        let own = &particles.velocity[axis];
        let columns = [&mut next.velocity[axis][..count], &mut next.position[axis][..count]];
        let work = |range: Range<usize>, [out, ahead]: [&mut [f32]; 2]| {
            for (k, i) in range.enumerate() {
                out[k] = (ahead[k] - own[i]) * per;
                ahead[k] = 0.0;
            }
        };
        band::for_each_part(0..count, PART, columns, &work);
    }
    let soft = 1.0 / (constants.sound_speed * constants.sound_speed);
    band::for_each_part(0..count, PART, &mut next.compression[..count], &|_, pressure: &mut [f32]| {
        pressure.iter_mut().for_each(|pressure| *pressure *= soft);
    });
}

/// Velocities without pressure, from the accelerations that stand there.
fn move_on(particles: &Particles, next: &mut Particles, kick: f32) {
    each_velocity(particles, next, &|own, out| own + kick * out);
}

/// The same after half of the time.
fn halve(particles: &Particles, next: &mut Particles) {
    each_velocity(particles, next, &|own, out| 0.5 * (own + out));
}

fn each_velocity(particles: &Particles, next: &mut Particles, change: &(impl Fn(f32, f32) -> f32 + Sync)) {
    let count = particles.len();
    for (own, out) in particles.velocity.iter().zip(&mut next.velocity) {
        band::for_each_part(0..count, PART, &mut out[..count], &|range: Range<usize>, out: &mut [f32]| {
            for (out, &own) in out.iter_mut().zip(&own[range]) {
                *out = change(own, *out);
            }
        });
    }
}

/// How its own pressure parts a particle amid a lattice from its neighbours `[1/m²]`.
fn lattice_diagonal(params: &FluidParams) -> f32 {
    let (h, spacing) = (params.smoothing_radius(), params.spacing);
    let [slope, _] = calibration(params);
    let volume = spacing.powi(3);
    lattice_sum(spacing, h, |r| (volume * slope * (h - r).powi(3) * r).powi(2)) as f32
}

/// Factor of the sum of (h − r)⁴ (h + 4 r) that makes it 1 on a lattice [1/m⁵].
fn level(params: &FluidParams) -> f32 {
    let (h, spacing) = (params.smoothing_radius(), params.spacing);
    let bell = Wendland(h);
    let sum = lattice_sum(spacing, h, |r| bell.value(r));
    (bell.value(0.0) / h.powi(5) / sum) as f32
}
