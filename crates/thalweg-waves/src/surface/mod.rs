//! The surface that waves make: heights, how it is moved sideways, how fast, and foam.

mod bumps;
mod cosine;
mod fields;
mod foam;
mod tiles;

pub(crate) use bumps::height_at;
pub(crate) use fields::Fields;
pub use fields::{Strain, Surface};
pub use foam::whitecap;
pub(crate) use foam::{Foam, LOOKS, Spray};
