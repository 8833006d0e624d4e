//! The door to thalweg: scenes in, landscapes out.
//!
//! A [`project`] is a scene and the maps it names. A [`Session`] puts the water of a scene onto its ground, takes steps, is
//! edited while it does, takes edits back and shows itself; it opens no file, reads no clock and starts no thread. `run` drives
//! one with files around it: checkpoints, and at the end maps, pictures and a report.
//!
//! Without the feature `files` there is nothing but the session: that is what runs in a browser. Without `render` there is
//! nothing of pictures, videos and surfaces: scenes that ask for them run without, and say so. Without `rayon` everything
//! runs on the calling thread, to the same bits.
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
#[cfg(feature = "files")]
pub mod realism;
#[cfg(feature = "files")]
pub mod run;
mod session;
pub mod solver;
#[cfg(feature = "files")]
mod whitewater;
mod world;

/// The library page of the guide: its examples are tests.
#[cfg(all(doctest, feature = "files"))]
#[doc = include_str!("../../../docs/guide/library.md")]
struct LibraryPage;

pub use session::{Act, Change, Edit, Event, Refused, Session};
pub use thalweg_coupling as coupling;
pub use thalweg_erosion as erosion;
pub use thalweg_field as field;
#[cfg(feature = "render")]
pub use thalweg_gpu as gpu;
#[cfg(feature = "files")]
pub use thalweg_io as io;
pub use thalweg_render as render;
pub use thalweg_sph as sph;
#[cfg(feature = "render")]
pub use thalweg_surface as surface;
pub use thalweg_terrain as terrain;
pub use thalweg_waves as waves;
pub use world::{Ground, SetupError, start_ground};
