//! The door to thalweg: scenes in, landscapes out.
//!
//! A [`project`] is a scene file and what it names. [`State::new`] builds the terrain and puts the weather over
//! it; [`run`] steps it, keeps the books, writes checkpoints and, at the end, maps, pictures and a report.
//! [`run::simulate`] does the same in memory and writes nothing.
//!
//! Without the default feature `render` there is nothing of pictures, videos and surfaces, and none of what they need:
//! scenes that ask for them run without, and say so.
//!
//! ```
//! use thalweg::project;
//!
//! let scene = project::parse("version = 1\n[[rain]]\nrate = '20 mm/h'", "here", &[])?;
//! assert_eq!(scene.rain.len(), 1);
//!
//! let mistake = project::parse("version = 1\n[[rain]]\nrait = 3", "here", &[]).unwrap_err();
//! assert!(mistake.to_string().starts_with("here:3:1: unknown field `rait`"));
//! assert!(mistake.to_string().ends_with("did you mean `rate`?"));
//! # Ok::<(), project::ProjectError>(())
//! ```

#[cfg(feature = "render")]
pub mod draw;
pub mod project;
pub mod run;
pub mod solver;
mod state;

/// The library page of the guide: its examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/library.md")]
struct LibraryPage;

pub use state::{Change, Ground, SetupError, State, start_ground};
pub use thalweg_coupling as coupling;
pub use thalweg_erosion as erosion;
pub use thalweg_field as field;
#[cfg(feature = "render")]
pub use thalweg_gpu as gpu;
pub use thalweg_io as io;
pub use thalweg_render as render;
pub use thalweg_sph as sph;
#[cfg(feature = "render")]
pub use thalweg_surface as surface;
pub use thalweg_terrain as terrain;
