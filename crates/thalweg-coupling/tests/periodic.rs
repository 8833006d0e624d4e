//! Edges that are joined: water neither sees nor feels them.

use thalweg_coupling::{BedParams, Params, ParticleWater, Periodic, Setting};
use thalweg_field::{Edge, Edges, Pool};
use thalweg_test_support::particles::{bits, books_close, clear, still_water, water};
use thalweg_test_support::{ground, on_threads};

const SPACING: f64 = 0.05;

/// A level floor of 1 m by 0.4 m under 0.2 m of water that moves with a velocity, edges joined; smooth.
fn channel(periodic: Periodic, velocity: [f64; 3]) -> ParticleWater {
    let bed = BedParams { roughness: 0.0, friction: Some(0.0), ..BedParams::default() };
    let params = Params { periodic, bed, ..clear() };
    let pool = Pool { velocity, ..still_water([0.5 * SPACING; 2], [9.0; 2], 0.2) };
    let setting = Setting { water: vec![pool], ..Setting::default() };
    ParticleWater::new(&ground(21, 9, SPACING, |_, _| 0.0), &params, &setting).unwrap()
}

/// Mean velocity of what is within a smoothing radius of an edge, and of the rest `[m/s]`.
fn flows(torrent: &ParticleWater) -> [[f64; 3]; 2] {
    let particles = torrent.fluid().particles();
    let mut sums = [[0.0; 4]; 2];
    for i in (0..particles.len()).filter(|&i| !particles.is_boundary(i)) {
        let [x, y, _] = particles.get(i).position;
        let inside = (0.135..0.915).contains(&x) && (0.135..0.315).contains(&y);
        let sum = &mut sums[usize::from(inside)];
        (0..3).for_each(|axis| sum[axis] += f64::from(particles.velocity[axis][i]));
        sum[3] += 1.0;
    }
    sums.map(|[u, v, w, count]| [u / count, v / count, w / count])
}

/// An even stream goes around several times, slantwise over the corner too, and stays even; nothing comes, goes, or is slowed down.
#[test]
fn an_even_stream_goes_round_and_round() {
    for (periodic, velocity) in
        [(Periodic::X, [2.0, 0.0, 0.0]), (Periodic::Y, [0.0, -2.0, 0.0]), (Periodic::Both, [2.0, 1.0, 0.0])]
    {
        let mut torrent = channel(periodic, velocity);
        let count = torrent.particle_count();
        while torrent.time() < 0.4 {
            torrent.advance(10).unwrap();
        }
        assert_eq!(torrent.particle_count(), count, "{periodic:?}");
        books_close(&torrent);
        let [near, far] = flows(&torrent);
        for axis in 0..3 {
            // A stress of 0.003 ρ v², that of the smoothest bed, takes 0.03 m/s of 2 in that time; particles are no smoother.
            let lost = (far[axis] - velocity[axis]).abs();
            assert!(lost < 0.04, "{periodic:?}: {far:?} m/s of {velocity:?}");
            let uneven = (near[axis] - far[axis]).abs();
            assert!(uneven < 0.03, "{periodic:?}: {near:?} m/s beside the edges, {far:?} elsewhere");
        }
        let [east, north] = [1.025, 0.425];
        let outside = |at: &[f32; 3]| !(0.025..=east).contains(&at[0]) || !(0.025..=north).contains(&at[1]);
        assert_eq!(water(&torrent).filter(outside).count(), 0, "{periodic:?}: beyond the edges");
    }
}

#[test]
fn joined_edges_give_the_same_bits_on_any_thread_and_after_resuming() {
    let start = || channel(Periodic::Both, [1.0, 0.7, 0.3]);
    let run = |threads| {
        on_threads(threads, || {
            let mut torrent = start();
            torrent.advance(90).unwrap();
            bits(&torrent.save())
        })
    };
    let alone = run(1);
    assert!(alone == run(3), "three threads differ from one");
    let mut first = start();
    first.advance(37).unwrap();
    let mut second = start();
    second.restore(&first.save()).unwrap();
    second.advance(53).unwrap();
    assert!(alone == bits(&second.save()), "a resumed run went elsewhere");
}

#[test]
fn edges_that_cannot_be_joined_are_told() {
    let told = |params: &Params, edges: Edges, cols: usize| {
        let setting = Setting { edges, ..Setting::default() };
        let ground = ground(cols, 9, SPACING, |_, _| 0.0);
        ParticleWater::new(&ground, params, &setting).map(drop).unwrap_err().to_string()
    };
    let params = Params { periodic: Periodic::X, ..clear() };
    assert!(told(&params, Edges { east: Edge::Open, ..Edges::default() }, 21).contains("not open"));
    assert!(told(&params, Edges::default(), 4).contains("two smoothing radii"));
    let eroding = Params { periodic: Periodic::X, ..Params::default() };
    assert!(told(&eroding, Edges::default(), 21).contains("erosion.enabled = false"));
}

/// Water at rest is as quiet as between walls, whichever edges are joined.
#[test]
fn joined_edges_leave_water_at_rest() {
    for periodic in [Periodic::None, Periodic::X, Periodic::Y, Periodic::Both] {
        let mut torrent = channel(periodic, [0.0; 3]);
        torrent.advance(200).unwrap();
        let particles = torrent.fluid().particles();
        let speed = |i: usize| (0..3).map(|axis| particles.velocity[axis][i].powi(2)).sum::<f32>().sqrt();
        let own = (0..particles.len()).filter(|&i| !particles.is_boundary(i));
        let fastest = own.map(speed).fold(0.0, f32::max);
        assert!(fastest < 2.0e-3, "{periodic:?}: {fastest} m/s");
    }
}
