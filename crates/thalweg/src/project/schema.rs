//! What a scene file may say.

use super::ranges::{
    Point, depth, discharge, height, length, place, share, size, span, steps, time, velocity,
};
use super::{CameraTable, PictureTable, ShapeChoice};
use schemars::transform::Transform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, DeserializeOwned, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::str::FromStr;
use thalweg_coupling as coupling;
use thalweg_erosion::pipes::{self, Edges};
use thalweg_field::describe::{about, live, within};
use thalweg_field::units::{self, Dimension};
use thalweg_terrain::Recipe;
use thalweg_terrain::recipe::{Island, Layer};

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

/// The ground: a file, or layers of noise and shapes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Terrain {
    /// Heightmap to read, beside the scene file or below it: PNG, TIFF, EXR, R16, RAW.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Heights of code 0 and of the largest code of an integer file, or of 0 and 1 in a float file [m]; missing: as the
    /// file says, else its numbers are metres.
    #[serde(with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = height())]
    pub height_range: Option<[f64; 2]>,
    /// Columns and rows; a file is resampled to them. Missing: those of the file, or 512 by 512.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0, 65_536.0).slider(64.0, 2048.0).of("cells"))]
    pub size: Option<[usize; 2]>,
    /// Side of a cell [m], which wins over what a file says; missing: as the file says, else 1 m, and 10 m without a file.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-3, 1.0e5).slider(0.1, 100.0).hint("the side of a cell"))]
    pub cell: Option<f64>,
    /// How hard the ground is; missing: as soft as the parameters say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardness: Option<Hardness>,
    /// Makes the edges sink; not together with `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub island: Option<Island>,
    /// Procedural ground, the lowest layer first; not together with `file`. With neither, a mountain range.
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

/// Hardness of the ground from 0 (as soft as the parameters say) to 1 (never erodes).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hardness {
    /// Image, black is 0 and white is 1, stretched over the terrain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Layers as for terrain whose height, read as a pure number, is the hardness; beyond 0 and 1 it is cut off.
    #[serde(rename = "layer", skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
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

/// How long a run takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Time {
    /// Steps on the terrain itself.
    #[schemars(transform = steps().slider(0.0, 20_000.0))]
    pub steps: u64,
    /// Simulated time after which the last pass ends, if the steps have not run out before [s].
    #[serde(with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = span().slider(1.0, 86_400.0))]
    pub duration: Option<f64>,
    /// Passes over a coarser terrain before, which lay out the large valleys.
    #[serde(rename = "coarse", skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = about().fixed())]
    pub coarse: Vec<Coarse>,
}

impl Default for Time {
    fn default() -> Self {
        Self { steps: 2000, duration: None, coarse: Vec::new() }
    }
}

/// A pass over a coarser terrain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coarse {
    /// How many cells of the terrain make one of this pass, along each side; it falls from pass to pass.
    #[schemars(transform = within(2.0, 65_536.0).slider(2.0, 32.0).of("cells"))]
    pub factor: usize,
    /// Steps of this pass.
    #[schemars(transform = steps().slider(0.0, 5000.0))]
    pub steps: u64,
    /// Share of the finer terrain's own detail that is put back afterwards, 0 to 1 [-].
    #[serde(default = "half", with = "units::Ratio")]
    #[schemars(transform = share())]
    pub detail: f64,
}

fn half() -> f64 {
    0.5
}

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Output {
    /// Whether `maps/` of water, sediment, erosion and so on are written; `height` always is.
    pub maps: bool,
    /// Whether `pictures/` of the terrain before and after are drawn.
    #[schemars(transform = about().fixed())]
    pub pictures: bool,
    /// Steps between two checkpoints on the way, which are never more than ten minutes apart; 0: none but when stopped.
    #[schemars(transform = steps().slider(0.0, 20_000.0))]
    pub checkpoint_every: u64,
    /// Whether the last state is kept, so that a longer run can go on from it.
    pub last_state: bool,
    /// Steps (`200`) or simulated time (`"0.04 s"`) between two pictures in `frames/`; 0: none.
    #[schemars(transform = about().fixed())]
    pub frames_every: Every,
    /// Length of a film of the whole run, whose 2 to 100000 frames are spread evenly over it [s]; instead of `frames_every`.
    #[serde(with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = about().slider(2.0, 60.0).fixed())]
    pub video: Option<f64>,
    /// Steps between two files of particles; 0: those of the last step alone.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(transform = steps().slider(0.0, 1000.0))]
    pub particles_every: u64,
    /// Formats that particles are written in; none: they are not.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<ParticleFormat>")]
    pub particles: Vec<ParticleFormat>,
    /// Steps between two files of the fluid's surface; 0: that of the last step alone.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(transform = steps().slider(0.0, 1000.0))]
    pub surface_every: u64,
    /// Formats that the fluid's surface is written in; none: it is not.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<SurfaceFormat>")]
    pub surface: Vec<SurfaceFormat>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            maps: true,
            pictures: true,
            checkpoint_every: 5000,
            last_state: true,
            frames_every: Every::NEVER,
            video: None,
            particles_every: 0,
            particles: Vec::new(),
            surface_every: 0,
            surface: Vec::new(),
        }
    }
}

impl Output {
    /// Writes out the formats that the program would choose.
    fn fill_in(&mut self) {
        if self.particles_every > 0 && self.particles.is_empty() {
            self.particles.push(ParticleFormat::Ply);
        }
        if self.surface_every > 0 && self.surface.is_empty() {
            self.surface.push(SurfaceFormat::Obj);
        }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How often something is done while a scene runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Every {
    /// After so many steps; 0: never.
    Steps(u64),
    /// At the first step at or past each multiple of a simulated time [s].
    Time(f64),
}

impl Every {
    /// Not at all.
    pub const NEVER: Self = Self::Steps(0);
}

impl FromStr for Every {
    type Err = String;

    /// Reads a number of steps, `200`, or a time with its unit, `0.04 s`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || {
            format!(
                "\"{text}\" is neither a number of steps, such as 200, nor a time with its unit, such as \"0.04 s\""
            )
        };
        if let Ok(steps) = text.trim().parse() {
            return Ok(Self::Steps(steps));
        }
        // A time that lacks its unit might be meant as steps.
        let bare = text.trim().parse::<f64>().is_ok();
        let time = units::parse(text, Dimension::Time).ok().filter(|_| !bare);
        time.map(Self::Time).ok_or_else(wanted)
    }
}

impl Serialize for Every {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Steps(steps) => steps.serialize(serializer),
            Self::Time(seconds) => format!("{seconds} s").serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Every {
    fn deserialize<D: Deserializer<'de>>(every: D) -> Result<Self, D::Error> {
        struct StepsOrTime;

        impl Visitor<'_> for StepsOrTime {
            type Value = Every;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                write!(f, "a number of steps, or text with a time such as \"0.04 s\"")
            }

            fn visit_u64<E: de::Error>(self, steps: u64) -> Result<Every, E> {
                Ok(Every::Steps(steps))
            }

            fn visit_i64<E: de::Error>(self, steps: i64) -> Result<Every, E> {
                let negative = |_| E::invalid_value(de::Unexpected::Signed(steps), &self);
                u64::try_from(steps).map(Every::Steps).map_err(negative)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Every, E> {
                text.parse().map_err(E::custom)
            }
        }

        every.deserialize_any(StepsOrTime)
    }
}

impl JsonSchema for Every {
    fn schema_name() -> Cow<'static, str> {
        "Every".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut time = Dimension::Time.schema();
        // A plain number is one of steps.
        time.insert("type".into(), "string".into());
        within(1.0e-6, 1.0e12).transform(&mut time);
        let mut steps = json_schema!({ "type": "integer" });
        super::ranges::steps().transform(&mut steps);
        json_schema!({ "anyOf": [steps, time] })
    }
}

/// Formats of particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ParticleFormat {
    /// Stanford polygons, binary.
    Ply,
    /// VTK poly data, for ParaView.
    Vtp,
}

impl ParticleFormat {
    /// How its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Ply => "ply",
            Self::Vtp => "vtp",
        }
    }
}

/// Formats of the fluid's surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceFormat {
    /// Wavefront.
    Obj,
    /// Stanford polygons, binary.
    Ply,
    /// glTF, binary.
    Glb,
}

impl SurfaceFormat {
    /// How its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Glb => "glb",
        }
    }
}

/// Describes what [`one_or_many`] reads.
struct OneOrMany<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}_or_many", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [generator.subschema_for::<T>(), generator.subschema_for::<Vec<T>>()] })
    }
}

/// Reads a value, or a list of them.
fn one_or_many<'de, D: Deserializer<'de>, T: Deserialize<'de>>(list: D) -> Result<Vec<T>, D::Error> {
    struct OneOrList<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrList<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            write!(f, "a format, or a list of formats")
        }

        fn visit_str<E: de::Error>(self, name: &str) -> Result<Vec<T>, E> {
            T::deserialize(name.into_deserializer()).map(|one| vec![one])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(list))
        }
    }

    list.deserialize_any(OneOrList(PhantomData))
}

/// Water standing in a rectangle at the beginning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// Height of the surface [m]; ground above it stays dry.
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = height().slider(-100.0, 2000.0))]
    pub level: Option<f64>,
    /// Depth everywhere in the rectangle [m].
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = depth().slider(0.0, 100.0))]
    pub depth: Option<f64>,
    /// South-west corner of the rectangle, east and north of the terrain's own; missing: the terrain's.
    #[serde(default = "corner", with = "units::Pair::<units::Length>")]
    #[schemars(transform = place())]
    pub from: [f64; 2],
    /// Its north-east corner; missing: beyond the terrain.
    #[serde(default = "far", with = "units::Pair::<units::Length>")]
    #[schemars(transform = place())]
    pub to: [f64; 2],
    /// Height of its underside, for water that begins in the air [m]; missing: the bed.
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = height().slider(-10.0, 100.0))]
    pub bottom: Option<f64>,
    /// How fast particles of it move [m/s]; missing: they stand.
    #[serde(default, with = "units::Triple::<units::Speed>", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = velocity())]
    pub velocity: Option<[f64; 3]>,
    /// Share of it that is sediment [-]; missing: none.
    #[serde(default, with = "units::Ratio", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = share())]
    pub sediment: Option<f64>,
    /// How long particles of it last [s]; missing: for ever.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = span().slider(0.1, 600.0).hint("leave it out for particles that last for ever"))]
    pub lifetime: Option<f64>,
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rain {
    /// Even rain on every cell [m/s].
    #[serde(default, with = "units::Speed", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(0.0, 10.0).slider(0.0, 1.0e-4).hint("a cloudburst has 1e-4; rain cannot be negative, use 0 for a dry run"))]
    pub rate: Option<f64>,
    /// Single drops at random places instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drops: Option<Drops>,
    /// Image of how much of the rain arrives, stretched over the terrain: black none, white all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// When it begins [s].
    #[serde(default, with = "units::Time")]
    #[schemars(transform = time().slider(0.0, 86_400.0))]
    pub start: f64,
    /// When it ends [s]; missing: never.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = time().slider(0.0, 86_400.0))]
    pub stop: Option<f64>,
}

/// Rain drops at random places.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drops {
    /// Drops on the whole terrain in each second [1/s].
    #[serde(with = "units::Rate")]
    #[schemars(transform = within(0.0, 1.0e6).slider(0.0, 1000.0).hint("even rain, rate, is faster for more"))]
    pub per_second: f64,
    /// Water that one drop leaves on the cells it hits [m].
    #[serde(with = "units::Length")]
    #[schemars(transform = within(0.0, 100.0).slider(0.0, 1.0))]
    pub depth: f64,
    /// Radius of a drop [m].
    #[serde(with = "units::Length")]
    #[schemars(transform = length().slider(0.0, 100.0))]
    pub radius: f64,
}

/// A place where water comes or goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Place, metres east and north of the south-west corner; the disc must touch the terrain.
    #[serde(with = "units::Pair::<units::Length>")]
    #[schemars(transform = place())]
    pub at: [f64; 2],
    /// Water in each second [m³/s], positive for both; a drain takes as much as there is.
    #[serde(with = "units::Discharge")]
    #[schemars(transform = discharge().slider(0.0, 1000.0).hint("the Amazon has 2e5; [[source]] adds water, [[drain]] takes it away"))]
    pub rate: f64,
    /// Radius of the disc over which it is spread [m]; 0: the nearest cell.
    #[serde(default, with = "units::Length")]
    #[schemars(transform = length().slider(0.0, 200.0))]
    pub radius: f64,
    /// When it begins [s].
    #[serde(default, with = "units::Time")]
    #[schemars(transform = time().slider(0.0, 86_400.0))]
    pub start: f64,
    /// When it ends [s]; missing: never.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = time().slider(0.0, 86_400.0))]
    pub stop: Option<f64>,
}

/// A place where particles come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Emitter {
    /// Its form.
    pub shape: EmitterShape,
    /// Middle of a disc: metres east, north and up.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// Radius of a disc [m].
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = size().slider(0.05, 10.0))]
    pub radius: Option<f64>,
    /// Lowest corner of a box, or one end of a line: metres east, north and up.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub from: Option<[f64; 3]>,
    /// Highest corner of a box, or the other end of a line.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// Whether its heights count from the bed below its middle, as it is at the beginning.
    #[serde(default)]
    pub above_bed: bool,
    /// Velocity of the water that comes out, east, north and up [m/s]; with a rate, only its direction counts.
    #[serde(with = "units::Triple::<units::Speed>")]
    #[schemars(transform = velocity())]
    pub velocity: [f64; 3],
    /// Water in each second [m³/s]; missing: as much as the velocity carries.
    #[serde(default, with = "units::Discharge", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = discharge().slider(0.0, 10.0))]
    pub rate: Option<f64>,
    /// How long its particles last [s]; missing: for ever.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = span().slider(0.1, 600.0).hint("leave it out for particles that last for ever"))]
    pub lifetime: Option<f64>,
    /// Share of the water that is sediment [-].
    #[serde(default, with = "units::Ratio")]
    #[schemars(transform = share())]
    pub sediment: f64,
    /// When it begins [s].
    #[serde(default, with = "units::Time")]
    #[schemars(transform = time().slider(0.0, 600.0))]
    pub start: f64,
    /// When it ends [s]; missing: never.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = time().slider(0.0, 600.0))]
    pub stop: Option<f64>,
}

impl Emitter {
    /// East and north of its middle [m].
    pub fn middle(&self) -> [f64; 2] {
        let place = |place: Option<[f64; 3]>| place.unwrap_or_default();
        let [from, to] = match self.shape {
            EmitterShape::Disc => [place(self.at); 2],
            EmitterShape::Box | EmitterShape::Line => [place(self.from), place(self.to)],
        };
        [0, 1].map(|axis| 0.5 * (from[axis] + to[axis]))
    }
}

/// Forms of emitters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EmitterShape {
    /// Water fills it and moves out of it as a whole.
    Box,
    /// A disc across the flow.
    Disc,
    /// A line across the flow, one particle thick.
    Line,
}

/// A box in which particles vanish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sink {
    /// Lowest corner: metres east, north and up.
    #[serde(with = "units::Triple::<units::Length>")]
    #[schemars(transform = place())]
    pub from: [f64; 3],
    /// Highest corner.
    #[serde(with = "units::Triple::<units::Length>")]
    #[schemars(transform = place())]
    pub to: [f64; 3],
}
