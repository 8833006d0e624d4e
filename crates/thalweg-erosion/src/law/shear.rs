//! Shear of flowing water on a bed, and what it loosens (Krištof et al. 2009; Kataev 2022, eqs. 1.54–1.57).

/// Bed that yields to shear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    /// Shear stress constant K [Pa·s^½].
    pub constant: f64,
    /// Erosion strength K_ε [s/m].
    pub strength: f64,
    /// Critical shear stress τ_c [Pa].
    pub critical: f64,
}

impl Shear {
    /// Shear stress of water that glides along the bed at `speed` and a `distance` from it: τ = K θ^½ with the shear
    /// rate θ = speed / distance, as in fluids that thin under shear [Pa].
    pub fn stress(&self, speed: f64, distance: f64) -> f64 {
        self.constant * (speed / distance).sqrt()
    }

    /// Mass that a shear stress loosens from each square metre in each second [kg/(m²·s)]: nothing below the critical
    /// stress (Partheniades 1965).
    pub fn rate(&self, stress: f64) -> f64 {
        self.strength * (stress - self.critical).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the critical stress on a bed of 1590 kg/m³ with M = 1e-4 kg/(m²·s).
    #[test]
    fn a_bed_under_twice_its_critical_stress_goes_down_as_partheniades_says() {
        let critical = 0.4;
        let shear = Shear { constant: 1.0, strength: 1.0e-4 / critical, critical };
        let lowering = shear.rate(2.0 * critical) / 1590.0;
        assert!((lowering / 6.289_308_176e-8 - 1.0).abs() < 1.0e-6, "{lowering:e} m/s");
        assert_eq!(shear.rate(0.999 * critical), 0.0);
        assert_eq!(shear.stress(0.9, 0.1), 3.0);
    }
}
