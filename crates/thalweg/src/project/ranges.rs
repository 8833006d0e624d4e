//! Ranges that several parameters of a scene share.
//!
//! They are generous: they hold everything that happens on some planet, and nothing that only a slip of the hand or ill
//! will writes.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::f64::consts::{FRAC_PI_2, PI};
use thalweg_field::describe::{About, within};
use thalweg_field::units::{Dimension, Length, Several, Triple};

/// Heights of ground and water `[m]`; the highest mountain that is known has 22 km.
const HEIGHT: [f64; 2] = [-1.0e6, 1.0e6];
/// Places, east and north of the terrain's corner `[m]`.
const PLACE: [f64; 2] = [-1.0e9, 1.0e9];

/// Heights of ground and water.
pub(super) const fn height() -> About {
    within(HEIGHT[0], HEIGHT[1])
}

/// Places, east and north of the terrain's corner.
pub(super) const fn place() -> About {
    within(PLACE[0], PLACE[1])
}

/// Lengths that may be nothing.
pub(super) const fn length() -> About {
    within(0.0, 1.0e9)
}

/// Lengths that are something.
pub(super) const fn size() -> About {
    within(1.0e-6, 1.0e9)
}

/// Depths of water.
pub(super) const fn depth() -> About {
    within(0.0, 1.0e6)
}

/// Each part of a velocity of water.
pub(super) const fn velocity() -> About {
    within(-1.0e3, 1.0e3).slider(-10.0, 10.0)
}

/// Discharge; the Amazon has 2e5.
pub(super) const fn discharge() -> About {
    within(0.0, 1.0e9)
}

/// Times within a run, up to 30 million years.
pub(super) const fn time() -> About {
    within(0.0, 1.0e15)
}

/// Times that are something.
pub(super) const fn span() -> About {
    within(1.0e-9, 1.0e15)
}

/// Directions and angles that may go around.
pub(super) const fn angle() -> About {
    within(-1.0e3, 1.0e3).slider(-PI, PI)
}

/// How far a camera looks down: 90 degrees, and rounding.
pub(super) const fn pitch_range() -> About {
    within(-FRAC_PI_2 - 1.0e-5, FRAC_PI_2 + 1.0e-5).slider(0.0, FRAC_PI_2)
}

/// Fields of view: nearly 180 degrees.
pub(super) const fn fov_range() -> About {
    within(1.0e-6, PI - 1.0e-6).slider(0.2, 1.6)
}

/// Shares.
pub(super) const fn share() -> About {
    within(0.0, 1.0).slider(0.0, 1.0)
}

/// Numbers of steps.
pub(super) const fn steps() -> About {
    within(0.0, 1.0e12).of("steps")
}

/// Strengths of things in pictures.
pub(super) const fn strength() -> About {
    within(0.0, 1.0e3)
}

/// A parameter that is a place in space: metres east, north and up.
pub(super) struct Point;

impl Point {
    pub(super) fn deserialize<'de, V: Several, D: Deserializer<'de>>(place: D) -> Result<V, D::Error> {
        Triple::<Length>::deserialize(place)
    }

    pub(super) fn serialize<V: Serialize, S: Serializer>(place: &V, to: S) -> Result<S::Ok, S::Error> {
        place.serialize(to)
    }
}

impl JsonSchema for Point {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Point".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let part = |[low, high]: [f64; 2]| {
            let mut part = Dimension::Length.schema();
            part.insert("minimum".into(), low.into());
            part.insert("maximum".into(), high.into());
            part
        };
        let parts = [part(PLACE), part(PLACE), part(HEIGHT)];
        json_schema!({ "type": "array", "prefixItems": parts, "minItems": 3, "maxItems": 3 })
    }
}
