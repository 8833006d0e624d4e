//! The numbers of the stream-power model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, PI};
use thalweg_field::describe::{check, live, within};
use thalweg_field::units::{self, YEAR};
use thalweg_field::{Invalid, require};

/// Drainage area that `erodibility` and `valley_width` are given for `[m²]`: one square kilometre.
pub const REFERENCE_AREA: f64 = 1.0e6;

/// No slope is steeper `[rad]`: a hair less than upright.
const STEEPEST: f64 = FRAC_PI_2 - 1.0e-6;

/// Which neighbour the water of a cell runs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// The steepest of eight (O'Callaghan & Mark 1984): planes drain along eight directions.
    D8,
    /// The steepest of eight, with the length of diagonals drawn at random so that planes drain along their slope on
    /// average (Fairfield & Leymarie 1991).
    Rho8,
    /// One of the two neighbours beside the steepest direction (Tarboton 1997), drawn with its share of the flow.
    Dinf,
}

/// What becomes of water that finds no way down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lakes {
    /// It stands up to the lowest pass; sediment settles in it until it is full.
    Keep,
    /// It stands, and sediment passes through.
    Pass,
    /// It cuts a way out at once, and carries off what it cut.
    Breach,
}

/// A layer of rock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = live)]
pub struct RockLayer {
    /// How thick it is `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(1.0e-3, 1.0e5).slider(10.0, 500.0))]
    pub thickness: f64,
    /// How much of its erodibility it lacks, 0 (none) to almost 1 (hardly erodes) `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 0.999).slider(0.0, 0.9))]
    pub hardness: f64,
}

/// Parameters of the stream-power model: dh/dt = U − K (A / 1 km²)^m S^n + deposition + creep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "StreamPower", transform = live)]
pub struct Params {
    /// Time step `[s]`.
    #[serde(with = "units::Time")]
    #[schemars(transform = within(1.0, 1.0e9 * YEAR).slider(100.0 * YEAR, 5.0e4 * YEAR))]
    pub step: f64,
    /// Time that the whole run covers `[s]`; with it, steps are as long as the number of steps asks for. Missing: `step`.
    #[serde(with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0, 1.0e10 * YEAR).slider(1.0e4 * YEAR, 1.0e7 * YEAR).fixed())]
    pub years: Option<f64>,
    /// Rate at which rock rises `[m/s]`.
    #[serde(with = "units::Speed")]
    #[schemars(transform = within(-1.0e-6, 1.0e-6).slider(0.0, 1.0e-2 / YEAR).hint("0 for ground that only wears down"))]
    pub uplift: f64,
    /// Height of the highest ground above the lowest outlet that uplift is scaled for `[m]`; missing: as `uplift` gives.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0, 2.0e4).slider(100.0, 4000.0))]
    pub relief: Option<f64>,
    /// How closely uplift follows the large form of the ground at the beginning, 0 (the same everywhere) to 1 `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0))]
    pub keep_form: f64,
    /// What counts as large: standard deviation of the bell that smooths the ground at the beginning `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(1.0, 1.0e6).slider(100.0, 5000.0).fixed())]
    pub form_width: f64,
    /// Rate at which a river that drains 1 km² cuts into ground that slopes by 45°, K `[m/s]`.
    #[serde(with = "units::Speed")]
    #[schemars(transform = within(0.0, 1.0e-5).slider(1.0e-3 / YEAR, 0.1 / YEAR).hint("0 for rock that never wears"))]
    pub erodibility: f64,
    /// Standard deviation of the logarithm of the erodibility, which varies over 2.5 km, 900 m, 300 m and 120 m `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 3.0).slider(0.0, 1.0))]
    pub erodibility_noise: f64,
    /// Exponent m of the drainage area `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 2.0).slider(0.3, 0.7))]
    pub area_exponent: f64,
    /// Exponent n of the slope `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.2, 5.0).slider(0.7, 2.0))]
    pub slope_exponent: f64,
    /// Drainage area around which rivers begin: with half of it they hardly cut, with twice as much almost fully (Montgomery &
    /// Dietrich 1988) `[m²]`. Missing: 0.8 ha, or what `valley_spacing` asks for.
    #[serde(with = "units::Area", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(0.0, 1.0e9).slider(0.0, 1.0e5).hint("0 for rivers that begin at the ridge"))]
    pub channel_area: Option<f64>,
    /// Length across the flow over which water that runs side by side is added up: beds of rivers are as wide, and finer cells give
    /// the same slopes `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(0.0, 1.0e4).slider(0.0, 100.0).hint("0 for threads as wide as cells"))]
    pub flow_width: f64,
    /// Rate of cutting that rivers must exceed before they cut at all `[m/s]`.
    #[serde(with = "units::Speed")]
    #[schemars(transform = within(0.0, 1.0e-5).slider(0.0, 1.0e-3 / YEAR).hint("0 for none"))]
    pub threshold: f64,
    /// Layers of rock from the top down, over and over again; none: the same rock everywhere.
    #[serde(rename = "layer", skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<RockLayer>,
    /// How steeply the layers dip `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(0.0, STEEPEST).slider(0.0, 1.0))]
    pub dip: f64,
    /// Where the layers dip to, from north over east `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(-2.0 * PI, 2.0 * PI))]
    pub dip_direction: f64,
    /// Deposition constant G: how much of the sediment that a river carries comes to rest `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 100.0).slider(0.0, 4.0).hint("0 for rivers that carry all away"))]
    pub deposition: f64,
    /// How much more easily sediment erodes than rock `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.01, 100.0).slider(0.5, 5.0))]
    pub sediment_erodibility: f64,
    /// Which way water runs.
    pub routing: Routing,
    /// What becomes of water in hollows.
    pub lakes: Lakes,
    /// Whether open edges come down with the ground behind them, so that they do not stand above it like a wall; otherwise they keep the
    /// height that they have at the beginning.
    pub edges_follow: bool,
    /// Diffusivity D of the soil on slopes `[m²/s]`.
    #[serde(with = "units::Diffusivity")]
    #[schemars(transform = within(0.0, 1.0e-3).slider(0.0, 0.1 / YEAR).hint("0 for none"))]
    pub creep: f64,
    /// Slope that soil on common rock hardly exceeds: creep grows towards it as if without bound (Roering et al. 1999) `[rad]`; harder
    /// rock stands steeper. 0: creep grows in proportion to the slope.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(0.0, STEEPEST).slider(0.3, 1.2).hint("0 for none"))]
    pub critical_slope: f64,
    /// Distance between the smallest valleys `[m]`; with it, `creep` follows from the erodibility, and where rivers begin from the distance
    /// unless `channel_area` is given. Missing: `creep`.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-3, 1.0e5).slider(20.0, 1000.0))]
    pub valley_spacing: Option<f64>,
    /// Width of the level floor of a valley that drains 1 km² `[m]`; it grows with the square root of the area.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(0.0, 1.0e4).slider(0.0, 200.0).hint("0 for none"))]
    pub valley_width: f64,
}

/// Distance between the smallest valleys over the length at which creep and cutting are equal. Perron et al. 2009 find that
/// they grow in proportion; the number was measured (docs/methods/stream-power.md).
pub const SPACING_OVER_LENGTH: f64 = 10.0;

/// Drainage area where rivers begin over the square of that distance: the smallest valleys gather it along their length.
pub const HEAD_OVER_SPACING: f64 = 0.13;

/// Drainage area where rivers begin if nothing is said about it `[m²]`.
const USUAL_HEAD: f64 = 8.0e3;

impl Default for Params {
    fn default() -> Self {
        Self {
            step: 5.0e3 * YEAR,
            years: None,
            uplift: 1.0e-3 / YEAR,
            relief: None,
            keep_form: 0.0,
            form_width: 600.0,
            erodibility: 2.0e-2 / YEAR,
            erodibility_noise: 0.8,
            area_exponent: 0.4,
            slope_exponent: 1.0,
            channel_area: None,
            flow_width: 30.0,
            threshold: 0.0,
            layers: Vec::new(),
            dip: 0.0,
            dip_direction: 0.0,
            deposition: 2.0,
            sediment_erodibility: 1.5,
            routing: Routing::Rho8,
            lakes: Lakes::Keep,
            edges_follow: true,
            creep: 0.027 / YEAR,
            critical_slope: 30.5_f64.to_radians(),
            valley_spacing: None,
            valley_width: 30.0,
        }
    }
}

impl Params {
    /// Names of the parameter tables, each with what it is.
    pub const PRESETS: [(&'static str, &'static str); 2] = [
        ("thalweg", "the default: rivers that cut and fill, creep up to a critical slope, random diagonals"),
        ("braun-2013", "Braun & Willett 2013: D8, no deposition, linear creep, even rock"),
    ];

    /// The parameter table of that name.
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "thalweg" => Some(Self::default()),
            "braun-2013" => Some(Self {
                erodibility: 8.0e-3 / YEAR,
                erodibility_noise: 0.0,
                area_exponent: 0.5,
                channel_area: Some(0.0),
                flow_width: 0.0,
                deposition: 0.0,
                sediment_erodibility: 1.0,
                routing: Routing::D8,
                lakes: Lakes::Pass,
                edges_follow: false,
                critical_slope: 0.0,
                valley_width: 0.0,
                ..Self::default()
            }),
            _ => None,
        }
    }

    /// Checks every number once, before a run.
    pub fn validated(&self) -> Result<(), Invalid> {
        check(self)?;
        let spaced = self.valley_spacing.is_none() || self.erodibility > 0.0;
        require(
            spaced,
            "valley_spacing",
            self.valley_spacing.unwrap_or(0.0),
            "it needs some erodibility; give creep instead",
        )
    }

    /// Steepest slope of the soil, as height over length `[-]`, if there is one.
    pub fn steepest(&self) -> Option<f64> {
        (self.critical_slope > 0.0).then(|| self.critical_slope.tan())
    }

    /// The erodibility with areas counted in square metres, K `[m^(1−2m)/s]`.
    pub fn erodibility_per_area(&self) -> f64 {
        self.erodibility / REFERENCE_AREA.powf(self.area_exponent)
    }

    /// Drainage area around which rivers begin, given, from the spacing of valleys, or the usual one `[m²]`.
    pub fn head_area(&self) -> f64 {
        let spaced = self.valley_spacing.map(|spacing| HEAD_OVER_SPACING * spacing.powi(2));
        self.channel_area.or(spaced).unwrap_or(USUAL_HEAD)
    }

    /// The diffusivity of the soil, given or from the spacing of valleys: L_c = (D/K)^(1/(2m+1)) (Perron et al. 2009) `[m²/s]`.
    pub fn diffusivity(&self) -> f64 {
        match self.valley_spacing {
            None => self.creep,
            Some(spacing) => {
                let length = spacing / SPACING_OVER_LENGTH;
                self.erodibility_per_area() * length.powf(2.0 * self.area_exponent + 1.0)
            }
        }
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
        assert!(Params::preset("mei-2007").is_none());
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let refused = |params: Params| params.validated().unwrap_err().key;
        assert_eq!(refused(Params { erodibility: -1.0, ..Params::default() }), "erodibility");
        assert_eq!(refused(Params { keep_form: 1.5, ..Params::default() }), "keep_form");
        assert_eq!(refused(Params { slope_exponent: 0.0, ..Params::default() }), "slope_exponent");
        let layer = RockLayer { thickness: 10.0, hardness: 1.5 };
        assert_eq!(refused(Params { layers: vec![layer], ..Params::default() }), "layer[0].hardness");
        let still = Params { erodibility: 0.0, valley_spacing: Some(100.0), ..Params::default() };
        assert_eq!(refused(still), "valley_spacing");
    }
}
