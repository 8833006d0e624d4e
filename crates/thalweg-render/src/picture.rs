//! An 8-bit picture, and sheets of several of them.

use thalweg_field::Grid2;

use crate::cpu::resample::shrunk;
use crate::light::{linear, srgb};
use crate::text::{Anchor, Label, text_width};

/// An 8-bit sRGB picture, three bytes per pixel, row after row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Number of columns `[px]`.
    pub width: usize,
    /// Number of rows `[px]`.
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

    /// Adds white rows at the bottom.
    fn lengthen(&mut self, rows: usize) {
        self.height += rows;
        self.rgb.resize(self.width * self.height * 3, 255);
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
    contact_sheet(pictures, pictures.len())
}

/// Colour of captions.
const INK: [u8; 3] = [40, 44, 48];

/// Sets pictures in rows of so many columns on white, each with its caption above.
///
/// ```
/// use thalweg_render::{Picture, contact_sheet};
///
/// let frame = Picture::filled(160, 90, [90; 3]);
/// let sheet = contact_sheet(&[(&frame, "0 h"), (&frame, "1 h"), (&frame, "2 h"), (&frame, "3 h")], 2);
/// assert!((2 * 160..3 * 160).contains(&sheet.width) && (2 * 90..4 * 90).contains(&sheet.height));
/// ```
pub fn contact_sheet(pictures: &[(&Picture, &str)], columns: usize) -> Picture {
    let tallest = pictures.iter().map(|(picture, _)| picture.height).max().unwrap_or(0);
    let size = caption_size(tallest);
    let gap = size as usize;
    let caption = (size * CAPTION) as usize;
    // A caption wider than its picture widens the column, so that neighbours never overlap.
    let width = |&(picture, text): &(&Picture, &str)| picture.width.max(text_width(text, size) as usize + 1);
    let columns = columns.max(1);
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

/// Sets pictures of any shapes on a white sheet of that width, each with its caption above, in rows that they fill from end
/// to end: those of a row are as high as each other. There are as many rows as make the sheet about half again as wide as
/// high.
///
/// ```
/// use thalweg_render::{Picture, full_sheet};
///
/// let (wide, tall) = (Picture::filled(160, 90, [90; 3]), Picture::filled(30, 90, [60; 3]));
/// let sheet = full_sheet(&[(&wide, "view"), (&tall, "flow"), (&tall, "slope")], 300);
/// assert_eq!(sheet.width, 300);
/// ```
pub fn full_sheet(pictures: &[(&Picture, &str)], width: usize) -> Picture {
    let shown: Vec<_> = pictures.iter().filter(|(picture, _)| !picture.rgb.is_empty()).collect();
    let aspect = |(picture, _): &&(&Picture, &str)| picture.width as f32 / picture.height as f32;
    let counts = full_rows(&shown.iter().map(aspect).collect::<Vec<f32>>());
    let size = caption_size(width / 3);
    let (gap, caption) = (size as usize, (size * CAPTION) as usize);
    let (mut sheet, mut rest) = (Picture::filled(width, 0, [255; 3]), &shown[..]);
    for count in counts {
        let (row, later) = rest.split_at(count);
        rest = later;
        let room = width.saturating_sub(gap * (count + 1)).max(count) as f32;
        let exact = room / row.iter().map(aspect).sum::<f32>();
        let height = exact.round().max(1.0);
        let top = sheet.height + caption;
        sheet.lengthen(caption + height as usize + gap / 2);
        let mut begin = gap as f32;
        for each @ (picture, text) in row {
            // Ends are rounded, not widths: the last one meets the sheet's edge.
            let end = begin + aspect(each) * exact;
            let wide = (end.round() - begin.round()).max(1.0) as usize;
            let size = size * (wide as f32 / text_width(text, size).max(1.0)).min(1.0);
            let label = Label { size, colour: INK, halo: None, anchor: Anchor::Left };
            sheet.label(text, [begin.round(), top as f32 - 0.5 * caption as f32], &label);
            sheet.blit(&picture.scaled(wide, height as usize), begin.round() as isize, top as isize);
            begin = end + gap as f32;
        }
    }
    sheet.lengthen(gap.div_ceil(2));
    sheet
}

/// Height of a caption's line, in sizes of its letters `[-]`.
const CAPTION: f32 = 1.9;

/// Size of the captions of pictures of that height `[px]`.
fn caption_size(height: usize) -> f32 {
    (height as f32 / 28.0).clamp(14.0, 48.0)
}

/// How many pictures of those shapes (width over height) stand in each row of a sheet, if all rows are equally wide.
fn full_rows(aspects: &[f32]) -> Vec<usize> {
    /// Width of the page over its height `[-]`.
    const PAGE: f32 = 1.5;
    let all: f32 = aspects.iter().sum();
    let split = |rows: usize| -> Vec<usize> {
        let mut counts = vec![0; rows];
        let mut before = 0.0;
        for aspect in aspects {
            // Each picture goes to the row that its middle lies in.
            counts[(((before + 0.5 * aspect) / all * rows as f32) as usize).min(rows - 1)] += 1;
            before += aspect;
        }
        counts.retain(|&count| count > 0);
        counts
    };
    let flaw = |counts: &[usize]| {
        let mut from = 0;
        let height = |&count: &usize| {
            from += count;
            1.0 / aspects[from - count..from].iter().sum::<f32>()
        };
        let heights: Vec<f32> = counts.iter().map(height).collect();
        let [low, high] =
            heights.iter().fold([f32::INFINITY, 0.0], |[low, high], h| [h.min(low), h.max(high)]);
        // Rows of one height, on a sheet of the page's shape.
        (heights.iter().sum::<f32>() * PAGE).ln().abs() + (high / low).ln()
    };
    (1..=aspects.len()).map(split).min_by(|a, b| flaw(a).total_cmp(&flaw(b))).unwrap_or_default()
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
        for columns in [1, 2, 3, 7, 0] {
            let sheet = contact_sheet(&pictures, columns);
            for shade in &shades {
                let shown = sheet.rgb.chunks_exact(3).filter(|pixel| *pixel == shade.pixel(0, 0)).count();
                assert!(shown >= 40 * 30, "{shown} px of {:?} in {columns} columns", shade.pixel(0, 0));
            }
        }
        let [wide, high] = [5, 1].map(|columns| contact_sheet(&pictures, columns));
        assert!(wide.width > 5 * 40 && wide.height < 2 * 60, "{} × {}", wide.width, wide.height);
        assert!(high.width < 3 * 40 && high.height > 5 * 30, "{} × {}", high.width, high.height);
    }

    /// Whatever the number of pictures and their shapes, nothing but gaps and captions stays white.
    #[test]
    fn a_full_sheet_has_no_holes() {
        const WIDTH: usize = 600;
        for shape in [[160, 90], [100, 100], [30, 300], [300, 30]] {
            for count in [1, 2, 3, 5, 7, 8, 11] {
                let [view, top] = [[160, 90], shape].map(|[w, h]| Picture::filled(w, h, [90; 3]));
                let mut pictures = vec![(&top, "from above"), (&view, "view")];
                pictures.resize(count, (&top, "erosion-deposition"));
                let sheet = full_sheet(&pictures, WIDTH);
                assert_eq!((sheet.width, sheet.rgb.len()), (WIDTH, 3 * WIDTH * sheet.height));
                let gap = caption_size(WIDTH / 3) as usize;
                for row in 0..sheet.height {
                    let pixels: Vec<bool> =
                        (0..WIDTH).map(|column| sheet.pixel(column, row) == [90; 3]).collect();
                    // A row of pixels that cuts pictures is white at most a gap wide.
                    if pixels.iter().filter(|full| **full).count() > WIDTH / 3 {
                        let hole = pixels.split(|full| *full).map(<[bool]>::len).max().unwrap_or(0);
                        assert!(hole <= gap + 1, "{count} of {shape:?}: a hole of {hole} px in row {row}");
                    }
                }
                let covered = sheet.rgb.chunks_exact(3).filter(|pixel| *pixel == [90; 3]).count();
                let share = covered as f32 / (WIDTH * sheet.height) as f32;
                assert!(share > 0.45, "{count} of {shape:?}: pictures cover {share} of the sheet");
            }
        }
    }

    #[test]
    fn rows_of_a_full_sheet_are_alike() {
        assert_eq!(full_rows(&[1.0; 9]), [3, 3, 3]);
        assert_eq!(full_rows(&[1.78]), [1]);
        assert_eq!(full_rows(&[1.0, 1.78, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]), [2, 3, 3]);
        assert_eq!(full_rows(&[]), [0; 0]);
    }

    #[test]
    fn a_sheet_of_nothing_is_a_picture_too() {
        for sheet in
            [before_after(&[]), full_sheet(&[], 30), full_sheet(&[(&Picture::filled(0, 9, [0; 3]), "")], 0)]
        {
            assert_eq!(sheet.rgb.len(), 3 * sheet.width * sheet.height);
        }
    }
}
