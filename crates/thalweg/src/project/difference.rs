//! Where two scenes part.

use super::Scene;
use toml::Value;

/// A key whose value is not the same in two scenes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Path of the key.
    pub path: String,
    /// Its value in the first scene.
    pub left: String,
    /// Its value in the second.
    pub right: String,
}

impl Difference {
    /// The first key in which two scenes differ.
    pub fn first(left: &Scene, right: &Scene) -> Option<Self> {
        if left == right {
            return None;
        }
        let [left, right] = [left, right].map(|scene| Value::try_from(scene).ok());
        between("", left.as_ref(), right.as_ref())
    }
}

fn between(path: &str, left: Option<&Value>, right: Option<&Value>) -> Option<Difference> {
    match (left, right) {
        (Some(Value::Table(a)), Some(Value::Table(b))) => {
            let more = b.keys().filter(|key| !a.contains_key(*key));
            let below = |key: &str| if path.is_empty() { key.into() } else { format!("{path}.{key}") };
            a.keys().chain(more).find_map(|key| between(&below(key), a.get(key), b.get(key)))
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) if holds_tables(a) && holds_tables(b) => {
            (0..a.len().max(b.len())).find_map(|i| between(&format!("{path}[{i}]"), a.get(i), b.get(i)))
        }
        _ if left == right => None,
        _ => {
            let [left, right] = [left, right].map(told);
            Some(Difference { path: path.into(), left, right })
        }
    }
}

fn holds_tables(list: &[Value]) -> bool {
    list.iter().any(Value::is_table)
}

/// A value in few words.
fn told(value: Option<&Value>) -> String {
    match value {
        None => "not there".into(),
        Some(Value::Table(_)) => "there".into(),
        Some(value) => value.to_string(),
    }
}
