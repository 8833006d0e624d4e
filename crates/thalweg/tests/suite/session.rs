//! A session is edited while it runs, takes edits back, and replays to the same bits.

use std::path::Path;
use std::time::Instant;
use thalweg::project::Project;
use thalweg::solver::{Layer, Stroke, Tool, Wanted};
use thalweg::{Edit, Event, Session};
use thalweg_test_support::runs::{MEMORY, bits};

/// Rain and a spring on hills, by a coarse pass and the terrain itself.
const HILLS: &str = "version = 1\n[terrain]\nsize = [48, 40]\n[[terrain.hardness.layer]]\nkind = 'plane'\nheight = 0.5\n[[rain]]\nrate = '60 mm/h'\n\
                     [[source]]\nat = [200, 200]\nrate = '3 m3/s'\nradius = '20 m'\n\
                     [time]\nsteps = 400\n[[time.coarse]]\nfactor = 2\nsteps = 60\n";

/// A pond that a jet falls into.
const POND: &str = "version = 1\n[terrain]\nsize = [16, 16]\ncell = '10 cm'\n[[terrain.layer]]\nkind = 'bump'\nheight = '20 cm'\n\
                    radius = '60 cm'\ncenter = [0.8, 0.8]\n[solver]\nkind = 'sph'\n[solver.fluid]\nspacing = '5 cm'\nmax_particles = 20000\nrelax = 10\n[solver.erosion]\ncritical_shear = 0.01\nstrength = 1\n\
                    [[water]]\nlevel = '15 cm'\n[[emitter]]\nshape = 'disc'\nat = [0.8, 0.8, 0.6]\nradius = '12 cm'\nvelocity = [0, 0, -1]\n\
                    [time]\nsteps = 300\n";

fn project(text: &str) -> Project {
    Project::from_text(text, "session", Path::new(""), &[]).unwrap()
}

fn session(text: &str) -> Session {
    Session::new(&project(text), MEMORY).unwrap()
}

fn stroke(tool: Tool, along: &[[f64; 2]], radius: f64, strength: f64) -> Edit {
    Edit::Paint(Stroke { tool, along: along.to_vec(), radius, strength, level: None })
}

/// Edits of every kind that fit a scene.
fn edits(text: &str) -> Vec<Edit> {
    if text == HILLS {
        let line = [[120.0, 100.0], [300.0, 260.0]];
        return vec![
            Edit::set("solver.capacity=0.4"),
            Edit::set("solver.gravity=25"),
            Edit::set("rain.0.rate=3e-5"),
            Edit::set("source.0.at=[260, 140]"),
            Edit::Add { list: "drain".into(), entry: "{ at = [100, 100], rate = 1 }".into(), at: None },
            Edit::Add {
                list: "rain".into(),
                entry: "{ rate = '20 mm/h', start = '10 s' }".into(),
                at: Some(0),
            },
            Edit::Remove { list: "source".into(), at: 0 },
            stroke(Tool::Raise, &line, 40.0, 12.0),
            stroke(Tool::Lower, &line[..1], 60.0, 20.0),
            stroke(Tool::Smooth, &line, 80.0, 0.8),
            stroke(Tool::Flatten, &line[1..], 70.0, 1.0),
            stroke(Tool::Harden, &line, 90.0, 0.9),
            stroke(Tool::Soften, &line[..1], 30.0, 0.3),
            stroke(Tool::Pour, &line[1..], 50.0, 3.0),
            stroke(Tool::Scoop, &line, 60.0, 1.0),
        ];
    }
    let place = [[0.5, 0.6], [1.1, 1.0]];
    vec![
        Edit::set("solver.fluid.viscosity=0.1"),
        Edit::set("solver.fluid.gravity=5"),
        Edit::set("emitter.0.velocity=[0.2, 0, -1.5]"),
        Edit::Add {
            list: "sink".into(),
            entry: "{ from = [0, 0, 0], to = [0.2, 0.2, 0.4] }".into(),
            at: None,
        },
        Edit::set("emitter.0.at=[0.6, 0.9, 0.7]"),
        Edit::Remove { list: "emitter".into(), at: 0 },
        stroke(Tool::Raise, &place, 0.3, 0.1),
        stroke(Tool::Lower, &place[..1], 0.4, 0.1),
        stroke(Tool::Smooth, &place, 0.5, 0.7),
        stroke(Tool::Flatten, &place[1..], 0.4, 1.0),
        stroke(Tool::Harden, &place, 0.5, 0.5),
        stroke(Tool::Pour, &place[..1], 0.3, 0.2),
        stroke(Tool::Scoop, &place[1..], 0.3, 1.0),
    ]
}

/// Particles one by one, beside the maps and books.
fn all_bits(session: &mut Session) -> Vec<u64> {
    let mut all = bits(session);
    let points = session.points().map(|points| points.positions).unwrap_or_default();
    all.extend(points.iter().flatten().map(|x| u64::from(x.to_bits())));
    all
}

#[test]
fn every_edit_acts_and_is_taken_back_to_the_bit_where_nothing_happened_since() {
    for text in [HILLS, POND] {
        for edit in edits(text) {
            let (mut touched, mut plain) = (session(text), session(text));
            // In the middle of steps of one length.
            touched.tick(101).unwrap();
            plain.tick(101).unwrap();
            touched.apply(edit.clone()).unwrap();
            let mut edited = session(text);
            edited.tick(101).unwrap();
            edited.apply(edit.clone()).unwrap();
            edited.tick(80).unwrap();
            assert_eq!(touched.undo().unwrap(), Some(edit.clone()));
            // Particles that were moved, or taken away and put back, are not quite where they were.
            let exact = match &edit {
                Edit::Paint(stroke) => stroke.tool.layer() == Layer::Softness || text == HILLS,
                _ => true,
            };
            touched.tick(80).unwrap();
            plain.tick(80).unwrap();
            assert!(bits(&mut edited) != bits(&mut plain), "{} does nothing", edit.label());
            let [heights, others] = [&touched, &plain].map(|session| session.ground().height);
            let apart = heights.values().iter().zip(others.values()).map(|(a, b)| (a - b).abs());
            let most = apart.fold(0.0_f32, f32::max);
            let allowed = if exact { 0.0 } else { 0.002 };
            assert!(most <= allowed, "{} leaves {most} m behind", edit.label());
            let imbalance = edited.ledger().water.imbalance();
            assert!(imbalance < 1.0e-4, "{}: {imbalance:e} of the water is missing", edit.label());
            assert!(edited.books().solids_missing < 1.0e-4, "{}: ground is missing", edit.label());
        }
    }
}

#[test]
fn what_was_done_replays_to_the_same_bits_and_so_does_a_run_that_was_stopped() {
    for text in [HILLS, POND] {
        let mut session = session(text);
        for (i, edit) in edits(text).into_iter().enumerate() {
            session.tick(5 + i as u64 % 3).unwrap();
            session.apply(edit).unwrap();
            if i % 3 == 2 {
                session.tick(2).unwrap();
                session.undo().unwrap();
            }
            if i % 6 == 5 {
                session.redo().unwrap();
            }
        }
        session.tick(3).unwrap();
        let saved = session.save("a");
        // The scene that goes on is the edited one.
        let scene = toml::to_string(session.scene()).unwrap();
        let mut resumed = Session::new(&project(&scene), MEMORY).unwrap();
        resumed.load(&saved).unwrap();
        let mut replayed = self::session(text);
        for change in session.changes() {
            replayed.tick(change.step - replayed.steps_taken()).unwrap();
            replayed.act(change.act.as_ref().unwrap()).unwrap();
        }
        replayed.tick(session.steps_taken() - replayed.steps_taken()).unwrap();
        assert_eq!(
            all_bits(&mut replayed),
            all_bits(&mut session),
            "another run with the same edits is another"
        );
        for session in [&mut session, &mut resumed, &mut replayed] {
            session.undo().unwrap();
            session.tick(9).unwrap();
            session.undo().unwrap();
            session.tick(20).unwrap();
        }
        let expected = all_bits(&mut session);
        assert!(all_bits(&mut resumed) == expected, "a run that went on is another");
        assert!(all_bits(&mut replayed) == expected);
    }
}

/// What was taken away and is brought back after a stop goes on as it would have without one: rain with its mask, which the
/// scene that goes on does not name any more, and an emitter with its rows.
#[test]
fn rain_with_a_mask_and_emitters_come_back_after_a_stop() {
    let clouds = thalweg_test_support::ground(48, 40, 1.0, |col, row| ((col * row) % 7) as f64 / 7.0);
    let mut cloudy = project(&HILLS.replace("[[rain]]", "[[rain]]\nmask = 'clouds.png'"));
    cloudy.give_map("clouds.png", clouds);
    for (project, list) in [(cloudy, "rain"), (project(POND), "emitter")] {
        let mut session = Session::new(&project, MEMORY).unwrap();
        session.tick(101).unwrap();
        session.apply(Edit::Remove { list: list.into(), at: 0 }).unwrap();
        session.tick(13).unwrap();
        let scene = toml::to_string(session.scene()).unwrap();
        let mut resumed = self::session(&scene);
        resumed.load(&session.save("a")).unwrap();
        for session in [&mut session, &mut resumed] {
            assert!(session.undo().unwrap().is_some());
            session.tick(40).unwrap();
        }
        assert_eq!(resumed.scene(), session.scene());
        assert!(all_bits(&mut resumed) == all_bits(&mut session), "{list} that came back is another");
    }
}

#[test]
fn a_hundred_and_fifty_edits_are_undone_and_done_again_while_it_runs() {
    let mut session = session(HILLS);
    let start = session.scene().clone();
    for i in 0..150 {
        session.tick(1).unwrap();
        let place = [[50.0 + 2.0 * f64::from(i), 200.0]];
        session
            .apply(match i % 3 {
                0 => Edit::set(&format!("solver.capacity=0.{:03}", 100 + i)),
                1 => stroke(Tool::Raise, &place, 30.0, 1.0),
                _ => Edit::set(&format!("source.0.rate={i}")),
            })
            .unwrap();
    }
    let [done, undone] = session.undoable();
    assert_eq!((done.len(), undone.len()), (150, 0));
    let edited = session.scene().clone();
    for _ in 0..150 {
        session.tick(1).unwrap();
        assert!(session.undo().unwrap().is_some());
    }
    assert_eq!(session.scene(), &start);
    assert_eq!(session.undo().unwrap(), None, "there is nothing left");
    for _ in 0..150 {
        assert!(session.redo().unwrap().is_some());
    }
    assert_eq!(session.scene(), &edited);
    assert_eq!(session.redo().unwrap(), None);
    assert_eq!(session.changes().len(), 450);
    session.apply(Edit::set("solver.capacity=0.3")).unwrap();
    assert_eq!(session.undoable()[1].len(), 0, "what was undone is forgotten by a new edit");
}

/// A slider that is dragged: sixty values in each second, undone at once.
#[test]
fn a_value_that_is_dragged_is_one_edit() {
    for (text, key) in [(HILLS, "solver.capacity"), (POND, "solver.fluid.viscosity")] {
        let mut session = session(text);
        let before = session.scene().clone();
        let clock = Instant::now();
        for i in 0..60 {
            session.adjust(Edit::set(&format!("{key}=0.{:03}", 101 + i))).unwrap();
            session.tick(1).unwrap();
        }
        println!("{key}: 60 changes and steps in {:?}", clock.elapsed());
        assert_eq!(session.undoable()[0].len(), 1);
        let mut replayed = self::session(text);
        for change in session.changes() {
            replayed.tick(change.step - replayed.steps_taken()).unwrap();
            replayed.act(change.act.as_ref().unwrap()).unwrap();
        }
        for session in [&mut session, &mut replayed] {
            session.undo().unwrap();
            assert_eq!(session.scene(), &before);
        }
    }
}

/// Gravity that falls and rises while water flows neither alarms those who watch over its energy nor outruns its steps.
#[test]
fn another_gravity_is_taken_at_any_step() {
    let dam = "version = 1\n[terrain]\nsize = [64, 32]\ncell = '1 m'\n[[terrain.layer]]\nkind = 'plane'\n\
               [[water]]\ndepth = '4 m'\nto = [20, 100]\n[time]\nsteps = 3000\n";
    for steps in [103, 256, 301] {
        let mut session = session(dam);
        session.tick(steps).unwrap();
        for gravity in ["1", "25", "3", "9.81"] {
            session.apply(Edit::set(&format!("solver.gravity={gravity}"))).unwrap();
            session.tick(300).unwrap();
        }
        assert!(session.ledger().water.imbalance() < 1.0e-5);
        let refused = session.apply(Edit::set("solver.dt=60")).unwrap_err();
        assert!(refused.reason.contains("not stable"), "{refused}");
        session.tick(100).unwrap();
    }
}

/// What a hand puts on and takes off again does not spoil the books.
#[test]
fn books_close_after_much_painting() {
    for (text, place, size) in [(HILLS, [200.0, 200.0], 60.0), (POND, [0.8, 0.8], 0.4)] {
        let mut session = session(text);
        session.tick(40).unwrap();
        for (tool, strength) in
            [(Tool::Lower, 0.2), (Tool::Raise, 0.2), (Tool::Pour, 0.1), (Tool::Scoop, 5.0)]
        {
            session.apply(stroke(tool, &[place], size, strength * size / 3.0)).unwrap();
            session.tick(3).unwrap();
        }
        while session.undo().unwrap().is_some() {}
        session.tick(20).unwrap();
        let (water, solids) = (session.ledger().water.imbalance(), session.books().solids_missing);
        assert!((0.0..1.0e-4).contains(&water) && (0.0..1.0e-4).contains(&solids), "{water:e}, {solids:e}");
    }
}

#[test]
fn what_cannot_act_at_once_says_that_it_needs_a_restart_and_changes_nothing() {
    for (text, edit) in [
        (HILLS, Edit::set("terrain.cell=20")),
        (HILLS, Edit::set("seed=4")),
        (HILLS, Edit::set("solver.backend=auto")),
        (HILLS, Edit::set("rain.0.mask=other.png")),
        (HILLS, Edit::set("solver.neighbours=4")),
        (POND, Edit::set("solver.fluid.spacing=0.04")),
        (POND, Edit::set("solver.erosion.enabled=false")),
        (POND, Edit::set("solver.erosion.packing=0.3")),
        (POND, Edit::set("water.0.level=0.3")),
    ] {
        let mut session = session(text);
        session.tick(8).unwrap();
        let before = all_bits(&mut session);
        let refused = session.apply(edit.clone()).unwrap_err();
        assert!(refused.needs_restart, "{}: {refused}", edit.label());
        assert!(all_bits(&mut session) == before);
        assert!(session.changes().is_empty());
    }
    let mut session = session(HILLS);
    for (edit, words) in [
        (Edit::set("solver.capacity=-1"), "between"),
        (Edit::set("solver.capcity=1"), "capcity"),
        (Edit::set("source.7.rate=1"), "source"),
        (Edit::set("time.steps"), "KEY=VALUE"),
        (stroke(Tool::Flatten, &[[1.0, 1.0]], 3.0, f64::NAN), "strength"),
        (Edit::Remove { list: "source".into(), at: 3 }, "source has 1 entries"),
        (Edit::Remove { list: "water".into(), at: 0 }, "neither come nor go"),
        (
            Edit::Add { list: "source".into(), entry: "{ at = [9000, 9000], rate = 1 }".into(), at: None },
            "outside",
        ),
        (Edit::Add { list: "source".into(), entry: "7".into(), at: None }, "braces"),
        (stroke(Tool::Raise, &[], 3.0, 1.0), "points"),
        (Edit::Unset { key: "solver.nothing".into() }, "not there"),
    ] {
        let refused = session.apply(edit.clone()).unwrap_err();
        assert!(refused.reason.contains(words) && !refused.needs_restart, "{}: {refused}", edit.label());
    }
    assert!(session.changes().is_empty());
}

#[test]
fn it_pauses_steps_resets_and_tells_what_happened() {
    let mut session = session(HILLS);
    assert_eq!(session.tick(1).unwrap(), 1, "a single step");
    session.apply(stroke(Tool::Raise, &[[200.0, 200.0]], 50.0, 30.0)).unwrap();
    session.apply(stroke(Tool::Pour, &[[200.0, 200.0]], 50.0, 3.0)).unwrap();
    session.tick(70).unwrap();
    let events = session.events();
    assert!(events.contains(&Event::Refined), "{events:?}");
    assert!(matches!(events.last(), Some(Event::Advanced { to: 71, .. })), "{events:?}");
    assert!(session.events().is_empty(), "events are told once");
    assert!(session.reset(&mut |_| true).unwrap());
    assert_eq!(session.steps_taken(), 0);
    // What was painted on the ground stays, water is poured out again by whoever wants it.
    let mut painted = self::session(HILLS);
    painted.apply(stroke(Tool::Raise, &[[200.0, 200.0]], 50.0, 30.0)).unwrap();
    assert!(bits(&mut session) == bits(&mut painted));
    assert_eq!(session.tick(10_000).unwrap(), 460);
    assert_eq!(session.events().last(), Some(&Event::Over));
}

#[test]
fn a_snapshot_holds_what_is_asked_for() {
    let mut session = session(HILLS);
    session.tick(80).unwrap();
    let all = session.snapshot();
    for field in &all.fields {
        let alone = session.show(&Wanted::fields(&[&field.info.name]));
        assert_eq!(alone.fields.len(), 1);
        assert_eq!(&alone.fields[0], field);
    }
    let mut pond = self::session(POND);
    pond.tick(8).unwrap();
    assert!(pond.show(&Wanted::fields(&["height"])).points.is_none());
    assert!(pond.snapshot().points.is_some());
}

/// The flow to each neighbour is shown when it is asked for by name, with its unit, and counts what leaves over an edge.
#[test]
fn outflows_are_shown_when_they_are_asked_for() {
    let mut session = session(HILLS);
    session.tick(80).unwrap();
    let usual = session.snapshot();
    assert!(usual.fields.iter().all(|field| !field.info.name.starts_with("outflow")));
    let named = ["outflow_west".to_owned(), "outflow_south_east".to_owned(), "height".to_owned()];
    let more = session.show(&Wanted::all_and(&named));
    assert_eq!(more.fields.len(), usual.fields.len() + 2);
    for name in &named[..2] {
        let field = more.fields.iter().find(|field| field.info.name == *name).unwrap();
        assert_eq!(field.info.unit, "m³/s");
        assert!(field.values.values().iter().any(|&flow| flow > 0.0), "nothing flows to the {name}");
        assert_eq!(&session.show(&Wanted::fields(&[name])).fields, std::slice::from_ref(field));
    }
}

/// Ground that is raised lifts the water on it; nothing is thrown about.
#[test]
fn ground_that_rises_below_a_pond_lifts_it_gently() {
    let still = POND.split("[[emitter]]").next().unwrap().to_owned() + "[time]\nsteps = 400\n";
    let mut session = session(&still);
    session.tick(60).unwrap();
    let fastest = |session: &Session| {
        let points = session.points().unwrap();
        let speed = points.columns.iter().find(|column| column.info.name == "speed").unwrap();
        speed.values.iter().fold(0.0_f32, |fastest, &v| fastest.max(v))
    };
    let count = session.points().unwrap().positions.len();
    session.apply(stroke(Tool::Raise, &[[0.5, 0.5]], 0.4, 0.1)).unwrap();
    for _ in 0..20 {
        session.tick(10).unwrap();
        let fastest = fastest(&session);
        // Water that falls 10 cm has 1.4 m/s.
        assert!(fastest < 2.5, "water flies about at {fastest} m/s");
    }
    assert_eq!(session.points().unwrap().positions.len(), count, "no particle is lost");
}
