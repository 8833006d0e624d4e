//! How much room particles of the fluid take.

use crate::neighbours::load;
use fearless_simd::{Simd, f32x8, prelude::*};

/// Volume of each particle `[m³]`; none for the boundary.
#[derive(Clone, Copy, Debug)]
pub struct Volumes<'a> {
    pub(crate) solid: &'a [f32],
    pub(crate) mass: &'a [f32],
    pub(crate) density: &'a [f32],
}

impl Volumes<'_> {
    /// Those of a vector.
    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S, at: usize) -> f32x8<S> {
        let share = f32x8::splat(simd, 1.0) - load(simd, self.solid, at);
        share * load(simd, self.mass, at) / load(simd, self.density, at)
    }
}
