//! Why there can be no more steps.

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A number overflowed.
    #[error(
        "{count} cells are no longer finite at step {step} (t = {time:.3} s), the first at column {col}, row {row}; \
         try a smaller dt, or weaker erosion (capacity, dissolve)"
    )]
    NotFinite {
        /// How many.
        count: usize,
        /// After which step.
        step: u64,
        /// Simulated time `[s]`.
        time: f64,
        /// The first one's column.
        col: usize,
        /// The first one's row.
        row: usize,
    },
    /// The given time step is too long for the depth that the water has reached.
    #[error(
        "dt = {dt} s is not stable at step {step}: waves on {depth:.3} m of water allow at most {limit:.5} s; \
         use dt = {suggested:.5} s or leave dt out for an automatic one"
    )]
    TooLong {
        /// The time step `[s]`.
        dt: f64,
        /// Before which step.
        step: u64,
        /// Deepest water `[m]`.
        depth: f64,
        /// The longest stable step `[s]`.
        limit: f64,
        /// A step with some reserve `[s]`.
        suggested: f64,
    },
    /// The water has more energy than was ever put into it: it sloshes without bound, with its mass intact.
    #[error(
        "the water's energy grew to {ratio:.2} times what was put in by step {step} (t = {time:.3} s): the time step \
         is unstable; lower safety below {safety}, or dt below {dt:.5} s"
    )]
    Sloshing {
        /// Energy over what was put in `[-]`.
        ratio: f64,
        /// After which step.
        step: u64,
        /// Simulated time `[s]`.
        time: f64,
        /// Share of the stability limit in use `[-]`.
        safety: f64,
        /// The time step `[s]`.
        dt: f64,
    },
}
