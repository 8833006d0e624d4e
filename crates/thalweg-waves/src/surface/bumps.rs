//! What particles add to the surface: bumps.

use crate::WaterPoint;
use crate::basin::Basin;
use crate::particles::{Packet, Particle, faded_height};
use crate::plane::{Vec2, add, length, sub};
use std::f64::consts::PI;

/// A bump of the surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bump {
    pub(crate) place: Vec2,
    pub(crate) height: f64,
    /// Its radius `[m]`.
    pub(crate) radius: f64,
    /// How fast it goes `[m/s]`.
    pub(crate) velocity: Vec2,
}

impl Bump {
    /// Whether a place is near enough to lie on it, with what the surface may be moved sideways.
    pub(crate) fn reaches(&self, place: Vec2) -> bool {
        (0..2).all(|axis| (place[axis] - self.place[axis]).abs() < 2.0 * self.radius)
    }

    /// What it adds to the surface, as the filter has it: ½(1 + cos) along both axes; the water goes k times as fast as it flows, and rises where
    /// what flows comes together.
    pub(crate) fn at(&self, place: Vec2) -> WaterPoint {
        let k = PI / self.radius;
        let along = |axis: usize| {
            let off = place[axis] - self.place[axis];
            let (sin, cos) = libm::sincos(k * off);
            if off.abs() < self.radius { [0.5 * (1.0 + cos), -0.5 * k * sin] } else { [0.0; 2] }
        };
        let [[x, dx], [y, dy]] = [along(0), along(1)];
        let height = self.height * x * y;
        let gradient = [self.height * dx * y, self.height * x * dy];
        let [east, north] = self.velocity;
        let up = -(east * gradient[0] + north * gradient[1]);
        WaterPoint { height, gradient, velocity: [k * east * height, k * north * height, up] }
    }
}

/// Share of a wave's height that bumps of another radius keep: the first Fourier coefficient of a row of them, of alternating sign.
fn kept(ratio: f64) -> f64 {
    let off = 1.0 - ratio * ratio;
    if off.abs() < 1.0e-6 {
        return 1.0;
    }
    2.0 * libm::sin(PI * ratio) / (PI * off)
}

/// Least share that is made up for: waves much shorter than the bumps that draw them vanish, as they should.
const LEAST_KEPT: f64 = 0.6;

/// Calls `take` for each bump that a particle has at a time, and for the images of those near walls. `drawn` tells the radius that half a
/// wave is drawn with.
pub(crate) fn each_bump(
    particle: &Particle,
    basin: &Basin,
    (time, damping): (f64, f64),
    drawn: impl Fn(f64) -> f64,
    take: &mut impl FnMut(Bump),
) {
    if time < particle.born {
        return;
    }
    let width = particle.width_after(particle.way(time));
    // Bumps a width apart add up to a crest of height × radius / width.
    let row = particle.crest(time) * faded_height(damping, time - particle.since) * width;
    let middle = particle.place_at(time);
    let mut put = |bump: Bump| {
        take(bump);
        if basin.has_walls() && basin.clear(bump.place) < bump.radius {
            basin.images(bump.place, bump.radius, &mut |image| take(Bump { place: image, ..bump }));
        }
    };
    let velocity = |speed: f64| [particle.heading[0] * speed, particle.heading[1] * speed];
    if particle.train == 0.0 {
        let radius = drawn(particle.radius);
        put(Bump { place: middle, height: row / radius, radius, velocity: velocity(particle.speed) });
        return;
    }
    Packet::of(particle, time).bumps(&mut |ahead, half_wave, share| {
        let crests = velocity(particle.frequency * half_wave / PI);
        let place = add(middle, particle.heading, ahead);
        let radius = drawn(half_wave);
        let height = row / radius * share / kept(radius / half_wave).max(LEAST_KEPT);
        put(Bump { place, height, radius, velocity: crests });
    });
}

/// Height of the surface at a place, summed over all bumps, each of its own radius and round: the plain reference.
pub(crate) fn height_at<'a>(
    particles: impl Iterator<Item = &'a Particle>,
    basin: &Basin,
    at: (f64, f64),
    place: Vec2,
) -> f64 {
    let mut height = 0.0;
    for particle in particles {
        // Trains reach farther than their radius.
        let reach = particle.length_at(at.0) + 2.0 * particle.radius;
        if length(sub(particle.place_at(at.0), place)) > 3.0 * reach {
            continue;
        }
        each_bump(particle, basin, at, |half_wave| half_wave, &mut |bump| {
            let away = length(sub(bump.place, place));
            if away < bump.radius {
                height += 0.5 * bump.height * (libm::cos(PI * away / bump.radius) + 1.0);
            }
        });
    }
    height
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_bumps_of_another_radius_keeps_what_is_said() {
        for ratio in [0.7, 1.0, 1.3] {
            // The first coefficient of bumps at 0 and, upside down, at 1, with a period of 2.
            let bump = |u: f64| if u.abs() < ratio { 0.5 * (1.0 + (PI * u / ratio).cos()) } else { 0.0 };
            let wave =
                |x: f64| (-4..=4).map(|n| f64::from(1 - 2 * (n & 1)) * bump(x - f64::from(n))).sum::<f64>();
            let steps = 20_000;
            let at = |i: i32| 2.0 * f64::from(i) / f64::from(steps);
            let sum: f64 = (0..steps).map(|i| wave(at(i)) * (PI * at(i)).cos()).sum();
            let found = 2.0 * sum / f64::from(steps);
            assert!((found - kept(ratio)).abs() < 1.0e-6, "{found} at {ratio}, not {}", kept(ratio));
        }
    }
}
