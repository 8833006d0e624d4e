//! Small channels, straight and winding: the two scenes of Kataev 2022, section 5.2.

use super::{Bearing, centerline::Centerline, smoothstep};
use crate::recipe::{Check, Kind, LayerContext, Surface, bearing, depth, layer, length, place, size};
use std::f64::consts::TAU;
use thalweg_field::{Invalid, units};

/// Share of a channel's half width that is floor; the rest is bank.
const FLOOR: f64 = 0.4;

/// How much of a channel's depth is dug at a distance from its middle `[-]`.
fn cross_section(distance: f64, width: f64) -> f64 {
    1.0 - smoothstep(FLOOR * width / 2.0, width / 2.0, distance)
}

layer! {
    /// A straight channel with a ridge across its middle that holds the water back.
    Ditch {
        /// Depth of the floor `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = depth().slider(0.0, 10.0))]
        depth: f64 = 2.0,
        /// Distance between the upper edges of the banks `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(0.5, 50.0))]
        width: f64 = 8.0,
        /// Bearing of the channel `[rad]`.
        #[serde(with = "units::Angle")]
        #[schemars(transform = bearing())]
        direction: f64 = 0.0,
        /// Height of the ridge above the floor `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = depth().slider(0.0, 10.0))]
        ridge_height: f64 = 1.2,
        /// Length of channel that the ridge takes up `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(0.5, 50.0))]
        ridge_width: f64 = 6.0,
        /// Place of the ridge, metres east and north; the middle of the terrain if left out.
        #[serde(with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
        #[schemars(transform = place())]
        center: Option<[f64; 2]> = None,
    }
}

layer! {
    /// A channel that winds like a sine.
    Meander {
        /// Depth of the floor `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = depth().slider(0.0, 10.0))]
        depth: f64 = 2.0,
        /// Distance between the upper edges of the banks `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(0.5, 50.0))]
        width: f64 = 6.0,
        /// How far the bends leave the straight line `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = length().slider(0.0, 50.0))]
        amplitude: f64 = 8.0,
        /// Distance from one bend to the next on the same side `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(5.0, 200.0))]
        wavelength: f64 = 30.0,
        /// Bearing of the channel `[rad]`.
        #[serde(with = "units::Angle")]
        #[schemars(transform = bearing())]
        direction: f64 = 0.0,
        /// A place the middle line passes, metres east and north; the middle of the terrain if left out.
        #[serde(with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
        #[schemars(transform = place())]
        center: Option<[f64; 2]> = None,
    }
}

impl Kind for Ditch {
    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let bearing = Bearing::new(context.center(self.center), self.direction);
        Box::new(move |place| {
            let [along, right] = bearing.along_and_right(place);
            let ridge = self.ridge_height * (1.0 - smoothstep(0.0, self.ridge_width / 2.0, along.abs()));
            (ridge - self.depth) * cross_section(right.abs(), self.width)
        })
    }
}

impl Kind for Meander {
    fn fits_together(&self, check: &Check) -> Result<(), Invalid> {
        check.bends(self.amplitude, self.wavelength, self.width)
    }

    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let center = context.center(self.center);
        let line = Centerline::new(
            Bearing::new(center, self.direction),
            context.reach(center),
            self.wavelength,
            |along| self.amplitude * libm::sin(TAU * along / self.wavelength),
        );
        Box::new(move |place| match line.nearest(place, self.width / 2.0) {
            Some([_, off]) => -self.depth * cross_section(off, self.width),
            None => 0.0,
        })
    }
}
