//! Stream power against theory: steady rivers and slopes, whose form is known, then what holds for any solver.

mod bits;
mod books;
mod rivers;
mod setup;
mod slopes;
mod valleys;

use crate::Case;

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "stream-power/steady-slope",
        about: "a steady river is as steep as its area says, for n = 1, 2 and 0.7, with and without deposition",
        run: rivers::steady_slope,
    },
    Case {
        name: "stream-power/profile",
        about: "the long profile of a steady river, on finer and finer cells",
        run: rivers::profile,
    },
    Case { name: "stream-power/lake", about: "a lake fills to its brim and no further", run: rivers::lake },
    Case {
        name: "stream-power/linear-creep",
        about: "a steady hill under linear creep is a parabola",
        run: slopes::linear,
    },
    Case {
        name: "stream-power/critical-creep",
        about: "a steady hill under nonlinear creep is as steep as Roering's law says",
        run: slopes::critical,
    },
    Case {
        name: "stream-power/valley-spacing",
        about: "valleys are about as far apart as is asked for",
        run: valleys::spacing,
    },
    Case { name: "stream-power/books", about: "no ground is lost", run: books::books },
    Case {
        name: "stream-power/resolution",
        about: "finer cells give the same mountains",
        run: books::resolution,
    },
    Case {
        name: "stream-power/threads",
        about: "any number of threads and a saved run, same bits",
        run: bits::threads,
    },
];
