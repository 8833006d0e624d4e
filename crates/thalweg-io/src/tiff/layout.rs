//! Where the numbers of a TIFF lie in the file, how they are packed, and row after row of them.

use crate::ReadError;
use crate::reading::Reading;
use ::tiff::decoder::IfdDecoder;
use ::tiff::tags::Tag;
use rayon::prelude::*;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::{FORMAT, explain, pack};

/// Cells that are unpacked at once, if a row of tiles has no more: enough for every thread to have some.
const AT_ONCE: usize = 1 << 20;

/// Slices of a strip that are unpacked at once.
const AT_ONCE_STRIPS: usize = 16;

/// Tiles of a picture that is smaller than one of them may be so much larger than it `[-]`.
const MOST_PADDING: u64 = 64;

/// Cells that even a small picture's tiles may have: four of 1024 x 1024.
const LEAST_PADDED: u64 = 1 << 22;

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Unsigned,
    Signed,
    Float,
}

/// What photometric interpretation says.
pub(super) mod photometric {
    pub(crate) const WHITE_IS_ZERO: u64 = 0;
    pub(crate) const RGB: u64 = 2;
    pub(crate) const PALETTE: u64 = 3;
    pub(crate) const YCBCR: u64 = 6;
}

/// How numbers stand in a file.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub cols: usize,
    pub rows: usize,
    /// Columns and rows of a strip or a tile.
    chunk: [usize; 2],
    tiled: bool,
    /// Numbers of each cell.
    pub samples: usize,
    /// Whether each band has strips or tiles of its own.
    pub separate: bool,
    pub kind: Kind,
    pub bits: usize,
    packing: u64,
    predictor: u64,
    pub photometric: u64,
    /// What the samples beyond grey or colours are.
    pub extra: Vec<u64>,
    big_endian: bool,
    offsets: Vec<u64>,
    lengths: Vec<u64>,
}

impl Layout {
    /// Reads and checks the tags of one picture.
    pub(super) fn of(
        reading: Reading,
        tags: &mut IfdDecoder<'_>,
        big_endian: bool,
    ) -> Result<Self, ReadError> {
        let mut tags = Tags { reading, tags };
        let (cols, rows) = (tags.number(Tag::ImageWidth, 0)?, tags.number(Tag::ImageLength, 0)?);
        if cols == 0 || rows == 0 {
            return Err(ReadError::Empty { path: reading.path.into(), cols, rows });
        }
        let samples = tags.number(Tag::SamplesPerPixel, 1)?;
        if samples == 0 || samples > 4096 {
            return Err(reading.broken(FORMAT, format!("it declares {samples} bands")));
        }
        let (kind, bits) = tags.kind()?;
        let (packing, predictor) = tags.packing(kind, bits)?;
        let separate = tags.number(Tag::PlanarConfiguration, 1)? == 2;
        let planes = if separate { samples } else { 1 };
        let pieces = tags.pieces([cols, rows], planes)?;
        let narrow = |number: u64| usize::try_from(number).map_err(|error| reading.broken(FORMAT, error));
        let layout = Self {
            cols: narrow(cols)?,
            rows: narrow(rows)?,
            chunk: [narrow(pieces.sides[0])?, narrow(pieces.sides[1])?],
            tiled: pieces.tiled,
            samples: narrow(samples)?,
            separate,
            kind,
            bits: narrow(bits)?,
            packing,
            predictor,
            photometric: tags.number(Tag::PhotometricInterpretation, 1)?,
            extra: tags.numbers(Tag::ExtraSamples)?,
            big_endian,
            offsets: pieces.offsets,
            lengths: pieces.lengths,
        };
        Ok(layout.sliced(reading.length))
    }

    /// The same picture in thinner strips, where strips are so large that one of them is more than has to be there at once, and as
    /// they are not packed each row of them can be found.
    fn sliced(mut self, file: u64) -> Self {
        let [cols, strip] = self.chunk;
        let row_bytes = (cols as u64).saturating_mul((self.together() * self.bits) as u64).div_ceil(8);
        let bytes = |rows: usize| (rows as u64).saturating_mul(row_bytes);
        let plain = self.packing == pack::NONE && !self.tiled && cols.saturating_mul(strip) > AT_ONCE;
        let planes = if self.separate { self.samples } else { 1 };
        // Strips that claim the same bytes again and again would have more slices than the file has bytes.
        if !plain || bytes(self.rows).saturating_mul(planes as u64) > file {
            return self;
        }
        let down = self.down();
        let rows_of = |index: usize| strip.min(self.rows - index % down * strip);
        if !self.lengths.iter().enumerate().all(|(index, &length)| length >= bytes(rows_of(index))) {
            return self;
        }
        let most = (AT_ONCE / AT_ONCE_STRIPS / cols).max(1);
        // Slices of one strip need not be alike; those of many must fill each of them.
        let rows = if down == 1 { most } else { (1..=most).rev().find(|n| strip % n == 0).unwrap_or(1) };
        let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
        for (index, &offset) in self.offsets.iter().enumerate() {
            for first in (0..rows_of(index)).step_by(rows) {
                offsets.push(offset.saturating_add(bytes(first)));
                lengths.push(bytes(rows.min(rows_of(index) - first)));
            }
        }
        (self.chunk, self.offsets, self.lengths) = ([cols, rows], offsets, lengths);
        self
    }

    /// Numbers side by side in one strip or tile for each cell.
    fn together(&self) -> usize {
        if self.separate { 1 } else { self.samples }
    }

    fn across(&self) -> usize {
        self.cols.div_ceil(self.chunk[0])
    }

    /// Rows of strips or tiles.
    fn down(&self) -> usize {
        self.rows.div_ceil(self.chunk[1])
    }

    /// Rows of strips or tiles that are unpacked at once.
    fn at_once(&self) -> usize {
        let cells = self.across().saturating_mul(self.chunk[0]).saturating_mul(self.chunk[1]);
        (AT_ONCE / cells.max(1)).clamp(1, self.down())
    }

    /// Memory for what is unpacked at once, packed and unpacked bytes and the numbers themselves `[byte]`.
    pub(super) fn scratch(&self) -> u64 {
        let cells = (self.across() as u64)
            .saturating_mul(self.chunk[0] as u64)
            .saturating_mul(self.chunk[1] as u64)
            .saturating_mul(self.at_once() as u64);
        let bytes = (self.bits as u64).div_ceil(8).saturating_mul(self.together() as u64);
        cells.saturating_mul(2 * bytes + 2 * size_of::<f64>() as u64)
    }

    /// Largest code of a whole number, 1 for a float.
    pub(super) fn full_code(&self) -> f64 {
        match self.kind {
            Kind::Float => 1.0,
            Kind::Unsigned => ((1u128 << self.bits) - 1) as f64,
            Kind::Signed => ((1u128 << (self.bits - 1)) - 1) as f64,
        }
    }

    /// Adds the numbers of one band in a row of them that are smaller than a byte.
    fn add_bits(&self, row: &[u8], sample: usize, numbers: &mut Vec<f64>) {
        let most = 8 / self.bits;
        numbers.extend((0..self.chunk[0]).map(|col| {
            let at = col * self.together() + sample;
            let shift = 8 - self.bits * (at % most + 1);
            f64::from(row[at / most] >> shift & ((1 << self.bits) - 1) as u8)
        }));
    }

    /// The numbers of one band in a strip or a tile, and the first cell whose red, green and blue differ if that is asked
    /// for. A tile's rows are padded to its width.
    fn unpacked(&self, packed: &[u8], rows: usize, wanted: Wanted) -> Result<Chunk, String> {
        let width = self.chunk[0] * self.together();
        let row_bytes = (width * self.bits).div_ceil(8);
        let mut bytes = pack::unpacked(self.packing, packed, row_bytes * rows)?;
        let size = self.bits / 8;
        if self.predictor == 3 {
            bytes.chunks_exact_mut(row_bytes).for_each(|row| pack::sum_floats(row, size, self.together()));
        } else {
            if self.big_endian && size > 1 {
                bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
            }
            if self.predictor == 2 {
                bytes.chunks_exact_mut(row_bytes).for_each(|row| pack::sum(row, size, self.together()));
            }
        }
        let cells = self.chunk[0] * rows;
        let mut numbers = Vec::with_capacity(cells);
        let step = self.together();
        let sample = if self.separate { 0 } else { wanted.band };
        let mut coloured = None;
        if size == 0 {
            bytes.chunks_exact(row_bytes).for_each(|row| self.add_bits(row, sample, &mut numbers));
            return Ok(Chunk { numbers, coloured });
        }
        if wanted.grey && step >= 3 {
            coloured = bytes.chunks_exact(step * size).position(|cell| {
                cell[..size] != cell[size..2 * size] || cell[..size] != cell[2 * size..3 * size]
            });
        }
        macro_rules! each {
            ($kind:ty) => {
                numbers.extend(bytes.chunks_exact(step * size).map(|cell| {
                    let mut number = [0; size_of::<$kind>()];
                    number.copy_from_slice(&cell[sample * size..][..size]);
                    <$kind>::from_le_bytes(number) as f64
                }))
            };
        }
        match (self.kind, self.bits) {
            (Kind::Unsigned, 8) => each!(u8),
            (Kind::Unsigned, 16) => each!(u16),
            (Kind::Unsigned, 32) => each!(u32),
            (Kind::Unsigned, _) => each!(u64),
            (Kind::Signed, 8) => each!(i8),
            (Kind::Signed, 16) => each!(i16),
            (Kind::Signed, 32) => each!(i32),
            (Kind::Signed, _) => each!(i64),
            (Kind::Float, 16) => numbers.extend(bytes.chunks_exact(step * size).map(|cell| {
                let half = [cell[sample * size], cell[sample * size + 1]];
                ::exr::prelude::f16::from_le_bytes(half).to_f64()
            })),
            (Kind::Float, 32) => each!(f32),
            (Kind::Float, _) => each!(f64),
        }
        Ok(Chunk { numbers, coloured })
    }
}

/// The tags of one picture.
struct Tags<'a, 'b, 'c> {
    reading: Reading<'a>,
    tags: &'b mut IfdDecoder<'c>,
}

/// The strips or tiles of a picture.
struct Pieces {
    tiled: bool,
    /// Columns and rows of one.
    sides: [u64; 2],
    offsets: Vec<u64>,
    lengths: Vec<u64>,
}

impl Tags<'_, '_, '_> {
    fn numbers(&mut self, tag: Tag) -> Result<Vec<u64>, ReadError> {
        let found = self.tags.find_tag_unsigned_vec(tag).map_err(|error| explain(self.reading, error))?;
        Ok(found.unwrap_or_default())
    }

    fn number(&mut self, tag: Tag, otherwise: u64) -> Result<u64, ReadError> {
        Ok(self.numbers(tag)?.first().copied().unwrap_or(otherwise))
    }

    /// What the numbers are, and their bits.
    fn kind(&mut self) -> Result<(Kind, u64), ReadError> {
        let (kinds, depths) = (self.numbers(Tag::SampleFormat)?, self.numbers(Tag::BitsPerSample)?);
        let one = |of: &[u64]| match of {
            [] => Some(1),
            [first, rest @ ..] => rest.iter().all(|other| other == first).then_some(*first),
        };
        let unusual = |what: String| {
            self.reading.unsupported(what, "exporting one band of 32-bit floats, packed with deflate")
        };
        let (Some(bits), Some(kind)) = (one(&depths), one(&kinds)) else {
            return Err(unusual("its bands are of different kinds".into()));
        };
        match (kind, bits) {
            (1 | 4, 1 | 2 | 4 | 8 | 16 | 32 | 64) => Ok((Kind::Unsigned, bits)),
            (2, 8 | 16 | 32 | 64) => Ok((Kind::Signed, bits)),
            (3, 16 | 32 | 64) => Ok((Kind::Float, bits)),
            _ => {
                let kind = match kind {
                    2 => "signed ",
                    3 => "float ",
                    5 | 6 => "complex ",
                    _ => "",
                };
                Err(unusual(format!("holds {kind}numbers of {bits} bits")))
            }
        }
    }

    /// How the numbers are packed, and the predictor below that.
    fn packing(&mut self, kind: Kind, bits: u64) -> Result<(u64, u64), ReadError> {
        let (packing, predictor) = (self.number(Tag::Compression, 1)?, self.number(Tag::Predictor, 1)?);
        if !pack::is_known(packing) {
            let what = format!("is packed with {}", pack::name(packing));
            let remedy = "packing it with deflate, ZSTD or LZW, or not at all";
            return Err(self.reading.unsupported(what, remedy));
        }
        let fits = matches!(
            (predictor, kind, bits),
            (1, ..) | (2, _, 8 | 16 | 32 | 64) | (3, Kind::Float, 16 | 32 | 64)
        );
        if fits {
            return Ok((packing, predictor));
        }
        Err(self.reading.broken(FORMAT, format!("predictor {predictor} of numbers of {bits} bits")))
    }

    /// Where the strips or tiles of a picture of so many columns and rows lie.
    fn pieces(&mut self, [cols, rows]: [u64; 2], planes: u64) -> Result<Pieces, ReadError> {
        let (tile_cols, tile_rows) = (self.number(Tag::TileWidth, 0)?, self.number(Tag::TileLength, 0)?);
        let tiled = tile_cols > 0 && tile_rows > 0;
        let strip_rows = self.number(Tag::RowsPerStrip, rows)?.clamp(1, rows);
        let sides = if tiled { [tile_cols, tile_rows] } else { [cols, strip_rows] };
        let [places, counts] = if tiled {
            [Tag::TileOffsets, Tag::TileByteCounts]
        } else {
            [Tag::StripOffsets, Tag::StripByteCounts]
        };
        let (offsets, lengths) = (self.numbers(places)?, self.numbers(counts)?);
        let across = cols.div_ceil(sides[0]);
        let down = rows.div_ceil(sides[1]);
        let needed = across.saturating_mul(down).saturating_mul(planes);
        if (offsets.len() as u64) < needed || offsets.len() != lengths.len() {
            let reason = format!(
                "its {needed} strips or tiles have {} places and {} lengths",
                offsets.len(),
                lengths.len()
            );
            return Err(self.reading.broken(FORMAT, reason));
        }
        let padded = across.saturating_mul(down).saturating_mul(sides[0].saturating_mul(sides[1]));
        if padded > cols.saturating_mul(rows).saturating_mul(MOST_PADDING).max(LEAST_PADDED) {
            let reason =
                format!("its tiles of {} × {} are too large for {cols} × {rows} cells", sides[0], sides[1]);
            return Err(self.reading.broken(FORMAT, reason));
        }
        Ok(Pieces { tiled, sides, offsets, lengths })
    }
}

/// What of a picture is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Number of the band, counted from 0.
    pub band: usize,
    /// Whether the first three bands must be the same.
    pub grey: bool,
}

struct Chunk {
    numbers: Vec<f64>,
    coloured: Option<usize>,
}

/// The rows of one band, from the north to the south, unpacked as they are asked for.
#[derive(Debug)]
pub(super) struct Rows {
    layout: Layout,
    wanted: Wanted,
    /// The rows that are unpacked.
    numbers: Vec<f64>,
    first: usize,
    count: usize,
}

impl Rows {
    pub(super) fn new(layout: Layout, wanted: Wanted) -> Self {
        Self { layout, wanted, numbers: Vec::new(), first: 0, count: 0 }
    }

    /// The numbers of a row.
    pub(super) fn row(&mut self, reading: Reading, file: &mut File, row: usize) -> Result<&[f64], ReadError> {
        if !(self.first..self.first + self.count).contains(&row) {
            self.unpack(reading, file, row)?;
        }
        let cols = self.layout.cols;
        Ok(&self.numbers[(row - self.first) * cols..][..cols])
    }

    /// Unpacks the strips or tiles with that row, and those below it that are unpacked at once.
    fn unpack(&mut self, reading: Reading, file: &mut File, row: usize) -> Result<(), ReadError> {
        let Self { layout, wanted, .. } = self;
        let across = layout.across();
        let [chunk_cols, chunk_rows] = layout.chunk;
        // Aligned, so that rows may be asked for from the south to the north as well.
        let from = row / chunk_rows / layout.at_once() * layout.at_once();
        let to = (from + layout.at_once()).min(layout.down());
        let plane = if layout.separate { wanted.band * across * layout.down() } else { 0 };
        let indices = from * across..to * across;
        let all = indices.clone().map(|index| layout.lengths[plane + index]).fold(0, u64::saturating_add);
        if all / 2 > reading.length {
            return Err(reading.broken(FORMAT, "its strips or tiles have more bytes than the file"));
        }
        let mut packed = Vec::with_capacity((to - from) * across);
        for index in indices {
            let (at, length) = (layout.offsets[plane + index], layout.lengths[plane + index]);
            if at.saturating_add(length) > reading.length {
                return Err(reading.broken(FORMAT, "it ends too early"));
            }
            let mut bytes = vec![0; length as usize];
            file.seek(SeekFrom::Start(at))
                .and_then(|_| file.read_exact(&mut bytes))
                .map_err(|source| ReadError::Io { path: reading.path.into(), source })?;
            packed.push(bytes);
        }
        self.first = from * chunk_rows;
        self.count = (to * chunk_rows).min(layout.rows) - self.first;
        let rows_of = |index: usize| {
            let first = (from + index / across) * chunk_rows;
            if layout.tiled { chunk_rows } else { chunk_rows.min(layout.rows - first) }
        };
        // GDAL leaves out what holds nothing: all of it is 0 there, or nodata, which reads as no number.
        let chunks: Vec<Result<Chunk, String>> = packed
            .par_iter()
            .enumerate()
            .map(|(index, bytes)| match bytes.as_slice() {
                [] => Ok(Chunk { numbers: vec![f64::NAN; chunk_cols * rows_of(index)], coloured: None }),
                bytes => layout.unpacked(bytes, rows_of(index), *wanted),
            })
            .collect();
        self.numbers.clear();
        self.numbers.resize(self.count * layout.cols, 0.0);
        for (index, chunk) in chunks.into_iter().enumerate() {
            let Chunk { numbers, coloured } = chunk.map_err(|reason| reading.broken(FORMAT, reason))?;
            let (col, top) = (index % across * chunk_cols, index / across * chunk_rows);
            let width = chunk_cols.min(layout.cols - col);
            if let Some(at) = coloured {
                let (col, row) = (col + at % chunk_cols, self.first + top + at / chunk_cols);
                // What pads a tile is no cell.
                if col < layout.cols && row < layout.rows {
                    return Err(ReadError::Colour { path: reading.path.into(), col, row });
                }
            }
            for (row, cells) in (top..self.count).zip(numbers.chunks_exact(chunk_cols)) {
                self.numbers[row * layout.cols + col..][..width].copy_from_slice(&cells[..width]);
            }
        }
        Ok(())
    }
}
