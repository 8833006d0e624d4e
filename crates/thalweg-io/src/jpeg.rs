//! JPEG: pictures for the web and for notes.

use crate::WriteError;
use crate::atomic::write_atomic;
use crate::map::check_pixels;
use ::jpeg_encoder::{ChromaSubsamplingMethod, ColorType, Encoder, EncodingError, SamplingFactor};
use std::io;
use std::path::Path;

/// From this quality on every pixel keeps its own colour (4:4:4); below, two by two share one (4:2:0).
const FULL_COLOUR: u8 = 90;

/// Writes a picture of `width` × `height` pixels, at most 65535 each; `rgb` holds red, green and blue of
/// each, row after row from the top. `quality` goes from 1 to 100; 85 is good, 95 hard to tell from the
/// original.
pub fn write_jpeg_rgb(
    path: &Path,
    width: usize,
    height: usize,
    rgb: &[u8],
    quality: u8,
) -> Result<(), WriteError> {
    if !(1..=100).contains(&quality) {
        let what = format!("the JPEG quality is {quality}");
        return Err(WriteError::Refused { path: path.into(), what, expected: "it must be from 1 to 100" });
    }
    let (Ok(columns @ 1..), Ok(rows @ 1..)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(WriteError::Size { path: path.into(), cols: width, rows: height, most: u16::MAX.into() });
    };
    check_pixels(path, width, height, rgb)?;
    write_atomic(path, |writer| {
        let mut encoder = Encoder::new(writer, quality);
        let full = quality >= FULL_COLOUR;
        encoder.set_sampling_factor(if full { SamplingFactor::R_4_4_4 } else { SamplingFactor::R_4_2_0 });
        // The colour of one pixel in four would make thin lines flicker between frames.
        encoder.set_chroma_subsampling_method(ChromaSubsamplingMethod::Average);
        encoder.encode(rgb, columns, rows, ColorType::Rgb).map_err(|error| match error {
            EncodingError::IoError(error) => error,
            other => io::Error::other(other),
        })
    })
}
