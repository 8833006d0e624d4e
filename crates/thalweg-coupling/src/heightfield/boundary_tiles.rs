//! Boundary particles on the triangles of the bed and on the walls at its edges, only where water is (Kataev 2022,
//! 4.6.3 and requirement N1).
//!
//! The bed is cut into square tiles at least as wide as the water reaches between two updates. Every few steps each
//! particle of the fluid claims the tiles around it; tiles that are newly claimed are filled, tiles that nobody claims
//! any more are cleared, and tiles whose ground has moved are filled anew.

use super::bed::Bed;
use super::patch::{Patch, Patches};
use crate::boundary::{Layers, MOVED, PART, WALL, admit, claim, is_fixture};
use crate::walls::{Squares, Walls};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thalweg_field::{Edge, band};
use thalweg_sph::{AT_ONCE, BOUNDARY, Fluid, FluidError, SLIP};

/// Where boundary particles are.
#[derive(Debug)]
pub(crate) struct BoundaryTiles {
    /// Most particles of the boundary.
    room: usize,
    layers: Layers,
    /// The patches of the bed that they are filled on.
    patches: Patches,
    /// Cells along the side of a tile, and tiles to the east and to the north.
    side: usize,
    tiles: [usize; 2],
    /// Which tiles are filled.
    filled: Vec<bool>,
    /// Heights for which they were filled, vertex by vertex `[m]`.
    heights: Vec<f32>,
    /// Highest ground of each tile, and of each tile and those around it `[m]`.
    tops: Vec<f32>,
    around: Vec<f32>,
    /// The walls at the edges.
    pub walls: Walls,
    /// Kept between updates: which tiles have water near, and which are to be cleared.
    claimed: Vec<AtomicBool>,
    clear: Vec<bool>,
}

impl BoundaryTiles {
    /// None yet, for particles in layers which water reaches from `reach` away `[m]`. There can be `room` of them.
    pub(crate) fn new(bed: &Bed, layers: Layers, reach: f64, edges: [Edge; 4], room: usize) -> Self {
        let patches = Patches::new(bed, layers.spacing);
        let side = ((reach / bed.cell).ceil().max(1.0) as usize).next_multiple_of(patches.side());
        let tiles = bed.cells().map(|cells| cells.div_ceil(side));
        let base = f64::from(bed.heights().iter().fold(f32::INFINITY, |low, &h| low.min(h)));
        let squares = Squares { extent: bed.extent(), tile: side as f64 * bed.cell, tiles, base };
        let mut tiles = Self {
            room,
            tops: vec![0.0; tiles[0] * tiles[1]],
            around: vec![0.0; tiles[0] * tiles[1]],
            layers,
            patches,
            side,
            tiles,
            filled: vec![false; tiles[0] * tiles[1]],
            heights: bed.heights().to_vec(),
            walls: Walls::new(squares, layers, edges),
            claimed: Vec::new(),
            clear: Vec::new(),
        };
        tiles.find_tops(bed);
        tiles
    }

    /// There can be so many of them from now on.
    pub(crate) fn set_room(&mut self, room: usize) {
        self.room = room;
    }

    /// Most particles of the boundary.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// Finds the highest ground of all tiles.
    fn find_tops(&mut self, bed: &Bed) {
        for tile in 0..self.tops.len() {
            let [[west, east], [south, north]] = self.cells_of(bed, tile);
            let row = |j: usize| &bed.heights()[j * bed.size[0] + west..=j * bed.size[0] + east];
            self.tops[tile] = (south..=north).flat_map(row).fold(f32::NEG_INFINITY, |top, &h| top.max(h));
        }
        let [wide, deep] = self.tiles;
        for j in 0..deep {
            for i in 0..wide {
                let near = |n: usize, count: usize| n.saturating_sub(1)..(n + 2).min(count);
                let tops = near(j, deep).flat_map(|j| near(i, wide).map(move |i| j * wide + i));
                self.around[j * wide + i] =
                    tops.fold(f32::NEG_INFINITY, |top, tile| top.max(self.tops[tile]));
            }
        }
    }

    /// Whether places between two corners are higher than all ground near them; what is there cannot touch the bed.
    #[inline(always)]
    pub(crate) fn are_high(&self, bed: &Bed, low: [f32; 3], high: [f32; 3]) -> bool {
        let tile = self.tile(bed) as f32;
        high[0] - low[0] < tile && high[1] - low[1] < tile && self.is_high(bed, low)
    }

    /// Whether a place is higher than all ground within a tile's width of it.
    #[inline(always)]
    pub(crate) fn is_high(&self, bed: &Bed, [x, y, z]: [f32; 3]) -> bool {
        let per = 1.0 / self.tile(bed) as f32;
        let from = 0.5 * bed.cell as f32;
        let index = |v: f32, count: usize| (((v - from) * per).max(0.0) as usize).min(count - 1);
        // A little higher, since the ground may have grown since the last update.
        z > self.around[index(y, self.tiles[1]) * self.tiles[0] + index(x, self.tiles[0])]
            + (self.layers.spacing as f32)
    }

    /// Side of a tile `[m]`.
    fn tile(&self, bed: &Bed) -> f64 {
        self.side as f64 * bed.cell
    }

    /// The tile that a patch is in.
    fn tile_of(&self, bed: &Bed, patch: Patch) -> usize {
        let cell = patch as usize / 2;
        let [cols, _] = bed.cells();
        (cell / cols / self.side) * self.tiles[0] + cell % cols / self.side
    }

    /// State that is not in the particles.
    pub(crate) fn save(&self) -> (&[bool], &[f32], &[bool]) {
        (&self.filled, &self.heights, self.walls.filled())
    }

    /// Takes it up again.
    pub(crate) fn restore(&mut self, bed: &Bed, filled: &[bool], heights: &[f32], walls_filled: &[bool]) {
        self.filled.copy_from_slice(filled);
        self.heights.copy_from_slice(heights);
        self.walls.restore(walls_filled);
        self.find_tops(bed);
    }

    /// Looks where the water is, and adds and removes boundary particles; `reach` is how far from the water they are
    /// needed until the next update `[m]`. Returns how many tiles changed.
    pub(crate) fn update(&mut self, bed: &Bed, fluid: &mut Fluid, reach: f64) -> Result<usize, FluidError> {
        self.find_tops(bed);
        self.claim(bed, fluid, reach);
        self.walls.claim(fluid, reach)?;
        self.mark_stale(bed);
        let walls_stale = self.walls.mark_stale();
        if walls_stale || self.clear.contains(&true) {
            self.clear_stale(bed, fluid);
        }
        let changed = self.fill_ground(bed, fluid)?;
        // The part of a wall that is deep below the ground would be of no use.
        let thick = self.layers.thick();
        let useful = |at: [f64; 3]| at[2] > f64::from(bed.below(at[0] as f32, at[1] as f32).1) - thick;
        Ok(changed + self.walls.fill(fluid, self.room, useful)?)
    }

    /// Marks tiles that are to be cleared: nobody claims them any more, or their ground has moved.
    fn mark_stale(&mut self, bed: &Bed) {
        let mut clear = std::mem::take(&mut self.clear);
        let stale = |tile| self.filled[tile] && (!self.is_claimed(tile) || self.has_moved(bed, tile));
        clear.clear();
        clear.extend((0..self.filled.len()).map(stale));
        self.clear = clear;
    }

    /// Whether water is near a tile.
    fn is_claimed(&self, tile: usize) -> bool {
        self.claimed.get(tile).is_some_and(|claim| claim.load(Relaxed))
    }

    /// Lets the particles of marked tiles vanish.
    fn clear_stale(&self, bed: &Bed, fluid: &mut Fluid) {
        let particles = fluid.particles_mut();
        for i in 0..particles.len() {
            let tag = particles.tag[i];
            if tag & BOUNDARY != 0 && !is_fixture(tag) {
                let goes = if tag & WALL != 0 {
                    self.walls.is_stale(tag)
                } else {
                    self.clear[self.tile_of(bed, tag & (SLIP - 1))]
                };
                if goes {
                    particles.expires[i] = AT_ONCE;
                }
            }
        }
    }

    /// Fills claimed tiles of the ground that are not, or no more. Returns how many changed.
    fn fill_ground(&mut self, bed: &Bed, fluid: &mut Fluid) -> Result<usize, FluidError> {
        let mut changed = 0;
        for tile in 0..self.filled.len() {
            let clear = self.clear[tile];
            self.filled[tile] &= !clear;
            changed += usize::from(clear);
            if self.is_claimed(tile) && !self.filled[tile] {
                let (count, at) = self.need_of(bed, tile);
                admit(self.room, fluid, count, at)?;
                self.fill_tile(bed, fluid, tile);
                self.filled[tile] = true;
                changed += 1;
            }
        }
        Ok(changed)
    }

    /// Particles that a tile of the bed needs at most, and its middle, east and north `[m]`.
    fn need_of(&self, bed: &Bed, tile: usize) -> (f64, [f64; 2]) {
        let square = self.cells_of(bed, tile);
        let count =
            self.patches.within(bed, square).map(|patch| self.patches.most_samples(bed, patch)).sum::<f64>();
        (
            f64::from(self.layers.count) * count,
            square.map(|[from, to]| (0.5 + 0.5 * (from + to) as f64) * bed.cell),
        )
    }

    /// Whether every tile of the bed could be filled at all.
    pub(crate) fn can_fill(&self, bed: &Bed) -> bool {
        (0..self.filled.len()).all(|tile| self.need_of(bed, tile).0 <= self.room as f64)
    }

    /// Refuses water at the beginning whose bed would need more than there is room for. Nothing is put there.
    pub(crate) fn check_start(&mut self, bed: &Bed, fluid: &Fluid, reach: f64) -> Result<(), FluidError> {
        self.claim(bed, fluid, reach);
        self.walls.claim(fluid, reach)?;
        let mut all = 0.0;
        for tile in (0..self.filled.len()).filter(|&tile| self.claimed[tile].load(Relaxed)) {
            let (count, at) = self.need_of(bed, tile);
            all += count;
            admit(self.room, fluid, all, at)?;
        }
        Ok(())
    }

    /// Cells of a tile: from, to; east and north.
    fn cells_of(&self, bed: &Bed, tile: usize) -> [[usize; 2]; 2] {
        let at = [tile % self.tiles[0], tile / self.tiles[0]];
        std::array::from_fn(|axis| {
            let from = at[axis] * self.side;
            [from, (from + self.side).min(bed.cells()[axis])]
        })
    }

    /// Whether the ground of a tile is no longer that for which it was filled.
    fn has_moved(&self, bed: &Bed, tile: usize) -> bool {
        let [[west, east], [south, north]] = self.cells_of(bed, tile);
        let far = (MOVED * self.layers.spacing) as f32;
        (south..=north).any(|j| {
            let row = j * bed.size[0];
            let (now, then) =
                (&bed.heights()[row + west..=row + east], &self.heights[row + west..=row + east]);
            now.iter().zip(then).any(|(now, then)| (now - then).abs() > far)
        })
    }

    fn fill_tile(&mut self, bed: &Bed, fluid: &mut Fluid, tile: usize) {
        let [[west, east], [south, north]] = self.cells_of(bed, tile);
        for j in south..=north {
            let row = j * bed.size[0];
            self.heights[row + west..=row + east].copy_from_slice(&bed.heights()[row + west..=row + east]);
        }
        for patch in self.patches.within(bed, [[west, east], [south, north]]) {
            let normal = self.patches.normal(bed, patch).map(f64::from);
            let share =
                self.patches.area_each(bed, patch) / (self.layers.spacing * self.layers.spacing) as f32;
            self.patches.sample(bed, patch, |at| {
                for layer in 0..self.layers.count {
                    let depth = self.layers.depth_of(layer);
                    // Straight down, to that depth below the plane of the patch: along the normal it could come out again
                    // on the other side of a ridge.
                    let sunk = [at[0], at[1], at[2] - depth / normal[2]];
                    // Only the topmost touches the water; those below carry it.
                    let tag = if layer == 0 { patch } else { patch | SLIP };
                    fluid.add_boundary(sunk.map(|v| v as f32), [0.0; 3], tag, share);
                }
            });
        }
    }

    /// Finds which tiles have water near.
    fn claim(&mut self, bed: &Bed, fluid: &Fluid, reach: f64) {
        let [wide, deep] = self.tiles;
        let (particles, reach) = (fluid.particles(), reach as f32);
        let now = fluid.time() as f32;
        let [[west, east], [south, north]] = bed.extent();
        let per = (1.0 / self.tile(bed)) as f32;
        let lives = |i: usize| !particles.is_boundary(i) && particles.expires[i] > now;
        let mut ground = std::mem::take(&mut self.claimed);
        ground.resize_with(wide * deep, AtomicBool::default);
        ground.iter_mut().for_each(|claim| *claim.get_mut() = false);
        let index = |v: f32, from: f32, count: usize| (((v - from) * per).max(0.0) as usize).min(count - 1);
        band::for_each_part(0..particles.len(), PART, (), &|range, ()| {
            for i in range.filter(|&i| lives(i)) {
                let [x, y, z] = [0, 1, 2].map(|axis: usize| particles.position[axis][i]);
                // Tiles whose square comes within reach of the particle; mostly one, at most four.
                for y in self.walls.images(1, y).filter(|y| y + reach > south && y - reach < north) {
                    for x in self.walls.images(0, x).filter(|x| x + reach > west && x - reach < east) {
                        for n in index(y - reach, south, deep)..=index(y + reach, south, deep) {
                            for m in index(x - reach, west, wide)..=index(x + reach, west, wide) {
                                if z < self.tops[n * wide + m] + reach {
                                    claim(&ground[n * wide + m]);
                                }
                            }
                        }
                    }
                }
            }
        });
        self.claimed = ground;
    }
}
