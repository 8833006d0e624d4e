//! How long steps were.

/// Shortest and longest of some time steps `[s]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeSteps(pub [f64; 2]);

impl TimeSteps {
    /// One step.
    pub const fn one(dt: f64) -> Self {
        Self([dt; 2])
    }

    /// None so far.
    pub const NONE: Self = Self([f64::INFINITY, 0.0]);

    /// Counts more of them.
    pub fn add(&mut self, Self([min, max]): Self) {
        let [shortest, longest] = self.0;
        self.0 = [shortest.min(min), longest.max(max)];
    }

    /// Both, or 0 where there is none.
    pub fn or_zero(self) -> [f64; 2] {
        if self == Self::NONE { [0.0; 2] } else { self.0 }
    }
}
