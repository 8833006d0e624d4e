//! Where waves came from and went.

use crate::Params;
use crate::particles::{Law, Particle};
use thalweg_field::sum::Compensated;

/// Density of water `[kg/m³]`.
pub const WATER_DENSITY: f64 = 1000.0;
/// Energy of a crest ½(1 + cos) in ρ g × height² × radius × width, half of it in its motion: ∫ ¼(1 + cos)².
const OF_CREST: f64 = 0.75;
/// Energy of a train with the envelope cos² in ρ g × height² × half its length × width: ½ ∫ cos⁴.
const OF_TRAIN: f64 = 0.375;

/// The books of waves: energy where energy is kept, volume where volume is. What goes around the ends of walls is not counted, as it
/// is a correction of what passes them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Books {
    /// Sent out `[J]`.
    pub sent: f64,
    /// In the waves now `[J]`.
    pub present: f64,
    /// Lost to damping `[J]`.
    pub damped: f64,
    /// Lost by breaking `[J]`.
    pub broken: f64,
    /// Kept by walls `[J]`.
    pub kept_by_walls: f64,
    /// In waves that became too low to be seen `[J]`.
    pub faded: f64,
    /// In waves that left what is looked at `[J]`.
    pub left: f64,
    /// Volume of what was sent out, troughs below zero `[m³]`.
    pub volume_sent: f64,
    /// Volume of the waves now `[m³]`.
    pub volume: f64,
    /// Particles that there was no room for.
    pub held_back: u64,
    /// Children of particles that were lost in nooks of walls.
    pub lost_in_walls: u64,
    /// Sums of the first few, exactly.
    sums: [Compensated; 7],
}

const SENT: usize = 0;
const DAMPED: usize = 1;
const BROKEN: usize = 2;
const WALLS: usize = 3;
const FADED: usize = 4;
const LEFT: usize = 5;
const VOLUME: usize = 6;

/// Height² × length × width that a particle carries, with the share that its energy has in it.
fn carried(particle: &Particle) -> f64 {
    let share = if particle.train > 0.0 { OF_TRAIN } else { OF_CREST };
    match particle.law {
        Law::Energy => share * particle.strength * particle.strength,
        Law::Volume | Law::Fan(_) => 0.0,
    }
}

/// Volume of a bump: amplitude × radius², as the separable kernel has it.
fn volume(particle: &Particle, time: f64) -> f64 {
    match particle.law {
        _ if particle.train > 0.0 => 0.0,
        Law::Volume => particle.strength * particle.radius * particle.radius,
        Law::Energy => particle.crest(time) * particle.width_after(particle.way(time)) * particle.radius,
        Law::Fan(_) => 0.0,
    }
}

impl Books {
    pub(crate) fn sent(&mut self, particle: &Particle) {
        self.sums[SENT].add(carried(particle));
        self.sums[VOLUME].add(volume(particle, particle.since));
    }

    pub(crate) fn damped(&mut self, before: &Particle, after: &Particle) {
        self.sums[DAMPED].add(carried(before) - carried(after));
    }

    pub(crate) fn met_wall(&mut self, before: &Particle, after: &Particle) {
        // What a fan becomes at a wall is no energy that anybody sent.
        if matches!(before.law, Law::Fan(_)) {
            self.sums[SENT].add(carried(after));
        } else {
            self.sums[WALLS].add(carried(before) - carried(after));
        }
    }

    /// What a particle becomes that splits: walls keep a part of what is born behind them, and all of what is lost in a nook.
    pub(crate) fn split(&mut self, parent: &Particle, parts: &[Option<Particle>; 3]) {
        let there = parts.iter().flatten();
        self.lost_in_walls += 3 - there.clone().count() as u64;
        self.sums[WALLS].add(carried(parent) - there.map(carried).sum::<f64>());
    }

    pub(crate) fn faded(&mut self, particle: &Particle) {
        self.sums[FADED].add(carried(particle));
    }

    pub(crate) fn left(&mut self, particle: &Particle) {
        self.sums[LEFT].add(carried(particle));
    }

    /// Notes what breaking took and tells it `[J]`.
    pub(crate) fn broken(&mut self, particle: &Particle, lost: f64, gravity: f64) -> f64 {
        let share = if particle.train > 0.0 { OF_TRAIN } else { OF_CREST };
        self.sums[BROKEN].add(share * lost);
        share * lost * WATER_DENSITY * gravity
    }

    /// The books with what there is now.
    pub(crate) fn with_present<'a>(
        &self,
        particles: impl Iterator<Item = &'a Particle>,
        time: f64,
        params: &Params,
    ) -> Self {
        let weight = WATER_DENSITY * params.gravity;
        let (mut present, mut all, mut waning) =
            (Compensated::default(), Compensated::default(), self.sums[DAMPED]);
        for particle in particles {
            let now = particle.moved_to(time.max(particle.since), params.damping);
            present.add(carried(&now));
            waning.add(carried(particle) - carried(&now));
            all.add(volume(&now, time));
        }
        let energy = |sum: Compensated| weight * sum.value();
        Self {
            sent: energy(self.sums[SENT]),
            present: energy(present),
            damped: energy(waning),
            broken: energy(self.sums[BROKEN]),
            kept_by_walls: energy(self.sums[WALLS]),
            faded: energy(self.sums[FADED]),
            left: energy(self.sums[LEFT]),
            volume_sent: self.sums[VOLUME].value(),
            volume: all.value(),
            ..*self
        }
    }

    /// Energy that is missing as a share of what was sent `[-]`.
    pub fn missing(&self) -> f64 {
        let found = self.present + self.damped + self.broken + self.kept_by_walls + self.faded + self.left;
        if self.sent == 0.0 { 0.0 } else { (self.sent - found).abs() / self.sent }
    }

    pub(crate) fn save(&self) -> Vec<f64> {
        let counts = [self.held_back as f64, self.lost_in_walls as f64];
        self.sums.iter().flat_map(|sum| sum.parts()).chain(counts).collect()
    }

    pub(crate) fn load(numbers: &[f64]) -> Result<Self, String> {
        let (sums, counts) = numbers.split_at_checked(14).ok_or("its books are too short")?;
        let &[held_back, lost_in_walls] = counts else {
            return Err("its books are too long or too short".into());
        };
        if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
            return Err(format!("its books say {number}"));
        }
        let mut books =
            Self { held_back: held_back as u64, lost_in_walls: lost_in_walls as u64, ..Self::default() };
        for (sum, &parts) in books.sums.iter_mut().zip(sums.as_chunks().0) {
            *sum = Compensated::from_parts(parts);
        }
        Ok(books)
    }
}
