//! What every format shares while a file is read: checks before allocating, and numbers to metres.

use crate::label::{Curve, Label};
use crate::reproject::{Degrees, Layout};
use crate::{Estimate, Notice, ReadError, ReadOptions};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
use std::path::Path;
use thalweg_field::{FieldInfo, Grid2};

/// Cells that one byte of a file can stand for at most. Deflate packs 1032 bytes into one, LZW and the
/// EXR codecs some thousands on flat ground; a file that claims more is broken or hostile.
const MOST_CELLS_PER_BYTE: u64 = 1 << 16;

/// Difference between width and height of a cell that is taken for none `[-]`.
pub(crate) const SQUARE: f64 = 0.005;

/// As much of a difference is put down to rounding, without a word `[-]`: a tenth of a cell over a thousand.
const ROUNDING: f64 = 1.0e-4;

/// Opens a file to read it: a folder, a named pipe or a device is none. Opening a pipe would wait for a writer for ever, and
/// a device may never end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let kind = path.metadata()?.file_type();
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        let message =
            "it is a named pipe, a socket or a device; copy what it gives into a file and name that";
        return Err(io::Error::new(ErrorKind::InvalidInput, message));
    }
    File::open(path)
}

/// The file that is being read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub path: &'a Path,
    pub options: &'a ReadOptions,
    /// Length of the file `[byte]`.
    pub length: u64,
}

/// Heights as decoded, with what the file says about them.
pub(crate) struct Raster {
    /// Heights, not finite where there is none `[m]`.
    pub heights: Grid2<f32>,
    pub head: Head,
}

/// What a file says about its numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    /// What the numbers are, where the file says it.
    pub info: Option<FieldInfo>,
    /// Side of a cell, where known `[m]`.
    pub cell: Option<f64>,
    /// South-west corner, east and north `[m]`.
    pub origin: [f64; 2],
    pub crs: Option<String>,
    /// Bits per number in the file.
    pub bits: u8,
    /// Where the cells lie, if they are in degrees and are to be laid out in metres.
    pub degrees: Option<Degrees>,
}

impl Head {
    /// Placed as the label says, or nowhere in particular.
    pub(crate) fn labelled(label: Option<Label>, bits: u8) -> Self {
        let nowhere = Self { info: None, cell: None, origin: [0.0, 0.0], crs: None, bits, degrees: None };
        match label {
            Some(label) => Self {
                info: Some(label.info()),
                cell: Some(label.cell_m),
                origin: label.origin_m,
                crs: label.crs,
                ..nowhere
            },
            None => nowhere,
        }
    }
}

impl<'a> Reading<'a> {
    /// Opens a file.
    pub(crate) fn open(
        path: &'a Path,
        options: &'a ReadOptions,
    ) -> Result<(Self, BufReader<File>), ReadError> {
        let io = |source| ReadError::Io { path: path.into(), source };
        let file = open_regular(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        Ok((Self { path, options, length }, BufReader::new(file)))
    }
}

impl Reading<'_> {
    pub(crate) fn broken(&self, format: &'static str, reason: impl Display) -> ReadError {
        ReadError::Broken { path: self.path.into(), format, reason: reason.to_string() }
    }

    pub(crate) fn unsupported(&self, what: impl Display, remedy: &'static str) -> ReadError {
        ReadError::Unsupported { path: self.path.into(), what: what.to_string(), remedy }
    }

    /// Checks a declared size before anything of that size is allocated. `scratch` is what decoding needs
    /// besides the heights themselves `[byte]`.
    pub(crate) fn admit(
        &self,
        format: &'static str,
        cols: u64,
        rows: u64,
        scratch: u64,
    ) -> Result<Estimate, ReadError> {
        let path = || self.path.into();
        if cols == 0 || rows == 0 {
            return Err(ReadError::Empty { path: path(), cols, rows });
        }
        let cells = cols.saturating_mul(rows);
        let most = self.length.saturating_mul(MOST_CELLS_PER_BYTE);
        if cells > most || scratch / 16 > most {
            let reason = format!("it declares {cols} × {rows} cells but has only {} bytes", self.length);
            return Err(self.broken(format, reason));
        }
        let needed = cells.saturating_mul(size_of::<f32>() as u64).saturating_add(scratch);
        let allowed = self.options.max_bytes;
        match (usize::try_from(cols), usize::try_from(rows)) {
            (Ok(cols), Ok(rows)) if needed <= allowed => Ok(Estimate { cols, rows, bytes: needed }),
            _ => Err(ReadError::TooLarge { path: path(), cols, rows, needed, allowed }),
        }
    }

    /// The description beside the file, unless it belongs to a terrain of another size.
    pub(crate) fn sidecar(
        &self,
        size: &Estimate,
        notices: &mut Vec<Notice>,
    ) -> Result<Option<Label>, ReadError> {
        let Some((label, path)) = Label::beside(self.path)? else { return Ok(None) };
        if label.cols == size.cols && label.rows == size.rows {
            return Ok(Some(label));
        }
        notices.push(Notice::SidecarIgnored { path });
        Ok(None)
    }

    /// What is in degrees: to be laid out, or refused, unless whoever gives a cell size has decided otherwise.
    pub(crate) fn in_degrees(&self, degrees: Option<Degrees>) -> Result<Option<Degrees>, ReadError> {
        match degrees {
            Some(_) if !self.options.utm && self.options.cell.is_some() => Ok(None),
            Some(degrees) if !self.options.utm => Err(ReadError::Geographic {
                path: self.path.into(),
                cell: degrees.cell[0],
                utm: degrees.utm(),
            }),
            degrees => Ok(degrees),
        }
    }

    /// The side of a cell that may be a little oblong.
    pub(crate) fn square(&self, east: f64, south: f64, notices: &mut Vec<Notice>) -> Result<f64, ReadError> {
        let off = (east - south).abs() / east;
        if !(east > 0.0 && off <= SQUARE) {
            return Err(ReadError::CellShape { path: self.path.into(), east, south, rotated: false });
        }
        if off <= ROUNDING {
            return Ok(east);
        }
        let cell = (east * south).sqrt();
        notices.push(Notice::NearlySquare { east, south, cell });
        Ok(cell)
    }

    /// Size and memory of a map in degrees once it is laid out in metres, if memory allows both it and the map.
    pub(crate) fn laid_out(&self, size: &Estimate, degrees: &Degrees) -> Result<Estimate, ReadError> {
        let Layout { cols, rows, .. } = self.layout(size, degrees)?;
        Ok(Estimate { cols, rows, bytes: bytes_with(size, cols, rows) })
    }

    /// Where a map in degrees comes to lie, if memory allows both it and the map.
    pub(crate) fn layout(&self, size: &Estimate, degrees: &Degrees) -> Result<Layout, ReadError> {
        let layout = degrees
            .layout(self.options.cell)
            .map_err(|reason| ReadError::Unprojectable { path: self.path.into(), reason })?;
        let (cols, rows) = (layout.cols, layout.rows);
        let (needed, allowed) = (bytes_with(size, cols, rows), self.options.max_bytes);
        if needed > allowed {
            let (cols, rows) = (cols as u64, rows as u64);
            return Err(ReadError::TooLarge { path: self.path.into(), cols, rows, needed, allowed });
        }
        Ok(layout)
    }

    /// How numbers become metres. `full` is the number that stands for the upper end of a height range:
    /// the largest code of an integer, 1 for a float. The options win over the label, the label over the
    /// numbers themselves.
    pub(crate) fn scale(&self, full: f64, label: Option<&Label>, notices: &mut Vec<Notice>) -> Scale {
        let range = self.options.height_range.or(label.and_then(|label| label.code_values));
        if range.is_none() && label.is_none() {
            notices.push(Notice::TakenAsMetres);
        }
        let straight = range.map_or(Scale::AS_IT_IS, |[low, high]| Scale::new(low, (high - low) / full));
        match label.filter(|_| self.options.height_range.is_none()) {
            Some(Label { code_curve: Curve::SquareRoot, code_values: Some([low, high]), .. }) => {
                let zero = if *low < 0.0 { (full / 2.0).ceil() } else { 0.0 };
                Scale { root_of: Some((zero, full - zero, *high)), ..straight }
            }
            _ => straight,
        }
    }
}

/// Memory for so many cells besides those of the file `[byte]`.
fn bytes_with(size: &Estimate, cols: usize, rows: usize) -> u64 {
    let cells = (cols as u64).saturating_mul(rows as u64);
    cells.saturating_mul(size_of::<f32>() as u64).saturating_add(size.bytes)
}

/// A straight line from the numbers in a file to metres, or a parabola.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    low: f64,
    step: f64,
    /// Where numbers are square roots: which stands for zero, how far from it is the largest, and the value of that.
    root_of: Option<(f64, f64, f64)>,
}

impl Scale {
    /// Numbers that are metres.
    pub(crate) const AS_IT_IS: Self = Self::new(0.0, 1.0);

    pub(crate) const fn new(low: f64, step: f64) -> Self {
        Self { low, step, root_of: None }
    }

    pub(crate) fn low(self) -> f64 {
        self.low
    }

    pub(crate) fn step(self) -> f64 {
        self.step
    }

    pub(crate) fn metres(self, number: impl Into<f64>) -> f32 {
        let number = number.into();
        match self.root_of {
            Some((zero, full, top)) => {
                let share = (number - zero) / full;
                (top * share * share.abs()) as f32
            }
            // Adding 0 would take the sign of -0 away.
            None if self.low == 0.0 => (number * self.step) as f32,
            None => (self.low + number * self.step) as f32,
        }
    }
}
