//! Maps and pictures that a run leaves behind.

use crate::atomic::write_atomic;
use crate::codes::finite_range;
use crate::label::{Curve, Label};
use crate::reading::Reading;
use crate::written::check_size;
use crate::{ReadError, ReadOptions, WriteError, exr, png, tiff};
use std::path::{Path, PathBuf};
use thalweg_field::{Field, FieldInfo, Frame, Grid2};

/// Writes a field as `<stem>.exr` and `<stem>.png` and returns the two paths.
///
/// The EXR file holds the values themselves in 32-bit floats. Its one channel is named `Y`, which every
/// program shows as grey, while a channel named after the field would be hidden by many; name and unit
/// are in the attribute `thalweg`. The PNG file holds 16-bit codes made for the eye: see [`write_map_png`].
pub fn write_map(stem: &Path, field: &Field, frame: &Frame) -> Result<Vec<PathBuf>, WriteError> {
    let with = |extension: &str| {
        let mut path = stem.as_os_str().to_owned();
        path.push(extension);
        PathBuf::from(path)
    };
    let [exr_path, png_path] = [with(".exr"), with(".png")];
    finite_range(&png_path, &field.values)?;
    write_map_exr(&exr_path, field, frame)?;
    write_map_png(&png_path, field, frame)?;
    Ok(vec![exr_path, png_path])
}

/// Writes a field as EXR, the values themselves in 32-bit floats.
pub fn write_map_exr(path: &Path, field: &Field, frame: &Frame) -> Result<(), WriteError> {
    check_size(path, field.values.cols(), field.values.rows())?;
    let label = Label::new(&field.info, &field.values, frame);
    write_atomic(path, |w| exr::write(w, &field.values, &label))
}

/// Writes a field as GeoTIFF, the values themselves in 32-bit floats, with its place on earth.
pub fn write_map_tiff(path: &Path, field: &Field, frame: &Frame) -> Result<(), WriteError> {
    check_size(path, field.values.cols(), field.values.rows())?;
    let values = &field.values;
    let label = Label { nodata: Some("nan".into()), ..Label::new(&field.info, values, frame) };
    let (cols, rows) = (values.cols(), values.rows());
    let writing = tiff::Writing { cols, rows, frame, label: &label };
    let give = |row: usize, out: &mut [f32]| -> std::io::Result<()> {
        out.copy_from_slice(values.row(row));
        Ok(())
    };
    write_atomic(path, |w| writing.write(w, give))
}

/// Writes a field as 16-bit grey PNG, made for the eye: 0 is black, or, where values go below zero, mid-grey 32768.
///
/// The largest code stands for the value that one of a thousand cells with something in them goes beyond; those keep that
/// code. Where half of the cells with something in them would have less than 15 % of that, codes follow the square
/// root of the value. Range (`code_values`) and curve (`code_curve`) are in the text `thalweg`, with the true `min` and
/// `max`; [`read_heightfield`](crate::read_heightfield) undoes them.
pub fn write_map_png(path: &Path, field: &Field, frame: &Frame) -> Result<(), WriteError> {
    write_map_png_with(path, field, frame, &MapCodes::of(&field.values))
}

/// The same, with the codes of another map: tiles of one map share them, so that no seam is seen.
pub fn write_map_png_with(
    path: &Path,
    field: &Field,
    frame: &Frame,
    codes: &MapCodes,
) -> Result<(), WriteError> {
    let values = &field.values;
    check_size(path, values.cols(), values.rows())?;
    finite_range(path, values)?;
    let label = Label::new(&field.info, values, frame).coded(codes.ends(), None).curved(codes.curve);
    write_atomic(path, |w| png::write_codes(w, values, |value| codes.code(value), &label))
}

/// One of so many cells with something in them may lie beyond the largest code.
const BEYOND: usize = 1000;

/// Below this share of the largest code half of the cells are too dark to tell apart on a screen.
const DARK: f32 = 0.15;

/// How the values of a map become the codes 0 to 65535.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapCodes {
    /// The value of the largest code.
    top: f64,
    /// Whether values below zero have codes too.
    signed: bool,
    curve: Curve,
}

impl MapCodes {
    /// Those that fit a map best.
    pub fn of(values: &Grid2<f32>) -> Self {
        let (min, max) = values.range().unwrap_or((0.0, 0.0));
        // What is below zero by less than a code is dust of rounding, not a sign.
        let signed = -min > max.abs() / f32::from(u16::MAX);
        let mut sizes: Vec<f32> = values
            .values()
            .iter()
            .map(|&v| if signed { v.abs() } else { v.max(0.0) })
            .filter(|&size| size > 0.0)
            .collect();
        if sizes.is_empty() {
            return Self { top: 0.0, signed, curve: Curve::Linear };
        }
        let count = sizes.len();
        let mut nth = |n: usize| *sizes.select_nth_unstable_by(n, f32::total_cmp).1;
        let (most, middle) = (nth(count - 1 - count / BEYOND), nth(count / 2));
        let largest = nth(count - 1);
        // Little is gained by cutting off what is hardly larger.
        let top = if largest <= 2.0 * most { largest } else { most };
        let curve = if middle < DARK * top { Curve::SquareRoot } else { Curve::Linear };
        Self { top: top.into(), signed, curve }
    }

    /// Values of code 0 and code 65535.
    fn ends(&self) -> [f64; 2] {
        let lowest = match (self.signed, self.curve) {
            (false, _) => 0.0,
            (true, Curve::Linear) => -self.top * 32768.0 / 32767.0,
            (true, Curve::SquareRoot) => -self.top * (32768.0_f64 / 32767.0).powi(2),
        };
        [lowest, self.top]
    }

    fn of_value(&self, value: f32) -> f64 {
        let share = if self.top > 0.0 { f64::from(value) / self.top } else { 0.0 };
        let share = share.clamp(if self.signed { -1.0 } else { 0.0 }, 1.0);
        let bent = match self.curve {
            Curve::Linear => share,
            Curve::SquareRoot => share.abs().sqrt().copysign(share),
        };
        if self.signed { 32768.0 + 32767.0 * bent } else { 65535.0 * bent }
    }

    fn code(&self, value: f32) -> u16 {
        self.of_value(value).round() as u16
    }
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

    fn codes(values: &[f32]) -> MapCodes {
        MapCodes::of(&Grid2::from_values(values.len(), 1, values.to_vec()).unwrap())
    }

    #[test]
    fn zero_is_a_code_of_its_own() {
        let depth = codes(&[0.5, 3.0]);
        assert_eq!([0.0, 3.0].map(|v| depth.code(v)), [0, 65535]);
        for ends in [[-1.0, 5.0], [-7.0, 0.1], [-3.0, -2.0]] {
            let codes = codes(&ends);
            assert_eq!(codes.code(0.0), 32768, "{ends:?}");
            assert!(codes.code(ends[0]) >= 1);
        }
    }

    #[test]
    fn dust_of_rounding_below_zero_is_no_sign() {
        for dust in [-1.0e-43, -1.0e-6] {
            let depth = codes(&[0.0, dust, 0.25, 0.5, 1.0]);
            assert_eq!([0.0, dust, 1.0].map(|v| depth.code(v)), [0, 0, 65535], "{dust}");
        }
        assert_eq!(codes(&[-1.0e-3, 1.0]).code(0.0), 32768);
    }

    /// Films of 1 mm to 1 cm, a lake of 10 m, and one cell in which a number went wild.
    #[test]
    fn one_wild_cell_does_not_turn_all_others_black() {
        let mut depths: Vec<f32> = (0..9000).map(|i| 0.001 + 0.009 * i as f32 / 9000.0).collect();
        depths.extend([10.0; 999]);
        depths.push(2852.0);
        let codes = codes(&depths);
        assert_eq!((codes.top, codes.curve), (10.0, Curve::SquareRoot));
        assert_eq!([10.0, 2852.0].map(|depth| codes.code(depth)), [65535; 2]);
        // A film of 5 mm is 2 % grey, not 0.05 %.
        assert_eq!(codes.code(0.005), (65535.0_f64 * (0.0005_f64).sqrt()).round() as u16);
    }
}
