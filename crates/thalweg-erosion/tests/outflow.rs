//! The flow to each neighbour is what moved the water in the last step.

use thalweg_erosion::pipes::{Neighbour, Params, Pipes, Weather};
use thalweg_field::{Edge, Edges, Frame, Grid2, Heightfield, random::Key};

/// Each preset with four and with eight neighbours, water alone: nothing comes, vanishes, erodes or slips.
fn waters() -> impl Iterator<Item = (String, Params)> {
    Params::PRESETS.into_iter().flat_map(|(name, _)| {
        [4, 8].map(|neighbours| {
            let preset = Params::preset(name).unwrap();
            let still = Params {
                neighbours,
                erosion: false,
                talus: false,
                evaporation: 0.0,
                dry_depth: 0.0,
                height_unit: preset.height_unit.map(|_| 20.0),
                ..preset
            };
            (format!("{name} with {neighbours} neighbours"), still)
        })
    })
}

/// Hills of some metres with pools on them.
fn pools(cols: usize, rows: usize, cell: f64) -> (Heightfield, Weather) {
    let wave = |c: usize, r: usize| (c as f32 * 0.7).sin() + (r as f32 * 0.5).cos();
    let height = Grid2::from_fn(cols, rows, |c, r| 50.0 + 2.0 * wave(c, r));
    let depth =
        |c, r| 2.0 * Key::new(3).with((r * cols + c) as u64).unit() as f32 + (1.0 - wave(c, r)).max(0.0);
    let water = Some(Grid2::from_fn(cols, rows, depth));
    (Heightfield { height, frame: Frame::with_cell(cell) }, Weather { water, ..Weather::default() })
}

/// What each cell gets less what it gives `[m³/s]`, as the maps of its outflows and its neighbours' tell.
fn gains(pipes: &Pipes) -> Grid2<f64> {
    let depth = pipes.depth();
    let mut gains = Grid2::filled(depth.cols(), depth.rows(), 0.0);
    let both_ways = pipes.params().drag == 0.0;
    for &to in pipes.neighbours() {
        let flow = pipes.outflow(to);
        let [by_cols, by_rows] = to.step();
        for row in 0..depth.rows() {
            for col in 0..depth.cols() {
                let out = f64::from(flow.at(col, row));
                gains.row_mut(row)[col] -= out;
                let there = (col.wrapping_add_signed(by_cols), row.wrapping_add_signed(by_rows));
                if both_ways && there.0 < depth.cols() && there.1 < depth.rows() {
                    gains.row_mut(there.1)[there.0] += out;
                }
            }
        }
    }
    gains
}

/// Depths change by what flows in less what flows out, in every cell, beside walls, over open edges and from a reservoir.
#[test]
fn depths_change_by_what_the_maps_of_outflow_say() {
    let cell = 5.0;
    for (name, params) in waters() {
        let (ground, mut weather) = pools(23, 18, cell);
        // A net flow tells what comes from a reservoir; of two pipes through that face, the one inward is the reservoir's.
        if params.drag > 0.0 {
            weather.edges = Edges { north: Edge::Level(53.0), south: Edge::Open, ..Edges::default() };
        }
        let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
        pipes.advance(16).unwrap();
        for step in 0..5 {
            let (before, time) = (pipes.depth(), pipes.time());
            pipes.advance(1).unwrap();
            let (after, dt, gains) = (pipes.depth(), pipes.time() - time, gains(&pipes));
            let changes = after.values().iter().zip(before.values()).zip(gains.values());
            let mut largest = 0.0_f64;
            for ((after, before), gain) in changes {
                let (change, told) = (f64::from(after - before), gain * dt / (cell * cell));
                largest = largest.max(told.abs());
                // Depths of some metres are rounded at 5e-7 m, a few times in a step.
                assert!(
                    (change - told).abs() < 3.0e-6,
                    "{name}, step {step}: {change} m, and the maps tell {told} m"
                );
            }
            assert!(largest > 1.0e-4, "{name}: nothing flows, {largest} m at most");
        }
    }
}

/// Water runs down a slope to the side that it faces, whichever that is, and to no other.
#[test]
fn water_flows_to_the_neighbour_below() {
    for (name, params) in waters() {
        for to in &Neighbour::ALL[..4] {
            let [east, south] = to.step().map(|by| by as f32);
            let height = Grid2::from_fn(21, 21, |c, r| 40.0 - 0.5 * (east * c as f32 + south * r as f32));
            let ground = Heightfield { height, frame: Frame::with_cell(5.0) };
            let water = Some(Grid2::filled(21, 21, 0.5));
            let mut pipes = Pipes::new(&ground, &params, &Weather { water, ..Weather::default() }).unwrap();
            pipes.advance(6).unwrap();
            let middle = |to: Neighbour| pipes.outflow(to).at(10, 10);
            let opposite =
                *Neighbour::ALL.iter().find(|other| other.step() == to.step().map(|by| -by)).unwrap();
            assert!(middle(*to) > 0.0, "{name}: {} m³/s flow down to the {to:?}", middle(*to));
            assert!(middle(opposite) <= 0.0, "{name}: {} m³/s flow up to the {opposite:?}", middle(opposite));
            for side in Neighbour::ALL[..4].iter().filter(|side| ![*to, opposite].contains(side)) {
                assert!(
                    middle(*side).abs() < 1.0e-3 * middle(*to),
                    "{name}: {} m³/s flow across to the {side:?}",
                    middle(*side)
                );
            }
        }
    }
}

/// Where no pipe leads, nothing flows.
#[test]
fn four_neighbours_have_no_flow_across_corners() {
    let (ground, weather) = pools(12, 9, 5.0);
    let params = Params { neighbours: 4, ..Params::default() };
    let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
    pipes.advance(3).unwrap();
    assert_eq!(pipes.neighbours(), &Neighbour::ALL[..4]);
    assert!(pipes.outflow(Neighbour::SouthEast).values().iter().all(|&flow| flow == 0.0));
    assert!(pipes.outflow(Neighbour::East).values().iter().any(|&flow| flow != 0.0));
}

/// Where time is lapsed, the bed changes by so many times as much, also where the exchange is limited to so much in a second.
#[test]
fn lapsed_time_speeds_up_a_limited_exchange_as_well() {
    let (ground, weather) = pools(40, 30, 1.0);
    let eroded = |time_lapse: f64| {
        // Stronger than printed, so that a step's work is above the rounding of heights, and in all a thousandth of the relief: what
        // flows does not feel it.
        let (capacity, dissolve, deposit) = (0.04, 0.003, 0.003);
        let preset = Params::preset("schmidberger-2024").unwrap();
        let params = Params { time_lapse, capacity, dissolve, deposit, height_unit: Some(4.0), ..preset };
        let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
        pipes.advance(20).unwrap();
        pipes.ledger().solids.eroded
    };
    let (plain, lapsed) = (eroded(1.0), eroded(8.0));
    assert!(
        plain > 0.0 && (lapsed / plain / 8.0 - 1.0).abs() < 0.02,
        "{plain} m³, and {lapsed} m³ of 8 times"
    );
}
