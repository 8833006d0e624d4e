//! What something that moves over deep water sends out: Kelvin's wake.

use crate::Emission;
use crate::plane::turned;
use std::f64::consts::{FRAC_PI_2, PI};

/// Something that moves over deep water.
///
/// It sends waves to all sides, but those that it meets again out of step cancel. What remains at an angle ψ to its course are waves whose crests
/// keep up with it: of the speed U cos ψ, with the wave number g/(U cos ψ)². Their energy goes at half that speed, so that all of it stays
/// within asin(1/3) = 19.47° of the course.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wake {
    /// Where it is `[m]`.
    pub place: [f64; 2],
    /// Where it goes, a unit vector.
    pub course: [f64; 2],
    /// Its speed U `[m/s]`.
    pub speed: f64,
    /// Height of the waves that it sends out in a second, before what its depth takes `[m/s]`.
    pub strength: f64,
    /// Depth of what makes the waves: those that are short against it are not made, e^(−k d) `[m]`.
    pub depth: f64,
    /// Angles on either side in which waves are sent.
    pub angles: usize,
    /// Wavelengths from the middle of each train to its end `[-]`.
    pub train: f64,
}

/// Largest angle to the course that is sent out; waves beyond are short and low `[rad]`.
const WIDEST: f64 = 0.85 * FRAC_PI_2;

impl Wake {
    /// What it sends out in a time, on both sides.
    pub fn emissions(&self, gravity: f64, dt: f64) -> Vec<Emission> {
        let spread = WIDEST / self.angles as f64;
        let one = |n: usize, side: f64| {
            let angle = spread * (n as f64 + 0.5);
            let along = self.speed * libm::cos(angle);
            let wave_number = gravity / (along * along);
            let radius = PI / wave_number;
            let height = self.strength * dt * libm::exp(-wave_number * self.depth);
            Emission {
                place: self.place,
                heading: turned(self.course, side * angle),
                spread,
                // Its height at a distance of one radius.
                amplitude: height * spread,
                radius,
                train: self.train,
                ..Emission::default()
            }
        };
        if self.speed <= 0.0 {
            return Vec::new();
        }
        (0..self.angles).flat_map(|n| [one(n, 1.0), one(n, -1.0)]).collect()
    }
}
