//! What bodies, queries and exports see of the water.

/// The surface of the water at one place and moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WaterPoint {
    /// Height of the surface above the water at rest `[m]`.
    pub height: f64,
    /// How the surface rises to the east and to the north `[-]`.
    pub gradient: [f64; 2],
    /// Velocity of the water at the surface, east, north and up `[m/s]`.
    pub velocity: [f64; 3],
}

/// Water with a surface.
pub trait WaterSurface: Sync {
    /// The surface above a place, east and north of the scene's origin `[m]`.
    fn at(&self, place: [f64; 2]) -> WaterPoint;
}
