//! The description that travels with a file: beside it as `name.thalweg.json`, inside it as text.

use crate::atomic::write_atomic;
use crate::error::folder_of;
use crate::reading::open_regular;
use crate::{ReadError, WriteError};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use thalweg_field::{FieldInfo, Frame, Grid2};

/// Version of the description. Version 1 had neither the name of its file nor anything from `quantum` on.
const SCHEMA: u32 = 2;

/// Longest description that is read `[byte]`.
const LONGEST: u64 = 1 << 20;

/// Name of the description inside a PNG or EXR file.
pub(crate) const KEY: &str = "thalweg";

/// The other order of rows than ours.
pub(crate) const SOUTH_FIRST: &str = "south to north";

/// What the bed height is called.
pub(crate) const HEIGHT: FieldInfo = FieldInfo::new("height", "m", "height of the bed");

/// Size, place and meaning of the numbers in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Label {
    pub schema: u32,
    pub tool: String,
    /// The file that this describes, without its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub quantity: String,
    pub unit: String,
    pub meaning: String,
    pub cols: usize,
    pub rows: usize,
    pub cell_m: f64,
    /// South-west corner, east and north.
    pub origin_m: [f64; 2],
    pub crs: Option<String>,
    /// Smallest and largest finite value.
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub bits: u32,
    /// Values of the smallest and the largest integer code; none for floats, which hold the value itself.
    pub code_values: Option<[f64; 2]>,
    /// How codes follow the values between those; missing: in a straight line.
    #[serde(default, skip_serializing_if = "Curve::is_linear")]
    pub code_curve: Curve,
    pub byte_order: Option<ByteOrder>,
    pub row_order: String,
    pub up_axis: String,
    /// Difference of value between two codes, where they lie on a straight line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantum: Option<f64>,
    /// What stands where there is no value, if the format has something for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodata: Option<String>,
    #[serde(flatten)]
    pub story: Story,
}

/// Where a terrain comes from and where it is to go, for its description.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Story {
    /// Height of a standing sea `[m]`.
    #[serde(rename = "sea_level_m", skip_serializing_if = "Option::is_none")]
    pub sea_level: Option<f64>,
    /// The seed it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// A hash of the scene it was made from, all its parameters filled in.
    #[serde(rename = "parameters_hash", skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// What to type into a program, by the words in its windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<serde_json::Value>,
}

/// How codes follow values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Curve {
    #[default]
    Linear,
    /// The square root of the value, on both sides of zero; zero is the smallest code, or 32768 of 65535.
    SquareRoot,
}

impl Curve {
    fn is_linear(&self) -> bool {
        *self == Self::Linear
    }
}

/// Which byte of a number comes first in a file that does not say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ByteOrder {
    /// The low one, as all usual processors have it.
    Little,
    /// The high one.
    Big,
}

impl Label {
    /// Describes values kept as 32-bit floats.
    pub(crate) fn new(info: &FieldInfo, values: &Grid2<f32>, frame: &Frame) -> Self {
        Self::of_range(info, [values.cols(), values.rows()], values.range(), frame)
    }

    /// The same, where only the range of the values is known.
    pub(crate) fn of_range(
        info: &FieldInfo,
        [cols, rows]: [usize; 2],
        range: Option<(f32, f32)>,
        frame: &Frame,
    ) -> Self {
        Self {
            schema: SCHEMA,
            tool: concat!("thalweg ", env!("CARGO_PKG_VERSION")).into(),
            file: None,
            quantity: info.name.to_string(),
            unit: info.unit.to_string(),
            meaning: info.meaning.to_string(),
            cols,
            rows,
            cell_m: frame.cell,
            origin_m: frame.origin,
            crs: frame.crs.clone(),
            min: range.map(|(low, _)| low.into()),
            max: range.map(|(_, high)| high.into()),
            bits: 32,
            code_values: None,
            code_curve: Curve::Linear,
            byte_order: None,
            row_order: "north to south".into(),
            up_axis: "z".into(),
            quantum: None,
            nodata: None,
            story: Story::default(),
        }
    }

    /// The same, for values kept as 16-bit codes that run from `code_values[0]` to `code_values[1]`.
    pub(crate) fn coded(self, code_values: [f64; 2], byte_order: Option<ByteOrder>) -> Self {
        let [low, high] = code_values;
        let quantum = Some((high - low) / 65535.0);
        Self { bits: 16, code_values: Some(code_values), byte_order, quantum, ..self }
    }

    /// The same, for codes that follow a curve.
    pub(crate) fn curved(self, code_curve: Curve) -> Self {
        let quantum = self.quantum.filter(|_| code_curve.is_linear());
        Self { code_curve, quantum, ..self }
    }

    /// What the numbers are.
    pub(crate) fn info(&self) -> FieldInfo {
        let [name, unit, meaning] =
            [&self.quantity, &self.unit, &self.meaning].map(|text| text.clone().into());
        FieldInfo { name, unit, meaning }
    }

    /// One line of JSON in ASCII: PNG's tEXt and EXR's strings hold Latin-1 at best.
    pub(crate) fn to_ascii(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        // JSON has text beyond ASCII only inside strings, where \u escapes may stand for it.
        json.encode_utf16()
            .map(|unit| match u8::try_from(unit) {
                Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
                _ => format!("\\u{unit:04x}"),
            })
            .collect()
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads and checks a description found in `path`.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, ReadError> {
        let wrong = |reason: String| ReadError::Label { path: path.into(), reason };
        let label: Self = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if !(1..=SCHEMA).contains(&label.schema) {
            return Err(wrong(format!("it has schema {} but 1 to {SCHEMA} are understood", label.schema)));
        }
        if !(label.cell_m.is_finite() && label.cell_m > 0.0) {
            return Err(wrong(format!("cell_m is {} but must be above 0", label.cell_m)));
        }
        let mut numbers = label.origin_m.into_iter().chain(label.code_values.into_iter().flatten());
        match numbers.find(|number| !number.is_finite()) {
            Some(number) => Err(wrong(format!("{number} is not a finite number"))),
            None => Ok(label),
        }
    }

    /// The description beside a file, if there is one: its own, else the one that the files of its name share.
    pub(crate) fn beside(path: &Path) -> Result<Option<(Self, PathBuf)>, ReadError> {
        let own = own_sidecar_of(path);
        if let Some(label) = Self::at(&own)? {
            return Ok(Some((label, own)));
        }
        let shared = sidecar_of(path);
        Ok(Self::at(&shared)?.map(|label| (label, shared)))
    }

    fn at(sidecar: &Path) -> Result<Option<Self>, ReadError> {
        let io = |source| ReadError::Io { path: sidecar.into(), source };
        let file = match open_regular(sidecar) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(io)?,
        };
        let mut text = Vec::new();
        file.take(LONGEST).read_to_end(&mut text).map_err(io)?;
        Self::parse(&String::from_utf8_lossy(&text), sidecar).map(Some)
    }

    /// Writes the description of a file beside it: as `name.thalweg.json`, or, where that belongs to another file of this
    /// name that is still there, as `name.ending.thalweg.json`.
    pub(crate) fn write_beside(&self, path: &Path) -> Result<PathBuf, WriteError> {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let shared = sidecar_of(path);
        let taken = match Self::at(&shared) {
            Ok(Some(Self { file: Some(other), .. })) => {
                other != file && folder_of(path).join(other).is_file()
            }
            // One without a name is of an earlier version, and whose it is nobody knows.
            _ => false,
        };
        let own = own_sidecar_of(path);
        let sidecar = if taken || own.is_file() { own } else { shared };
        let label = Self { file: Some(file), ..self.clone() };
        write_atomic(&sidecar, |w| w.write_all(label.to_json().as_bytes()))?;
        Ok(sidecar)
    }
}

/// `folder/name.thalweg.json` for `folder/name.png`.
pub(crate) fn sidecar_of(path: &Path) -> PathBuf {
    with_ending(path, path.file_stem())
}

/// `folder/name.png.thalweg.json` for `folder/name.png`.
fn own_sidecar_of(path: &Path) -> PathBuf {
    with_ending(path, path.file_name())
}

fn with_ending(path: &Path, name: Option<&OsStr>) -> PathBuf {
    let mut name = name.unwrap_or_default().to_owned();
    name.push(".thalweg.json");
    folder_of(path).join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_survives_as_ascii() {
        let frame =
            Frame { cell: 0.1, origin: [1.0e6 + 0.3, -2.0], crs: Some("Gauß–Krüger 🗺 \"3\"".into()) };
        let label = Label::new(&HEIGHT, &Grid2::filled(3, 2, 1.5), &frame).coded([-1.0, 2.0], None);
        let text = label.to_ascii();
        assert!(text.is_ascii(), "{text}");
        assert_eq!(Label::parse(&text, Path::new("x")).unwrap(), label);
        assert_eq!(Label::parse(&label.to_json(), Path::new("x")).unwrap(), label);
    }

    #[test]
    fn wrong_descriptions_are_refused() {
        let label = Label::new(&HEIGHT, &Grid2::filled(3, 2, 1.5), &Frame::with_cell(2.0));
        for (right, wrong) in
            [("\"schema\":2", "\"schema\":3"), ("\"cell_m\":2.0", "\"cell_m\":0.0"), ("{", "")]
        {
            let text = label.to_ascii().replacen(right, wrong, 1);
            let message = Label::parse(&text, Path::new("a.thalweg.json")).unwrap_err().to_string();
            assert!(message.contains("a.thalweg.json") && message.contains("try"), "{message}");
        }
    }
}
