//! Level and tilted ground.

use super::Bearing;
use crate::recipe::{Kind, LayerContext, Surface, bearing, grade, height, layer};
use thalweg_field::units;

layer! {
    /// Level ground.
    Plane {
        /// Height of the plane `[m]`.
        #[serde(with = "units::Length")]
        #[schemars(transform = height().slider(-500.0, 2000.0))]
        height: f64 = 0.0,
    }
}

layer! {
    /// Ground that rises evenly; level with the layers below in the middle of the terrain.
    Ramp {
        /// Bearing it rises towards `[rad]`.
        #[serde(with = "units::Angle")]
        #[schemars(transform = bearing())]
        direction: f64 = 0.0,
        /// Metres of rise per metre `[-]`.
        #[serde(with = "units::Ratio")]
        #[schemars(transform = grade().slider(-0.5, 0.5))]
        grade: f64 = 0.05,
    }
}

impl Kind for Plane {
    fn surface(&self, _: &LayerContext) -> Surface<'_> {
        Box::new(|_| self.height)
    }
}

impl Kind for Ramp {
    fn surface(&self, context: &LayerContext) -> Surface<'_> {
        let bearing = Bearing::new(context.center(None), self.direction);
        Box::new(move |place| self.grade * bearing.along_and_right(place)[0])
    }
}
