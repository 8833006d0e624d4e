//! Shores: where ground comes out of the water.

use super::lines::Line;
use crate::plane::Vec2;
use thalweg_field::Heightfield;

/// The lines along which the depth is zero, with the water on their left. Cells beyond the edges are like those at them, or land.
pub(super) fn shores(depth: &Heightfield, closed: bool) -> Vec<Line> {
    let (cols, rows) = (depth.height.cols() as isize, depth.height.rows() as isize);
    let cell = depth.frame.cell;
    // One cell more on each side, so that lines come to their ends at the edges of the grid, or go along them.
    let (wide, high) = (cols + 2, rows + 2);
    let at = |col: isize, row: isize| {
        let inside = (1..=cols).contains(&col) && (1..=rows).contains(&row);
        let value = depth.height.at_clamped(col - 1, row - 1);
        // A wall stands on the edge itself: half a cell beyond the centres, where it is as far to the other side.
        if inside || !closed { f64::from(value) } else { -f64::from(value.abs()) }
    };
    let place = |col: f64, row: f64| [(col - 0.5) * cell, (rows as f64 - row + 0.5) * cell];

    // Edges between neighbours: those that go east first, then those that go south.
    let edges = (wide * high) as usize;
    let east = |col: isize, row: isize| (row * wide + col) as usize;
    let south = |col: isize, row: isize| edges + (row * wide + col) as usize;
    let mut next = vec![u32::MAX; 2 * edges];
    let mut has_before = vec![false; 2 * edges];
    for row in 0..high - 1 {
        for col in 0..wide - 1 {
            // North-west, north-east, south-east, south-west.
            let wet =
                [at(col, row), at(col + 1, row), at(col + 1, row + 1), at(col, row + 1)].map(|d| d > 0.0);
            let [n, e, s, w] = [east(col, row), south(col + 1, row), east(col, row + 1), south(col, row)];
            let corner = |i: usize| usize::from(wet[i]) << i;
            let mut join = |to: usize, from: usize| {
                next[from] = to as u32;
                has_before[to] = true;
            };
            // Each line goes with the water on its left.
            match corner(0) | corner(1) | corner(2) | corner(3) {
                0b0001 => join(n, w),
                0b0010 => join(e, n),
                0b0011 => join(e, w),
                0b0100 => join(s, e),
                0b0101 => {
                    join(n, w);
                    join(s, e);
                }
                0b0110 => join(s, n),
                0b0111 => join(s, w),
                0b1000 => join(w, s),
                0b1001 => join(n, s),
                0b1010 => {
                    join(e, n);
                    join(w, s);
                }
                0b1011 => join(e, s),
                0b1100 => join(w, e),
                0b1101 => join(n, e),
                0b1110 => join(w, n),
                _ => {}
            }
        }
    }
    let point = |edge: usize| -> Vec2 {
        let down = edge >= edges;
        let (col, row) = ((edge % edges) as isize % wide, (edge % edges) as isize / wide);
        let (a, b) = (at(col, row), if down { at(col, row + 1) } else { at(col + 1, row) });
        // Never quite at a cell's centre, where two points of a line would be one.
        let share = (a / (a - b)).clamp(1.0e-3, 1.0 - 1.0e-3);
        let (col, row) = (col as f64, row as f64);
        if down { place(col, row + share) } else { place(col + share, row) }
    };

    let mut lines = Vec::new();
    let mut follow = |next: &mut [u32], start: usize, closed: bool| {
        let (mut points, mut edge) = (Vec::new(), start);
        loop {
            points.push(point(edge));
            let to = std::mem::replace(&mut next[edge], u32::MAX);
            if to == u32::MAX || to as usize == start {
                break;
            }
            edge = to as usize;
        }
        lines.push(Line { points, closed, measured: true });
    };
    for start in 0..2 * edges {
        if next[start] != u32::MAX && !has_before[start] {
            follow(&mut next, start, false);
        }
    }
    for start in 0..2 * edges {
        if next[start] != u32::MAX {
            follow(&mut next, start, true);
        }
    }
    lines
}
