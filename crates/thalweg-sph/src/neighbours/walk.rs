//! The walk over every particle with its neighbours.

use super::Neighbours;
use super::cells::for_each_segments;
use super::cluster::{Cluster, Kind, Visitor};
use super::near::{Around, Lists, Search};
use crate::particles::Particles;
use fearless_simd::{Level, Simd, dispatch};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

thread_local! {
    /// The lists of one cluster; kept, so that a step allocates nothing.
    pub(super) static LISTS: Cell<Lists> = Cell::new(Lists::default());
}

impl Neighbours {
    /// Walks over all particles of the visitor's kind with their neighbours.
    pub fn walk<V: Visitor>(&self, particles: &Particles, visitor: &V, out: V::Out) {
        let level = Level::new();
        // What is kept is the fluid first, and then the boundary.
        let search = match (V::KIND, V::AMONG) {
            (Kind::Fluid, [Kind::Fluid, ..]) if self.is_known.load(Relaxed) => Search::Known,
            (Kind::Fluid, [Kind::Fluid, Kind::Boundary]) => Search::Keep,
            _ => Search::Anew,
        };
        for_each_segments(self, out, &|range, first, out: V::Out| {
            dispatch!(level, simd => self.walk_over(simd, particles, (visitor, search), range, first, out));
        });
        self.is_known.fetch_or(search == Search::Keep, Relaxed);
    }

    /// The inner part, compiled for each kind of vectors; `out` begins with the particle `first`.
    #[inline(always)]
    fn walk_over<S: Simd, V: Visitor>(
        &self,
        simd: S,
        particles: &Particles,
        (visitor, search): (&V, Search),
        range: Range<usize>,
        first: usize,
        mut out: V::Out,
    ) {
        let mut lists = LISTS.take();
        let mut around = Around::default();
        for segment in range {
            if self.kind_of(self.segments[segment]) != V::KIND {
                continue;
            }
            self.find_around(self.segments[segment], V::AMONG, &mut around);
            for cluster in self.clusters_of(segment) {
                let (near, wet) = self.list_near(simd, particles, &cluster, &around, search, &mut lists);
                let (start, count) = (cluster.start, cluster.len());
                visitor.cluster(
                    simd,
                    &Cluster { first: start, count, at: start - first, near, wet },
                    &mut out,
                );
            }
        }
        LISTS.set(lists);
    }
}
