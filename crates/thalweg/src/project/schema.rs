//! What a scene file may say.

use super::{
    CameraTable, Earlier, Emitter, Obstacle, Output, PictureTable, Pool, Probe, Rain, ShapeChoice, Sink,
    Solvers, Source, Terrain, Time, Wavemaker, floating,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::Edges;
use thalweg_field::describe::{about, within};
use thalweg_terrain::Recipe;
use thalweg_waves::{BodyParams, OceanParams};

/// The only version of scene files there is.
pub const VERSION: u32 = 1;

/// A whole scene, as its file says it, defaults filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Version of the file's form; 1.
    #[schemars(transform = within(1.0, 1.0))]
    pub version: u32,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// Seed of everything random: terrain, hardness, drops; 0 to 2⁶³ − 1.
    #[serde(default)]
    pub seed: u64,
    /// The ground.
    #[serde(default)]
    pub terrain: Terrain,
    /// Methods that work on the ground before, one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = about().fixed())]
    pub before: Vec<Earlier>,
    /// The water and how it works on the ground.
    #[serde(default)]
    pub solver: Solvers,
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
    /// Where particles come from.
    #[serde(default, rename = "emitter", skip_serializing_if = "Vec::is_empty")]
    pub emitters: Vec<Emitter>,
    /// Where particles vanish.
    #[serde(default, rename = "sink", skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<Sink>,
    /// What stands in the way of particles, and gates.
    #[serde(default, rename = "obstacle", skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<Obstacle>,
    /// What is measured while particles flow.
    #[serde(default, rename = "probe", skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<Probe>,
    /// Waves of the open sea, all around.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(transform = about().fixed())]
    pub ocean: Option<OceanParams>,
    /// What floats, or sinks.
    #[serde(
        default,
        rename = "body",
        deserialize_with = "floating::bodies",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub bodies: Vec<BodyParams>,
    /// Paddles that make straight waves.
    #[serde(default, rename = "wavemaker", skip_serializing_if = "Vec::is_empty")]
    pub wavemakers: Vec<Wavemaker>,
}

impl Default for Scene {
    /// What an empty file says: dry mountains.
    fn default() -> Self {
        Self {
            version: VERSION,
            title: String::new(),
            seed: 0,
            terrain: Terrain::default(),
            before: Vec::new(),
            solver: Solvers::default(),
            edges: Edges::default(),
            time: Time::default(),
            output: Output::default(),
            camera: CameraTable::default(),
            picture: PictureTable::default(),
            water: Vec::new(),
            rain: Vec::new(),
            sources: Vec::new(),
            drains: Vec::new(),
            emitters: Vec::new(),
            sinks: Vec::new(),
            obstacles: Vec::new(),
            probes: Vec::new(),
            ocean: None,
            bodies: Vec::new(),
            wavemakers: Vec::new(),
        }
    }
}

impl Scene {
    /// Writes out what the program would choose, so that the scene says all that runs.
    pub(super) fn fill_in(&mut self) {
        let terrain = &mut self.terrain;
        if terrain.file.is_none() && terrain.volume_file().is_none() {
            let Recipe { layers, island } = terrain.recipe();
            (terrain.layers, terrain.island) = (layers, island);
            terrain.size.get_or_insert(Terrain::SIZE);
            terrain.cell.get_or_insert(Terrain::CELL);
        }
        self.camera.fill_in();
        let spacing = self.solver.iter().find_map(|table| (table.method().spacing)(table.table()));
        if spacing.is_some() {
            self.picture.particles.shape.get_or_insert(ShapeChoice::Surface);
        }
        self.picture.water.fill_in(spacing);
        self.output.fill_in();
    }

    /// The water that stands on the ground at the beginning.
    pub fn pools(&self) -> Vec<thalweg_field::Pool> {
        self.water.iter().map(Pool::water).collect()
    }

    /// The files it reads, each with the path of its key.
    pub(crate) fn files_mut(&mut self) -> Vec<(String, &mut String)> {
        let terrain = &mut self.terrain;
        let hardness = terrain.hardness.as_mut().and_then(|hardness| hardness.file.as_mut());
        let uplift = terrain.uplift.as_mut().and_then(|uplift| uplift.file.as_mut());
        let volume = terrain.volume.as_mut().and_then(|volume| volume.file.as_mut());
        let masks =
            self.rain.iter_mut().enumerate().map(|(i, rain)| (format!("rain[{i}].mask"), rain.mask.as_mut()));
        let meshes = self
            .obstacles
            .iter_mut()
            .enumerate()
            .map(|(i, obstacle)| (format!("obstacle[{i}].file"), obstacle.file.as_mut()));
        let hulls = self
            .bodies
            .iter_mut()
            .enumerate()
            .map(|(i, body)| (format!("body[{i}].file"), body.file.as_mut()));
        let files = [
            ("terrain.file".into(), terrain.file.as_mut()),
            ("terrain.volume.file".into(), volume),
            ("terrain.hardness.file".into(), hardness),
            ("terrain.uplift.file".into(), uplift),
        ];
        files
            .into_iter()
            .chain(masks)
            .chain(meshes)
            .chain(hulls)
            .filter_map(|(path, file)| Some((path, file?)))
            .collect()
    }
}

/// What a solver runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
