//! EXR: floats as they are.

use crate::label::{KEY, Label};
use crate::reading::{Raster, Reading};
use crate::{Estimate, Notice, ReadError};
use ::exr::block::reader::{ChunksReader, Reader};
use ::exr::block::{self, UncompressedBlock};
use ::exr::error::Error;
use ::exr::image::{Encoding, Image, Layer, SpecificChannels};
use ::exr::math::Vec2;
use ::exr::meta::attribute::{AttributeValue, SampleType, Text};
use ::exr::meta::header::{Header, LayerAttributes};
use ::exr::prelude::{WritableImage, f16};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Seek, Write};
use thalweg_field::Grid2;

const FORMAT: &str = "EXR";

/// Names under which programs store one value per cell, the likeliest first.
const HEIGHT_CHANNELS: [&str; 6] = ["Y", "height", "R", "Z", "V", "G"];

/// An EXR file whose header has been checked.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    reader: Reader<BufReader<File>>,
    channel: Channel,
    pub size: Estimate,
}

/// Where in a line of the file the heights lie.
#[derive(Clone, Copy)]
struct Channel {
    /// Bytes of the channels before this one, for one cell.
    before: usize,
    /// Bytes of all channels, for one cell.
    all: usize,
    sample: SampleType,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(reading: Reading<'a>, file: BufReader<File>) -> Result<Self, ReadError> {
        let reader = block::read(file, false).map_err(|error| explain(reading, error))?;
        let header = &reader.headers()[0];
        let channel = channel(reading, header)?;
        let Vec2(cols, rows) = header.layer_size;
        // A block is held packed and unpacked.
        let scratch = (block_cells(header) as u64).saturating_mul(2 * channel.all as u64);
        let size = reading.admit(FORMAT, cols as u64, rows as u64, scratch)?;
        Ok(Self { reading, reader, channel, size })
    }

    /// The description inside the file.
    pub(crate) fn label(&self) -> Result<Option<Label>, ReadError> {
        own_label(self.reading, &self.reader.headers()[0])
    }

    pub(crate) fn read(self, notices: &mut Vec<Notice>) -> Result<Raster, ReadError> {
        let label = self.label()?;
        let Self { reading, reader, channel, size } = self;
        let full = if channel.sample == SampleType::U32 { f64::from(u32::MAX) } else { 1.0 };
        let scale = reading.scale(full, label.as_ref(), notices);
        let mut heights = Grid2::filled(size.cols, size.rows, f32::NAN);
        let mut seen = HashSet::new();
        let chunks = reader
            .filter_chunks(false, |_, tile, block| block.layer == 0 && tile.is_largest_resolution_level());
        let mut place = |block: UncompressedBlock| {
            let Vec2(col, row) = block.index.pixel_position;
            let Vec2(width, height) = block.index.pixel_size;
            // As many blocks as the grid has, none of them twice: every cell is written.
            let fits = col + width <= size.cols && row + height <= size.rows;
            let foreign = block.index.layer != 0 || block.index.level != Vec2(0, 0);
            if foreign || !fits || !seen.insert((col, row)) {
                return Err(Error::Invalid("a block lies outside or appears twice".into()));
            }
            for (line, bytes) in block.data.chunks_exact(width * channel.all).enumerate().take(height) {
                let bytes = &bytes[width * channel.before..][..width * channel.sample.bytes_per_sample()];
                let cells = &mut heights.row_mut(row + line)[col..col + width];
                match channel.sample {
                    SampleType::F16 => copy(bytes, cells, |b| scale.metres(f16::from_ne_bytes(b))),
                    SampleType::F32 => copy(bytes, cells, |b| scale.metres(f32::from_ne_bytes(b))),
                    SampleType::U32 => copy(bytes, cells, |b| scale.metres(u32::from_ne_bytes(b))),
                }
            }
            Ok(())
        };
        chunks
            .and_then(|chunks| chunks.decompress_sequential(false, |_, block| place(block)))
            .map_err(|error| explain(reading, error))?;
        Ok(Raster::labelled(heights, label, 32))
    }
}

fn copy<const N: usize>(bytes: &[u8], cells: &mut [f32], height: impl Fn([u8; N]) -> f32) {
    for (cell, bytes) in cells.iter_mut().zip(bytes.as_chunks().0) {
        *cell = height(*bytes);
    }
}

/// The channel that holds the heights: the only one, or the likeliest by its name.
fn channel(reading: Reading, header: &Header) -> Result<Channel, ReadError> {
    let list = &header.channels.list;
    if list.iter().any(|channel| channel.sampling != Vec2(1, 1)) {
        return Err(reading.unsupported("some channels leave out cells", "exporting every channel in full"));
    }
    let named = |name: &&str| list.iter().position(|channel| channel.name.eq(name));
    let found = if list.len() == 1 { Some(0) } else { HEIGHT_CHANNELS.iter().find_map(named) };
    let Some(found) = found else {
        let names: Vec<String> = list.iter().map(|channel| channel.name.to_string()).collect();
        let what = format!("has no channel named Y, R, height or Z but {}", names.join(", "));
        return Err(reading.unsupported(what, "exporting the height as a channel named Y"));
    };
    let bytes =
        |count: usize| list.iter().take(count).map(|channel| channel.sample_type.bytes_per_sample()).sum();
    Ok(Channel { before: bytes(found), all: bytes(list.len()), sample: list[found].sample_type })
}

/// Cells that are unpacked at once.
fn block_cells(header: &Header) -> usize {
    let Vec2(width, height) = header.max_block_pixel_size();
    width.saturating_mul(height)
}

fn own_label(reading: Reading, header: &Header) -> Result<Option<Label>, ReadError> {
    match header.own_attributes.other.get(&Text::from(KEY)) {
        Some(AttributeValue::Text(text)) => Label::parse(&text.to_string(), reading.path).map(Some),
        _ => Ok(None),
    }
}

fn explain(reading: Reading, error: Error) -> ReadError {
    match error {
        Error::NotSupported(what) => reading.unsupported(what, "exporting one flat layer of 32-bit floats"),
        Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            reading.broken(FORMAT, "it ends too early")
        }
        other => reading.broken(FORMAT, other),
    }
}

/// Writes one channel `Y` of 32-bit floats.
pub(crate) fn write(writer: impl Write + Seek, values: &Grid2<f32>, label: &Label) -> io::Result<()> {
    // A layer name would become a prefix of the channel's name in some programs.
    let mut attributes = LayerAttributes::default();
    attributes.other.insert(Text::from(KEY), AttributeValue::Text(Text::from(label.to_ascii().as_str())));
    let channels =
        SpecificChannels::build().with_channel("Y").with_pixel_fn(|Vec2(col, row)| (values.at(col, row),));
    let layer = Layer::new((values.cols(), values.rows()), attributes, Encoding::SMALL_LOSSLESS, channels);
    Image::from_layer(layer).write().to_buffered(writer).map_err(|error| match error {
        Error::Io(error) => error,
        other => io::Error::other(other),
    })
}
