//! One particle: how it goes, and how high it is.

use crate::plane::{Vec2, add};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// What tells the height of a particle's crest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Law {
    /// Its volume stays: strength is its amplitude `[m]`.
    Volume,
    /// Its energy stays: strength squared is height² × length × width `[m²]`.
    Energy,
    /// It is a part of what goes around a wall's end, at this angle to the shadow's edge, inwards: strength is the height of the wave
    /// that met the end `[m]`.
    Fan(f64),
}

/// A piece of a wave front, at the moment when it last changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Particle {
    pub(crate) place: Vec2,
    /// Where it goes, a unit vector.
    pub(crate) heading: Vec2,
    /// When it was there `[s]`.
    pub(crate) since: f64,
    /// When it began `[s]`; before, there is nothing to see of it.
    pub(crate) born: f64,
    /// Speed of its bump, or of the middle of its train `[m/s]`.
    pub(crate) speed: f64,
    /// Width of the front that it stands for, w `[m]`.
    pub(crate) width: f64,
    /// Growth of that width along its way, the angle of its arc δ; below zero where the front converges `[rad]`.
    pub(crate) spread: f64,
    pub(crate) law: Law,
    pub(crate) strength: f64,
    /// Half its wavelength, here `[m]`.
    pub(crate) radius: f64,
    /// Its angular frequency, which stays as the depth changes; 0 where speeds are constant `[rad/s]`.
    pub(crate) frequency: f64,
    /// Half the length of its train at birth; 0 for a single crest `[m]`.
    pub(crate) train: f64,
    /// Phase in the middle of the train `[rad]`.
    pub(crate) phase: f64,
    /// How fast a train becomes longer, |d²ω/dk²| `[m²/s]`.
    pub(crate) spreading: f64,
    /// How many ends of walls its waves have come around.
    pub(crate) turns: u8,
    /// It is wider than it should be, as there was no room to split it; it tries again when something else happens to it.
    pub(crate) undivided: bool,
    /// Which body sent it, counted from 1; 0 for none.
    pub(crate) sender: u32,
    /// Whether it is one of a row of crests and troughs.
    pub(crate) row: bool,
}

/// Way of a single crest for which whoever sent it does not feel it, in radii: then it has left the hull, and it no longer overlaps with
/// those that are sent after it.
const UNFELT: f64 = 2.0;

impl Particle {
    /// Way since it last changed `[m]`.
    pub(crate) fn way(&self, time: f64) -> f64 {
        self.speed * (time - self.since)
    }

    /// Which body does not feel it at a time, counted from 1.
    pub(crate) fn unfelt_by(&self, time: f64) -> Option<u32> {
        let is_near = self.train == 0.0 && self.speed * (time - self.born) < UNFELT * self.radius;
        (self.sender > 0 && is_near).then_some(self.sender)
    }

    pub(crate) fn place_at(&self, time: f64) -> Vec2 {
        add(self.place, self.heading, self.way(time))
    }

    /// Width of its front after so long a way; never nothing: where a front comes together in a point it is as high there as the
    /// linear theory says of a ring, J0 against √(2/(π k R)) far off.
    pub(crate) fn width_after(&self, way: f64) -> f64 {
        (self.width + self.spread * way).abs().max(self.spread.abs() * self.radius / 8.0)
    }

    /// Half the length of what its energy fills, along its way `[m]`.
    pub(crate) fn length_at(&self, time: f64) -> f64 {
        if self.train == 0.0 { self.radius } else { self.train * (1.0 + self.dispersed(time).powi(2)).sqrt() }
    }

    /// How far its train has come apart: 1 when it is √2 times as long as at first `[-]`.
    pub(crate) fn dispersed(&self, time: f64) -> f64 {
        2.0 * PI * self.spreading * (time - self.born).max(0.0) / (self.train * self.train)
    }

    /// Height of the crest of its front `[m]`, without what damping took since it last changed.
    pub(crate) fn crest(&self, time: f64) -> f64 {
        let width = self.width_after(self.way(time));
        match self.law {
            Law::Volume => self.strength * self.radius / width,
            Law::Energy => self.strength / (self.length_at(time) * width).sqrt(),
            Law::Fan(angle) => {
                let distance = width / self.spread.abs().max(1.0e-12);
                self.strength * around_the_end(angle, distance, self.radius)
            }
        }
    }

    /// Height of its waves from trough to crest `[m]`; that of a lone crest is the crest's.
    pub(crate) fn height(&self, time: f64) -> f64 {
        let crest = self.crest(time).abs();
        if self.row || self.train > 0.0 { 2.0 * crest } else { crest }
    }

    /// The same particle, told from another moment.
    pub(crate) fn moved_to(&self, time: f64, damping: f64) -> Self {
        let way = self.way(time);
        let width = self.width + self.spread * way;
        let turned = self.turned(time) - self.phase;
        Self {
            place: add(self.place, self.heading, way),
            since: time,
            // Beyond its focus a front is mirrored and grows.
            width: width.abs(),
            spread: if width < 0.0 { -self.spread } else { self.spread },
            strength: self.strength * faded(damping, time - self.since),
            phase: self.phase + turned,
            ..*self
        }
    }

    /// Phase in the middle of its train at a time `[rad]`.
    pub(crate) fn turned(&self, time: f64) -> f64 {
        if self.train == 0.0 {
            return self.phase;
        }
        self.phase + (PI / self.radius * self.speed - self.frequency) * (time - self.since)
    }
}

/// Share of a height that is left after a time.
pub(crate) fn faded(damping: f64, time: f64) -> f64 {
    if damping == 0.0 { 1.0 } else { libm::exp(-damping * time) }
}

/// What must be added, at an angle to the edge of the shadow of a wall's end, to a front that just ends there, so that together they are
/// as high as Sommerfeld's half-plane says, as a share of the front's height.
fn around_the_end(angle: f64, distance: f64, radius: f64) -> f64 {
    // v = y √(2/(λ x)), with λ = 2 radius.
    let v = angle * (distance / radius).sqrt();
    let across = angle * distance / radius;
    // A row of bumps that ends falls from its height to nothing over a radius on either side.
    let front = if across >= 1.0 {
        0.0
    } else if across <= -1.0 {
        1.0
    } else {
        0.5 * (1.0 - across - libm::sin(PI * across) / PI)
    };
    // On the side that sees the wave the fan lags behind the front: what it adds to the front's crest is less than its own height.
    let lag = distance * (1.0 - libm::cos(angle)) / radius;
    let share =
        if angle < 0.0 && lag < 1.0 { (0.5 * (1.0 + libm::cos(PI * lag))).max(LEAST_SHARE) } else { 1.0 };
    (knife_edge(v) - front) / share
}

/// Share of a fan that is in step with its front, below which it is not raised further.
const LEAST_SHARE: f64 = 0.5;

/// Height behind a knife edge as a share of the incoming one: 1/2 at the edge of the shadow (0), less within it (above 0).
/// Fresnel's integrals by their auxiliary functions, to 0.002 (Abramowitz & Stegun 1964, 7.3.32 and 7.3.33).
pub(crate) fn knife_edge(v: f64) -> f64 {
    let x = v.abs();
    let f = (1.0 + 0.926 * x) / (2.0 + 1.792 * x + 3.104 * x * x);
    let g = 1.0 / (2.0 + 4.142 * x + 3.492 * x * x + 6.670 * x * x * x);
    if v >= 0.0 {
        return (f * f + g * g).sqrt() * FRAC_1_SQRT_2;
    }
    let turn = 0.5 * PI * x * x;
    let (sin, cos) = (libm::sin(turn), libm::cos(turn));
    let (c, s) = (0.5 + f * sin - g * cos, 0.5 - f * cos - g * sin);
    ((0.5 + c) * (0.5 + c) + (0.5 + s) * (0.5 + s)).sqrt() * FRAC_1_SQRT_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_knife_edge_lets_by_what_fresnel_says() {
        for (v, share) in [(0.0, 0.500), (1.0, 0.203), (2.0, 0.111), (3.0, 0.075), (-1.0, 1.122)] {
            let found = knife_edge(v);
            assert!((found - share).abs() < 0.004, "{found} at {v}, not {share}");
        }
    }
}
