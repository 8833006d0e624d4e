//! A scene that is changed while it runs: a dam is heaped up, a spring is moved, and the dam is taken away again.
//!
//! ```sh
//! cargo run --release --package thalweg --example live_edits
//! ```

#![expect(clippy::print_stdout, reason = "an example tells what it finds")]

use std::path::Path;
use thalweg::field::Grid2;
use thalweg::project::Project;
use thalweg::solver::{Stroke, Tool, Wanted};
use thalweg::{Edit, Session};

const SCENE: &str = "
version = 1
[terrain]
size = [96, 96]
cell = '5 m'
[[terrain.layer]]
kind = 'ditch'
[[source]]
at = [40, 240]
rate = '4 m3/s'
radius = '10 m'
[edges]
east = 'open'
[time]
steps = 6000
";

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut session = Session::new(&Project::from_text(SCENE, "dam", Path::new(""), &[])?, 1 << 30)?;
    session.tick(1500)?;
    tell(&session, "the river runs");

    let along = vec![[240.0, 150.0], [240.0, 330.0]];
    session.apply(Edit::Paint(Stroke {
        tool: Tool::Raise,
        along,
        radius: 20.0,
        strength: 25.0,
        level: None,
    }))?;
    session.tick(2000)?;
    tell(&session, "a dam stands across it");

    session.apply(Edit::set("source.0.rate=8"))?;
    session.tick(1000)?;
    tell(&session, "twice the water comes");

    // Undone in turn: the water first, then the dam.
    session.undo()?;
    session.undo()?;
    session.tick(1500)?;
    tell(&session, "the dam is gone");
    for change in session.changes() {
        println!("at step {}: {}", change.step, change.set);
    }
    Ok(())
}

fn tell(session: &Session, what: &str) {
    let shown = session.show(&Wanted::fields(&["water"]));
    let deepest = shown.field("water").and_then(Grid2::range).map_or(0.0, |(_, deepest)| deepest);
    let water = session.ledger().water;
    println!("{:6.0} s, {what}: {:.0} m³ of water, {deepest:.2} m deep at most", session.time(), water.end);
}
