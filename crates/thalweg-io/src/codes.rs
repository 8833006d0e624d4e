//! Heights as 16-bit codes.

use crate::WriteError;
use std::path::Path;
use thalweg_field::Grid2;

/// A straight line from values to the codes 0 to 65535.
#[derive(Clone, Copy)]
pub(crate) struct Codes {
    /// Values of the smallest and the largest code.
    pub ends: [f64; 2],
}

impl Codes {
    /// Codes over the range asked for, or over that of the values.
    pub(crate) fn new(
        path: &Path,
        values: Option<(f32, f32)>,
        holes: usize,
        range: Option<[f64; 2]>,
    ) -> Result<Self, WriteError> {
        let Some((min, max)) = values.filter(|_| holes == 0) else {
            return Err(WriteError::NotFinite { path: path.into(), count: holes });
        };
        let (min, max) = (f64::from(min), f64::from(max));
        let [low, high] = range.unwrap_or([min, max]);
        if low <= min && max <= high && (high - low).is_finite() {
            return Ok(Self { ends: [low, high] });
        }
        Err(WriteError::OutOfRange { path: path.into(), min, max, range: [low, high] })
    }

    /// The code nearest to a value. Flat ground has no range to share out and is code 0 everywhere.
    pub(crate) fn of(self, value: f32) -> u16 {
        let [low, high] = self.ends;
        if high > low {
            ((f64::from(value) - low) / (high - low) * f64::from(u16::MAX)).round() as u16
        } else {
            0
        }
    }
}

/// Smallest and largest value, all of which must be finite.
pub(crate) fn finite_range(path: &Path, values: &Grid2<f32>) -> Result<[f64; 2], WriteError> {
    let count = values.values().iter().filter(|v| !v.is_finite()).count();
    match values.range() {
        Some((low, high)) if count == 0 => Ok([low.into(), high.into()]),
        _ => Err(WriteError::NotFinite { path: path.into(), count }),
    }
}
