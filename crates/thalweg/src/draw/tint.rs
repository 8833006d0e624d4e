//! The colour that a surface has by the sediment of the particles it lies around.

use super::near::Near;
use thalweg_field::{Points, TriMesh, band};
use thalweg_render::Look;

/// How far a particle tints, in radii: as far as it shapes the surface
/// ([`SurfaceParams::for_radius`](thalweg_surface::SurfaceParams::for_radius)) `[-]`.
const REACH: f32 = 4.0;

/// The colour of each corner, red, green, blue and opacity, linear; `None` if nobody knows what the particles carry.
pub(crate) fn tints(mesh: &TriMesh, points: &Points, look: &Look) -> Option<Vec<[f32; 4]>> {
    /// Corners that one thread takes at a time.
    const CHUNK: usize = 4096;
    let loads = points.column("sediment").filter(|column| column.values.len() == points.len())?;
    let near = Near::new(&points.positions, REACH * points.radius);
    let mut colours = vec![[0.0; 4]; mesh.positions.len()];
    band::for_each_chunk(&mut colours, CHUNK, |index, colours| {
        for (place, colour) in mesh.positions[index * CHUNK..].iter().zip(colours) {
            let [red, green, blue] = look.water_colour(near.mean(*place, &loads.values));
            *colour = [red, green, blue, 1.0];
        }
    });
    Some(colours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::{Column, FieldInfo};
    use thalweg_surface::{SurfaceParams, reconstruct};

    const RADIUS: f32 = 0.05;

    /// A block of water, clear in the west and muddy in the east.
    fn block() -> Points {
        let place = |i: usize| [i % 20, i / 20 % 10, i / 200].map(|n| (2 * n + 1) as f32 * RADIUS - 0.7);
        let positions: Vec<[f32; 3]> = (0..2000).map(place).collect();
        let values = positions.iter().map(|[x, ..]| if *x < 0.3 { 0.0 } else { 0.2 }).collect();
        let info = FieldInfo::new("sediment", "-", "share of the water that is sediment");
        Points { positions, radius: RADIUS, columns: vec![Column { info, values }] }
    }

    #[test]
    fn a_surface_is_blue_around_clear_water_and_brown_around_mud() {
        let mut look = Look::default();
        look.water.muddy = 0.05;
        let mut points = block();
        let mesh = reconstruct(&points, &SurfaceParams::of(&points)).unwrap();
        let colours = tints(&mesh, &points, &look).unwrap();
        assert_eq!(colours.len(), mesh.positions.len());
        let [clear, muddy] = [0.0, 0.2].map(|sediment| look.water_colour(sediment));
        let mut seen = [0; 2];
        for (place, colour) in mesh.positions.iter().zip(&colours) {
            // Between them they mix.
            let side = usize::from(place[0] > 0.3);
            if (place[0] - 0.3).abs() > REACH * RADIUS {
                let expected = [clear, muddy][side];
                let off = (0..3).map(|i| (colour[i] - expected[i]).abs()).fold(0.0, f32::max);
                assert!(off < 1.0e-6 && colour[3] == 1.0, "{colour:?} at {place:?}, not {expected:?}");
                seen[side] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 500), "{seen:?} corners on the sides");
        points.columns.clear();
        assert_eq!(tints(&mesh, &points, &look), None, "nobody knows what they carry");
    }
}
