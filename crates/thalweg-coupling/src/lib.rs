//! Particle water on a bed of triangles: boundary particles where water is, collision, shear erosion, sediment on
//! particles, and a bed that moves (Krištof et al. 2009; Kataev 2022).

mod bed;
mod bed_flow;
mod boundary_tiles;
mod material;
mod params;
mod patch;
mod presets;
mod reshape;
mod sediment;
mod setting;
mod solid;
mod water;

pub use bed::{Bed, Triangle};
pub use material::{Material, Soil};
pub use params::{
    BedParams, ErosionParams, Hindrance, Hold, Params, Periodic, Place, Reshape, ShearSpeed, Stress, Transfer,
};
pub use patch::{Patch, Patches};
pub use reshape::{change_lowest_first, change_smoothly};
pub use setting::{Setting, Sink};
pub use solid::{Solid, SolidShape};
pub use thalweg_sph::{Emitter, Shape};
pub use water::{Exchanged, ParticleWater, Saved, StepError};
