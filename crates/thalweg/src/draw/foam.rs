//! Where water of particles is white: air that it has caught, and spray.

use super::near::Near;
use thalweg_field::{Column, FieldInfo, Points, band};

/// How far particles stir each other, in radii: two of their spacings `[-]`.
const REACH: f32 = 4.0;
/// What the weights of the particles around one add up to inside a fluid at rest: those of a cubic lattice `[-]`.
const INSIDE: f32 = 7.587;
/// Slower water catches no air, from the second on it may be all white `[m/s]`. Water that plunges at less than about a
/// metre per second takes none along (Chanson 1996).
const FAST: [f32; 2] = [1.0, 3.0];
/// Speed against each other at which particles begin to catch air, and are all foam `[m/s]`.
const STIRRED: [f32; 2] = [1.0, 4.0];
/// Share of full company below which a particle turns to spray, and that at which it is spray alone `[-]`.
const SCATTERED: [f32; 2] = [0.45, 0.15];

/// Share of each particle that is foam; `None` if nobody knows how fast they are.
///
/// Air is caught where particles run into each other (Ihmsen et al. 2012, eq. 2, as a weighted mean, so that it is a speed
/// whatever the spacing), and between drops that fly alone.
pub(super) fn foam(points: &Points) -> Option<Column> {
    /// Particles that one thread takes at a time.
    const CHUNK: usize = 4096;
    let full = |name| points.column(name).filter(|column| column.values.len() == points.len());
    let [Some(u), Some(v), Some(w)] = ["velocity_x", "velocity_y", "velocity_z"].map(full) else {
        return None;
    };
    let velocity = |i: usize| [u.values[i], v.values[i], w.values[i]];
    let near = Near::new(&points.positions, REACH * points.radius);
    let mut values = vec![0.0; points.len()];
    band::for_each_chunk(&mut values, CHUNK, |index, values| {
        for (i, value) in (index * CHUNK..).zip(values) {
            let fast = smooth(FAST, length(velocity(i)));
            if fast > 0.0 {
                let (stirred, company) = stirring(points, &near, velocity, i);
                *value = fast * smooth(STIRRED, stirred).max(smooth(SCATTERED, company));
            }
        }
    });
    Some(Column { info: FieldInfo::new("foam", "-", "share of the water that is foam or spray"), values })
}

/// How fast the particles around one run into it `[m/s]`, and how many there are, as a share of all that have room `[-]`.
fn stirring(points: &Points, near: &Near, velocity: impl Fn(usize) -> [f32; 3], i: usize) -> (f32, f32) {
    let (here, own) = (points.positions[i], velocity(i));
    let (mut stirred, mut company) = (0.0, 0.0);
    for (j, square) in near.around(here).filter(|(j, _)| *j != i) {
        let [apart, against]: [[f32; 3]; 2] = [
            std::array::from_fn(|axis| here[axis] - points.positions[j][axis]),
            std::array::from_fn(|axis| own[axis] - velocity(j)[axis]),
        ];
        let weight = 1.0 - square.sqrt();
        let along: f32 =
            (0..3).map(|axis| against[axis] * apart[axis]).sum::<f32>() / length(apart).max(1.0e-12);
        // ‖v‖ (1 − v̂ · x̂): twice the speed of what comes straight on, nothing of what leaves.
        stirred += weight * (length(against) - along);
        company += weight;
    }
    (stirred / INSIDE, company / INSIDE)
}

fn length(vector: [f32; 3]) -> f32 {
    vector.iter().map(|part| part * part).sum::<f32>().sqrt()
}

/// 0 up to the first value, 1 from the second; what is no number is 0.
fn smooth([from, to]: [f32; 2], value: f32) -> f32 {
    let part = ((value - from) / (to - from)).clamp(0.0, 1.0);
    if part.is_nan() { 0.0 } else { part * part * (3.0 - 2.0 * part) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADIUS: f32 = 0.05;

    /// A block of water, whose particles have a speed by their place.
    fn block(velocity: impl Fn([f32; 3]) -> [f32; 3]) -> Points {
        let place = |i: usize| [i % 20, i / 20 % 20, i / 400].map(|n| (2 * n + 1) as f32 * RADIUS);
        let positions: Vec<[f32; 3]> = (0..8000).map(place).collect();
        let column = |axis: usize| Column {
            info: FieldInfo::new(["velocity_x", "velocity_y", "velocity_z"][axis], "m/s", ""),
            values: positions.iter().map(|place| velocity(*place)[axis]).collect(),
        };
        let columns = (0..3).map(column).collect();
        Points { positions, radius: RADIUS, columns }
    }

    fn whiteness(points: &Points) -> Vec<f32> {
        foam(points).unwrap().values
    }

    #[test]
    fn a_block_that_flies_as_one_stays_clear() {
        let values = whiteness(&block(|_| [0.0, 4.0, -7.0]));
        // Its corners have an eighth of the company.
        let white = values.iter().filter(|foam| **foam > 0.01).count();
        assert!(white < 20 * 12, "{white} of 8000 are white");
    }

    #[test]
    fn two_streams_that_collide_foam_where_they_meet() {
        let points = block(|[x, ..]| [if x < 1.0 { 4.0 } else { -4.0 }, 0.0, 0.0]);
        let values = whiteness(&points);
        for (place, foam) in points.positions.iter().zip(values) {
            let inside = place[1..].iter().all(|at| (0.3..1.7).contains(at));
            let off = (place[0] - 1.0).abs();
            if inside && off < 2.0 * RADIUS {
                assert!(foam > 0.9, "{foam} at {place:?}");
            } else if inside && (0.3..0.7).contains(&off) {
                assert!(foam == 0.0, "{foam} at {place:?}");
            }
        }
        // What parts catches nothing.
        let parting = whiteness(&block(|[x, ..]| [if x < 1.0 { -4.0 } else { 4.0 }, 0.0, 0.0]));
        let middle = 9 + 20 * (10 + 20 * 10);
        assert!(parting[middle] < 0.01, "{}", parting[middle]);
    }

    #[test]
    fn drops_are_white_when_they_fly_and_clear_when_they_rest() {
        let alone = |speed: f32| {
            let mut points = block(|_| [0.0, 0.0, speed]);
            for (i, place) in points.positions.iter_mut().enumerate() {
                *place = [i as f32, 0.0, 0.0];
            }
            whiteness(&points)
        };
        assert!(alone(-5.0).iter().all(|foam| *foam == 1.0));
        assert!(alone(-0.9).iter().all(|foam| *foam == 0.0));
    }

    #[test]
    fn what_is_no_number_is_no_foam_and_without_speeds_nothing_is_known() {
        let mut points = block(|[x, ..]| [0.0, 0.0, if x < 0.1 { f32::NAN } else { 6.0 }]);
        points.positions[777] = [f32::NAN; 3];
        assert!(whiteness(&points).iter().all(|foam| (0.0..=1.0).contains(foam)));
        points.columns.remove(1);
        assert_eq!(foam(&points), None);
    }
}
