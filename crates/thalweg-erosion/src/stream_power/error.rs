//! Why there can be no more steps.

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A number overflowed.
    #[error(
        "{count} cells are no longer finite at step {step}, the first at column {col}, row {row}; try a shorter step, or \
         less uplift"
    )]
    NotFinite {
        /// How many.
        count: usize,
        /// After which step.
        step: u64,
        /// The first one's column.
        col: usize,
        /// The first one's row.
        row: usize,
    },
}
