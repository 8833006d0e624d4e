//! The state of a fleet in a file, and back. Files come from anywhere: every number is checked before it is taken up.

use super::fleet::Fleet;
use super::floating::{Floating, Motion};
use super::kelvin::Kelvin;
use super::params::Steer;
use super::radiation::{Account, Train};
use super::vector::Turn;
use thalweg_field::{Invalid, require};

/// Place, turn, velocity, spin.
const MOTION: usize = 13;
/// Motion, throttle, rudder, what was done at the wheel, work.
const BODY: usize = MOTION + 2 + 4 + 4;
/// Fronts of its swings, and what it leaves behind.
const WAVES: usize = Train::NUMBERS + Kelvin::NUMBERS;

/// The state of all bodies, to be saved and taken up again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedFleet {
    /// Steps taken.
    pub step: u64,
    /// Time that has passed `[s]`.
    pub time: f64,
    /// Motion, wheel and accounts of each body, one after the other.
    pub bodies: Vec<f64>,
    /// Waves that wait to leave each body, and those that have left it last.
    pub waves: Vec<f64>,
}

impl SavedFleet {
    /// The arrays with their names.
    pub fn arrays(&self) -> [(&'static str, &[f64]); 2] {
        [("bodies", &self.bodies), ("body_waves", &self.waves)]
    }
}

impl Fleet {
    /// Everything that a run needs to go on to the same bits.
    pub fn save(&self) -> SavedFleet {
        let waves = self.bodies.iter().map(|body| &body.radiation);
        let waves = waves.flat_map(|waves| waves.train.numbers().chain(waves.wake.numbers()));
        SavedFleet {
            step: self.step,
            time: self.time,
            bodies: self.bodies.iter().flat_map(numbers).collect(),
            waves: waves.collect(),
        }
    }

    /// Goes on from a state of the same bodies.
    pub fn load(&mut self, saved: &SavedFleet) -> Result<(), Invalid> {
        let count = self.bodies.len();
        let fits = saved.bodies.len() == BODY * count && saved.waves.len() == WAVES * count;
        let found = format!("{} numbers", saved.bodies.len());
        require(fits, "bodies", found, format!("a state of {count} bodies has {}", BODY * count))?;
        let finite = saved.bodies.iter().chain(&saved.waves).chain([&saved.time]).all(|x| x.is_finite());
        require(finite && saved.time >= 0.0, "bodies", "no number", "all numbers of a state are finite")?;
        let turns = saved.bodies.chunks(BODY).all(|body| {
            let long2: f64 = body[3..7].iter().map(|x| x * x).sum();
            (long2 - 1.0).abs() < 1.0e-6
        });
        require(turns, "bodies", "a turn", "turns are quaternions of length 1")?;
        let wheels = saved.bodies.chunks(BODY).all(|body| {
            body[MOTION..MOTION + 2].iter().chain(&body[MOTION + 4..MOTION + 6]).all(|x| x.abs() <= 1.0)
        });
        require(wheels, "bodies", "a wheel", "throttle and rudder lie between -1 and 1")?;
        (self.step, self.time) = (saved.step, saved.time);
        let waves = saved.waves.chunks(WAVES);
        for ((body, numbers), waves) in self.bodies.iter_mut().zip(saved.bodies.chunks(BODY)).zip(waves) {
            take(body, numbers);
            let (swing, wake) = waves.split_at(Train::NUMBERS);
            body.radiation.train = Train::of_numbers(swing);
            body.radiation.wake = Kelvin::of_numbers(wake);
        }
        Ok(())
    }
}

fn numbers(body: &Floating) -> Vec<f64> {
    let Motion { place, turn, velocity, spin } = body.motion;
    let wheel = body.wheel.map_or([0.0; 4], |w| [1.0, w.throttle, w.rudder, w.at]);
    let Account { radiated, damped, dragged, driven } = body.account;
    place
        .into_iter()
        .chain(turn.0)
        .chain(velocity)
        .chain(spin)
        .chain([body.throttle, body.rudder])
        .chain([wheel[0], wheel[3], wheel[1], wheel[2]])
        .chain([radiated, damped, dragged, driven])
        .collect()
}

fn take(body: &mut Floating, numbers: &[f64]) {
    let mut next = numbers.iter().copied();
    let mut take = || next.next().unwrap_or(0.0);
    let mut three = || [take(), take(), take()];
    let place = three();
    let turn = Turn([take(), take(), take(), take()]);
    let mut three = || [take(), take(), take()];
    let (velocity, spin) = (three(), three());
    body.motion = Motion { place, turn, velocity, spin };
    body.before = body.motion;
    (body.throttle, body.rudder) = (take(), take());
    let [there, at, throttle, rudder] = [take(), take(), take(), take()];
    body.wheel = (there != 0.0).then_some(Steer { at, throttle, rudder });
    let [radiated, damped, dragged, driven] = [take(), take(), take(), take()];
    body.account = Account { radiated, damped, dragged, driven };
}
