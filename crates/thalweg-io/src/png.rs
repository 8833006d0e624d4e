//! PNG: heights in 8 or 16 bits, and pictures.

use crate::label::{KEY, Label};
use crate::reading::{Head, Raster, Reading};
use crate::{Estimate, Notice, ReadError};
use ::png::{
    BitDepth, ColorType, Compression, Decoder, Encoder, Info, Limits, Reader, SrgbRenderingIntent,
    Transformations, Writer,
};
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
    code: impl Fn(f32) -> u16,
    label: &Label,
) -> io::Result<()> {
    write_rows(writer, [values.cols(), values.rows()], code, label, |row, out| {
        out.copy_from_slice(values.row(row));
        Ok(())
    })
}

/// Bytes that are packed before they are written `[byte]`.
const PIECE: usize = 1 << 18;

/// Writes 16-bit grey of the rows that `give` puts into its second argument, from the north to the south. No gAMA, sRGB
/// or iCCP chunk: programs would bend the values.
pub(crate) fn write_rows(
    writer: &mut impl Write,
    [cols, rows]: [usize; 2],
    code: impl Fn(f32) -> u16,
    label: &Label,
    mut give: impl FnMut(usize, &mut [f32]) -> io::Result<()>,
) -> io::Result<()> {
    writer.write_all(b"\x89PNG\r\n\x1a\n")?;
    let [width, height] = [cols, rows].map(|side| (side as u32).to_be_bytes());
    // 16 bits, grey, deflate, filters for each row, not interlaced.
    let head = [&width[..], &height[..], &[16, 0, 0, 0, 0]].concat();
    write_chunk(writer, *b"IHDR", &head)?;
    write_chunk(writer, *b"tEXt", &[KEY.as_bytes(), &[0], label.to_ascii().as_bytes()].concat())?;
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let (mut row, mut above, mut filtered) = (vec![0.0f32; cols], vec![0u8; 2 * cols], Vec::new());
    for at in 0..rows {
        give(at, &mut row)?;
        let bytes: Vec<u8> = row.iter().flat_map(|&value| code(value).to_be_bytes()).collect();
        filter(&bytes, &above, &mut filtered);
        above = bytes;
        packer.write_all(&filtered)?;
        filtered.clear();
        if packer.get_ref().len() > PIECE {
            write_chunk(writer, *b"IDAT", &std::mem::take(packer.get_mut()))?;
        }
    }
    write_chunk(writer, *b"IDAT", &packer.finish()?)?;
    write_chunk(writer, *b"IEND", &[])
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

/// Appends a row as differences from the one above or from its own cells to the west, whichever are smaller.
fn filter(row: &[u8], above: &[u8], out: &mut Vec<u8>) {
    /// Bytes of a cell.
    const CELL: usize = 2;
    let west = |at: usize| if at < CELL { 0 } else { row[at - CELL] };
    let sub = row.iter().enumerate().map(|(at, &byte)| byte.wrapping_sub(west(at)));
    let up = row.iter().zip(above).map(|(&byte, &above)| byte.wrapping_sub(above));
    let size = |byte: u8| u64::from((byte as i8).unsigned_abs());
    if sub.clone().map(size).sum::<u64>() < up.clone().map(size).sum::<u64>() {
        out.push(1);
        out.extend(sub);
    } else {
        out.push(2);
        out.extend(up);
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
