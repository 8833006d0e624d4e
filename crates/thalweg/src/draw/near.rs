//! Particles around a place.

/// Particles sorted into cubes as wide as they reach.
pub(super) struct Near<'a> {
    reach: f32,
    places: &'a [[f32; 3]],
    /// Cube and number of each particle; cubes of a row from west to east follow each other.
    sorted: Vec<([i32; 3], u32)>,
}

impl<'a> Near<'a> {
    pub(super) fn new(places: &'a [[f32; 3]], reach: f32) -> Self {
        let mut sorted: Vec<_> =
            places.iter().zip(0..).map(|(place, number)| (cube_of(*place, reach), number)).collect();
        sorted.sort_unstable();
        Self { reach, places, sorted }
    }

    /// The particles within reach of a place, each with its squared distance in reaches, always in the same order.
    pub(super) fn around(&self, place: [f32; 3]) -> impl Iterator<Item = (usize, f32)> {
        let [z, y, x] = cube_of(place, self.reach);
        let rows = (0..9).flat_map(move |row| {
            let [z, y] = [z + row / 3 - 1, y + row % 3 - 1];
            let start = self.sorted.partition_point(|(cube, _)| *cube < [z, y, x - 1]);
            self.sorted[start..].iter().take_while(move |(cube, _)| *cube <= [z, y, x + 1])
        });
        let away = move |(_, number): &([i32; 3], u32)| {
            let number = *number as usize;
            let square: f32 = (0..3).map(|axis| (self.places[number][axis] - place[axis]).powi(2)).sum();
            (number, square / self.reach.powi(2))
        };
        // Also false for what is no number.
        rows.map(away).filter(|(_, square)| *square < 1.0)
    }

    /// Mean of the particles' values around a place, the nearer the more; 0 if there is none.
    pub(super) fn mean(&self, place: [f32; 3], values: &[f32]) -> f32 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (number, square) in self.around(place).filter(|(number, _)| values[*number].is_finite()) {
            // The shape of the kernel of Müller et al. 2003, eq. 20.
            let weight = (1.0 - square).powi(3);
            sum += weight * values[number];
            weights += weight;
        }
        if weights > 0.0 { sum / weights } else { 0.0 }
    }
}

/// The cube that a place lies in: up, north, east.
fn cube_of([x, y, z]: [f32; 3], side: f32) -> [i32; 3] {
    // Cubes at the end of the numbers would have no neighbours.
    const FARTHEST: i32 = 1 << 30;
    [z, y, x].map(|along| ((along / side).floor() as i32).clamp(-FARTHEST, FARTHEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_particle_counts_for_more_and_what_is_no_number_for_nothing() {
        let places = [[0.0; 3], [0.3, 0.0, 0.0], [0.1, 0.1, f32::NAN], [0.1, 0.0, 0.0], [-90.0, 0.0, 0.0]];
        let values = [0.0, 1.0, 50.0, f32::NAN, 70.0];
        let near = Near::new(&places, 0.4);
        let at = |x: f32| near.mean([x, 0.0, 0.0], &values);
        let [west, middle, east] = [0.05, 0.15, 0.25].map(at);
        assert!(west < 0.3 && (middle - 0.5).abs() < 1.0e-5 && east > 0.7, "{west} {middle} {east}");
        assert_eq!(at(20.0), 0.0, "far from all of them");
    }
}
