//! What makes a picture readable as a map: a scale bar and a colour bar.

use crate::text::{Anchor, Label};
use crate::{Picture, text_width};

impl Picture {
    /// Draws a scale bar of a round length, about a fifth of the width, into the bottom left corner.
    /// `metres_per_pixel` is the side of a pixel [m].
    pub fn scale_bar(&mut self, metres_per_pixel: f64) {
        let metres = round_down(self.width as f64 * metres_per_pixel / 5.0);
        if metres <= 0.0 {
            return;
        }
        let text = if metres >= 1000.0 { format!("{} km", metres / 1000.0) } else { format!("{metres} m") };
        let label = Label { size: (self.width as f32 / 46.0).clamp(13.0, 40.0), ..Label::default() };
        let thick = (label.size * 0.2).round().max(2.0) as usize;
        let length = (metres / metres_per_pixel).round() as usize;
        let left = label.size as isize;
        let top = self.height as isize - label.size as isize - thick as isize;
        self.fill([left - 1, top - 1], [length + 2, thick + 2], [18, 24, 28], 0.7);
        self.fill([left, top], [length, thick], [255; 3], 1.0);
        self.label(&text, [left as f32, top as f32 - label.size * 0.55], &label);
    }
}

/// Numbers along a colour bar: position in [0, 1] from its start, and text.
pub(crate) type Tick = (f32, String);

/// A panel with an upright colour bar, its numbers and its title, made to stand beside a picture of
/// that height. `colour` gives the colour at a position in [0, 1], which runs upwards.
pub(crate) fn colour_bar(
    height: usize,
    title: &str,
    ticks: &[Tick],
    colour: impl Fn(f32) -> [u8; 3],
) -> Picture {
    const INK: [u8; 3] = [40, 44, 48];
    let size = (height as f32 / 40.0).clamp(12.0, 40.0);
    let label = Label { size, colour: INK, halo: None, anchor: Anchor::Left };
    let margin = size.round();
    let bar_width = (size * 1.2).round();
    let widest = ticks.iter().map(|(_, text)| text_width(text, size)).fold(0.0, f32::max);
    let width = (margin + (bar_width + 0.5 * size + widest).max(text_width(title, size)) + margin).ceil();
    let mut panel = Picture::filled(width as usize, height, [255; 3]);
    panel.label(title, [margin, margin], &label);
    let top = 2.4 * size;
    let length = (height as f32 - top - margin).max(1.0);
    for row in 0..length as usize {
        let at = 1.0 - (row as f32 + 0.5) / length;
        panel.fill([margin as isize, top as isize + row as isize], [bar_width as usize, 1], colour(at), 1.0);
    }
    for (at, text) in ticks {
        let y = top + (1.0 - at) * (length - 1.0);
        panel.fill([(margin + bar_width) as isize, y as isize], [(0.3 * size) as usize, 1], INK, 1.0);
        panel.label(text, [margin + bar_width + 0.5 * size, y], &label);
    }
    panel
}

/// The largest of 1, 2, 5 times a power of ten that is not above `value`; 0 if there is none.
pub(crate) fn round_down(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 0.0;
    }
    let power = 10f64.powi(value.log10().floor() as i32);
    let lead = value / power;
    power
        * if lead >= 5.0 {
            5.0
        } else if lead >= 2.0 {
            2.0
        } else {
            1.0
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_lengths_are_one_two_or_five() {
        for (value, expected) in
            [(1.0, 1.0), (3.9, 2.0), (780.0, 500.0), (0.07, 0.05), (0.0, 0.0), (f64::NAN, 0.0)]
        {
            assert!((round_down(value) - expected).abs() < 1.0e-12, "{value}");
        }
    }
}
