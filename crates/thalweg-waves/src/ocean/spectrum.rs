//! How much of a sea's energy waves of each length and direction have.

use super::params::{OceanParams, SpectrumKind};
use std::f64::consts::PI;

/// Constant of the equilibrium range, α (Phillips 1958) `[-]`.
const ALPHA: f64 = 0.0081;
/// β of Pierson & Moskowitz 1964 `[-]`.
const BETA: f64 = 0.74;
/// Peak enhancement γ, and the widths of the peak below and above it (Hasselmann et al. 1973) `[-]`.
const GAMMA: f64 = 3.3;
const WIDTH: [f64; 2] = [0.07, 0.09];
/// Surface tension of water over its density `[m³/s²]`: 0.0728 N/m, 998.2 kg/m³.
const TENSION: f64 = 0.0728 / 998.2;

/// Angular frequency of waves of wave number k [1/m], ω² = (gk + (σ/ρ)k³) tanh kh `[rad/s]`.
pub fn capillary_frequency(gravity: f64, k: f64, depth: Option<f64>) -> f64 {
    let shallow = depth.map_or(1.0, |h| libm::tanh(k * h));
    ((gravity + TENSION * k * k) * k * shallow).sqrt()
}

/// dω/dk `[m/s]`.
fn group_speed(gravity: f64, k: f64, depth: Option<f64>) -> f64 {
    let deep = gravity * k + TENSION * k * k * k;
    let deep_slope = gravity + 3.0 * TENSION * k * k;
    let (tanh, slope) = depth.map_or((1.0, 0.0), |h| {
        let tanh = libm::tanh(k * h);
        (tanh, h * (1.0 - tanh * tanh))
    });
    (deep_slope * tanh + deep * slope) / (2.0 * (deep * tanh).sqrt())
}

/// The spectrum of a sea.
#[derive(Clone, Debug)]
pub(super) struct Spectrum<'a> {
    params: &'a OceanParams,
    /// Norm of the spread of directions.
    norm: f64,
}

impl<'a> Spectrum<'a> {
    pub(super) fn new(params: &'a OceanParams) -> Self {
        let s = params.spreading;
        let norm = libm::exp(libm::lgamma(s + 1.0) - libm::lgamma(s + 0.5)) / (2.0 * PI.sqrt());
        Self { params, norm }
    }

    /// Energy by angular frequency, ∫ S dω is the variance of the height `[m² s]`.
    fn by_frequency(&self, frequency: f64) -> f64 {
        let OceanParams { wind, fetch, gravity: g, .. } = *self.params;
        let tail = |alpha: f64| alpha * g * g / libm::pow(frequency, 5.0);
        match self.params.spectrum {
            SpectrumKind::Calm => 0.0,
            // With k = ω²/g Phillips' formula is that of Pierson and Moskowitz.
            SpectrumKind::PiersonMoskowitz | SpectrumKind::Phillips => {
                tail(ALPHA) * libm::exp(-BETA * libm::pow(g / (wind * frequency), 4.0))
            }
            SpectrumKind::Jonswap => {
                let alpha = 0.076 * libm::pow(wind * wind / (fetch * g), 0.22);
                let peak = 22.0 * libm::cbrt(g * g / (wind * fetch));
                let width = WIDTH[usize::from(frequency > peak)];
                let off = (frequency - peak) / (width * peak);
                let raised = libm::pow(GAMMA, libm::exp(-0.5 * off * off));
                tail(alpha) * libm::exp(-1.25 * libm::pow(peak / frequency, 4.0)) * raised
            }
        }
    }

    /// Energy by wave vector, ∫∫ F dk² is the variance `[m⁴]`.
    pub(super) fn by_vector(&self, [kx, ky]: [f64; 2]) -> f64 {
        let k = libm::hypot(kx, ky);
        // A bearing, clockwise from north.
        let (cosine, sine) = libm::sincos(self.params.direction);
        let along = (kx * cosine + ky * sine) / k;
        let OceanParams { gravity, depth, spectrum, wind, scale, .. } = *self.params;
        if wind == 0.0 || spectrum == SpectrumKind::Calm {
            return 0.0;
        }
        let spread = match spectrum {
            SpectrumKind::Phillips => along * along / PI,
            // cos²(θ/2) = ½(1 + cos θ).
            _ => self.norm * libm::pow(0.5 * (1.0 + along).max(0.0), self.params.spreading),
        };
        let frequency = capillary_frequency(gravity, k, depth);
        scale * scale * self.by_frequency(frequency) * group_speed(gravity, k, depth) * spread / k
    }
}
