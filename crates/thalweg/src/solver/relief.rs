//! Ground before and after: how a coarse pass hands it on, and what has become of the bed. Methods with passes share it.

use super::Setup;
use thalweg_field::{Grid2, Heightfield};
use thalweg_terrain::resample;

/// The next finer terrain with the shape that a pass gave it and a share of its own detail.
pub(super) fn finer(setup: &Setup, pass: usize, eroded: &Heightfield) -> Heightfield {
    let detail = setup.scene.time.coarse[pass].detail as f32;
    let before = setup.ground.of_pass(&setup.scene, pass);
    let own = setup.ground.of_pass(&setup.scene, pass + 1);
    let (cols, rows) = (own.height.cols(), own.height.rows());
    let smooth = resample(&before, cols, rows);
    let mut ground = resample(eroded, cols, rows);
    for (i, height) in ground.height.values_mut().iter_mut().enumerate() {
        *height += detail * (own.height.values()[i] - smooth.height.values()[i]);
    }
    ground.frame = own.frame;
    ground
}

/// Bed lost (sign -1) or gained (sign 1) since the beginning `[m]`.
pub(super) fn bed_moved(ground: &Heightfield, start: &Heightfield, sign: f32) -> Grid2<f32> {
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |c, r| {
        (sign * (ground.height.at(c, r) - start.height.at(c, r))).max(0.0)
    })
}
