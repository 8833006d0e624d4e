//! The numbers of the fluid, and the parameter tables of the documents.

use crate::kernel::{Kernel, Poly6, Spiky, Viscosity, Wendland, lattice_sum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::describe::{about, check, live, within};
use thalweg_field::{Invalid, require, units};

/// How the fluid resists being compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PressureSolver {
    /// Weakly compressible: density follows the flow (Monaghan 1994; Antuono et al. 2010), pressure is in proportion to it.
    Wcsph,
    /// Incompressible: pressure is corrected until the density that it leads to is right (Solenthaler & Pajarola 2009).
    Pcisph,
    /// Incompressible: the same with a correction of each particle's own; the places of particles are mended beside it (Bender & Koschier 2015).
    Dfsph,
    /// Density is summed up over neighbours, pressure follows from it by `equation` (Müller et al. 2003).
    Summed,
}

impl PressureSolver {
    /// Whether it lets no fluid be compressed at all.
    pub fn is_incompressible(self) -> bool {
        matches!(self, Self::Pcisph | Self::Dfsph)
    }
}

/// How pressure follows from a density that is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Equation {
    /// p = B ((ρ/ρ₀)⁷ − 1): stiff, hardly compressible (Tait; Becker & Teschner 2007). Never negative: a free
    /// surface does not pull.
    Tait,
    /// p = k (ρ − ρ₀) (Kataev 2022, eq. 1.32), negative where the fluid is thin.
    Linear,
}

/// Which kernels density and pressure use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kernels {
    /// Wendland's for both: pressure is then the exact slope of an energy, and water comes to rest.
    Wendland,
    /// Poly6 for density and spiky for pressure (Müller et al. 2003; Kataev 2022, eqs. 1.14 and 1.17).
    Mueller,
}

/// How the surface of the fluid pulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tension {
    /// Not at all. Water's own tension shapes what is smaller than 3 mm.
    None,
    /// By the curvature of the colour field (Müller 2003; Kataev 2022, eqs. 1.37–1.41); `tension` is σ `[N/m]`.
    ColourField,
    /// Particles attract each other (Becker & Teschner 2007); `tension` is κ `[m³/s²]`.
    BeckerTeschner,
    /// Cohesion and area minimisation (Akinci et al. 2013); `tension` is their γ.
    Akinci,
}

/// Parameters of the fluid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Fluid", transform = live)]
pub struct FluidParams {
    /// Distance between two particles at rest, Δs `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(1.0e-5, 1.0e3).slider(0.01, 1.0).hint("such as \"5 cm\"").fixed())]
    pub spacing: f64,
    /// Number of particles that the water at the beginning is made of: the spacing follows from it; missing: as many as there are at the spacing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0, MOST_PARTICLES as f64).slider(1000.0, 1.0e6).hint("instead of spacing").fixed())]
    pub particles: Option<u32>,
    /// Smoothing radius h, how far particles feel each other `[m]`, 1.2 to 4 spacings; missing: 2.2 spacings, or 2 where density is summed up.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-5, 4.0e3).slider(0.02, 2.0).hint("2.2 times the spacing is right").fixed())]
    pub radius: Option<f64>,
    /// Density at rest, ρ₀ `[kg/m³]`.
    #[serde(with = "units::Density")]
    #[schemars(transform = within(0.01, 1.0e5).slider(500.0, 2000.0).hint("water has 1000").fixed())]
    pub density: f64,
    /// Mass of a particle `[kg]`, 0.3 to 3 times spacing³ times density; missing: just that, or where density is summed up the one that gives particles on a lattice the density at rest.
    #[serde(with = "units::Mass", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-18, 1.0e14).slider(0.001, 1.0).hint("leave it out for the right one").fixed())]
    pub mass: Option<f64>,
    /// How the fluid resists being compressed.
    #[schemars(transform = about().fixed())]
    pub pressure: PressureSolver,
    /// By how much PCISPH and DFSPH may let the density change in a step, on average `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(1.0e-7, 0.1).slider(1.0e-5, 0.01).hint("0.01 % is right"))]
    pub tolerance: f64,
    /// Most rounds in which PCISPH and DFSPH look for the pressure of a step.
    #[schemars(transform = within(1.0, 10_000.0).slider(10.0, 200.0).of("rounds"))]
    pub max_rounds: u32,
    /// Viscosity μ `[Pa·s]`.
    #[serde(with = "units::Viscosity")]
    #[schemars(transform = within(0.0, 1.0e8).slider(0.0, 20.0).hint("water has 0.001, honey 10"))]
    pub viscosity: f64,
    /// Numerical viscosity that keeps the pressure smooth, as a share of h times the speed of sound `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0).slider(0.0, 0.01))]
    pub damping: f64,
    /// Share of its speed that spray loses for each metre of its way through the air; none where density is summed up.
    #[serde(with = "units::Number")]
    #[schemars(transform = within(0.0, 100.0).slider(0.0, 1.0).hint("0.12 for drops that fall at 9 m/s"))]
    pub air: f64,
    /// Which kernels density and pressure use where density is summed up.
    #[schemars(transform = about().fixed())]
    pub kernels: Kernels,
    /// How pressure follows from a density that is summed up.
    pub equation: Equation,
    /// Stiffness k of the linear equation `[m²/s²]`.
    #[serde(with = "units::Stiffness")]
    #[schemars(transform = within(1.0e-6, 1.0e9).slider(1.0, 100.0).hint("without it a fluid collapses"))]
    pub stiffness: f64,
    /// Speed of sound, but for the linear equation of a density that is summed up `[m/s]`; missing: ten times the fastest speed to be expected.
    #[serde(with = "units::Speed", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-18, 1.0e5).slider(10.0, 200.0).hint("ten times the fastest flow is right"))]
    pub sound_speed: Option<f64>,
    /// How the surface pulls.
    pub surface: Tension,
    /// How strongly; its unit depends on `surface`.
    #[serde(with = "units::Number")]
    #[schemars(transform = within(0.0, 1.0e6).slider(0.0, 1.0).hint("0 for none"))]
    pub tension: f64,
    /// Gravity, downwards `[m/s²]`.
    #[serde(with = "units::Acceleration")]
    #[schemars(transform = within(0.0, 1.0e3).slider(0.0, 25.0).hint("it points down"))]
    pub gravity: f64,
    /// Whether the kernels of a density that is summed up are scaled so that sums over particles on a lattice are exact: gradient and friction of a
    /// smooth flow then come out right at any spacing.
    pub calibrate: bool,
    /// Time step `[s]`; missing: the largest stable one.
    #[serde(with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-9, 10.0).slider(0.0001, 0.01).hint("leave it out for the largest stable one"))]
    pub dt: Option<f64>,
    /// Share of the stability limits that the automatic time step uses `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(1.0e-6, 1.0).slider(0.1, 1.0).hint("a share of the stability limit"))]
    pub safety: f64,
    /// Longest automatic time step `[s]`.
    #[serde(with = "units::Time")]
    #[schemars(transform = within(1.0e-9, 1.0e4).slider(0.001, 0.05))]
    pub max_dt: f64,
    /// Damped steps before the run, in which particles find their places between each other and the bed.
    #[schemars(transform = within(0.0, 1.0e7).slider(0.0, 1000.0).of("steps"))]
    pub relax: u32,
    /// Most particles of the fluid; emitters pause when there are so many, and memory is set aside for them.
    #[schemars(transform = within(1.0, MOST_PARTICLES as f64).slider(1000.0, 2.0e6).hint("a larger spacing for more water"))]
    pub max_particles: u32,
}

/// The largest drops fall at 9.1 m/s (Gunn & Kinzer 1949): there air makes up for gravity `[1/m]`.
const AIR: f64 = 0.12;

impl Default for FluidParams {
    fn default() -> Self {
        Self {
            spacing: 0.05,
            particles: None,
            radius: None,
            density: 1000.0,
            mass: None,
            viscosity: 0.001,
            pressure: PressureSolver::Wcsph,
            tolerance: 1.0e-4,
            max_rounds: 100,
            damping: 5.0e-5,
            air: AIR,
            kernels: Kernels::Wendland,
            equation: Equation::Tait,
            stiffness: 3.0,
            sound_speed: None,
            surface: Tension::None,
            tension: 0.0,
            gravity: 9.81,
            calibrate: true,
            dt: None,
            safety: 1.0,
            max_dt: 0.01,
            relax: 0,
            max_particles: 1_000_000,
        }
    }
}

/// Most particles that a scene may ask for.
pub const MOST_PARTICLES: u32 = 100_000_000;

impl FluidParams {
    /// Water as in Kelager 2006 and Kataev 2022, table 4.1. The viscosity of 3.5 Pa·s is not that of water: it and the
    /// small stiffness keep a smoothing radius of 4.57 cm stable at 10 ms.
    pub fn kelager_water() -> Self {
        let (mass, density): (f64, f64) = (0.02, 998.29);
        Self {
            spacing: (mass / density).cbrt(),
            radius: Some(0.0457),
            density,
            mass: Some(mass),
            pressure: PressureSolver::Summed,
            viscosity: 3.5,
            damping: 0.0,
            air: 0.0,
            kernels: Kernels::Mueller,
            equation: Equation::Linear,
            stiffness: 3.0,
            surface: Tension::ColourField,
            tension: 0.0728,
            gravity: 9.82,
            calibrate: false,
            dt: Some(0.01),
            ..Self::default()
        }
    }

    /// The smoothing radius `[m]`.
    pub fn smoothing_radius(&self) -> f64 {
        let spacings = match self.pressure {
            PressureSolver::Summed => 2.0,
            _ => 2.2,
        };
        self.radius.unwrap_or(spacings * self.spacing)
    }

    /// The kernels of density and of pressure.
    pub fn kernels(&self) -> [Box<dyn Kernel>; 2] {
        let h = self.smoothing_radius();
        match self.kernels {
            Kernels::Wendland => [Box::new(Wendland(h)), Box::new(Wendland(h))],
            Kernels::Mueller => [Box::new(Poly6(h)), Box::new(Spiky(h))],
        }
    }

    /// Mass of a particle `[kg]`.
    pub fn particle_mass(&self) -> f64 {
        // Without boxes: every exchange of sediment asks.
        let (h, spacing) = (self.smoothing_radius(), self.spacing);
        self.mass.unwrap_or_else(|| {
            if self.pressure != PressureSolver::Summed {
                return self.density * spacing.powi(3);
            }
            let sum = match self.kernels {
                Kernels::Wendland => lattice_sum(spacing, h, |r| Wendland(h).value(r)),
                Kernels::Mueller => lattice_sum(spacing, h, |r| Poly6(h).value(r)),
            };
            self.density / sum
        })
    }

    /// Factors on the slope of the pressure kernel and on the Laplacian of the viscosity kernel.
    pub(crate) fn calibration(&self) -> [f64; 2] {
        if !self.calibrate {
            return [1.0; 2];
        }
        let h = self.smoothing_radius();
        let volume = self.particle_mass() / self.density;
        let ([_, pressure], friction) = (self.kernels(), Viscosity(h));
        // Σ V r·∇W = −3 makes the gradient of a linear field exact; Σ V r² ∇²W = 6 the Laplacian of a quadratic one.
        let first = lattice_sum(self.spacing, h, |r| -volume * r * pressure.slope(r));
        let second = lattice_sum(self.spacing, h, |r| volume * r * r * friction.laplacian(r));
        [3.0 / first, 6.0 / second]
    }

    /// Checks every number once, before a run.
    pub fn validated(&self) -> Result<(), Invalid> {
        check(self)?;
        if let Some(particles) = self.particles {
            let free =
                self.spacing == Self::default().spacing && self.radius.is_none() && self.mass.is_none();
            let remedy =
                "spacing, radius and mass follow from the number of particles; give it or them, not both";
            require(free, "particles", particles, remedy)?;
            let most = self.max_particles;
            require(particles <= most, "particles", particles, format!("max_particles allows {most}"))?;
        }
        let h = self.smoothing_radius();
        let range = format!(
            "between {:.4} and {:.4} m, 1.2 to 4 times the spacing of {} m",
            1.2 * self.spacing,
            4.0 * self.spacing,
            self.spacing
        );
        require(
            (1.2 * self.spacing..=4.0 * self.spacing).contains(&h),
            "radius",
            h,
            format!("particles within it must be few dozens, not none and not thousands: it lies {range}"),
        )?;
        let natural_mass = self.density * self.spacing.powi(3);
        let mass = self.particle_mass();
        require(
            (0.3 * natural_mass..=3.0 * natural_mass).contains(&mass),
            "mass",
            mass,
            format!(
                "particles {} m apart that fill space with {} kg/m³ weigh about {natural_mass:.4e} kg each; \
                 leave mass out, or change spacing or density",
                self.spacing, self.density
            ),
        )
    }
}
