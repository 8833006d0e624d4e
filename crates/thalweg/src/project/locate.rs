//! Where in a scene file something stands.

use super::{Mistake, Scene, nearest};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, Deserializer, Error};

/// Mistakes that are told at once; a file with more is not a scene.
pub(super) const MOST_MISTAKES: usize = 20;
/// Values up to which the culprit of a mistake is looked for by taking out one after the other.
const MOST_TRIED: usize = 500;
/// Longest name that is told in full [characters].
const LONGEST_TOLD: usize = 64;

/// A scene's text, for pointing into it.
pub(super) struct Document<'a> {
    text: &'a str,
    place: &'a str,
}

/// One step on the way to a value.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Key(String),
    Index(usize),
}

impl<'a> Document<'a> {
    pub(super) fn new(text: &'a str, place: &'a str) -> Self {
        Self { text, place }
    }

    /// Reads the scene, or tells everything that is wrong with its form.
    ///
    /// A reader stops at the first mistake, so what is wrong is taken out and the rest is read again.
    pub(super) fn scene(&self) -> Result<Scene, Vec<Mistake>> {
        let (mut table, errors) = DeTable::parse_recoverable(self.text);
        let mut mistakes: Vec<(usize, String)> =
            errors.iter().map(|error| (start(error), said(error))).collect();
        let mut removed: Vec<String> = Vec::new();
        while mistakes.len() <= MOST_MISTAKES {
            let error = match read(table.clone()) {
                Ok(scene) if mistakes.is_empty() => return Ok(scene),
                Ok(_) => break,
                // What could not be read as TOML is not judged as a scene as well.
                Err(_) if !errors.is_empty() => break,
                Err(error) => error,
            };
            let path = culprit(&table, &error);
            let place = name(&path);
            // What was wrong is missed once it has been taken out; that is no second mistake.
            let missed = match missing(&error) {
                Some(key) => removed.contains(&below(&place, key)),
                None => lacks(&error) && removed.iter().any(|gone| gone.starts_with(&place)),
            };
            if !missed {
                mistakes.push((self.start_of(&table, &path, &error), about(&path, &error)));
            }
            if path.is_empty() {
                break;
            }
            let gone = removable(&table, &path);
            removed.push(name(gone));
            table = without(&table, gone);
        }
        mistakes.sort_by_key(|(at, _)| *at);
        let more = mistakes.len().saturating_sub(MOST_MISTAKES);
        mistakes.truncate(MOST_MISTAKES);
        let mut told: Vec<_> =
            mistakes.into_iter().map(|(at, message)| Mistake { place: self.position(at), message }).collect();
        if more > 0 {
            let message = "and more; is this a scene file?".into();
            told.push(Mistake { place: self.place.into(), message });
        }
        Err(told)
    }

    /// File, line and column of the value at a path such as `rain[0].rate`, or of the nearest part of the path that
    /// the file has; the file alone where it has none.
    pub(super) fn place_of(&self, path: &str) -> String {
        self.start_of_path(path).map_or_else(|| self.place.to_owned(), |at| self.position(at))
    }

    /// Where it stands in the text `[bytes]`.
    pub(super) fn start_of_path(&self, path: &str) -> Option<usize> {
        DeTable::parse(self.text).ok().and_then(|table| find(table.get_ref(), path))
    }

    fn start_of(&self, table: &Spanned<DeTable>, path: &[Part], error: &Error) -> usize {
        let [above @ .., Part::Key(key)] = path else {
            return value_at(table, path).map_or_else(|| start(error), |span| span.start);
        };
        // A wrong name is pointed at, not its value.
        let wrong_name = error.message().starts_with("unknown field");
        let parent = table_at(table.get_ref(), above).filter(|_| wrong_name);
        let key = parent.and_then(|parent| parent.get_key_value(key.as_str()));
        match key {
            Some((key, _)) => key.span().start,
            None => value_at(table, path).map_or_else(|| start(error), |span| span.start),
        }
    }

    fn position(&self, byte: usize) -> String {
        let before = self.text.get(..byte).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.chars().rev().take_while(|&c| c != '\n').count();
        format!("{}:{line}:{column}", self.place)
    }
}

fn read(table: Spanned<DeTable>) -> Result<Scene, Error> {
    Scene::deserialize(Deserializer::from(table))
}

fn start(error: &Error) -> usize {
    error.span().map_or(0, |span| span.start)
}

/// The key that an error misses.
fn missing(error: &Error) -> Option<&str> {
    error.message().strip_prefix("missing field `")?.split('`').next()
}

fn lacks(error: &Error) -> bool {
    let short = |start| error.message().starts_with(start);
    missing(error).is_some() || short("invalid length") || short("wanted exactly")
}

/// The entry that causes an error: the one without which there is none, or another one.
///
/// Readers tell places only roughly where they look at a whole section before they take it apart.
fn culprit(table: &Spanned<DeTable>, error: &Error) -> Vec<Part> {
    if let Some(path) = pointed_at(table, error) {
        return path;
    }
    // To try every value takes the square of their number.
    let mut path = Vec::new();
    if count(table.get_ref()) > MOST_TRIED {
        return path;
    }
    while let Some(part) = guilty_child(table, &path, error) {
        path.push(part);
    }
    path
}

/// The entry that an error points at exactly: an unknown key, or a single value. One look at each entry.
fn pointed_at(table: &Spanned<DeTable>, error: &Error) -> Option<Vec<Part>> {
    let span = error.span()?;
    let unknown = error.message().strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    let mut left: Vec<(Vec<Part>, &DeTable)> = vec![(Vec::new(), table.get_ref())];
    while let Some((path, table)) = left.pop() {
        for (key, value) in table {
            let here = || [&path[..], &[Part::Key(key.get_ref().to_string())]].concat();
            if unknown.is_some_and(|unknown| unknown == key.get_ref()) && key.span() == span {
                return Some(here());
            }
            match value.get_ref() {
                DeValue::Table(table) => left.push((here(), table)),
                DeValue::Array(array) => left.extend(array.iter().enumerate().filter_map(|(i, value)| {
                    let table = value.get_ref().as_table()?;
                    Some(([here(), vec![Part::Index(i)]].concat(), table))
                })),
                _ if value.span() == span => return Some(here()),
                _ => {}
            }
        }
    }
    None
}

/// Values in a table and those below it.
fn count(table: &DeTable) -> usize {
    fn of(value: &DeValue) -> usize {
        match value {
            DeValue::Table(table) => count(table),
            DeValue::Array(array) => array.iter().map(|value| of(value.get_ref())).sum(),
            _ => 1,
        }
    }
    table.iter().map(|(_, value)| of(value.get_ref())).sum()
}

fn guilty_child(table: &Spanned<DeTable>, path: &[Part], error: &Error) -> Option<Part> {
    let (kind, mut second) = (Part::Key("kind".into()), None);
    for part in children(table, path) {
        let step = [path, std::slice::from_ref(&part)].concat();
        let left = read(without(table, &step)).err();
        let same = |left: &Error| left.message() == error.message() && left.span() == error.span();
        match left {
            Some(left) if same(&left) => {}
            // A place that lacks something lacks the more without its other parts.
            Some(left) if lacks(&left) && lacks(error) && left.span() == error.span() => {}
            // Without a key that is needed there is another error.
            Some(left) if lacks(&left) => {
                if second.is_none() || second.as_ref() == Some(&kind) {
                    second = Some(part);
                }
            }
            // `kind` tells how the rest is to be read: without it, another error or none says nothing.
            _ if part == kind => second = second.or(Some(part)),
            _ => return Some(part),
        }
    }
    second
}

/// What to take out to be rid of a mistake: a list of numbers makes no sense without one of them.
fn removable<'p>(table: &Spanned<DeTable>, path: &'p [Part]) -> &'p [Part] {
    match path {
        [list @ .., Part::Index(_)]
            if !walk(table.get_ref(), path).is_some_and(|value| value.get_ref().is_table()) =>
        {
            list
        }
        _ => path,
    }
}

fn children(table: &Spanned<DeTable>, path: &[Part]) -> Vec<Part> {
    let keys = |table: &DeTable| table.keys().map(|key| Part::Key(key.get_ref().to_string())).collect();
    if path.is_empty() {
        return keys(table.get_ref());
    }
    match walk(table.get_ref(), path).map(Spanned::get_ref) {
        Some(DeValue::Table(table)) => keys(table),
        Some(DeValue::Array(array)) => (0..array.len()).map(Part::Index).collect(),
        _ => Vec::new(),
    }
}

/// The value at a path.
fn walk<'t, 'i>(table: &'t DeTable<'i>, path: &[Part]) -> Option<&'t Spanned<DeValue<'i>>> {
    let (Part::Key(first), rest) = path.split_first()? else { return None };
    rest.iter().try_fold(table.get(first.as_str())?, |value, part| match (value.get_ref(), part) {
        (DeValue::Table(table), Part::Key(key)) => table.get(key.as_str()),
        (DeValue::Array(array), Part::Index(index)) => array.get(*index),
        _ => None,
    })
}

fn table_at<'t, 'i>(table: &'t DeTable<'i>, path: &[Part]) -> Option<&'t DeTable<'i>> {
    if path.is_empty() { Some(table) } else { walk(table, path)?.get_ref().as_table() }
}

fn value_at(table: &Spanned<DeTable>, path: &[Part]) -> Option<std::ops::Range<usize>> {
    walk(table.get_ref(), path).map(Spanned::span)
}

/// The table less what stands at a path.
fn without<'i>(table: &Spanned<DeTable<'i>>, path: &[Part]) -> Spanned<DeTable<'i>> {
    let mut table = table.clone();
    take_out(table.get_mut(), path);
    table
}

fn take_out(table: &mut DeTable, path: &[Part]) {
    let Some((Part::Key(key), rest)) = path.split_first() else { return };
    if rest.is_empty() {
        table.remove(key.as_str());
    } else if let Some(value) = table.get_mut(key.as_str()) {
        take_out_of_value(value.get_mut(), rest);
    }
}

fn take_out_of_value(value: &mut DeValue, path: &[Part]) {
    match (value, path) {
        (DeValue::Table(table), path) => take_out(table, path),
        (DeValue::Array(array), [Part::Index(index)]) => {
            let others = std::mem::replace(array, DeArray::new()).into_iter().enumerate();
            *array = others.filter(|(i, _)| i != index).map(|(_, value)| value).collect();
        }
        (DeValue::Array(array), [Part::Index(index), rest @ ..]) => {
            if let Some(value) = array.get_mut(*index) {
                take_out_of_value(value.get_mut(), rest);
            }
        }
        _ => {}
    }
}

/// Where the deepest part of a path stands that the file really has.
fn find(table: &DeTable, path: &str) -> Option<usize> {
    let path = super::plain(path);
    let parts: Vec<_> = path
        .split('.')
        .map(|part| part.parse().map_or_else(|_| Part::Key(part.into()), Part::Index))
        .collect();
    (1..=parts.len()).rev().find_map(|count| walk(table, &parts[..count])).map(|value| value.span().start)
}

/// A path as it is written: `rain[0].rate`.
fn name(path: &[Part]) -> String {
    path.iter().fold(String::new(), |name, part| match part {
        Part::Key(key) => below(&name, key),
        Part::Index(index) => format!("{name}[{index}]"),
    })
}

fn below(name: &str, key: &str) -> String {
    if name.is_empty() { key.into() } else { format!("{name}.{key}") }
}

/// An error in one line, with the nearest right name for a misspelt one.
pub(super) fn said(error: &Error) -> String {
    let message = shortened(&error.message().trim().replace('\n', ", "));
    let mut quoted = message.split('`').skip(1).step_by(2);
    let near = match (quoted.next(), message.starts_with("unknown")) {
        (Some(found), true) => nearest(found, quoted),
        _ => None,
    };
    match near {
        Some(near) => format!("{message}; did you mean `{near}`?"),
        None if message == "missing field `version`" => format!("{message}; begin the file with version = 1"),
        None => message,
    }
}

/// A message whose first name, if it is very long, is cut.
fn shortened(message: &str) -> String {
    let Some((before, name, after)) = message
        .split_once('`')
        .and_then(|(before, rest)| rest.split_once('`').map(|(name, after)| (before, name, after)))
    else {
        return message.into();
    };
    match name.char_indices().nth(LONGEST_TOLD) {
        None => message.into(),
        Some((at, _)) => format!("{before}`{}…`{after}", &name[..at]),
    }
}

/// An error with the name of what it is about, unless it says so itself.
fn about(path: &[Part], error: &Error) -> String {
    match path.last() {
        Some(Part::Key(_)) if !error.message().starts_with("unknown field") => {
            format!("{}: {}", name(path), said(error))
        }
        Some(Part::Index(_)) => format!("{}: {}", name(path), said(error)),
        _ => said(error),
    }
}
