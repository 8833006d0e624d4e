//! What every format shares while a file is read: checks before allocating, and numbers to metres.

use crate::label::{Curve, Label};
use crate::{Estimate, Notice, ReadError, ReadOptions};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
use std::path::Path;
use thalweg_field::{FieldInfo, Grid2};

/// Cells that one byte of a file can stand for at most. Deflate packs 1032 bytes into one, LZW and the
/// EXR codecs some thousands on flat ground; a file that claims more is broken or hostile.
const MOST_CELLS_PER_BYTE: u64 = 1 << 16;

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

/// Heights as decoded, with what the file says about their place.
pub(crate) struct Raster {
    /// Heights, not finite where there is none `[m]`.
    pub heights: Grid2<f32>,
    /// What the numbers are, where the file says it.
    pub info: Option<FieldInfo>,
    /// Side of a cell, where known `[m]`.
    pub cell: Option<f64>,
    /// South-west corner, east and north `[m]`.
    pub origin: [f64; 2],
    pub crs: Option<String>,
    /// Bits per number in the file.
    pub bits: u8,
}

impl Raster {
    /// Heights placed as the label says, or nowhere in particular.
    pub(crate) fn labelled(heights: Grid2<f32>, label: Option<Label>, bits: u8) -> Self {
        match label {
            Some(label) => {
                let info = Some(label.info());
                Self { heights, info, cell: Some(label.cell_m), origin: label.origin_m, crs: label.crs, bits }
            }
            None => Self { heights, info: None, cell: None, origin: [0.0, 0.0], crs: None, bits },
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
        let label = Label::beside(self.path)?;
        let fits = |label: &Label| label.cols == size.cols && label.rows == size.rows;
        if label.as_ref().is_some_and(|label| !fits(label)) {
            notices.push(Notice::SidecarIgnored { path: crate::label::sidecar_of(self.path) });
        }
        Ok(label.filter(fits))
    }

    /// How numbers become metres. `full` is the number that stands for the upper end of a height range:
    /// the largest code of an integer, 1 for a float. The options win over the label, the label over the
    /// numbers themselves.
    pub(crate) fn scale(&self, full: f64, label: Option<&Label>, notices: &mut Vec<Notice>) -> Scale {
        let range = self.options.height_range.or(label.and_then(|label| label.code_values));
        if range.is_none() && label.is_none() {
            notices.push(Notice::TakenAsMetres);
        }
        let straight = match range {
            Some([low, high]) => Scale { low, step: (high - low) / full, root_of: None },
            None => Scale { low: 0.0, step: 1.0, root_of: None },
        };
        match label.filter(|_| self.options.height_range.is_none()) {
            Some(Label { code_curve: Curve::SquareRoot, code_values: Some([low, high]), .. }) => {
                let zero = if *low < 0.0 { (full / 2.0).ceil() } else { 0.0 };
                Scale { root_of: Some((zero, full - zero, *high)), ..straight }
            }
            _ => straight,
        }
    }
}

/// A straight line from the numbers in a file to metres, or a parabola.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    low: f64,
    step: f64,
    /// Where numbers are square roots: which stands for zero, how far from it is the largest, and the value of that.
    root_of: Option<(f64, f64, f64)>,
}

impl Scale {
    pub(crate) fn metres(self, number: impl Into<f64>) -> f32 {
        let number = number.into();
        match self.root_of {
            Some((zero, full, top)) => {
                let share = (number - zero) / full;
                (top * share * share.abs()) as f32
            }
            None => (self.low + number * self.step) as f32,
        }
    }
}
