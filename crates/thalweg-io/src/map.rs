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
/// are in the attribute `thalweg`. The PNG file holds 16-bit codes: from 0 up, or, where
/// values go below zero, both signs around mid-grey 32768. A few values far above all others, and many small ones below
/// them, would leave it black: its range ends where but one value in a thousand is larger, if that is less than half of the
/// largest, and where half of the values would be darker than a tenth, codes follow a root of the values. Range,
/// curve and the number of cells beyond the range are in its text `thalweg`.
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
    let (codes, clipped) = map_codes(values.values(), min, max);
    let label = Label { curve: codes.curve, clipped, ..label.coded(codes.ends, None) };
    write_atomic(&png_path, |w| {
        png::write_grey(w, [values.cols(), values.rows()], codes, &label, |row, out| {
            out.copy_from_slice(values.row(row));
            Ok(())
        })
    })?;
    Ok(vec![exr_path, png_path])
}

/// Share of the values, 0 left out, that the codes of a map reach `[-]`.
const REACHED: f64 = 0.999;

/// How much larger than that the largest value may be before it is left out `[-]`.
const OUTLIER: f64 = 2.0;

/// Share of the range that the middle one of the values should have `[-]`, and the curves that are tried for it.
const MIDDLE: f64 = 0.1;
const CURVES: [f64; 4] = [1.0, 0.5, 1.0 / 3.0, 0.25];

/// Codes of a map, and how many cells are beyond their range.
fn map_codes(values: &[f32], min: f64, max: f64) -> (Codes, u64) {
    let dust = dust(min, max);
    let mut sizes: Vec<f32> = values.iter().map(|v| v.abs()).filter(|&v| f64::from(v) > dust).collect();
    if sizes.is_empty() {
        return (Codes::straight(map_ends(min, max)), 0);
    }
    let mut at = |share: f64| {
        let index = (share * (sizes.len() - 1) as f64).round() as usize;
        f64::from(*sizes.select_nth_unstable_by(index, f32::total_cmp).1)
    };
    let (middle, reached) = (at(0.5), at(REACHED));
    let largest = max.max(-min);
    let most = if largest > OUTLIER * reached { reached } else { largest };
    let share = middle / most;
    let curve = CURVES.into_iter().find(|&curve| libm::pow(share, curve) >= MIDDLE);
    let codes = Codes {
        ends: map_ends(min.max(-most), max.min(most)),
        curve: curve.unwrap_or(CURVES[CURVES.len() - 1]),
    };
    let beyond = |&&value: &&f32| f64::from(value.abs()) > most * (1.0 + 1.0e-6);
    (codes, values.iter().filter(beyond).count() as u64)
}

/// What is too small to be anything but rounding: less than half a code of the largest value.
fn dust(min: f64, max: f64) -> f64 {
    (max.max(-min) / 131_070.0).max(f32::MIN_POSITIVE.into())
}

/// Values of code 0 and code 65535. Zero itself is always a code: 0 if no value is below it, rounding dust aside, else
/// 32768, which leaves 32767 codes for the larger of the two signs.
fn map_ends(min: f64, max: f64) -> [f64; 2] {
    let most = max.max(-min);
    if min >= -dust(min, max) {
        return [0.0, max.max(0.0)];
    }
    [-most * 32768.0 / 32767.0, most]
}

/// Share of the codes at which zero lies.
fn zero([low, high]: [f64; 2]) -> f64 {
    -low / (high - low)
}

/// Where on the codes a value lies, from 0 to 1, on each side of zero along a power of its size.
pub(crate) fn share_of(value: f64, [low, high]: [f64; 2], curve: f64) -> f64 {
    let zero = zero([low, high]);
    if value >= 0.0 {
        zero + (1.0 - zero) * libm::pow((value / high).min(1.0), curve)
    } else {
        zero - zero * libm::pow((value / low).min(1.0), curve)
    }
}

/// The value at a share of the codes; `power` is one over the curve.
pub(crate) fn value_of(share: f64, [low, high]: [f64; 2], power: f64) -> f32 {
    let zero = zero([low, high]);
    let value = if share >= zero {
        high * libm::pow((share - zero) / (1.0 - zero), power)
    } else {
        low * libm::pow((zero - share) / zero, power)
    };
    value as f32
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
        assert_eq!(Codes::straight(map_ends(0.5, 3.0)).of(0.0), 0);
        assert_eq!(Codes::straight(map_ends(0.5, 3.0)).of(3.0), 65535);
        for (min, max) in [(-1.0, 5.0), (-7.0, 0.1), (-3.0, -2.0)] {
            for curve in CURVES {
                let codes = Codes { ends: map_ends(min, max), curve };
                assert_eq!(codes.of(0.0), 32768, "{min} to {max}");
                assert!(codes.of(min as f32) >= 1 || curve != 1.0);
            }
        }
    }

    /// `sediment.png` had 0 at mid-grey because of one value of −1e-43.
    #[test]
    fn rounding_dust_does_not_choose_the_encoding() {
        for min in [-1.0e-43, -1.0e-9] {
            let codes = Codes::straight(map_ends(min, 2.0e-3));
            assert_eq!((codes.of(0.0), codes.of(min as f32), codes.of(2.0e-3)), (0, 0, 65535), "{min:e}");
        }
        assert_eq!(map_ends(-1.0e-43, 0.0)[0], 0.0);
        assert!(map_ends(-1.0e-3, 2.0e-3)[0] < 0.0, "a hundredth of the range is no dust");
    }

    /// One cell at 2852 m/s left a whole map of speeds in the two darkest codes of eight bits.
    #[test]
    fn an_outlier_does_not_blacken_a_map() {
        let mut values: Vec<f32> = (0..100_000).map(|i| (i % 1000) as f32 * 0.005).collect();
        values[77] = 2852.0;
        let (codes, clipped) = map_codes(&values, 0.0, 2852.0);
        assert!((4.9..5.1).contains(&codes.ends[1]), "the range ends at {}", codes.ends[1]);
        assert_eq!((clipped, codes.of(2852.0)), (1, 65535));
        assert!(codes.of(2.5) > 32000);
    }

    /// Nearly all water is films: on a straight line 99 % of the cells were in the lowest 5 % of the codes.
    #[test]
    fn small_values_among_large_ones_stay_visible() {
        let values: Vec<f32> = (0..10_000).map(|i| if i % 100 == 0 { 10.0 } else { 0.05 }).collect();
        let (codes, clipped) = map_codes(&values, 0.0, 10.0);
        assert_eq!(clipped, 0);
        assert!(f64::from(codes.of(0.05)) > MIDDLE * 65535.0, "a film is code {}", codes.of(0.05));
        for value in [0.0f32, 0.05, 1.0, 10.0] {
            let share = f64::from(codes.of(value)) / 65535.0;
            let back = value_of(share, codes.ends, 1.0 / codes.curve);
            assert!((back - value).abs() <= 2.0e-4 * value.max(0.01), "{value} came back as {back}");
        }
    }
}
