//! The `GeoTIFF` keys (OGC 19-008r4): all of them are carried through, and a few are understood.

use std::collections::BTreeMap;

pub(super) const MODEL_TYPE: u16 = 1024;
pub(super) const PROJECTED: u16 = 1;
pub(super) const GEOGRAPHIC: u16 = 2;
pub(super) const RASTER_TYPE: u16 = 1025;
pub(super) const PIXEL_IS_AREA: u16 = 1;
pub(super) const PIXEL_IS_POINT: u16 = 2;
pub(super) const CITATION: u16 = 1026;
pub(super) const GEODETIC_CRS: u16 = 2048;
pub(super) const PROJECTED_CRS: u16 = 3072;
pub(super) const PROJECTED_CITATION: u16 = 3073;
pub(super) const PROJECTED_UNITS: u16 = 3076;
pub(super) const VERTICAL_CRS: u16 = 4096;
pub(super) const VERTICAL_UNITS: u16 = 4099;
pub(super) const METRE: u16 = 9001;
/// From here on codes are private or mean "user-defined".
pub(super) const USER_DEFINED: u16 = 32767;

/// Where the values of keys lie that do not stand in the directory itself.
const IN_DOUBLES: u16 = 34736;
const IN_TEXT: u16 = 34737;

/// What a coordinate system begins with that has no number of its own but is told by its keys.
const KEYS: &str = "GeoKeys ";

/// What well-known text about a system begins with in a citation; GDAL and ArcGIS write and read it.
const WELL_KNOWN: &str = "ESRI PE String = ";

/// Longest such text that GDAL reads `[byte]`.
const LONGEST_WELL_KNOWN: usize = 2300;

/// First words of well-known text about a system of metres.
const SYSTEMS: [&str; 8] =
    ["PROJCS", "PROJCRS", "COMPD_CS", "COMPOUNDCRS", "LOCAL_CS", "ENGCRS", "BOUNDCRS", "PROJECTEDCRS"];

/// Most keys that are read.
const MOST: usize = 1000;

/// A foot `[m]`: the international one, that of the US survey, and the British one of 1936.
const FOOT: f64 = 0.3048;
const SURVEY_FOOT: f64 = 1200.0 / 3937.0;
const BRITISH_FOOT: f64 = 0.304_800_749_1;

/// Vertical systems whose heights are not in metres, and those that count downwards, by their EPSG numbers (EPSG 12).
const SURVEY_FEET: [u16; 3] = [5702, 6360, 8052];
const FEET: [u16; 5] = [6130, 6131, 6132, 8050, 8228];
const BRITISH_FEET: u16 = 5754;
const DOWNWARDS: [u16; 33] = [
    5336, 5612, 5614, 5706, 5715, 5734, 5739, 5789, 5831, 5861, 5862, 5863, 5864, 5865, 5866, 5867, 5873,
    6357, 6358, 6359, 7976, 8051, 8053, 8358, 8378, 8897, 9287, 9288, 9672, 10150, 10151, 10349, 10364,
];

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Code(u16),
    Numbers(Vec<f64>),
    Text(String),
}

/// All keys of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Keys(BTreeMap<u16, Value>);

/// In what heights are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Heights {
    /// A unit `[m]`.
    Unit(f64),
    /// Depths.
    Down(u16),
    /// A unit that is not known here.
    Unknown(u16),
}

impl Keys {
    /// Reads the three tags that hold them.
    pub(super) fn of(directory: &[u16], doubles: &[f64], text: &str) -> Self {
        let entries = directory.as_chunks::<4>().0.iter().skip(1).take(MOST);
        let value = |&[key, place, count, at]: &[u16; 4]| {
            let range = usize::from(at)..usize::from(at) + usize::from(count);
            let value = match place {
                0 => Value::Code(at),
                IN_DOUBLES => Value::Numbers(doubles.get(range)?.to_vec()),
                IN_TEXT => Value::Text(text.get(range)?.trim_end_matches(['|', '\0']).to_owned()),
                _ => return None,
            };
            Some((key, value))
        };
        Self(entries.filter_map(value).collect())
    }

    pub(super) fn code(&self, key: u16) -> Option<u16> {
        match self.0.get(&key) {
            Some(Value::Code(code)) => Some(*code),
            _ => None,
        }
    }

    /// A number that the EPSG gave.
    pub(super) fn epsg(&self, key: u16) -> Option<u16> {
        self.code(key).filter(|&code| code > 0 && code < USER_DEFINED)
    }

    /// The unit of heights.
    pub(super) fn heights(&self) -> Heights {
        let system = self.epsg(VERTICAL_CRS);
        if let Some(code) = system.filter(|code| DOWNWARDS.contains(code)) {
            return Heights::Down(code);
        }
        match (self.epsg(VERTICAL_UNITS), system) {
            (Some(METRE), _) => Heights::Unit(1.0),
            (Some(9002), _) => Heights::Unit(FOOT),
            (Some(9003), _) => Heights::Unit(SURVEY_FOOT),
            (Some(9095), _) => Heights::Unit(BRITISH_FOOT),
            (Some(unit), _) => Heights::Unknown(unit),
            (None, Some(code)) if SURVEY_FEET.contains(&code) => Heights::Unit(SURVEY_FOOT),
            (None, Some(code)) if FEET.contains(&code) => Heights::Unit(FOOT),
            (None, Some(BRITISH_FEET)) => Heights::Unit(BRITISH_FOOT),
            (None, _) => Heights::Unit(1.0),
        }
    }

    /// The coordinate system as text: by its numbers where it has some, else all keys about it. What is said of heights is
    /// left out if they have been changed.
    pub(super) fn crs(&self, vertical: bool) -> Option<String> {
        let height = self.epsg(VERTICAL_CRS).filter(|_| vertical);
        if let Some(code) = self.epsg(PROJECTED_CRS) {
            return Some(match height {
                Some(height) => format!("EPSG:{code}+{height}"),
                None => format!("EPSG:{code}"),
            });
        }
        if let Some(Value::Text(text)) = self.0.get(&PROJECTED_CITATION)
            && let Some(system) = text.strip_prefix(WELL_KNOWN)
        {
            return Some(system.to_owned());
        }
        let told = |key: u16| self.0.contains_key(&key);
        if !(told(PROJECTED_CRS) || told(GEODETIC_CRS) || told(PROJECTED_CITATION) || told(CITATION)) {
            return None;
        }
        let keys: serde_json::Map<_, _> = self
            .0
            .iter()
            .filter(|(key, _)| **key != RASTER_TYPE && (vertical || **key < VERTICAL_CRS))
            .map(|(key, value)| {
                let value = match value {
                    Value::Code(code) => (*code).into(),
                    // A double among numbers is told from a code by being in a list.
                    Value::Numbers(numbers) => numbers.clone().into(),
                    Value::Text(text) => text.clone().into(),
                };
                (key.to_string(), value)
            })
            .collect();
        Some(format!("{KEYS}{}", serde_json::Value::Object(keys)))
    }

    /// The keys for a coordinate system of squares of metres, by the text that [`Self::crs`] gives.
    pub(super) fn for_crs(crs: Option<&str>) -> Self {
        let mut keys = crs.and_then(Self::system).unwrap_or_default();
        keys.0.insert(RASTER_TYPE, Value::Code(PIXEL_IS_AREA));
        keys
    }

    /// The keys about a coordinate system; `None` if they cannot tell it.
    pub(super) fn system(crs: &str) -> Option<Self> {
        Self::told(crs).or_else(|| Self::numbered(crs)).or_else(|| Self::well_known(crs))
    }

    /// Well-known text, where none of its characters means something else among keys.
    fn well_known(crs: &str) -> Option<Self> {
        let fits = crs.is_ascii() && !crs.contains(['|', '\0']) && crs.len() <= LONGEST_WELL_KNOWN;
        let known = SYSTEMS.iter().any(|word| crs.to_ascii_uppercase().starts_with(word));
        (fits && known).then(|| {
            Self(BTreeMap::from([
                (MODEL_TYPE, Value::Code(USER_DEFINED)),
                (PROJECTED_CITATION, Value::Text(format!("{WELL_KNOWN}{crs}"))),
            ]))
        })
    }

    fn numbered(crs: &str) -> Option<Self> {
        let codes = crs.strip_prefix("EPSG:")?;
        let number = |text: &str| text.parse().ok().filter(|&code: &u16| code > 0 && code < USER_DEFINED);
        let (code, height) = match codes.split_once('+') {
            Some((code, height)) => (number(code)?, Some(number(height)?)),
            None => (number(codes)?, None),
        };
        let mut keys =
            BTreeMap::from([(MODEL_TYPE, Value::Code(PROJECTED)), (PROJECTED_CRS, Value::Code(code))]);
        if let Some(height) = height {
            keys.insert(VERTICAL_CRS, Value::Code(height));
            keys.insert(VERTICAL_UNITS, Value::Code(METRE));
        }
        Some(Self(keys))
    }

    fn told(crs: &str) -> Option<Self> {
        let keys: BTreeMap<String, serde_json::Value> = serde_json::from_str(crs.strip_prefix(KEYS)?).ok()?;
        let value = |value: serde_json::Value| {
            Some(match value {
                serde_json::Value::Number(code) => Value::Code(u16::try_from(code.as_u64()?).ok()?),
                serde_json::Value::Array(numbers) => {
                    Value::Numbers(numbers.iter().map(serde_json::Value::as_f64).collect::<Option<_>>()?)
                }
                serde_json::Value::String(text) if text.is_ascii() => Value::Text(text),
                _ => return None,
            })
        };
        let keys: Option<_> =
            keys.into_iter().map(|(key, told)| Some((key.parse().ok()?, value(told)?))).collect();
        keys.map(Self)
    }

    /// The three tags that hold them: the directory, numbers and text.
    pub(super) fn tags(&self) -> (Vec<u16>, Vec<f64>, String) {
        let (mut directory, mut doubles, mut text) =
            (vec![1, 1, 1, self.0.len() as u16], Vec::new(), String::new());
        for (key, value) in &self.0 {
            let [place, count, at] = match value {
                Value::Code(code) => [0, 1, *code],
                Value::Numbers(numbers) => {
                    let at = doubles.len() as u16;
                    doubles.extend(numbers);
                    [IN_DOUBLES, numbers.len() as u16, at]
                }
                Value::Text(words) => {
                    let at = text.len() as u16;
                    text += words;
                    text.push('|');
                    [IN_TEXT, words.len() as u16 + 1, at]
                }
            };
            directory.extend([*key, place, count, at]);
        }
        (directory, doubles, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_without_a_number_keeps_all_its_keys() {
        let keys = Keys(BTreeMap::from([
            (MODEL_TYPE, Value::Code(PROJECTED)),
            (RASTER_TYPE, Value::Code(PIXEL_IS_AREA)),
            (CITATION, Value::Text("USA \"Albers\"".into())),
            (PROJECTED_CRS, Value::Code(USER_DEFINED)),
            (3078, Value::Numbers(vec![29.5])),
            (4097, Value::Text("NAVD88".into())),
        ]));
        let (directory, doubles, text) = keys.tags();
        assert_eq!(Keys::of(&directory, &doubles, &text), keys);
        let crs = keys.crs(true).unwrap();
        assert_eq!(Keys::for_crs(Some(&crs)), keys);
        assert!(!keys.crs(false).unwrap().contains("NAVD88"));
        assert_eq!(Keys::for_crs(Some("EPSG:26911+5703")).crs(true).as_deref(), Some("EPSG:26911+5703"));
    }

    #[test]
    fn a_system_in_words_keeps_them() {
        let albers = r#"PROJCS["Albers",GEOGCS["GCS",AUTHORITY["EPSG","4269"]],UNIT["Meter",1.0]]"#;
        let (directory, doubles, text) = Keys::for_crs(Some(albers)).tags();
        assert_eq!(Keys::of(&directory, &doubles, &text).crs(true).as_deref(), Some(albers));
        for other in ["somewhere", r#"PROJCS["Gauß"]"#, r#"PROJCS["a|b"]"#] {
            assert_eq!(Keys::system(other), None, "{other}");
        }
    }
}
