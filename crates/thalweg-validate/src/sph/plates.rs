//! Flow between two plates.

use super::measure::interpolated;
use super::setup::{Space, fluid};
use crate::{Check, Checks};
use thalweg_coupling::StepError;
use thalweg_sph::{FOREVER, FluidParams, Particle, SLIP, Surroundings};

/// Speed in the middle between two plates, by time. Particles stay on their lattice, 20 between the plates, and the
/// block has no end: all take the velocity of the column in its middle. The plates are single layers of boundary
/// particles, half a spacing behind the surface that they stand for, as under any bed; `shift` puts them aside of the
/// water's lattice [spacings].
fn between_plates(force: f64, plate_speed: f64, shift: f64) -> Result<Vec<[f64; 2]>, StepError> {
    let (gap, layers, side) = (1.0e-3, 20, 7);
    let spacing = gap / layers as f64;
    let params = FluidParams {
        spacing,
        viscosity: 1.0e-3,
        damping: 0.0,
        sound_speed: Some(0.02),
        gravity: 0.0,
        max_dt: 5.0e-4,
        ..FluidParams::default()
    };
    let mut fluid = fluid(&params, 1.0);
    for n in 0..side * side * layers {
        let at = [n % side, n / side % side, n / side / side];
        fluid.add(at.map(|v| ((v as f64 + 0.5) * spacing) as f32), [0.0; 3], FOREVER, 0.0);
    }
    for i in -3..side as i32 + 3 {
        for j in -3..side as i32 + 3 {
            let [x, y] = [i, j].map(|n| ((f64::from(n) + 0.5 + shift) * spacing) as f32);
            fluid.add_boundary([x, y, (-0.5 * spacing) as f32], [0.0; 3], 0, 1.0);
            let top = (gap + 0.5 * spacing) as f32;
            fluid.add_boundary([x, y, top], [plate_speed as f32, 0.0, 0.0], 0, 1.0);
        }
    }
    let middle = |tag: usize| side * side * (tag / (side * side)) + side * side / 2;
    let along = Space { held: true, eastwards: true, push: force as f32 };
    let mut curve = vec![[0.0; 2]];
    while curve.last().is_some_and(|last| last[0] < 0.61) {
        fluid.sort()?;
        if curve.len() == 1 {
            fluid.weigh_boundary();
        }
        fluid.compute_density();
        let dt = fluid.choose_dt(f64::INFINITY);
        fluid.accelerate_and_move(&along, dt)?;
        let time = fluid.time() - 0.5 * dt; // velocities are half a step behind
        let particles = fluid.particles_mut();
        let mut speeds = vec![0.0; side * side * layers];
        for i in 0..particles.len() {
            if !particles.is_boundary(i) {
                speeds[particles.tag[i] as usize] = particles.velocity[0][i];
            }
        }
        for i in 0..particles.len() {
            if !particles.is_boundary(i) {
                particles.velocity[0][i] = speeds[middle(particles.tag[i] as usize)];
                // Between endless plates nothing is compressed; the block has ends, where water seems to pile up.
                particles.compression[i] = 0.0;
            }
        }
        let at = |layer: usize| f64::from(speeds[middle(layer * side * side)]);
        // A parabola through the four layers around the middle.
        let [a, b, c, d] = [8, 9, 10, 11].map(at);
        curve.push([time, (9.0 * (b + c) - (a + d)) / 16.0]);
    }
    Ok(curve)
}

/// Space between two plates so far apart, whose sides are joined, with an acceleration to the east.
struct Gap {
    side: f32,
    high: f32,
    push: f32,
}

impl Surroundings for Gap {
    fn push(&self, _: &Particle, _: f32) -> [f32; 3] {
        [self.push, 0.0, 0.0]
    }

    fn end_move(&self, _: [f32; 3], particle: &mut Particle, _: f32) {
        for axis in 0..2 {
            particle.position[axis] = particle.position[axis].rem_euclid(self.side);
        }
        particle.position[2] = particle.position[2].clamp(0.0, self.high);
    }
}

/// The same with particles that are free to go wherever they are pushed, 20 layers of 6 by 6 whose sides are joined, and all defaults.
fn free_between_plates(force: f64, plate_speed: f64) -> Result<Vec<[f64; 2]>, StepError> {
    let (gap, layers, side) = (1.0e-3, 20, 6);
    let spacing = gap / layers as f64;
    let params = FluidParams { spacing, gravity: 0.0, ..FluidParams::default() };
    let mut fluid = fluid(&params, 1.25e-5);
    let wide = (side as f64 * spacing) as f32;
    fluid.join_sides([Some([0.0, wide]); 2]);
    for n in 0..side * side * (layers + 4) {
        let at = [n % side, n / side % side, n / side / side];
        let place: [f32; 3] = std::array::from_fn(|axis| {
            let below = if axis == 2 { 2.0 } else { 0.0 };
            ((at[axis] as f64 + 0.5 - below) * spacing) as f32
        });
        match at[2] {
            0 | 1 => fluid.add_boundary(place, [0.0; 3], if at[2] == 1 { 0 } else { SLIP }, 1.0),
            k if k >= layers + 2 => {
                let tag = if k == layers + 2 { 0 } else { SLIP };
                fluid.add_boundary(place, [plate_speed as f32, 0.0, 0.0], tag, 1.0);
            }
            _ => fluid.add(place, [0.0; 3], FOREVER, 0.0),
        }
    }
    let space = Gap { side: wide, high: gap as f32, push: force as f32 };
    let mut curve = vec![[0.0; 2]];
    while curve.last().is_some_and(|last| last[0] < 0.61) {
        fluid.sort()?;
        fluid.compute_density();
        let dt = fluid.choose_dt(f64::INFINITY);
        fluid.accelerate_and_move(&space, dt)?;
        let particles = fluid.particles();
        // A parabola through the means of the four spacings around the middle.
        let mut sums = [[0.0; 2]; 4];
        for i in (0..particles.len()).filter(|&i| !particles.is_boundary(i)) {
            let layer = (f64::from(particles.position[2][i]) / spacing) as usize;
            if let Some(sum) = layer.checked_sub(layers / 2 - 2).and_then(|k| sums.get_mut(k)) {
                *sum = [sum[0] + f64::from(particles.velocity[0][i]), sum[1] + 1.0];
            }
        }
        let [a, b, c, d] = sums.map(|[sum, count]| sum / count);
        curve.push([fluid.time() - 0.5 * dt, (9.0 * (b + c) - (a + d)) / 16.0]);
    }
    Ok(curve)
}

const PLATE_TIMES: [f64; 5] = [0.0225, 0.045, 0.1125, 0.225, 0.6];

fn plate_checks(force: f64, plate_speed: f64, expected: [f64; 5]) -> Checks {
    const SOURCE: &str = "Morris, Fox & Zhu 1997: series solution; ν 1e-6 m²/s, gap 1 mm";
    let mut checks = Vec::new();
    for (name, shift) in [("plates in line", 0.0), ("plates half a spacing aside", 0.5)] {
        let curve = between_plates(force, plate_speed, shift)?;
        for (time, speed) in PLATE_TIMES.into_iter().zip(expected) {
            let check = Check::new(format!("speed in the middle at {time} s, {name}"), "m/s", SOURCE);
            checks.push(check.near_share(interpolated(&curve, time), speed, 0.05));
        }
    }
    let curve = free_between_plates(force, plate_speed)?;
    for (time, speed) in PLATE_TIMES.into_iter().zip(expected) {
        let check = Check::new(format!("speed in the middle at {time} s, free particles"), "m/s", SOURCE);
        checks.push(check.near_share(interpolated(&curve, time), speed, 0.05));
    }
    Ok(checks)
}

pub(super) fn poiseuille() -> Checks {
    plate_checks(1.0e-4, 0.0, [2.233e-6, 4.235e-6, 8.250e-6, 1.1100e-5, 1.2465e-5])
}

pub(super) fn couette() -> Checks {
    plate_checks(0.0, 1.25e-5, [2.303e-7, 1.195e-6, 3.628e-6, 5.386e-6, 6.229e-6])
}
