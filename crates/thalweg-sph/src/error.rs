//! Why a fluid cannot go on.

use crate::neighbours::TooWide;

/// Why a fluid cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FluidError {
    /// Numbers have gone wild.
    #[error(
        "{count} particles became non-finite at step {step} (t = {time:.4} s), first near {at:.3?} m; \
         try a shorter time step (fluid.safety or fluid.dt) or more damping"
    )]
    NotFinite {
        /// How many.
        count: usize,
        /// When.
        step: u64,
        /// When `[s]`.
        time: f64,
        /// Where the first one was `[m]`.
        at: [f32; 3],
    },
    /// Particles are everywhere.
    #[error(
        "step {step} (t = {time:.4} s): {spread}; try a shorter time step (fluid.safety or fluid.dt), \
         or put a sink or walls where they should stop"
    )]
    TooWide {
        /// How far.
        spread: TooWide,
        /// When.
        step: u64,
        /// When `[s]`.
        time: f64,
    },
    /// The bed asks for more boundary particles than there is room for.
    #[error(
        "step {step} (t = {time:.4} s): the bed near {at:.1?} m needs {count:.2e} boundary particles, and there is room \
         for {room}; use a larger fluid.spacing or a flatter bed, or raise --max-memory"
    )]
    Crowded {
        /// How many a tile of the bed needs.
        count: f64,
        /// How many more there can be.
        room: usize,
        /// When.
        step: u64,
        /// When `[s]`.
        time: f64,
        /// Where, east and north `[m]`.
        at: [f64; 2],
    },
}
