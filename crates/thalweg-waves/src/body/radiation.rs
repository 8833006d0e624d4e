//! The waves that a body sends out, and what they cost it (Mikeš 2015, section 3.4).
//!
//! Each face under water that moves displaces V = A (v·n) dt (eq. 3.31). Faces that look up push the surface above them; what
//! the others displace comes up around the hull, along its contour. Both work the less the deeper a face is, as e^(−kd) with
//! k = π/r in linear theory. The contour is cut into stations; what gathers at a station leaves it as a piece of a front
//! whenever the front before has moved on by half a radius. What a hull leaves behind that goes somewhere is another matter:
//! see [`kelvin`](super::kelvin).
//!
//! What a station displaces is linear in the motion of the body, Q = G·V. Fronts that have left lately still overlap with what
//! gathers now, and a train of fronts carries ρg ∫ η² for each metre of its length. The work that this takes is done by the body
//! if each station pushes back as 2ρg ∫ R(s) q(s) ds, q what left it when the front was s radii nearer and R the overlap of two
//! fronts. That is the radiation force with memory of Cummins 1962, of the waves that are sent, not from a table: damping of
//! swings, and wave resistance. Summed over all time it takes what the fronts carry.

use super::hull::{Hull, twice_area};
use super::kelvin::Kelvin;
use super::vector::{Matrix, Vector, cross, dot, minus, plus, scaled, times, transposed};
use super::water::{Sample, Wetting};
use crate::Emission;
use std::f64::consts::{FRAC_1_PI, PI, TAU};

/// Volume of a wave particle of height and radius 1, as the kernel of the surface has it, ½(1 + cos πx) ½(1 + cos πy) `[-]`. A round
/// bump has π/2 − 2/π.
pub const PARTICLE_VOLUME: f64 = 1.0;

/// Stations along the contour, and of what comes up through the surface above the body: fore, port, aft, starboard.
const CONTOUR: usize = 24;
const ABOVE: usize = 4;
pub(super) const STATIONS: usize = CONTOUR + ABOVE;
/// Faces that lean up by less look down: the sides of a box `[-]`.
const LEVEL: f64 = 0.01;
/// How far a face spreads along the contour beside √(length · width) `[-]`.
const REACH: f64 = 0.15;
/// A front leaves when the one before is so many radii away `[-]`: waves of height from that are 1.6 %.
const APART: f64 = 0.5;
/// Fronts lower than this wait for more `[m]`.
const LEAST_HEIGHT: f64 = 1.0e-6;
/// Stations that turn by less send straight fronts `[rad]`.
const STRAIGHT: f64 = 1.0e-2;
/// Radius of the fronts of a swinging body beside half the wavelength of its frequency `[-]`: fronts of half a wavelength each would
/// smooth out half of the height of what they carry, these a quarter.
const SWING_WIDTH: f64 = 0.5;
/// Fronts that still overlap with the next one.
const PAST: usize = 4;

/// Overlap of two fronts that are s radii apart, ∫ bump(x) bump(x + s) dx for bumps ½(1 + cos πx) of radius 1.
fn overlap(s: f64) -> f64 {
    let s = s.min(2.0);
    let (sine, cosine) = libm::sincos(PI * s);
    0.25 * ((2.0 - s) * (1.0 + 0.5 * cosine) + 1.5 * FRAC_1_PI * sine)
}

/// Its integral from 0.
fn overlap_until(s: f64) -> f64 {
    let s = s.min(2.0);
    let (sine, cosine) = libm::sincos(PI * s);
    let bend = 2.0 * FRAC_1_PI * FRAC_1_PI * (1.0 - cosine);
    0.25 * (2.0 * s - 0.5 * s * s + 0.5 * FRAC_1_PI * (2.0 - s) * sine + bend)
}

/// Waves of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Band {
    /// Half the wavelength `[m]`.
    pub(super) radius: f64,
    /// Speed of the crests `[m/s]`.
    pub(super) speed: f64,
}

impl Band {
    fn new(radius: f64, gravity: f64) -> Self {
        Self { radius, speed: (gravity * radius / PI).sqrt() }
    }

    /// Waves of a body that swings with this frequency [1/s].
    pub(super) fn of_swing(frequency: f64, gravity: f64, least: f64) -> Self {
        Self::new((SWING_WIDTH * PI * gravity / (frequency * frequency)).max(least), gravity)
    }

    /// Time between two fronts from a body that moves at a speed `[s]`.
    fn interval(&self, speed: f64) -> f64 {
        APART * self.radius / self.speed.max(speed)
    }
}

/// A part of the contour, or of the surface above the body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Station {
    /// In the world `[m]`.
    pub(super) place: [f64; 2],
    /// Outwards.
    pub(super) normal: [f64; 2],
    /// Of the contour; of the ring above `[m]`.
    pub(super) length: f64,
    /// What it displaces: for each metre per second up and for each radian per second `[m²]`, `[m³]`.
    swing: [f64; 4],
    /// For each metre per second to the east and to the north, not weakened by depth `[m²]`.
    wake: [f64; 2],
}

/// How a body moves beside the water around it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Relative {
    pub(super) velocity: Vector,
    pub(super) spin: Vector,
}

impl Station {
    fn flow(&self, Relative { velocity, spin }: &Relative) -> f64 {
        self.swing[0] * velocity[2] + dot([self.swing[1], self.swing[2], self.swing[3]], *spin)
    }

    /// What flows by as it goes somewhere.
    fn passing(&self, motion: &Relative) -> f64 {
        self.wake[0] * motion.velocity[0] + self.wake[1] * motion.velocity[1]
    }
}

/// Work that was done on and by a body since the beginning `[J]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// Carried away by the waves that it sent.
    pub radiated: f64,
    /// Taken from its motion for them.
    pub damped: f64,
    /// Lost to drag.
    pub dragged: f64,
    /// Done by its propeller.
    pub driven: f64,
}

/// What is known of the waves of a body that swings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Train {
    pub(super) band: Band,
    /// Displaced since the last front, at each station `[m³]`.
    pending: [f64; STATIONS],
    /// Heights of the last fronts of each station, the last one first `[m]`.
    heights: [[f64; PAST]; STATIONS],
    /// Since the last front `[s]`.
    since: f64,
    /// Between the last two fronts, in radii `[-]`.
    apart: f64,
    /// Carried away, and taken from the body for it, since the beginning `[J]`.
    pub(super) carried: f64,
    pub(super) taken: f64,
}

impl Train {
    const NEW: Self = Self {
        band: Band { radius: 0.0, speed: 0.0 },
        pending: [0.0; STATIONS],
        heights: [[0.0; PAST]; STATIONS],
        since: 0.0,
        apart: APART,
        carried: 0.0,
        taken: 0.0,
    };

    /// Numbers of this in a file.
    pub(super) const NUMBERS: usize = (1 + PAST) * STATIONS + 6;

    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        let Self { band, since, apart, carried, taken, .. } = *self;
        let few = [band.radius, band.speed, since, apart, carried, taken];
        few.into_iter().chain(self.pending).chain(self.heights.into_iter().flatten())
    }

    pub(super) fn of_numbers(numbers: &[f64]) -> Self {
        let mut next = numbers.iter().copied();
        let mut take = || next.next().unwrap_or(0.0);
        let band = Band { radius: take(), speed: take() };
        let [since, apart, carried, taken] = [take(), take(), take(), take()];
        let pending = std::array::from_fn(|_| take());
        let heights = std::array::from_fn(|_| std::array::from_fn(|_| take()));
        Self { band, pending, heights, since, apart, carried, taken }
    }

    /// How the fronts that have left and what gathers now push back half a step from now: for each metre of height that gathers,
    /// and for each front `[-]`.
    fn weights(&self, half: f64) -> (f64, [f64; PAST]) {
        let gone = ((self.since + half) * self.band.speed / self.band.radius).max(1.0e-9);
        let past = std::array::from_fn(|m| {
            let from = gone + m as f64 * self.apart;
            (overlap_until(from + self.apart) - overlap_until(from)) / self.apart
        });
        (overlap_until(gone) / gone, past)
    }
}

/// The waves of a body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Radiation {
    /// Two triangles of each edge of the hull, and its ends.
    edges: Vec<([u32; 2], [u32; 2])>,
    pub(super) stations: [Station; STATIONS],
    /// All that is displaced, not weakened by depth.
    whole: Station,
    pub(super) train: Train,
    /// What it leaves behind on its way.
    pub(super) wake: Kelvin,
    /// What pushes back however it moves: up and about the axes `[N]`, `[N m]`.
    push: [f64; 4],
    /// What pushes back the more it moves, the same way `[kg/s]` and so on.
    damping: [[f64; 4]; 4],
    /// Mean velocity of the water at the hull `[m/s]`.
    pub(super) flow: Vector,
}

/// What the waves need to know beside the hull.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings {
    /// ρ g `[N/m³]`.
    pub(super) weight: f64,
    /// How much of what is displaced becomes waves `[-]`.
    pub(super) strength: f64,
}

impl Radiation {
    pub(super) fn new(hull: &Hull) -> Self {
        let mut sides: Vec<([u32; 2], u32)> = hull
            .triangles
            .iter()
            .enumerate()
            .flat_map(|(n, t)| {
                (0..3).map(move |k| {
                    let [a, b] = [t[k], t[(k + 1) % 3]];
                    ([a.min(b), a.max(b)], n as u32)
                })
            })
            .collect();
        sides.sort_unstable();
        let edges = sides.chunks_exact(2).map(|two| (two[0].0, [two[0].1, two[1].1])).collect();
        Self {
            edges,
            stations: [Station::default(); STATIONS],
            whole: Station::default(),
            train: Train::NEW,
            wake: Kelvin::default(),
            push: [0.0; 4],
            damping: [[0.0; 4]; 4],
            flow: [0.0; 3],
        }
    }

    /// Finds the contour, and what each station displaces for each way of moving.
    pub(super) fn survey(
        &mut self,
        hull: &Hull,
        wetting: &Wetting,
        samples: &[Sample],
        pose: (Vector, &Matrix),
    ) {
        self.stations = [Station::default(); STATIONS];
        self.whole = Station::default();
        let frame = PlanFrame::new(hull, pose);
        self.find_contour(hull, wetting, &frame);
        self.gather_faces(hull, wetting, samples, &frame);
    }

    /// Waterline and silhouette, piece by piece, into the stations.
    fn find_contour(&mut self, hull: &Hull, wetting: &Wetting, frame: &PlanFrame) {
        let normals: Vec<Vector> =
            hull.triangles.iter().map(|t| twice_area(&t.map(|n| wetting.arms[n as usize]))).collect();
        let down = |n: &Vector| n[2] <= LEVEL * dot(*n, *n).sqrt();
        // Where the surface cuts sides that look down.
        for (triangle, normal) in hull.triangles.iter().zip(&normals).filter(|(_, n)| down(n)) {
            let depths = triangle.map(|n| wetting.depths[n as usize]);
            let wet = depths.map(|d| d > 0.0);
            if wet[0] == wet[1] && wet[1] == wet[2] {
                continue;
            }
            let mut ends = [[0.0; 3]; 2];
            let mut found = 0;
            for k in 0..3 {
                let next = (k + 1) % 3;
                if wet[k] != wet[next] {
                    let [a, b] = [triangle[k], triangle[next]].map(|n| wetting.arms[n as usize]);
                    ends[found] = plus(a, depths[k] / (depths[k] - depths[next]), minus(b, a));
                    found += 1;
                }
            }
            self.add_segment(ends, [normal[0], normal[1]], frame);
        }
        // Where sides that look up meet sides that look down, under water.
        for &(ends, [first, second]) in &self.edges.clone() {
            let pair = [normals[first as usize], normals[second as usize]];
            if down(&pair[0]) == down(&pair[1]) {
                continue;
            }
            let [a, b] = ends.map(|n| wetting.arms[n as usize]);
            let [da, db] = ends.map(|n| wetting.depths[n as usize]);
            let cut = || plus(a, da / (da - db), minus(b, a));
            let part = match (da > 0.0, db > 0.0) {
                (true, true) => [a, b],
                (true, false) => [a, cut()],
                (false, true) => [cut(), b],
                (false, false) => continue,
            };
            let normal = pair.iter().fold([0.0; 2], |sum, n| {
                let size = dot(*n, *n).sqrt();
                [sum[0] + n[0] / size, sum[1] + n[1] / size]
            });
            self.add_segment(part, normal, frame);
        }
        for station in self.stations[..CONTOUR].iter_mut().filter(|s| s.length > 0.0) {
            station.place = station.place.map(|x| x / station.length);
            let size = libm::hypot(station.normal[0], station.normal[1]);
            // A contour that doubles back sends its waves away from the middle.
            let away = [station.place[0] - frame.middle[0], station.place[1] - frame.middle[1]];
            let far = libm::hypot(away[0], away[1]);
            station.normal = if size > 1.0e-3 * station.length {
                station.normal.map(|x| x / size)
            } else if far > 0.0 {
                away.map(|x| x / far)
            } else {
                [1.0, 0.0]
            };
        }
    }

    /// Puts a piece of the contour into the stations that it passes.
    fn add_segment(&mut self, [a, b]: [Vector; 2], normal: [f64; 2], frame: &PlanFrame) {
        let way = [b[0] - a[0], b[1] - a[1]];
        let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
        let size = (normal[0] * normal[0] + normal[1] * normal[1]).sqrt();
        if length == 0.0 || size == 0.0 {
            return;
        }
        let count = (length / frame.piece).ceil().max(1.0);
        let part = length / count;
        for n in 0..count as usize {
            let share = (n as f64 + 0.5) / count;
            let at = [a[0] + share * way[0], a[1] + share * way[1]];
            let station = &mut self.stations[(frame.angle(at) * (CONTOUR as f64 / 4.0)) as usize % CONTOUR];
            station.length += part;
            for axis in 0..2 {
                station.place[axis] += part * (frame.centre[axis] + at[axis]);
                station.normal[axis] += part * normal[axis] / size;
            }
        }
    }

    /// What the faces displace, weakened by depth, into the stations near them: first by the side that they lie on, then from each side
    /// to all of the contour, the more the nearer.
    fn gather_faces(&mut self, hull: &Hull, wetting: &Wetting, samples: &[Sample], frame: &PlanFrame) {
        let decay = PI / self.train.band.radius;
        let has_contour = self.stations[..CONTOUR].iter().any(|station| station.length > 0.0);
        let mut sides = [Side::default(); CONTOUR + ABOVE];
        let (mut flow, mut wet) = ([0.0; 3], 0.0);
        wetting.each_part(hull, |[a, b, c], depths, triangle| {
            let area = scaled(0.5, cross(minus(b, a), minus(c, a)));
            let size = dot(area, area).sqrt();
            let arm = scaled(1.0 / 3.0, plus(plus(a, 1.0, b), 1.0, c));
            let depth = (depths[0] + depths[1] + depths[2]) / 3.0;
            let weakened = libm::exp(-decay * depth);
            for corner in triangle {
                flow = plus(flow, size / 3.0, samples[*corner as usize].water.velocity);
            }
            wet += size;
            let angle = frame.angle([arm[0], arm[1]]);
            let side = if area[2] > LEVEL * size || !has_contour {
                CONTOUR + (angle + 0.5) as usize % ABOVE
            } else {
                (angle * (CONTOUR as f64 / 4.0)) as usize % CONTOUR
            };
            sides[side].take(weakened, (area, size), arm);
        });
        self.flow = if wet > 0.0 { scaled(1.0 / wet, flow) } else { [0.0; 3] };
        for side in &sides {
            self.whole.put(1.0, &side.whole);
        }
        self.spread(&sides[..CONTOUR], frame);
        let ring = TAU * self.train.band.radius;
        for (station, side) in self.stations[CONTOUR..].iter_mut().zip(&sides[CONTOUR..]) {
            station.put(1.0, &side.part);
            if side.weight > 0.0 {
                station.place = [0, 1].map(|i| frame.centre[i] + side.at[i] / side.weight);
                (station.normal, station.length) = ([1.0, 0.0], ring);
            }
        }
    }

    /// Shares out what lies on each side among the stations of the contour.
    fn spread(&mut self, sides: &[Side], frame: &PlanFrame) {
        for side in sides.iter().filter(|side| side.weight > 0.0) {
            let at = [0, 1].map(|i: usize| frame.centre[i] + side.at[i] / side.weight);
            let mut weights = [0.0; CONTOUR];
            for (weight, station) in weights.iter_mut().zip(&self.stations).filter(|(_, s)| s.length > 0.0) {
                let off = [at[0] - station.place[0], at[1] - station.place[1]];
                let far = off[0] * off[0] + off[1] * off[1] + frame.reach2;
                *weight = station.length / (far * far);
            }
            let whole: f64 = weights.iter().sum();
            for (weight, station) in weights.iter().zip(&mut self.stations) {
                station.put(weight / whole, &side.part);
            }
        }
    }

    /// Factors for what is pushed out and for what is pulled in, so that their sum is what the body as a whole displaces.
    ///
    /// Depth weakens what goes in here and out there; it does not make water vanish: the smaller of the two stays weakened,
    /// the other is that and the net flow.
    fn balance(&self, motion: &Relative) -> [f64; 2] {
        let net = self.whole.flow(motion);
        let (mut out, mut back) = (0.0, 0.0);
        for station in &self.stations {
            let flow = station.flow(motion);
            *(if flow > 0.0 { &mut out } else { &mut back }) += flow;
        }
        let both = out.min(-back);
        let factor = |whole: f64, found: f64| if found == 0.0 { 0.0 } else { whole / found };
        [factor(both + net.max(0.0), out), factor(net.min(0.0) - both, back)]
    }

    /// Finds what pushes back in a step, for a motion about this one.
    pub(super) fn set_push(&mut self, dt: f64, motion: &Relative, sea: Surroundings) {
        (self.push, self.damping) = ([0.0; 4], [[0.0; 4]; 4]);
        let train = &self.train;
        let factors = self.balance(motion).map(|f| f * sea.strength);
        // Half of what this step brings is there in its middle.
        let (now, past) = train.weights(0.5 * dt);
        for (n, station) in self.stations.iter().enumerate().filter(|(_, s)| s.length > 0.0) {
            let factor = factors[usize::from(station.flow(motion) <= 0.0)];
            let spot = station.length * train.band.radius;
            let gathered = now * train.pending[n] / spot;
            let overlapping: f64 = past.iter().zip(&train.heights[n]).map(|(w, h)| w * h).sum();
            let push = 2.0 * sea.weight * factor * (gathered + overlapping);
            let damping = 2.0 * sea.weight * factor * factor * now / spot * 0.5 * dt;
            add(&mut self.push, push, &station.swing);
            add_square(&mut self.damping, damping, &station.swing);
        }
    }

    /// Force and torque of the waves that are sent out.
    pub(super) fn drag(&self, motion: &Relative) -> (Vector, Vector) {
        let Relative { velocity: v, spin } = motion;
        let swing = opposed(&self.push, &self.damping, &[v[2], spin[0], spin[1], spin[2]]);
        let resists = self.wake.resists();
        ([-resists * v[0], -resists * v[1], swing[0]], [swing[1], swing[2], swing[3]])
    }

    /// Fastest rates at which they slow motion, for masses and moments of inertia [1/s].
    pub(super) fn rate(&self, mass: f64, inertia: f64) -> f64 {
        let turn = self.damping[1][1] + self.damping[2][2] + self.damping[3][3];
        (self.damping[0][0] / mass).max(turn / inertia).max(self.wake.resists() / mass)
    }

    /// Collects what was displaced in a step.
    pub(super) fn collect(&mut self, dt: f64, motion: &Relative, sea: Surroundings) {
        let factors = self.balance(motion).map(|f| f * sea.strength);
        let train = &mut self.train;
        for (station, pending) in self.stations.iter().zip(&mut train.pending) {
            let flow = station.flow(motion);
            *pending += flow * factors[usize::from(flow <= 0.0)] * dt;
        }
        train.since += dt;
        let swing = opposed(
            &self.push,
            &self.damping,
            &[motion.velocity[2], motion.spin[0], motion.spin[1], motion.spin[2]],
        );
        let power = swing[0] * motion.velocity[2] + dot([swing[1], swing[2], swing[3]], motion.spin);
        train.taken -= power * dt;
    }

    /// Sends the fronts that are due from a body that goes at a speed; or all.
    pub(super) fn send(&mut self, speed: f64, all: bool, sea: Surroundings, emissions: &mut Vec<Emission>) {
        let train = &self.train;
        if !all && train.since < train.band.interval(speed) {
            return;
        }
        let spreads = self.spreads();
        let train = &mut self.train;
        let Band { radius, speed: crests } = train.band;
        let apart = (train.since * crests / radius).clamp(1.0e-3, 2.0);
        let overlaps: [f64; PAST] = std::array::from_fn(|m| overlap((m + 1) as f64 * apart));
        for (n, station) in self.stations.iter().enumerate() {
            let amplitude = train.pending[n] / (PARTICLE_VOLUME * radius * radius);
            let sends = station.length > 0.0 && amplitude.abs() > LEAST_HEIGHT;
            // The crest of a front of such particles, side by side.
            let height = if sends { train.pending[n] / (station.length * radius) } else { 0.0 };
            let past = &mut train.heights[n];
            let together: f64 =
                overlaps.iter().zip(&*past).map(|(o, before)| 2.0 * o * height * before).sum();
            train.carried +=
                sea.weight * station.length * radius * (overlap(0.0) * height * height + together);
            past.rotate_right(1);
            past[0] = height;
            if sends {
                let spread = if n < CONTOUR { spreads[n] } else { TAU };
                let bends = n < CONTOUR && spread > STRAIGHT;
                emissions.push(Emission {
                    place: station.place,
                    heading: station.normal,
                    spread: if bends || n >= CONTOUR { spread } else { 0.0 },
                    origin_distance: if bends { station.length / spread } else { 0.0 },
                    width: station.length,
                    amplitude,
                    radius,
                    ..Emission::default()
                });
                train.pending[n] = 0.0;
            }
        }
        (train.since, train.apart) = (0.0, apart);
    }

    /// Angles that the stations stand for: half of the turn from the one before to the one after `[rad]`.
    fn spreads(&self) -> [f64; CONTOUR] {
        let mut spreads = [0.0; CONTOUR];
        let there: Vec<usize> = (0..CONTOUR).filter(|&n| self.stations[n].length > 0.0).collect();
        for (k, &n) in there.iter().enumerate() {
            let before = self.stations[there[(k + there.len() - 1) % there.len()]].normal;
            let after = self.stations[there[(k + 1) % there.len()]].normal;
            let sine = before[0] * after[1] - before[1] * after[0];
            let cosine = before[0] * after[0] + before[1] * after[1];
            spreads[n] = (0.5 * libm::atan2(sine, cosine)).max(0.0);
        }
        spreads
    }

    /// Shares of the water that is displaced, by station.
    pub(super) fn wake_shares(&self, motion: &Relative) -> [f64; STATIONS] {
        let flows = self.stations.map(|s| s.flow(motion).abs() + s.passing(motion).abs());
        let whole: f64 = flows.iter().sum();
        flows.map(|flow| if whole > 0.0 { flow / whole } else { 0.0 })
    }
}

/// What the faces on one side of a hull displace.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// Weakened by depth.
    part: Station,
    whole: Station,
    /// Area, and area times its place from the centre of mass.
    weight: f64,
    at: [f64; 2],
}

impl Side {
    fn take(&mut self, weakened: f64, (area, size): (Vector, f64), arm: Vector) {
        let lever = cross(arm, area);
        for (n, part) in [area[2], lever[0], lever[1], lever[2]].into_iter().enumerate() {
            self.whole.swing[n] += part;
            self.part.swing[n] += weakened * part;
        }
        for axis in 0..2 {
            self.part.wake[axis] += area[axis];
            self.at[axis] += weakened * size * arm[axis];
        }
        self.weight += weakened * size;
    }
}

impl Station {
    fn put(&mut self, share: f64, other: &Self) {
        add(&mut self.swing, share, &other.swing);
        add(&mut self.wake, share, &other.wake);
    }
}

fn add<const N: usize>(sum: &mut [f64; N], factor: f64, way: &[f64; N]) {
    for (sum, part) in sum.iter_mut().zip(way) {
        *sum += factor * part;
    }
}

/// −(push + damping · motion).
fn opposed<const N: usize>(push: &[f64; N], damping: &[[f64; N]; N], motion: &[f64; N]) -> [f64; N] {
    std::array::from_fn(|i| -push[i] - damping[i].iter().zip(motion).map(|(b, v)| b * v).sum::<f64>())
}

fn add_square<const N: usize>(sum: &mut [[f64; N]; N], factor: f64, way: &[f64; N]) {
    for (row, a) in sum.iter_mut().zip(way) {
        for (sum, b) in row.iter_mut().zip(way) {
            *sum += factor * a * b;
        }
    }
}

/// Directions on the body as seen from above.
struct PlanFrame {
    /// Of mass, in the world `[m]`.
    centre: [f64; 2],
    /// Of the hull, from the centre of mass, along the axes of the world `[m]`.
    off: [f64; 2],
    /// The same in the world `[m]`.
    middle: [f64; 2],
    /// Ahead and to port, divided by length and by width [1/m].
    ahead: [f64; 2],
    port: [f64; 2],
    /// Longest piece of the contour that goes to one station `[m]`.
    piece: f64,
    /// How far a face reaches, squared `[m²]`.
    reach2: f64,
}

impl PlanFrame {
    fn new(hull: &Hull, (centre, turn): (Vector, &Matrix)) -> Self {
        let [low, high] = hull.bounds();
        let size = minus(high, low);
        let off = times(turn, scaled(0.5, plus(low, 1.0, high)));
        let axes = transposed(turn);
        // Whatever way up it is, it is as long as it is.
        let flat = |way: Vector| [way[0], way[1]];
        let heading = |way: [f64; 2], or: [f64; 2]| {
            let size = (way[0] * way[0] + way[1] * way[1]).sqrt();
            if size > 0.1 { way.map(|x| x / size) } else { or }
        };
        let ahead = heading(flat(axes[0]), [1.0, 0.0]);
        let port = [-ahead[1], ahead[0]];
        Self {
            centre: [centre[0], centre[1]],
            off: [off[0], off[1]],
            middle: [centre[0] + off[0], centre[1] + off[1]],
            ahead: ahead.map(|x| x / size[0]),
            port: port.map(|x| x / size[1]),
            piece: (size[0] + size[1]) / CONTOUR as f64,
            reach2: REACH * REACH * size[0] * size[1],
        }
    }

    /// Where a place lies around the middle: 0 ahead, 1 to port, 2 aft, 3 to starboard, below 4.
    fn angle(&self, at: [f64; 2]) -> f64 {
        let off = [at[0] - self.off[0], at[1] - self.off[1]];
        let x = off[0] * self.ahead[0] + off[1] * self.ahead[1];
        let y = off[0] * self.port[0] + off[1] * self.port[1];
        let whole = x.abs() + y.abs();
        if whole == 0.0 {
            return 0.0;
        }
        let angle = match (x >= 0.0, y >= 0.0) {
            (true, true) => y / whole,
            (false, true) => 1.0 - x / whole,
            (false, false) => 2.0 - y / whole,
            (true, false) => 3.0 + x / whole,
        };
        if angle >= 4.0 { 0.0 } else { angle }
    }
}
