//! Where a layer applies.

use super::layer::{Prepared, Site};
use super::{Check, Invalid, Layer, optional_place};
use crate::shape::smoothstep;
use serde::{Deserialize, Serialize};
use thalweg_field::units;

/// Where a layer applies, from nowhere (0) to fully (1), without kinks between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Mask {
    /// Follows another layer, laid on level ground at 0 m. With `low` above `high` it is turned around.
    Layer {
        /// The layer followed.
        layer: Box<Layer>,
        /// Its height up to which nothing applies [m].
        #[serde(deserialize_with = "units::length")]
        low: f64,
        /// Its height from which everything applies [m].
        #[serde(deserialize_with = "units::length")]
        high: f64,
    },
    /// Applies where the ground below lies in a band of heights.
    Height {
        /// Lower edge of the band, where half applies [m].
        #[serde(deserialize_with = "units::length")]
        low: f64,
        /// Upper edge of the band, where half applies [m].
        #[serde(deserialize_with = "units::length")]
        high: f64,
        /// Height over which each edge fades [m].
        #[serde(default, deserialize_with = "units::length")]
        fade: f64,
    },
    /// Applies inside a circle.
    Radial {
        /// Its middle, metres east and north; the middle of the terrain if left out.
        #[serde(default, deserialize_with = "optional_place", skip_serializing_if = "Option::is_none")]
        center: Option<[f64; 2]>,
        /// Distance from the middle at which half applies [m].
        #[serde(deserialize_with = "units::length")]
        radius: f64,
        /// Distance over which the edge fades [m].
        #[serde(default, deserialize_with = "units::length")]
        fade: f64,
    },
}

impl Mask {
    pub(super) fn check(&self, check: &Check) -> Result<(), Invalid> {
        match self {
            Self::Layer { layer, low, high } => {
                check.height("low", *low)?;
                check.height("high", *high)?;
                layer.check(&check.below("layer"))
            }
            Self::Height { low, high, fade } => {
                check.height("low", *low)?;
                check.height("high", *high)?;
                check.that(high >= low, "high", *high, || format!("it must not be below low, {low}"))?;
                check.not_negative("fade", *fade)
            }
            Self::Radial { center, radius, fade } => {
                check.place("center", *center)?;
                check.positive("radius", *radius)?;
                check.not_negative("fade", *fade)
            }
        }
    }

    /// The share that applies, from the place and the ground below.
    pub(super) fn prepared(&self, site: &Site) -> Prepared<'_> {
        match *self {
            Self::Layer { ref layer, low, high } => {
                let layer = layer.prepared(site);
                Box::new(move |place, _| smoothstep(low, high, layer(place, 0.0)))
            }
            Self::Height { low, high, fade } => Box::new(move |_, ground| {
                let rise = |edge: f64| smoothstep(edge - fade / 2.0, edge + fade / 2.0, ground);
                rise(low) * (1.0 - rise(high))
            }),
            Self::Radial { center, radius, fade } => {
                let [x, y] = site.center(center);
                Box::new(move |place, _| {
                    let (dx, dy) = (place[0] - x, place[1] - y);
                    let distance = (dx * dx + dy * dy).sqrt();
                    1.0 - smoothstep(radius - fade / 2.0, radius + fade / 2.0, distance)
                })
            }
        }
    }
}
