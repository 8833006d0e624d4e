//! `[solver]`: which method runs, and its parameters.

use super::{Backend, Complaint, Time};
use crate::solver::{Method, method, methods};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::{Table, Value};

/// The waters of a scene, at least one: `[solver]`, or several `[[solver]]`. The first leads, the others follow it in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Solvers(Vec<SolverTable>);

impl Default for Solvers {
    fn default() -> Self {
        Self(vec![SolverTable::default()])
    }
}

impl From<SolverTable> for Solvers {
    fn from(table: SolverTable) -> Self {
        Self(vec![table])
    }
}

impl Serialize for Solvers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [only] => only.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Solvers {
    fn deserialize<D: Deserializer<'de>>(solver: D) -> Result<Self, D::Error> {
        struct OneOrSeveral;

        impl<'de> Visitor<'de> for OneOrSeveral {
            type Value = Solvers;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a table [solver], or several [[solver]]")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Solvers, A::Error> {
                SolverTable::deserialize(MapAccessDeserializer::new(map)).map(Solvers::from)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Solvers, A::Error> {
                let several = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
                if several.is_empty() {
                    Err(A::Error::invalid_length(0, &self))
                } else {
                    Ok(Solvers(several))
                }
            }
        }

        solver.deserialize_any(OneOrSeveral)
    }
}

impl Solvers {
    /// The one that leads.
    pub fn first(&self) -> &SolverTable {
        &self.0[0]
    }

    /// The same, to be changed.
    pub fn first_mut(&mut self) -> &mut SolverTable {
        &mut self.0[0]
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, SolverTable> {
        self.0.iter()
    }

    /// One of them alone.
    pub(crate) fn only(&self, water: usize) -> Self {
        self.0[water].clone().into()
    }

    /// The same with the parameters of others, each if both are of one method.
    pub(crate) fn with_params_of(&self, other: &Self) -> Self {
        let pairs = self.0.iter().enumerate().map(|(i, own)| (own, other.0.get(i).unwrap_or(own)));
        Self(pairs.map(|(own, other)| own.with_params_of(other)).collect())
    }

    /// The run begins at once.
    pub fn skip_relaxing(&mut self) {
        self.0.iter_mut().for_each(SolverTable::skip_relaxing);
    }

    /// Damped steps before the run.
    pub fn relaxing(&self) -> u64 {
        self.0.iter().map(SolverTable::relaxing).sum()
    }

    /// Without what may be another when a run goes on.
    pub(crate) fn drop_free(&mut self) {
        self.0.iter_mut().for_each(SolverTable::drop_free);
    }
}

/// A method that works on the ground before the scene's own, and for how long.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Earlier {
    /// The method and its parameters.
    #[serde(flatten)]
    pub solver: SolverTable,
    /// How long it runs.
    pub time: Time,
}

impl<'de> Deserialize<'de> for Earlier {
    fn deserialize<D: Deserializer<'de>>(table: D) -> Result<Self, D::Error> {
        let mut table = Table::deserialize(table)?;
        let time =
            table.remove("time").map_or(Ok(Time::default()), Value::try_into).map_err(D::Error::custom)?;
        let solver = table.try_into().map_err(|error: toml::de::Error| D::Error::custom(error.message()))?;
        Ok(Self { solver, time })
    }
}

/// Which method runs, and its parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SolverTable {
    /// The method's name.
    kind: String,
    /// The parameter table that the others start from.
    preset: String,
    /// What it runs on.
    pub backend: Backend,
    /// All its parameters.
    #[serde(flatten)]
    params: Table,
}

/// `[solver]` before the preset is looked up: parameters stay as written until it is known what they change.
#[derive(Deserialize)]
struct Written {
    kind: Option<String>,
    preset: Option<String>,
    #[serde(default)]
    backend: Backend,
    #[serde(flatten)]
    rest: Table,
}

impl<'de> Deserialize<'de> for SolverTable {
    fn deserialize<D: Deserializer<'de>>(table: D) -> Result<Self, D::Error> {
        let Written { kind, preset, backend, rest } = Written::deserialize(table)?;
        let kind = kind.unwrap_or_else(|| methods()[0].name.into());
        let unknown = || {
            let names: Vec<_> = methods().iter().map(|method| format!("`{}`", method.name)).collect();
            D::Error::custom(format!("unknown variant `{kind}`, expected {}", one_of(&names)))
        };
        let method = method(&kind).ok_or_else(unknown)?;
        let preset = preset.unwrap_or_else(|| method.presets[0].0.into());
        let params = method.over(&preset, rest).map_err(D::Error::custom)?;
        Ok(Self { kind, preset, backend, params })
    }
}

/// Names, as serde lists them.
fn one_of(names: &[String]) -> String {
    match names {
        [one, other] => format!("{one} or {other}"),
        _ => format!("one of {}", names.join(", ")),
    }
}

impl Default for SolverTable {
    fn default() -> Self {
        let method = methods()[0];
        let preset = method.presets[0].0;
        let params = (method.preset)(preset).unwrap_or_default();
        Self { kind: method.name.into(), preset: preset.into(), backend: Backend::Cpu, params }
    }
}

impl SolverTable {
    /// The method.
    pub fn method(&self) -> &'static Method {
        method(&self.kind).expect("only methods of the table are read")
    }

    /// The parameter table that the parameters started from.
    pub fn preset(&self) -> &str {
        &self.preset
    }

    /// All parameters, by name.
    pub fn table(&self) -> &Table {
        &self.params
    }

    /// The parameters of the method. A complaint if they are those of another.
    pub fn params<P: DeserializeOwned>(&self) -> Result<P, Complaint> {
        self.params.clone().try_into().map_err(|error: toml::de::Error| Complaint {
            path: "solver".into(),
            message: format!("solver: {}", error.message()),
        })
    }

    /// Takes other parameters of the method.
    pub fn set_params<P: Serialize>(&mut self, params: &P) -> Result<(), Complaint> {
        let wrong =
            |message: String| Complaint { path: "solver".into(), message: format!("solver: {message}") };
        let table = Table::try_from(params).map_err(|error| wrong(error.to_string()))?;
        self.params = (self.method().read)(table).map_err(wrong)?;
        Ok(())
    }

    /// The same with the parameters of another, if both are of one method.
    fn with_params_of(&self, other: &Self) -> Self {
        let params = if self.kind == other.kind { &other.params } else { &self.params };
        Self { params: params.clone(), ..self.clone() }
    }

    /// The run begins at once.
    fn skip_relaxing(&mut self) {
        if let Some(key) = self.method().relax
            && let Some(steps) = find(&mut self.params, key)
        {
            *steps = Value::Integer(0);
        }
    }

    /// Damped steps before the run.
    fn relaxing(&self) -> u64 {
        let steps = self.method().relax.and_then(|key| find(&mut self.params.clone(), key).cloned());
        steps.and_then(|steps| steps.as_integer()).map_or(0, i64::unsigned_abs)
    }

    /// Without what may be another when a run goes on.
    fn drop_free(&mut self) {
        for key in self.method().free {
            let (section, name) = key.rsplit_once('.').unwrap_or(("", key));
            let table = match section {
                "" => Some(&mut self.params),
                _ => find(&mut self.params, section).and_then(Value::as_table_mut),
            };
            table.map(|table| table.remove(name));
        }
    }
}

/// The value of a key such as `fluid.relax`.
fn find<'a>(table: &'a mut Table, key: &str) -> Option<&'a mut Value> {
    match key.split_once('.') {
        Some((section, rest)) => find(table.get_mut(section)?.as_table_mut()?, rest),
        None => table.get_mut(key),
    }
}
