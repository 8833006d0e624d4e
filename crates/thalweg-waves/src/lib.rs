//! The surface of water bodies: waves as particles after Yuksel, House & Keyser 2007 and Mikeš 2015, the open sea, and
//! bodies that float.
//!
//! Waves know where water is and how deep; what the ground is made of, files and pictures are the business of others.
//! Bodies see the surface as a [`WaterSurface`] and answer with [`Emission`]s, so that neither waves nor the sea know a hull.

mod body;
mod emission;
mod water_surface;

pub use body::{
    Account, BodyError, BodyParams, Fleet, FleetError, FoamSource, Hidden, Hull, HullError, HullForm, Motion,
    PARTICLE_VOLUME, SavedFleet, Sea, Steer, Submerged, Turn, Vector, Wake, shapes,
};
pub use emission::Emission;
pub use water_surface::{WaterPoint, WaterSurface};
