//! The surface of a volume as triangles (Lorensen & Cline 1987), block by block.
//!
//! A cell lies between the middles of eight voxels. In three passes over the cells of a block the surface is found as Wang, Yang & Zhu 2021
//! have it: which corners are rock, where edges are crossed, which triangles join the crossings. Crossings are shared: each
//! belongs to the block that the lower end of its edge lies in, and triangles of the blocks beside it refer to it. Around the
//! box there is air, so that the surface is closed.
//!
//! After a change only the blocks around it are worked out anew, and the whole is the same as if all had been.

mod block_surface;
mod cases;

pub use block_surface::Cell;

use crate::volume::{SIDE, Volume};
use block_surface::{BlockSurface, Reference, Scratch};
use thalweg_field::{TriMesh, band};

/// Blocks that one thread works out at a time.
const TOGETHER: usize = 8;

/// The surface of a volume.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Blocks of cells to the east, to the north and up.
    along: [usize; 3],
    blocks: Vec<BlockSurface>,
}

impl Surface {
    /// The whole surface.
    pub fn of(volume: &Volume) -> Self {
        // Cells lie between voxels, one more than there are along each side.
        let along = volume.size().map(|voxels| (voxels + 1).div_ceil(SIDE));
        let mut surface = Self { along, blocks: vec![BlockSurface::default(); along.iter().product()] };
        surface.find(volume, [0; 3], along.map(|count| count - 1));
        surface
    }

    /// Works out anew what voxels between two places, both included, have changed.
    pub fn update(&mut self, volume: &Volume, first: [usize; 3], last: [usize; 3]) {
        let [first, last] = self.around(first, last);
        self.find(volume, first, last);
    }

    /// Works out anew what differs between a volume and what it was when the surface was that of it. Tells of each block whether it was.
    pub fn follow(&mut self, before: &Volume, now: &Volume) -> Vec<bool> {
        let [across, along, _] = self.along;
        let mut stale = vec![false; self.blocks.len()];
        for [first, last] in now.changes_since(before) {
            let [first, last] = self.around(first, last);
            for up in first[2]..=last[2] {
                for north in first[1]..=last[1] {
                    let row = across * (north + along * up);
                    stale[row + first[0]..=row + last[0]].fill(true);
                }
            }
        }
        let blocks = self.blocks.iter_mut().zip(&stale).enumerate().filter(|(_, (_, stale))| **stale);
        let mut blocks: Vec<_> = blocks.map(|(number, (block, _))| (number, block)).collect();
        band::for_each_chunk(&mut blocks, TOGETHER, |_, blocks| {
            let mut scratch = Scratch::default();
            for (number, block) in blocks {
                let at = [*number % across, *number / across % along, *number / across / along];
                block.find(now, at, &mut scratch);
            }
        });
        stale
    }

    /// The blocks of cells that voxels between two places, both included, are seen by: the first and the last.
    fn around(&self, first: [usize; 3], last: [usize; 3]) -> [[usize; 3]; 2] {
        // A voxel is a corner of the cells on both its sides, and the slope at the next corners sees it too.
        let first = first.map(|voxel| voxel.saturating_sub(1) / SIDE);
        [first, std::array::from_fn(|axis| ((last[axis] + 2) / SIDE).min(self.along[axis] - 1))]
    }

    /// Works out some blocks.
    fn find(&mut self, volume: &Volume, first: [usize; 3], last: [usize; 3]) {
        let [across, along, _] = self.along;
        let layer = across * along;
        let blocks = &mut self.blocks[first[2] * layer..(last[2] + 1) * layer];
        band::for_each_chunk(blocks, across, |row, blocks| {
            let (north, up) = (row % along, first[2] + row / along);
            if !(first[1]..=last[1]).contains(&north) {
                return;
            }
            let mut scratch = Scratch::default();
            for (east, block) in blocks.iter_mut().enumerate().take(last[0] + 1).skip(first[0]) {
                block.find(volume, [east, north, up], &mut scratch);
            }
        });
    }

    /// All triangles as one mesh.
    pub fn mesh(&self) -> TriMesh {
        let count = |of: fn(&BlockSurface) -> usize| self.blocks.iter().map(of).sum::<usize>();
        let mut mesh = TriMesh {
            positions: Vec::with_capacity(count(|block| block.positions.len())),
            normals: Vec::with_capacity(count(|block| block.positions.len())),
            triangles: Vec::with_capacity(count(|block| block.triangles.len())),
        };
        let mut starts = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            starts.push(mesh.positions.len() as u32);
            mesh.positions.extend(&block.positions);
            mesh.normals.extend(&block.normals);
        }
        let [across, along, _] = self.along;
        for (index, block) in self.blocks.iter().enumerate() {
            let corner = |reference: Reference| {
                let [east, north, up] = reference.beyond();
                let owner = index + east + across * (north + along * up);
                starts[owner] + self.blocks[owner].crossing(reference.edge())
            };
            mesh.triangles.extend(block.triangles.iter().map(|triangle| triangle.map(corner)));
        }
        mesh
    }

    /// Blocks of cells to the east, to the north and up.
    pub fn blocks_along(&self) -> [usize; 3] {
        self.along
    }

    /// How many corners of [`Surface::mesh`] each block has; they come one block after the other.
    pub fn corners_of_blocks(&self) -> impl Iterator<Item = usize> + '_ {
        self.blocks.iter().map(|block| block.positions.len())
    }

    /// Triangles on it.
    pub fn triangles(&self) -> usize {
        self.blocks.iter().map(|block| block.triangles.len()).sum()
    }
}

#[cfg(test)]
mod tests;
