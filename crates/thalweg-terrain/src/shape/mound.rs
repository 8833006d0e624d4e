//! Round hills and hollows.

use crate::recipe::{Kind, LayerContext, Surface, depth, height, layer, place, size};
use thalweg_field::units;

layer! {
    /// A hill of Gaussian shape.
    Bump {
        /// Height of the top `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(0.0, 1000.0))]
        height: f64 = 300.0,
        /// Distance from the top at which it falls most steeply, its standard deviation `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(10.0, 5000.0))]
        radius: f64 = 1000.0,
        /// Place of the top, metres east and north; the middle of the terrain if left out.
        #[serde(with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
        #[schemars(transform = place())]
        center: Option<[f64; 2]> = None,
    }
}

layer! {
    /// A straight cone.
    Cone {
        /// Height of the tip `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(0.0, 3000.0))]
        height: f64 = 1000.0,
        /// Distance from the tip to the foot `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(10.0, 1.0e4))]
        radius: f64 = 3000.0,
        /// Place of the tip, metres east and north; the middle of the terrain if left out.
        #[serde(with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
        #[schemars(transform = place())]
        center: Option<[f64; 2]> = None,
    }
}

layer! {
    /// A bowl with a rounded rim, round at the bottom.
    Basin {
        /// Depth of the bottom below the rim `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = depth().slider(0.0, 1000.0))]
        depth: f64 = 200.0,
        /// Distance from the bottom to the rim `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(10.0, 1.0e4))]
        radius: f64 = 3000.0,
        /// Place of the bottom, metres east and north; the middle of the terrain if left out.
        #[serde(with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
        #[schemars(transform = place())]
        center: Option<[f64; 2]> = None,
    }
}

/// Distance from a centre, counted in radii.
fn radii([x, y]: [f64; 2], [cx, cy]: [f64; 2], radius: f64) -> f64 {
    ((x - cx) * (x - cx) + (y - cy) * (y - cy)).sqrt() / radius
}

impl Kind for Bump {
    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let center = context.center(self.center);
        Box::new(move |place| {
            let r = radii(place, center, self.radius);
            self.height * libm::exp(-0.5 * r * r)
        })
    }
}

impl Kind for Cone {
    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let center = context.center(self.center);
        Box::new(move |place| self.height * (1.0 - radii(place, center, self.radius)).max(0.0))
    }
}

impl Kind for Basin {
    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let center = context.center(self.center);
        Box::new(move |place| {
            let r = radii(place, center, self.radius).min(1.0);
            // A paraboloid, squared: round at the bottom and without a kink at the rim.
            -self.depth * (1.0 - r * r) * (1.0 - r * r)
        })
    }
}
