//! What can be undone, and done again.

use super::edit::{Edit, Way};
use crate::solver::Patch;

/// Most edits that are remembered, and most memory for what they changed `[bytes]`.
const MOST_EDITS: usize = 1000;
const MOST_BYTES: usize = 256 << 20;

/// An edit that was done, or undone, and the way to the other side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The edit.
    pub edit: Edit,
    /// How it is undone, or done again.
    pub way: Way,
}

/// Edits in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct History {
    /// Those that can be undone, the last one last.
    pub done: Vec<Entry>,
    /// Those that can be done again, the next one last.
    pub undone: Vec<Entry>,
}

impl History {
    /// Remembers an edit. With `joins` it counts as one with the last one, if that sets the same key.
    pub(super) fn push(&mut self, entry: Entry, joins: bool) {
        self.undone.clear();
        match self.done.last_mut() {
            // The way back stays that to the value before the first of them.
            Some(last) if joins && entry.edit.sets_key_of(&last.edit) => last.edit = entry.edit,
            _ => self.done.push(entry),
        }
        while self.done.len() > MOST_EDITS || self.done.len() > 1 && self.bytes() > MOST_BYTES {
            self.done.remove(0);
        }
    }

    fn bytes(&self) -> usize {
        let of = |entry: &Entry| match &entry.way {
            Way::Patch(Patch::Cells(patch)) => 16 * patch.before.len(),
            Way::Patch(Patch::Rock(patch)) => 16 * patch.before.len(),
            Way::Patch(Patch::Particles(exchanged)) => 64 * (exchanged.came.len() + exchanged.went.len()),
            Way::Edit(_) => 0,
        };
        self.done.iter().map(of).sum()
    }
}
