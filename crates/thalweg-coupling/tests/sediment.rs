//! Where sediment settles, and ground that slips under water.

use thalweg_coupling::{ErosionParams, Params, ParticleWater, Setting};
use thalweg_erosion::law::wall;
use thalweg_field::random::Key;
use thalweg_field::{Heightfield, Pool, Top};
use thalweg_sph::FluidParams;
use thalweg_test_support::ground;
use thalweg_test_support::particles::{books_close, still_water};

/// What came on top of the bed between two places from the west, on the mean `[m]`.
fn deposit(torrent: &ParticleWater, [from, to]: [f64; 2]) -> f64 {
    let bed = torrent.bed();
    let inside = |vertex: &usize| (from..=to).contains(&bed.place(*vertex)[0]);
    let changes: Vec<f64> =
        (0..bed.change().len()).filter(inside).map(|vertex| bed.change()[vertex]).collect();
    changes.iter().sum::<f64>() / changes.len() as f64
}

/// A muddy sheet of 0.2 m rushes at 2 m/s over a level chute, into a pool that stands as muddy. Sand of 0.2 mm sinks at 2.7 cm/s,
/// and is held up where u* is faster.
fn sand_in_a_chute_and_a_pool(deposition_shear: Option<f64>) -> [f64; 2] {
    let ground = ground(51, 5, 0.1, |col, _| if col < 30 { 0.4 } else { 0.0 });
    let erosion = ErosionParams {
        strength: Some(0.0),
        grain_radius: Some(0.1e-3),
        deposition_shear,
        talus: false,
        ..ErosionParams::default()
    };
    let sheet = Pool { velocity: [2.0, 0.0, 0.0], ..still_water([0.05; 2], [3.0, 0.45], 0.2) };
    let pool = Pool { top: Top::Level(0.35), ..still_water([3.05, 0.05], [5.05, 0.45], 0.0) };
    let water = [sheet, pool].map(|pool| Pool { sediment: 0.01, ..pool }).to_vec();
    let params = Params { erosion, ..Params::default() };
    let mut torrent = ParticleWater::new(&ground, &params, &Setting { water, ..Setting::default() }).unwrap();
    // By then no wave from the west has come to where the chute is looked at.
    while torrent.time() < 0.5 {
        torrent.advance(4).unwrap();
    }
    books_close(&torrent);
    [deposit(&torrent, [1.9, 2.6]), deposit(&torrent, [4.2, 5.0])]
}

#[test]
fn sand_settles_in_a_slack_pool_and_not_in_the_chute_above_it() {
    let [chute, pool] = sand_in_a_chute_and_a_pool(None);
    // 1 % of sand sinks to a bed of 60 % for half a second, at 96 % of the speed of a lone grain; a third of that where water stirs.
    let settled = 0.01 / 0.6 * 0.0267 * 0.5;
    assert!(
        (settled / 3.0..=settled).contains(&pool),
        "{pool:e} m settled in the pool, not some {settled:e}"
    );
    assert!(chute.abs() < 0.01 * pool, "{chute:e} m settled in the chute, {pool:e} m in the pool");
    let [chute, pool] = sand_in_a_chute_and_a_pool(Some(1.0e9));
    assert!(
        chute > 0.3 * pool,
        "without a threshold {chute:e} m settled in the chute, {pool:e} m in the pool"
    );
}

/// Fine mud in the lowest of four layers of a sheet of 2 m/s spreads upwards by the turbulence of the bed, as a plain solution for four
/// layers says.
#[test]
fn turbulence_carries_mud_up_from_the_bed() {
    let risen = |speed: f64| {
        let ground = ground(51, 4, 0.1, |_, _| 0.0);
        let erosion =
            ErosionParams { strength: Some(0.0), grain_radius: Some(1.0e-6), ..ErosionParams::default() };
        let clear = Pool { velocity: [speed, 0.0, 0.0], ..still_water([0.05; 2], [5.05, 0.35], 0.2) };
        let muddy = Pool { top: Top::Depth(0.05), sediment: 0.02, ..clear.clone() };
        let setting = Setting { water: vec![clear, muddy], ..Setting::default() };
        let mut torrent =
            ParticleWater::new(&ground, &Params { erosion, ..Params::default() }, &setting).unwrap();
        while torrent.time() < 0.5 {
            torrent.advance(4).unwrap();
        }
        let particles = torrent.fluid().particles();
        let share = |low: f32, high: f32| {
            let inside = |i: &usize| {
                let [x, _, z] = particles.get(*i).position;
                !particles.is_boundary(*i) && (2.5..4.0).contains(&x) && (low..high).contains(&z)
            };
            (0..particles.len()).filter(inside).map(|i| particles.cargo[i]).sum::<f64>()
        };
        share(0.05, 1.0) / share(0.0, 1.0)
    };
    let (drag, still) = (wall::drag(0.2, 0.002), 1.0e-4);
    let expected = |speed: f64| {
        let (wide, dt) = (0.05, 1.0e-3);
        let mut layers = [1.0, 0.0, 0.0, 0.0];
        for _ in 0..500 {
            let before = layers;
            for n in 1..4 {
                let spread = still + wall::diffusivity(drag.sqrt() * speed, n as f64 * wide, 0.2);
                let moved = dt / (wide * wide) * spread * (before[n - 1] - before[n]);
                (layers[n - 1], layers[n]) = (layers[n - 1] - moved, layers[n] + moved);
            }
        }
        layers[1..].iter().sum::<f64>()
    };
    for speed in [0.0, 2.0] {
        let (found, expected) = (risen(speed), expected(speed));
        // Particles reach farther than the next layer, and their layers lie uneven after a while.
        assert!(
            (found / expected - 1.0).abs() < 0.2,
            "{found} of the mud rose at {speed} m/s, not {expected}"
        );
    }
}

/// Ground with slopes far beyond the angle of repose, under water that leaves a little mud everywhere.
fn slumping(safety: f64) -> (Heightfield, ParticleWater) {
    let size = 13;
    let ground =
        ground(size, size, 0.1, |col, row| 0.5 * Key::new(23).with((row * size + col) as u64).unit());
    let pool = Pool { top: Top::Level(0.6), sediment: 0.001, ..still_water([0.0; 2], [1.3; 2], 0.0) };
    let setting = Setting { water: vec![pool], ..Setting::default() };
    let fluid = FluidParams { safety, ..FluidParams::default() };
    let torrent = ParticleWater::new(&ground, &Params { fluid, ..Params::default() }, &setting).unwrap();
    (ground, torrent)
}

#[test]
fn ground_that_slips_throws_no_water_and_ends_the_same_at_any_time_step() {
    let mut ends = Vec::new();
    for safety in [1.0, 0.5] {
        let (_, mut torrent) = slumping(safety);
        let limit = torrent.params().erosion.slip_speed;
        let (mut rise, mut fastest, mut slipped) = (0.0f64, 0.0f32, 0.0f64);
        while torrent.time() < 1.0 {
            let (before, start) = (torrent.bed().change().to_vec(), torrent.time());
            torrent.advance(4).unwrap();
            let most = torrent.bed().change().iter().zip(&before).map(|(now, before)| now - before);
            rise = rise.max(most.fold(0.0, f64::max) / (torrent.time() - start));
            fastest = fastest.max(torrent.fluid().extremes().speed);
        }
        books_close(&torrent);
        slipped = torrent.bed().change().iter().fold(slipped, |low, &change| low.min(change));
        assert!(slipped < -0.05, "nothing slipped: the lowest change is {slipped} m");
        // Mud settles beside, no faster than a lone grain sinks.
        assert!(rise < limit + 0.03, "the bed rose at {rise} m/s, the limit is {limit}");
        // As fast as what falls from the surface to the lowest ground.
        assert!(fastest < (2.0f32 * 9.81 * 0.6).sqrt(), "water goes at {fastest} m/s with steps of {safety}");
        ends.push(torrent.bed().change().to_vec());
    }
    let [whole, half] = [&ends[0], &ends[1]];
    let moved = whole.iter().map(|change| change.abs()).sum::<f64>();
    let apart = whole.iter().zip(half).map(|(a, b)| (a - b).abs()).sum::<f64>();
    assert!(apart < 0.05 * moved, "half the step moves ground elsewhere: {} of it", apart / moved);
}

/// A tank of 2.4 m, filled 0.4 m deep; what lies west of the middle has a share of fine mud, and so has what lies east of it.
fn tank([west, east]: [f64; 2]) -> ParticleWater {
    let ground = ground(25, 4, 0.1, |_, _| 0.0);
    let erosion =
        ErosionParams { strength: Some(0.0), grain_radius: Some(1.0e-6), ..ErosionParams::default() };
    let half =
        |from: f64, to: f64, sediment: f64| Pool { sediment, ..still_water([from, 0.05], [to, 0.35], 0.4) };
    let water = vec![half(0.05, 1.25, west), half(1.25, 2.45, east)];
    let params = Params { erosion, ..Params::default() };
    ParticleWater::new(&ground, &params, &Setting { water, ..Setting::default() }).unwrap()
}

/// Speed of currents of heavy and of light water, each half as deep as the tank, that pass each other: ½ √(g' H) (Benjamin 1968) `[m/s]`.
fn current(share: f64) -> f64 {
    0.5 * (1.65 * 9.81 * share * 0.4_f64).sqrt()
}

#[test]
fn muddy_water_runs_under_clear_water() {
    let share = 0.2;
    let mut torrent = tank([share, 0.0]);
    // Share of the mud that is east of the middle, below and above half of the depth.
    let mut passed = |time: f64| {
        while torrent.time() < time {
            torrent.advance(4).unwrap();
        }
        let particles = torrent.fluid().particles();
        let (mut sums, mut all) = ([0.0; 2], 0.0);
        for i in (0..particles.len()).filter(|&i| !particles.is_boundary(i)) {
            let [x, _, z] = particles.get(i).position;
            all += particles.cargo[i];
            if x > 1.25 {
                sums[usize::from(z > 0.2)] += particles.cargo[i];
            }
        }
        sums.map(|sum| sum / all)
    };
    let [[before, _], [low, high]] = [passed(0.5), passed(1.5)];
    books_close(&torrent);
    assert!(high < 0.25 * low, "{low} of the mud is below the clear water, {high} above half of the depth");
    // A current of half the depth takes a share of ½ u/1.2 m of the mud with it in each second. Theory has no friction; eight layers of
    // particles are six tenths as fast.
    let (speed, expected) = (2.4 * (low - before), current(share));
    assert!((0.5..=1.1).contains(&(speed / expected)), "the current goes at {speed} m/s, not {expected}");
}

/// It presses on walls and bed as heavily as it weighs. Later the lattice of the beginning melts, in clear water too.
#[test]
fn water_that_is_muddy_everywhere_rests_as_clear_water_does() {
    let fastest = |share: f64| {
        let mut torrent = tank([share; 2]);
        let mut fastest = 0.0f32;
        while torrent.time() < 0.9 {
            torrent.advance(20).unwrap();
            fastest = fastest.max(torrent.fluid().extremes().speed);
        }
        fastest
    };
    let [clear, muddy] = [0.0, 0.05].map(fastest);
    assert!(muddy < 2.0 * clear, "muddy water moves at {muddy} m/s, clear water at {clear} m/s");
}
