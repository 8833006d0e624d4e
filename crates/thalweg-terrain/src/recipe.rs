//! Procedural ground as a stack of layers, as scene files write it.

mod check;
mod island;
mod layer;
mod mask;
mod named;

pub(crate) use check::{Check, bearing, depth, grade, height, length, octaves, place, size};
pub use island::Island;
pub use layer::{Blend, Layer};
pub(crate) use layer::{Kind, LayerContext, Placed, Placement, Surface, layer};
pub use mask::Mask;
pub use named::kinds;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::describe::check;
use thalweg_field::{Frame, Grid2, Heightfield, Invalid, random::Key};

/// Procedural ground: layers blended from the first to the last, starting from level ground at 0 m.
///
/// ```
/// let recipe: thalweg_terrain::Recipe = toml::from_str(r#"
///     [[layer]]
///     kind = "ridged"
///     height = "1.2 km"
///     warp = { amplitude = "400 m", wavelength = "3 km" }
///
///     [[layer]]
///     kind = "canyon"
///     direction = "90 deg"
///     mask = { kind = "radial", radius = "4 km", fade = "1 km" }
/// "#)?;
/// assert_eq!(recipe.layers.len(), 2);
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// The layers, the lowest first; `[[terrain.layer]]` in a scene file.
    #[serde(rename = "layer")]
    pub layers: Vec<Layer>,
    /// Makes the edges of the terrain sink, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub island: Option<Island>,
}

impl Default for Recipe {
    /// A mountain range, ten kilometres wide.
    fn default() -> Self {
        named::range(10_000.0)
    }
}

impl Recipe {
    /// Refuses numbers that make no ground, naming the first one found.
    pub fn validated(&self) -> Result<(), Invalid> {
        check(self)?;
        self.fits_together()
    }

    /// Refuses numbers that make no ground together, for a recipe in which each alone is within its range.
    pub fn fits_together(&self) -> Result<(), Invalid> {
        let mut layers = self.layers.iter().enumerate();
        layers.try_for_each(|(index, layer)| layer.fits_together(&Check::new(format!("layer[{index}]"))))
    }

    /// The ground on `cols` × `rows` cells of `cell` metres, for a recipe that has been
    /// [validated](Self::validated).
    ///
    /// Places are counted from the south-west corner, so finer cells show the same hills in more detail
    /// and more cells to the north or east show more of them.
    pub fn build(&self, cols: usize, rows: usize, cell: f64, seed: u64) -> Heightfield {
        let frame = Frame::with_cell(cell);
        let extent = [cols as f64 * cell, rows as f64 * cell];
        let root = Key::new(seed);
        let context = |index: usize| LayerContext { key: root.with(index as u64), extent };
        let layers: Vec<_> =
            self.layers.iter().enumerate().map(|(index, layer)| layer.prepared(&context(index))).collect();
        let height = Grid2::from_fn(cols, rows, |col, row| {
            let place = [(col as f64 + 0.5) * cell, (rows as f64 - row as f64 - 0.5) * cell];
            let ground = layers.iter().fold(0.0, |ground, layer| layer(place, ground));
            match &self.island {
                Some(island) => island.sunk(place, extent, ground) as f32,
                None => ground as f32,
            }
        });
        Heightfield { height, frame }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Bump, Cone, Plane};

    fn read(text: &str) -> Result<Recipe, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn every_named_recipe_survives_a_round_trip_through_a_file() {
        for (name, _) in kinds() {
            let recipe = Recipe::named(name, 8000.0).unwrap();
            let text = toml::to_string(&recipe).unwrap();
            assert_eq!(read(&text).unwrap(), recipe, "{name}:\n{text}");
        }
    }

    #[test]
    fn a_misspelt_key_is_refused_with_the_right_ones() {
        let message = read("[[layer]]\nkind = 'fbm'\nwavelenght = 3").unwrap_err().to_string();
        for key in ["wavelenght", "`wavelength`", "`octaves`", "`mask`", "`blend`"] {
            assert!(message.contains(key), "{message}");
        }
        let message = read("[[layer]]\nkind = 'fmb'").unwrap_err().to_string();
        assert!(message.contains("`fbm`") && message.contains("`canyon`"), "{message}");
        let message = read("[[layer]]\nkind = 'cone'\nmask = { kind = 'radial', radios = 3 }").unwrap_err();
        assert!(message.to_string().contains("`radius`"), "{message}");
        let message = read("[[layer]]\nkind = 'cone'\nradius = '3 mm/h'").unwrap_err().to_string();
        assert!(message.contains("write one of m, km"), "{message}");
    }

    #[test]
    fn impossible_numbers_are_refused_by_name() {
        let refused = |text: &str| read(text).unwrap().validated().unwrap_err();
        let invalid = refused("[[layer]]\nkind = 'plane'\n[[layer]]\nkind = 'fbm'\nwavelength = '-3 m'");
        assert_eq!(invalid.key, "layer[1].wavelength");
        assert_eq!(invalid.to_string(), "layer[1].wavelength is -3 m; it must lie between 1e-6 and 1e9 m");
        for (text, path) in [
            ("[[layer]]\nkind = 'ridged'\noctaves = 0", "layer[0].octaves"),
            ("[[layer]]\nkind = 'billow'\noctaves = 25", "layer[0].octaves"),
            ("[[layer]]\nkind = 'voronoi'\nspacing = 0", "layer[0].spacing"),
            ("[[layer]]\nkind = 'bump'\nweight = 1.5", "layer[0].weight"),
            ("[[layer]]\nkind = 'bump'\nwarp = { octaves = 0 }", "layer[0].warp.octaves"),
            (
                "[[layer]]\nkind = 'bump'\nmask = { kind = 'layer', low = 0, high = 1, layer = { kind = 'cone', radius = -1 } }",
                "layer[0].mask.layer.radius",
            ),
            ("[[layer]]\nkind = 'bump'\nmask = { kind = 'radial', radius = -1 }", "layer[0].mask.radius"),
            ("[island]\nshore = 0", "island.shore"),
        ] {
            assert_eq!(refused(text).key, path, "{text}");
        }
    }

    /// What passes the checks builds, however odd.
    #[test]
    fn extreme_numbers_that_pass_still_make_finite_ground() {
        for text in [
            "kind = 'fbm'\nwavelength = 1e-6\nlacunarity = 8\noctaves = 24\nheight = 1e6",
            "kind = 'ridged'\nwavelength = 1e9\nsharpness = 16\nfeedback = 100",
            "kind = 'voronoi'\nspacing = 1e-6\nsharpness = 16\nmeasure = 'f2'\nheight = -1e6",
            "kind = 'canyon'\nwidth = 1e-6\nfloor_width = 1e-6\nwavelength = 1e-6\namplitude = 0",
            "kind = 'meander'\nwidth = 1e9\nwavelength = 1e9\namplitude = 1e9",
            "kind = 'cone'\nradius = 1e-6\ncenter = [1e9, -1e9]\nwarp = { amplitude = 1e9 }",
        ] {
            let recipe = read(&format!("[[layer]]\n{text}")).unwrap();
            recipe.validated().unwrap();
            let ground = recipe.build(16, 16, 1000.0, 1);
            assert!(ground.height.values().iter().all(|z| z.is_finite()), "{text}");
        }
    }

    #[test]
    fn a_missing_table_is_the_default_mountain() {
        assert_eq!(read("").unwrap(), Recipe::default());
    }

    /// One cell of level ground under a layer of 3 m, for each way of blending.
    #[test]
    fn layers_blend_as_their_names_say() {
        let height = |blend, weight| {
            let below = Plane { height: 8.0, ..Plane::default() };
            let above = Plane { height: 2.0, offset: 1.0, blend, weight, ..Plane::default() };
            let recipe = Recipe { layers: vec![Layer::Plane(below), Layer::Plane(above)], island: None };
            recipe.build(1, 1, 10.0, 0).height.at(0, 0)
        };
        assert_eq!(height(Blend::Add, 1.0), 11.0);
        assert_eq!(height(Blend::Add, 0.5), 9.5);
        assert_eq!(height(Blend::Subtract, 1.0), 5.0);
        assert_eq!(height(Blend::Multiply, 1.0), 24.0);
        assert_eq!(height(Blend::Max, 1.0), 8.0);
        assert_eq!(height(Blend::Min, 1.0), 3.0);
        assert_eq!(height(Blend::Replace, 0.5), 5.5);
    }

    #[test]
    fn masks_confine_a_layer() {
        let masked = |mask| {
            let cone = Cone { height: 100.0, radius: 100.0, ..Cone::default() };
            let plane = Plane { height: 10.0, mask: Some(mask), ..Plane::default() };
            let recipe = Recipe { layers: vec![Layer::Cone(cone), Layer::Plane(plane)], island: None };
            let bare = Recipe { layers: recipe.layers[..1].to_vec(), island: None };
            let (with, without) = (recipe.build(21, 21, 10.0, 0), bare.build(21, 21, 10.0, 0));
            move |col, row| with.height.at(col, row) - without.height.at(col, row)
        };
        let radial = masked(Mask::Radial { center: None, radius: 40.0, fade: 20.0 });
        assert_eq!([radial(10, 10), radial(13, 10), radial(14, 10), radial(15, 10)], [10.0, 10.0, 5.0, 0.0]);
        let band = masked(Mask::Height { low: 25.0, high: 65.0, fade: 0.0 });
        assert_eq!([band(10, 10), band(10, 15), band(10, 19)], [0.0, 10.0, 0.0]);
        let hill = Layer::Bump(Bump { height: 1.0, radius: 30.0, ..Bump::default() });
        let layer = masked(Mask::Layer { layer: Box::new(hill), low: 0.0, high: 1.0 });
        assert_eq!(layer(10, 10), 10.0);
        assert!(layer(0, 0) < 0.01 && layer(13, 10) > 1.0);
    }
}
