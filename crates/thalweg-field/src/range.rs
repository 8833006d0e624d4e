//! Ranges that numbers from outside must lie in. A file may have the right checksums and the wrong numbers.

use std::ops::RangeInclusive;

/// Every finite 64-bit number.
pub const FINITE: RangeInclusive<f64> = f64::MIN..=f64::MAX;
/// Every finite 32-bit number.
pub const FINITE_F32: RangeInclusive<f64> = f32::MIN as f64..=f32::MAX as f64;
/// Every finite 64-bit number that is not negative.
pub const NATURAL: RangeInclusive<f64> = 0.0..=f64::MAX;
/// Every finite 32-bit number that is not negative.
pub const NATURAL_F32: RangeInclusive<f64> = 0.0..=f32::MAX as f64;

/// Refuses the first value that lies outside a range or is no number; the text says which it is, counted from 0.
pub fn all_within<V: Copy + Into<f64>>(
    what: &str,
    values: &[V],
    range: &RangeInclusive<f64>,
) -> Result<(), String> {
    match values.iter().position(|&value| !range.contains(&value.into())) {
        None => Ok(()),
        Some(at) => {
            Err(format!("{what} number {at} is {}; it must be {}", brief(values[at].into()), wanted(range)))
        }
    }
}

/// A number in few digits.
pub fn brief(number: f64) -> String {
    let plain = number == 0.0 || (1.0e-3..1.0e6).contains(&number.abs());
    if plain { number.to_string() } else { format!("{number:e}") }
}

/// The whole number that a saved number must be, from 0 to `most`; the text says why it is none.
pub fn whole(what: &str, value: f64, most: u64) -> Result<u64, String> {
    let fits = value >= 0.0 && value.fract() == 0.0 && value <= most as f64;
    if fits {
        Ok(value as u64)
    } else {
        Err(format!("{what} is {value}; it must be a whole number up to {most}"))
    }
}

/// A range in words.
fn wanted(range: &RangeInclusive<f64>) -> String {
    let (low, high) = (*range.start(), *range.end());
    match (low, high) {
        (low, high) if high >= f64::from(f32::MAX) && low <= f64::from(f32::MIN) => "a finite number".into(),
        (_, high) if high >= f64::from(f32::MAX) => format!("a finite number, {low} or more"),
        _ => format!("between {low} and {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_named_by_its_number() {
        assert_eq!(all_within("depth", &[0.0f32, 3.0], &NATURAL_F32), Ok(()));
        let refused = |values: &[f32]| all_within("depth", values, &NATURAL_F32).unwrap_err();
        assert_eq!(refused(&[0.0, -1.0]), "depth number 1 is -1; it must be a finite number, 0 or more");
        assert!(refused(&[f32::NAN]).starts_with("depth number 0 is NaN"), "{}", refused(&[f32::NAN]));
        assert!(refused(&[1.0, 2.0, f32::INFINITY]).contains("number 2 is inf"));
        assert!(all_within("share", &[1.5], &(0.0..=1.0)).unwrap_err().ends_with("between 0 and 1"));
        assert_eq!(whole("steps", 7.0, 10), Ok(7));
        for value in [-1.0, 0.5, 11.0, f64::NAN, f64::INFINITY] {
            assert!(whole("steps", value, 10).is_err(), "{value} was taken for a number of steps");
        }
    }
}
