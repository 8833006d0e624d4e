//! Maps of several channels as PNG, for engines: normals, directions, shares of materials.

use crate::WriteError;
use crate::atomic::write_atomic;
use crate::label::KEY;
use crate::written::check_size;
use ::png::{BitDepth, ColorType, Compression, Encoder};
use std::io::{self, Write};
use std::path::Path;
use thalweg_field::Grid2;

/// The largest 16-bit code, and the one that stands for zero where both signs have a place.
const MOST: f32 = 65_535.0;
const ZERO: f32 = 32_768.0;

/// Writes unit vectors as 16-bit red, green and blue; `about` is a line of JSON in ASCII that says what they are. −1, 0
/// and 1 are 1, 32768 and 65535. No colour profile, so that programs leave the numbers alone.
pub fn write_vectors_png(path: &Path, vectors: &Grid2<[f32; 3]>, about: &str) -> Result<(), WriteError> {
    let code = |part: f32| (ZERO + part.clamp(-1.0, 1.0) * (MOST - ZERO)).round() as u16;
    write(path, vectors, about, (ColorType::Rgb, BitDepth::Sixteen), |vector, bytes| {
        bytes.extend(vector.iter().flat_map(|&part| code(part).to_be_bytes()));
    })
}

/// Writes shares of four materials as 8-bit red, green, blue and alpha, as they are.
pub fn write_shares_png(path: &Path, shares: &Grid2<[u8; 4]>, about: &str) -> Result<(), WriteError> {
    write(path, shares, about, (ColorType::Rgba, BitDepth::Eight), |shares, bytes| bytes.extend(shares))
}

/// Writes shares of one material as 8-bit grey, as they are.
pub fn write_share_png(path: &Path, share: &Grid2<u8>, about: &str) -> Result<(), WriteError> {
    write(path, share, about, (ColorType::Grayscale, BitDepth::Eight), |share, bytes| bytes.push(share))
}

fn write<T: Copy>(
    path: &Path,
    grid: &Grid2<T>,
    about: &str,
    (colour, depth): (ColorType, BitDepth),
    put: impl Fn(T, &mut Vec<u8>),
) -> Result<(), WriteError> {
    check_size(path, grid.cols(), grid.rows())?;
    write_atomic(path, |writer| {
        let mut encoder = Encoder::new(writer, grid.cols() as u32, grid.rows() as u32);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        encoder.set_compression(Compression::Fast);
        encoder.add_text_chunk(KEY.into(), about.into()).map_err(io::Error::other)?;
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer()?;
        let mut bytes = Vec::new();
        for row in 0..grid.rows() {
            bytes.clear();
            grid.row(row).iter().for_each(|&value| put(value, &mut bytes));
            stream.write_all(&bytes)?;
        }
        stream.finish()?;
        writer.finish()?;
        Ok(())
    })
}
