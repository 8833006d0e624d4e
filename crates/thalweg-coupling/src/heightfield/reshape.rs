//! How a triangle that gains or loses ground moves its vertices (Kataev 2022, 1.5.7; eqs. 1.70 and 1.71).

use super::bed::{Bed, Triangle};

/// Calls `raise` with vertices and heights `[m]` so that the volume of the bed changes by `volume` `[m³]`: a third of it belongs to each vertex of the
/// triangle, and is spread over all triangles around that. What differs from cell to cell fades to a ninth; a slope that loses the same everywhere
/// stays one.
pub fn change_smoothly(
    bed: &mut Bed,
    triangle: Triangle,
    volume: f64,
    mut raise: impl FnMut(&mut Bed, usize, f64),
) {
    for middle in bed.corners(triangle) {
        let each = volume / 9.0 / f64::from(bed.triangles_at(middle));
        for around in bed.triangles_around(middle) {
            for vertex in bed.corners(around) {
                let by = each / bed.area_at(vertex);
                raise(bed, vertex, by);
            }
        }
    }
}

/// The same for the vertices of the triangle alone: the lowest ones rise first until they are even with the next, the highest sink first.
///
/// Moving a vertex moves all triangles around it. Eq. 1.71 counts six, which is right inside; at edges and corners there
/// are fewer, and the true number keeps the volume.
pub fn change_lowest_first(
    bed: &mut Bed,
    triangle: Triangle,
    volume: f64,
    mut raise: impl FnMut(&mut Bed, usize, f64),
) {
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
    for (corner, moved) in corners.into_iter().zip(moved).filter(|(_, moved)| *moved != 0.0) {
        raise(bed, corner.0, sign * moved);
    }
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

    fn smoothly(bed: &mut Bed, triangle: Triangle, gain: f64) {
        change_smoothly(bed, triangle, gain, Bed::raise);
    }

    fn lowest_first(bed: &mut Bed, triangle: Triangle, gain: f64) {
        change_lowest_first(bed, triangle, gain, Bed::raise);
    }

    #[test]
    fn a_triangle_changes_the_volume_of_the_bed_by_just_what_it_gains_also_at_edges_and_corners() {
        let ground = Heightfield {
            height: Grid2::from_fn(4, 4, |col, row| ((col * 5 + row * 3) % 7) as f32 * 0.03),
            frame: Frame::with_cell(0.5),
        };
        for triangle in 0..18 {
            for gain in [1.0e-6, 3.0e-3, 0.4, -1.0e-6, -2.0e-3, -0.7] {
                for rule in [smoothly, lowest_first] {
                    let mut bed = Bed::new(&ground);
                    let before = volume(&bed);
                    rule(&mut bed, triangle, gain);
                    let found = volume(&bed) - before;
                    assert!(
                        (found - gain).abs() < 1.0e-15 + 1.0e-12 * gain.abs(),
                        "{triangle}: {found} for {gain}"
                    );
                }
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
        // Vertices A and B are 0 m and 0.1 m high, C is 0.3 m; A belongs to one triangle, B and C to two.
        let third = Bed::new(&ground).triangle_area() / 3.0;
        let rise = |volume: f64| {
            let mut bed = Bed::new(&ground);
            lowest_first(&mut bed, 0, volume);
            [0, 1, 2].map(|vertex| bed.change()[vertex])
        };
        let near = |found: [f64; 3], expected: [f64; 3]| {
            let close = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1.0e-7);
            assert!(close, "{found:?}, not {expected:?}");
        };
        near(rise(0.05 * third), [0.05, 0.0, 0.0]);
        near(rise(0.1 * third + 0.06 * 3.0 * third), [0.16, 0.06, 0.0]);
        near(rise(-0.1 * 2.0 * third), [0.0, 0.0, -0.1]);
    }

    /// How much the bed differs from cell to cell after water has stood at a bank across the grid, and taken the same from every triangle below its
    /// level again and again: root of the mean square of four times a vertex less its neighbours `[m]`.
    fn notches(rule: fn(&mut Bed, Triangle, f64)) -> f64 {
        let (size, cell) = (20, 0.1);
        let bank = |col: usize, row: usize| 0.06 * col as f32 + 0.02 * row as f32;
        let ground = Heightfield { height: Grid2::from_fn(size, size, bank), frame: Frame::with_cell(cell) };
        let mut bed = Bed::new(&ground);
        let level = bed.exact_height(size / 2 * size + size / 2);
        for _ in 0..50 {
            for triangle in 0..bed.triangles() as Triangle {
                let mean = bed.corners(triangle).map(|v| bed.exact_height(v)).iter().sum::<f64>() / 3.0;
                if mean < level {
                    let loss = -2.0e-3 * bed.triangle_area();
                    rule(&mut bed, triangle, loss);
                }
            }
        }
        let change = |col: usize, row: usize| bed.change()[row * size + col];
        let uneven = |[i, j]: [usize; 2]| {
            4.0 * change(i, j) - change(i - 1, j) - change(i + 1, j) - change(i, j - 1) - change(i, j + 1)
        };
        let inside: Vec<_> = (4..size - 4).flat_map(|j| (4..size - 4).map(move |i| [i, j])).collect();
        (inside.iter().map(|&at| uneven(at).powi(2)).sum::<f64>() / inside.len() as f64).sqrt()
    }

    #[test]
    fn water_cuts_no_notches_into_its_bank() {
        let [smooth, notched] = [smoothly, lowest_first].map(notches);
        assert!(
            smooth < 0.5 * notched,
            "notches of {smooth:e} m, and of {notched:e} m with the lowest first"
        );
    }
}
