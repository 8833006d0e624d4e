//! Slopes that slip, seen from outside.

use std::f64::consts::TAU;
use thalweg_erosion::pipes::{Params, Pipes, Weather};
use thalweg_field::{Edge, Edges, Frame, Grid2, Heightfield, random::Key};

const SIZE: usize = 128;

fn slipped(height: Grid2<f32>, edges: Edges, rounds: u64) -> Pipes {
    slipped_as(height, edges, rounds, &Params::default())
}

fn slipped_as(height: Grid2<f32>, edges: Edges, rounds: u64, params: &Params) -> Pipes {
    let ground = Heightfield { height, frame: Frame::with_cell(10.0) };
    let params = Params { talus_every: 1, talus_rate: 1.0, ..params.clone() };
    let weather = Weather { edges, ..Weather::default() };
    let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
    pipes.advance(rounds).unwrap();
    pipes
}

/// A cone of 60° with a rough skin.
fn cone(noise: f64) -> Grid2<f32> {
    let middle = 0.5 * (SIZE - 1) as f64;
    Grid2::from_fn(SIZE, SIZE, |c, r| {
        let away = (c as f64 - middle).hypot(r as f64 - middle);
        let rough = noise * Key::new(5).with((r * SIZE + c) as u64).unit();
        ((60.0_f64.to_radians().tan() * 10.0 * (30.0 - away)).max(0.0) + rough) as f32
    })
}

/// Directions in turns that slopes of 20° and more face.
fn aspects(bed: &Grid2<f32>) -> Vec<f64> {
    let inner = || 1..SIZE - 1;
    let facing = inner().flat_map(|row| inner().map(move |col| (col, row))).filter_map(|(col, row)| {
        let along = f64::from(bed.at(col + 1, row) - bed.at(col - 1, row)) / 20.0;
        let across = f64::from(bed.at(col, row + 1) - bed.at(col, row - 1)) / 20.0;
        let is_slope = along.hypot(across).atan().to_degrees() > 20.0;
        is_slope.then_some((across.atan2(along) / TAU).rem_euclid(1.0))
    });
    facing.collect()
}

/// What slips along eight directions becomes a pyramid of eight sides; a heap of sand is round.
#[test]
fn a_cone_that_slips_stays_round() {
    for (name, noise) in [("smooth", 0.0), ("rough", 20.0)] {
        let aspects = aspects(&slipped(cone(noise), Edges::default(), 4000).bed());
        let cells = aspects.len() as f64;
        assert!(cells > 4000.0, "there are slopes to look at");
        // A spread with so many sides has a wave of that many to the turn; chance alone gives 2/√n.
        for sides in [4.0, 8.0] {
            let sum = |of: fn(f64) -> f64| aspects.iter().map(|turn| of(sides * TAU * turn)).sum::<f64>();
            let uneven = 2.0 * sum(f64::cos).hypot(sum(f64::sin)) / cells;
            println!("{name}: {sides} sides {uneven:.4}");
            assert!(uneven < 0.05, "a {name} cone has {sides} sides, by {:.1} %", 100.0 * uneven);
        }
        if noise == 0.0 {
            let mut sectors = [0.0; 16];
            aspects.iter().for_each(|turn| sectors[(turn * 16.0).round() as usize % 16] += 16.0 / cells);
            let uneven = sectors.iter().map(|share: &f64| (share - 1.0).abs()).fold(0.0, f64::max);
            assert!(uneven < 0.05, "aspects of a cone are uneven by {:.1} %", 100.0 * uneven);
        }
    }
}

/// Open edges are the base level: what is above may slip onto them, nothing of them goes.
#[test]
fn open_edges_are_not_lowered_by_slipping() {
    // A plateau that ends in a cliff all along its edges, and a deep hole beside them.
    let height = Grid2::from_fn(SIZE, SIZE, |c, r| {
        let inner = [c, r].iter().all(|&i| (1..SIZE - 1).contains(&i));
        if !inner {
            300.0
        } else if c < 20 {
            0.0
        } else {
            400.0 + (c * 7 + r * 13) as f32 % 50.0
        }
    });
    let start = height.clone();
    let pipes = slipped(height, Edges::all(Edge::Open), 2000);
    let bed = pipes.bed();
    let on_edge = |&(c, r): &(usize, usize)| [c, r].iter().any(|&i| i == 0 || i == SIZE - 1);
    let cells = (0..SIZE).flat_map(|r| (0..SIZE).map(move |c| (c, r)));
    let lowered = cells.filter(on_edge).map(|(c, r)| start.at(c, r) - bed.at(c, r)).fold(0.0, f32::max);
    assert_eq!(lowered, 0.0, "slipping lowered the edge by {lowered} m");
    let moved = pipes.bed_above(&start).range().unwrap();
    assert!(moved.0 < -10.0 && moved.1 > 10.0, "much slipped: {moved:?}");
    let solids = pipes.ledger().solids;
    let share = (solids.bed_end - solids.bed_start).abs() / solids.bed_start;
    assert!(share < 1.0e-9, "slipping lost {share:e} of the ground");
}

/// A valley beside an edge: its bank is the edge itself, which comes to rest like any other.
#[test]
fn edges_that_follow_come_to_rest_like_slopes() {
    let height =
        Grid2::from_fn(SIZE, SIZE, |c, r| if c == 0 { 300.0 } else { 2.0 * c as f32 + (r % 3) as f32 });
    let edges = Edges { west: Edge::Open, ..Edges::default() };
    let walls = |edges_follow: bool| {
        let params = Params { edges_follow, ..Params::default() };
        let pipes = slipped_as(height.clone(), edges, 4000, &params);
        let solids = pipes.ledger().solids;
        let share = (solids.bed_end - solids.bed_start).abs() / solids.bed_start;
        assert!(share < 1.0e-9, "slipping lost {share:e} of the ground");
        let bed = pipes.bed();
        (0..SIZE).map(|row| bed.at(0, row) - bed.at(1, row)).fold(0.0, f32::max)
    };
    let holds = 10.0 * Params::default().repose.tan() as f32;
    assert!(walls(false) > 250.0, "there is no wall");
    assert!(walls(true) < 1.05 * holds, "a wall of {} m where {holds} m hold", walls(true));
}
