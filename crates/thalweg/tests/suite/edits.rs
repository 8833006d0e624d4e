//! Edits do what they say to water and ground, however many there are and in whatever order.

use std::path::Path;
use thalweg::field::random::Key;
use thalweg::project::Project;
use thalweg::solver::{Stroke, Tool, Wanted};
use thalweg::{Edit, Session};
use thalweg_test_support::runs::{MEMORY, bits};

/// A bowl with a lake and rain.
const LAKE: &str = "version = 1\n[terrain]\nsize = [40, 32]\ncell = '5 m'\n[[terrain.layer]]\nkind = 'fbm'\nheight = '20 m'\n\
                    wavelength = '80 m'\n[[water]]\nlevel = '4 m'\n[[rain]]\nrate = '60 mm/h'\n[[source]]\nat = [100, 80]\nrate = '1 m3/s'\n\
                    radius = '8 m'\n[time]\nsteps = 5000\n";

/// A pond of particles that a jet falls into.
const POND: &str = "version = 1\n[terrain]\nsize = [16, 16]\ncell = '10 cm'\n[[terrain.layer]]\nkind = 'bump'\nheight = '20 cm'\n\
                    radius = '60 cm'\ncenter = [0.8, 0.8]\n[[water]]\nlevel = '15 cm'\n[[emitter]]\nshape = 'disc'\nat = [0.8, 0.8, 0.6]\n\
                    radius = '12 cm'\nvelocity = [0, 0, -1]\n[solver]\nkind = 'sph'\n[solver.fluid]\nspacing = '5 cm'\nmax_particles = 20000\n\
                    [solver.erosion]\ncritical_shear = 0.01\nstrength = 1\n[time]\nsteps = 5000\n";

/// Rain and particles on one ground; which leads is told by the order.
fn two_waters(first: &str, second: &str) -> String {
    let solver = |kind: &str| match kind {
        "sph" => "[[solver]]\nkind = 'sph'\n[solver.fluid]\nspacing = '5 cm'\nmax_particles = 9000\n\
                  [solver.erosion]\ncritical_shear = 0.01\nstrength = 1\n"
            .to_owned(),
        kind => format!("[[solver]]\nkind = '{kind}'\n"),
    };
    format!(
        "version = 1\n[terrain]\nsize = [16, 16]\ncell = '10 cm'\n[[terrain.layer]]\nkind = 'bump'\nheight = '20 cm'\n\
         radius = '60 cm'\ncenter = [0.8, 0.8]\n{}{}[[water]]\nsolver = 'sph'\nlevel = '10 cm'\nto = [0.7, 1.5]\n\
         [[rain]]\nrate = '200 mm/h'\n[time]\nsteps = 5000\n",
        solver(first),
        solver(second)
    )
}

fn session(text: &str) -> Session {
    Session::new(&Project::from_text(text, "edits", Path::new(""), &[]).unwrap(), MEMORY).unwrap()
}

fn dab(tool: Tool, at: [f64; 2], radius: f64, strength: f64) -> Edit {
    Edit::Paint(Stroke { tool, along: vec![at], radius, strength, level: None })
}

/// An edit drawn by lot, and now and then one that is taken back or done again. Some are refused, as when nothing is left to
/// remove.
fn throw(session: &mut Session, key: Key, side: f64) {
    let draw = |n: u64| key.with(n).unit();
    let place = [draw(1) * side, draw(2) * side];
    let (radius, strength) = (side * (0.05 + 0.2 * draw(3)), 0.05 * side * draw(4));
    let paint = |tool| dab(tool, place, radius, strength);
    let share = |tool| dab(tool, place, radius, draw(4));
    let particles = session.points().is_some() && session.other_books().is_empty();
    let list = if particles { "emitter" } else { "source" };
    let entry = if particles {
        format!(
            "{{ shape = 'disc', at = [{}, {}, {}], radius = 0.11, velocity = [0, 0, -1] }}",
            place[0], place[1], side
        )
    } else {
        format!("{{ at = [{}, {}], rate = {} }}", place[0], place[1], draw(5) * 0.001 * side)
    };
    let edit = match (draw(0) * 14.0) as u64 {
        0 => paint(Tool::Raise),
        1 => paint(Tool::Lower),
        2 => share(Tool::Smooth),
        3 => share(Tool::Flatten),
        4 => share(Tool::Harden),
        5 => share(Tool::Soften),
        6 => paint(Tool::Pour),
        7 => paint(Tool::Scoop),
        8 => Edit::Add { list: list.into(), entry, at: Some(0) },
        9 => Edit::Remove { list: list.into(), at: 0 },
        10 if particles => Edit::set(&format!("solver.fluid.gravity={}", 5.0 + 5.0 * draw(5))),
        10 => Edit::set(&format!("rain.0.rate={}", 1.0e-4 * draw(5))),
        11 => return drop(session.redo()),
        _ => return drop(session.undo()),
    };
    let _ = session.apply(edit);
}

/// What is missing of water and ground, in the books of every water.
fn missing(session: &Session) -> f64 {
    let all =
        std::iter::once(session.books()).chain(session.other_books().into_iter().map(|(_, books)| books));
    all.map(|books| books.ledger.water.imbalance().max(books.solids_missing)).fold(0.0, f64::max)
}

#[test]
fn books_close_and_everything_is_undone_after_many_edits_by_lot() {
    for (name, text, side) in [
        ("lake", LAKE.to_owned(), 160.0),
        ("pond", POND.to_owned(), 1.6),
        ("pipes and sph", two_waters("pipes", "sph"), 1.6),
        ("sph and pipes", two_waters("sph", "pipes"), 1.6),
    ] {
        for lot in 0..2 {
            let mut session = session(&text);
            let start = session.scene().clone();
            session.tick(20).unwrap();
            for i in 0..60 {
                throw(&mut session, Key::new(lot).with(i), side);
                session
                    .tick(1 + i % 4)
                    .unwrap_or_else(|error| panic!("{name}, lot {lot}, edit {i}: {error}"));
            }
            assert!(session.changes().len() > 30, "{name}: most were refused");
            let lost = missing(&session);
            assert!(lost < 1.0e-4, "{name}, lot {lot}: {lost:e} is missing after {:?}", session.changes());
            while session.undo().unwrap_or_else(|error| panic!("{name}, lot {lot}: {error}")).is_some() {}
            session.tick(40).unwrap();
            assert_eq!(session.scene(), &start, "{name}, lot {lot}");
            let lost = missing(&session);
            assert!(lost < 1.0e-4, "{name}, lot {lot}: {lost:e} is missing at the end");
        }
    }
}

/// What was done by lot, with stops in between, replays to the same bits.
#[test]
fn edits_by_lot_replay_and_resume_to_the_same_bits() {
    for (text, side) in [
        (LAKE.to_owned(), 160.0),
        (POND.to_owned(), 1.6),
        (two_waters("pipes", "sph"), 1.6),
        (two_waters("sph", "pipes"), 1.6),
    ] {
        let (mut whole, mut cut) = (session(&text), session(&text));
        for i in 0..40 {
            for session in [&mut whole, &mut cut] {
                throw(session, Key::new(7).with(i), side);
            }
            if i % 5 == 0 {
                let scene = toml::to_string(cut.scene()).unwrap();
                let mut resumed = session(&scene);
                resumed.load(&cut.save("cut")).unwrap();
                cut = resumed;
            }
            whole.tick(1 + i % 3).unwrap();
            cut.tick(1 + i % 3).unwrap();
            assert!(bits(&mut whole) == bits(&mut cut), "after edit {i}, {:?}", whole.changes().last());
        }
        let mut replayed = session(&text);
        for change in whole.changes() {
            replayed.tick(change.step - replayed.steps_taken()).unwrap();
            replayed.act(change.act.as_ref().unwrap()).unwrap();
        }
        replayed.tick(whole.steps_taken() - replayed.steps_taken()).unwrap();
        assert!(bits(&mut whole) == bits(&mut replayed), "another run with the same edits is another");
    }
}

#[test]
fn twice_the_rain_and_twice_the_spring_bring_twice_the_water() {
    for (key, other, rate) in [("rain.0.rate", "source", 3.0e-4), ("source.0.rate", "rain", 1.0)] {
        let mut session = session(LAKE);
        session.apply(Edit::set("solver.dt=0.02")).unwrap();
        session.apply(Edit::Remove { list: other.into(), at: 0 }).unwrap();
        session.apply(Edit::set(&format!("{key}={rate}"))).unwrap();
        let came = |session: &mut Session| {
            let before = session.ledger().water.added;
            session.tick(800).unwrap();
            session.ledger().water.added - before
        };
        let once = came(&mut session);
        session.apply(Edit::set(&format!("{key}={}", 2.0 * rate))).unwrap();
        let twice = came(&mut session);
        session.undo().unwrap();
        let again = came(&mut session);
        // Rain waits until it is more than the rounding of the deepest water: here 2 µm, of 5 mm that fall.
        assert!((twice / once - 2.0).abs() < 2.0e-3, "{key}: {once} m³, then {twice} m³");
        assert!((again / once - 1.0).abs() < 2.0e-3, "{key}: {once} m³, then {again} m³ when it is undone");
    }
}

/// What is painted on water and ground counts in full: as much as the brush says.
#[test]
fn a_brush_moves_as_much_as_it_says() {
    let mut session = session(LAKE);
    session.tick(8).unwrap();
    // The integral of (1 - r²/R²)² over a disc is π R² / 3.
    let (radius, strength) = (40.0, 0.5);
    let expected = std::f64::consts::PI * radius * radius / 3.0 * strength;
    let start = session.ledger();
    session.apply(dab(Tool::Pour, [100.0, 80.0], radius, strength)).unwrap();
    let poured = session.ledger().water.added - start.water.added;
    // Cells of an eighth of the radius: the sum over their middles is that near to the integral.
    assert!((poured / expected - 1.0).abs() < 0.02, "{poured} m³ were poured, not {expected}");
    session.apply(dab(Tool::Lower, [100.0, 80.0], radius, strength)).unwrap();
    let dug = start.solids.bed_end - session.ledger().solids.bed_end;
    assert!((dug / expected - 1.0).abs() < 0.02, "{dug} m³ were dug, not {expected}");
}

/// A hill heaped up on the ground of the one is there for the other, and gone with it.
#[test]
fn both_waters_find_a_hill_and_find_it_gone() {
    for (first, second) in [("pipes", "sph"), ("sph", "pipes")] {
        let mut session = session(&two_waters(first, second));
        let apart = |session: &Session| {
            let shown = session.snapshot();
            let [own, other] = ["slope".to_owned(), format!("{second}_slope")]
                .map(|name| shown.field(&name).unwrap().clone());
            own.values().iter().zip(other.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        // Heights of a decimetre are rounded at 1e-8 m, and cells are 0.1 m wide.
        let allowed = 1.0e-5;
        session.tick(30).unwrap();
        assert!(apart(&session) < allowed, "after some steps their slopes are {} apart", apart(&session));
        session.apply(dab(Tool::Raise, [1.1, 0.8], 0.4, 0.1)).unwrap();
        assert!(apart(&session) < allowed, "after a stroke they are {} apart", apart(&session));
        session.tick(30).unwrap();
        session.undo().unwrap();
        session.tick(100).unwrap();
        assert!(apart(&session) < allowed, "at the end they are {} apart", apart(&session));
    }
}

/// What one of the waters cannot follow changes neither of them.
#[test]
fn a_stroke_that_one_water_refuses_leaves_no_trace() {
    for (first, second) in [("pipes", "sph"), ("sph", "pipes")] {
        let (mut touched, mut plain) =
            (session(&two_waters(first, second)), session(&two_waters(first, second)));
        touched.tick(10).unwrap();
        plain.tick(10).unwrap();
        let refused = touched.apply(dab(Tool::Raise, [1.1, 0.8], 0.3, 1.0e4)).unwrap_err();
        assert!(refused.reason.contains("steep"), "{refused}");
        touched.tick(10).unwrap();
        plain.tick(10).unwrap();
        assert!(bits(&mut touched) == bits(&mut plain), "{first} leads");
    }
}

/// A dry plain that falls gently to the east, where water leaves; the time step is fixed, so that volumes can be told beforehand.
const PLAIN: &str = "version = 1\n[terrain]\nsize = [60, 40]\ncell = '5 m'\n[[terrain.layer]]\nkind = 'ramp'\ngrade = 0.01\n\
                     direction = '270 deg'\n[solver]\ndt = 0.2\nerosion = false\n[edges]\neast = 'open'\n[time]\nsteps = 5000\n";

/// Water within 15 m of a place `[m³]`.
fn water_near(session: &Session, [east, north]: [f64; 2]) -> f64 {
    let shown = session.show(&Wanted::fields(&["water"]));
    let depth = &shown.fields[0].values;
    let mut volume = 0.0;
    for (i, &depth) in depth.values().iter().enumerate() {
        let (col, row) = (i % 60, i / 60);
        let at = [(col as f64 + 0.5) * 5.0, (39.5 - row as f64) * 5.0];
        if (at[0] - east).hypot(at[1] - north) < 15.0 {
            volume += f64::from(depth) * 25.0;
        }
    }
    volume
}

/// Takes steps; returns what came meanwhile, and what left `[m³]`.
fn came_and_left(session: &mut Session, steps: u64) -> [f64; 2] {
    let before = session.ledger().water;
    session.tick(steps).unwrap();
    let now = session.ledger().water;
    [now.added - before.added, now.exported - before.exported]
}

/// What somebody does who plays with springs, rain and drains while water flows (Schmidberger 2024, chapter 5).
#[test]
fn springs_rain_and_drains_come_move_change_and_go_while_water_flows() {
    let close = |came: f64, expected: f64, what: &str| {
        // Volumes are sums of depths in 32 bits, and rain waits until it is more than their rounding.
        assert!(
            (came - expected).abs() <= 2.0e-3 * expected.max(0.01),
            "{what}: {came} m³ came, not {expected}"
        );
    };
    let (west, middle) = ([50.0, 100.0], [150.0, 60.0]);
    let mut session = session(PLAIN);
    close(came_and_left(&mut session, 50)[0], 0.0, "a dry plain");

    session
        .apply(Edit::Add {
            list: "source".into(),
            entry: "{ at = [50, 100], rate = 2, radius = 8 }".into(),
            at: None,
        })
        .unwrap();
    close(came_and_left(&mut session, 100)[0], 2.0 * 20.0, "a spring in the west");
    let wet = [west, middle].map(|place| water_near(&session, place));
    assert!(wet[0] > 1.0 && wet[1] < 1.0e-6, "{wet:?} m³ near the spring, and where there is none");

    session.apply(Edit::set("source.0.at=[150, 60]")).unwrap();
    let left_behind = water_near(&session, west);
    close(came_and_left(&mut session, 100)[0], 2.0 * 20.0, "the spring, moved");
    assert!(water_near(&session, middle) > 1.0, "it is wet where the spring went");
    assert!(water_near(&session, west) < left_behind, "and drier where it was");

    session.apply(Edit::set("source.0.rate=5")).unwrap();
    close(came_and_left(&mut session, 100)[0], 5.0 * 20.0, "the spring, stronger");

    session
        .apply(Edit::Add {
            list: "drain".into(),
            entry: "{ at = [150, 60], rate = 5, radius = 15 }".into(),
            at: None,
        })
        .unwrap();
    let before = water_near(&session, middle);
    let [_, drained] = came_and_left(&mut session, 100);
    assert!(drained > 50.0 && water_near(&session, middle) < before, "{drained} m³ were drained");
    session.apply(Edit::Remove { list: "drain".into(), at: 0 }).unwrap();
    session.apply(Edit::Remove { list: "source".into(), at: 0 }).unwrap();
    close(came_and_left(&mut session, 50)[0], 0.0, "without a spring");

    session
        .apply(Edit::Add { list: "rain".into(), entry: "{ rate = '360 mm/h' }".into(), at: None })
        .unwrap();
    let area = 300.0 * 200.0;
    close(came_and_left(&mut session, 100)[0], 1.0e-4 * area * 20.0, "rain");
    let dry = session.show(&Wanted::fields(&["water"])).fields[0]
        .values
        .values()
        .iter()
        .filter(|&&d| d == 0.0)
        .count();
    assert_eq!(dry, 0, "it rains everywhere");
    session.apply(Edit::set("rain.0.rate=0")).unwrap();
    close(came_and_left(&mut session, 100)[0], 0.0, "rain switched off");
    session.undo().unwrap();
    close(came_and_left(&mut session, 100)[0], 1.0e-4 * area * 20.0, "rain switched on again");

    let water = session.ledger().water;
    assert!(water.imbalance() < 1.0e-5, "{:e} of the water is missing: {water:?}", water.imbalance());
    assert_eq!(session.changes().len(), 9);
}
