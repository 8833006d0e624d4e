//! The crests and troughs of a train of waves.

use super::law::Particle;
use std::f64::consts::PI;

/// A train at one moment, seen along its way.
///
/// Bumps of alternating sign, half a wavelength apart, add up to a cosine: ½(1 + cos πu/r) − ½(1 + cos π(u−r)/r) = cos πu/r. So a train
/// is drawn as its crests and troughs, which go at their own speed through an envelope that goes at the group's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    phase: f64,
    wave_number: f64,
    /// Growth of the wave number along the way, below zero: long waves run ahead `[rad/m²]`.
    chirp: f64,
    half_length: f64,
    /// Distance to the centre of its front; infinite for a straight one `[m]`.
    distance: f64,
}

impl Packet {
    pub(crate) fn of(particle: &Particle, time: f64) -> Self {
        let wave_number = PI / particle.radius;
        let q = particle.dispersed(time);
        let age = (time - particle.born).max(0.0);
        let spread = particle.spreading * age;
        let chirp = if spread > 0.0 { -(q * q / (1.0 + q * q)) / spread } else { 0.0 };
        let width = particle.width_after(particle.way(time));
        Self {
            // Half a turn of what spreads, as a Gaussian packet has it.
            phase: particle.turned(time) + 0.5 * libm::atan(q),
            wave_number,
            chirp,
            half_length: particle.length_at(time),
            distance: if particle.spread == 0.0 { f64::INFINITY } else { width / particle.spread.abs() },
        }
    }

    /// Calls `bump(ahead, radius, height)` for each crest and trough: how far it is ahead of the middle `[m]`, half the wavelength there `[m]`,
    /// and its height as a share of the train's, below zero for troughs.
    pub(crate) fn bumps(&self, bump: &mut impl FnMut(f64, f64, f64)) {
        // Phase is one-to-one with the way as long as the wave number stays well above zero.
        let reach = if self.chirp < 0.0 {
            self.half_length.min(-0.7 * self.wave_number / self.chirp)
        } else {
            self.half_length
        };
        let at = |ahead: f64| self.phase + self.wave_number * ahead + 0.5 * self.chirp * ahead * ahead;
        let (first, last) = ((at(-reach) / PI).ceil() as i64, (at(reach) / PI).floor() as i64);
        for n in first..=last {
            let rest = PI * n as f64 - self.phase;
            // The root of ½ χ s² + k s = rest that is near rest / k.
            let root = (self.wave_number * self.wave_number + 2.0 * self.chirp * rest).max(0.0).sqrt();
            let ahead = 2.0 * rest / (self.wave_number + root);
            if ahead.abs() >= reach || ahead <= -self.distance {
                continue;
            }
            let envelope = libm::cos(0.5 * PI * ahead / self.half_length);
            let fanned = if self.distance.is_finite() {
                (self.distance / (self.distance + ahead)).sqrt()
            } else {
                1.0
            };
            let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
            bump(ahead, PI / (self.wave_number + self.chirp * ahead), sign * envelope * envelope * fanned);
        }
    }
}
