//! What there is at a place.

use super::Wanted;
use serde::Serialize;
use thalweg_field::{Heightfield, Snapshot};
use thalweg_waves::WaterPoint;

/// Water that is no deeper is none `[m]`.
const DRY: f64 = 1.0e-6;

/// What there is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Seen {
    /// Height of the bed `[m]`.
    pub bed: f64,
    /// Depth of the water above it `[m]`.
    pub depth: f64,
    /// Height of what is seen from above: the water, or the bed where it is dry `[m]`.
    pub surface: f64,
    /// Normal of that, east, north and up.
    pub normal: [f64; 3],
    /// Velocity of the water, east, north and up `[m/s]`.
    pub velocity: [f64; 3],
}

impl Seen {
    /// Water at a level, with waves.
    pub(super) fn of_wave(
        bed: f64,
        level: f64,
        WaterPoint { height, gradient, velocity }: WaterPoint,
    ) -> Self {
        let depth = level + height - bed;
        if level <= bed || depth <= DRY {
            return Self { bed, depth: 0.0, surface: bed, normal: [0.0, 0.0, 1.0], velocity: [0.0; 3] };
        }
        Self { bed, depth, surface: level + height, normal: normal(gradient), velocity }
    }
}

/// What [`in_snapshot`] reads.
pub(super) fn wanted() -> Wanted {
    Wanted::fields(&["height", "water", "velocity_east", "velocity_north"])
}

/// What the maps of a snapshot tell of places, between their cells.
pub(super) fn in_snapshot(shown: &Snapshot, places: &[[f64; 2]]) -> Vec<Seen> {
    let Some(height) = shown.field("height") else { return Vec::new() };
    let ground = Heightfield { height: height.clone(), frame: shown.frame.clone() };
    let seen = |place: &[f64; 2]| {
        let at = |name: &str, [col, row]: [f64; 2]| {
            shown.field(name).map_or(0.0, |grid| f64::from(grid.bilinear(col, row)))
        };
        let here = ground.cell_from_local(*place);
        let surface = |col: f64, row: f64| {
            let at_place = [here[0] + col, here[1] + row];
            at("height", at_place) + at("water", at_place)
        };
        let cell = shown.frame.cell;
        let gradient = [surface(0.5, 0.0) - surface(-0.5, 0.0), surface(0.0, -0.5) - surface(0.0, 0.5)]
            .map(|rise| rise / cell);
        let velocity = [at("velocity_east", here), at("velocity_north", here), 0.0];
        let (bed, depth) = (at("height", here), at("water", here));
        Seen { bed, depth, surface: bed + depth, normal: normal(gradient), velocity }
    };
    places.iter().map(seen).collect()
}

fn normal([east, north]: [f64; 2]) -> [f64; 3] {
    let long = (east * east + north * north + 1.0).sqrt();
    [-east / long, -north / long, 1.0 / long]
}
