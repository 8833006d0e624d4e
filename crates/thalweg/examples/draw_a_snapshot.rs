//! A picture of a landscape, drawn by the processor.
//!
//! ```sh
//! cargo run --release --package thalweg --example draw_a_snapshot -- picture.png
//! ```

#![expect(clippy::print_stdout, reason = "an example tells what it finds")]

use std::path::Path;
use thalweg::project::Project;
use thalweg::render::{ReliefStyle, Scene, relief};
use thalweg::run::{Silent, simulate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    draw(&std::env::args().nth(1).unwrap_or_else(|| "picture.png".into()))
}

pub(crate) fn draw(file: &str) -> Result<(), Box<dyn std::error::Error>> {
    let text = "version = 1\n[terrain]\nsize = [192, 192]\n[[rain]]\nrate = '60 mm/h'\n[time]\nsteps = 1500\n\
                [[time.coarse]]\nfactor = 4\nsteps = 1500\n";
    let session = simulate(&Project::from_text(text, "hills", Path::new(""), &[])?, 1 << 30, &mut Silent)?;

    // A snapshot is all that drawing sees.
    let snapshot = session.scenery();
    let scene = Scene::snapshot(&snapshot).ok_or("a snapshot with heights")?;
    let picture = relief(&scene, &ReliefStyle::default(), 768);
    thalweg::draw::write_picture(Path::new(file), &picture)?;
    println!("{file}: {} by {} pixels, after {} steps", picture.width, picture.height, snapshot.step);
    Ok(())
}
