//! Stream power: valleys over geological time.
//!
//! Rock rises; rivers cut into it the faster the more water they carry and the steeper they are, lay sediment down where they
//! carry much and fall little, fill lakes; soil creeps down the slopes between them. One step ([`StreamPower::step`]) covers
//! thousands of years: rivers are implicit in time (Braun & Willett 2013; Yuan et al. 2019), soil creeps in stages.
//!
//! ```
//! use thalweg_erosion::stream_power::{Land, Params, StreamPower};
//! use thalweg_field::{Frame, Grid2, Heightfield};
//!
//! let plain = Heightfield {
//!     height: Grid2::from_fn(64, 64, |c, r| ((c * 7 + r * 13) % 5) as f32),
//!     frame: Frame::with_cell(50.0),
//! };
//! let mut land = StreamPower::new(&plain, &Params::default(), &Land::open()).unwrap();
//! land.advance(100).unwrap(); // half a million years
//! assert!(land.ground().height.range().unwrap().1 > 50.0);
//! assert!(land.ledger().solids.imbalance() < 1.0e-9);
//! ```

mod creep;
mod error;
mod floors;
mod flow;
mod incision;
mod lakes;
mod land;
mod layout;
mod maps;
mod order;
mod outlets;
mod params;
mod power;
mod receivers;
pub mod reference;
mod relief;
mod rock;
mod saved;
mod solver;
mod uplift;

pub use error::StepError;
pub use land::Land;
pub use maps::Survey;
pub use params::{HEAD_OVER_SPACING, Lakes, Params, REFERENCE_AREA, RockLayer, Routing, SPACING_OVER_LENGTH};
pub use saved::Saved;
pub use solver::StreamPower;
