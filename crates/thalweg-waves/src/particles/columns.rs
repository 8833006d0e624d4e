//! All particles, each in its slot.

use super::law::{Law, Particle};

/// All particles. Slots whose particle is gone are used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaveParticles {
    particles: Vec<Particle>,
    /// Of each slot how often it has changed.
    stamps: Vec<u32>,
    alive: Vec<bool>,
    /// Empty slots, the last to be used first.
    free: Vec<u32>,
}

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
        }
        self.alive[slot] = true;
        self.set(slot, particle);
        slot
    }

    pub(crate) fn set(&mut self, slot: usize, particle: Particle) {
        self.stamps[slot] = self.stamps[slot].wrapping_add(1);
        self.particles[slot] = particle;
    }

    pub(crate) fn remove(&mut self, slot: usize) {
        self.stamps[slot] = self.stamps[slot].wrapping_add(1);
        self.alive[slot] = false;
        self.free.push(slot as u32);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.particles.capacity() * (size_of::<Particle>() + 9)
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
                f64::from(u8::from(p.undivided)),
                f64::from(p.sender),
                f64::from(u8::from(p.row)),
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
            let [.., frequency, train, phase, spreading, turns, undivided, sender, is_row] = row;
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
                undivided: undivided != 0.0,
                sender: sender as u32,
                row: is_row != 0.0,
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
const NUMBERS: usize = 21;
