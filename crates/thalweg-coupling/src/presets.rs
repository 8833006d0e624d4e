//! The parameter tables of the documents, as they are printed; the method's page tells where something else stands, and why.

use crate::params::{
    BedParams, ErosionParams, Hindrance, Hold, Params, Place, Reshape, ShearSpeed, Stress, Transfer,
};
use thalweg_sph::{FluidParams, Tension};

/// Friction of the bed, µ_bf of Kataev 2022, table 4.2, which counts it for each square metre of boundary particles.
const BED_FRICTION: f64 = 0.11;

impl Params {
    /// Names of the parameter tables, each with what it is.
    pub const PRESETS: [(&'static str, &'static str); 6] = [
        ("thalweg", "the default: quiet water, and erosion that does not depend on the spacing"),
        (
            "kelager-water",
            "Kelager 2006, Kataev 2022 table 4.1: 1 kg of soft, thick water in 50 particles, no erosion",
        ),
        ("kelager-honey", "the same with a viscosity of 17.5 Pa·s (Kataev 2022, fig. 5.2)"),
        ("kelager-heavy", "the same with particles of 34 g (Kataev 2022, fig. 5.3)"),
        (
            "kataev-2022",
            "Kataev 2022, tables 4.1 and 4.2: collision, friction, erosion and transport as printed, grains of 3 g/cm³",
        ),
        (
            "kristof-2009",
            "Krištof et al. 2009: penalty forces, pairwise attraction, erosion and transport as printed, grains of 1 mm",
        ),
    ];

    /// The parameter table of that name.
    pub fn preset(name: &str) -> Option<Self> {
        let water = FluidParams::kelager_water();
        match name {
            "thalweg" => Some(Self::default()),
            "kelager-water" => Some(without_erosion(water)),
            "kelager-honey" => Some(without_erosion(FluidParams { viscosity: 17.5, ..water })),
            "kelager-heavy" => {
                let mass = 0.034;
                let spacing = (mass / water.density).cbrt();
                // At 10 ms they gain energy, and a hundredth of them keeps flying about.
                Some(without_erosion(FluidParams { mass: Some(mass), spacing, dt: Some(0.004), ..water }))
            }
            "kataev-2022" => Some(kataev(water)),
            "kristof-2009" => Some(kristof(water)),
            _ => None,
        }
    }
}

fn without_erosion(fluid: FluidParams) -> Params {
    let erosion = ErosionParams { enabled: false, ..ErosionParams::default() };
    Params { bed: printed_bed(&fluid), fluid, erosion, ..Params::default() }
}

/// Kataev 2022, tables 4.1 and 4.2.
fn kataev(fluid: FluidParams) -> Params {
    Params { bed: printed_bed(&fluid), erosion: printed_erosion(&fluid), fluid, ..Params::default() }
}

/// Krištof et al. 2009. What they do not print is Kataev's, who took it from them.
fn kristof(water: FluidParams) -> Params {
    let radius = water.smoothing_radius();
    let fluid = FluidParams {
        spacing: 0.5 * radius, // h = 2Δs, section 3.1
        mass: None,
        surface: Tension::BeckerTeschner,
        tension: 1.0e-4,
        dt: Some(0.002),
        ..water
    };
    let erosion = ErosionParams {
        grain_radius: Some(1.0e-3),
        shear_speed: ShearSpeed::Whole,
        ..printed_erosion(&fluid)
    };
    Params {
        bed: BedParams { hold: Hold::Penalty, ..printed_bed(&fluid) },
        fluid,
        erosion,
        ..Params::default()
    }
}

/// Boundary particles on the triangles, half a smoothing radius apart.
fn printed_bed(fluid: &FluidParams) -> BedParams {
    let spacing = 0.5 * fluid.smoothing_radius();
    // Friction acts on the volume that a boundary particle stands for: that of one of the fluid for each L². Eq. 1.52 has L² alone, a length
    // short of it.
    let volume = fluid.particle_mass() / fluid.density;
    BedParams {
        spacing: Some(spacing),
        place: Place::Surface,
        hold: Hold::Collision,
        friction: Some(BED_FRICTION * spacing * spacing / volume),
        roughness: 0.0, // friction is that alone
        ..BedParams::default()
    }
}

/// Kataev 2022, table 4.2.
fn printed_erosion(fluid: &FluidParams) -> ErosionParams {
    ErosionParams {
        every: 1,
        strength: Some(0.1),
        critical_shear: Some(3.0),
        stress: Stress::ShearRate,
        shear_speed: ShearSpeed::Difference,
        sediment_density: 3000.0, // printed as 3, a slip of units
        grain_radius: Some(10.0e-6),
        grain_viscosity: fluid.viscosity,
        max_fraction: 0.7,
        packing: Some(1.0),
        heavy: false,
        thick: false,
        hindrance: Hindrance::Saturation,
        hindrance_exponent: 4.5,
        diffusivity: 0.1 / fluid.density, // printed is that times the density
        transfer: Transfer::Printed,
        reshape: Reshape::LowestFirst,
        talus: false,
        ..ErosionParams::default()
    }
}
