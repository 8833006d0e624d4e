//! What makes a picture readable: a scale bar and an arrow to the north, and the shapes they are made of.

use glam::{Vec2, vec2};

use crate::Picture;
use crate::spread::round_down;
use crate::text::{Anchor, Label};

/// The dark of halos and panels: nearly black, a little blue.
pub(crate) const DARK: [u8; 3] = [14, 20, 25];
const WHITE: [u8; 3] = [255; 3];

impl Picture {
    /// Height of a line of text that suits the picture `[px]`.
    pub fn text_size(&self) -> f32 {
        /// Lines that fit along the side of a square of the picture's area.
        const LINES: f32 = 48.0;
        (((self.width * self.height) as f32).sqrt() / LINES).clamp(12.0, 96.0)
    }

    /// Draws a scale bar of a round length, about a fifth of the width, into the bottom left corner.
    /// `metres_per_pixel` is the side of a pixel `[m]`; in a perspective view, that at its centre.
    pub fn scale_bar(&mut self, metres_per_pixel: f64) {
        let metres = round_down(self.width as f64 * metres_per_pixel / 5.0);
        if metres <= 0.0 {
            return;
        }
        let size = self.text_size();
        let length = (metres / metres_per_pixel) as f32;
        let thick = (0.24 * size).round().max(3.0);
        let start = vec2(size, self.height as f32 - size - thick).round();
        let middle = start + 0.5 * vec2(length, thick);
        let bar = |half: Vec2| move |p: Vec2| rounded_box(p - middle, half, 0.0);
        let half = 0.5 * vec2(length, thick);
        let edge = (size / 22.0).max(1.0);
        self.paint(middle, half + 0.5 * size, Ink::glow(DARK, 0.5, 0.45 * size), bar(half));
        self.paint(middle, half + edge, Ink::of(DARK, 0.85), bar(half + edge));
        self.paint(middle, half, Ink::of(WHITE, 1.0), bar(half));
        // Every other quarter, or fifth, is dark.
        let parts = if format!("{metres:e}").starts_with('5') { 5 } else { 4 };
        let part = length / parts as f32;
        for i in (1..parts).step_by(2) {
            let at = start + vec2((i as f32 + 0.5) * part, 0.5 * thick);
            let half = 0.5 * vec2(part, thick - edge.min(0.3 * thick));
            self.paint(at, half, Ink::of(DARK, 0.9), |p| rounded_box(p - at, half, 0.0));
        }
        let label = Label { size, ..Label::default() };
        let y = start.y - 0.62 * size;
        self.label("0", [start.x, y], &label);
        self.label(&length_text(metres), [start.x + length, y], &Label { anchor: Anchor::Centre, ..label });
    }

    /// Draws a small compass into the top right corner. `bearing` is the direction of north in the picture,
    /// clockwise from up `[rad]`; `tilt` is how steeply the view looks down, π/2 from straight above `[rad]`.
    pub fn north_arrow(&mut self, bearing: f32, tilt: f32) {
        /// A compass seen from the side would be a line; it never gets flatter than this `[-]`.
        const FLATTEST: f32 = 0.36;
        let size = self.text_size();
        let radius = 1.55 * size;
        let flat = tilt.sin().abs().max(FLATTEST);
        // The direction on the ground that looks like `bearing` in the picture.
        let north = (flat * bearing.sin()).atan2(bearing.cos());
        // The letter stands outside of the ring.
        let room = radius + 1.1 * size;
        let middle = vec2(self.width as f32 - room - 0.4 * size, room + 0.4 * size);
        // From the compass, its north up, to the picture.
        let place = |across: f32, ahead: f32| {
            let (sin, cos) = north.sin_cos();
            middle + radius * vec2(across * cos + ahead * sin, flat * (across * sin - ahead * cos))
        };
        let reach = Vec2::splat(room + size);
        let ring: Vec<Vec2> = (0..72)
            .map(|i| (i as f32 * 5.0).to_radians().sin_cos())
            .map(|(sin, cos)| place(0.78 * sin, 0.78 * cos))
            .collect();
        let needle = [place(0.0, 1.0), place(0.26, 0.0), place(0.0, -1.0), place(-0.26, 0.0)];
        let line = (size / 14.0).max(1.0);
        self.paint(middle, reach, Ink::glow(DARK, 0.42, 0.5 * size), |p| {
            polygon(p, &needle).min(polygon(p, &ring).abs() - 0.5 * line)
        });
        self.paint(middle, reach, Ink::of(WHITE, 0.55), |p| polygon(p, &ring).abs() - 0.5 * line);
        // Each half has a lit and a shaded side; north is white, south is dark.
        self.paint(middle, reach, Ink::of(WHITE, 1.0), |p| polygon(p, &needle) - 0.5 * line);
        let [tip, right, tail, left] = needle;
        for (side, colour) in
            [([tip, right], [196, 204, 210]), ([tail, right], [30, 38, 44]), ([tail, left], [70, 80, 88])]
        {
            let facet = [side[0], side[1], middle];
            self.paint(middle, reach, Ink::of(colour, 1.0), |p| polygon(p, &facet));
        }
        let letter = place(0.0, 1.0) + (place(0.0, 1.0) - middle).normalize_or(Vec2::NEG_Y) * 0.62 * size;
        self.label("N", letter.to_array(), &Label { size, anchor: Anchor::Centre, ..Label::default() });
    }

    /// Paints a shape, given by the distance of a place from its edge `[px]`, negative inside. Only pixels
    /// closer to `middle` than `reach`, across and down, are looked at.
    pub(crate) fn paint(&mut self, middle: Vec2, reach: Vec2, ink: Ink, distance: impl Fn(Vec2) -> f32) {
        let low = (middle - reach - 1.0).floor().max(Vec2::ZERO);
        let high = (middle + reach + 1.0).ceil().min(vec2(self.width as f32, self.height as f32));
        for y in low.y as usize..high.y.max(0.0) as usize {
            for x in low.x as usize..high.x.max(0.0) as usize {
                let cover = ink.cover(distance(vec2(x as f32 + 0.5, y as f32 + 0.5)));
                if cover > 0.0 {
                    self.blend(x as isize, y as isize, ink.colour, cover);
                }
            }
        }
    }
}

/// A colour and how it ends at the edge of a shape.
#[derive(Clone, Copy)]
pub(crate) struct Ink {
    colour: [u8; 3],
    opacity: f32,
    /// How far it fades outside of the edge; 0 for a sharp one `[px]`.
    fade: f32,
}

impl Ink {
    /// Up to the edge.
    pub(crate) fn of(colour: [u8; 3], opacity: f32) -> Self {
        Self { colour, opacity, fade: 0.0 }
    }

    /// Fading away outside of the edge: keeps light shapes readable on light ground.
    pub(crate) fn glow(colour: [u8; 3], opacity: f32, fade: f32) -> Self {
        Self { colour, opacity, fade }
    }

    fn cover(self, distance: f32) -> f32 {
        let cover = if self.fade > 0.0 {
            (1.0 - distance / self.fade).clamp(0.0, 1.0).powi(2)
        } else {
            (0.5 - distance).clamp(0.0, 1.0)
        };
        self.opacity * cover
    }
}

/// Distance from the edge of a box around the origin with rounded corners.
pub(crate) fn rounded_box(p: Vec2, half: Vec2, radius: f32) -> f32 {
    let beyond = p.abs() - half + radius;
    beyond.max(Vec2::ZERO).length() + beyond.max_element().min(0.0) - radius
}

/// Distance from the edge of a polygon.
fn polygon(p: Vec2, corners: &[Vec2]) -> f32 {
    let (mut nearest, mut inside) = (f32::INFINITY, false);
    let mut last = corners[corners.len() - 1];
    for &corner in corners {
        let (along, to) = (corner - last, p - last);
        let t = (to.dot(along) / along.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        nearest = nearest.min((to - along * t).length());
        // A ray to the right crosses the edge.
        if (corner.y > p.y) != (last.y > p.y) && p.x < last.x + along.x * (p.y - last.y) / along.y {
            inside = !inside;
        }
        last = corner;
    }
    if inside { -nearest } else { nearest }
}

/// A round length as people write it.
fn length_text(metres: f64) -> String {
    let (count, unit) = match metres {
        1000.0.. => (metres / 1000.0, "km"),
        0.999.. => (metres, "m"),
        0.00999.. => (metres * 100.0, "cm"),
        _ => (metres * 1000.0, "mm"),
    };
    // Rounding added what lies beyond three digits.
    format!("{} {unit}", (count * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_a_unit_that_keeps_them_short() {
        for (metres, text) in [
            (20_000.0, "20 km"),
            (1000.0, "1 km"),
            (500.0, "500 m"),
            (1.0, "1 m"),
            (0.2, "20 cm"),
            (0.002, "2 mm"),
        ] {
            assert_eq!(length_text(metres), text);
        }
    }

    #[test]
    fn distances_are_negative_inside_and_grow_outwards() {
        let square = [vec2(-2.0, -2.0), vec2(2.0, -2.0), vec2(2.0, 2.0), vec2(-2.0, 2.0)];
        for (place, expected) in [(vec2(0.0, 0.0), -2.0), (vec2(1.5, 0.0), -0.5), (vec2(5.0, 0.0), 3.0)] {
            assert!((polygon(place, &square) - expected).abs() < 1.0e-6, "{place}");
            assert!((rounded_box(place, Vec2::splat(2.0), 0.5) - expected).abs() < 1.0e-6, "{place}");
        }
        let corner = rounded_box(vec2(2.0, 2.0), Vec2::splat(2.0), 1.0);
        assert!((corner - (2f32.sqrt() - 1.0)).abs() < 1.0e-6, "{corner}");
    }

    #[test]
    fn a_scale_bar_is_as_long_as_it_says() {
        // A fifth of 1000 px at 10 m is 2 km: four parts of 50 px, every other one white.
        let mut picture = Picture::filled(1000, 500, [90, 120, 60]);
        picture.scale_bar(10.0);
        let runs = |y: usize| -> Vec<usize> {
            let white: Vec<bool> = (0..1000).map(|x| picture.pixel(x, y) == WHITE).collect();
            white.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).collect()
        };
        assert!((0..500).any(|y| runs(y) == [50, 50]), "no row has two white parts of 50 px");
    }

    #[test]
    fn marks_stand_out_on_white_and_on_black() {
        for ground in [0, 255] {
            let mut picture = Picture::filled(800, 450, [ground; 3]);
            picture.scale_bar(1.0);
            picture.north_arrow(0.3, 1.2);
            for (corner, is_in) in [
                ("bottom left", (|x, y| x < 400 && y > 350) as fn(usize, usize) -> bool),
                ("top right", |x, y| x > 600 && y < 150),
            ] {
                let clear = |i: &usize| {
                    is_in(i % 800, i / 800) && picture.pixel(i % 800, i / 800)[0].abs_diff(ground) > 100
                };
                let clear = (0..800 * 450).filter(clear).count();
                assert!(clear > 100, "{clear} px of the mark in the {corner} stand out from {ground}");
            }
        }
    }

    #[test]
    fn the_white_parts_of_a_scale_bar_are_edged_on_white() {
        let mut picture = Picture::filled(800, 450, WHITE);
        picture.scale_bar(1.0);
        // Below the middle of the first part, which is white itself.
        let darkest = (430..450).map(|y| picture.pixel(25, y)[0]).min();
        assert!(darkest < Some(90), "{darkest:?} below the bar");
    }

    #[test]
    fn the_white_half_of_the_needle_points_where_north_is() {
        for (bearing, tilt) in [(0.0, 1.57), (0.8, 1.57), (2.0, 0.9), (-2.6, 0.5), (1.57, 0.3)] {
            let drawn = |bearing: f32| {
                let mut picture = Picture::filled(1200, 700, [0; 3]);
                picture.north_arrow(bearing, tilt);
                picture
            };
            // Turned round, all but the colours of the halves and the letter stays.
            let (there, back) = (drawn(bearing), drawn(bearing + std::f32::consts::PI));
            let lean = (0..1200 * 700).fold(Vec2::ZERO, |sum, i| {
                let (x, y) = (i % 1200, i / 1200);
                let more = f32::from(there.pixel(x, y)[0]) - f32::from(back.pixel(x, y)[0]);
                sum + more * vec2(x as f32 - 1100.0, y as f32 - 100.0)
            });
            let off = lean.angle_to(vec2(bearing.sin(), -bearing.cos())).to_degrees();
            assert!(off.abs() < 6.0, "{off:.0} degrees off at bearing {bearing}, tilt {tilt}");
        }
    }
}
