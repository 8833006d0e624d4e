//! Virtual pipes: shallow water on a heightfield that wears the ground away.
//!
//! Water of depth d stands on a bed of height b; suspended in it is sediment s, counted as the height of bed
//! it would make. Each cell has pipes to its neighbours. A step ([`Pipes::advance`]) goes through the seven
//! steps of Schmidberger 2024, chapter 4: add water, outflow, water height, velocity, erosion and
//! deposition, transport, evaporation; slopes that became too steep slip every few steps.
//!
//! [`Params`] chooses between the papers' formulas and thalweg's own, [`Weather`] says where water comes from
//! and leaves, [`Ledger`](thalweg_field::Ledger) accounts for every cubic metre of it. [`mod@reference`] is the same model written down
//! plainly, to check the fast one against and to measure its speed by.

mod backend;
mod books;
mod cpu;
mod edit;
mod error;
mod guard;
mod model;
mod params;
pub mod reference;
mod saved;
mod schedule;
mod show;
mod solver;
mod step;
mod weather;

pub use backend::{Neighbour, Quantity};
pub use error::StepError;
pub use params::{Counterflow, Exchange, GRAVITY, Params, PipeArea, Slope, Transport, Velocity};
pub use saved::Saved;
pub use solver::Pipes;
pub use step::stable_dt;
pub use weather::{Fall, Rain, Source, Weather};
