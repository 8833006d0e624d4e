//! The flow of the lowest water of a place, and its stress on the ground by the law of the wall.
//!
//! The mean is over a height that does not depend on the spacing of particles, so neither does the stress. It slows the same water, evenly over
//! that height: in a developed flow the stress falls in proportion to the height above the ground, which is just that.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use thalweg_erosion::law::wall;

/// Quanta of a metre and of a metre per second in the sums `[-]`: whole numbers add up to the same in any order, and a million of
/// particles with a thousand metres per second do not overflow.
const QUANTA: f32 = 16_777_216.0;

/// What particles add up to: their number, velocity and height above the ground.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    count: AtomicI64,
    velocity: [AtomicI64; 3],
    height: AtomicI64,
}

/// What a few particles add up to, before others hear of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Few {
    count: i64,
    velocity: [i64; 3],
    height: i64,
}

impl Few {
    /// Adds a particle so high above the ground `[m]`.
    #[inline(always)]
    pub(crate) fn add(&mut self, above: f32, velocity: [f32; 3]) {
        let quanta = |value: f32| (value * QUANTA) as i64;
        self.count += 1;
        self.height += quanta(above);
        self.velocity.iter_mut().zip(velocity).for_each(|(sum, speed)| *sum += quanta(speed));
    }
}

impl Sum {
    /// Adds a particle so high above the ground `[m]`.
    #[inline(always)]
    pub(crate) fn add(&self, above: f32, velocity: [f32; 3]) {
        let mut few = Few::default();
        few.add(above, velocity);
        self.add_few(&few);
    }

    /// Adds a few.
    #[inline(always)]
    pub(crate) fn add_few(&self, few: &Few) {
        self.count.fetch_add(few.count, Relaxed);
        self.height.fetch_add(few.height, Relaxed);
        for (sum, value) in self.velocity.iter().zip(few.velocity) {
            sum.fetch_add(value, Relaxed);
        }
    }

    /// The flow that they are, averaged over at most a height `[m]`, over grains of a roughness `[m]`.
    pub(crate) fn flow(&self, height: f64, roughness: f64) -> Flow {
        let count = self.count.load(Relaxed);
        if count == 0 {
            return Flow::default();
        }
        let mean = |sum: &AtomicI64| sum.load(Relaxed) as f64 / f64::from(QUANTA) / count as f64;
        // Particles fill a depth evenly: their mean height is half of it, however much of the column they fill.
        let depth = (2.0 * mean(&self.height)).clamp(roughness, height.max(roughness));
        Flow {
            velocity: [0, 1, 2].map(|axis: usize| mean(&self.velocity[axis]) as f32),
            depth: depth as f32,
            drag: wall::drag(depth, roughness) as f32,
        }
    }
}

/// The lowest water of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flow {
    /// Mean velocity `[m/s]`.
    velocity: [f32; 3],
    /// How deep it is, at most the height of the mean `[m]`.
    pub depth: f32,
    /// Stress on the ground over ρ v² `[-]`.
    pub drag: f32,
}

impl Flow {
    /// Speed along ground of a unit normal `[m/s]`.
    #[inline(always)]
    fn speed(&self, normal: [f32; 3]) -> f32 {
        length(along(self.velocity, normal))
    }

    /// Stress on ground of a unit normal over the density of the water, u*² `[m²/s²]`.
    #[inline(always)]
    pub(crate) fn stress(&self, normal: [f32; 3]) -> f32 {
        let speed = self.speed(normal);
        self.drag * speed * speed
    }

    /// A velocity after a time `dt` `[s]` beside ground of a unit normal; what does not slow down it keeps.
    #[inline(always)]
    pub(crate) fn slowed(&self, velocity: [f32; 3], normal: [f32; 3], dt: f32) -> [f32; 3] {
        if self.drag == 0.0 {
            return velocity;
        }
        let along = along(velocity, normal);
        // At the end of the step, so that no step turns the flow round.
        let slower = dt * self.drag * self.speed(normal) / self.depth;
        std::array::from_fn(|axis| velocity[axis] - along[axis] * slower / (1.0 + slower))
    }
}

/// What of a velocity goes along ground of a unit normal.
#[inline(always)]
fn along(v: [f32; 3], n: [f32; 3]) -> [f32; 3] {
    let into = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
    std::array::from_fn(|axis| v[axis] - into * n[axis])
}

#[inline(always)]
fn length(v: [f32; 3]) -> f32 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}
