//! Terrain from one file into another without room for all of it in memory.

use crate::heightmap::{Format, Gone, Survey, Written, open, place};
use crate::label::HEIGHT;
use crate::reading::{Head, Reading};
use crate::{Estimate, Notice, ReadError, ReadOptions, WriteError, WriteOptions, raw, tiff};
use std::path::Path;
use thalweg_field::{FieldInfo, Frame};

/// What is known of terrain in a file once all of it has passed by.
#[derive(Clone, Debug, PartialEq)]
pub struct Surveyed {
    /// Number of columns.
    pub cols: usize,
    /// Number of rows.
    pub rows: usize,
    /// Where it lies.
    pub frame: Frame,
    /// What its numbers are.
    pub info: FieldInfo,
    /// Smallest and largest height `[m]`.
    pub range: (f32, f32),
    /// Cells without a height.
    pub holes: usize,
    /// What had to be assumed.
    pub notices: Vec<Notice>,
}

/// A file whose rows come one after the other.
enum Source<'a> {
    Tiff(Box<tiff::Opened<'a>>),
    Raw(Box<raw::Opened<'a>>),
}

impl<'a> Source<'a> {
    fn open(path: &'a Path, options: &'a ReadOptions) -> Result<Option<(Self, Reading<'a>)>, ReadError> {
        let (format, reading, file) = open(path, options)?;
        Ok(match format {
            Format::Tiff => Some((Self::Tiff(Box::new(tiff::Opened::new(reading, file)?)), reading)),
            Format::Raw | Format::Raw32 => {
                let opened = raw::Opened::new(reading, file)?;
                if opened.is_south_first() { None } else { Some((Self::Raw(Box::new(opened)), reading)) }
            }
            _ => None,
        })
    }

    fn size(&self) -> Estimate {
        match self {
            Self::Tiff(opened) => opened.size,
            Self::Raw(opened) => opened.size,
        }
    }

    fn head(&mut self, notices: &mut Vec<Notice>) -> Result<Head, ReadError> {
        match self {
            Self::Tiff(opened) => opened.head(notices),
            Self::Raw(opened) => opened.head(notices),
        }
    }

    fn row(&mut self, heights: &mut [f32]) -> Result<(), ReadError> {
        match self {
            Self::Tiff(opened) => opened.row(heights),
            Self::Raw(opened) => opened.row(heights),
        }
    }
}

/// Goes through a file row by row and says what [`read_heightfield`](crate::read_heightfield) would. `None` if its rows do
/// not come one after the other: formats other than TIFF and raw numbers, and maps in degrees that are to be laid out.
///
/// Here the memory limit is not for all heights, which are never there together.
pub fn survey(path: &Path, options: &ReadOptions) -> Result<Option<Surveyed>, ReadError> {
    let unlimited = ReadOptions { max_bytes: u64::MAX, ..options.clone() };
    let Some((mut source, reading)) = Source::open(path, &unlimited)? else { return Ok(None) };
    let Estimate { cols, rows, bytes } = source.size();
    let scratch = bytes.saturating_sub(cols as u64 * rows as u64 * size_of::<f32>() as u64);
    if scratch > options.max_bytes {
        let (cols, rows, allowed) = (cols as u64, rows as u64, options.max_bytes);
        return Err(ReadError::TooLarge { path: path.into(), cols, rows, needed: scratch, allowed });
    }
    let mut notices = Vec::new();
    let mut head = source.head(&mut notices)?;
    if head.degrees.is_some() {
        return Ok(None);
    }
    if options.utm {
        notices.push(Notice::NotInDegrees);
    }
    let (mut survey, mut row) = (Survey::default(), vec![0.0; cols]);
    for _ in 0..rows {
        source.row(&mut row)?;
        survey.add(&row);
    }
    let holes = survey.tell(reading, head.bits, &mut notices)?;
    let info = head.info.take().unwrap_or(HEIGHT);
    let frame = place(reading, head, rows, &mut notices)?;
    let range = survey.range.unwrap_or_default();
    Ok(Some(Surveyed { cols, rows, frame, info, range, holes, notices }))
}

/// Why terrain did not get from one file into the other.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Whether terrain can be written to a file of this name row by row.
pub fn is_written_by_rows(path: &Path) -> bool {
    use Format::{AsciiGrid, Npy, Png, Raw, Raw32, Tiff};
    matches!(Format::named(path), Some(Tiff | Png | Raw | Raw32 | AsciiGrid | Npy))
}

/// Writes terrain that has been [surveyed](survey) into another file, row by row. Cells without a height stay so, and
/// 16-bit files cannot hold them.
pub fn copy_by_rows(
    from: &Path,
    options: &ReadOptions,
    surveyed: &Surveyed,
    to: &Path,
    write: &WriteOptions,
) -> Result<(), CopyError> {
    let unlimited = ReadOptions { max_bytes: u64::MAX, ..options.clone() };
    let Some((mut source, reading)) = Source::open(from, &unlimited)? else {
        return Err(ReadError::UnknownFormat { path: from.into() }.into());
    };
    let Surveyed { cols, rows, frame, info, range, holes, .. } = surveyed;
    let Estimate { cols: now_cols, rows: now_rows, .. } = source.size();
    if [now_cols, now_rows] != [*cols, *rows] {
        return Err(reading.broken("heights", "it changed while it was read").into());
    }
    source.head(&mut Vec::new())?;
    let options = WriteOptions { info: write.info.clone().or_else(|| Some(info.clone())), ..write.clone() };
    let written = Written { path: to, size: [*cols, *rows], range: Some(*range), holes: *holes, frame };
    written.write(&options, |_, out| source.row(out)).map_err(|error| match error {
        Gone::Read(error) => CopyError::Read(error),
        Gone::Write(error) => CopyError::Write(error),
    })
}
