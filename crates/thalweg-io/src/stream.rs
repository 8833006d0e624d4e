//! Terrain from one file into another without room for all of it in memory.

use crate::beside;
use crate::heightmap::{Format, open, place};
use crate::label::HEIGHT;
use crate::reading::{Head, Reading};
use crate::survey::Survey;
use crate::written::{Gone, Written};
use crate::{Estimate, Notice, ReadError, ReadOptions, WriteError, WriteOptions, raw, tiff};
use std::path::{Path, PathBuf};
use thalweg_field::{FieldInfo, Frame, Grid2};

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
                Some((Self::Raw(Box::new(raw::Opened::new(reading, file)?)), reading))
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

    fn row(&mut self, row: usize, heights: &mut [f32]) -> Result<(), ReadError> {
        match self {
            Self::Tiff(opened) => opened.row(row, heights),
            Self::Raw(opened) => opened.row(row, heights),
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
    if head.degrees.is_some() || head.cell.is_none() && beside::degrees(reading, [cols, rows])?.is_some() {
        return Ok(None);
    }
    if options.utm {
        notices.push(Notice::NotInDegrees);
    }
    let (mut survey, mut row) = (Survey::default(), vec![0.0; cols]);
    for at in 0..rows {
        source.row(at, &mut row)?;
        survey.add(&row);
    }
    let holes = survey.tell(reading, head.bits, &mut notices)?;
    let info = head.info.take().unwrap_or(HEIGHT);
    let frame = place(reading, head, [cols, rows], &mut notices)?;
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

/// A part of a terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Columns before it.
    pub west: usize,
    /// Rows before it.
    pub north: usize,
    /// Number of columns.
    pub cols: usize,
    /// Number of rows.
    pub rows: usize,
}

impl Window {
    /// Where it lies, if the whole of so many rows has that frame.
    pub fn frame(&self, whole: &Frame, rows: usize) -> Frame {
        let below = rows - self.north - self.rows;
        let origin =
            [whole.origin[0] + self.west as f64 * whole.cell, whole.origin[1] + below as f64 * whole.cell];
        Frame { cell: whole.cell, origin, crs: whole.crs.clone() }
    }

    /// The cells of a grid that lie in it.
    pub fn of<T: Copy + Default + Send + Sync>(&self, whole: &Grid2<T>) -> Grid2<T> {
        Grid2::from_fn(self.cols, self.rows, |col, row| whole.at(self.west + col, self.north + row))
    }
}

/// Terrain in a file that has been [surveyed](survey), to be written into other files row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Streamed {
    /// The file.
    pub from: PathBuf,
    /// How it is read.
    pub options: ReadOptions,
    /// What is known of it.
    pub surveyed: Surveyed,
}

impl Streamed {
    /// All of it.
    pub fn whole(&self) -> Window {
        Window { west: 0, north: 0, cols: self.surveyed.cols, rows: self.surveyed.rows }
    }

    /// Writes a part of it. Cells without a height stay so, and 16-bit files cannot hold them.
    pub fn write(&self, window: Window, to: &Path, write: &WriteOptions) -> Result<(), CopyError> {
        let Surveyed { cols, rows, frame, info, range, holes, .. } = &self.surveyed;
        let unlimited = ReadOptions { max_bytes: u64::MAX, ..self.options.clone() };
        let Some((mut source, reading)) = Source::open(&self.from, &unlimited)? else {
            return Err(ReadError::UnknownFormat { path: self.from.clone() }.into());
        };
        let Estimate { cols: now_cols, rows: now_rows, .. } = source.size();
        if [now_cols, now_rows] != [*cols, *rows] {
            return Err(reading.broken("heights", "it changed while it was read").into());
        }
        source.head(&mut Vec::new())?;
        let mut all = vec![0.0; *cols];
        let mut row_of = |row: usize, out: &mut [f32]| -> Result<(), ReadError> {
            source.row(window.north + row, &mut all)?;
            out.copy_from_slice(&all[window.west..][..window.cols]);
            Ok(())
        };
        let (mut range, mut holes) = (Some(*range), *holes);
        if window != self.whole() {
            let mut row = vec![0.0; window.cols];
            let mut part = Survey::default();
            for at in 0..window.rows {
                row_of(at, &mut row)?;
                part.add(&row);
            }
            (range, holes) = (part.range, part.holes);
        }
        let options =
            WriteOptions { info: write.info.clone().or_else(|| Some(info.clone())), ..write.clone() };
        let frame = &window.frame(frame, *rows);
        let written = Written { path: to, size: [window.cols, window.rows], range, holes, frame };
        written.write(&options, row_of).map_err(|error| match error {
            Gone::Read(error) => CopyError::Read(error),
            Gone::Write(error) => CopyError::Write(error),
        })
    }
}
