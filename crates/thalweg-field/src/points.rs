//! Particles: places with named columns.

use crate::FieldInfo;

/// Places in space with any number of labelled values each. Metres east, north and up; east and north
/// count from the south-west corner of the terrain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// Where each one is [m].
    pub positions: Vec<[f32; 3]>,
    /// Radius of all of them, as they are drawn [m].
    pub radius: f32,
    /// What else is known of each.
    pub columns: Vec<Column>,
}

/// One value for each point.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its label.
    pub info: FieldInfo,
    /// As many values as there are points.
    pub values: Vec<f32>,
}

impl Points {
    /// The number of points.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.info.name == name)
    }
}
