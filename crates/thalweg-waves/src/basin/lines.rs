//! Lines that walls are made of.

use crate::plane::{Vec2, add, cross, dot, left, length, sub, unit};

/// A line of walls, with the water on its left.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) points: Vec<Vec2>,
    /// Whether the last point is joined to the first.
    pub(super) closed: bool,
    /// Whether points are read off a grid, so that what turns from one to the next is partly noise.
    pub(super) measured: bool,
}

/// Turns of less than this are parts of a round wall, others are corners: where points were drawn, and where they were read off a grid,
/// which turns by 45 degrees where a shore does not `[rad]`.
const SHARP: [f64; 2] = [0.45, 1.0];
/// Points on either side of one of a grid's between which a shore may turn around: heads of moles are round, and some cells wide.
pub(super) const MEASURED_OVER: usize = 6;

/// Area of a polygon, below zero if it goes round clockwise `[m²]`.
pub(super) fn area(polygon: &[Vec2]) -> f64 {
    let next = polygon.iter().cycle().skip(1);
    0.5 * polygon.iter().zip(next).map(|(&a, &b)| cross(a, b)).sum::<f64>()
}

/// Polygons with the water on their left.
pub(super) fn of_polygons(polygons: &[Vec<Vec2>], water_outside: bool) -> Vec<Line> {
    let turn = |(i, polygon): (usize, &Vec<Vec2>)| {
        let mut points = polygon.clone();
        points.dedup();
        if points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        if area(&points) < 0.0 {
            points.reverse();
        }
        // Counter-clockwise the inside is on the left; each polygon around it changes sides.
        let around =
            polygons.iter().enumerate().filter(|&(j, other)| j != i && is_inside(other, points[0])).count();
        if water_outside == (around % 2 == 0) {
            points.reverse();
        }
        Line { points, closed: true, measured: false }
    };
    polygons.iter().enumerate().map(turn).collect()
}

/// Whether a place lies inside a polygon.
fn is_inside(polygon: &[Vec2], [x, y]: Vec2) -> bool {
    let next = polygon.iter().cycle().skip(1);
    let crossed = polygon
        .iter()
        .zip(next)
        .filter(|&(a, b)| (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]));
    crossed.count() % 2 == 1
}

/// Normal and curvature at a point of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bend {
    /// Towards the water, or nothing at a corner.
    pub(super) normal: Vec2,
    /// Above zero where the wall bulges into the water `[1/m]`.
    pub(super) curvature: f64,
    /// How far the line turns away from the water `[rad]`: a corner that sticks out into it.
    pub(super) sticks_out: f64,
}

impl Line {
    /// Its straight pieces.
    pub(super) fn pieces(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let count = self.points.len();
        let pieces = if self.closed { count } else { count.saturating_sub(1) };
        (0..pieces).map(move |i| [i, (i + 1) % count])
    }

    /// How it bends at each of its points.
    pub(super) fn bends(&self) -> Vec<Bend> {
        let mut bends: Vec<_> = (0..self.points.len()).map(|i| self.bend(i)).collect();
        // What a grid says of a shore is smoothed, twice over the neighbours.
        for _ in 0..if self.measured { 2 } else { 0 } {
            let before = bends.clone();
            for (i, bend) in bends.iter_mut().enumerate() {
                let (Some(a), Some(b)) = (self.before(i), self.after(i)) else { continue };
                let near = [before[a], before[b]];
                if bend.normal == [0.0; 2] || near.iter().any(|near| near.normal == [0.0; 2]) {
                    continue;
                }
                let sum = add(add(near[0].normal, near[1].normal, 1.0), before[i].normal, 2.0);
                bend.normal = unit(sum);
                bend.curvature = 0.25 * (near[0].curvature + near[1].curvature) + 0.5 * before[i].curvature;
            }
        }
        bends
    }

    /// The points where it turns away from the water, and by how much `[rad]`.
    pub(super) fn corners(&self, bends: &[Bend]) -> Vec<(usize, f64)> {
        if !self.measured {
            let out = |(i, bend): (usize, &Bend)| (bend.sticks_out > 0.0).then_some((i, bend.sticks_out));
            return bends.iter().enumerate().filter_map(out).collect();
        }
        let count = self.points.len();
        if count < 2 * MEASURED_OVER + 1 {
            return Vec::new();
        }
        let turn = |i: usize| {
            let at = |offset: isize| {
                let j = i as isize + offset;
                let inside = self.closed || (0..count as isize).contains(&j);
                inside.then(|| self.points[j.rem_euclid(count as isize) as usize])
            };
            let over = MEASURED_OVER as isize;
            let (Some(a), Some(b)) = (at(-over), at(over)) else { return 0.0 };
            let [arriving, leaving] = [sub(self.points[i], a), sub(b, self.points[i])].map(unit);
            -libm::atan2(cross(arriving, leaving), dot(arriving, leaving))
        };
        let turns: Vec<f64> = (0..count).map(turn).collect();
        let is_peak = |i: usize| {
            (1..=MEASURED_OVER).all(|n| {
                let (a, b) = (turns[(i + count - n) % count], turns[(i + n) % count]);
                // Of equals the first.
                turns[i] > a && turns[i] >= b
            })
        };
        let sharp = SHARP[1];
        (0..count).filter(|&i| turns[i] > sharp && is_peak(i)).map(|i| (i, turns[i])).collect()
    }

    fn before(&self, i: usize) -> Option<usize> {
        if i > 0 { Some(i - 1) } else { self.closed.then_some(self.points.len() - 1) }
    }

    fn after(&self, i: usize) -> Option<usize> {
        if i + 1 < self.points.len() { Some(i + 1) } else { self.closed.then_some(0) }
    }

    fn bend(&self, i: usize) -> Bend {
        let here = self.points[i];
        let to = |j: Option<usize>| j.map(|j| sub(self.points[j], here));
        match (to(self.before(i)), to(self.after(i))) {
            (Some(back), Some(ahead)) => {
                let [arriving, leaving] = [[-back[0], -back[1]], ahead].map(unit);
                let turn = libm::atan2(cross(arriving, leaving), dot(arriving, leaving));
                // Water on the left: a turn to the right sticks out into it.
                let sticks_out = -turn;
                if turn.abs() > SHARP[usize::from(self.measured)] {
                    return Bend { sticks_out, ..Bend::default() };
                }
                let curvature = sticks_out / (0.5 * (length(back) + length(ahead)));
                Bend { normal: unit(left(add(arriving, leaving, 1.0))), curvature, sticks_out: 0.0 }
            }
            (Some(back), None) => Bend { normal: left(unit([-back[0], -back[1]])), ..Bend::default() },
            (None, Some(ahead)) => Bend { normal: left(unit(ahead)), ..Bend::default() },
            (None, None) => Bend::default(),
        }
    }
}
