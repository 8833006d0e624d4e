//! A quantity laid over the ground in false colour.

use glam::{Vec2, Vec3};
use thalweg_field::{Grid2, Snapshot};

use super::lit_ground::sample;
use crate::light::{MISSING, linear, untoned};
use crate::{Look, MapStyle, Spread};

/// Colours that hang on the ground, as a legend shows them: no shadow, snow, water or haze changes them.
pub(crate) struct Draped<'a> {
    values: &'a Grid2<f32>,
    style: &'a MapStyle,
    spread: Spread,
    table: Box<[Vec3; 256]>,
    /// How much of the ground they hide `[-]`.
    opacity: f32,
}

impl<'a> Draped<'a> {
    /// The overlay of a look; `None` if it has none, or the snapshot lacks it.
    pub(crate) fn of(snapshot: &'a Snapshot, look: &'a Look) -> Option<Self> {
        let overlay = look.overlay.as_ref()?;
        let (values, style) = (snapshot.field(&overlay.field)?, &overlay.style);
        let spread = Spread::of(values.values(), style);
        let table = Box::new(style.colours.table().map(linear));
        Some(Self { values, style, spread, table, opacity: overlay.opacity })
    }

    /// The light of ground below the colours. The place is counted in cells of a grid of that many columns and rows over
    /// the same ground, which falls that steeply towards the light there `[-]`.
    pub(crate) fn over(&self, ground: Vec3, place: Vec2, cells: [usize; 2], fall: f32) -> Vec3 {
        let own = Vec2::new(self.values.cols() as f32, self.values.rows() as f32);
        let scale = own / Vec2::new(cells[0] as f32, cells[1] as f32);
        let value = sample(self.values, (place + 0.5) * scale - 0.5);
        let colour = if value.is_finite() {
            self.table[((self.spread.position(value) * 255.0).round() as usize).min(255)]
                * self.style.shade(fall)
        } else {
            linear(MISSING)
        };
        ground.lerp(untoned(colour), self.opacity)
    }
}
