//! Draws terrain, water, particles and meshes.
//!
//! [`gpu`] draws a [`Snapshot`](thalweg_field::Snapshot) with sun, sky and water on the graphics device, as
//! a [`Look`] says and a [`Camera`] or [`Shot`] sees it. The rest needs no device:
//!
//! A [`Scene`] borrows the grids of a [`Snapshot`](thalweg_field::Snapshot) or a
//! [`Heightfield`](thalweg_field::Heightfield). [`relief`] draws it from above in the manner of a Swiss
//! topographic map, [`perspective`] as a block cut out of the earth, [`map`] in false colours; [`sketch`]
//! draws all of a snapshot in space, its particles and meshes too. All of them return a [`Picture`], which
//! can carry labels and a scale bar and be set beside others ([`before_after`]). Nothing here knows a
//! solver, opens a file or starts a thread, and the same scene gives the same bytes for any number of
//! threads.
//!
//! ```
//! use thalweg_field::{Frame, Grid2, Heightfield};
//! use thalweg_render::{Camera, Label, ReliefStyle, Scene, perspective, relief};
//!
//! let hill = |c: usize, r: usize| 400.0 * (-((c as f32 - 40.0).powi(2) + (r as f32 - 30.0).powi(2)) / 300.0).exp();
//! let ground = Heightfield { height: Grid2::from_fn(96, 64, hill), frame: Frame::with_cell(30.0) };
//! let lake = ground.height.map(|height| (20.0 - height).max(0.0));
//! let scene = Scene::ground(&ground).with_water(&lake);
//!
//! let mut picture = relief(&scene, &ReliefStyle::default(), 192);
//! picture.label("Hill", [80.0, 60.0], &Label::default());
//! picture.scale_bar(15.0);
//! assert_eq!([picture.width, picture.height], [192, 128]);
//!
//! let view = perspective(&scene, &ReliefStyle::side_lit(), &Camera::default(), [160, 90]);
//! assert_eq!(view.rgb.len(), 160 * 90 * 3);
//! ```

mod annotate;
mod camera;
mod colour_bar;
mod colour_map;
pub mod compare;
mod cpu;
mod extent;
#[cfg(feature = "gpu")]
pub mod gpu;
mod light;
mod look;
mod picture;
mod scene;
mod shot;
#[cfg(feature = "gpu")]
mod sky;
mod spread;
mod text;

pub use camera::{Camera, Fly, Follow, Lens, Orbit, Ride, View};
pub use colour_bar::{Legend, LegendPlace};
pub use colour_map::ColourMap;
pub use cpu::lit_ground::ground_colours;
pub use cpu::map::{MapStyle, map};
pub use cpu::perspective::{perspective, sketch};
pub use cpu::relief::relief;
pub use extent::{Extent, likely_radius};
pub use look::{Cut, Light, Look, Overlay, ParticleLook, ParticleShape, WaterLook};
pub use picture::{Picture, before_after, contact_sheet, full_sheet};
pub use scene::{Palette, ReliefStyle, Scene, Snow, StyleError};
pub use shot::{Key, Shot, ShotError};
pub use spread::{Scale, Spread, Tick};
pub use text::{Anchor, Label, text_width};
