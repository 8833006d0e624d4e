//! Boundary particles of bodies: two layers below the surface, half and one and a half spacings, as behind the walls of a scene.

use super::hull::{Corners, Hull, Vector, cross, dot, minus, plus, unit};

/// Layers below the surface.
const LAYERS: usize = 2;
/// Places of a layer that are nearer to another face than their own depth by more than this belong to that one, in spacings `[-]`.
const NEARER: f64 = 0.1;
/// Places closer to each other are one, in spacings `[-]`: both faces beside an edge put it there.
const SAME: f64 = 0.5;

/// A boundary particle: where, and the share of a fluid particle that it stands for `[-]`.
pub(super) type Sample = (Vector, f64);

/// Particles of a box, on a lattice of its own that fits its sides: `place` takes shares of the sides, 0 to 1, to places. All that
/// are in the two outermost cells along some side.
pub(super) fn of_box(sides: Vector, spacing: f64, place: impl Fn(Vector) -> Vector) -> Vec<Sample> {
    let count = sides.map(|side| (side / spacing).round().max(1.0) as usize);
    let share = (0..3).map(|axis| sides[axis] / count[axis] as f64).product::<f64>() / spacing.powi(3);
    let outer = |i: usize, count: usize| i < LAYERS || i + LAYERS >= count;
    let mut samples = Vec::new();
    for k in 0..count[2] {
        for j in 0..count[1] {
            for i in 0..count[0] {
                let index = [i, j, k];
                if (0..3).any(|axis| outer(index[axis], count[axis])) {
                    let at = std::array::from_fn(|axis| (index[axis] as f64 + 0.5) / count[axis] as f64);
                    samples.push((place(at), share));
                }
            }
        }
    }
    samples
}

/// Particles of a mesh: below each triangle a lattice in its plane, the same for all triangles of a plane, so that they join.
pub(super) fn of_mesh(hull: &Hull, spacing: f64) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    let mut taken = Taken::new(SAME * spacing);
    for layer in 0..LAYERS {
        let depth = (layer as f64 + 0.5) * spacing;
        for (triangle, &normal) in hull.triangles() {
            for at in lattice(triangle, normal, spacing) {
                let sunk = plus(at, -depth, normal);
                if is_own(hull, sunk, normal, depth - NEARER * spacing) && taken.take(sunk) {
                    samples.push((sunk, 1.0));
                }
            }
        }
    }
    samples
}

/// Whether a place below a face is inside, and no other face is much nearer than so far: looked for along the axes and the normal.
fn is_own(hull: &Hull, at: Vector, normal: Vector, far: f64) -> bool {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let side = unit(cross(normal, least_along(normal)));
    let ways = axes.into_iter().chain([side, cross(normal, side), normal]);
    hull.contains(at)
        && ways.into_iter().all(|way| hull.contains(plus(at, -far, way)) && hull.contains(plus(at, far, way)))
}

/// Crossings of a lattice in the plane of a triangle that lie on it. Lattices of parallel planes are one above the other.
fn lattice(triangle: &Corners, normal: Vector, spacing: f64) -> Vec<Vector> {
    let u = unit(cross(normal, least_along(normal)));
    let v = cross(normal, u);
    let flat = triangle.map(|p| [dot(p, u) / spacing, dot(p, v) / spacing]);
    let range = |axis: usize| {
        let at = flat.map(|p| p[axis]);
        let (low, high) = (at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2]));
        (low - 0.5).ceil() as i64..=(high - 0.5).floor() as i64
    };
    let height = dot(triangle[0], normal);
    let on = |p: [f64; 2]| {
        (0..3).all(|k| {
            let (a, b) = (flat[k], flat[(k + 1) % 3]);
            let left = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
            // What lies on an edge belongs to the triangle on one side of it.
            left > 0.0 || (left == 0.0 && (a[1] < b[1] || (a[1] == b[1] && a[0] > b[0])))
        })
    };
    let mut places = Vec::new();
    for j in range(1) {
        for i in range(0) {
            let p = [i as f64 + 0.5, j as f64 + 0.5];
            if on(p) {
                let at = [0, 1, 2].map(|axis: usize| spacing * (p[0] * u[axis] + p[1] * v[axis]));
                places.push(plus(at, height, normal));
            }
        }
    }
    places
}

/// The axis that a direction is least along, of two that are alike the later.
fn least_along(normal: Vector) -> Vector {
    let size = normal.map(|n| (n.abs() * 1.0e9).round());
    let least = (0..3).rev().min_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(2);
    std::array::from_fn(|axis| f64::from(u8::from(axis == least)))
}

/// Places that are taken, in cells.
struct Taken {
    near: f64,
    cells: std::collections::HashMap<[i64; 3], Vec<Vector>>,
}

impl Taken {
    fn new(near: f64) -> Self {
        Self { near, cells: std::collections::HashMap::new() }
    }

    /// Takes a place, unless one near it is taken.
    fn take(&mut self, at: Vector) -> bool {
        let cell = at.map(|x| (x / self.near).floor() as i64);
        let around =
            (0..27).map(|n: i64| [cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1]);
        let close = |other: &Vector| {
            let way = minus(at, *other);
            dot(way, way) < self.near * self.near
        };
        let free = !around.filter_map(|cell| self.cells.get(&cell)).flatten().any(close);
        if free {
            self.cells.entry(cell).or_default().push(at);
        }
        free
    }
}
