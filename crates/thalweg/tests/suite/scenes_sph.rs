//! What the built-in scenes of eroding particles show, with fewer particles and for a shorter time.

use thalweg::Session;
use thalweg::field::sum::ordered_sum;
use thalweg::field::{Grid2, Heightfield, Points};
use thalweg::project::BuiltIn;
use thalweg::terrain::analysis::fill;
use thalweg_test_support::runs::MEMORY;

/// A built-in scene with changes, before its first step.
fn begun(name: &str, changes: &[&str]) -> Session {
    let changes: Vec<String> = changes.iter().copied().map(str::to_owned).collect();
    Session::new(&BuiltIn::named(name).unwrap().open(&changes).unwrap(), MEMORY).unwrap()
}

/// Takes steps until some time has come `[s]`.
fn advance_to(state: &mut Session, time: f64) {
    while state.time() < time {
        state.advance(4).unwrap();
    }
}

/// Places of a terrain: from, to; east and north `[m]`.
type Box2 = [[f64; 2]; 2];

/// Values of the cells whose centres are within a box.
fn within(map: &Grid2<f32>, ground: &Heightfield, [from, to]: Box2) -> Vec<f32> {
    let inside = |col: usize, row: usize| {
        let place = ground.local_from_cell(col, row);
        (0..2).all(|axis| (from[axis]..to[axis]).contains(&place[axis]))
    };
    let cells = (0..map.rows()).flat_map(|row| (0..map.cols()).map(move |col| (col, row)));
    cells.filter(|&(col, row)| inside(col, row)).map(|(col, row)| map.at(col, row)).collect()
}

/// Mean height of the bed within a box `[m]`.
fn mean_height(ground: &Heightfield, cells: Box2) -> f64 {
    let heights = within(&ground.height, ground, cells);
    ordered_sum(&heights) / heights.len() as f64
}

/// Water east of a place, still on the map or gone over the edge `[m³]`.
fn water_beyond(state: &Session, east: f32) -> f64 {
    let water = state.ledger().water;
    let points = state.points().unwrap();
    let each = water.end / points.len() as f64;
    water.exported + each * points.positions.iter().filter(|at| at[0] > east).count() as f64
}

/// Marks all cells whose centres are closer than `reach` `[m]` to a particle, seen from above.
fn mark(marked: &mut Grid2<bool>, points: &Points, ground: &Heightfield, reach: f64) {
    let cells = reach / ground.frame.cell;
    for &[east, north, _] in &points.positions {
        let [col, row] = ground.cell_from_local([east.into(), north.into()]);
        let range = |at: f64, count: usize| {
            (at - cells).ceil().max(0.0) as usize..count.min((at + cells).floor().max(0.0) as usize + 1)
        };
        for r in range(row, marked.rows()) {
            for c in range(col, marked.cols()) {
                if (c as f64 - col).hypot(r as f64 - row) <= cells {
                    marked.set(c, r, true);
                }
            }
        }
    }
}

/// What the bed has lost and gained since the beginning, cell by cell `[m]`.
fn moved(state: &mut Session) -> [Grid2<f32>; 2] {
    let snapshot = state.snapshot();
    ["erosion", "deposition"].map(|name| snapshot.field(name).unwrap().clone())
}

/// Kataev 2022, fig. 5.6: the banks beyond the water stay as they are.
#[test]
fn a_meander_is_eroded_where_water_has_reached_and_nowhere_else() {
    let spacing = 0.1; // [m]
    let mut state = begun("meander", &["solver.fluid.spacing=10 cm"]);
    let start: Heightfield = state.start().clone();
    let mut reached = Grid2::filled(start.height.cols(), start.height.rows(), false);
    // Water touches the bed within its smoothing radius, which is 2.2 spacings; the piece of bed that it touches there
    // is a cell, and the corners of all cells around it may move.
    let touch = 2.2 * spacing + 2.0 * start.frame.cell * std::f64::consts::SQRT_2;
    while state.time() < 2.0 {
        let before = state.time();
        // Grains move in every fourth step, before the water does: where water was looked for just then. Only what comes
        // into the world in such a step is seen at the next look, and has travelled.
        state.advance(4).unwrap();
        let points = state.points().unwrap();
        let fastest =
            points.column("speed").unwrap().values.iter().fold(0.0, |most: f32, &speed| most.max(speed));
        mark(&mut reached, &points, &start, touch + f64::from(fastest) * (state.time() - before));
    }
    let [lost, gained] = moved(&mut state);
    let now = state.ground().height;
    let (mut changed, mut dry) = (0, 0);
    for row in 0..now.rows() {
        for col in 0..now.cols() {
            let by = gained.at(col, row) - lost.at(col, row);
            if reached.at(col, row) {
                changed += usize::from(by.abs() > 1.0e-3);
                continue;
            }
            dry += 1;
            let place = start.local_from_cell(col, row);
            let same = now.at(col, row).to_bits() == start.height.at(col, row).to_bits();
            assert!(by == 0.0 && same, "dry ground at {place:.2?} m moved by {by:e} m");
        }
    }
    let [deepest, highest] = [&lost, &gained].map(|map| map.range().unwrap().1);
    // Sand stays afloat where the water is fast; it settles at the sides.
    assert!(deepest > 0.1 && highest > 0.01, "it was cut by {deepest} m and filled by {highest} m at most");
    let cells = now.len();
    assert!(changed > cells / 10, "only {changed} of {cells} cells changed by a millimetre");
    assert!(dry > cells / 2, "only {dry} of {cells} cells stayed dry");
}

/// Kataev 2022, fig. 5.4.
#[test]
#[ignore = "long"]
fn the_ridge_across_a_ditch_levels_off() {
    // The ridge lies across the ditch, 5.2 m east, 1.2 m thick; the floor is 1.44 m wide. Strips of floor along it are
    // its crest, and the ground just before and just behind it.
    let strip = |ground: &Heightfield, from: f64, to: f64| mean_height(ground, [[from, 1.48], [to, 2.92]]);
    let crest_height = |ground: &Heightfield| strip(ground, 5.0, 5.4);
    let floor_height = |ground: &Heightfield| 0.5 * (strip(ground, 4.2, 4.6) + strip(ground, 5.8, 6.2));
    let mut state = begun("ditch", &["solver.fluid.spacing=10 cm"]);
    advance_to(&mut state, 6.0);
    let [start, after] = [state.start().clone(), state.ground()];
    let cut = crest_height(&start) - crest_height(&after);
    assert!(cut > 0.15, "the crest sank by {cut} m only");
    // Not only lower, as the floor might be too: there is less of a ridge.
    let [high, left] = [&start, &after].map(|ground| crest_height(ground) - floor_height(ground));
    assert!(left < 0.3 * high, "the ridge, {high} m above the floor beside it, still is by {left} m");
}

/// Kataev 2022, use case 1: the particles disappear after their lifetime, and the deformed terrain is left.
#[test]
#[ignore = "long"]
fn the_water_of_ditch_and_meander_goes_in_the_end_and_deformed_ground_stays() {
    for name in ["ditch", "meander"] {
        let mut state = begun(name, &["solver.fluid.spacing=20 cm"]);
        let all = state.clock().planned;
        state.tick(all).unwrap();
        assert!(state.is_over(), "{name}: {} s after all its steps", state.time());
        let water = state.ledger().water;
        assert!(water.start + water.added > 1.0, "{name}: {water:?}");
        assert_eq!(water.end, 0.0, "{name}: water is left at {} s", state.time());
        let [lost, _] = moved(&mut state);
        let deepest = lost.range().unwrap().1;
        assert!(deepest > 0.05, "{name}: the ground lost {deepest} m at most");
    }
}

#[test]
fn water_that_erodes_nothing_leaves_a_ditch_as_it_is() {
    let mut state = begun("ditch", &["solver.fluid.spacing=10 cm", "solver.erosion.strength=0"]);
    // Not longer than it takes to get over the ridge and beyond.
    advance_to(&mut state, 1.5);
    let beyond = water_beyond(&state, 5.8);
    assert!(beyond > 0.1, "only {beyond} m³ have passed the ridge");
    assert!(state.ground() == *state.start(), "the bed has changed");
}

/// How high a lake around a place can stand before it runs off the map `[m]`.
fn outlet(ground: &Heightfield, place: [f64; 2]) -> f32 {
    let [col, row] = ground.cell_from_local(place).map(|at| at.round() as usize);
    fill(&ground.height).at(col, row)
}

/// Krištof et al. 2009, fig. 7.
#[test]
fn a_lake_overflows_and_cuts_itself_an_outlet() {
    let mut state = begun("lake", &["solver.fluid.spacing=20 cm"]);
    // The dam lies 15.2 m east.
    let gone = |state: &Session| water_beyond(state, 15.2);
    let held_up_to = |ground: &Heightfield| outlet(ground, [9.0, 9.6]);
    let before = held_up_to(state.start());
    assert_eq!(gone(&state), 0.0, "water is beyond the dam from the beginning");
    // It has twelve seconds.
    for second in 1..=12 {
        advance_to(&mut state, f64::from(second));
        if gone(&state) > 2.0 && held_up_to(&state.ground()) < before - 0.02 {
            return;
        }
    }
    let now = held_up_to(&state.ground());
    panic!("{} m³ have left the lake, which was held up to {before} m and is to {now} m", gone(&state));
}

/// Krištof et al. 2009, fig. 8.
#[test]
#[ignore = "long"]
fn two_sources_make_falls_over_all_three_steps() {
    let coarse = ["solver.fluid.spacing=40 cm", "terrain.cell=20 cm", "terrain.size=[364, 256]"];
    let mut state = begun("waterfall", &coarse);
    advance_to(&mut state, 8.0);
    let points = state.points().unwrap();
    let falls = &points.column("velocity_z").unwrap().values;
    // Each step winds from west to east within its strip. A twentieth of the water there falls at 5 m/s and more; on the
    // slope alone, without the cliffs, at most a seventieth did.
    for (name, south, north) in [("first", 30.0, 41.0), ("second", 19.0, 30.0), ("third", 8.0, 19.0)] {
        let here = points.positions.iter().zip(falls).filter(|(at, _)| (south..north).contains(&at[1]));
        let speeds: Vec<f32> = here.map(|(_, up)| -up).collect();
        let (count, falling) = (speeds.len(), speeds.iter().filter(|&&down| down > 5.0).count());
        assert!(count > 300 && falling > count / 20, "{name}: {falling} of {count} particles fall");
    }
    let [lost, _] = moved(&mut state);
    let deepest = lost.range().unwrap().1;
    assert!(deepest > 0.01, "the rock was cut by {deepest} m at most");
}
