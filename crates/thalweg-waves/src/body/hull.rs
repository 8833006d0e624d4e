//! The surface of a body that floats: closed, of triangles that look outwards.

use super::vector::{Matrix, Vector, cross, dot, minus, plus, scaled};
use thalweg_field::TriMesh;

/// Most triangles of a hull.
const MOST_TRIANGLES: usize = 200_000;
/// Hulls of more triangles are not looked through for triangles that cut each other; it would take minutes.
const MOST_COMPARED: usize = 20_000;
/// What counts as no volume, as a share of the box around the hull `[-]`.
const FLAT: f64 = 1.0e-6;

/// Why triangles are no hull.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HullError {
    /// No triangles.
    #[error("the hull has no triangles; it needs at least four")]
    Empty,
    /// More than can be worked with.
    #[error(
        "the hull has {count} triangles; at most {MOST_TRIANGLES} will do, about a thousand are right for a boat"
    )]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A corner that does not exist, or is no number.
    #[error("triangle {triangle} of the hull has a corner that is nowhere; all coordinates must be finite")]
    NoPlace {
        /// Which triangle.
        triangle: usize,
    },
    /// An edge with a triangle on one side only.
    #[error(
        "the hull is open: {count} of its edges have a triangle on one side only, first near {at:?} m; close its holes"
    )]
    Open {
        /// How many.
        count: usize,
        /// Where the first one is `[m]`.
        at: Vector,
    },
    /// An edge that joins more than two triangles, or two that look different ways.
    #[error(
        "{count} edges of the hull join more than two triangles, or triangles that look different ways, first near \
         {at:?} m; each edge must join two triangles that look the same way"
    )]
    Tangled {
        /// How many.
        count: usize,
        /// Where the first one is `[m]`.
        at: Vector,
    },
    /// Triangles look inwards.
    #[error(
        "the hull is inside out: its triangles enclose {volume:.3e} m³; turn them so that they run anticlockwise seen from outside"
    )]
    InsideOut {
        /// What they enclose `[m³]`.
        volume: f64,
    },
    /// It encloses nothing.
    #[error("the hull encloses {volume:.3e} m³, which is nothing beside its size; it must have an inside")]
    NoVolume {
        /// What it encloses `[m³]`.
        volume: f64,
    },
    /// Triangles cut each other.
    #[error(
        "triangles {first} and {second} of the hull cut each other near {at:?} m; join its parts into one surface"
    )]
    SelfIntersecting {
        /// One of the two.
        first: usize,
        /// The other.
        second: usize,
        /// Where `[m]`.
        at: Vector,
    },
}

/// A closed surface and what it encloses. Places are ahead, to port and up.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    pub(super) places: Vec<Vector>,
    pub(super) triangles: Vec<[u32; 3]>,
    volume: f64,
    centre: Vector,
    /// ∫ x xᵀ dV about the centre `[m⁵]`.
    spread: Matrix,
    bounds: [Vector; 2],
}

impl Hull {
    /// The hull of corners and triangles, which run anticlockwise seen from outside. Corners in the same place are one.
    pub fn new(places: &[Vector], triangles: &[[u32; 3]]) -> Result<Self, HullError> {
        if triangles.is_empty() {
            return Err(HullError::Empty);
        }
        if triangles.len() > MOST_TRIANGLES {
            return Err(HullError::TooMany { count: triangles.len() });
        }
        let good = |&c: &u32| places.get(c as usize).is_some_and(|p| p.iter().all(|x| x.is_finite()));
        if let Some(triangle) = triangles.iter().position(|corners| !corners.iter().all(good)) {
            return Err(HullError::NoPlace { triangle });
        }
        let (places, triangles) = welded(places, triangles);
        check_closed(&places, &triangles)?;
        let hull = Self::measured(places, triangles);
        let [low, high] = hull.bounds;
        let room: f64 = minus(high, low).iter().product();
        if hull.triangles.is_empty() || hull.volume.abs() <= FLAT * room {
            return Err(HullError::NoVolume { volume: hull.volume });
        }
        if hull.volume < 0.0 {
            return Err(HullError::InsideOut { volume: hull.volume });
        }
        hull.check_apart()?;
        Ok(hull)
    }

    /// The hull of a mesh.
    pub fn of_mesh(mesh: &TriMesh) -> Result<Self, HullError> {
        let places: Vec<Vector> = mesh.positions.iter().map(|p| p.map(f64::from)).collect();
        Self::new(&places, &mesh.triangles)
    }

    /// Works out what triangles enclose: sums over tetrahedra to the origin.
    fn measured(places: Vec<Vector>, triangles: Vec<[u32; 3]>) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in &places {
            low = std::array::from_fn(|i| low[i].min(p[i]));
            high = std::array::from_fn(|i| high[i].max(p[i]));
        }
        // From the middle, so that little is taken from much.
        let middle = scaled(0.5, plus(low, 1.0, high));
        let (mut volume, mut moment, mut spread) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for triangle in &triangles {
            let [a, b, c] = triangle.map(|n| minus(places[n as usize], middle));
            let part = dot(a, cross(b, c)) / 6.0;
            let sum = plus(plus(a, 1.0, b), 1.0, c);
            volume += part;
            moment = plus(moment, 0.25 * part, sum);
            for i in 0..3 {
                for j in 0..3 {
                    // ∫ x_i x_j over a tetrahedron with a corner at the origin.
                    let squares = a[i] * a[j] + b[i] * b[j] + c[i] * c[j];
                    spread[i][j] += part / 20.0 * (squares + sum[i] * sum[j]);
                }
            }
        }
        let off = scaled(1.0 / volume, moment);
        for i in 0..3 {
            for j in 0..3 {
                spread[i][j] -= volume * off[i] * off[j];
            }
        }
        Self { places, triangles, volume, centre: plus(middle, 1.0, off), spread, bounds: [low, high] }
    }

    /// Refuses triangles that cut each other; those that touch in a corner are not compared.
    fn check_apart(&self) -> Result<(), HullError> {
        if self.triangles.len() > MOST_COMPARED {
            return Ok(());
        }
        let boxes: Vec<[Vector; 2]> = (0..self.triangles.len())
            .map(|n| {
                let corners = self.corners(n);
                let bound = |choose: fn(f64, f64) -> f64| {
                    std::array::from_fn(|i| choose(choose(corners[0][i], corners[1][i]), corners[2][i]))
                };
                [bound(f64::min), bound(f64::max)]
            })
            .collect();
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        order.sort_by(|&a, &b| boxes[a][0][0].total_cmp(&boxes[b][0][0]).then(a.cmp(&b)));
        for (place, &first) in order.iter().enumerate() {
            for &second in &order[place + 1..] {
                if boxes[second][0][0] > boxes[first][1][0] {
                    break;
                }
                let apart = (1..3).any(|i| {
                    boxes[second][0][i] > boxes[first][1][i] || boxes[first][0][i] > boxes[second][1][i]
                });
                let touch = self.triangles[first].iter().any(|c| self.triangles[second].contains(c));
                if apart || touch {
                    continue;
                }
                let (a, b) = (self.corners(first), self.corners(second));
                if let Some(at) = pierced(&a, &b).or_else(|| pierced(&b, &a)) {
                    let (first, second) = (first.min(second), first.max(second));
                    return Err(HullError::SelfIntersecting { first, second, at });
                }
            }
        }
        Ok(())
    }

    fn corners(&self, triangle: usize) -> [Vector; 3] {
        self.triangles[triangle].map(|n| self.places[n as usize])
    }

    /// The same surface of triangles with no side longer than this `[m]`.
    ///
    /// Where waves are short, long triangles do not feel them: half the shortest wavelength is right.
    #[must_use]
    pub fn refined(&self, longest: f64) -> Self {
        let (mut places, mut triangles) = (self.places.clone(), self.triangles.clone());
        let limit2 = longest * longest;
        loop {
            let way = |a: u32, b: u32| minus(places[a as usize], places[b as usize]);
            let mut cuts: Vec<[u32; 2]> = triangles
                .iter()
                .flat_map(|t| (0..3).map(|k| [t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3])]))
                .filter(|&[a, b]| dot(way(a, b), way(a, b)) > limit2)
                .collect();
            cuts.sort_unstable();
            cuts.dedup();
            if cuts.is_empty() || triangles.len() * 4 > MOST_TRIANGLES {
                return Self::measured(places, triangles);
            }
            let first = places.len() as u32;
            let middles: Vec<Vector> = cuts
                .iter()
                .map(|&[a, b]| scaled(0.5, plus(places[a as usize], 1.0, places[b as usize])))
                .collect();
            places.extend(middles);
            let cut =
                |a: u32, b: u32| cuts.binary_search(&[a.min(b), a.max(b)]).ok().map(|n| first + n as u32);
            triangles = triangles.iter().flat_map(|t| divided(*t, cut)).collect();
        }
    }

    /// Moved, so that this place becomes the origin.
    #[must_use]
    pub fn about(mut self, origin: Vector) -> Self {
        for place in &mut self.places {
            *place = minus(*place, origin);
        }
        self.bounds = self.bounds.map(|corner| minus(corner, origin));
        self.centre = minus(self.centre, origin);
        self
    }

    /// What it encloses `[m³]`.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The middle of what it encloses `[m]`.
    pub fn centre(&self) -> Vector {
        self.centre
    }

    /// Lowest and highest coordinates `[m]`.
    pub fn bounds(&self) -> [Vector; 2] {
        self.bounds
    }

    /// How many triangles it has.
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// Area seen along one axis: 0 ahead, 1 to port, 2 up, less what hides behind itself `[m²]`.
    pub fn silhouette(&self, axis: usize) -> f64 {
        (0..self.triangles.len()).map(|n| 0.25 * twice_area(&self.corners(n))[axis].abs()).sum()
    }

    /// Tensor of inertia about a place, if a mass fills it evenly `[kg m²]`.
    pub(super) fn inertia(&self, mass: f64, about: Vector) -> Matrix {
        let density = mass / self.volume;
        let off = minus(self.centre, about);
        let spread: Matrix = std::array::from_fn(|i| {
            std::array::from_fn(|j| density * self.spread[i][j] + mass * off[i] * off[j])
        });
        let whole = spread[0][0] + spread[1][1] + spread[2][2];
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { whole } else { 0.0 } - spread[i][j]))
    }

    /// As a mesh, for pictures and files.
    pub fn mesh(&self) -> TriMesh {
        let positions = self.places.iter().map(|p| p.map(|x| x as f32)).collect();
        TriMesh { positions, normals: Vec::new(), triangles: self.triangles.clone() }.with_normals()
    }
}

/// The normal of a triangle, twice as long as its area `[m²]`.
pub(super) fn twice_area([a, b, c]: &[Vector; 3]) -> Vector {
    cross(minus(*b, *a), minus(*c, *a))
}

/// Joins corners that are in the same place, and drops triangles that this leaves without area.
fn welded(places: &[Vector], triangles: &[[u32; 3]]) -> (Vec<Vector>, Vec<[u32; 3]>) {
    let name = |at: &Vector| at.map(|x| (x + 0.0).to_bits()); // -0 is 0
    let mut order: Vec<u32> = (0..places.len() as u32).collect();
    order.sort_by_key(|&n| (name(&places[n as usize]), n));
    let mut first = vec![0; places.len()];
    for (k, &n) in order.iter().enumerate() {
        let before = order[k.saturating_sub(1)];
        let same = k > 0 && name(&places[before as usize]) == name(&places[n as usize]);
        first[n as usize] = if same { first[before as usize] } else { n };
    }
    let mut used = vec![false; places.len()];
    let joined: Vec<[u32; 3]> = triangles
        .iter()
        .map(|t| t.map(|c| first[c as usize]))
        .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
        .collect();
    joined.iter().flatten().for_each(|&c| used[c as usize] = true);
    let mut number = vec![0; places.len()];
    let mut kept = Vec::new();
    for (n, place) in places.iter().enumerate().filter(|(n, _)| used[*n]) {
        number[n] = kept.len() as u32;
        kept.push(*place);
    }
    (kept, joined.iter().map(|t| t.map(|c| number[c as usize])).collect())
}

/// Refuses a surface with an edge that does not join two triangles, one each way.
fn check_closed(places: &[Vector], triangles: &[[u32; 3]]) -> Result<(), HullError> {
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(|t| (0..3).map(|k| [t[k], t[(k + 1) % 3]])).collect();
    edges.sort_unstable();
    let at = |[a, b]: [u32; 2]| scaled(0.5, plus(places[a as usize], 1.0, places[b as usize]));
    let twice: Vec<[u32; 2]> =
        edges.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    if let Some(&edge) = twice.first() {
        return Err(HullError::Tangled { count: twice.len(), at: at(edge) });
    }
    let alone = |[a, b]: [u32; 2]| edges.binary_search(&[b, a]).is_err();
    let open: Vec<[u32; 2]> = edges.iter().copied().filter(|&edge| alone(edge)).collect();
    match open.first() {
        Some(&edge) => Err(HullError::Open { count: open.len(), at: at(edge) }),
        None => Ok(()),
    }
}

/// Where a side of one triangle goes through the other.
fn pierced(sides: &[Vector; 3], triangle: &[Vector; 3]) -> Option<Vector> {
    let normal = twice_area(triangle);
    (0..3).find_map(|k| {
        let (from, to) = (sides[k], sides[(k + 1) % 3]);
        let (before, after) = (dot(minus(from, triangle[0]), normal), dot(minus(to, triangle[0]), normal));
        if before * after >= 0.0 {
            return None;
        }
        let at = plus(from, before / (before - after), minus(to, from));
        let inside = (0..3).all(|n| {
            let (a, b) = (triangle[n], triangle[(n + 1) % 3]);
            dot(cross(minus(b, a), minus(at, a)), normal) > 0.0
        });
        inside.then_some(at)
    })
}

/// A triangle cut where its sides are.
fn divided([a, b, c]: [u32; 3], cut: impl Fn(u32, u32) -> Option<u32>) -> Vec<[u32; 3]> {
    match [cut(a, b), cut(b, c), cut(c, a)] {
        [None, None, None] => vec![[a, b, c]],
        [Some(p), None, None] => vec![[a, p, c], [p, b, c]],
        [None, Some(q), None] => vec![[a, b, q], [a, q, c]],
        [None, None, Some(r)] => vec![[a, b, r], [b, c, r]],
        [Some(p), Some(q), None] => vec![[a, p, c], [p, q, c], [p, b, q]],
        [None, Some(q), Some(r)] => vec![[a, b, q], [a, q, r], [r, q, c]],
        [Some(p), None, Some(r)] => vec![[a, p, r], [p, b, r], [r, b, c]],
        [Some(p), Some(q), Some(r)] => vec![[a, p, r], [p, b, q], [r, q, c], [p, q, r]],
    }
}

/// Longest side of any triangle `[m]`.
#[cfg(test)]
fn longest_side(hull: &Hull) -> f64 {
    (0..hull.triangles.len())
        .flat_map(|n| {
            let c = hull.corners(n);
            (0..3).map(move |k| super::vector::length(minus(c[k], c[(k + 1) % 3])))
        })
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::shapes;
    use super::*;

    fn refusal(change: impl Fn(&mut Vec<Vector>, &mut Vec<[u32; 3]>)) -> HullError {
        let hull = shapes::box_hull([2.0, 1.0, 0.5]);
        let (mut places, mut triangles) = (hull.places, hull.triangles);
        change(&mut places, &mut triangles);
        Hull::new(&places, &triangles).unwrap_err()
    }

    #[test]
    fn what_encloses_nothing_is_refused_with_the_reason() {
        assert_eq!(refusal(|_, t| t.clear()), HullError::Empty);
        assert!(matches!(refusal(|_, t| t[3][1] = 99), HullError::NoPlace { triangle: 3 }));
        assert!(matches!(refusal(|p, _| p[2][0] = f64::NAN), HullError::NoPlace { .. }));
        assert!(matches!(refusal(|_, t| t.truncate(11)), HullError::Open { count: 3, .. }));
        assert!(matches!(refusal(|_, t| t[0].swap(0, 1)), HullError::Tangled { .. }));
        let turned = refusal(|_, t| t.iter_mut().for_each(|t| t.swap(0, 1)));
        assert!(
            matches!(turned, HullError::InsideOut { volume } if (volume + 1.0).abs() < 1.0e-12),
            "{turned}"
        );
        let flat = refusal(|p, _| p.iter_mut().for_each(|p| p[2] = p[0] + 1.0e-9 * p[2]));
        assert!(matches!(flat, HullError::NoVolume { .. }), "{flat}");
        // A second box through the first one.
        let cut = refusal(|p, t| {
            let (corners, count) = (p.clone(), p.len() as u32);
            p.extend(corners.iter().map(|&[x, y, z]| [0.3 * x + 0.9, 0.3 * y + 0.013, 0.3 * z + 0.017]));
            let second: Vec<[u32; 3]> = t.iter().map(|t| t.map(|c| c + count)).collect();
            t.extend(second);
        });
        assert!(matches!(cut, HullError::SelfIntersecting { .. }), "{cut}");
    }

    #[test]
    fn a_box_has_the_volume_and_inertia_of_a_box() {
        let hull = shapes::box_hull([2.0, 1.0, 0.5]).about([0.3, -0.2, 0.1]);
        assert!((hull.volume() - 1.0).abs() < 1.0e-14);
        let inertia = hull.inertia(600.0, hull.centre());
        let expected = [50.0 * (1.0 + 0.25), 50.0 * (4.0 + 0.25), 50.0 * (4.0 + 1.0)];
        for (axis, &expected) in expected.iter().enumerate() {
            assert!((inertia[axis][axis] - expected).abs() < 1.0e-10, "{inertia:?}");
        }
        assert!((hull.silhouette(2) - 2.0).abs() < 1.0e-14);
    }

    #[test]
    fn finer_triangles_enclose_the_same_and_stay_closed() {
        let coarse = shapes::box_hull([2.0, 1.0, 0.5]);
        let fine = coarse.refined(0.3);
        assert!(longest_side(&fine) <= 0.3 && fine.triangle_count() > 100);
        assert!((fine.volume() - coarse.volume()).abs() < 1.0e-13);
        assert_eq!(
            Hull::new(&fine.places, &fine.triangles).map(|h| h.triangle_count()),
            Ok(fine.triangle_count())
        );
    }
}
