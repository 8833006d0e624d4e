//! A torrent's state in a file, and back. Files come from anywhere: every number is checked before it is taken up.

use super::{Accounts, Torrent};
use std::ops::RangeInclusive;
use thalweg_field::range::{FINITE, all_within, whole};
use thalweg_sph::{BOUNDARY, Particle, Particles, Source};

/// Heights that a bed can have [m].
const HEIGHTS: RangeInclusive<f64> = -1.0e6..=1.0e6;

/// Ways that the last particles of an emitter may have gone when the next ones follow [m].
const TRAVELLED: RangeInclusive<f64> = 0.0..=1.0e5;

/// Times that sediment may have to wait for its next exchange [s]: 64 of the longest steps.
const WAITING: RangeInclusive<f64> = 0.0..=1.0e6;

/// A torrent's state, to be saved and taken up again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    /// Steps taken.
    pub step: u64,
    /// Clock and accounts.
    pub numbers: Vec<f64>,
    /// Cargo of the particles, then the change of the bed's vertices.
    pub doubles: Vec<f64>,
    /// Columns of the particles, the densities that are known, then the heights that boundary particles were seeded for.
    pub floats: Vec<f32>,
    /// Tags of the particles, then which tiles of ground and walls are seeded.
    pub tags: Vec<u32>,
}

impl Torrent {
    /// Everything that a run needs to go on to the same bits.
    pub fn save(&self) -> Saved {
        let particles = self.fluid.particles();
        let count = particles.len();
        let (seeded, heights, walls) = self.seeds.save();
        let a = &self.accounts;
        let accounts = [
            a.water_start,
            a.water_added,
            a.water_gone,
            a.grains_start,
            a.grains_added,
            a.grains_gone,
            a.eroded,
        ];
        let density = self.fluid.last_density();
        let counts = [count as f64, density.len() as f64, walls.len() as f64, self.waiting];
        let travelled = self.sources.iter().map(Source::travelled);
        let columns =
            particles.position.iter().chain(&particles.velocity).chain([&particles.mass, &particles.expires]);
        let cargo = particles.cargo.get(..count).unwrap_or_default();
        Saved {
            step: self.steps_taken(),
            numbers: counts.into_iter().chain(self.fluid.clock()).chain(accounts).chain(travelled).collect(),
            doubles: cargo.iter().chain(self.bed.change()).copied().collect(),
            floats: columns
                .flat_map(|column| &column[..count])
                .chain(density)
                .chain(heights)
                .copied()
                .collect(),
            tags: particles.tag[..count]
                .iter()
                .copied()
                .chain(seeded.iter().chain(walls).map(|&seeded| u32::from(seeded)))
                .collect(),
        }
    }

    /// Goes on from a saved state. The text says why not: it is that of another scene, or a number in it makes no sense.
    /// The torrent is of no use then.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), String> {
        let misfit = || "its particles do not fit the scene".to_owned();
        let (&[count, known, walls, waiting], rest) =
            saved.numbers.split_first_chunk::<4>().ok_or_else(misfit)?;
        let (clock, rest) = rest.split_first_chunk::<6>().ok_or_else(misfit)?;
        let (accounts, travelled) = rest.split_first_chunk::<7>().ok_or_else(misfit)?;
        let length =
            |what: &str, number: f64| Ok::<_, String>(whole(what, number, u32::MAX.into())? as usize);
        let count = length("the number of its particles", count)?;
        let known = length("the number of its densities", known)?;
        let walls = length("the number of its squares of wall", walls)?;
        let erosion = self.params.erosion.enabled;
        let vertices = self.bed.heights().len();
        let tiles = self.seeds.save().0.len();
        let cargo = if erosion { count } else { 0 };
        let fits = known <= count
            && saved.floats.len() == 8 * count + known + vertices
            && saved.doubles.len() == cargo + vertices
            && saved.tags.len() == count + tiles + walls
            && travelled.len() == self.sources.len();
        if !fits {
            return Err(misfit());
        }
        let (density, heights) = saved.floats[8 * count..].split_at(known);
        let (carried, change) = saved.doubles.split_at(cargo);
        let (tags, flags) = saved.tags.split_at(count);
        all_within("its account", accounts, &FINITE)?;
        all_within("the time since sediment was exchanged,", &[waiting], &WAITING)?;
        all_within("way of the last particles of emitter", travelled, &TRAVELLED)?;
        all_within("height of the bed at vertex", heights, &HEIGHTS)?;
        all_within("change of the bed at vertex", change, &HEIGHTS)?;
        if let Some(at) =
            tags.iter().position(|&tag| tag & BOUNDARY != 0 && !self.seeds.owns(&self.bed, tag, walls))
        {
            return Err(format!(
                "the tag of its particle {at} is {:#x}, which no place of the bed has",
                tags[at]
            ));
        }
        if clock[4] != saved.step as f64 {
            return Err(format!("it counts {} steps, and {} elsewhere", saved.step, clock[4]));
        }
        let mut particles = Particles::with_capacity(count, erosion);
        particles.resize(count);
        for (i, &tag) in tags.iter().enumerate() {
            let float = |column: usize| saved.floats[column * count + i];
            let particle = Particle {
                position: [float(0), float(1), float(2)],
                velocity: [float(3), float(4), float(5)],
                mass: float(6),
                expires: float(7),
                tag,
                cargo: carried.get(i).copied().unwrap_or(0.0),
            };
            particles.set(i, particle);
        }
        self.fluid.take_up(particles, density, *clock)?;
        self.bed.set_change(change);
        if !self.seeds.can_seed(&self.bed) {
            return Err(
                "its bed is so steep somewhere that no memory holds the particles of its surface".into()
            );
        }
        let flags: Vec<bool> = flags.iter().map(|&flag| flag != 0).collect();
        self.seeds.restore(&self.bed, &flags[..tiles], heights, &flags[tiles..]);
        let [water_start, water_added, water_gone, grains_start, grains_added, grains_gone, eroded] =
            *accounts;
        // Time has begun: the water has found its place.
        (self.waiting, self.relaxed) = (waiting, self.params.fluid.relax);
        self.accounts = Accounts {
            water_start,
            water_added,
            water_gone,
            grains_start,
            grains_added,
            grains_gone,
            eroded,
        };
        for (source, &travelled) in self.sources.iter_mut().zip(travelled) {
            source.set_travelled(travelled);
        }
        Ok(())
    }
}
