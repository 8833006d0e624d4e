//! What is found out about heights while they pass by.

use crate::reading::Reading;
use crate::{Notice, ReadError};
use std::collections::HashSet;

/// As many different heights as 8 bits give; a wider file with no more was made from 8 bits.
const FEW_LEVELS: usize = 256;

/// Numbers that programs write where there is no height `[m]`.
const USUAL_NODATA: [f32; 4] = [-9999.0, -32768.0, -32767.0, f32::MIN];

/// What is found out about heights while they pass by, row after row.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    total: usize,
    pub holes: usize,
    pub range: Option<(f32, f32)>,
    /// Cells as low as the lowest.
    lowest: usize,
    /// The different heights, until there are more than a few.
    levels: HashSet<u32>,
}

impl Survey {
    pub(crate) fn add(&mut self, row: &[f32]) {
        self.total += row.len();
        for &height in row {
            if !height.is_finite() {
                self.holes += 1;
                continue;
            }
            let (low, high) = self.range.unwrap_or((height, height));
            if height < low || self.range.is_none() {
                self.lowest = 0;
            }
            self.range = Some((low.min(height), high.max(height)));
            self.lowest += usize::from(height <= low);
            if self.levels.len() <= FEW_LEVELS {
                self.levels.insert(height.to_bits());
            }
        }
    }

    /// Says what is remarkable, and returns the number of cells without a height.
    pub(crate) fn tell(
        &self,
        reading: Reading,
        bits: u8,
        notices: &mut Vec<Notice>,
    ) -> Result<usize, ReadError> {
        let Some((lowest, _)) = self.range else {
            return Err(ReadError::NoHeights { path: reading.path.into(), cells: self.total });
        };
        if USUAL_NODATA.contains(&lowest) {
            notices.push(Notice::LooksLikeNodata { value: lowest, count: self.lowest });
        }
        // Few levels in so many cells are suspicious. Flat ground is not.
        let levels = self.levels.len();
        if bits == 8 {
            notices.push(Notice::EightBit);
        } else if self.total >= 16 * FEW_LEVELS && (2..=FEW_LEVELS).contains(&levels) {
            notices.push(Notice::FewLevels { levels });
        }
        Ok(self.holes)
    }
}
