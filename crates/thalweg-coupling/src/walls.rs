//! Boundary particles on the walls at closed edges, square by square, only where water is.

use crate::boundary::{Layers, PART, WALL, admit, claim, steps};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thalweg_field::{Edge, band};
use thalweg_sph::neighbours::TooWide;
use thalweg_sph::{Fluid, FluidError, SLIP};

/// Most squares that the walls are cut into; walls as high as that have no business in a scene.
const MOST_SQUARES: usize = 1 << 24;

/// The walls at the edges of the ground.
#[derive(Debug)]
pub(crate) struct Walls {
    layers: Layers,
    /// Walls at the north, east, south and west.
    sides: [bool; 4],
    /// West, east; south, north `[m]`.
    extent: [[f32; 2]; 2],
    /// Side of a square `[m]`, and squares to the east and to the north.
    tile: f64,
    tiles: [usize; 2],
    /// How far water is from where it is found again beyond a joined edge, east and north `[m]`; 0: no edge is joined.
    beyond: [f32; 2],
    /// Lowest ground `[m]`, one square below which walls begin.
    base: f64,
    /// Which squares are filled: level by level, then around the terrain.
    filled: Vec<bool>,
    /// Kept between updates: which squares have water near, and which are to be cleared.
    claimed: Vec<AtomicBool>,
    clear: Vec<bool>,
}

/// How the walls are cut into squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Squares {
    /// West, east; south, north `[m]`.
    pub extent: [[f32; 2]; 2],
    /// Side of a square `[m]`, and squares to the east and to the north.
    pub tile: f64,
    pub tiles: [usize; 2],
    /// Lowest ground `[m]`.
    pub base: f64,
}

impl Walls {
    /// None filled yet.
    pub(crate) fn new(squares: Squares, layers: Layers, edges: [Edge; 4]) -> Self {
        let Squares { extent, tile, tiles, base } = squares;
        Self {
            layers,
            sides: edges.map(|edge| edge == Edge::Closed),
            extent,
            tile,
            tiles,
            beyond: [0.0; 2],
            base,
            filled: Vec::new(),
            claimed: Vec::new(),
            clear: Vec::new(),
        }
    }

    /// Joins east and west, or north and south: there are no walls then.
    pub(crate) fn join(&mut self, joined: [bool; 2]) {
        for axis in (0..2).filter(|&axis| joined[axis]) {
            let [low, high] = self.extent[axis];
            self.beyond[axis] = high - low;
            (self.sides[1 - axis], self.sides[3 - axis]) = (false, false);
        }
    }

    /// Where water at a place is found along an axis: there, and beyond joined edges.
    pub(crate) fn images(&self, axis: usize, at: f32) -> impl Iterator<Item = f32> {
        let by = self.beyond[axis];
        let count = if by > 0.0 { 3 } else { 1 };
        [at, at - by, at + by].into_iter().take(count)
    }

    /// Squares in one level: those of the north, the east, the south and the west.
    fn around(&self) -> usize {
        2 * (self.tiles[0] + self.tiles[1])
    }

    /// Squares along the height of a wall for water up to some height `[m]`.
    fn levels(&self, height: f64) -> usize {
        if self.sides.contains(&true) { ((height - self.base) / self.tile).max(0.0) as usize + 2 } else { 0 }
    }

    /// Bytes for the walls around water up to some height `[m]`; none if it is too high for any.
    pub(crate) fn bytes(&self, height: f64) -> Option<u64> {
        let squares = self.levels(height).checked_mul(self.around())?;
        (squares <= MOST_SQUARES).then_some(squares as u64 * 3)
    }

    /// Which squares are filled.
    pub(crate) fn filled(&self) -> &[bool] {
        &self.filled
    }

    /// Takes that up again.
    pub(crate) fn restore(&mut self, filled: &[bool]) {
        self.filled = filled.to_vec();
    }

    /// Finds which squares have water within `reach` `[m]`.
    pub(crate) fn claim(&mut self, fluid: &Fluid, reach: f64) -> Result<(), FluidError> {
        let [wide, deep] = self.tiles;
        let (particles, reach) = (fluid.particles(), reach as f32);
        let now = fluid.time() as f32;
        let [[west, east], [south, north]] = self.extent;
        let per = (1.0 / self.tile) as f32;
        let lives = |i: usize| !particles.is_boundary(i) && particles.expires[i] > now;
        let part = |range: Range<usize>| {
            let heights = range.filter(|&i| lives(i)).map(|i| particles.position[2][i]);
            heights.fold(f32::NEG_INFINITY, f32::max)
        };
        let highest = band::measure(0..particles.len(), PART, &part, &f32::max);
        let around = self.around();
        let top = f64::from(highest + reach);
        let levels = if highest.is_finite() { self.levels(top) } else { 0 };
        if highest.is_finite() && self.bytes(top).is_none() {
            let h = fluid.constants().h;
            let (low, high) = ([west, south, self.base as f32], [east, north, top as f32]);
            return Err(fluid.too_wide(TooWide { low, high, h }));
        }
        let mut walls = std::mem::take(&mut self.claimed);
        walls.resize_with(around * levels, AtomicBool::default);
        walls.iter_mut().for_each(|claim| *claim.get_mut() = false);
        let index = |v: f32, from: f32, count: usize| (((v - from) * per).max(0.0) as usize).min(count - 1);
        let level = |z: f32| (((z - self.base as f32) * per + 1.0).max(0.0) as usize).min(levels - 1);
        band::for_each_part(0..particles.len(), PART, (), &|range, ()| {
            for i in range.filter(|&i| lives(i)) {
                let [x, y, z] = [0, 1, 2].map(|axis: usize| particles.position[axis][i]);
                // Squares around its height.
                let near = [north - y < reach, east - x < reach, y - south < reach, x - west < reach];
                for side in (0..4).filter(|&side| near[side] && self.sides[side]) {
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
        self.claimed = walls;
        Ok(())
    }

    /// Whether water is near a square.
    fn is_claimed(&self, square: usize) -> bool {
        self.claimed.get(square).is_some_and(|claim| claim.load(Relaxed))
    }

    /// Marks squares that nobody claims any more. Returns whether there are some.
    pub(crate) fn mark_stale(&mut self) -> bool {
        self.filled.resize(self.claimed.len().max(self.filled.len()), false);
        let mut clear = std::mem::take(&mut self.clear);
        clear.clear();
        clear.extend((0..self.filled.len()).map(|square| self.filled[square] && !self.is_claimed(square)));
        self.clear = clear;
        self.clear.contains(&true)
    }

    /// Whether a particle with the tag of a wall stands in a marked square.
    pub(crate) fn is_stale(&self, tag: u32) -> bool {
        self.clear[(tag & (WALL - 1)) as usize]
    }

    /// Fills claimed squares that are not, and forgets marked ones; leaves out places that `useful` does not want. Returns how many changed.
    pub(crate) fn fill(
        &mut self,
        fluid: &mut Fluid,
        room: usize,
        useful: impl Fn([f64; 3]) -> bool,
    ) -> Result<usize, FluidError> {
        let level = self.around();
        let along = steps(self.tile + self.layers.thick(), self.layers.spacing) as f64;
        let middle = self.extent.map(|[low, high]| f64::from(0.5 * (low + high)));
        let mut changed = 0;
        for square in 0..self.filled.len() {
            let clear = self.clear[square];
            self.filled[square] &= !clear;
            changed += usize::from(clear);
            if self.is_claimed(square) && !self.filled[square] {
                admit(room, fluid, f64::from(self.layers.count) * along * along, middle)?;
                self.fill_square(fluid, [square % level, square / level], square as u32, &useful);
                self.filled[square] = true;
                changed += 1;
            }
        }
        Ok(changed)
    }

    /// Fills a square: `around` counts squares along the north, east, south and west.
    fn fill_square(
        &self,
        fluid: &mut Fluid,
        [around, level]: [usize; 2],
        number: u32,
        useful: &impl Fn([f64; 3]) -> bool,
    ) {
        let (tile, spacing) = (self.tile, self.layers.spacing);
        let [[west, east], [south, north]] = self.extent.map(|range| range.map(f64::from));
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
        let beyond = if side % 2 == 0 && self.beyond[0] == 0.0 { self.layers.thick() } else { 0.0 };
        let from = along[0] + index as f64 * tile - if index == 0 { beyond } else { 0.0 };
        let to = if index + 1 == count { along[1] + beyond } else { along[0] + (index + 1) as f64 * tile };
        let (steps, rises) = (steps(to - from, spacing), steps(tile, spacing));
        let (wide, high) = ((to - from) / steps as f64, tile / rises as f64);
        let share = (wide * high / spacing.powi(2)) as f32;
        for [layer, k, n] in (0..self.layers.count as usize * rises * steps)
            .map(|at| [at / steps / rises, at / steps % rises, at % steps])
        {
            let depth = self.layers.depth_of(layer as u32);
            let a = from + (n as f64 + 0.5) * wide;
            let z = self.base + (level as f64 - 1.0) * tile + (k as f64 + 0.5) * high;
            let at = match side {
                0 => [a, north + depth, z],
                1 => [east + depth, a, z],
                2 => [a, south - depth, z],
                _ => [west - depth, a, z],
            };
            if useful(at) {
                fluid.add_boundary(at.map(|v| v as f32), [0.0; 3], SLIP | WALL | number, share);
            }
        }
    }
}
