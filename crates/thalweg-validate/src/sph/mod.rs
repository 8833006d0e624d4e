//! Particle water against theory, experiment and plain reference code: kernels, neighbours, conservation, water at rest
//! and in motion, sediment afloat, the bed, and the same bits however the work is cut.

mod basin;
mod bed;
mod books;
mod columns;
mod dams;
mod discharge;
mod erosion_spacing;
mod forces;
mod kernels;
mod measure;
mod moving;
mod neighbours;
mod plates;
mod pools;
mod sediment;
mod setup;
mod stream;

pub use stream::eroding_stream;

use crate::Case;
use thalweg_sph::PressureSolver;

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "sph/kernels",
        about: "kernels integrate to one, slopes and Laplacians are theirs",
        run: kernels::kernels,
    },
    Case {
        name: "sph/neighbours",
        about: "every particle feels just those within h",
        run: neighbours::neighbours,
    },
    Case {
        name: "sph/reference",
        about: "density and acceleration against plain sums in f64",
        run: forces::reference,
    },
    Case { name: "sph/momentum", about: "a free blob keeps its momentum", run: forces::momentum },
    Case {
        name: "sph/hydrostatic",
        about: "a column at rest carries its weight",
        run: || columns::hydrostatic(PressureSolver::Wcsph),
    },
    Case {
        name: "sph/pond",
        about: "a pond on rough, steep ground stays one",
        run: || columns::pond(PressureSolver::Wcsph, 10_000),
    },
    Case { name: "sph/pools", about: "pools are filled to their level", run: pools::pools },
    Case {
        name: "sph/wave",
        about: "a standing wave keeps its height and period",
        run: || moving::standing_wave(PressureSolver::Wcsph),
    },
    Case {
        name: "sph/drop",
        about: "a drop that is pulled long thins",
        run: || moving::drop(PressureSolver::Wcsph),
    },
    Case {
        name: "sph/spinning-square",
        about: "a square of water that spins grows four arms",
        run: moving::spinning_square,
    },
    Case {
        name: "sph/dam-break",
        about: "the front of a falling column",
        run: || dams::dam_break(PressureSolver::Wcsph),
    },
    Case { name: "sph/koshizuka-oka", about: "the same, as others saw it", run: dams::koshizuka_and_oka },
    Case { name: "sph/ritter", about: "the depth where a dam broke", run: dams::ritter },
    Case {
        name: "sph/lobovsky",
        about: "a dam that breaks against a wall",
        run: || dams::lobovsky(PressureSolver::Wcsph, 24, None),
    },
    Case {
        name: "sph/poiseuille",
        about: "flow between two plates, driven by a force",
        run: plates::poiseuille,
    },
    Case {
        name: "sph/couette",
        about: "flow between two plates, driven by one of them",
        run: plates::couette,
    },
    Case {
        name: "sph/discharge",
        about: "sources give what they promise, drowned or free",
        run: || discharge::discharge(PressureSolver::Wcsph),
    },
    Case { name: "sph/settling", about: "grains settle in still water", run: sediment::settling },
    Case { name: "sph/diffusion", about: "a cloud of sediment spreads", run: sediment::diffusion },
    Case {
        name: "sph/erosion-law",
        about: "shear loosens as much as the law says",
        run: sediment::erosion_law,
    },
    Case {
        name: "sph/erosion-spacing",
        about: "a sheet erodes the same at any spacing",
        run: || erosion_spacing::erosion_spacing(PressureSolver::Wcsph),
    },
    Case { name: "sph/no-leak", about: "rough ground stops what falls on it", run: bed::no_leak },
    Case {
        name: "sph/triangle-mass",
        about: "a triangle changes the bed by what it gains",
        run: bed::triangle_mass,
    },
    Case { name: "sph/ledger", about: "no grain is lost in an eroding stream", run: books::ledger },
    Case {
        name: "sph/resume",
        about: "a saved run goes on to the same bits",
        run: || books::resume(PressureSolver::Wcsph),
    },
    #[cfg(not(target_arch = "wasm32"))]
    Case {
        name: "sph/threads",
        about: "any number of threads gives the same bits",
        run: || books::threads(PressureSolver::Wcsph),
    },
];

/// Cases that take minutes: they are run only by their whole names.
pub(crate) const LONG: &[Case] = &[
    Case {
        name: "sph/dam-break-40",
        about: "the front of a falling column, 40 particles across",
        run: || dams::martin_and_moyce(PressureSolver::Wcsph, 40),
    },
    Case {
        name: "sph/dam-break-80",
        about: "the front of a falling column, 80 particles across",
        run: || dams::martin_and_moyce(PressureSolver::Wcsph, 80),
    },
    Case {
        name: "sph/lobovsky-gate",
        about: "a dam that breaks against a wall, behind a gate that is lifted",
        run: || dams::lobovsky(PressureSolver::Wcsph, 24, Some(4.0)),
    },
    Case {
        name: "sph/lobovsky-40",
        about: "a dam that breaks against a wall, finer",
        run: || dams::lobovsky(PressureSolver::Wcsph, 40, None),
    },
    Case {
        name: "dfsph/lobovsky",
        about: "a dam that breaks against a wall",
        run: || dams::lobovsky(PressureSolver::Dfsph, 24, None),
    },
];

/// What incompressible water is compared with, for one of the methods; steps are some five times as long as those of weakly
/// compressible water.
macro_rules! incompressible {
    ($name:literal, $method:expr) => {
        &[
            Case {
                name: concat!($name, "/hydrostatic"),
                about: "a column at rest carries its weight",
                run: || columns::hydrostatic($method),
            },
            Case {
                name: concat!($name, "/pond"),
                about: "a pond on rough, steep ground stays one",
                run: || columns::pond($method, 3_000),
            },
            Case {
                name: concat!($name, "/discharge"),
                about: "sources give what they promise, drowned or free",
                run: || discharge::discharge($method),
            },
            Case {
                name: concat!($name, "/erosion-spacing"),
                about: "a sheet erodes the same at any spacing",
                run: || erosion_spacing::erosion_spacing($method),
            },
            Case {
                name: concat!($name, "/wave"),
                about: "a standing wave keeps its height and period",
                run: || moving::standing_wave($method),
            },
            Case {
                name: concat!($name, "/drop"),
                about: "a drop that is pulled long thins",
                run: || moving::drop($method),
            },
            Case {
                name: concat!($name, "/dam-break"),
                about: "the front of a falling column",
                run: || dams::dam_break($method),
            },
            Case {
                name: concat!($name, "/resume"),
                about: "a saved run goes on to the same bits",
                run: || books::resume($method),
            },
            #[cfg(not(target_arch = "wasm32"))]
            Case {
                name: concat!($name, "/threads"),
                about: "any number of threads gives the same bits",
                run: || books::threads($method),
            },
        ]
    };
}

pub(crate) const PCISPH: &[Case] = incompressible!("pcisph", PressureSolver::Pcisph);
pub(crate) const DFSPH: &[Case] = incompressible!("dfsph", PressureSolver::Dfsph);
