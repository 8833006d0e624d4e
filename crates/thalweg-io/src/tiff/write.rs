//! `GeoTIFF` of 32-bit floats, in tiles packed with deflate.

use super::keys::Keys;
use super::pack::predict_floats;
use crate::label::Label;
use ::tiff::TiffError;
use ::tiff::encoder::{TiffEncoder, TiffKind, TiffKindBig, TiffKindStandard};
use ::tiff::tags::Tag;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;
use std::io::{self, Seek, Write};
use thalweg_field::Frame;

/// Side of a tile in cells, as GDAL has it.
const TILE: usize = 256;

/// Offsets of an ordinary TIFF end at 4 GiB; beyond this many bytes of heights it must be a BigTIFF.
/// Compression can make incompressible data a little longer, hence the distance.
const BIG: u64 = 4_000_000_000;

const ADOBE_DEFLATE: u16 = 8;
const FLOATING_POINT: u16 = 3;

/// A file that is written row after row, so that there need not be room for all of it in memory.
pub(crate) struct Writing<'a> {
    pub cols: usize,
    pub rows: usize,
    pub frame: &'a Frame,
    pub label: &'a Label,
}

impl Writing<'_> {
    /// Writes the rows that `give` puts into its second argument, from the north to the south.
    pub(crate) fn write<E: From<io::Error>>(
        &self,
        writer: impl Write + Seek,
        give: impl FnMut(usize, &mut [f32]) -> Result<(), E>,
    ) -> Result<(), E> {
        if (self.cols as u64).saturating_mul(self.rows as u64).saturating_mul(4) > BIG {
            self.encode::<_, TiffKindBig, E>(writer, give)
        } else {
            self.encode::<_, TiffKindStandard, E>(writer, give)
        }
    }

    fn encode<W: Write + Seek, K: TiffKind, E: From<io::Error>>(
        &self,
        writer: W,
        mut give: impl FnMut(usize, &mut [f32]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut encoder = TiffEncoder::<W, K>::new_generic(writer).map_err(told)?;
        let mut tags = encoder.image_directory().map_err(told)?;
        let across = self.cols.div_ceil(TILE);
        let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
        let mut band = vec![0.0f32; TILE * self.cols];
        for first in (0..self.rows).step_by(TILE) {
            let rows = TILE.min(self.rows - first);
            for (at, row) in band.chunks_exact_mut(self.cols).take(rows).enumerate() {
                give(first + at, row)?;
            }
            let packed: Vec<io::Result<Vec<u8>>> =
                (0..across).into_par_iter().map(|tile| packed(&band, self.cols, rows, tile * TILE)).collect();
            for tile in packed {
                let tile = tile?;
                offsets.push(tags.write_data(tile.as_slice()).map_err(told)?);
                lengths.push(tile.len() as u64);
            }
        }
        self.describe(&mut tags, &offsets, &lengths).map_err(told)?;
        tags.finish().map_err(told)?;
        Ok(())
    }

    fn describe<W: Write + Seek, K: TiffKind>(
        &self,
        tags: &mut ::tiff::encoder::DirectoryEncoder<'_, W, K>,
        offsets: &[u64],
        lengths: &[u64],
    ) -> Result<(), TiffError> {
        let Self { cols, rows, frame, label } = self;
        tags.write_tag(Tag::ImageWidth, *cols as u32)?;
        tags.write_tag(Tag::ImageLength, *rows as u32)?;
        for (tag, value) in [
            (Tag::BitsPerSample, 32),
            (Tag::Compression, ADOBE_DEFLATE),
            (Tag::PhotometricInterpretation, 1),
            (Tag::SamplesPerPixel, 1),
            (Tag::PlanarConfiguration, 1),
            (Tag::Predictor, FLOATING_POINT),
            (Tag::TileWidth, TILE as u16),
            (Tag::TileLength, TILE as u16),
            (Tag::SampleFormat, 3),
        ] {
            tags.write_tag(tag, value)?;
        }
        if offsets.iter().chain(lengths).all(|&number| u32::try_from(number).is_ok()) {
            let narrow = |numbers: &[u64]| numbers.iter().map(|&number| number as u32).collect::<Vec<_>>();
            tags.write_tag(Tag::TileOffsets, narrow(offsets).as_slice())?;
            tags.write_tag(Tag::TileByteCounts, narrow(lengths).as_slice())?;
        } else {
            tags.write_tag(Tag::TileOffsets, offsets)?;
            tags.write_tag(Tag::TileByteCounts, lengths)?;
        }
        tags.write_tag(Tag::ImageDescription, label.to_ascii().as_str())?;
        let [west, south] = frame.origin;
        let north = south + *rows as f64 * frame.cell;
        tags.write_tag(Tag::ModelPixelScaleTag, [frame.cell, frame.cell, 0.0])?;
        tags.write_tag(Tag::ModelTiepointTag, [0.0, 0.0, 0.0, west, north, 0.0])?;
        let (directory, doubles, text) = Keys::for_crs(frame.crs.as_deref()).tags();
        tags.write_tag(Tag::GeoKeyDirectoryTag, directory.as_slice())?;
        if !doubles.is_empty() {
            tags.write_tag(Tag::GeoDoubleParamsTag, doubles.as_slice())?;
        }
        if !text.is_empty() {
            tags.write_tag(Tag::GeoAsciiParamsTag, text.as_str())?;
        }
        // What is no number is no height, whether there is such a cell or not.
        tags.write_tag(Tag::GdalNodata, "nan")
    }
}

fn told(error: TiffError) -> io::Error {
    match error {
        TiffError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

/// A tile of a band of rows, padded with the numbers at its edge, which packs best.
fn packed(band: &[f32], cols: usize, rows: usize, col: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; TILE * TILE * 4];
    let mut cells = [0.0; TILE];
    let width = TILE.min(cols - col);
    for (row, out) in bytes.chunks_exact_mut(TILE * 4).enumerate() {
        let from = &band[row.min(rows - 1) * cols + col..][..width];
        cells[..width].copy_from_slice(from);
        cells[width..].fill(from[width - 1]);
        predict_floats(&cells, out);
    }
    // A sixth of the time of the balanced level for a tenth more bytes.
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&bytes)?;
    encoder.finish()
}
