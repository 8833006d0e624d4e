//! Ready-made volumes: those of Wang, Yang & Zhu 2021, section 3.

use super::{NoiseLayer, StrataRecipe, Terraces, Volume, VolumeRecipe};
use crate::Recipe;
use crate::noise::Fbm;
use crate::recipe::Layer;
use crate::shape::Plane;
use thalweg_field::Invalid;

/// The names that [`NamedVolume::new`] knows, each with what it makes.
pub fn volume_kinds() -> &'static [(&'static str, &'static str)] {
    &[
        ("volume-peaks", "peaks of layered noise in space, with crags"),
        ("volume-overhangs", "ground that noise tears into overhangs and arches"),
        ("volume-islands", "towers, bridges and crags that float"),
        ("volume-terraces", "mesas with walls and terraces"),
    ]
}

/// Ground of heights, and what makes a volume of it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedVolume {
    /// The heights.
    pub ground: Recipe,
    /// What noise does to them.
    pub volume: VolumeRecipe,
}

impl NamedVolume {
    /// A ready-made volume `extent` metres wide; `None` for a name not in [`volume_kinds`].
    pub fn new(kind: &str, extent: f64) -> Option<Self> {
        let (layers, volume) = match kind {
            "volume-peaks" => peaks(extent),
            "volume-overhangs" => overhangs(extent),
            "volume-islands" => islands(extent),
            "volume-terraces" => terraces(extent),
            _ => return None,
        };
        let named = Self { ground: Recipe { layers, island: None }, volume };
        Some(named.with_beds_of(extent))
    }

    /// The same with beds as thick as fits a ground so wide `[m]`.
    fn with_beds_of(mut self, extent: f64) -> Self {
        /// Ground that the default beds were made for `[m]`.
        const WIDE: f64 = 200.0;
        if let Some(strata) = &mut self.volume.strata {
            for bed in &mut strata.beds {
                bed.thickness *= extent / WIDE;
            }
        }
        self
    }

    /// Voxels to the east, to the north and up, with so many cells of some side `[m]`.
    pub fn size(&self, [cols, rows]: [usize; 2], cell: f64) -> [usize; 3] {
        [cols, rows, self.volume.voxels_up(cell)]
    }

    /// The volume on so many cells of some side `[m]`.
    pub fn build(&self, [cols, rows]: [usize; 2], cell: f64, seed: u64) -> Result<Volume, Invalid> {
        let ground = self.ground.build(cols, rows, cell, seed);
        Ok(self.volume.build(&ground, seed)?.0)
    }
}

/// Layers of heights, and what makes a volume of them.
type Parts = (Vec<Layer>, VolumeRecipe);

/// Level ground, as high as a share of the extent.
fn plane(height: f64, extent: f64) -> Layer {
    Layer::Plane(Plane { height: height * extent, ..Plane::default() })
}

/// Noise with a magnitude and a wavelength that are shares of the extent.
fn noise([magnitude, wavelength]: [f64; 2], sharpness: f64, octaves: u32, extent: f64) -> NoiseLayer {
    let (magnitude, wavelength) = (magnitude * extent, wavelength * extent);
    NoiseLayer { weight: 1.0, magnitude, wavelength, sharpness, octaves }
}

/// Beds with folds that are shares of the extent.
fn folded([fold, length]: [f64; 2], extent: f64) -> Option<StrataRecipe> {
    Some(StrataRecipe { fold: fold * extent, fold_length: length * extent, ..StrataRecipe::default() })
}

/// Few, large and pointed forms, and crags on them.
fn peaks(extent: f64) -> Parts {
    let hills = Fbm { height: 0.143 * extent, wavelength: 0.81 * extent, octaves: 3, ..Fbm::default() };
    let volume = VolumeRecipe {
        bottom: -0.078 * extent,
        height: 0.52 * extent,
        bias: 1.8,
        noises: vec![noise([0.352, 0.39], 1.5, 5, extent), noise([0.0273, 0.078], 0.8, 4, extent)],
        strata: folded([0.018, 0.55], extent),
        ..VolumeRecipe::default()
    };
    (vec![plane(0.091, extent), Layer::Fbm(hills)], volume)
}

fn overhangs(extent: f64) -> Parts {
    let volume = VolumeRecipe {
        height: 0.375 * extent,
        bias: 0.55,
        noises: vec![noise([0.135, 0.29], 1.1, 5, extent)],
        strata: folded([0.01, 0.47], extent),
        ..VolumeRecipe::default()
    };
    (vec![plane(0.135, extent)], volume)
}

/// Hardly anything but noise says where rock is.
fn islands(extent: f64) -> Parts {
    let volume = VolumeRecipe {
        height: 0.5 * extent,
        bias: 0.16,
        noises: vec![noise([0.1875, 0.365], 1.5, 5, extent)],
        floating: true,
        strata: folded([0.008, 0.365], extent),
        ..VolumeRecipe::default()
    };
    (vec![plane(0.03125, extent)], volume)
}

/// An exponent below 1 leaves little between low and high: walls. Crags break their steps.
fn terraces(extent: f64) -> Parts {
    let volume = VolumeRecipe {
        height: 0.3125 * extent,
        bias: 2.0,
        noises: vec![noise([0.183, 0.36], 0.55, 4, extent), noise([0.0077, 0.0288], 0.8, 3, extent)],
        terraces: Some(Terraces { step: 0.041 * extent, strength: 0.9 }),
        strata: folded([0.0024, 0.385], extent),
        ..VolumeRecipe::default()
    };
    (vec![plane(0.125, extent)], volume)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marching_cubes::Surface;

    /// Rock and air of each kind, and a surface with more of it than a lid: it is no plain block, and no dust.
    #[test]
    fn every_kind_makes_a_landscape_at_any_size() {
        for (kind, _) in volume_kinds() {
            for cell in [0.5, 20.0] {
                let named = NamedVolume::new(kind, 48.0 * cell).unwrap();
                named.ground.validated().unwrap();
                let volume = named.build([48, 40], cell, 3).unwrap();
                assert_eq!(volume.size(), named.size([48, 40], cell));
                let share = volume.rock() / (volume.size().iter().product::<usize>() as f64 * cell.powi(3));
                assert!((0.08..0.75).contains(&share), "{kind}: {share} of the box is rock");
                let top = volume.heightfield();
                let (low, high) = top.height.range().unwrap();
                let relief = f64::from(high - low) / (48.0 * cell);
                assert!((0.08..0.6).contains(&relief), "{kind}: a relief of {relief} of its width");
                assert!(Surface::of(&volume).triangles() > 48 * 40, "{kind}");
            }
        }
        assert_eq!(NamedVolume::new("volume-nothing", 1.0), None);
    }

    /// A wider ground is the same shape with larger voxels.
    #[test]
    fn a_kind_scales_with_its_extent() {
        let [near, far] = [1.0, 16.0].map(|cell| {
            NamedVolume::new("volume-overhangs", 32.0 * cell).unwrap().build([32; 2], cell, 5).unwrap()
        });
        assert_eq!(near.size(), far.size());
        let differ = near.numbers().zip(far.numbers()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(differ < 1.0e-3, "a share differs by {differ}");
    }
}
