//! How fast grains sink, and how they hinder each other (Kataev 2022, eqs. 1.65 and 1.66).

/// Grains in a fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grains {
    /// Radius r_s `[m]`.
    pub radius: f64,
    /// Density ρ_s `[kg/m³]`.
    pub density: f64,
    /// Density of the fluid ρ_f `[kg/m³]`.
    pub fluid_density: f64,
    /// Viscosity of the fluid µ `[Pa·s]`.
    pub viscosity: f64,
    /// Gravity `[m/s²]`.
    pub gravity: f64,
}

/// Reynolds number up to which Stokes' law holds within a few per cent `[-]`.
const CREEPING: f64 = 0.5;
/// Drag coefficient of a smooth sphere in fast flow, C₂ of Ferguson & Church 2004 `[-]`.
const SPHERE: f64 = 0.4;

impl Grains {
    /// Speed at which a lone grain sinks `[m/s]`: Stokes' law (1.65) where the flow around it creeps, Ferguson & Church
    /// 2004 for smooth spheres above.
    pub fn speed(&self) -> f64 {
        let surplus = (self.density - self.fluid_density) / self.fluid_density;
        let nu = self.viscosity / self.fluid_density;
        let diameter = 2.0 * self.radius;
        let stokes = 2.0 / 9.0 * self.radius * self.radius * surplus * self.gravity / nu;
        if stokes * diameter / nu <= CREEPING {
            return stokes;
        }
        let drag = surplus * self.gravity * diameter;
        drag * diameter / (18.0 * nu + (0.75 * SPHERE * drag * diameter * diameter).sqrt())
    }
}

/// Share of its speed that a grain keeps among others that fill the share `fraction` of the fluid, (1 − C)ᵉ
/// (Richardson & Zaki 1954) `[-]`.
pub fn richardson_zaki(fraction: f64, exponent: f64) -> f64 {
    (1.0 - fraction).max(0.0).powf(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quartz(diameter: f64) -> f64 {
        Grains {
            radius: 0.5 * diameter,
            density: 2650.0,
            fluid_density: 1000.0,
            viscosity: 0.001,
            gravity: 9.81,
        }
        .speed()
    }

    #[test]
    fn quartz_sinks_as_measured() {
        for (diameter, speed) in
            [(50.0e-6, 2.248e-3), (100.0e-6, 8.01e-3), (0.5e-3, 94.9e-3), (1.0e-3, 184.6e-3)]
        {
            let found = quartz(diameter);
            assert!((found / speed - 1.0).abs() < 0.02, "{diameter} m sinks at {found} m/s, not {speed}");
        }
    }

    #[test]
    fn grains_hinder_each_other_as_richardson_and_zaki_found() {
        for (fraction, share) in [(0.05, 0.788), (0.1, 0.613), (0.2, 0.354), (0.3, 0.190), (0.4, 0.0930)] {
            let found = richardson_zaki(fraction, 4.65);
            assert!((found - share).abs() < 6.0e-4, "{fraction}: {found}");
        }
    }
}
