//! What water does to ground.
//!
//! [`pipes`] is the virtual-pipes shallow-water model of O'Brien & Hodgins (1995) in the form Mei,
//! Decaudin & Hu (2007) gave it, with capacity-driven erosion: water flows between the cells of a
//! heightfield through pipes, picks up sediment where it is fast and steep, and drops it where it slows.
//! [`stream_power`] works in geological time: rock rises, rivers cut valleys, soil creeps.
//! [`law`] holds what is not tied to one way of moving water, such as slopes that slip.
//!
//! ```
//! use thalweg_erosion::pipes::{Params, Pipes, Weather};
//! use thalweg_field::{Frame, Grid2, Heightfield};
//!
//! let hill = Heightfield {
//!     height: Grid2::from_fn(64, 64, |c, r| 80.0 - (c as f32 - 32.0).hypot(r as f32 - 32.0)),
//!     frame: Frame::with_cell(5.0),
//! };
//! let mut pipes = Pipes::new(&hill, &Params::default(), &Weather::raining(1.0e-5)).unwrap();
//! pipes.advance(100).unwrap();
//! assert_eq!(pipes.steps_taken(), 100);
//! assert!(pipes.ledger().water.imbalance() < 1.0e-5);
//! ```

mod lanes;
pub mod law;
pub mod pipes;
pub mod stream_power;
