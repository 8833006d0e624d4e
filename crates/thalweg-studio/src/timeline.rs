//! Moments that were kept, to look back at.

use crate::worker::Shown;
use std::sync::Arc;
use thalweg::field::Snapshot;

/// Maps that a kept moment has; the rest would take too much memory.
const KEPT: [&str; 4] = ["height", "water", "sediment", "foam"];
/// Memory for all kept moments `[bytes]`, and how many there are at most.
const MOST_BYTES: usize = 256 << 20;
const MOST_FRAMES: usize = 240;

/// A moment that was kept.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub step: u64,
    pub time: f64,
    snapshot: Arc<Snapshot>,
}

/// Kept moments, in the order of time; every so many steps one.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    pub frames: Vec<Kept>,
    /// Steps between two of them.
    every: u64,
    /// The one that is looked at, instead of what goes on.
    pub chosen: Option<usize>,
    /// Whether kept moments are shown one after the other.
    pub plays: bool,
}

impl Timeline {
    /// Keeps a moment, if enough steps were taken since the last; thins all of them out where they become too many.
    pub(crate) fn keep(&mut self, shown: &Shown) {
        let step = shown.clock.steps;
        self.frames.retain(|frame| frame.step <= step);
        let due = self.frames.last().is_none_or(|last| step >= last.step + self.every.max(1));
        if !due {
            return;
        }
        let snapshot = Arc::new(light(&shown.snapshot));
        let bytes = size(&snapshot);
        self.frames.push(Kept { step, time: shown.clock.time, snapshot });
        while self.frames.len() > MOST_FRAMES
            || self.frames.len() > 2 && self.frames.len() * bytes > MOST_BYTES
        {
            let mut keep = false;
            self.frames.retain(|_| {
                keep = !keep;
                keep
            });
            let span = self.frames.last().map_or(0, |last| last.step) / self.frames.len() as u64;
            self.every = span.max(2 * self.every);
            self.chosen = self.chosen.map(|chosen| chosen / 2);
        }
    }

    /// What is looked at, if it is a kept moment.
    pub(crate) fn chosen(&self) -> Option<Arc<Snapshot>> {
        Some(self.frames.get(self.chosen?)?.snapshot.clone())
    }

    /// Goes back to what goes on.
    pub(crate) fn leave(&mut self) {
        (self.chosen, self.plays) = (None, false);
    }

    /// Looks at the next kept moment, the first after the last.
    pub(crate) fn play_on(&mut self) {
        if self.plays && !self.frames.is_empty() {
            self.chosen = Some(self.chosen.map_or(0, |chosen| (chosen + 1) % self.frames.len()));
        }
    }
}

fn light(snapshot: &Snapshot) -> Snapshot {
    let kept = |name: &str| KEPT.contains(&name);
    let fields = snapshot.fields.iter().filter(|field| kept(&field.info.name)).cloned().collect();
    Snapshot {
        frame: snapshot.frame.clone(),
        step: snapshot.step,
        time: snapshot.time,
        fields,
        points: snapshot.points.clone(),
        fronts: None,
        meshes: snapshot.meshes.clone(),
        bodies: snapshot.bodies.clone(),
        sea: snapshot.sea.clone(),
        ground: snapshot.ground.clone(),
    }
}

fn size(snapshot: &Snapshot) -> usize {
    let grids: usize = snapshot.fields.iter().map(|field| 4 * field.values.len()).sum();
    let points = snapshot.points.as_ref().map_or(0, |points| points.len() * (20 + 4 * points.columns.len()));
    grids + points
}
