//! A torrent through its public door: same bits, nothing lost, nothing through the ground.

use thalweg_coupling::{BedParams, Emitter, Hold, Params, ParticleWater, Setting, Shape, Sink};
use thalweg_field::random::Key;
use thalweg_field::{Pool, Top};
use thalweg_sph::{FOREVER, FluidParams, PressureSolver};
use thalweg_test_support::particles::{bits, books_close, clear, still_water, stream, water};
use thalweg_test_support::{ground, on_threads};

fn torrent() -> ParticleWater {
    let (ground, params, setting) = stream();
    ParticleWater::new(&ground, &params, &setting).unwrap()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads| {
        on_threads(threads, || {
            let mut torrent = torrent();
            torrent.advance(250).unwrap();
            assert!(torrent.ledger().solids.eroded > 0.0, "nothing was eroded");
            bits(&torrent.save())
        })
    };
    let alone = run(1);
    for threads in [2, 3, 8] {
        let together = run(threads);
        assert_eq!(alone.len(), together.len(), "{threads} threads");
        let differ = alone.iter().zip(&together).filter(|(a, b)| a != b).count();
        assert_eq!(differ, 0, "{differ} values differ with {threads} threads");
    }
}

/// The bed is looked at every eight steps; runs are saved before, at and after that.
#[test]
fn a_saved_run_goes_on_to_the_same_bits() {
    let mut first = torrent();
    first.advance(64).unwrap();
    for steps in [7, 1, 1, 6, 1, 17] {
        first.advance(steps).unwrap();
        let saved = first.save();
        let mut second = torrent();
        second.restore(&saved).unwrap();
        assert!(
            bits(&saved) == bits(&second.save()),
            "state of step {} is not taken up as it was",
            saved.step
        );
        second.advance(40).unwrap();
        let mut whole = torrent();
        whole.advance(saved.step + 40).unwrap();
        assert!(
            bits(&whole.save()) == bits(&second.save()),
            "run saved at step {} went elsewhere",
            saved.step
        );
    }
}

/// In that stream the wall of the second mouth reaches into the water that the first one drives. It makes way: driven through it, that water was shot out at
/// 20 m/s with `wcsph`.
#[test]
fn a_mouth_in_the_way_of_another_shoots_nothing() {
    let (ground, params, setting) = stream();
    // Twice as fast as what comes out at 1.6 m/s and falls from there, a metre and a bit.
    let most = 10.0;
    for pressure in [PressureSolver::Wcsph, PressureSolver::Pcisph, PressureSolver::Dfsph] {
        let params = Params { fluid: FluidParams { pressure, ..params.fluid.clone() }, ..params.clone() };
        let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
        while torrent.time() < 0.4 {
            torrent.advance(1).unwrap();
            let speed = torrent.fluid().extremes().speed;
            assert!(speed < most, "{pressure:?}: {speed} m/s at {} s", torrent.time());
        }
        books_close(&torrent);
    }
}

fn all_between_walls_and_above_bed(torrent: &ParticleWater, when: &str) {
    let [[west, east], [south, north]] = torrent.bed().extent();
    for at in water(torrent) {
        let inside = (west..=east).contains(&at[0]) && (south..=north).contains(&at[1]);
        assert!(inside, "{when}: a particle is beyond the walls, at {at:?} m");
        let clear = torrent.bed().clearance(at);
        assert!(clear >= -1.0e-4, "{when}: a particle is {clear} m above the bed");
    }
}

#[test]
fn nothing_falls_through_rough_ground_at_ten_metres_a_second() {
    let ground = ground(17, 17, 0.1, |col, row| 0.4 * Key::new(23).with((row * 17 + col) as u64).unit());
    let summed = FluidParams { pressure: PressureSolver::Summed, damping: 0.03, ..clear().fluid };
    for (hold, fluid) in [
        (Hold::Pressure, clear().fluid),
        (Hold::Pressure, summed.clone()),
        (Hold::Penalty, summed.clone()),
        (Hold::Collision, summed),
    ] {
        let params = Params { fluid, bed: BedParams { hold, ..BedParams::default() }, ..clear() };
        let pool =
            Pool { bottom: Some(0.5), velocity: [2.0, -1.0, -10.0], ..still_water([0.2; 2], [1.5; 2], 0.1) };
        let setting = Setting { water: vec![pool], ..Setting::default() };
        let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
        let count = torrent.particle_count();
        for _ in 0..60 {
            torrent.advance(5).unwrap();
            all_between_walls_and_above_bed(&torrent, &format!("{hold:?}"));
        }
        assert_eq!(torrent.particle_count(), count, "{hold:?}: particles were lost");
    }
}

#[test]
fn a_bed_that_cannot_hold_water_that_way_is_refused() {
    let bed = BedParams { hold: Hold::Collision, ..BedParams::default() };
    assert_eq!(Params { bed, ..clear() }.validated().unwrap_err().key, "bed.hold");
}

fn books_balance(steps: u64) {
    let mut torrent = torrent();
    torrent.advance(steps).unwrap();
    let ledger = torrent.ledger();
    let (water, solids) = (ledger.water, ledger.solids);
    assert!(solids.eroded > 1.0e-6 && solids.exported > 0.0 && water.exported > 0.0, "{ledger:?}");
    books_close(&torrent);
}

#[test]
fn no_grain_is_lost_in_an_eroding_stream() {
    books_balance(600);
}

/// A minute or two: `cargo test --release -p thalweg-coupling --test water -- --ignored`.
#[test]
#[ignore = "ten thousand steps"]
fn no_grain_is_lost_in_ten_thousand_steps() {
    books_balance(10_000);
}

/// Walls stand all around, so the sink is the only way out; it takes up the southern half of the far end. Another one
/// hangs where no water comes.
#[test]
fn a_sink_takes_the_water_that_gets_into_it_with_what_it_carries() {
    let (_, params, _) = stream();
    let ground = ground(21, 7, 0.1, |col, _| 0.05 * (20 - col) as f64);
    let pool = still_water([0.05; 2], [0.85, 0.65], 0.15);
    let pool = Pool { velocity: [2.0, 0.0, 0.0], sediment: 0.02, ..pool };
    let sink = Sink { from: [1.6, 0.0, -1.0], to: [2.1, 0.35, 0.4] };
    let above = Sink { from: [0.0, 0.0, 2.0], to: [2.1, 0.7, 3.0] };
    let setting = Setting { water: vec![pool], sinks: vec![sink, above], ..Setting::default() };
    let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
    let start = torrent.particle_count();
    torrent.advance(500).unwrap();
    let left = torrent.points().positions;
    assert!(left.len() < start * 3 / 4 && !left.is_empty(), "{} of {start} particles are left", left.len());
    let within =
        |at: &[f32; 3]| (0..3).all(|axis| (sink.from[axis]..=sink.to[axis]).contains(&f64::from(at[axis])));
    assert_eq!(left.iter().filter(|at| within(at)).count(), 0, "particles are in the sink");
    let beside = left.iter().filter(|at| at[0] > 1.6).count();
    assert!(beside > 0, "water beside the sink has gone, too");
    let ledger = torrent.ledger();
    let gone = (start - left.len()) as f64 / start as f64;
    let exported = ledger.water.exported / ledger.water.start;
    assert!((exported - gone).abs() < 1.0e-12, "{exported} of the water is booked as gone, not {gone}");
    // It came with 2 % of grains and has taken up more.
    let grains = ledger.solids.exported / ledger.water.exported;
    assert!(grains > 0.01, "{grains} of the water that left was grains");
    books_close(&torrent);
}

/// A pool that lasts, one that does not, and a spout whose water does not: after every step just those are there
/// whose time is not over.
#[test]
fn water_vanishes_when_its_time_is_over() {
    let (_, params, setting) = stream();
    let ground = ground(16, 11, 0.1, |_, _| 0.0);
    let lasting = still_water([0.05; 2], [0.45, 1.05], 0.1);
    let brief = Pool { lifetime: Some(0.06), sediment: 0.02, ..still_water([0.45, 0.05], [0.85, 1.05], 0.1) };
    let lifetime = 0.08;
    let spout = Emitter {
        shape: Shape::Disc { at: [1.2, 0.55, 0.4], radius: 0.1 },
        velocity: [0.0, 0.0, -1.5],
        lifetime: Some(lifetime),
        stop: 0.15,
        ..setting.emitters[0].clone()
    };
    let setting = Setting { water: vec![lasting, brief], emitters: vec![spout], ..Setting::default() };
    let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
    let volume = torrent.ledger().water.start / torrent.particle_count() as f64;
    let west = |at: &[f32; 3]| at[0] < 0.45;
    let (stay, go): (Vec<_>, Vec<_>) = water(&torrent).partition(west);
    // When particles are to vanish, and how many.
    let mut born = vec![(FOREVER, stay.len()), (0.06, go.len())];
    while torrent.time() < 0.25 {
        let (time, before) = (torrent.time(), torrent.ledger().water.added);
        torrent.advance(1).unwrap();
        let new = (torrent.ledger().water.added - before) / volume;
        born.push(((time + lifetime) as f32, new.round() as usize));
        let now = torrent.time() as f32;
        let expected: usize = born.iter().filter(|(expires, _)| *expires > now).map(|(_, count)| count).sum();
        let found = torrent.points().positions.len();
        assert_eq!(found, expected, "particles at {now} s");
    }
    let all: usize = born.iter().map(|(_, count)| count).sum();
    assert!(all > stay.len() + go.len() + 20, "the spout gave nothing: {all} particles in all");
    assert_eq!(torrent.points().positions.len(), stay.len(), "particles at the end");
    let ledger = torrent.ledger();
    assert!(ledger.solids.exported > 0.0, "{ledger:?}");
    books_close(&torrent);
}

/// A dam breaks in a small tank, and the water comes to rest.
#[test]
fn water_alone_loses_nothing_in_ten_thousand_steps() {
    let ground = ground(7, 4, 0.1, |_, _| 0.0);
    let setting = Setting { water: vec![still_water([0.05; 2], [0.35, 0.35], 0.4)], ..Setting::default() };
    let mut torrent = ParticleWater::new(&ground, &clear(), &setting).unwrap();
    let count = torrent.particle_count();
    // Of motion, and all with height, for each kilogram [J/kg].
    let energy = |torrent: &ParticleWater| {
        let particles = torrent.fluid().particles();
        let (mut moving, mut high) = (0.0, 0.0);
        for i in (0..particles.len()).filter(|&i| !particles.is_boundary(i)) {
            let particle = particles.get(i);
            moving += 0.5 * particle.velocity.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>();
            high += 9.81 * f64::from(particle.position[2]);
        }
        [moving, moving + high].map(|sum| sum / count as f64)
    };
    let [_, start] = energy(&torrent);
    for part in 1..=100 {
        torrent.advance(100).unwrap();
        all_between_walls_and_above_bed(&torrent, &format!("step {}", 100 * part));
        let [_, now] = energy(&torrent);
        assert!(now < start, "{now} J/kg at step {}, but {start} at the beginning", 100 * part);
    }
    assert_eq!(torrent.particle_count(), count, "particles were lost");
    let [moving, _] = energy(&torrent);
    assert!(moving < 1.0e-3 * start, "water still moves with {moving} J/kg of {start}");
}

/// Before the first step, and at steps before, at and after a look at the bed.
#[test]
fn particles_are_the_same_right_after_a_stop() {
    let bits = |torrent: &ParticleWater| {
        let points = torrent.points();
        let places = points.positions.iter().flatten().map(|v| v.to_bits());
        let names: Vec<_> = points.columns.iter().map(|column| column.info.name.clone()).collect();
        let columns = points.columns.iter().map(|column| column.values.iter().map(|v| v.to_bits()).collect());
        (names, [places.collect()].into_iter().chain(columns).chain([points.ids]).collect::<Vec<Vec<u32>>>())
    };
    let mut first = torrent();
    for steps in [0, 7, 1, 1] {
        first.advance(steps).unwrap();
        let (names, before) = bits(&first);
        let same_density = before[5].iter().all(|density| *density == before[5][0]);
        assert!(names[4] == "density" && same_density == (first.steps_taken() == 0), "nothing to see");
        // Into a run that has not begun, and into one that is elsewhere.
        for ran in [0, 5] {
            let mut second = torrent();
            second.advance(ran).unwrap();
            second.restore(&first.save()).unwrap();
            let (_, after) = bits(&second);
            for (name, (before, after)) in
                ["place"].into_iter().chain(names.iter().map(AsRef::as_ref)).zip(before.iter().zip(&after))
            {
                let differ = before.iter().zip(after).filter(|(a, b)| a != b).count();
                let step = first.steps_taken();
                assert!(
                    before.len() == after.len() && differ == 0,
                    "{differ} of {} values of {name} differ at step {step}",
                    before.len()
                );
            }
        }
    }
}

#[test]
fn a_change_that_does_not_fit_flowing_water_is_refused_by_its_name() {
    let (ground, params, setting) = stream();
    let mass = Some(params.fluid.particle_mass());
    let params = Params { fluid: FluidParams { mass, ..params.fluid }, ..params };
    let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
    torrent.advance(20).unwrap();
    let before = torrent.ledger();
    let fluid = |fluid: FluidParams| Params { fluid, ..params.clone() };
    let finer = fluid(FluidParams { spacing: 0.045, ..params.fluid.clone() });
    let lighter = fluid(FluidParams { density: 900.0, ..params.fluid.clone() });
    let heavier = fluid(FluidParams { mass: mass.map(|mass| 1.1 * mass), ..params.fluid.clone() });
    let denser = Params { bed: BedParams { spacing: Some(0.04), ..params.bed.clone() }, ..params.clone() };
    for (key, stays, other) in [
        ("fluid.spacing", "it stays 0.05", finer),
        ("fluid.density", "it stays 1000", lighter),
        ("fluid.mass", "it stays 0.1", heavier),
        ("bed.spacing", "it cannot change while water flows", denser),
    ] {
        let refused = torrent.change(&other, &setting).unwrap_err();
        assert_eq!(refused.key, key, "{refused}");
        assert!(refused.remedy.contains(stays), "{refused}");
        assert_eq!(torrent.params(), &params, "{key} was taken over in part");
        assert_eq!(torrent.ledger(), before, "{key} changed the books");
    }
    let slower = fluid(FluidParams { gravity: 3.0, ..params.fluid.clone() });
    torrent.change(&slower, &setting).unwrap();
}

/// Where the density follows from the spacing alone, particles would weigh something else.
#[test]
fn another_density_is_refused_by_its_name_where_no_mass_is_given() {
    let (_, params, setting) = stream();
    let mut torrent = torrent();
    let fluid = FluidParams { density: 900.0, ..params.fluid.clone() };
    let refused = torrent.change(&Params { fluid, ..params }, &setting).unwrap_err();
    assert_eq!(refused.key, "fluid.density", "{refused}");
}

/// A pool in a rough valley, one in the air, and one of which another takes a part.
#[test]
fn as_many_particles_as_asked_for_are_there_at_the_beginning() {
    let ground = ground(21, 16, 0.1, |col, row| {
        0.3 * (col as f64 - 10.0).abs() * 0.1 + 0.05 * Key::new(5).with((row * 21 + col) as u64).unit()
    });
    let level = Pool { top: Top::Level(0.4), ..still_water([0.0; 2], [2.1, 1.6], 0.0) };
    let falling = Pool { bottom: Some(1.0), ..still_water([0.5; 2], [1.1, 1.0], 0.33) };
    let within = still_water([0.8, 0.4], [1.3, 1.2], 0.6);
    for (water, wanted) in [(vec![level.clone()], 4000), (vec![falling], 1500), (vec![level, within], 9000)] {
        let fluid = FluidParams { particles: Some(wanted), ..clear().fluid };
        let setting = Setting { water, ..Setting::default() };
        let params = ParticleWater::with_count(&ground, &Params { fluid, ..clear() }, &setting).unwrap();
        let count = ParticleWater::new(&ground, &params, &setting).unwrap().particle_count();
        assert!(count.abs_diff(wanted as usize) <= (wanted / 1000) as usize, "{count} particles of {wanted}");
    }
}

#[test]
fn a_number_of_particles_and_a_spacing_or_no_water_is_refused() {
    let ground = ground(11, 11, 0.1, |_, _| 0.0);
    let counted = FluidParams { particles: Some(1000), ..clear().fluid };
    let pool = Setting { water: vec![still_water([0.1; 2], [0.9; 2], 0.3)], ..Setting::default() };
    for (fluid, setting) in [
        (FluidParams { spacing: 0.04, ..counted.clone() }, &pool),
        (FluidParams { mass: Some(0.1), ..counted.clone() }, &pool),
        (FluidParams { max_particles: 10, ..counted.clone() }, &pool),
        (counted, &Setting::default()),
    ] {
        let refused = ParticleWater::with_count(&ground, &Params { fluid, ..clear() }, setting).unwrap_err();
        assert_eq!(refused.key, "fluid.particles", "{refused}");
    }
}
