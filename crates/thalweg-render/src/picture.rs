//! An 8-bit picture, and sheets of several of them.

use crate::text::{Anchor, Label, text_width};

/// An 8-bit sRGB picture, three bytes per pixel, row after row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Number of columns [px].
    pub width: usize,
    /// Number of rows [px].
    pub height: usize,
    /// Red, green and blue of every pixel.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// A picture of one colour.
    pub fn filled(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Self { width, height, rgb: colour.repeat(width * height) }
    }

    /// The colour of a pixel.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = (y * self.width + x) * 3;
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// Copies `other` with its top left corner at (`x`, `y`); what falls outside is cut off.
    pub fn blit(&mut self, other: &Picture, x: isize, y: isize) {
        for row in 0..other.height {
            for col in 0..other.width {
                self.blend(x + col as isize, y + row as isize, other.pixel(col, row), 1.0);
            }
        }
    }

    /// Fills a rectangle, its left top corner and size given in pixels, with `opacity` in [0, 1].
    pub fn fill(&mut self, [x, y]: [isize; 2], [width, height]: [usize; 2], colour: [u8; 3], opacity: f32) {
        for row in 0..height as isize {
            for col in 0..width as isize {
                self.blend(x + col, y + row, colour, opacity);
            }
        }
    }

    /// Mixes a colour into a pixel; pixels outside are passed over.
    // Mixed as sRGB values and not as light: the strokes of a thin font keep their weight both dark on
    // light and light on dark.
    pub(crate) fn blend(&mut self, x: isize, y: isize, colour: [u8; 3], opacity: f32) {
        if x < 0 || y < 0 || x >= self.width as isize || y >= self.height as isize {
            return;
        }
        let at = (y as usize * self.width + x as usize) * 3;
        for (old, new) in self.rgb[at..at + 3].iter_mut().zip(colour) {
            *old = (f32::from(*old) + (f32::from(new) - f32::from(*old)) * opacity).round() as u8;
        }
    }
}

/// Sets pictures side by side on white, each with its caption above.
///
/// ```
/// use thalweg_render::{Picture, before_after};
///
/// let (bare, carved) = (Picture::filled(200, 100, [90; 3]), Picture::filled(200, 100, [60; 3]));
/// let sheet = before_after(&[(&bare, "Before"), (&carved, "After")]);
/// assert!(sheet.width > 400 && sheet.height > 100);
/// ```
pub fn before_after(pictures: &[(&Picture, &str)]) -> Picture {
    const INK: [u8; 3] = [40, 44, 48];
    let tallest = pictures.iter().map(|(picture, _)| picture.height).max().unwrap_or(0);
    let size = (tallest as f32 / 28.0).clamp(14.0, 48.0);
    let gap = size as usize;
    let caption = (size * 1.9) as usize;
    // A caption wider than its picture widens the column, so that neighbours never overlap.
    let columns: Vec<usize> = pictures
        .iter()
        .map(|(picture, text)| picture.width.max(text_width(text, size) as usize + 1))
        .collect();
    let width = columns.iter().map(|column| column + gap).sum::<usize>() + gap;
    let mut sheet = Picture::filled(width, caption + tallest + gap, [255; 3]);
    let mut left = gap;
    for ((picture, text), column) in pictures.iter().zip(columns) {
        let label = Label { size, colour: INK, halo: None, anchor: Anchor::Left };
        sheet.label(text, [left as f32, caption as f32 * 0.5], &label);
        sheet.blit(picture, left as isize, caption as isize);
        left += column + gap;
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blit_over_the_edge_is_cut_off() {
        let mut picture = Picture::filled(4, 3, [0; 3]);
        picture.blit(&Picture::filled(2, 2, [9; 3]), 3, -1);
        let changed: Vec<usize> = (0..12).filter(|i| picture.pixel(i % 4, i / 4) == [9; 3]).collect();
        assert_eq!(changed, [3]);
    }

    #[test]
    fn a_sheet_of_nothing_is_a_picture_too() {
        assert_eq!(before_after(&[]).rgb.len() % 3, 0);
    }
}
