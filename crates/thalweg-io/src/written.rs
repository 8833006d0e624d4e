//! Terrain out, row after row, whatever the format.

use crate::atomic::write_atomic;
use crate::codes::Codes;
use crate::heightmap::Format;
use crate::label::{ByteOrder, HEIGHT, Label, SOUTH_FIRST, Story};
use crate::numpy::npy_head;
use crate::{WriteError, ascii_grid, exr, png, raw, tiff};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use thalweg_field::{FieldInfo, Frame, Heightfield};

/// How to write terrain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// Heights of code 0 and of the largest code in 16-bit files `[m]`; by default the terrain's own range.
    /// Tiles of one terrain share a range so that their seams meet.
    pub height_range: Option<[f64; 2]>,
    /// What the numbers are, if not heights of the bed.
    pub info: Option<FieldInfo>,
    /// What else its description tells.
    pub story: Story,
    /// Whether a description is written beside the file also where the format has room for one.
    pub sidecar: bool,
    /// Whether rows begin in the south, as Unity has them; for raw files alone.
    pub south_first: bool,
    /// Whether floats are shares of `height_range`, or of the terrain's own range, from 0 to 1 instead of metres.
    pub shares: bool,
}

/// Endings of the files of heights that are written.
const WRITTEN: &str = ".png, .tif, .exr, .r16, .raw, .r32, .asc, .npy or .pfm";

/// Writes terrain in the format that the name tells: `.png` (16 bits), `.tif` (GeoTIFF, 32-bit float),
/// `.exr` (32-bit float), `.r16` or `.raw` (16 bits, low byte first), `.r32`, `.npy` or `.pfm` (32-bit float, low byte first) or `.asc`
/// (text).
///
/// Floats hold metres. 16-bit codes run from the lowest to the highest height; PNG keeps that range as
/// text inside, and both PNG and raw files get a `name.thalweg.json` beside them that tells it. Reading
/// the file back gives the same cell size, position and coordinate system, and heights within half a
/// code.
pub fn write_heightfield(path: &Path, field: &Heightfield, options: &WriteOptions) -> Result<(), WriteError> {
    let heights = &field.height;
    let count = heights.values().iter().filter(|height| !height.is_finite()).count();
    let size = [heights.cols(), heights.rows()];
    let what = Written { path, size, range: heights.range(), holes: count, frame: &field.frame };
    what.write(options, |row, out| {
        out.copy_from_slice(heights.row(row));
        Ok::<_, io::Error>(())
    })
    .map_err(|error| match error {
        Gone::Read(source) => WriteError::Io { path: path.into(), source },
        Gone::Write(error) => error,
    })
}

/// What is known of terrain before its rows are written one after the other.
pub(crate) struct Written<'a> {
    pub path: &'a Path,
    /// Columns and rows.
    pub size: [usize; 2],
    pub range: Option<(f32, f32)>,
    /// Cells without a height.
    pub holes: usize,
    pub frame: &'a Frame,
}

/// What went wrong while rows came in and went out.
pub(crate) enum Gone<E> {
    Read(E),
    Write(WriteError),
}

/// Puts a row into its second argument.
type Give<'a> = &'a mut dyn FnMut(usize, &mut [f32]) -> io::Result<()>;

impl Written<'_> {
    /// Writes the rows that `give` puts into its second argument.
    pub(crate) fn write<E>(
        &self,
        options: &WriteOptions,
        mut give: impl FnMut(usize, &mut [f32]) -> Result<(), E>,
    ) -> Result<(), Gone<E>> {
        let (format, label) = self.planned(options).map_err(Gone::Write)?;
        let shares = label.code_values.filter(|_| options.shares && label.bits == 32);
        // What a row lacks is remembered here, because only errors of the system go through a writer.
        let mut lacking = None;
        let mut give = |row: usize, out: &mut [f32]| {
            let row = if options.south_first { self.size[1] - 1 - row } else { row };
            give(row, out).map_err(|error| {
                lacking = Some(error);
                io::Error::other("the rows came to an end")
            })?;
            if let Some([low, high]) = shares {
                out.iter_mut()
                    .for_each(|height| *height = ((f64::from(*height) - low) / (high - low)) as f32);
            }
            Ok(())
        };
        let written = write_atomic(self.path, |file| self.rows(file, format, &label, &mut give));
        if let Some(error) = lacking {
            return Err(Gone::Read(error));
        }
        written.map_err(Gone::Write)?;
        let has_room = shares.is_none() && matches!(format, Format::Exr | Format::Tiff);
        if options.sidecar || !has_room {
            label.write_beside(self.path).map_err(Gone::Write)?;
        }
        Ok(())
    }

    /// The format and what is said about the numbers; an error if there can be no such file.
    fn planned(&self, options: &WriteOptions) -> Result<(Format, Label), WriteError> {
        let Self { path, size, range, holes, frame } = *self;
        let refuse = |what: &str, expected| {
            Err(WriteError::Refused { path: path.into(), what: what.to_owned(), expected })
        };
        let format = Format::named(path).filter(|format| *format != Format::Hgt);
        let Some(format) = format else {
            return Err(WriteError::Extension { path: path.into(), expected: WRITTEN });
        };
        check_size(path, size[0], size[1])?;
        if options.south_first && !matches!(format, Format::Raw | Format::Raw32) {
            return refuse("rows that begin in the south", "only .raw, .r16 and .r32 can have them");
        }
        if format == Format::AsciiGrid && holes > 0 {
            return Err(WriteError::NotFinite { path: path.into(), count: holes });
        }
        let label = Label::of_range(options.info.as_ref().unwrap_or(&HEIGHT), size, range, frame);
        let row_order = if options.south_first { SOUTH_FIRST.into() } else { label.row_order.clone() };
        let label = Label { story: options.story.clone(), row_order, ..label };
        let codes = || Codes::new(path, range, holes, options.height_range);
        let little = Some(ByteOrder::Little);
        let label = match format {
            Format::Png => label.coded(codes()?.ends, None),
            Format::Raw => label.coded(codes()?.ends, little),
            Format::Tiff => Label { nodata: Some("nan".into()), ..label },
            Format::Raw32 => Label { byte_order: little, ..label },
            _ => label,
        };
        if !options.shares || label.bits != 32 {
            return Ok((format, label));
        }
        match codes()?.ends {
            [low, high] if low < high => Ok((format, Label { code_values: Some([low, high]), ..label })),
            _ => refuse("shares of a range that is empty", "its upper end must lie above the lower one"),
        }
    }

    /// Writes head and rows.
    fn rows(
        &self,
        file: &mut BufWriter<&mut File>,
        format: Format,
        label: &Label,
        give: Give,
    ) -> io::Result<()> {
        let Self { size: [cols, rows], frame, .. } = *self;
        let mut row = vec![0.0; cols];
        let ends = label.code_values.unwrap_or_default();
        match format {
            Format::Exr => exr::write_rows(file, [cols, rows], label, give),
            Format::Tiff => tiff::Writing { cols, rows, frame, label }.write(file, give),
            Format::Png => png::write_rows(file, [cols, rows], |value| Codes { ends }.of(value), label, give),
            Format::Raw => (0..rows).try_for_each(|at| {
                give(at, &mut row)?;
                raw::write_row(file, &row, Codes { ends })
            }),
            _ => {
                file.write_all(&floats_head(format, [cols, rows], frame))?;
                (0..rows).try_for_each(|at| {
                    let at = if format == Format::Pfm { rows - 1 - at } else { at };
                    give(at, &mut row)?;
                    match format {
                        Format::AsciiGrid => ascii_grid::write_row(file, &row),
                        _ => raw::write_float_row(file, &row),
                    }
                })
            }
        }
    }
}

/// What stands before the rows of floats.
fn floats_head(format: Format, [cols, rows]: [usize; 2], frame: &Frame) -> Vec<u8> {
    match format {
        Format::AsciiGrid => ascii_grid::head([cols, rows], frame),
        Format::Raw32 => Vec::new(),
        Format::Npy => npy_head("<f4", &format!("({rows}, {cols})")),
        // The scale says by its sign that the low byte is first; the lowest row is.
        _ => format!("Pf\n{cols} {rows}\n-1.0\n").into_bytes(),
    }
}

/// The largest side that all formats can declare is EXR's, a signed 32-bit number.
pub(crate) fn check_size(path: &Path, cols: usize, rows: usize) -> Result<(), WriteError> {
    let most = i32::MAX as usize;
    let fits = |side: usize| side > 0 && side <= most;
    if fits(cols) && fits(rows) {
        Ok(())
    } else {
        Err(WriteError::Size { path: path.into(), cols, rows, most })
    }
}
