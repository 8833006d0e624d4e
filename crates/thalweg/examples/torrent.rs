//! A jet of particles into a ditch, without any scene file.
//!
//! ```sh
//! cargo run --release --package thalweg --example torrent
//! ```

#![expect(clippy::print_stdout, reason = "an example tells what it finds")]

use thalweg::coupling::{Emitter, Params, ParticleWater, Setting, Shape};
use thalweg::field::{Edge, Edges, Frame, Grid2, Heightfield};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A ditch that falls to the east, 3 m long, with 10 cm cells.
    let height = Grid2::from_fn(30, 12, |col, row| {
        let across = (row as f32 - 5.5) / 5.5;
        0.3 * across * across - 0.01 * col as f32
    });
    let ground = Heightfield { height, frame: Frame::with_cell(0.1) };
    let jet = Emitter::new(Shape::Disc { at: [0.4, 0.6, 0.4], radius: 0.12 }, [1.5, 0.0, -0.5]);
    // Water that reaches the eastern edge falls over it.
    let edges = Edges { east: Edge::Open, ..Edges::default() };
    let setting = Setting { emitters: vec![jet], edges, ..Setting::default() };
    let mut params = Params::default();
    params.fluid.max_particles = 20_000;
    let mut water = ParticleWater::new(&ground, &params, &setting)?;
    while water.time() < 1.0 {
        water.advance(50)?;
        let ledger = water.ledger();
        println!(
            "{:.2} s: {} particles, {:.1} l came, {:.1} l left, {:.2} l of grains taken up",
            water.time(),
            water.particle_count(),
            1.0e3 * ledger.water.added,
            1.0e3 * ledger.water.exported,
            1.0e3 * ledger.solids.eroded
        );
    }
    Ok(())
}
