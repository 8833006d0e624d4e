//! One program for all tests of the crate: linking takes longer than most of them.

mod animation;
mod anywhere;
mod described;
mod draw;
mod driver;
mod earlier_versions;
mod edits;
mod examples;
mod figures_001;
mod going_on;
mod obstacles;
mod own_method;
mod painter;
mod passes;
mod plausible;
mod poisoned;
mod realism;
mod scenes_sph;
mod session;
mod sph;
mod succession;
mod volumes;
mod waves;
