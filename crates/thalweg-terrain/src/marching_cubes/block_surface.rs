//! The surface in one block of cells.

use super::cases::{CASES, EDGES, axis_and_start};
use crate::volume::{SIDE, SURFACE, Volume};
use std::sync::LazyLock;

/// Voxels along each side that a block of cells looks at: the corners of its cells, and one more on either side for slopes.
const SEEN: usize = SIDE + 3;
/// Corners of the cells along each side.
const CORNERS: usize = SIDE + 1;
/// Edges that a block owns.
const OWNED: usize = 3 * SIDE * SIDE * SIDE;
/// A row of corners, all rock.
const ALL_ROCK: u32 = (1 << CORNERS) - 1;
/// A row of cells.
const ROW: u32 = (1 << SIDE) - 1;
/// How near to a voxel's middle a crossing may lie, in voxels: triangles then have an area.
const NEAREST: f32 = 0.01;

/// A crossing that a triangle has for a corner: an edge of this block, or of one beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reference(u32);

impl Reference {
    /// The edge along an axis that begins at a corner, counted from the first of the block.
    fn new(axis: usize, corner: [usize; 3]) -> Self {
        let beyond = corner.map(|n| (n / SIDE) as u32);
        let [x, y, z] = corner.map(|n| n % SIDE);
        let edge = (x + SIDE * (y + SIDE * (z + SIDE * axis))) as u32;
        Self(edge | (beyond[0] << 14) | (beyond[1] << 15) | (beyond[2] << 16))
    }

    /// The edge in its own block.
    pub(super) fn edge(self) -> usize {
        (self.0 & 0x3fff) as usize
    }

    /// Blocks farther to the east, to the north and up.
    pub(super) fn beyond(self) -> [usize; 3] {
        [14, 15, 16].map(|bit| (self.0 >> bit & 1) as usize)
    }
}

/// Which edges are crossed, and how many before each word.
#[derive(Clone, Debug, PartialEq)]
struct Crossed {
    words: [u64; OWNED / 64],
    before: [u32; OWNED / 64],
}

/// The surface in one block of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BlockSurface {
    /// Crossings of the edges that are this block's own, in their order `[m]`.
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub triangles: Vec<[Reference; 3]>,
    crossed: Option<Box<Crossed>>,
}

/// What a block looks at.
pub(super) struct Scratch {
    shares: Vec<f32>,
    /// Which corners of each row are rock.
    rock: [u32; CORNERS * CORNERS],
}

impl Default for Scratch {
    fn default() -> Self {
        Self { shares: vec![0.0; SEEN * SEEN * SEEN], rock: [0; CORNERS * CORNERS] }
    }
}

impl BlockSurface {
    /// Works out the surface in a block of a volume.
    pub(super) fn find(&mut self, volume: &Volume, block: [usize; 3], scratch: &mut Scratch) {
        self.positions.clear();
        self.normals.clear();
        self.triangles.clear();
        self.crossed = None;
        let block = block.map(|n| n as isize);
        if volume.even_share(block.map(|n| n - 1), block).is_some() {
            return;
        }
        let first = block.map(|n| n * SIDE as isize - 2);
        volume.copy_shares(first, [SEEN; 3], &mut scratch.shares);
        if scratch.find_rock() {
            let crossed = scratch.find_crossed();
            self.place_crossings(volume, first, &scratch.shares, &crossed);
            self.crossed = Some(Box::new(crossed));
            self.join_crossings(scratch);
        }
    }

    /// Which of the crossings one of this block's own edges has.
    pub(super) fn crossing(&self, edge: usize) -> u32 {
        let crossed = self.crossed.as_ref().expect("triangles have their corners on crossed edges");
        let below = crossed.words[edge / 64] & ((1 << (edge % 64)) - 1);
        crossed.before[edge / 64] + below.count_ones()
    }

    /// The second pass: where each crossed edge is crossed, and which way the surface faces there.
    fn place_crossings(&mut self, volume: &Volume, first: [isize; 3], shares: &[f32], crossed: &Crossed) {
        let (voxel, bottom) = (volume.voxel(), volume.bottom());
        for (word, &bits) in crossed.words.iter().enumerate() {
            for bit in set_bits(bits) {
                let edge = word * 64 + bit as usize;
                let (axis, at) = (edge / (SIDE * SIDE * SIDE), edge % (SIDE * SIDE * SIDE));
                let corner = [at % SIDE, at / SIDE % SIDE, at / SIDE / SIDE].map(|n| n + 1);
                let start = index(corner);
                let end = start + [1, SEEN, SEEN * SEEN][axis];
                let along = crossing(shares[start], shares[end]);
                let place = |of: usize| {
                    let voxels = (first[of] + corner[of] as isize) as f64 + 0.5;
                    (voxels + if of == axis { f64::from(along) } else { 0.0 }) * voxel
                };
                self.positions.push([place(0) as f32, place(1) as f32, (place(2) + bottom) as f32]);
                self.normals.push(normal(shares, [start, end], along, axis));
            }
        }
    }

    /// The third pass: the triangles of each cell that is neither all rock nor all air.
    fn join_crossings(&mut self, scratch: &Scratch) {
        for z in 0..SIDE {
            for y in 0..SIDE {
                let row = |north: usize, up: usize| scratch.rock[y + north + CORNERS * (z + up)];
                let rows = [row(0, 0), row(1, 0), row(0, 1), row(1, 1)];
                let any = rows.iter().fold(0, |any, row| any | row);
                let all = rows.iter().fold(!0, |all, row| all & row);
                for x in set_bits(u64::from((any | any >> 1) & !(all & all >> 1) & ROW)) {
                    let case = (0..4).fold(0, |case, n| case | (rows[n] >> x & 3) << (2 * n));
                    let cell = [x as usize, y, z];
                    for triangle in CASES[case as usize].triangles() {
                        self.triangles.push(triangle.map(|edge| reference(usize::from(edge), cell)));
                    }
                }
            }
        }
    }
}

impl Scratch {
    /// The first pass: which corners are rock. False if all are, or none.
    fn find_rock(&mut self) -> bool {
        let (mut any, mut all) = (0, ALL_ROCK);
        for z in 0..CORNERS {
            for y in 0..CORNERS {
                let shares = &self.shares[index([1, y + 1, z + 1])..][..CORNERS];
                let row = shares.iter().rev().fold(0, |row, &share| row << 1 | u32::from(share > SURFACE));
                self.rock[y + CORNERS * z] = row;
                any |= row;
                all &= row;
            }
        }
        any != 0 && all != ALL_ROCK
    }

    /// Edges with rock at one end and air at the other.
    fn find_crossed(&self) -> Crossed {
        let mut crossed = Crossed { words: [0; OWNED / 64], before: [0; OWNED / 64] };
        for z in 0..SIDE {
            for y in 0..SIDE {
                let row = |north: usize, up: usize| self.rock[y + north + CORNERS * (z + up)];
                let here = row(0, 0);
                for (axis, there) in [here >> 1, row(1, 0), row(0, 1)].into_iter().enumerate() {
                    let line = y + SIDE * (z + SIDE * axis);
                    let bits = u64::from((here ^ there) & ROW);
                    crossed.words[line / 4] |= bits << (16 * (line % 4));
                }
            }
        }
        let mut before = 0;
        for (word, count) in crossed.words.iter().zip(&mut crossed.before) {
            *count = before;
            before += word.count_ones();
        }
        crossed
    }
}

/// Where a voxel that is seen lies among the shares.
fn index([x, y, z]: [usize; 3]) -> usize {
    x + SEEN * (y + SEEN * z)
}

/// The numbers of the bits that are set.
fn set_bits(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let first = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (first < 64).then_some(first)
    })
}

/// The edges of a cell by axis and start, ready to be referred to.
static STARTS: LazyLock<[(usize, [usize; 3]); EDGES]> = LazyLock::new(|| {
    std::array::from_fn(|edge| {
        let (axis, corner) = axis_and_start(edge);
        (axis, [corner & 1, corner >> 1 & 1, corner >> 2 & 1])
    })
});

fn reference(edge: usize, cell: [usize; 3]) -> Reference {
    let (axis, start) = STARTS[edge];
    Reference::new(axis, std::array::from_fn(|of| cell[of] + start[of]))
}

/// How far along an edge between two voxels the surface lies `[-]`.
fn crossing(from: f32, to: f32) -> f32 {
    ((from - SURFACE) / (from - to)).clamp(NEAREST, 1.0 - NEAREST)
}

/// The way out of the rock at a crossing, from the slopes at both ends of its edge.
fn normal(shares: &[f32], [start, end]: [usize; 2], along: f32, axis: usize) -> [f32; 3] {
    let slope = |at: usize, step: usize| shares[at - step] - shares[at + step];
    let way: [f32; 3] = std::array::from_fn(|of| {
        let step = [1, SEEN, SEEN * SEEN][of];
        slope(start, step) * (1.0 - along) + slope(end, step) * along
    });
    let length = way.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        return way.map(|x| x / length);
    }
    let out = if shares[start] > shares[end] { 1.0 } else { -1.0 };
    std::array::from_fn(|of| if of == axis { out } else { 0.0 })
}

/// The shares at the eight corners of a cell, east first, then north, then up: what a particle collides with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell(pub [f32; 8]);

impl Cell {
    /// Whether the surface passes through it: some of its corners are rock, and some are air.
    #[inline]
    pub fn is_mixed(&self) -> bool {
        let rock = self.0.iter().filter(|&&share| share > SURFACE).count();
        rock != 0 && rock != 8
    }

    /// The triangles in the cell, in voxels from its lowest corner, counter-clockwise seen from the air.
    pub fn triangles(&self) -> impl Iterator<Item = [[f32; 3]; 3]> + '_ {
        let rock = self.0.iter().rev().fold(0, |rock, &share| rock << 1 | usize::from(share > SURFACE));
        let place = |edge: u8| {
            let (axis, mut place) =
                (STARTS[usize::from(edge)].0, STARTS[usize::from(edge)].1.map(|n| n as f32));
            let (_, start) = axis_and_start(usize::from(edge));
            place[axis] = crossing(self.0[start], self.0[start + (1 << axis)]);
            place
        };
        CASES[rock].triangles().iter().map(move |triangle| triangle.map(place))
    }
}
