//! One body in the water: its mass, what pushes it, and how it moves.

use super::hull::Hull;
use super::kelvin::{self, Kelvin};
use super::params::{BodyError, BodyParams, Steer};
use super::radiation::{Account, Band, Radiation, Relative, STATIONS, Surroundings};
use super::vector::{
    Matrix, Turn, Vector, cross, dot, inverse, length, minus, plus, scaled, times, transposed,
};
use super::water::{Around, Push, Sample, Submerged, Wetting};
use crate::{Emission, WaterSurface};
use std::f64::consts::PI;
use thalweg_field::TriMesh;

/// Steps are so short that the stiffest swing turns by no more in one `[rad]`.
const MOST_SWING: f64 = 0.1;
/// Share of its speed that damping may take in a step `[-]`.
const MOST_DAMPING: f64 = 0.25;
/// Most steps within one.
const MOST_STEPS: f64 = 256.0;
/// Added mass is there once so much of the water is displaced that is in the end `[-]`: a body in the air has none.
const HALF_IN: f64 = 0.5;
/// Drag and rudder coefficient of a rudder, for small angles 2π, less for a short one `[-]`.
const RUDDER: f64 = 3.0;
/// Diameter of the propeller beside the height of the hull `[-]`.
const PROPELLER: f64 = 0.4;
/// Where the propeller is: this share of the half length aft of the middle of the hull, this share of its height above the lowest
/// point `[-]`.
const SCREW: [f64; 2] = [0.92, 0.12];
/// A throttle that moves from nothing to full power takes so long `[s]`: engines and captains are not instant.
const THROTTLE_TIME: f64 = 1.0;
/// A rudder goes over by so much in a second [rad/s].
const RUDDER_SPEED: f64 = 0.6;
/// Foam where less power is lost is not worth telling of `[W]`.
const LEAST_POWER: f64 = 1.0;
/// Hulls that go slower through the water do not break its surface `[m/s]`.
const LEAST_SPEED: f64 = 1.5;

/// What surrounds all bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sea {
    /// Gravity `[m/s²]`.
    pub gravity: f64,
    /// Density of the water `[kg/m³]`.
    pub density: f64,
    /// Height of the water at rest `[m]`.
    pub level: f64,
    /// Least radius of the waves that bodies send out `[m]`: twice the cell of the surface that shows them.
    pub least_radius: f64,
}

impl Default for Sea {
    fn default() -> Self {
        Self { gravity: 9.81, density: 1000.0, level: 0.0, least_radius: 0.25 }
    }
}

impl Sea {
    fn weight(&self) -> f64 {
        self.gravity * self.density
    }
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Of its centre of mass `[m]`.
    pub place: Vector,
    /// How it is turned.
    pub turn: Turn,
    /// Of its centre of mass `[m/s]`.
    pub velocity: Vector,
    /// About the axes east, north and up [rad/s].
    pub spin: Vector,
}

impl Motion {
    /// The share between two moments, for pictures.
    #[must_use]
    pub fn between(&self, share: f64, to: &Self) -> Self {
        let mix = |a: Vector, b: Vector| plus(a, share, minus(b, a));
        Self {
            place: mix(self.place, to.place),
            turn: self.turn.between(share, to.turn),
            velocity: mix(self.velocity, to.velocity),
            spin: mix(self.spin, to.spin),
        }
    }

    /// Where a place on the body is, measured from its centre of mass.
    pub fn apply(&self, on_body: Vector) -> Vector {
        plus(self.place, 1.0, self.turn.apply(on_body))
    }
}

/// What becomes foam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoamSource {
    /// Where `[m]`.
    pub place: [f64; 2],
    /// About how wide `[m]`.
    pub radius: f64,
    /// Power that stirs the water there `[W]`.
    pub power: f64,
    /// Whether a propeller does it, and not the hull.
    pub propeller: bool,
}

/// Forces of one moment, and what goes with them.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    push: Push,
    wet: Submerged,
    /// Lost to drag, and done by the propeller `[W]`.
    dragged: f64,
    driven: f64,
}

/// A body.
#[derive(Clone, Debug)]
pub(super) struct Floating {
    pub(super) params: BodyParams,
    /// About the centre of mass.
    pub(super) hull: Hull,
    pub(super) mass: f64,
    inertia: Matrix,
    added: Vector,
    added_inertia: Vector,
    /// Displaced at rest, or by all of it `[m³]`.
    displaced: f64,
    /// Of the stiffest swing, squared, and of heave [1/s].
    stiffest2: f64,
    heave: f64,
    /// Farthest corner from the centre of mass `[m]`.
    pub(super) reach: f64,
    pub(super) motion: Motion,
    pub(super) before: Motion,
    pub(super) throttle: f64,
    pub(super) rudder: f64,
    /// What was last done at the wheel from outside.
    pub(super) wheel: Option<Steer>,
    pub(super) radiation: Radiation,
    pub(super) account: Account,
    pub(super) wet: Submerged,
    wetting: Wetting,
    around: Around,
    samples: Vec<Sample>,
    load: Load,
}

/// What one step gives to the water.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Given {
    pub(super) emissions: Vec<Emission>,
    pub(super) foam: Vec<FoamSource>,
}

impl Floating {
    pub(super) fn new(params: &BodyParams, mesh: Option<&TriMesh>, sea: &Sea) -> Result<Self, BodyError> {
        let params = params.clone().validated()?;
        let hull = params.hull(mesh)?;
        let mass = params.mass.unwrap_or(params.density * hull.volume());
        let centre = plus(hull.centre(), params.mass_height(), [0.0, 0.0, 1.0]);
        let middle = hull.centre();
        let hull = hull.about(centre);
        let inertia = hull.inertia(mass, minus(middle, centre));
        let displaced = hull.volume().min(mass / sea.density);
        let water = displaced * sea.density;
        let added = params.added_mass.map(|share| share * water);
        // Turning about an axis moves water along the two others.
        let added_inertia = std::array::from_fn(|i| {
            let [j, k] = [(i + 1) % 3, (i + 2) % 3];
            0.5 * (params.added_mass[j] + params.added_mass[k]) * inertia[i][i] * water / mass
        });
        let heave = (sea.weight() * hull.silhouette(2) / (mass + added[2])).sqrt();
        let heavy = [0, 1].map(|axis: usize| inertia[axis][axis] + added_inertia[axis]);
        let stiffest2 = stiffest(&hull, sea.weight(), displaced, heavy).max(heave * heave);
        let reach = hull.places.iter().map(|&p| length(p)).fold(0.0, f64::max);
        let radiation = Radiation::new(&hull);
        let [throttle, rudder] = [params.throttle, params.rudder];
        let mut body = Self {
            hull,
            mass,
            inertia,
            added,
            added_inertia,
            displaced,
            stiffest2,
            heave,
            reach,
            motion: Motion::default(),
            before: Motion::default(),
            throttle,
            rudder,
            wheel: None,
            radiation,
            account: Account::default(),
            wet: Submerged::default(),
            wetting: Wetting::default(),
            around: Around::default(),
            samples: Vec::new(),
            load: Load::default(),
            params,
        };
        let up = sea.level + body.params.at[2] + body.floats_at(sea);
        let p = &body.params;
        let motion = Motion {
            place: [p.at[0], p.at[1], up],
            turn: Turn::from_heading([0.5 * PI - p.heading, p.tilt[0], p.tilt[1]]),
            velocity: p.velocity,
            spin: p.spin,
        };
        (body.motion, body.before) = (motion, motion);
        body.radiation.wake = Kelvin::at([motion.place[0], motion.place[1]]);
        Ok(body)
    }

    /// Height of the centre of mass above still water at which it floats upright `[m]`; 0 if it sinks.
    fn floats_at(&mut self, sea: &Sea) -> f64 {
        let [low, high] = self.hull.bounds();
        if self.mass >= sea.density * self.hull.volume() {
            return 0.0;
        }
        let still = [Sample::default()].repeat(self.hull.places.len());
        self.wetting.turn(&self.hull, &Turn::default().matrix());
        let arms = self.wetting.arms.clone();
        let still: Vec<Sample> =
            still.iter().zip(&arms).map(|(s, arm)| Sample { place: [arm[0], arm[1]], ..*s }).collect();
        let (mut under, mut over) = (-high[2], -low[2]);
        // Halved to the last bit.
        for _ in 0..80 {
            let middle = 0.5 * (under + over);
            self.wetting.sink([0.0, 0.0, middle], &still);
            let volume = self.wetting.submerged(&self.hull, 1.0).volume;
            *(if volume * sea.density > self.mass { &mut under } else { &mut over }) = middle;
        }
        0.5 * (under + over)
    }

    /// Looks at the water and at the wheel, and finds what the coming steps need to know.
    pub(super) fn look(&mut self, dt: f64, time: f64, water: &dyn WaterSurface, sea: &Sea) {
        self.before = self.motion;
        self.turn_wheel(dt, time);
        let turn = self.motion.turn.matrix();
        self.wetting.turn(&self.hull, &turn);
        let Motion { place, velocity, .. } = self.motion;
        let [low, high] = self.hull.bounds();
        let long = length(minus(high, low));
        // Where it will be in the middle of the step.
        let middle = [0, 1].map(|i: usize| place[i] + 0.5 * dt * velocity[i]);
        let (mut least, mut most) = (middle, middle);
        for arm in &self.wetting.arms {
            for axis in 0..2 {
                least[axis] = least[axis].min(middle[axis] + arm[axis]);
                most[axis] = most[axis].max(middle[axis] + arm[axis]);
            }
        }
        self.around.look(water, [least, most], 0.5 * sea.least_radius);
        self.samples.clear();
        self.samples.extend(self.wetting.arms.iter().map(|arm| {
            let at = [middle[0] + arm[0], middle[1] + arm[1]];
            let mut water = self.around.at(at);
            water.height += sea.level;
            // Waves that are much shorter than the hull do not reach down to it, those that are longer do.
            let depth = (water.height - place[2] - arm[2]).max(0.0);
            water.velocity = scaled(if depth > 0.0 { libm::exp(-depth / long) } else { 1.0 }, water.velocity);
            Sample { place: at, water }
        }));
        self.wetting.sink(place, &self.samples);
        if self.params.waves > 0.0 {
            self.survey(dt, sea, &turn);
        }
        self.load = self.load_now(sea);
    }

    fn survey(&mut self, dt: f64, sea: &Sea, turn: &Matrix) {
        let motion = &self.motion;
        self.radiation.train.band = Band::of_swing(self.heave, sea.gravity, sea.least_radius);
        self.radiation.survey(&self.hull, &self.wetting, &self.samples, (motion.place, turn));
        let relative = self.relative();
        self.radiation.set_push(dt, &relative, self.surroundings(sea));
    }

    fn surroundings(&self, sea: &Sea) -> Surroundings {
        Surroundings { weight: sea.weight(), strength: self.params.waves }
    }

    fn relative(&self) -> Relative {
        Relative { velocity: minus(self.motion.velocity, self.radiation.flow), spin: self.motion.spin }
    }

    /// Throttle and rudder follow what is wanted, as fast as they can.
    fn turn_wheel(&mut self, dt: f64, time: f64) {
        let listed = self.params.steer.iter().rev().find(|steer| steer.at <= time).copied();
        // Whoever spoke last is heard.
        let wanted = match (listed, self.wheel) {
            (Some(listed), Some(wheel)) if wheel.at >= listed.at => wheel,
            (Some(listed), _) => listed,
            (None, Some(wheel)) => wheel,
            (None, None) => Steer { at: 0.0, throttle: self.params.throttle, rudder: self.params.rudder },
        };
        let most = dt / THROTTLE_TIME;
        self.throttle += (wanted.throttle - self.throttle).clamp(-most, most);
        let most = dt * RUDDER_SPEED;
        self.rudder += (wanted.rudder - self.rudder).clamp(-most, most);
    }

    /// How many steps a step must be cut into.
    pub(super) fn steps_within(&self, dt: f64) -> usize {
        if self.params.held {
            return 1;
        }
        let least = (0..3).map(|i| self.inertia[i][i]).fold(f64::INFINITY, f64::min);
        let rate = self.radiation.rate(self.mass, least);
        (dt * (self.stiffest2.sqrt() / MOST_SWING).max(rate / MOST_DAMPING)).ceil().clamp(1.0, MOST_STEPS)
            as usize
    }

    /// One step of Verlet: half a kick, a drift, half a kick.
    pub(super) fn step(&mut self, dt: f64, sea: &Sea) {
        let turning = self.kick(0.5 * dt);
        self.drift(dt, turning);
        self.finish(dt, sea);
    }

    /// Half a kick by the forces that are known; returns the angular momentum.
    pub(super) fn kick(&mut self, half: f64) -> Vector {
        let turn = self.motion.turn.matrix();
        let inertia = self.inertia_now(&turn);
        if self.params.held {
            return times(&inertia, self.motion.spin);
        }
        let Push { force, torque } = self.load.push;
        self.motion.velocity = plus(self.motion.velocity, half, self.accelerated(&turn, force));
        let momentum = plus(times(&inertia, self.motion.spin), half, torque);
        self.motion.spin = times(&inverse(&inertia), momentum);
        momentum
    }

    /// Goes on without forces; angular momentum stays.
    fn drift(&mut self, dt: f64, momentum: Vector) {
        self.motion.place = plus(self.motion.place, dt, self.motion.velocity);
        let start = self.motion.turn;
        if self.params.held {
            self.motion.turn = Turn::about(scaled(dt, self.motion.spin)).after(start).normalised();
            return;
        }
        // The spin in the middle of the step turns the body, as the midpoint rule has it.
        let middle = Turn::about(scaled(0.5 * dt, self.motion.spin)).after(start);
        let spin = times(&inverse(&self.inertia_now(&middle.matrix())), momentum);
        self.motion.turn = Turn::about(scaled(dt, spin)).after(start).normalised();
        self.motion.spin = times(&inverse(&self.inertia_now(&self.motion.turn.matrix())), momentum);
    }

    /// The forces where it is now, and the other half of the kick.
    pub(super) fn finish(&mut self, dt: f64, sea: &Sea) {
        self.wetting.turn(&self.hull, &self.motion.turn.matrix());
        self.wetting.sink(self.motion.place, &self.samples);
        // Drag depends on the velocity: it is foretold, with the forces of the last half, so that the step is of second order.
        let known = self.motion;
        self.kick(0.5 * dt);
        self.load = self.load_now(sea);
        self.motion.velocity = known.velocity;
        self.motion.spin = known.spin;
        self.kick(0.5 * dt);
        self.enter(dt);
    }

    /// The forces where it has been put.
    #[cfg(feature = "contacts")]
    pub(super) fn settle(&mut self, dt: f64, sea: &Sea) {
        self.wetting.turn(&self.hull, &self.motion.turn.matrix());
        self.wetting.sink(self.motion.place, &self.samples);
        self.load = self.load_now(sea);
        self.enter(dt);
    }

    /// Enters the work of a step.
    fn enter(&mut self, dt: f64) {
        self.account.dragged += self.load.dragged * dt;
        self.account.driven += self.load.driven * dt;
        self.wet = self.load.wet;
    }

    /// Share of the added mass that is there `[-]`.
    fn submerged_share(&self) -> f64 {
        (self.load.wet.volume / (HALF_IN * self.displaced)).clamp(0.0, 1.0)
    }

    fn inertia_now(&self, turn: &Matrix) -> Matrix {
        let share = self.submerged_share();
        let on_body: Matrix = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                self.inertia[i][j] + if i == j { share * self.added_inertia[i] } else { 0.0 }
            })
        });
        turned(turn, &on_body)
    }

    /// Of the centre of mass, by a force `[m/s²]`.
    fn accelerated(&self, turn: &Matrix, force: Vector) -> Vector {
        let share = self.submerged_share();
        let mut on_body = times(&transposed(turn), force);
        for (axis, value) in on_body.iter_mut().enumerate() {
            *value /= self.mass + share * self.added[axis];
        }
        times(turn, on_body)
    }

    /// Mass and principal inertia with the water that moves along, for contacts.
    #[cfg(feature = "contacts")]
    pub(super) fn heavy(&self) -> (f64, Vector) {
        let share = self.submerged_share();
        let mean = self.added.iter().sum::<f64>() / 3.0;
        (
            self.mass + share * mean,
            std::array::from_fn(|i| self.inertia[i][i] + share * self.added_inertia[i]),
        )
    }

    /// Inverse inertia along the axes of the world, and inverse mass, for contacts with the bed.
    pub(super) fn yielding(&self) -> (f64, Matrix) {
        (1.0 / self.mass, inverse(&turned(&self.motion.turn.matrix(), &self.inertia)))
    }

    pub(super) fn arms(&self) -> &[Vector] {
        &self.wetting.arms
    }

    /// All forces, where the wetting has put the body.
    fn load_now(&self, sea: &Sea) -> Load {
        let mut load = Load::default();
        let mut drag = Push::default();
        let drags = self.params.drag > 0.0 || self.params.lift > 0.0;
        let half = 0.5 * sea.density;
        self.wetting.each_part(&self.hull, |at, depths, triangle| {
            let [a, b, c] = at;
            let area = scaled(0.5, cross(minus(b, a), minus(c, a)));
            let size = dot(area, area).sqrt();
            load.wet.take(area, size, &at, depths);
            if drags {
                let arm = scaled(1.0 / 3.0, plus(plus(a, 1.0, b), 1.0, c));
                let [p, q, r] = triangle.map(|n| self.samples[n as usize].water.velocity);
                let water = scaled(1.0 / 3.0, plus(plus(p, 1.0, q), 1.0, r));
                let going = plus(self.motion.velocity, 1.0, cross(self.motion.spin, arm));
                let u = minus(going, water);
                let force = self.face_drag(area, size, u, half);
                load.dragged -= dot(force, u);
                drag.add(force, arm);
            }
        });
        let weight = sea.weight();
        load.wet.force = scaled(weight, load.wet.force);
        load.wet.torque = scaled(weight, load.wet.torque);
        load.push = Push { force: load.wet.force, torque: load.wet.torque };
        load.push.force[2] -= self.mass * sea.gravity;
        load.push.force = plus(load.push.force, 1.0, drag.force);
        load.push.torque = plus(load.push.torque, 1.0, drag.torque);
        if self.params.waves > 0.0 {
            let relative = self.relative();
            let (force, torque) = self.radiation.drag(&relative);
            load.push.force = plus(load.push.force, 1.0, force);
            load.push.torque = plus(load.push.torque, 1.0, torque);
        }
        self.drive(&mut load, sea);
        load
    }

    /// Drag and lift of a part of a face (eqs. 3.34 to 3.37), with u relative to the water.
    #[inline]
    fn face_drag(&self, area: Vector, size: f64, u: Vector, half: f64) -> Vector {
        let speed = length(u);
        if speed == 0.0 {
            return [0.0; 3];
        }
        let meets = (dot(area, u) / speed).max(0.0);
        let facing = self.params.facing;
        let effective = facing * meets + (1.0 - facing) * size;
        let mut force = scaled(-half * self.params.drag * effective * speed, u);
        if self.params.lift > 0.0 && meets > 0.0 {
            // Square to the way, and away from the side that the water meets.
            let beside = cross(area, u);
            let across = cross(beside, u);
            let long = length(across);
            if long > 0.0 {
                force = plus(force, half * self.params.lift * meets * speed * speed / long, across);
            }
        }
        force
    }

    /// Propeller and rudder, where they are under water.
    fn drive(&self, load: &mut Load, sea: &Sea) {
        if self.params.thrust == 0.0 && self.params.rudder_area == 0.0 {
            return;
        }
        let (arm, depth) = self.screw();
        let [low, high] = self.hull.bounds();
        let diameter = PROPELLER * (high[2] - low[2]);
        // It loses its hold when it comes out.
        let hold = (0.5 + depth / diameter).clamp(0.0, 1.0);
        if hold == 0.0 {
            return;
        }
        let turn = self.motion.turn.matrix();
        let axes = transposed(&turn);
        let thrust = hold * self.throttle * self.params.thrust * self.mass;
        let ahead = axes[0];
        let there = plus(self.motion.velocity, 1.0, cross(self.motion.spin, arm));
        let slip = dot(minus(there, self.radiation.flow), ahead);
        load.push.add(scaled(thrust, ahead), arm);
        load.driven += thrust * slip.max(0.0) + self.wash(thrust.abs(), sea, diameter) * thrust.abs();
        if self.params.rudder_area > 0.0 {
            let area = self.params.rudder_area * (high[0] - low[0]) * (high[2] - low[2]);
            let wash = if thrust > 0.0 { 2.0 * self.wash(thrust, sea, diameter) } else { 0.0 };
            let along = slip + wash;
            let side = dot(minus(there, self.radiation.flow), axes[1]);
            // The flow comes from ahead and, while the stern swings, from the side.
            let angle = self.rudder + libm::atan2(side, along.abs().max(1.0e-6)) * along.signum();
            let sine = libm::sin(2.0 * angle.clamp(-1.0, 1.0));
            let force = 0.25 * sea.density * hold * RUDDER * area * along * along.abs() * sine;
            load.push.add(scaled(-force, axes[1]), arm);
        }
    }

    /// Speed that a propeller gives to the water that goes through it, from the momentum of a disc `[m/s]`.
    fn wash(&self, thrust: f64, sea: &Sea, diameter: f64) -> f64 {
        (thrust / (2.0 * sea.density * 0.25 * PI * diameter * diameter)).sqrt()
    }

    /// The propeller, from the centre of mass along the axes of the world, and its depth `[m]`.
    fn screw(&self) -> (Vector, f64) {
        let [low, high] = self.hull.bounds();
        let middle = 0.5 * (low[0] + high[0]);
        let on_body = [
            middle - SCREW[0] * 0.5 * (high[0] - low[0]),
            0.5 * (low[1] + high[1]),
            low[2] + SCREW[1] * (high[2] - low[2]),
        ];
        let arm = times(&self.motion.turn.matrix(), on_body);
        // Under the mean of the water that the hull sees.
        let count = self.samples.len().max(1) as f64;
        let level = self.samples.iter().map(|s| s.water.height).sum::<f64>() / count;
        (arm, level - self.motion.place[2] - arm[2])
    }

    /// What the step that has just been taken gives to the water.
    pub(super) fn give(&mut self, dt: f64, sea: &Sea) -> Given {
        let mut given = Given::default();
        let surroundings = self.surroundings(sea);
        // The mean motion over the step has displaced what was displaced.
        let mean = Relative {
            velocity: minus(
                scaled(1.0 / dt, minus(self.motion.place, self.before.place)),
                self.radiation.flow,
            ),
            spin: scaled(0.5, plus(self.motion.spin, 1.0, self.before.spin)),
        };
        if self.params.waves > 0.0 {
            self.radiation.collect(dt, &mean, surroundings);
            let speed = libm::hypot(self.motion.velocity[0], self.motion.velocity[1]);
            self.radiation.send(speed, false, surroundings, &mut given.emissions);
            let water = kelvin::Water {
                gravity: sea.gravity,
                density: sea.density,
                least_radius: sea.least_radius,
                strength: self.params.waves,
            };
            let hull = (&self.hull, &self.wetting);
            let (step, place) = ((dt, mean.velocity), self.motion.place);
            self.radiation.wake.go_on(step, place, hull, water, &mut given.emissions);
        }
        let Radiation { train, wake, .. } = &self.radiation;
        self.account.radiated = train.carried + wake.carried;
        self.account.damped = train.taken + wake.taken;
        self.stir(&mean, sea, &mut given.foam);
        given
    }

    /// All that is still waiting to leave.
    pub(super) fn flush(&mut self, sea: &Sea) -> Vec<Emission> {
        let mut emissions = Vec::new();
        let surroundings = self.surroundings(sea);
        self.radiation.send(0.0, true, surroundings, &mut emissions);
        emissions
    }

    /// Foam of the propeller and of the hull.
    fn stir(&self, mean: &Relative, sea: &Sea, foam: &mut Vec<FoamSource>) {
        let [low, high] = self.hull.bounds();
        let thrust = (self.throttle * self.params.thrust * self.mass).abs();
        if thrust > 0.0 {
            let (arm, depth) = self.screw();
            let diameter = PROPELLER * (high[2] - low[2]);
            let hold = (0.5 + depth / diameter).clamp(0.0, 1.0);
            let power = hold * thrust * self.wash(thrust, sea, diameter);
            if power > LEAST_POWER {
                let place = [self.motion.place[0] + arm[0], self.motion.place[1] + arm[1]];
                foam.push(FoamSource { place, radius: diameter, power, propeller: true });
            }
        }
        let speed = libm::hypot(mean.velocity[0], mean.velocity[1]);
        if self.load.dragged > LEAST_POWER && speed > LEAST_SPEED {
            let shares = self.radiation.wake_shares(mean);
            for (station, share) in self.radiation.stations.iter().zip(shares).take(STATIONS) {
                let power = share * self.load.dragged;
                if power > LEAST_POWER {
                    foam.push(FoamSource {
                        place: station.place,
                        radius: station.length.max(sea.least_radius),
                        power,
                        propeller: false,
                    });
                }
            }
        }
    }
}

/// Of roll and pitch the stiffer, squared, as those of a box that is as large as the hull [1/s²].
fn stiffest(hull: &Hull, weight: f64, displaced: f64, inertia: [f64; 2]) -> f64 {
    let [low, high] = hull.bounds();
    let size = minus(high, low);
    let stiff = |axis: usize, side: f64| {
        let arm = hull.silhouette(2) * side * side / 12.0 + displaced * size[2];
        weight * arm / inertia[axis]
    };
    stiff(0, size[1]).max(stiff(1, size[0]))
}

/// A tensor on the body, along the axes of the world.
fn turned(turn: &Matrix, on_body: &Matrix) -> Matrix {
    let half: Matrix = std::array::from_fn(|i| times(&transposed(on_body), turn[i])); // R · I
    std::array::from_fn(|i| std::array::from_fn(|j| dot(half[i], turn[j])))
}
