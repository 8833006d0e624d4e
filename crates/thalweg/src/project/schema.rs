//! What a scene file may say.

use super::{
    CameraTable, Emitter, Output, PictureTable, Pool, Rain, ShapeChoice, Sink, Source, Terrain, Time,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thalweg_coupling as coupling;
use thalweg_erosion::pipes::{self, Edges};
use thalweg_field::describe::within;
use thalweg_terrain::Recipe;

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
    /// Where particles come from.
    #[serde(default, rename = "emitter", skip_serializing_if = "Vec::is_empty")]
    pub emitters: Vec<Emitter>,
    /// Where particles vanish.
    #[serde(default, rename = "sink", skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<Sink>,
}

impl Default for Scene {
    /// What an empty file says: dry mountains.
    fn default() -> Self {
        Self {
            version: VERSION,
            title: String::new(),
            seed: 0,
            terrain: Terrain::default(),
            solver: Solver::default(),
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
        }
    }
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
        let spacing = match &self.solver.method {
            Method::Pipes(_) => None,
            Method::Sph(params) => Some(params.fluid.spacing),
        };
        if spacing.is_some() {
            self.picture.particles.shape.get_or_insert(ShapeChoice::Surface);
        }
        self.picture.water.fill_in(spacing);
        self.output.fill_in();
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

/// Which solver runs, and its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SolverTable")]
pub struct Solver {
    /// The parameter table that the others start from.
    pub preset: String,
    /// What it runs on.
    pub backend: Backend,
    /// The method, with all its parameters.
    #[serde(flatten)]
    pub method: Method,
}

impl Default for Solver {
    fn default() -> Self {
        let method = Method::Pipes(pipes::Params::default());
        Self { preset: default_preset(), backend: Backend::Cpu, method }
    }
}

impl Solver {
    /// Which method it is.
    pub fn kind(&self) -> SolverKind {
        match self.method {
            Method::Pipes(_) => SolverKind::Pipes,
            Method::Sph(_) => SolverKind::Sph,
        }
    }
}

/// A method and its parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Method {
    /// Virtual pipes.
    Pipes(pipes::Params),
    /// Particles on a bed.
    Sph(coupling::Params),
}

/// Methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverKind {
    /// Virtual pipes.
    #[default]
    Pipes,
    /// Particles on a bed.
    Sph,
}

impl SolverKind {
    /// Its name in scenes and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pipes => "pipes",
            Self::Sph => "sph",
        }
    }

    /// Names of its parameter tables.
    pub fn presets(self) -> Vec<&'static str> {
        match self {
            Self::Pipes => pipes::Params::PRESETS.map(|(name, _)| name).to_vec(),
            Self::Sph => coupling::Params::PRESETS.map(|(name, _)| name).to_vec(),
        }
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

    fn try_from(SolverTable { kind, preset, backend, rest }: SolverTable) -> Result<Self, String> {
        let unknown = || no_preset(kind, &preset);
        let method = match kind {
            SolverKind::Pipes => {
                let preset = pipes::Params::preset(&preset).ok_or_else(unknown)?;
                Method::Pipes(over(&preset, rest)?)
            }
            SolverKind::Sph => {
                let preset = coupling::Params::preset(&preset).ok_or_else(unknown)?;
                Method::Sph(over(&preset, rest)?)
            }
        };
        Ok(Self { preset, backend, method })
    }
}

/// The parameters of a preset, changed as it is written.
fn over<P: Serialize + DeserializeOwned>(preset: &P, written: toml::Table) -> Result<P, String> {
    let mut params = toml::Table::try_from(preset).map_err(|error| error.to_string())?;
    let keys: Vec<_> = written.keys().cloned().collect();
    merge(&mut params, written);
    params.try_into().map_err(|error: toml::de::Error| {
        let message = error.message();
        let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
        match unknown {
            // It stands beside those that are no parameters.
            Some(name) if keys.iter().any(|key| key == name) => {
                format!("{message}, `kind`, `preset`, `backend`")
            }
            _ => message.to_owned(),
        }
    })
}

/// Puts what is written over what is there, section by section.
fn merge(table: &mut toml::Table, written: toml::Table) {
    for (key, value) in written {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(there)), toml::Value::Table(value)) => merge(there, value),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

fn no_preset(kind: SolverKind, name: &str) -> String {
    let names: Vec<_> = kind.presets().iter().map(|name| format!("`{name}`")).collect();
    let other =
        [SolverKind::Pipes, SolverKind::Sph].into_iter().find(|other| other.presets().contains(&name));
    let whose =
        other.map_or(String::new(), |other| format!(" (this one is for kind = \"{}\")", other.name()));
    format!("unknown preset `{name}`, expected one of {}{whose}", names.join(", "))
}
