//! Quantities as people write them: `"12 mm/h"`, `"30 deg"`, or a plain number in SI.
//!
//! Parameter structs name the dimension of a field once:
//!
//! ```
//! use serde::Deserialize;
//! use thalweg_field::units;
//!
//! #[derive(Deserialize)]
//! struct Rain {
//!     /// Rain reaching every cell [m/s].
//!     #[serde(deserialize_with = "units::speed")]
//!     rate: f64,
//! }
//! let rain: Rain = toml::from_str("rate = '36 mm/h'").unwrap();
//! assert!((rain.rate - 1.0e-5).abs() < 1.0e-18);
//! ```

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// What kind of quantity a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Metres.
    Length,
    /// Seconds.
    Time,
    /// Metres per second; also rain, which is metres of water per second.
    Speed,
    /// Cubic metres per second.
    Discharge,
    /// Radians.
    Angle,
    /// Per second.
    Rate,
    /// Square metres.
    Area,
    /// A pure ratio.
    Ratio,
}

impl Dimension {
    /// The units it can be written in, each with its size in SI; the first is the SI unit itself.
    pub fn units(self) -> &'static [(&'static str, f64)] {
        const DEGREE: f64 = std::f64::consts::PI / 180.0;
        match self {
            Self::Length => {
                &[("m", 1.0), ("km", 1.0e3), ("cm", 1.0e-2), ("mm", 1.0e-3), ("um", 1.0e-6), ("ft", 0.3048)]
            }
            Self::Time => &[("s", 1.0), ("ms", 1.0e-3), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)],
            Self::Speed => &[
                ("m/s", 1.0),
                ("mm/s", 1.0e-3),
                ("mm/h", 1.0e-3 / 3600.0),
                ("cm/h", 1.0e-2 / 3600.0),
                ("m/h", 1.0 / 3600.0),
                ("mm/d", 1.0e-3 / 86_400.0),
                ("km/h", 1.0 / 3.6),
            ],
            Self::Discharge => &[("m3/s", 1.0), ("m³/s", 1.0), ("l/s", 1.0e-3), ("m3/h", 1.0 / 3600.0)],
            Self::Angle => &[("rad", 1.0), ("deg", DEGREE), ("°", DEGREE)],
            Self::Rate => {
                &[("1/s", 1.0), ("1/min", 1.0 / 60.0), ("1/h", 1.0 / 3600.0), ("1/d", 1.0 / 86_400.0)]
            }
            Self::Area => &[("m2", 1.0), ("m²", 1.0), ("km2", 1.0e6), ("km²", 1.0e6), ("ha", 1.0e4)],
            Self::Ratio => &[("", 1.0), ("-", 1.0), ("%", 1.0e-2)],
        }
    }
}

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParseError {
    /// No number where one should be.
    #[error("\"{0}\" does not begin with a number")]
    NotANumber(String),
    /// A number, but not one that can be computed with.
    #[error("\"{0}\" is not a finite number")]
    NotFinite(String),
    /// A unit of another dimension, or none.
    #[error("unit \"{unit}\" in \"{text}\" does not fit; write one of {}", .expected.join(", "))]
    Unit {
        /// The whole text.
        text: String,
        /// The unit found.
        unit: String,
        /// The units that fit.
        expected: Vec<&'static str>,
    },
}

/// No number that people write is longer [bytes]; text without end is not looked through for one.
const LONGEST_NUMBER: usize = 400;

/// Reads `text` as a quantity of the given dimension, in SI. A number without a unit is read as SI.
pub fn parse(text: &str, dimension: Dimension) -> Result<f64, ParseError> {
    let trimmed = text.trim();
    // The longest prefix that is a number: "3e2 m" has one at "3e2", "5 min" at "5 ".
    let number_end = (1..=trimmed.len().min(LONGEST_NUMBER))
        .rev()
        .filter(|&end| trimmed.is_char_boundary(end))
        .find(|&end| trimmed[..end].trim_end().parse::<f64>().is_ok());
    let Some(end) = number_end else { return Err(ParseError::NotANumber(text.to_owned())) };
    let (number, unit) = (trimmed[..end].trim_end(), trimmed[end..].trim());
    let value: f64 = number.parse().map_err(|_| ParseError::NotANumber(text.to_owned()))?;
    if !value.is_finite() {
        return Err(ParseError::NotFinite(text.to_owned()));
    }
    let units = dimension.units();
    match units.iter().find(|(name, _)| *name == unit) {
        Some((_, size)) => Ok(value * size),
        None if unit.is_empty() => Ok(value),
        None => Err(ParseError::Unit {
            text: text.to_owned(),
            unit: unit.to_owned(),
            expected: units.iter().map(|(name, _)| *name).filter(|name| !name.is_empty()).collect(),
        }),
    }
}

struct Quantity(Dimension);

impl Visitor<'_> for Quantity {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let units = self.0.units();
        match units[0].0 {
            "" => write!(f, "a number"),
            si => write!(f, "a number in {si} or text with a unit, such as \"1 {}\"", units[1].0),
        }
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        if value.is_finite() { Ok(value) } else { Err(E::custom(format!("{value} is not a finite number"))) }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        parse(text, self.0).map_err(E::custom)
    }
}

struct Pair(Dimension);

impl<'de> Visitor<'de> for Pair {
    type Value = [f64; 2];

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "two quantities, [east, north]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<[f64; 2], A::Error> {
        let mut pair = [0.0; 2];
        for (index, value) in pair.iter_mut().enumerate() {
            *value =
                seq.next_element_seed(Seed(self.0))?.ok_or_else(|| A::Error::invalid_length(index, &self))?;
        }
        if seq.next_element::<serde::de::IgnoredAny>()?.is_some() {
            return Err(A::Error::invalid_length(3, &self));
        }
        Ok(pair)
    }
}

struct Seed(Dimension);

impl<'de> serde::de::DeserializeSeed<'de> for Seed {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_any(Quantity(self.0))
    }
}

struct Maybe(Dimension);

impl<'de> Visitor<'de> for Maybe {
    type Value = Option<f64>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Quantity(self.0).expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<Option<f64>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<f64>, D::Error> {
        deserializer.deserialize_any(Quantity(self.0)).map(Some)
    }
}

macro_rules! readers {
    ($($name:ident $optional:ident $dimension:ident $unit:literal)*) => {$(
        #[doc = concat!("Reads a number or text as a quantity in ", $unit, ".")]
        pub fn $name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
            deserializer.deserialize_any(Quantity(Dimension::$dimension))
        }

        #[doc = concat!("Reads a number or text as a quantity in ", $unit, "; the key may be missing.")]
        pub fn $optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
            deserializer.deserialize_option(Maybe(Dimension::$dimension))
        }
    )*};
}

readers! {
    length optional_length Length "metres"
    time optional_time Time "seconds"
    speed optional_speed Speed "metres per second"
    discharge optional_discharge Discharge "cubic metres per second"
    angle optional_angle Angle "radians"
    rate optional_rate Rate "1/s"
    area optional_area Area "square metres"
    ratio optional_ratio Ratio "one"
}

/// Reads a place: two lengths, metres east and north.
pub fn place<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[f64; 2], D::Error> {
    deserializer.deserialize_seq(Pair(Dimension::Length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_units_become_si() {
        let close = |text, dimension, si: f64| {
            let value = parse(text, dimension).unwrap();
            assert!((value - si).abs() <= 1.0e-12 * si.abs(), "{text} gave {value}, not {si}");
        };
        close("12 mm/h", Dimension::Speed, 12.0e-3 / 3600.0);
        close("30 deg", Dimension::Angle, std::f64::consts::FRAC_PI_6);
        close("30°", Dimension::Angle, std::f64::consts::FRAC_PI_6);
        close("1.5km", Dimension::Length, 1500.0);
        close("3e2", Dimension::Length, 300.0);
        close("-2 min", Dimension::Time, -120.0);
        close("5 %", Dimension::Ratio, 0.05);
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_the_reason() {
        assert!(matches!(parse("lots", Dimension::Length), Err(ParseError::NotANumber(_))));
        assert!(matches!(parse("", Dimension::Length), Err(ParseError::NotANumber(_))));
        assert!(matches!(parse("inf m", Dimension::Length), Err(ParseError::NotFinite(_))));
        assert!(matches!(parse("nan", Dimension::Length), Err(ParseError::NotFinite(_))));
        let message = parse("3 mm/h", Dimension::Length).unwrap_err().to_string();
        assert!(message.contains("mm/h") && message.contains("m, km"), "{message}");
    }
}
