//! An 8-bit picture, and sheets of several of them.

use thalweg_field::Grid2;

use crate::cpu::resample::shrunk;
use crate::light::{linear, srgb};
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

    /// The picture at another size. Every pixel is the mean of the area that it covers, in linear light, so
    /// that small pictures are as bright as the large ones they are made from; meant for shrinking.
    #[must_use]
    pub fn scaled(&self, width: usize, height: usize) -> Self {
        if [self.width, self.height, width, height].contains(&0) {
            return Self::filled(width, height, [0; 3]);
        }
        let light = Grid2::from_fn(self.width, self.height, |x, y| linear(self.pixel(x, y)));
        let light = shrunk(&light, width, height);
        let rgb = light.values().iter().flat_map(|&light| srgb(light, 0.0)).collect();
        Self { width, height, rgb }
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
    contact_sheet(pictures, Some(pictures.len()))
}

/// Sets pictures in rows and columns on white, each with its caption above. Without a number of columns
/// there are as many as make the sheet about half again as wide as high.
///
/// ```
/// use thalweg_render::{Picture, contact_sheet};
///
/// let frame = Picture::filled(160, 90, [90; 3]);
/// let sheet = contact_sheet(&[(&frame, "0 h"), (&frame, "1 h"), (&frame, "2 h"), (&frame, "3 h")], None);
/// assert!((2 * 160..3 * 160).contains(&sheet.width) && (2 * 90..4 * 90).contains(&sheet.height));
/// ```
pub fn contact_sheet(pictures: &[(&Picture, &str)], columns: Option<usize>) -> Picture {
    const INK: [u8; 3] = [40, 44, 48];
    let tallest = pictures.iter().map(|(picture, _)| picture.height).max().unwrap_or(0);
    let size = (tallest as f32 / 28.0).clamp(14.0, 48.0);
    let gap = size as usize;
    let caption = (size * 1.9) as usize;
    // A caption wider than its picture widens the column, so that neighbours never overlap.
    let width = |&(picture, text): &(&Picture, &str)| picture.width.max(text_width(text, size) as usize + 1);
    let columns = columns.map(|columns| columns.max(1)).unwrap_or_else(|| {
        let widest = pictures.iter().map(width).max().unwrap_or(0);
        columns_for(pictures.len(), [widest + gap, caption + tallest + gap])
    });
    let rows: Vec<&[(&Picture, &str)]> = pictures.chunks(columns).collect();
    let widths: Vec<usize> = (0..columns)
        .map_while(|column| rows.iter().filter_map(|row| row.get(column)).map(width).max())
        .collect();
    let heights: Vec<usize> =
        rows.iter().map(|row| row.iter().map(|(picture, _)| picture.height).max().unwrap_or(0)).collect();
    let total_width = gap + widths.iter().map(|width| width + gap).sum::<usize>();
    let between = gap / 2 * rows.len().saturating_sub(1);
    let total_height = heights.iter().map(|height| caption + height).sum::<usize>() + between + gap;
    let mut sheet = Picture::filled(total_width, total_height, [255; 3]);
    let label = Label { size, colour: INK, halo: None, anchor: Anchor::Left };
    let mut top = 0;
    for (row, height) in rows.iter().zip(heights) {
        let mut left = gap;
        for ((picture, text), width) in row.iter().zip(&widths) {
            sheet.label(text, [left as f32, top as f32 + caption as f32 * 0.5], &label);
            sheet.blit(picture, left as isize, (top + caption) as isize);
            left += width + gap;
        }
        top += caption + height + gap / 2;
    }
    sheet
}

/// The number of columns that brings a sheet of `count` cells closest to the shape of a page lying down.
fn columns_for(count: usize, [width, height]: [usize; 2]) -> usize {
    /// Width of the page over its height [-].
    const PAGE: f32 = 1.5;
    let off_page = |columns: &usize| {
        let rows = count.div_ceil(*columns);
        ((columns * width) as f32 / (rows * height) as f32 / PAGE).ln().abs()
    };
    (1..=count).min_by(|a, b| off_page(a).total_cmp(&off_page(b))).unwrap_or(1)
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
    fn a_shrunken_chequerboard_is_as_bright_as_it_was() {
        let mut board = Picture::filled(8, 8, [60; 3]);
        for i in (0..64).filter(|i| (i % 8 + i / 8) % 2 == 0) {
            board.rgb[3 * i..3 * i + 3].fill(200);
        }
        // Their light is 0.045 and 0.578; the mean of it is 151 in sRGB, not 130.
        assert_eq!(board.scaled(2, 4), Picture::filled(2, 4, [151; 3]));
        assert_eq!(board.scaled(8, 8), board);
        assert_eq!(board.scaled(16, 16).scaled(8, 8), board);
        assert_eq!(board.scaled(0, 5).rgb.len(), 0);
    }

    #[test]
    fn a_sheet_has_the_rows_it_was_asked_for_and_shows_every_picture() {
        let shades: Vec<Picture> = (1..=5).map(|i| Picture::filled(40, 30, [40 * i as u8; 3])).collect();
        let pictures: Vec<(&Picture, &str)> = shades.iter().map(|shade| (shade, "a shade")).collect();
        for columns in [Some(1), Some(2), Some(3), Some(7), Some(0), None] {
            let sheet = contact_sheet(&pictures, columns);
            for shade in &shades {
                let shown = sheet.rgb.chunks_exact(3).filter(|pixel| *pixel == shade.pixel(0, 0)).count();
                assert!(shown >= 40 * 30, "{shown} px of {:?} in {columns:?} columns", shade.pixel(0, 0));
            }
        }
        let [wide, high] = [5, 1].map(|columns| contact_sheet(&pictures, Some(columns)));
        assert!(wide.width > 5 * 40 && wide.height < 2 * 60, "{} × {}", wide.width, wide.height);
        assert!(high.width < 3 * 40 && high.height > 5 * 30, "{} × {}", high.width, high.height);
        assert_eq!(columns_for(12, [160, 90]), 3);
    }

    #[test]
    fn a_sheet_of_nothing_is_a_picture_too() {
        assert_eq!(before_after(&[]).rgb.len() % 3, 0);
    }
}
