//! Places pushed aside by noise, so that what is drawn on them bends.

use super::octaves::{Octaves, Spectrum};
use crate::recipe::{octaves, place, size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::{random::Key, units};

/// Pushes every place aside by noise before the layer is evaluated there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Warp {
    /// Farthest push along each axis `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = place().slider(0.0, 2000.0))]
    pub amplitude: f64,
    /// Size of the largest bends `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = size().slider(100.0, 1.0e4))]
    pub wavelength: f64,
    /// Number of scales summed, each half as long and half as strong as the one before `[-]`.
    #[schemars(transform = octaves())]
    pub octaves: u32,
}

impl Default for Warp {
    fn default() -> Self {
        Self { amplitude: 500.0, wavelength: 3000.0, octaves: 3 }
    }
}

impl Warp {
    fn spectrum(&self) -> Spectrum {
        Spectrum { wavelength: self.wavelength, octaves: self.octaves, lacunarity: 2.0, gain: 0.5 }
    }

    pub(crate) fn prepared(&self, key: Key) -> Warped {
        Warped {
            amplitude: self.amplitude,
            axes: [1, 2].map(|axis| Octaves::new(key.with(axis), self.spectrum())),
        }
    }
}

/// A warp with its noise.
pub(crate) struct Warped {
    amplitude: f64,
    axes: [Octaves; 2],
}

impl Warped {
    pub(crate) fn place(&self, place: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| place[axis] + self.amplitude * self.axes[axis].sum(place))
    }
}
