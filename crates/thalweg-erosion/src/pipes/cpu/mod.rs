//! The pipe model on the processor: bands of rows, all stages of a step fused into one sweep.
//!
//! A band holds its rows and a halo of its neighbours' rows in one block of memory. A sweep goes down
//! the rows once and takes several steps on the way: while stage 1 of the first step works on row r,
//! stage 2 is at r − 1, and the second step follows three rows behind. Rows are touched while they are
//! in the cache, and nothing but the state itself is kept. Halo rows are computed twice, once on each
//! side of a cut, with the same numbers; so any cut gives the same bits.
//!
//! | pass | steps of Schmidberger 2024, chapter 4 | file |
//! |---|---|---|
//! | 1 | increasing water height | `add_water.rs` |
//! | 2 | outflow flux | `outflow.rs` |
//! | 3 | water height, velocity, erosion and deposition, evaporation | `move_water.rs` |
//! | 4 | transporting sediment | `carry_sediment.rs` |
//! | 5 | (not in the thesis) opposite flows cancel | `cancel.rs` |

pub(super) mod add_water;
pub(super) mod band;
pub(super) mod cancel;
pub(super) mod carry_sediment;
pub(super) mod edges;
pub(super) mod layout;
pub(super) mod move_water;
pub(super) mod outflow;
pub(super) mod sweep;
