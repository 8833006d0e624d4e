//! Particles around a place.

/// Particles sorted into cubes as wide as they reach.
pub(crate) struct Near<'a> {
    reach: f32,
    places: &'a [[f32; 3]],
    /// Cube and number of each particle; cubes of a row from west to east follow each other.
    sorted: Vec<([i32; 3], u32)>,
}

impl<'a> Near<'a> {
    pub(crate) fn new(places: &'a [[f32; 3]], reach: f32) -> Self {
        let mut sorted: Vec<_> =
            places.iter().zip(0..).map(|(place, number)| (cube_of(*place, reach), number)).collect();
        sorted.sort_unstable();
        Self { reach, places, sorted }
    }

    /// The particles within reach of a place, each with its squared distance in reaches, always in the same order.
    pub(crate) fn around(&self, place: [f32; 3]) -> impl Iterator<Item = (usize, f32)> {
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
}

/// The cube that a place lies in: up, north, east.
fn cube_of([x, y, z]: [f32; 3], side: f32) -> [i32; 3] {
    // Cubes at the end of the numbers would have no neighbours.
    const FARTHEST: i32 = 1 << 30;
    [z, y, x].map(|along| ((along / side).floor() as i32).clamp(-FARTHEST, FARTHEST))
}
