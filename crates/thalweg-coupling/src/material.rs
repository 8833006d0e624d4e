//! What beds are made of: typical values of real soils.
//!
//! Critical stresses of sand and gravel are Shields' (in the form of Soulsby 1997, eq. 77), their strengths the chord of the pick-up function of
//! van Rijn (1984) at five times that stress. Clay and silt follow Hanson & Simon (2001), k_d = 0.2 τ_c^−½ cm³/(N·s), for stresses in the middle of
//! what they measured in streambeds; mud settles below the stress that Krone (1962) found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A soil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Material {
    /// Firm clay; its flocs sink as quartz of 20 µm does.
    Clay,
    /// Silt of 30 µm.
    Silt,
    /// Fine sand of 0.2 mm.
    Sand,
    /// Gravel of 1 cm.
    Gravel,
}

/// The numbers of a soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soil {
    /// K_ε `[s/m]`.
    pub strength: f64,
    /// τ_c `[Pa]`.
    pub critical_shear: f64,
    /// τ_d `[Pa]`; missing: that of its grains.
    pub deposition_shear: Option<f64>,
    /// r_s `[m]`.
    pub grain_radius: f64,
    /// Share of the bed that is grains `[-]`.
    pub packing: f64,
    /// Angle of repose `[rad]`.
    pub repose: f64,
}

impl Material {
    /// Its typical values.
    pub fn soil(self) -> Soil {
        match self {
            Self::Clay => Soil {
                strength: 1.2e-4,
                critical_shear: 5.0,
                deposition_shear: Some(0.08),
                grain_radius: 10.0e-6,
                packing: 0.5,
                repose: 60.0_f64.to_radians(),
            },
            Self::Silt => Soil {
                strength: 3.7e-4,
                critical_shear: 0.5,
                deposition_shear: Some(0.1),
                grain_radius: 15.0e-6,
                packing: 0.5,
                repose: 30.0_f64.to_radians(),
            },
            Self::Sand => Soil {
                strength: 1.05,
                critical_shear: 0.154,
                deposition_shear: None,
                grain_radius: 0.1e-3,
                packing: 0.6,
                repose: 33.0_f64.to_radians(),
            },
            Self::Gravel => Soil {
                strength: 0.41,
                critical_shear: 9.0,
                deposition_shear: None,
                grain_radius: 5.0e-3,
                packing: 0.65,
                repose: 38.0_f64.to_radians(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENSITY: f64 = 2650.0;
    const SURPLUS: f64 = 1.65;
    const GRAVITY: f64 = 9.81;

    fn close(found: f64, expected: f64, what: &str) {
        assert!((found / expected - 1.0).abs() < 0.03, "{what} is {found}, not {expected}");
    }

    #[test]
    fn sand_and_gravel_begin_to_move_as_shields_found_and_go_as_van_rijn_did() {
        for material in [Material::Sand, Material::Gravel] {
            let Soil { strength, critical_shear, grain_radius, .. } = material.soil();
            let diameter = 2.0 * grain_radius;
            let d = diameter * (SURPLUS * GRAVITY / 1.0e-12).cbrt(); // D*
            let shields = 0.3 / (1.0 + 1.2 * d) + 0.055 * (1.0 - (-0.02 * d).exp());
            close(critical_shear, shields * 1000.0 * SURPLUS * GRAVITY * diameter, "critical stress in Pa");
            let fourfold = 4.0_f64.powf(1.5); // T = 4
            let picked = 0.000_33 * DENSITY * (SURPLUS * GRAVITY * diameter).sqrt() * d.powf(0.3) * fourfold;
            close(strength, picked / (4.0 * critical_shear), "strength in s/m");
        }
    }

    #[test]
    fn clay_and_silt_erode_as_hanson_and_simon_found() {
        for material in [Material::Clay, Material::Silt] {
            let Soil { strength, critical_shear, packing, .. } = material.soil();
            close(strength, 0.2e-6 / critical_shear.sqrt() * packing * DENSITY, "strength in s/m");
        }
    }
}
