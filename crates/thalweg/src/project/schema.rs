//! What a scene file may say.

use super::{CameraTable, PictureTable, ShapeChoice, SolverTable};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::marker::PhantomData;
use std::str::FromStr;
use thalweg_erosion::pipes::Edges;
use thalweg_field::units::{self, Dimension};
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
    pub solver: SolverTable,
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
            solver: SolverTable::default(),
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
        let spacing = (self.solver.method().spacing)(self.solver.table());
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

fn height_range<'de, D: Deserializer<'de>>(range: D) -> Result<Option<[f64; 2]>, D::Error> {
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
    /// Whether the last state is kept, so that a longer run can go on from it.
    pub last_state: bool,
    /// Steps or simulated time between two pictures in `frames/`; 0: none.
    pub frames_every: Every,
    /// Length of a film of the whole run, whose frames are spread evenly over it [s]; missing: none.
    #[serde(deserialize_with = "units::optional_time", skip_serializing_if = "Option::is_none")]
    pub video: Option<f64>,
    /// Steps between two files of particles; 0: those of the last step alone.
    #[serde(skip_serializing_if = "is_zero")]
    pub particles_every: u64,
    /// Formats that particles are written in; none: they are not.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub particles: Vec<ParticleFormat>,
    /// Steps between two files of the fluid's surface; 0: that of the last step alone.
    #[serde(skip_serializing_if = "is_zero")]
    pub surface_every: u64,
    /// Formats that the fluid's surface is written in; none: it is not.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
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

/// Formats of particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Reads a value, or a list of them.
fn one_or_many<'de, D: Deserializer<'de>, T: Deserialize<'de>>(list: D) -> Result<Vec<T>, D::Error> {
    struct OneOrMany<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMany<T> {
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

    list.deserialize_any(OneOrMany(PhantomData))
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
    /// Height of its underside, for water that begins in the air [m]; missing: the bed.
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    pub bottom: Option<f64>,
    /// How fast particles of it move [m/s]; missing: they stand.
    #[serde(default, deserialize_with = "optional_velocity", skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Share of it that is sediment [-]; missing: none.
    #[serde(default, deserialize_with = "units::optional_ratio", skip_serializing_if = "Option::is_none")]
    pub sediment: Option<f64>,
    /// How long particles of it last [s]; missing: for ever.
    #[serde(default, deserialize_with = "units::optional_time", skip_serializing_if = "Option::is_none")]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

/// A place where particles come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emitter {
    /// Its form.
    pub shape: EmitterShape,
    /// Middle of a disc: metres east, north and up.
    #[serde(default, deserialize_with = "optional_point", skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// Radius of a disc [m].
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Lowest corner of a box, or one end of a line: metres east, north and up.
    #[serde(default, deserialize_with = "optional_point", skip_serializing_if = "Option::is_none")]
    pub from: Option<[f64; 3]>,
    /// Highest corner of a box, or the other end of a line.
    #[serde(default, deserialize_with = "optional_point", skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// Whether its heights count from the bed below its middle, as it is at the beginning.
    #[serde(default)]
    pub above_bed: bool,
    /// Velocity of the water that comes out, east, north and up [m/s]; with a rate, only its direction counts.
    #[serde(deserialize_with = "velocity")]
    pub velocity: [f64; 3],
    /// Water in each second [m³/s]; missing: as much as the velocity carries.
    #[serde(
        default,
        deserialize_with = "units::optional_discharge",
        skip_serializing_if = "Option::is_none"
    )]
    pub rate: Option<f64>,
    /// How long its particles last [s]; missing: for ever.
    #[serde(default, deserialize_with = "units::optional_time", skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<f64>,
    /// Share of the water that is sediment [-].
    #[serde(default, deserialize_with = "units::ratio")]
    pub sediment: f64,
    /// When it begins [s].
    #[serde(default, deserialize_with = "units::time")]
    pub start: f64,
    /// When it ends [s]; missing: never.
    #[serde(default, deserialize_with = "units::optional_time", skip_serializing_if = "Option::is_none")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sink {
    /// Lowest corner: metres east, north and up.
    #[serde(deserialize_with = "point")]
    pub from: [f64; 3],
    /// Highest corner.
    #[serde(deserialize_with = "point")]
    pub to: [f64; 3],
}

/// A length among others.
#[derive(Deserialize)]
struct Metres(#[serde(deserialize_with = "units::length")] f64);

/// Reads a place: metres east, north and up.
fn point<'de, D: Deserializer<'de>>(place: D) -> Result<[f64; 3], D::Error> {
    <[Metres; 3]>::deserialize(place).map(|place| place.map(|Metres(length)| length))
}

/// Reads a place that may be missing.
pub(super) fn optional_point<'de, D: Deserializer<'de>>(place: D) -> Result<Option<[f64; 3]>, D::Error> {
    point(place).map(Some)
}

/// A speed among others.
#[derive(Deserialize)]
struct MetresPerSecond(#[serde(deserialize_with = "units::speed")] f64);

/// Reads a velocity: metres per second to the east, to the north and up.
fn velocity<'de, D: Deserializer<'de>>(velocity: D) -> Result<[f64; 3], D::Error> {
    <[MetresPerSecond; 3]>::deserialize(velocity).map(|parts| parts.map(|MetresPerSecond(speed)| speed))
}

fn optional_velocity<'de, D: Deserializer<'de>>(parts: D) -> Result<Option<[f64; 3]>, D::Error> {
    velocity(parts).map(Some)
}
