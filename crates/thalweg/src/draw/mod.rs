//! Drawing: which renderer, and what stands around the landscape in a picture.
//!
//! A [`Painter`] draws snapshots with the graphics device, or with the processor where there is none, and adds what
//! makes a picture readable: a scale bar, an arrow to the north, a legend, a title. [`lay_over`] works out the
//! quantities that a picture may show and a run does not keep. [`Film`] turns pictures into a video.

mod film;
mod marks;
mod overlay;
mod painter;
mod tint;

pub use film::{Film, is_film};
pub use marks::Marks;
pub use overlay::{NoField, keep_colours, lay_over};
pub use painter::{DrawError, Exposure, Model, Painter, Resolve};
pub(crate) use tint::tints;

use crate::project::Scene;
use crate::world::{Ground, standing_water};
use std::path::Path;
use thalweg_field::{Field, FieldInfo, Heightfield, Snapshot, Strata};
use thalweg_io::{WriteError, write_jpeg_rgb, write_png_rgb};
use thalweg_render::{Look, Picture};
use thalweg_terrain::LitSurface;
use thalweg_terrain::volume::Volume;

/// Quality of JPEG pictures: no loss that can be seen, a tenth of the bytes of a PNG.
const JPEG_QUALITY: u8 = 92;

/// Names under which a picture can be written.
pub const PICTURES: &str = ".png or .jpg";

/// A look whose colours mean the same heights in every picture of a run, whatever became of its ground.
#[must_use]
pub fn coloured_by(mut look: Look, start: &Heightfield) -> Look {
    look.relief.height_range = height_range(start);
    look
}

/// The heights that colours span on ground that begins like this `[m]`.
pub fn height_range(start: &Heightfield) -> Option<[f32; 2]> {
    start.height.range().map(|(low, high)| [low, high.max(low + 1.0)])
}

/// Ground alone, as a snapshot.
pub fn bare(ground: &Heightfield) -> Snapshot {
    let info = FieldInfo::new("height", "m", "height of the bed");
    Snapshot::of_fields(ground.frame.clone(), vec![Field { info, values: ground.height.clone() }])
}

/// A volume alone, as a snapshot; without beds its rock is all alike.
pub fn of_volume(volume: &Volume, strata: Option<&Strata>) -> Snapshot {
    Snapshot { ground: Some(LitSurface::of(volume, strata).shown().clone()), ..bare(&volume.heightfield()) }
}

/// The start of a scene: its ground, and the water that stands on it.
pub fn opening(scene: &Scene, start: &Ground) -> Snapshot {
    let mut opening = bare(start.heights());
    match start.volume() {
        Some(volume) => opening.ground = Some(start.mesh_of(volume)),
        None => {
            let info = FieldInfo::new("water", "m", "depth of the water above the bed");
            opening.fields.push(Field { info, values: standing_water(scene, start.heights()) });
        }
    }
    opening
}

/// Whether a picture can be written under that name.
pub fn is_picture(path: &Path) -> bool {
    matches!(extension(path).as_str(), "png" | "jpg" | "jpeg")
}

/// Whether the name is that of a PNG file, which may hold a picture or a moving one.
pub fn is_png(path: &Path) -> bool {
    extension(path) == "png"
}

/// Writes a picture in the format that its name tells.
pub fn write_picture(path: &Path, picture: &Picture) -> Result<(), WriteError> {
    let Picture { width, height, rgb } = picture;
    match extension(path).as_str() {
        "png" => write_png_rgb(path, *width, *height, rgb),
        "jpg" | "jpeg" => write_jpeg_rgb(path, *width, *height, rgb, JPEG_QUALITY),
        _ => Err(WriteError::Extension { path: path.into(), expected: PICTURES }),
    }
}

/// What follows the last dot of a name, in small letters.
fn extension(path: &Path) -> String {
    path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}
