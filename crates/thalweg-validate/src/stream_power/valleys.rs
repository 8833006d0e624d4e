//! How far apart valleys are.

use super::setup::rough;
use crate::{Check, Checks, Stopped};
use thalweg_erosion::stream_power::{Land, Params, StreamPower};
use thalweg_field::{Edge, Edges, Frame, Grid2, Heightfield};

/// Cells of the demo `[m]`.
const CELL: f64 = 10.0;
const COLS: usize = 400;
const ROWS: usize = 240;
/// Two million years of the default step.
const STEPS: u64 = 400;
/// What is lower than this is no valley `[m]`.
const SHALLOWEST: f32 = 1.0;
/// Along the flanks of the range, between its feet and its crest: shares of its width at which valleys are counted.
const LINES: [f64; 8] = [0.3, 0.35, 0.4, 0.45, 0.55, 0.6, 0.65, 0.7];

/// A range that rises between two plains has its smallest valleys about as far apart as is asked for.
pub(super) fn spacing() -> Checks {
    let mut checks = Vec::new();
    for wanted in [150.0, 300.0, 600.0] {
        let height = range(wanted)?;
        let valleys: usize = LINES
            .iter()
            .map(|share| (share * ROWS as f64) as usize)
            .map(|row| valleys((0..COLS).map(|col| height.at(col, row))))
            .sum();
        let found = (LINES.len() * COLS) as f64 * CELL / valleys.max(1) as f64;
        let quantity = format!("distance between valleys, {wanted} m asked for");
        let source = "Perron et al. 2009: it grows with the length at which creep and cutting are equal";
        checks.push(Check::new(quantity, "m", source).near(found, wanted, 0.4 * wanted));
    }
    Ok(checks)
}

/// Even rock under the defaults, with plains to the north and the south.
fn range(spacing: f64) -> Result<Grid2<f32>, Stopped> {
    let params = Params {
        valley_spacing: Some(spacing),
        erodibility_noise: 0.0,
        edges_follow: false,
        ..Params::default()
    };
    let bumps = rough(COLS, COLS as f64 * CELL).height;
    let height = Grid2::from_fn(COLS, ROWS, |col, row| 0.02 * bumps.at(col, row));
    let start = Heightfield { height, frame: Frame::with_cell(CELL) };
    let edges = Edges { north: Edge::Open, south: Edge::Open, ..Edges::default() };
    let mut land = StreamPower::new(&start, &params, &Land { edges, ..Land::default() })?;
    land.advance(STEPS)?;
    Ok(land.ground().height)
}

/// Valleys along a line: it falls and rises again by more than a ripple.
fn valleys(heights: impl Iterator<Item = f32>) -> usize {
    let (mut count, mut falls, mut turn) = (0, true, f32::INFINITY);
    for height in heights {
        turn = if falls { turn.min(height) } else { turn.max(height) };
        let back = if falls { height - turn } else { turn - height };
        if back > SHALLOWEST {
            count += usize::from(falls);
            (falls, turn) = (!falls, height);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::valleys;

    #[test]
    fn ripples_are_no_valleys() {
        let line = [9.0, 5.0, 5.4, 4.9, 8.0, 7.6, 8.2, 3.0, 4.5, 4.2];
        assert_eq!(valleys(line.into_iter()), 2);
        assert_eq!(valleys([0.0, 0.5, 0.0, 0.9].into_iter()), 0);
    }
}
