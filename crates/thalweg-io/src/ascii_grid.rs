//! ESRI ASCII grids: a head of names and numbers, then heights as text.

use crate::beside::Prj;
use crate::label::Label;
use crate::reading::{Head, Raster, Reading};
use crate::reproject::Degrees;
use crate::{Estimate, Notice, ReadError};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use thalweg_field::{Frame, Grid2};

const FORMAT: &str = "ASCII grid";

/// Longest word of an honest file `[byte]`.
const LONGEST_WORD: usize = 100;

/// Words of the head: a name and a number for each of at most so many keys.
const MOST_KEYS: usize = 12;

/// Cells narrower than this, at a place that is one on earth, are in degrees `[degree]`.
const DEGREES: f64 = 0.05;

/// A grid whose head has been read.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    words: Words,
    /// The first height, if the head ended with it.
    first: Option<f64>,
    cell: [f64; 2],
    /// South-west corner.
    corner: Option<[f64; 2]>,
    nodata: Option<f64>,
    pub size: Estimate,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(reading: Reading<'a>, file: BufReader<File>) -> Result<Self, ReadError> {
        let mut words = Words { file, word: String::new() };
        let (mut cols, mut rows, mut nodata, mut first) = (None, None, None, None);
        let (mut cell, mut place) = ([None; 2], [None::<(f64, bool)>; 2]);
        for _ in 0..MOST_KEYS {
            let word = words.next(reading)?;
            if let Ok(number) = word.parse() {
                first = Some(number);
                break;
            }
            let key = word.to_ascii_lowercase();
            let number = words.number(reading)?;
            match key.as_str() {
                "ncols" => cols = Some(number),
                "nrows" => rows = Some(number),
                "cellsize" => cell = [Some(number); 2],
                "dx" => cell[0] = Some(number),
                "dy" => cell[1] = Some(number),
                "xllcorner" => place[0] = Some((number, false)),
                "yllcorner" => place[1] = Some((number, false)),
                "xllcenter" => place[0] = Some((number, true)),
                "yllcenter" => place[1] = Some((number, true)),
                "nodata_value" => nodata = Some(number),
                _ => return Err(reading.broken(FORMAT, format!("its head has the unknown word {key:?}"))),
            }
        }
        let side = |name, number: Option<f64>| match number {
            Some(number) if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) => {
                Ok(number as u64)
            }
            _ => Err(reading.broken(FORMAT, format!("its head has no whole number {name}"))),
        };
        let (cols, rows) = (side("ncols", cols)?, side("nrows", rows)?);
        let [Some(east), Some(north)] = cell else {
            return Err(reading.broken(FORMAT, "its head has no cellsize"));
        };
        if !(east.is_finite() && east > 0.0 && north.is_finite() && north > 0.0) {
            return Err(reading.broken(FORMAT, format!("its cells are {east} by {north}")));
        }
        // A height takes a figure and a blank.
        if cols.saturating_mul(rows) > reading.length.div_ceil(2) {
            let reason = format!("it declares {cols} × {rows} cells but has only {} bytes", reading.length);
            return Err(reading.broken(FORMAT, reason));
        }
        let size = reading.admit(FORMAT, cols, rows, 0)?;
        let corner = match place {
            [Some(x), Some(y)] => {
                let corner = |(at, middle): (f64, bool), cell: f64| if middle { at - 0.5 * cell } else { at };
                let corner = [corner(x, east), corner(y, north)];
                if !corner.iter().all(|number| number.is_finite()) {
                    return Err(reading.broken(FORMAT, "its position is not a finite number"));
                }
                Some(corner)
            }
            _ => None,
        };
        Ok(Self { reading, words, first, cell: [east, north], corner, nodata, size })
    }

    /// Where it lies in degrees, if it does.
    fn degrees(&self, prj: Option<&Prj>) -> Option<Degrees> {
        let [west, south] = self.corner?;
        let [east, north] = self.cell;
        let likely = east < DEGREES && west.abs() <= 360.0 && south.abs() <= 90.0;
        if !prj.map_or(likely, |prj| prj.geographic) {
            return None;
        }
        let Estimate { cols, rows, .. } = self.size;
        Some(Degrees { corner: [west, south + rows as f64 * north], cell: self.cell, cols, rows })
    }

    pub(crate) fn read(mut self, notices: &mut Vec<Notice>) -> Result<Raster, ReadError> {
        let reading = self.reading;
        let prj = Prj::beside(reading)?;
        let degrees = reading.in_degrees(self.degrees(prj.as_ref()))?;
        let [east, north] = self.cell;
        let cell = if degrees.is_some() || reading.options.cell.is_some() {
            None
        } else {
            Some(reading.square(east, north, notices)?)
        };
        let mut assumed = Vec::new();
        let scale = reading.scale(1.0, None, &mut assumed);
        let Estimate { cols, rows, .. } = self.size;
        let mut heights = Grid2::filled(cols, rows, f32::NAN);
        for height in heights.values_mut() {
            let number = match self.first.take() {
                Some(number) => number,
                None => self.words.number(reading)?,
            };
            *height = if Some(number) == self.nodata { f32::NAN } else { scale.metres(number) };
        }
        let placed = degrees.is_none() && reading.options.cell.is_none();
        let label = reading.sidecar(&self.size, notices)?;
        let info = label.as_ref().map(Label::info);
        let crs = prj.map(|prj| prj.crs).or_else(|| label.and_then(|label| label.crs)).filter(|_| placed);
        let origin = self.corner.filter(|_| placed).unwrap_or_default();
        let head = Head { info, cell, origin, crs, degrees, ..Head::labelled(None, 32) };
        Ok(Raster { heights, head })
    }

    pub(crate) fn size_when_read(self) -> Result<Estimate, ReadError> {
        let prj = Prj::beside(self.reading)?;
        match self.degrees(prj.as_ref()).filter(|_| self.reading.options.utm) {
            Some(degrees) => self.reading.laid_out(&self.size, &degrees),
            None => Ok(self.size),
        }
    }
}

/// What stands before the heights.
pub(crate) fn head([cols, rows]: [usize; 2], frame: &Frame) -> Vec<u8> {
    let Frame { cell, origin: [west, south], .. } = frame;
    format!("ncols {cols}\nnrows {rows}\nxllcorner {west}\nyllcorner {south}\ncellsize {cell}\n").into_bytes()
}

/// Writes a row of heights with as many digits as tell each from its neighbours.
pub(crate) fn write_row(writer: &mut impl Write, row: &[f32]) -> io::Result<()> {
    let mut line = String::with_capacity(10 * row.len());
    for height in row {
        // Writing to a string cannot fail.
        let _ = write!(line, "{height} ");
    }
    line.pop();
    line.push('\n');
    writer.write_all(line.as_bytes())
}

/// What blanks set apart.
struct Words {
    file: BufReader<File>,
    word: String,
}

impl Words {
    fn next(&mut self, reading: Reading) -> Result<&str, ReadError> {
        let io = |source| ReadError::Io { path: reading.path.into(), source };
        self.word.clear();
        loop {
            let bytes = self.file.fill_buf().map_err(io)?;
            if bytes.is_empty() {
                break;
            }
            let begun = !self.word.is_empty();
            let skip = if begun { 0 } else { bytes.iter().take_while(|b| b.is_ascii_whitespace()).count() };
            let length = bytes[skip..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
            let word = &bytes[skip..skip + length];
            if !word.is_ascii() || self.word.len() + length > LONGEST_WORD {
                return Err(reading.broken(FORMAT, "it has something else than words and numbers"));
            }
            self.word.extend(word.iter().map(|&byte| char::from(byte)));
            let whole = skip + length < bytes.len();
            self.file.consume(skip + length);
            if whole && !self.word.is_empty() {
                break;
            }
        }
        if self.word.is_empty() { Err(reading.broken(FORMAT, "it ends too early")) } else { Ok(&self.word) }
    }

    fn number(&mut self, reading: Reading) -> Result<f64, ReadError> {
        let word = self.next(reading)?;
        let number = word.parse();
        // Some languages write numbers with a comma.
        number
            .or_else(|_| word.replacen(',', ".", 1).parse())
            .map_err(|_| reading.broken(FORMAT, format!("it has {word:?} where a number should be")))
    }
}
