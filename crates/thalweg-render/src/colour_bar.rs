//! What the colours of a picture mean: a bar with numbers, in the picture or beside it.

use glam::{Vec2, vec2};
use thalweg_field::FieldInfo;

use crate::annotate::{DARK, Ink, rounded_box};
use crate::text::{Anchor, Label};
use crate::{Picture, Spread, Tick, text_width};

/// What a colour bar says.
///
/// ```
/// use thalweg_field::FieldInfo;
/// use thalweg_render::{ColourMap, Legend, Picture, Scale, Spread};
///
/// let mut picture = Picture::filled(640, 360, [120, 130, 110]);
/// let speed = FieldInfo::new("speed", "m/s", "speed of the water");
/// let legend = Legend::new(&speed, &Spread::new(Scale::Log, [0.01, 10.0]));
/// assert_eq!(legend.title, "speed [m/s]");
/// picture.legend(&legend, |at| ColourMap::Blues.colour(at));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// What is shown, with its unit.
    pub title: String,
    /// Numbers along the bar; those that have no room are left out.
    pub ticks: Vec<Tick>,
    /// Where in the picture.
    pub place: LegendPlace,
}

/// Where a legend stands in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegendPlace {
    /// Lying in the bottom right corner.
    #[default]
    BottomRight,
    /// Upright in the middle of the right side.
    Right,
}

impl Legend {
    /// For a quantity and the way its values are spread over the colours. Angles are told in degrees.
    pub fn new(info: &FieldInfo, spread: &Spread) -> Self {
        let (unit, factor) = match &*info.unit {
            "rad" => ("°", 180.0 / std::f64::consts::PI),
            unit => (unit, 1.0),
        };
        let shown = FieldInfo {
            name: info.name.replace('_', " ").into(),
            unit: unit.to_owned().into(),
            meaning: info.meaning.clone(),
        };
        Self { title: shown.title(), ticks: spread.ticks_times(factor), place: LegendPlace::default() }
    }
}

impl Picture {
    /// Draws a legend on a dark panel into the picture. `colour` gives the colour at a position in [0, 1].
    pub fn legend(&mut self, legend: &Legend, colour: impl Fn(f32) -> [u8; 3]) {
        match legend.place {
            LegendPlace::BottomRight => self.lying_legend(legend, colour),
            LegendPlace::Right => self.upright_legend(legend, colour),
        }
    }

    fn lying_legend(&mut self, legend: &Legend, colour: impl Fn(f32) -> [u8; 3]) {
        let size = self.text_size();
        let pad = (0.7 * size).round();
        let thick = (0.55 * size).round();
        let widest = legend.ticks.iter().map(|(_, text)| text_width(text, size)).fold(0.0, f32::max);
        let wanted = (0.24 * self.width as f32).max(12.0 * size).max(text_width(&legend.title, size));
        let length = wanted.min(self.width as f32 - 2.0 * (size + pad)).max(1.0).round();
        // Numbers at the ends reach over the bar by half of their width, into the padding.
        let side = pad.max((0.5 * widest).ceil());
        let panel = vec2(length + 2.0 * side, 2.0 * pad + 2.35 * size + thick).round();
        let corner = vec2(self.width as f32, self.height as f32) - size - panel;
        self.panel(corner, panel, size);
        let label = Label { size, halo: None, ..Label::default() };
        self.label(&legend.title, [corner.x + side, corner.y + pad + 0.4 * size], &label);
        let bar = corner + vec2(side, pad + 1.2 * size).round();
        self.bar(bar, vec2(length, thick), |across, _| colour(across));
        let room = |(at, text): &Tick| [at * length, 0.5 * (text_width(text, size) + 0.5 * size)];
        let told = evenly_told(&legend.ticks, room);
        for ((at, text), told) in legend.ticks.iter().zip(told) {
            let x = bar.x + at * length;
            self.tick(vec2(x, bar.y + thick + 0.14 * size), vec2(0.0, 0.14 * size), size);
            if told {
                let place = [x, bar.y + thick + 0.78 * size];
                self.label(text, place, &Label { anchor: Anchor::Centre, ..label });
            }
        }
    }

    fn upright_legend(&mut self, legend: &Legend, colour: impl Fn(f32) -> [u8; 3]) {
        let size = self.text_size();
        let pad = (0.7 * size).round();
        let thick = (0.75 * size).round();
        let widest = legend.ticks.iter().map(|(_, text)| text_width(text, size)).fold(0.0, f32::max);
        let inner = (thick + 0.55 * size + widest).max(text_width(&legend.title, size)).ceil();
        let room = self.height as f32 - 2.0 * (size + pad) - 2.0 * size;
        let length = (0.42 * self.height as f32).max(9.0 * size).min(room).max(1.0).round();
        let panel = vec2(inner + 2.0 * pad, length + 2.0 * pad + 1.9 * size).round();
        let corner = vec2(self.width as f32 - size - panel.x, (0.5 * (self.height as f32 - panel.y)).round());
        self.panel(corner, panel, size);
        let label = Label { size, halo: None, ..Label::default() };
        self.label(&legend.title, [corner.x + pad, corner.y + pad + 0.4 * size], &label);
        let bar = corner + vec2(pad, pad + 1.5 * size).round();
        self.bar(bar, vec2(thick, length), |_, down| colour(1.0 - down));
        let told = evenly_told(&legend.ticks, |(at, _)| [at * length, 0.55 * size]);
        for ((at, text), told) in legend.ticks.iter().zip(told) {
            let y = bar.y + (1.0 - at) * length;
            self.tick(vec2(bar.x + thick + 0.14 * size, y), vec2(0.14 * size, 0.0), size);
            if told {
                self.label(text, [bar.x + thick + 0.5 * size, y], &label);
            }
        }
    }

    /// A dark panel with round corners.
    fn panel(&mut self, corner: Vec2, extent: Vec2, size: f32) {
        let (middle, half) = (corner + 0.5 * extent, 0.5 * extent);
        self.paint(middle, half, Ink::of(DARK, 0.66), |p| rounded_box(p - middle, half, 0.45 * size));
    }

    /// A bar of colours with a fine light rim; `colour` is asked for the share of the way across and down.
    fn bar(&mut self, corner: Vec2, extent: Vec2, colour: impl Fn(f32, f32) -> [u8; 3]) {
        let (middle, half) = (corner + 0.5 * extent, 0.5 * extent + 1.0);
        self.paint(middle, half, Ink::of([255; 3], 0.35), |p| rounded_box(p - middle, half, 1.0));
        for row in 0..extent.y as isize {
            for col in 0..extent.x as isize {
                let share = (vec2(col as f32, row as f32) + 0.5) / extent;
                self.blend(corner.x as isize + col, corner.y as isize + row, colour(share.x, share.y), 1.0);
            }
        }
    }

    fn tick(&mut self, middle: Vec2, along: Vec2, size: f32) {
        let half = along.max(Vec2::splat((size / 36.0).max(0.5)));
        self.paint(middle, half, Ink::of([255; 3], 0.8), |p| rounded_box(p - middle, half, 0.0));
    }
}

/// Which ticks get their number: every one, or every second, third ... such that none overlap, counted from
/// zero or else from the last. `room` is the place of a number along the bar and half of what it takes `[px]`.
fn evenly_told(ticks: &[Tick], room: impl Fn(&Tick) -> [f32; 2]) -> Vec<bool> {
    let from = ticks.iter().position(|(_, text)| text == "0").unwrap_or(ticks.len().saturating_sub(1));
    let told = |every: usize| (0..ticks.len()).map(move |i| i.abs_diff(from).is_multiple_of(every));
    let fits = |every: &usize| {
        let shown = ticks.iter().zip(told(*every)).filter(|(_, told)| *told);
        let spans: Vec<[f32; 2]> = shown.map(|(tick, _)| room(tick)).collect();
        spans.windows(2).all(|pair| pair[1][0] - pair[0][0] >= pair[0][1] + pair[1][1])
    };
    let every = (1..=ticks.len()).find(fits).unwrap_or(1);
    told(every).collect()
}

/// A panel with an upright colour bar, its numbers and its title, made to stand beside a picture of
/// that height. `colour` gives the colour at a position in [0, 1], which runs upwards.
pub(crate) fn colour_bar(height: usize, legend: &Legend, colour: impl Fn(f32) -> [u8; 3]) -> Picture {
    const INK: [u8; 3] = [40, 44, 48];
    let Legend { title, ticks, .. } = legend;
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
    let told = evenly_told(ticks, |(at, _)| [at * length, 0.55 * size]);
    for ((at, text), told) in ticks.iter().zip(told) {
        let y = top + (1.0 - at) * (length - 1.0);
        panel.fill([(margin + bar_width) as isize, y as isize], [(0.3 * size) as usize, 1], INK, 1.0);
        if told {
            panel.label(text, [margin + bar_width + 0.5 * size, y], &label);
        }
    }
    panel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scale;

    fn legend(scale: Scale, range: [f32; 2], place: LegendPlace) -> Legend {
        let info = FieldInfo::new("bed_change", "m", "height of the bed less that of the start");
        Legend { place, ..Legend::new(&info, &Spread::new(scale, range)) }
    }

    #[test]
    fn numbers_that_have_no_room_are_left_out_evenly_and_zero_stays() {
        let ticks: Vec<Tick> = (-3..=3).map(|i| ((i + 3) as f32 / 6.0, i.to_string())).collect();
        let told = |space: f32| {
            let told = evenly_told(&ticks, |(at, _)| [60.0 * at, 0.5 * space]);
            ticks
                .iter()
                .zip(told)
                .filter(|(_, told)| *told)
                .map(|((_, text), _)| text.as_str())
                .collect::<String>()
        };
        assert_eq!(told(10.0), "-3-2-10123");
        assert_eq!(told(15.0), "-202");
        assert_eq!(told(25.0), "-303");
        assert_eq!(told(500.0), "0");
        assert!(evenly_told(&[], |_| [0.0, 1.0]).is_empty());
    }

    #[test]
    fn angles_are_told_in_degrees_and_names_without_underscores() {
        let slope = FieldInfo::new("bed_slope", "rad", "slope of the bed");
        let legend = Legend::new(&slope, &Spread::new(Scale::Linear, [0.0, 1.0]));
        assert_eq!(legend.title, "bed slope [°]");
        assert_eq!(legend.ticks[1].1, "10");
    }

    #[test]
    fn a_legend_shows_its_colours_in_its_place_at_any_size() {
        let ground = [90, 120, 60];
        for [width, height] in [[480, 270], [1280, 720], [720, 1280], [3840, 2160]] {
            for (place, is_near) in [
                (LegendPlace::BottomRight, (|x, y| x > 0.5 && y > 0.7) as fn(f32, f32) -> bool),
                (LegendPlace::Right, |x, y| x > 0.6 && (0.15..0.85).contains(&y)),
            ] {
                let mut picture = Picture::filled(width, height, ground);
                let legend = legend(Scale::AroundZero, [-3.0, 3.0], place);
                picture.legend(&legend, |at| if at < 0.5 { [250, 3, 4] } else { [5, 6, 251] });
                let [mut first, mut last] = [false; 2];
                for i in 0..width * height {
                    let pixel = picture.pixel(i % width, i / width);
                    let near = is_near((i % width) as f32 / width as f32, (i / width) as f32 / height as f32);
                    assert!(near || pixel == ground, "{place:?} drew at {}, {}", i % width, i / width);
                    first |= pixel == [250, 3, 4];
                    last |= pixel == [5, 6, 251];
                }
                assert!(first && last, "{place:?} at {width} × {height}");
            }
        }
    }

    #[test]
    fn a_picture_too_small_for_a_legend_is_drawn_all_the_same() {
        for [width, height] in [[0, 0], [1, 1], [40, 20], [20, 90]] {
            let mut picture = Picture::filled(width, height, [0; 3]);
            for place in [LegendPlace::BottomRight, LegendPlace::Right] {
                picture.legend(&legend(Scale::Log, [1.0e-9, 1.0e9], place), |_| [255; 3]);
            }
            picture.north_arrow(1.0, 1.0);
            picture.scale_bar(3.0);
        }
    }
}
