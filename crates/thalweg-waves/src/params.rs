//! The numbers of wave particles, and the document's own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::describe::{about, check, live, within};
use thalweg_field::{Invalid, require, units};

/// Standard gravity `[m/s²]`.
pub const GRAVITY: f64 = 9.81;

/// What stays the same while a front of waves grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Conserved {
    /// Its energy: rings lose height with the root of their distance, as water waves do.
    Energy,
    /// Its volume (Yuksel, House & Keyser 2007): rings lose height in proportion to their distance.
    Volume,
}

/// How fast waves go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Speed {
    /// As their length and the water's depth say.
    Depth,
    /// All alike, with `wave_speed`.
    Constant,
}

/// Parameters of wave particles. `Default` is thalweg's own set; [`Params::preset`] has the document's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Waves", transform = live)]
pub struct Params {
    /// Length of a step, in which bodies feel the water and send out waves `[s]`; waves themselves do not depend on it.
    #[serde(with = "units::Time")]
    #[schemars(transform = within(1.0e-4, 1.0).slider(0.005, 0.05).fixed())]
    pub step: f64,
    /// What stays the same while a front grows.
    #[schemars(transform = about().fixed())]
    pub conserved: Conserved,
    /// How fast waves go.
    #[schemars(transform = about().fixed())]
    pub speed: Speed,
    /// Speed of all waves with `speed = "constant"` `[m/s]`.
    #[serde(with = "units::Speed")]
    #[schemars(transform = within(1.0e-6, 1.0e4).slider(0.5, 20.0).fixed())]
    pub wave_speed: f64,
    /// Gravity `[m/s²]`.
    #[serde(with = "units::Acceleration")]
    #[schemars(transform = within(1.0e-6, 1.0e3).slider(1.0, 25.0).fixed())]
    pub gravity: f64,
    /// Radius of the smallest particles that are drawn apart, half their wavelength `[m]`; smaller ones are drawn with it. No less than two cells are used.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(1.0e-6, 1.0e6).slider(0.1, 10.0).fixed())]
    pub smallest_radius: f64,
    /// Radius of the largest particles `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(1.0e-6, 1.0e6).slider(1.0, 200.0).fixed())]
    pub largest_radius: f64,
    /// Radii that the surface tells apart, for each doubling.
    #[schemars(transform = within(1.0, 8.0).slider(1.0, 4.0).of("radii").fixed())]
    pub radii_per_octave: u32,
    /// Width of front at which a particle becomes three, T_w, in radii `[-]`: a half leaves ripples of 1.6 % along a front, one 12 %.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.05, 1.0).slider(0.25, 1.0))]
    pub split_width: f64,
    /// Waves whose crest is lower than this end `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(1.0e-9, 1.0e3).slider(1.0e-4, 0.05))]
    pub lowest_crest: f64,
    /// Share of the height that waves lose in a second, to all that resists them `[1/s]`.
    #[serde(with = "units::Rate")]
    #[schemars(transform = within(0.0, 1.0e2).slider(0.0, 0.5).hint("0 for none"))]
    pub damping: f64,
    /// Largest number of particles: beyond it nothing more is sent out, and fronts that have grown wide go on undivided, with gaps.
    #[schemars(transform = within(1.0, 1.0e8).slider(1.0e4, 2.0e6).of("particles"))]
    pub most_particles: u32,
    /// Height of a wave from trough to crest for each metre of depth beyond which it breaks `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.01, 10.0).slider(0.4, 1.2).hint("0.78 after McCowan 1894"))]
    pub breaking: f64,
    /// How much of what a wave sends back a wall returns, in height `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0).slider(0.0, 1.0))]
    pub reflection: f64,
    /// Whether waves turn around the ends of walls.
    pub diffraction: bool,
    /// Share of the sideways motion of the surface that is shown, which makes crests sharp `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0).slider(0.0, 1.0).hint("beyond 1 crests fold over"))]
    pub choppiness: f64,
    /// Time in which foam fades to a third `[s]`.
    #[serde(with = "units::Time")]
    #[schemars(transform = within(1.0e-3, 1.0e6).slider(0.5, 30.0))]
    pub foam_life: f64,
    /// Foam comes where the surface is pressed together to less than this share of its area `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0).slider(0.3, 0.95))]
    pub foam_below: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            step: 1.0 / 60.0,
            conserved: Conserved::Energy,
            speed: Speed::Depth,
            wave_speed: 2.0,
            gravity: GRAVITY,
            smallest_radius: 0.5,
            largest_radius: 32.0,
            radii_per_octave: 1,
            split_width: 0.5,
            lowest_crest: 1.0e-3,
            damping: 0.02,
            most_particles: 1_000_000,
            breaking: 0.78,
            reflection: 1.0,
            diffraction: true,
            choppiness: 1.0,
            foam_life: 6.0,
            foam_below: 0.7,
        }
    }
}

impl Params {
    /// Names of the parameter tables, each with what it is.
    pub const PRESETS: [(&'static str, &'static str); 2] = [
        (
            "thalweg",
            "the default: energy is kept, speed after length and depth, shoaling, breaking, diffraction",
        ),
        ("mikes-2015", "Mikeš 2015: volume is kept, one speed, fronts split at one radius, no diffraction"),
    ];

    /// The parameter table of that name.
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "thalweg" => Some(Self::default()),
            "mikes-2015" => Some(Self {
                conserved: Conserved::Volume,
                speed: Speed::Constant,
                split_width: 1.0,
                diffraction: false,
                ..Self::default()
            }),
            _ => None,
        }
    }

    /// Checks every number once, before a run.
    pub fn validated(&self) -> Result<(), Invalid> {
        check(self)?;
        require(
            self.largest_radius >= self.smallest_radius,
            "largest_radius",
            format!("{} m", self.largest_radius),
            format!("it must be no less than smallest_radius, {} m", self.smallest_radius),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_valid_and_survives_a_round_trip() {
        for (name, _) in Params::PRESETS {
            let params = Params::preset(name).unwrap();
            params.validated().unwrap();
            let text = toml::to_string(&params).unwrap();
            assert_eq!(toml::from_str::<Params>(&text).unwrap(), params, "{name}");
        }
        assert!(Params::preset("tessendorf-2004").is_none());
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let refused = |params: Params| params.validated().unwrap_err().key;
        assert_eq!(refused(Params { gravity: -9.81, ..Params::default() }), "gravity");
        assert_eq!(refused(Params { damping: f64::NAN, ..Params::default() }), "damping");
        assert_eq!(refused(Params { split_width: 0.0, ..Params::default() }), "split_width");
        assert_eq!(refused(Params { largest_radius: 0.1, ..Params::default() }), "largest_radius");
    }
}
