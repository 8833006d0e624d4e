//! Places where lines cross a surface of the rock, or one at a depth in it: where boundary particles stand.

use super::flow::Foot;
use super::rock::{Rock, Vector, way_out};
use thalweg_terrain::marching_cubes::Cell;
use thalweg_terrain::volume::{SOFT, SURFACE};

/// Where lines begin, in spacings `[-]`: not where the corners of triangles lie, in the middles of voxels.
const ASIDE: [f64; 3] = [0.513, 0.487, 0.531];
/// Deepest place in the rock where shares tell how deep it is, in voxels; a little less than their ramp reaches.
const DEEPEST: f64 = 0.45 * SOFT as f64;
/// Steps of half the depth of the first layer in which rock that is so deep is looked for below a surface.
const STEPS_INWARDS: usize = 4;
/// What is so deep but for rounding `[-]`.
const NEARLY: f64 = 0.99;

/// A sample of the surface.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub at: Vector,
    /// Unit normal of the triangle, and the axis that it faces most.
    pub normal: Vector,
    pub axis: usize,
}

/// A cube of cells of the rock, and lines through it.
pub(super) struct Cube<'a> {
    /// Its first cell, and how many it has along each side.
    pub first: [isize; 3],
    pub side: usize,
    /// The shares at the corners of the cells.
    pub shares: &'a [f32],
    /// How far apart the lines are, in voxels.
    pub spacing: f64,
}

impl Cube<'_> {
    /// Calls `put` for every place where a line crosses the surface that is so deep in the rock [voxels], or as deep as shares tell, with the cell it is in.
    pub(super) fn sample(&self, rock: &Rock, depth: f64, mut put: impl FnMut(Sample, &Cell)) {
        let [count, side] = [self.side + 1, self.side];
        let [east, north, up] = rock.size().map(|n| n as isize);
        let ends = [east - 1, north - 1, up];
        let more = (depth.min(DEEPEST) / f64::from(SOFT)) as f32;
        let corner = |x: usize, y: usize, z: usize| self.shares[x + count * (y + count * z)] - more;
        for n in 0..side.pow(3) {
            let [x, y, z] = [n % side, n / side % side, n / side / side];
            let cell = Cell(std::array::from_fn(|k| corner(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2))));
            let at: [isize; 3] = std::array::from_fn(|axis| self.first[axis] + [x, y, z][axis] as isize);
            if !cell.is_mixed() || (0..3).any(|axis| at[axis] >= ends[axis]) {
                continue;
            }
            for triangle in cell.triangles() {
                let corners = triangle
                    .map(|corner| std::array::from_fn(|axis| at[axis] as f64 + f64::from(corner[axis])));
                cross_lines(corners, self.spacing, |sample| put(sample, &cell));
            }
        }
    }
}

/// The place at a depth in the rock [voxels] near one that the shares say is so deep, or as deep as they tell; none in a thin wall, where it would come out on
/// the other side.
pub(super) fn sunk(rock: &Rock, sample: &Sample, depth: f64) -> Option<Vector> {
    let (there, out) = depth_at(rock, sample.at);
    // Where the ramp is not as steep as it should be, the place is not as deep either.
    let sunk = inwards(sample.at, out.unwrap_or(sample.normal), depth - there);
    (depth - there < 0.5 || rock.share_at(sunk) > SURFACE).then_some(sunk)
}

/// The deepest place below one of the surface, where the rock is nowhere near so deep [voxels]: no surface in it is, and it would not wear away. On the way inwards
/// it goes around outer edges, and comes back in the middle of a thin wall.
pub(super) fn inside_thin(rock: &Rock, sample: &Sample, depth: f64) -> Option<Vector> {
    let (mut at, mut way) = (sample.at, sample.normal);
    let (mut deepest, mut place) = (0.0, at);
    for _ in 0..STEPS_INWARDS {
        at = inwards(at, way, 0.5 * depth);
        let (there, out) = depth_at(rock, at);
        if there > deepest {
            (deepest, place) = (there, at);
        }
        way = out.unwrap_or(way);
    }
    (deepest < NEARLY * depth.min(DEEPEST)).then_some(place)
}

/// How deep in the rock a place is [voxels], and the way out.
fn depth_at(rock: &Rock, at: Vector) -> (f64, Option<Vector>) {
    let (cell, within) = rock.cell_at(at);
    let there = -rock.distance(rock.in_metres(at).map(|v| v as f32)).0;
    (f64::from(there) / rock.voxel(), way_out(&cell, within).map(|out| out.map(f64::from)))
}

fn inwards(at: Vector, out: Vector, far: f64) -> Vector {
    std::array::from_fn(|axis| at[axis] - far * out[axis])
}

/// Calls `put` where lines along the axis that a triangle faces most cross it.
fn cross_lines(corners: [Vector; 3], spacing: f64, mut put: impl FnMut(Sample)) {
    let [a, b, c] = corners;
    let (u, v): (Vector, Vector) =
        (std::array::from_fn(|n| b[n] - a[n]), std::array::from_fn(|n| c[n] - a[n]));
    let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
    if length == 0.0 {
        return;
    }
    let normal = normal.map(|n| n / length);
    let steep = normal.map(f64::abs);
    let axis = if steep[2] >= steep[0] && steep[2] >= steep[1] {
        2
    } else if steep[0] >= steep[1] {
        0
    } else {
        1
    };
    let [p, q] = [(axis + 1) % 3, (axis + 2) % 3];
    let lines = |of: usize| {
        let range = corners.iter().map(|corner| corner[of] / spacing - ASIDE[of]);
        let low = range.clone().fold(f64::INFINITY, f64::min).ceil();
        let high = range.fold(f64::NEG_INFINITY, f64::max).floor();
        (low as i64..=high as i64).map(move |n| (n as f64 + ASIDE[of]) * spacing)
    };
    for x in lines(p) {
        for y in lines(q) {
            if holds(corners.map(|corner| [corner[p], corner[q]]), [x, y]) {
                let mut at = a;
                (at[p], at[q]) = (x, y);
                at[axis] = a[axis] - (normal[p] * (x - a[p]) + normal[q] * (y - a[q])) / normal[axis];
                put(Sample { at, normal, axis });
            }
        }
    }
}

/// Whether a place is in a triangle of a plane. Of two that share an edge exactly one holds what is on it: the edge is looked at from its lower
/// end in both.
fn holds(corners: [[f64; 2]; 3], [x, y]: [f64; 2]) -> bool {
    let side = |from: [f64; 2], to: [f64; 2]| {
        let turned = (from[0], from[1]) > (to[0], to[1]);
        let (a, b) = if turned { (to, from) } else { (from, to) };
        let left = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0.0;
        left != turned
    };
    let [a, b, c] = corners;
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides == [true; 3] || sides == [false; 3]
}
/// A place of the surface as the flow knows it. The slope of the rock changes less from cell to cell than the triangles do.
pub(super) fn foot(rock: &Rock, sample: &Sample, cell: &Cell) -> Foot {
    let within = sample.at.map(|v| (v - v.floor()) as f32);
    let out = way_out(cell, within).unwrap_or_else(|| sample.normal.map(|n| n as f32));
    Foot::new(rock.in_metres(sample.at).map(|v| v as f32), out)
}
