//! Ground from which water cannot run off, and the level it would stand at.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use thalweg_field::Grid2;

/// The eight neighbours as steps in column and row, clockwise from the east; ties go to the first.
pub(super) const NEIGHBOURS: [(isize, isize); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// The eight neighbours of a cell that lie inside the grid: direction and index.
pub(super) fn neighbours(cols: usize, rows: usize, cell: usize) -> impl Iterator<Item = (usize, usize)> {
    let (col, row) = ((cell % cols) as isize, (cell / cols) as isize);
    NEIGHBOURS.iter().enumerate().filter_map(move |(direction, (dc, dr))| {
        let (c, r) = (col + dc, row + dr);
        let inside = (0..cols as isize).contains(&c) && (0..rows as isize).contains(&r);
        inside.then(|| (direction, r as usize * cols + c as usize))
    })
}

/// The order in which a flood from the edges reaches the cells, and how.
pub(super) struct Flood {
    /// Level at which water runs off from each cell `[m]`.
    pub level: Grid2<f32>,
    /// Cells in the order reached; levels never fall along it.
    pub order: Vec<u32>,
    /// The cell from which each one was reached; itself for those that drain off the map.
    pub from: Vec<u32>,
}

/// Priority-flood (Barnes, Lehman & Mulla 2014, algorithm 2): the lowest cell reached so far is always
/// the next one to flood from, and cells under its level go through a plain queue instead of the heap.
/// Water leaves the map at its edge and next to cells that are not finite. With `lift`, a cell under
/// water is put above the one it was reached from (algorithm 3), so that every cell drains.
pub(super) fn flood(height: &Grid2<f32>, lift: impl Fn(f32) -> f32) -> Flood {
    let (cols, rows) = (height.cols(), height.rows());
    let mut level = height.clone();
    let mut order = Vec::with_capacity(height.len());
    let mut from: Vec<u32> = (0..height.len() as u32).collect();
    let mut reached: Vec<bool> = height.values().iter().map(|z| !z.is_finite()).collect();
    let mut open = BinaryHeap::new();
    let mut under_water = VecDeque::new();

    let finite = |cell: usize| height.values()[cell].is_finite();
    let drains_off = |cell: usize| {
        let inward = neighbours(cols, rows, cell).filter(|&(_, next)| finite(next));
        inward.count() < NEIGHBOURS.len()
    };
    for cell in (0..height.len()).filter(|&cell| finite(cell) && drains_off(cell)) {
        reached[cell] = true;
        open.push(Reverse((ordered(height.values()[cell]), cell as u32)));
    }

    while let Some(cell) = under_water.pop_front().or_else(|| open.pop().map(|Reverse((_, cell))| cell)) {
        order.push(cell);
        let water = lift(level.values()[cell as usize]);
        for (_, next) in neighbours(cols, rows, cell as usize) {
            if std::mem::replace(&mut reached[next], true) {
                continue;
            }
            from[next] = cell;
            if height.values()[next] <= water {
                level.values_mut()[next] = water;
                under_water.push_back(next as u32);
            } else {
                open.push(Reverse((ordered(height.values()[next]), next as u32)));
            }
        }
    }
    Flood { level, order, from }
}

/// Bits that sort like the number itself; ties in the heap are left to the cell's index.
fn ordered(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// Fills every depression to the level at which it overflows; the filled parts are level.
pub fn fill(height: &Grid2<f32>) -> Grid2<f32> {
    flood(height, |level| level).level
}

/// Fills every depression and tilts the filled parts by the smallest steps that numbers allow, so that
/// a strictly falling path leads from every cell off the map.
pub fn fill_draining(height: &Grid2<f32>) -> Grid2<f32> {
    flood(height, f32::next_up).level
}

/// Share of the cells that lie in a depression, that is, which filling raises `[-]`; `None` without data.
pub fn pit_fraction(height: &Grid2<f32>, filled: &Grid2<f32>) -> Option<f64> {
    let finite = height.values().iter().filter(|z| z.is_finite()).count();
    let raised = height.values().iter().zip(filled.values()).filter(|(z, level)| level > z).count();
    (finite > 0).then(|| raised as f64 / finite as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ground rising to the east with a hole of 3 × 2 cells in it.
    fn pitted() -> Grid2<f32> {
        Grid2::from_fn(
            10,
            8,
            |col, row| {
                if (4..7).contains(&col) && (3..5).contains(&row) { -5.0 } else { col as f32 }
            },
        )
    }

    #[test]
    fn a_pit_fills_to_the_lowest_cell_of_its_rim() {
        let ground = pitted();
        let filled = fill(&ground);
        assert_eq!(pit_fraction(&ground, &filled), Some(6.0 / 80.0));
        for (z, level) in ground.values().iter().zip(filled.values()) {
            assert_eq!(*level, if *z < 0.0 { 3.0 } else { *z });
        }
    }

    #[test]
    fn draining_fill_leaves_no_cell_without_a_lower_neighbour() {
        let mut ground = pitted();
        ground.set(1, 5, f32::NAN);
        let filled = fill_draining(&ground);
        for cell in 0..ground.len() {
            let level = filled.values()[cell];
            let around: Vec<f32> = neighbours(10, 8, cell).map(|(_, next)| filled.values()[next]).collect();
            let stuck = around.len() == 8 && around.iter().all(|&z| z >= level);
            assert!(!stuck, "cell {cell} at {level} m drains nowhere");
        }
    }

    #[test]
    fn cells_without_data_swallow_water_and_stay_as_they_are() {
        let mut ground = pitted();
        ground.set(5, 3, f32::NAN);
        let filled = fill(&ground);
        assert_eq!(pit_fraction(&ground, &filled), Some(0.0));
        assert!(filled.at(5, 3).is_nan());
        assert_eq!(pit_fraction(&Grid2::filled(3, 3, f32::NAN), &Grid2::filled(3, 3, f32::NAN)), None);
    }

    #[test]
    fn numbers_sort_by_their_ordered_bits() {
        let numbers = [-1.0e9, -2.0, -1.0e-30, -0.0, 0.0, 1.0e-30, 1.5, 3.0e8];
        assert!(numbers.windows(2).all(|pair| ordered(pair[0]) <= ordered(pair[1])));
    }
}
