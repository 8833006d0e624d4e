//! The table of methods.

use super::{Setup, Solver, particles, pipes, still, stream_power, waves};
use crate::project::{Complaint, Scene};
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::sync::{PoisonError, RwLock};
use toml::Table;

/// A method, as scenes and their checks know it.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Its `kind` in scenes, and its name in reports.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The description of its parameters.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Names of its parameter tables, each with what it is; the first is the default.
    pub presets: &'static [(&'static str, &'static str)],
    /// The parameter table of that name.
    pub preset: fn(&str) -> Option<Table>,
    /// A whole parameter table, read and written again so that all its values are plain numbers; the text says what is
    /// wrong with it.
    pub read: fn(Table) -> Result<Table, String>,
    /// Everything that is wrong with its parameters, and with other sections that it reads.
    pub check: fn(&Scene) -> Vec<Complaint>,
    /// Sections and keys of a scene that not every method understands, and this one does.
    pub understands: &'static [&'static str],
    /// What to do instead of those that it does not.
    pub instead: &'static [(&'static str, &'static str)],
    /// Names of maps that it makes only when it is asked for them.
    pub more_maps: &'static [&'static str],
    /// Parameters that may be others when a run goes on: a shorter time step, after numbers went wild.
    pub free: &'static [&'static str],
    /// The parameter that counts damped steps before the run, if there is one.
    pub relax: Option<&'static str>,
    /// Distance of its particles `[m]`, if it has any.
    pub spacing: fn(&Table) -> Option<f64>,
    /// Memory on so many columns and rows, as far as it is known before there is any ground `[bytes]`.
    pub memory_of_cells: fn([usize; 2], &Table) -> u64,
    /// Memory that running it takes, pictures not counted `[bytes]`; a complaint about what cannot be run at all.
    pub memory: fn(&Setup) -> Result<u64, Complaint>,
    /// Sets it up.
    pub build: fn(&Setup) -> Result<Box<dyn Solver>, Complaint>,
}

/// The methods of this program. Whoever adds one adds a line.
const METHODS: [&Method; 5] =
    [&pipes::METHOD, &particles::METHOD, &stream_power::METHOD, &waves::METHOD, &still::METHOD];

/// Methods of the program around this library.
static REGISTERED: RwLock<Vec<&'static Method>> = RwLock::new(Vec::new());

/// All methods; the first is the one of scenes that name none.
pub fn methods() -> Vec<&'static Method> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    METHODS.into_iter().chain(registered.iter().copied()).collect()
}

/// The method of that name.
pub fn method(name: &str) -> Option<&'static Method> {
    methods().into_iter().find(|method| method.name == name)
}

/// Adds a method to the table, for a program that brings its own; from then on scenes can name it. False if there is one
/// of that name already.
pub fn register(method: &'static Method) -> bool {
    let new = self::method(method.name).is_none();
    if new {
        REGISTERED.write().unwrap_or_else(PoisonError::into_inner).push(method);
    }
    new
}

impl Method {
    /// The parameters of a preset, changed as it is written; the text says what is wrong.
    pub(crate) fn over(&self, preset: &str, written: Table) -> Result<Table, String> {
        let mut params = (self.preset)(preset).ok_or_else(|| self.no_preset(preset))?;
        let keys: Vec<_> = written.keys().cloned().collect();
        merge(&mut params, written);
        (self.read)(params).map_err(|message| {
            let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
            match unknown {
                // It stands beside those that are no parameters.
                Some(name) if keys.iter().any(|key| key == name) => {
                    format!("{message}, `kind`, `preset`, `backend`")
                }
                _ => message,
            }
        })
    }

    fn no_preset(&self, name: &str) -> String {
        let names: Vec<_> = self.presets.iter().map(|(name, _)| format!("`{name}`")).collect();
        let has_it = |other: &&Method| other.presets.iter().any(|(preset, _)| *preset == name);
        let other = methods().into_iter().find(has_it);
        let whose =
            other.map_or(String::new(), |other| format!(" (this one is for kind = \"{}\")", other.name));
        format!("unknown preset `{name}`, expected one of {}{whose}", names.join(", "))
    }

    /// Complains about sections that other methods understand and this one does not.
    pub(crate) fn misplaced(&self, section: &str, path: &str) -> Option<Complaint> {
        if self.understands.contains(&section) {
            return None;
        }
        let whose = methods().into_iter().filter(|method| method.understands.contains(&section));
        let whose: Vec<_> = whose.map(|method| format!("\"{}\"", method.name)).collect();
        let advice = self
            .instead
            .iter()
            .find(|(name, _)| *name == section)
            .map_or("leave it out", |(_, advice)| advice);
        let message =
            format!("{path} is for kind = {}, and this is \"{}\": {advice}", whose.join(" or "), self.name);
        Some(Complaint { path: path.into(), message })
    }
}

/// Reads a whole parameter table as what it is, and writes it again.
pub fn read_as<P: Serialize + DeserializeOwned>(params: Table) -> Result<Table, String> {
    let params: P = params.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
    Ok(table(&params))
}

/// Parameters as a table.
pub fn table<P: Serialize>(params: &P) -> Table {
    Table::try_from(params).expect("parameters are numbers, words and sections of them")
}

/// Puts what is written over what is there, section by section.
fn merge(table: &mut Table, written: Table) {
    for (key, value) in written {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(there)), toml::Value::Table(value)) => merge(there, value),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}
