//! Methods one after the other: `[[before]]`, then the scene's own.

use std::path::Path;
use thalweg::project::{Project, parse};
use thalweg::run::{Earlier, Estimate, Silent};
use thalweg::solver::{Stroke, Tool, Wanted};
use thalweg::{Edit, Session};
use thalweg_test_support::on_threads;
use thalweg_test_support::runs::{MEMORY, bits, drive, finished, project};

/// Rivers cut a range for 9 steps in two passes, then rain works on it for 40.
const TWO: &str = r#"
version = 1
seed = 5
[terrain]
size = [44, 37]
cell = "40 m"
[[terrain.layer]]
kind = "fbm"
height = "300 m"
wavelength = "700 m"
[edges]
south = "open"
east = "open"
[[rain]]
rate = "80 mm/h"
[[before]]
kind = "stream-power"
step = "5 kyr"
time = { steps = 5, coarse = [{ factor = 2, steps = 4 }] }
[time]
steps = 40
"#;

fn open(text: &str) -> Session {
    Session::new(&Project::from_text(text, "two", Path::new(""), &[]).unwrap(), MEMORY).unwrap()
}

fn at(text: &str, step: u64) -> Session {
    let mut session = open(text);
    drive(&mut session, step);
    assert_eq!(session.steps_taken(), step);
    session
}

/// The scene with its first method alone, and with its last.
fn alone() -> [String; 2] {
    let rivers = TWO
        .replace("[[before]]\n", "[solver]\n")
        .replace("time = { steps = 5, coarse", "[ignored]\nx = { steps = 5, coarse");
    let cut = rivers.find("[ignored]").unwrap();
    let time = "[time]\nsteps = 5\ncoarse = [{ factor = 2, steps = 4 }]\n";
    let pipes = TWO.find("[[before]]").unwrap()..TWO.find("[time]").unwrap();
    [format!("{}{time}", &rivers[..cut]), TWO.replace(&TWO[pipes], "")]
}

fn hill(at: [f64; 2]) -> Edit {
    Edit::Paint(Stroke { tool: Tool::Raise, along: vec![at], radius: 300.0, strength: 30.0, level: None })
}

#[test]
fn the_ground_is_handed_over_bit_for_bit() {
    let mut rivers = open(&alone()[0]);
    drive(&mut rivers, u64::MAX);
    let left = rivers.ground();
    let both = at(TWO, 9);
    assert_eq!(both.show(&Wanted::fields(&["height"])).fields[0].values, left.height);
    // What pipes make of it is what they make of the same ground in a scene of their own.
    let mut scene = Project::from_text(&alone()[1], "rain", Path::new(""), &[]).unwrap();
    scene.give_map("range.exr", left.clone());
    scene.scene.terrain.layers.clear();
    scene.scene.terrain.file = Some("range.exr".into());
    let mut rain = Session::new(&scene, MEMORY).unwrap();
    drive(&mut rain, u64::MAX);
    let mut both = both;
    drive(&mut both, u64::MAX);
    assert_eq!((both.steps_taken(), both.clock().planned, rain.steps_taken()), (49, 49, 40));
    for map in ["height", "water", "sediment", "speed", "flow"] {
        let [one, other] = [&both, &rain].map(|session| session.show(&Wanted::fields(&[map])));
        assert!(one.fields[0].values == other.fields[0].values, "{map} is another");
    }
}

#[test]
fn the_books_of_both_together_close() {
    let start = open(TWO).ledger().solids.bed_start;
    let mut rivers = open(&alone()[0]);
    drive(&mut rivers, u64::MAX);
    let cut = rivers.ledger().solids;
    for step in [3, 9, 10, 49] {
        let session = at(TWO, step);
        let (books, water) = (session.books(), session.ledger().water);
        let solids = books.ledger.solids;
        assert_eq!(solids.bed_start, start, "the bed of the beginning");
        let missing = solids.bed_start + solids.added - solids.bed_end - solids.suspended - solids.exported;
        // Heights of 300 m are handed over in 32 bits: 1.5e-5 m in each cell, of a bed of some metres that moved.
        assert!(
            missing.abs() < 1.0e-5 * solids.eroded.max(1.0),
            "after step {step} {missing} m³ are missing: {solids:?}"
        );
        assert!(books.solids_missing < 1.0e-4, "after step {step} {:e}", books.solids_missing);
        assert!(water.imbalance().is_nan() || water.imbalance() < 1.0e-5, "{water:?}");
        if step > 9 {
            assert!(
                solids.eroded >= cut.eroded && solids.exported >= cut.exported,
                "{solids:?} after {cut:?}"
            );
        }
        assert!(
            step < 49 || solids.eroded > cut.eroded && water.added > 0.0,
            "rain does nothing: {solids:?}"
        );
    }
}

#[test]
fn saved_in_each_of_its_methods_it_ends_in_the_same_bits() {
    let mut whole = at(TWO, 49);
    for stop in [0, 2, 4, 6, 8, 9, 10, 30, 49] {
        let saved = at(TWO, stop).save("two");
        let mut resumed = open(TWO);
        resumed.load(&saved).unwrap();
        assert_eq!(resumed.steps_taken(), stop);
        drive(&mut resumed, u64::MAX);
        assert!(bits(&mut whole) == bits(&mut resumed), "stopped after step {stop}");
    }
}

#[test]
fn steps_taken_in_any_portions_and_on_any_number_of_threads_give_the_same_bits() {
    let mut whole = at(TWO, 49);
    let whole = bits(&mut whole);
    for threads in [1, 2, 3] {
        let run = || {
            let mut session = open(TWO);
            while session.tick(threads as u64).unwrap() > 0 {}
            bits(&mut session)
        };
        assert!(on_threads(threads, run) == whole, "{threads} threads");
    }
}

/// A saved state that no run can have is refused in words, whatever is wrong with it.
#[test]
fn broken_states_are_refused() {
    let saved = at(TWO, 20).save("two");
    let refused = |change: &dyn Fn(&mut thalweg::solver::Sections)| {
        let mut broken = saved.clone();
        change(&mut broken);
        open(TWO).load(&broken).unwrap_err()
    };
    assert!(refused(&|saved| saved.put("stage", 7)).contains("more methods"));
    refused(&|saved| saved.put("stage", 0));
    refused(&|saved| drop(saved.header.remove("stage")));
}

/// What was painted while the first method was at work is taken off again when the second is, also where that counts heights in a
/// unit of its own.
#[test]
fn a_hill_painted_before_is_taken_off_after() {
    let thesis = TWO.replace(
        "[time]",
        "[solver]\npreset = 'schmidberger-2024'\nheight_unit = '300 m'\nerosion = false\n[time]",
    );
    for (text, name) in [(TWO.to_owned(), "metres"), (thesis, "a unit of its own")] {
        // After the coarse pass, so that both have the same cells; erosion in between is little.
        let text = text.replace("step = \"5 kyr\"", "step = \"1 yr\"");
        let (mut painted, plain) = (at(&text, 8), at(&text, 12));
        painted.apply(hill([800.0, 700.0])).unwrap();
        painted.tick(4).unwrap();
        let top = |session: &Session| {
            let (ground, plain) = (session.ground().height, plain.ground().height);
            let apart = ground.values().iter().zip(plain.values()).map(|(a, b)| a - b);
            apart.fold([0.0_f32; 2], |[low, high], by| [low.min(by), high.max(by)])
        };
        let there = top(&painted);
        assert!(there[1] > 25.0 && there[1] < 31.0, "{name}: a hill of 30 m is {there:?} m high");
        painted.undo().unwrap();
        let gone = top(&painted);
        assert!(gone[0] > -1.0 && gone[1] < 1.0, "{name}: {gone:?} m are left of a hill of 30 m");
        painted.redo().unwrap();
        let again = top(&painted);
        assert!((again[1] - there[1]).abs() < 1.0, "{name}: {again:?} m, and it was {there:?} m");
        assert!(painted.books().solids_missing < 1.0e-4, "{name}: {:e}", painted.books().solids_missing);
    }
}

/// An edit made while the first method is at work counts for the second; what stands in `[[before]]` itself cannot change.
#[test]
fn edits_reach_the_method_to_come() {
    let mut edited = at(TWO, 3);
    edited.apply(Edit::set("rain.0.rate=200 mm/h")).unwrap();
    edited.apply(Edit::set("solver.drag=0.1")).unwrap();
    edited.apply(Edit::set("time.steps=60")).unwrap();
    assert_eq!(edited.clock().planned, 69);
    let refused = edited.apply(Edit::set("before.0.time.steps=90")).unwrap_err();
    assert!(refused.needs_restart && refused.reason.contains("before[0].time.steps"), "{refused}");
    edited.tick(u64::MAX).unwrap();
    let mut asked = open(
        &TWO.replace("80 mm/h", "200 mm/h")
            .replace("[time]\nsteps = 40", "[solver]\ndrag = 0.1\n[time]\nsteps = 60"),
    );
    drive(&mut asked, u64::MAX);
    // Even rain does not matter to rivers of geological time: both are the same run.
    assert!(bits(&mut edited) == bits(&mut asked));
    // Undone, one by one, while the other method is at work.
    let mut back = at(TWO, 3);
    back.apply(Edit::set("rain.0.rate=200 mm/h")).unwrap();
    back.tick(6).unwrap();
    back.undo().unwrap();
    back.tick(u64::MAX).unwrap();
    assert!(bits(&mut back) == bits(&mut at(TWO, 49)), "rain that was set back before the first drop");
}

#[test]
fn what_is_wrong_in_it_is_told_with_its_place() {
    for (text, place, words) in [
        (
            "[[before]]\nkind = 'stream-power'\nstep = '-5 kyr'",
            "4:8",
            &["before[0].step is -1.57788e11 s"][..],
        ),
        ("[[before]]\nkind = 'stream-power'\nstepp = 3", "4:1", &["did you mean `step`?"]),
        ("[[before]]\nkind = 'streampower'", "3:8", &["did you mean `stream-power`?"]),
        (
            "[[before]]\nkind = 'pipes'\n[[before]]\nkind = 'pipes'\nneighbours = 6",
            "6:14",
            &["before[1].neighbours", "4 or 8"],
        ),
        ("[[before]]\nkind = 'stream-power'\ntime = { steps = -4 }", "4:18", &["steps", "-4"]),
        (
            "[[before]]\nkind = 'stream-power'\n[before.time]\nsteps = 4\n[[before.time.coarse]]\nfactor = 1\nsteps = 3",
            "7:10",
            &["before[0].time.coarse[0].factor", "above 1"],
        ),
        (
            "[[before]]\nkind = 'sph'\n[[before.time.coarse]]\nfactor = 2\nsteps = 3",
            "4:1",
            &["before[0].time.coarse[0]", "\"sph\""],
        ),
        (
            "[[before]]\nkind = 'stream-power'\n[[solver]]\nkind = 'pipes'\n[[solver]]\nkind = 'sph'",
            "2:1",
            &["water alone"],
        ),
    ] {
        let text = format!("version = 1\n{text}\n[edges]\nsouth = 'open'");
        let found = parse(&text, "a.toml", &[]).unwrap_err().to_string();
        let told = found.lines().find(|line| line.starts_with(&format!("a.toml:{place}:")));
        let told = told.unwrap_or_else(|| panic!("{text}\nis not told at {place}:\n{found}"));
        assert!(words.iter().all(|word| told.contains(word)), "{text}\nis told as\n{told}");
    }
    // What only the ground can tell.
    let wide = TWO.replace("factor = 2", "factor = 30");
    let project = Project::from_text(&wide, "two.toml", Path::new(""), &[]).unwrap();
    let refused = Session::new(&project, MEMORY).unwrap_err().to_string();
    assert!(refused.contains("before[0].time.coarse[0].factor is 30"), "{refused}");
}

/// A method without any step is passed over.
#[test]
fn a_method_without_steps_leaves_the_ground_as_it_is() {
    let none =
        TWO.replace("time = { steps = 5, coarse = [{ factor = 2, steps = 4 }] }", "time = { steps = 0 }");
    let (mut none, mut plain) = (open(&none), open(&alone()[1]));
    assert_eq!(none.clock().planned, 40);
    drive(&mut none, u64::MAX);
    drive(&mut plain, u64::MAX);
    for map in ["height", "water", "sediment", "speed", "flow"] {
        let [one, other] = [&none, &plain].map(|session| session.show(&Wanted::fields(&[map])));
        assert!(one.fields[0].values == other.fields[0].values, "{map} is another");
    }
}

/// A run writes what it was made of, goes on from its end, and its report and estimate count both methods.
#[test]
fn a_run_is_reported_estimated_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let scene = project(folder.path(), &format!("{TWO}[output]\npictures = false\n"));
    let out = folder.path().join("out");
    let report = finished(&scene, &out, Earlier::Refuse, &mut Silent);
    assert_eq!(report.steps, 49);
    assert!(report.simulated_s > 9.0 * 5000.0 * 3.0e7, "{} s", report.simulated_s);
    // Steps of thousands of years, then of seconds, and the time that each method took.
    let dt = report.dt;
    assert!(dt.min < 60.0 && dt.max > 1.0e11 && dt.min < dt.mean && dt.mean < dt.max, "{dt:?}");
    for method in ["stream-power", "pipes"] {
        assert!(report.timings_s[method] > 0.0, "{method}: {:?}", report.timings_s);
    }
    let ledger = &report.ledger;
    assert!(ledger.imbalance_rel < 1.0e-4 && ledger.water.imbalance_rel < 1.0e-5, "{ledger:?}");
    let estimate = Estimate::new(Session::new(&scene, MEMORY).unwrap()).unwrap();
    assert_eq!(estimate.steps, 49);
    assert!(estimate.simulated_s > 9.0 * 5000.0 * 3.0e7, "{} s", estimate.simulated_s);
    let mut longer = project(folder.path(), &format!("{TWO}[output]\npictures = false\n"));
    longer.scene = longer.scene.going_on(&scene.scene, 60).unwrap();
    let report = finished(&longer, &out, Earlier::Resume, &mut Silent);
    assert_eq!(report.steps, 60);
    let mut whole = Session::new(&longer, MEMORY).unwrap();
    drive(&mut whole, u64::MAX);
    let height =
        thalweg::io::read_heightfield(&out.join("height.exr"), &Default::default()).unwrap().field.height;
    assert!(height == whole.ground().height, "going on ends in another ground");
    // What ran, written with all its defaults, is the same scene.
    let written = Project::open(out.join("scene.toml").to_str().unwrap(), &[]).unwrap();
    assert_eq!(written.scene.before, scene.scene.before);
    // Shared out among both methods, as --steps does.
    assert_eq!(scene.scene.lasting(49), scene.scene);
    assert_eq!(scene.scene.lasting(12).steps_in_all(), 12);
}
