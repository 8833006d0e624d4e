//! The surface of a body: closed, of triangles that look outwards.

use thalweg_field::TriMesh;

/// A place or a direction.
pub(super) type Vector = [f64; 3];
/// Corners of a triangle.
pub(super) type Corners = [Vector; 3];

/// Triangles of a bin, on average, that space is cut for `[-]`.
const PER_BIN: f64 = 2.0;
/// Most bins along a side.
const MOST_BINS: f64 = 256.0;
/// A way that misses a triangle by so little hits it, in sides of the triangle `[-]`: else it could slip through between two.
const SLACK: f64 = 1.0e-9;
/// How far a vertical line is put aside so that it meets no edge, in sizes of the body `[-]`.
const ASIDE: [f64; 2] = [1.234_567e-8, 0.765_432e-8];

/// A closed surface, and which of its triangles lie where, seen from above.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    triangles: Vec<Corners>,
    normals: Vec<Vector>,
    low: Vector,
    high: Vector,
    /// Bins to the east and to the north, and their sides `[m]`.
    count: [usize; 2],
    side: [f64; 2],
    /// Numbers of triangles, bin by bin, and where those of each bin begin.
    members: Vec<u32>,
    starts: Vec<u32>,
}

/// Where a way first enters a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Share of the way before it `[-]`.
    share: f64,
    pub(super) at: Vector,
    /// Unit normal of the surface there, outwards.
    pub(super) normal: Vector,
}

impl Hull {
    /// The surface of a mesh; the text says why it is none.
    pub(super) fn new(mesh: &TriMesh) -> Result<Self, String> {
        let corner = |&index: &u32| {
            let place = mesh.positions.get(index as usize).copied();
            place.filter(|place| place.iter().all(|x| x.is_finite())).map(|place| place.map(f64::from))
        };
        let corners = |triangle: &[u32; 3]| -> Option<Corners> {
            let [a, b, c] = triangle;
            Some([corner(a)?, corner(b)?, corner(c)?])
        };
        let all: Option<Vec<Corners>> = mesh.triangles.iter().map(corners).collect();
        let all = all.ok_or("one of its triangles has a corner that is nowhere")?;
        // What has no area bounds nothing, and joins its neighbours as they are.
        let mut triangles: Vec<Corners> =
            all.iter().copied().filter(|t| length(twice_area(t)) > 0.0).collect();
        check_closed(&all)?;
        let volume: f64 = triangles.iter().map(|[a, b, c]| dot(*a, cross(*b, *c)) / 6.0).sum();
        if triangles.is_empty() || volume == 0.0 {
            return Err("it has no inside".into());
        }
        if volume < 0.0 {
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2)); // it looked inwards
        }
        Ok(Self::of(triangles))
    }

    /// Puts triangles into bins.
    fn of(triangles: Vec<Corners>) -> Self {
        let bound = |choose: fn(f64, f64) -> f64, from: f64| -> Vector {
            std::array::from_fn(|axis| triangles.iter().flatten().map(|p| p[axis]).fold(from, choose))
        };
        let (low, high) = (bound(f64::min, f64::INFINITY), bound(f64::max, f64::NEG_INFINITY));
        let bins = (triangles.len() as f64 / PER_BIN).sqrt().ceil().clamp(1.0, MOST_BINS);
        let side = [0, 1].map(|axis: usize| (high[axis] - low[axis]) / bins);
        let normals = triangles.iter().map(|t| unit(twice_area(t))).collect();
        let count = [bins as usize; 2];
        let mut hull =
            Self { triangles, normals, low, high, count, side, members: Vec::new(), starts: vec![0] };
        let mut bins = vec![Vec::new(); count[0] * count[1]];
        for (number, triangle) in hull.triangles.iter().enumerate() {
            let range = |axis: usize, choose: fn(f64, f64) -> f64| {
                triangle.iter().map(|p| p[axis]).reduce(choose).unwrap_or(0.0)
            };
            let (from, to) = ([0, 1].map(|a| range(a, f64::min)), [0, 1].map(|a| range(a, f64::max)));
            hull.bins(from, to).for_each(|bin| bins[bin].push(number as u32));
        }
        for bin in bins {
            hull.members.extend(bin);
            hull.starts.push(hull.members.len() as u32);
        }
        hull
    }

    /// Lowest and highest coordinates `[m]`.
    pub(super) fn bounds(&self) -> [Vector; 2] {
        [self.low, self.high]
    }

    pub(super) fn triangles(&self) -> impl Iterator<Item = (&Corners, &Vector)> {
        self.triangles.iter().zip(&self.normals)
    }

    /// All of the surface `[m²]`.
    pub(super) fn area(&self) -> f64 {
        self.triangles.iter().map(|t| 0.5 * length(twice_area(t))).sum()
    }

    /// Bins that a rectangle touches, a little widened.
    fn bins(&self, from: [f64; 2], to: [f64; 2]) -> impl Iterator<Item = usize> + use<> {
        let index = |axis: usize, at: f64| {
            let [side, count] = [self.side[axis], self.count[axis] as f64];
            ((at - self.low[axis]) / side).floor().clamp(0.0, count - 1.0) as usize
        };
        let hair = |axis: usize| SLACK * self.side[axis];
        let span = |axis: usize| index(axis, from[axis] - hair(axis))..=index(axis, to[axis] + hair(axis));
        let (wide, columns) = (self.count[0], span(0));
        span(1).flat_map(move |j| columns.clone().map(move |i| j * wide + i))
    }

    /// Triangles in a bin.
    fn members(&self, bin: usize) -> impl Iterator<Item = usize> + '_ {
        let range = self.starts[bin] as usize..self.starts[bin + 1] as usize;
        self.members[range].iter().map(|&number| number as usize)
    }

    /// Whether a place is inside: a line upwards from there leaves the body once more than it enters it.
    pub(super) fn contains(&self, at: Vector) -> bool {
        if (0..3).any(|axis| at[axis] < self.low[axis] || at[axis] > self.high[axis]) {
            return false;
        }
        let place = [0, 1].map(|axis: usize| at[axis] + ASIDE[axis] * (self.high[axis] - self.low[axis]));
        let Some(bin) = self.bins(place, place).next() else { return false };
        let above =
            self.members(bin).filter(|&n| height_at(&self.triangles[n], place).is_some_and(|z| z > at[2]));
        above.count() % 2 == 1
    }

    /// Where a way first enters the body.
    pub(super) fn first_hit(&self, from: Vector, to: Vector) -> Option<Hit> {
        let away = (0..3).any(|axis| {
            from[axis].max(to[axis]) < self.low[axis] || from[axis].min(to[axis]) > self.high[axis]
        });
        if away {
            return None;
        }
        let corner = |choose: fn(f64, f64) -> f64| [0, 1].map(|axis: usize| choose(from[axis], to[axis]));
        let mut first: Option<Hit> = None;
        for bin in self.bins(corner(f64::min), corner(f64::max)) {
            for n in self.members(bin) {
                let hit = enters(&self.triangles[n], self.normals[n], from, to);
                first = match (first, hit) {
                    (Some(a), Some(b)) if a.share <= b.share => Some(a),
                    (a, b) => b.or(a),
                };
            }
        }
        first
    }
}

/// Where a way passes a triangle from outside to inside.
fn enters(triangle: &Corners, normal: Vector, from: Vector, to: Vector) -> Option<Hit> {
    let before = dot(minus(from, triangle[0]), normal);
    let after = dot(minus(to, triangle[0]), normal);
    if before < 0.0 || after >= 0.0 {
        return None;
    }
    let share = before / (before - after);
    let at = along(from, share, to);
    let inside = (0..3).all(|k| {
        let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
        let edge = minus(b, a);
        // Twice the area between the edge and the place, and what it may miss by.
        dot(cross(edge, minus(at, a)), normal) >= -SLACK * dot(edge, edge)
    });
    inside.then_some(Hit { share, at, normal })
}

/// Height of a triangle above a place; none if it is not above or below it.
fn height_at([a, b, c]: &Corners, [x, y]: [f64; 2]) -> Option<f64> {
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if area == 0.0 {
        return None;
    }
    let part = |p: &Vector, q: &Vector| ((p[0] - x) * (q[1] - y) - (p[1] - y) * (q[0] - x)) / area;
    let (wa, wb, wc) = (part(b, c), part(c, a), part(a, b));
    (wa >= 0.0 && wb >= 0.0 && wc >= 0.0).then_some(wa * a[2] + wb * b[2] + wc * c[2])
}

/// Refuses a surface with an edge that does not join two triangles, one each way. Corners in the same place are the same.
fn check_closed(triangles: &[Corners]) -> Result<(), String> {
    let name = |at: &Vector| at.map(|x| (x + 0.0).to_bits()); // -0 is 0
    let mut edges: Vec<[[u64; 3]; 2]> = triangles
        .iter()
        .flat_map(|t| (0..3).map(move |k| [name(&t[k]), name(&t[(k + 1) % 3])]))
        .filter(|[a, b]| a != b)
        .collect();
    edges.sort_unstable();
    let back = |[a, b]: &[[u64; 3]; 2]| edges.binary_search(&[*b, *a]).is_ok();
    let twice = edges.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let open = edges.iter().filter(|edge| !back(edge)).count();
    match (open, twice) {
        (0, 0) => Ok(()),
        (0, _) => Err(format!(
            "{twice} of its edges join more than two triangles, or triangles that look different ways"
        )),
        _ => Err(format!(
            "it is not closed: {open} of its {} edges have a triangle on one side only",
            edges.len()
        )),
    }
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

/// a + factor · b.
pub(super) fn plus(a: Vector, factor: f64, b: Vector) -> Vector {
    std::array::from_fn(|axis| a[axis] + factor * b[axis])
}

/// A share of the way from a to b.
fn along(a: Vector, share: f64, b: Vector) -> Vector {
    plus(a, share, minus(b, a))
}

pub(super) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

pub(super) fn unit(a: Vector) -> Vector {
    a.map(|x| x / length(a))
}

/// The normal of a triangle, twice as long as its area `[m²]`.
fn twice_area([a, b, c]: &Corners) -> Vector {
    cross(minus(*b, *a), minus(*c, *a))
}
