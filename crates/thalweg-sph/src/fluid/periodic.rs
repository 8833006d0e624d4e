//! Space without ends: what lies near one of two opposite sides is also beyond the other.
//!
//! Before every sort, particles near such a side are copied beyond the other one. To whoever counts, moves or saves particles the copies
//! are of the boundary; to their neighbours they are what they are copies of. What a walk finds for the fluid is copied to them before the
//! next one reads it.

use crate::fluid::AT_ONCE;
use crate::particles::{BOUNDARY, COPY, Particles};

/// Sides that are joined, and the copies beyond them.
#[derive(Debug, Default)]
pub(crate) struct Periodic {
    /// Lowest and highest coordinate along x and y `[m]`; none where space ends.
    sides: [Option<[f32; 2]>; 2],
    /// What each copy is a copy of, in the order in which they were added.
    originals: Vec<u32>,
    /// Where each particle is after sorting.
    sorted: Vec<u32>,
    /// Sorted copies of the fluid, each with its original.
    pairs: Vec<(u32, u32)>,
    /// All sorted copies.
    copies: Vec<u32>,
}

impl Periodic {
    pub(crate) fn new(sides: [Option<[f32; 2]>; 2]) -> Self {
        Self { sides, ..Self::default() }
    }

    /// Whether no side is joined with another.
    fn is_bounded(&self) -> bool {
        self.sides == [None; 2]
    }

    /// Sorted copies of the fluid, each with its original.
    pub(crate) fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Adds copies of everything that is within `reach` of a joined side and lives beyond `now` `[m]`, `[s]`. Those of the second pair of
    /// sides copy the copies of the first too, for the corners.
    pub(crate) fn copy(&mut self, particles: &mut Particles, reach: f32, now: f32) {
        self.originals.clear();
        for (axis, sides) in self.sides.into_iter().enumerate() {
            let Some([low, high]) = sides else { continue };
            let (count, first) = (particles.len(), particles.len() - self.originals.len());
            for i in 0..count {
                let at = particles.position[axis][i];
                if particles.expires[i] <= now {
                    continue;
                }
                let moved = [(at < low + reach, high - low), (at > high - reach, low - high)];
                for (_, by) in moved.into_iter().filter(|(near, _)| *near) {
                    let mut copy = particles.get(i);
                    copy.position[axis] += by;
                    if copy.tag & BOUNDARY == 0 {
                        copy.tag = COPY;
                    }
                    let original = if i < first { i as u32 } else { self.originals[i - first] };
                    particles.push(copy);
                    self.originals.push(original);
                }
            }
        }
    }

    /// Finds where copies and originals went when they were sorted; `order` tells the former place of each.
    pub(crate) fn find(
        &mut self,
        sorted: &Particles,
        order: impl ExactSizeIterator<Item = usize> + Clone,
        before: usize,
    ) {
        self.pairs.clear();
        self.copies.clear();
        if self.is_bounded() {
            return;
        }
        let first = before - self.originals.len();
        self.sorted.resize(first, 0);
        for (now, old) in order.clone().enumerate().filter(|(_, old)| *old < first) {
            self.sorted[old] = now as u32;
        }
        for (now, old) in order.enumerate().filter(|(_, old)| *old >= first) {
            self.copies.push(now as u32);
            if sorted.tag[now] == COPY {
                self.pairs.push((now as u32, self.sorted[self.originals[old - first] as usize]));
            }
        }
    }

    /// Lets the copies vanish before the next sort.
    pub(crate) fn forget(&self, particles: &mut Particles) {
        for &copy in &self.copies {
            particles.expires[copy as usize] = AT_ONCE;
        }
    }
}
