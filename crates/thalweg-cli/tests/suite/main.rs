//! One program for all tests of the crate: linking takes longer than most of them.

mod absurd;
mod commands;
mod common;
mod convert;
mod erode;
mod folder;
mod graphics;
mod hostile;
mod pictures;
mod recipes;
mod run;
mod words;
