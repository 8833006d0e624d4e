//! `[output]`: what a run writes, and how often.

use super::ranges;
use super::ranges::steps;
use schemars::transform::Transform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::str::FromStr;
use thalweg_field::describe::{about, live, within};
use thalweg_field::units::{self, Dimension};

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Output {
    /// Whether `maps/` of water, sediment, erosion and so on are written; `height` always is.
    pub maps: bool,
    /// Names of maps that are written to `maps/` only when they are asked for: of `pipes` the flow to each neighbour, `outflow_west`,
    /// `outflow_east`, `outflow_north`, `outflow_south` and, with eight neighbours, `outflow_north_west` and so on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more_maps: Vec<String>,
    /// Steps (`10`) or simulated time (`"0.04 s"`) between two frames of all maps in `map_frames/`, each an EXR with a layer for every map unless
    /// `map_formats` says otherwise; 0: none.
    #[serde(skip_serializing_if = "is_never")]
    #[schemars(transform = about().fixed())]
    pub maps_every: Every,
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
    /// Length of a film of the whole run, whose 2 to 100000 frames are spread evenly over it `[s]`; instead of `frames_every`.
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
    /// Steps or simulated time between two lines of `bodies/NAME.csv`, which tell where each body is and how it is turned; 0: none.
    #[schemars(transform = about().fixed())]
    pub bodies_every: Every,
    /// Steps between two files of the fluid's surface; 0: that of the last step alone.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(transform = steps().slider(0.0, 1000.0))]
    pub surface_every: u64,
    /// Formats that the fluid's surface is written in; none: it is not.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<SurfaceFormat>")]
    pub surface: Vec<SurfaceFormat>,
    /// Formats that maps are written in; none given: EXR and PNG, and GeoTIFF too where the terrain has a coordinate system.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<MapFormat>")]
    pub map_formats: Vec<MapFormat>,
    /// Maps for artists and engines that are written to `art/` at the end.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<ArtMap>")]
    pub art: Vec<ArtMap>,
    /// Formats that the ground is written in as a mesh at the end, as `mesh/ground`; none: it is not.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<SurfaceFormat>")]
    pub ground: Vec<SurfaceFormat>,
    /// Formats that the surface of the water of maps is written in as a mesh at the end, as `mesh/water`; none: it is not.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<SurfaceFormat>")]
    pub water: Vec<SurfaceFormat>,
    /// Triangles of a mesh of heights or of water, at most, without walls and floor; they go where they are needed most.
    #[schemars(transform = within(2.0, 1.0e9).slider(1000.0, 1_000_000.0))]
    pub mesh_triangles: u64,
    /// Whether the mesh of heights is closed: walls go down from its edges to a floor below the lowest point.
    pub mesh_closed: bool,
    /// Which way is up in files of meshes; missing: `y` in OBJ and GLB, `z` in PLY and STL. GLB is always `y`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh_up: Option<Up>,
    /// Steps between two files of volumes; 0: those of the last step alone.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(transform = steps().slider(0.0, 1000.0))]
    pub volumes_every: u64,
    /// Formats that particles and ground which is a volume are written in as volumes; none: they are not.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<VolumeFormat>")]
    pub volumes: Vec<VolumeFormat>,
    /// Steps (`10`) or simulated time (`"0.04 s"`) between two moments of the animation; 0: there is none. With a time,
    /// moments are at exact multiples of it.
    #[serde(skip_serializing_if = "is_never")]
    #[schemars(transform = about().fixed())]
    pub animation_every: Every,
    /// Formats of the animation of water, bodies and particles over ground.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<AnimationFormat>")]
    pub animation: Vec<AnimationFormat>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            maps: true,
            more_maps: Vec::new(),
            maps_every: Every::NEVER,
            pictures: true,
            checkpoint_every: 5000,
            last_state: true,
            frames_every: Every::NEVER,
            video: None,
            particles_every: 0,
            particles: Vec::new(),
            bodies_every: Every::Time(0.1),
            surface_every: 0,
            surface: Vec::new(),
            map_formats: Vec::new(),
            art: Vec::new(),
            ground: Vec::new(),
            water: Vec::new(),
            mesh_triangles: 200_000,
            mesh_closed: false,
            mesh_up: None,
            volumes_every: 0,
            volumes: Vec::new(),
            animation_every: Every::NEVER,
            animation: Vec::new(),
        }
    }
}

impl Output {
    /// Writes out the formats that the program would choose.
    pub(super) fn fill_in(&mut self) {
        if self.particles_every > 0 && self.particles.is_empty() {
            self.particles.push(ParticleFormat::Ply);
        }
        if self.surface_every > 0 && self.surface.is_empty() {
            self.surface.push(SurfaceFormat::Obj);
        }
        if self.volumes_every > 0 && self.volumes.is_empty() {
            self.volumes.push(VolumeFormat::Vdb);
        }
        if self.animation_every != Every::NEVER && self.animation.is_empty() {
            self.animation.push(AnimationFormat::Usda);
        }
    }
}

fn is_never(every: &Every) -> bool {
    *every == Every::NEVER
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How often something is done while a scene runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Every {
    /// After so many steps; 0: never.
    Steps(u64),
    /// At the first step at or past each multiple of a simulated time `[s]`.
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
        ranges::steps().transform(&mut steps);
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
    /// For printers, binary; no colours.
    Stl,
}

impl SurfaceFormat {
    /// How its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Glb => "glb",
            Self::Stl => "stl",
        }
    }
}

/// Formats of maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MapFormat {
    /// A file of 32-bit floats for each map.
    Exr,
    /// A file of 16 bits for each map, made for the eye.
    Png,
    /// A GeoTIFF of 32-bit floats for each map.
    Tif,
    /// All maps in one EXR file, `maps.exr`, each a part with Houdini's name.
    Layers,
    /// All maps in one file for Python, `maps.npz`.
    Npz,
    /// All maps in one file for ParaView, `maps.vti`.
    Vti,
}

/// Maps for artists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArtMap {
    /// Normals with green to the north, as Blender, Unity, Godot and Houdini have them.
    Normal,
    /// Normals with green to the south, as Unreal has them.
    NormalDirectx,
    /// How the ground bends, the Laplacian.
    Curvature,
    /// Share of the sky that is seen.
    AmbientOcclusion,
    /// Shares of rock, soil, loose ground and water as red, green, blue and alpha, 255 together.
    Splat,
    /// Which way water flows: red to the east, green to the north.
    FlowDirection,
    /// Distance from the shore, below zero in water.
    Shoreline,
    /// Share of the water that is white, where waves or particles tell it.
    Foam,
    /// Depth of the ground that was worn away.
    Wear,
    /// Depth of the ground that was laid down.
    Debris,
}

/// Formats of volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VolumeFormat {
    /// OpenVDB: fog, velocity and level set.
    Vdb,
    /// NRRD: the rock of ground that is a volume.
    Nrrd,
    /// VTK image data: the rock of ground that is a volume.
    Vti,
}

/// Formats of animations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnimationFormat {
    /// USD as text, with a sample for each moment.
    Usda,
    /// glTF, binary: a mesh for each moment, seen one after the other.
    Glb,
}

impl AnimationFormat {
    /// How its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Usda => "usda",
            Self::Glb => "glb",
        }
    }
}

/// Which way is up in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Up {
    /// East, north and up are x, -z and y.
    Y,
    /// East, north and up are x, y and z.
    Z,
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
