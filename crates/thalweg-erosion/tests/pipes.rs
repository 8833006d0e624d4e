//! How the pipe model behaves, seen from outside.

use thalweg_erosion::pipes::{
    Fall, Params, PipeArea, Pipes, Rain, Source, StepError, Transport, Weather, reference::Reference,
};
use thalweg_field::{Edge, Edges, Frame, Grid2, Heightfield, Window, random::Key};

/// Hills and hollows of some metres, different in every direction.
fn rough(cols: usize, rows: usize, cell: f64) -> Heightfield {
    let key = Key::new(11);
    let height = Grid2::from_fn(cols, rows, |c, r| {
        let (x, y) = (c as f32 * 0.21, r as f32 * 0.17);
        let noise = key.with((r * cols + c) as u64).unit() as f32;
        4.0 * (x.sin() + (y * 1.3).cos() + (x * 0.4 + y).sin()) + 0.3 * noise + 0.05 * c as f32 + 300.0
    });
    Heightfield { height, frame: Frame::with_cell(cell) }
}

fn storm(cell: f64) -> Weather {
    let drops = Rain {
        fall: Fall::Drops { per_second: 40.0, depth: 0.02, radius: 2.5 * cell },
        mask: None,
        when: Window::ALWAYS,
    };
    let mut weather = Weather::raining(2.0e-4);
    weather.rain.push(drops);
    weather.sources.push(Source {
        at: [10.0 * cell, 12.0 * cell],
        rate: 0.5,
        radius: 2.0 * cell,
        when: Window::ALWAYS,
    });
    weather.sources.push(Source {
        at: [25.0 * cell, 20.0 * cell],
        rate: -0.2,
        radius: 2.0 * cell,
        when: Window::ALWAYS,
    });
    weather.edges =
        Edges { north: Edge::Open, east: Edge::Closed, south: Edge::Level(301.0), west: Edge::Open };
    weather
}

fn all_presets() -> impl Iterator<Item = (&'static str, Params)> {
    Params::PRESETS.into_iter().map(|(name, _)| (name, Params::preset(name).unwrap()))
}

/// Threads, tiles and ranks may cut the terrain as they like.
#[test]
fn any_cut_into_bands_and_sweeps_gives_the_same_bits() {
    for (name, params) in all_presets() {
        let ground = rough(53, 61, 1.0);
        let weather = storm(1.0);
        let run = |bands, steps| {
            let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
            pipes.cut_into(bands, steps);
            for part in [7, 40, 1, 16] {
                pipes.advance(part).unwrap();
            }
            pipes.save()
        };
        let whole = run(1, 1);
        assert!(whole.cells.iter().any(|&v| v > 0.0));
        for (bands, steps) in [(1, 4), (2, 1), (2, 2), (3, 4), (5, 1), (20, 1), (2, 8)] {
            let cut = run(bands, steps);
            assert!(whole == cut, "{name}: {bands} bands, {steps} steps in a sweep differ");
        }
    }
}

/// Old and new machines agree: no fused multiply-add, no order that depends on the width of the vectors.
#[test]
fn wide_and_plain_vectors_give_the_same_cells_and_books() {
    for (name, params) in all_presets() {
        let start = Pipes::new(&rough(61, 47, 1.0), &params, &storm(1.0)).unwrap();
        let (mut wide, mut plain) = (start.clone(), start.with_plain_vectors());
        wide.advance(100).unwrap();
        plain.advance(100).unwrap();
        assert!(wide.save() == plain.save(), "{name}: vectors of another width give other bits");
    }
}

#[test]
fn a_run_taken_up_again_at_any_step_ends_in_the_same_bits() {
    let (ground, weather) = (rough(40, 36, 2.0), storm(2.0));
    for (name, params) in all_presets() {
        let start = Pipes::new(&ground, &params, &weather).unwrap();
        let mut straight = start.clone();
        straight.advance(120).unwrap();
        let end = straight.save();
        for draw in 0..20 {
            let stop = (Key::new(3).with(draw).unit() * 120.0) as u64;
            let mut first = start.clone();
            first.advance(stop).unwrap();
            let saved = first.save();
            let mut second = start.clone();
            second.restore(&saved).unwrap();
            second.advance(120 - stop).unwrap();
            assert!(second.save() == end, "{name}: stopping after {stop} steps changes the end");
        }
    }
}

#[test]
fn a_state_of_another_terrain_is_not_taken() {
    let params = Params::default();
    let weather = Weather::raining(1.0e-4);
    let small = Pipes::new(&rough(20, 20, 1.0), &params, &weather).unwrap();
    let mut large = Pipes::new(&rough(24, 20, 1.0), &params, &weather).unwrap();
    assert!(large.restore(&small.save()).unwrap_err().contains("does not fit"));
}

/// The faithful presets against the equations written down plainly: bed within 1e-6 in total, 5 mm in the
/// worst cell after 200 steps at 128².
#[test]
fn faithful_presets_agree_with_the_plain_reference() {
    let size = 128;
    for name in ["mei-2007", "schmidberger-2024"] {
        let params = Params::preset(name).unwrap();
        // The thesis's heights lie between 0 and 1, and its water moves the bed a few micrometres a step.
        let mut ground = rough(size, size, 1.0);
        let (scale, enough) = if params.height_unit.is_some() { (0.02, 5.0e-6) } else { (1.0, 0.1) };
        ground.height = ground.height.map(|h| (h - 300.0) * scale);
        let rate = 1.0e-3 / params.dt.unwrap() * f64::from(scale);
        let mut weather = Weather::raining(rate);
        let inflow =
            Grid2::from_fn(size, size, |c, r| if (40..60).contains(&c) && r > 90 { 2.0 } else { 1.0 });
        weather.rain[0].mask = Some(inflow.clone());

        let mut fast = Pipes::new(&ground, &params, &weather).unwrap();
        fast.advance(200).unwrap();
        let mut plain = Reference::new(ground.height.clone(), 1.0, params.dt.unwrap(), &params);
        let inflow = inflow.map(|w| w * rate as f32);
        for _ in 0..200 {
            plain.step(&inflow);
        }

        let total = |grid: &Grid2<f32>| grid.values().iter().map(|&v| f64::from(v)).sum::<f64>();
        let worst = |a: &Grid2<f32>, b: &Grid2<f32>| {
            a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0_f32, f32::max)
        };
        let bed = fast.bed();
        let moved = worst(&bed, &ground.height);
        let drift = (total(&bed) - total(&plain.bed)).abs()
            / bed.values().iter().map(|b| f64::from(b.abs())).sum::<f64>();
        let cell = worst(&bed, &plain.bed);
        eprintln!("{name}: moved {moved} m, total differs by {drift:e}, worst cell {cell} m");
        assert!(moved > enough, "{name} moved the bed by only {moved} m: the comparison would show nothing");
        assert!(drift < 1.0e-6, "{name}: beds differ by {drift:e} in total");
        assert!(cell < (0.1 * moved).min(5.0e-3), "{name}: worst cell differs by {cell} m");
    }
}

/// Erratum to eqs. 6 and 10 of the thesis: one orientation everywhere.
#[test]
fn water_runs_downhill_in_all_four_directions() {
    for (name, params) in all_presets() {
        for (direction, east, north) in [("east", 1, 0), ("west", -1, 0), ("north", 0, 1), ("south", 0, -1)] {
            let height = Grid2::from_fn(32, 32, |c, r| {
                let (x, y) = (c as f32 - 15.5, 15.5 - r as f32);
                0.02 * (20.0 - x * east as f32 - y * north as f32)
            });
            let ground = Heightfield { height, frame: Frame::with_cell(1.0) };
            let blob = Grid2::from_fn(32, 32, |c, r| {
                if (12..20).contains(&c) && (12..20).contains(&r) { 0.1 } else { 0.0 }
            });
            let mut weather = Weather { water: Some(blob), ..Weather::default() };
            weather.edges = Edges::all(Edge::Closed);
            let params = Params { evaporation: 0.0, ..params.clone() };
            let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
            pipes.advance(12).unwrap();
            let depth = pipes.depth();
            let (mut x, mut y, mut all) = (0.0, 0.0, 0.0);
            for row in 0..32 {
                for col in 0..32 {
                    let d = f64::from(depth.at(col, row));
                    x += d * (col as f64 - 15.5);
                    y += d * (15.5 - row as f64);
                    all += d;
                }
            }
            let along = (x * f64::from(east) + y * f64::from(north)) / all;
            let across = (x * f64::from(north) + y * f64::from(east)) / all;
            assert!(along > 1.0e-4, "{name}: water moved {along} cells to the {direction}");
            assert!(across.abs() < 1.0e-3, "{name}: water strayed {across} cells while running {direction}");
            let [u, v] = pipes.velocity();
            let mean = |g: &Grid2<f32>| {
                g.values().iter().zip(depth.values()).map(|(v, d)| f64::from(v * d)).sum::<f64>()
            };
            let speed = mean(&u) * f64::from(east) + mean(&v) * f64::from(north);
            assert!(speed > 0.0, "{name}: velocity points the wrong way when running {direction}: {speed}");
        }
    }
}

/// Turns a grid by a quarter clockwise.
fn turned(grid: &Grid2<f32>) -> Grid2<f32> {
    Grid2::from_fn(grid.rows(), grid.cols(), |c, r| grid.at(r, grid.rows() - 1 - c))
}

fn mirrored(grid: &Grid2<f32>) -> Grid2<f32> {
    Grid2::from_fn(grid.cols(), grid.rows(), |c, r| grid.at(grid.cols() - 1 - c, r))
}

/// V10: a turned or mirrored terrain erodes to the turned or mirrored result, bit for bit.
#[test]
fn turning_and_mirroring_the_terrain_turns_and_mirrors_the_bits() {
    for (name, params) in all_presets() {
        let height = rough(48, 48, 1.0).height.map(|h| (h - 300.0) * 0.05);
        let run = |height: Grid2<f32>| {
            let ground = Heightfield { height, frame: Frame::with_cell(1.0) };
            let mut weather = Weather::raining(5.0e-4);
            weather.edges = Edges::all(Edge::Open);
            let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
            pipes.advance(64).unwrap();
            (pipes.bed(), pipes.depth(), pipes.sediment())
        };
        let (bed, depth, sediment) = run(height.clone());
        for (change, apply) in [("turned", turned as fn(&Grid2<f32>) -> Grid2<f32>), ("mirrored", mirrored)] {
            let (b, d, s) = run(apply(&height));
            assert!(b == apply(&bed), "{name}: the bed of the {change} terrain differs");
            assert!(d == apply(&depth), "{name}: the water on the {change} terrain differs");
            assert!(s == apply(&sediment), "{name}: the sediment on the {change} terrain differs");
        }
    }
}

/// Open edges are the base level: water that falls over them takes ground from the cells behind them, and none of theirs.
#[test]
fn open_edges_are_not_lowered_by_water() {
    const SIZE: usize = 64;
    // The thesis's water lives for a third of a second and takes nothing near the edges.
    for (name, params) in all_presets().filter(|(name, _)| *name != "schmidberger-2024") {
        let ground = rough(SIZE, SIZE, 4.0);
        let weather = Weather { edges: Edges::all(Edge::Open), ..storm(4.0) };
        let mut pipes = Pipes::new(&ground, &Params { talus: false, ..params }, &weather).unwrap();
        pipes.advance(1500).unwrap();
        assert!(pipes.ledger().water.exported > 0.0, "{name}: nothing flows over the edges");
        let change = pipes.bed_above(&ground.height);
        // The deepest cut into cells that lie so many cells from the nearest edge.
        let cut = |from_edge: usize| {
            let cells = (0..SIZE).flat_map(|row| (0..SIZE).map(move |col| [col, row]));
            let here = cells.filter(|at| at.iter().map(|&i| i.min(SIZE - 1 - i)).min() == Some(from_edge));
            here.map(|[col, row]| -change.at(col, row)).fold(0.0, f32::max)
        };
        assert_eq!(cut(0), 0.0, "{name}: water lowered the edge by {} m", cut(0));
        assert!(cut(1) > 0.0, "{name}: nothing was taken behind the edge");
    }
}

/// Everything at once, and still every drop is accounted for.
#[test]
fn a_storm_with_springs_drains_and_open_edges_balances() {
    let ground = rough(64, 64, 4.0);
    let params = Params { evaporation: 0.002, ..Params::default() };
    let mut pipes = Pipes::new(&ground, &params, &storm(4.0)).unwrap();
    pipes.advance(1500).unwrap();
    let ledger = pipes.ledger();
    eprintln!("{ledger:?}\nwater {:e} solids {:e}", ledger.water.imbalance(), ledger.solids.imbalance());
    assert!(ledger.water.exported > 0.0 && ledger.water.evaporated > 0.0 && ledger.solids.exported > 0.0);
    assert!(ledger.water.imbalance() < 5.0e-6, "water is off by {:e}", ledger.water.imbalance());
    assert!(ledger.solids.imbalance() < 1.0e-6, "solids are off by {:e}", ledger.solids.imbalance());
}

#[test]
fn depth_and_sediment_are_never_negative() {
    for (name, params) in all_presets() {
        let mut pipes = Pipes::new(&rough(50, 50, 1.0), &params, &storm(1.0)).unwrap();
        for _ in 0..20 {
            pipes.advance(10).unwrap();
            let low = |grid: Grid2<f32>| grid.range().unwrap().0;
            assert!(low(pipes.depth()) >= 0.0, "{name}: depth {}", low(pipes.depth()));
            assert!(low(pipes.sediment()) >= -1.0e-7, "{name}: sediment {}", low(pipes.sediment()));
        }
    }
}

#[test]
fn terrains_of_one_cell_or_one_row_run() {
    for (cols, rows) in [(1, 1), (1, 9), (9, 1), (2, 2), (3, 40), (8, 8), (17, 5)] {
        for (name, params) in all_presets() {
            for edge in [Edge::Closed, Edge::Open, Edge::Level(301.0)] {
                let ground = rough(cols, rows, 1.0);
                let weather = Weather { edges: Edges::all(edge), ..Weather::raining(1.0e-3) };
                let mut pipes = Pipes::new(&ground, &params, &weather).unwrap().unguarded();
                pipes.advance(30).unwrap();
                let water = pipes.ledger().water.imbalance();
                assert!(water < 1.0e-5, "{name} on {cols}x{rows} with {edge:?}: water is off by {water:e}");
            }
        }
    }
}

/// Steep steps beside channels: the thesis's own wish.
#[test]
fn slopes_slip_to_the_angle_of_repose_and_keep_their_mass() {
    let height =
        Grid2::from_fn(
            64,
            64,
            |c, r| if (24..40).contains(&c) && (24..40).contains(&r) { 30.0 } else { 0.0 },
        );
    let ground = Heightfield { height, frame: Frame::with_cell(1.0) };
    let repose = 30.0_f64.to_radians();
    let params = Params { repose, talus_every: 1, talus_rate: 1.0, ..Params::default() };
    let mut pipes = Pipes::new(&ground, &params, &Weather::default()).unwrap();
    pipes.advance(4000).unwrap();
    let bed = pipes.bed();
    let steepest = (0..64)
        .flat_map(|r| (0..63).map(move |c| (c, r)))
        .map(|(c, r)| (bed.at(c + 1, r) - bed.at(c, r)).abs());
    let steepest = f64::from(steepest.fold(0.0, f32::max)).atan().to_degrees();
    assert!((28.0..30.5).contains(&steepest), "steepest slope is {steepest} degrees");
    let solids = pipes.ledger().solids;
    let lost = (solids.bed_end - solids.bed_start).abs() / solids.bed_start;
    assert!(lost < 1.0e-7, "slipping lost {lost:e} of the block");
}

#[test]
fn hard_rock_stays_where_soft_ground_goes() {
    let ground = rough(48, 48, 1.0);
    let mut weather = Weather::raining(1.0e-3);
    weather.softness = Some(Grid2::from_fn(48, 48, |c, _| if c < 24 { 0.0 } else { 1.0 }));
    let params = Params { talus: false, deposit: 0.0, ..Params::default() };
    let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
    pipes.advance(400).unwrap();
    let bed = pipes.bed();
    let change = |cols: std::ops::Range<usize>| {
        (0..48)
            .flat_map(|r| cols.clone().map(move |c| (c, r)))
            .map(|(c, r)| (bed.at(c, r) - ground.height.at(c, r)).abs())
            .fold(0.0, f32::max)
    };
    assert_eq!(change(0..24), 0.0);
    assert!(change(24..48) > 0.01, "soft ground moved by only {} m", change(24..48));
}

#[test]
fn a_reservoir_fills_the_basin_to_its_level() {
    let ground = Heightfield { height: Grid2::filled(40, 40, 10.0), frame: Frame::with_cell(1.0) };
    let weather =
        Weather { edges: Edges { west: Edge::Level(10.5), ..Edges::default() }, ..Weather::default() };
    let params = Params { erosion: false, evaporation: 0.0, ..Params::default() };
    let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
    pipes.advance(6000).unwrap();
    let (low, high) = pipes.depth().range().unwrap();
    assert!(
        (low - 0.5).abs() < 0.01 && (high - 0.5).abs() < 0.01,
        "depth between {low} and {high} m, not 0.5 m"
    );
    assert!(pipes.ledger().water.imbalance() < 1.0e-5);
}

#[test]
fn sources_run_only_in_their_window() {
    let ground = Heightfield { height: Grid2::filled(16, 16, 0.0), frame: Frame::with_cell(1.0) };
    let params = Params { dt: Some(0.01), evaporation: 0.0, erosion: false, ..Params::default() };
    let source = Source { at: [8.0, 8.0], rate: 2.0, radius: 2.0, when: Window { start: 0.5, stop: 1.0 } };
    let weather = Weather { sources: vec![source], ..Weather::default() };
    let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
    pipes.advance(45).unwrap();
    assert_eq!(pipes.ledger().water.added, 0.0);
    pipes.advance(155).unwrap();
    let added = pipes.ledger().water.added;
    assert!((added - 1.0).abs() < 0.03, "2 m³/s for half a second gave {added} m³");
}

#[test]
fn a_time_step_that_is_too_long_is_refused_with_a_better_one() {
    let ground = Heightfield { height: Grid2::filled(32, 32, 0.0), frame: Frame::with_cell(1.0) };
    let water = Some(Grid2::filled(32, 32, 10.0));
    let params = Params { dt: Some(0.2), neighbours: 4, ..Params::default() };
    let mut pipes = Pipes::new(&ground, &params, &Weather { water, ..Weather::default() }).unwrap();
    let error = pipes.advance(8).unwrap_err();
    let limit = 1.0 / (2.0 * 9.81_f64 * 10.0).sqrt();
    assert!(
        matches!(error, StepError::TooLong { limit: found, .. } if (found - limit).abs() < 1.0e-9),
        "{error}"
    );
}

/// A blow-up keeps its mass and stays finite; the energy gives it away.
#[test]
fn sloshing_without_bound_is_found_by_its_energy() {
    let ground = Heightfield { height: Grid2::filled(48, 48, 0.0), frame: Frame::with_cell(1.0) };
    let noise =
        Grid2::from_fn(48, 48, |c, r| 1.0 + 0.01 * Key::new(2).with((c + 48 * r) as u64).unit() as f32);
    // A constant area, and a step just beyond the limit that it sets.
    let params = Params {
        area: PipeArea::Constant,
        pipe_area: 1.0,
        neighbours: 4,
        drag: 0.0,
        erosion: false,
        evaporation: 0.0,
        transport: Transport::DonorCell,
        dt: Some(1.1 / (9.81_f64 * 2.0).sqrt()),
        ..Params::default()
    };
    let weather = Weather { water: Some(noise), ..Weather::default() };
    let mut wild = Pipes::new(&ground, &params, &weather).unwrap().watching_energy_only();
    let error = wild.advance(1500).unwrap_err();
    assert!(matches!(error, StepError::Sloshing { ratio, .. } if ratio > 1.0), "{error}");
    let calm = Params { dt: Some(0.95 / (9.81_f64 * 2.0).sqrt()), ..params };
    Pipes::new(&ground, &calm, &weather).unwrap().watching_energy_only().advance(1500).unwrap();
}

#[test]
fn steps_that_overflow_are_reported_with_their_place() {
    let mut ground = rough(32, 32, 1.0);
    ground.height.set(5, 7, 3.0e38);
    let params = Params { talus: false, ..Params::default() };
    let mut pipes = Pipes::new(&ground, &params, &Weather::raining(1.0)).unwrap().unguarded();
    let error = pipes.advance(256).unwrap_err();
    assert!(matches!(error, StepError::NotFinite { .. }), "{error}");
}
