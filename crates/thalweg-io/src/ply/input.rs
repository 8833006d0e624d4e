//! The numbers of a PLY file, one after the other, whatever their encoding.

use super::FORMAT;
use super::header::{Encoding, Form, Kind};
use crate::ReadError;
use crate::reading::Reading;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek};

/// Length of a line that no honest file comes near: a polygon of a hundred thousand corners `[byte]`.
const LONGEST_LINE: u64 = 1 << 20;

/// A PLY file that is being read.
pub(crate) struct Input<'a> {
    pub reading: Reading<'a>,
    file: BufReader<File>,
    /// The line read last, and how much of it has been used.
    line: Vec<u8>,
    used: usize,
    /// Number of that line, counted from 1.
    pub number: u64,
}

impl<'a> Input<'a> {
    pub(super) fn new(reading: Reading<'a>, file: BufReader<File>) -> Self {
        Self { reading, file, line: Vec::new(), used: 0, number: 0 }
    }

    fn explain(&self, error: std::io::Error) -> ReadError {
        match error.kind() {
            ErrorKind::UnexpectedEof => self.reading.broken(FORMAT, "it ends too early"),
            _ => ReadError::Io { path: self.reading.path.into(), source: error },
        }
    }

    /// Bytes read so far.
    pub(super) fn position(&mut self) -> Result<u64, ReadError> {
        self.file.stream_position().map_err(|error| self.explain(error))
    }

    /// Reads a line; false at the end of the file.
    pub(super) fn next_line(&mut self) -> Result<bool, ReadError> {
        self.line.clear();
        self.used = 0;
        self.number += 1;
        let mut limited = (&mut self.file).take(LONGEST_LINE);
        match limited.read_until(b'\n', &mut self.line) {
            Ok(length) if length as u64 == LONGEST_LINE => {
                Err(self.reading.broken(FORMAT, format!("line {} is longer than 1 MiB", self.number)))
            }
            Ok(length) => Ok(length > 0),
            Err(error) => Err(self.explain(error)),
        }
    }

    /// The line read last.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.line)
    }

    fn wrong_line(&self, what: &str) -> ReadError {
        self.reading.broken(FORMAT, format!("line {} {what}", self.number))
    }

    /// Goes to the next element: a line of text, or the next byte. Empty lines are passed over.
    pub(super) fn begin(&mut self, encoding: Encoding) -> Result<(), ReadError> {
        if encoding != Encoding::Ascii {
            return Ok(());
        }
        while self.next_line()? {
            if !self.line.trim_ascii().is_empty() {
                return Ok(());
            }
        }
        Err(self.reading.broken(FORMAT, "it ends too early"))
    }

    /// Makes sure that all of an element was read.
    pub(super) fn end(&self, encoding: Encoding) -> Result<(), ReadError> {
        if encoding != Encoding::Ascii || self.line[self.used..].trim_ascii().is_empty() {
            return Ok(());
        }
        Err(self.wrong_line("has more numbers than the header tells"))
    }

    /// One number; every type fits.
    pub(super) fn number(&mut self, encoding: Encoding, kind: Kind) -> Result<f64, ReadError> {
        match encoding {
            Encoding::Ascii => self.written(kind),
            Encoding::Little => self.binary(kind, false),
            Encoding::Big => self.binary(kind, true),
        }
    }

    fn binary(&mut self, kind: Kind, big: bool) -> Result<f64, ReadError> {
        Ok(match kind {
            Kind::I8 => i8::from_le_bytes(self.bytes(big)?).into(),
            Kind::U8 => u8::from_le_bytes(self.bytes(big)?).into(),
            Kind::I16 => i16::from_le_bytes(self.bytes(big)?).into(),
            Kind::U16 => u16::from_le_bytes(self.bytes(big)?).into(),
            Kind::I32 => i32::from_le_bytes(self.bytes(big)?).into(),
            Kind::U32 => u32::from_le_bytes(self.bytes(big)?).into(),
            Kind::F32 => f32::from_le_bytes(self.bytes(big)?).into(),
            Kind::F64 => f64::from_le_bytes(self.bytes(big)?),
        })
    }

    /// The next bytes, low one first.
    fn bytes<const N: usize>(&mut self, big: bool) -> Result<[u8; N], ReadError> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).map_err(|error| self.explain(error))?;
        if big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// The next word of the line as a number of that type.
    fn written(&mut self, kind: Kind) -> Result<f64, ReadError> {
        let rest = self.line[self.used..].trim_ascii_start();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let word = str::from_utf8(&rest[..length]).unwrap_or("?");
        let whole = |low: i64, high: i64| {
            word.parse().ok().filter(|number| (low..=high).contains(number)).map(|number| number as f64)
        };
        let value = match kind {
            Kind::I8 => whole(i8::MIN.into(), i8::MAX.into()),
            Kind::U8 => whole(0, u8::MAX.into()),
            Kind::I16 => whole(i16::MIN.into(), i16::MAX.into()),
            Kind::U16 => whole(0, u16::MAX.into()),
            Kind::I32 => whole(i32::MIN.into(), i32::MAX.into()),
            Kind::U32 => whole(0, u32::MAX.into()),
            // Not by way of f64, which would round twice.
            Kind::F32 => word.parse::<f32>().ok().map(f64::from),
            Kind::F64 => word.parse().ok(),
        };
        match value {
            Some(value) => {
                self.used = self.line.len() - rest.len() + length;
                Ok(value)
            }
            None if word.is_empty() => Err(self.wrong_line("has fewer numbers than the header tells")),
            None => {
                let word: String = word.chars().take(30).collect();
                Err(self
                    .wrong_line(&format!("has \"{word}\" where a number of type {} should be", kind.name())))
            }
        }
    }

    /// The length of a list.
    pub(super) fn length(&mut self, encoding: Encoding, kind: Kind) -> Result<u64, ReadError> {
        let length = self.number(encoding, kind)?;
        if length < 0.0 {
            return Err(self.reading.broken(FORMAT, format!("it has a list of {length} numbers")));
        }
        Ok(length as u64)
    }

    /// Passes over a property.
    pub(super) fn skip(&mut self, encoding: Encoding, form: Form) -> Result<(), ReadError> {
        match form {
            Form::Scalar(kind) => self.number(encoding, kind).map(|_| ()),
            Form::List { length, item } => {
                let length = self.length(encoding, length)?;
                // Each takes a byte at least, so that this ends with the file.
                (0..length).try_for_each(|_| self.number(encoding, item).map(|_| ()))
            }
        }
    }

    /// Makes sure that nothing follows but blanks: a file that is longer than its header tells is not
    /// what the header tells.
    pub(super) fn finish(mut self) -> Result<(), ReadError> {
        loop {
            let chunk = match self.file.fill_buf() {
                Ok([]) => return Ok(()),
                Ok(chunk) => (chunk.len(), chunk.trim_ascii().is_empty()),
                Err(error) => return Err(self.explain(error)),
            };
            let (length, blank) = chunk;
            if !blank {
                return Err(self.reading.broken(FORMAT, "it goes on after the last element of its header"));
            }
            self.file.consume(length);
        }
    }
}
