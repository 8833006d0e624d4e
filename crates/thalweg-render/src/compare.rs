//! How far two pictures differ: for tests, and for anyone who changed something and wants to see what.

use crate::{Picture, contact_sheet};

/// How far pictures differ, in steps of 8 bits. The difference of a pixel is that of the channel in which
/// it is largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The mean over all pixels.
    pub mean: f64,
    /// What 99 % of the pixels do not exceed.
    pub p99: u8,
    /// The largest.
    pub max: u8,
}

/// Pictures of different sizes have no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pictures of {}×{} and {}×{} pixels cannot be compared", a[0], a[1], b[0], b[1])]
pub struct SizeError {
    /// Width and height of the first `[px]`.
    pub a: [usize; 2],
    /// Width and height of the second `[px]`.
    pub b: [usize; 2],
}

/// The difference of two pictures of one size.
///
/// ```
/// use thalweg_render::{Picture, compare};
///
/// let (grey, brighter) = (Picture::filled(10, 10, [90; 3]), Picture::filled(10, 10, [90, 90, 93]));
/// let difference = compare::difference(&grey, &brighter)?;
/// assert_eq!((difference.mean, difference.p99, difference.max), (3.0, 3, 3));
/// # Ok::<(), compare::SizeError>(())
/// ```
pub fn difference(a: &Picture, b: &Picture) -> Result<Difference, SizeError> {
    let mut counts = [0_u64; 256];
    steps(a, b)?.for_each(|[r, g, b]| counts[usize::from(r.max(g).max(b))] += 1);
    let total: u64 = counts.iter().sum();
    let sum: u64 = counts.iter().zip(0..).map(|(count, step)| count * step).sum();
    // The smallest step that enough pixels do not exceed.
    let mut seen = 0;
    let p99 = counts.iter().position(|count| {
        seen += count;
        seen * 100 >= total * 99
    });
    let max = counts.iter().rposition(|&count| count > 0);
    Ok(Difference {
        mean: sum as f64 / total.max(1) as f64,
        p99: p99.unwrap_or(0) as u8,
        max: max.unwrap_or(0) as u8,
    })
}

/// The difference of each channel, times `gain`, on black.
pub fn difference_picture(a: &Picture, b: &Picture, gain: u8) -> Result<Picture, SizeError> {
    let rgb = steps(a, b)?.flat_map(|pixel| pixel.map(|step| step.saturating_mul(gain))).collect();
    Ok(Picture { width: a.width, height: a.height, rgb })
}

/// What was expected, what came, and their difference eightfold, side by side; without the difference if
/// their sizes differ.
pub fn sheet(expected: &Picture, actual: &Picture) -> Picture {
    const GAIN: u8 = 8;
    let difference = difference_picture(expected, actual, GAIN);
    let text = format!("difference × {GAIN}");
    let mut pictures = vec![(expected, "expected"), (actual, "actual")];
    pictures.extend(difference.iter().map(|picture| (picture, text.as_str())));
    contact_sheet(&pictures, pictures.len())
}

/// The difference of every pixel's channels.
fn steps<'a>(a: &'a Picture, b: &'a Picture) -> Result<impl Iterator<Item = [u8; 3]> + 'a, SizeError> {
    let [size_a, size_b] = [a, b].map(|picture| [picture.width, picture.height]);
    if size_a != size_b {
        return Err(SizeError { a: size_a, b: size_b });
    }
    let pixels = a.rgb.chunks_exact(3).zip(b.rgb.chunks_exact(3));
    Ok(pixels.map(|(a, b)| std::array::from_fn(|i| a[i].abs_diff(b[i]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pixel_in_fifty_shows_in_the_high_percentile_and_one_in_two_hundred_does_not() {
        let plain = Picture::filled(20, 10, [100; 3]);
        let spoilt = |count: usize| {
            let mut picture = plain.clone();
            picture.rgb[..3 * count].fill(140);
            difference(&plain, &picture).unwrap()
        };
        assert_eq!(spoilt(0), Difference { mean: 0.0, p99: 0, max: 0 });
        assert_eq!(spoilt(1), Difference { mean: 0.2, p99: 0, max: 40 });
        assert_eq!(spoilt(4), Difference { mean: 0.8, p99: 40, max: 40 });
    }

    #[test]
    fn pictures_of_other_sizes_are_refused_and_empty_ones_agree() {
        let [a, b] = [[4, 3], [3, 4]].map(|[width, height]| Picture::filled(width, height, [0; 3]));
        assert_eq!(
            difference(&a, &b).unwrap_err().to_string(),
            "pictures of 4×3 and 3×4 pixels cannot be compared"
        );
        sheet(&a, &b);
        let none = Picture::filled(0, 0, [0; 3]);
        assert_eq!(difference(&none, &none).unwrap().max, 0);
    }

    #[test]
    fn the_picture_of_a_difference_is_black_where_there_is_none() {
        let plain = Picture::filled(3, 1, [100; 3]);
        let mut other = plain.clone();
        other.rgb[3..6].copy_from_slice(&[103, 100, 60]);
        let shown = difference_picture(&plain, &other, 10).unwrap();
        assert_eq!(shown.rgb, [0, 0, 0, 30, 0, 255, 0, 0, 0]);
    }
}
