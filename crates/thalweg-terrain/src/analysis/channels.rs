//! The network of channels, and the laws its shape follows where water made it.

use super::Drainage;
use super::fit::slope_of;

/// The cells that drain at least a given area, taken as channels.
#[derive(Clone, Debug)]
pub struct Channels<'a> {
    pub(super) drainage: &'a Drainage,
    /// Heights as measured, unfilled `[m]`.
    pub(super) bed: &'a [f32],
    /// Indices of the channel cells, each after the one it drains into.
    pub(super) cells: Vec<usize>,
}

impl<'a> Channels<'a> {
    /// Takes every cell with a drainage area of at least `least_area` `[m²]` as a channel.
    pub fn of(drainage: &'a Drainage, bed: &'a thalweg_field::Grid2<f32>, least_area: f64) -> Self {
        let drains = |&cell: &usize| f64::from(drainage.area.values()[cell]) >= least_area;
        let cells = drainage.order.iter().map(|&cell| cell as usize).filter(drains).collect();
        Self { drainage, bed: bed.values(), cells }
    }

    /// Length of channel per area of ground `[1/m]`; `None` without data.
    pub fn density(&self) -> Option<f64> {
        let length: f64 = self.cells.iter().map(|&cell| self.drainage.way(cell)).sum();
        let area = self.drainage.order.len() as f64 * self.drainage.cell * self.drainage.cell;
        (area > 0.0).then(|| length / area)
    }

    /// Exponent h of Hack's law `[-]`, L ∝ A^h (Hack 1957): 0.5 for basins that keep their shape as they
    /// grow, 0.5 to 0.6 in nature. L is the longest way upstream of a channel cell to the divide, A its
    /// area; the fit takes the logarithms of both over all channel cells, each counted once.
    pub fn hack_exponent(&self) -> Option<f64> {
        let length = self.longest_upstream();
        let cells = self.cells.iter().filter(|&&cell| length[cell] > 0.0);
        slope_of(cells.map(|&cell| [self.log_area(cell), length[cell].ln()]))
    }

    /// Longest way that water has taken to each cell `[m]`.
    fn longest_upstream(&self) -> Vec<f64> {
        let mut length = vec![0.0f64; self.bed.len()];
        for &cell in self.drainage.order.iter().rev() {
            let cell = cell as usize;
            let below = self.drainage.receiver.values()[cell] as usize;
            length[below] = length[below].max(length[cell] + self.drainage.way(cell));
        }
        length
    }

    /// Horton's bifurcation ratio `[-]`: how many times more streams there are of each Strahler order than
    /// of the next, from a fit over all orders; `None` with fewer than two orders.
    pub fn bifurcation_ratio(&self) -> Option<f64> {
        let streams = self.streams_by_order();
        let logs = streams.iter().enumerate().map(|(order, &count)| [order as f64, f64::from(count).ln()]);
        slope_of(logs).map(|slope| (-slope).exp())
    }

    /// Number of streams of each Strahler order (Strahler 1957), the first order first.
    fn streams_by_order(&self) -> Vec<u32> {
        // Per cell: the highest order that flows in, and how many streams of that order do.
        let mut inflow = vec![(0u8, 0u8); self.bed.len()];
        let mut streams = Vec::new();
        for &cell in self.cells.iter().rev() {
            let (order, begins) = match inflow[cell] {
                (0, _) => (1, true),
                (highest, 1) => (highest, false),
                (highest, _) => (highest + 1, true),
            };
            if begins {
                streams.resize(streams.len().max(usize::from(order)), 0);
                streams[usize::from(order) - 1] += 1;
            }
            let below = self.drainage.receiver.values()[cell] as usize;
            let (highest, count) = &mut inflow[below];
            match order.cmp(highest) {
                std::cmp::Ordering::Greater => (*highest, *count) = (order, 1),
                std::cmp::Ordering::Equal => *count += 1,
                std::cmp::Ordering::Less => {}
            }
        }
        streams
    }

    pub(super) fn log_area(&self, cell: usize) -> f64 {
        f64::from(self.drainage.area.values()[cell]).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::{Frame, Grid2, Heightfield};

    struct Routed {
        ground: Heightfield,
        drainage: Drainage,
    }

    impl Routed {
        fn new(height: Grid2<f32>) -> Self {
            let ground = Heightfield { height, frame: Frame::with_cell(10.0) };
            let drainage = Drainage::of(&ground);
            Self { ground, drainage }
        }

        fn channels(&self, least_area: f64) -> Channels<'_> {
            Channels::of(&self.drainage, &self.ground.height, least_area)
        }
    }

    /// On a plane each column is its own river: length and area grow together.
    #[test]
    fn rivers_side_by_side_on_a_plane_have_a_hack_exponent_of_one() {
        let plane = Grid2::from_fn(5, 2000, |_, row| 2000.0 - row as f32);
        let h = Routed::new(plane).channels(500.0 * 100.0).hack_exponent().unwrap();
        assert!((h - 1.0).abs() < 0.01, "{h}");
    }

    #[test]
    fn density_counts_the_length_of_channels() {
        // Every cell is a channel of 10 m, except those of the last row, where water leaves the map.
        let plane = Routed::new(Grid2::from_fn(4, 11, |_, row| 11.0 - row as f32));
        let density = plane.channels(1.0).density().unwrap();
        assert!((density - 10.0 / 110.0).abs() < 1.0e-12, "{density} 1/m");
    }

    /// A valley that ten gullies enter from each side: twenty streams of the first order, one of the second.
    #[test]
    fn streams_of_equal_order_make_a_higher_one() {
        let comb = Grid2::from_fn(21, 40, |col, row| match col.abs_diff(10) {
            0 => -1.0 - 0.05 * row as f32,
            away => away as f32 + 4.0 * (row % 4).abs_diff(2) as f32,
        });
        assert_eq!(Routed::new(comb).channels(1500.0).streams_by_order(), [20, 1]);
    }

    #[test]
    fn level_ground_and_single_cells_leave_the_laws_open() {
        for (cols, rows) in [(0, 0), (1, 1), (1, 9), (16, 16)] {
            let level = Routed::new(Grid2::filled(cols, rows, 3.0));
            let channels = level.channels(1.0);
            assert_eq!(channels.concavity(), None);
            assert!(channels.hack_exponent().is_none_or(f64::is_finite));
            assert!(channels.bifurcation_ratio().is_none_or(f64::is_finite));
        }
    }
}
