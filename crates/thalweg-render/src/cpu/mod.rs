//! The reference renderer: plain loops over rows.

pub(crate) mod coverage;
pub(crate) mod draped;
pub(crate) mod heightfield_ray;
pub(crate) mod horizon;
pub(crate) mod lit_ground;
pub(crate) mod map;
pub(crate) mod open_sea;
pub(crate) mod perspective;
pub(crate) mod relief;
pub(crate) mod resample;
pub(crate) mod rock;
pub(crate) mod shade;
pub(crate) mod things;
