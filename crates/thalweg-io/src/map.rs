//! Maps and pictures that a run leaves behind.

use crate::atomic::write_atomic;
use crate::heightmap::{Codes, check_size, finite_range};
use crate::label::Label;
use crate::reading::Reading;
use crate::{ReadError, ReadOptions, WriteError, exr, png};
use std::path::{Path, PathBuf};
use thalweg_field::{Field, FieldInfo, Frame};

/// Writes a field as `<stem>.exr` and `<stem>.png` and returns the two paths.
///
/// The EXR file holds the values themselves in 32-bit floats. Its one channel is named `Y`, which every
/// program shows as grey, while a channel named after the field would be hidden by many; name and unit
/// are in the attribute `thalweg`. The PNG file holds 16-bit codes: 0 to the largest value, or, where
/// values go below zero, both signs around mid-grey 32768; the scale is in its text `thalweg`.
pub fn write_map(stem: &Path, field: &Field, frame: &Frame) -> Result<Vec<PathBuf>, WriteError> {
    let with = |extension: &str| {
        let mut path = stem.as_os_str().to_owned();
        path.push(extension);
        PathBuf::from(path)
    };
    let [exr_path, png_path] = [with(".exr"), with(".png")];
    let values = &field.values;
    check_size(&exr_path, values.cols(), values.rows())?;
    let [min, max] = finite_range(&png_path, values)?;
    let label = Label::new(&field.info, values, frame);
    write_atomic(&exr_path, |w| exr::write(w, values, &label))?;
    let codes = Codes { ends: map_ends(min, max) };
    let label = label.coded(codes.ends, None);
    write_atomic(&png_path, |w| png::write_grey(w, values, codes, &label))?;
    Ok(vec![exr_path, png_path])
}

/// Values of code 0 and code 65535. Zero itself is always a code: 0 if no value is below it, else 32768,
/// which leaves 32767 codes for the larger of the two signs.
fn map_ends(min: f64, max: f64) -> [f64; 2] {
    if min >= 0.0 {
        return [0.0, max];
    }
    let most = max.max(-min);
    [-most * 32768.0 / 32767.0, most]
}

/// Reads a field that [`write_map`] wrote as EXR, with its name, unit and meaning; a file from elsewhere is named
/// after itself. `max_bytes` is the memory that reading may use `[byte]`.
pub fn read_map(path: &Path, max_bytes: u64) -> Result<Field, ReadError> {
    let options = ReadOptions { max_bytes, ..ReadOptions::default() };
    let (reading, file) = Reading::open(path, &options)?;
    let opened = exr::Opened::new(reading, file)?;
    let label = opened.label()?;
    let values = opened.read(&mut Vec::new())?.heights;
    let info = match label {
        Some(label) => label.info(),
        None => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            FieldInfo { name: name.into(), unit: "-".into(), meaning: "".into() }
        }
    };
    Ok(Field { info, values })
}

/// Writes a picture of `width` × `height` pixels as 8-bit sRGB; `pixels` holds red, green and blue of
/// each, row after row from the top.
pub fn write_png_rgb(path: &Path, width: usize, height: usize, pixels: &[u8]) -> Result<(), WriteError> {
    write_described_png(path, [width, height], pixels, "")
}

/// As [`write_png_rgb`], with a line of ASCII about the picture in the file.
pub fn write_described_png(
    path: &Path,
    [width, height]: [usize; 2],
    pixels: &[u8],
    description: &str,
) -> Result<(), WriteError> {
    check_size(path, width, height)?;
    check_pixels(path, width, height, pixels)?;
    write_atomic(path, |w| png::write_rgb(w, [width as u32, height as u32], pixels, description))
}

/// The line that a picture was written with; none if it has none, or cannot be read.
pub fn read_png_description(path: &Path) -> Option<String> {
    let options = ReadOptions::default();
    let (reading, file) = Reading::open(path, &options).ok()?;
    png::Opened::new(reading, file).ok()?.description()
}

/// Three bytes for each pixel, no more and no less.
pub(crate) fn check_pixels(
    path: &Path,
    width: usize,
    height: usize,
    pixels: &[u8],
) -> Result<(), WriteError> {
    if width.checked_mul(height).and_then(|count| count.checked_mul(3)) == Some(pixels.len()) {
        return Ok(());
    }
    Err(WriteError::Pixels { path: path.into(), width, height, bytes: pixels.len() })
}

/// Reads a picture of 8-bit grey, colour or palette: its width, its height, and red, green and blue of
/// each pixel, row after row from the top. Alpha is dropped; of a moving picture this is the first frame.
/// `max_bytes` is the memory that reading may use `[byte]`.
pub fn read_png_rgb(path: &Path, max_bytes: u64) -> Result<(usize, usize, Vec<u8>), ReadError> {
    let options = ReadOptions { max_bytes, ..ReadOptions::default() };
    let (reading, file) = Reading::open(path, &options)?;
    let opened = png::Opened::new(reading, file)?;
    let (width, height) = (opened.size.cols, opened.size.rows);
    Ok((width, height, opened.read_rgb()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_a_code_of_its_own() {
        assert_eq!(Codes { ends: map_ends(0.5, 3.0) }.of(0.0), 0);
        assert_eq!(Codes { ends: map_ends(0.5, 3.0) }.of(3.0), 65535);
        for (min, max) in [(-1.0, 5.0), (-7.0, 0.1), (-3.0, -2.0)] {
            let codes = Codes { ends: map_ends(min, max) };
            assert_eq!(codes.of(0.0), 32768, "{min} to {max}");
            assert!(codes.of(min as f32) >= 1);
        }
    }
}
