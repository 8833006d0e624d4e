//! Making and measuring ground.
//!
//! A [`Recipe`] is a stack of layers (fractal noise, Voronoi mountains, hills, channels), each a function
//! of the place in metres, blended from the first to the last. Because nothing but the place and the
//! seed enters, the same recipe gives the same hills at any resolution, with any number of threads and on
//! any machine. [`analysis`] measures ground, made or real: slope, curvature, drainage, geomorphons, and
//! the handful of numbers that tell a landscape shaped by water from one shaped by noise
//! ([`analysis::Statistics`]). [`art`] makes maps that artists paint by, [`tin`] meshes of few triangles. [`resample`] changes the resolution of ground that exists only as cells.
//!
//! ```
//! use thalweg_terrain::{Recipe, analysis::{Measures, Statistics}};
//!
//! let recipe = Recipe::named("voronoi", 5_000.0).unwrap(); // a scene file's [terrain] reads the same type
//! recipe.validated()?;
//! let ground = recipe.build(128, 128, 5_000.0 / 128.0, 7);
//! let statistics = Statistics::of(&ground, &Measures::default());
//! assert!(statistics.slope_mean_deg.unwrap() > 5.0);
//! # Ok::<(), thalweg_field::Invalid>(())
//! ```

pub mod analysis;
pub mod art;
mod lit_surface;
pub mod marching_cubes;
pub mod noise;
pub mod recipe;
mod resample;
pub mod shape;
pub mod tin;
pub mod volume;

pub use lit_surface::LitSurface;
pub use recipe::{Recipe, kinds};
pub use resample::resample;
