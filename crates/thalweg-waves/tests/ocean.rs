//! The open sea, through the public API.

use std::f64::consts::TAU;
use thalweg_test_support::on_threads;
use thalweg_waves::{
    GerstnerWave, Ocean, OceanParams, SpectrumKind, Sum, WaterPoint, WaterSurface, capillary_frequency,
};

fn small() -> OceanParams {
    OceanParams { resolution: 64, patch: 200.0, chop: 0.0, ..OceanParams::default() }
}

/// Mean of the significant heights of some seas.
fn mean_height(params: &OceanParams) -> f64 {
    let heights =
        (0..6).map(|seed| Ocean::new(&OceanParams { seed, ..params.clone() }).unwrap().significant_height());
    heights.sum::<f64>() / 6.0
}

#[test]
fn seas_are_as_high_as_their_spectra_say() {
    let base = OceanParams { cascades: 1, ..OceanParams::default() };
    let phillips =
        |wind, patch| OceanParams { spectrum: SpectrumKind::Phillips, wind, patch, ..base.clone() };
    // β = 0.74; the patch holds neither the longest nor the shortest waves.
    for (wind, patch) in [(10.0, 500.0), (20.0, 2000.0)] {
        let expected = 0.2092 * wind * wind / 9.81;
        let height = mean_height(&phillips(wind, patch));
        assert!((height / expected - 1.0).abs() < 0.03, "Phillips, {wind} m/s: {height} m, not {expected}");
        let moskowitz = OceanParams { spectrum: SpectrumKind::PiersonMoskowitz, ..phillips(wind, patch) };
        let height = mean_height(&moskowitz);
        assert!((height / expected - 1.0).abs() < 0.05, "PM, {wind} m/s: {height} m, not {expected}");
    }
    for (wind, fetch, patch, expected) in [
        (10.0, 1.0e4, 150.0, 0.594),
        (10.0, 1.0e5, 500.0, 2.139),
        (20.0, 1.0e5, 1000.0, 3.954),
        (15.0, 3.0e5, 2000.0, 5.647),
    ] {
        let height = mean_height(&OceanParams { wind, fetch, patch, ..base.clone() });
        assert!(
            (height / expected - 1.0).abs() < 0.06,
            "JONSWAP, {wind} m/s over {fetch} m: {height} m, not {expected}"
        );
    }
}

#[test]
fn patches_together_hold_each_wave_once() {
    let one = OceanParams { cascades: 1, resolution: 512, ..OceanParams::default() };
    let three = OceanParams { cascades: 3, resolution: 256, ..OceanParams::default() };
    let (one, three) = (mean_height(&one), mean_height(&three));
    assert!((three / one - 1.0).abs() < 0.03, "{one} m in one patch, {three} m in three");
}

#[test]
fn the_transform_is_the_sum_of_all_waves() {
    let ocean = Ocean::new(&small()).unwrap();
    let surface = ocean.at_time(37.25, true);
    let largest = surface.patches().next().unwrap();
    let cell = largest.side / largest.count as f64;
    for (i, j) in [(0, 0), (5, 11), (40, 3), (63, 63)] {
        let place = [f64::from(i) * cell, f64::from(j) * cell];
        // The smaller patches have no point there: they are summed by hand.
        let [exact, imaginary] = ocean.exact_height(place, 37.25);
        let found = surface.of_rest(place).height;
        assert!(imaginary.abs() < 1.0e-12, "imaginary part {imaginary:e}");
        assert!((found - exact).abs() < 0.03, "{found} m by transform, {exact} m by sum");
        let alone = Ocean::new(&OceanParams { cascades: 1, ..small() }).unwrap();
        let [exact, _] = alone.exact_height(place, 37.25);
        let found = alone.at_time(37.25, false).of_rest(place).height;
        assert!((found - exact).abs() < 1.0e-5, "{found} m by transform, {exact} m by sum");
    }
}

/// A lone wave of a patch turns at a point with its own frequency.
#[test]
fn waves_go_as_fast_as_their_length_says() {
    assert!((capillary_frequency(9.81, TAU / 100.0, None) / (TAU / 100.0) - 12.495).abs() < 1.0e-3);
    let speed = |length: f64| capillary_frequency(9.81, TAU / length, None) * length / TAU;
    let slowest = (1..4000).map(|n| f64::from(n) * 1.0e-5).map(speed).fold(f64::INFINITY, f64::min);
    assert!((slowest - 0.2313).abs() < 1.0e-4, "{slowest} m/s");
    assert!((speed(0.01713) - slowest).abs() < 1.0e-6);
    let shallow = capillary_frequency(9.81, TAU / 10.0, Some(0.5)) * 10.0 / TAU;
    assert!((shallow - 2.179_39).abs() < 1.0e-4, "{shallow} m/s");
}

/// What physics sees: the slope is that of the heights, the velocity up is their change where no water flows sideways through slopes.
#[test]
fn slopes_and_velocities_are_those_of_the_heights() {
    let wave = [
        GerstnerWave { amplitude: 0.8, length: 40.0, direction: 0.4, phase: 0.3 },
        GerstnerWave { amplitude: 0.3, length: 17.0, direction: -1.1, phase: 1.3 },
    ];
    let calm = OceanParams {
        spectrum: SpectrumKind::Calm,
        wave: wave.to_vec(),
        resolution: 32,
        ..OceanParams::default()
    };
    let ocean = Ocean::new(&calm).unwrap();
    let (step, time) = (1.0e-3, 5.0);
    let surface = ocean.at_time(time, true);
    for n in 0..20 {
        let place = [7.3 * f64::from(n), -4.1 * f64::from(n)];
        let here = surface.seen_at(place);
        for axis in 0..2 {
            let at = |sign: f64| {
                let mut place = place;
                place[axis] += sign * step;
                surface.at(place).height
            };
            let slope = (at(1.0) - at(-1.0)) / (2.0 * step);
            // The search for the water at a place ends within 0.1 mm.
            assert!((slope - here.gradient[axis]).abs() < 0.02, "slope {slope}, told {:?}", here.gradient);
        }
        let rest = [place[0] - here.displacement[0], place[1] - here.displacement[1]];
        let [before, after] = [-step, step].map(|dt| ocean.at_time(time + dt, true).of_rest(rest));
        let up = (after.height - before.height) / (2.0 * step);
        let there = surface.of_rest(rest).velocity;
        assert!((up - there[2]).abs() < 1.0e-5, "{up} m/s up, told {there:?}");
        let east = (after.displacement[0] - before.displacement[0]) / (2.0 * step);
        assert!((east - there[0]).abs() < 1.0e-5, "{east} m/s east, told {there:?}");
    }
    let wave = vec![GerstnerWave { amplitude: 8.0, length: 40.0, ..GerstnerWave::default() }];
    let error = Ocean::new(&OceanParams { wave, ..calm }).unwrap_err().to_string();
    assert!(error.starts_with("wave[0].amplitude is 8 m; at most 6.366 m fit its length"), "{error}");
}

#[test]
fn fields_of_a_patch_belong_together() {
    let sea = OceanParams {
        resolution: 128,
        patch: 100.0,
        wind: 6.0,
        chop: 1.0,
        cascades: 1,
        ..OceanParams::default()
    };
    let ocean = Ocean::new(&sea).unwrap();
    let surface = ocean.at_time(3.0, true);
    let later = ocean.at_time(3.0 + 1.0e-3, true);
    let patch = surface.patches().next().unwrap();
    let (nodes, count) = (patch.nodes(), patch.count);
    let cell = patch.side / count as f64;
    let (mut off, mut size) = ([0.0_f64; 4], [0.0_f64; 4]);
    for j in 0..count {
        for i in 0..count {
            let at =
                |i: usize, j: usize, field: usize| f64::from(nodes[(j % count) * count + i % count][field]);
            // Differences of fourth order across the point.
            let east = |field: usize| {
                let d = |n: usize| at(i + n, j, field) - at(i + count - n, j, field);
                (8.0 * d(1) - d(2)) / (12.0 * cell)
            };
            let north = |field: usize| {
                let d = |n: usize| at(i, j + n, field) - at(i, j + count - n, field);
                (8.0 * d(1) - d(2)) / (12.0 * cell)
            };
            let pairs = [(east(0), 3), (north(0), 4), (east(1), 5), (north(1), 7)];
            for (n, (difference, field)) in pairs.into_iter().enumerate() {
                off[n] += (difference - at(i, j, field)).powi(2);
                size[n] += difference.powi(2);
            }
            let place = [i as f64 * cell, j as f64 * cell];
            if (i + j) % 37 == 0 {
                let (now, then) = (surface.of_rest(place), later.of_rest(place));
                let up = (then.height - now.height) / 1.0e-3;
                assert!((up - now.velocity[2]).abs() < 0.02, "{up} m/s up, told {}", now.velocity[2]);
                let east = (then.displacement[0] - now.displacement[0]) / 1.0e-3;
                assert!((east - now.velocity[0]).abs() < 0.02, "{east} m/s, told {}", now.velocity[0]);
            }
        }
    }
    for n in 0..4 {
        let share = (off[n] / size[n]).sqrt();
        // Waves of three points are too short for differences.
        assert!(share < 0.15, "field {n} is off by {share}");
    }
}

#[test]
fn a_calm_is_level() {
    for sea in [
        OceanParams { wind: 0.0, ..small() },
        OceanParams { spectrum: SpectrumKind::Calm, ..small() },
        OceanParams { scale: 0.0, ..small() },
    ] {
        let ocean = Ocean::new(&sea).unwrap();
        assert_eq!(ocean.at_time(9.0, true).at([3.0, 4.0]), WaterPoint::default());
    }
}

#[test]
fn waters_on_top_of_each_other_add_up() {
    let ocean = Ocean::new(&small()).unwrap();
    let surface = ocean.at_time(1.0, true);
    let (one, two) = (surface.at([3.0, 4.0]), Sum(&[&surface, &surface]).at([3.0, 4.0]));
    assert_eq!([two.height, two.velocity[2]], [2.0 * one.height, 2.0 * one.velocity[2]]);
}

#[test]
fn any_number_of_threads_sees_the_same_sea() {
    let run = || {
        let ocean = Ocean::new(&OceanParams { chop: 1.2, depth: Some(20.0), ..small() }).unwrap();
        let surface = ocean.at_time(17.0, true);
        let point = surface.seen_at([12.0, 7.0]);
        let nodes = surface
            .patches()
            .flat_map(|p| p.nodes().iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>());
        (nodes.collect::<Vec<u32>>(), point.height.to_bits(), point.velocity.map(f64::to_bits))
    };
    let first = run();
    for threads in [1, 2, 3, 8] {
        assert_eq!(on_threads(threads, run), first, "{threads} threads");
    }
}
