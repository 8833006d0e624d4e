//! Neighbours: who is within h of whom.
//!
//! Space is cut into rows along x with a cross-section of h × h, rows into cells of h/4, sixteen cells make a segment. Rows of the fluid
//! and of the boundary are apart. Only segments with something in them exist: a bit for every possible segment and the number of set bits
//! before each word turn a place into an index. Particles are sorted by row, then along the row.
//!
//! The particles of a segment make clusters of up to eight, the lanes of a vector, which share the list of their neighbours (after the
//! pairs of clusters of Páll & Hess 2013): those are found in nine stretches of memory, trimmed to the chord of the sphere around the
//! cluster, eight at a time. Which are within reach of any particle of the cluster is kept, a bit for each.
//!
//! The order within a cell is that of the particles before the sort, and every sum over neighbours goes in memory
//! order: the same bits for any number of threads.

mod cells;
mod cluster;
mod lists;
mod near;
mod walk;

pub use cluster::{Cluster, Kind, Visitor, add3, apart, dot3, even, load, scale3};

use crate::particles::{Particles, make_room};
use cells::{bounds, cells_over};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Values in a vector, particles in a cluster.
pub const LANES: usize = 8;
/// Words to keep what is within reach of a particle: a cluster of seven needs some twenty, near the boundary thirty.
const KEPT: usize = 5;
/// Cells in a segment: the longer it is, the fewer clusters are not full.
const CELLS: usize = 16;
/// Cells along x for each h.
const FINER: f32 = 4.0;
/// Most segments that space may be cut into: their index and the cell within fit into 32 bits.
const MOST_SEGMENTS: u64 = (1 << 32) / CELLS as u64;
/// Kinds of particles, each with rows of its own.
const KINDS: usize = 2;
/// Farthest from the origin that particles may be, in h: there f32 still tells places an eighth of h apart.
const FARTHEST: f32 = (1 << 20) as f32;
/// Share of h by which the search reaches farther than the kernels, so that rounding loses no neighbour.
const SLACK: f32 = 1.0e-4;
/// The cell of a particle that is no more.
const GONE: u32 = u32::MAX;
/// Rows around a row, itself included.
const ROWS: usize = 9;
/// Cells on either side of a segment that its particles may reach: h, and a little for rounding, in whole vectors.
const BESIDE: usize = 8;
/// Cells of a segment and beside it.
const ABREAST: usize = CELLS + 2 * BESIDE;

/// Sorted particles and how to find those around a place.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// Reach of the kernels `[m]`.
    h: f32,
    /// Lower corner of the first cell `[m]`.
    origin: [f32; 3],
    /// Segments along x, rows of each kind along y and z; the outermost are always empty.
    size: [u32; 3],
    /// One bit for every segment, and the bits set before each word.
    occupied: Vec<AtomicU64>,
    before: Vec<u32>,
    /// Where each occupied segment lies among all.
    segments: Vec<u32>,
    /// Particles in each cell while they are counted.
    counts: Vec<AtomicU32>,
    /// First particle of each cell of the occupied segments, in order, and the number of all.
    starts: Vec<u32>,
    /// Cell of each unsorted particle, and its place among those of that cell.
    cell: Vec<u32>,
    place: Vec<u32>,
    /// Old index of each sorted particle.
    order: Vec<AtomicU32>,
    /// What is within reach of each cluster, where there is room: [`KEPT`] words for each of its particles. The first walk over the clusters of a
    /// kind finds it, all others read it.
    reached: Vec<AtomicU32>,
    is_known: [AtomicBool; KINDS],
}

/// Space that particles are spread over is larger than can be searched.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "particles are spread from {low:.3?} to {high:.3?} m, which is too wide for a search radius of {h} m"
)]
pub struct TooWide {
    /// Smallest coordinates: east, north, up `[m]`.
    pub low: [f32; 3],
    /// Largest coordinates `[m]`.
    pub high: [f32; 3],
    /// Search radius `[m]`.
    pub h: f32,
}

impl Neighbours {
    /// A search for everything nearer than `h`.
    pub fn new(h: f32) -> Self {
        Self { h, ..Self::default() }
    }

    /// Old index of every sorted particle.
    pub fn order(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.order.iter().map(|old| old.load(Relaxed) as usize)
    }

    /// Bytes for the search among `count` particles, about.
    pub const fn bytes(count: u64) -> u64 {
        // Two numbers for each particle while sorting and the order, and in a dense fluid about one cell each, with two counts.
        // And what is within reach.
        count * (3 * 4 + 2 * 4 + KEPT as u64 * 4)
    }

    /// Bytes for the cells of a box from the lowest to the highest coordinates `[m]`, whatever is in it.
    pub fn grid_bytes(low: [f64; 3], high: [f64; 3], h: f64) -> Result<u64, TooWide> {
        let size = cells_over(std::array::from_fn(|axis| [low[axis] as f32, high[axis] as f32]), h as f32)?;
        // A bit for each, and a number for every 64.
        Ok(size.iter().product::<u64>() * KINDS as u64 / 64 * (8 + 4))
    }

    /// Sorts particles into cells: `sorted` gets those of `from` that live beyond `now` `[s]`.
    pub fn sort(&mut self, from: &Particles, sorted: &mut Particles, now: f32) -> Result<(), TooWide> {
        self.lay_out(from, now)?;
        self.find_segments(from, now);
        self.count_cells(from.len());
        self.put_in_order(from.len());
        sorted.gather(from, &self.order);
        make_room(&mut self.reached, KEPT * sorted.len());
        self.reached.resize_with(KEPT * sorted.len(), AtomicU32::default);
        self.is_known.iter_mut().for_each(|known| *known.get_mut() = false);
        Ok(())
    }

    /// Refuses particles that are spread over more space than can be searched.
    pub fn check_spread(&self, particles: &Particles, now: f32) -> Result<(), TooWide> {
        cells_over(bounds(particles, now), self.h).map(drop)
    }
}
