//! The ground from straight above.

use glam::{Vec2, Vec3};
use thalweg_field::{Grid2, band};

use super::lit_ground::LitGround;
use super::resample::shrunk;
use crate::light::{srgb, tone};
use crate::{Picture, ReliefStyle, Scene};

/// Draws a scene from above, north up, with `side` pixels along its longer side.
///
/// Sun with cast shadows, fill lights from neighbouring directions and the share of the sky that each
/// place sees, on colours by height and slope (after Imhof 1965), with translucent water. A picture
/// larger than the grid is shaded at its own resolution on a smooth surface through the cells; a
/// smaller one is the mean of the cells in each pixel, in linear light.
///
/// # Panics
/// If the scene's grids differ in shape.
pub fn relief(scene: &Scene, style: &ReliefStyle, side: usize) -> Picture {
    let Some([width, height]) = picture_size(scene.bed_height, side) else {
        return Picture::filled(0, 0, [0; 3]);
    };
    let Some(ground) = LitGround::new(scene, style, side) else {
        return Picture::filled(width, height, [0; 3]);
    };
    developed(&shrunk(&seen_from_above(&ground), width, height))
}

/// Width and height of a picture of a grid, given its longer side `[px]`; `None` if there is nothing to draw.
pub(crate) fn picture_size(grid: &Grid2<f32>, side: usize) -> Option<[usize; 2]> {
    let longest = grid.cols().max(grid.rows()) as f64;
    let fit = |count: usize| ((count as f64 * side as f64 / longest).round() as usize).max(1);
    (side > 0 && !grid.is_empty()).then(|| [fit(grid.cols()), fit(grid.rows())])
}

fn seen_from_above(ground: &LitGround) -> Grid2<Vec3> {
    /// The sky overhead that calm water mirrors to the viewer.
    const ZENITH: Vec3 = Vec3::new(0.35, 0.55, 0.9);
    let bed = &ground.bed_light;
    Grid2::from_fn(bed.cols(), bed.rows(), |col, row| {
        let light = bed.at(col, row);
        let place = Vec2::new(col as f32, row as f32);
        tone(ground.water.as_ref().map_or(light, |water| water.over(light, place, Vec3::Z, |_| ZENITH)))
    })
}

/// The 8-bit picture of light that went through the tone curve.
pub(crate) fn developed(light: &Grid2<Vec3>) -> Picture {
    let mut picture = Picture::filled(light.cols(), light.rows(), [0; 3]);
    band::for_each_chunk(&mut picture.rgb, light.cols() * 3, |row, bytes| {
        for (pixel, &light) in bytes.chunks_exact_mut(3).zip(light.row(row)) {
            pixel.copy_from_slice(&srgb(light, 0.0));
        }
    });
    picture
}
