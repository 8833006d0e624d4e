//! Waves, the open sea and floating bodies against theory.

mod bits;
pub(super) mod bodies;
mod depth;
pub(super) mod ocean;
mod rings;
mod setup;
mod wakes;
mod walls;

use crate::Case;

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "waves/split",
        about: "a ring splits, and keeps its arcs, its circle and its volume",
        run: rings::split,
    },
    Case {
        name: "waves/exact-ring",
        about: "the exact solution that rings are fitted to is the one in books, and that of finite differences",
        run: rings::exact,
    },
    Case {
        name: "waves/matched-ring",
        about: "layers of rings keep to the wave equation",
        run: rings::matched,
    },
    Case { name: "waves/wall", about: "a wall answers as an image behind it would", run: walls::images },
    Case { name: "waves/pool", about: "round pools bring waves together again", run: walls::pools },
    Case { name: "waves/wake", about: "wakes are as wide as Mach and Kelvin say", run: wakes::wakes },
    Case {
        name: "waves/dispersive-ring",
        about: "a ring over deep water comes apart",
        run: wakes::dispersive_ring,
    },
    Case {
        name: "waves/beach",
        about: "waves slow down, turn, rise and break over a beach",
        run: depth::beach,
    },
    Case { name: "waves/mole", about: "waves go around the end of a mole", run: walls::mole },
    Case {
        name: "waves/bits",
        about: "any number of threads and any cut of time, same bits",
        run: bits::cuts,
    },
];
