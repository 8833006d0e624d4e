//! Level and tilted ground.

use super::Bearing;
use crate::recipe::{Check, Invalid, Kind, Site, Surface, layer};
use thalweg_field::units;

layer! {
    /// Level ground.
    Plane {
        /// Height of the plane [m].
        #[serde(deserialize_with = "units::length")]
        height: f64 = 0.0,
    }
}

layer! {
    /// Ground that rises evenly; level with the layers below in the middle of the terrain.
    Ramp {
        /// Bearing it rises towards [rad].
        #[serde(deserialize_with = "units::angle")]
        direction: f64 = 0.0,
        /// Metres of rise per metre [-].
        #[serde(deserialize_with = "units::ratio")]
        grade: f64 = 0.05,
    }
}

impl Kind for Plane {
    fn check(&self, check: &Check) -> Result<(), Invalid> {
        check.height("height", self.height)
    }

    fn surface(&self, _: &Site) -> Surface<'_> {
        Box::new(|_| self.height)
    }
}

impl Kind for Ramp {
    fn check(&self, check: &Check) -> Result<(), Invalid> {
        check.bearing("direction", self.direction)?;
        check.grade("grade", self.grade)
    }

    fn surface(&self, site: &Site) -> Surface<'_> {
        let bearing = Bearing::new(site.center(None), self.direction);
        Box::new(move |place| self.grade * bearing.along_and_right(place)[0])
    }
}
