//! R16, R32 and RAW: numbers, row after row, and nothing else.

use crate::codes::Codes;
use crate::label::{ByteOrder, Label, SOUTH_FIRST};
use crate::reading::{Head, Raster, Reading, Scale};
use crate::{Estimate, Notice, ReadError};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use thalweg_field::Grid2;

const FORMAT: &str = "RAW";

/// How much smoother the other byte order must be to be taken. Terrain read in the wrong order is noise, some hundred
/// times rougher; real terrain read rightly is never rougher than noise.
const MUCH_SMOOTHER: f64 = 4.0;

/// How much smoother from north to south another width than that of a square must be.
const SMOOTHER: f64 = 0.5;

/// Longest side over shortest of a file whose size is guessed.
const MOST_OBLONG: u64 = 4;

/// Bytes of the file that are looked at to guess.
const SAMPLE: u64 = 16 << 20;

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// 16 bits without a sign.
    Code,
    /// A float of 32 bits.
    Float,
}

impl Kind {
    fn bytes(self) -> u64 {
        match self {
            Self::Code => 2,
            Self::Float => 4,
        }
    }
}

/// A raw file whose size has been found and checked.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    file: BufReader<File>,
    label: Option<Label>,
    kind: Kind,
    /// Whether the size is a guess.
    guessed: bool,
    scale: Scale,
    big: bool,
    /// Whether the first row of the file is the southern edge.
    south_first: bool,
    /// The row of the file that is read next.
    next: usize,
    bytes: Vec<u8>,
    pub size: Estimate,
}

impl<'a> Opened<'a> {
    /// The size comes from the options, else from the description beside the file, else the file is square, unless another
    /// shape is much smoother.
    pub(crate) fn new(reading: Reading<'a>, mut file: BufReader<File>) -> Result<Self, ReadError> {
        let length = reading.length;
        let fits = |[cols, rows]: [u64; 2], kind: Kind| {
            cols.checked_mul(rows).and_then(|cells| cells.checked_mul(kind.bytes())) == Some(length)
        };
        let label = Label::beside(reading.path)?.map(|(label, _)| label);
        let told = reading.options.size.map(|size| size.map(|side| side as u64));
        // A description of another file may lie here; one that does not fit is none.
        let named = |label: &Label| {
            label.file.as_ref().is_none_or(|file| {
                reading.path.file_name().is_some_and(|name| name.to_string_lossy() == *file)
            })
        };
        let of = |label: &Label| [label.cols as u64, label.rows as u64];
        let label =
            label.filter(|label| named(label) || fits(of(label), Kind::Code) || fits(of(label), Kind::Float));
        let ending = reading.path.extension().unwrap_or_default().to_ascii_lowercase();
        let floats = ending == "r32" || ending == "f32";
        let kind = match (&label, told) {
            (Some(label), _) if label.bits == 32 => Kind::Float,
            (Some(_), _) => Kind::Code,
            (None, _) if floats => Kind::Float,
            (None, Some(size)) if ending == "raw" && fits(size, Kind::Float) => Kind::Float,
            (None, None) if ending == "raw" && square(length, Kind::Code).is_none() => {
                if square(length, Kind::Float).is_some() { Kind::Float } else { Kind::Code }
            }
            _ => Kind::Code,
        };
        let (size, guessed) = match (told, &label) {
            (Some(size), _) => (Some(size), false),
            (None, Some(label)) => (Some(of(label)), false),
            (None, None) => {
                let square = square(length, kind);
                let guess = guess(reading, &mut file, kind, square)?;
                (guess.or(square), guess.is_some())
            }
        };
        let Some([cols, rows]) = size else {
            return Err(ReadError::RawSizeUnknown { path: reading.path.into(), bytes: length });
        };
        let size = reading.admit(FORMAT, cols, rows, 0)?;
        if !fits([cols, rows], kind) {
            let bits = 8 * kind.bytes();
            return Err(ReadError::RawSize { path: reading.path.into(), cols, rows, bits, bytes: length });
        }
        let bytes = vec![0; kind.bytes() as usize * size.cols];
        let scale = Scale::AS_IT_IS;
        let south_first = label.as_ref().is_some_and(|label| label.row_order == SOUTH_FIRST);
        Ok(Self { reading, file, label, kind, guessed, scale, big: false, south_first, next: 0, bytes, size })
    }

    /// What is known besides the numbers. Goes before the first row.
    pub(crate) fn head(&mut self, notices: &mut Vec<Notice>) -> Result<Head, ReadError> {
        if self.guessed {
            notices.push(Notice::RawSizeGuessed { cols: self.size.cols, rows: self.size.rows });
        }
        let full = if self.kind == Kind::Code { u16::MAX.into() } else { 1.0 };
        self.scale = self.reading.scale(full, self.label.as_ref(), notices);
        let told = self.reading.options.byte_order;
        let told = told.or(self.label.as_ref().and_then(|label| label.byte_order));
        let [little, big] = self.roughness()?;
        let smoother = if little > MUCH_SMOOTHER * big && big > 0.0 {
            Some(ByteOrder::Big)
        } else if big > MUCH_SMOOTHER * little && little > 0.0 {
            Some(ByteOrder::Little)
        } else {
            None
        };
        let order = told.or(smoother).unwrap_or(ByteOrder::Little);
        if smoother == Some(ByteOrder::Big) && order == ByteOrder::Big && told.is_none() {
            notices.push(Notice::ByteOrderGuessed { roughness: little, swapped: big });
        } else if smoother.is_some_and(|smoother| smoother != order) {
            let [roughness, swapped] = if order == ByteOrder::Big { [big, little] } else { [little, big] };
            notices.push(Notice::ByteOrder { roughness, swapped });
        }
        self.big = order == ByteOrder::Big;
        Ok(Head::labelled(self.label.take(), if self.kind == Kind::Code { 16 } else { 32 }))
    }

    /// How rough the terrain is with the low byte first, and with the high byte first.
    fn roughness(&mut self) -> Result<[f64; 2], ReadError> {
        let io = |source| ReadError::Io { path: self.reading.path.into(), source };
        let mut bytes = Vec::new();
        (&mut self.file).take(SAMPLE).read_to_end(&mut bytes).map_err(io)?;
        self.file.rewind().map_err(io)?;
        let orders = [false, true];
        Ok(match self.kind {
            Kind::Code => orders.map(|big| {
                let mut roughness = Roughness::default();
                for row in bytes.chunks(2 * self.size.cols) {
                    roughness.add(row.as_chunks().0.iter().map(|&bytes| code(bytes, big)));
                }
                roughness.share()
            }),
            // A float in the wrong order is a number of any size: what counts is how many cannot be heights.
            Kind::Float => orders.map(|big| {
                let likely = |&&bytes: &&[u8; 4]| {
                    let number = float(bytes, big);
                    number == 0.0 || (1.0e-9..1.0e9).contains(&number.abs())
                };
                let numbers = bytes.as_chunks().0;
                let odd = numbers.len() - numbers.iter().filter(likely).count();
                (odd + 1) as f64 / numbers.len().max(1) as f64
            }),
        })
    }

    /// A row of heights, counted from the north; neighbours are quickest one after the other.
    pub(crate) fn row(&mut self, row: usize, heights: &mut [f32]) -> Result<(), ReadError> {
        let io = |source| ReadError::Io { path: self.reading.path.into(), source };
        let line = if self.south_first { self.size.rows - 1 - row } else { row };
        if line != self.next {
            let to = line as u64 * self.bytes.len() as u64;
            self.file.seek(SeekFrom::Start(to)).map_err(io)?;
        }
        self.next = line + 1;
        self.file.read_exact(&mut self.bytes).map_err(io)?;
        let (scale, big) = (self.scale, self.big);
        match self.kind {
            Kind::Code => {
                for (height, &bytes) in heights.iter_mut().zip(self.bytes.as_chunks().0) {
                    *height = scale.metres(code(bytes, big));
                }
            }
            Kind::Float => {
                for (height, &bytes) in heights.iter_mut().zip(self.bytes.as_chunks().0) {
                    *height = scale.metres(float(bytes, big));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn read(mut self, notices: &mut Vec<Notice>) -> Result<Raster, ReadError> {
        let head = self.head(notices)?;
        let mut heights = Grid2::filled(self.size.cols, self.size.rows, 0.0);
        // In the order of the file.
        for line in 0..self.size.rows {
            let row = if self.south_first { self.size.rows - 1 - line } else { line };
            self.row(row, heights.row_mut(row))?;
        }
        Ok(Raster { heights, head })
    }
}

fn code(bytes: [u8; 2], big: bool) -> u16 {
    if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
}

fn float(bytes: [u8; 4], big: bool) -> f32 {
    if big { f32::from_be_bytes(bytes) } else { f32::from_le_bytes(bytes) }
}

/// The square that a file is, if it is one.
fn square(length: u64, kind: Kind) -> Option<[u64; 2]> {
    let root = (length / kind.bytes()).isqrt();
    (root > 0 && kind.bytes() * root * root == length).then_some([root, root])
}

/// The shape in which neighbours from north to south differ least, if that is much less than in a square or, where the file
/// is none, than in any other shape.
fn guess(
    reading: Reading,
    file: &mut BufReader<File>,
    kind: Kind,
    square: Option<[u64; 2]>,
) -> Result<Option<[u64; 2]>, ReadError> {
    let io = |source| ReadError::Io { path: reading.path.into(), source };
    let cells = reading.length / kind.bytes();
    if cells == 0 || cells * kind.bytes() != reading.length {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(SAMPLE / 8).read_to_end(&mut bytes).map_err(io)?;
    file.rewind().map_err(io)?;
    let numbers: Vec<f64> = match kind {
        // Whichever byte comes first, terrain is smoother in its own shape; the high byte tells most.
        Kind::Code => {
            let orders = [false, true].map(|big| {
                let mut roughness = Roughness::default();
                roughness.add(bytes.as_chunks().0.iter().map(|&bytes| code(bytes, big)));
                roughness.share()
            });
            let big = orders[1] < orders[0];
            bytes.as_chunks().0.iter().map(|&bytes| code(bytes, big).into()).collect()
        }
        Kind::Float => bytes.as_chunks().0.iter().map(|&bytes| float(bytes, false).into()).collect(),
    };
    let step = |cols: u64| {
        let cols = cols as usize;
        let pairs = numbers.iter().zip(numbers.get(cols..).unwrap_or_default());
        let count = numbers.len().saturating_sub(cols);
        let sum: f64 = pairs.map(|(north, south)| (south - north).abs()).sum();
        if count == 0 || !sum.is_finite() { f64::INFINITY } else { sum / count as f64 }
    };
    let least = (cells / MOST_OBLONG).isqrt().max(2);
    let most = cells.saturating_mul(MOST_OBLONG).isqrt();
    let mut best: Option<(f64, u64)> = None;
    let mut second = f64::INFINITY;
    // A number below 2⁶³ has few divisors near its root; those of an honest file are soon found.
    for cols in least..=most.min(least + (1 << 22)) {
        if !cells.is_multiple_of(cols) {
            continue;
        }
        let step = step(cols);
        match best {
            Some((smoothest, _)) if step >= smoothest => second = second.min(step),
            _ => {
                second = best.map_or(second, |(smoothest, _)| smoothest);
                best = Some((step, cols));
            }
        }
    }
    let against = square.map_or(second, |[side, _]| step(side));
    let found = best.filter(|(step, cols)| {
        let other = square.is_none_or(|[side, _]| side != *cols);
        other && *step <= SMOOTHER * against && step.is_finite() && (square.is_some() || second.is_finite())
    });
    Ok(found.map(|(_, cols)| [cols, cells / cols]))
}

/// Mean step between neighbours, as a share of the range: a measure that does not change when all codes
/// are multiplied, as 8-bit heights are when they are widened.
#[derive(Default)]
struct Roughness {
    steps: u64,
    count: u64,
    range: Option<(u16, u16)>,
}

impl Roughness {
    fn add(&mut self, row: impl Iterator<Item = u16>) {
        let mut west = None;
        for code in row {
            let (low, high) = self.range.unwrap_or((code, code));
            self.range = Some((low.min(code), high.max(code)));
            if let Some(west) = west.replace(code) {
                self.steps += u64::from(code.abs_diff(west));
                self.count += 1;
            }
        }
    }

    fn share(&self) -> f64 {
        match self.range {
            Some((low, high)) if high > low && self.count > 0 => {
                self.steps as f64 / self.count as f64 / f64::from(high - low)
            }
            _ => 0.0,
        }
    }
}

/// Writes 16-bit codes, low byte first.
pub(crate) fn write_row(writer: &mut impl Write, row: &[f32], codes: Codes) -> io::Result<()> {
    let bytes: Vec<u8> = row.iter().flat_map(|&value| codes.of(value).to_le_bytes()).collect();
    writer.write_all(&bytes)
}

/// Writes 32-bit floats, low byte first.
pub(crate) fn write_float_row(writer: &mut impl Write, row: &[f32]) -> io::Result<()> {
    let bytes: Vec<u8> = row.iter().flat_map(|value| value.to_le_bytes()).collect();
    writer.write_all(&bytes)
}
