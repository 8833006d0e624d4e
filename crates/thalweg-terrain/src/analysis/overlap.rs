//! Whether two river networks are the same.

use super::Channels;

impl Channels<'_> {
    /// Share of the channel cells within a distance `[m]` of a channel of another ground over the same extent, whose
    /// cells may be larger or smaller `[-]`; `None` without channels.
    pub fn overlap(&self, other: &Channels, within: f64) -> Option<f64> {
        let (cols, rows) = (other.drainage.receiver.cols() as isize, other.drainage.receiver.rows() as isize);
        let mut is_channel = vec![false; other.bed.len()];
        other.cells.iter().for_each(|&cell| is_channel[cell] = true);
        let own_cols = self.drainage.receiver.cols();
        let ratio = self.drainage.cell / other.drainage.cell;
        let reach = within / other.drainage.cell;
        let near = |cell: usize| {
            // In cells of the other ground, from the centre of its north-west one.
            let [col, row] = [cell % own_cols, cell / own_cols].map(|i| (i as f64 + 0.5) * ratio - 0.5);
            let range = |at: f64, count: isize| {
                ((at - reach).ceil() as isize).max(0)..((at + reach).floor() as isize + 1).min(count)
            };
            range(row, rows).any(|r| {
                let down = r as f64 - row;
                let across = (reach * reach - down * down).max(0.0).sqrt();
                let from = ((col - across).ceil() as isize).max(0);
                let to = ((col + across).floor() as isize + 1).min(cols);
                (from..to).any(|c| is_channel[(r * cols + c) as usize])
            })
        };
        let shared = self.cells.iter().filter(|&&cell| near(cell)).count();
        (!self.cells.is_empty()).then(|| shared as f64 / self.cells.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Drainage;
    use thalweg_field::{Frame, Grid2, Heightfield};

    /// A valley down the map at a distance from its west edge, with cells so many to 90 m.
    fn valley(east: f32, per_cell: usize) -> (Heightfield, Drainage) {
        let cell = 90.0 / per_cell as f32;
        let height = Grid2::from_fn(40 * per_cell, 60 * per_cell, |col, row| {
            let (x, y) = ((col as f32 + 0.5) * cell, (row as f32 + 0.5) * cell);
            (x - east).abs() - 0.1 * y
        });
        let ground = Heightfield { height, frame: Frame::with_cell(cell.into()) };
        let drainage = Drainage::of(&ground);
        (ground, drainage)
    }

    fn overlap(one: &(Heightfield, Drainage), other: &(Heightfield, Drainage), within: f64) -> f64 {
        let [one, other] =
            [one, other].map(|(ground, drainage)| Channels::of(drainage, &ground.height, 1.0e6));
        one.overlap(&other, within).unwrap()
    }

    #[test]
    fn the_same_valley_overlaps_at_any_resolution() {
        let valleys = [1, 2, 3].map(|per_cell| valley(1800.0, per_cell));
        for a in &valleys {
            for b in &valleys {
                assert_eq!(overlap(a, b, 91.0), 1.0);
            }
        }
    }

    #[test]
    fn a_valley_elsewhere_does_not() {
        let (here, there) = (valley(1800.0, 2), valley(2115.0, 2));
        assert_eq!(overlap(&here, &there, 200.0), 0.0);
        assert_eq!(overlap(&here, &there, 400.0), 1.0);
    }
}
