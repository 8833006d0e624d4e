//! Where a layer applies.

use super::layer::{LayerContext, Prepared};
use super::{Check, Layer, height, length, place, size};
use crate::shape::smoothstep;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::{Invalid, units};

/// Where a layer applies, from nowhere (0) to fully (1), without kinks between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Mask {
    /// Follows another layer, laid on level ground at 0 m. With `low` above `high` it is turned around.
    Layer {
        /// The layer followed.
        layer: Box<Layer>,
        /// Its height up to which nothing applies `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(-500.0, 3000.0))]
        low: f64,
        /// Its height from which everything applies `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(-500.0, 3000.0))]
        high: f64,
    },
    /// Applies where the ground below lies in a band of heights.
    Height {
        /// Lower edge of the band, where half applies `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(-500.0, 3000.0))]
        low: f64,
        /// Upper edge of the band, where half applies `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(-500.0, 3000.0))]
        high: f64,
        /// Height over which each edge fades `[m]`.
        #[serde(default, with = "units::Length")]
        #[schemars(transform = length().slider(0.0, 1000.0))]
        fade: f64,
    },
    /// Applies inside a circle.
    Radial {
        /// Its middle, metres east and north; the middle of the terrain if left out.
        #[serde(default, with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
        #[schemars(transform = place())]
        center: Option<[f64; 2]>,
        /// Distance from the middle at which half applies `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(10.0, 1.0e4))]
        radius: f64,
        /// Distance over which the edge fades `[m]`.
        #[serde(default, with = "units::Length")]
        #[schemars(transform = length().slider(0.0, 1000.0))]
        fade: f64,
    },
}

impl Mask {
    pub(super) fn fits_together(&self, check: &Check) -> Result<(), Invalid> {
        match self {
            Self::Layer { layer, .. } => layer.fits_together(&check.below("layer")),
            Self::Height { low, high, .. } => {
                check.that(high >= low, "high", *high, || format!("it must not be below low, {low} m"))
            }
            Self::Radial { .. } => Ok(()),
        }
    }

    /// The share that applies, from the place and the ground below.
    pub(super) fn prepared(&self, context: &LayerContext) -> Prepared<'_> {
        match *self {
            Self::Layer { ref layer, low, high } => {
                let layer = layer.prepared(context);
                Box::new(move |place, _| smoothstep(low, high, layer(place, 0.0)))
            }
            Self::Height { low, high, fade } => Box::new(move |_, ground| {
                let rise = |edge: f64| smoothstep(edge - fade / 2.0, edge + fade / 2.0, ground);
                rise(low) * (1.0 - rise(high))
            }),
            Self::Radial { center, radius, fade } => {
                let [x, y] = context.center(center);
                Box::new(move |place, _| {
                    let (dx, dy) = (place[0] - x, place[1] - y);
                    let distance = (dx * dx + dy * dy).sqrt();
                    1.0 - smoothstep(radius - fade / 2.0, radius + fade / 2.0, distance)
                })
            }
        }
    }
}
