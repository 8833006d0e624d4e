//! The colour that a surface has by the sediment of the particles it lies around.

use crate::whitewater::near::Near;
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
            let [red, green, blue] = look.water_colour(mean(&near, *place, &loads.values));
            *colour = [red, green, blue, 1.0];
        }
    });
    Some(colours)
}

/// Mean of the particles' values around a place, the nearer the more; 0 if there is none.
fn mean(near: &Near, place: [f32; 3], values: &[f32]) -> f32 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (number, square) in near.around(place).filter(|(number, _)| values[*number].is_finite()) {
        // The shape of the kernel of Müller et al. 2003, eq. 20.
        let weight = (1.0 - square).powi(3);
        sum += weight * values[number];
        weights += weight;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
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
        let columns = vec![Column { info, values }];
        Points { positions, radius: RADIUS, columns, ..Points::default() }
    }

    #[test]
    fn the_nearer_particle_counts_for_more_and_what_is_no_number_for_nothing() {
        let places = [[0.0; 3], [0.3, 0.0, 0.0], [0.1, 0.1, f32::NAN], [0.1, 0.0, 0.0], [-90.0, 0.0, 0.0]];
        let values = [0.0, 1.0, 50.0, f32::NAN, 70.0];
        let near = Near::new(&places, 0.4);
        let at = |x: f32| mean(&near, [x, 0.0, 0.0], &values);
        let [west, middle, east] = [0.05, 0.15, 0.25].map(at);
        assert!(west < 0.3 && (middle - 0.5).abs() < 1.0e-5 && east > 0.7, "{west} {middle} {east}");
        assert_eq!(at(20.0), 0.0, "far from all of them");
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
