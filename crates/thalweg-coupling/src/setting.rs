//! What is there beside the bed: water at the beginning, where it comes from, where it goes.

use crate::solid::Solid;
use thalweg_field::{Edges, Grid2, Heightfield, Pool, Strata};
use thalweg_sph::Emitter;
use thalweg_terrain::volume::Volume;

/// What water is put on.
#[derive(Clone, Copy, Debug)]
pub enum Terrain<'a> {
    /// A heightfield.
    Heights(&'a Heightfield),
    /// Rock with caves and overhangs.
    Volume(&'a Volume),
}

impl Terrain<'_> {
    /// Cells to the east and to the north, and their side `[m]`.
    pub(crate) fn cells(self) -> ([usize; 2], f64) {
        match self {
            Self::Heights(ground) => ([ground.height.cols(), ground.height.rows()], ground.frame.cell),
            Self::Volume(volume) => ([volume.size()[0], volume.size()[1]], volume.voxel()),
        }
    }
}

impl<'a> From<&'a Heightfield> for Terrain<'a> {
    fn from(ground: &'a Heightfield) -> Self {
        Self::Heights(ground)
    }
}

impl<'a> From<&'a Volume> for Terrain<'a> {
    fn from(volume: &'a Volume) -> Self {
        Self::Volume(volume)
    }
}

/// Everything around the bed. Places are metres east, north and up from the terrain's south-west corner at 0 m.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Water at the beginning.
    pub water: Vec<Pool>,
    /// Where water comes from.
    pub emitters: Vec<Emitter>,
    /// Where water vanishes.
    pub sinks: Vec<Sink>,
    /// Bodies that water cannot enter, and gates.
    pub solids: Vec<Solid>,
    /// The edges of the bed: walls where they are closed; open, water falls over them and is gone. Reservoirs are refused.
    pub edges: Edges,
    /// Hardness of each cell, 0 to 1 `[-]`; missing: soft everywhere.
    pub hardness: Option<Grid2<f32>>,
    /// Beds of the rock of a volume, which tell how hard it is; missing: soft everywhere.
    pub strata: Option<Strata>,
    /// Seed of everything random.
    pub seed: u64,
    /// Memory that it may use `[bytes]`; missing: no limit.
    pub max_bytes: Option<u64>,
}

/// A box in which water vanishes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sink {
    /// Lowest corner `[m]`.
    pub from: [f64; 3],
    /// Highest corner `[m]`.
    pub to: [f64; 3],
}
