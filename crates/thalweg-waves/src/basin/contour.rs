//! Shores: where ground comes out of the water.

use super::lines::Line;
use crate::plane::Vec2;
use thalweg_field::Heightfield;

/// The lines along which the depth is zero, with the water on their left. Cells beyond the edges are like those at them, or land.
pub(super) fn shores(depth: &Heightfield, closed: bool) -> Vec<Line> {
    let cells = Cells { depth, closed };
    let Joints { mut next, has_before } = Joints::of(&cells);
    let mut lines = Vec::new();
    // Lines with a beginning first; what is left goes round.
    for closed in [false, true] {
        for start in 0..next.len() {
            if next[start] != u32::MAX && (closed || !has_before[start]) {
                let points = follow(&mut next, start).into_iter().map(|edge| cells.point(edge)).collect();
                lines.push(Line { points, closed, measured: true });
            }
        }
    }
    lines
}

/// The edges of a line from one of them on, which are taken away.
fn follow(next: &mut [u32], start: usize) -> Vec<usize> {
    let (mut edges, mut edge) = (Vec::new(), start);
    loop {
        edges.push(edge);
        let to = std::mem::replace(&mut next[edge], u32::MAX);
        if to == u32::MAX || to as usize == start {
            return edges;
        }
        edge = to as usize;
    }
}

/// The cells of a grid, with one more on each side, so that lines come to their ends at the edges of the grid, or go along them.
struct Cells<'a> {
    depth: &'a Heightfield,
    closed: bool,
}

impl Cells<'_> {
    /// Columns and rows, those beyond the edges included.
    fn size(&self) -> [isize; 2] {
        [self.depth.height.cols() as isize + 2, self.depth.height.rows() as isize + 2]
    }

    fn at(&self, col: isize, row: isize) -> f64 {
        let [wide, high] = self.size();
        let inside = (1..wide - 1).contains(&col) && (1..high - 1).contains(&row);
        let value = self.depth.height.at_clamped(col - 1, row - 1);
        // A wall stands on the edge itself: half a cell beyond the centres, where it is as far to the other side.
        if inside || !self.closed { f64::from(value) } else { -f64::from(value.abs()) }
    }

    /// Edges between neighbours: those that go east first, so many, then those that go south.
    fn edges(&self) -> usize {
        let [wide, high] = self.size();
        (wide * high) as usize
    }

    fn east(&self, col: isize, row: isize) -> usize {
        (row * self.size()[0] + col) as usize
    }

    fn south(&self, col: isize, row: isize) -> usize {
        self.edges() + self.east(col, row)
    }

    /// Where the depth is zero on an edge.
    fn point(&self, edge: usize) -> Vec2 {
        let (edges, wide) = (self.edges(), self.size()[0]);
        let down = edge >= edges;
        let (col, row) = ((edge % edges) as isize % wide, (edge % edges) as isize / wide);
        let (a, b) = (self.at(col, row), if down { self.at(col, row + 1) } else { self.at(col + 1, row) });
        // Never quite at a cell's centre, where two points of a line would be one.
        let share = (a / (a - b)).clamp(1.0e-3, 1.0 - 1.0e-3);
        let (col, row) = (col as f64, row as f64);
        let [col, row] = if down { [col, row + share] } else { [col + share, row] };
        let (cell, rows) = (self.depth.frame.cell, self.depth.height.rows() as f64);
        [(col - 0.5) * cell, (rows - row + 0.5) * cell]
    }
}

/// Which edge a line comes to next from each, and whether it comes from one.
struct Joints {
    next: Vec<u32>,
    has_before: Vec<bool>,
}

impl Joints {
    fn of(cells: &Cells<'_>) -> Self {
        let count = 2 * cells.edges();
        let mut joints = Self { next: vec![u32::MAX; count], has_before: vec![false; count] };
        let [wide, high] = cells.size();
        for row in 0..high - 1 {
            for col in 0..wide - 1 {
                joints.square(cells, col, row);
            }
        }
        joints
    }

    /// Joins the edges between four cells; each line goes with the water on its left.
    fn square(&mut self, cells: &Cells<'_>, col: isize, row: isize) {
        // North-west, north-east, south-east, south-west.
        let corners = [[col, row], [col + 1, row], [col + 1, row + 1], [col, row + 1]];
        let wet = corners.map(|[col, row]| cells.at(col, row) > 0.0);
        let n = cells.east(col, row);
        let e = cells.south(col + 1, row);
        let s = cells.east(col, row + 1);
        let w = cells.south(col, row);
        // To which edge from which.
        let joined: &[[usize; 2]] = match wet.iter().rev().fold(0, |bits, &wet| bits << 1 | u8::from(wet)) {
            0b0001 => &[[n, w]],
            0b0010 => &[[e, n]],
            0b0011 => &[[e, w]],
            0b0100 => &[[s, e]],
            0b0101 => &[[n, w], [s, e]],
            0b0110 => &[[s, n]],
            0b0111 => &[[s, w]],
            0b1000 => &[[w, s]],
            0b1001 => &[[n, s]],
            0b1010 => &[[e, n], [w, s]],
            0b1011 => &[[e, s]],
            0b1100 => &[[w, e]],
            0b1101 => &[[n, e]],
            0b1110 => &[[w, n]],
            _ => &[],
        };
        for &[to, from] in joined {
            self.next[from] = to as u32;
            self.has_before[to] = true;
        }
    }
}
