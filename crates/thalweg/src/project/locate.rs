//! Where in a scene file something stands.

use super::{Complaint, ProjectError, nearest};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A scene's text, for pointing into it.
pub struct Document<'a> {
    text: &'a str,
    place: &'a str,
}

impl<'a> Document<'a> {
    pub fn new(text: &'a str, place: &'a str) -> Self {
        Self { text, place }
    }

    /// File, line and column of a byte.
    fn position(&self, byte: usize) -> String {
        let before = &self.text[..byte.min(self.text.len())];
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.chars().rev().take_while(|&c| c != '\n').count();
        format!("{}:{line}:{column}", self.place)
    }

    /// A reader's error, with its place and, for a misspelt name, the right one.
    pub fn explain(&self, error: &toml::de::Error) -> ProjectError {
        let message = error.message();
        let span = error.span().unwrap_or(0..0);
        // Where a whole section is blamed, the message still names the key.
        let key = message.split('`').nth(1).unwrap_or_default();
        let exact = DeTable::parse(self.text).ok().and_then(|table| find_key(table.get_ref(), key, &span));
        let start = exact.map_or(span.start, |span| span.start);
        ProjectError::Wrong { place: self.position(start), message: with_suggestion(message) }
    }

    /// A complaint about a value, with its place.
    pub fn complain(&self, complaint: &Complaint) -> ProjectError {
        let table = DeTable::parse(self.text);
        let span = table.ok().and_then(|table| find_path(table.get_ref(), &complaint.path));
        let place = span
            .map_or_else(|| format!("{}: {}", self.place, complaint.path), |span| self.position(span.start));
        ProjectError::Wrong { place, message: complaint.message.clone() }
    }
}

/// The key of that name within a part of the text.
fn find_key(table: &DeTable, key: &str, within: &Range<usize>) -> Option<Range<usize>> {
    for (name, value) in table {
        let span = name.span();
        // A section's span may be its header alone; what follows it belongs to it as well.
        if name.get_ref() == key && span.start >= within.start {
            return Some(span);
        }
        if let Some(found) = find_key_below(value, key, within) {
            return Some(found);
        }
    }
    None
}

fn find_key_below(value: &Spanned<DeValue>, key: &str, within: &Range<usize>) -> Option<Range<usize>> {
    match value.get_ref() {
        DeValue::Table(table) => find_key(table, key, within),
        DeValue::Array(array) => array.iter().find_map(|value| find_key_below(value, key, within)),
        _ => None,
    }
}

/// The deepest part of a path such as `rain[0].rate` that the file really has.
fn find_path(table: &DeTable, path: &str) -> Option<Range<usize>> {
    let path = super::plain(path);
    let mut parts = path.split('.');
    let mut value = table.get(parts.next()?)?;
    let mut span = value.span();
    for part in parts {
        let below = match value.get_ref() {
            DeValue::Table(table) => table.get(part),
            DeValue::Array(array) => part.parse::<usize>().ok().and_then(|index| array.get(index)),
            _ => None,
        };
        match below {
            Some(below) => value = below,
            None => break,
        }
        span = value.span();
    }
    Some(span)
}

/// Adds the nearest right name to a message that lists the names expected.
pub fn with_suggestion(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (Some(found), true) = (quoted.next(), message.starts_with("unknown")) else {
        return message.trim().to_owned();
    };
    match nearest(found, quoted.filter(|name| *name != "preset")) {
        Some(near) => format!("{}; did you mean `{near}`?", message.trim()),
        None => message.trim().to_owned(),
    }
}
