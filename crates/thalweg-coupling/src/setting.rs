//! What is there beside the bed: water at the beginning, where it comes from, where it goes.

use thalweg_field::Grid2;
use thalweg_sph::Emitter;

/// Everything around the bed. Places are metres east, north and up from the terrain's south-west corner at 0 m.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Water at the beginning.
    pub water: Vec<Pool>,
    /// Where water comes from.
    pub emitters: Vec<Emitter>,
    /// Where water vanishes.
    pub sinks: Vec<Sink>,
    /// What stands at the edges: north, east, south, west.
    pub edges: [Edge; 4],
    /// Hardness of each cell, 0 to 1 [-]; missing: soft everywhere.
    pub hardness: Option<Grid2<f32>>,
    /// Seed of everything random.
    pub seed: u64,
    /// Memory that it may use [bytes]; missing: no limit.
    pub max_bytes: Option<u64>,
}

/// What stands at an edge of the terrain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edge {
    /// A wall without end.
    #[default]
    Wall,
    /// Nothing: water falls over it and is gone.
    Open,
}

/// Water in a box at the beginning; where the bed is higher than the bottom, on the bed.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// South-west corner [m].
    pub from: [f64; 2],
    /// North-east corner [m].
    pub to: [f64; 2],
    /// Height of its underside [m]; missing: the bed.
    pub bottom: Option<f64>,
    /// How high it reaches.
    pub top: Top,
    /// How fast it moves [m/s].
    pub velocity: [f64; 3],
    /// Share of it that is sediment [-].
    pub sediment: f64,
    /// How long its particles last [s]; missing: for ever.
    pub lifetime: Option<f64>,
}

/// How high water reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Top {
    /// Up to a height [m].
    Level(f64),
    /// So much above its bottom [m].
    Depth(f64),
}

/// A box in which water vanishes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sink {
    /// Lowest corner [m].
    pub from: [f64; 3],
    /// Highest corner [m].
    pub to: [f64; 3],
}
