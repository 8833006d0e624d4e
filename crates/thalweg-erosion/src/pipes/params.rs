//! The numbers of the pipe model, and the parameter tables of the papers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;
use thalweg_field::describe::{about, check, live, within};
use thalweg_field::{Invalid, require, units};

/// Standard gravity `[m/s²]`.
pub const GRAVITY: f64 = 9.81;

/// No slope is steeper `[rad]`: a hair less than upright.
const STEEPEST: f64 = FRAC_PI_2 - 1.0e-6;

/// A load that no water reaches `[-]`.
const NO_LIMIT: f64 = 1.0e6;

/// Cross-section of the virtual pipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PipeArea {
    /// The same everywhere, set by `pipe_area` (Mei et al. 2007): waves run at √(gA/L) however deep the water.
    Constant,
    /// As wide as a cell and as deep as the water above the sill to the neighbour: waves run at √(gd), as in
    /// nature.
    Depth,
}

/// What becomes of two pipes of one face that flow against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counterflow {
    /// They cancel: only the difference flows on. Waves swing as they do in nature.
    Cancel,
    /// Both flow on (Mei et al. 2007): once the head has turned, the net flux changes at twice the rate.
    Keep,
}

/// What the erosion law takes for the speed of the water.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Velocity {
    /// Flux divided by cell size and mean depth (Mei et al. 2007).
    FluxOverDepth,
    /// The mean flux itself (Schmidberger 2024, eqs. 9 and 10).
    MeanFlux,
}

/// Which slope lets water carry sediment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Slope {
    /// The fall of the water surface along the ways that the water takes: still water carries nothing, whatever
    /// lies below it.
    Downstream,
    /// The bed's (Mei et al. 2007).
    Bed,
}

/// How suspended sediment travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Every pipe takes along its share of the sediment of the cell it leaves: nothing is lost.
    DonorCell,
    /// Values are looked up where the water came from (Stam 1999): loses sediment, kept for comparison.
    SemiLagrangian,
}

/// How fast bed and water exchange sediment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Exchange {
    /// A share of the difference to capacity in each second: `dissolve` and `deposit` are in 1/s.
    Rate,
    /// A share of the difference in each step (Mei et al. 2007): `dissolve` and `deposit` are pure ratios.
    Share,
    /// The difference, but at most so much height in each second (Schmidberger 2024, eqs. 13 and 14):
    /// `dissolve` and `deposit` are in m/s.
    Limit,
}

/// Parameters of the pipe model. `Default` is thalweg's own set; [`Params::preset`] has the papers'.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Pipes", transform = live)]
pub struct Params {
    /// Pipes to four or to eight neighbours; eight keep channels from following the grid.
    #[schemars(extend("enum" = [4, 8]), transform = about().fixed())]
    pub neighbours: u8,
    /// Cross-section of the pipes.
    pub area: PipeArea,
    /// What becomes of opposite flows through one face.
    pub counterflow: Counterflow,
    /// The constant cross-section A `[m²]`; used with `area = "constant"`.
    #[serde(with = "units::Area")]
    #[schemars(transform = within(1.0e-9, 1.0e9).slider(0.1, 100.0))]
    pub pipe_area: f64,
    /// Gravity `[m/s²]`.
    #[serde(with = "units::Acceleration")]
    #[schemars(transform = within(1.0e-6, 1.0e3).slider(1.0, 25.0).hint("water needs some to flow"))]
    pub gravity: f64,
    /// Drag of the bed on the water, c_f in τ = ρ c_f v² `[-]`; 0 lets water on a slope accelerate without end.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0e3).slider(0.0, 1.0).hint("0 for a smooth bed"))]
    pub drag: f64,
    /// What counts as the water's speed.
    pub velocity: Velocity,
    /// Whether water changes the bed at all.
    pub erosion: bool,
    /// Sediment capacity constant K_c: height of sediment carried for each metre per second of speed on a vertical
    /// wall `[s]`. Over `ramp_depth` it is the share of the water's volume for each metre per second that water descends.
    #[serde(with = "units::Time")]
    #[schemars(transform = within(0.0, 1.0e6).slider(0.0, 5.0).hint("0 for clear water"))]
    pub capacity: f64,
    /// Largest share of its own volume that water can hold as sediment `[-]`. Torrents thicken to mud at a half.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(1.0e-9, NO_LIMIT).slider(0.01, 0.6).hint("a million for no limit"))]
    pub max_load: f64,
    /// How many times the bed changes by what water takes and leaves `[-]`: hours of rain do the work of ages, while the water carries
    /// no more than it can (the morphological factor of Roelvink 2006).
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(1.0e-6, 1.0e6).slider(1.0, 1000.0).hint("1 for the time that passes"))]
    pub time_lapse: f64,
    /// Dissolving constant K_s; its unit depends on `exchange`.
    #[serde(with = "units::Number")]
    #[schemars(transform = within(0.0, 1.0e6).slider(0.0, 0.2).hint("0 for solid rock"))]
    pub dissolve: f64,
    /// Deposition constant K_d; its unit depends on `exchange`.
    #[serde(with = "units::Number")]
    #[schemars(transform = within(0.0, 1.0e6).slider(0.0, 0.2).hint("0 to keep all afloat"))]
    pub deposit: f64,
    /// What `dissolve` and `deposit` mean.
    pub exchange: Exchange,
    /// Which slope the capacity sees.
    pub slope: Slope,
    /// Smallest tilt that the capacity sees, α_min `[rad]`; lets water work on flat ground.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(0.0, STEEPEST).slider(0.0, 0.2))]
    pub min_tilt: f64,
    /// Water shallower than this carries proportionally less `[m]`; 0 switches the ramp off. On the ramp the load
    /// grows with the power of the stream, depth times speed times slope: where water gathers it digs, and
    /// channels deepen themselves.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(0.0, 1.0e4).slider(0.0, 20.0).hint("0 for no ramp"))]
    pub ramp_depth: f64,
    /// How sediment travels.
    pub transport: Transport,
    /// Share of the water that evaporates each second, K_e `[1/s]`.
    #[serde(with = "units::Rate")]
    #[schemars(transform = within(0.0, 1.0e3).slider(0.0, 0.05).hint("0 for none"))]
    pub evaporation: f64,
    /// Water thinner than this after evaporation counts as dry and is removed `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(0.0, 1.0e3).slider(0.0, 0.01).hint("0 to keep every film"))]
    pub dry_depth: f64,
    /// Height that the formulas take for one `[m]`. The thesis works on heights between 0 and 1 on cells
    /// of side 1; with a unit given, heights are divided by it and cells count as 1. Missing: metres.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-6, 1.0e6).slider(1.0, 1000.0).fixed())]
    pub height_unit: Option<f64>,
    /// Time step `[s]`; missing: the largest stable one, times `safety`.
    #[serde(with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-9, 1.0e6).slider(0.001, 10.0).hint("leave it out for an automatic one"))]
    pub dt: Option<f64>,
    /// Share of the stability limit that the automatic time step uses `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(1.0e-6, 1.0).slider(0.1, 1.0).hint("a share of the stability limit"))]
    pub safety: f64,
    /// Largest automatic time step `[s]`.
    #[serde(with = "units::Time")]
    #[schemars(transform = within(1.0e-9, 1.0e6).slider(0.1, 60.0))]
    pub max_dt: f64,
    /// Whether slopes steeper than `repose` slip.
    pub talus: bool,
    /// Steepest slope that loose ground keeps `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(1.0e-6, STEEPEST).slider(0.3, 1.2).hint("talus = false for no slipping"))]
    pub repose: f64,
    /// Steps between two rounds of slipping.
    #[schemars(transform = within(1.0, 1.0e9).slider(1.0, 64.0).of("steps"))]
    pub talus_every: u32,
    /// Share of its excess height that a slope loses to each neighbour in a second `[1/s]`, up to a quarter in one round.
    #[serde(with = "units::Rate")]
    #[schemars(transform = within(1.0e-9, 1.0e6).slider(0.001, 1.0))]
    pub talus_rate: f64,
    /// Whether ground of open edges slips onto lower ground behind it, so that edges do not stand above valleys like walls; otherwise they
    /// keep their height.
    pub edges_follow: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            neighbours: 8,
            area: PipeArea::Depth,
            counterflow: Counterflow::Cancel,
            pipe_area: 1.0,
            gravity: GRAVITY,
            drag: 0.25,
            velocity: Velocity::FluxOverDepth,
            erosion: true,
            capacity: 0.5,
            max_load: 0.3,
            time_lapse: 300.0,
            dissolve: 0.02,
            deposit: 0.02,
            exchange: Exchange::Rate,
            slope: Slope::Downstream,
            min_tilt: 0.05_f64.to_radians(),
            ramp_depth: 5.0,
            transport: Transport::DonorCell,
            evaporation: 0.0,
            dry_depth: 0.0,
            height_unit: None,
            dt: None,
            safety: 0.8,
            max_dt: 10.0,
            talus: true,
            repose: 40.0_f64.to_radians(),
            talus_every: 4,
            talus_rate: 0.05,
            edges_follow: false,
        }
    }
}

impl Params {
    /// The `max_load` of the papers, which know no limit `[-]`.
    pub const NO_LIMIT: f64 = NO_LIMIT;

    /// Names of the parameter tables, each with what it is.
    pub const PRESETS: [(&'static str, &'static str); 3] = [
        ("thalweg", "the default: conserves water and sediment, eight neighbours, drag, talus"),
        ("mei-2007", "Mei, Decaudin & Hu 2007: four pipes of constant area, semi-Lagrangian sediment"),
        ("schmidberger-2024", "Schmidberger 2024, table 2: heights between 0 and 1, mean flux as velocity"),
    ];

    /// The parameter table of that name.
    pub fn preset(name: &str) -> Option<Self> {
        // What both papers share: four pipes of constant area on a frictionless bed, sediment lost on the way.
        let classic = Self {
            neighbours: 4,
            area: PipeArea::Constant,
            counterflow: Counterflow::Keep,
            drag: 0.0,
            slope: Slope::Bed,
            ramp_depth: 0.0,
            transport: Transport::SemiLagrangian,
            max_load: NO_LIMIT,
            time_lapse: 1.0,
            talus: false,
            ..Self::default()
        };
        match name {
            "thalweg" => Some(Self::default()),
            "mei-2007" => Some(Self {
                pipe_area: 20.0,
                capacity: 0.01,
                dissolve: 0.01,
                deposit: 0.01,
                exchange: Exchange::Share,
                min_tilt: 2.0_f64.to_radians(),
                evaporation: 0.015,
                dry_depth: 1.0e-6,
                dt: Some(0.02),
                ..classic
            }),
            "schmidberger-2024" => Some(Self {
                pipe_area: 50.0,
                gravity: 10.0,
                velocity: Velocity::MeanFlux,
                capacity: 0.0004,
                dissolve: 0.000_03,
                deposit: 0.000_03,
                exchange: Exchange::Limit,
                min_tilt: 30.0_f64.to_radians(),
                evaporation: 3.0,
                dry_depth: 0.0001,
                height_unit: Some(1.0),
                dt: Some(0.002),
                ..classic
            }),
            _ => None,
        }
    }

    /// Checks every number once, before a run.
    pub fn validated(&self) -> Result<(), Invalid> {
        require(
            matches!(self.neighbours, 4 | 8),
            "neighbours",
            self.neighbours,
            "a cell has pipes to 4 or 8 neighbours",
        )?;
        check(self)?;
        self.fits_its_flows()?;
        let shares = self.exchange != Exchange::Share || (self.dissolve <= 1.0 && self.deposit <= 1.0);
        require(
            shares,
            "dissolve",
            format!("{} and deposit {}", self.dissolve, self.deposit),
            "with exchange = \"share\" both are shares of a difference, between 0 and 1",
        )
    }
}

impl Params {
    /// What goes only with two pipes through each face, and what only with net flows.
    fn fits_its_flows(&self) -> Result<(), Invalid> {
        let pairs = "goes with counterflow = \"keep\" alone (Mei et al. 2007)";
        let net = "goes with counterflow = \"cancel\" alone";
        match self.counterflow {
            Counterflow::Keep => {
                require(self.drag == 0.0, "drag", self.drag, net)?;
                require(self.slope == Slope::Bed, "slope", "downstream", net)?;
                require(self.max_load >= NO_LIMIT, "max_load", self.max_load, net)
            }
            Counterflow::Cancel => {
                require(self.transport == Transport::DonorCell, "transport", "semi-lagrangian", pairs)?;
                require(self.velocity == Velocity::FluxOverDepth, "velocity", "mean-flux", pairs)
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
        assert!(Params::preset("musgrave-1989").is_none());
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let refused = |params: Params| params.validated().unwrap_err().key;
        assert_eq!(refused(Params { neighbours: 6, ..Params::default() }), "neighbours");
        assert_eq!(refused(Params { gravity: -9.81, ..Params::default() }), "gravity");
        assert_eq!(refused(Params { evaporation: f64::NAN, ..Params::default() }), "evaporation");
        assert_eq!(refused(Params { dt: Some(0.0), ..Params::default() }), "dt");
        assert_eq!(refused(Params { repose: 1.6, ..Params::default() }), "repose");
        let share = Params { exchange: Exchange::Share, dissolve: 1.5, ..Params::default() };
        assert_eq!(refused(share), "dissolve");
    }
}
