//! What is drawn, and how it shall look.

use std::sync::atomic::{AtomicBool, Ordering};

use thalweg_field::{Frame, Grid2, Heightfield, Snapshot};

/// The grids that a view draws, all of one shape.
///
/// Cells that hold no number are drawn in magenta and do not disturb their neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Height of the bed `[m]`.
    pub bed_height: &'a Grid2<f32>,
    /// Cell size and position.
    pub frame: &'a Frame,
    /// Water above the bed `[m]`.
    pub water_depth: Option<&'a Grid2<f32>>,
    /// Thickness of the deposits that lie on the bed `[m]`; drawn as pale sediment.
    pub deposit_depth: Option<&'a Grid2<f32>>,
    /// Set by whoever wants no picture any more: drawing then ends soon, and what it returns is of no use.
    pub stop: Option<&'a AtomicBool>,
}

impl<'a> Scene<'a> {
    /// Bare ground.
    pub fn ground(ground: &'a Heightfield) -> Self {
        let (bed_height, frame) = (&ground.height, &ground.frame);
        Self { bed_height, frame, water_depth: None, deposit_depth: None, stop: None }
    }

    /// The `height`, `water` and `deposition` of a snapshot; `None` if it has no height.
    pub fn snapshot(snapshot: &'a Snapshot) -> Option<Self> {
        let bed_height = snapshot.field("height")?;
        let field = |name| snapshot.field(name).filter(|values| values.same_shape(bed_height));
        Some(Self {
            bed_height,
            frame: &snapshot.frame,
            water_depth: field("water"),
            deposit_depth: field("deposition"),
            stop: None,
        })
    }

    /// The same ground under water.
    #[must_use]
    pub fn with_water(self, depth: &'a Grid2<f32>) -> Self {
        Self { water_depth: Some(depth), ..self }
    }

    /// The same ground with deposits on it.
    #[must_use]
    pub fn with_deposits(self, depth: &'a Grid2<f32>) -> Self {
        Self { deposit_depth: Some(depth), ..self }
    }
}

/// Whether nobody waits for the picture any more.
pub(crate) fn is_set(stop: Option<&AtomicBool>) -> bool {
    stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}

/// Light, exaggeration and colours of a landscape.
#[derive(Clone, Debug, PartialEq)]
pub struct ReliefStyle {
    /// Compass direction that the sun shines from, clockwise from north `[rad]`.
    pub sun_azimuth: f32,
    /// Height of the sun above the horizon `[rad]`.
    pub sun_elevation: f32,
    /// Radius of the sun's disc as seen from the ground; larger makes softer shadows `[rad]`.
    pub sun_radius: f32,
    /// Factor on heights for light and perspective; the slopes that choose colours stay true `[-]`.
    pub vertical_exaggeration: f32,
    /// Lowest and highest height that the colours span; `None` takes the scene's own `[m]`.
    ///
    /// Set it for frames of one run, or colours shift as the ground wears down.
    pub height_range: Option<[f32; 2]>,
    /// Water thinner than this is not drawn `[m]`.
    pub water_min_depth: f32,
    /// Water in which the bed has all but vanished `[m]`.
    pub water_deep: f32,
    /// Deposits this thick hide the ground below `[m]`.
    pub deposit_full: f32,
    /// Where snow lies.
    pub snow: Snow,
    /// Colours of the ground.
    pub palette: Palette,
}

/// Where snow lies, on ground that is not too steep for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Snow {
    /// On mountains alone: in the uppermost part of ground that spans 1000 m of height or more
    /// ([`Palette::snow_line`]), and nowhere below 1200 m.
    #[default]
    Auto,
    /// Nowhere.
    Off,
    /// Above a height `[m]`.
    Above(f32),
}

impl Default for ReliefStyle {
    /// Light from the north-west, as on Swiss maps (Imhof 1965).
    fn default() -> Self {
        Self {
            sun_azimuth: 315f32.to_radians(),
            sun_elevation: 38f32.to_radians(),
            sun_radius: 2.5f32.to_radians(),
            vertical_exaggeration: 1.0,
            height_range: None,
            water_min_depth: 0.05,
            water_deep: 40.0,
            deposit_full: 10.0,
            snow: Snow::Auto,
            palette: Palette::default(),
        }
    }
}

/// Colours of the ground, sRGB.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    /// Valley floors.
    pub valley: [u8; 3],
    /// Lower slopes.
    pub slope: [u8; 3],
    /// Upper slopes.
    pub upland: [u8; 3],
    /// Summits below the snow.
    pub summit: [u8; 3],
    /// Faces too steep for soil.
    pub rock: [u8; 3],
    /// Snow on high and gentle ground.
    pub snow: [u8; 3],
    /// Share of the height range above which snow lies on mountains ([`Snow::Auto`]); 1 or more for none `[-]`.
    pub snow_line: f32,
    /// Fresh deposits.
    pub deposit: [u8; 3],
    /// The thinnest water that is drawn.
    pub water_shallow: [u8; 3],
    /// Water in which the bed has vanished.
    pub water_deep: [u8; 3],
}

impl Default for Palette {
    fn default() -> Self {
        Self {
            valley: [98, 120, 76],
            slope: [138, 144, 98],
            upland: [182, 168, 134],
            summit: [202, 193, 174],
            rock: [150, 143, 135],
            snow: [230, 236, 244],
            snow_line: 0.82,
            deposit: [205, 184, 140],
            water_shallow: [84, 146, 160],
            water_deep: [27, 70, 110],
        }
    }
}

/// A style that cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name} is {value}; {wanted}")]
pub struct StyleError {
    /// The field.
    pub name: &'static str,
    /// What it holds.
    pub value: f32,
    /// What would be right.
    pub wanted: &'static str,
}

impl ReliefStyle {
    /// Where snow begins on ground between two heights, as a share of the `span` that its colours run over; 1 or more
    /// if there is none `[-]`.
    pub(crate) fn snow_level(&self, [low, high]: [f32; 2], span: f32) -> f32 {
        /// Ground that spans less has no snow `[m]`.
        const MOUNTAINS: f32 = 1000.0;
        /// Mountains have none below `[m]`.
        const LOWEST: f32 = 1200.0;
        let line = match self.snow {
            Snow::Above(height) => height,
            Snow::Auto if high - low >= MOUNTAINS => {
                (low + self.palette.snow_line * (high - low)).max(LOWEST)
            }
            Snow::Auto | Snow::Off => return 1.0,
        };
        (line - low) / span
    }

    /// Lower light from the left of a viewer in the south, whose side of the ground stays lit; for
    /// perspective views.
    pub fn side_lit() -> Self {
        Self { sun_azimuth: 262f32.to_radians(), sun_elevation: 28f32.to_radians(), ..Self::default() }
    }

    /// The style itself if every number can be drawn.
    pub fn validated(self) -> Result<Self, StyleError> {
        let positive = |name, value: f32| check(name, value, value > 0.0, "it must be above 0");
        check("sun_azimuth", self.sun_azimuth, true, "it must be a finite angle")?;
        let up =
            (0.0..=std::f32::consts::FRAC_PI_2).contains(&self.sun_elevation) && self.sun_elevation > 0.0;
        check("sun_elevation", self.sun_elevation, up, "it must be above 0 and at most 90 deg")?;
        positive("sun_radius", self.sun_radius)?;
        positive("vertical_exaggeration", self.vertical_exaggeration)?;
        positive("water_min_depth", self.water_min_depth)?;
        positive("water_deep", self.water_deep)?;
        positive("deposit_full", self.deposit_full)?;
        if let Some([low, high]) = self.height_range {
            check("height_range", high - low, high > low, "its end must lie above its start")?;
        }
        Ok(self)
    }
}

/// Refuses a value that is not finite or not right.
pub(crate) fn check(
    name: &'static str,
    value: f32,
    right: bool,
    wanted: &'static str,
) -> Result<(), StyleError> {
    if value.is_finite() && right { Ok(()) } else { Err(StyleError { name, value, wanted }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_style_is_valid_and_a_sun_below_ground_is_not() {
        assert!(ReliefStyle::default().validated().is_ok());
        let night = ReliefStyle { sun_elevation: -0.1, ..ReliefStyle::default() };
        let message = night.validated().unwrap_err().to_string();
        assert_eq!(message, "sun_elevation is -0.1; it must be above 0 and at most 90 deg");
    }
}
