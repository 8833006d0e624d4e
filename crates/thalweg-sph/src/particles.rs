//! Particles as columns of numbers, in the order of the cells they lie in.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use thalweg_field::band;

/// Marks the tag of a particle of the boundary; the rest of its bits are its owner's business.
pub const BOUNDARY: u32 = 1 << 31;
/// Marks a boundary particle that water glides along without friction.
pub const SLIP: u32 = 1 << 30;
/// The tag of a copy of a fluid particle beyond a side that is joined with the opposite one.
pub const COPY: u32 = BOUNDARY | SLIP | 1 << 29 | 1 << 28 | 1 << 27;

/// Numbers behind the last particle, so that whole vectors can be read from any place.
pub const PADDING: usize = 8;

/// Particles worked on together `[-]`.
pub(crate) const PART: usize = 1024;

/// Every particle, of the fluid and of the boundary, column by column.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    /// Where they are: east, north, up `[m]`.
    pub position: [Vec<f32>; 3],
    /// How fast they go `[m/s]`.
    pub velocity: [Vec<f32>; 3],
    /// Mass; of a boundary particle, that of the fluid which it stands for `[kg]`.
    pub mass: Vec<f32>,
    /// When they vanish `[s]`; a particle whose time is over is dropped at the next sorting.
    pub expires: Vec<f32>,
    /// By how much they are denser than at rest, ρ/ρ₀ − 1 `[-]`; kept by methods whose density follows the flow.
    pub compression: Vec<f32>,
    /// The number a fluid particle was born with, or [`BOUNDARY`] and a number of its owner.
    pub tag: Vec<u32>,
    /// Something that goes with every particle and means nothing here; empty if there is nothing.
    pub cargo: Vec<f64>,
    count: usize,
}

/// One particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Where `[m]`.
    pub position: [f32; 3],
    /// How fast `[m/s]`.
    pub velocity: [f32; 3],
    /// How heavy `[kg]`.
    pub mass: f32,
    /// When it vanishes `[s]`.
    pub expires: f32,
    /// By how much it is denser than at rest `[-]`.
    pub compression: f32,
    /// Who it is.
    pub tag: u32,
    /// What it carries.
    pub cargo: f64,
}

impl Particles {
    /// None yet, with room for `capacity`; `cargo` tells whether they carry something.
    pub fn with_capacity(capacity: usize, cargo: bool) -> Self {
        let floats = || {
            let mut column = Vec::with_capacity(capacity + PADDING);
            column.resize(PADDING, 0.0);
            column
        };
        Self {
            position: std::array::from_fn(|_| floats()),
            velocity: std::array::from_fn(|_| floats()),
            mass: floats(),
            expires: floats(),
            compression: floats(),
            tag: {
                let mut tag = Vec::with_capacity(capacity + PADDING);
                tag.resize(PADDING, 0);
                tag
            },
            cargo: if cargo {
                let mut cargo = Vec::with_capacity(capacity + PADDING);
                cargo.resize(PADDING, 0.0);
                cargo
            } else {
                Vec::new()
            },
            count: 0,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether they carry something.
    pub fn has_cargo(&self) -> bool {
        !self.cargo.is_empty()
    }

    /// Makes room for exactly `count`; what the new ones are is for the caller to say.
    pub fn resize(&mut self, count: usize) {
        let length = count + PADDING;
        let others = [&mut self.mass, &mut self.expires, &mut self.compression];
        for column in self.position.iter_mut().chain(&mut self.velocity).chain(others) {
            make_room(column, length);
            column.resize(length, 0.0);
        }
        make_room(&mut self.tag, length);
        self.tag.resize(length, 0);
        if !self.cargo.is_empty() {
            make_room(&mut self.cargo, length);
            self.cargo.resize(length, 0.0);
        }
        self.count = count;
    }

    /// Adds one at the end.
    pub fn push(&mut self, particle: Particle) {
        let at = self.count;
        self.resize(at + 1);
        self.set(at, particle);
    }

    /// Overwrites one.
    pub fn set(&mut self, at: usize, particle: Particle) {
        for axis in 0..3 {
            self.position[axis][at] = particle.position[axis];
            self.velocity[axis][at] = particle.velocity[axis];
        }
        self.mass[at] = particle.mass;
        self.expires[at] = particle.expires;
        self.compression[at] = particle.compression;
        self.tag[at] = particle.tag;
        if let Some(cargo) = self.cargo.get_mut(at) {
            *cargo = particle.cargo;
        }
    }

    /// One of them.
    #[inline(always)]
    pub fn get(&self, at: usize) -> Particle {
        Particle {
            position: std::array::from_fn(|axis| self.position[axis][at]),
            velocity: std::array::from_fn(|axis| self.velocity[axis][at]),
            mass: self.mass[at],
            expires: self.expires[at],
            compression: self.compression[at],
            tag: self.tag[at],
            cargo: self.cargo.get(at).copied().unwrap_or(0.0),
        }
    }

    /// Whether it belongs to the boundary.
    pub fn is_boundary(&self, at: usize) -> bool {
        self.tag[at] & BOUNDARY != 0
    }

    /// Fills every column with those of `from`, picked in the given order.
    pub(crate) fn gather(&mut self, from: &Self, order: &[AtomicU32]) {
        self.resize(order.len());
        let count = order.len();
        let [x, y, z] = &mut self.position;
        let [u, v, w] = &mut self.velocity;
        let floats = [x, y, z, u, v, w, &mut self.mass, &mut self.expires, &mut self.compression]
            .map(|column| &mut column[..count]);
        let ([a, b, c], [d, e, f]) = (&from.position, &from.velocity);
        let sources = [a, b, c, d, e, f, &from.mass, &from.expires, &from.compression];
        let work = |range: Range<usize>, (floats, tags): ([&mut [f32]; 9], &mut [u32])| {
            let order = &order[range];
            for (column, from) in floats.into_iter().zip(sources) {
                pick(column, from, order);
            }
            pick(tags, &from.tag, order);
        };
        band::for_each_part(0..count, PART, (floats, &mut self.tag[..count]), &work);
        if !self.cargo.is_empty() {
            band::for_each_part(0..count, PART, &mut self.cargo[..count], &|range, part: &mut [f64]| {
                pick(part, &from.cargo, &order[range]);
            });
        }
    }

    /// Bytes taken by `count` particles.
    pub const fn bytes(count: u64, cargo: bool) -> u64 {
        count * (40 + if cargo { 8 } else { 0 })
    }
}

/// Fills a column with values of another, in the given order.
fn pick<T: Copy>(column: &mut [T], from: &[T], order: &[AtomicU32]) {
    for (value, source) in column.iter_mut().zip(order) {
        *value = from[source.load(Relaxed) as usize];
    }
}

/// Makes sure that a column can become so long. A little more room is taken than asked for, not twice as much as a
/// vector would take by itself: columns make up nearly all memory.
pub fn make_room<T>(column: &mut Vec<T>, length: usize) {
    if length > column.capacity() {
        column.reserve_exact(length + length / 16 + PART - column.len());
    }
}
