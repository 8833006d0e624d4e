//! What the built-in scenes of pipes show is what water can do, in every step of theirs.

#![cfg(feature = "files")]

use thalweg::Session;
use thalweg::field::Snapshot;
use thalweg::project::Project;

/// Gravity `[m/s²]`.
const GRAVITY: f64 = 9.81;

/// Scenes of pipes in small, with changes that make them so.
const SMALL: [(&str, &[&str]); 8] = [
    ("dam-break-2d", &[]),
    ("lake-at-rest", &["time.steps=120"]),
    ("pool", &["time.steps=120"]),
    ("mountain", &["terrain.size=[96, 96]", "source.0.at=[480, 480]", "time.coarse=[]", "time.steps=120"]),
    ("mountain-rain", &["terrain.size=[96, 96]", "time.coarse=[]", "time.steps=120"]),
    ("river-detail", &["terrain.size=[96, 96]", "source.0.at=[240, 400]", "time.steps=120"]),
    ("tujunga", &["terrain.size=[96, 96]", "time.steps=120"]),
    ("demo", &["terrain.size=[96, 96]", "terrain.cell=100", "before=[]", "time.steps=120"]),
];

/// The fastest water, and how fast it can be that fell from the highest surface there ever was to the lowest bed `[m/s]`.
fn fastest(shown: &Snapshot, highest: &mut f64) -> [f64; 2] {
    let map = |name: &str| shown.field(name).unwrap().values();
    let surface = map("height").iter().zip(map("water")).map(|(bed, depth)| f64::from(bed + depth));
    *highest = surface.fold(*highest, f64::max);
    let lowest = map("height").iter().map(|&bed| f64::from(bed)).fold(f64::INFINITY, f64::min);
    let speed = map("speed").iter().map(|&speed| f64::from(speed)).fold(0.0, f64::max);
    [speed, (2.0 * GRAVITY * (*highest - lowest)).sqrt()]
}

fn check_maps(shown: &Snapshot, name: &str) {
    for field in &shown.fields {
        let wild = field.values.values().iter().find(|value| !value.is_finite());
        assert_eq!(wild, None, "{name}: {} after step {}", field.info.name, shown.step);
    }
    for natural in ["water", "sediment", "speed", "erosion", "deposition", "flow", "wetness", "slope"] {
        let least = shown.field(natural).unwrap().values().iter().copied().fold(0.0, f32::min);
        assert!(least >= 0.0, "{name}: {natural} is {least} after step {}", shown.step);
    }
    let most = shown.field("wetness").unwrap().values().iter().copied().fold(0.0, f32::max);
    assert!(most <= 1.0 + 1.0e-5, "{name}: {most} of the time under water");
    // Water holds at most three tenths of its own volume, and what just fell out of it a little more than that.
    let loads = shown.field("sediment").unwrap().values().iter().zip(shown.field("water").unwrap().values());
    for (&load, &depth) in loads {
        assert!(
            load <= 0.301 * depth + 1.0e-3,
            "{name}: {load} m of sediment in {depth} m of water after step {}",
            shown.step
        );
    }
}

/// `dam-break-2d` once had 2852 m/s in one cell of 4 mm.
#[test]
fn no_water_is_faster_than_it_can_fall() {
    for (name, changes) in SMALL {
        let changes: Vec<_> = changes.iter().map(|&change| change.to_owned()).collect();
        let project = Project::open(name, &changes).unwrap();
        let mut session = Session::new(&project, 1 << 30).unwrap();
        let (mut highest, mut top) = (f64::NEG_INFINITY, [0.0_f64; 2]);
        while !session.is_over() {
            session.tick(1).unwrap();
            let shown = session.show(&thalweg::solver::Wanted::fields(&["height", "water", "speed"]));
            let [speed, free] = fastest(&shown, &mut highest);
            assert!(
                speed <= free,
                "{name}: {speed} m/s after step {}, and water that falls has {free} m/s",
                shown.step
            );
            top = if speed > top[0] { [speed, free] } else { top };
            if session.steps_taken().is_multiple_of(50) || session.is_over() {
                check_maps(&session.snapshot(), name);
            }
        }
        println!("{name}: {} m/s at most, {} m/s in free fall", top[0], top[1]);
        assert!(name == "lake-at-rest" || top[0] > 0.01, "{name}: nothing flows");
    }
}
