//! Quantities as people write them: `"12 mm/h"`, `"30 deg"`, or a plain number in SI.
//!
//! Parameter structs name the dimension of a field once; [`describe`](crate::describe) tells the rest about it:
//!
//! ```
//! use serde::Deserialize;
//! use thalweg_field::units;
//!
//! #[derive(Deserialize)]
//! struct Rain {
//!     /// Rain reaching every cell [m/s].
//!     #[serde(with = "units::Speed")]
//!     rate: f64,
//! }
//! let rain: Rain = toml::from_str("rate = '36 mm/h'").unwrap();
//! assert!((rain.rate - 1.0e-5).abs() < 1.0e-18);
//! assert!(toml::from_str::<Rain>("rate = '3 kg'").is_err());
//! ```

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Declares the dimensions: the name in the code, the name for people, the units that it can be written in, each with its
/// size in SI, and a type of the same name to read and describe such a quantity with.
macro_rules! dimensions {
    ($($(#[$meaning:meta])* $name:ident $words:literal [$($unit:literal $size:expr),+];)*) => {
        /// What kind of quantity a number is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Dimension {
            $($(#[$meaning])* $name,)*
        }

        impl Dimension {
            /// All there are.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its name, as in descriptions.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $words,)* }
            }

            /// The units it can be written in, each with its size in SI; the first is the SI unit itself.
            pub fn units(self) -> &'static [(&'static str, f64)] {
                match self { $(Self::$name => &[$(($unit, $size)),+],)* }
            }
        }

        $(
            #[doc = concat!("A parameter that is a ", $words, ", as a number in SI or text with a unit.")]
            ///
            /// Stands beside the field, `#[serde(with = "..")]`: it reads, writes and describes the same quantity. The
            /// field is a `f64`, or an `Option` of one.
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Quantity for $name {
                const DIMENSION: Dimension = Dimension::$name;
            }

            impl $name {
                /// Reads it.
                pub fn deserialize<'de, V: Scalar, D: Deserializer<'de>>(value: D) -> Result<V, D::Error> {
                    V::read(Dimension::$name, value)
                }

                /// Writes it, in SI.
                pub fn serialize<V: Serialize, S: Serializer>(value: &V, to: S) -> Result<S::Ok, S::Error> {
                    value.serialize(to)
                }
            }

            impl JsonSchema for $name {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    Dimension::$name.schema()
                }
            }
        )*
    };
}

const DEGREE: f64 = std::f64::consts::PI / 180.0;

/// A Julian year, 365.25 days `[s]`; geological time is counted in these.
pub const YEAR: f64 = 31_557_600.0;

dimensions! {
    /// Metres.
    Length "length" ["m" 1.0, "km" 1.0e3, "cm" 1.0e-2, "mm" 1.0e-3, "um" 1.0e-6, "ft" 0.3048];
    /// Seconds.
    Time "time" ["s" 1.0, "ms" 1.0e-3, "min" 60.0, "h" 3600.0, "d" 86_400.0, "yr" YEAR, "kyr" 1.0e3 * YEAR, "Myr" 1.0e6 * YEAR];
    /// Metres per second; also rain, which is metres of water per second.
    Speed "speed" [
        "m/s" 1.0, "mm/s" 1.0e-3, "mm/h" 1.0e-3 / 3600.0, "cm/h" 1.0e-2 / 3600.0, "m/h" 1.0 / 3600.0,
        "mm/d" 1.0e-3 / 86_400.0, "km/h" 1.0 / 3.6,
        "m/yr" 1.0 / YEAR, "mm/yr" 1.0e-3 / YEAR, "m/kyr" 1.0e-3 / YEAR, "km/Myr" 1.0e-3 / YEAR
    ];
    /// Metres per second, in each second.
    Acceleration "acceleration" ["m/s2" 1.0, "m/s²" 1.0];
    /// Cubic metres per second.
    Discharge "discharge" ["m3/s" 1.0, "m³/s" 1.0, "l/s" 1.0e-3, "m3/h" 1.0 / 3600.0];
    /// Radians.
    Angle "angle" ["rad" 1.0, "deg" DEGREE, "°" DEGREE];
    /// Per second.
    Rate "rate" ["1/s" 1.0, "1/min" 1.0 / 60.0, "1/h" 1.0 / 3600.0, "1/d" 1.0 / 86_400.0];
    /// Per second, in each second.
    Springiness "springiness" ["1/s2" 1.0, "1/s²" 1.0];
    /// Square metres.
    Area "area" ["m2" 1.0, "m²" 1.0, "km2" 1.0e6, "km²" 1.0e6, "ha" 1.0e4];
    /// Kilograms.
    Mass "mass" ["kg" 1.0, "g" 1.0e-3, "mg" 1.0e-6, "t" 1.0e3];
    /// Kilograms per cubic metre.
    Density "density" ["kg/m3" 1.0, "kg/m³" 1.0, "g/cm3" 1.0e3, "g/cm³" 1.0e3];
    /// Pascals.
    Pressure "pressure" ["Pa" 1.0, "kPa" 1.0e3];
    /// Pascal seconds: how thick a fluid is.
    Viscosity "viscosity" ["Pa s" 1.0, "Pa·s" 1.0, "mPa s" 1.0e-3, "mPa·s" 1.0e-3];
    /// Square metres per second: how fast something spreads.
    Diffusivity "diffusivity" [
        "m2/s" 1.0, "m²/s" 1.0, "mm2/s" 1.0e-6, "mm²/s" 1.0e-6, "m2/yr" 1.0 / YEAR, "m²/yr" 1.0 / YEAR,
        "m2/kyr" 1.0e-3 / YEAR, "m²/kyr" 1.0e-3 / YEAR
    ];
    /// Square metres per square second: pressure for each unit of density.
    Stiffness "stiffness" ["m2/s2" 1.0, "m²/s²" 1.0];
    /// Pascals for each root of a rate of shear.
    ShearConstant "shear constant" ["Pa s^0.5" 1.0, "Pa·s^½" 1.0];
    /// Seconds per metre.
    Slowness "slowness" ["s/m" 1.0];
    /// A pure ratio.
    Ratio "ratio" ["" 1.0, "-" 1.0, "%" 1.0e-2];
    /// A number whose unit depends on another parameter, so that none can be written.
    Number "number" ["" 1.0];
}

impl Dimension {
    /// The SI unit as it is told to people; empty for a pure number.
    pub fn symbol(self) -> &'static str {
        let units = self.units();
        // The one with raised numbers and dots is the better looking of two that are one.
        let same = units.iter().find(|(unit, size)| *size == 1.0 && !unit.is_ascii());
        same.map_or(units[0].0, |(unit, _)| unit)
    }

    /// The dimension of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|dimension| dimension.name() == name)
    }

    /// What a value of it looks like in a scene file, for editors and for [`describe`](crate::describe).
    pub fn schema(self) -> Schema {
        let escaped = |unit: &str| unit.replace('^', r"\^").replace('.', r"\.");
        let units = self.units().iter().filter(|(unit, _)| !unit.is_empty());
        let units: Vec<_> = units.map(|(unit, _)| escaped(unit)).collect();
        let number = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?";
        json_schema!({
            "type": ["number", "string"],
            "pattern": format!(r"^\s*{number}\s*({})?\s*$", units.join("|")),
            "x-dimension": self.name(),
            "x-unit": self.symbol(),
        })
    }
}

/// A type that stands for a dimension.
pub trait Quantity {
    /// Which.
    const DIMENSION: Dimension;
}

/// A field that holds one quantity.
pub trait Scalar: Sized {
    /// Reads it.
    fn read<'de, D: Deserializer<'de>>(dimension: Dimension, value: D) -> Result<Self, D::Error>;
}

impl Scalar for f64 {
    fn read<'de, D: Deserializer<'de>>(dimension: Dimension, value: D) -> Result<Self, D::Error> {
        value.deserialize_any(One(dimension))
    }
}

impl Scalar for Option<f64> {
    fn read<'de, D: Deserializer<'de>>(dimension: Dimension, value: D) -> Result<Self, D::Error> {
        value.deserialize_option(Maybe(dimension))
    }
}

/// A field that holds a list of quantities of fixed length.
pub trait Several: Sized {
    /// Reads it.
    fn read<'de, D: Deserializer<'de>>(dimension: Dimension, values: D) -> Result<Self, D::Error>;
}

impl<const N: usize> Several for [f64; N] {
    fn read<'de, D: Deserializer<'de>>(dimension: Dimension, values: D) -> Result<Self, D::Error> {
        values.deserialize_seq(List::<N>(dimension))
    }
}

impl<const N: usize> Several for Option<[f64; N]> {
    fn read<'de, D: Deserializer<'de>>(dimension: Dimension, values: D) -> Result<Self, D::Error> {
        <[f64; N]>::read(dimension, values).map(Some)
    }
}

/// A parameter that is a list of `N` quantities of one dimension; the field is an array, or an `Option` of one.
#[derive(Clone, Copy, Debug)]
pub struct Listed<Q, const N: usize>(PhantomData<Q>);

/// A parameter that is two quantities of one dimension.
pub type Pair<Q> = Listed<Q, 2>;
/// A parameter that is three quantities of one dimension: to the east, to the north and up.
pub type Triple<Q> = Listed<Q, 3>;

impl<Q: Quantity, const N: usize> Listed<Q, N> {
    /// Reads it.
    pub fn deserialize<'de, V: Several, D: Deserializer<'de>>(values: D) -> Result<V, D::Error> {
        V::read(Q::DIMENSION, values)
    }

    /// Writes it, in SI.
    pub fn serialize<V: Serialize, S: Serializer>(values: &V, to: S) -> Result<S::Ok, S::Error> {
        values.serialize(to)
    }
}

impl<Q: Quantity, const N: usize> JsonSchema for Listed<Q, N> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{N}_{}", Q::DIMENSION.name()).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": Q::DIMENSION.schema(), "minItems": N, "maxItems": N })
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
    #[error("unit \"{unit}\" in \"{text}\" does not fit; {}", said(.expected))]
    Unit {
        /// The whole text.
        text: String,
        /// The unit found.
        unit: String,
        /// The units that fit.
        expected: Vec<&'static str>,
    },
}

/// Which units would do.
fn said(expected: &[&str]) -> String {
    match expected {
        [] => "write a plain number, its unit depends on another parameter".into(),
        [only] => format!("write {only}"),
        several => format!("write one of {}", several.join(", ")),
    }
}

/// No number that people write is longer `[bytes]`; text without end is not looked through for one.
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

struct One(Dimension);

impl Visitor<'_> for One {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let units = self.0.units();
        match units[0].0 {
            "" => write!(f, "a number"),
            si => {
                let other = units.get(1).map_or(si, |(unit, _)| unit);
                write!(f, "a number in {si} or text with a unit, such as \"1 {other}\"")
            }
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

impl<'de> DeserializeSeed<'de> for One {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_any(self)
    }
}

struct List<const N: usize>(Dimension);

impl<'de, const N: usize> Visitor<'de> for List<N> {
    type Value = [f64; N];

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let parts = if N == 2 { "[east, north]" } else { "[east, north, up]" };
        write!(f, "{N} quantities, {parts}: an array of length {N}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<[f64; N], A::Error> {
        let mut list = [0.0; N];
        for (index, value) in list.iter_mut().enumerate() {
            *value =
                seq.next_element_seed(One(self.0))?.ok_or_else(|| A::Error::invalid_length(index, &self))?;
        }
        if seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(A::Error::invalid_length(N + 1, &self));
        }
        Ok(list)
    }
}

struct Maybe(Dimension);

impl<'de> Visitor<'de> for Maybe {
    type Value = Option<f64>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        One(self.0).expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<Option<f64>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<f64>, D::Error> {
        deserializer.deserialize_any(One(self.0)).map(Some)
    }
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
        close("2 kyr", Dimension::Time, 2000.0 * 365.25 * 86_400.0);
        close("1 mm/yr", Dimension::Speed, 3.168_808_781_402_895e-11);
        close("0.01 m2/yr", Dimension::Diffusivity, 3.168_808_781_402_895e-10);
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_the_reason() {
        assert!(matches!(parse("lots", Dimension::Length), Err(ParseError::NotANumber(_))));
        assert!(matches!(parse("", Dimension::Length), Err(ParseError::NotANumber(_))));
        assert!(matches!(parse("inf m", Dimension::Length), Err(ParseError::NotFinite(_))));
        assert!(matches!(parse("nan", Dimension::Length), Err(ParseError::NotFinite(_))));
        let message = parse("3 mm/h", Dimension::Length).unwrap_err().to_string();
        assert!(message.contains("mm/h") && message.contains("m, km"), "{message}");
        let message = parse("80 %", Dimension::Density).unwrap_err().to_string();
        assert!(message.ends_with("write one of kg/m3, kg/m³, g/cm3, g/cm³"), "{message}");
        let message = parse("3 m", Dimension::Number).unwrap_err().to_string();
        assert!(message.ends_with("depends on another parameter"), "{message}");
    }

    #[test]
    fn every_dimension_reads_the_symbol_that_it_is_told_with_as_si() {
        for &dimension in Dimension::ALL {
            let text = format!("7 {}", dimension.symbol());
            assert_eq!(parse(&text, dimension), Ok(7.0), "{dimension:?}");
            assert_eq!(Dimension::named(dimension.name()), Some(dimension));
        }
    }
}
