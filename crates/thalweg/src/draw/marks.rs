//! What makes a picture readable: scale bar, north arrow, legend, title.

use crate::project::PictureTable;
use thalweg_field::{Points, Snapshot};
use thalweg_render::{Label, Legend, Lens, Look, ParticleShape, Picture, Spread, View};

/// What is drawn into a picture beside the landscape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// A bar of a round length; in perspective it holds for the middle of the picture.
    pub scale_bar: bool,
    /// An arrow to the north.
    pub north_arrow: bool,
    /// Colours and numbers of the overlay, or of what colours the particles.
    pub legend: bool,
    /// A line at the top; empty for none.
    pub title: String,
}

impl Marks {
    /// Those that a scene asks for.
    pub fn of(table: &PictureTable) -> Self {
        let PictureTable { scale_bar, north_arrow, legend, ref title, .. } = *table;
        Self { scale_bar, north_arrow, legend, title: title.clone() }
    }

    /// Draws them into a picture of a snapshot.
    pub(super) fn draw(&self, picture: &mut Picture, view: &View, snapshot: &Snapshot, look: &Look) {
        if self.scale_bar {
            let way = middle_distance(view, snapshot, look);
            picture.scale_bar(f64::from(view.metres_per_pixel(way, picture.height)));
        }
        if self.north_arrow {
            let [bearing, tilt] = north(view);
            picture.north_arrow(bearing, tilt);
        }
        if self.legend {
            draw_legend(picture, snapshot, look);
        }
        if !self.title.is_empty() {
            let size = 1.4 * picture.text_size();
            picture.label(&self.title, [size, 1.2 * size], &Label { size, ..Label::default() });
        }
    }
}

/// Where north lies in a picture, clockwise from up, and how steeply the view looks down `[rad]`.
fn north(view: &View) -> [f32; 2] {
    /// A view along the ground still tells ahead from behind if it is taken for one as steep as this `[rad]`.
    const LEAST_TILT: f32 = 0.37;
    let tilt = (-view.forward.z).clamp(-1.0, 1.0).asin().max(LEAST_TILT);
    // The right of the picture is level, so it tells the heading whatever the tilt.
    let heading = (-view.right.y).atan2(view.right.x);
    [(-heading.sin()).atan2(tilt.sin() * heading.cos()), tilt]
}

/// Tells the colours of the overlay, or else of the particles. Their ranges are in the look: see
/// [`ranged`](super::overlay::ranged).
fn draw_legend(picture: &mut Picture, snapshot: &Snapshot, look: &Look) {
    let overlay = look.overlay.as_ref().and_then(|overlay| {
        let field = snapshot.labelled(&overlay.field)?;
        Some((&field.info, &overlay.style, field.values.values()))
    });
    let particles = look.particles.colour.as_ref().filter(|_| look.particles.shape != ParticleShape::Hidden);
    let coloured = particles.and_then(|(name, style)| {
        let column = snapshot.points.as_ref()?.column(name)?;
        Some((&column.info, style, column.values.as_slice()))
    });
    if let Some((info, style, values)) = overlay.or(coloured) {
        picture.legend(&Legend::new(info, &Spread::of(values, style)), |at| style.colours.colour(at));
    }
}

/// How far the middle of the subject is along the view `[m]`.
fn middle_distance(view: &View, snapshot: &Snapshot, look: &Look) -> f32 {
    let Lens::Perspective(_) = view.lens else { return 1.0 };
    middle(snapshot, look).map_or(view.far * 0.5, |middle| {
        let way: f32 = (0..3).map(|axis| (middle[axis] - view.eye[axis]) * view.forward[axis]).sum();
        way.max(view.near)
    })
}

/// The middle of the ground, or of the particles and meshes where there is none `[m]`.
fn middle(snapshot: &Snapshot, look: &Look) -> Option<[f32; 3]> {
    let up = look.relief.vertical_exaggeration;
    if let Some(height) = snapshot.field("height") {
        let (low, high) = height.range()?;
        let cell = snapshot.frame.cell as f32;
        let half = |cells: usize| 0.5 * cells as f32 * cell;
        return Some([half(height.cols()), half(height.rows()), 0.5 * (low + high) * up]);
    }
    // Strays set neither the camera nor the scale.
    let points = snapshot.points.iter().filter_map(Points::bounds).flatten();
    let corners = snapshot.meshes.iter().flat_map(|mesh| &mesh.mesh.positions).copied();
    let mut all = points.chain(corners);
    let first = all.next()?;
    let [low, high] = all.fold([first, first], |[low, high], place| {
        [0, 1].map(|end| {
            std::array::from_fn(|i| if end == 0 { low[i].min(place[i]) } else { high[i].max(place[i]) })
        })
    });
    Some(std::array::from_fn(|axis| 0.5 * (low[axis] + high[axis]) * if axis == 2 { up } else { 1.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::{Frame, Grid2, Heightfield};
    use thalweg_render::{Camera, Extent};

    #[test]
    fn the_arrow_points_to_the_north() {
        let ground = Heightfield { height: Grid2::filled(9, 9, 3.0), frame: Frame::with_cell(5.0) };
        let bearing = |camera: &Camera| {
            let view = Extent::of(&crate::draw::bare(&ground)).view(camera, 1.0, 1.5);
            north(&view)[0].to_degrees()
        };
        let orbit = |yaw: f32, pitch: f32| Camera::orbit(yaw.to_radians(), pitch.to_radians());
        for (camera, expected) in [
            (Camera::Top, 0.0),
            (orbit(0.0, 35.0), 0.0),
            (orbit(0.0, 0.0), 0.0),
            (orbit(90.0, 35.0), -90.0),
            (orbit(-90.0, 0.0), 90.0),
            (orbit(45.0, 89.9), -45.0),
        ] {
            let found = bearing(&camera);
            assert!(
                (found - expected).abs() < 0.1,
                "{camera:?}: north lies at {found}, not {expected} degrees"
            );
        }
        let behind = bearing(&orbit(180.0, 20.0)).abs();
        assert!((behind - 180.0).abs() < 0.1, "seen from the north it lies at {behind} degrees");
    }
}
