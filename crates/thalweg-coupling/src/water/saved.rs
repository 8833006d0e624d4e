//! The state of water and bed in a file, and back. Files come from anywhere: every number is checked before it is taken up.

use super::ParticleWater;
use super::books::Accounts;
use super::emitters::GoneEmitter;
use crate::ground::{Ground, SavedGround};
use std::ops::RangeInclusive;
use thalweg_field::range::{FINITE, NATURAL, all_within, whole};
use thalweg_sph::{BOUNDARY, Particle, Particles, RoundsTaken, RunningEmitter};

/// Ways that the last particles of an emitter may have gone when the next ones follow `[m]`.
pub(super) const TRAVELLED: RangeInclusive<f64> = 0.0..=1.0e30;

/// Times that sediment may have to wait for its next exchange `[s]`: 64 of the longest steps.
const WAITING: RangeInclusive<f64> = 0.0..=1.0e6;

/// Columns of numbers that every particle has: position, velocity, mass, end.
const COLUMNS: usize = 8;

/// The state of water and bed, to be saved and taken up again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    /// Steps taken.
    pub step: u64,
    /// Clock and accounts.
    pub numbers: Vec<f64>,
    /// Cargo of the particles, then how the ground has changed: the change of a bed's vertices, or changed blocks of a volume.
    pub doubles: Vec<f64>,
    /// Columns of the particles, the densities that are known, then what boundary particles were put on.
    pub floats: Vec<f32>,
    /// Tags of the particles, then which tiles of ground and walls are filled.
    pub tags: Vec<u32>,
    /// Whether somebody painted since the last step.
    pub painted: bool,
    /// Damped steps taken before time began; missing: all.
    pub relaxed: Option<u32>,
    /// Emitters that were taken away; empty: none.
    pub gone: Vec<f64>,
    /// By how much each particle is denser than at rest; empty: not at all.
    pub compression: Vec<f32>,
    /// Particles that found no room.
    pub held_back: f64,
    /// What rounds came to; empty: there were none.
    pub rounds: Vec<f64>,
}

impl ParticleWater {
    /// Everything that a run needs to go on to the same bits.
    pub fn save(&self) -> Saved {
        let particles = self.fluid.particles();
        let count = particles.len();
        let (change, put_on, filled) = self.ground.save();
        let walls = self.ground.walls().filled();
        let accounts = self.accounts.numbers();
        let density = self.fluid.last_density();
        let counts = [count as f64, density.len() as f64, walls.len() as f64, self.waiting];
        let travelled = self.emitters.iter().map(RunningEmitter::travelled);
        let columns =
            particles.position.iter().chain(&particles.velocity).chain([&particles.mass, &particles.expires]);
        let cargo = particles.cargo.get(..count).unwrap_or_default();
        Saved {
            step: self.steps_taken(),
            numbers: counts.into_iter().chain(self.fluid.clock()).chain(accounts).chain(travelled).collect(),
            doubles: cargo.iter().chain(&change).copied().collect(),
            floats: columns
                .flat_map(|column| &column[..count])
                .chain(density)
                .chain(&put_on)
                .copied()
                .collect(),
            tags: particles.tag[..count]
                .iter()
                .copied()
                .chain(filled.iter().chain(walls).map(|&filled| u32::from(filled)))
                .collect(),
            painted: self.painted,
            relaxed: Some(self.relaxed),
            gone: GoneEmitter::numbers(&self.gone),
            compression: particles.compression[..count].to_vec(),
            held_back: self.held_back,
            rounds: match self.fluid.rounds_taken() {
                RoundsTaken { rounds: 0, .. } => Vec::new(),
                taken => taken.numbers().to_vec(),
            },
        }
    }

    /// Goes on from a saved state. The text says why not: it is that of another scene, or a number in it makes no sense.
    /// It is of no use then.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), String> {
        let parts = self.parts(saved).ok_or("its particles do not fit the scene")??;
        self.check(saved, &parts)?;
        self.gone = GoneEmitter::from_numbers(&saved.gone)?;
        if !saved.rounds.is_empty() {
            self.fluid.count_rounds_from(RoundsTaken::from_numbers(&saved.rounds)?);
        }
        let erosion = self.params.erosion.enabled;
        self.fluid.take_up(parts.particles(erosion), parts.density, *parts.clock)?;
        let [filled, walls] =
            parts.filled.map(|flags| flags.iter().map(|&flag| flag != 0).collect::<Vec<_>>());
        let (doubles, floats) = (parts.change, parts.put_on);
        self.ground.restore(&SavedGround { doubles, floats, filled: &filled, walls: &walls })?;
        let relax = self.params.fluid.relax;
        // Once time has begun, the water has found its place.
        let relaxed = if saved.step > 0 { relax } else { saved.relaxed.unwrap_or(relax).min(relax) };
        (self.waiting, self.relaxed) = (parts.waiting, relaxed);
        (self.painted, self.held_back) = (saved.painted, saved.held_back);
        self.accounts = Accounts::from_numbers(*parts.accounts);
        for (emitter, &travelled) in self.emitters.iter_mut().zip(parts.travelled) {
            emitter.set_travelled(travelled);
        }
        // Files of versions whose emitters had no walls.
        if !self.has_fixtures() {
            self.check_fixtures(&self.emitters).map_err(|invalid| invalid.to_string())?;
            self.put_fixtures();
        }
        Ok(())
    }

    /// Takes a saved state apart; none if its columns do not fit. The text says which count makes no sense.
    fn parts<'a>(&self, saved: &'a Saved) -> Option<Result<Parts<'a>, String>> {
        let (&[count, known, walls, waiting], rest) = saved.numbers.split_first_chunk::<4>()?;
        let (clock, rest) = rest.split_first_chunk::<6>()?;
        let (accounts, travelled) = rest.split_first_chunk::<7>()?;
        let counts = [
            ("the number of its particles", count),
            ("the number of its densities", known),
            ("the number of its squares of wall", walls),
        ];
        let mut whole_counts = [0; 3];
        for (whole_count, (what, number)) in whole_counts.iter_mut().zip(counts) {
            match whole(what, number, u32::MAX.into()) {
                Ok(number) => *whole_count = number as usize,
                Err(error) => return Some(Err(error)),
            }
        }
        let [count, known, walls] = whole_counts;
        let tiles = self.ground.save().2.len();
        let cargo = if self.params.erosion.enabled { count } else { 0 };
        let compression = &saved.compression;
        let fits = known <= count
            && (compression.is_empty() || compression.len() == count)
            && saved.floats.len() >= COLUMNS * count + known
            && saved.doubles.len() >= cargo
            && self.ground.fits(saved.doubles.len() - cargo, saved.floats.len() - COLUMNS * count - known)
            && saved.tags.len() == count + tiles + walls
            && travelled.len() == self.emitters.len();
        if !fits {
            return None;
        }
        let (columns, rest) = saved.floats.split_at(COLUMNS * count);
        let (density, put_on) = rest.split_at(known);
        let (carried, change) = saved.doubles.split_at(cargo);
        let (tags, flags) = saved.tags.split_at(count);
        let (tiles, walls) = flags.split_at(tiles);
        let filled = [tiles, walls];
        Some(Ok(Parts {
            clock,
            accounts,
            travelled,
            waiting,
            columns,
            density,
            compression,
            put_on,
            carried,
            change,
            tags,
            filled,
        }))
    }

    /// Refuses numbers that no run can have, but for those that the fluid checks.
    fn check(&self, saved: &Saved, parts: &Parts) -> Result<(), String> {
        all_within("its account", parts.accounts, &FINITE)?;
        all_within("the number of particles that found no room,", &[saved.held_back], &NATURAL)?;
        all_within("the time since sediment was exchanged,", &[parts.waiting], &WAITING)?;
        all_within("way of the last particles of emitter", parts.travelled, &TRAVELLED)?;
        let owners = [parts.filled[1].len(), self.bodies.len()];
        let lost = |&tag: &u32| tag & BOUNDARY != 0 && !self.ground.owns(tag, owners);
        if let Some(at) = parts.tags.iter().position(lost) {
            return Err(format!(
                "the tag of its particle {at} is {:#x}, which no place of the bed has",
                parts.tags[at]
            ));
        }
        let steps = parts.clock[4];
        if steps != saved.step as f64 {
            return Err(format!("it counts {} steps, and {steps} elsewhere", saved.step));
        }
        Ok(())
    }
}

/// A saved state, taken apart.
struct Parts<'a> {
    clock: &'a [f64; 6],
    accounts: &'a [f64; 7],
    /// Of each emitter.
    travelled: &'a [f64],
    /// Time since sediment was exchanged `[s]`.
    waiting: f64,
    /// Positions, velocities, masses and ends of the particles, and the densities that are known.
    columns: &'a [f32],
    density: &'a [f32],
    /// By how much each is denser than at rest; empty: not at all.
    compression: &'a [f32],
    /// What boundary particles were put on.
    put_on: &'a [f32],
    carried: &'a [f64],
    /// Of the ground.
    change: &'a [f64],
    tags: &'a [u32],
    /// Which tiles of the ground and which squares of the walls are filled.
    filled: [&'a [u32]; 2],
}

impl Parts<'_> {
    fn particles(&self, cargo: bool) -> Particles {
        let count = self.tags.len();
        let mut particles = Particles::with_capacity(count, cargo);
        particles.resize(count);
        for (i, &tag) in self.tags.iter().enumerate() {
            let float = |column: usize| self.columns[column * count + i];
            let particle = Particle {
                position: [float(0), float(1), float(2)],
                velocity: [float(3), float(4), float(5)],
                mass: float(6),
                expires: float(7),
                compression: self.compression.get(i).copied().unwrap_or(0.0),
                tag,
                cargo: self.carried.get(i).copied().unwrap_or(0.0),
            };
            particles.set(i, particle);
        }
        particles
    }
}
