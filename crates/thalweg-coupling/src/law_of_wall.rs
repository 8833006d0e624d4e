//! The flow of the lowest water of a place, and its stress on the ground by the law of the wall.
//!
//! The mean is over a height that does not depend on the spacing of particles, so neither does the stress. It slows the same water, evenly over
//! that height: in a developed flow the stress falls in proportion to the height above the ground, which is just that.

use crate::params::Params;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use thalweg_erosion::law::wall;

/// Quanta of a metre and of a metre per second in the sums `[-]`: whole numbers add up to the same in any order, and a million of
/// particles with a thousand metres per second do not overflow.
const QUANTA: f32 = 16_777_216.0;

/// Places are at least so many spacings wide `[-]`, and the height of the mean is at least so many.
pub(crate) const LEAST_SPACINGS: f64 = 2.0;

/// How the stress on the ground follows from the flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wall {
    /// Most height of the mean, and k_s `[m]`.
    pub height: f64,
    pub roughness: f64,
    /// How much of the speed straight into the ground counts `[-]`.
    pub blows: f64,
}

impl Wall {
    /// That of some parameters.
    pub(crate) fn of(params: &Params) -> Self {
        let height = params.bed.layer.max(LEAST_SPACINGS * params.fluid.spacing);
        Self { height, roughness: params.bed.roughness, blows: params.erosion.blows }
    }
}

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

    /// The flow that they are, averaged over at most a height.
    pub(crate) fn flow(&self, Wall { height, roughness, blows }: Wall) -> Flow {
        let count = self.count.load(Relaxed);
        if count == 0 {
            return Flow::default();
        }
        let mean = |sum: &AtomicI64| sum.load(Relaxed) as f64 / f64::from(QUANTA) / count as f64;
        // Particles fill a depth evenly: their mean height is half of it, however much of the column they fill.
        let depth = (2.0 * mean(&self.height)).clamp(roughness, height.max(roughness));
        let drag = wall::drag(depth, roughness);
        Flow {
            velocity: [0, 1, 2].map(|axis: usize| mean(&self.velocity[axis]) as f32),
            depth: depth as f32,
            drag: drag as f32,
            blow: (blows * drag) as f32,
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
    /// Stress on the ground over ρ v² `[-]`, and what it is of that with which water runs straight into the ground.
    pub drag: f32,
    blow: f32,
}

impl Flow {
    /// Speed along ground of a unit normal `[m/s]`.
    #[inline(always)]
    fn speed(&self, normal: [f32; 3]) -> f32 {
        length(along(self.velocity, normal))
    }

    /// Stress on ground of a unit normal over the density of the water, u*² `[m²/s²]`. Nothing flows along the ground where a jet stands upright on
    /// it; around that the stress is the highest, 0.00416 ρ v² (Hanson & Cook 2004), which is what the law has for the jet's own speed.
    #[inline(always)]
    pub(crate) fn stress(&self, normal: [f32; 3]) -> f32 {
        let [u, v, w] = self.velocity;
        let (speed, into) = (self.speed(normal), (u * normal[0] + v * normal[1] + w * normal[2]).min(0.0));
        self.drag * speed * speed + self.blow * into * into
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A jet wears what it runs into as if it ran along it, where blows count; what leaves the ground does not.
    #[test]
    fn a_blow_wears_as_much_as_a_flow_of_its_speed_along_the_ground() {
        const UP: [f32; 3] = [0.0, 0.0, 1.0];
        let stress = |velocity: [f32; 3], blows: f64| {
            let sum = Sum::default();
            sum.add(0.25, velocity);
            sum.flow(Wall { height: 0.5, roughness: 0.002, blows }).stress(UP)
        };
        let along = stress([3.0, 4.0, 0.0], 0.0);
        assert_eq!(along, stress([3.0, 4.0, 0.0], 1.0));
        for (velocity, blows, share) in [
            ([0.0, 0.0, -5.0], 0.0, 0.0),
            ([0.0, 0.0, -5.0], 1.0, 1.0),
            ([3.0, 0.0, -4.0], 0.5, 0.36 + 0.32),
            ([3.0, 0.0, 4.0], 1.0, 0.36),
        ] {
            let found = stress(velocity, blows) / along;
            assert!((found - share).abs() < 1.0e-5, "{velocity:?} m/s, {blows}: {found}, not {share}");
        }
    }
}
