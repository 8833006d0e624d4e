//! EXR: floats as they are.

use crate::label::{KEY, Label};
use crate::reading::{Head, Raster, Reading};
use crate::{Estimate, Notice, ReadError};
use ::exr::block::reader::Reader;
use ::exr::block::writer::{ChunkWriter, ChunksWriter};
use ::exr::block::{self, BlockIndex, UncompressedBlock, enumerate_ordered_header_block_indices};
use ::exr::error::Error;
use ::exr::image::Encoding;
use ::exr::math::Vec2;
use ::exr::meta::attribute::{AttributeValue, ChannelDescription, SampleType, Text};
use ::exr::meta::header::{Header, LayerAttributes};
use ::exr::meta::{BlockDescription, MetaData};
use ::exr::prelude::f16;
use rayon::prelude::*;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Seek, Write};
use thalweg_field::Grid2;

const FORMAT: &str = "EXR";

/// Names under which programs store one value per cell, the likeliest first.
const HEIGHT_CHANNELS: [&str; 6] = ["Y", "height", "R", "Z", "V", "G"];

/// Words for it.
const HEIGHT_WORDS: [&str; 3] = ["height", "elevation", "displacement"];

/// What a part or a layer of channels is called that holds heights.
const HEIGHT: &str = "height";

/// Channels that are one picture together.
const COLOURS: [&str; 3] = ["R", "G", "B"];

/// Blocks of lines that are packed or unpacked side by side: enough for every thread to have some.
const AT_ONCE: usize = 32;

/// An EXR file whose header has been checked.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    reader: Reader<BufReader<File>>,
    /// Which part of the file is read.
    part: usize,
    channel: Channel,
    pub size: Estimate,
}

/// Where in a line of the file the heights lie.
#[derive(Clone, Debug)]
struct Channel {
    name: String,
    /// The other channels.
    others: Vec<String>,
    /// Bytes of the channels before this one, for one cell.
    before: usize,
    /// Bytes of the channels before the other two of a coloured picture, if this is the first of one.
    colours: Option<[usize; 2]>,
    /// Bytes of all channels, for one cell.
    all: usize,
    sample: SampleType,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(reading: Reading<'a>, file: BufReader<File>) -> Result<Self, ReadError> {
        let reader = block::read(file, false).map_err(|error| explain(reading, error))?;
        let (part, channel) = chosen(reading, reader.headers())?;
        let header = &reader.headers()[part];
        let Vec2(cols, rows) = header.layer_size;
        // Blocks are held packed and unpacked.
        let at_once = header.chunk_count.min(AT_ONCE) as u64;
        let scratch = (block_cells(header) as u64).saturating_mul(2 * channel.all as u64 * at_once);
        let size = reading.admit(FORMAT, cols as u64, rows as u64, scratch)?;
        Ok(Self { reading, reader, part, channel, size })
    }

    fn header(&self) -> &Header {
        &self.reader.headers()[self.part]
    }

    /// The description inside the file.
    pub(crate) fn label(&self) -> Result<Option<Label>, ReadError> {
        own_label(self.reading, self.header())
    }

    pub(crate) fn read(self, notices: &mut Vec<Notice>) -> Result<Raster, ReadError> {
        let label = self.label()?;
        self.tell_choices(notices);
        let Self { reading, reader, part, channel, size } = self;
        let full = if channel.sample == SampleType::U32 { f64::from(u32::MAX) } else { 1.0 };
        let scale = reading.scale(full, label.as_ref(), notices);
        let mut heights = Grid2::filled(size.cols, size.rows, f32::NAN);
        let mut seen = HashSet::new();
        let mut differ = false;
        let mut place = |block: UncompressedBlock| {
            let Vec2(col, row) = block.index.pixel_position;
            let Vec2(width, height) = block.index.pixel_size;
            // As many blocks as the grid has, none of them twice: every cell is written.
            let fits = col + width <= size.cols && row + height <= size.rows;
            let foreign = block.index.layer != part || block.index.level != Vec2(0, 0);
            if foreign || !fits || !seen.insert((col, row)) {
                return Err(Error::Invalid("a block lies outside or appears twice".into()));
            }
            for (line, bytes) in block.data.chunks_exact(width * channel.all).enumerate().take(height) {
                let of =
                    |before: usize| &bytes[width * before..][..width * channel.sample.bytes_per_sample()];
                let own = of(channel.before);
                differ |= channel.colours.is_some_and(|others| others.iter().any(|&other| of(other) != own));
                let cells = &mut heights.row_mut(row + line)[col..col + width];
                match channel.sample {
                    SampleType::F16 => copy(own, cells, |b| scale.metres(f16::from_ne_bytes(b))),
                    SampleType::F32 => copy(own, cells, |b| scale.metres(f32::from_ne_bytes(b))),
                    SampleType::U32 => copy(own, cells, |b| scale.metres(u32::from_ne_bytes(b))),
                }
            }
            Ok(())
        };
        unpacked(reader, part, &mut place).map_err(|error| explain(reading, error))?;
        let Channel { name, others, colours, .. } = channel;
        // Of grey written as three equal channels nothing is left out.
        if !others.is_empty() && reading.options.band.is_none() && (colours.is_none() || differ) {
            notices.push(Notice::ChannelChosen { name, others, differ });
        }
        Ok(Raster { heights, head: Head::labelled(label, 32) })
    }

    /// What was chosen where the file offers more.
    fn tell_choices(&self, notices: &mut Vec<Notice>) {
        let count = self.reader.headers().len();
        let header = self.header();
        if count > 1 && self.reading.options.band.is_none() {
            let name = header.own_attributes.layer_name.as_ref().map(ToString::to_string).unwrap_or_default();
            notices.push(Notice::PartChosen { part: self.part, name, count });
        }
        let Vec2(width, height) = header.shared_attributes.display_window.size;
        let (data, display) = ([self.size.cols, self.size.rows], [width, height]);
        if data[0] < display[0] || data[1] < display[1] {
            notices.push(Notice::WindowCut { data, display });
        }
    }
}

/// Hands all blocks of a part on, some of them unpacked side by side.
fn unpacked(
    reader: Reader<BufReader<File>>,
    part: usize,
    place: &mut impl FnMut(UncompressedBlock) -> Result<(), Error>,
) -> Result<(), Error> {
    let meta = reader.meta_data().clone();
    let mut chunks = reader
        .filter_chunks(false, |_, tile, block| block.layer == part && tile.is_largest_resolution_level())?;
    loop {
        let some: Vec<_> = chunks.by_ref().take(AT_ONCE).collect::<Result<_, _>>()?;
        if some.is_empty() {
            return Ok(());
        }
        let unpack = |chunk| UncompressedBlock::decompress_chunk(chunk, &meta, false);
        let blocks: Vec<_> = some.into_par_iter().map(unpack).collect();
        blocks.into_iter().try_for_each(|block| place(block?))?;
    }
}

/// The part and the channel with the heights: as asked for, else by their names.
fn chosen(reading: Reading, headers: &[Header]) -> Result<(usize, Channel), ReadError> {
    let parts: Vec<String> = headers
        .iter()
        .map(|header| header.own_attributes.layer_name.as_ref().map(ToString::to_string).unwrap_or_default())
        .collect();
    let names = |header: &Header| -> Vec<String> {
        header.channels.list.iter().map(|channel| channel.name.to_string()).collect()
    };
    if let Some(asked) = &reading.options.band {
        let all = headers.iter().zip(&parts).enumerate().flat_map(|(part, (header, name))| {
            names(header)
                .into_iter()
                .enumerate()
                .map(move |(index, channel)| (part, name.clone(), index, channel))
        });
        let all: Vec<_> = all.collect();
        let number = asked.parse().ok().and_then(|number: usize| number.checked_sub(1));
        let exact = |(_, part, _, channel): &&(usize, String, usize, String)| {
            channel == asked || !part.is_empty() && (part == asked || format!("{part}.{channel}") == *asked)
        };
        let found = all.iter().find(exact).or_else(|| number.and_then(|number| all.get(number)));
        let Some(&(part, _, index, _)) = found else {
            let full = |(_, part, _, channel): &(usize, String, usize, String)| {
                if part.is_empty() { channel.clone() } else { format!("{part}.{channel}") }
            };
            let there = format!("channels {}", all.iter().map(full).collect::<Vec<_>>().join(", "));
            return Err(ReadError::Band { path: reading.path.into(), asked: asked.clone(), there });
        };
        return Ok((part, channel(reading, &headers[part], index)?));
    }
    // A part of that name, else the first one with a channel that may be it.
    let named = parts.iter().position(|part| part.eq_ignore_ascii_case(HEIGHT));
    let likely = |part: usize| {
        let names = names(&headers[part]);
        let last = |name: &String| name.rsplit('.').next().unwrap_or_default().to_owned();
        let layer = |name: &String| {
            name.rsplit_once('.').is_some_and(|(layer, _)| layer.eq_ignore_ascii_case(HEIGHT))
        };
        if names.len() == 1 {
            return Some(0);
        }
        let of_height = names.iter().position(layer);
        let known = |height: &&str| names.iter().position(|name| name == *height);
        // Single letters mean something else in other layers: the y of a normal is no height.
        let word = |name: &String| HEIGHT_WORDS.iter().any(|height| last(name).eq_ignore_ascii_case(height));
        of_height.or_else(|| HEIGHT_CHANNELS.iter().find_map(known)).or_else(|| names.iter().position(word))
    };
    let order = named.into_iter().chain(0..headers.len());
    for part in order {
        if let Some(index) = likely(part) {
            return Ok((part, channel(reading, &headers[part], index)?));
        }
    }
    let all: Vec<String> = headers.iter().flat_map(names).collect();
    let what = format!("has no channel named Y, R, height or Z but {}", all.join(", "));
    Err(reading
        .unsupported(what, "a channel named Y, or naming the one with the height, such as --band elevation"))
}

fn copy<const N: usize>(bytes: &[u8], cells: &mut [f32], height: impl Fn([u8; N]) -> f32) {
    for (cell, bytes) in cells.iter_mut().zip(bytes.as_chunks().0) {
        *cell = height(*bytes);
    }
}

/// A channel of a part.
fn channel(reading: Reading, header: &Header, found: usize) -> Result<Channel, ReadError> {
    let list = &header.channels.list;
    if list.iter().any(|channel| channel.sampling != Vec2(1, 1)) {
        return Err(reading.unsupported("some channels leave out cells", "exporting every channel in full"));
    }
    let bytes =
        |count: usize| list.iter().take(count).map(|channel| channel.sample_type.bytes_per_sample()).sum();
    let sample = list[found].sample_type;
    let of = |name: &str| {
        list.iter().position(|channel| channel.name.eq(name) && channel.sample_type == sample).map(bytes)
    };
    let [red, green, blue] = COLOURS.map(of);
    let colours = green.zip(blue).filter(|_| list[found].name.eq("R") && red.is_some()).map(|(g, b)| [g, b]);
    let name = list[found].name.to_string();
    let others = list.iter().map(|channel| channel.name.to_string()).filter(|other| *other != name).collect();
    Ok(Channel { name, others, before: bytes(found), colours, all: bytes(list.len()), sample })
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
    write_rows(writer, [values.cols(), values.rows()], label, |row, out| {
        out.copy_from_slice(values.row(row));
        Ok(())
    })
}

/// The same, of the rows that `give` puts into its second argument, from the north to the south; some blocks of them are there at
/// once.
pub(crate) fn write_rows(
    writer: impl Write + Seek,
    [cols, rows]: [usize; 2],
    label: &Label,
    mut give: impl FnMut(usize, &mut [f32]) -> io::Result<()>,
) -> io::Result<()> {
    // A layer name would become a prefix of the channel's name in some programs.
    let mut attributes = LayerAttributes::default();
    attributes.other.insert(Text::from(KEY), AttributeValue::Text(Text::from(label.to_ascii().as_str())));
    let channels = [ChannelDescription::named("Y", SampleType::F32)].into_iter().collect();
    let Encoding { compression, line_order, .. } = Encoding::SMALL_LOSSLESS;
    let header = Header::new(Text::default(), (cols, rows), channels)
        .with_encoding(compression, BlockDescription::ScanLines, line_order)
        .with_attributes(attributes);
    let mut filled = |index: BlockIndex| -> io::Result<UncompressedBlock> {
        let mut lines = vec![0.0f32; index.pixel_size.area()];
        for (line, row) in lines.chunks_exact_mut(cols).enumerate() {
            give(index.pixel_position.y() + line, row)?;
        }
        Ok(UncompressedBlock { index, data: bytemuck::cast_slice(&lines).to_vec() })
    };
    let write = |meta: MetaData, chunks: &mut ChunkWriter<_>| {
        let all: Vec<_> = enumerate_ordered_header_block_indices(&meta.headers).collect();
        for some in all.chunks(AT_ONCE) {
            let blocks: Vec<_> =
                some.iter().map(|&(at, index)| Ok((at, filled(index)?))).collect::<io::Result<_>>()?;
            let pack =
                |(at, block): (usize, UncompressedBlock)| Ok((at, block.compress_to_chunk(&meta.headers)?));
            let packed: Vec<Result<_, Error>> = blocks.into_par_iter().map(pack).collect();
            for block in packed {
                let (at, chunk) = block?;
                chunks.write_chunk(at, chunk)?;
            }
        }
        Ok(())
    };
    block::write(writer, [header].into_iter().collect(), true, write).map_err(|error| match error {
        Error::Io(error) => error,
        other => io::Error::other(other),
    })
}
