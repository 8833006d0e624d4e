//! Hulls made in code. All of them have their middle, seen from above, at the origin.

use super::hull::Hull;
use super::vector::{Vector, length, minus, plus, scaled};

/// Cross-sections of a boat, and points from its keel to its sheer.
const SECTIONS: usize = 24;
const RIBS: usize = 8;
/// Where a boat is widest, as a share of its length from the transom `[-]`.
const WIDEST: f64 = 0.4;
/// Width of the transom beside the greatest width `[-]`.
const TRANSOM: f64 = 0.8;
/// How far the stem leans forward, as a share of the length `[-]`.
const RAKE: f64 = 0.09;
/// Height of the forefoot, where keel and stem meet, as a share of the height `[-]`.
const FOREFOOT: f64 = 0.22;
/// How far the sheer sinks between stem and stern, as a share of the height `[-]`.
const SHEER: f64 = 0.24;
/// How much higher the middle of the deck is than its edges, as a share of the width `[-]`.
const CAMBER: f64 = 0.03;
/// Faces around a buoy.
const AROUND: usize = 28;

/// A box.
pub fn box_hull(size: Vector) -> Hull {
    let corner = |n: usize| -> Vector {
        std::array::from_fn(|axis| size[axis] * if n >> axis & 1 == 1 { 0.5 } else { -0.5 })
    };
    let places: Vec<Vector> = (0..8).map(corner).collect();
    let quads: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    known(&places, &triangles)
}

/// A ball of 20 · 4^`times` triangles with its corners on the sphere; with three sizes an ellipsoid.
pub fn sphere_hull(size: Vector, times: usize) -> Hull {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut places: Vec<Vector> = Vec::with_capacity(12);
    for (a, b) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        places.extend([[a, b, 0.0], [0.0, a, b], [b, 0.0, a]]);
    }
    let side = 2.0;
    // Three corners that are a side apart from each other make a face.
    let near = |a: usize, b: usize| (length(minus(places[a], places[b])) - side).abs() < 1.0e-9;
    let mut triangles: Vec<[u32; 3]> = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outwards = super::vector::dot(
                        super::hull::twice_area(&[places[a], places[b], places[c]]),
                        places[a],
                    ) > 0.0;
                    let [b, c] = if outwards { [b, c] } else { [c, b] };
                    triangles.push([a, b, c].map(|n| n as u32));
                }
            }
        }
    }
    for _ in 0..times {
        let mut edges: Vec<[u32; 2]> = triangles
            .iter()
            .flat_map(|t| (0..3).map(|k| [t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3])]))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let first = places.len() as u32;
        let middles: Vec<Vector> =
            edges.iter().map(|&[a, b]| plus(places[a as usize], 1.0, places[b as usize])).collect();
        places.extend(middles);
        places.iter_mut().for_each(|p| *p = scaled(1.0 / length(*p), *p));
        let middle = |a: u32, b: u32| {
            // Every side of every triangle is in the list.
            first + edges.binary_search(&[a.min(b), a.max(b)]).unwrap_or(0) as u32
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let [p, q, r] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, p, r], [p, b, q], [r, q, c], [p, q, r]]
            })
            .collect();
    }
    let places: Vec<Vector> = places
        .iter()
        .map(|&p| {
            let on = scaled(0.5 / length(p), p);
            std::array::from_fn(|axis| size[axis] * on[axis])
        })
        .collect();
    known(&places, &triangles)
}

/// A boat with a raked stem, a sheer that rises towards it, round bilges and a transom; length, width and height of
/// its hull. Its keel is at height 0.
pub fn boat_hull(size: Vector) -> Hull {
    let [long, wide, high] = size;
    let row = 2 * RIBS + 1;
    let mut places = Vec::new();
    for section in 0..=SECTIONS {
        let along = section as f64 / SECTIONS as f64; // from the transom to the stem
        let lines = Lines::at(along);
        for rib in 0..row {
            let across = rib as f64 / RIBS as f64 - 1.0; // from starboard to port
            let [beam, up] = lines.rib(across.abs());
            // The stem leans forward above the forefoot, and the sections behind it with it.
            let lean = RAKE * (up - FOREFOOT).max(0.0) / (1.0 - FOREFOOT) * along.powi(8);
            let ahead = along * (1.0 - RAKE) + lean - 0.5;
            places.push([long * ahead, 0.5 * wide * beam * across.signum(), high * up]);
        }
    }
    let deck = places.len() as u32;
    for section in 0..=SECTIONS {
        let edge = places[section * row];
        places.push([edge[0], 0.0, edge[2] - CAMBER * edge[1]]);
    }
    let place = |section: usize, rib: usize| (section * row + rib) as u32;
    let mut triangles = Vec::new();
    let mut quad = |[a, b, c, d]: [u32; 4]| triangles.extend([[a, c, b], [a, d, c]]);
    for section in 0..SECTIONS {
        for rib in 0..row - 1 {
            let [a, b] = [place(section, rib), place(section + 1, rib)];
            let [c, d] = [place(section + 1, rib + 1), place(section, rib + 1)];
            quad([a, b, c, d]);
        }
        let [a, b] = [deck + section as u32, deck + section as u32 + 1];
        quad([place(section, 0), a, b, place(section + 1, 0)]);
        quad([a, place(section, row - 1), place(section + 1, row - 1), b]);
    }
    // The transom.
    for rib in 0..row - 1 {
        triangles.push([deck, place(0, rib + 1), place(0, rib)]);
    }
    known(&places, &triangles)
}

/// The lines of a boat at one of its cross-sections, in shares of width and height `[-]`.
struct Lines {
    beam: f64,
    keel: f64,
    sheer: f64,
    /// How full the section is: 1 for an ellipse, more for a V.
    sharp: f64,
}

impl Lines {
    fn at(along: f64) -> Self {
        let beam = if along < WIDEST {
            let aft = (WIDEST - along) / WIDEST;
            1.0 - (1.0 - TRANSOM) * aft * aft
        } else {
            let fore = (along - WIDEST) / (1.0 - WIDEST);
            1.0 - libm::pow(fore, 2.4)
        };
        let rise = ((along - 0.62) / 0.38).max(0.0);
        let lift = ((0.25 - along) / 0.25).max(0.0);
        let from_low = (along - 0.3) / 0.7;
        Self {
            beam,
            keel: FOREFOOT * rise * rise + 0.06 * lift * lift,
            sheer: 1.0 - SHEER
                + SHEER * if from_low > 0.0 { from_low * from_low } else { 0.3 * from_low * from_low },
            sharp: 0.72 + 0.6 * rise,
        }
    }

    /// Width and height of the side, from the keel (0) to the sheer (1).
    fn rib(&self, share: f64) -> [f64; 2] {
        let (sine, cosine) = libm::sincos(share * std::f64::consts::FRAC_PI_2);
        let beam = if share >= 1.0 { 1.0 } else { libm::pow(sine, self.sharp) };
        [self.beam * beam, self.sheer - (self.sheer - self.keel) * cosine]
    }
}

/// A buoy: a drum with rounded edges, and a tapered mast with a lantern; width of the drum, the same again, and height of it
/// all. Its bottom is at height 0.
pub fn buoy_hull(size: Vector) -> Hull {
    // Radius and height, in halves of the width and in shares of the height.
    const PROFILE: [[f64; 2]; 15] = [
        [0.0, 0.0],
        [0.55, 0.01],
        [0.85, 0.05],
        [0.98, 0.12],
        [1.0, 0.2],
        [1.0, 0.3],
        [0.96, 0.36],
        [0.84, 0.4],
        [0.4, 0.43],
        [0.3, 0.5],
        [0.22, 0.7],
        [0.17, 0.86],
        [0.2, 0.9],
        [0.2, 0.97],
        [0.0, 1.0],
    ];
    let around = |n: usize| libm::sincos(std::f64::consts::TAU * n as f64 / AROUND as f64);
    let mut places: Vec<Vector> = Vec::new();
    let mut triangles = Vec::new();
    for [radius, up] in PROFILE {
        places.extend((0..AROUND).map(|n| {
            let (sine, cosine) = around(n);
            [0.5 * size[0] * radius * cosine, 0.5 * size[1] * radius * sine, size[2] * up]
        }));
    }
    for ring in 0..PROFILE.len() - 1 {
        for n in 0..AROUND {
            let [a, b] = [n, (n + 1) % AROUND].map(|n| (ring * AROUND + n) as u32);
            let [c, d] = [b, a].map(|n| n + AROUND as u32);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    // Rings of radius 0 are a point each.
    for ring in [0, PROFILE.len() - 1] {
        let up = places[ring * AROUND][2];
        places[ring * AROUND..(ring + 1) * AROUND].fill([0.0, 0.0, up]);
    }
    known(&places, &triangles)
}

/// A hull whose triangles are known to be right; sizes are checked before.
fn known(places: &[Vector], triangles: &[[u32; 3]]) -> Hull {
    Hull::new(places, triangles).unwrap_or_else(|error| panic!("a hull made in code: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hulls_made_in_code_are_closed_and_look_outwards() {
        let boat = boat_hull([9.0, 2.8, 1.8]);
        assert!((700..1500).contains(&boat.triangle_count()), "{} triangles", boat.triangle_count());
        let [low, high] = boat.bounds();
        let size = minus(high, low);
        assert!(size.iter().zip([9.0, 2.8, 1.8]).all(|(a, b)| (a - b).abs() < 0.02 * b), "{size:?}");
        // A block coefficient like that of a work boat.
        let block = boat.volume() / (9.0 * 2.8 * 1.8);
        assert!((0.4..0.7).contains(&block), "block coefficient {block}");
        let buoy = buoy_hull([1.2, 1.2, 2.5]);
        assert!(buoy.volume() > 0.5 && buoy.centre()[2] < 0.8, "{:?}", buoy.centre());
    }

    #[test]
    fn boats_of_all_proportions_are_hulls() {
        for size in [[1.0e-2, 3.0e-3, 2.0e-3], [4.0, 2.0, 1.0], [300.0, 40.0, 30.0]] {
            assert!(boat_hull(size).volume() > 0.0 && buoy_hull(size).volume() > 0.0);
        }
    }

    /// A regular icosphere lacks what lies between its faces and the sphere.
    #[test]
    fn finer_spheres_come_closer_to_the_sphere() {
        let whole = 4.0 / 3.0 * std::f64::consts::PI;
        for (times, lacks) in [(2, -0.0338), (3, -0.00861), (4, -0.00216)] {
            let hull = sphere_hull([2.0; 3], times);
            assert_eq!(hull.triangle_count(), 20 << (2 * times));
            let off = hull.volume() / whole - 1.0;
            assert!((off - lacks).abs() < 5.0e-4 * 1.0_f64.max(off.abs()), "{times}: {off}");
        }
    }
}
