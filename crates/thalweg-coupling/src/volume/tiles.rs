//! Boundary particles below the surface of the rock, only where water is.
//!
//! The cells between voxels are cut into cubic tiles at least as wide as the water reaches between two updates, claimed, filled and cleared
//! as those of a heightfield are. Each layer of particles lies on a surface of its own, where the shares tell that the rock is so deep: it goes around inner
//! edges without a gap, and around outer ones without crowding. A surface is sampled where lines along the axis that it faces most cross it,
//! lines that are a spacing apart: on level ground that is a square lattice, on any slope the share of area that each stands for is known.

use super::flow::Foot;
use super::rock::{Rock, Vector};
use super::samples::{Cube, Sample, foot, inside_thin, sunk};
use crate::boundary::{Layers, MOVED, PART, WALL, admit, claim, is_fixture};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thalweg_field::band;
use thalweg_sph::{AT_ONCE, BOUNDARY, Fluid, FluidError, SLIP};
use thalweg_terrain::volume::SOFT;

/// Fewest and most cells along a tile.
const LEAST_CELLS: usize = 4;
const MOST_CELLS: usize = 32;

/// What a filled tile was filled for.
#[derive(Clone, Debug, Default)]
struct Filled {
    /// Shares at the corners of its cells.
    shares: Vec<f32>,
    /// Where its uppermost particles stand below.
    feet: Vec<Foot>,
}

/// Where boundary particles are.
#[derive(Debug)]
pub(super) struct RockTiles {
    pub room: usize,
    layers: Layers,
    /// Cells along the side of a tile, and tiles to the east, to the north and up.
    side: usize,
    along: [usize; 3],
    filled: Vec<bool>,
    /// Of each tile; empty if it is not filled.
    contents: Vec<Filled>,
    claimed: Vec<AtomicBool>,
    clear: Vec<bool>,
}

impl RockTiles {
    /// None yet, for particles in layers which water reaches from `reach` away `[m]`.
    pub(super) fn new(rock: &Rock, layers: Layers, reach: f64) -> Self {
        let side = Self::side_of(reach, rock.voxel());
        let along = along(rock.size(), side);
        let count = along.iter().product();
        Self {
            room: 0,
            layers,
            side,
            along,
            filled: vec![false; count],
            contents: vec![Filled::default(); count],
            claimed: Vec::new(),
            clear: Vec::new(),
        }
    }

    /// Side of a tile which water reaches from `reach` away `[m]`, in cells.
    pub(super) fn side_of(reach: f64, voxel: f64) -> usize {
        ((reach / voxel).ceil() as usize).clamp(LEAST_CELLS, MOST_CELLS)
    }

    /// Memory of the tiles of a box of voxels, none of them filled `[bytes]`.
    pub(super) fn memory_of(size: [usize; 3], side: usize) -> u64 {
        let tiles: u64 = along(size, side).iter().map(|&tiles| tiles as u64).product();
        tiles * (size_of::<Filled>() + 3) as u64
    }

    pub(super) fn count(&self) -> usize {
        self.filled.len()
    }

    pub(super) fn filled(&self) -> &[bool] {
        &self.filled
    }

    /// Side of a tile in cells.
    pub(super) fn side(&self) -> usize {
        self.side
    }

    /// Shares that each filled tile was filled for, one after the other.
    pub(super) fn save(&self) -> Vec<f32> {
        let filled = self.contents.iter().zip(&self.filled).filter(|(_, filled)| **filled);
        filled.flat_map(|(tile, _)| tile.shares.iter().copied()).collect()
    }

    /// Takes them up again; false if they are not those of the tiles that are filled.
    pub(super) fn restore(&mut self, filled: &[bool], shares: &[f32], rock: &Rock) -> bool {
        let corners = (self.side + 1).pow(3);
        if filled.len() != self.filled.len()
            || filled.iter().filter(|&&is| is).count() * corners != shares.len()
        {
            return false;
        }
        self.filled.copy_from_slice(filled);
        let mut saved = shares.chunks_exact(corners);
        for tile in 0..self.filled.len() {
            self.contents[tile] = Filled::default();
            if self.filled[tile] {
                let shares = saved.next().map(<[f32]>::to_vec).unwrap_or_default();
                let mut feet = Vec::new();
                let cube = self.cube(rock, tile, &shares);
                cube.sample(rock, 0.0, |sample, cell| feet.push(foot(rock, &sample, cell)));
                self.contents[tile] = Filled { shares, feet };
            }
        }
        true
    }

    /// Places of the surface that have boundary particles below them.
    pub(super) fn feet(&self) -> impl Iterator<Item = &Foot> {
        self.contents.iter().flat_map(|tile| &tile.feet)
    }

    /// The first cell of a tile.
    fn first(&self, tile: usize) -> [isize; 3] {
        let [across, along, _] = self.along;
        let [x, y, z] = [tile % across, tile / across % along, tile / across / along];
        [x * self.side, y * self.side, z * self.side].map(|n| n as isize)
    }

    /// The same in the cells of the volume: those go down by one more than the tiles'.
    fn first_cell(&self, tile: usize) -> [isize; 3] {
        let [x, y, z] = self.first(tile);
        [x, y, z - 1]
    }

    /// The tiles that places between two corners are in.
    fn tiles(&self, low: Vector, high: Vector) -> impl Iterator<Item = usize> + use<> {
        let [across, along, _] = self.along;
        let range = |axis: usize| -> Range<usize> {
            let cell = |v: f64| (v + if axis == 2 { 1.0 } else { 0.0 }) / self.side as f64;
            let last = self.along[axis] as f64 - 1.0;
            let (from, to) = (cell(low[axis]).floor(), cell(high[axis]).floor());
            // Written so that what is no number is nowhere.
            if to >= 0.0 && from <= last { from.max(0.0) as usize..to.min(last) as usize + 1 } else { 0..0 }
        };
        let (x, y, z) = (range(0), range(1), range(2));
        z.flat_map(move |up| {
            let x = x.clone();
            y.clone().flat_map(move |north| x.clone().map(move |east| east + across * (north + along * up)))
        })
    }

    /// Finds which tiles have water near.
    pub(super) fn claim(&mut self, rock: &Rock, fluid: &Fluid, reach: f64) {
        let mut claimed = std::mem::take(&mut self.claimed);
        claimed.resize_with(self.filled.len(), AtomicBool::default);
        claimed.iter_mut().for_each(|claim| *claim.get_mut() = false);
        let (particles, now) = (fluid.particles(), fluid.time() as f32);
        let lives = |i: usize| !particles.is_boundary(i) && particles.expires[i] > now;
        let reach = reach / rock.voxel();
        band::for_each_part(0..particles.len(), PART, (), &|range, ()| {
            for i in range.filter(|&i| lives(i)) {
                let at = rock.in_voxels([0, 1, 2].map(|axis: usize| particles.position[axis][i].into()));
                self.tiles(at.map(|v| v - reach), at.map(|v| v + reach))
                    .for_each(|tile| claim(&claimed[tile]));
            }
        });
        self.claimed = claimed;
    }

    fn is_claimed(&self, tile: usize) -> bool {
        self.claimed.get(tile).is_some_and(|claim| claim.load(Relaxed))
    }

    /// Marks tiles that nobody claims any more, or whose rock has moved. Returns whether there are some.
    pub(super) fn mark_stale(&mut self, rock: &Rock) -> bool {
        let mut clear = std::mem::take(&mut self.clear);
        let stale = |tile| self.filled[tile] && (!self.is_claimed(tile) || self.has_moved(rock, tile));
        clear.clear();
        clear.extend((0..self.filled.len()).map(stale));
        self.clear = clear;
        self.clear.contains(&true)
    }

    /// Whether the rock of a tile is no longer that for which it was filled. What is all rock or all air may change a little.
    fn has_moved(&self, rock: &Rock, tile: usize) -> bool {
        let then = &self.contents[tile].shares;
        let far = (MOVED * self.layers.spacing / (f64::from(SOFT) * rock.voxel())) as f32;
        let count = self.side + 1;
        let mut row = [0.0; MOST_CELLS + 1];
        let row = &mut row[..count];
        let [x, y, z] = self.first_cell(tile);
        (0..count * count).any(|line| {
            let at = [x, y + (line % count) as isize, z + (line / count) as isize];
            rock.volume().copy_shares(at, [count, 1, 1], row);
            row.iter().zip(&then[line * count..]).any(|(now, then)| (now - then).abs() > far)
        })
    }

    /// Whether a particle with the tag of the rock stands in a marked tile.
    fn is_stale(&self, tag: u32) -> bool {
        self.clear[(tag & (WALL - 1)) as usize]
    }

    /// Lets the particles of marked tiles vanish, and those on walls that `wall` says.
    pub(super) fn clear_stale(&self, fluid: &mut Fluid, wall: impl Fn(u32) -> bool) {
        let particles = fluid.particles_mut();
        for i in 0..particles.len() {
            let tag = particles.tag[i];
            let own = tag & BOUNDARY != 0 && !is_fixture(tag);
            if own && if tag & WALL != 0 { wall(tag) } else { self.is_stale(tag) } {
                particles.expires[i] = AT_ONCE;
            }
        }
    }

    /// Fills claimed tiles that are not, or no more. Returns how many changed.
    pub(super) fn fill(&mut self, rock: &Rock, fluid: &mut Fluid) -> Result<usize, FluidError> {
        let mut changed = 0;
        for tile in 0..self.filled.len() {
            let clear = self.clear[tile];
            if clear {
                self.filled[tile] = false;
                self.contents[tile].feet.clear();
                changed += 1;
            }
            if self.is_claimed(tile) && !self.filled[tile] {
                self.fill_tile(rock, fluid, tile)?;
                self.filled[tile] = true;
                changed += 1;
            }
        }
        Ok(changed)
    }

    fn fill_tile(&mut self, rock: &Rock, fluid: &mut Fluid, tile: usize) -> Result<(), FluidError> {
        let Filled { mut shares, mut feet } = std::mem::take(&mut self.contents[tile]);
        feet.clear();
        self.copy_shares(rock, tile, &mut shares);
        let middle = self.first_cell(tile).map(|n| (n as f64) + 0.5 * self.side as f64);
        let middle = rock.in_metres(middle);
        let mut full = Ok(());
        let mut put = |at: Vector, tag: u32, sample: &Sample| {
            if full.is_ok() {
                full = admit(self.room, fluid, 1.0, [middle[0], middle[1]]);
            }
            if full.is_ok() {
                let share = (1.0 / sample.normal[sample.axis].abs()) as f32;
                fluid.add_boundary(rock.in_metres(at).map(|v| v as f32), [0.0; 3], tag, share);
            }
        };
        let depth_of = |layer: u32| self.layers.depth_of(layer) / rock.voxel();
        let cube = self.cube(rock, tile, &shares);
        cube.sample(rock, 0.0, |sample, cell| {
            feet.push(foot(rock, &sample, cell));
            if let Some(inside) = inside_thin(rock, &sample, depth_of(0)) {
                put(inside, tile as u32, &sample);
            }
        });
        for layer in 0..self.layers.count {
            // Only the topmost touches the water; those below carry it.
            let tag = if layer == 0 { tile as u32 } else { tile as u32 | SLIP };
            cube.sample(rock, depth_of(layer), |sample, _| {
                if let Some(at) = sunk(rock, &sample, depth_of(layer)) {
                    put(at, tag, &sample);
                }
            });
        }
        self.contents[tile] = Filled { shares, feet };
        full
    }

    /// Particles that the claimed tiles need `[-]`; refuses them if there is no room.
    pub(super) fn check_start(&self, rock: &Rock, fluid: &Fluid) -> Result<(), FluidError> {
        let (mut all, mut shares) = (0.0, Vec::new());
        for tile in (0..self.filled.len()).filter(|&tile| self.is_claimed(tile)) {
            self.copy_shares(rock, tile, &mut shares);
            let mut last = [0.0; 3];
            self.cube(rock, tile, &shares).sample(rock, 0.0, |sample, _| {
                all += f64::from(self.layers.count);
                last = sample.at;
            });
            let [x, y, _] = rock.in_metres(last);
            admit(self.room, fluid, all, [x, y])?;
        }
        Ok(())
    }

    /// The cells of a tile, with the shares at their corners.
    fn cube<'a>(&self, rock: &Rock, tile: usize, shares: &'a [f32]) -> Cube<'a> {
        let spacing = self.layers.spacing / rock.voxel();
        Cube { first: self.first_cell(tile), side: self.side, shares, spacing }
    }

    /// The shares at the corners of a tile's cells.
    fn copy_shares(&self, rock: &Rock, tile: usize, into: &mut Vec<f32>) {
        let count = self.side + 1;
        into.resize(count.pow(3), 0.0);
        rock.volume().copy_shares(self.first_cell(tile), [count; 3], into);
    }
}

/// Tiles along each side of a box of voxels: from east to west between the middles of the outermost; up and down one cell farther, where the rock ends.
fn along([x, y, z]: [usize; 3], side: usize) -> [usize; 3] {
    [x - 1, y - 1, z + 1].map(|cells| cells.div_ceil(side).max(1))
}
