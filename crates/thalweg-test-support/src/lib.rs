//! What the tests of several crates share: ground, threads, particle water, and runs of scenes.
//!
//! It is a development dependency and nothing else; what goes wrong in it is a failed test.

#[cfg(feature = "particles")]
pub mod particles;
#[cfg(feature = "runs")]
pub mod runs;

use thalweg_field::{Frame, Grid2, Heightfield};

/// Ground of `cols` by `rows` cells of side `cell` `[m]`; `height` takes column and row from the north-west.
pub fn ground(
    cols: usize,
    rows: usize,
    cell: f64,
    height: impl Fn(usize, usize) -> f64 + Sync,
) -> Heightfield {
    Heightfield {
        height: Grid2::from_fn(cols, rows, |col, row| height(col, row) as f32),
        frame: Frame::with_cell(cell),
    }
}

/// Does something on so many threads, with all its loops.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}
