//! A quantity laid over the ground in false colour.

use glam::{Vec2, Vec3};
use thalweg_field::{Grid2, Snapshot};

use super::lit_ground::sample;
use crate::light::{MISSING, linear, untoned};
use crate::{Look, Spread};

/// Colours that hang on the ground, as a legend shows them: no shadow, snow or haze changes them.
pub(crate) struct Draped<'a> {
    values: &'a Grid2<f32>,
    spread: Spread,
    table: Box<[Vec3; 256]>,
    /// How much of the ground they hide [-].
    opacity: f32,
}

impl<'a> Draped<'a> {
    /// The overlay of a look; `None` if it has none, or the snapshot lacks it.
    pub fn of(snapshot: &'a Snapshot, look: &Look) -> Option<Self> {
        let overlay = look.overlay.as_ref()?;
        let values = snapshot.field(&overlay.field)?;
        let colour = |colour| untoned(linear(colour));
        Some(Self {
            values,
            spread: Spread::of(values.values(), &overlay.style),
            table: Box::new(overlay.style.colours.table().map(colour)),
            opacity: overlay.opacity,
        })
    }

    /// The light of ground below the colours. The place is counted in cells of a grid of that many columns and rows over
    /// the same ground; `hint` in [0, 1] tells how much it faces the light.
    pub fn over(&self, ground: Vec3, place: Vec2, cells: [usize; 2], hint: f32) -> Vec3 {
        /// Share that the form of the ground may take from a colour [-].
        const FORM: f32 = 0.12;
        let own = Vec2::new(self.values.cols() as f32, self.values.rows() as f32);
        let scale = own / Vec2::new(cells[0] as f32, cells[1] as f32);
        let value = sample(self.values, (place + 0.5) * scale - 0.5);
        let colour = if value.is_finite() {
            self.table[((self.spread.position(value) * 255.0).round() as usize).min(255)]
        } else {
            untoned(linear(MISSING))
        };
        ground.lerp(colour * (1.0 - FORM * (1.0 - hint)), self.opacity)
    }
}
