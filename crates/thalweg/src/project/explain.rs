//! What a key of a scene is, in words.

use super::describe::{description, presets};
use super::{nearest, plain};
use serde::Serialize;
use serde_json::Value;
use thalweg_field::describe::{Form, Parameter};
use thalweg_field::range::brief;

/// A parameter, and its value in every parameter table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// What it is.
    #[serde(flatten)]
    pub parameter: Parameter,
    /// Its value in each preset of its method; none: what the program chooses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub presets: Vec<Preset>,
}

/// A value of a parameter table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Preset {
    /// Name of the table.
    pub name: &'static str,
    /// The value; none: what the program chooses.
    pub value: Option<Value>,
}

/// A key that no scene has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no scene has a key `{key}`; {}docs/guide/scene-file.md lists them all", hint(.near))]
pub struct UnknownKey {
    /// What was asked for.
    pub key: String,
    /// The key most like it.
    pub near: Option<String>,
}

fn hint(near: &Option<String>) -> String {
    near.as_ref().map_or(String::new(), |near| format!("did you mean `{near}`? "))
}

/// Everything of that key: one parameter, or several where kinds of a section differ in it. Numbers of entries
/// (`rain.0.rate`) do not matter, and the last name alone will do.
pub fn explain(key: &str) -> Result<Vec<Explained>, UnknownKey> {
    let wanted = plain(key);
    // What stands in [[before]] is what stands in [solver] and [time]; once is enough.
    let description = description();
    let told = |parameter: &&Parameter| wanted.starts_with("before") || !parameter.key.starts_with("before.");
    let all: Vec<_> = description.parameters().iter().filter(told).collect();
    let names: Vec<_> = wanted.split('.').filter(|name| name.parse::<usize>().is_err()).collect();
    let wanted = names.join(".");
    let last = |key: &str| key.rsplit('.').next().map_or(String::new(), str::to_owned);
    let exact: Vec<_> = all.iter().copied().filter(|parameter| parameter.key == wanted).collect();
    let found = match names[..] {
        [name] if exact.is_empty() => {
            all.iter().copied().filter(|parameter| last(&parameter.key) == name).collect()
        }
        _ => exact,
    };
    if found.is_empty() {
        let near = nearest(&wanted, all.iter().map(|parameter| parameter.key.as_str())).map(str::to_owned);
        let by_name = || {
            let lasts: Vec<_> = all.iter().map(|parameter| last(&parameter.key)).collect();
            let near = nearest(&wanted, lasts.iter().map(String::as_str))?;
            let at = lasts.iter().position(|name| name == near)?;
            Some(all[at].key.clone())
        };
        return Err(UnknownKey { key: key.into(), near: near.or_else(by_name) });
    }
    Ok(found.into_iter().map(|parameter| explained(parameter.clone())).collect())
}

fn explained(parameter: Parameter) -> Explained {
    let below = parameter.key.strip_prefix("solver.").map(|path| format!("/{}", path.replace('.', "/")));
    let mut values = Vec::new();
    for (pointer, kind) in
        below.iter().flat_map(|pointer| parameter.kinds.iter().map(move |kind| (pointer, kind)))
    {
        let tables = presets(kind);
        // `kind`, `preset` and `backend` are in no table.
        let known =
            tables.iter().any(|(_, table)| table.pointer(pointer).is_some_and(|value| !value.is_object()));
        if known {
            values.extend(
                tables.iter().map(|(name, table)| Preset { name, value: table.pointer(pointer).cloned() }),
            );
        }
    }
    Explained { parameter, presets: values }
}

/// A value in few words, with its unit: `40 deg`, `"depth"`.
pub fn told(value: &Value, form: Option<&Form>) -> String {
    // What whole numbers count goes without saying.
    let counts = |form: &Form| form.form == "integer" || form.each == Some("integer");
    let unit = form.filter(|form| !counts(form)).and_then(|form| form.unit.as_deref()).unwrap_or_default();
    match value {
        Value::Number(number) => number_told(number.as_f64().unwrap_or(f64::NAN), unit),
        Value::Array(list) if list.iter().all(Value::is_number) => {
            let all: Vec<_> = list.iter().map(|value| told(value, form)).collect();
            format!("[{}]", all.join(", "))
        }
        other => other.to_string(),
    }
}

/// A number with its unit; angles are told in degrees, as people write them.
pub(super) fn number_told(number: f64, unit: &str) -> String {
    match unit {
        "" => brief(rounded(number)),
        // Ranges of angles end a hair beside round numbers.
        "rad" => format!("{} deg", (100.0 * number.to_degrees()).round() / 100.0),
        _ => format!("{} {unit}", brief(rounded(number))),
    }
}

/// A number with five digits, which is more than anybody chooses.
fn rounded(number: f64) -> f64 {
    if number.fract() == 0.0 {
        return number;
    }
    format!("{number:.4e}").parse().unwrap_or(number)
}
