//! Text on pictures, in the one font that travels with the crate (Ubuntu Light).

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

use crate::Picture;

static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).expect("the embedded font is well-formed")
});

/// Coverage is multiplied by this: the light cut of the font becomes a regular one `[-]`.
const WEIGHT: f32 = 1.35;

/// Height of capitals in line heights `[-]`.
const CAPITALS: f32 = 0.6;

/// Which point of a text its position names; vertically it is always the middle of the capitals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The start of the text.
    Left,
    /// The middle of the text.
    Centre,
    /// The end of the text.
    Right,
}

/// How a text is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// Height of the line `[px]`.
    pub size: f32,
    /// Colour of the letters.
    pub colour: [u8; 3],
    /// Colour of the soft edge that keeps the letters readable on any ground.
    pub halo: Option<[u8; 3]>,
    /// Which point of the text is placed.
    pub anchor: Anchor,
}

impl Default for Label {
    /// White on a dark halo: readable on any landscape.
    fn default() -> Self {
        Self { size: 22.0, colour: [255; 3], halo: Some([18, 24, 28]), anchor: Anchor::Left }
    }
}

/// Width that a text takes `[px]`.
pub fn text_width(text: &str, size: f32) -> f32 {
    layout(text, size).1
}

/// A glyph of a line of text.
struct Placed {
    id: ab_glyph::GlyphId,
    /// Height of its line `[px]`.
    size: f32,
    /// Its left edge from the start of the line, and its baseline above that of the line `[px]`.
    at: [f32; 2],
}

/// The glyphs of a line, and the width of them all `[px]`.
fn layout(text: &str, size: f32) -> (Vec<Placed>, f32) {
    /// Size and baseline of the minus of an exponent, which the font lacks, in line heights `[-]`.
    const RAISED: [f32; 2] = [0.62, 0.22];
    let (mut glyphs, mut x, mut last) = (Vec::new(), 0.0, None);
    for c in text.chars() {
        let (c, [share, raise]) = if c == '⁻' { ('−', RAISED) } else { (c, [1.0, 0.0]) };
        let font = FONT.as_scaled(PxScale::from(size * share));
        let id = font.glyph_id(c);
        x += last.map_or(0.0, |last| font.kern(last, id));
        glyphs.push(Placed { id, size: size * share, at: [x, size * raise] });
        x += font.h_advance(id);
        last = Some(id);
    }
    (glyphs, x)
}

impl Picture {
    /// Draws one line of text; `at` is the place, in pixels, that the label's anchor names.
    pub fn label(&mut self, text: &str, at: [f32; 2], style: &Label) {
        let (glyphs, width) = layout(text, style.size);
        let radius = (style.size * 0.14).ceil() as isize;
        let pad = 2 * radius + 2;
        let left = at[0]
            - match style.anchor {
                Anchor::Left => 0.0,
                Anchor::Centre => width * 0.5,
                Anchor::Right => width,
            };
        let baseline = at[1] + 0.5 * CAPITALS * style.size;
        let (x0, y0) = (left.floor() as isize - pad, (baseline - style.size).floor() as isize - pad);
        let mut mask = Mask::new(
            width.ceil() as usize + 2 * pad as usize + 1,
            (style.size * 1.5) as usize + 2 * pad as usize,
        );
        for Placed { id, size, at: [x, raised] } in glyphs {
            let place = point(left + x - x0 as f32, baseline - raised - y0 as f32);
            let glyph = id.with_scale_and_position(size, place);
            if let Some(outline) = FONT.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                outline.draw(|x, y, cover| {
                    let (x, y) = (corner.x as isize + x as isize, corner.y as isize + y as isize);
                    mask.change(x, y, |old| (old + cover * WEIGHT).min(1.0));
                });
            }
        }
        if let Some(halo) = style.halo {
            self.stamp(&mask.softened(radius), [x0, y0], halo);
        }
        self.stamp(&mask, [x0, y0], style.colour);
    }

    fn stamp(&mut self, mask: &Mask, [x, y]: [isize; 2], colour: [u8; 3]) {
        for (i, &cover) in mask.cover.iter().enumerate().filter(|(_, cover)| **cover > 0.0) {
            let (col, row) = ((i % mask.width) as isize, (i / mask.width) as isize);
            self.blend(x + col, y + row, colour, cover);
        }
    }
}

/// Coverage of pixels in [0, 1].
struct Mask {
    width: usize,
    cover: Vec<f32>,
}

impl Mask {
    fn new(width: usize, height: usize) -> Self {
        Self { width, cover: vec![0.0; width * height] }
    }

    fn change(&mut self, x: isize, y: isize, change: impl Fn(f32) -> f32) {
        if (0..self.width as isize).contains(&x)
            && y >= 0
            && let Some(cover) = self.cover.get_mut(y as usize * self.width + x as usize)
        {
            *cover = change(*cover);
        }
    }

    /// The mask grown by about `radius` pixels with a soft edge.
    fn softened(&self, radius: isize) -> Self {
        /// Share of the halo's strength that a fully covered neighbourhood reaches `[-]`.
        const STRENGTH: f32 = 0.8;
        let mut soft = Self::new(self.width, self.cover.len() / self.width);
        for (i, &cover) in self.cover.iter().enumerate().filter(|(_, cover)| **cover > 0.0) {
            let (col, row) = ((i % self.width) as isize, (i / self.width) as isize);
            for dy in -2 * radius..=2 * radius {
                for dx in -2 * radius..=2 * radius {
                    let far = ((dx * dx + dy * dy) as f32).sqrt() / (2 * radius) as f32;
                    let weight = cover * STRENGTH * (1.0 - far).max(0.0);
                    soft.change(col + dx, row + dy, |old| old.max(weight));
                }
            }
        }
        soft
    }
}
