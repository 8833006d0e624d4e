//! False colours for one quantity, over faint relief.

use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use thalweg_field::{Field, FieldInfo, Grid2};

use super::lit_ground::slopes;
use super::relief::{developed, picture_size};
use super::resample::{enlarged, filled, sharpened, shrunk};
use crate::colour_bar::{Tick, colour_bar, round_down};
use crate::light::{MISSING, linear};
use crate::{Picture, Scene};

/// Colours whose steps look equally large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark violet over green to yellow (Smith & van der Walt 2015); for any quantity.
    Viridis,
    /// White to dark blue (Brewer's Blues); for water, where nothing shall look like paper.
    Blues,
    /// Brown over white to green-blue (Brewer's BrBG); for what is lost or gained around zero.
    Diverging,
}

impl ColourMap {
    /// The colour at a position in [0, 1].
    pub fn colour(self, at: f32) -> [u8; 3] {
        let gradient = match self {
            Self::Viridis => colorous::VIRIDIS,
            Self::Blues => colorous::BLUES,
            Self::Diverging => colorous::BROWN_GREEN,
        };
        let colour = gradient.eval_continuous(f64::from(at.clamp(0.0, 1.0)));
        [colour.r, colour.g, colour.b]
    }
}

/// How values are spread over the colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their order of magnitude; values at or below zero take the first colour.
    Log,
    /// Evenly, with zero in the middle.
    AroundZero,
}

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
    /// Strength of the relief below the colours, 0 for none [-].
    pub relief: f32,
}

impl Default for MapStyle {
    fn default() -> Self {
        Self { colours: ColourMap::Viridis, scale: Scale::Linear, range: None, relief: 0.5 }
    }
}

impl MapStyle {
    /// The usual look of a quantity, by its name.
    pub fn of(info: &FieldInfo) -> Self {
        let (colours, scale) = match &*info.name {
            "water" | "flow" | "speed" | "discharge" => (ColourMap::Blues, Scale::Log),
            "erosion" | "deposition" | "change" => (ColourMap::Diverging, Scale::AroundZero),
            _ => (ColourMap::Viridis, Scale::Linear),
        };
        Self { colours, scale, ..Self::default() }
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
    let spread = Spread::new(&field.values, style);
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
        // Light from the north-west; a slope of 45° away from it loses all of `relief`, and one towards
        // it gains a third of that, which pale colours can take without turning white.
        let facing = ((rise.x - rise.y) * FRAC_1_SQRT_2).atan() / FRAC_PI_4;
        let shade = 1.0 + style.relief * if facing > 0.0 { facing / 3.0 } else { facing };
        linear(style.colours.colour(spread.position(value))) * shade.max(0.0)
    });
    let ground = developed(&shrunk(&light, width, height));
    let bar = colour_bar(height, &field.info.title(), &spread.ticks(), |at| style.colours.colour(at));
    let mut sheet = Picture::filled(width + bar.width, height, [255; 3]);
    sheet.blit(&ground, 0, 0);
    sheet.blit(&bar, width as isize, 0);
    sheet
}

/// From values to positions in [0, 1].
struct Spread {
    scale: Scale,
    first: f64,
    last: f64,
}

impl Spread {
    fn new(values: &Grid2<f32>, style: &MapStyle) -> Self {
        /// Orders of magnitude that a logarithmic bar spans unless told otherwise.
        const DECADES: i32 = 4;
        let (mut first, mut last) =
            style.range.map_or_else(|| bulk(values), |[a, b]| (f64::from(a), f64::from(b)));
        match style.scale {
            Scale::Linear => {}
            Scale::AroundZero => {
                last = first.abs().max(last.abs());
                first = -last;
            }
            Scale::Log => {
                last = last.max(f64::from(f32::MIN_POSITIVE));
                first = first.max(last * 10f64.powi(-DECADES));
            }
        }
        // A field of one value still needs a bar.
        if last <= first {
            last = first + first.abs().max(1.0);
        }
        Self { scale: style.scale, first, last }
    }

    fn position(&self, value: f32) -> f32 {
        let value = f64::from(value);
        let at = match self.scale {
            Scale::Linear | Scale::AroundZero => (value - self.first) / (self.last - self.first),
            Scale::Log => (value.max(self.first) / self.first).ln() / (self.last / self.first).ln(),
        };
        at.clamp(0.0, 1.0) as f32
    }

    fn ticks(&self) -> Vec<Tick> {
        let values: Vec<f64> = match self.scale {
            Scale::Linear | Scale::AroundZero => {
                let step = round_down((self.last - self.first) / 4.0);
                let (low, high) = ((self.first / step).ceil() as i64, (self.last / step).floor() as i64);
                (low..=high).map(|i| i as f64 * step).collect()
            }
            Scale::Log => {
                let (low, high) = (self.first.log10().ceil() as i32, self.last.log10().floor() as i32);
                (low..=high).map(|power| 10f64.powi(power)).collect()
            }
        };
        values.into_iter().map(|value| (self.position(value as f32), number(value))).collect()
    }
}

/// A number as short as it can be read.
fn number(value: f64) -> String {
    if value != 0.0 && !(1.0e-3..1.0e4).contains(&value.abs()) {
        return format!("{value:.0e}");
    }
    // Ticks are a round step times a whole number; six digits cut off only what rounding added.
    format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The range of all but the most extreme 1 % of the finite values.
fn bulk(values: &Grid2<f32>) -> (f64, f64) {
    let mut finite: Vec<f32> = values.values().iter().copied().filter(|v| v.is_finite()).collect();
    if finite.is_empty() {
        return (0.0, 1.0);
    }
    let cut = finite.len() / 200;
    let last = finite.len() - 1;
    let low = *finite.select_nth_unstable_by(cut, f32::total_cmp).1;
    let high = *finite.select_nth_unstable_by(last - cut, f32::total_cmp).1;
    (f64::from(low), f64::from(high))
}
