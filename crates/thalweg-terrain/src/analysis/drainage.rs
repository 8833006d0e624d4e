//! Where the water of every cell goes, and how much comes together.

use super::depressions::{Flood, NEIGHBOURS, flood, neighbours};
use thalweg_field::{Grid2, Heightfield};

/// Where the water of every cell goes: to the neighbour down the steepest way (D8, O'Callaghan & Mark
/// 1984) on ground whose depressions are filled. Across the level parts it goes back the way the flood
/// came, which is a shortest way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Drainage {
    /// Ground with its depressions filled `[m]`.
    pub filled: Grid2<f32>,
    /// Row-major index of the cell that each cell drains into; its own where water leaves the map.
    pub receiver: Grid2<u32>,
    /// Area whose water passes each cell, its own included `[m²]`.
    pub area: Grid2<f32>,
    /// All cells with data; each comes after the one it drains into.
    pub(super) order: Vec<u32>,
    /// Side of a cell `[m]`.
    pub(super) cell: f64,
}

impl Drainage {
    /// Routes the water of every cell.
    pub fn of(ground: &Heightfield) -> Self {
        let (cols, rows, cell) = (ground.height.cols(), ground.height.rows(), ground.frame.cell);
        let Flood { level: filled, order, from } = flood(&ground.height, |level| level);
        let receiver = Grid2::from_fn(cols, rows, |col, row| {
            let index = row * cols + col;
            steepest(&filled, index).unwrap_or(from[index])
        });
        // Whole cells are counted, not metres: the sum is exact.
        let mut count: Vec<u32> = filled.values().iter().map(|z| u32::from(z.is_finite())).collect();
        for &index in order.iter().rev() {
            let below = receiver.values()[index as usize];
            if below != index {
                count[below as usize] += count[index as usize];
            }
        }
        let area = count.iter().map(|&cells| (f64::from(cells) * cell * cell) as f32).collect();
        let area = Grid2::from_values(cols, rows, area).expect("one count for each cell");
        Self { filled, receiver, area, order, cell }
    }

    /// Way from a cell to the one it drains into `[m]`; zero where water leaves the map.
    pub fn way(&self, index: usize) -> f64 {
        let cols = self.receiver.cols();
        let below = self.receiver.values()[index] as usize;
        let straight = below % cols == index % cols || below / cols == index / cols;
        match (below == index, straight) {
            (true, _) => 0.0,
            (false, true) => self.cell,
            (false, false) => self.cell * std::f64::consts::SQRT_2,
        }
    }
}

/// The lower neighbour down the steepest way, if any is lower.
fn steepest(height: &Grid2<f32>, index: usize) -> Option<u32> {
    let own = height.values()[index];
    let mut best = (0.0, None);
    for (direction, next) in neighbours(height.cols(), height.rows(), index) {
        let (dc, dr) = NEIGHBOURS[direction];
        let way = if dc != 0 && dr != 0 { std::f64::consts::SQRT_2 } else { 1.0 };
        let fall = f64::from(own - height.values()[next]) / way;
        if fall > best.0 {
            best = (fall, Some(next as u32));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Frame;

    fn drainage(height: Grid2<f32>) -> Drainage {
        Drainage::of(&Heightfield { height, frame: Frame::with_cell(10.0) })
    }

    #[test]
    fn water_on_a_tilted_plane_runs_straight_down() {
        let routed = drainage(Grid2::from_fn(7, 5, |_, row| 5.0 - row as f32));
        for row in 0..5 {
            for col in 0..7 {
                assert_eq!(routed.area.at(col, row), (row + 1) as f32 * 100.0, "column {col}, row {row}");
            }
        }
        assert_eq!(routed.way(3), 10.0);
        assert_eq!(routed.way(4 * 7), 0.0);
    }

    #[test]
    fn all_the_area_leaves_the_map() {
        let ground = crate::Recipe::named("fbm", 5000.0).unwrap().build(97, 61, 50.0, 4);
        let routed = Drainage::of(&ground);
        let receivers = routed.receiver.values().iter().enumerate();
        let out: f64 = receivers
            .filter(|&(cell, &below)| below as usize == cell)
            .map(|(cell, _)| f64::from(routed.area.values()[cell]))
            .sum();
        let whole = 97.0 * 61.0 * 2500.0;
        assert!((out / whole - 1.0).abs() < 1.0e-6, "{out} of {whole} m²");
    }

    #[test]
    fn water_crosses_a_lake_to_its_outlet() {
        // A bowl whose rim is lowest at one place.
        let mut bowl = Grid2::from_fn(9, 9, |col, row| {
            let (dc, dr) = (col.abs_diff(4), row.abs_diff(4));
            if dc.max(dr) == 4 { 10.0 } else { 1.0 }
        });
        bowl.set(8, 3, 5.0);
        let routed = drainage(bowl);
        assert_eq!(routed.filled.at(4, 4), 5.0);
        assert!(routed.area.at(8, 3) >= 49.0 * 100.0, "{} m²", routed.area.at(8, 3));
    }
}
