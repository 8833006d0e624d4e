//! Volumes of ground against geometry: surfaces whose area, volume and shape are known, and what holds for any of them.

mod bits;
mod measure;
mod shapes;
mod surfaces;

use crate::Case;

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
];
