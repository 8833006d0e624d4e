//! Particles as columns of numbers.

use super::law::{Law, Particle};
use std::ops::Range;
use thalweg_field::band;

/// All particles, a column for each number. A place in the columns is a slot; slots whose particle is gone are used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaveParticles {
    particles: Vec<Particle>,
    /// Of each slot how often it has changed.
    stamps: Vec<u32>,
    alive: Vec<bool>,
    /// Empty slots, the last to be used first.
    free: Vec<u32>,
    /// Where each would have been at time 0, and how fast it goes: all that its place at any time needs.
    pub(crate) start: [Vec<f64>; 2],
    pub(crate) velocity: [Vec<f64>; 2],
}

/// Particles that one thread moves at a time.
const PART: usize = 8192;

impl WaveParticles {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.particles.len() - self.free.len()
    }

    /// Slots, used or not.
    pub(crate) fn slots(&self) -> usize {
        self.particles.len()
    }

    pub(crate) fn is_alive(&self, slot: usize) -> bool {
        self.alive[slot]
    }

    pub(crate) fn get(&self, slot: usize) -> &Particle {
        &self.particles[slot]
    }

    pub(crate) fn stamp(&self, slot: usize) -> u32 {
        self.stamps[slot]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Particle> {
        self.particles.iter().zip(&self.alive).filter(|&(_, &alive)| alive).map(|(particle, _)| particle)
    }

    /// Takes one in and tells its slot.
    pub(crate) fn add(&mut self, particle: Particle) -> usize {
        let slot = self.free.pop().map_or(self.particles.len(), |slot| slot as usize);
        if slot == self.particles.len() {
            self.particles.push(particle);
            self.stamps.push(0);
            self.alive.push(true);
            for column in self.start.iter_mut().chain(&mut self.velocity) {
                column.push(0.0);
            }
        }
        self.alive[slot] = true;
        self.set(slot, particle);
        slot
    }

    pub(crate) fn set(&mut self, slot: usize, particle: Particle) {
        self.stamps[slot] = self.stamps[slot].wrapping_add(1);
        for axis in 0..2 {
            let velocity = particle.heading[axis] * particle.speed;
            self.velocity[axis][slot] = velocity;
            self.start[axis][slot] = particle.place[axis] - velocity * particle.since;
        }
        self.particles[slot] = particle;
    }

    pub(crate) fn remove(&mut self, slot: usize) {
        self.stamps[slot] = self.stamps[slot].wrapping_add(1);
        self.alive[slot] = false;
        self.free.push(slot as u32);
    }

    /// Places of all slots at a time; those of empty slots are of no meaning.
    pub(crate) fn places(&self, time: f64, places: &mut [Vec<f32>; 2]) {
        for (axis, places) in places.iter_mut().enumerate() {
            places.resize(self.slots(), 0.0);
            let columns = (&self.start[axis][..], (&self.velocity[axis][..], &mut places[..]));
            let go = |_: Range<usize>, (start, (velocity, places)): (&[f64], (&[f64], &mut [f32]))| {
                for ((place, start), velocity) in places.iter_mut().zip(start).zip(velocity) {
                    *place = (start + velocity * time) as f32;
                }
            };
            band::for_each_part(0..self.slots(), PART, columns, &go);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.particles.capacity() * (size_of::<Particle>() + 4 * size_of::<f64>() + 9)
    }

    /// Everything as columns of numbers, for saving.
    pub(crate) fn save(&self) -> (Vec<f64>, Vec<u32>) {
        let number = |p: &Particle| {
            let (law, angle) = match p.law {
                Law::Volume => (0.0, 0.0),
                Law::Energy => (1.0, 0.0),
                Law::Fan(angle) => (2.0, angle),
            };
            [
                p.place[0],
                p.place[1],
                p.heading[0],
                p.heading[1],
                p.since,
                p.born,
                p.speed,
                p.width,
                p.spread,
                law,
                angle,
                p.strength,
                p.radius,
                p.frequency,
                p.train,
                p.phase,
                p.spreading,
                f64::from(p.turns),
            ]
        };
        (self.particles.iter().flat_map(number).collect(), self.free.clone())
    }

    /// Takes up what was saved; the text says why it cannot.
    pub(crate) fn load(numbers: &[f64], free: &[u32]) -> Result<Self, String> {
        let (rows, rest) = numbers.as_chunks::<NUMBERS>();
        if !rest.is_empty() {
            return Err(format!("{} numbers of particles, not {NUMBERS} for each", numbers.len()));
        }
        if let Some(at) = rows.iter().flatten().position(|number| !number.is_finite()) {
            return Err(format!("number {} of particle {} is not finite", at % NUMBERS, at / NUMBERS));
        }
        let mut all = Self::default();
        for (slot, &row) in rows.iter().enumerate() {
            let [x, y, east, north, since, born, speed, width, spread, law, angle, strength, radius, ..] =
                row;
            let [.., frequency, train, phase, spreading, turns] = row;
            let is_sound = radius > 0.0 && width >= 0.0 && speed >= 0.0 && train >= 0.0 && spreading >= 0.0;
            let law = match law {
                0.0 => Law::Volume,
                1.0 => Law::Energy,
                2.0 => Law::Fan(angle),
                _ => return Err(format!("particle {slot} keeps nothing that is known: {law}")),
            };
            if !is_sound
                || ((east * east + north * north) - 1.0).abs() > 1.0e-6
                || !(0.0..=255.0).contains(&turns)
            {
                return Err(format!(
                    "particle {slot} is none: radius {radius} m, width {width} m, speed {speed} m/s"
                ));
            }
            all.add(Particle {
                place: [x, y],
                heading: [east, north],
                since,
                born,
                speed,
                width,
                spread,
                law,
                strength,
                radius,
                frequency,
                train,
                phase,
                spreading,
                turns: turns as u8,
            });
        }
        for &slot in free {
            match all.alive.get_mut(slot as usize) {
                Some(alive) if *alive => *alive = false,
                _ => return Err(format!("slot {slot} is said to be empty, and is not there")),
            }
        }
        all.free = free.to_vec();
        Ok(all)
    }
}

/// Numbers that a particle is saved as.
const NUMBERS: usize = 18;
