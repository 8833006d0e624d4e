//! A fluid that takes up where another run left off. Files come from anywhere: every number is checked first.

use super::Fluid;
use crate::integrate::Extremes;
use crate::particles::{BOUNDARY, Particles};
use std::ops::RangeInclusive;
use thalweg_field::range::{FINITE_F32, NATURAL, NATURAL_F32, all_within, whole};

/// No particle of a run that makes sense is faster `[m/s]`.
const FASTEST: f32 = 1.0e6;
/// By so much rounding may take what a particle carries beyond nothing and beyond all of it `[-]`.
const CARGO_SLACK: f64 = 1.0e-3;

impl Fluid {
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
        self.shared.density.clear();
        self.shared.density.extend_from_slice(density);
        self.known = density.len();
        (self.time, self.last_dt) = (time, last_dt);
        self.last = Extremes { speed: speed as f32, acceleration: acceleration as f32 };
        (self.steps, self.born) = (steps, born as u32);
        Ok(())
    }
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
    column(&particles.compression, "compression of particle", -1.0..=f64::from(f32::MAX))?;
    all_within("density of particle", density, &NATURAL_F32)?;
    let cargo = particles.cargo.get(..count).unwrap_or_default();
    all_within("sediment of particle", cargo, &(-CARGO_SLACK..=1.0 + CARGO_SLACK))
}
