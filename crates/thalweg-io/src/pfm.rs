//! PFM: three lines of text, then floats, the lowest row first.

use crate::reading::{Head, Raster, Reading};
use crate::{Estimate, Notice, ReadError};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use thalweg_field::Grid2;

const FORMAT: &str = "PFM";

/// A file whose head has been read.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    file: BufReader<File>,
    /// Numbers of each cell: 1 is grey, 3 are red, green and blue.
    samples: usize,
    big: bool,
    pub size: Estimate,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(reading: Reading<'a>, mut file: BufReader<File>) -> Result<Self, ReadError> {
        let mut before = 0;
        let mut word = || {
            let io = |source| ReadError::Io { path: reading.path.into(), source };
            let mut text = Vec::new();
            for _ in 0..100 {
                let bytes = file.fill_buf().map_err(io)?;
                let Some(&byte) = bytes.first() else { break };
                file.consume(1);
                before += 1;
                match byte {
                    byte if byte.is_ascii_whitespace() && text.is_empty() => {}
                    // One blank ends the last word; numbers begin behind it.
                    byte if byte.is_ascii_whitespace() => break,
                    byte => text.push(byte),
                }
            }
            Ok(String::from_utf8_lossy(&text).into_owned())
        };
        let kind = word()?;
        let [cols, rows, scale] = [word()?, word()?, word()?];
        let samples = match kind.as_str() {
            "Pf" => 1,
            "PF" => 3,
            _ => return Err(reading.broken(FORMAT, "it does not begin like one")),
        };
        let side = |text: &str| {
            text.parse::<u64>()
                .map_err(|_| reading.broken(FORMAT, format!("it has {text:?} where a size should be")))
        };
        let (cols, rows) = (side(&cols)?, side(&rows)?);
        let scale: f64 = scale
            .parse()
            .ok()
            .filter(|scale: &f64| *scale != 0.0 && scale.is_finite())
            .ok_or_else(|| reading.broken(FORMAT, format!("it has {scale:?} where a scale should be")))?;
        let needed = cols.saturating_mul(rows).saturating_mul(4 * samples).saturating_add(before);
        if needed > reading.length {
            let reason = format!("it declares {cols} × {rows} cells but has only {} bytes", reading.length);
            return Err(reading.broken(FORMAT, reason));
        }
        let size = reading.admit(FORMAT, cols, rows, 0)?;
        Ok(Self { reading, file, samples: samples as usize, big: scale > 0.0, size })
    }

    pub(crate) fn read(mut self, notices: &mut Vec<Notice>) -> Result<Raster, ReadError> {
        let reading = self.reading;
        let label = reading.sidecar(&self.size, notices)?;
        let scale = reading.scale(1.0, label.as_ref(), notices);
        let Estimate { cols, rows, .. } = self.size;
        let mut heights = Grid2::filled(cols, rows, f32::NAN);
        let mut bytes = vec![0; cols * 4 * self.samples];
        for row in (0..rows).rev() {
            let io = |source| ReadError::Io { path: reading.path.into(), source };
            self.file.read_exact(&mut bytes).map_err(io)?;
            for (col, cell) in bytes.chunks_exact(4 * self.samples).enumerate() {
                let numbers = cell.as_chunks::<4>().0;
                if numbers.iter().any(|number| *number != numbers[0]) {
                    return Err(ReadError::Colour { path: reading.path.into(), col, row });
                }
                let number =
                    if self.big { f32::from_be_bytes(numbers[0]) } else { f32::from_le_bytes(numbers[0]) };
                heights.set(col, row, scale.metres(number));
            }
        }
        Ok(Raster { heights, head: Head::labelled(label, 32) })
    }
}
