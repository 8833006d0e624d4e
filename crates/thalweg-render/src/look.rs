//! How a view of a landscape looks, beyond what a map shows.

use std::borrow::Cow;

use glam::Vec3;

use crate::light::linear;
use crate::scene::{StyleError, check};
use crate::{MapStyle, ReliefStyle};

/// Light, air, water and what is laid over the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Sun, exaggeration, colours of the ground.
    pub relief: ReliefStyle,
    /// How surfaces answer to light.
    pub light: Light,
    /// Whether things cast shadows.
    pub shadows: bool,
    /// Whether hollows receive less skylight than ridges.
    pub ambient_occlusion: bool,
    /// The sky; without it, a plain light backdrop.
    pub sky: bool,
    /// Optical thickness of the air over one width of the terrain; 0 for none `[-]`.
    pub haze: f32,
    /// Lines on the table that the terrain stands on.
    pub grid: bool,
    /// The triangles of the ground.
    pub wireframe: bool,
    /// The water of a depth field or a surface mesh.
    pub water: WaterLook,
    /// The particles.
    pub particles: ParticleLook,
    /// A quantity laid over the ground in false colour.
    pub overlay: Option<Overlay>,
    /// Moment that moving ripples are shown at `[s]`.
    pub time: f32,
    /// Where ground of a volume is sawn through, to look into it.
    pub cut: Option<Cut>,
    /// Samples along each side of a pixel, 1 to 4 `[-]`.
    pub supersampling: u32,
    /// Side of the ground's triangles in the picture, before supersampling `[px]`.
    pub triangle_size: f32,
}

/// An upright plane through the ground: what lies beyond is taken away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// A place on it, east and north `[m]`.
    pub at: [f32; 2],
    /// Compass direction of what is taken away, clockwise from north `[rad]`.
    pub towards: f32,
}

impl Cut {
    /// The way from what is left to what is taken away, east and north, and how far along it the plane lies `[m]`.
    pub fn plane(&self) -> ([f32; 2], f32) {
        let way = [self.towards.sin(), self.towards.cos()];
        (way, way[0] * self.at[0] + way[1] * self.at[1])
    }

    /// Whether a place is taken away.
    pub fn takes(&self, place: [f32; 3]) -> bool {
        let (way, offset) = self.plane();
        way[0] * place[0] + way[1] * place[1] > offset
    }
}

/// How surfaces answer to light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Light {
    /// Sun through the air, skylight from all around, light thrown back by the ground.
    #[default]
    Physical,
    /// The plain model of Phong (1975): ambient, diffuse, highlight.
    Phong,
}

/// How water looks.
#[derive(Clone, Debug, PartialEq)]
pub struct WaterLook {
    /// Whether it is drawn at all.
    pub visible: bool,
    /// Strength of the ripples that the flow carries along; 0 for a mirror `[-]`.
    pub ripples: f32,
    /// Strength of foam on rapid water; 0 for none `[-]`.
    pub foam: f32,
    /// How long the shutter is open: foam and spray of particles are as long as their way meanwhile `[s]`.
    pub shutter: f32,
    /// Whether waves focus sunlight onto the bed.
    pub caustics: bool,
    /// Height of suspended sediment over depth of water, or share of sediment in particles drawn as a
    /// surface, at which the water turns to mud; runs that lapse time carry far more than nature `[-]`.
    pub muddy: f32,
}

/// How particles are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParticleLook {
    /// As what.
    pub shape: ParticleShape,
    /// Column that colours them, and how; `None` paints all of them as water.
    pub colour: Option<(Cow<'static, str>, MapStyle)>,
}

/// As what particles are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParticleShape {
    /// Not at all.
    Hidden,
    /// As lit spheres.
    #[default]
    Spheres,
    /// As the surface of a fluid, smoothed in the picture (van der Laan, Green & Sainz 2009).
    Surface,
}

/// A quantity laid over the ground in false colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// Name of the field.
    pub field: Cow<'static, str>,
    /// Colours and range.
    pub style: MapStyle,
    /// How much of the ground's own colour it hides, up to 1 `[-]`.
    pub opacity: f32,
}

impl Default for WaterLook {
    fn default() -> Self {
        Self { visible: true, ripples: 1.0, foam: 1.0, shutter: 0.04, caustics: true, muddy: 1.0 }
    }
}

impl Default for Look {
    fn default() -> Self {
        Self {
            relief: ReliefStyle::side_lit(),
            light: Light::Physical,
            shadows: true,
            ambient_occlusion: true,
            sky: true,
            haze: 0.16,
            grid: false,
            wireframe: false,
            water: WaterLook::default(),
            particles: ParticleLook::default(),
            overlay: None,
            time: 0.0,
            cut: None,
            supersampling: 2,
            triangle_size: 2.0,
        }
    }
}

/// The colour of mud, linear, and how much of it the muddiest water has `[-]`: `gpu/shaders/mud.wgsl` in Rust.
const MUD_COLOUR: [f32; 3] = [0.27, 0.19, 0.105];
const MUDDIEST: f32 = 0.75;

/// The colour of particles as drops of water, linear: that of `gpu/shaders/particles.wgsl`.
pub(crate) const DROP_COLOUR: [f32; 3] = [0.055, 0.21, 0.45];

impl Look {
    /// The colour of deep water of which that share is sediment, linear `[-]`.
    pub fn water_colour(&self, sediment: f32) -> [f32; 3] {
        self.muddied(linear(self.relief.palette.water_deep), sediment).to_array()
    }

    /// A colour of water with that share of sediment, linear `[-]`.
    pub(crate) fn muddied(&self, clear: Vec3, sediment: f32) -> Vec3 {
        let mud = MUDDIEST * (1.0 - (-sediment.max(0.0) / self.water.muddy).exp());
        clear.lerp(MUD_COLOUR.into(), mud)
    }

    /// The look itself if every number can be drawn.
    pub fn validated(self) -> Result<Self, StyleError> {
        let share =
            |name, value: f32| check(name, value, (0.0..=1.0).contains(&value), "it must lie in 0 to 1");
        let strength = |name, value: f32| check(name, value, value >= 0.0, "it must not be negative");
        let relief = self.relief.clone().validated()?;
        strength("haze", self.haze)?;
        strength("ripples", self.water.ripples)?;
        strength("foam", self.water.foam)?;
        strength("shutter", self.water.shutter)?;
        check("muddy", self.water.muddy, self.water.muddy > 0.0, "it must be above 0")?;
        self.overlay.as_ref().map_or(Ok(()), |overlay| share("opacity", overlay.opacity))?;
        check("time", self.time, true, "it must be finite")?;
        let samples = self.supersampling;
        check("supersampling", samples as f32, (1..=4).contains(&samples), "it must be 1 to 4")?;
        check("triangle_size", self.triangle_size, self.triangle_size >= 0.25, "it must be 0.25 or more")?;
        Ok(Self { relief, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mud_is_the_same_in_rust_and_in_shaders() {
        let shader = include_str!("gpu/shaders/mud.wgsl");
        let [red, green, blue] = MUD_COLOUR;
        for line in [
            format!("const MUD_COLOUR = vec3f({red}, {green}, {blue});"),
            format!("const MUDDIEST = {MUDDIEST};"),
            "return MUDDIEST * (1.0 - exp(-max(share, 0.0) / muddy));".into(),
        ] {
            assert!(shader.contains(&line), "no \"{line}\" in the shader");
        }
    }

    #[test]
    fn drops_have_one_colour_in_rust_and_in_shaders() {
        let [red, green, blue] = DROP_COLOUR;
        let line = format!("const WATER_BLUE = vec3f({red}, {green}, {blue});");
        assert!(include_str!("gpu/shaders/particles.wgsl").contains(&line), "no \"{line}\" in the shader");
    }

    #[test]
    fn water_goes_from_blue_to_brown_with_its_sediment() {
        let mut look = Look::default();
        look.water.muddy = 0.05;
        let [clear, little, much] = [0.0, 0.02, 0.4].map(|sediment| look.water_colour(sediment));
        assert_eq!(clear, linear(look.relief.palette.water_deep).to_array());
        assert!(clear[2] > 2.0 * clear[0] && much[0] > 1.5 * much[2], "{clear:?} to {much:?}");
        assert!(clear[0] < little[0] && little[0] < much[0], "red {} {} {}", clear[0], little[0], much[0]);
    }
}
