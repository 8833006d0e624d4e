//! False colours for one quantity, over faint relief.

use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use thalweg_field::{Field, FieldInfo, Grid2};

use super::lit_ground::slopes;
use super::relief::{developed, picture_size};
use super::resample::{enlarged, filled, sharpened, shrunk};
use crate::colour_bar::colour_bar;
use crate::light::{MISSING, linear};
use crate::scene::is_set;
use crate::{ColourMap, Legend, Picture, Scale, Scene, Spread};

/// How a quantity is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct MapStyle {
    /// Its colours.
    pub colours: ColourMap,
    /// How values are spread over them.
    pub scale: Scale,
    /// First and last value of the colours, in the field's unit; `None` takes what all but the most
    /// extreme 1 % of the cells span.
    pub range: Option<[f32; 2]>,
    /// Strength of the relief that lightens and darkens the colours, 0 for none; little, for they must be found in
    /// the legend `[-]`.
    pub relief: f32,
}

impl Default for MapStyle {
    fn default() -> Self {
        Self { colours: ColourMap::Viridis, scale: Scale::Linear, range: None, relief: 0.06 }
    }
}

impl MapStyle {
    /// The usual look of a quantity, by its name.
    pub fn of(info: &FieldInfo) -> Self {
        let style = |colours, scale| Self { colours, scale, ..Self::default() };
        match &*info.name {
            "water" | "flow" | "speed" | "discharge" => style(ColourMap::Blues, Scale::Log),
            "wetness" => Self { range: Some([0.0, 1.0]), ..style(ColourMap::Blues, Scale::Linear) },
            "sediment" => style(ColourMap::Browns, Scale::Log),
            // One red and one blue for ground lost and gained, alone or in one map.
            "erosion" => style(ColourMap::Loss, Scale::Linear),
            "deposition" => style(ColourMap::Gain, Scale::Linear),
            "change" | "erosion-deposition" => style(ColourMap::RedBlue, Scale::AroundZero),
            "velocity_east" | "velocity_north" => style(ColourMap::Diverging, Scale::AroundZero),
            "slope" => style(ColourMap::Cividis, Scale::Linear),
            _ => Self::default(),
        }
    }

    /// Factor on the colours of ground that falls that steeply towards the light: a slope of 45° away from it loses all of
    /// `relief`, and one towards it gains a third of that, which pale colours can take without turning white `[-]`.
    pub(crate) fn shade(&self, fall: f32) -> f32 {
        let facing = fall.atan() / FRAC_PI_4;
        (1.0 + self.relief * if facing > 0.0 { facing / 3.0 } else { facing }).max(0.0)
    }
}

/// Draws a field over the scene's relief, north up, with `side` pixels along its longer side and a
/// colour bar at its right, which makes the picture wider. Cells that hold no number are magenta.
///
/// # Panics
/// If the field and the scene differ in shape.
pub fn map(scene: &Scene, field: &Field, style: &MapStyle, side: usize) -> Picture {
    assert!(scene.bed_height.same_shape(&field.values), "field and scene have one shape");
    let Some([width, height]) = picture_size(scene.bed_height, side) else {
        return Picture::filled(0, 0, [0; 3]);
    };
    if is_set(scene.stop) {
        return Picture::filled(width, height, [0; 3]);
    }
    let spread = Spread::of(field.values.values(), style);
    // Light at the picture's resolution; values as they are, each cell a patch: a map is read cell by cell.
    let values = &field.values;
    let (cols, rows) = (width.max(values.cols()), height.max(values.rows()));
    let cell = scene.frame.cell as f32 * values.cols() as f32 / cols as f32;
    let slope = slopes(&enlarged(&sharpened(&filled(scene.bed_height)), cols, rows), cell);
    let light = Grid2::from_fn(cols, rows, |col, row| {
        let value = values.at(col * values.cols() / cols, row * values.rows() / rows);
        if !value.is_finite() {
            return linear(MISSING);
        }
        let rise = slope.at(col, row);
        // Light from the north-west.
        let shade = style.shade((rise.x - rise.y) * FRAC_1_SQRT_2);
        linear(style.colours.colour(spread.position(value))) * shade
    });
    let ground = developed(&shrunk(&light, width, height));
    let bar = colour_bar(height, &Legend::new(&field.info, &spread), |at| style.colours.colour(at));
    let mut sheet = Picture::filled(width + bar.width, height, [255; 3]);
    sheet.blit(&ground, 0, 0);
    sheet.blit(&bar, width as isize, 0);
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_lost_is_red_and_ground_gained_blue_in_every_map() {
        let most = |name: &'static str, value: f32| {
            let style = MapStyle::of(&FieldInfo::new(name, "m", "what became of the bed"));
            let [red, _, blue] =
                style.colours.colour(Spread::of(&[-value, 0.0, value], &style).position(value));
            i32::from(blue) - i32::from(red)
        };
        for (name, value, is_blue) in [
            ("erosion", 3.0, false),
            ("deposition", 3.0, true),
            ("change", -3.0, false),
            ("change", 3.0, true),
            ("erosion-deposition", -3.0, false),
        ] {
            let blueness = most(name, value);
            assert!(if is_blue { blueness > 80 } else { blueness < -80 }, "{value} m of {name}: {blueness}");
        }
    }

    #[test]
    fn a_share_of_time_spans_all_of_its_colours() {
        let style = MapStyle::of(&FieldInfo::new("wetness", "-", "share of the time under water"));
        assert_eq!(Spread::of(&[0.2, 0.3], &style).range(), [0.0, 1.0]);
    }
}
