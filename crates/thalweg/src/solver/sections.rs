//! What a solver saves, by name.

use serde_json::{Map, Value};
use thalweg_field::range::{NATURAL, all_within};
use thalweg_io::checkpoint::{Checkpoint, Section};

/// Named numbers and arrays of a solver's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sections {
    /// Single numbers, and what `info` tells of a checkpoint.
    pub header: Map<String, Value>,
    arrays: Vec<(String, Section)>,
}

impl Sections {
    /// Those of a checkpoint.
    pub(crate) fn of(checkpoint: &Checkpoint) -> Self {
        let header = checkpoint.header.as_object().cloned().unwrap_or_default();
        Self { header, arrays: checkpoint.sections.clone() }
    }

    /// All arrays, in the order they were put in.
    pub(crate) fn arrays(&self) -> &[(String, Section)] {
        &self.arrays
    }

    /// Puts in a single number, or several.
    pub fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.header.insert(key.into(), value.into());
    }

    /// Puts in 64-bit floats.
    pub fn put_doubles(&mut self, name: &str, values: Vec<f64>) {
        self.arrays.push((name.into(), Section::F64(values)));
    }

    /// Puts in 32-bit floats.
    pub fn put_floats(&mut self, name: &str, values: Vec<f32>) {
        self.arrays.push((name.into(), Section::F32(values)));
    }

    /// Puts in bytes.
    pub fn put_bytes(&mut self, name: &str, values: Vec<u8>) {
        self.arrays.push((name.into(), Section::Bytes(values)));
    }

    /// A whole number; the text says that there is none.
    pub fn number(&self, key: &str) -> Result<u64, String> {
        let value = self.header.get(key).and_then(Value::as_u64);
        value.ok_or_else(|| format!("its header lacks \"{key}\""))
    }

    /// 64-bit floats; the text says that there are none.
    pub fn doubles(&self, name: &str) -> Result<&[f64], String> {
        match self.array(name) {
            Some(Section::F64(values)) => Ok(values),
            _ => Err(lacks(name)),
        }
    }

    /// 32-bit floats; the text says that there are none.
    pub fn floats(&self, name: &str) -> Result<&[f32], String> {
        match self.array(name) {
            Some(Section::F32(values)) => Ok(values),
            _ => Err(lacks(name)),
        }
    }

    /// Bytes; the text says that there are none.
    pub fn bytes(&self, name: &str) -> Result<&[u8], String> {
        match self.array(name) {
            Some(Section::Bytes(values)) => Ok(values),
            _ => Err(lacks(name)),
        }
    }

    fn array(&self, name: &str) -> Option<&Section> {
        self.arrays.iter().find(|(own, _)| own == name).map(|(_, section)| section)
    }

    /// The words for a state beyond the end of the run.
    pub fn too_far(&self, steps: u64) -> Result<String, String> {
        let step = self.number("step")?;
        Ok(format!(
            "it is at step {step} already, beyond the {steps} steps asked for; ask for more, or run without --resume"
        ))
    }
}

/// The shortest and the longest time step so far [s]; before the first there is none.
pub(super) fn time_steps(clock: &[f64]) -> Result<super::TimeSteps, String> {
    let steps = super::TimeSteps(clock.try_into().map_err(|_| lacks("clock"))?);
    if steps != super::TimeSteps::NONE {
        all_within("its shortest or longest time step,", &steps.0, &NATURAL)?;
    }
    Ok(steps)
}

fn lacks(section: &str) -> String {
    format!("its section \"{section}\" is missing")
}
