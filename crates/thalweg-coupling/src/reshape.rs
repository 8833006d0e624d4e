//! How a triangle that gains or loses ground moves its vertices (Kataev 2022, 1.5.7; eqs. 1.70 and 1.71).

use crate::bed::{Bed, Triangle};

/// Moves the vertices of a triangle so that the volume of the bed changes by `volume` `[m³]`: the lowest ones rise first
/// until they are even with the next, the highest sink first.
///
/// Moving a vertex moves all triangles around it. Eq. 1.71 counts six, which is right inside; at edges and corners there
/// are fewer, and the true number keeps the volume.
pub fn changes(bed: &Bed, triangle: Triangle, volume: f64) -> [(usize, f64); 3] {
    let mut corners =
        bed.corners(triangle).map(|vertex| (vertex, bed.exact_height(vertex), bed.area_at(vertex)));
    let sign = if volume < 0.0 { -1.0 } else { 1.0 };
    corners.sort_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)).then(a.0.cmp(&b.0)));
    let mut left = volume.abs();
    let mut moved = [0.0; 3];
    for even in 1..=3 {
        // The first `even` vertices go together until they reach the next one, or until nothing is left.
        let area: f64 = corners[..even].iter().map(|corner| corner.2).sum();
        let gap = corners.get(even).map_or(f64::INFINITY, |next| sign * (next.1 - corners[even - 1].1));
        let step = gap.max(0.0).min(left / area);
        moved[..even].iter_mut().for_each(|moved| *moved += step);
        left -= step * area;
        if left <= 0.0 {
            break;
        }
    }
    std::array::from_fn(|k| (corners[k].0, sign * moved[k]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::{Frame, Grid2, Heightfield};

    /// Volume of the bed above 0 m, triangle by triangle.
    fn volume(bed: &Bed) -> f64 {
        let mean = |t: u32| bed.corners(t).iter().map(|&v| bed.exact_height(v)).sum::<f64>() / 3.0;
        (0..bed.triangles() as u32).map(|t| mean(t) * bed.triangle_area()).sum()
    }

    #[test]
    fn a_triangle_changes_the_volume_of_the_bed_by_just_what_it_gains_also_at_edges_and_corners() {
        let ground = Heightfield {
            height: Grid2::from_fn(4, 4, |col, row| ((col * 5 + row * 3) % 7) as f32 * 0.03),
            frame: Frame::with_cell(0.5),
        };
        for triangle in 0..18 {
            for gain in [1.0e-6, 3.0e-3, 0.4, -1.0e-6, -2.0e-3, -0.7] {
                let mut bed = Bed::new(&ground);
                let before = volume(&bed);
                for (vertex, by) in changes(&bed, triangle, gain) {
                    bed.raise(vertex, by);
                }
                let found = volume(&bed) - before;
                assert!(
                    (found - gain).abs() < 1.0e-15 + 1.0e-12 * gain.abs(),
                    "{triangle}: {found} for {gain}"
                );
            }
        }
    }

    #[test]
    fn the_lowest_vertex_rises_first_and_the_highest_sinks_first() {
        let heights = [0.0, 0.1, 0.3];
        let ground = Heightfield {
            height: Grid2::from_values(2, 2, vec![heights[2], 0.0, heights[0], heights[1]]).unwrap(),
            frame: Frame::with_cell(1.0),
        };
        let bed = Bed::new(&ground);
        // Vertices A and B are 0 m and 0.1 m high, C is 0.3 m; A belongs to one triangle, B and C to two.
        let third = bed.triangle_area() / 3.0;
        let rise = |volume: f64| changes(&bed, 0, volume);
        assert_eq!(rise(0.05 * third), [(0, 0.05), (1, 0.0), (2, 0.0)]);
        let even = rise(0.1 * third + 0.06 * 3.0 * third);
        assert!(
            (even[0].1 - 0.16).abs() < 1.0e-7 && (even[1].1 - 0.06).abs() < 1.0e-7 && even[2].1 == 0.0,
            "{even:?}"
        );
        let sink = rise(-0.1 * 2.0 * third);
        assert!(sink[0].0 == 2 && (sink[0].1 + 0.1).abs() < 1.0e-7 && sink[1].1 == 0.0, "{sink:?}");
    }
}
