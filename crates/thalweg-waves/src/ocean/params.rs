//! What there is to say about a sea.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, TAU};
use thalweg_field::describe::{about, check, live, within};
use thalweg_field::{Invalid, require, units};

/// How the energy of waves is spread over their lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpectrumKind {
    /// A sea that is still growing under the wind, by `fetch` (Hasselmann et al. 1973).
    #[default]
    Jonswap,
    /// A sea that the wind has fully raised (Pierson & Moskowitz 1964); `wind` is that at 19.5 m.
    PiersonMoskowitz,
    /// The formula of Tessendorf 2001, scaled to the heights of Pierson and Moskowitz; its waves go against the wind as well as with it.
    Phillips,
    /// None: only the waves of `wave`.
    Calm,
}

/// One wave with crests that never end (Gerstner 1802; Mikeš 2015, section 2.2.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GerstnerWave {
    /// Half of the height from trough to crest `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(0.0, 100.0).slider(0.0, 3.0))]
    pub amplitude: f64,
    /// From crest to crest `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(0.01, 1.0e5).slider(1.0, 200.0))]
    pub length: f64,
    /// Compass bearing that it goes to, clockwise from north `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(-1.0e3, 1.0e3).slider(0.0, TAU))]
    pub direction: f64,
    /// Phase at the origin in the beginning, 0 for a crest `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(-7.0, 7.0).slider(-3.2, 3.2))]
    pub phase: f64,
}

impl Default for GerstnerWave {
    fn default() -> Self {
        Self { amplitude: 0.5, length: 40.0, direction: FRAC_PI_2, phase: 0.0 }
    }
}

/// The open sea.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Ocean", transform = live)]
pub struct OceanParams {
    /// How its energy is spread over wavelengths.
    pub spectrum: SpectrumKind,
    /// Speed of the wind 10 m above the water `[m/s]`; 0 for a calm.
    #[serde(with = "units::Speed")]
    #[schemars(transform = within(0.0, 60.0).slider(0.0, 25.0).hint("hurricanes reach 60 m/s"))]
    pub wind: f64,
    /// Compass bearing that the wind blows to, clockwise from north `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(-1.0e3, 1.0e3).slider(0.0, TAU))]
    pub direction: f64,
    /// How far the wind has blown over water, with `spectrum = "jonswap"` `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(1.0, 1.0e7).slider(1.0e3, 1.0e6))]
    pub fetch: f64,
    /// How narrowly waves follow the wind: cos²ˢ(θ/2) `[-]`; 1 spreads them widely, 30 is swell.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 100.0).slider(1.0, 30.0))]
    pub spreading: f64,
    /// Height of all waves beside what the spectrum says `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 10.0).slider(0.0, 2.0))]
    pub scale: f64,
    /// How far water goes to and fro beside what theory says `[-]`: 1 sharpens crests as in nature, 0 leaves them round.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 2.0).slider(0.0, 1.5))]
    pub chop: f64,
    /// Depth of the water `[m]`; missing: deep.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(0.01, 1.2e4).slider(1.0, 200.0))]
    pub depth: Option<f64>,
    /// Side of the largest patch, after which the sea repeats `[m]`; four of the longest waves should fit.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(1.0, 1.0e5).slider(100.0, 5000.0))]
    pub patch: f64,
    /// Patches of different size on top of each other, each with shorter waves.
    #[schemars(transform = within(1.0, 4.0).slider(1.0, 4.0).of("patches"))]
    pub cascades: u32,
    /// Points along a side of each patch.
    #[schemars(extend("enum" = [32, 64, 128, 256, 512, 1024]), transform = about())]
    pub resolution: u32,
    /// Number that the sea is drawn by.
    #[schemars(transform = within(0.0, 9.0e15).slider(0.0, 100.0))]
    pub seed: u64,
    /// Gravity `[m/s²]`.
    #[serde(with = "units::Acceleration")]
    #[schemars(transform = within(1.0e-3, 1.0e3).slider(1.0, 25.0))]
    pub gravity: f64,
    /// Waves of one length each, beside those of the spectrum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wave: Vec<GerstnerWave>,
}

impl Default for OceanParams {
    fn default() -> Self {
        Self {
            spectrum: SpectrumKind::Jonswap,
            wind: 10.0,
            direction: FRAC_PI_2,
            fetch: 1.0e5,
            spreading: 6.0,
            scale: 1.0,
            chop: 1.0,
            depth: None,
            patch: 500.0,
            cascades: 3,
            resolution: 256,
            seed: 0,
            gravity: 9.81,
            wave: Vec::new(),
        }
    }
}

impl OceanParams {
    /// Refuses what makes no sense.
    pub fn validated(self) -> Result<Self, Invalid> {
        check(&self)?;
        let good = self.resolution.is_power_of_two() && (32..=1024).contains(&self.resolution);
        require(good, "resolution", self.resolution, "it is 32, 64, 128, 256, 512 or 1024")?;
        for (n, wave) in self.wave.iter().enumerate() {
            // Sharper ones would fold over themselves.
            let steep = wave.amplitude * TAU / wave.length;
            let key = format!("wave[{n}].amplitude");
            let most =
                format!("at most {:.3} m fit its length: crests fold when k·A exceeds 1", wave.length / TAU);
            require(steep * self.chop <= 1.0, &key, format!("{} m", wave.amplitude), most)?;
        }
        Ok(self)
    }

    /// Memory that its patches take `[bytes]`.
    pub fn memory(&self) -> u64 {
        /// Amplitudes, six transforms with room to turn, and what is seen of them.
        const POINT: u64 = 32 + 6 * 24 + 48;
        u64::from(self.cascades) * u64::from(self.resolution) * u64::from(self.resolution) * POINT
    }
}
