//! The waves that a hull leaves behind on its way: Kelvin's wake of a body made of sources (Michell 1898, Havelock 1932).
//!
//! Faces that move outwards are sources, faces that move inwards are sinks, of strength A (v·n) each (Mikeš 2015, eq. 3.31). At an angle ψ
//! to the course those waves remain whose crests keep up, of k = g/(U cos ψ)². Each face weakens them with its depth, e^(−kd), and
//! delays them by its place: their sum S(ψ) = Σ A (n·course) e^(−kd − ik x·ψ) is what bow and stern make together, which for some speeds
//! cancel. Waves go out as trains, one for each ψ, whenever the hull has gone a fifth of its longest wave; what they carry
//! away, R = ρ U² k₀²/π ∫ |S|² sec³ψ dψ, is what resists the hull.

use super::hull::Hull;
use super::vector::{Vector, cross, minus, scaled};
use super::water::Wetting;
use crate::Emission;
use crate::plane::turned;
use std::f64::consts::{FRAC_PI_4, PI, SQRT_2};

/// Angles on either side in which waves are sent.
const ANGLES: usize = 12;
/// Largest angle to the course that is sent out; waves beyond are short and low `[rad]`.
const WIDEST: f64 = 1.3;
/// Wavelengths from the middle of each train to its end `[-]`.
const TRAIN: f64 = 1.0;
/// A train is sent when its middle has gone so many of its half lengths `[-]`: sooner it would reach ahead of the hull.
const READY: f64 = 0.6;
/// Way between two trains beside the length of the longest waves `[-]`.
const APART: f64 = 0.2;

/// What a hull leaves behind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Kelvin {
    /// Where it was when it sent the last trains `[m]`, and how long ago `[s]`.
    from: [f64; 2],
    since: f64,
    /// What resists it for each metre per second [kg/s].
    resists: f64,
    /// Carried away by its waves, and taken from the hull for them, since the beginning `[J]`.
    pub(super) carried: f64,
    pub(super) taken: f64,
}

/// What a wake needs to know beside the hull.
#[derive(Clone, Copy, Debug)]
pub(super) struct Water {
    pub(super) gravity: f64,
    pub(super) density: f64,
    /// Radius of the shortest waves that are sent `[m]`.
    pub(super) least_radius: f64,
    /// How much of what is displaced becomes waves `[-]`.
    pub(super) strength: f64,
}

/// A face as a source.
struct Source {
    /// From the centre of mass `[m]`.
    place: [f64; 2],
    depth: f64,
    /// Area that it turns to the course `[m²]`.
    area: f64,
}

impl Kelvin {
    /// Numbers of this in a file.
    pub(super) const NUMBERS: usize = 6;

    pub(super) fn at(place: [f64; 2]) -> Self {
        Self { from: place, ..Self::default() }
    }

    /// Begins anew at another place.
    pub(super) fn put(&mut self, place: [f64; 2]) {
        (self.from, self.since, self.resists) = (place, 0.0, 0.0);
    }

    pub(super) fn numbers(&self) -> [f64; Self::NUMBERS] {
        let Self { from, since, resists, carried, taken } = *self;
        [from[0], from[1], since, resists, carried, taken]
    }

    pub(super) fn of_numbers(numbers: &[f64]) -> Self {
        let mut next = numbers.iter().copied();
        let mut take = || next.next().unwrap_or(0.0);
        Self { from: [take(), take()], since: take(), resists: take(), carried: take(), taken: take() }
    }

    /// What its waves resist it with, for each metre per second [kg/s].
    pub(super) fn resists(&self) -> f64 {
        self.resists
    }

    /// Goes on by a step to a place, and sends trains if they are due.
    pub(super) fn go_on(
        &mut self,
        (dt, velocity): (f64, Vector),
        place: Vector,
        (hull, wetting): (&Hull, &Wetting),
        water: Water,
        emissions: &mut Vec<Emission>,
    ) {
        self.taken += self.resists * (velocity[0] * velocity[0] + velocity[1] * velocity[1]) * dt;
        self.since += dt;
        let way = [place[0] - self.from[0], place[1] - self.from[1]];
        let gone = libm::hypot(way[0], way[1]);
        let speed = gone / self.since;
        // The longest waves have the length 2π U²/g; what is slower than the shortest that are sent is looked at as often as they are.
        let slowest = (water.least_radius * water.gravity / PI).sqrt();
        if self.since < APART * 2.0 * PI * speed.max(slowest) / water.gravity {
            return;
        }
        let (since, course) = (self.since, way.map(|x| x / gone.max(f64::MIN_POSITIVE)));
        (self.from, self.since, self.resists) = ([place[0], place[1]], 0.0, 0.0);
        if speed > slowest {
            let sources = sources(hull, wetting, course);
            let going = Going { place: [place[0], place[1]], course, speed, since };
            let resistance = going.send(&sources, &water, emissions);
            self.carried += resistance * gone;
            self.resists = resistance / speed;
        }
    }
}

/// The faces under water.
fn sources(hull: &Hull, wetting: &Wetting, course: [f64; 2]) -> Vec<Source> {
    let mut sources = Vec::new();
    wetting.each_part(hull, |[a, b, c], depths, _| {
        let area = scaled(0.5, cross(minus(b, a), minus(c, a)));
        sources.push(Source {
            place: [0, 1].map(|i| (a[i] + b[i] + c[i]) / 3.0),
            depth: (depths[0] + depths[1] + depths[2]) / 3.0,
            area: area[0] * course[0] + area[1] * course[1],
        });
    });
    sources
}

/// A hull on its way.
struct Going {
    place: [f64; 2],
    course: [f64; 2],
    speed: f64,
    /// Time that the trains stand for `[s]`.
    since: f64,
}

impl Going {
    /// Sends trains to both sides and tells what resists the hull `[N]`.
    fn send(&self, sources: &[Source], water: &Water, emissions: &mut Vec<Emission>) -> f64 {
        let Water { gravity, density, least_radius, strength } = *water;
        let slowest = gravity / (self.speed * self.speed); // k₀
        let widest = libm::acos((least_radius * slowest / PI).sqrt().min(1.0)).min(WIDEST);
        let spread = widest / ANGLES as f64;
        let mut resistance = 0.0;
        for n in 0..ANGLES {
            let angle = spread * (n as f64 + 0.5);
            let cosine = libm::cos(angle);
            let k = slowest / (cosine * cosine);
            for side in [1.0, -1.0] {
                let heading = turned(self.course, side * angle);
                let [re, im] = sum(sources, k, heading);
                let size = strength * libm::hypot(re, im);
                // Half of the integral from each side.
                resistance += 0.5 * size * size / (cosine * cosine * cosine) * spread;
                let phase = libm::atan2(im, re);
                emissions.push(self.train(heading, (k, spread), [size, phase]));
            }
        }
        density * self.speed * self.speed * slowest * slowest / PI * resistance
    }

    /// The train of one direction. A volume V that comes up at once sends out rings of k² V √2/(4π²) for a band of waves k/TRAIN
    /// wide, one radius from it (Cauchy and Poisson), an eighth of a wave behind.
    fn train(&self, heading: [f64; 2], (k, spread): (f64, f64), [size, phase]: [f64; 2]) -> Emission {
        let radius = PI / k;
        let volume = self.speed * self.since * size;
        let crest = k * k * volume * SQRT_2 / (4.0 * PI * PI * TRAIN);
        // It was sent a while ago from where the hull was, and is told from where it is now. Groups go half as fast as crests.
        let out = READY * TRAIN * 2.0 * radius;
        let crests = (self.speed * (heading[0] * self.course[0] + heading[1] * self.course[1])).abs();
        let age = out / (0.5 * crests);
        let place = [0, 1].map(|i| self.place[i] - self.speed * age * self.course[i] + out * heading[i]);
        // What starts nearer than a radius has its height there.
        let told_at = out.max(radius);
        Emission {
            place,
            heading,
            spread,
            origin_distance: out,
            amplitude: crest * (radius / told_at).sqrt() * spread * told_at / radius,
            radius,
            train: TRAIN,
            // Crests run through the train by as much as it has gone.
            phase: phase - FRAC_PI_4 - k * out,
            ..Emission::default()
        }
    }
}

/// S(ψ) of the faces for waves of a heading `[m²]`.
fn sum(sources: &[Source], k: f64, heading: [f64; 2]) -> [f64; 2] {
    sources.iter().fold([0.0; 2], |[re, im], source| {
        let size = source.area * libm::exp(-k * source.depth);
        let (sine, cosine) = libm::sincos(k * (source.place[0] * heading[0] + source.place[1] * heading[1]));
        [re + size * cosine, im - size * sine]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ρ k₀² q²/π ∫ sec³ψ e^(−2 k₀ d sec²ψ) dψ, with q = U A.
    #[test]
    fn a_source_is_resisted_as_havelock_says() {
        let (speed, depth, area) = (4.0, 1.5, 0.2);
        let water = Water { gravity: 9.81, density: 1000.0, least_radius: 0.01, strength: 1.0 };
        let going = Going { place: [0.0; 2], course: [1.0, 0.0], speed, since: 0.5 };
        let source = Source { place: [0.7, 0.0], depth, area };
        let found = going.send(&[source], &water, &mut Vec::new());
        let k = 9.81 / (speed * speed);
        let (steps, mut integral) = (20_000, 0.0);
        for n in 0..steps {
            let step = 0.5 * PI / f64::from(steps);
            let sec = 1.0 / ((f64::from(n) + 0.5) * step).cos();
            integral += sec.powi(3) * (-2.0 * k * depth * sec * sec).exp() * step;
        }
        let wanted = 1000.0 * k * k / PI * (speed * area).powi(2) * integral;
        assert!((found / wanted - 1.0).abs() < 0.01, "{found} N, not {wanted} N");
    }
}
