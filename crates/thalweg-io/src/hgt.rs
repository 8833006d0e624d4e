//! SRTM HGT: a square of whole metres, high byte first; its name says which degree it covers.

use crate::reading::{Head, Raster, Reading};
use crate::reproject::Degrees;
use crate::{Estimate, Notice, ReadError};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use thalweg_field::Grid2;

const FORMAT: &str = "HGT";

/// What stands where there is no height.
const VOID: i16 = i16::MIN;

/// A tile whose name and length have been checked.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    file: BufReader<File>,
    degrees: Degrees,
    pub size: Estimate,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(reading: Reading<'a>, file: BufReader<File>) -> Result<Self, ReadError> {
        let side = (reading.length / 2).isqrt();
        if side < 2 || 2 * side * side != reading.length {
            let reason = format!("its {} bytes are not a square of 16-bit numbers", reading.length);
            return Err(reading.broken(FORMAT, reason));
        }
        let Some([west, south]) = corner(reading.path) else {
            let what = "its name does not say which degree it covers";
            return Err(reading.unsupported(what, "a name such as N34W119.hgt"));
        };
        let size = reading.admit(FORMAT, side, side, 0)?;
        // The outer rows and columns lie on whole degrees, and neighbours share them.
        let cell = 1.0 / (side - 1) as f64;
        let corner = [west - 0.5 * cell, south + 1.0 + 0.5 * cell];
        let degrees = Degrees { corner, cell: [cell; 2], cols: size.cols, rows: size.rows };
        Ok(Self { reading, file, degrees, size })
    }

    pub(crate) fn read(mut self, _: &mut [Notice]) -> Result<Raster, ReadError> {
        let degrees = self.reading.in_degrees(Some(self.degrees))?;
        let scale = self.reading.scale(i16::MAX.into(), None, &mut Vec::new());
        let mut heights = Grid2::filled(self.size.cols, self.size.rows, f32::NAN);
        let mut bytes = vec![0; 2 * self.size.cols];
        for row in 0..self.size.rows {
            let io = |source| ReadError::Io { path: self.reading.path.into(), source };
            self.file.read_exact(&mut bytes).map_err(io)?;
            for (height, &bytes) in heights.row_mut(row).iter_mut().zip(bytes.as_chunks().0) {
                let metres = i16::from_be_bytes(bytes);
                *height = if metres == VOID { f32::NAN } else { scale.metres(metres) };
            }
        }
        Ok(Raster { heights, head: Head { degrees, ..Head::labelled(None, 16) } })
    }

    pub(crate) fn size_when_read(self) -> Result<Estimate, ReadError> {
        if !self.reading.options.utm {
            return Ok(self.size);
        }
        self.reading.laid_out(&self.size, &self.degrees)
    }
}

/// The south-west corner that a name such as `N34W119` tells, east and north `[degree]`.
fn corner(path: &Path) -> Option<[f64; 2]> {
    let name = path.file_stem()?.to_str()?.to_ascii_uppercase();
    let sign = |letter: char, plus: char, minus: char| match letter {
        letter if letter == plus => Some(1.0),
        letter if letter == minus => Some(-1.0),
        _ => None,
    };
    let (latitude, longitude) = (name.get(..3)?, name.get(3..7)?);
    let number = |text: &str| text[1..].parse::<u16>().ok().map(f64::from);
    let south = sign(latitude.chars().next()?, 'N', 'S')? * number(latitude)?;
    let west = sign(longitude.chars().next()?, 'E', 'W')? * number(longitude)?;
    (south.abs() <= 90.0 && west.abs() <= 180.0).then_some([west, south])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_tile_tells_its_corner() {
        for (name, expected) in [
            ("N34W119.hgt", Some([-119.0, 34.0])),
            ("s07e110.hgt", Some([110.0, -7.0])),
            ("N34W119.SRTMGL1.hgt", Some([-119.0, 34.0])),
            ("dem.hgt", None),
            ("N99W119.hgt", None),
            ("Näd4W119.hgt", None),
        ] {
            assert_eq!(corner(Path::new(name)), expected, "{name}");
        }
    }
}
