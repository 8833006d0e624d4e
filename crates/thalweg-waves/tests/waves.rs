//! What waves do, seen from outside.

use std::f64::consts::{PI, TAU};
use thalweg_field::{Frame, Grid2, Heightfield};
use thalweg_test_support::on_threads;
use thalweg_waves::{Basin, Conserved, Emission, Outside, Params, Setup, Speed, WaterSurface, Waves};

fn plain() -> Params {
    Params {
        speed: Speed::Constant,
        wave_speed: 1.0,
        damping: 0.0,
        lowest_crest: 1.0e-6,
        smallest_radius: 1.0,
        largest_radius: 1.0,
        ..Params::default()
    }
}

fn waves(params: Params, basin: Basin, cells: usize, cell: f64) -> Waves {
    Waves::new(Setup { params, basin, size: [cells, cells], cell, velocity: false }).unwrap()
}

/// A ring of so many particles around a place.
fn ring(place: [f64; 2], count: usize, amplitude: f64, radius: f64) -> Vec<Emission> {
    let one = |n: usize| {
        let angle = TAU * (n as f64 + 0.25) / count as f64;
        let heading = [angle.cos(), angle.sin()];
        Emission { place, heading, spread: TAU / count as f64, amplitude, radius, ..Emission::default() }
    };
    (0..count).map(one).collect()
}

/// A straight front of so many particles along a line, from `from` towards its left.
fn front(
    from: [f64; 2],
    heading: [f64; 2],
    count: usize,
    spacing: f64,
    amplitude: f64,
    radius: f64,
) -> Vec<Emission> {
    let one = |n: usize| {
        let aside = (n as f64 + 0.5) * spacing;
        let place = [from[0] - heading[1] * aside, from[1] + heading[0] * aside];
        Emission { place, heading, width: spacing, amplitude, radius, ..Emission::default() }
    };
    (0..count).map(one).collect()
}

#[test]
fn a_ring_splits_into_more_and_more_and_keeps_its_volume() {
    for conserved in [Conserved::Volume, Conserved::Energy] {
        let mut water = waves(Params { conserved, ..plain() }, Basin::open(), 8, 1.0);
        water.emit(&ring([0.0; 2], 8, 1.0, 1.0)).unwrap();
        for (time, count) in [(5.0, 72), (10.0, 216), (20.0, 648)] {
            water.skip_to(time);
            assert_eq!(water.particle_count(), count, "at {time} s");
            let sum: f64 = water.particles().map(|p| p.spread).sum();
            assert!((sum - TAU).abs() < 1.0e-12, "the arcs add up to {sum}");
            let off =
                water.particles().map(|p| (p.place[0].hypot(p.place[1]) - time).abs()).fold(0.0, f64::max);
            assert!(off < 1.0e-12 * time, "{off:e} m off the circle");
            let crest = water.particles().next().unwrap().crest;
            let wanted =
                if conserved == Conserved::Volume { 8.0 / TAU / time } else { 8.0 / TAU / time.sqrt() };
            assert!((crest / wanted - 1.0).abs() < 1.0e-9, "{crest} m at {time} s, not {wanted}");
        }
        let books = water.books();
        assert!(
            books.missing() < 1.0e-12 && (conserved == Conserved::Volume) == (books.sent == 0.0),
            "{books:?}"
        );
        if conserved == Conserved::Volume {
            assert!((books.volume - 8.0).abs() < 1.0e-12, "{} m³ of 8", books.volume);
        }
    }
}

#[test]
fn the_surface_is_the_sum_of_its_bumps() {
    let cell = 0.125;
    let mut water = waves(Params { largest_radius: 1.0, ..plain() }, Basin::open(), 400, cell);
    // Along an axis a front of separable bumps has the profile of the bump itself.
    water.emit(&front([20.0, 5.0], [1.0, 0.0], 80, 0.5, 0.05, 1.0)).unwrap();
    water.advance_to(5.0);
    let at = |x: f64, y: f64| {
        let surface = water.surface();
        let [col, row] = [x / cell - 0.5, 400.0 - y / cell - 0.5];
        f64::from(surface.height().bilinear(col, row))
    };
    for ahead in [-0.9, -0.5, 0.0, 0.25, 0.7] {
        let wanted = 0.1 * 0.5 * (1.0 + (PI * ahead).cos());
        let found = at(25.0 + ahead, 25.0);
        assert!((found - wanted).abs() < 0.1 * 0.02, "{found} m at {ahead} m, not {wanted}");
    }
    assert!(at(30.0, 25.0).abs() < 1.0e-6, "{} m before the front", at(30.0, 25.0));
}

#[test]
fn a_query_finds_the_height_above_a_place_where_water_came_from_beside_it() {
    let mut water = waves(plain(), Basin::open(), 400, 0.125);
    water.emit(&front([20.0, 5.0], [1.0, 0.0], 80, 0.5, 0.2, 1.0)).unwrap();
    water.advance_to(5.0);
    let surface = water.surface();
    let mut worst = 0.0_f64;
    for row in 150..250 {
        for col in 180..220 {
            let rest = surface.place_of(col, row);
            let seen = [0, 1].map(|axis| rest[axis] + f64::from(surface.displacement()[axis].at(col, row)));
            let found = water.at(seen).height;
            worst = worst.max((found - f64::from(surface.height().at(col, row))).abs());
        }
    }
    assert!(worst < 1.0e-3, "off by {worst} m");
    // Crests are sharper than troughs: half-way up the front is narrower than the bump.
    let half_way = water.at([25.5, 25.0]).height;
    assert!(half_way < 0.19, "{half_way} m, as high as without any shift");
    // The slope is that of the heights.
    let [a, b] = [25.3, 25.5].map(|x| water.at([x, 25.0]).height);
    let slope = water.at([25.4, 25.0]).gradient[0];
    assert!((slope - (b - a) / 0.2).abs() < 0.05 * slope.abs(), "{slope}, not {}", (b - a) / 0.2);
}

#[test]
fn any_cut_of_time_and_any_number_of_threads_give_the_same_bits() {
    let pool = vec![vec![[2.0, 2.0], [38.0, 2.0], [38.0, 30.0], [20.0, 38.0], [2.0, 30.0]]];
    let run = |rate: u32| {
        let basin = Basin::from_polygons(&pool, Outside::Land).unwrap();
        let mut water = waves(Params { largest_radius: 4.0, ..plain() }, basin, 160, 0.25);
        water.emit(&ring([15.0, 12.0], 16, 0.4, 1.0)).unwrap();
        water.emit(&ring([25.0, 20.0], 16, 0.4, 2.0)).unwrap();
        for frame in 1..=8 * rate {
            water.advance_to(f64::from(frame) / f64::from(rate));
        }
        (water.surface().height().clone(), water.surface().foam().clone(), water.save())
    };
    let alone = on_threads(1, || run(6));
    assert!(alone.2.particles.len() > 21 * 100, "{} numbers", alone.2.particles.len());
    assert!(alone.1.values().iter().any(|&foam| foam > 0.0), "no foam");
    for (threads, rate) in [(2, 6), (3, 30), (8, 7), (1, 9)] {
        assert!(on_threads(threads, || run(rate)) == alone, "{threads} threads, {rate} pictures in a second");
    }
}

#[test]
fn a_saved_sea_goes_on_to_the_same_bits() {
    let pool = vec![vec![[2.0, 2.0], [38.0, 2.0], [38.0, 30.0], [20.0, 38.0], [2.0, 30.0]]];
    let basin = Basin::from_polygons(&pool, Outside::Land).unwrap();
    let new = || waves(Params { damping: 0.05, ..plain() }, basin.clone(), 160, 0.25);
    let mut water = new();
    water.emit(&ring([15.0, 12.0], 16, 0.4, 1.0)).unwrap();
    water.advance_to(11.3);
    let saved = water.save();
    let mut resumed = new();
    resumed.load(&saved).unwrap();
    assert!(resumed.surface().height() == water.surface().height());
    for water in [&mut water, &mut resumed] {
        water.advance_to(23.0);
    }
    assert!(resumed.save() == water.save());
    let mut broken = saved.clone();
    broken.particles[3] = f64::NAN;
    assert!(new().load(&broken).unwrap_err().contains("number 3 of particle 0"));
    broken.particles.pop();
    assert!(new().load(&broken).is_err());
    assert!(new().load(&thalweg_waves::Saved { foam: vec![0.0; 3], ..saved }).is_err());
}

/// Fronts that there was no room to split wait for something else to happen to them, before a save and after it.
#[test]
fn a_sea_saved_while_there_is_no_room_goes_on_to_the_same_bits() {
    let pool = vec![vec![[2.0, 2.0], [38.0, 2.0], [38.0, 30.0], [20.0, 38.0], [2.0, 30.0]]];
    let basin = Basin::from_polygons(&pool, Outside::Land).unwrap();
    // Some fade while others would split, so that room comes and goes.
    let params = Params { damping: 0.15, lowest_crest: 0.01, most_particles: 100, ..plain() };
    let new = || waves(params.clone(), basin.clone(), 160, 0.25);
    let mut water = new();
    water.emit(&ring([15.0, 12.0], 24, 0.4, 1.0)).unwrap();
    water.emit(&ring([25.0, 20.0], 24, 0.1, 1.0)).unwrap();
    for stop in [6.3, 9.0, 11.3] {
        water.advance_to(stop);
        let saved = water.save();
        let mut resumed = new();
        resumed.load(&saved).unwrap();
        let mut straight = water.clone();
        for water in [&mut straight, &mut resumed] {
            water.advance_to(stop + 8.0);
        }
        assert!(straight.books().held_back > 0, "there was room");
        assert_eq!(resumed.books().held_back, straight.books().held_back, "saved at {stop} s");
        assert!(resumed.save() == straight.save(), "saved at {stop} s");
    }
}

#[test]
fn no_wave_is_ever_behind_a_wall() {
    let pool = vec![
        vec![[2.0, 2.0], [38.0, 2.0], [38.0, 30.0], [20.0, 38.0], [2.0, 30.0]],
        vec![[10.0, 20.0], [14.0, 20.0], [14.0, 20.2], [10.0, 20.2]],
    ];
    let basin = Basin::from_polygons(&pool, Outside::Land).unwrap();
    let mut water = waves(Params { lowest_crest: 1.0e-3, ..plain() }, basin.clone(), 8, 5.0);
    water.emit(&ring([15.0, 12.0], 64, 0.4, 1.0)).unwrap();
    let mut crossed = 0;
    for second in 1..60 {
        water.skip_to(f64::from(second));
        for particle in water.particles() {
            let distance = basin.distance(particle.place).unwrap();
            assert!(distance > -1.0e-6, "{distance} m at {second} s, {particle:?}");
        }
        crossed += water.particle_count();
    }
    assert!(crossed > 50_000, "{crossed} particles looked at");
    assert_eq!(water.books().lost_in_walls, 0);
    assert!(water.books().missing() < 1.0e-9, "{:?}", water.books());
}

#[test]
fn walls_are_where_they_were_drawn_whatever_they_were_drawn_with() {
    let pool =
        Basin::from_polygons(&[vec![[1.0, 1.0], [9.0, 1.0], [9.0, 7.0], [1.0, 7.0]]], Outside::Land).unwrap();
    assert!((pool.distance([2.5, 4.0]).unwrap() - 1.5).abs() < 1.0e-12);
    assert!((pool.distance([0.0, 0.0]).unwrap() + 2.0_f64.sqrt()).abs() < 1.0e-12);
    assert!(!pool.is_water([0.5, 4.0]) && pool.is_water([8.9, 6.9]));
    let hit = pool.cast([2.0, 2.0], [0.6, 0.8], 100.0).unwrap();
    assert!((hit.distance - 6.25).abs() < 1.0e-12 && hit.normal == [0.0, -1.0], "{hit:?}");
    assert!(pool.cast([2.0, 2.0], [0.6, 0.8], 6.0).is_none());
    // A cone under water, whose shore is a circle of 20 m around (32, 32).
    let slope = |col: usize, row: usize| {
        let away = (col as f64 + 0.5 - 32.0).hypot(row as f64 + 0.5 - 32.0);
        (0.1 * (away - 20.0)) as f32
    };
    let ground = Heightfield { height: Grid2::from_fn(64, 64, slope), frame: Frame::with_cell(1.0) };
    let lake = Basin::from_ground(&ground, 0.0, true).unwrap();
    for angle in [0.0_f64, 0.3, 0.9, 2.0, 4.4] {
        let hit = lake.cast([32.0, 32.0], [angle.cos(), angle.sin()], 60.0).unwrap();
        assert!((hit.distance - 20.0).abs() < 0.02, "{} m at {angle}", hit.distance);
        assert!((hit.curvature + 0.05).abs() < 0.02, "{} 1/m at {angle}", hit.curvature);
        let off = hit.normal[0] * angle.cos() + hit.normal[1] * angle.sin() + 1.0;
        assert!(off < 2.0e-3, "the normal is {:?} at {angle}", hit.normal);
    }
    assert!((lake.depth([32.0, 32.0]) - 2.0).abs() < 0.1);
    assert!(Basin::from_ground(&ground, -3.0, true).unwrap_err().to_string().contains("all land"));
    // Edges: closed ones are walls on the very edge, open ones let waves out.
    let deep = Heightfield { height: Grid2::filled(20, 10, -4.0), frame: Frame::with_cell(2.0) };
    let closed = Basin::from_ground(&deep, 0.0, true).unwrap();
    assert!(
        (closed.distance([5.0, 10.0]).unwrap() - 5.0).abs() < 1.0e-9,
        "{:?}",
        closed.distance([5.0, 10.0])
    );
    assert!(Basin::from_ground(&deep, 0.0, false).unwrap().distance([5.0, 10.0]).is_none());
    let mask = Grid2::from_fn(20, 10, |col, _| col >= 10);
    let half = Basin::from_mask(&mask, 2.0, false).unwrap();
    assert!((half.distance([25.0, 10.0]).unwrap() - 5.0).abs() < 1.0e-9);
    assert!(half.depth([25.0, 10.0]).is_infinite());
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert!(Basin::from_polygons(&[vec![[0.0, 0.0], [1.0, 0.0]]], Outside::Land).is_err());
    assert!(Basin::from_polygons(&[vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]], Outside::Land).is_err());
    assert!(Basin::from_polygons(&[], Outside::Land).unwrap_err().to_string().contains("all land"));
    let mut water = waves(plain(), Basin::open(), 8, 1.0);
    let good = ring([4.0; 2], 1, 1.0, 1.0)[0];
    let refused = |water: &mut Waves, emission| water.emit(&[good, emission]).unwrap_err().key;
    assert_eq!(refused(&mut water, Emission { radius: 0.0, ..good }), "emission[1].radius");
    assert_eq!(refused(&mut water, Emission { heading: [2.0, 0.0], ..good }), "emission[1].heading");
    assert_eq!(refused(&mut water, Emission { amplitude: f64::NAN, ..good }), "emission[1].place");
    assert_eq!(water.particle_count(), 0, "what stood before the mistake was sent");
    let setup = Setup { params: plain(), basin: Basin::open(), size: [0, 8], cell: 1.0, velocity: false };
    assert!(Waves::new(setup).is_err());
}

#[test]
fn no_more_particles_than_allowed() {
    let mut water = waves(Params { most_particles: 100, ..plain() }, Basin::open(), 8, 1.0);
    let sent = water.emit(&ring([4.0; 2], 120, 1.0, 1.0)).unwrap();
    assert_eq!((sent.sent, sent.held_back), (100, 20));
    water.skip_to(50.0);
    assert_eq!(water.particle_count(), 100);
    assert!(water.books().held_back > 20 && water.books().missing() < 1.0e-12);
}

/// Such a front was found too low and kept, again and again at the same moment, and no time passed any more.
#[test]
fn a_front_that_converges_and_is_too_low_even_at_its_focus_ends() {
    let mut water = waves(plain(), Basin::open(), 8, 1.0);
    let low = Emission {
        heading: [1.0, 0.0],
        spread: 0.01,
        origin_distance: -50.0,
        amplitude: 1.0e-9,
        radius: 1.0,
        ..Emission::default()
    };
    let high = Emission { amplitude: 1.0e-3, ..low };
    water.emit(&[low, high]).unwrap();
    water.skip_to(1.0);
    assert_eq!(water.particle_count(), 1, "the one that is high enough at its focus stays");
}

/// Waves half as long as the bumps that drew them were divided by nothing: spikes of a hundred metres.
#[test]
fn a_train_that_has_come_apart_is_nowhere_higher_than_it_was() {
    let params = Params {
        damping: 0.0,
        lowest_crest: 1.0e-6,
        smallest_radius: 2.0,
        largest_radius: 16.0,
        ..Params::default()
    };
    let mut water = waves(params, Basin::open(), 128, 1.0);
    let trains: Vec<Emission> = front([5.0, -20.0], [1.0, 0.0], 80, 2.0, 0.1, 4.0)
        .into_iter()
        .map(|emission| Emission { train: 1.0, ..emission })
        .collect();
    water.emit(&trains).unwrap();
    for time in [4.0, 8.0, 12.0, 16.0] {
        water.skip_to(time);
        water.refresh();
        let (low, high) = water.surface().height().range().unwrap();
        assert!(high < 0.25 && low > -0.25, "from {low} to {high} m after {time} s");
        assert!(high > 0.01, "it is still there: {high} m");
    }
}
