//! Waves, the open sea and floating bodies against theory.

pub(super) mod bodies;
pub(super) mod ocean;
