//! Where a perspective view is taken from.

use std::f32::consts::{FRAC_PI_2, PI};

use crate::scene::{StyleError, check};

/// A camera that looks at a target from a distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Compass direction that it looks along, clockwise from north [rad].
    pub yaw: f32,
    /// Angle that it looks down from the horizontal [rad].
    pub pitch: f32,
    /// Height of the field of view [rad].
    pub fov: f32,
    /// Way from the target; `None` shows the whole block [m].
    pub distance: Option<f32>,
    /// What it looks at: metres east and north of the south-west corner, and the exaggerated height;
    /// `None` puts the block in the middle of the picture [m].
    pub target: Option<[f32; 3]>,
}

impl Default for Camera {
    /// The whole block from the south, a little from the west.
    fn default() -> Self {
        Self {
            yaw: 14f32.to_radians(),
            pitch: 35f32.to_radians(),
            fov: 26f32.to_radians(),
            distance: None,
            target: None,
        }
    }
}

impl Camera {
    /// The camera itself if it can take a picture.
    pub fn validated(self) -> Result<Self, StyleError> {
        check("yaw", self.yaw, true, "it must be a finite angle")?;
        check("pitch", self.pitch, self.pitch.abs() <= FRAC_PI_2, "it must lie between -90 and 90 deg")?;
        check("fov", self.fov, self.fov > 0.0 && self.fov < PI, "it must lie between 0 and 180 deg")?;
        if let Some(distance) = self.distance {
            check("distance", distance, distance > 0.0, "it must be above 0")?;
        }
        for value in self.target.into_iter().flatten() {
            check("target", value, true, "it must be finite")?;
        }
        Ok(self)
    }
}
