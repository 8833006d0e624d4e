//! One program for all tests of the crate: linking takes longer than most of them.

mod checkpoints;
mod common;
mod hostile;
mod import;
mod large;
mod meshes;
mod outputs;
mod pictures;
mod ply;
mod roundtrip;
mod sources;
mod volumes;
mod vtp;
