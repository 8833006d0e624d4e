//! Straight pieces of walls, found by place.

use super::lines::{Line, MEASURED_OVER};
use crate::plane::{Vec2, add, cross, dot, left, length, mirrored, sub, unit};
use std::f64::consts::{PI, TAU};

/// Where a way meets a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the way `[m]`.
    pub distance: f64,
    /// Normal of the wall towards the water, as round walls have it.
    pub normal: [f64; 2],
    /// Normal of the straight piece that was hit.
    pub facet: [f64; 2],
    /// Curvature of the wall, above zero where it bulges into the water `[1/m]`.
    pub curvature: f64,
}

/// A place where a wall turns away from the water by a sharp angle: waves go around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub(crate) place: Vec2,
    /// Along the walls on either side, away from the corner: water lies to the right of the first and to the left of the second.
    pub(crate) arms: [Vec2; 2],
}

/// The shadow behind the end of a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shade {
    /// On which side of the waves' heading it lies: 1 to the left, -1 to the right.
    pub(crate) side: f64,
    /// Angle from its edge to the wall behind it `[rad]`.
    pub(crate) into_shadow: f64,
}

impl Corner {
    pub(crate) fn shades(&self, heading: Vec2) -> Option<Shade> {
        // To the left of the heading, from 0 to a full turn.
        let turn = |arm: Vec2| libm::atan2(cross(heading, arm), dot(heading, arm)).rem_euclid(TAU);
        let [before, after] = self.arms.map(turn);
        // Land lies from the arm ahead to the left up to the arm behind: the line has water on its left.
        let (low, high) = (after.min(before), after.max(before));
        if cross(heading, self.arms[0]) * cross(heading, self.arms[1]) < 0.0 {
            // Arms on both sides: the waves run into the corner head on, or away from it.
            return None;
        }
        let side = if low < PI { 1.0 } else { -1.0 };
        // The wall nearer to the way on bounds the shadow.
        let into_shadow = if side > 0.0 { low } else { TAU - high };
        (into_shadow > 1.0e-3 && into_shadow < PI - 1.0e-3).then_some(Shade { side, into_shadow })
    }
}

/// A straight piece of a wall, with the water on its left.
#[derive(Clone, Copy, Debug)]
struct WallPiece {
    from: Vec2,
    to: Vec2,
    facet: Vec2,
    /// Normals at its ends, and curvatures.
    normals: [Vec2; 2],
    curvatures: [f64; 2],
    /// Pieces before and behind it on its line; its own number where there is none.
    beside: [u32; 2],
}

/// Walls, and which of them are near.
#[derive(Clone, Debug)]
pub(super) struct Walls {
    pieces: Vec<WallPiece>,
    corners: Vec<Corner>,
    /// Whether there is water where there are no walls.
    all_water: bool,
    buckets: Buckets,
}

/// Squares, each with the pieces that touch it.
#[derive(Clone, Debug, Default)]
struct Buckets {
    origin: Vec2,
    side: f64,
    size: [usize; 2],
    /// Where each square's pieces begin.
    first: Vec<u32>,
    pieces: Vec<u32>,
    /// Distance that surely lies between any place of a square and the nearest wall `[m]`.
    clear: Vec<f64>,
}

/// A way that starts on a wall may start this far behind it `[m]`.
const ON_THE_WALL: f64 = 1.0e-7;
/// Most squares each way.
const MOST_SQUARES: f64 = 512.0;

impl Walls {
    pub(super) fn none(all_water: bool) -> Self {
        Self { pieces: Vec::new(), corners: Vec::new(), all_water, buckets: Buckets::default() }
    }

    pub(super) fn new(lines: &[Line], all_water: bool) -> Self {
        let (mut pieces, mut corners) = (Vec::<WallPiece>::new(), Vec::new());
        for line in lines {
            let bends = line.bends();
            let start = pieces.len();
            let ends: Vec<_> = line.pieces().collect();
            let count = ends.len();
            for (n, &[a, b]) in ends.iter().enumerate() {
                let (from, to) = (line.points[a], line.points[b]);
                let facet = left(unit(sub(to, from)));
                let or_facet = |normal: Vec2| if normal == [0.0; 2] { facet } else { normal };
                // Beside a corner a piece is straight.
                let bent = |i: usize| if bends[i].normal == [0.0; 2] { 0.0 } else { bends[i].curvature };
                let beside = [
                    if n > 0 {
                        n - 1
                    } else if line.closed {
                        count - 1
                    } else {
                        n
                    },
                    if n + 1 < count {
                        n + 1
                    } else if line.closed {
                        0
                    } else {
                        n
                    },
                ];
                pieces.push(WallPiece {
                    from,
                    to,
                    facet,
                    normals: [or_facet(bends[a].normal), or_facet(bends[b].normal)],
                    curvatures: [bent(a), bent(b)],
                    beside: beside.map(|n| (start + n) as u32),
                });
            }
            let count = line.points.len();
            corners.extend(line.corners(&bends).into_iter().map(|(i, _)| {
                let reach = if line.measured { MEASURED_OVER } else { 1 };
                let [before, after] = [(i + count - reach) % count, (i + reach) % count];
                let arm = |j: usize| unit(sub(line.points[j], line.points[i]));
                Corner { place: line.points[i], arms: [arm(before), arm(after)] }
            }));
        }
        let mut walls = Self { pieces, corners, all_water, buckets: Buckets::default() };
        walls.fill_buckets();
        walls
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners
    }

    pub(super) fn bytes(&self) -> u64 {
        let buckets = &self.buckets;
        (self.pieces.len() * size_of::<WallPiece>() + buckets.pieces.len() * 4 + buckets.clear.len() * 12)
            as u64
    }

    fn fill_buckets(&mut self) {
        if self.pieces.is_empty() {
            return;
        }
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for piece in &self.pieces {
            for end in [piece.from, piece.to] {
                for axis in 0..2 {
                    low[axis] = low[axis].min(end[axis]);
                    high[axis] = high[axis].max(end[axis]);
                }
            }
        }
        let wide = sub(high, low);
        let all: f64 = self.pieces.iter().map(|piece| length(sub(piece.to, piece.from))).sum();
        let longest = wide[0].max(wide[1]).max(1.0e-9);
        let side = (all / self.pieces.len() as f64).max(longest / MOST_SQUARES).min(longest / 8.0);
        let origin = [low[0] - 0.5 * side, low[1] - 0.5 * side];
        let size = wide.map(|wide| (wide / side) as usize + 2);
        let squares = size[0] * size[1];
        let mut lists = vec![Vec::new(); squares];
        for (number, piece) in self.pieces.iter().enumerate() {
            let square = |place: Vec2| [0, 1].map(|axis| ((place[axis] - origin[axis]) / side) as usize);
            let (a, b) = (square(piece.from), square(piece.to));
            for row in a[1].min(b[1])..=a[1].max(b[1]) {
                for col in a[0].min(b[0])..=a[0].max(b[0]) {
                    let centre =
                        [origin[0] + (col as f64 + 0.5) * side, origin[1] + (row as f64 + 0.5) * side];
                    // A hair more than half the diagonal.
                    if piece.nearest(centre).0 <= 0.708 * side {
                        lists[row * size[0] + col].push(number as u32);
                    }
                }
            }
        }
        let mut buckets = Buckets { origin, side, size, ..Buckets::default() };
        buckets.first.push(0);
        for list in &lists {
            buckets.pieces.extend(list);
            buckets.first.push(buckets.pieces.len() as u32);
        }
        self.buckets = buckets;
        let clear = |at: usize| {
            let centre = self.buckets.centre([at % size[0], at / size[0]]);
            let near = self.nearest(centre).map_or(0.0, |(distance, ..)| distance);
            (near - 0.708 * side).max(0.0)
        };
        self.buckets.clear = (0..squares).map(clear).collect();
    }

    /// The piece nearest to a place, how far it is, and where along it.
    fn nearest(&self, place: Vec2) -> Option<(f64, usize, f64)> {
        if self.pieces.is_empty() {
            return None;
        }
        let Buckets { origin, side, size, .. } = &self.buckets;
        let square = [0, 1].map(|axis| {
            let at = (place[axis] - origin[axis]) / side;
            at.clamp(0.0, size[axis] as f64 - 1.0) as isize
        });
        // From outside the squares, everything is farther by the way to them.
        let mut best: Option<(f64, usize, f64)> = None;
        for ring in 0..(size[0].max(size[1]) as isize) {
            if best.is_some_and(|(distance, ..)| distance < (ring - 1).max(0) as f64 * side) {
                break;
            }
            for row in square[1] - ring..=square[1] + ring {
                if row < 0 || row >= size[1] as isize {
                    continue;
                }
                let inner = (row - square[1]).abs() < ring;
                let step = if inner { 2 * ring } else { 1 };
                let mut col = square[0] - ring;
                while col <= square[0] + ring {
                    if (0..size[0] as isize).contains(&col) {
                        for &number in self.buckets.list([col as usize, row as usize]) {
                            let (distance, along) = self.pieces[number as usize].nearest(place);
                            let better = best.is_none_or(|(least, piece, _)| {
                                distance < least || (distance == least && (number as usize) < piece)
                            });
                            if better {
                                best = Some((distance, number as usize, along));
                            }
                        }
                    }
                    col += step.max(1);
                }
            }
        }
        best
    }

    pub(super) fn distance(&self, place: Vec2) -> Option<f64> {
        let (distance, number, along) = self.nearest(place)?;
        let piece = &self.pieces[number];
        // At an end both pieces that meet there say on which side a place lies.
        let beside = if along <= 0.0 {
            piece.beside[0]
        } else if along >= 1.0 {
            piece.beside[1]
        } else {
            number as u32
        };
        let normal = add(piece.facet, self.pieces[beside as usize].facet, 1.0);
        let foot = add(piece.from, sub(piece.to, piece.from), along);
        Some(if dot(sub(place, foot), normal) >= 0.0 { distance } else { -distance })
    }

    pub(super) fn is_water(&self, place: Vec2) -> bool {
        self.distance(place).map_or(self.all_water, |distance| distance >= 0.0)
    }

    pub(super) fn clear(&self, place: Vec2) -> f64 {
        match self.buckets.square_of(place) {
            Some(square) => self.buckets.clear[self.buckets.number(square)],
            None if self.pieces.is_empty() => f64::INFINITY,
            None => 0.0,
        }
    }

    pub(super) fn cast(&self, from: Vec2, heading: Vec2, reach: f64) -> Option<Hit> {
        let buckets = &self.buckets;
        if self.pieces.is_empty() {
            return None;
        }
        let (mut at, last) = buckets.span(from, heading, reach)?;
        let hair = 1.0e-9 * buckets.side;
        while at <= last {
            let place = add(from, heading, at + hair);
            let Some(square) = buckets.square_of(place) else { break };
            let clear = buckets.clear[buckets.number(square)];
            if clear > 0.0 {
                at += clear.max(buckets.exit(place, heading, square));
                continue;
            }
            let leaves = at + hair + buckets.exit(place, heading, square);
            let mut best: Option<(f64, u32, f64)> = None;
            for &number in buckets.list(square) {
                let Some((distance, along)) = self.pieces[number as usize].meets(from, heading) else {
                    continue;
                };
                let first = best.is_none_or(|(least, piece, _)| {
                    distance < least || (distance == least && number < piece)
                });
                if distance <= reach && first {
                    best = Some((distance, number, along));
                }
            }
            // What is met beyond this square may come behind what the next one has.
            if let Some((distance, number, along)) = best.filter(|(distance, ..)| *distance <= leaves + hair)
            {
                let piece = &self.pieces[number as usize];
                let [a, b] = piece.normals;
                let bent = piece.curvatures[0] * (1.0 - along) + piece.curvatures[1] * along;
                return Some(Hit {
                    distance: distance.max(0.0),
                    normal: unit([a[0] + (b[0] - a[0]) * along, a[1] + (b[1] - a[1]) * along]),
                    facet: piece.facet,
                    curvature: bent,
                });
            }
            at = leaves;
        }
        None
    }

    /// Images of a place in the walls that it stands before, nearer than `radius`; in a nook of two walls also the image of the image.
    pub(super) fn images(&self, place: Vec2, radius: f64, image: &mut impl FnMut(Vec2)) {
        let buckets = &self.buckets;
        // The nearest foot on each wall, as its way from the place and the wall's normal there.
        let mut mirrors = [([0.0; 2], [0.0; 2]); 4];
        let mut count = 0;
        let low = buckets.square_near([place[0] - radius, place[1] - radius]);
        let high = buckets.square_near([place[0] + radius, place[1] + radius]);
        for row in low[1]..=high[1] {
            for col in low[0]..=high[0] {
                for &number in buckets.list([col, row]) {
                    let piece = &self.pieces[number as usize];
                    let ahead = sub(place, piece.from);
                    let up = dot(ahead, piece.facet);
                    let along = dot(ahead, unit(sub(piece.to, piece.from)));
                    let long = length(sub(piece.to, piece.from));
                    if !(0.0..radius).contains(&up) || along < -ON_THE_WALL || along > long + ON_THE_WALL {
                        continue;
                    }
                    // Pieces of one round wall make one image, in the nearest of them.
                    let same =
                        mirrors[..count].iter().position(|&(_, normal)| dot(normal, piece.facet) > 0.9);
                    let foot = add(place, piece.facet, -up);
                    match same {
                        Some(i) if up < dot(sub(place, mirrors[i].0), mirrors[i].1) => {
                            mirrors[i] = (foot, piece.facet);
                        }
                        Some(_) => {}
                        None if count < mirrors.len() => {
                            mirrors[count] = (foot, piece.facet);
                            count += 1;
                        }
                        None => {}
                    }
                }
            }
        }
        let mirror =
            |place: Vec2, (foot, normal): (Vec2, Vec2)| add(foot, mirrored(sub(place, foot), normal), 1.0);
        for i in 0..count {
            image(mirror(place, mirrors[i]));
            for j in 0..i {
                // Walls that face one another across the water have images without end, but those lie beyond their radius.
                if dot(mirrors[i].1, mirrors[j].1) > -0.9 {
                    image(mirror(mirror(place, mirrors[j]), mirrors[i]));
                }
            }
        }
    }
}

impl WallPiece {
    /// How far it is from a place, and where along it, from 0 to 1.
    fn nearest(&self, place: Vec2) -> (f64, f64) {
        let way = sub(self.to, self.from);
        let along = (dot(sub(place, self.from), way) / dot(way, way)).clamp(0.0, 1.0);
        (length(sub(place, add(self.from, way, along))), along)
    }

    /// Where a way from the water meets it: how far, and where along it.
    fn meets(&self, from: Vec2, heading: Vec2) -> Option<(f64, f64)> {
        let way = sub(self.to, self.from);
        let steep = dot(heading, self.facet);
        if steep >= 0.0 {
            return None;
        }
        let to_start = sub(self.from, from);
        let distance = dot(to_start, self.facet) / steep;
        let along = cross(to_start, heading) / -cross(way, heading);
        // A hair over the ends: no way slips through between two pieces.
        let hair = 1.0e-12;
        ((-ON_THE_WALL..).contains(&distance) && (-hair..=1.0 + hair).contains(&along))
            .then_some((distance, along.clamp(0.0, 1.0)))
    }
}

impl Buckets {
    fn number(&self, [col, row]: [usize; 2]) -> usize {
        row * self.size[0] + col
    }

    fn list(&self, square: [usize; 2]) -> &[u32] {
        let at = self.number(square);
        &self.pieces[self.first[at] as usize..self.first[at + 1] as usize]
    }

    fn centre(&self, square: [usize; 2]) -> Vec2 {
        [0, 1].map(|axis| self.origin[axis] + (square[axis] as f64 + 0.5) * self.side)
    }

    fn square_of(&self, place: Vec2) -> Option<[usize; 2]> {
        let at = [0, 1].map(|axis| (place[axis] - self.origin[axis]) / self.side);
        let inside = |axis: usize| at[axis] >= 0.0 && at[axis] < self.size[axis] as f64;
        (!self.size.contains(&0) && inside(0) && inside(1)).then(|| at.map(|at| at as usize))
    }

    fn square_near(&self, place: Vec2) -> [usize; 2] {
        [0, 1].map(|axis| {
            let at = (place[axis] - self.origin[axis]) / self.side;
            at.clamp(0.0, self.size[axis] as f64 - 1.0) as usize
        })
    }

    /// Way from a place within a square to where it leaves it.
    fn exit(&self, place: Vec2, heading: Vec2, square: [usize; 2]) -> f64 {
        let to = |axis: usize| {
            let low = self.origin[axis] + square[axis] as f64 * self.side;
            let bound = if heading[axis] > 0.0 { low + self.side } else { low };
            if heading[axis] == 0.0 { f64::INFINITY } else { (bound - place[axis]) / heading[axis] }
        };
        to(0).min(to(1)).max(0.0)
    }

    /// Where a way enters the squares, and where it leaves them or ends.
    fn span(&self, from: Vec2, heading: Vec2, reach: f64) -> Option<(f64, f64)> {
        let (mut enters, mut leaves) = (0.0_f64, reach);
        for axis in 0..2 {
            let bounds = [self.origin[axis], self.origin[axis] + self.size[axis] as f64 * self.side];
            if heading[axis] == 0.0 {
                if from[axis] < bounds[0] || from[axis] >= bounds[1] {
                    return None;
                }
                continue;
            }
            let ways = bounds.map(|bound| (bound - from[axis]) / heading[axis]);
            enters = enters.max(ways[0].min(ways[1]));
            leaves = leaves.min(ways[0].max(ways[1]));
        }
        (enters <= leaves).then_some((enters, leaves))
    }
}
