//! Boundary particles on the triangles of the bed and on the walls at its edges, only where water is (Kataev 2022,
//! 4.6.3 and requirement N1).
//!
//! The bed is cut into square tiles at least as wide as the water reaches between two updates. Every few steps each
//! particle of the fluid claims the tiles around it; tiles that are newly claimed are filled, tiles that nobody claims
//! any more are cleared, and tiles whose ground has moved are filled anew.

use crate::bed::Bed;
use crate::patch::{Patch, Patches, steps};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thalweg_field::{Edge, band};
use thalweg_sph::neighbours::TooWide;
use thalweg_sph::{AT_ONCE, BOUNDARY, COPY, Fluid, FluidError, SLIP};

/// Steps between two updates to where the water is.
pub(crate) const UPDATE_EVERY: u64 = 8;
/// Ground that has moved by more than this share of the spacing is filled anew `[-]`.
const MOVED: f64 = 0.02;
/// Particles that are looked at together.
const PART: usize = 4096;
/// Marks the tag of a particle on a wall; the rest is the number of its tile.
const WALL: u32 = 1 << 29;
/// The tag of a particle that stands where it was put, beside bed and walls; the rest is 0 for the walls of emitters, else one more than
/// the number of its body.
pub(crate) const FIXTURE: u32 = SLIP | WALL | 1 << 28;

/// Whether a tag is that of a fixture.
fn is_fixture(tag: u32) -> bool {
    tag & (BOUNDARY | FIXTURE) == BOUNDARY | FIXTURE
}

/// Most squares that the walls are cut into; walls as high as that have no business in a scene.
const MOST_SQUARES: usize = 1 << 24;

/// Where boundary particles are.
#[derive(Debug)]
pub(crate) struct BoundaryTiles {
    /// Most particles of the boundary.
    room: usize,
    /// Distance between two of them, and how deep below the surface they are `[m]`.
    spacing: f64,
    depth: f64,
    /// Layers, one below the other.
    layers: u32,
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
    /// Walls at the north, east, south and west.
    walls: [bool; 4],
    /// How far water is from where it is found again beyond a joined edge, east and north `[m]`; 0: no edge is joined.
    beyond: [f32; 2],
    /// Lowest ground `[m]`, one tile below which walls begin, and which wall tiles are filled: level by level, then around the terrain.
    base: f64,
    walls_filled: Vec<bool>,
    /// Kept between updates: which tiles have water near, and which are to be cleared.
    claimed: [Vec<AtomicBool>; 2],
    clear: [Vec<bool>; 2],
}

impl BoundaryTiles {
    /// None yet, for particles `spacing` apart in `layers` that begin `depth` below the surface, which water reaches from
    /// `reach` away `[m]`. There can be `room` of them.
    pub(crate) fn new(
        bed: &Bed,
        [spacing, depth]: [f64; 2],
        layers: u32,
        reach: f64,
        edges: [Edge; 4],
        room: usize,
    ) -> Self {
        let patches = Patches::new(bed, spacing);
        let side = ((reach / bed.cell).ceil().max(1.0) as usize).next_multiple_of(patches.side());
        let tiles = bed.cells().map(|cells| cells.div_ceil(side));
        let base = bed.heights().iter().fold(f32::INFINITY, |low, &h| low.min(h));
        let mut tiles = Self {
            room,
            tops: vec![0.0; tiles[0] * tiles[1]],
            around: vec![0.0; tiles[0] * tiles[1]],
            spacing,
            depth,
            layers,
            patches,
            side,
            tiles,
            filled: vec![false; tiles[0] * tiles[1]],
            heights: bed.heights().to_vec(),
            walls: edges.map(|edge| edge == Edge::Closed),
            beyond: [0.0; 2],
            base: f64::from(base),
            walls_filled: Vec::new(),
            claimed: Default::default(),
            clear: Default::default(),
        };
        tiles.find_tops(bed);
        tiles
    }

    /// Joins east and west, or north and south: there are no walls then.
    pub(crate) fn join(&mut self, bed: &Bed, joined: [bool; 2]) {
        for axis in (0..2).filter(|&axis| joined[axis]) {
            let [low, high] = bed.extent()[axis];
            self.beyond[axis] = high - low;
            (self.walls[1 - axis], self.walls[3 - axis]) = (false, false);
        }
    }

    /// Where water at a place is found along an axis: there, and beyond joined edges.
    fn images(&self, axis: usize, at: f32) -> impl Iterator<Item = f32> {
        let by = self.beyond[axis];
        let count = if by > 0.0 { 3 } else { 1 };
        [at, at - by, at + by].into_iter().take(count)
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
            + (self.spacing as f32)
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

    /// Wall tiles in one level: those of the north, the east, the south and the west.
    fn wall_tiles(&self) -> usize {
        2 * (self.tiles[0] + self.tiles[1])
    }

    /// Whether a boundary particle's tag names a patch of the bed, one of so many squares of wall, or a fixture of so many bodies.
    pub(crate) fn owns(&self, bed: &Bed, tag: u32, [walls, bodies]: [usize; 2]) -> bool {
        if is_fixture(tag) {
            return tag == COPY || (tag & !(BOUNDARY | FIXTURE)) as usize <= bodies;
        }
        let number = (tag & (WALL - 1)) as usize;
        match tag & (SLIP | WALL) {
            0 | SLIP => number < bed.triangles(),
            kind => kind == SLIP | WALL && number < walls,
        }
    }

    /// State that is not in the particles.
    pub(crate) fn save(&self) -> (&[bool], &[f32], &[bool]) {
        (&self.filled, &self.heights, &self.walls_filled)
    }

    /// Takes it up again.
    pub(crate) fn restore(&mut self, bed: &Bed, filled: &[bool], heights: &[f32], walls_filled: &[bool]) {
        self.filled.copy_from_slice(filled);
        self.heights.copy_from_slice(heights);
        self.walls_filled = walls_filled.to_vec();
        self.find_tops(bed);
    }

    /// Looks where the water is, and adds and removes boundary particles; `reach` is how far from the water they are
    /// needed until the next update `[m]`. Returns how many tiles changed.
    pub(crate) fn update(&mut self, bed: &Bed, fluid: &mut Fluid, reach: f64) -> Result<usize, FluidError> {
        self.find_tops(bed);
        self.claim(bed, fluid, reach)?;
        self.mark_stale(bed);
        self.clear_stale(bed, fluid);
        let changed = self.fill_ground(bed, fluid)?;
        Ok(changed + self.fill_walls(bed, fluid)?)
    }

    /// Marks tiles that are to be cleared: nobody claims them any more, or their ground has moved.
    fn mark_stale(&mut self, bed: &Bed) {
        self.walls_filled.resize(self.claimed[1].len().max(self.walls_filled.len()), false);
        let [mut ground, mut walls] = std::mem::take(&mut self.clear);
        let tiles = 0..self.filled.len();
        let stale = |tile| self.filled[tile] && (!self.is_claimed(0, tile) || self.has_moved(bed, tile));
        ground.clear();
        ground.extend(tiles.map(stale));
        let tiles = 0..self.walls_filled.len();
        walls.clear();
        walls.extend(tiles.map(|tile| self.walls_filled[tile] && !self.is_claimed(1, tile)));
        self.clear = [ground, walls];
    }

    /// Whether water is near a tile of the ground (0) or of the walls (1).
    fn is_claimed(&self, kind: usize, tile: usize) -> bool {
        self.claimed[kind].get(tile).is_some_and(|claim| claim.load(Relaxed))
    }

    /// Lets the particles of marked tiles vanish.
    fn clear_stale(&mut self, bed: &Bed, fluid: &mut Fluid) {
        let [ground, walls] = &self.clear;
        if !ground.iter().chain(walls).any(|&clear| clear) {
            return;
        }
        let particles = fluid.particles_mut();
        for i in 0..particles.len() {
            let tag = particles.tag[i];
            if tag & BOUNDARY != 0 && !is_fixture(tag) {
                let goes = if tag & WALL != 0 {
                    walls[(tag & (WALL - 1)) as usize]
                } else {
                    ground[self.tile_of(bed, tag & (SLIP - 1))]
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
            let clear = self.clear[0][tile];
            self.filled[tile] &= !clear;
            changed += usize::from(clear);
            if self.is_claimed(0, tile) && !self.filled[tile] {
                let (count, at) = self.need_of(bed, tile);
                self.admit(fluid, count, at)?;
                self.fill_tile(bed, fluid, tile);
                self.filled[tile] = true;
                changed += 1;
            }
        }
        Ok(changed)
    }

    /// The same for the walls.
    fn fill_walls(&mut self, bed: &Bed, fluid: &mut Fluid) -> Result<usize, FluidError> {
        let level = self.wall_tiles();
        let along = steps(self.tile(bed) + f64::from(self.layers) * self.spacing, self.spacing) as f64;
        let middle = bed.extent().map(|[low, high]| f64::from(0.5 * (low + high)));
        let mut changed = 0;
        for tile in 0..self.walls_filled.len() {
            let clear = self.clear[1][tile];
            self.walls_filled[tile] &= !clear;
            changed += usize::from(clear);
            if self.is_claimed(1, tile) && !self.walls_filled[tile] {
                self.admit(fluid, f64::from(self.layers) * along * along, middle)?;
                self.fill_wall(bed, fluid, tile % level, tile / level, tile as u32);
                self.walls_filled[tile] = true;
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
        (f64::from(self.layers) * count, square.map(|[from, to]| (0.5 + 0.5 * (from + to) as f64) * bed.cell))
    }

    /// Refuses more particles than there is room for.
    fn admit(&self, fluid: &Fluid, count: f64, at: [f64; 2]) -> Result<(), FluidError> {
        let room = self.room.saturating_sub(fluid.particles().len().saturating_sub(fluid.len()));
        if count <= room as f64 {
            return Ok(());
        }
        Err(FluidError::Crowded { count, room, step: fluid.steps_taken(), time: fluid.time(), at })
    }

    /// Whether every tile of the bed could be filled at all.
    pub(crate) fn can_fill(&self, bed: &Bed) -> bool {
        (0..self.filled.len()).all(|tile| self.need_of(bed, tile).0 <= self.room as f64)
    }

    /// Refuses water at the beginning whose bed would need more than there is room for. Nothing is put there.
    pub(crate) fn check_start(&mut self, bed: &Bed, fluid: &Fluid, reach: f64) -> Result<(), FluidError> {
        self.claim(bed, fluid, reach)?;
        let mut all = 0.0;
        for tile in (0..self.filled.len()).filter(|&tile| self.claimed[0][tile].load(Relaxed)) {
            let (count, at) = self.need_of(bed, tile);
            all += count;
            self.admit(fluid, all, at)?;
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
        let far = (MOVED * self.spacing) as f32;
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
            let share = self.patches.area_each(bed, patch) / (self.spacing * self.spacing) as f32;
            self.patches.sample(bed, patch, |at| {
                for layer in 0..self.layers {
                    let depth = self.depth + f64::from(layer) * self.spacing;
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

    /// Fills a square of a wall: `around` counts tiles along the north, east, south and west.
    fn fill_wall(&self, bed: &Bed, fluid: &mut Fluid, around: usize, level: usize, number: u32) {
        let tile = self.tile(bed);
        let [[west, east], [south, north]] = bed.extent().map(|range| range.map(f64::from));
        let [wide, deep] = self.tiles;
        let (side, index) = match around {
            n if n < wide => (0, n),
            n if n < wide + deep => (1, n - wide),
            n if n < 2 * wide + deep => (2, n - wide - deep),
            n => (3, n - 2 * wide - deep),
        };
        let along = if side % 2 == 0 { [west, east] } else { [south, north] };
        let count = [wide, deep][side % 2];
        // Those of the north and the south go on behind the corners of the terrain, unless they go on by themselves.
        let thick = f64::from(self.layers) * self.spacing;
        let beyond = if side % 2 == 0 && self.beyond[0] == 0.0 { thick } else { 0.0 };
        let from = along[0] + index as f64 * tile - if index == 0 { beyond } else { 0.0 };
        let to = if index + 1 == count { along[1] + beyond } else { along[0] + (index + 1) as f64 * tile };
        let (steps, rises) = (steps(to - from, self.spacing), steps(tile, self.spacing));
        let (wide, high) = ((to - from) / steps as f64, tile / rises as f64);
        let share = (wide * high / self.spacing.powi(2)) as f32;
        for [layer, k, n] in (0..self.layers as usize * rises * steps)
            .map(|at| [at / steps / rises, at / steps % rises, at % steps])
        {
            let depth = self.depth + layer as f64 * self.spacing;
            let a = from + (n as f64 + 0.5) * wide;
            let z = self.base + (level as f64 - 1.0) * tile + (k as f64 + 0.5) * high;
            let at = match side {
                0 => [a, north + depth, z],
                1 => [east + depth, a, z],
                2 => [a, south - depth, z],
                _ => [west - depth, a, z],
            };
            // The part of a wall that is deep below the ground would be of no use.
            if z > f64::from(bed.below(at[0] as f32, at[1] as f32).1) - thick {
                fluid.add_boundary(at.map(|v| v as f32), [0.0; 3], SLIP | WALL | number, share);
            }
        }
    }

    /// Squares along the height of a wall for water up to some height `[m]`.
    fn levels(&self, bed: &Bed, height: f64) -> usize {
        if self.walls.contains(&true) {
            ((height - self.base) / self.tile(bed)).max(0.0) as usize + 2
        } else {
            0
        }
    }

    /// Bytes for the walls around water up to some height `[m]`; none if it is too high for any.
    pub(crate) fn wall_bytes(&self, bed: &Bed, height: f64) -> Option<u64> {
        let squares = self.levels(bed, height).checked_mul(self.wall_tiles())?;
        (squares <= MOST_SQUARES).then_some(squares as u64 * 3)
    }

    /// Finds which tiles have water near.
    fn claim(&mut self, bed: &Bed, fluid: &Fluid, reach: f64) -> Result<(), FluidError> {
        let tile = self.tile(bed);
        let [wide, deep] = self.tiles;
        let (particles, reach) = (fluid.particles(), reach as f32);
        let now = fluid.time() as f32;
        let [[west, east], [south, north]] = bed.extent();
        let per = (1.0 / tile) as f32;
        let lives = |i: usize| !particles.is_boundary(i) && particles.expires[i] > now;
        let part = |range: Range<usize>| {
            let heights = range.filter(|&i| lives(i)).map(|i| particles.position[2][i]);
            heights.fold(f32::NEG_INFINITY, f32::max)
        };
        let highest = band::measure(0..particles.len(), PART, &part, &f32::max);
        let around = self.wall_tiles();
        let top = f64::from(highest + reach);
        let levels = if highest.is_finite() { self.levels(bed, top) } else { 0 };
        if highest.is_finite() && self.wall_bytes(bed, top).is_none() {
            let h = fluid.constants().h;
            let (low, high) = ([west, south, self.base as f32], [east, north, top as f32]);
            return Err(fluid.too_wide(TooWide { low, high, h }));
        }
        let [mut ground, mut walls] = std::mem::take(&mut self.claimed);
        ground.resize_with(wide * deep, AtomicBool::default);
        walls.resize_with(around * levels, AtomicBool::default);
        ground.iter_mut().chain(&mut walls).for_each(|claim| *claim.get_mut() = false);
        let index = |v: f32, from: f32, count: usize| (((v - from) * per).max(0.0) as usize).min(count - 1);
        let level = |z: f32| (((z - self.base as f32) * per + 1.0).max(0.0) as usize).min(levels - 1);
        band::for_each_part(0..particles.len(), PART, (), &|range, ()| {
            for i in range.filter(|&i| lives(i)) {
                let [x, y, z] = [0, 1, 2].map(|axis: usize| particles.position[axis][i]);
                // Tiles whose square comes within reach of the particle; mostly one, at most four.
                for y in self.images(1, y).filter(|y| y + reach > south && y - reach < north) {
                    for x in self.images(0, x).filter(|x| x + reach > west && x - reach < east) {
                        for n in index(y - reach, south, deep)..=index(y + reach, south, deep) {
                            for m in index(x - reach, west, wide)..=index(x + reach, west, wide) {
                                if z < self.tops[n * wide + m] + reach {
                                    claim(&ground[n * wide + m]);
                                }
                            }
                        }
                    }
                }
                // Squares of the walls around its height.
                let near = [north - y < reach, east - x < reach, y - south < reach, x - west < reach];
                for side in (0..4).filter(|&side| near[side] && self.walls[side]) {
                    let (v, from, count, first) = match side {
                        0 => (x, west, wide, 0),
                        1 => (y, south, deep, wide),
                        2 => (x, west, wide, wide + deep),
                        _ => (y, south, deep, 2 * wide + deep),
                    };
                    for v in self.images(side % 2, v) {
                        for k in level(z - reach)..=level(z + reach) {
                            for n in index(v - reach, from, count)..=index(v + reach, from, count) {
                                claim(&walls[k * around + first + n]);
                            }
                        }
                    }
                }
            }
        });
        self.claimed = [ground, walls];
        Ok(())
    }
}

/// Threads may claim a tile at the same time; most find it claimed already.
fn claim(tile: &AtomicBool) {
    if !tile.load(Relaxed) {
        tile.store(true, Relaxed);
    }
}
