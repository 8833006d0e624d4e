//! R16 and RAW: 16-bit numbers, row after row, and nothing else.

use crate::heightmap::Codes;
use crate::label::{ByteOrder, Label};
use crate::reading::{Raster, Reading};
use crate::{Estimate, Notice, ReadError};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use thalweg_field::Grid2;

const FORMAT: &str = "RAW";

/// How much smoother the other byte order must be before it is worth a word. Terrain read in the wrong
/// order is noise, some hundred times rougher; real terrain read rightly is never rougher than noise.
const MUCH_SMOOTHER: f64 = 4.0;

/// A raw file whose size has been found and checked.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    file: BufReader<File>,
    label: Option<Label>,
    pub size: Estimate,
}

impl<'a> Opened<'a> {
    /// The size comes from the options, else from the description beside the file, else the file is square.
    pub(crate) fn new(reading: Reading<'a>, file: BufReader<File>) -> Result<Self, ReadError> {
        let label = Label::beside(reading.path)?;
        let bytes = reading.length;
        let root = (bytes / 2).isqrt();
        let [cols, rows] = match (reading.options.size, &label) {
            (Some(size), _) => size.map(|side| side as u64),
            (None, Some(label)) => [label.cols as u64, label.rows as u64],
            (None, None) if root > 0 && 2 * root * root == bytes => [root, root],
            (None, None) => return Err(ReadError::RawSizeUnknown { path: reading.path.into(), bytes }),
        };
        let size = reading.admit(FORMAT, cols, rows, 0)?;
        if cols.checked_mul(rows).and_then(|cells| cells.checked_mul(2)) != Some(bytes) {
            return Err(ReadError::RawSize { path: reading.path.into(), cols, rows, bytes });
        }
        Ok(Self { reading, file, label, size })
    }

    pub(crate) fn read(mut self, notices: &mut Vec<Notice>) -> Result<Raster, ReadError> {
        let scale = self.reading.scale(u16::MAX.into(), self.label.as_ref(), notices);
        let big = self.reading.options.big_endian
            || self.label.as_ref().is_some_and(|label| label.byte_order == Some(ByteOrder::Big));
        let mut heights = Grid2::filled(self.size.cols, self.size.rows, 0.0);
        let mut bytes = vec![0; 2 * self.size.cols];
        let mut codes = vec![0; self.size.cols];
        let (mut as_read, mut swapped) = (Roughness::default(), Roughness::default());
        for row in 0..self.size.rows {
            let io = |source| ReadError::Io { path: self.reading.path.into(), source };
            self.file.read_exact(&mut bytes).map_err(io)?;
            for (code, pair) in codes.iter_mut().zip(bytes.chunks_exact(2)) {
                let little = u16::from_le_bytes([pair[0], pair[1]]);
                *code = if big { little.swap_bytes() } else { little };
            }
            as_read.add(codes.iter().copied());
            swapped.add(codes.iter().map(|code| code.swap_bytes()));
            for (height, &code) in heights.row_mut(row).iter_mut().zip(&codes) {
                *height = scale.metres(code);
            }
        }
        let (roughness, swapped) = (as_read.share(), swapped.share());
        if roughness > MUCH_SMOOTHER * swapped && swapped > 0.0 {
            notices.push(Notice::ByteOrder { roughness, swapped });
        }
        Ok(Raster::labelled(heights, self.label, 16))
    }
}

/// Mean step between neighbours, as a share of the range: a measure that does not change when all codes
/// are multiplied, as 8-bit heights are when they are widened.
#[derive(Default)]
struct Roughness {
    steps: u64,
    count: u64,
    range: Option<(u16, u16)>,
}

impl Roughness {
    fn add(&mut self, row: impl Iterator<Item = u16>) {
        let mut west = None;
        for code in row {
            let (low, high) = self.range.unwrap_or((code, code));
            self.range = Some((low.min(code), high.max(code)));
            if let Some(west) = west.replace(code) {
                self.steps += u64::from(code.abs_diff(west));
                self.count += 1;
            }
        }
    }

    fn share(&self) -> f64 {
        match self.range {
            Some((low, high)) if high > low && self.count > 0 => {
                self.steps as f64 / self.count as f64 / f64::from(high - low)
            }
            _ => 0.0,
        }
    }
}

/// Writes 16-bit codes, low byte first.
pub(crate) fn write(mut writer: impl Write, values: &Grid2<f32>, codes: Codes) -> io::Result<()> {
    values.values().iter().try_for_each(|&value| writer.write_all(&codes.of(value).to_le_bytes()))
}
