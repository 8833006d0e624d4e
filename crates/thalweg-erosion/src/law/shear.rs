//! Shear of flowing water on a bed, and what it loosens (Krištof et al. 2009; Kataev 2022, eqs. 1.54–1.57).

use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};

/// Shear stress of water that glides along the bed at `speed` and a `distance` from it: τ = K θ^½ with the shear
/// rate θ = speed / distance, as in fluids that thin under shear `[Pa]`. `constant` is K `[Pa·s^½]`.
#[inline(always)]
pub fn stress<S: Simd>(constant: f32, speed: f32x8<S>, distance: f32x8<S>) -> f32x8<S> {
    (speed / distance).sqrt() * constant
}

/// What a stress is above the critical one τ_c, below which nothing is loosened (Partheniades 1965) `[Pa]`. Times the
/// strength K_ε it is the mass that each square metre loses in each second.
#[inline(always)]
pub fn excess<S: Simd>(simd: S, stress: f32x8<S>, critical: f32x8<S>) -> f32x8<S> {
    (stress - critical).max(f32x8::splat(simd, 0.0))
}

/// Bed that yields to shear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    /// Shear stress constant K `[Pa·s^½]`.
    pub constant: f32,
    /// Critical shear stress τ_c `[Pa]`.
    pub critical: f32,
}

impl Shear {
    /// Stress and excess for one place `[Pa]`.
    pub fn at(&self, speed: f32, distance: f32) -> [f32; 2] {
        dispatch!(Level::new(), simd => {
            let stress = stress(self.constant, f32x8::splat(simd, speed), f32x8::splat(simd, distance));
            [stress, excess(simd, stress, f32x8::splat(simd, self.critical))].map(SimdBase::reduce_max)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stress_grows_with_the_root_of_the_shear_rate_and_only_its_excess_counts() {
        let bed = Shear { constant: 2.0, critical: 1.0 };
        assert_eq!(bed.at(0.9, 0.1), [6.0, 5.0]);
        assert_eq!(bed.at(4.0 * 0.9, 0.1)[0], 12.0);
        assert_eq!(bed.at(0.025, 0.1), [1.0, 0.0]);
        assert_eq!(bed.at(0.01, 0.1)[1], 0.0);
    }
}
