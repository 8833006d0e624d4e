//! Ground with caves, arches and overhangs: how much rock there is in each voxel.
//!
//! A [`Volume`] is a box of voxels, each filled with rock to a share between 0 and 1. The surface is where the share is a half,
//! and it rises from air to rock over a few voxels ([`SOFT`]), so that marching cubes find the surface between the voxels to a
//! small part of one. The shares times the volume of a voxel are the rock that is there, exactly: erosion takes from them and
//! deposition adds to them.
//!
//! Voxels lie in blocks of 16³. A block that is all rock or all air is one number, so that a large world costs as much as its
//! surface.

mod cell;
mod floating;
mod heightfield;
mod named;
mod openness;
mod parts;
mod perlin;
mod recipe;
mod strata;
mod tube;

pub use floating::Floating;
pub use named::{NamedVolume, volume_kinds};
pub use openness::openness;
pub use parts::Parts;
pub use perlin::Perlin;
pub use recipe::{Cavern, NoiseLayer, Terraces, VolumeRecipe};
pub use strata::{BedRecipe, StrataRecipe};
pub use tube::{Matter, Tube};

use std::ops::Range;
use std::sync::Arc;
use thalweg_field::{Invalid, band, require};

/// Voxels along each side of a block.
pub const SIDE: usize = 16;
/// Voxels in a block.
const BLOCK: usize = SIDE * SIDE * SIDE;
/// Voxels over which the share of rock rises from 0 to 1 across a surface.
pub const SOFT: f32 = 4.0;
/// Share of rock at the surface `[-]`.
pub const SURFACE: f32 = 0.5;
/// Most voxels along one side, so that places in a volume stay exact in f32.
pub const MOST: usize = 1 << 16;

/// The voxels of one block.
#[derive(Clone, Debug, PartialEq)]
enum Block {
    /// All the same.
    Even(f32),
    /// One share each; east runs fastest, then north, then up. Copies of a volume share them until one of the two changes.
    Dense(Arc<[f32]>),
}

/// A box of voxels, from the south-west corner at the bottom to the north-east one at the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Voxels to the east, to the north and up.
    size: [usize; 3],
    /// Side of a voxel `[m]`.
    voxel: f64,
    /// Height of the bottom `[m]`.
    bottom: f64,
    blocks: Vec<Block>,
}

impl Volume {
    /// A volume of air.
    pub fn empty(size: [usize; 3], voxel: f64, bottom: f64) -> Result<Self, Invalid> {
        for (key, voxels) in ["east", "north", "up"].into_iter().zip(size) {
            let remedy = format!("a volume has 1 to {MOST} voxels along each side");
            require((1..=MOST).contains(&voxels), &format!("volume.{key}"), voxels, remedy)?;
        }
        let has_side = voxel.is_finite() && voxel > 0.0;
        require(has_side, "volume.voxel", voxel, "a voxel has a side of more than 0 m")?;
        require(bottom.is_finite(), "volume.bottom", bottom, "the bottom is a height in metres")?;
        let count = size.map(|voxels| voxels.div_ceil(SIDE)).iter().product();
        Ok(Self { size, voxel, bottom, blocks: vec![Block::Even(0.0); count] })
    }

    /// Fills a volume by how deep places lie in the rock.
    ///
    /// `depths(start, row)` gets the middle of the first voxel of a row that runs east, metres from the south-west corner and up
    /// from zero, and writes how deep the middle of each voxel lies below the surface; negative in air `[m]`.
    pub fn from_depths(
        size: [usize; 3],
        voxel: f64,
        bottom: f64,
        depths: impl Fn([f64; 3], &mut [f32]) + Sync,
    ) -> Result<Self, Invalid> {
        let mut volume = Self::empty(size, voxel, bottom)?;
        let share_per_depth = (1.0 / (f64::from(SOFT) * voxel)) as f32;
        band::for_each(&mut volume.blocks, |index, block| {
            let first = first_voxel(size, index);
            let mut shares = vec![0.0; BLOCK];
            for row in rows_within(size, first) {
                let (line, shares) = (row.start / SIDE, &mut shares[row]);
                let middle = |n: usize| (n as f64 + 0.5) * voxel;
                let [east, north, up] =
                    [first[0], first[1] + line % SIDE, first[2] + line / SIDE].map(middle);
                depths([east, north, up + bottom], shares);
                for share in shares {
                    let rock = (*share * share_per_depth + SURFACE).clamp(0.0, 1.0);
                    // What is not a number is air.
                    *share = if rock.is_nan() { 0.0 } else { rock };
                }
            }
            *block = settled(shares, rows_within(size, first));
        });
        Ok(volume)
    }

    /// Voxels to the east, to the north and up.
    pub fn size(&self) -> [usize; 3] {
        self.size
    }

    /// Side of a voxel `[m]`.
    pub fn voxel(&self) -> f64 {
        self.voxel
    }

    /// Height of the bottom `[m]`.
    pub fn bottom(&self) -> f64 {
        self.bottom
    }

    /// Blocks to the east, to the north and up.
    fn blocks_along(&self) -> [usize; 3] {
        self.size.map(|voxels| voxels.div_ceil(SIDE))
    }

    /// The share of a voxel that is rock; outside the box there is air `[-]`.
    #[inline]
    pub fn share(&self, at: [isize; 3]) -> f32 {
        let inside = |axis: usize| usize::try_from(at[axis]).ok().filter(|&n| n < self.size[axis]);
        let (Some(x), Some(y), Some(z)) = (inside(0), inside(1), inside(2)) else { return 0.0 };
        match &self.blocks[self.block_of([x, y, z])] {
            Block::Even(share) => *share,
            Block::Dense(shares) => shares[within_block([x, y, z])],
        }
    }

    /// Sets the share of a voxel that is rock.
    ///
    /// # Panics
    /// Outside the box.
    pub fn set_share(&mut self, at: [usize; 3], share: f32) {
        assert!((0..3).all(|axis| at[axis] < self.size[axis]), "{at:?} in a volume of {:?}", self.size);
        let block = self.block_of(at);
        let block = &mut self.blocks[block];
        if let Block::Even(all) = *block {
            if all == share {
                return;
            }
            *block = Block::Dense(vec![all; BLOCK].into());
        }
        if let Block::Dense(shares) = block {
            Arc::make_mut(shares)[within_block(at)] = share;
        }
    }

    /// Keeps blocks whose voxels have become all alike as one number again.
    pub fn settle(&mut self) {
        let size = self.size;
        band::for_each(&mut self.blocks, |index, block| {
            if let Block::Dense(shares) = block
                && let Some(share) = even(shares, rows_within(size, first_voxel(size, index)))
            {
                *block = Block::Even(share);
            }
        });
    }

    fn block_of(&self, [x, y, z]: [usize; 3]) -> usize {
        let [across, along, _] = self.blocks_along();
        x / SIDE + across * (y / SIDE + along * (z / SIDE))
    }

    /// The one share that all voxels of a box of blocks have, air outside included; `None` if they differ or nobody knows
    /// without looking at each.
    pub(crate) fn even_share(&self, first: [isize; 3], last: [isize; 3]) -> Option<f32> {
        let along = self.blocks_along();
        let mut even = None;
        for n in 0..8 {
            let at: [isize; 3] =
                std::array::from_fn(|axis| if n >> axis & 1 == 0 { first[axis] } else { last[axis] });
            let inside = (0..3).all(|axis| (0..along[axis] as isize).contains(&at[axis]));
            let share = if inside {
                let [x, y, z] = at.map(|n| n as usize);
                match &self.blocks[x + along[0] * (y + along[1] * z)] {
                    Block::Even(share) => *share,
                    Block::Dense(_) => return None,
                }
            } else {
                0.0
            };
            // A block at the end reaches past the box, where there is air.
            let whole = share == 0.0 || (0..3).all(|axis| (at[axis] as usize + 1) * SIDE <= self.size[axis]);
            if !whole || even.is_some_and(|even| even != share) {
                return None;
            }
            even = Some(share);
        }
        even
    }

    /// Copies the shares of a box of voxels that begins at `first`; what lies outside is air.
    pub fn copy_shares(&self, first: [isize; 3], size: [usize; 3], into: &mut [f32]) {
        let ends: [isize; 3] = std::array::from_fn(|axis| first[axis] + size[axis] as isize);
        for (line, row) in into.chunks_exact_mut(size[0]).take(size[1] * size[2]).enumerate() {
            let (y, z) = (first[1] + (line % size[1]) as isize, first[2] + (line / size[1]) as isize);
            row.fill(0.0);
            let outside = |n: isize, axis: usize| n < 0 || n >= self.size[axis] as isize;
            if outside(y, 1) || outside(z, 2) {
                continue;
            }
            let (mut x, end) = (first[0].max(0), ends[0].min(self.size[0] as isize));
            while x < end {
                let next = (x / SIDE as isize + 1) * SIDE as isize;
                let run = (next.min(end) - x) as usize;
                let out = &mut row[(x - first[0]) as usize..][..run];
                let at = [x as usize, y as usize, z as usize];
                match &self.blocks[self.block_of(at)] {
                    Block::Even(share) => out.fill(*share),
                    Block::Dense(shares) => out.copy_from_slice(&shares[within_block(at)..][..run]),
                }
                x = next;
            }
        }
    }

    /// Calls `with` with every voxel that has rock, and its share; blocks of air are not looked into.
    pub fn each_rock(&self, mut with: impl FnMut([usize; 3], f32)) {
        for (number, block) in self.blocks.iter().enumerate() {
            if matches!(block, Block::Even(0.0)) {
                continue;
            }
            let first = first_voxel(self.size, number);
            for n in self.rows_within(number).flatten() {
                let share = match block {
                    Block::Even(share) => *share,
                    Block::Dense(shares) => shares[n],
                };
                if share > 0.0 {
                    let at = [n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE];
                    with(std::array::from_fn(|axis| first[axis] + at[axis]), share);
                }
            }
        }
    }

    /// Rock in the whole volume `[m³]`.
    pub fn rock(&self) -> f64 {
        let shares = |(index, block): (usize, &Block)| -> f64 {
            let within = self.rows_within(index);
            match block {
                Block::Even(share) => within.map(|row| f64::from(*share) * row.len() as f64).sum(),
                Block::Dense(shares) => {
                    within.map(|row| shares[row].iter().map(|&share| f64::from(share)).sum::<f64>()).sum()
                }
            }
        };
        self.blocks.iter().enumerate().map(shares).sum::<f64>() * self.voxel.powi(3)
    }

    /// The rows of a block that are within the box: at the ends blocks reach past it.
    fn rows_within(&self, block: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        rows_within(self.size, first_voxel(self.size, block))
    }

    /// Spells all blocks out, also those that are all rock or all air, as if every voxel differed.
    pub fn make_dense(&mut self) {
        for block in &mut self.blocks {
            if let Block::Even(share) = *block {
                *block = Block::Dense(vec![share; BLOCK].into());
            }
        }
    }

    /// Boxes of voxels outside of which it is as another volume of as many voxels: first and last of each, both included. Blocks that
    /// the two still share are not looked into.
    pub fn changes_since(&self, before: &Self) -> impl Iterator<Item = [[usize; 3]; 2]> {
        let pairs = self.blocks.iter().zip(&before.blocks).enumerate();
        pairs.filter_map(|(number, (now, before))| {
            let first = first_voxel(self.size, number);
            let box_of = |differs: &dyn Fn(usize) -> bool| {
                let mut found: Option<[[usize; 3]; 2]> = None;
                for n in rows_within(self.size, first).flatten().filter(|&n| differs(n)) {
                    let at = [n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE];
                    let at: [usize; 3] = std::array::from_fn(|axis| first[axis] + at[axis]);
                    let [low, high] = found.unwrap_or([at; 2]);
                    let bound = |of: fn(usize, usize) -> usize, ends: [usize; 3]| {
                        std::array::from_fn(|axis| of(ends[axis], at[axis]))
                    };
                    found = Some([bound(usize::min, low), bound(usize::max, high)]);
                }
                found
            };
            match (now, before) {
                (Block::Dense(now), Block::Dense(before)) if Arc::ptr_eq(now, before) => None,
                (Block::Dense(now), Block::Dense(before)) => box_of(&|n| now[n] != before[n]),
                (Block::Dense(shares), Block::Even(all)) | (Block::Even(all), Block::Dense(shares)) => {
                    box_of(&|n| shares[n] != *all)
                }
                (Block::Even(now), Block::Even(before)) => box_of(&|_| now != before),
            }
        })
    }

    /// Bytes that the voxels take.
    pub fn bytes(&self) -> usize {
        let dense = self.blocks.iter().filter(|block| matches!(block, Block::Dense(_))).count();
        Self::memory_of(self.blocks.len() as u64, dense as u64) as usize
    }

    /// Memory of so many blocks, of which some are dense `[bytes]`.
    pub fn memory_of(blocks: u64, dense: u64) -> u64 {
        let each = size_of::<Block>() as u64;
        blocks.saturating_mul(each).saturating_add(dense.saturating_mul((BLOCK * size_of::<f32>()) as u64))
    }
}

/// Where a voxel lies in its block.
fn within_block(at: [usize; 3]) -> usize {
    let [x, y, z] = at.map(|n| n % SIDE);
    x + SIDE * (y + SIDE * z)
}

/// The first voxel of a block in a box of voxels.
fn first_voxel(size: [usize; 3], block: usize) -> [usize; 3] {
    let [across, along, _] = size.map(|voxels| voxels.div_ceil(SIDE));
    [block % across, block / across % along, block / across / along].map(|n| n * SIDE)
}

/// The rows of the block with that first voxel that are within a box.
fn rows_within(size: [usize; 3], first: [usize; 3]) -> impl Iterator<Item = Range<usize>> {
    let [east, north, up]: [usize; 3] = std::array::from_fn(|axis| SIDE.min(size[axis] - first[axis]));
    let starts = (0..up).flat_map(move |z| (0..north).map(move |y| SIDE * (y + SIDE * z)));
    starts.map(move |start| start..start + east)
}

/// One number instead of many, where all voxels within the box are the same.
fn settled(shares: Vec<f32>, within: impl Iterator<Item = Range<usize>>) -> Block {
    even(&shares, within).map_or_else(|| Block::Dense(shares.into()), Block::Even)
}

/// The share that all voxels of a block within the box have; none if they differ.
fn even(shares: &[f32], mut within: impl Iterator<Item = Range<usize>>) -> Option<f32> {
    let share = shares[0];
    within.all(|row| shares[row].iter().all(|&other| other == share)).then_some(share)
}

#[cfg(test)]
mod tests;
