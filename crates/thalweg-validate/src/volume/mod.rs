//! Volumes of ground against geometry: surfaces whose area, volume and shape are known, and what holds for any of them.

mod bits;
mod jet;
mod measure;
mod shapes;
mod surfaces;
mod water;

use crate::Case;
use thalweg_sph::PressureSolver;

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "volume/shapes",
        about: "a ball and a ring of 64³ voxels have their area, volume and Euler characteristic",
        run: shapes::shapes,
    },
    Case {
        name: "volume/closed",
        about: "on random voxels every edge has two triangles, in all 256 cases",
        run: surfaces::closed,
    },
    Case {
        name: "volume/update",
        about: "a surface after local changes is that of the whole volume",
        run: surfaces::update,
    },
    Case {
        name: "volume/heightfield",
        about: "heights come back from their volume within half a voxel",
        run: shapes::heightfield,
    },
    Case {
        name: "volume/strata",
        about: "beds are as thick as they are said to be, tilted and folded",
        run: shapes::strata,
    },
    Case { name: "volume/threads", about: "any number of threads, same bits", run: bits::threads },
    Case {
        name: "volume/pool",
        about: "a pool on rough rock under a ledge comes to rest",
        run: || water::pool(PressureSolver::Wcsph, 0.05, 7.0),
    },
    Case {
        name: "volume/pool-pcisph",
        about: "the same with PCISPH",
        run: || water::pool(PressureSolver::Pcisph, 0.05, 16.0),
    },
    Case {
        name: "volume/pool-dfsph",
        about: "the same with DFSPH",
        run: || water::pool(PressureSolver::Dfsph, 0.05, 16.0),
    },
    Case {
        name: "volume/pool-fine",
        about: "the first of them with voxels and particles half as large",
        run: || water::pool(PressureSolver::Wcsph, 0.025, 7.0),
    },
    Case {
        name: "volume/erosion",
        about: "a stream erodes as much from voxels as from the heights that they are made of",
        run: || water::erosion(PressureSolver::Wcsph, 0.0),
    },
    Case {
        name: "volume/erosion-pcisph",
        about: "the same with PCISPH",
        run: || water::erosion(PressureSolver::Pcisph, 0.0),
    },
    Case {
        name: "volume/erosion-dfsph",
        about: "the same with DFSPH",
        run: || water::erosion(PressureSolver::Dfsph, 0.0),
    },
    Case {
        name: "volume/erosion-blows",
        about: "the same where what runs straight into the ground wears it too",
        run: || water::erosion(PressureSolver::Wcsph, 1.0),
    },
    Case {
        name: "volume/jet",
        about: "a jet wears rock whichever way it faces, and heights as much",
        run: jet::jet,
    },
    Case {
        name: "volume/books",
        about: "an eroding stream on voxels: nothing is lost, and the same state goes the same way",
        run: water::books,
    },
];
