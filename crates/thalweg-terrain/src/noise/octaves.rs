//! Gradient noise at several scales.

use fastnoise_lite::FastNoiseLite;
use thalweg_field::random::Key;

/// How far apart the octaves are laid over the lattice, in lattice cells: far enough to be unrelated,
/// near enough to leave f64 ten digits for the place itself.
const SHIFT: f64 = 1.0e4;

/// Lattice cells from the origin at which the lattice starts over: beyond twice as many its cell numbers
/// would overflow i32. A terrain of ten kilometres gets there with features of ten micrometres.
const FARTHEST: f64 = 1.0e9;

/// The numbers that describe a sum of octaves.
#[derive(Clone, Copy)]
pub(crate) struct Spectrum {
    pub wavelength: f64,
    pub octaves: u32,
    pub lacunarity: f64,
    pub gain: f64,
}

/// Octaves of OpenSimplex2 noise, the longest wavelength first.
///
/// Every octave lies at its own angle and its own place over its lattice: the lattice's three directions
/// do not add up, and the zeros that gradient noise has at lattice points do not coincide.
/// Octaves finer than two cells are kept: dropping them would make the ground depend on the resolution.
pub(crate) struct Octaves(Vec<Octave>);

struct Octave {
    lattice: FastNoiseLite,
    /// Cosine and sine of the octave's angle over its wavelength `[1/m]`.
    turn: [f64; 2],
    shift: [f64; 2],
    /// Share of the whole sum `[-]`.
    amplitude: f64,
}

impl Octaves {
    pub(crate) fn new(key: Key, spectrum: Spectrum) -> Self {
        let Spectrum { wavelength, octaves, lacunarity, gain } = spectrum;
        let total: f64 = (0..octaves).map(|i| libm::pow(gain, f64::from(i))).sum();
        let octave = |i: u32| {
            let key = key.with(u64::from(i));
            let mut lattice = FastNoiseLite::with_seed(key.bits() as i32);
            lattice.set_frequency(Some(1.0));
            let frequency = libm::pow(lacunarity, f64::from(i)) / wavelength;
            let angle = key.with(0).unit() * std::f64::consts::TAU;
            Octave {
                lattice,
                turn: [libm::cos(angle) * frequency, libm::sin(angle) * frequency],
                shift: [1, 2].map(|axis| key.with(axis).unit() * SHIFT),
                amplitude: libm::pow(gain, f64::from(i)) / total,
            }
        };
        Self((0..octaves).map(octave).collect())
    }

    /// Each octave's share of the sum and its noise in [-1, 1] at a place `[m]`.
    pub(crate) fn at(&self, [east, north]: [f64; 2]) -> impl Iterator<Item = (f64, f64)> {
        self.0.iter().map(move |octave| {
            let [cos, sin] = octave.turn;
            let x = east * cos - north * sin + octave.shift[0];
            let y = east * sin + north * cos + octave.shift[1];
            (octave.amplitude, f64::from(octave.lattice.get_noise_2d(x % FARTHEST, y % FARTHEST)))
        })
    }

    /// Fractional Brownian motion in [-1, 1].
    pub(crate) fn sum(&self, place: [f64; 2]) -> f64 {
        self.at(place).map(|(amplitude, noise)| amplitude * noise).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lattice that shows through makes slopes along its axes differ from those between them.
    #[test]
    fn noise_is_as_rough_in_every_direction() {
        let noise =
            Octaves::new(Key::new(3), Spectrum { wavelength: 100.0, octaves: 8, lacunarity: 2.0, gain: 0.5 });
        let roughness = [0.0f64, 30.0, 45.0, 60.0, 90.0, 135.0].map(|degrees| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let rise = |i: usize| {
                let [x, y] = [(i % 200) as f64 * 37.0, (i / 200) as f64 * 41.0];
                noise.sum([x + 5.0 * cos, y + 5.0 * sin]) - noise.sum([x, y])
            };
            ((0..40_000).map(|i| rise(i).powi(2)).sum::<f64>() / 40_000.0).sqrt()
        });
        let (low, high) =
            roughness.iter().fold((f64::MAX, 0.0f64), |(low, high), &r| (low.min(r), high.max(r)));
        assert!(high / low < 1.06, "rms rise by direction: {roughness:?}");
    }
}
