//! Water that is there at the beginning.

/// Water in a box; where the bed is higher than the bottom, on the bed.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// South-west corner `[m]`.
    pub from: [f64; 2],
    /// North-east corner `[m]`.
    pub to: [f64; 2],
    /// Height of its underside `[m]`; missing: the bed.
    pub bottom: Option<f64>,
    /// How high it reaches.
    pub top: Top,
    /// How fast it moves `[m/s]`.
    pub velocity: [f64; 3],
    /// Share of it that is sediment `[-]`.
    pub sediment: f64,
    /// How long its particles last `[s]`; missing: for ever.
    pub lifetime: Option<f64>,
}

/// How high water reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Top {
    /// Up to a height `[m]`.
    Level(f64),
    /// So much above its bottom `[m]`.
    Depth(f64),
}

impl Pool {
    /// Depth of the water at a place, over a bed of some height `[m]`.
    pub fn depth_at(&self, [east, north]: [f64; 2], bed: f64) -> f64 {
        let inside =
            (self.from[0]..self.to[0]).contains(&east) && (self.from[1]..self.to[1]).contains(&north);
        match self.top {
            _ if !inside => 0.0,
            Top::Level(level) => (level - bed).max(0.0),
            Top::Depth(depth) => depth + self.bottom.map_or(0.0, |bottom| (bottom - bed).max(0.0)),
        }
    }
}
