//! What the parameters come down to in the loops.

use crate::params::{Equation, FluidParams, Kernels, PressureSolver};
use std::f64::consts::PI;

/// A Tait fluid is so many times as fast for sound as its fastest flow is expected to be `[-]`: density then changes by a
/// hundredth (Becker & Teschner 2007).
const SOUND_OVER_FLOW: f64 = 10.0;
/// Slowest flow to be expected `[m/s]`: where nothing moves, sound still does.
const LEAST_SPEED: f64 = 1.0e-3;
/// Share of the numerical viscosity that acts between water and boundary `[-]`.
pub(crate) const WALL_SHARE: f64 = 0.005;
/// Shortest normal of the colour field that counts as a surface, over 1/h `[-]`. A flat surface of full density has a normal
/// of about 1.4/h; what is far from any has next to none.
pub(crate) const NORMAL_THRESHOLD: f64 = 0.32;
/// What the parameters come down to in the loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// Smoothing radius `[m]`.
    pub h: f32,
    /// Mass of a particle `[kg]`.
    pub mass: f32,
    /// Density at rest `[kg/m³]`.
    pub rest_density: f32,
    /// Equation of state.
    pub equation: Equation,
    /// k of the linear equation `[m²/s²]`, or B of the Tait equation `[Pa]`.
    pub stiffness: f32,
    /// 315/(64πh⁹) [1/m⁹].
    pub poly6: f32,
    /// 21/(2πh⁸) [1/m⁸].
    pub wendland: f32,
    /// Factor of the slope of the pressure kernel, calibrated for the gradient: 45/(πh⁶) of the spiky one `[1/m⁶]`, 210/(πh⁸)
    /// of Wendland's [1/m⁸].
    pub slope: f32,
    /// 45/(πh⁶), calibrated for the Laplacian `[1/m⁶]`.
    pub friction: f32,
    /// Viscosity with what keeps the pressure smooth `[Pa·s]`.
    pub viscosity: f32,
    /// The same towards a boundary, unless its owner says otherwise: only a little of what keeps the pressure smooth, else
    /// thin water would crawl `[Pa·s]`.
    pub wall_viscosity: f32,
    /// Share of its speed that spray loses for each metre of its way `[1/m]`.
    pub air: f32,
    /// Downwards `[m/s²]`.
    pub gravity: f32,
    /// How p/ρ² grows with depth behind the boundary; half of it, since the boundary pushes with the sum of two [m⁴/(kg·s²)].
    pub lift: f32,
    /// Strength of the surface tension.
    pub tension: f32,
    /// Shortest normal of the colour field that counts as a surface `[1/m]`.
    pub normal_threshold: f32,
    /// 32/(πh⁹) of Akinci's cohesion [1/m⁹].
    pub cohesion: f32,
    /// h⁶/64 of Akinci's cohesion `[m⁶]`.
    pub cohesion_offset: f32,
    /// Speed of sound `[m/s]`.
    pub sound_speed: f32,
}

impl Constants {
    /// How compression grows with depth at rest, where the density follows the flow, g/c² `[1/m]`.
    pub fn growth(&self) -> f32 {
        self.gravity / (self.sound_speed * self.sound_speed)
    }

    pub(crate) fn new(params: &FluidParams, expected_speed: f64) -> Self {
        let h = params.smoothing_radius();
        let [slope, laplacian] = params.calibration();
        let equation = match params.pressure {
            PressureSolver::Summed => params.equation,
            _ => Equation::Linear,
        };
        let stiff = || params.sound_speed.unwrap_or(SOUND_OVER_FLOW * expected_speed.max(LEAST_SPEED));
        let sound_speed = match params.equation {
            _ if params.pressure != PressureSolver::Summed => stiff(),
            Equation::Linear => params.stiffness.sqrt(),
            Equation::Tait => stiff(),
        };
        let stiffness = match equation {
            Equation::Linear => sound_speed * sound_speed,
            Equation::Tait => params.density * sound_speed * sound_speed / 7.0,
        };
        Self {
            h: h as f32,
            mass: params.particle_mass() as f32,
            rest_density: params.density as f32,
            equation,
            stiffness: stiffness as f32,
            poly6: (315.0 / (64.0 * PI * h.powi(9))) as f32,
            wendland: (21.0 / (2.0 * PI * h.powi(8))) as f32,
            slope: match params.kernels {
                Kernels::Wendland => (210.0 / (PI * h.powi(8)) * slope) as f32,
                Kernels::Mueller => (45.0 / (PI * h.powi(6)) * slope) as f32,
            },
            friction: (45.0 / (PI * h.powi(6)) * laplacian) as f32,
            viscosity: (params.viscosity + params.density * params.damping * h * sound_speed) as f32,
            wall_viscosity: (params.viscosity
                + WALL_SHARE * params.density * params.damping * h * sound_speed)
                as f32,
            air: params.air as f32,
            gravity: params.gravity as f32,
            lift: if params.calibrate { (0.5 * params.gravity / params.density) as f32 } else { 0.0 },
            tension: params.tension as f32,
            normal_threshold: (NORMAL_THRESHOLD / h) as f32,
            cohesion: (32.0 / (PI * h.powi(9))) as f32,
            cohesion_offset: (h.powi(6) / 64.0) as f32,
            sound_speed: sound_speed as f32,
        }
    }
}
