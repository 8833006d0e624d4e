//! Neighbours that one walk finds and others use again.

use crate::particles::make_room;

/// Vectors of a list that have a bit of their own; those behind them are always looked at.
pub(super) const OWN_BITS: usize = 31;
/// All vectors of a list.
pub(super) const EVERY: u32 = u32::MAX;

/// Which vectors particles of the fluid have within reach, found by one walk and kept for others: these list them again, and
/// need not look through them.
#[derive(Debug, Default)]
pub struct Kept {
    /// For each particle which vectors of its group's list it reaches, a bit for each.
    pub(super) reached: Vec<u32>,
}

/// Where a walk keeps what it finds.
pub type Keep<'a> = &'a mut [u32];

impl Kept {
    /// Bytes for each particle.
    pub const BYTES: u64 = 4;

    /// Makes room for `count` particles.
    pub fn resize(&mut self, count: usize) {
        make_room(&mut self.reached, count);
        self.reached.resize(count, 0);
    }

    /// Where a walk keeps what it finds.
    pub fn keep(&mut self) -> Keep<'_> {
        &mut self.reached
    }
}
