//! The walk over every particle with its neighbours.

use super::cells::for_each_segments;
use super::cluster::{Cluster, Kind, Visitor};
use super::lists::Lists;
use super::near::Around;
use super::{KEPT, Neighbours};
use crate::particles::Particles;
use fearless_simd::{Level, Simd, dispatch};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// How it is known what is within reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    /// It is found.
    Anew,
    /// It is found and kept, where there is room.
    Keep,
    /// It was kept; where there was no room it is found again.
    Known,
}

thread_local! {
    /// The lists of one cluster; kept, so that a step allocates nothing.
    static LISTS: Cell<Lists> = Cell::new(Lists::default());
}

impl Neighbours {
    /// Walks over all particles of the visitor's kind with their neighbours.
    pub fn walk<V: Visitor>(&self, particles: &Particles, visitor: &V, out: V::Out) {
        let level = Level::new();
        // What is kept of a cluster of the fluid is the fluid first, and then the boundary; of one of the boundary, the fluid.
        let is_known = &self.is_known[V::KIND as usize];
        let search = match (V::KIND, V::AMONG) {
            (Kind::Fluid, [Kind::Fluid, ..]) | (Kind::Boundary, [Kind::Fluid]) if is_known.load(Relaxed) => {
                Search::Known
            }
            (Kind::Fluid, [Kind::Fluid, Kind::Boundary]) | (Kind::Boundary, [Kind::Fluid]) => Search::Keep,
            _ => Search::Anew,
        };
        for_each_segments(self, out, &|range, first, out: V::Out| {
            dispatch!(level, simd => self.walk_over(simd, particles, (visitor, search), range, first, out));
        });
        is_known.fetch_or(search == Search::Keep, Relaxed);
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
            let place = self.segments[segment];
            if self.kind_of(place) != V::KIND {
                continue;
            }
            let mut around_is_known = false;
            for cluster in self.clusters_of(segment) {
                let reached = &self.reached[cluster.start * KEPT..cluster.end * KEPT];
                if visitor.without(cluster.clone(), cluster.start - first, &mut out) {
                    if search == Search::Keep {
                        Lists::keep_nothing(reached);
                    }
                    continue;
                }
                if search != Search::Known || !lists.read(simd, reached) {
                    if !around_is_known {
                        self.find_around(place, V::AMONG, &mut around);
                        around_is_known = true;
                    }
                    self.find_near(simd, particles, &cluster, &around, &mut lists);
                }
                if search == Search::Keep {
                    lists.keep(reached);
                }
                let (near, wet) = lists.expand();
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
