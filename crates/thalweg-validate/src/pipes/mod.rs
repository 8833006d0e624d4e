//! The pipe model against theory: V1 to V11 of the methods table, then what holds for any solver.
//!
//! The model is shallow water without momentum advection, so small waves and steady sheets must come out
//! right, while dam breaks and swings in a bowl differ from nature by a known amount and are held to that
//! amount.

mod bits;
mod budgets;
mod dams;
mod lakes;
mod measure;
mod resolution;
mod setup;
mod slopes;
mod stability;
mod storms;
mod waves;

use crate::Case;

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "pipes/lake-at-rest",
        about: "level water over a bump stays as it is",
        run: lakes::lake_at_rest,
    },
    Case {
        name: "pipes/water-budget",
        about: "rain, springs, drains and evaporation add up",
        run: budgets::water_budget,
    },
    Case {
        name: "pipes/solids-budget",
        about: "bed and suspended sediment add up",
        run: budgets::solids_budget,
    },
    Case {
        name: "pipes/linear-wave",
        about: "small steps run at √(gA/L) or √(gd), in all directions and between walls",
        run: waves::linear_wave,
    },
    Case { name: "pipes/ring-wave", about: "a ring wave stays round", run: waves::ring_wave },
    Case {
        name: "pipes/seiche",
        about: "swing of a basin and a lone pulse, and how far Mei's form is off",
        run: waves::seiche,
    },
    Case { name: "pipes/ritter", about: "dam break over dry ground", run: dams::ritter },
    Case {
        name: "pipes/stoker",
        about: "dam break over wet ground, and how far the method is off",
        run: dams::stoker,
    },
    Case {
        name: "pipes/thacker",
        about: "swing in a round bowl, and how far the method is off",
        run: lakes::thacker,
    },
    Case {
        name: "pipes/stability",
        about: "calm below the limit of the time step, wild above",
        run: stability::stability,
    },
    Case { name: "pipes/symmetry", about: "turned and mirrored ground, same bits", run: bits::symmetry },
    Case {
        name: "pipes/steady-sheet",
        about: "rain on a slope leaves at the foot, as deep as drag says",
        run: slopes::steady_sheet,
    },
    Case {
        name: "pipes/downhill",
        about: "water falls alike to the east, west, north and south",
        run: slopes::downhill,
    },
    Case {
        name: "pipes/time-step",
        about: "a storm takes as much ground at half and at a quarter of the time step",
        run: storms::time_step,
    },
    Case {
        name: "pipes/high-ground",
        about: "ground erodes alike however high it lies",
        run: storms::high_ground,
    },
    Case {
        name: "pipes/resolution",
        about: "rivers are as loaded on narrow cells as on wide ones, and wider than a cell",
        run: resolution::resolution,
    },
    Case { name: "pipes/bands", about: "any cut into bands and sweeps, same bits", run: bits::bands },
];
