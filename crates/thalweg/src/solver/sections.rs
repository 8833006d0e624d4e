//! What a solver saves, by name.

use serde_json::{Map, Value};
use thalweg_field::TimeSteps;
use thalweg_field::range::{NATURAL, all_within};
use thalweg_terrain::volume::{Parts, Volume};

/// An array of a solver's state.
#[derive(Clone, Debug, PartialEq)]
pub enum Section {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// Named numbers and arrays of a solver's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sections {
    /// Single numbers, and what `info` tells of a checkpoint.
    pub header: Map<String, Value>,
    arrays: Vec<(String, Section)>,
}

impl Sections {
    /// All arrays, in the order they were put in.
    pub fn arrays(&self) -> &[(String, Section)] {
        &self.arrays
    }

    /// Puts in an array.
    pub fn put_array(&mut self, name: impl Into<String>, array: Section) {
        self.arrays.push((name.into(), array));
    }

    /// Puts in all that one of several waters saved; the first under the names it gave.
    pub(crate) fn take_in(&mut self, water: usize, own: Self) {
        let named = |name: String| if water == 0 { name } else { format!("{water}:{name}") };
        self.header.extend(own.header.into_iter().map(|(key, value)| (named(key), value)));
        self.arrays.extend(own.arrays.into_iter().map(|(name, array)| (named(name), array)));
    }

    /// What one of several waters saved.
    pub(crate) fn of_water(&self, water: usize) -> Self {
        let start = format!("{water}:");
        let own = |name: &str| {
            if water == 0 { Some(name.to_owned()) } else { name.strip_prefix(&start).map(str::to_owned) }
        };
        let header = self.header.iter().filter_map(|(key, value)| Some((own(key)?, value.clone())));
        let arrays = self.arrays.iter().filter_map(|(name, array)| Some((own(name)?, array.clone())));
        Self { header: header.collect(), arrays: arrays.collect() }
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

    /// Puts in a volume.
    pub fn put_volume(&mut self, name: &str, volume: &Volume) {
        let Parts { blocks, voxels } = volume.parts();
        self.put_floats(&format!("{name}_blocks"), blocks);
        self.put_floats(&format!("{name}_voxels"), voxels);
    }

    /// A volume of the size of another; the text says why there is none.
    pub fn volume(&self, name: &str, like: &Volume) -> Result<Volume, String> {
        let floats = |part: &str| self.floats(&format!("{name}_{part}")).map(<[f32]>::to_vec);
        let parts = Parts { blocks: floats("blocks")?, voxels: floats("voxels")? };
        let volume = Volume::from_parts(like.size(), like.voxel(), like.bottom(), &parts);
        volume.map_err(|wrong| format!("its {name} does not fit the scene: {wrong}"))
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

/// The shortest and the longest time step so far `[s]`; before the first there is none.
pub(super) fn time_steps(clock: &[f64]) -> Result<TimeSteps, String> {
    let steps = TimeSteps(clock.try_into().map_err(|_| lacks("clock"))?);
    if steps != TimeSteps::NONE {
        all_within("its shortest or longest time step,", &steps.0, &NATURAL)?;
    }
    Ok(steps)
}

fn lacks(section: &str) -> String {
    format!("its section \"{section}\" is missing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_comes_back_from_its_sections_to_the_bit_and_another_does_not_fit() {
        let hill = |size: [usize; 3]| {
            let depths = |[east, _, up]: [f64; 3], row: &mut [f32]| row.fill((9.0 - up - 0.1 * east) as f32);
            Volume::from_depths(size, 0.5, 1.0, depths).unwrap()
        };
        let volume = hill([40, 20, 24]);
        let mut sections = Sections::default();
        sections.put_volume("volume", &volume);
        assert_eq!(sections.volume("volume", &volume).unwrap(), volume);
        let refused = sections.volume("volume", &hill([90, 20, 24])).unwrap_err();
        assert!(refused.contains("does not fit"), "{refused}");
        assert!(sections.volume("other", &volume).is_err());
    }
}
