//! What a run shows to the outside.

use crate::{Frame, Grid2};

/// Name, unit and meaning of a quantity; files, colour bars and reports read them from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Short name, also the stem of its file: `water`, `sediment`, ...
    pub name: &'static str,
    /// SI unit, `-` for a pure ratio.
    pub unit: &'static str,
    /// What it tells, in a few words.
    pub meaning: &'static str,
}

impl FieldInfo {
    /// A label.
    pub const fn new(name: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        Self { name, unit, meaning }
    }
}

/// One labelled grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its label.
    pub info: FieldInfo,
    /// Its values.
    pub values: Grid2<f32>,
}

/// Everything a run shows at one moment: files, pictures and windows read this and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Cell size and position of all fields.
    pub frame: Frame,
    /// Steps taken so far.
    pub step: u64,
    /// Simulated time [s].
    pub time: f64,
    /// The labelled grids, all of one shape.
    pub fields: Vec<Field>,
}

impl Snapshot {
    /// The grid of that name, if the run made one.
    pub fn field(&self, name: &str) -> Option<&Grid2<f32>> {
        self.fields.iter().find(|field| field.info.name == name).map(|field| &field.values)
    }
}
