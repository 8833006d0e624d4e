//! The numbers of particle water on a bed.

use crate::material::{Material, Soil};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;
use thalweg_field::describe::{about, check, live, within};
use thalweg_field::{Invalid, require, units};
use thalweg_sph::{BoundaryFactors, FluidParams, PressureSolver};

/// All parameters: the fluid, the bed that bounds it, and what the two exchange.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Particles")]
pub struct Params {
    /// Which edges are joined: what leaves over one comes in over the opposite one, and water feels that beyond it.
    #[schemars(transform = about().fixed())]
    pub periodic: Periodic,
    /// The water.
    pub fluid: FluidParams,
    /// The bed as a boundary.
    pub bed: BedParams,
    /// Erosion, transport and deposition.
    pub erosion: ErosionParams,
}

/// Edges that are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Periodic {
    /// None.
    #[default]
    None,
    /// East and west.
    X,
    /// North and south.
    Y,
    /// East and west, north and south.
    Both,
}

impl Periodic {
    /// Whether east and west are joined, and whether north and south.
    pub fn joined(self) -> [bool; 2] {
        [matches!(self, Self::X | Self::Both), matches!(self, Self::Y | Self::Both)]
    }
}

/// What keeps water above the bed. Whatever is chosen, a particle that would pass through a triangle is stopped there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// Pressure of the boundary particles (Akinci et al. 2012).
    Pressure,
    /// A spring towards the outside for what has come too close (Krištof et al. 2009, eq. 6).
    Penalty,
    /// Nothing but collision with the triangles (Kataev 2022, 4.3).
    Collision,
}

/// Where boundary particles stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Half a spacing below the surface, as particles of a fluid that goes on there would.
    Below,
    /// On the triangles (Krištof et al. 2009, fig. 2; Kataev 2022, 4.6.3), each for its share of their area; not where they press.
    Surface,
}

/// The bed as a boundary of the water.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Bed", transform = live)]
pub struct BedParams {
    /// Distance between two boundary particles, Δs `[m]`, 0.2 to 0.7 smoothing radii; missing: that of the fluid's.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-6, 4.0e3).slider(0.01, 1.0).hint("half of the fluid's smoothing radius is right").fixed())]
    pub spacing: Option<f64>,
    /// Where boundary particles stand.
    #[schemars(transform = about().fixed())]
    pub place: Place,
    /// What keeps water above the bed.
    pub hold: Hold,
    /// Viscosity between water and bed, µ_bf `[Pa·s]`; missing: the fluid's own and half a per cent of the damping's.
    #[serde(with = "units::Viscosity", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(0.0, 1.0e8).slider(0.0, 20.0).hint("0 for a smooth bed"))]
    pub friction: Option<f64>,
    /// Height of the grains that make the bed rough, k_s `[m]`: the stress between water and bed follows from it by the
    /// logarithmic law of the wall, both the friction that slows the water and the stress that erodes the bed.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(0.0, 10.0).slider(1.0e-4, 0.1).hint("sand has 1 mm, gravel 2 cm; 0 for no stress at all"))]
    pub roughness: f64,
    /// Height above the bed over which the speed of the water is averaged for that stress, and over which the friction acts, where
    /// the water is not shallower; at least two spacings `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(0.0, 1.0e3).slider(0.1, 2.0).hint("0 for two spacings"))]
    pub layer: f64,
    /// Share of the speed towards the bed that is given back, c_R (1.43) `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0).slider(0.0, 1.0).hint("0 stays down, 1 bounces back"))]
    pub restitution: f64,
    /// Stiffness of the penalty, K_s `[1/s²]`.
    #[serde(with = "units::Springiness")]
    #[schemars(transform = within(0.0, 1.0e12).slider(1.0e3, 1.0e5))]
    pub stiffness: f64,
    /// Damping of the penalty, K_d `[1/s]`.
    #[serde(with = "units::Rate")]
    #[schemars(transform = within(0.0, 1.0e9).slider(0.0, 1000.0))]
    pub damping: f64,
}

impl Default for BedParams {
    fn default() -> Self {
        Self {
            spacing: None,
            place: Place::Below,
            hold: Hold::Pressure,
            friction: None,
            roughness: 0.002,
            layer: 0.5,
            restitution: 0.0,
            stiffness: 20_000.0,
            damping: 100.0,
        }
    }
}

/// How the stress that erodes the bed follows from the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stress {
    /// By the law of the wall, τ = ρ u*²: that of `bed.roughness`, the same for any spacing of particles.
    Wall,
    /// By the rate of shear of every particle within reach, τ = K (v/l)^½, all counted fully (Krištof et al. 2009; Kataev 2022, eqs.
    /// 1.54–1.57): finer particles erode more. What a particle erodes it takes up itself.
    ShearRate,
}

/// Which speed of a particle shears the bed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShearSpeed {
    /// That along the bed, (|v|² − (v·n)²)^½.
    Along,
    /// |v| − |v·n| (Kataev 2022, eq. 4.22): the same for water that goes along the bed, 41 % of it at 45°.
    Difference,
    /// All of it, |v| (Krištof et al. 2009, eq. 9): what falls straight down erodes too.
    Whole,
}

/// What sediment moves by between particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transfer {
    /// Such that it sinks at its settling speed and spreads at its diffusivity.
    Exact,
    /// The sums of Krištof et al. 2009 and Kataev 2022 (eqs. 1.64, 1.68, 1.69) as they are: it sinks at half that speed, and hardly spreads.
    Printed,
}

/// How sediment slows its own settling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hindrance {
    /// (1 − C)ᵉ, and nothing into what is full (Richardson & Zaki 1954).
    RichardsonZaki,
    /// 1 − (C/C_max)ᵉ (Kataev 2022, eq. 1.66).
    Saturation,
}

/// How ground that a triangle gains or loses moves its vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reshape {
    /// All alike, and those around them a little: slopes stay smooth from cell to cell.
    Smooth,
    /// The lowest rise first, the highest sink first (Kataev 2022, eq. 1.71): cuts notches into slopes.
    LowestFirst,
}

/// What water and bed exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Erosion", transform = live)]
pub struct ErosionParams {
    /// Whether water changes the bed at all.
    #[schemars(transform = about().fixed())]
    pub enabled: bool,
    /// What the bed is made of: typical values for what is not given.
    #[schemars(transform = about().fixed())]
    pub material: Material,
    /// Whether water stands still, so that sediment settles and spreads and nothing else happens (Krištof et al. 2009,
    /// figs. 4 and 5).
    pub still: bool,
    /// Steps of the water for each exchange of sediment: grains move so slowly that several steps of the water do not
    /// show.
    #[schemars(transform = within(1.0, 64.0).slider(1.0, 16.0).of("steps"))]
    pub every: u32,
    /// How the stress on the bed follows from the flow.
    pub stress: Stress,
    /// How much the speed with which water runs straight into the ground counts for `stress = "wall"`, beside the speed along it `[-]`: a jet narrower
    /// than the mean of the flow wears what it hits (Wang, Yang & Zhu 2021, 2.8).
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 10.0).slider(0.0, 1.0).hint("1 counts both alike"))]
    pub blows: f64,
    /// Shear stress constant K of `stress = "shear-rate"`, τ = K θ^½ `[Pa·s^½]`.
    #[serde(with = "units::ShearConstant")]
    #[schemars(transform = within(0.0, 1.0e6).slider(0.0, 10.0))]
    pub shear: f64,
    /// Which speed that is.
    pub shear_speed: ShearSpeed,
    /// Erosion strength K_ε: what each square metre loses in each second, in kilograms of grains, for each pascal above the critical
    /// stress `[s/m]`; missing: that of the material.
    #[serde(with = "units::Slowness", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(0.0, 1.0e6).slider(0.0, 10.0).hint("0 for solid rock, 1 for sand, 1e-4 for clay"))]
    pub strength: Option<f64>,
    /// Critical shear stress τ_c: a weaker one moves nothing `[Pa]`; missing: that of the material.
    #[serde(with = "units::Pressure", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(0.0, 1.0e9).slider(0.0, 50.0).hint("sand has 0.15, gravel 9"))]
    pub critical_shear: Option<f64>,
    /// Critical shear stress of the hardest ground of a hardness map `[Pa]`.
    #[serde(with = "units::Pressure")]
    #[schemars(transform = within(0.0, 1.0e9).slider(0.0, 500.0))]
    pub hard_shear: f64,
    /// Stress from which on nothing settles on the bed, τ_d `[Pa]` (Krone 1962); missing: that of the material, which for sand and gravel is ρ w²,
    /// where turbulence is as fast as the grains sink (Bagnold 1966).
    #[serde(with = "units::Pressure", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-12, 1.0e9).slider(0.01, 10.0).hint("mud has 0.06 to 0.1"))]
    pub deposition_shear: Option<f64>,
    /// Density of the grains, ρ_s `[kg/m³]`.
    #[serde(with = "units::Density")]
    #[schemars(transform = within(0.01, 1.0e5).slider(1500.0, 4000.0).hint("quartz has 2650"))]
    pub sediment_density: f64,
    /// Radius of a grain, r_s `[m]`; decides how fast it sinks; missing: that of the material.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-9, 1.0).slider(1.0e-6, 1.0e-2).hint("such as \"50 um\""))]
    pub grain_radius: Option<f64>,
    /// Viscosity that grains sink through, µ of eq. 1.65 `[Pa·s]`: water's own, whatever keeps the fluid stable; the documents' presets have that
    /// of their fluid.
    #[serde(with = "units::Viscosity")]
    #[schemars(transform = within(1.0e-9, 1.0e8).slider(1.0e-4, 1.0).hint("water has 0.001"))]
    pub grain_viscosity: f64,
    /// Largest share of a particle that sediment takes, C_max `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(1.0e-6, 1.0).slider(0.1, 0.9).hint("0.6 is loose sand"))]
    pub max_fraction: f64,
    /// Share of the bed that is grains, the rest being pores `[-]`; missing: that of the material.
    #[serde(with = "units::Ratio", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-6, 1.0).slider(0.3, 1.0).hint("0.6 is loose sand").fixed())]
    pub packing: Option<f64>,
    /// Whether sediment makes the water that carries it heavier.
    pub heavy: bool,
    /// Whether sediment makes the water that carries it thicker: three and a half times at 30 %; where density is summed up it never does.
    pub thick: bool,
    /// How sediment slows its own settling.
    pub hindrance: Hindrance,
    /// Exponent e of the hindrance `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(1.0e-3, 100.0).slider(2.0, 6.0).hint("4 to 5.5 was measured"))]
    pub hindrance_exponent: f64,
    /// Diffusivity of sediment in water `[m²/s]`, beside that of the turbulence above a rough bed.
    #[serde(with = "units::Diffusivity")]
    #[schemars(transform = within(0.0, 1.0e6).slider(0.0, 0.01).hint("0 for none"))]
    pub diffusivity: f64,
    /// What sediment moves by between particles.
    pub transfer: Transfer,
    /// How ground that is gained or lost moves the vertices of the bed.
    pub reshape: Reshape,
    /// Whether slopes steeper than `repose` slip.
    pub talus: bool,
    /// Steepest slope that loose ground keeps `[rad]`; missing: that of the material.
    #[serde(with = "units::Angle", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(0.0, FRAC_PI_2 - 1.0e-6).slider(0.3, 1.2))]
    pub repose: Option<f64>,
    /// Fastest that ground rises or sinks where it slips `[m/s]`.
    #[serde(with = "units::Speed")]
    #[schemars(transform = within(0.0, 1.0e3).slider(0.01, 1.0).hint("0.1 is a slump under water"))]
    pub slip_speed: f64,
}

impl Default for ErosionParams {
    fn default() -> Self {
        Self {
            enabled: true,
            material: Material::Sand,
            still: false,
            every: 4,
            stress: Stress::Wall,
            blows: 0.0,
            shear: 1.0,
            shear_speed: ShearSpeed::Along,
            strength: None,
            critical_shear: None,
            hard_shear: 30.0,
            deposition_shear: None,
            sediment_density: 2650.0,
            grain_radius: None,
            grain_viscosity: 0.001,
            max_fraction: 0.6,
            packing: None,
            heavy: true,
            thick: true,
            hindrance: Hindrance::RichardsonZaki,
            hindrance_exponent: 4.65,
            diffusivity: 1.0e-4,
            transfer: Transfer::Exact,
            reshape: Reshape::Smooth,
            talus: true,
            repose: None,
            slip_speed: 0.1,
        }
    }
}

impl Params {
    /// Distance between two boundary particles `[m]`.
    pub fn bed_spacing(&self) -> f64 {
        self.bed.spacing.unwrap_or(self.fluid.spacing)
    }

    /// How deep below the surface boundary particles stand `[m]`.
    pub(crate) fn boundary_depth(&self) -> f64 {
        match self.bed.place {
            Place::Below => 0.5 * self.fluid.spacing,
            Place::Surface => 0.0,
        }
    }

    /// How strongly boundary particles act on the water.
    pub(crate) fn boundary_factors(&self) -> BoundaryFactors {
        match (self.bed.hold, self.bed.place) {
            (Hold::Pressure, _) => BoundaryFactors::of(&self.fluid),
            (_, Place::Below) => BoundaryFactors::NONE,
            (_, Place::Surface) => BoundaryFactors::SHARES,
        }
    }

    /// Checks every number once, before a run. Keys are as in a scene: `fluid.spacing`.
    pub fn validated(&self) -> Result<(), Invalid> {
        let within = |section: &str, result: Result<(), Invalid>| {
            result.map_err(|invalid| Invalid { key: format!("{section}.{}", invalid.key), ..invalid })
        };
        within("fluid", self.fluid.validated())?;
        let able = self.fluid.pressure == PressureSolver::Wcsph && !self.erosion.enabled;
        let remedy = "edges are joined for fluid.pressure = \"wcsph\" with erosion.enabled = false alone";
        require(
            able || self.periodic == Periodic::None,
            "periodic",
            format!("{:?}", self.periodic).to_lowercase(),
            remedy,
        )?;
        within("bed", self.bed.validated(self.fluid.smoothing_radius()))?;
        let pressed = self.bed.hold == Hold::Pressure || self.fluid.pressure == PressureSolver::Summed;
        let remedy =
            "the pressure of the bed holds the water; the others go with fluid.pressure = \"summed\"";
        require(pressed, "bed.hold", format!("{:?}", self.bed.hold).to_lowercase(), remedy)?;
        let sunk = self.bed.hold != Hold::Pressure || self.bed.place == Place::Below;
        let remedy = "boundary particles that press stand \"below\"; with \"surface\", bed.hold is \"collision\" or \"penalty\"";
        require(sunk, "bed.place", format!("{:?}", self.bed.place).to_lowercase(), remedy)?;
        within("erosion", self.erosion.validated(self.fluid.density))
    }
}

impl BedParams {
    fn validated(&self, h: f64) -> Result<(), Invalid> {
        check(self)?;
        let Some(spacing) = self.spacing else { return Ok(()) };
        let remedy = format!(
            "boundary particles stand closer than the smoothing radius of {h} m, else water slips between them; \
             use between {:.4} and {:.4} m",
            0.2 * h,
            0.7 * h
        );
        require((0.2 * h..=0.7 * h).contains(&spacing), "spacing", spacing, remedy)
    }
}

impl ErosionParams {
    /// The bed: what is given, and else what its material has.
    pub fn soil(&self) -> Soil {
        let typical = self.material.soil();
        Soil {
            strength: self.strength.unwrap_or(typical.strength),
            critical_shear: self.critical_shear.unwrap_or(typical.critical_shear),
            deposition_shear: self.deposition_shear.or(typical.deposition_shear),
            grain_radius: self.grain_radius.unwrap_or(typical.grain_radius),
            packing: self.packing.unwrap_or(typical.packing),
            repose: self.repose.unwrap_or(typical.repose),
        }
    }

    fn validated(&self, water: f64) -> Result<(), Invalid> {
        check(self)?;
        let threshold = self.soil().critical_shear;
        require(
            self.hard_shear >= threshold,
            "hard_shear",
            self.hard_shear,
            format!("hard ground holds at least critical_shear, {threshold} Pa"),
        )?;
        let remedy =
            format!("grains are heavier than the fluid's {water} kg/m³, else they rise; quartz has 2650");
        require(self.sediment_density > water, "sediment_density", self.sediment_density, remedy)
    }
}
