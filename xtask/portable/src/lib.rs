//! The core without files, clock and threads, for a browser: scenes run to a step, and told by a number that any other bit would
//! change. `cargo xtask wasm` builds it for wasm32, runs it in Node and compares the numbers with those of this machine.

use std::path::Path;
use thalweg::project::{BuiltIn, Project};
use thalweg::solver::{Stroke, Tool};
use thalweg::{Edit, Session};

/// So many of the scenes, the first ones, are of pipes and end in the same bits everywhere. Particles add and multiply in one
/// rounding where the processor can, and in two where it cannot, as in a browser.
pub const EXACT: usize = 3;

/// Scenes that need no file, small enough to run anywhere: name, changes, and an edit after half of the steps.
const SCENES: [(&str, &[&str], Edits); 6] = [
    (
        "demo",
        &["terrain.size=[64, 64]", "time.coarse=[{ factor = 2, steps = 40 }]", "time.steps=100"],
        Edits::Hill,
    ),
    (
        "mountain",
        &["terrain.size=[64, 64]", "terrain.cell=80", "time.coarse=[]", "time.steps=120"],
        Edits::Spring,
    ),
    ("dam-break-2d", &["time.steps=60"], Edits::None),
    ("dam-break", &["time.steps=30"], Edits::Hill),
    ("settling", &["time.steps=20"], Edits::None),
    // Rivers of geological time, then rain.
    (
        "mountain",
        &[
            "terrain.size=[64, 64]",
            "terrain.cell=80",
            "before=[{ kind = \"stream-power\", step = \"5 kyr\", time = { steps = 20 } }]",
            "time.coarse=[]",
            "time.steps=60",
        ],
        Edits::Hill,
    ),
];

#[derive(Clone, Copy)]
enum Edits {
    None,
    Hill,
    Spring,
}

/// How many scenes there are.
#[expect(unsafe_code, reason = "the page that loads it calls it by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn scenes() -> u32 {
    SCENES.len() as u32
}

/// Runs one of them and returns its number; 0 if it could not.
#[expect(unsafe_code, reason = "the page that loads it calls it by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn fingerprint(scene: u32) -> u64 {
    ending(scene as usize).unwrap_or(0)
}

/// The number of one of them; an error says why it does not run.
pub fn ending(scene: usize) -> Result<u64, Box<dyn std::error::Error>> {
    run(SCENES.get(scene).ok_or("there are not so many scenes")?)
}

fn run(&(name, changes, edits): &(&str, &[&str], Edits)) -> Result<u64, Box<dyn std::error::Error>> {
    let text = BuiltIn::named(name).ok_or("there is no such scene")?.text;
    let changes: Vec<_> = changes.iter().map(|&change| change.to_owned()).collect();
    let mut session = Session::new(&Project::from_text(text, name, Path::new(""), &changes)?, 1 << 30)?;
    session.tick(session.clock().planned / 2)?;
    let [east, north] = session.start().extent().map(|side| 0.5 * side);
    match edits {
        Edits::None => {}
        Edits::Hill => {
            let (radius, strength) = (0.3 * east, 0.05 * east);
            let along = vec![[0.7 * east, north], [1.2 * east, north]];
            session.apply(Edit::Paint(Stroke { tool: Tool::Raise, along, radius, strength, level: None }))?;
        }
        Edits::Spring => {
            let entry = format!("{{ at = [{east}, {north}], rate = 5 }}");
            session.apply(Edit::Add { list: "source".into(), entry, at: None })?;
        }
    }
    session.tick(u64::MAX)?;
    let shown = session.snapshot();
    let fields = shown.fields.iter().flat_map(|field| field.values.values());
    let points = shown.points.iter().flat_map(|points| points.positions.as_flattened());
    // Processors do not agree whether the larger of 0 and -0 is 0 or -0, which are the same number: it counts as 0.
    let numbers = fields.chain(points).map(|value| value + 0.0);
    let bits = numbers.map(|value| u64::from(value.to_bits())).chain([shown.time.to_bits()]);
    // FNV-1a, 64 bits.
    Ok(bits.fold(0xcbf2_9ce4_8422_2325, |hash: u64, bits| (hash ^ bits).wrapping_mul(0x0100_0000_01b3)))
}
