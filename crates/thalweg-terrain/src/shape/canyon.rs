//! A deep winding valley.

use super::{Bearing, centerline::Centerline, smoothstep};
use crate::noise::{Octaves, Spectrum};
use crate::recipe::{Check, Kind, LayerContext, Surface, bearing, depth, grade, layer, length, place, size};
use thalweg_field::{Invalid, describe::within, units};

/// Share of each terrace's width that is wall; the rest is a gently sloping tread.
const RISER: f64 = 0.3;

/// Share of each terrace's height that its tread climbs, so that it sheds water.
const TREAD_CLIMB: f64 = 0.15;

layer! {
    /// A deep winding valley whose floor falls along its bearing.
    Canyon {
        /// Depth of the floor below the layers before, in the middle of the terrain `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = depth().slider(0.0, 2000.0))]
        depth: f64 = 600.0,
        /// Distance from rim to rim `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(100.0, 1.0e4))]
        width: f64 = 2000.0,
        /// Width of the floor `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = length().slider(0.0, 1000.0))]
        floor_width: f64 = 200.0,
        /// Exponent of the wall's profile `[-]`: 1 is a V, 2 and more a U that steepens to the rim.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = within(0.1, 16.0).slider(0.5, 4.0))]
        roundness: f64 = 1.5,
        /// Number of terraces in the walls `[-]`; 0 leaves them smooth.
        #[schemars(transform = within(0.0, 1000.0).slider(0.0, 12.0))]
        terraces: u32 = 0,
        /// Metres that the floor falls per metre along the bearing `[-]`.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = grade().slider(-0.1, 0.1))]
        grade: f64 = 0.02,
        /// How far the bends leave the straight line `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = length().slider(0.0, 5000.0))]
        amplitude: f64 = 1200.0,
        /// Size of the bends `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = size().slider(500.0, 2.0e4))]
        wavelength: f64 = 3500.0,
        /// Bearing it falls towards `[rad]`.
        #[serde(with = "units::Angle")]
        #[schemars(transform = bearing())]
        direction: f64 = 0.0,
        /// A place near the middle line, metres east and north; the middle of the terrain if left out.
        #[serde(with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
        #[schemars(transform = place())]
        center: Option<[f64; 2]> = None,
    }
}

impl Kind for Canyon {
    fn fits_together(&self, check: &Check) -> Result<(), Invalid> {
        check.within("floor_width", self.floor_width, 0.0, self.width)?;
        check.bends(self.amplitude, self.wavelength, self.width)
    }

    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let center = context.center(self.center);
        let spectrum = Spectrum { wavelength: self.wavelength, octaves: 2, lacunarity: 2.3, gain: 0.3 };
        let bends = Octaves::new(context.key, spectrum);
        let line = Centerline::new(
            Bearing::new(center, self.direction),
            context.reach(center),
            self.wavelength,
            |along| self.amplitude * bends.sum([along, 0.0]),
        );
        Box::new(move |place| match line.nearest(place, self.width / 2.0) {
            Some([along, off]) => {
                let depth = (self.depth + self.grade * along).max(0.0);
                -depth * (1.0 - self.wall(off))
            }
            None => 0.0,
        })
    }
}

impl Canyon {
    /// How far up the wall stands at a distance from the middle line, 0 at the floor and 1 at the rim.
    fn wall(&self, off: f64) -> f64 {
        let (foot, rim) = (self.floor_width / 2.0, self.width / 2.0);
        let out = if rim > foot { ((off - foot) / (rim - foot)).clamp(0.0, 1.0) } else { 0.0 };
        let up = libm::pow(out, self.roundness);
        if self.terraces == 0 {
            return up;
        }
        let level = up * f64::from(self.terraces);
        let tread = level - level.floor();
        let riser = smoothstep(0.5 - RISER / 2.0, 0.5 + RISER / 2.0, tread);
        (level.floor() + TREAD_CLIMB * tread + (1.0 - TREAD_CLIMB) * riser) / f64::from(self.terraces)
    }
}
