//! The same bits, however ground is turned and work is cut.

use super::setup::{pipes, presets, rough};
use crate::{Check, Checks};
use thalweg_erosion::pipes::{Saved, StepError, Weather};
use thalweg_field::{Edge, Edges, Frame, Grid2, Heightfield};

type Change = fn(&Grid2<f32>) -> Grid2<f32>;

/// A quarter turn clockwise.
fn turned(grid: &Grid2<f32>) -> Grid2<f32> {
    Grid2::from_fn(grid.rows(), grid.cols(), |c, r| grid.at(r, grid.rows() - 1 - c))
}

fn mirrored(grid: &Grid2<f32>) -> Grid2<f32> {
    Grid2::from_fn(grid.cols(), grid.rows(), |c, r| grid.at(grid.cols() - 1 - c, r))
}

pub(super) fn symmetry() -> Checks {
    let size = 48;
    let mut checks = Vec::new();
    let edges = [("open edges", Edge::Open), ("walls", Edge::Closed), ("reservoirs", Edge::Level(0.3))];
    for ((name, params), (around, edge)) in
        presets().flat_map(|preset| edges.map(|edge| (preset.clone(), edge)))
    {
        let run = |height: Grid2<f32>| {
            let ground = Heightfield { height, frame: Frame::with_cell(1.0) };
            let weather = Weather { edges: Edges::all(edge), ..Weather::raining(5.0e-4) };
            let mut pipes = pipes(&ground, &params, &weather);
            pipes.advance(200)?;
            Ok::<_, StepError>([pipes.bed(), pipes.depth(), pipes.sediment()])
        };
        let height = rough(size, 1.0, 0.05, 0.0).height;
        let straight = run(height.clone())?;
        let changes: [(&str, Change); 3] = [
            ("turned", turned),
            ("mirrored", mirrored),
            ("turned and mirrored", |grid| mirrored(&turned(grid))),
        ];
        for (change, apply) in changes {
            let changed = run(apply(&height))?;
            let differing: usize = straight.iter().zip(&changed).map(|(a, b)| differing(&apply(a), b)).sum();
            let quantity = format!("values that differ when {change}, {around}, {name}");
            let check = Check::new(quantity, "values", "symmetry");
            checks.push(check.near(differing as f64, 0.0, 0.0));
        }
    }
    Ok(checks)
}

fn differing(a: &Grid2<f32>, b: &Grid2<f32>) -> usize {
    a.values().iter().zip(b.values()).filter(|(a, b)| a.to_bits() != b.to_bits()).count()
}

/// Threads work on bands of rows; a run must not show how many there were.
pub(super) fn bands() -> Checks {
    let size = 96;
    let mut checks = Vec::new();
    for (name, params) in presets() {
        let scale = if params.height_unit.is_some() { 0.02 } else { 1.0 };
        let ground = rough(size, 1.0, scale, 0.0);
        let mut weather = Weather::raining(2.0e-4 * scale);
        weather.edges = Edges { north: Edge::Open, south: Edge::Level(0.5 * scale), ..Edges::default() };
        let run = |bands, steps| {
            let mut pipes = pipes(&ground, &params, &weather);
            pipes.cut_into(bands, steps);
            for part in [7, 80, 1, 40] {
                pipes.advance(part)?;
            }
            Ok::<_, StepError>((pipes.cuts().0, pipes.save()))
        };
        let (_, whole) = run(1, 1)?;
        for (bands, steps) in [(1, 4), (2, 4), (3, 2), (8, 1)] {
            let (cut, saved) = run(bands, steps)?;
            let quantity = format!("values that differ, {cut} bands, {steps} steps in a sweep, {name}");
            let check = Check::new(quantity, "values", "determinism");
            checks.push(check.near(values_that_differ(&whole, &saved) as f64, 0.0, 0.0));
        }
    }
    Ok(checks)
}

fn values_that_differ(a: &Saved, b: &Saved) -> usize {
    let cells = a.cells.iter().zip(&b.cells).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
    let books = [(&a.numbers, &b.numbers), (&a.accounts, &b.accounts)];
    let in_books =
        |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
    cells + books.into_iter().map(in_books).sum::<usize>()
}
