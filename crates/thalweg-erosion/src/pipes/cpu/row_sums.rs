//! What a row adds to the account of a step.

/// Heights, to be multiplied by the cell's area.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowSums {
    /// Water evaporated.
    pub evaporated: f64,
    /// Bed taken up.
    pub eroded: f64,
    /// Deepest water.
    pub max_depth: f32,
}
