//! What happens to fronts of waves: they grow and split, meet walls, bend over shoals, break and fade.

use crate::basin::{Basin, Hit};
use crate::dispersion::{feels_no_bed, frequency, group_speed, phase_speed, speeds, spreading};
use crate::particles::{Kind, Law, Particle};
use crate::plane::{Vec2, add, cross, dot, left, length, mirrored, sub, turned, unit};
use crate::{Conserved, Emission, Params, Speed};
use std::f64::consts::PI;

/// What fronts move in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) params: &'a Params,
    pub(crate) basin: &'a Basin,
}

/// Depth of water that is taken for the speed of waves where it is shallower, in radii `[-]`: at the very shore they would stand still.
const SHALLOWEST: f64 = 1.0e-3;
/// Change of speed over one straight piece of a bent way `[-]`.
const BEND: f64 = 0.005;
/// Longest straight piece of a way over a bed, in cells.
const LONGEST_PIECE: f64 = 16.0;
/// Walls that a child may be behind, one after the other.
const MOST_WALLS: usize = 8;
/// Ends of walls that waves go around, one after the other.
const MOST_TURNS: u8 = 1;
/// Waves whose crests are so many times the lowest that is seen go around the ends of walls.
const WORTH_TURNING: f64 = 4.0;
/// Angle to the edge of the shadow up to which a fan lights the side that sees the wave `[rad]`.
const LIT_SIDE: f64 = 1.0;
/// Particles of a fan before they split.
const FAN: usize = 24;
/// A wall whose bends are narrower than a front scatters it, but into no wider angle `[rad]`.
const SCATTERED: f64 = 1.0;

impl Surroundings<'_> {
    /// The particle that an emission sends out, if there is water.
    pub(crate) fn particle(&self, emission: &Emission, now: f64) -> Option<Particle> {
        let Emission { place, spread, origin_distance, amplitude, radius, .. } = *emission;
        if !self.basin.is_water(place) {
            return None;
        }
        let heading = unit(emission.heading);
        let straight = if emission.width > 0.0 { emission.width } else { 0.5 * radius };
        let width = if spread == 0.0 { straight } else { spread * origin_distance.abs() };
        // Whatever starts near its centre has its height one radius from it.
        let told_at = if spread == 0.0 { straight } else { spread * origin_distance.abs().max(radius) };
        let train = 2.0 * radius * emission.train;
        let crest = amplitude * radius / told_at;
        let (law, strength) = match self.params.conserved {
            Conserved::Volume => (Law::Volume, amplitude),
            Conserved::Energy => {
                let long = if train > 0.0 { train } else { radius };
                (Law::Energy, crest * (long * told_at).sqrt())
            }
        };
        let start = now + emission.delay;
        let particle = Particle {
            place,
            heading,
            since: start,
            born: start,
            speed: 0.0,
            width,
            spread: if origin_distance < 0.0 { -spread } else { spread },
            law,
            strength,
            radius,
            frequency: 0.0,
            train,
            phase: emission.phase,
            spreading: 0.0,
            turns: 0,
            undivided: false,
            sender: emission.sender,
            row: emission.row,
        };
        Some(self.at_its_speed(particle))
    }

    /// The same particle with the speed that it has at its place, on its first day there.
    fn at_its_speed(&self, particle: Particle) -> Particle {
        let Params { gravity, wave_speed, .. } = *self.params;
        if self.params.speed == Speed::Constant {
            return Particle { speed: wave_speed, frequency: PI / particle.radius * wave_speed, ..particle };
        }
        let radius = particle.radius;
        let depth = self.depth(particle.place, radius);
        let is_train = particle.train > 0.0;
        Particle {
            speed: if is_train { group_speed } else { phase_speed }(gravity, radius, depth),
            frequency: frequency(gravity, radius, depth),
            spreading: if is_train { spreading(gravity, radius, depth) } else { 0.0 },
            ..particle
        }
    }

    fn depth(&self, place: Vec2, radius: f64) -> f64 {
        self.basin.depth(place).max(SHALLOWEST * radius)
    }

    /// Speed that a particle's crests, and their groups, would have at a place `[m/s]`.
    fn speeds_at(&self, particle: &Particle, place: Vec2) -> [f64; 2] {
        speeds(self.params.gravity, particle.frequency, self.depth(place, particle.radius))
    }

    /// Whether a particle feels the bed anywhere.
    fn feels_bed(&self, particle: &Particle) -> bool {
        self.params.speed == Speed::Depth
            && self.basin.least_depth() < feels_no_bed(self.params.gravity, particle.frequency)
    }

    /// What happens to a particle next, and when.
    pub(crate) fn next(&self, particle: &Particle) -> (f64, Kind) {
        let (mut way, mut kind) = self.fades(particle);
        let mut sooner = |at: f64, what: Kind| {
            if at < way {
                (way, kind) = (at, what);
            }
        };
        if !particle.undivided {
            sooner(self.splits(particle), Kind::Split);
        }
        if let Some(piece) = self.bends(particle) {
            sooner(piece, Kind::Bend);
        }
        if let Some(extent) = self.basin.extent() {
            sooner(leaves(particle, extent), Kind::Leave);
        }
        if self.basin.has_walls() {
            if let Some(hit) = self.basin.cast(particle.place, particle.heading, way) {
                way = hit.distance;
                kind = Kind::Reflect(hit);
            }
            // What meets the wall beside its end is as far as the end, a little more or less.
            let beside = if let Kind::Reflect(_) = kind { particle.radius } else { 0.0 };
            if let Some((at, corner)) = self.corner(particle, way, beside) {
                (way, kind) = (at, Kind::PassCorner(corner));
            }
        }
        (particle.since + way / particle.speed, kind)
    }

    /// Way after which a particle is too low to be seen.
    fn fades(&self, particle: &Particle) -> (f64, Kind) {
        let lowest = self.params.lowest_crest;
        let crest = particle.crest(particle.since).abs();
        if let Law::Fan(angle) = particle.law {
            // Its height swings about 0.225/v, with v as in `around_the_end`.
            let angle = angle.abs().max(0.02);
            let far = (0.225 * particle.strength / (angle * lowest)).powi(2) * particle.radius;
            let gone = far - particle.width / particle.spread.abs().max(1.0e-12);
            return (gone.max(0.0).min(self.damped(particle, particle.strength.abs())), Kind::Fade);
        }
        if self.is_faded(particle) {
            return (0.0, Kind::Fade);
        }
        let width = match particle.law {
            Law::Volume => particle.strength.abs() * particle.radius / lowest,
            _ => (particle.strength / lowest).powi(2) / particle.length_at(particle.since),
        };
        let by_width = if particle.spread > 0.0 {
            (width - particle.width) / particle.spread
        } else if particle.spread < 0.0 {
            // Beyond its focus it grows again.
            (particle.width + width) / -particle.spread
        } else {
            f64::INFINITY
        };
        // A train also becomes lower as it grows longer; half a minute later it is looked at again.
        let again = if particle.train > 0.0 { 30.0 * particle.speed } else { f64::INFINITY };
        (by_width.max(0.0).min(self.damped(particle, crest)).min(again).min(1.0e9), Kind::Fade)
    }

    /// Way after which damping alone would have made a crest too low.
    fn damped(&self, particle: &Particle, crest: f64) -> f64 {
        let Params { damping, lowest_crest, .. } = *self.params;
        if particle.spread < 0.0 || damping == 0.0 {
            return f64::INFINITY;
        }
        (libm::log(crest / lowest_crest) / damping).max(0.0) * particle.speed
    }

    /// Whether it is too low to be seen at a time.
    pub(crate) fn is_faded(&self, particle: &Particle) -> bool {
        let bound = self.params.lowest_crest * (1.0 + 1.0e-6);
        match particle.law {
            Law::Fan(_) => self.fades(particle).0 <= 1.0e-9 * particle.radius,
            // Where a front converges it may be seen again at its focus.
            _ if particle.spread < 0.0 => {
                let focus = particle.width / -particle.spread;
                particle.crest(particle.since + focus / particle.speed).abs() <= bound
            }
            _ => particle.crest(particle.since).abs() <= bound,
        }
    }

    /// Way after which its front is as wide as T_w.
    fn splits(&self, particle: &Particle) -> f64 {
        // Shorter waves than the surface tells apart are drawn with its smallest radius.
        let widest = self.params.split_width * particle.radius.max(self.params.smallest_radius);
        let Particle { width, spread, .. } = *particle;
        if spread < 0.0 {
            return (width + widest) / -spread;
        }
        if width > widest {
            0.0
        } else if spread > 0.0 {
            (widest - width) / spread
        } else {
            f64::INFINITY
        }
    }

    /// Length of the next straight piece of its way, if there is a bed.
    fn bends(&self, particle: &Particle) -> Option<f64> {
        let cell = self.basin.bed_cell().filter(|_| self.feels_bed(particle))?;
        let is_train = usize::from(particle.train > 0.0);
        let mut piece = cell;
        while piece < LONGEST_PIECE * cell {
            let changes = |way: f64| {
                let place = add(particle.place, particle.heading, way);
                (self.speeds_at(particle, place)[is_train] / particle.speed - 1.0).abs() > BEND
            };
            if changes(2.0 * piece) || changes(1.5 * piece) {
                break;
            }
            piece *= 2.0;
        }
        Some(piece)
    }

    /// Takes up the speed that it has at its place after a piece of its way, and turns it: what is slower on one side turns there. Tells
    /// the energy lost by breaking, as height² × length × width.
    pub(crate) fn bend(&self, particle: &Particle, before: Vec2) -> (Particle, f64) {
        let Some(cell) = self.basin.bed_cell().filter(|_| self.feels_bed(particle)) else {
            return (*particle, 0.0);
        };
        let piece = length(sub(particle.place, before));
        let is_train = particle.train > 0.0;
        let now = self.speeds_at(particle, particle.place);
        let (radius, speed) = (PI * now[0] / particle.frequency, now[usize::from(is_train)]);
        // Crests turn, also those of trains: dθ/ds = −(1/c) ∂c/∂n, and for neighbours d(δ/c)/ds = −w (∂²c/∂n²)/c², taken half-way.
        let middle = add(before, sub(particle.place, before), 0.5);
        let across = left(particle.heading);
        let arm = (2.0 * cell).max(0.5 * piece);
        let crest_speed = |place: Vec2| self.speeds_at(particle, place)[0];
        let here = crest_speed(middle);
        let [l, r] = [arm, -arm].map(|arm| crest_speed(add(middle, across, arm)));
        let turn = -(l - r) / (2.0 * arm) / here * piece;
        let curved = (l - 2.0 * here + r) / (arm * arm);
        let slowed = now[0] / crest_speed(before);
        let spread = particle.spread * slowed - particle.width * curved / here * piece;
        // Turned all along and not only at its end, it would have come a little aside.
        let aside = 0.5 * turn * piece;
        let is_free = !self.basin.has_walls() || self.basin.clear(particle.place) > aside.abs();
        let bent = Particle {
            place: if is_free { add(particle.place, across, aside) } else { particle.place },
            heading: unit(turned(particle.heading, turn)),
            speed,
            radius,
            width: (particle.width + 0.5 * (spread - particle.spread) * piece).abs(),
            spread,
            train: particle.train * (speed / particle.speed),
            spreading: if is_train {
                spreading(self.params.gravity, radius, self.depth(particle.place, radius))
            } else {
                0.0
            },
            ..*particle
        };
        self.broken(bent)
    }

    /// What is left of a wave that is too high for the water below it, and the energy that it lost.
    fn broken(&self, particle: Particle) -> (Particle, f64) {
        let highest = self.params.breaking * self.basin.depth(particle.place);
        let height = particle.height(particle.since);
        if height <= highest || particle.law == Law::Volume {
            return (particle, 0.0);
        }
        let left = Particle { strength: particle.strength * (highest / height), ..particle };
        let energy = |p: &Particle| match p.law {
            Law::Energy => p.strength * p.strength,
            _ => 0.0,
        };
        (left, energy(&particle) - energy(&left))
    }

    /// The three that a particle becomes, itself in the middle: equal parts of its front, on the circle that it lies on.
    pub(crate) fn split(&self, parent: &Particle) -> [Option<Particle>; 3] {
        let third = Particle {
            width: parent.width / 3.0,
            spread: parent.spread / 3.0,
            strength: match parent.law {
                Law::Volume => parent.strength / 3.0,
                Law::Energy => parent.strength / 3.0_f64.sqrt(),
                Law::Fan(_) => parent.strength,
            },
            ..*parent
        };
        let side = |side: f64| {
            let angle = side * third.spread;
            // The chord between the middles of neighbours, along which radius and angle both may be nothing or endless.
            let half = 0.5 * angle;
            let chord = if half == 0.0 { 1.0 } else { libm::sin(half) / half };
            let along = turned(left(parent.heading), half);
            let law = match parent.law {
                Law::Fan(at) => Law::Fan(at + angle.abs() * side * self.inwards(parent)),
                law => law,
            };
            let child = Particle {
                place: add(parent.place, along, side * third.width * chord),
                heading: turned(parent.heading, angle),
                law,
                ..third
            };
            self.before_walls(parent.place, child)
        };
        [Some(third), side(1.0), side(-1.0)]
    }

    /// Whether the shadow lies to the left of a part of a fan (1) or to its right (-1).
    fn inwards(&self, particle: &Particle) -> f64 {
        // Kept in the sign of what a fan has no other use for.
        if particle.phase < 0.0 { -1.0 } else { 1.0 }
    }

    /// A child born behind a wall is its image before it.
    fn before_walls(&self, parent: Vec2, mut child: Particle) -> Option<Particle> {
        let mut from = parent;
        for _ in 0..MOST_WALLS {
            let way = sub(child.place, from);
            let far = length(way);
            if far == 0.0 || self.basin.clear(from) > far {
                return Some(child);
            }
            let Some(hit) = self.basin.cast(from, unit(way), far) else { return Some(child) };
            let foot = add(from, unit(way), hit.distance);
            child.place = add(foot, mirrored(sub(child.place, foot), hit.facet), 1.0);
            child.heading = mirrored(child.heading, hit.facet);
            child.strength *= self.params.reflection;
            if let Law::Fan(_) = child.law {
                // Its shadow is mirrored too.
                child.phase = -child.phase;
            }
            from = foot;
        }
        None
    }

    /// A front that has met a wall.
    pub(crate) fn reflect(&self, particle: &Particle, hit: &Hit) -> Particle {
        let mut normal = hit.normal;
        let mut heading = mirrored(particle.heading, normal);
        if dot(particle.heading, normal) >= 0.0 || dot(heading, hit.facet) <= 0.0 {
            normal = hit.facet;
            heading = mirrored(particle.heading, normal);
        }
        let cos = -dot(particle.heading, normal);
        // The mirror equation, 1/R' = 1/R + 2κ/cos φ, with 1/R = δ/w and the width kept.
        let bent = curved(particle.width, particle.spread, hit.curvature, cos);
        let bent = particle.spread + (bent - particle.spread).clamp(-SCATTERED, SCATTERED);
        let (law, strength) = match particle.law {
            Law::Fan(_) => {
                let crest = particle.crest(particle.since);
                (Law::Energy, crest * (particle.length_at(particle.since) * particle.width_after(0.0)).sqrt())
            }
            law => (law, particle.strength),
        };
        Particle { heading, spread: bent, law, strength: strength * self.params.reflection, ..*particle }
    }

    /// The first end of a wall that lies in a particle's part of its front, up to a way or a little beyond it.
    fn corner(&self, particle: &Particle, until: f64, beyond: f64) -> Option<(f64, u32)> {
        let allowed = self.params.diffraction
            && particle.turns < MOST_TURNS
            && !matches!(particle.law, Law::Fan(_))
            && particle.train == 0.0
            && self.params.conserved == Conserved::Energy;
        if !allowed {
            return None;
        }
        if particle.crest(particle.since).abs() < WORTH_TURNING * self.params.lowest_crest {
            return None;
        }
        let mut first: Option<(f64, u32)> = None;
        for (number, corner) in self.basin.corners().iter().enumerate() {
            let to = sub(corner.place, particle.place);
            let (ahead, aside) = (dot(to, particle.heading), cross(particle.heading, to));
            let half = 0.5 * (particle.width + particle.spread * ahead);
            // Tubes of neighbours share their edges; each has its left one.
            let within = -half < aside && aside <= half;
            if ahead > 1.0e-9 && ahead <= until + beyond && within && first.is_none_or(|(at, _)| ahead < at) {
                let at = ahead.min(until);
                if self.basin.corner_shades(number, particle.heading).is_some() {
                    first = Some((at, number as u32));
                }
            }
        }
        first
    }

    /// The fan that goes out from the end of a wall as a front passes it.
    pub(crate) fn fan(&self, particle: &Particle, number: u32) -> Vec<Particle> {
        let Some(shade) = self.basin.corner_shades(number as usize, particle.heading) else {
            return Vec::new();
        };
        let corner = self.basin.corners()[number as usize].place;
        let crest = particle.crest(particle.since);
        let ahead = dot(sub(corner, particle.place), particle.heading).max(0.0);
        let passes = particle.since + ahead / particle.speed;
        let (from, to) = (-LIT_SIDE, shade.into_shadow);
        let step = (to - from) / FAN as f64;
        let out = |n: usize| {
            let angle = from + (n as f64 + 0.5) * step;
            let heading = turned(particle.heading, angle * shade.side);
            let fan = Particle {
                // A hair off the wall's end.
                place: add(corner, heading, 1.0e-6 * particle.radius),
                heading,
                since: passes,
                born: passes,
                width: 0.0,
                spread: step,
                law: Law::Fan(angle),
                strength: crest,
                phase: shade.side,
                turns: particle.turns + 1,
                ..*particle
            };
            self.basin.is_water(add(corner, heading, 1.0e-3 * particle.radius)).then_some(fan)
        };
        (0..FAN).filter_map(out).collect()
    }
}

/// Growth of a front's width after a wall of some curvature has sent it back (positive where it bulges into the water).
fn curved(width: f64, spread: f64, curvature: f64, cos: f64) -> f64 {
    spread + width * 2.0 * curvature / cos.max(0.05)
}

/// Distance to the centre of a front after a curved wall has sent it back, which lay so far behind it before; below zero where it
/// converges `[m]`. Curvature is above zero where the wall bulges into the water `[1/m]`, the angle is that to its normal `[rad]`.
pub fn mirrored_distance(origin_distance: f64, curvature: f64, angle: f64) -> f64 {
    1.0 / curved(1.0, 1.0 / origin_distance, curvature, libm::cos(angle))
}

/// Way after which a particle is beyond all that is looked at, its radius included.
fn leaves(particle: &Particle, [low, high]: [Vec2; 2]) -> f64 {
    let margin = particle.radius + particle.train;
    let out = |axis: usize| {
        let heading = particle.heading[axis];
        let bound = if heading > 0.0 { high[axis] + margin } else { low[axis] - margin };
        if heading == 0.0 { f64::INFINITY } else { ((bound - particle.place[axis]) / heading).max(0.0) }
    };
    out(0).min(out(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curved_walls_send_fronts_back_as_mirrors_do() {
        let cases = [(3.0, 0.5, 0.0, 0.75), (3.0, 0.5, 0.6, 0.647_265), (3.0, -0.2, 0.6, -6.608_599)];
        for (distance, curvature, angle, wanted) in cases {
            let found = mirrored_distance(distance, curvature, angle);
            assert!((found - wanted).abs() < 1.0e-6, "{found}, not {wanted}");
        }
    }
}
