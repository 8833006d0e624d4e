//! Volumes as two arrays of numbers, for files and saved states.

use super::{BLOCK, Block, Volume, rows_within, settled};
use thalweg_field::{Invalid, require};

/// Stands for a block whose voxels differ, in the place of the share that they would have in common.
const DENSE: f32 = -1.0;

/// A volume as plain numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// The share of rock in each block, east first, then north, then up; -1 where its voxels differ `[-]`.
    pub blocks: Vec<f32>,
    /// The voxels of those blocks, 16³ each, in the same order `[-]`.
    pub voxels: Vec<f32>,
}

impl Volume {
    /// The volume as plain numbers.
    pub fn parts(&self) -> Parts {
        let mut parts = Parts::default();
        for block in &self.blocks {
            match block {
                Block::Even(share) => parts.blocks.push(*share),
                Block::Dense(shares) => {
                    parts.blocks.push(DENSE);
                    parts.voxels.extend(&shares[..]);
                }
            }
        }
        parts
    }

    /// A volume from plain numbers; refused if they do not belong together or are no shares.
    pub fn from_parts(size: [usize; 3], voxel: f64, bottom: f64, parts: &Parts) -> Result<Self, Invalid> {
        let mut volume = Self::empty(size, voxel, bottom)?;
        let Parts { blocks, voxels } = parts;
        let count = volume.blocks.len();
        require(
            blocks.len() == count,
            "volume.blocks",
            blocks.len(),
            format!("a box of {size:?} voxels has {count}"),
        )?;
        let dense = blocks.iter().filter(|&&share| share == DENSE).count();
        let wanted = dense * BLOCK;
        require(
            voxels.len() == wanted,
            "volume.voxels",
            voxels.len(),
            format!("{dense} blocks have {wanted}"),
        )?;
        let is_share = |share: &f32| (0.0..=1.0).contains(share);
        let wild =
            blocks.iter().filter(|&&share| share != DENSE).chain(voxels).find(|share| !is_share(share));
        let wild = wild.map_or(Ok(()), |share| {
            require(false, "volume.voxels", share, "the share of a voxel that is rock lies between 0 and 1")
        });
        wild?;
        let mut dense = voxels.chunks_exact(BLOCK);
        for (index, block) in volume.blocks.iter_mut().enumerate() {
            *block = match blocks[index] {
                DENSE => settled(
                    dense.next().expect("counted above").to_vec(),
                    rows_within(size, super::first_voxel(size, index)),
                ),
                share => Block::Even(share),
            };
        }
        Ok(volume)
    }

    /// All numbers that make the volume, in order.
    pub fn numbers(&self) -> impl Iterator<Item = f32> + '_ {
        self.blocks.iter().flat_map(|block| match block {
            Block::Even(share) => std::slice::from_ref(share).iter().copied(),
            Block::Dense(shares) => shares.iter().copied(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hill() -> Volume {
        Volume::from_depths([40, 20, 37], 0.5, -2.0, |[x, _, z], row| {
            for (n, depth) in row.iter_mut().enumerate() {
                *depth = (8.0 - z - 0.2 * (x + 0.5 * n as f64)) as f32;
            }
        })
        .unwrap()
    }

    #[test]
    fn a_volume_comes_back_from_its_parts_to_the_bit() {
        let hill = hill();
        assert_eq!(Volume::from_parts(hill.size(), 0.5, -2.0, &hill.parts()).unwrap(), hill);
        let empty = Volume::empty([5, 6, 7], 1.0, 0.0).unwrap();
        assert_eq!(empty.parts(), Parts { blocks: vec![0.0], voxels: Vec::new() });
        assert_eq!(Volume::from_parts([5, 6, 7], 1.0, 0.0, &empty.parts()).unwrap(), empty);
    }

    #[test]
    fn parts_that_make_no_volume_are_refused_by_name() {
        let parts = hill().parts();
        let refused = |size, parts: &Parts| Volume::from_parts(size, 0.5, -2.0, parts).unwrap_err();
        assert_eq!(refused([40, 20, 90], &parts).key, "volume.blocks");
        let mut cut = parts.clone();
        cut.voxels.pop();
        assert_eq!(refused([40, 20, 37], &cut).key, "volume.voxels");
        for wild in [f32::NAN, 1.5, -0.1] {
            let mut parts = parts.clone();
            parts.voxels[77] = wild;
            assert!(refused([40, 20, 37], &parts).to_string().contains("between 0 and 1"));
        }
        let none = Parts { blocks: vec![f32::NAN], voxels: Vec::new() };
        assert_eq!(refused([4, 4, 4], &none).key, "volume.voxels");
    }
}
