//! The ground in its colours, in sun, shade and skylight, and the water on it: what every view looks at.

use std::f32::consts::FRAC_PI_4;
use std::ops::{Add, Mul};

use glam::{Vec2, Vec3};
use thalweg_field::Grid2;

use super::horizon::{sky_view, sunlight};
use super::resample::{blurred, enlarged, filled, sharpened};
use crate::light::{MISSING, linear, smoothstep};
use crate::scene::is_set;
use crate::{ReliefStyle, Scene};

/// Colour of sunlight and of the sky's light. Warm light and cool shade model the forms even where
/// both are equally bright (Imhof 1965, on aerial perspective and coloured shading).
const SUN: Vec3 = Vec3::new(1.06, 1.0, 0.88);
const SKY: Vec3 = Vec3::new(0.80, 0.97, 1.26);
/// Share of the sky in the light on level open ground `[-]`.
const SKY_SHARE: f32 = 0.24;
/// Share of the sun's light that comes from its neighbouring directions and casts no shadow, so that
/// slopes along the light keep their form (Mark 1992: several azimuths, weighted to the main one) `[-]`.
const FILL_SHARE: f32 = 0.2;

/// Ground and water as a view needs them, row 0 in the north.
pub(crate) struct LitGround {
    /// Side of a cell of these grids `[m]`.
    pub cell: f32,
    /// Top of the bed, exaggerated `[m]`.
    pub bed: Grid2<f32>,
    /// Top of the water or the bed, exaggerated `[m]`.
    pub surface: Grid2<f32>,
    /// Light that leaves the bed.
    pub bed_light: Grid2<Vec3>,
    /// The water, if there is any.
    pub water: Option<Water>,
    lamps: Lamps,
}

/// The water's side of [`LitGround`].
pub(crate) struct Water {
    /// Depth on a logarithmic scale from 0 (the thinnest drawn) to 1 (deep) `[-]`.
    wetness: Grid2<f32>,
    /// Light that falls on the surface.
    light: Grid2<Vec3>,
    /// Rise of the surface to the east and north `[-]`.
    slope: Grid2<Vec2>,
    shallow: Vec3,
    deep: Vec3,
    to_sun: Vec3,
}

impl LitGround {
    /// Lights a scene on grids of at least `side` cells along the longer side; `None` once it is told to stop.
    ///
    /// # Panics
    /// If the scene's grids differ in shape.
    pub(crate) fn new(scene: &Scene, style: &ReliefStyle, side: usize) -> Option<Self> {
        // Each stage of a large terrain takes a good part of a second.
        let go_on = || (!is_set(scene.stop)).then_some(());
        let source = scene.bed_height;
        for other in [scene.water_depth, scene.deposit_depth].into_iter().flatten() {
            assert!(source.same_shape(other), "the grids of a scene have one shape");
        }
        let scale = (side as f32 / source.cols().max(source.rows()) as f32).max(1.0);
        let cell = scene.frame.cell as f32 / scale;
        let [cols, rows] =
            [source.cols(), source.rows()].map(|n| ((n as f32 * scale).round() as usize).max(2));
        let fit = |grid: &Grid2<f32>| enlarged(grid, cols, rows);
        let raise = |height: Grid2<f32>| height.map(|v| v * style.vertical_exaggeration);

        let whole = filled(source);
        go_on()?;
        let true_bed = generalised(&fit(&sharpened(&whole)), cell, scale);
        let bed = raise(true_bed.clone());
        go_on()?;
        // Bed and depth are added before they are smoothed, so that lakes stay level.
        let pond = water_depth(scene).map(|depth| {
            let level = Grid2::from_fn(whole.cols(), whole.rows(), |c, r| whole.at(c, r) + depth.at(c, r));
            (wetness(&fit(&depth), style, scale), raise(fit(&level)))
        });
        let surface = match &pond {
            None => bed.clone(),
            Some((wetness, level)) => Grid2::from_fn(cols, rows, |col, row| {
                let (dry, wet) = (bed.at(col, row), level.at(col, row));
                dry + (wet - dry) * cover(wetness.at(col, row))
            }),
        };

        let lamps = Lamps::new(style);
        go_on()?;
        let sun = sunlight(&surface, cell, style, scene.stop);
        go_on()?;
        let sky = sky_view(&surface, cell, scene.stop);
        go_on()?;
        let crest = crest_light(&surface, cell, scale);
        let slope = slopes(&bed, cell);
        go_on()?;
        let deposit = scene.deposit_depth.map(|depth| fit(&filled(depth)));
        let mut bed_light = albedo(&true_bed, deposit.as_ref(), style, cell, scale);
        go_on()?;
        bed_light.for_each_row(|row, cells| {
            for (col, light) in cells.iter_mut().enumerate() {
                let facing = normal(slope.at(col, row));
                *light *= lamps.light_on(facing, sun.at(col, row), sky.at(col, row)) * crest.at(col, row);
            }
        });
        mark_missing(&mut bed_light, source);
        let water = pond.map(|(wetness, level)| Water {
            wetness,
            light: Grid2::from_fn(cols, rows, |c, r| lamps.light_on(Vec3::Z, sun.at(c, r), sky.at(c, r))),
            slope: slopes(&level, cell),
            shallow: linear(style.palette.water_shallow),
            deep: linear(style.palette.water_deep),
            to_sun: lamps.to_sun,
        });
        Some(Self { cell, bed, surface, bed_light, water, lamps })
    }

    /// How steeply the surface at a place in cells falls towards the sun's side `[-]`.
    pub(crate) fn fall(&self, place: Vec2) -> f32 {
        let rise = |step: Vec2| sample(&self.surface, place + step) - sample(&self.surface, place - step);
        let slope = Vec2::new(rise(Vec2::X), -rise(Vec2::Y)) / (2.0 * self.cell);
        -slope.dot(self.lamps.to_sun.truncate().normalize_or_zero())
    }

    /// Light on an open upright face with that normal.
    pub(crate) fn light_on_wall(&self, normal: Vec3) -> Vec3 {
        /// Share of full skylight on an upright face: half the sky, and what the table throws back `[-]`.
        const OPEN: f32 = 0.85;
        self.lamps.light_on(normal, 1.0, OPEN)
    }
}

impl Water {
    /// The light seen when looking at a bed of light `bed` through the water at a place (in cells) from
    /// the direction `to_eye`, while the sky mirrored there has the light `mirrored`.
    pub(crate) fn over(&self, bed: Vec3, place: Vec2, to_eye: Vec3, mirrored: impl Fn(Vec3) -> Vec3) -> Vec3 {
        /// Share of the bed that even the thinnest drawn water hides: a map must show its rivers `[-]`.
        const VEIL: f32 = 0.62;
        /// The sun's glitter on small waves that the grid does not hold: its strength and the exponent of
        /// its lobe (Blinn 1977), wide because such waves lean all ways `[-]`.
        const GLITTER: f32 = 0.12;
        const LOBE: i32 = 48;
        let wetness = sample(&self.wetness, place);
        let cover = cover(wetness);
        if cover <= 0.0 {
            return bed;
        }
        let light = sample(&self.light, place);
        let body = self.shallow.lerp(self.deep, wetness) * light;
        let opacity = VEIL + (1.0 - VEIL) * wetness;
        // Where a stream is narrower than the grid can tell, its surface leans with the banks.
        let slope = sample(&self.slope, place).clamp_length_max(0.2);
        let normal = normal(slope);
        // Schlick 1994, with the 2 % that water mirrors when looked at from straight above.
        let fresnel = 0.02 + 0.98 * (1.0 - normal.dot(to_eye).clamp(0.0, 1.0)).powi(5);
        let half = (to_eye + self.to_sun).normalize_or_zero();
        let glitter = GLITTER * normal.dot(half).max(0.0).powi(LOBE);
        let away = 2.0 * normal.dot(to_eye) * normal - to_eye;
        let water = bed.lerp(body, opacity).lerp(mirrored(away), fresnel) + glitter * light;
        bed.lerp(water, cover)
    }

    /// Colour of the water where the side of a block cuts it, in white light.
    pub(crate) fn cut(&self, place: Vec2) -> Vec3 {
        self.shallow.lerp(self.deep, 0.5 * sample(&self.wetness, place))
    }
}

/// Share of a cell that the water covers `[-]`: films fade in, so that no cell flickers at the threshold.
fn cover(wetness: f32) -> f32 {
    smoothstep(0.0, 0.22, wetness)
}

/// The sun, its fill lights, and how bright they are together.
pub(crate) struct Lamps {
    pub to_sun: Vec3,
    to_fill: [Vec3; 3],
    /// Light of the sun on a surface that faces it, such that level ground receives 1 in all `[-]`.
    strength: f32,
}

impl Lamps {
    pub(crate) fn new(style: &ReliefStyle) -> Self {
        let towards = |azimuth: f32| {
            let level = style.sun_elevation.cos();
            Vec3::new(azimuth.sin() * level, azimuth.cos() * level, style.sun_elevation.sin())
        };
        Self {
            to_sun: towards(style.sun_azimuth),
            to_fill: [-2.0, -1.0, 1.0].map(|eighth| towards(style.sun_azimuth + eighth * FRAC_PI_4)),
            strength: (1.0 - SKY_SHARE) / style.sun_elevation.sin(),
        }
    }

    /// Light on a surface with that normal, which sees shares of the sun and of the sky.
    pub(crate) fn light_on(&self, normal: Vec3, sun: f32, sky: f32) -> Vec3 {
        let facing = |to_light: Vec3| normal.dot(to_light).max(0.0);
        let fill = self.to_fill.map(facing).iter().sum::<f32>() / self.to_fill.len() as f32;
        let direct = (1.0 - FILL_SHARE) * facing(self.to_sun) * sun + FILL_SHARE * fill * sky;
        SUN * (direct * self.strength) + SKY * (SKY_SHARE * sky * sky)
    }
}

/// Water above the bed `[m]`; none where either of them is not a number.
fn water_depth(scene: &Scene) -> Option<Grid2<f32>> {
    let (bed, depth) = (scene.bed_height, scene.water_depth?);
    Some(Grid2::from_fn(bed.cols(), bed.rows(), |col, row| {
        let known = bed.at(col, row).is_finite() && depth.at(col, row).is_finite();
        if known { depth.at(col, row).max(0.0) } else { 0.0 }
    }))
}

/// Factor on the light `[-]`: crests a little brighter, gullies a little darker. Curvature draws the lines
/// that light alone leaves soft (Kennelly 2008).
fn crest_light(surface: &Grid2<f32>, cell: f32, scale: f32) -> Grid2<f32> {
    /// Gain for each cell of height above the mean of the surroundings, and the most that it may do `[-]`.
    const GAIN: f32 = 0.3;
    const MOST: f32 = 0.15;
    let soft = blurred(surface, 1.5 * scale);
    Grid2::from_fn(surface.cols(), surface.rows(), |col, row| {
        let rise = (surface.at(col, row) - soft.at(col, row)) / (cell * scale);
        1.0 + (GAIN * rise).clamp(-MOST, MOST)
    })
}

/// Heights for shading: gentle ground is smoothed, steep ground is left alone. Whole-metre steps show
/// only where the true slope is small, and mapmakers smooth plains more than ridges anyway
/// (Leonowicz, Jenny & Hurni 2009).
fn generalised(bed: &Grid2<f32>, cell: f32, scale: f32) -> Grid2<f32> {
    let soft = blurred(bed, 2.0 * scale);
    // Steepness of the surroundings: a crest is level at its top, but no plain.
    let steepness = blurred(&slopes(&soft, cell).map(Vec2::length), 3.0 * scale);
    Grid2::from_fn(bed.cols(), bed.rows(), |col, row| {
        let detail = smoothstep(0.03, 0.2, steepness.at(col, row));
        soft.at(col, row) + (bed.at(col, row) - soft.at(col, row)) * detail
    })
}

/// Rise to the east and north (Horn 1981); exact on planes, up to the edges.
pub(crate) fn slopes(height: &Grid2<f32>, cell: f32) -> Grid2<Vec2> {
    let (cols, rows) = (height.cols(), height.rows());
    Grid2::from_fn(cols, rows, |col, row| {
        let (west, east) = (col.saturating_sub(1), (col + 1).min(cols - 1));
        let (north, south) = (row.saturating_sub(1), (row + 1).min(rows - 1));
        let across = |row: usize| height.at(east, row) - height.at(west, row);
        let upward = |col: usize| height.at(col, north) - height.at(col, south);
        let weigh =
            |a: f32, b: f32, c: f32, span: usize| (a + 2.0 * b + c) / (4.0 * cell * span.max(1) as f32);
        Vec2::new(
            weigh(across(north), across(row), across(south), east - west),
            weigh(upward(west), upward(col), upward(east), south - north),
        )
    })
}

/// Upward normal of a surface of that rise to the east and north.
fn normal(slope: Vec2) -> Vec3 {
    Vec3::new(-slope.x, -slope.y, 1.0).normalize()
}

/// Colours of the ground as pictures have them, before any light falls on it: red, green and blue, linear `[-]`. For meshes and
/// other programs. Cells are `cell` metres wide; where `deposit` `[m]` lies deep it hides what was there.
pub fn ground_colours(
    bed: &Grid2<f32>,
    deposit: Option<&Grid2<f32>>,
    style: &ReliefStyle,
    cell: f32,
) -> Grid2<[f32; 3]> {
    albedo(&filled(bed), deposit.map(filled).as_ref(), style, cell, 1.0).map(|colour| colour.to_array())
}

/// Colour of the ground in white light: by height, by slope in true degrees, and by whether a place
/// lies in a hollow (damp, green) or on a rib (dry, bare) of its surroundings.
fn albedo(
    bed: &Grid2<f32>,
    deposit: Option<&Grid2<f32>>,
    style: &ReliefStyle,
    cell: f32,
    scale: f32,
) -> Grid2<Vec3> {
    let palette = &style.palette;
    let tints = [palette.valley, palette.slope, palette.upland, palette.summit].map(linear);
    let (rock, snow, sand) = (linear(palette.rock), linear(palette.snow), linear(palette.deposit));
    let (low, high) =
        style.height_range.map_or_else(|| bed.range().unwrap_or((0.0, 1.0)), |[low, high]| (low, high));
    // On nearly flat ground metres would paint stripes: there the range is at least this share of the width.
    let span = (high - low).max(0.02 * cell * bed.cols() as f32);
    let line = style.snow_level([low, high], span);
    // Soil and snow do not follow every pebble: their slope is that of a few cells.
    let slope = slopes(&blurred(bed, 1.2 * scale), cell);
    let surroundings = blurred(bed, 0.02 * bed.cols().max(bed.rows()) as f32);
    Grid2::from_fn(bed.cols(), bed.rows(), |col, row| {
        let here = bed.at(col, row);
        let degrees = slope.at(col, row).length().atan().to_degrees();
        let rib = ((here - surroundings.at(col, row)) / (0.08 * span)).clamp(-1.0, 1.0);
        let level = ((here - low) / span).clamp(0.0, 1.0);
        // Slopes that face north keep their damp: rise to the north is what faces south.
        let sunny = slope.at(col, row).y.clamp(-0.6, 0.6);
        let tint = ramp(&tints, (level + 0.10 * rib + 0.05 * sunny).clamp(0.0, 1.0));
        let bare = smoothstep(25.0, 41.0, degrees + 6.0 * rib + 8.0 * (level - 0.5));
        let cold = if line < 1.0 {
            smoothstep(line - 0.03, line + 0.05, level - 0.03 * rib - 0.08 * sunny)
        } else {
            0.0
        };
        let white = cold * (1.0 - smoothstep(30.0, 46.0, degrees));
        let sandy = deposit.map_or(0.0, |depth| smoothstep(0.0, style.deposit_full, depth.at(col, row)));
        tint.lerp(rock, 0.85 * bare).lerp(snow, white).lerp(sand, 0.8 * sandy)
    })
}

/// The colour at `t` in [0, 1] of evenly spaced stops.
fn ramp(stops: &[Vec3], t: f32) -> Vec3 {
    let at = t * (stops.len() - 1) as f32;
    let i = (at as usize).min(stops.len() - 2);
    stops[i].lerp(stops[i + 1], smoothstep(0.0, 1.0, at - i as f32))
}

fn wetness(depth: &Grid2<f32>, style: &ReliefStyle, scale: f32) -> Grid2<f32> {
    let min = style.water_min_depth;
    let span = (style.water_deep / min).ln().max(f32::EPSILON);
    let raw = depth.map(|depth| ((depth.max(0.25 * min) / min).ln() / span).min(1.0));
    // Half a cell of blur joins the cells of a thin stream into a line.
    blurred(&raw, 0.7 * scale)
}

/// Paints the cells whose height is not a number; on a larger grid, all that the cell covers.
fn mark_missing(light: &mut Grid2<Vec3>, source: &Grid2<f32>) {
    if source.values().iter().all(|v| v.is_finite()) {
        return;
    }
    let (cols, rows) = (light.cols(), light.rows());
    // Brighter than any ground, so that the tone curve takes it to its end.
    let missing = linear(MISSING) * 8.0;
    light.for_each_row(|row, cells| {
        for (col, light) in cells.iter_mut().enumerate() {
            if !source.at(col * source.cols() / cols, row * source.rows() / rows).is_finite() {
                *light = missing;
            }
        }
    });
}

/// Bilinear value at a place in cells; outside, the edge continues.
pub(crate) fn sample<T>(grid: &Grid2<T>, place: Vec2) -> T
where
    T: Copy + Add<Output = T> + Mul<f32, Output = T>,
{
    let place = place.clamp(Vec2::ZERO, Vec2::new((grid.cols() - 1) as f32, (grid.rows() - 1) as f32));
    let (col, row) = (place.x as usize, place.y as usize);
    let (east, south) = ((col + 1).min(grid.cols() - 1), (row + 1).min(grid.rows() - 1));
    let (x, y) = (place.x - col as f32, place.y - row as f32);
    (grid.at(col, row) * (1.0 - x) + grid.at(east, row) * x) * (1.0 - y)
        + (grid.at(col, south) * (1.0 - x) + grid.at(east, south) * x) * y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_a_plane_are_exact_up_to_the_edges() {
        for (cols, rows) in [(9, 7), (1, 5), (2, 1)] {
            let plane = Grid2::from_fn(cols, rows, |c, r| 3.0 * c as f32 - 4.0 * r as f32);
            let expected = Vec2::new(if cols > 1 { 1.5 } else { 0.0 }, if rows > 1 { 2.0 } else { 0.0 });
            assert!(slopes(&plane, 2.0).values().iter().all(|s| (*s - expected).length() < 1.0e-5));
        }
    }

    #[test]
    fn level_open_ground_receives_one() {
        let light = Lamps::new(&ReliefStyle::default()).light_on(Vec3::Z, 1.0, 1.0);
        let grey = light.dot(Vec3::new(0.2126, 0.7152, 0.0722));
        assert!((grey - 1.0).abs() < 0.02, "{grey}");
    }
}
