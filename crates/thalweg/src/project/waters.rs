//! Where water stands, comes from and goes: `[[water]]`, `[[rain]]`, `[[source]]`, `[[drain]]`, `[[emitter]]`, `[[sink]]`.

use super::ranges::{Point, depth, discharge, height, length, place, share, size, span, time, velocity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::describe::{about, live, within};
use thalweg_field::{Top, units};

/// Water standing in a rectangle at the beginning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// Height of the surface `[m]`; ground above it stays dry.
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = height().slider(-100.0, 2000.0))]
    pub level: Option<f64>,
    /// Depth everywhere in the rectangle `[m]`.
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = depth().slider(0.0, 100.0))]
    pub depth: Option<f64>,
    /// South-west corner of the rectangle, east and north of the terrain's own; missing: the terrain's.
    #[serde(default = "corner", with = "units::Pair::<units::Length>")]
    #[schemars(transform = place())]
    pub from: [f64; 2],
    /// Its north-east corner; missing: beyond the terrain.
    #[serde(default = "far", with = "units::Pair::<units::Length>")]
    #[schemars(transform = place())]
    pub to: [f64; 2],
    /// Height of its underside, for water that begins in the air `[m]`; missing: the bed.
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = height().slider(-10.0, 100.0))]
    pub bottom: Option<f64>,
    /// How fast particles of it move `[m/s]`; missing: they stand.
    #[serde(default, with = "units::Triple::<units::Speed>", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = velocity())]
    pub velocity: Option<[f64; 3]>,
    /// Share of it that is sediment `[-]`; missing: none.
    #[serde(default, with = "units::Ratio", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = share())]
    pub sediment: Option<f64>,
    /// How long particles of it last `[s]`; missing: for ever.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = span().slider(0.1, 600.0).hint("leave it out for particles that last for ever"))]
    pub lifetime: Option<f64>,
    /// The `kind` of the solver that has it, where there are several; missing: the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
}

impl Pool {
    /// Whether it covers all of the terrain.
    #[cfg(feature = "files")]
    pub(crate) fn is_everywhere(&self) -> bool {
        self.from == corner() && self.to == far()
    }

    /// The water itself.
    pub fn water(&self) -> thalweg_field::Pool {
        thalweg_field::Pool {
            from: self.from,
            to: self.to,
            bottom: self.bottom,
            top: self.level.map_or_else(|| Top::Depth(self.depth.unwrap_or(0.0)), Top::Level),
            velocity: self.velocity.unwrap_or_default(),
            sediment: self.sediment.unwrap_or(0.0),
            lifetime: self.lifetime,
        }
    }
}

fn corner() -> [f64; 2] {
    [0.0, 0.0]
}

/// Beyond any terrain `[m]`.
const FAR: f64 = 1.0e9;

fn far() -> [f64; 2] {
    [FAR, FAR]
}

/// Rain, even or in drops.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Rain {
    /// Even rain on every cell `[m/s]`.
    #[serde(default, with = "units::Speed", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(0.0, 10.0).slider(0.0, 1.0e-4).hint("a cloudburst has 1e-4; rain cannot be negative, use 0 for a dry run"))]
    pub rate: Option<f64>,
    /// Single drops at random places instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drops: Option<Drops>,
    /// Image of how much of the rain arrives, stretched over the terrain: black none, white all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(transform = about().fixed())]
    pub mask: Option<String>,
    /// When it begins `[s]`.
    #[serde(default, with = "units::Time")]
    #[schemars(transform = time().slider(0.0, 86_400.0))]
    pub start: f64,
    /// When it ends `[s]`; missing: never.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = time().slider(0.0, 86_400.0))]
    pub stop: Option<f64>,
}

/// Rain drops at random places.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Drops {
    /// Drops on the whole terrain in each second `[1/s]`.
    #[serde(with = "units::Rate")]
    #[schemars(transform = within(0.0, 1.0e6).slider(0.0, 1000.0).hint("even rain, rate, is faster for more"))]
    pub per_second: f64,
    /// Water that one drop leaves on the cells it hits `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(0.0, 100.0).slider(0.0, 1.0))]
    pub depth: f64,
    /// Radius of a drop `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = length().slider(0.0, 100.0))]
    pub radius: f64,
}

/// A place where water comes or goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Source {
    /// Place, metres east and north of the south-west corner; the disc must touch the terrain.
    #[serde(with = "units::Pair::<units::Length>")]
    #[schemars(transform = place())]
    pub at: [f64; 2],
    /// Water in each second `[m³/s]`, positive for both; a drain takes as much as there is.
    #[serde(with = "units::Discharge")]
    #[schemars(transform = discharge().slider(0.0, 1000.0).hint("the Amazon has 2e5; [[source]] adds water, [[drain]] takes it away"))]
    pub rate: f64,
    /// Radius of the disc over which it is spread `[m]`; 0: the nearest cell.
    #[serde(default, with = "units::Length")]
    #[schemars(transform = length().slider(0.0, 200.0))]
    pub radius: f64,
    /// When it begins `[s]`.
    #[serde(default, with = "units::Time")]
    #[schemars(transform = time().slider(0.0, 86_400.0))]
    pub start: f64,
    /// When it ends `[s]`; missing: never.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = time().slider(0.0, 86_400.0))]
    pub stop: Option<f64>,
}

/// A place where particles come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Emitter {
    /// Its form.
    pub shape: EmitterShape,
    /// Middle of a disc: metres east, north and up.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// Radius of a disc `[m]`.
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = size().slider(0.05, 10.0))]
    pub radius: Option<f64>,
    /// Lowest corner of a box, or one end of a line: metres east, north and up.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub from: Option<[f64; 3]>,
    /// Highest corner of a box, or the other end of a line.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// Whether its heights count from the bed below its middle, as it is at the beginning.
    #[serde(default)]
    pub above_bed: bool,
    /// Velocity of the water that comes out, east, north and up `[m/s]`; with a rate, only its direction counts.
    #[serde(with = "units::Triple::<units::Speed>")]
    #[schemars(transform = velocity())]
    pub velocity: [f64; 3],
    /// Water in each second `[m³/s]`; missing: as much as the velocity carries.
    #[serde(default, with = "units::Discharge", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = discharge().slider(0.0, 10.0))]
    pub rate: Option<f64>,
    /// How long its particles last `[s]`; missing: for ever.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = span().slider(0.1, 600.0).hint("leave it out for particles that last for ever"))]
    pub lifetime: Option<f64>,
    /// Share of the water that is sediment `[-]`.
    #[serde(default, with = "units::Ratio")]
    #[schemars(transform = share())]
    pub sediment: f64,
    /// When it begins `[s]`.
    #[serde(default, with = "units::Time")]
    #[schemars(transform = time().slider(0.0, 600.0))]
    pub start: f64,
    /// When it ends `[s]`; missing: never.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = time().slider(0.0, 600.0))]
    pub stop: Option<f64>,
}

impl Emitter {
    /// East and north of its middle `[m]`.
    pub fn middle(&self) -> [f64; 2] {
        let place = |place: Option<[f64; 3]>| place.unwrap_or_default();
        let [from, to] = match self.shape {
            EmitterShape::Disc => [place(self.at); 2],
            EmitterShape::Box | EmitterShape::Line => [place(self.from), place(self.to)],
        };
        [0, 1].map(|axis| 0.5 * (from[axis] + to[axis]))
    }
}

/// Forms of emitters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EmitterShape {
    /// Water comes in through the face that it flows away from.
    Box,
    /// A disc across the flow.
    Disc,
    /// A line across the flow, one spacing thick: velocity times length times spacing is what it gives.
    Line,
}

/// A box in which particles vanish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Sink {
    /// Lowest corner: metres east, north and up.
    #[serde(with = "units::Triple::<units::Length>")]
    #[schemars(transform = place())]
    pub from: [f64; 3],
    /// Highest corner.
    #[serde(with = "units::Triple::<units::Length>")]
    #[schemars(transform = place())]
    pub to: [f64; 3],
}
