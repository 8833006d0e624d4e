//! The vocabulary that every part of thalweg shares.
//!
//! A [`Grid2`] is a rectangle of values, row 0 at the north edge and columns running east. A
//! [`Heightfield`] is a grid of bed heights in metres with a [`Frame`] that says how large a cell is
//! and where it lies. [`Points`] are particles with named columns, a [`TriMesh`] is a surface of
//! triangles. A [`Snapshot`] is everything a run shows to the outside at one moment: labelled grids,
//! particles, meshes, bodies and the open [`Sea`]. Beside these live the small things that make runs reproducible: random numbers keyed by
//! place and step ([`random`]), sums that do not depend on the number of threads ([`sum`]), rows cut
//! into bands ([`band`]), ranges that numbers from outside must lie in ([`range`]), and quantities with units as people
//! write them ([`units`]).
//!
//! Nothing here advances time, opens a file or reads a clock.
//!
//! ```
//! use thalweg_field::{Frame, Grid2, Heightfield};
//!
//! let slope = Heightfield {
//!     height: Grid2::from_fn(64, 32, |_col, row| row as f32),
//!     frame: Frame::with_cell(10.0),
//! };
//! assert_eq!(slope.height.row(31)[0], 31.0); // the south edge is the high one
//! assert_eq!(slope.extent(), [640.0, 320.0]); // metres east, metres north
//! ```

pub mod band;
mod body;
pub mod describe;
mod edge;
mod grid;
mod heightfield;
mod invalid;
mod ledger;
mod mesh;
mod points;
mod pool;
pub mod random;
pub mod range;
mod region;
mod sea;
mod snapshot;
mod strata;
pub mod sum;
mod time_steps;
pub mod units;
mod window;

pub use body::{Body, BodyPart, Finish, Material, Pose};
pub use edge::{Edge, Edges};
pub use grid::Grid2;
pub use heightfield::{Frame, Heightfield};
pub use invalid::{Invalid, require};
pub use ledger::{Ledger, Solids, Water};
pub use mesh::TriMesh;
pub use points::{Column, Points};
pub use pool::{Pool, Top};
pub use region::Region;
pub use sea::{Sea, SeaPatch};
pub use snapshot::{Field, FieldInfo, GroundMesh, Matter, Mesh, Snapshot};
pub use strata::{Bed, Fold, Strata};
pub use time_steps::TimeSteps;
pub use window::Window;
