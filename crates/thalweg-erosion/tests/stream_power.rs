//! Stream power through its public face.

use thalweg_erosion::stream_power::reference::Reference;
use thalweg_erosion::stream_power::{Lakes, Land, Params, StreamPower};
use thalweg_field::random::Key;
use thalweg_field::{Edge, Edges, Frame, Grid2, Heightfield, Region};

/// A cone with some roughness, all of it downhill.
fn cone(cells: usize) -> Heightfield {
    let middle = (cells as f32 - 1.0) / 2.0;
    let key = Key::new(3);
    let height = |col: usize, row: usize| {
        let away = (col as f32 - middle).hypot(row as f32 - middle);
        10.0 * (cells as f32 - away) + key.with(col as u64).with(row as u64).unit() as f32
    };
    Heightfield { height: Grid2::from_fn(cells, cells, height), frame: Frame::with_cell(50.0) }
}

#[test]
fn the_fast_one_computes_what_the_plain_one_does() {
    let params = Params::preset("braun-2013").unwrap();
    let ground = cone(65);
    let mut fast = StreamPower::new(&ground, &params, &Land::open()).unwrap();
    let mut plain = Reference::new(ground.height.map(f64::from), 50.0, &params);
    // Few enough that no two ways down come as close to each other as the two programs.
    for _ in 0..15 {
        fast.step(params.step).unwrap();
        plain.step(params.step);
    }
    let whole = Region { cols: 0..65, rows: 0..65 };
    let pairs = fast.heights(&whole).into_iter().zip(plain.height.values());
    let worst = pairs.map(|(fast, plain)| (fast - plain).abs()).fold(0.0, f64::max);
    // Some metres of soil that crossed each face in 32 bits, fifteen steps.
    assert!(worst < 5.0e-6, "heights differ by {worst:e} m");
}

#[test]
fn ground_without_a_way_out_is_refused() {
    let closed = Land::default();
    let refused = StreamPower::new(&cone(9), &Params::default(), &closed).unwrap_err();
    assert!(refused.to_string().contains("rivers need a way out"), "{refused}");
}

#[test]
fn high_ground_wears_down_like_low_ground() {
    let params = Params { erodibility_noise: 0.0, ..Params::default() };
    let changes = |raised: f32| {
        let mut ground = cone(33);
        ground.height = ground.height.map(|height| height.round() + raised);
        let mut land = StreamPower::new(&ground, &params, &Land::open()).unwrap();
        land.advance(30).unwrap();
        let whole = Region { cols: 0..33, rows: 0..33 };
        land.heights(&whole).into_iter().map(|height| height - f64::from(raised)).collect::<Vec<_>>()
    };
    let low = changes(0.0);
    for raised in [500.0, 3000.0, 8000.0] {
        let worst = changes(raised).iter().zip(&low).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // 64 bits at 8 km resolve 1e-12 m; differences of heights that round otherwise to 32 bits change soil by some 1e-7 of it.
        assert!(worst < 1.0e-6, "{worst:e} m, raised by {raised} m");
    }
}

#[test]
fn a_sea_keeps_its_level_and_its_bed_is_shown() {
    let mut ground = cone(33);
    ground.height = ground.height.map(|height| height - 200.0);
    let land = Land { edges: Edges { west: Edge::Level(10.0), ..Edges::default() }, ..Land::default() };
    let mut run = StreamPower::new(&ground, &Params::default(), &land).unwrap();
    let bed = ground.height.at(0, 5);
    let lakes = run.survey().lakes();
    // Beside the edge the ground lies lower than the sea.
    assert!(
        ground.height.at(1, 1) < 10.0 && (lakes.at(1, 1) - (10.0 - ground.height.at(1, 1))).abs() < 1.0e-3
    );
    run.advance(5).unwrap();
    assert_eq!(run.ground().height.at(0, 5), bed);
    assert!(run.ledger().solids.imbalance() < 1.0e-9);
}

#[test]
fn strokes_are_booked() {
    let mut land = StreamPower::new(&cone(33), &Params::default(), &Land::open()).unwrap();
    land.advance(3).unwrap();
    let region = Region { cols: 10..14, rows: 10..14 };
    let raised: Vec<f64> = land.heights(&region).iter().map(|height| height + 25.0).collect();
    land.set_heights(&region, &raised).unwrap();
    assert!(land.set_heights(&region, &[f64::NAN; 16]).is_err());
    land.advance(3).unwrap();
    let solids = land.ledger().solids;
    assert!(solids.imbalance() < 1.0e-9, "{:e}", solids.imbalance());
}

#[test]
fn wanted_relief_is_reached() {
    let params =
        Params { relief: Some(900.0), step: 20.0e3 * thalweg_field::units::YEAR, ..Params::default() };
    let mut low = cone(65);
    low.height = low.height.map(|height| 0.1 * height);
    let mut land = StreamPower::new(&low, &params, &Land::open()).unwrap();
    land.advance(400).unwrap();
    let (lowest, highest) = land.ground().height.range().unwrap();
    let relief = f64::from(highest - lowest);
    // What it is scaled by knows rivers, not the shape of hilltops.
    assert!((700.0..1150.0).contains(&relief), "{relief} m");
}

/// A cone that is steeper than soil can be comes down alike along the axes and the diagonals. Solved axis by axis, it becomes a
/// pyramid.
#[test]
fn a_cone_that_creeps_stays_round() {
    let (cells, cell) = (121, 10.0);
    let middle = (cells / 2) as f32;
    let height = |col: usize, row: usize| {
        let away = (col as f32 - middle).hypot(row as f32 - middle);
        (10.0 * (40.0 - away)).max(0.0)
    };
    let ground = Heightfield { height: Grid2::from_fn(cells, cells, height), frame: Frame::with_cell(cell) };
    let params = Params {
        uplift: 0.0,
        erodibility: 0.0,
        erodibility_noise: 0.0,
        valley_width: 0.0,
        channel_area: Some(0.0),
        ..Params::default()
    };
    let mut land = StreamPower::new(&ground, &params, &Land::open()).unwrap();
    land.advance(20).unwrap();
    let after = land.ground().height;
    let middle = cells / 2;
    assert!(after.at(middle, middle) < 350.0, "{} m: it came down", after.at(middle, middle));
    for step in 2..28 {
        // As far from the middle along the diagonal as along the axis, between two cells.
        let away = step as f32 * std::f32::consts::SQRT_2;
        let (whole, part) = (away.floor() as usize, away.fract());
        let axis =
            (1.0 - part) * after.at(middle + whole, middle) + part * after.at(middle + whole + 1, middle);
        let across = after.at(middle + step, middle + step);
        // A hundredth of the cone's height.
        assert!((axis - across).abs() < 4.0, "{axis} m and {across} m, {away} cells from the middle");
    }
}

/// Hills and hollows, some of them lower than the edges, on wide cells.
fn rough(cells: usize) -> Heightfield {
    let key = Key::new(7);
    let height = |col: usize, row: usize| 60.0 * key.with(col as u64).with(row as u64).unit() as f32;
    Heightfield { height: Grid2::from_fn(cells, cells, height), frame: Frame::with_cell(80.0) }
}

/// Rivers that begin within a cell, much deposition, hollows that are breached: nothing may rise above what rock rose, nor sink
/// below where water leaves, and the books must hold.
#[test]
fn small_rivers_and_breached_hollows_build_no_towers_and_dig_no_shafts() {
    let ground = rough(65);
    let bounds = ground.height.range().map(|(low, high)| [f64::from(low), f64::from(high)]).unwrap();
    for lakes in [Lakes::Keep, Lakes::Pass, Lakes::Breach] {
        for (channel_area, deposition) in [(100.0, 3.0), (5000.0, 3.0), (5000.0, 30.0), (15_000.0, 3.0)] {
            let params = Params { lakes, channel_area: Some(channel_area), deposition, ..Params::default() };
            let mut run = StreamPower::new(&ground, &params, &Land::open()).unwrap();
            run.advance(150).unwrap();
            let whole = Region { cols: 0..65, rows: 0..65 };
            let risen = params.uplift * run.time();
            for height in run.heights(&whole) {
                assert!(
                    (bounds[0] - 1.0e-6..bounds[1] + risen).contains(&height),
                    "{height} m with {lakes:?}, {channel_area} m², G = {deposition}"
                );
            }
            assert!(run.ledger().solids.imbalance() < 1.0e-9);
        }
    }
}

/// A hill with rough edges: what creeps smooths the ground behind them.
#[test]
fn edges_come_down_with_the_ground_behind_them() {
    const CELLS: usize = 65;
    let key = Key::new(5);
    let height = |col: usize, row: usize| {
        let inside = [col, row].map(|at| at.min(CELLS - 1 - at)).into_iter().min().unwrap_or(0);
        let rough = 40.0 * key.with(col as u64).with(row as u64).unit() as f32;
        6.0 * inside as f32 + if inside == 0 { rough } else { 0.1 * rough }
    };
    let ground = Heightfield { height: Grid2::from_fn(CELLS, CELLS, height), frame: Frame::with_cell(20.0) };
    let highest_wall = |edges_follow: bool| {
        let params = Params { uplift: 0.0, edges_follow, ..Params::default() };
        let mut run = StreamPower::new(&ground, &params, &Land::open()).unwrap();
        run.advance(20).unwrap();
        assert!(run.ledger().solids.imbalance() < 1.0e-9, "{:e}", run.ledger().solids.imbalance());
        let found = run.ground().height;
        let wall = |row: usize| {
            let [edge, next, second] = [0, 1, 2].map(|col| found.at(col, row));
            edge - (next + (next - second).max(0.0))
        };
        (3..CELLS - 3).map(wall).fold(f32::NEG_INFINITY, f32::max)
    };
    let (following, staying) = (highest_wall(true), highest_wall(false));
    assert!(staying > 10.0, "nothing to come down: the highest wall is {staying} m");
    assert!(following < 1.0e-3, "a wall of {following} m");
}

/// A lake behind the edge would run dry if the edge came down to its floor.
#[test]
fn an_edge_that_holds_a_lake_back_stays() {
    let height = |col: usize, row: usize| {
        let inside = (1..4).contains(&col) && (10..20).contains(&row);
        if inside { 50.0 } else { 100.0 + col as f32 }
    };
    let ground = Heightfield { height: Grid2::from_fn(31, 31, height), frame: Frame::with_cell(20.0) };
    let params = Params { uplift: 0.0, creep: 0.0, valley_width: 0.0, ..Params::default() };
    let mut run = StreamPower::new(&ground, &params, &Land::open()).unwrap();
    run.advance(1).unwrap();
    let found = run.ground().height;
    for row in 11..19 {
        assert_eq!(found.at(0, row), 100.0, "row {row}");
    }
}

/// Ground of some height, with open edges all around.
fn ground(cells: usize, cell: f64, height: impl Fn(usize, usize) -> f32 + Sync) -> Heightfield {
    Heightfield { height: Grid2::from_fn(cells, cells, height), frame: Frame::with_cell(cell) }
}

/// Neither rivers nor creep move anything.
fn rigid() -> Params {
    Params { erodibility: 0.0, creep: 0.0, critical_slope: 0.0, valley_width: 0.0, ..Params::default() }
}

#[test]
fn rock_rises_where_the_map_of_uplift_says() {
    let level = ground(21, 50.0, |_, _| 100.0);
    let share = Grid2::from_fn(21, 21, |col, _| if col < 10 { 0.25 } else { 1.0 });
    let land = Land { uplift: Some(share), ..Land::open() };
    let mut run = StreamPower::new(&level, &rigid(), &land).unwrap();
    run.advance(10).unwrap();
    let risen = (rigid().uplift * run.time()) as f32;
    let found = run.ground().height;
    for (col, share) in [(0, 0.0), (1, 0.25), (9, 0.25), (10, 1.0), (19, 1.0), (20, 0.0)] {
        let expected = 100.0 + share * risen;
        assert!((found.at(col, 10) - expected).abs() < 1.0e-3, "{} m, not {expected} m", found.at(col, 10));
    }
    let solids = run.ledger().solids;
    let missing = solids.bed_start + solids.added - solids.bed_end - solids.exported;
    assert!(missing.abs() < 1.0e-9 * solids.added, "{missing} m³ of {}", solids.added);
    for wrong in [Grid2::filled(20, 21, 1.0), Grid2::filled(21, 21, -1.0)] {
        let land = Land { uplift: Some(wrong), ..Land::open() };
        assert_eq!(StreamPower::new(&level, &rigid(), &land).unwrap_err().key, "uplift");
    }
}

/// Where the form is kept entirely the foot of a hill rises a tenth as fast as its top; where it is not, as fast.
#[test]
fn uplift_follows_the_form_as_closely_as_is_asked_for() {
    let hill = ground(101, 50.0, |col, row| {
        let away = (col as f32 - 50.0).hypot(row as f32 - 50.0) * 50.0;
        1000.0 * (-0.5 * (away / 600.0).powi(2)).exp()
    });
    for (keep_form, expected) in [(0.0, 1.0), (0.5, 0.55), (1.0, 0.1)] {
        let params = Params { keep_form, form_width: 100.0, ..rigid() };
        let mut run = StreamPower::new(&hill, &params, &Land::open()).unwrap();
        run.advance(10).unwrap();
        let risen = run.uplifted();
        let share = risen.at(2, 50) / risen.at(50, 50);
        assert!((share - expected).abs() < 0.01, "{share} with keep_form = {keep_form}");
    }
}

/// A slope down to the west on which every row is a river of its own, with a hollow in one of them.
#[test]
fn maps_of_the_ways_of_the_water_are_those_of_a_slope_that_is_known() {
    const CELLS: usize = 40;
    let (cell, fall) = (20.0_f64, 3.0_f32);
    let hollow = |col: usize, row: usize| if (col, row) == (20, 10) { 50.0 } else { 0.0 };
    // Rows lie in valleys of their own: ridges of a hundred metres between them.
    let slope = ground(CELLS, cell, |col, row| {
        fall * col as f32 + if row % 2 == 0 { 0.0 } else { 100.0 } - hollow(col, row)
    });
    let land = Land { edges: Edges { west: Edge::Open, ..Edges::default() }, ..Land::default() };
    let params = Params::preset("braun-2013").unwrap();
    let run = StreamPower::new(&slope, &params, &land).unwrap();
    let survey = run.survey();
    // A valley gathers half of each ridge beside it: two cells to the length of one, but at its upper end.
    let near = |found: f32, expected: f64| (f64::from(found) / expected - 1.0).abs() < 1.0e-5;
    let area = survey.drainage_area();
    let gathered = area.at(1, 20);
    let whole = (0..CELLS).map(|row| f64::from(area.at(0, row))).sum::<f64>();
    assert!(near(whole as f32, (CELLS * CELLS) as f64 * cell * cell), "{whole} m² leave");
    // k_s = S A^(m/n), S from one cell to the next.
    let steepness = f64::from(fall) / cell * f64::from(gathered).powf(survey.concavity());
    assert!(
        near(survey.steepness().at(1, 20), steepness),
        "{} not {steepness}",
        survey.steepness().at(1, 20)
    );
    // χ grows by the cell over (A / 1 km²)^(m/n) from the one below.
    let chi = survey.chi();
    for col in [1, 5, 30] {
        let step = cell / (f64::from(area.at(col, 20)) / 1.0e6).powf(survey.concavity());
        assert!(near(chi.at(col, 20) - chi.at(col - 1, 20), step), "{} at {col}", chi.at(col, 20));
    }
    assert_eq!(chi.at(0, 20), 0.0);
    let basins = survey.basins();
    for row in [4, 10, 20] {
        // Numbered along the western edge, from the north.
        assert_eq!((basins.at(0, row), basins.at(35, row)), (row as f32 + 1.0, row as f32 + 1.0));
    }
    let lakes = survey.lakes();
    // Up to the cell below it, which is one fall lower than its own ground was.
    assert!((lakes.at(20, 10) - (50.0 - fall)).abs() < 1.0e-4, "{} m deep", lakes.at(20, 10));
    assert_eq!(lakes.at(20, 20), 0.0);
}

#[test]
fn ground_that_nothing_moves_grows_as_old_as_the_run_and_what_is_cut_stays_young() {
    let still = ground(21, 50.0, |col, _| 10.0 * col as f32);
    let mut run = StreamPower::new(&still, &Params { uplift: 0.0, ..rigid() }, &Land::open()).unwrap();
    run.advance(10).unwrap();
    let time = run.time() as f32;
    assert!((run.age().at(10, 10) / time - 1.0).abs() < 1.0e-5, "{} s", run.age().at(10, 10));
    assert_eq!(run.sediment().at(10, 10), 0.0);
    let mut run = StreamPower::new(&still, &Params::default(), &Land::open()).unwrap();
    run.advance(10).unwrap();
    assert!(run.age().at(10, 10) < 0.5 * time, "{} s", run.age().at(10, 10));
}

/// A lake that fills up has as much sediment in it as it lost of its depth.
#[test]
fn what_fills_a_lake_is_mapped_as_sediment() {
    let bowl = ground(41, 50.0, |col, row| {
        let away = (col as f32 - 20.0).hypot(row as f32 - 20.0);
        100.0 + 6.0 * away - if away < 6.0 { 60.0 } else { 0.0 }
            + if away > 12.0 { 40.0 - 4.0 * (away - 12.0) } else { 0.0 }
    });
    let params = Params { uplift: 0.0, erodibility_noise: 0.0, ..Params::default() };
    let mut run = StreamPower::new(&bowl, &params, &Land::open()).unwrap();
    run.advance(4).unwrap();
    let risen = run.ground().height.at(20, 20) - bowl.height.at(20, 20);
    assert!(risen > 1.0, "it rose by {risen} m");
    assert!(
        (run.sediment().at(20, 20) - risen).abs() < 1.0e-3 * risen,
        "{} m for {risen}",
        run.sediment().at(20, 20)
    );
}

/// Mean width of the ground that lies no more than 8 m above the lowest of its row, in a valley with sides of 31° that a river
/// of some 4 km² has cut down and planed.
fn floor_width(valley_width: f64) -> f64 {
    const CELLS: usize = 121;
    let valley = ground(CELLS, 20.0, |col, row| 2.0 * row as f32 + 12.0 * (col as f32 - 60.0).abs());
    let params = Params { valley_width, uplift: 0.0, erodibility_noise: 0.0, ..Params::default() };
    let land = Land { edges: Edges { north: Edge::Open, ..Edges::default() }, ..Land::default() };
    let mut run = StreamPower::new(&valley, &params, &land).unwrap();
    run.advance(20).unwrap();
    let found = run.ground().height;
    let width = |row: usize| {
        let heights = (0..CELLS).map(|col| found.at(col, row));
        let lowest = heights.clone().fold(f32::INFINITY, f32::min);
        20 * heights.filter(|&height| height < lowest + 8.0).count()
    };
    (10..60).map(width).sum::<usize>() as f64 / 50.0
}

/// A floor of `valley_width` at 1 km² is twice as wide at 4 km²; of the sides beside it some 13 m on either hand lie as low, and
/// without floors the river's bed of 30 m and what its tributaries cut.
#[test]
fn floors_are_about_as_wide_as_they_are_asked_to_be() {
    let [none, narrow] = [0.0, 60.0].map(floor_width);
    assert!(
        (120.0..200.0).contains(&narrow) && narrow > none + 30.0,
        "{none} m without, {narrow} m with floors"
    );
}
