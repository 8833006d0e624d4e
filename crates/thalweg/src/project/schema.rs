//! What a scene file may say.

use super::{CameraTable, PictureTable};
use serde::{Deserialize, Serialize};
use thalweg_erosion::pipes::{Edges, Params};
use thalweg_field::units;
use thalweg_terrain::Recipe;
use thalweg_terrain::recipe::{Island, Layer};

/// The only version of scene files there is.
pub const VERSION: u32 = 1;

/// A whole scene, as its file says it, defaults filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Version of the file's form; 1.
    pub version: u32,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// The ground.
    #[serde(default)]
    pub terrain: Terrain,
    /// The water and how it works on the ground.
    #[serde(default)]
    pub solver: Solver,
    /// What happens at the edges of the terrain.
    #[serde(default)]
    pub edges: Edges,
    /// How long it runs.
    #[serde(default)]
    pub time: Time,
    /// What it writes.
    #[serde(default)]
    pub output: Output,
    /// Where its pictures are taken from.
    #[serde(default)]
    pub camera: CameraTable,
    /// How they look.
    #[serde(default)]
    pub picture: PictureTable,
    /// Water standing on the ground at the beginning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub water: Vec<Pool>,
    /// Rains, which add up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rain: Vec<Rain>,
    /// Springs and rivers that enter.
    #[serde(default, rename = "source", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Places where water leaves.
    #[serde(default, rename = "drain", skip_serializing_if = "Vec::is_empty")]
    pub drains: Vec<Source>,
}

impl Scene {
    /// Writes out what the program would choose, so that the scene says all that runs.
    pub(super) fn fill_in(&mut self) {
        let terrain = &mut self.terrain;
        if terrain.file.is_none() {
            let Recipe { layers, island } = terrain.recipe();
            (terrain.layers, terrain.island) = (layers, island);
            terrain.size.get_or_insert(Terrain::SIZE);
            terrain.cell.get_or_insert(Terrain::CELL);
        }
        self.camera.fill_in();
    }

    /// The files it reads, each with the path of its key.
    pub(crate) fn files_mut(&mut self) -> Vec<(String, &mut String)> {
        let terrain = &mut self.terrain;
        let hardness = terrain.hardness.as_mut().and_then(|hardness| hardness.file.as_mut());
        let masks =
            self.rain.iter_mut().enumerate().map(|(i, rain)| (format!("rain[{i}].mask"), rain.mask.as_mut()));
        let files =
            [("terrain.file".into(), terrain.file.as_mut()), ("terrain.hardness.file".into(), hardness)];
        files.into_iter().chain(masks).filter_map(|(path, file)| Some((path, file?))).collect()
    }
}

/// The ground: a file, or layers of noise and shapes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Terrain {
    /// Heightmap to read, beside the scene file or below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Heights of the darkest and the brightest value of an integer file [m]; missing: as the file says.
    #[serde(deserialize_with = "height_range", skip_serializing_if = "Option::is_none")]
    pub height_range: Option<[f64; 2]>,
    /// Columns and rows; a file is resampled to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[usize; 2]>,
    /// Side of a cell [m]; missing: as the file says, or 10 m.
    #[serde(deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    pub cell: Option<f64>,
    /// How hard the ground is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardness: Option<Hardness>,
    /// Makes the edges sink below the sea.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub island: Option<Island>,
    /// Procedural ground, the lowest layer first; missing, and no file either: a mountain range.
    #[serde(rename = "layer", skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
}

impl Terrain {
    /// Cells of procedural ground, where the scene does not say.
    pub const SIZE: [usize; 2] = [512, 512];
    /// Side of a cell of procedural ground, where the scene does not say [m].
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

fn height_range<'de, D: serde::Deserializer<'de>>(range: D) -> Result<Option<[f64; 2]>, D::Error> {
    units::place(range).map(Some)
}

/// Hardness of the ground from 0 (as soft as the parameters say) to 1 (never erodes).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hardness {
    /// Image whose darkest value is 0 and brightest 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Procedural hardness; values beyond 0 and 1 are cut off.
    #[serde(rename = "layer", skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
}

/// Which solver runs, and its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SolverTable")]
pub struct Solver {
    /// The method.
    pub kind: SolverKind,
    /// The parameter table that the others start from.
    pub preset: String,
    /// What it runs on.
    pub backend: Backend,
    /// All parameters of the method.
    #[serde(flatten)]
    pub params: Params,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            kind: SolverKind::Pipes,
            preset: "thalweg".into(),
            backend: Backend::Cpu,
            params: Params::default(),
        }
    }
}

/// Methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolverKind {
    /// Virtual pipes.
    #[default]
    Pipes,
}

/// What a solver runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// The processor, all cores.
    #[default]
    Cpu,
    /// Whatever is fastest here.
    Auto,
}

impl Backend {
    /// The backend that really runs.
    pub fn resolved(self) -> &'static str {
        match self {
            Self::Cpu | Self::Auto => "cpu",
        }
    }
}

/// `[solver]` before the preset is looked up: parameters stay as written until it is known what they change.
#[derive(Deserialize)]
struct SolverTable {
    #[serde(default)]
    kind: SolverKind,
    #[serde(default = "default_preset")]
    preset: String,
    #[serde(default)]
    backend: Backend,
    #[serde(flatten)]
    rest: toml::Table,
}

fn default_preset() -> String {
    "thalweg".into()
}

impl TryFrom<SolverTable> for Solver {
    type Error = String;

    fn try_from(table: SolverTable) -> Result<Self, String> {
        let names = || Params::PRESETS.map(|(name, _)| format!("`{name}`")).join(", ");
        let preset = Params::preset(&table.preset)
            .ok_or_else(|| format!("unknown preset `{}`, expected one of {}", table.preset, names()))?;
        let mut params = toml::Table::try_from(&preset).map_err(|error| error.to_string())?;
        params.extend(table.rest);
        let params = params.try_into().map_err(|error: toml::de::Error| match error.message() {
            unknown if unknown.starts_with("unknown field") => {
                format!("{unknown}, `kind`, `preset`, `backend`")
            }
            other => other.to_owned(),
        })?;
        Ok(Self { kind: table.kind, preset: table.preset, backend: table.backend, params })
    }
}

/// How long a run takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Time {
    /// Steps on the terrain as it is.
    pub steps: u64,
    /// Simulated time after which the run ends, if the steps have not run out before [s].
    #[serde(deserialize_with = "units::optional_time", skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Passes over a coarser terrain before, which lay out the large valleys.
    #[serde(rename = "coarse", skip_serializing_if = "Vec::is_empty")]
    pub coarse: Vec<Coarse>,
}

impl Default for Time {
    fn default() -> Self {
        Self { steps: 2000, duration: None, coarse: Vec::new() }
    }
}

/// A pass over a coarser terrain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coarse {
    /// How many cells of the terrain make one of this pass, along each side.
    pub factor: usize,
    /// Steps.
    pub steps: u64,
    /// Share of the finer terrain's own detail that is put back afterwards, 0 to 1 [-].
    #[serde(default = "half")]
    pub detail: f64,
}

fn half() -> f64 {
    0.5
}

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Maps of water, sediment, erosion and so on.
    pub maps: bool,
    /// Pictures of the terrain before and after.
    pub pictures: bool,
    /// Steps between two checkpoints; 0: only when stopped.
    pub checkpoint_every: u64,
    /// Steps between two pictures in `frames/`; 0: none.
    pub frames_every: u64,
}

impl Default for Output {
    fn default() -> Self {
        Self { maps: true, pictures: true, checkpoint_every: 5000, frames_every: 0 }
    }
}

/// Water standing in a rectangle at the beginning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// Height of the surface [m]; ground above it stays dry.
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    pub level: Option<f64>,
    /// Depth everywhere in the rectangle [m].
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
    /// South-west corner, metres east and north of the terrain's own; missing: the terrain's.
    #[serde(default = "corner", deserialize_with = "units::place")]
    pub from: [f64; 2],
    /// North-east corner; missing: the terrain's.
    #[serde(default = "far", deserialize_with = "units::place")]
    pub to: [f64; 2],
}

fn corner() -> [f64; 2] {
    [0.0, 0.0]
}

/// Beyond any terrain [m].
const FAR: f64 = 1.0e9;

fn far() -> [f64; 2] {
    [FAR, FAR]
}

/// Rain, even or in drops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rain {
    /// Even rain on every cell [m/s].
    #[serde(default, deserialize_with = "units::optional_speed", skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Drops instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drops: Option<Drops>,
    /// Image of how much of the rain arrives: black none, white all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// When it begins [s].
    #[serde(default, deserialize_with = "units::time")]
    pub start: f64,
    /// When it ends [s]; missing: never.
    #[serde(default, deserialize_with = "units::optional_time", skip_serializing_if = "Option::is_none")]
    pub stop: Option<f64>,
}

/// Rain drops at random places.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drops {
    /// On the whole terrain in each second [1/s].
    #[serde(deserialize_with = "units::rate")]
    pub per_second: f64,
    /// Water that one drop leaves on the cells it hits [m].
    #[serde(deserialize_with = "units::length")]
    pub depth: f64,
    /// Radius [m].
    #[serde(deserialize_with = "units::length")]
    pub radius: f64,
}

/// A place where water comes or goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Metres east and north of the south-west corner.
    #[serde(deserialize_with = "units::place")]
    pub at: [f64; 2],
    /// Water in each second [m³/s].
    #[serde(deserialize_with = "units::discharge")]
    pub rate: f64,
    /// Radius [m]; missing: one cell.
    #[serde(default, deserialize_with = "units::length")]
    pub radius: f64,
    /// When it begins [s].
    #[serde(default, deserialize_with = "units::time")]
    pub start: f64,
    /// When it ends [s]; missing: never.
    #[serde(default, deserialize_with = "units::optional_time", skip_serializing_if = "Option::is_none")]
    pub stop: Option<f64>,
}
