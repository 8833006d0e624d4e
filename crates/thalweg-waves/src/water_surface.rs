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

impl WaterPoint {
    /// With a share of another on top of it.
    #[must_use]
    pub fn plus(self, share: f64, other: Self) -> Self {
        Self {
            height: self.height + share * other.height,
            gradient: std::array::from_fn(|n| self.gradient[n] + share * other.gradient[n]),
            velocity: std::array::from_fn(|n| self.velocity[n] + share * other.velocity[n]),
        }
    }
}

/// Water with a surface.
pub trait WaterSurface: Sync {
    /// The surface above a place, east and north of the scene's origin `[m]`.
    fn at(&self, place: [f64; 2]) -> WaterPoint;

    /// The same as a body feels it, by its number: without the fronts that it has just sent out itself, half of which lie under its
    /// hull, where there is no water (Mikeš 2015, section 3.4.1, cancels them with negative particles). What they do to it is in its
    /// own account.
    fn felt_at(&self, place: [f64; 2], body: usize) -> WaterPoint {
        let _ = body;
        self.at(place)
    }
}
