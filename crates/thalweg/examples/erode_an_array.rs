//! Rain on heights that come from anywhere: an array in, an eroded array out.
//!
//! ```sh
//! cargo run --release --package thalweg --example erode_an_array
//! ```

#![expect(clippy::print_stdout, reason = "an example tells what it finds")]

use thalweg::erosion::pipes::{Params, Pipes, Weather};
use thalweg::field::{Frame, Grid2, Heightfield};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Any numbers will do: here a dome of 60 m on 128 by 128 cells of 5 m.
    let side = 128;
    let heights: Vec<f32> = (0..side * side)
        .map(|i| {
            let [x, y] = [i % side, i / side].map(|n| n as f32 / side as f32 - 0.5);
            60.0 * (1.0 - 4.0 * (x * x + y * y)).max(0.0)
        })
        .collect();
    let height = Grid2::from_values(side, side, heights).ok_or("one height for each cell")?;
    let ground = Heightfield { height, frame: Frame::with_cell(5.0) };

    // 60 mm of rain an hour, metres and seconds as everywhere.
    let mut pipes = Pipes::new(&ground, &Params::default(), &Weather::raining(0.06 / 3600.0))?;
    pipes.advance(2000)?;

    let eroded: Grid2<f32> = pipes.bed();
    let [before, after] = [&ground.height, &eroded].map(|grid| grid.range().unwrap_or_default());
    println!(
        "heights from {:.1} to {:.1} m before, from {:.1} to {:.1} m after",
        before.0, before.1, after.0, after.1
    );
    let ledger = pipes.ledger();
    println!(
        "{:.0} m³ of rain in {:.0} s, {:.1} m³ of ground taken up, {:.1e} of the water missing",
        ledger.water.added,
        pipes.time(),
        ledger.solids.eroded,
        ledger.water.imbalance()
    );
    Ok(())
}
