//! Sums of octaves: rolling, ridged and billowing ground.

use super::octaves::{Octaves, Spectrum};
use crate::recipe::{Kind, LayerContext, Surface, height, layer, octaves, size};
use thalweg_field::{describe::within, units};

layer! {
    /// Fractional Brownian motion: rolling hills, as rough as `gain` says.
    Fbm {
        /// Height of the highest hills above, and depth of the deepest hollows below, the middle `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(0.0, 2000.0))]
        height: f64 = 600.0,
        /// Size of the largest features `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(100.0, 2.0e4))]
        wavelength: f64 = 4000.0,
        /// Number of scales summed `[-]`.
        #[schemars(transform = octaves())]
        octaves: u32 = 8,
        /// Ratio of one wavelength to the next finer one `[-]`.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(1.0, 8.0).slider(1.5, 3.0))]
        lacunarity: f64 = 2.0,
        /// Ratio of one octave's height to the next coarser one's `[-]`; 0.5 is natural, more is rougher.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(0.0, 1.0).slider(0.2, 0.7))]
        gain: f64 = 0.5,
    }
}

layer! {
    /// Ridged multifractal noise (Musgrave 2003, ch. 16): crests that branch, smooth valleys.
    Ridged {
        /// Height of the highest crests above the deepest valleys `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(0.0, 4000.0))]
        height: f64 = 1500.0,
        /// Size of the largest features `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(100.0, 2.0e4))]
        wavelength: f64 = 5000.0,
        /// Number of scales summed `[-]`.
        #[schemars(transform = octaves())]
        octaves: u32 = 8,
        /// Ratio of one wavelength to the next finer one `[-]`.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(1.0, 8.0).slider(1.5, 3.0))]
        lacunarity: f64 = 2.0,
        /// Ratio of one octave's height to the next coarser one's `[-]`.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(0.0, 1.0).slider(0.2, 0.7))]
        gain: f64 = 0.5,
        /// Exponent that narrows the crests `[-]`; Musgrave's is 2.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(0.1, 16.0).slider(0.5, 4.0))]
        sharpness: f64 = 2.0,
        /// How far the roughness follows the crests `[-]`: at 0 only the largest octave is left, above
        /// 4 even valleys are rough. Musgrave's gain, usually 2.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(0.0, 100.0).slider(0.0, 4.0))]
        feedback: f64 = 2.0,
    }
}

layer! {
    /// Billowing noise: rounded hills that meet in creases.
    Billow {
        /// Height of the highest hills above the creases `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(0.0, 2000.0))]
        height: f64 = 600.0,
        /// Size of the largest features `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(100.0, 2.0e4))]
        wavelength: f64 = 4000.0,
        /// Number of scales summed `[-]`.
        #[schemars(transform = octaves())]
        octaves: u32 = 7,
        /// Ratio of one wavelength to the next finer one `[-]`.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(1.0, 8.0).slider(1.5, 3.0))]
        lacunarity: f64 = 2.0,
        /// Ratio of one octave's height to the next coarser one's `[-]`.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(0.0, 1.0).slider(0.2, 0.7))]
        gain: f64 = 0.45,
    }
}

/// The four numbers that all three kinds share.
macro_rules! spectrum {
    ($layer:expr) => {
        Spectrum {
            wavelength: $layer.wavelength,
            octaves: $layer.octaves,
            lacunarity: $layer.lacunarity,
            gain: $layer.gain,
        }
    };
}

impl Kind for Fbm {
    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let octaves = Octaves::new(context.key, spectrum!(self));
        Box::new(move |place| self.height * octaves.sum(place))
    }
}

impl Kind for Ridged {
    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let octaves = Octaves::new(context.key, spectrum!(self));
        Box::new(move |place| {
            let (mut sum, mut weight) = (0.0, 1.0);
            for (amplitude, noise) in octaves.at(place) {
                let signal = weight * self.crest(noise);
                sum += amplitude * signal;
                weight = (signal * self.feedback).clamp(0.0, 1.0);
            }
            self.height * sum
        })
    }
}

impl Ridged {
    /// One where the noise crosses zero, falling off to both sides.
    fn crest(&self, noise: f64) -> f64 {
        // The lattice may overshoot its [-1, 1] by a rounding error; a power of that would be NaN.
        let ridge = (1.0 - noise.abs()).max(0.0);
        // The square is the usual case and many times cheaper than a power.
        if self.sharpness == 2.0 { ridge * ridge } else { libm::pow(ridge, self.sharpness) }
    }
}

impl Kind for Billow {
    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let octaves = Octaves::new(context.key, spectrum!(self));
        Box::new(move |place| {
            self.height * octaves.at(place).map(|(amplitude, noise)| amplitude * noise.abs()).sum::<f64>()
        })
    }
}
