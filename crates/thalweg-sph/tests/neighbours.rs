//! Who is near whom, against a trial of all pairs.

use fearless_simd::{Simd, prelude::*};
use std::collections::BTreeSet;
use thalweg_field::random::Key;
use thalweg_sph::neighbours::{Cluster, Kind, Neighbours, Visitor, apart, dot3};
use thalweg_sph::{BOUNDARY, FOREVER, Particle, Particles};

const H: f32 = 0.05;

/// Lists the particles that a walk shows to each as nearer than h.
struct Listed<'a, const BOUNDARIES: bool>(&'a Particles);

impl<'a, const BOUNDARIES: bool> Visitor for Listed<'a, BOUNDARIES> {
    type Out = &'a mut [Vec<usize>];
    const KIND: Kind = if BOUNDARIES { Kind::Boundary } else { Kind::Fluid };
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, out: &mut Self::Out) {
        let place = self.0.position.each_ref().map(Vec::as_slice);
        let here = cluster.own3(simd, place);
        let kinds = cluster.fluid().map(|j| (j, false)).chain(cluster.boundary().map(|j| (j, true)));
        for (j, solid) in kinds {
            assert_eq!(self.0.is_boundary(j), solid, "{j} is listed as of the other kind");
            let way = apart(here, place, j);
            let mut squares = [0.0; 8];
            dot3(way, way).store_slice(&mut squares);
            for ((_, at), square) in cluster.places().zip(squares) {
                if square < H * H {
                    out[at].push(j);
                }
            }
        }
    }
}

/// Pairs that one of the two sides finds and the other does not, and the number of pairs.
fn differing(places: &[[f32; 3]]) -> (usize, usize) {
    let mut particles = Particles::with_capacity(places.len(), false);
    for (i, &position) in places.iter().enumerate() {
        let solid = Key::new(40).with(i as u64).unit() < 0.3;
        let tag = if solid { BOUNDARY | i as u32 } else { i as u32 };
        particles.push(Particle {
            position,
            velocity: [0.0; 3],
            mass: 1.0,
            expires: FOREVER,
            compression: 0.0,
            tag,
            cargo: 0.0,
        });
    }
    let (mut search, mut sorted) = (Neighbours::new(H), Particles::with_capacity(0, false));
    search.sort(&particles, &mut sorted, 0.0).unwrap();
    let count = sorted.len();
    assert_eq!(count, places.len(), "sorting lost particles");
    let mut lists = vec![Vec::new(); count];
    search.walk(&sorted, &Listed::<false>(&sorted), &mut lists[..]);
    // The first walk finds what is within reach, others read what it kept.
    let mut again = vec![Vec::new(); count];
    search.walk(&sorted, &Listed::<false>(&sorted), &mut again[..]);
    assert_eq!(again, lists, "a second walk shows others");
    search.walk(&sorted, &Listed::<true>(&sorted), &mut lists[..]);
    let at = |i: usize| sorted.get(i).position.map(f64::from);
    let (mut pairs, mut differ) = (0, 0);
    for (i, list) in lists.iter().enumerate() {
        let found: BTreeSet<usize> = list.iter().copied().collect();
        differ += list.len() - found.len(); // none twice
        for j in 0..count {
            let square: f64 = (0..3).map(|axis| (at(i)[axis] - at(j)[axis]).powi(2)).sum();
            let near = square / f64::from(H).powi(2);
            // h itself, to all digits of f32, is neither within nor beyond.
            if (near - 1.0).abs() > 1.0e-6 {
                pairs += usize::from(near < 1.0);
                differ += usize::from((near < 1.0) != found.contains(&j));
            }
        }
    }
    (differ, pairs)
}

fn cloud(count: u64, place: impl Fn(Key) -> [f64; 3]) -> Vec<[f32; 3]> {
    (0..count).map(|i| place(Key::new(count).with(i)).map(|v| v as f32)).collect()
}

#[test]
fn a_walk_shows_every_particle_within_h_once_and_no_other() {
    let even = |side: f64, at: f64| move |key: Key| [0, 1, 2].map(|axis| at + side * key.with(axis).unit());
    let clump = |key: Key| {
        [0, 1, 2]
            .map(|axis| (4.0 * key.with(5 + axis).unit()).floor() * 0.031 + 0.008 * key.with(axis).unit())
    };
    let mut far = cloud(700, even(0.25, 100.0));
    far.push([0.0, 100.0, 100.0]);
    let clouds = [
        ("a single one", cloud(1, even(1.0, 0.0))),
        ("a few", cloud(13, even(0.1, -3.0))),
        ("a dense cloud", cloud(1500, even(0.25, 0.0))),
        ("a thin cloud", cloud(1000, even(1.5, 0.0))),
        ("clumps", cloud(900, clump)),
        ("a sheet", cloud(900, |key| [key.with(0).unit(), 0.4 * key.with(1).unit(), 0.013])),
        ("a wall", cloud(901, |key| [0.1, 0.4 * key.with(1).unit(), 0.4 * key.with(2).unit()])),
        ("a line", cloud(300, |key| [0.7, -2.0, key.with(2).unit()])),
        ("one spot", cloud(60, |_| [0.3; 3])),
        ("far away", far),
    ];
    for (name, places) in clouds {
        let (differ, pairs) = differing(&places);
        assert!(pairs >= places.len(), "{name}: each is near itself at least, {pairs}");
        assert_eq!(differ, 0, "{name}: {differ} of {pairs} pairs differ");
    }
}
