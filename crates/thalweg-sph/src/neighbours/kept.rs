//! Neighbours that one walk finds and others use again.

use crate::particles::make_room;

/// Vectors kept for each particle of a group.
pub const KEEP: usize = 8;
/// Vectors of a list that have a bit of their own.
pub(super) const OWN_BITS: usize = 31;
/// All vectors of a list.
pub(super) const EVERY: u32 = u32::MAX;

/// The vectors that particles of the fluid have within reach, found by one walk and kept for others: they need not list
/// and look through those again.
#[derive(Debug, Default)]
pub struct Kept {
    /// Lists of groups, each beginning at the group's first particle and running on into what its others have.
    pub(super) lists: Vec<[u32; KEEP]>,
    /// For each particle which vectors of its group's list it reaches, a bit for each; or [`EVERY`] where they were too
    /// many to keep.
    pub(super) reached: Vec<u32>,
}

/// Where a walk keeps what it finds.
pub type Keep<'a> = (&'a mut [[u32; KEEP]], &'a mut [u32]);

impl Kept {
    /// Bytes for each particle.
    pub const BYTES: u64 = 4 * KEEP as u64 + 4;

    /// Makes room for `count` particles.
    pub fn resize(&mut self, count: usize) {
        make_room(&mut self.lists, count);
        self.lists.resize(count, [0; KEEP]);
        make_room(&mut self.reached, count);
        self.reached.resize(count, 0);
    }

    /// Where a walk keeps what it finds.
    pub fn keep(&mut self) -> Keep<'_> {
        (&mut self.lists, &mut self.reached)
    }
}
