//! Particles: places with named columns.

use crate::FieldInfo;

/// Places in space with any number of labelled values each. Metres east, north and up; east and north
/// count from the south-west corner of the terrain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// Where each one is `[m]`.
    pub positions: Vec<[f32; 3]>,
    /// Radius of all of them, as they are drawn `[m]`.
    pub radius: f32,
    /// The number that each was born with and keeps; empty if nobody counted.
    pub ids: Vec<u32>,
    /// What else is known of each.
    pub columns: Vec<Column>,
}

/// One value for each point.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its label.
    pub info: FieldInfo,
    /// As many values as there are points.
    pub values: Vec<f32>,
}

impl Points {
    /// The number of points.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.info.name == name)
    }

    /// Lowest and highest corner of the box that holds them `[m]`; `None` if there are none. Places that are no numbers do
    /// not count, and neither do strays: a few drops flung far from all others must not make a picture of nothing.
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        let places: Vec<[f32; 3]> =
            self.positions.iter().copied().filter(|place| place.iter().all(|v| v.is_finite())).collect();
        let mass: [[f32; 2]; 3] = std::array::from_fn(|axis| great_mass(&places, axis));
        let reach = mass.iter().map(|[low, high]| high - low).fold(0.0, f32::max);
        let near = |place: &&[f32; 3]| {
            place.iter().zip(mass).all(|(v, [low, high])| (low - reach..=high + reach).contains(v))
        };
        places.iter().filter(near).fold(None, |bounds, place| {
            let [low, high] = bounds.unwrap_or([*place; 2]);
            let corner = |end: [f32; 3], pick: fn(f32, f32) -> f32| {
                std::array::from_fn(|axis| pick(end[axis], place[axis]))
            };
            Some([corner(low, f32::min), corner(high, f32::max)])
        })
    }
}

/// Where all but the outermost points lie along an axis `[m]`. What is farther from there than the mass is wide is a stray.
fn great_mass(places: &[[f32; 3]], axis: usize) -> [f32; 2] {
    /// One of so many points may be a stray at each end; but always a handful, unless there are hardly any points.
    const ONE_OF: usize = 200;
    const HANDFUL: usize = 3;
    const HARDLY_ANY: usize = 64;
    if places.len() < HARDLY_ANY {
        return [f32::NEG_INFINITY, f32::INFINITY];
    }
    let tail = (places.len() / ONE_OF).max(HANDFUL);
    let mut along: Vec<f32> = places.iter().map(|place| place[axis]).collect();
    let mut nth = |n: usize| *along.select_nth_unstable_by(n, f32::total_cmp).1;
    [nth(tail), nth(places.len() - 1 - tail)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of 6 by 5 by 4 places, 10 cm apart.
    fn block() -> Vec<[f32; 3]> {
        (0..120).map(|i| [i % 6, i / 6 % 5, i / 30].map(|n| 0.1 * n as f32)).collect()
    }

    fn bounds(positions: Vec<[f32; 3]>) -> Option<[[f32; 3]; 2]> {
        Points { positions, ..Points::default() }.bounds()
    }

    #[test]
    fn three_drops_that_fly_far_away_do_not_widen_the_box() {
        let alone = bounds(block());
        assert_eq!(alone, Some([[0.0; 3], [5.0, 4.0, 3.0].map(|n| 0.1 * n)]));
        for far in [[100.0, 0.0, 0.0], [0.2, -100.0, 0.1], [0.0, 0.0, 100.0], [60.0, 60.0, -60.0]] {
            let mut places = block();
            places.splice(7..7, [far; 3]);
            assert_eq!(bounds(places), alone, "three drops at {far:?}");
        }
    }

    #[test]
    fn what_belongs_to_the_whole_counts() {
        // A spray that rises as far above the block as that is high is part of it, and so is a second block.
        let mut spray = block();
        spray.push([0.2, 0.2, 0.55]);
        assert_eq!(bounds(spray).map(|[_, high]| high[2]), Some(0.55));
        let mut two = block();
        two.extend(block().iter().map(|[x, y, z]| [x + 50.0, *y, *z]));
        assert_eq!(bounds(two).map(|[_, high]| high[0]), Some(50.5));
        // A few points are all that there is to see.
        let few = vec![[0.0; 3], [1.0; 3], [90.0, 0.0, 0.0]];
        assert_eq!(bounds(few), Some([[0.0; 3], [90.0, 1.0, 1.0]]));
    }

    #[test]
    fn places_that_are_no_numbers_do_not_count() {
        let places =
            vec![[f32::NAN, 0.0, 0.0], [1.0, -2.0, 3.0], [f32::INFINITY, 0.0, 9.0], [4.0, 5.0, -6.0]];
        assert_eq!(bounds(places), Some([[1.0, -2.0, -6.0], [4.0, 5.0, 3.0]]));
        assert_eq!(bounds(vec![[f32::NAN; 3]]), None);
        assert_eq!(bounds(Vec::new()), None);
    }
}
