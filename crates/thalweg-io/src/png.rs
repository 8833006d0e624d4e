//! PNG: heights in 8 or 16 bits, and pictures.

use crate::label::{KEY, Label};
use crate::reading::{Head, Raster, Reading};
use crate::{Estimate, Notice, ReadError};
use ::png::{
    BitDepth, ColorType, Compression, Decoder, Encoder, Info, Limits, Reader, SrgbRenderingIntent,
    Transformations, Writer,
};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufReader, Write};
use thalweg_field::Grid2;

const FORMAT: &str = "PNG";

/// A PNG file whose header has been checked.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    reader: Reader<BufReader<File>>,
    pub size: Estimate,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(reading: Reading<'a>, file: BufReader<File>) -> Result<Self, ReadError> {
        let bytes = usize::try_from(reading.options.max_bytes).unwrap_or(usize::MAX);
        let mut decoder = Decoder::new_with_limits(file, Limits { bytes });
        // Palettes become colours and 1, 2 and 4 bits become 8, so that only whole bytes are left.
        decoder.set_transformations(Transformations::EXPAND);
        let info = decoder.read_header_info().map_err(|error| reading.broken(FORMAT, error))?;
        let (cols, rows) = (u64::from(info.width), u64::from(info.height));
        let scratch = (cols * rows).saturating_mul(decoded_bytes(info));
        let size = reading.admit(FORMAT, cols, rows, scratch)?;
        let reader = decoder.read_info().map_err(|error| reading.broken(FORMAT, error))?;
        Ok(Self { reading, reader, size })
    }

    /// All samples, row after row.
    fn decode(&mut self) -> Result<Vec<u8>, ReadError> {
        let broken = |error: &dyn std::fmt::Display| self.reading.broken(FORMAT, error);
        let length = self.reader.output_buffer_size().ok_or_else(|| broken(&"its size overflows"))?;
        let mut bytes = vec![0; length];
        self.reader.next_frame(&mut bytes).map_err(|error| broken(&error))?;
        self.reader.finish().map_err(|error| broken(&error))?;
        Ok(bytes)
    }

    /// A picture: red, green and blue of each pixel.
    pub(crate) fn read_rgb(mut self) -> Result<Vec<u8>, ReadError> {
        let (colour, depth) = self.reader.output_color_type();
        if depth != BitDepth::Eight {
            let what = "holds 16-bit colours where 8 bits were expected";
            return Err(self.reading.unsupported(what, "exporting it with 8 bits for each colour"));
        }
        let mut bytes = self.decode()?;
        match colour {
            // Expanding has turned a palette into red, green and blue.
            ColorType::Rgb | ColorType::Indexed => {}
            ColorType::Rgba => {
                let pixels = bytes.len() / 4;
                for pixel in 1..pixels {
                    bytes.copy_within(4 * pixel..4 * pixel + 3, 3 * pixel);
                }
                bytes.truncate(3 * pixels);
            }
            ColorType::Grayscale => bytes = bytes.iter().flat_map(|&grey| [grey; 3]).collect(),
            ColorType::GrayscaleAlpha => {
                bytes = bytes.iter().step_by(2).flat_map(|&grey| [grey; 3]).collect();
            }
        }
        let whole = self.size.cols * self.size.rows * 3 == bytes.len();
        if whole { Ok(bytes) } else { Err(self.reading.broken(FORMAT, "it has too few pixels")) }
    }

    pub(crate) fn read(mut self, notices: &mut Vec<Notice>) -> Result<Raster, ReadError> {
        let bytes = self.decode()?;
        notices.extend(colour_tag(self.reader.info()).map(|chunk| Notice::ColourTagIgnored { chunk }));
        let label = match self.own_label()? {
            Some(label) => Some(label),
            None => self.reading.sidecar(&self.size, notices)?,
        };
        let (colour, depth) = self.reader.output_color_type();
        if matches!(colour, ColorType::GrayscaleAlpha | ColorType::Rgba) {
            notices.push(Notice::AlphaIgnored);
        }
        let (bits, full) = if depth == BitDepth::Sixteen { (16, u16::MAX) } else { (8, 255) };
        let scale = self.reading.scale(full.into(), label.as_ref(), notices);
        let code = |sample: &[u8]| match *sample {
            [high, low] => u16::from_be_bytes([high, low]),
            _ => sample[0].into(),
        };
        let sample_bytes = usize::from(bits / 8);
        let cell_bytes = colour.samples() * sample_bytes;
        if colour.samples() >= 3 {
            let coloured = bytes.chunks_exact(cell_bytes).position(|cell| {
                let (red, rest) = cell.split_at(sample_bytes);
                rest[..2 * sample_bytes].chunks_exact(sample_bytes).any(|other| other != red)
            });
            if let Some(at) = coloured {
                let (col, row) = (at % self.size.cols, at / self.size.cols);
                return Err(ReadError::Colour { path: self.reading.path.into(), col, row });
            }
        }
        let heights =
            bytes.chunks_exact(cell_bytes).map(|cell| scale.metres(code(&cell[..sample_bytes]))).collect();
        let heights = Grid2::from_values(self.size.cols, self.size.rows, heights)
            .ok_or_else(|| self.reading.broken(FORMAT, "it has too few cells"))?;
        Ok(Raster { heights, head: Head::labelled(label, bits) })
    }

    /// The description of heights inside the file.
    fn own_label(&self) -> Result<Option<Label>, ReadError> {
        self.text(KEY).map(|text| Label::parse(&text, self.reading.path)).transpose()
    }

    /// What the file says about its picture.
    pub(crate) fn description(&self) -> Option<String> {
        self.text(DESCRIPTION)
    }

    /// A text of the file: plain, packed, or in Unicode, as other programs write it when they save the file again.
    fn text(&self, keyword: &str) -> Option<String> {
        let info = self.reader.info();
        let plain = info.uncompressed_latin1_text.iter().find(|text| text.keyword == keyword);
        let packed = || info.compressed_latin1_text.iter().find(|text| text.keyword == keyword);
        let unicode = || info.utf8_text.iter().find(|text| text.keyword == keyword);
        plain
            .map(|text| text.text.clone())
            .or_else(|| packed().and_then(|text| text.get_text().ok()))
            .or_else(|| unicode().and_then(|text| text.get_text().ok()))
    }
}

/// Bytes of one cell once expanded.
fn decoded_bytes(info: &Info) -> u64 {
    let samples = match info.color_type {
        ColorType::Indexed => 4,
        // A transparent colour, kept apart until then, becomes an alpha channel.
        other => other.samples() as u64 + u64::from(matches!(other, ColorType::Grayscale | ColorType::Rgb)),
    };
    samples * if info.bit_depth == BitDepth::Sixteen { 2 } else { 1 }
}

/// The chunk that would change how the numbers look on a screen, if there is one.
fn colour_tag(info: &Info) -> Option<&'static str> {
    let tags = [
        ("iCCP", info.icc_profile.is_some()),
        ("sRGB", info.srgb.is_some()),
        ("gAMA", info.gama_chunk.is_some()),
        ("cICP", info.coding_independent_code_points.is_some()),
    ];
    tags.into_iter().find(|(_, present)| *present).map(|(chunk, _)| chunk)
}

/// Writes 16-bit grey, with codes of any kind.
pub(crate) fn write_codes(
    writer: &mut impl Write,
    values: &Grid2<f32>,
    code: impl Fn(f32) -> u16 + Sync,
    label: &Label,
) -> io::Result<()> {
    write_rows(writer, [values.cols(), values.rows()], code, label, |row, out| {
        out.copy_from_slice(values.row(row));
        Ok(())
    })
}

/// Bytes of rows that are packed as one piece `[byte]`: large beside the 32 KiB that a piece remembers of its past, small
/// enough that all threads have some.
const PIECE: usize = 1 << 19;

/// Pieces that are packed side by side.
const AT_ONCE: usize = 16;

/// The first two bytes of a zlib stream (RFC 1950): deflate with a window of 32 KiB, packed by the fastest algorithm.
const ZLIB: [u8; 2] = [0x78, 0x01];

/// Writes 16-bit grey of the rows that `give` puts into its second argument, from the north to the south. No gAMA, sRGB
/// or iCCP chunk: programs would bend the values.
///
/// The rows are one zlib stream made of pieces that know nothing of each other, so that all threads can pack: each but the last
/// ends on a whole byte (a "sync flush"), and the sums of all are joined. Where pieces end depends on the size alone.
pub(crate) fn write_rows(
    writer: &mut impl Write,
    [cols, rows]: [usize; 2],
    code: impl Fn(f32) -> u16 + Sync,
    label: &Label,
    mut give: impl FnMut(usize, &mut [f32]) -> io::Result<()>,
) -> io::Result<()> {
    writer.write_all(b"\x89PNG\r\n\x1a\n")?;
    let [width, height] = [cols, rows].map(|side| (side as u32).to_be_bytes());
    // 16 bits, grey, deflate, filters for each row, not interlaced.
    let head = [&width[..], &height[..], &[16, 0, 0, 0, 0]].concat();
    write_chunk(writer, *b"IHDR", &head)?;
    write_chunk(writer, *b"tEXt", &[KEY.as_bytes(), &[0], label.to_ascii().as_bytes()].concat())?;
    let each = (PIECE / (2 * cols + 1)).clamp(1, rows);
    let batch = rows.min(each * AT_ONCE);
    // Rows of some pieces, below the last one of those before.
    let mut values = vec![0.0; cols * (1 + batch)];
    let (mut chunk, mut sum) = (ZLIB.to_vec(), Sum::default());
    for first in (0..rows).step_by(batch) {
        let count = batch.min(rows - first);
        values.copy_within(cols * batch.., 0);
        for (at, row) in values[cols..].chunks_exact_mut(cols).take(count).enumerate() {
            give(first + at, row)?;
        }
        let pieces = (0..count.div_ceil(each)).into_par_iter().map(|piece| {
            let (from, to) = (each * piece, count.min(each * (piece + 1)));
            let above = (first + from > 0).then_some(&values[cols * from..][..cols]);
            let rows_of_piece = values[cols * (1 + from)..cols * (1 + to)].chunks_exact(cols);
            packed(&filtered(above, rows_of_piece, &code), first + to == rows)
        });
        for piece in pieces.collect::<Vec<_>>() {
            let (bytes, own) = piece?;
            chunk.extend(bytes);
            sum = sum.joined(own);
            write_chunk(writer, *b"IDAT", &chunk)?;
            chunk.clear();
        }
    }
    write_chunk(writer, *b"IDAT", &sum.value().to_be_bytes())?;
    write_chunk(writer, *b"IEND", &[])
}

/// Codes of some rows, each row as differences behind the number of its filter. `above` is the row before them, if there is one.
fn filtered<'a>(
    above: Option<&[f32]>,
    rows: impl Iterator<Item = &'a [f32]>,
    code: &impl Fn(f32) -> u16,
) -> Vec<u8> {
    let bytes = |row: &[f32]| row.iter().flat_map(|&value| code(value).to_be_bytes()).collect::<Vec<u8>>();
    let mut above = above.map(bytes);
    let mut out = Vec::with_capacity(PIECE);
    for row in rows {
        let row = bytes(row);
        filter(&row, &above.unwrap_or_else(|| vec![0; row.len()]), &mut out);
        above = Some(row);
    }
    out
}

/// A piece of a deflate stream that ends on a whole byte, or its end, and the sum of what is in it.
fn packed(piece: &[u8], last: bool) -> io::Result<(Vec<u8>, Sum)> {
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(piece)?;
    let bytes = if last {
        packer.finish()?
    } else {
        packer.flush()?;
        std::mem::take(packer.get_mut())
    };
    Ok((bytes, Sum::of(piece)))
}

/// Adler-32, the sum at the end of a zlib stream (RFC 1950).
#[derive(Clone, Copy)]
struct Sum {
    /// One more than the sum of all bytes.
    low: u64,
    /// The sum of what `low` was after each byte.
    high: u64,
    /// How many bytes.
    length: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { low: 1, high: 0, length: 0 }
    }
}

impl Sum {
    /// The largest prime below 2¹⁶.
    const PRIME: u64 = 65521;

    fn of(bytes: &[u8]) -> Self {
        /// As many bytes as can be summed up before 32 bits overflow.
        const MOST: usize = 5552;
        let (mut low, mut high) = (1, 0);
        for part in bytes.chunks(MOST) {
            for &byte in part {
                low += u32::from(byte);
                high += low;
            }
            low %= Self::PRIME as u32;
            high %= Self::PRIME as u32;
        }
        Self { low: low.into(), high: high.into(), length: bytes.len() as u64 }
    }

    /// The sum of these bytes and of others that follow them.
    fn joined(self, next: Self) -> Self {
        // All of the sums in `next.high` began at 1 instead of at `self.low`.
        let more = next.length % Self::PRIME * (self.low + Self::PRIME - 1);
        Self {
            low: (self.low + next.low + Self::PRIME - 1) % Self::PRIME,
            high: (self.high + next.high + more) % Self::PRIME,
            length: self.length + next.length,
        }
    }

    fn value(self) -> u32 {
        (self.high << 16 | self.low) as u32
    }
}

fn write_chunk(writer: &mut impl Write, name: [u8; 4], content: &[u8]) -> io::Result<()> {
    let mut sum = flate2::Crc::new();
    sum.update(&name);
    sum.update(content);
    writer.write_all(&(content.len() as u32).to_be_bytes())?;
    writer.write_all(&name)?;
    writer.write_all(content)?;
    writer.write_all(&sum.sum().to_be_bytes())
}

/// Appends a row as differences from its own cells to the west or from the row above, whichever are smaller.
fn filter(row: &[u8], above: &[u8], out: &mut Vec<u8>) {
    /// Bytes of a cell.
    const CELL: usize = 2;
    let size = |byte: u8| u64::from((byte as i8).unsigned_abs());
    let from_above = || row.iter().zip(above).map(|(byte, above)| byte.wrapping_sub(*above));
    let start = out.len();
    out.push(1);
    out.extend(&row[..CELL]);
    out.extend(row[CELL..].iter().zip(row).map(|(byte, west)| byte.wrapping_sub(*west)));
    let to_the_west: u64 = out[start + 1..].iter().map(|&byte| size(byte)).sum();
    if from_above().map(size).sum::<u64>() <= to_the_west {
        out.truncate(start);
        out.push(2);
        out.extend(from_above());
    }
}

/// Begins a moving picture of that many frames, shown for ever; each frame goes in with
/// `write_image_data`.
pub(crate) fn animation<W: Write>(
    writer: W,
    [width, height]: [u32; 2],
    fps: u16,
    frames: u32,
) -> io::Result<Writer<W>> {
    let mut encoder = Encoder::new(writer, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    // There are hundreds of frames: a tenth of the time of the balanced level for a fifth to two fifths more bytes.
    encoder.set_compression(Compression::Fast);
    encoder.set_animated(frames, 0)?;
    encoder.set_frame_delay(1, fps)?;
    Ok(encoder.write_header()?)
}

/// The keyword of a text about the picture itself, as the PNG standard names it.
pub(crate) const DESCRIPTION: &str = "Description";

/// Writes a picture: 8-bit sRGB, three bytes for each pixel, and a text about it unless that is empty.
pub(crate) fn write_rgb(
    writer: impl Write,
    [width, height]: [u32; 2],
    pixels: &[u8],
    description: &str,
) -> io::Result<()> {
    let mut encoder = Encoder::new(writer, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    if !description.is_empty() {
        encoder.add_text_chunk(DESCRIPTION.into(), description.into())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use thalweg_field::random::Key;

    /// The codes of a grey picture, as the standard says to read it: by hand but for deflate, whose reader checks the sum.
    fn codes(file: &[u8], cols: usize) -> (Vec<u16>, usize) {
        let (mut packed, mut pieces, mut at) = (Vec::new(), 0, 8);
        while at < file.len() {
            let length = u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
            if &file[at + 4..at + 8] == b"IDAT" {
                packed.extend(&file[at + 8..at + 8 + length]);
                pieces += 1;
            }
            at += 12 + length;
        }
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(&*packed).read_to_end(&mut bytes).unwrap();
        let mut above = vec![0u8; 2 * cols];
        let rows = bytes.chunks_exact(2 * cols + 1).flat_map(|row| {
            let mut new = row[1..].to_vec();
            for i in 0..new.len() {
                let west = if i < 2 { 0 } else { new[i - 2] };
                new[i] = new[i].wrapping_add(if row[0] == 1 { west } else { above[i] });
            }
            above.clone_from(&new);
            new
        });
        let bytes: Vec<u8> = rows.collect();
        (bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(), pieces)
    }

    /// Numbers that cannot be packed, an even slope, and level ground, in one piece and in many: the pieces are one stream
    /// with one sum, which the crate `png` reads too.
    #[test]
    fn pieces_packed_side_by_side_are_one_stream() {
        let noise = |col: usize, row: usize| Key::new(5).with(row as u64).with(col as u64).bits() as u16;
        let slope = |col: usize, row: usize| (20 * row + 3 * col) as u16;
        let level = |_, _| 7;
        let grounds: [&(dyn Fn(usize, usize) -> u16 + Sync); 3] = [&noise, &slope, &level];
        for [cols, rows] in [[1009, 1009], [1, 3], [300_000, 2], [517, 9000]] {
            for ground in grounds.into_iter().take(if rows == 9000 { 1 } else { 3 }) {
                let values = Grid2::from_fn(cols, rows, |col, row| f32::from(ground(col, row)));
                let label = Label::new(&crate::label::HEIGHT, &values, &thalweg_field::Frame::with_cell(1.0));
                let mut file = Vec::new();
                write_codes(&mut file, &values, |value| value as u16, &label).unwrap();
                let expected: Vec<u16> = values.values().iter().map(|&value| value as u16).collect();
                let (found, pieces) = codes(&file, cols);
                assert!(found == expected, "{cols} × {rows}");
                assert!(pieces > 2 || cols * rows * 2 < PIECE, "{pieces} pieces");
                let mut reader = Decoder::new(io::Cursor::new(&file)).read_info().unwrap();
                let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
                reader.next_frame(&mut bytes).unwrap();
                let pairs = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
                assert!(pairs.eq(expected), "{cols} × {rows} by the crate png");
            }
        }
    }

    #[test]
    fn joined_sums_are_those_of_the_whole() {
        let bytes: Vec<u8> = (0..200_000u64).map(|i| Key::new(6).with(i).bits() as u8 | 0x80).collect();
        let whole = Sum::of(&bytes).value();
        // "Wikipedia" is 0x11E60398.
        assert_eq!(Sum::of(b"Wikipedia").value(), 0x11e6_0398);
        for at in [0, 1, 5552, 65_521, 131_000, 200_000] {
            let (one, other) = bytes.split_at(at);
            let joined = Sum::default().joined(Sum::of(one)).joined(Sum::of(other));
            assert_eq!(joined.value(), whole, "cut at {at}");
        }
    }
}
