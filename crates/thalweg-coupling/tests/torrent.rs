//! A torrent through its public door: same bits, nothing lost, nothing through the ground.

use thalweg_coupling::{
    BedParams, Edge, Emitter, ErosionParams, Hold, Params, Pool, Saved, Setting, Shape, Top, Torrent,
};
use thalweg_field::{Frame, Grid2, Heightfield, random::Key};

/// A stream down rough ground that it erodes: a muddy source, a clear one whose water does not last, open ends.
fn stream() -> (Heightfield, Params, Setting) {
    let (cols, rows) = (31, 15);
    let ground = Heightfield {
        height: Grid2::from_fn(cols, rows, |col, row| {
            let bump = 0.04 * Key::new(3).with((row * cols + col) as u64).unit();
            (0.02 * (cols - col) as f64 + 0.01 * (row as f64 - 7.0).powi(2) + bump) as f32
        }),
        frame: Frame::with_cell(0.1),
    };
    let erosion = ErosionParams {
        critical_shear: 1.0,
        strength: 10.0,
        grain_radius: 20.0e-6,
        ..ErosionParams::default()
    };
    let emitter = Emitter {
        shape: Shape::Disc { at: [0.3, 0.75, 1.0], radius: 0.16 },
        velocity: [1.5, 0.0, -0.5],
        rate: None,
        lifetime: None,
        sediment: 0.01,
        start: 0.0,
        stop: f64::INFINITY,
    };
    let shape = Shape::Line { from: [0.5, 0.5, 1.1], to: [0.5, 1.0, 1.1] };
    let short = Emitter { shape, sediment: 0.0, lifetime: Some(0.8), ..emitter.clone() };
    let pool = Pool {
        from: [0.4, 0.5],
        to: [2.9, 0.9],
        bottom: None,
        top: Top::Depth(0.12),
        velocity: [1.5, 0.0, 0.0],
        sediment: 0.02,
        lifetime: None,
    };
    let setting = Setting {
        water: vec![pool],
        emitters: vec![emitter, short],
        edges: [Edge::Wall, Edge::Open, Edge::Wall, Edge::Open],
        ..Setting::default()
    };
    let bed = BedParams { friction: Some(1.0), ..BedParams::default() };
    (ground, Params { erosion, bed, ..Params::default() }, setting)
}

fn torrent() -> Torrent {
    let (ground, params, setting) = stream();
    Torrent::new(&ground, &params, &setting).unwrap()
}

fn bits(saved: &Saved) -> Vec<u64> {
    let doubles = saved.numbers.iter().chain(&saved.doubles).map(|v| v.to_bits());
    let floats = saved.floats.iter().map(|v| u64::from(v.to_bits()));
    let tags = saved.tags.iter().map(|&tag| u64::from(tag));
    [saved.step].into_iter().chain(doubles).chain(floats).chain(tags).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
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
        assert!(second.restore(&saved));
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

#[test]
fn nothing_falls_through_rough_ground_at_ten_metres_a_second() {
    let ground = Heightfield {
        height: Grid2::from_fn(17, 17, |col, row| {
            0.4 * Key::new(23).with((row * 17 + col) as u64).unit() as f32
        }),
        frame: Frame::with_cell(0.1),
    };
    for hold in [Hold::Pressure, Hold::Penalty, Hold::Collision] {
        let params = Params {
            bed: BedParams { hold, ..BedParams::default() },
            erosion: ErosionParams { enabled: false, ..ErosionParams::default() },
            ..Params::default()
        };
        let pool = Pool {
            from: [0.2; 2],
            to: [1.5; 2],
            bottom: Some(0.5),
            top: Top::Depth(0.1),
            velocity: [2.0, -1.0, -10.0],
            sediment: 0.0,
            lifetime: None,
        };
        let setting = Setting { water: vec![pool], ..Setting::default() };
        let mut torrent = Torrent::new(&ground, &params, &setting).unwrap();
        let count = torrent.particle_count();
        for _ in 0..60 {
            torrent.advance(5).unwrap();
            let particles = torrent.fluid().particles();
            for i in (0..particles.len()).filter(|&i| !particles.is_boundary(i)) {
                let at = particles.get(i).position;
                let [[west, east], [south, north]] = torrent.bed().extent();
                let inside = (west..=east).contains(&at[0]) && (south..=north).contains(&at[1]);
                assert!(inside, "{hold:?}: a particle is beyond the walls, at {at:?} m");
                let clear = torrent.bed().clearance(at);
                assert!(clear >= -1.0e-4, "{hold:?}: a particle is {clear} m above the bed");
            }
        }
        assert_eq!(torrent.particle_count(), count, "{hold:?}: particles were lost");
    }
}

fn books_balance(steps: u64) {
    let mut torrent = torrent();
    torrent.advance(steps).unwrap();
    let ledger = torrent.ledger();
    let (water, solids) = (ledger.water, ledger.solids);
    assert!(solids.eroded > 1.0e-6 && solids.exported > 0.0 && water.exported > 0.0, "{ledger:?}");
    let share = torrent.missing_grains() / (solids.eroded + solids.added);
    assert!(share.abs() < 1.0e-9, "{share:e} of all grains moved are missing");
    let share = (water.start + water.added - water.exported - water.end) / water.added;
    assert!(share.abs() < 1.0e-9, "{share:e} of the water is missing");
}

#[test]
fn no_grain_is_lost_in_an_eroding_stream() {
    books_balance(600);
}

/// A minute or two: `cargo test --release -p thalweg-coupling --test torrent -- --ignored`.
#[test]
#[ignore = "ten thousand steps"]
fn no_grain_is_lost_in_ten_thousand_steps() {
    books_balance(10_000);
}
