//! Particle water on ground: boundary particles where water is, collision, shear erosion, sediment on particles, and ground
//! that moves (Krištof et al. 2009; Kataev 2022; Wang, Yang & Zhu 2021). The ground is a bed of triangles over a heightfield, or a
//! volume of rock.

mod boundary;
mod ground;
mod heightfield;
mod law_of_wall;
mod material;
mod params;
mod presets;
mod sediment;
mod setting;
mod solid;
mod volume;
mod walls;
mod water;

pub use heightfield::{Bed, Patch, Patches, Triangle, change_lowest_first, change_smoothly};
pub use material::{Material, Soil};
pub use params::{
    BedParams, ErosionParams, Hindrance, Hold, Params, Periodic, Place, Reshape, ShearSpeed, Stress, Transfer,
};
pub use setting::{Setting, Sink, Terrain};
pub use solid::{Solid, SolidShape};
pub use thalweg_sph::{Emitter, Shape};
pub use volume::{Crumbs, RockBrush, RockLayer, RockPatch, RockTool};
pub use water::{Exchanged, ParticleWater, Saved, StepError};
