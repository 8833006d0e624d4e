//! Waves and what floats on them: from a scene to snapshots, tables and saved states, and on a lake that pipes fill.

use std::path::Path;
use thalweg::project::{Project, parse};
use thalweg::run::{Earlier, Silent, run};
use thalweg::{Edit, Session};
use thalweg_test_support::on_threads;
use thalweg_test_support::runs::{MEMORY, options};

/// A boat under way beside a pier, on a slight sea.
const BOAT: &str = r#"
version = 1
seed = 4
[terrain]
size = [64, 48]
cell = "1 m"
[[terrain.layer]]
kind = "plane"
offset = "-6 m"
[[terrain.layer]]
kind = "bump"
center = ["46 m", "30 m"]
radius = "12 m"
height = "9 m"
[edges]
north = "open"
east = "open"
south = "open"
west = "open"
[solver]
kind = "waves"
[ocean]
wind = "3 m/s"
resolution = 32
cascades = 1
patch = "60 m"
[[body]]
name = "boat"
at = ["16 m", "14 m", "0 m"]
velocity = ["3 m/s", "0 m/s", "0 m/s"]
throttle = 0.5
[[wavemaker]]
from = ["4 m", "40 m"]
to = ["4 m", "4 m"]
height = "20 cm"
length = "9 m"
start = "0.5 s"
[time]
steps = 150
[output]
pictures = false
"#;

fn project(text: &str) -> Project {
    Project::from_text(text, "boat", Path::new(""), &[]).unwrap()
}

fn session(text: &str) -> Session {
    Session::new(&project(text), MEMORY).unwrap()
}

/// All that is seen, bit by bit.
fn bits(session: &Session) -> Vec<u32> {
    let shown = session.snapshot();
    let fields = shown.fields.iter().flat_map(|field| field.values.values().iter().map(|v| v.to_bits()));
    let poses = shown.bodies.iter().flat_map(|body| body.pose.place.map(|x| (x as f32).to_bits()));
    fields.chain(poses).collect()
}

#[test]
fn a_boat_makes_waves_that_are_the_same_on_any_number_of_threads_and_after_a_stop() {
    let whole = || {
        let mut session = session(BOAT);
        session.tick(150).unwrap();
        session
    };
    let one = on_threads(1, whole);
    let shown = one.snapshot();
    let (low, high) = shown.field("waves").unwrap().range().unwrap();
    assert!(high > 0.05 && low < -0.05, "waves from {low} to {high} m");
    assert!(shown.body("boat").unwrap().pose.place[0] > 20.0, "it has gone east");
    assert!(shown.sea.as_ref().is_some_and(|sea| sea.patches.len() == 1 && sea.patches[0].is_whole()));
    for threads in [2, 3] {
        assert!(bits(&on_threads(threads, whole)) == bits(&one), "{threads} threads");
    }
    let mut stopped = session(BOAT);
    stopped.tick(67).unwrap();
    let mut resumed = session(BOAT);
    resumed.load(&stopped.save("boat")).unwrap();
    resumed.tick(150).unwrap();
    assert!(bits(&resumed) == bits(&one), "a run that went on is another");
    let books = one.books().waves.unwrap();
    assert!(books.sent > 0.0 && books.missing < 1.0e-9, "{books:?}");
}

#[test]
fn the_helm_is_an_edit_that_acts_at_once_and_is_taken_back() {
    let mut session = session(BOAT);
    session.tick(30).unwrap();
    session.apply(Edit::set("body.0.rudder=20 deg")).unwrap();
    session.apply(Edit::set("body.0.throttle=1")).unwrap();
    session.tick(90).unwrap();
    let heading = |session: &Session| session.snapshot().body("boat").unwrap().pose.turned([1.0, 0.0, 0.0]);
    assert!(heading(&session)[1] > 0.05, "{:?}", heading(&session));
    session.undo().unwrap();
    session.undo().unwrap();
    assert_eq!(session.scene().bodies[0].throttle, 0.5);
    let refused = session.apply(Edit::set("body.0.size=[4, 2, 1]")).unwrap_err();
    assert!(refused.needs_restart, "{refused}");
}

#[test]
fn what_makes_no_sense_is_told_with_its_place() {
    let told = |text: &str| parse(text, "a.toml", &[]).unwrap_err().to_string();
    let twice = format!("{BOAT}[[body]]\nname = \"boat\"\n");
    assert!(told(&twice).contains("body[1].name is \"boat\" again"), "{}", told(&twice));
    let both = BOAT.replace("length = \"9 m\"", "length = \"9 m\"\nperiod = \"3 s\"");
    assert!(told(&both).contains("a length or a period"), "{}", told(&both));
    let half = BOAT.replace("west = \"open\"", "west = \"closed\"");
    assert!(told(&half).contains("all edges are"), "{}", told(&half));
    let light = BOAT.replace("throttle = 0.5", "throttle = 0.5\ndensity = -1");
    assert!(told(&light).contains("body[0].density"), "{}", told(&light));
    let rain = format!("{BOAT}[[rain]]\nrate = \"5 mm/h\"\n");
    assert!(told(&rain).contains("let it rain with a first [[solver]]"), "{}", told(&rain));
    let high = format!("{}[[water]]\nlevel = \"1 m\"\n", BOAT.replace("-6 m", "20 m"));
    let dry = Session::new(&project(&high), MEMORY).unwrap_err().to_string();
    assert!(dry.contains("waves need water"), "{dry}");
}

#[test]
fn a_run_writes_where_its_bodies_are_and_goes_on_in_the_same_lines() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let long = project(BOAT);
    run(&long, &options(&whole, Earlier::Refuse), &mut Silent).unwrap();
    run(&project(&BOAT.replace("steps = 150", "steps = 75")), &options(&cut, Earlier::Refuse), &mut Silent)
        .unwrap();
    run(&long, &options(&cut, Earlier::Resume), &mut Silent).unwrap();
    let table = |out: &Path| std::fs::read_to_string(out.join("bodies/boat.csv")).unwrap();
    let text = table(&whole);
    assert!(text.starts_with("time [s],east [m],north [m],up [m],heading [deg]"), "{text}");
    assert_eq!(text.lines().count(), 27, "a line each tenth of 2.5 s, and the headings: {text}");
    assert_eq!(table(&cut), text);
    let json = std::fs::read_to_string(cut.join("bodies/bodies.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["columns"][10], "w [-]");
    let lines = json["bodies"]["boat"].as_array().unwrap();
    let last: Vec<f64> =
        text.lines().last().unwrap().split(',').map(|number| number.parse().unwrap()).collect();
    assert_eq!(lines.len(), 26);
    for (n, number) in last.iter().enumerate() {
        // Readers of JSON may round the last digit otherwise.
        let read = lines[25][n].as_f64().unwrap();
        assert!((read - number).abs() <= 1.0e-14 * number.abs(), "{read}, not {number}");
    }
    assert!(whole.join("maps/foam.exr").is_file());
}

#[test]
fn boats_float_on_the_lake_that_pipes_fill() {
    let lake = BOAT
        .replace("[solver]\nkind = \"waves\"", "[[solver]]\nkind = \"pipes\"\n[[solver]]\nkind = \"waves\"")
        .replace("[ocean]\nwind = \"3 m/s\"\nresolution = 32\ncascades = 1\npatch = \"60 m\"\n", "")
        .replace("\"open\"", "\"closed\"")
        .replace("steps = 150", "steps = 4000\nduration = \"9 s\"")
        + "[[water]]\nlevel = \"-1 m\"\n[[source]]\nat = [50, 8]\nrate = \"600 m3/s\"\nradius = \"5 m\"\n";
    let mut session = session(&lake);
    // Of the whole lake: what comes in sloshes.
    let level = |session: &Session| {
        let shown = session.snapshot();
        let (bed, depth) = (shown.field("height").unwrap(), shown.field("water").unwrap());
        let wet: Vec<_> =
            bed.values().iter().zip(depth.values()).filter(|(_, depth)| **depth > 0.5).collect();
        wet.iter().map(|(bed, depth)| f64::from(**bed + **depth)).sum::<f64>() / wet.len() as f64
    };
    let up = |session: &Session| session.snapshot().body("boat").unwrap().pose.place[2];
    let (low, start) = (level(&session), up(&session));
    session.tick(u64::MAX).unwrap();
    let risen = level(&session) - low;
    assert!(risen > 0.3, "the lake rose by {risen} m");
    assert!(
        (up(&session) - start - risen).abs() < 0.5,
        "the boat rose by {} m, the lake by {risen} m",
        up(&session) - start
    );
    let seen = session.seen_at(&[[10.0, 17.0]])[0];
    assert!((seen.surface - level(&session)).abs() < 1.0, "{seen:?}");
}

/// A ball that is thrown at the wall of a pool stays in it, and so does a boat at full throttle.
#[test]
fn closed_edges_hold_bodies() {
    let pool = r#"
version = 1
[terrain]
size = [40, 32]
cell = "50 cm"
[[terrain.layer]]
kind = "plane"
offset = "-3 m"
[solver]
kind = "waves"
[[body]]
name = "ball"
hull = "sphere"
density = "600 kg/m3"
at = ["14 m", "8 m", "0.5 m"]
velocity = ["9 m/s", "2 m/s", "0 m/s"]
[[body]]
name = "boat"
at = ["8 m", "6 m", "0 m"]
size = ["4 m", "1.5 m", "1 m"]
throttle = 1
[time]
steps = 600
[output]
pictures = false
"#;
    let mut session = session(pool);
    let mut far = [0.0_f64; 2];
    for _ in 0..150 {
        session.tick(4).unwrap();
        let shown = session.snapshot();
        for (far, name) in far.iter_mut().zip(["ball", "boat"]) {
            let [east, north, _] = shown.body(name).unwrap().pose.place;
            *far = far.max(east);
            let inside = (0.2..19.8).contains(&east) && (0.2..15.8).contains(&north);
            assert!(inside, "{name} is at {east}, {north} m; the pool is 20 by 16 m");
        }
    }
    assert!(far[0] > 14.5 && far[1] > 10.0, "nothing went anywhere: {far:?} m");
}
