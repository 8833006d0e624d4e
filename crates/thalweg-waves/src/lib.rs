//! The surface of water bodies: waves as particles after Yuksel, House & Keyser 2007 and Mikeš 2015, the open sea, and
//! bodies that float.
//!
//! Waves know where water is and how deep; what the ground is made of, files and pictures are the business of others.
//! Bodies see the surface as a [`WaterSurface`] and answer with [`Emission`]s, so that neither waves nor the sea know a hull.

mod basin;
mod body;
mod books;
mod dispersion;
mod emission;
mod fronts;
mod hump;
mod ocean;
mod params;
mod particles;
mod plane;
mod surface;
mod wake;
mod water_surface;
mod waves;

pub use basin::{Basin, Hit, Outside};
pub use body::{
    Account, BodyError, BodyParams, Disturbance, Fleet, FleetError, FoamSource, Hull, HullError, HullForm,
    Motion, PARTICLE_VOLUME, SavedFleet, Sea, Steer, Submerged, Turn, Vector, shapes,
};
pub use books::{Books, WATER_DENSITY};
pub use dispersion::{frequency, group_speed, phase_speed, radius_of};
pub use emission::Emission;
pub use fronts::mirrored_distance;
pub use hump::{Hump, Ring, ring_height};
pub use ocean::{
    GerstnerWave, Ocean, OceanParams, OceanPoint, OceanSurface, PatchView, SpectrumKind, Sum,
    capillary_frequency,
};
pub use params::{Conserved, GRAVITY, Params, Speed};
pub use surface::{Strain, Surface, whitecap};
pub use wake::Wake;
pub use water_surface::{WaterPoint, WaterSurface};
pub use waves::{Saved, SeaStrain, Sent, Setup, WaveParticle, Waves};
