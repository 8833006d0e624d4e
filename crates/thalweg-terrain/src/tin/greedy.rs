//! Few triangles over many heights: a point is added where the triangles are farthest from the heights, until they are near
//! enough or as many as allowed (Garland & Heckbert 1995, algorithm III). The triangles stay Delaunay's: whether a point
//! lies in a circle is decided in whole numbers, so that the same grid gives the same triangles everywhere.

use std::collections::BinaryHeap;
use thalweg_field::Grid2;

/// No edge on the other side.
const NONE: usize = usize::MAX;

/// What is nearer than this, for each metre and one of height, is met: sums in f64 are a thousand times as exact, and heights in f32
/// a hundredth `[-]`.
const ROUNDING: f64 = 1.0e-9;

/// Heights to be met.
pub(super) struct Target<'a> {
    pub heights: &'a Grid2<f32>,
    /// Cells at which triangles must not lie above the height, but may lie below it.
    pub ceilings: Option<&'a Grid2<bool>>,
}

impl Target<'_> {
    /// How far off a height is at a cell.
    fn error(&self, col: usize, row: usize, height: f64) -> f64 {
        let wanted = f64::from(self.heights.at(col, row));
        let off = height - wanted;
        if off.abs() <= ROUNDING * (1.0 + wanted.abs()) {
            return 0.0;
        }
        match self.ceilings {
            Some(ceilings) if ceilings.at(col, row) => off.max(0.0),
            _ => off.abs(),
        }
    }
}

/// The next point of a triangle, while it waits; the largest error comes first, then the smallest number.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    /// Bits of the error, which is not below zero: they are in the order of the numbers.
    error: u64,
    triangle: std::cmp::Reverse<usize>,
    /// Which of the triangles of that number it was.
    stamp: u32,
}

/// Triangles over a grid.
pub(super) struct Greedy<'a> {
    target: Target<'a>,
    /// Column and row of each corner.
    pub points: Vec<[i64; 2]>,
    /// Three corners each.
    pub corners: Vec<usize>,
    /// For each edge that on its other side.
    twins: Vec<usize>,
    /// For each triangle where it is farthest off, and how often it has changed.
    candidates: Vec<[i64; 2]>,
    stamps: Vec<u32>,
    queue: BinaryHeap<Waiting>,
    pending: Vec<usize>,
}

impl<'a> Greedy<'a> {
    /// Two triangles over a grid of two columns and two rows at least.
    pub(super) fn new(target: Target<'a>) -> Self {
        let [right, bottom] = [target.heights.cols(), target.heights.rows()].map(|n| n as i64 - 1);
        let mut greedy = Self {
            target,
            points: vec![[0, 0], [right, 0], [0, bottom], [right, bottom]],
            corners: Vec::new(),
            twins: Vec::new(),
            candidates: Vec::new(),
            stamps: Vec::new(),
            queue: BinaryHeap::new(),
            pending: Vec::new(),
        };
        let first = greedy.add([3, 0, 2], [NONE; 3], None);
        greedy.add([0, 3, 1], [first, NONE, NONE], None);
        greedy.flush();
        greedy
    }

    /// Adds points until no cell is farther off than `max_error`, or another point would make too many triangles.
    pub(super) fn refine(&mut self, max_error: f64, max_triangles: usize) {
        while self.triangles() + 2 <= max_triangles {
            let Some(worst) = self.pop() else { return };
            if f64::from_bits(worst.error) <= max_error {
                return self.queue.push(worst);
            }
            self.split(worst.triangle.0);
            self.flush();
        }
    }

    pub(super) fn triangles(&self) -> usize {
        self.corners.len() / 3
    }

    /// The largest error that is left.
    pub(super) fn error(&self) -> f64 {
        let mut current: Vec<_> =
            self.queue.iter().filter(|waiting| self.stamps[waiting.triangle.0] == waiting.stamp).collect();
        current.sort_unstable();
        current.last().map_or(0.0, |worst| f64::from_bits(worst.error))
    }

    fn pop(&mut self) -> Option<Waiting> {
        loop {
            let worst = self.queue.pop()?;
            if self.stamps[worst.triangle.0] == worst.stamp {
                return Some(worst);
            }
        }
    }

    /// A triangle with the edges on the other sides of its own, in the place of another whose first edge is told.
    fn add(&mut self, corners: [usize; 3], twins: [usize; 3], place: Option<usize>) -> usize {
        let edge = place.unwrap_or(self.corners.len());
        if place.is_none() {
            self.corners.extend([0; 3]);
            self.twins.extend([NONE; 3]);
            self.candidates.push([0; 2]);
            self.stamps.push(0);
        }
        for i in 0..3 {
            self.corners[edge + i] = corners[i];
            self.twins[edge + i] = twins[i];
            if twins[i] != NONE {
                self.twins[twins[i]] = edge + i;
            }
        }
        self.stamps[edge / 3] += 1;
        self.pending.push(edge / 3);
        edge
    }

    /// Looks for the worst cell of all triangles that are new.
    fn flush(&mut self) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.sort_unstable();
        pending.dedup();
        for triangle in pending.drain(..) {
            let mut worst = (0.0, [0; 2]);
            self.for_each_cell(triangle, |col, row, height| {
                let error = self.target.error(col, row, height);
                if error > worst.0 {
                    worst = (error, [col as i64, row as i64]);
                }
            });
            let (mut error, at) = worst;
            // Rounding may leave a corner a little off itself.
            if self.corners[3 * triangle..][..3].iter().any(|&corner| self.points[corner] == at) {
                error = 0.0;
            }
            self.candidates[triangle] = at;
            let error: f64 = error;
            self.queue.push(Waiting {
                error: error.to_bits(),
                triangle: std::cmp::Reverse(triangle),
                stamp: self.stamps[triangle],
            });
        }
        self.pending = pending;
    }

    /// Visits the cells in and on a triangle, with the height of the triangle there.
    pub(super) fn for_each_cell(&self, triangle: usize, mut visit: impl FnMut(usize, usize, f64)) {
        let [a, b, c] = std::array::from_fn(|i| self.points[self.corners[3 * triangle + i]]);
        let area = orient(a, b, c) as f64;
        let height = |p: [i64; 2]| f64::from(self.target.heights.at(p[0] as usize, p[1] as usize)) / area;
        let [za, zb, zc] = [a, b, c].map(height);
        let [low, high] =
            [i64::min, i64::max].map(|pick| [0, 1].map(|axis| pick(pick(a[axis], b[axis]), c[axis])));
        for row in low[1]..=high[1] {
            // Each weight is a straight line along the row: at its beginning, and from cell to cell.
            let start = [low[0], row];
            let weights = [orient(b, c, start), orient(c, a, start), orient(a, b, start)];
            let steps = [c[1] - b[1], a[1] - c[1], b[1] - a[1]];
            let (mut first, mut last) = (0, high[0] - low[0]);
            for (weight, step) in weights.iter().zip(steps) {
                // weight + step × n ≥ 0
                match step.signum() {
                    1 => {
                        let beyond = i64::from((-weight).rem_euclid(step) > 0);
                        first = first.max((-weight).div_euclid(step) + beyond);
                    }
                    -1 => last = last.min(weight.div_euclid(-step)),
                    _ if *weight < 0 => last = -1,
                    _ => {}
                }
            }
            for n in first..=last {
                let [wa, wb, wc] = std::array::from_fn(|i| (weights[i] + steps[i] * n) as f64);
                visit((low[0] + n) as usize, row as usize, za * wa + zb * wb + zc * wc);
            }
        }
    }

    /// Adds the worst cell of a triangle as a corner.
    fn split(&mut self, triangle: usize) {
        let edges: [usize; 3] = std::array::from_fn(|i| 3 * triangle + i);
        let p: [usize; 3] = edges.map(|edge| self.corners[edge]);
        let at = self.candidates[triangle];
        let new = self.points.len();
        self.points.push(at);
        for i in 0..3 {
            if orient(self.points[p[i]], self.points[p[(i + 1) % 3]], at) == 0 {
                return self.split_edge(new, edges[i]);
            }
        }
        let h = edges.map(|edge| self.twins[edge]);
        let t0 = self.add([p[0], p[1], new], [h[0], NONE, NONE], Some(edges[0]));
        let t1 = self.add([p[1], p[2], new], [h[1], NONE, t0 + 1], None);
        let t2 = self.add([p[2], p[0], new], [h[2], t0 + 2, t1 + 1], None);
        self.legalize(&[t0, t1, t2]);
    }

    /// Adds a corner that lies on an edge.
    fn split_edge(&mut self, new: usize, a: usize) {
        let a0 = a - a % 3;
        let (al, ar) = (a0 + (a + 1) % 3, a0 + (a + 2) % 3);
        let (p0, pr, pl) = (self.corners[ar], self.corners[a], self.corners[al]);
        let (hal, har, b) = (self.twins[al], self.twins[ar], self.twins[a]);
        if b == NONE {
            let t0 = self.add([new, p0, pr], [NONE, har, NONE], Some(a0));
            let t1 = self.add([p0, new, pl], [t0, NONE, hal], None);
            return self.legalize(&[t0 + 1, t1 + 2]);
        }
        let b0 = b - b % 3;
        let (bl, br) = (b0 + (b + 2) % 3, b0 + (b + 1) % 3);
        let p1 = self.corners[bl];
        let (hbl, hbr) = (self.twins[bl], self.twins[br]);
        let t0 = self.add([p0, pr, new], [har, NONE, NONE], Some(a0));
        let t1 = self.add([pr, p1, new], [hbr, NONE, t0 + 1], Some(b0));
        let t2 = self.add([p1, pl, new], [hbl, NONE, t1 + 1], None);
        let t3 = self.add([pl, p0, new], [hal, t0 + 2, t2 + 1], None);
        self.legalize(&[t0, t1, t2, t3]);
    }

    /// Flips edges until no corner lies in the circle of a triangle beside it.
    fn legalize(&mut self, edges: &[usize]) {
        let mut doubtful: Vec<usize> = edges.iter().rev().copied().collect();
        while let Some(a) = doubtful.pop() {
            let b = self.twins[a];
            if b == NONE {
                continue;
            }
            let (a0, b0) = (a - a % 3, b - b % 3);
            let (al, ar) = (a0 + (a + 1) % 3, a0 + (a + 2) % 3);
            let (bl, br) = (b0 + (b + 2) % 3, b0 + (b + 1) % 3);
            let [p0, pr, pl, p1] = [ar, a, al, bl].map(|edge| self.corners[edge]);
            if !in_circle([p0, pr, pl, p1].map(|point| self.points[point])) {
                continue;
            }
            let [hal, har, hbl, hbr] = [al, ar, bl, br].map(|edge| self.twins[edge]);
            let t0 = self.add([p0, p1, pl], [NONE, hbl, hal], Some(a0));
            let t1 = self.add([p1, p0, pr], [t0, har, hbr], Some(b0));
            doubtful.extend([t1 + 2, t0 + 1]);
        }
    }
}

/// Twice the area of a triangle, above zero if it turns as those here do.
fn orient(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (b[0] - c[0]) * (a[1] - c[1]) - (b[1] - c[1]) * (a[0] - c[0])
}

/// Whether the last point lies within the circle through the others.
fn in_circle([a, b, c, p]: [[i64; 2]; 4]) -> bool {
    let [d, e, f] = [a, b, c].map(|q| [0, 1].map(|axis| i128::from(q[axis] - p[axis])));
    let square = |v: [i128; 2]| v[0] * v[0] + v[1] * v[1];
    let [ap, bp, cp] = [d, e, f].map(square);
    d[0] * (e[1] * cp - bp * f[1]) - d[1] * (e[0] * cp - bp * f[0]) + ap * (e[0] * f[1] - e[1] * f[0]) < 0
}
