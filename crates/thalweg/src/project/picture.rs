//! `[picture]`: how pictures look.

use super::ranges::{angle, depth, height, place, share, strength};
use schemars::transform::Transform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;
use thalweg_field::FieldInfo;
use thalweg_field::describe::within;
use thalweg_field::units::{self, Dimension};
use thalweg_render::{
    ColourMap, Cut, Light, Look, MapStyle, Overlay, Palette, ParticleLook, ParticleShape, ReliefStyle, Scale,
    Snow, WaterLook,
};

/// Size, light, air, water and what is laid over the ground in the view and the frames of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PictureTable {
    /// Columns and rows `[px]`.
    #[schemars(transform = within(1.0, 16_384.0).slider(320.0, 3840.0).of("px"))]
    pub size: [usize; 2],
    /// What draws the view and the frames.
    pub renderer: RendererChoice,
    /// Frames shown in each second of a video `[1/s]`.
    #[schemars(transform = within(1.0, 1000.0).slider(10.0, 60.0).of("1/s"))]
    pub fps: u32,
    /// A line at the top of the picture; empty: none.
    pub title: String,
    /// How surfaces answer to light.
    pub light: LightChoice,
    /// Compass direction that the sun shines from, clockwise from north `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = angle())]
    pub sun_azimuth: f64,
    /// Height of the sun above the horizon `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(1.0e-6, FRAC_PI_2 + 1.0e-5).slider(0.05, 1.5))]
    pub sun_elevation: f64,
    /// Factor on heights `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(1.0e-3, 1.0e3).slider(0.5, 5.0))]
    pub exaggeration: f64,
    /// Whether things cast shadows.
    pub shadows: bool,
    /// Whether hollows receive less skylight than ridges.
    pub ambient_occlusion: bool,
    /// The sky; without it, a plain light backdrop.
    pub sky: bool,
    /// Optical thickness of the air over one width of the terrain; 0 for none `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = strength().slider(0.0, 1.0))]
    pub haze: f64,
    /// Lines on the table that the terrain stands on.
    pub grid: bool,
    /// The triangles of the ground.
    pub wireframe: bool,
    /// A bar of a round length.
    pub scale_bar: bool,
    /// An arrow to the north.
    pub north_arrow: bool,
    /// Colours and numbers of the overlay, or of what colours the particles.
    pub legend: bool,
    /// Where snow lies.
    pub snow: SnowChoice,
    /// With `snow = "auto"`, share of the height range above which it lies; 1 or more for none `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = strength().slider(0.0, 1.0))]
    pub snow_line: f64,
    /// Samples along each side of a pixel.
    #[schemars(transform = within(1.0, 4.0).slider(1.0, 4.0))]
    pub supersampling: u32,
    /// Side of the ground's triangles in the picture `[px]`.
    #[schemars(transform = within(0.25, 1.0e4).slider(0.5, 8.0).of("px"))]
    pub triangle_size: f64,
    /// The water.
    pub water: WaterTable,
    /// The particles.
    pub particles: ParticlesTable,
    /// Where ground of a volume is sawn through, to look into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutTable>,
    /// A quantity laid over the ground in false colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlay: Option<OverlayTable>,
}

/// An upright plane through the ground; what lies beyond is taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CutTable {
    /// A place on it, east and north `[m]`.
    #[serde(with = "units::Pair::<units::Length>")]
    #[schemars(transform = place())]
    pub at: [f64; 2],
    /// Compass direction of what is taken away, clockwise from north `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = angle())]
    pub towards: f64,
}

/// Where snow lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SnowChoice {
    /// On high mountains.
    Auto,
    /// Nowhere.
    Off,
    /// Above a height `[m]`.
    Above(f64),
}

impl Serialize for SnowChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Off => serializer.serialize_str("off"),
            Self::Above(height) => serializer.serialize_str(&format!("{height} m")),
        }
    }
}

impl<'de> Deserialize<'de> for SnowChoice {
    fn deserialize<D: Deserializer<'de>>(snow: D) -> Result<Self, D::Error> {
        struct WordOrHeight;

        impl Visitor<'_> for WordOrHeight {
            type Value = SnowChoice;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                write!(f, "\"auto\", \"off\", or the height above which snow lies, such as \"2400 m\"")
            }

            fn visit_i64<E: de::Error>(self, metres: i64) -> Result<SnowChoice, E> {
                Ok(SnowChoice::Above(metres as f64))
            }

            fn visit_f64<E: de::Error>(self, metres: f64) -> Result<SnowChoice, E> {
                Ok(SnowChoice::Above(metres))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<SnowChoice, E> {
                match text {
                    "auto" => Ok(SnowChoice::Auto),
                    "off" => Ok(SnowChoice::Off),
                    height => units::parse(height, Dimension::Length)
                        .map(SnowChoice::Above)
                        .map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }

        snow.deserialize_any(WordOrHeight)
    }
}

impl JsonSchema for SnowChoice {
    fn schema_name() -> Cow<'static, str> {
        "Snow".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut above = Dimension::Length.schema();
        height().slider(0.0, 4000.0).transform(&mut above);
        json_schema!({ "anyOf": [{ "type": "string", "enum": ["auto", "off"] }, above] })
    }
}

/// What draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RendererChoice {
    /// The graphics device, or the processor where there is none.
    #[default]
    Auto,
    /// The graphics device.
    Gpu,
    /// The processor, which knows fewer looks.
    Cpu,
}

/// How surfaces answer to light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LightChoice {
    /// Sun through the air, skylight from all around.
    #[default]
    Physical,
    /// Ambient, diffuse, highlight.
    Phong,
}

/// How water looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WaterTable {
    /// Whether it is drawn at all.
    pub visible: bool,
    /// Strength of the ripples `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = strength().slider(0.0, 3.0))]
    pub ripples: f64,
    /// Strength of the foam on rapid water `[-]`; particles have it where they run into each other or spray.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = strength().slider(0.0, 3.0))]
    pub foam: f64,
    /// Time that the shutter is open `[s]`: foam and spray of particles are drawn as long as their way meanwhile.
    #[serde(with = "units::Time")]
    #[schemars(transform = within(0.0, 1.0).slider(0.0, 0.2).hint("0 for drops that stand still in the air"))]
    pub shutter: f64,
    /// Whether waves focus sunlight onto the bed.
    pub caustics: bool,
    /// Suspended sediment over depth of water at which it turns to mud `[-]`; missing: 1, of particles 0.05.
    #[serde(with = "units::Ratio", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-9, 1.0e3).slider(0.01, 2.0))]
    pub muddy: Option<f64>,
    /// Water in which the bed has all but vanished `[m]`; missing: 40 m, of particles 40 spacings.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-6, 1.0e6).slider(0.1, 100.0))]
    pub clear_depth: Option<f64>,
    /// Water thinner than this is not drawn `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = depth().slider(0.0, 0.5))]
    pub min_depth: f64,
}

/// How particles look.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ParticlesTable {
    /// As what they are drawn; missing: as a surface those of a run, as spheres those of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeChoice>,
    /// Column that colours them; missing: all are painted as water.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
}

/// As what particles are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeChoice {
    /// As lit spheres.
    Spheres,
    /// As the surface of a fluid.
    Surface,
    /// Not at all.
    Hidden,
}

/// A quantity laid over the ground; may be written as its name alone.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = or_its_name)]
pub struct OverlayTable {
    /// Name of the quantity.
    #[schemars(extend("enum" = OVERLAYS))]
    pub field: String,
    /// Its colours; missing: the usual ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colours: Option<ColoursChoice>,
    /// How values are spread over them; missing: as usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<ScaleChoice>,
    /// First and last value of the colours, in the quantity's unit; missing: what the values span.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(-1.0e12, 1.0e12))]
    pub range: Option<[f64; 2]>,
    /// How much of the ground's own colour it hides `[-]`.
    #[schemars(with = "units::Ratio", default = "opaque", transform = share())]
    pub opacity: f64,
}

/// How much an overlay hides, where the scene does not say `[-]`.
fn opaque() -> f64 {
    1.0
}

/// Lets a table of an overlay be its name alone.
fn or_its_name(table: &mut Schema) {
    *table = json_schema!({ "anyOf": [{ "type": "string", "enum": OVERLAYS }, table.clone()] });
}

/// Colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColoursChoice {
    /// Dark violet over green to yellow.
    Viridis,
    /// Dark blue over grey to yellow.
    Cividis,
    /// White to dark blue.
    Blues,
    /// Pale yellow over orange to brown.
    Browns,
    /// Brown over white to green-blue.
    Diverging,
    /// Red over light grey to blue.
    RedBlue,
    /// Light grey to red.
    Loss,
    /// Light grey to blue.
    Gain,
}

impl From<ColoursChoice> for ColourMap {
    fn from(choice: ColoursChoice) -> Self {
        match choice {
            ColoursChoice::Viridis => Self::Viridis,
            ColoursChoice::Cividis => Self::Cividis,
            ColoursChoice::Blues => Self::Blues,
            ColoursChoice::Browns => Self::Browns,
            ColoursChoice::Diverging => Self::Diverging,
            ColoursChoice::RedBlue => Self::RedBlue,
            ColoursChoice::Loss => Self::Loss,
            ColoursChoice::Gain => Self::Gain,
        }
    }
}

/// How values are spread over colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScaleChoice {
    /// Evenly.
    Linear,
    /// By their order of magnitude.
    Log,
    /// Evenly, with zero in the middle.
    AroundZero,
}

/// What a run can lay over the ground, by name.
pub const OVERLAYS: [&str; 24] = [
    "waves",
    "foam",
    "displacement_east",
    "displacement_north",
    "sea_share",
    "erosion-deposition",
    "change",
    "flow",
    "speed",
    "slope",
    "sediment",
    "water",
    "wetness",
    "erosion",
    "deposition",
    "height",
    "velocity_east",
    "velocity_north",
    "drainage_area",
    "steepness",
    "chi",
    "basins",
    "uplift",
    "age",
];

impl Default for PictureTable {
    /// As the renderer draws if nobody says anything.
    fn default() -> Self {
        let look = Look::default();
        Self {
            size: [1600, 900],
            renderer: RendererChoice::Auto,
            fps: 25,
            title: String::new(),
            light: LightChoice::Physical,
            sun_azimuth: decimal(look.relief.sun_azimuth),
            sun_elevation: decimal(look.relief.sun_elevation),
            exaggeration: decimal(look.relief.vertical_exaggeration),
            shadows: look.shadows,
            ambient_occlusion: look.ambient_occlusion,
            sky: look.sky,
            haze: decimal(look.haze),
            grid: look.grid,
            wireframe: look.wireframe,
            scale_bar: true,
            north_arrow: true,
            legend: true,
            snow: SnowChoice::Auto,
            snow_line: decimal(look.relief.palette.snow_line),
            supersampling: look.supersampling,
            triangle_size: decimal(look.triangle_size),
            water: WaterTable::default(),
            particles: ParticlesTable::default(),
            cut: None,
            overlay: None,
        }
    }
}

impl Default for WaterTable {
    fn default() -> Self {
        let Look { relief, water, .. } = Look::default();
        Self {
            visible: water.visible,
            ripples: decimal(water.ripples),
            foam: decimal(water.foam),
            shutter: decimal(water.shutter),
            caustics: water.caustics,
            muddy: None,
            clear_depth: None,
            min_depth: decimal(relief.water_min_depth),
        }
    }
}

impl WaterTable {
    /// Writes out how clear the water is: as the renderer has it, or for water of particles that far apart `[m]`.
    pub(super) fn fill_in(&mut self, spacing: Option<f64>) {
        let [clear, muddy] = Self::usual(spacing);
        self.clear_depth.get_or_insert(clear);
        self.muddy.get_or_insert(muddy);
    }

    /// Depth of clear water `[m]` and share of mud `[-]` that suit the method, or particles that far apart `[m]`.
    pub fn usual(spacing: Option<f64>) -> [f64; 2] {
        /// Depth at which the bed has all but vanished, in spacings: water that is some particles deep would look
        /// like air if it were as clear as a lake's `[-]`.
        const CLEAR: f64 = 40.0;
        /// Share of sediment that turns particles to mud: as in nature, for their runs lapse no time `[-]`.
        const MUDDY: f64 = 0.05;
        let Look { relief, water, .. } = Look::default();
        match spacing {
            Some(spacing) => [decimal((CLEAR * spacing) as f32), MUDDY],
            None => [decimal(relief.water_deep), decimal(water.muddy)],
        }
    }
}

/// The shortest decimal number that is this one: 0.16, and not 0.1599999964237213.
pub(super) fn decimal(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}

impl OverlayTable {
    /// A quantity in its usual colours.
    pub fn named(field: impl Into<String>) -> Self {
        Self { field: field.into(), colours: None, scale: None, range: None, opacity: opaque() }
    }
}

impl<'de> Deserialize<'de> for OverlayTable {
    fn deserialize<D: Deserializer<'de>>(overlay: D) -> Result<Self, D::Error> {
        overlay.deserialize_any(NameOrTable)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = OverlayTable;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "the name of a quantity, or a table such as {{ field = \"flow\", opacity = 0.5 }}")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<OverlayTable, E> {
        Ok(OverlayTable::named(name))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OverlayTable, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Whole {
            field: String,
            colours: Option<ColoursChoice>,
            scale: Option<ScaleChoice>,
            range: Option<[f64; 2]>,
            #[serde(default, with = "units::Ratio")]
            opacity: Option<f64>,
        }
        let Whole { field, colours, scale, range, opacity } =
            Whole::deserialize(MapAccessDeserializer::new(map))?;
        Ok(OverlayTable { field, colours, scale, range, opacity: opacity.unwrap_or_else(opaque) })
    }
}

impl PictureTable {
    /// Memory that drawing a picture takes, beside the snapshot `[bytes]`.
    pub fn memory(&self) -> u64 {
        /// The picture itself, its floats on the processor and what comes back from the device, for each pixel.
        const PIXEL: u64 = 48;
        /// Light and depth, for each sample.
        const SAMPLE: u64 = 16;
        let [width, height] = self.size.map(|side| side as u64);
        let samples = u64::from(self.supersampling) * u64::from(self.supersampling);
        (width * height).saturating_mul(PIXEL + SAMPLE * samples)
    }

    /// The look that it describes.
    pub fn look(&self) -> Look {
        let palette = Palette { snow_line: self.snow_line as f32, ..Palette::default() };
        let usual = Look::default();
        let or = |number: Option<f64>, usual: f32| number.map_or(usual, |number| number as f32);
        Look {
            relief: ReliefStyle {
                sun_azimuth: self.sun_azimuth as f32,
                sun_elevation: self.sun_elevation as f32,
                vertical_exaggeration: self.exaggeration as f32,
                water_deep: or(self.water.clear_depth, usual.relief.water_deep),
                water_min_depth: self.water.min_depth as f32,
                snow: match self.snow {
                    SnowChoice::Auto => Snow::Auto,
                    SnowChoice::Off => Snow::Off,
                    SnowChoice::Above(height) => Snow::Above(height as f32),
                },
                palette,
                ..ReliefStyle::side_lit()
            },
            light: match self.light {
                LightChoice::Physical => Light::Physical,
                LightChoice::Phong => Light::Phong,
            },
            shadows: self.shadows,
            ambient_occlusion: self.ambient_occlusion,
            sky: self.sky,
            haze: self.haze as f32,
            grid: self.grid,
            wireframe: self.wireframe,
            water: WaterLook {
                visible: self.water.visible,
                ripples: self.water.ripples as f32,
                foam: self.water.foam as f32,
                shutter: self.water.shutter as f32,
                caustics: self.water.caustics,
                muddy: or(self.water.muddy, usual.water.muddy),
            },
            particles: self.particles.look(),
            overlay: self.overlay.as_ref().map(OverlayTable::overlay),
            cut: self
                .cut
                .map(|CutTable { at, towards }| Cut { at: at.map(|x| x as f32), towards: towards as f32 }),
            supersampling: self.supersampling,
            triangle_size: self.triangle_size as f32,
            ..usual
        }
    }

    /// The key that a number of a look comes from.
    pub(super) fn key_of(name: &str) -> String {
        match name {
            "vertical_exaggeration" => "exaggeration".into(),
            "water_deep" => "water.clear_depth".into(),
            "water_min_depth" => "water.min_depth".into(),
            "ripples" | "foam" | "shutter" | "muddy" => format!("water.{name}"),
            "opacity" => "overlay.opacity".into(),
            other => other.into(),
        }
    }
}

impl ParticlesTable {
    fn look(&self) -> ParticleLook {
        ParticleLook {
            shape: match self.shape {
                None | Some(ShapeChoice::Spheres) => ParticleShape::Spheres,
                Some(ShapeChoice::Surface) => ParticleShape::Surface,
                Some(ShapeChoice::Hidden) => ParticleShape::Hidden,
            },
            // Maps of water begin with white, which spheres would lose their form in.
            colour: self.colour.clone().map(|column| (column.into(), MapStyle::default())),
        }
    }
}

impl OverlayTable {
    /// The overlay that it describes.
    pub fn overlay(&self) -> Overlay {
        let mut style = usual(&self.field);
        if let Some(colours) = self.colours {
            style.colours = colours.into();
        }
        if let Some(scale) = self.scale {
            style.scale = match scale {
                ScaleChoice::Linear => Scale::Linear,
                ScaleChoice::Log => Scale::Log,
                ScaleChoice::AroundZero => Scale::AroundZero,
            };
        }
        if let Some(range) = self.range {
            style.range = Some(range.map(|v| v as f32));
        }
        Overlay { field: self.field.clone().into(), style, opacity: self.opacity as f32 }
    }
}

/// The usual colours of a quantity.
fn usual(name: &str) -> MapStyle {
    MapStyle::of(&FieldInfo { name: name.to_owned().into(), unit: "-".into(), meaning: "".into() })
}
