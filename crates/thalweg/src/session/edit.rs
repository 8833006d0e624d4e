//! Edits of a scene that runs.

use crate::project::Scene;
use crate::solver::{Patch, Stroke};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// Something that is changed while a scene runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edit {
    /// Gives a key another value, both as in `--set KEY=VALUE`: `solver.capacity`, `source.1.at`.
    Set {
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
    /// Takes a key out, so that its default counts.
    Unset {
        /// The key.
        key: String,
    },
    /// Puts an entry into one of the lists of the scene: `source`, `drain`, `rain`, `emitter`, `sink`.
    Add {
        /// Which list.
        list: String,
        /// Its keys and values as in a scene file: `{ at = [100, 200], rate = "3 m3/s" }`.
        entry: String,
        /// Where in the list; missing: at its end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<usize>,
    },
    /// Takes an entry out of a list.
    Remove {
        /// Which list.
        list: String,
        /// Which entry, the first being 0.
        at: usize,
    },
    /// Paints ground, hardness or water.
    Paint(Stroke),
}

impl Edit {
    /// Sets a value given as KEY=VALUE.
    pub fn set(change: &str) -> Self {
        // Without the sign in between there is no value, which is told when it is made.
        let (key, value) = change.split_once('=').unwrap_or((change, ""));
        Self::Set { key: key.trim().into(), value: value.trim().into() }
    }

    /// Whether it sets the same key as another.
    pub(super) fn sets_key_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Set { key, .. }, Self::Set { key: other, .. }) => key == other,
            _ => false,
        }
    }

    /// What it does, in a few words.
    pub fn label(&self) -> String {
        match self {
            Self::Set { key, value } => format!("{key}={value}"),
            Self::Unset { key } => format!("{key} as it is without"),
            Self::Add { list, entry, .. } => format!("add {list} {entry}"),
            Self::Remove { list, at } => format!("remove {list}[{at}]"),
            Self::Paint(stroke) => {
                let tool = Value::try_from(stroke.tool).map(|tool| tool.to_string().replace('"', ""));
                format!(
                    "{} within {} m of {:?}",
                    tool.unwrap_or_default(),
                    stroke.radius,
                    stroke.along.first().map_or(&[][..], |place| place)
                )
            }
        }
    }
}

/// The way back from an edit, or forth again.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Way {
    /// By another edit.
    Edit(Edit),
    /// By laying down what was there.
    Patch(Patch),
}

/// A scene with one of its edits, and the edit that takes it back; the text says why there is none. Strokes are no edits of the
/// scene.
pub(super) fn edited(scene: &Scene, edit: &Edit) -> Result<(Scene, Edit), String> {
    let mut table = Table::try_from(scene).map_err(|error| error.to_string())?;
    let back = match edit {
        Edit::Set { key, value } => {
            let old = find(&mut table, key).map(|value| value.to_string());
            let change = if value.is_empty() { key.clone() } else { format!("{key}={value}") };
            crate::project::set(&mut table, &change)?;
            let key = key.clone();
            old.map_or(Edit::Unset { key: key.clone() }, |value| Edit::Set { key, value })
        }
        Edit::Unset { key } => {
            let old = find(&mut table, key).map(|value| value.to_string());
            let value = old.ok_or_else(|| format!("{key} is not there"))?;
            let key = &crate::project::plain(key);
            let (section, name) = key.rsplit_once('.').unwrap_or(("", key));
            match (find(&mut table, section), name.parse::<usize>()) {
                (Some(Value::Array(list)), Ok(at)) => drop(list.remove(at)),
                (Some(Value::Table(section)), _) => drop(section.remove(name)),
                _ => drop(table.remove(name)),
            }
            Edit::Set { key: key.clone(), value }
        }
        Edit::Add { list, entry, at } => {
            let entry: Table =
                toml::from_str(&format!("entry = {entry}")).map_err(|error| error.message().to_owned())?;
            let entry = entry.get("entry").filter(|entry| entry.is_table()).cloned();
            let entry = entry.ok_or_else(|| "an entry stands in braces: { key = value }".to_owned())?;
            let entries = list_in(&mut table, list)?;
            let at = at.unwrap_or(entries.len());
            if at > entries.len() {
                return Err(format!("{list} has {} entries", entries.len()));
            }
            entries.insert(at, entry);
            Edit::Remove { list: list.clone(), at }
        }
        Edit::Remove { list, at } => {
            let entries = list_in(&mut table, list)?;
            if *at >= entries.len() {
                return Err(format!("{list} has {} entries, counted from 0", entries.len()));
            }
            let entry = entries.remove(*at).to_string();
            Edit::Add { list: list.clone(), entry, at: Some(*at) }
        }
        Edit::Paint(_) => return Err("a stroke changes no key of the scene".into()),
    };
    Ok((Scene::from_table(table)?, back))
}

/// Lists whose entries can come and go while a scene runs.
const LISTS: [&str; 5] = ["rain", "source", "drain", "emitter", "sink"];

fn list_in<'a>(table: &'a mut Table, list: &str) -> Result<&'a mut Vec<Value>, String> {
    if !LISTS.contains(&list) {
        return Err(format!(
            "entries of {list} neither come nor go while a scene runs; those of {} do",
            LISTS.join(", ")
        ));
    }
    let entries = table.entry(list).or_insert_with(|| Value::Array(Vec::new()));
    entries.as_array_mut().ok_or_else(|| format!("{list} is no list"))
}

/// The value at a key such as `source.1.rate` or `source[1].rate`.
fn find<'a>(table: &'a mut Table, key: &str) -> Option<&'a mut Value> {
    let key = crate::project::plain(key);
    let mut names = key.split('.');
    let mut value = table.get_mut(names.next()?)?;
    for name in names {
        value = match value {
            Value::Array(list) => list.get_mut(name.parse::<usize>().ok()?)?,
            other => other.as_table_mut()?.get_mut(name)?,
        };
    }
    Some(value)
}
