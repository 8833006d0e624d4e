//! NPY: one array, as `NumPy` saves it (NEP 1).

use crate::reading::{Head, Raster, Reading};
use crate::{Estimate, Notice, ReadError};
use std::fs::File;
use std::io::{BufReader, Read};
use thalweg_field::Grid2;

const FORMAT: &str = "NPY";

/// First bytes of the file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest head of an honest file `[byte]`.
const LONGEST_HEAD: u32 = 1 << 16;

/// An array whose head has been read.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    file: BufReader<File>,
    kind: (char, usize),
    big: bool,
    /// Whether columns stand one after the other instead of rows.
    columns_first: bool,
    pub size: Estimate,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(reading: Reading<'a>, mut file: BufReader<File>) -> Result<Self, ReadError> {
        let early = |_| reading.broken(FORMAT, "it ends too early");
        let mut start = [0; 8];
        file.read_exact(&mut start).map_err(early)?;
        if !start.starts_with(MAGIC) {
            return Err(reading.broken(FORMAT, "it does not begin like one"));
        }
        let mut length = [0; 4];
        let (short, bytes) = (start[6] == 1, if start[6] == 1 { 2 } else { 4 });
        file.read_exact(&mut length[..bytes]).map_err(early)?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST_HEAD {
            return Err(reading.broken(FORMAT, format!("its head is said to have {length} bytes")));
        }
        let mut head = vec![0; length as usize];
        file.read_exact(&mut head).map_err(early)?;
        let head = String::from_utf8_lossy(&head).replace(' ', "");
        let value = |key: &str| head.split_once(&format!("'{key}':")).map(|(_, rest)| rest);
        let broken = |what: &str| reading.broken(FORMAT, format!("its head tells no {what}"));
        let kind = value("descr").ok_or_else(|| broken("descr"))?;
        let kind = kind.strip_prefix('\'').and_then(|rest| rest.split_once('\''));
        let (kind, _) = kind.ok_or_else(|| reading.unsupported("holds records", "saving one array"))?;
        let columns_first = value("fortran_order").is_some_and(|rest| rest.starts_with("True"));
        let shape = value("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
        let (shape, _) = shape.ok_or_else(|| broken("shape"))?;
        let sides: Result<Vec<u64>, _> =
            shape.split(',').filter(|side| !side.is_empty()).map(str::parse).collect();
        let sides = sides.map_err(|_| broken("shape"))?;
        // Layers of one are no dimension.
        let sides: Vec<u64> =
            if sides.len() > 2 { sides.iter().copied().filter(|&side| side != 1).collect() } else { sides };
        let &[rows, cols] = sides.as_slice() else {
            let what = format!("holds an array of {} dimensions", sides.len());
            return Err(reading.unsupported(what, "saving one with rows and columns"));
        };
        let order = kind.chars().next().unwrap_or_default();
        let number = kind.get(1..).unwrap_or_default();
        let bytes = number.get(1..).and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
        let kind = (number.chars().next().unwrap_or_default(), bytes);
        if !matches!(kind, ('f', 2 | 4 | 8) | ('u' | 'i', 1 | 2 | 4 | 8))
            || !matches!(order, '<' | '>' | '|' | '=')
        {
            let what = format!("holds numbers of the kind {order}{number}");
            return Err(reading.unsupported(what, "saving it as float32"));
        }
        let before = 8 + if short { 2 } else { 4 } + u64::from(length);
        let needed = cols.saturating_mul(rows).saturating_mul(bytes as u64).saturating_add(before);
        if needed > reading.length {
            let reason = format!("it declares {cols} × {rows} cells but has only {} bytes", reading.length);
            return Err(reading.broken(FORMAT, reason));
        }
        let size = reading.admit(FORMAT, cols, rows, 0)?;
        Ok(Self { reading, file, kind, big: order == '>', columns_first, size })
    }

    pub(crate) fn read(mut self, notices: &mut Vec<Notice>) -> Result<Raster, ReadError> {
        let reading = self.reading;
        let label = reading.sidecar(&self.size, notices)?;
        let (kind, width) = self.kind;
        let full = match kind {
            'f' => 1.0,
            'u' => ((1u128 << (8 * width)) - 1) as f64,
            _ => ((1u128 << (8 * width - 1)) - 1) as f64,
        };
        let scale = reading.scale(full, label.as_ref(), notices);
        let Estimate { cols, rows, .. } = self.size;
        let mut heights = Grid2::filled(cols, rows, f32::NAN);
        let (lines, along) = if self.columns_first { (cols, rows) } else { (rows, cols) };
        let mut bytes = vec![0; along * width];
        for line in 0..lines {
            let io = |source| ReadError::Io { path: reading.path.into(), source };
            self.file.read_exact(&mut bytes).map_err(io)?;
            for (at, number) in bytes.chunks_exact(width).enumerate() {
                let (col, row) = if self.columns_first { (line, at) } else { (at, line) };
                heights.set(col, row, scale.metres(number_of(number, kind, self.big)));
            }
        }
        let bits = if width == 1 { 8 } else { 32 };
        Ok(Raster { heights, head: Head::labelled(label, bits) })
    }
}

fn number_of(bytes: &[u8], kind: char, big: bool) -> f64 {
    let mut low_first = [0; 8];
    low_first[..bytes.len()].copy_from_slice(bytes);
    if big {
        low_first[..bytes.len()].reverse();
    }
    let [a, b, c, d, ..] = low_first;
    match (kind, bytes.len()) {
        ('f', 2) => ::exr::prelude::f16::from_le_bytes([a, b]).to_f64(),
        ('f', 4) => f32::from_le_bytes([a, b, c, d]).into(),
        ('f', _) => f64::from_le_bytes(low_first),
        ('i', 1) => (a as i8).into(),
        ('i', 2) => i16::from_le_bytes([a, b]).into(),
        ('i', 4) => i32::from_le_bytes([a, b, c, d]).into(),
        ('i', _) => i64::from_le_bytes(low_first) as f64,
        _ => u64::from_le_bytes(low_first) as f64,
    }
}
