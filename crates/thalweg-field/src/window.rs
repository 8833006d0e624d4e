//! When something happens.

/// The time during which something is switched on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Simulated time at which it begins `[s]`.
    pub start: f64,
    /// Simulated time at which it ends `[s]`.
    pub stop: f64,
}

impl Window {
    /// From the beginning, without end.
    pub const ALWAYS: Self = Self { start: 0.0, stop: f64::INFINITY };

    /// Whether a step that begins at `time` falls into it.
    pub fn contains(&self, time: f64) -> bool {
        self.start <= time && time < self.stop
    }
}
