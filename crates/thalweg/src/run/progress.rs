//! How far a run is, how fast it gets on, and where its time went.

use super::Command;
use crate::session::Session;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Share of the work that is done, from 0 to 1: a step on a coarse terrain counts less than one on a fine one `[-]`.
    pub share: f64,
    /// Time until all steps are taken, as fast as the last ones; `None` until something is known.
    pub left: Option<Duration>,
    /// Steps taken.
    pub step: u64,
    /// Steps after which it ends, if time does not end it before.
    pub steps: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// Simulated time at which it ends, where time ends it `[s]`.
    pub end_time: Option<f64>,
    /// Cells or particles that the solver steps in a second, what else takes time left out `[1/s]`.
    pub rate: f64,
    /// Which of the two: "cells" or "particles".
    pub items: &'static str,
    /// Imbalance of the water's account `[-]`.
    pub water: f64,
    /// Imbalance of the ground's account `[-]`.
    pub solids: f64,
}

/// Whoever looks on while a scene runs.
pub trait Watcher {
    /// Called now and then while steps are taken.
    fn progress(&mut self, progress: &Progress);
    /// Something was assumed, repaired or passed over.
    fn notice(&mut self, text: &str);
    /// Whether to stop after this step.
    fn cancelled(&self) -> bool;
    /// What is set once the run is to stop, for work that takes long and looks at it from several threads; without it
    /// a picture is drawn to its end first.
    fn stopping(&self) -> Option<&AtomicBool> {
        None
    }
    /// Something else than steps takes time, such as drawing: so many parts of it are done.
    fn busy(&mut self, _what: &str, _done: usize, _of: usize) {}
    /// What to do before the next step; asked for again and again.
    fn commands(&mut self) -> Vec<Command> {
        Vec::new()
    }
    /// Whether no more commands can come: a run that waits for one then stops.
    fn has_told_all(&self) -> bool {
        false
    }
}

/// Looks on and says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Watcher for Silent {
    fn progress(&mut self, _: &Progress) {}

    fn notice(&mut self, _: &str) {}

    fn cancelled(&self) -> bool {
        false
    }
}

/// Where the time went `[s]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Timings(pub BTreeMap<&'static str, f64>);

impl Timings {
    /// Does something and counts the time it takes.
    pub(super) fn of<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let clock = Instant::now();
        let done = work();
        *self.0.entry(name).or_default() += clock.elapsed().as_secs_f64();
        done
    }
}

/// Time between two reports of progress.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// Tells how far a run is, now and then.
pub(super) struct Teller {
    told: Instant,
    /// What was done since then.
    since: Work,
    /// Share that was done then `[-]`.
    share: f64,
    pace: Pace,
}

impl Teller {
    pub(super) fn new(state: &Session) -> Self {
        let share = state.clock().share;
        Self { told: Instant::now(), since: Work::default(), share, pace: Pace::default() }
    }

    /// Notes steps, and the time that the solver took for them.
    pub(super) fn tell(
        &mut self,
        state: &Session,
        (steps, took): (u64, Duration),
        watcher: &mut dyn Watcher,
    ) {
        let clock = state.clock();
        self.since.item_steps += steps as f64 * clock.items as f64;
        self.since.solver_s += took.as_secs_f64();
        if self.told.elapsed() <= TELL_EVERY && !clock.is_over {
            return;
        }
        let (share, books) = (clock.share, state.books());
        let wall_s = self.told.elapsed().as_secs_f64();
        self.pace.note(Work {
            share: (share - self.share).max(0.0),
            wall_s,
            ..std::mem::take(&mut self.since)
        });
        (self.told, self.share) = (Instant::now(), share);
        watcher.progress(&Progress {
            share,
            left: self.pace.left(share),
            step: clock.steps,
            steps: clock.planned,
            time: clock.time,
            end_time: clock.end_time,
            rate: self.pace.rate(),
            items: clock.kind,
            water: books.ledger.water.imbalance(),
            solids: books.solids_missing,
        });
    }
}

/// Some work that was done.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    /// Share of the whole `[-]`.
    share: f64,
    /// Steps times cells or particles.
    item_steps: f64,
    /// Time that the solver took `[s]`.
    solver_s: f64,
    /// Time that went by, with frames and checkpoints `[s]`.
    wall_s: f64,
}

/// How fast a run gets on: the work it did lately, the older the less it counts.
#[derive(Clone, Copy, Debug, Default)]
struct Pace(Work);

impl Pace {
    /// Time after which work counts a third `[s]`.
    const MEMORY: f64 = 20.0;

    fn note(&mut self, work: Work) {
        let kept = (-work.wall_s / Self::MEMORY).exp();
        let lately = &mut self.0;
        lately.share = kept * lately.share + work.share;
        lately.item_steps = kept * lately.item_steps + work.item_steps;
        lately.solver_s = kept * lately.solver_s + work.solver_s;
        lately.wall_s = kept * lately.wall_s + work.wall_s;
    }

    /// Items stepped in each second of the solver `[1/s]`.
    fn rate(&self) -> f64 {
        self.0.item_steps / self.0.solver_s.max(1.0e-6)
    }

    /// Time until everything is done.
    fn left(&self, share: f64) -> Option<Duration> {
        let seconds = (1.0 - share).max(0.0) * self.0.wall_s / self.0.share;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps at a constant speed, every third second of which goes into a frame.
    fn steady(seconds: f64) -> Work {
        Work {
            share: 0.001 * seconds,
            item_steps: 5.0e6 * seconds,
            solver_s: seconds * 2.0 / 3.0,
            wall_s: seconds,
        }
    }

    #[test]
    fn the_time_left_counts_frames_and_the_rate_does_not() {
        let mut pace = Pace::default();
        (0..100).for_each(|_| pace.note(steady(1.0)));
        let left = pace.left(0.1).unwrap().as_secs_f64();
        assert!((left - 900.0).abs() < 1.0e-6, "{left} s are left of 1000 s, after a tenth");
        assert!((pace.rate() - 7.5e6).abs() < 1.0, "{} cells per second", pace.rate());
        // A long picture: nothing is stepped meanwhile, and the solver is no slower for it.
        pace.note(Work { wall_s: 60.0, ..Work::default() });
        assert!((pace.rate() - 7.5e6).abs() < 1.0, "{} cells per second after a picture", pace.rate());
    }

    #[test]
    fn a_change_of_speed_is_believed_within_a_minute() {
        let mut pace = Pace::default();
        (0..600).for_each(|_| pace.note(steady(1.0)));
        (0..60).for_each(|_| pace.note(Work { wall_s: 2.0, solver_s: 2.0, ..steady(1.0) }));
        let left = pace.left(0.5).unwrap().as_secs_f64();
        assert!((left - 1000.0).abs() < 10.0, "{left} s are left, twice as slow as before");
    }

    #[test]
    fn nothing_is_known_before_anything_was_done() {
        assert_eq!(Pace::default().left(0.0), None);
    }
}
