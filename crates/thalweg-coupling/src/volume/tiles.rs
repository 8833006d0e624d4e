//! Boundary particles below the surface of the rock, only where water is.
//!
//! The cells between voxels are cut into cubic tiles at least as wide as the water reaches between two updates, claimed, filled and cleared
//! as those of a heightfield are. Each layer of particles lies on a surface of its own, where the shares tell that the rock is so deep: it goes around inner
//! edges without a gap, and around outer ones without crowding. A surface is sampled where lines along the axis that it faces most cross it,
//! lines that are a spacing apart: on level ground that is a square lattice, on any slope the share of area that each stands for is known.

use super::flow::Foot;
use super::rock::{Rock, Vector, way_out};
use crate::boundary::{Layers, MOVED, PART, WALL, admit, claim, is_fixture};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thalweg_field::band;
use thalweg_sph::{AT_ONCE, BOUNDARY, Fluid, FluidError, SLIP};
use thalweg_terrain::marching_cubes::Cell;
use thalweg_terrain::volume::{SOFT, SURFACE};

/// Where lines begin, in spacings `[-]`: not where the corners of triangles lie, in the middles of voxels.
const ASIDE: [f64; 3] = [0.513, 0.487, 0.531];
/// Deepest place in the rock where shares tell how deep it is, in voxels; a little less than their ramp reaches.
const DEEPEST: f64 = 0.45 * SOFT as f64;
/// Steps of half the depth of the first layer in which rock that is so deep is looked for below a surface.
const STEPS_INWARDS: usize = 4;
/// What is so deep but for rounding `[-]`.
const NEARLY: f64 = 0.99;
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

/// A sample of the surface.
#[derive(Clone, Copy)]
struct Sample {
    at: Vector,
    /// Unit normal of the triangle, and the axis that it faces most.
    normal: Vector,
    axis: usize,
}

impl RockTiles {
    /// None yet, for particles in layers which water reaches from `reach` away `[m]`.
    pub(super) fn new(rock: &Rock, layers: Layers, reach: f64) -> Self {
        let side = ((reach / rock.voxel()).ceil() as usize).clamp(LEAST_CELLS, MOST_CELLS);
        let [x, y, z] = rock.size();
        // From east to west between the middles of the outermost voxels; up and down one cell farther, where the rock ends.
        let along = [x - 1, y - 1, z + 1].map(|cells| cells.div_ceil(side).max(1));
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

    /// Bytes for each tile that is not filled.
    pub(super) const BYTES: u64 = (size_of::<Filled>() + 3) as u64;

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
                self.sample(rock, tile, (&shares, 0.0), |sample, cell| feet.push(foot(rock, &sample, cell)));
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
        self.sample(rock, tile, (&shares, 0.0), |sample, cell| {
            feet.push(foot(rock, &sample, cell));
            if let Some(inside) = inside_thin(rock, &sample, depth_of(0)) {
                put(inside, tile as u32, &sample);
            }
        });
        for layer in 0..self.layers.count {
            // Only the topmost touches the water; those below carry it.
            let tag = if layer == 0 { tile as u32 } else { tile as u32 | SLIP };
            self.sample(rock, tile, (&shares, depth_of(layer).min(DEEPEST)), |sample, _| {
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
            self.sample(rock, tile, (&shares, 0.0), |sample, _| {
                all += f64::from(self.layers.count);
                last = sample.at;
            });
            let [x, y, _] = rock.in_metres(last);
            admit(self.room, fluid, all, [x, y])?;
        }
        Ok(())
    }

    /// The shares at the corners of a tile's cells.
    fn copy_shares(&self, rock: &Rock, tile: usize, into: &mut Vec<f32>) {
        let count = self.side + 1;
        into.resize(count.pow(3), 0.0);
        rock.volume().copy_shares(self.first_cell(tile), [count; 3], into);
    }

    /// Calls `put` for every place in a tile where a line crosses the surface that is so deep in the rock [voxels], with the cell it is in; by the shares
    /// at the corners of its cells.
    fn sample(
        &self,
        rock: &Rock,
        tile: usize,
        (shares, depth): (&[f32], f64),
        mut put: impl FnMut(Sample, &Cell),
    ) {
        let first = self.first_cell(tile);
        let count = self.side + 1;
        let ends = [rock.size()[0] as isize - 1, rock.size()[1] as isize - 1, rock.size()[2] as isize];
        let more = (depth / f64::from(SOFT)) as f32;
        let corner = |x: usize, y: usize, z: usize| shares[x + count * (y + count * z)] - more;
        let spacing = self.layers.spacing / rock.voxel();
        for n in 0..self.side.pow(3) {
            let [x, y, z] = [n % self.side, n / self.side % self.side, n / self.side / self.side];
            let cell = Cell(std::array::from_fn(|k| corner(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2))));
            let at = [first[0] + x as isize, first[1] + y as isize, first[2] + z as isize];
            if !cell.is_mixed() || (0..3).any(|axis| at[axis] >= ends[axis]) {
                continue;
            }
            for triangle in cell.triangles() {
                let corners = triangle
                    .map(|corner| std::array::from_fn(|axis| at[axis] as f64 + f64::from(corner[axis])));
                cross_lines(corners, spacing, |sample| put(sample, &cell));
            }
        }
    }
}

/// The place at a depth in the rock [voxels] near one that the shares say is so deep, or as deep as they tell; none in a thin wall, where it would come out on
/// the other side.
fn sunk(rock: &Rock, sample: &Sample, depth: f64) -> Option<Vector> {
    let (there, out) = depth_at(rock, sample.at);
    // Where the ramp is not as steep as it should be, the place is not as deep either.
    let sunk = inwards(sample.at, out.unwrap_or(sample.normal), depth - there);
    (depth - there < 0.5 || rock.share_at(sunk) > SURFACE).then_some(sunk)
}

/// The deepest place below one of the surface, where the rock is nowhere near so deep [voxels]: no surface in it is, and it would not wear away. On the way inwards
/// it goes around outer edges, and comes back in the middle of a thin wall.
fn inside_thin(rock: &Rock, sample: &Sample, depth: f64) -> Option<Vector> {
    let (mut at, mut way) = (sample.at, sample.normal);
    let (mut deepest, mut place) = (0.0, at);
    for _ in 0..STEPS_INWARDS {
        at = inwards(at, way, 0.5 * depth);
        let (there, out) = depth_at(rock, at);
        if there > deepest {
            (deepest, place) = (there, at);
        }
        way = out.unwrap_or(way);
    }
    (deepest < NEARLY * depth.min(DEEPEST)).then_some(place)
}

/// How deep in the rock a place is [voxels], and the way out.
fn depth_at(rock: &Rock, at: Vector) -> (f64, Option<Vector>) {
    let (cell, within) = rock.cell_at(at);
    let there = -rock.distance(rock.in_metres(at).map(|v| v as f32)).0;
    (f64::from(there) / rock.voxel(), way_out(&cell, within).map(|out| out.map(f64::from)))
}

fn inwards(at: Vector, out: Vector, far: f64) -> Vector {
    std::array::from_fn(|axis| at[axis] - far * out[axis])
}

/// A place of the surface as the flow knows it. The slope of the rock changes less from cell to cell than the triangles do.
fn foot(rock: &Rock, sample: &Sample, cell: &Cell) -> Foot {
    let within = sample.at.map(|v| (v - v.floor()) as f32);
    let out = way_out(cell, within).unwrap_or_else(|| sample.normal.map(|n| n as f32));
    Foot::new(rock.in_metres(sample.at).map(|v| v as f32), out)
}

/// Calls `put` where lines along the axis that a triangle faces most cross it.
fn cross_lines(corners: [Vector; 3], spacing: f64, mut put: impl FnMut(Sample)) {
    let [a, b, c] = corners;
    let (u, v): (Vector, Vector) =
        (std::array::from_fn(|n| b[n] - a[n]), std::array::from_fn(|n| c[n] - a[n]));
    let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
    if length == 0.0 {
        return;
    }
    let normal = normal.map(|n| n / length);
    let steep = normal.map(f64::abs);
    let axis = if steep[2] >= steep[0] && steep[2] >= steep[1] {
        2
    } else if steep[0] >= steep[1] {
        0
    } else {
        1
    };
    let [p, q] = [(axis + 1) % 3, (axis + 2) % 3];
    let lines = |of: usize| {
        let range = corners.iter().map(|corner| corner[of] / spacing - ASIDE[of]);
        let low = range.clone().fold(f64::INFINITY, f64::min).ceil();
        let high = range.fold(f64::NEG_INFINITY, f64::max).floor();
        (low as i64..=high as i64).map(move |n| (n as f64 + ASIDE[of]) * spacing)
    };
    for x in lines(p) {
        for y in lines(q) {
            if holds(corners.map(|corner| [corner[p], corner[q]]), [x, y]) {
                let mut at = a;
                (at[p], at[q]) = (x, y);
                at[axis] = a[axis] - (normal[p] * (x - a[p]) + normal[q] * (y - a[q])) / normal[axis];
                put(Sample { at, normal, axis });
            }
        }
    }
}

/// Whether a place is in a triangle of a plane. Of two that share an edge exactly one holds what is on it: the edge is looked at from its lower
/// end in both.
fn holds(corners: [[f64; 2]; 3], [x, y]: [f64; 2]) -> bool {
    let side = |from: [f64; 2], to: [f64; 2]| {
        let turned = (from[0], from[1]) > (to[0], to[1]);
        let (a, b) = if turned { (to, from) } else { (from, to) };
        let left = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0.0;
        left != turned
    };
    let [a, b, c] = corners;
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides == [true; 3] || sides == [false; 3]
}
