//! `[terrain]`: the ground of a scene.

use super::ranges::height;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::{describe::within, units};
use thalweg_terrain::Recipe;
use thalweg_terrain::recipe::{Island, Layer};
use thalweg_terrain::volume::VolumeRecipe;

/// The ground: a file, or layers of noise and shapes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Terrain {
    /// Heightmap to read, beside the scene file or below it: PNG, TIFF, EXR, R16, RAW.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Heights of code 0 and of the largest code of an integer file, or of 0 and 1 in a float file `[m]`; missing: as the
    /// file says, else its numbers are metres.
    #[serde(with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = height())]
    pub height_range: Option<[f64; 2]>,
    /// Lays a file in degrees out in metres, in the UTM zone of its middle; `cell` is the side of its new cells then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub utm: bool,
    /// Columns and rows; a file is resampled to them. Missing: those of the file, or 512 by 512.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0, 65_536.0).slider(64.0, 2048.0).of("cells"))]
    pub size: Option<[usize; 2]>,
    /// Side of a cell `[m]`, which wins over what a file says; missing: as the file says, else 1 m, and 10 m without a file.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-3, 1.0e5).slider(0.1, 100.0).hint("the side of a cell"))]
    pub cell: Option<f64>,
    /// How hard the ground is; missing: as soft as the parameters say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardness: Option<GroundMap>,
    /// Where rock rises, as a share of the rate of stream power; missing: the same everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uplift: Option<GroundMap>,
    /// Makes the edges sink; not together with `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub island: Option<Island>,
    /// Procedural ground, the lowest layer first; not together with `file`. With neither, a mountain range.
    #[serde(rename = "layer", skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// Ground with caves, arches and overhangs, in voxels as wide as the cells: what the layers or the file say, and what is
    /// put into it and taken out of it here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<VolumeRecipe>,
}

impl Terrain {
    /// The file of a volume that takes the place of heights.
    pub(crate) fn volume_file(&self) -> Option<&String> {
        self.volume.as_ref()?.file.as_ref()
    }

    /// Cells of procedural ground, where the scene does not say.
    pub const SIZE: [usize; 2] = [512, 512];
    /// Side of a cell of procedural ground, where the scene does not say `[m]`.
    pub const CELL: f64 = 10.0;

    /// The layers, or a mountain range as wide as the terrain where there are none.
    pub fn recipe(&self) -> Recipe {
        if self.layers.is_empty() {
            let [cols, rows] = self.size.unwrap_or(Self::SIZE);
            let extent = cols.max(rows) as f64 * self.cell.unwrap_or(Self::CELL);
            let range = Recipe::named("range", extent).unwrap_or_default();
            return Recipe { island: self.island.clone().or(range.island.clone()), ..range };
        }
        Recipe { layers: self.layers.clone(), island: self.island.clone() }
    }
}

/// A number from 0 to 1 for every place of the ground.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GroundMap {
    /// Image, black is 0 and white is 1, stretched over the terrain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Layers as for terrain whose height, read as a pure number, is the one that is meant; beyond 0 and 1 it is cut off.
    #[serde(rename = "layer", skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
}
