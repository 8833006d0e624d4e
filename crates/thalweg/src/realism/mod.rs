//! Whether landscapes are like real ones: what is measured, what is wanted of it, and a table.
//!
//! `cargo xtask realism` runs a scene for many seeds and sizes and prints the table beside real elevation models; a test does
//! the same in small.

mod measure;
mod survey;
mod table;

pub use measure::{MEASURES, Measure, Verdict};
pub use survey::{Made, Sample, Survey, SurveyError, windows};
pub use table::{complaints, heading, legend, row, spread};
