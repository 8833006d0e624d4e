//! Volumes as scene files write them: ground of heights that noise in space shapes, with terraces, caverns and tubes.

use super::heightfield::upright;
use super::{Floating, Perlin, SIDE, SOFT, StrataRecipe, Tube, Volume};
use crate::recipe::{height, octaves, place, size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::{Heightfield, Invalid, describe::within, random::Key, units};

/// What makes a volume of ground with heights: `[terrain.volume]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VolumeRecipe {
    /// Volume to read, beside the scene file or below it: TWV or NRRD. It is all there is: only `strata` may stand beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Height of the bottom of the box `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = height())]
    pub bottom: f64,
    /// Height of the box above its bottom `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = size().slider(1.0, 500.0))]
    pub height: f64,
    /// How strongly rock keeps to where the layers of the terrain have it `[-]`: at 1 noise moves the surface by its magnitude, less
    /// lets it tear the ground into overhangs and islands.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 10.0).slider(0.0, 2.0))]
    pub bias: f64,
    /// Layers of noise in space.
    #[serde(rename = "noise", skip_serializing_if = "Vec::is_empty")]
    pub noises: Vec<NoiseLayer>,
    /// Steps in the slopes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terraces: Option<Terraces>,
    /// Winding hollows.
    #[serde(rename = "cavern", skip_serializing_if = "Vec::is_empty")]
    pub caverns: Vec<Cavern>,
    /// Straight tubes of air or rock: tunnels, arches, pillars.
    #[serde(rename = "tube", skip_serializing_if = "Vec::is_empty")]
    pub tubes: Vec<Tube>,
    /// Whether rock that hangs in the air stays; else what has no way through rock to the bottom of the box is left out.
    pub floating: bool,
    /// Beds of rock; missing: all rock is alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strata: Option<StrataRecipe>,
}

impl Default for VolumeRecipe {
    fn default() -> Self {
        Self {
            file: None,
            bottom: 0.0,
            height: 32.0,
            bias: 1.0,
            noises: Vec::new(),
            terraces: None,
            caverns: Vec::new(),
            tubes: Vec::new(),
            floating: false,
            strata: None,
        }
    }
}

/// A layer of Perlin noise in space (Wang, Yang & Zhu 2021, section 2.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoiseLayer {
    /// How much of the layer is taken `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(-1.0, 1.0).slider(0.0, 1.0))]
    pub weight: f64,
    /// How far the strongest noise moves the surface `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = height().slider(0.0, 50.0))]
    pub magnitude: f64,
    /// Size of the largest features `[m]`; one over the layer's frequency.
    #[serde(with = "units::Length")]
    #[schemars(transform = size().slider(1.0, 200.0))]
    pub wavelength: f64,
    /// Exponent on the noise, which keeps its sign `[-]`: more than 1 leaves level ground between few peaks, less makes walls.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.1, 16.0).slider(0.3, 4.0))]
    pub sharpness: f64,
    /// Number of scales summed, each half as long and half as strong as the one before `[-]`.
    #[schemars(transform = octaves())]
    pub octaves: u32,
}

impl Default for NoiseLayer {
    fn default() -> Self {
        Self { weight: 1.0, magnitude: 6.0, wavelength: 24.0, sharpness: 1.0, octaves: 4 }
    }
}

/// Steps in the slopes, as layers of hard and soft rock leave them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Terraces {
    /// Height of a step `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = size().slider(0.5, 50.0))]
    pub step: f64,
    /// How much steps take the place of slopes, from 0 (nothing) to 1 (walls between level ground) `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0).slider(0.0, 1.0))]
    pub strength: f64,
}

impl Default for Terraces {
    fn default() -> Self {
        Self { step: 4.0, strength: 0.6 }
    }
}

/// Hollows that wind through the rock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cavern {
    /// Half of their width `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = size().slider(0.5, 20.0))]
    pub radius: f64,
    /// How far they go before they turn `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = size().slider(5.0, 200.0))]
    pub wavelength: f64,
    /// Heights between which they lie `[m]`.
    #[serde(with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = place())]
    pub between: Option<[f64; 2]>,
    /// How much of the noise of the layers moves their walls too `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 10.0).slider(0.0, 1.0))]
    pub rough: f64,
}

impl Default for Cavern {
    fn default() -> Self {
        Self { radius: 3.0, wavelength: 30.0, between: None, rough: 0.3 }
    }
}

/// How fast Perlin noise changes across a place where it is zero, in its own wavelengths `[-]`; measured on average.
const NOISE_SLOPE: f64 = 1.5;

/// The octaves of a layer, ready.
struct Octaves {
    octaves: Vec<(Perlin, f32)>,
    magnitude: f32,
    sharpness: f64,
}

impl NoiseLayer {
    fn prepared(&self, key: Key) -> Octaves {
        let octaves = (0..self.octaves)
            .map(|n| {
                let finer = libm::pow(0.5, f64::from(n));
                (Perlin::new(key.with(u64::from(n)), self.wavelength * finer), finer as f32)
            })
            .collect();
        Octaves { octaves, magnitude: (self.weight * self.magnitude) as f32, sharpness: self.sharpness }
    }
}

impl Octaves {
    /// Adds the layer to the depths of a row.
    fn add(&self, start: [f64; 3], spacing: f64, scratch: &mut [[f32; SIDE]; 2], depths: &mut [f32]) {
        let [sum, one] = scratch.each_mut().map(|row| &mut row[..depths.len()]);
        sum.fill(0.0);
        for (noise, amplitude) in &self.octaves {
            noise.row(start, spacing, one);
            sum.iter_mut().zip(&*one).for_each(|(sum, one)| *sum += amplitude * one);
        }
        for (depth, &noise) in depths.iter_mut().zip(&*sum) {
            let shaped = if self.sharpness == 1.0 {
                noise
            } else {
                (libm::pow(f64::from(noise.abs()), self.sharpness) as f32).copysign(noise)
            };
            *depth += self.magnitude * shaped;
        }
    }
}

impl VolumeRecipe {
    /// Voxels upwards, with voxels of this side `[m]`.
    pub fn voxels_up(&self, voxel: f64) -> usize {
        (self.height / voxel).ceil().max(1.0) as usize
    }

    /// The volume on the cells of a ground, which is as high as its layers say where nothing else is, and what hung in the air and was left
    /// out.
    pub fn build(&self, ground: &Heightfield, seed: u64) -> Result<(Volume, Floating), Invalid> {
        let voxel = ground.frame.cell;
        let mut volume =
            Volume::from_depths(self.size_on(ground), voxel, self.bottom, self.depths(ground, seed))?;
        let floating = if self.floating { Floating::default() } else { volume.drop_floating() };
        Ok((volume, floating))
    }

    /// Voxels to the east, to the north and up, on the cells of a ground.
    pub fn size_on(&self, ground: &Heightfield) -> [usize; 3] {
        [ground.height.cols(), ground.height.rows(), self.voxels_up(ground.frame.cell)]
    }

    /// Memory that the volume will take, as far as the middles of its blocks tell `[bytes]`.
    pub fn memory(&self, ground: &Heightfield, seed: u64) -> u64 {
        let voxel = ground.frame.cell;
        let blocks = self.size_on(ground).map(|voxels| voxels.div_ceil(SIDE));
        let depths = self.depths(ground, seed);
        // From the middle of a block to its corners, and the soft part of the surface.
        let reach = (0.5 * voxel * (3.0_f64.sqrt() * SIDE as f64 + f64::from(SOFT))) as f32;
        let mut dense = 0;
        for up in 0..blocks[2] {
            for n in 0..blocks[0] * blocks[1] {
                let middle = |block: usize, voxels: usize| (block * SIDE + SIDE / 2).min(voxels - 1);
                let at = [
                    middle(n % blocks[0], ground.height.cols()),
                    middle(n / blocks[0], ground.height.rows()),
                ];
                let [east, north] = at.map(|voxels| (voxels as f64 + 0.5) * voxel);
                let height = self.bottom + ((up * SIDE + SIDE / 2) as f64 + 0.5) * voxel;
                let mut depth = [0.0];
                depths([east, north, height], &mut depth);
                dense += u64::from(depth[0].abs() < reach);
            }
        }
        Volume::memory_of(blocks.iter().product::<usize>() as u64, dense)
    }

    /// How deep rows of places lie in the rock, as [`Volume::from_depths`] asks for it.
    fn depths<'a>(
        &'a self,
        ground: &'a Heightfield,
        seed: u64,
    ) -> impl Fn([f64; 3], &mut [f32]) + Sync + use<'a> {
        let voxel = ground.frame.cell;
        // On cliffs rock that lies far below the top is near to the wall: noise carves walls as deep as level ground.
        let upright = upright(ground);
        let root = Key::new(seed);
        let noises: Vec<_> =
            self.noises.iter().zip(0..).map(|(noise, n)| noise.prepared(root.with(n))).collect();
        let caverns: Vec<_> =
            self.caverns.iter().zip(1000..).map(|(cavern, n)| cavern.prepared(root.with(n))).collect();
        move |start, depths| {
            let (mut scratch, mut noise) = ([[0.0; SIDE]; 2], [0.0; SIDE]);
            let noise = &mut noise[..depths.len()];
            noises.iter().for_each(|layer| layer.add(start, voxel, &mut scratch, noise));
            let [col, row] = ground.cell_from_local([start[0], start[1]]).map(|n| n.round() as usize);
            let level = self.terraces.as_ref().map_or(start[2], |terraces| terraces.stepped(start[2]));
            let [heights, upright] =
                [&ground.height, &upright].map(|grid| &grid.row(row)[col..][..depths.len()]);
            for (((depth, height), upright), noise) in
                depths.iter_mut().zip(heights).zip(upright).zip(&*noise)
            {
                let below = (self.bias * (f64::from(*height) - level)) as f32;
                *depth = if below > 0.0 { below * upright } else { below } + noise;
            }
            caverns.iter().for_each(|cavern| cavern.hollow((start, voxel), noise, &mut scratch, depths));
            self.tubes.iter().for_each(|tube| tube.put(start, voxel, noise, depths));
        }
    }
}

impl Terraces {
    /// The height that counts instead of a height `[m]`.
    fn stepped(&self, height: f64) -> f64 {
        let steps = height / self.step;
        let within = steps - steps.floor();
        // Steep at the middle of a step: the ground is level there.
        let steep = within * within * within * (within * (within * 6.0 - 15.0) + 10.0);
        let steep = steep * steep * (3.0 - 2.0 * steep);
        height + self.strength * self.step * (steep - within)
    }
}

/// A cavern, ready.
struct Hollow {
    noises: [Perlin; 2],
    cavern: Cavern,
}

impl Cavern {
    fn prepared(&self, key: Key) -> Hollow {
        Hollow { noises: [0, 1].map(|n| Perlin::new(key.with(n), self.wavelength)), cavern: self.clone() }
    }
}

impl Hollow {
    /// Takes the hollow out of a row: the surroundings of the lines along which two noises are both zero.
    fn hollow(
        &self,
        (start, spacing): ([f64; 3], f64),
        noise: &[f32],
        scratch: &mut [[f32; SIDE]; 2],
        depths: &mut [f32],
    ) {
        let Cavern { radius, wavelength, between, rough } = &self.cavern;
        let beyond = between.map_or(0.0, |[low, high]| (low - start[2]).max(start[2] - high).max(0.0));
        if beyond > *radius {
            return;
        }
        let [a, b] = scratch.each_mut().map(|row| &mut row[..depths.len()]);
        self.noises[0].row(start, spacing, a);
        self.noises[1].row(start, spacing, b);
        let away = (wavelength / NOISE_SLOPE) as f32;
        let (radius, beyond, rough) = (*radius as f32, beyond as f32, *rough as f32);
        for (((depth, a), b), noise) in depths.iter_mut().zip(&*a).zip(&*b).zip(noise) {
            let from_line = away * (a * a + b * b).sqrt();
            *depth = depth.min((from_line * from_line + beyond * beyond).sqrt() - radius + rough * noise);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marching_cubes::Surface;
    use thalweg_field::{Frame, Grid2};

    fn level(size: usize, height: f32) -> Heightfield {
        Heightfield { height: Grid2::filled(size, size, height), frame: Frame::with_cell(0.5) }
    }

    fn built(text: &str, height: f32) -> Volume {
        let recipe: VolumeRecipe = toml::from_str(text).unwrap();
        recipe.build(&level(64, height), 3).unwrap().0
    }

    /// A tunnel through a block of rock takes its cross-section times its length; a pillar on it adds as much.
    #[test]
    fn tubes_take_and_give_what_they_hold() {
        let whole = built("height = 32", 16.0).rock();
        let tunnel =
            "height = 32\n[[tube]]\nfrom = [-9, 16, 8]\nto = ['40 m', '16 m', '8 m']\nradius = '3 m'";
        let taken = whole - built(tunnel, 16.0).rock();
        let round = std::f64::consts::PI * 9.0;
        assert!((taken / (32.0 * round) - 1.0).abs() < 0.05, "{taken} m³");
        let pillar =
            "height = 32\n[[tube]]\nfrom = [16, 16, 0]\nto = [16, 16, 40]\nradius = 3\nmatter = 'rock'";
        let given = built(pillar, 16.0).rock() - whole;
        assert!((given / (16.0 * round) - 1.0).abs() < 0.05, "{given} m³");
    }

    /// A tunnel makes a hole: the surface of the block has one handle.
    #[test]
    fn a_tunnel_is_a_handle_of_the_surface() {
        let tunnel = "height = 32\n[[tube]]\nfrom = [-9, 16, 8]\nto = [40, 16, 8]";
        let mesh = Surface::of(&built(tunnel, 16.0)).mesh();
        let (corners, triangles) = (mesh.positions.len() as i64, mesh.triangles.len() as i64);
        // Three half edges to a triangle.
        assert_eq!(corners - 3 * triangles / 2 + triangles, 0);
    }

    #[test]
    fn caverns_lie_between_their_heights() {
        let text = "height = 32\n[[cavern]]\nradius = 2\nwavelength = 10\nbetween = ['6 m', '10 m']";
        let volume = built(text, 24.0);
        let hollow = |up: isize| {
            let voxels = (0..64 * 64).map(|n| volume.share([n % 64, n / 64, up]));
            voxels.filter(|&share| share < 0.5).count()
        };
        // Voxels of half a metre; hollows reach their radius beyond.
        assert!((12..20).map(hollow).sum::<usize>() > 100, "nothing is hollow");
        assert_eq!((0..7).chain(25..44).map(hollow).sum::<usize>(), 0, "hollow beyond");
    }

    /// On a slope steps make level ground and walls instead.
    #[test]
    fn terraces_make_level_ground() {
        let slope = Heightfield {
            height: Grid2::from_fn(96, 8, |col, _| 4.0 + 0.25 * col as f32),
            frame: Frame::with_cell(0.5),
        };
        let level_share = |strength: f64| {
            let terraces = Some(Terraces { step: 6.0, strength });
            let recipe = VolumeRecipe { terraces, ..VolumeRecipe::default() };
            let ground = recipe.build(&slope, 1).unwrap().0.heightfield().height;
            let rises: Vec<f32> = ground.row(4)[8..88].windows(2).map(|pair| pair[1] - pair[0]).collect();
            rises.iter().filter(|rise| rise.abs() < 0.12).count() as f64 / rises.len() as f64
        };
        assert_eq!(level_share(0.0), 0.0);
        assert!(level_share(0.9) > 0.4, "{}", level_share(0.9));
    }

    #[test]
    fn noise_without_bias_leaves_overhangs() {
        let text = "height = 32\nbias = 0.3\n[[noise]]\nmagnitude = 8\nwavelength = 12\nsharpness = 1.5";
        let volume = built(text, 16.0);
        let overhangs = (0..64 * 64).filter(|n| {
            let share = |up: isize| volume.share([n % 64, n / 64, up]);
            (0..63).any(|up| share(up) < 0.5 && share(up + 1) > 0.5)
        });
        assert!(overhangs.count() > 200, "hardly any overhang");
    }

    #[test]
    fn misspelt_keys_are_refused() {
        let message = toml::from_str::<VolumeRecipe>("[[tube]]\nradios = 3").unwrap_err().to_string();
        assert!(message.contains("`radius`"), "{message}");
    }
}
