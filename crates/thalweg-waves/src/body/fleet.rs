//! All bodies together.

use super::bed::Bed;
#[cfg(feature = "contacts")]
use super::contacts::Contacts;
use super::floating::{Floating, FoamSource, Given, Motion, Sea};
use super::hull::Hull;
use super::obstacle::stop;
use super::params::{BodyError, BodyParams, Steer};
use super::radiation::Account;
use super::vector::Vector;
use super::wall::Wall;
use super::water::Submerged;
use crate::{Emission, WaterPoint, WaterSurface};
use thalweg_field::{Heightfield, Invalid, TriMesh, band, require};

/// Longest step `[s]`.
const LONGEST: f64 = 1.0;
/// Bodies that come so close to something are looked at by the contacts `[m]`.
const NEAR: f64 = 0.1;
/// Faster than this nothing floats `[m/s]`.
const WILD: f64 = 1.0e4;

/// Why a step could not be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FleetError {
    /// A step that is no step.
    #[error("a step of {dt} s is none for bodies; it must lie between 0 and {LONGEST} s")]
    Step {
        /// What was asked for `[s]`.
        dt: f64,
    },
    /// Numbers gone wild.
    #[error(
        "{name} went wild in step {step} (t = {time:.3} s), near {at:?} m; take shorter steps or give it more mass or less thrust"
    )]
    Wild {
        /// Which body.
        name: String,
        /// In which step.
        step: u64,
        /// When `[s]`.
        time: f64,
        /// Where it was before `[m]`.
        at: Vector,
    },
}

/// What a step of bodies does to the water.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disturbance {
    /// Fronts that leave the hulls.
    pub emissions: Vec<Emission>,
    /// What stirs the water.
    pub foam: Vec<FoamSource>,
}

/// Bodies that float.
#[derive(Clone, Debug)]
pub struct Fleet {
    pub(super) sea: Sea,
    bed: Option<Bed>,
    walls: Vec<Wall>,
    pub(super) bodies: Vec<Floating>,
    pub(super) step: u64,
    pub(super) time: f64,
    #[cfg(feature = "contacts")]
    contacts: Contacts,
}

impl Fleet {
    /// No bodies yet.
    pub fn new(sea: Sea) -> Result<Self, Invalid> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        require(positive(sea.gravity), "gravity", sea.gravity, "bodies need some to float")?;
        require(positive(sea.density), "density", sea.density, "water has some, 1000 kg/m³")?;
        require(positive(sea.least_radius), "least_radius", sea.least_radius, "waves have some width")?;
        require(sea.level.is_finite(), "level", sea.level, "it is a height")?;
        Ok(Self {
            sea,
            bed: None,
            walls: Vec::new(),
            bodies: Vec::new(),
            step: 0,
            time: 0.0,
            #[cfg(feature = "contacts")]
            contacts: Contacts::new(None),
        })
    }

    /// Ground that bodies come to rest on, and walls that they do not pass, each from one place to another with the water on its left.
    #[must_use]
    pub fn within(mut self, bed: Option<Heightfield>, walls: &[[[f64; 2]; 2]]) -> Self {
        self.walls = walls.iter().filter_map(|&ends| Wall::new(ends)).collect();
        self.set_bed(bed);
        self
    }

    /// Lets bodies come to rest on another ground from now on.
    pub fn set_bed(&mut self, bed: Option<Heightfield>) {
        self.bed =
            bed.filter(|bed| bed.height.cols() > 1 && bed.height.rows() > 1).map(|ground| Bed { ground });
        #[cfg(feature = "contacts")]
        {
            self.contacts = Contacts::new(self.bed.as_ref());
            self.bodies.iter().for_each(|body| self.contacts.add(body));
        }
    }

    /// Adds a body; `mesh` is what its file holds. Returns its number.
    pub fn add(&mut self, params: &BodyParams, mesh: Option<&TriMesh>) -> Result<usize, BodyError> {
        let body = Floating::new(params, mesh, &self.sea)?;
        #[cfg(feature = "contacts")]
        self.contacts.add(&body);
        self.bodies.push(body);
        Ok(self.bodies.len() - 1)
    }

    /// What surrounds all bodies.
    pub fn sea(&self) -> Sea {
        self.sea
    }

    /// Lets the water at rest stand at another level from now on: a lake that fills `[m]`.
    pub fn set_level(&mut self, level: f64) {
        self.sea.level = level;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Time that has passed `[s]`.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken.
    pub fn steps_taken(&self) -> u64 {
        self.step
    }

    /// Takes a step on the water as it is, best in the middle of the step.
    pub fn step(&mut self, dt: f64, water: &dyn WaterSurface) -> Result<Disturbance, FleetError> {
        if !(dt > 0.0 && dt <= LONGEST) {
            return Err(FleetError::Step { dt });
        }
        let (sea, time) = (self.sea, self.time);
        band::for_each(&mut self.bodies, |n, body| body.look(dt, time, &Felt { water, by: n }, &sea));
        let touching = self.touching(dt);
        let (bed, walls) = (self.bed.as_ref(), &self.walls);
        band::for_each(&mut self.bodies, |n, body| {
            if touching.contains(&n) {
                return;
            }
            let count = body.steps_within(dt);
            for _ in 0..count {
                body.step(dt / count as f64, &sea);
                if cfg!(not(feature = "contacts")) && !body.params.held {
                    bed.iter().for_each(|bed| stop(body, *bed));
                    walls.iter().for_each(|wall| stop(body, wall));
                }
            }
        });
        #[cfg(feature = "contacts")]
        if !touching.is_empty() {
            let count = touching.iter().map(|&n| self.bodies[n].steps_within(dt)).max().unwrap_or(1);
            let cut = (dt / count as f64, count);
            self.contacts.advance(&mut self.bodies, &touching, &self.walls, cut, &sea);
        }
        self.check()?;
        self.step += 1;
        self.time += dt;
        Ok(self.wake(dt))
    }

    /// Numbers of the bodies that something may be in the way of, in order.
    fn touching(&self, dt: f64) -> Vec<usize> {
        if cfg!(not(feature = "contacts")) {
            return Vec::new();
        }
        let reach = |body: &Floating| {
            let v = body.motion.velocity;
            body.reach + NEAR + dt * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
        };
        let touches = |n: &usize| {
            let body = &self.bodies[*n];
            let (at, far) = (body.motion.place, reach(body));
            let others = self.bodies.iter().enumerate().any(|(m, other)| {
                let off: f64 = (0..3).map(|i| (other.motion.place[i] - at[i]).powi(2)).sum();
                m != *n && off < (far + reach(other)).powi(2)
            });
            let bed = || self.bed.as_ref().is_some_and(|bed| bed.is_near(at, far));
            others || self.walls.iter().any(|wall| wall.is_near([at[0], at[1]], far)) || bed()
        };
        (0..self.bodies.len()).filter(touches).collect()
    }

    fn check(&self) -> Result<(), FleetError> {
        let calm = |body: &&Floating| {
            let m = &body.motion;
            let all = m.place.iter().chain(&m.velocity).chain(&m.spin).chain(&m.turn.0);
            all.clone().all(|x| x.is_finite()) && m.velocity.iter().all(|v| v.abs() < WILD)
        };
        match self.bodies.iter().find(|body| !calm(body)) {
            None => Ok(()),
            Some(body) => Err(FleetError::Wild {
                name: body.params.name.clone(),
                step: self.step,
                time: self.time,
                at: body.before.place,
            }),
        }
    }

    fn wake(&mut self, dt: f64) -> Disturbance {
        let sea = self.sea;
        let mut given = vec![Given::default(); self.bodies.len()];
        let pairs: Vec<(&mut Floating, &mut Given)> = self.bodies.iter_mut().zip(&mut given).collect();
        let mut pairs = pairs;
        band::for_each(&mut pairs, |_, (body, given)| **given = body.give(dt, &sea));
        let mut wake = Disturbance::default();
        for (sender, given) in (1..).zip(given) {
            wake.emissions.extend(given.emissions.into_iter().map(|front| Emission { sender, ..front }));
            wake.foam.extend(given.foam);
        }
        wake
    }

    /// Sends all that still waits to become a front; what a body displaces goes out in fronts that are half a radius apart.
    pub fn flush(&mut self) -> Vec<Emission> {
        let sea = self.sea;
        self.bodies.iter_mut().flat_map(|body| body.flush(&sea)).collect()
    }

    /// Takes the wheel: throttle and rudder from now on, until the scene's next entry.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn steer(&mut self, body: usize, throttle: f64, rudder: f64) -> Result<(), Invalid> {
        let whole = -1.0..=1.0;
        require(whole.contains(&throttle), "throttle", throttle, "it lies between -1 and 1")?;
        require(whole.contains(&rudder), "rudder", rudder, "it lies between -1 and 1 rad")?;
        self.bodies[body].wheel = Some(Steer { at: self.time, throttle, rudder });
        Ok(())
    }

    /// Changes those numbers of a body that can change while it floats: drag, lift, facing, waves, thrust, rudder area, and what is
    /// done at the wheel.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn edit(&mut self, body: usize, params: &BodyParams) -> Result<(), Invalid> {
        let new = params.clone().validated()?;
        let body = &mut self.bodies[body];
        body.params = body.params.with_live_of(&new);
        Ok(())
    }

    /// Where a body is and how it moves.
    ///
    /// # Panics
    /// If there is no such body; so do all that ask for one below.
    pub fn motion(&self, body: usize) -> &Motion {
        &self.bodies[body].motion
    }

    /// Where it was at a share of the last step, for pictures between steps.
    pub fn motion_between(&self, body: usize, share: f64) -> Motion {
        self.bodies[body].before.between(share, &self.bodies[body].motion)
    }

    /// Puts a body somewhere else.
    pub fn put(&mut self, body: usize, motion: Motion) {
        let body = &mut self.bodies[body];
        (body.motion, body.before) = (motion, motion);
        body.radiation.wake.put([motion.place[0], motion.place[1]]);
    }

    /// Its name.
    pub fn name(&self, body: usize) -> &str {
        &self.bodies[body].params.name
    }

    /// Its hull, about its centre of mass.
    pub fn hull(&self, body: usize) -> &Hull {
        &self.bodies[body].hull
    }

    /// Its mass `[kg]`.
    pub fn mass(&self, body: usize) -> f64 {
        self.bodies[body].mass
    }

    /// What of it was under water at the end of the last step.
    pub fn submerged(&self, body: usize) -> &Submerged {
        &self.bodies[body].wet
    }

    /// Throttle `[-]` and rudder `[rad]` as they are.
    pub fn wheel(&self, body: usize) -> [f64; 2] {
        [self.bodies[body].throttle, self.bodies[body].rudder]
    }

    /// Work done on and by it.
    pub fn account(&self, body: usize) -> &Account {
        &self.bodies[body].account
    }
}

/// The water as one of the bodies feels it.
struct Felt<'a> {
    water: &'a dyn WaterSurface,
    by: usize,
}

impl WaterSurface for Felt<'_> {
    fn at(&self, place: [f64; 2]) -> WaterPoint {
        self.water.felt_at(place, self.by)
    }
}
