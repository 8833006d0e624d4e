//! Where water of particles is white: air that it has caught, crests that break, and drops that fly (Ihmsen et al. 2012).
//!
//! Pictures are drawn by it, and files of particles tell it to other renderers.

pub(crate) mod near;

use near::Near;
use std::borrow::Cow;
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
/// How much the surface turns within reach where a crest begins to break, and where it is all foam, as 1 − the cosine `[-]`.
const CURLED: [f32; 2] = [0.15, 0.4];
/// A crest breaks where the water goes this much along its normal: the cosine between them (Ihmsen et al. 2012, eq. 6) `[-]`.
const FORWARD: f32 = 0.6;
/// Share of full company below which a particle turns to spray, and that at which it is spray alone `[-]`. A sheet one particle
/// thick has 0.42, the end of a row of them 0.07.
const SCATTERED: [f32; 2] = [0.25, 0.08];
/// Particles whose neighbours pull this much to one side lie at the surface `[-]`.
const OUTSIDE: f32 = 0.15;
/// Particles that one thread takes at a time.
const CHUNK: usize = 4096;

type Vector = [f32; 3];

/// Particles with the columns `foam` and `spray`, if it is known how fast they are; columns that are there are kept.
pub(crate) fn with_whitewater(points: &Points) -> Cow<'_, Points> {
    let missing = |column: &Column| points.column(&column.info.name).is_none();
    let there = ["foam", "spray"].iter().all(|name| points.column(name).is_some());
    let Some(columns) = (if there { None } else { whitewater(points) }) else { return Cow::Borrowed(points) };
    let mut points = Cow::Borrowed(points);
    for column in columns.into_iter().filter(missing) {
        points.to_mut().columns.push(column);
    }
    points
}

/// Shares of each particle that are foam and spray; `None` if nobody knows how fast they are.
fn whitewater(points: &Points) -> Option<[Column; 2]> {
    let full = |name| points.column(name).filter(|column| column.values.len() == points.len());
    let [Some(u), Some(v), Some(w)] = ["velocity_x", "velocity_y", "velocity_z"].map(full) else {
        return None;
    };
    let velocities: Vec<Vector> =
        (0..points.len()).map(|i| [u.values[i], v.values[i], w.values[i]]).collect();
    let water = Water {
        places: &points.positions,
        velocities: &velocities,
        near: &Near::new(&points.positions, REACH * points.radius),
    };
    let normals = each(points.len(), |i| water.normal(i));
    let white = each(points.len(), |i| water.whiteness(i, &normals));
    let column = |name, meaning, which: usize| Column {
        info: FieldInfo::new(name, "-", meaning),
        values: white.iter().map(|shares| shares[which]).collect(),
    };
    Some([
        column("foam", "share of the water that is white with air", 0),
        column("spray", "share of the water that flies as drops", 1),
    ])
}

/// A value for each particle, on all threads.
fn each<T: Send + Clone + Default>(count: usize, value: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut values = vec![T::default(); count];
    band::for_each_chunk(&mut values, CHUNK, |index, chunk| {
        for (i, slot) in (index * CHUNK..).zip(chunk) {
            *slot = value(i);
        }
    });
    values
}

struct Water<'a> {
    places: &'a [Vector],
    velocities: &'a [Vector],
    near: &'a Near<'a>,
}

impl Water<'_> {
    /// The particles around one: their numbers, the way from each to this one, how far that is, and their weights.
    fn around(&self, i: usize) -> impl Iterator<Item = (usize, Vector, f32, f32)> {
        let here = self.places[i];
        self.near.around(here).filter(move |(j, _)| *j != i).map(move |(j, square)| {
            let apart = minus(here, self.places[j]);
            (j, apart, length(apart).max(1.0e-12), 1.0 - square.sqrt())
        })
    }

    /// Out of the water, where a particle lies at its surface; else 0.
    fn normal(&self, i: usize) -> Vector {
        let mut sum = [0.0; 3];
        for (_, apart, far, weight) in self.around(i) {
            for axis in 0..3 {
                sum[axis] += weight * apart[axis] / far;
            }
        }
        let one_sided = length(sum);
        if one_sided > OUTSIDE * INSIDE { sum.map(|part| part / one_sided) } else { [0.0; 3] }
    }

    /// Shares that are foam and spray.
    fn whiteness(&self, i: usize, normals: &[Vector]) -> [f32; 2] {
        let fast = smooth(FAST, length(self.velocities[i]));
        if fast == 0.0 {
            return [0.0; 2];
        }
        let (stirred, company) = self.stirring(i);
        let trapped = smooth(STIRRED, stirred);
        [fast * trapped.max(smooth(CURLED, self.crest(i, normals))), fast * smooth(SCATTERED, company)]
    }

    /// How fast the particles around one run into it `[m/s]`, and how many there are, as a share of all that have room `[-]`.
    ///
    /// The trapped air of Ihmsen et al. 2012, eq. 2, as a weighted mean, so that it is a speed whatever the spacing.
    fn stirring(&self, i: usize) -> (f32, f32) {
        let (mut stirred, mut company) = (0.0, 0.0);
        for (j, apart, far, weight) in self.around(i) {
            let against = minus(self.velocities[i], self.velocities[j]);
            // ‖v‖ (1 − v̂ · x̂): twice the speed of what comes straight on, nothing of what leaves.
            stirred += weight * (length(against) - dot(against, apart) / far);
            company += weight;
        }
        (stirred / INSIDE, company / INSIDE)
    }

    /// How sharply the surface bends around a particle that goes out of the water, as the mean of 1 − the cosine of its turn
    /// `[-]`: wave crests of Ihmsen et al. 2012, eqs. 3 to 6.
    fn crest(&self, i: usize, normals: &[Vector]) -> f32 {
        let (normal, velocity) = (normals[i], self.velocities[i]);
        if dot(velocity, normal) < FORWARD * length(velocity) {
            return 0.0;
        }
        let (mut turned, mut weights) = (0.0, 0.0);
        for (j, apart, _, weight) in self.around(i) {
            // Hollows are no crests, and inside the water there is no surface.
            if dot(apart, normal) > 0.0 && normals[j] != [0.0; 3] {
                turned += weight * (1.0 - dot(normal, normals[j]));
                weights += weight;
            }
        }
        if weights > 0.0 { turned / weights } else { 0.0 }
    }
}

fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn dot(a: Vector, b: Vector) -> f32 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}

fn length(vector: Vector) -> f32 {
    dot(vector, vector).sqrt()
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
        Points { positions, radius: RADIUS, columns, ..Points::default() }
    }

    fn foam(points: &Points) -> Vec<f32> {
        whitewater(points).unwrap()[0].values.clone()
    }

    fn spray(points: &Points) -> Vec<f32> {
        whitewater(points).unwrap()[1].values.clone()
    }

    #[test]
    fn a_block_that_flies_as_one_stays_clear() {
        let points = block(|_| [0.0, 4.0, -7.0]);
        // Its corners have an eighth of the company, and its edges are sharp.
        for values in [foam(&points), spray(&points)] {
            let white = values.iter().filter(|share| **share > 0.01).count();
            assert!(white < 20 * 12, "{white} of 8000 are white");
        }
    }

    #[test]
    fn two_streams_that_collide_foam_where_they_meet() {
        let points = block(|[x, ..]| [if x < 1.0 { 4.0 } else { -4.0 }, 0.0, 0.0]);
        let values = foam(&points);
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
        let parting = foam(&block(|[x, ..]| [if x < 1.0 { -4.0 } else { 4.0 }, 0.0, 0.0]));
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
            spray(&points)
        };
        assert!(alone(-5.0).iter().all(|spray| *spray == 1.0));
        assert!(alone(-0.9).iter().all(|spray| *spray == 0.0));
    }

    #[test]
    fn what_is_no_number_is_no_foam_and_without_speeds_nothing_is_known() {
        let mut points = block(|[x, ..]| [0.0, 0.0, if x < 0.1 { f32::NAN } else { 6.0 }]);
        points.positions[777] = [f32::NAN; 3];
        for values in [foam(&points), spray(&points)] {
            assert!(values.iter().all(|share| (0.0..=1.0).contains(share)));
        }
        points.columns.remove(1);
        assert_eq!(whitewater(&points), None);
        assert!(matches!(with_whitewater(&points), Cow::Borrowed(_)));
    }

    /// A ridge of water that leans over and is thrown ahead is white at its edge alone; lying water is not.
    #[test]
    fn a_sharp_crest_that_goes_ahead_breaks() {
        let mut points = block(|_| [0.0, 0.0, 6.0]);
        // A wedge with its edge up.
        let inside = |[x, _, z]: &Vector| (x - 1.0).abs() < 0.8 * (2.0 - z) + 0.06;
        let keep: Vec<bool> = points.positions.iter().map(inside).collect();
        let kept = |i: &usize| keep[*i];
        let order: Vec<usize> = (0..8000).filter(kept).collect();
        points.positions = order.iter().map(|&i| points.positions[i]).collect();
        for column in &mut points.columns {
            column.values = order.iter().map(|&i| column.values[i]).collect();
        }
        let values = foam(&points);
        let mean = |from: f32, to: f32| {
            let there = |(place, foam): (&Vector, &f32)| {
                ((from..to).contains(&place[2]) && (0.4..1.6).contains(&place[1])).then_some(*foam)
            };
            let found: Vec<f32> = points.positions.iter().zip(&values).filter_map(there).collect();
            found.iter().sum::<f32>() / found.len() as f32
        };
        let [edge, flank] = [mean(1.9, 2.0), mean(0.4, 1.4)];
        assert!(edge > 0.2 && flank < 0.02, "{edge} at the edge, {flank} below");
    }

    #[test]
    fn columns_that_are_there_are_kept() {
        let mut points = block(|_| [0.0, 0.0, -5.0]);
        let info = FieldInfo::new("foam", "-", "somebody else's");
        points.columns.push(Column { info, values: vec![0.25; 8000] });
        let all = with_whitewater(&points);
        assert!(all.column("foam").unwrap().values.iter().all(|foam| *foam == 0.25));
        assert_eq!(all.column("spray").unwrap().values.len(), 8000);
        assert_eq!(all.columns.len(), 5);
    }
}
