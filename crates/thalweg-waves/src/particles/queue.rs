//! What will happen to particles, by time.

use crate::basin::Hit;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

/// What happens to a particle next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Its front has grown so wide that it becomes three.
    Split,
    /// It meets a wall.
    Reflect(Hit),
    /// Its front passes the end of a wall.
    PassCorner(u32),
    /// The depth below it has changed.
    Bend,
    /// It is too low to be seen.
    Fade,
    /// It leaves what is looked at.
    Leave,
}

/// Something that happens to a particle at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) time: f64,
    pub(crate) slot: u32,
    /// How often the slot had changed when this was found out; later it is void.
    pub(crate) stamp: u32,
    pub(crate) kind: Kind,
}

impl Ord for Event {
    /// The earliest is the greatest, of equal ones that of the lowest slot.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(other.slot.cmp(&self.slot)).then(other.stamp.cmp(&self.stamp))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}

/// Events in buckets of time; only those of the present bucket are put in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    present: BinaryHeap<Event>,
    /// Number of the present bucket.
    bucket: u64,
    later: BTreeMap<u64, Vec<Event>>,
}

/// Buckets in a second.
const BUCKETS: f64 = 32.0;

impl Queue {
    pub(crate) fn push(&mut self, event: Event) {
        let bucket = (event.time.max(0.0) * BUCKETS) as u64;
        if bucket <= self.bucket {
            self.present.push(event);
        } else {
            self.later.entry(bucket).or_default().push(event);
        }
    }

    /// The earliest event up to a time.
    pub(crate) fn pop(&mut self, until: f64) -> Option<Event> {
        loop {
            if let Some(event) = self.present.peek() {
                return if event.time <= until { self.present.pop() } else { None };
            }
            let next = self.later.first_entry()?;
            if *next.key() as f64 > until * BUCKETS {
                return None;
            }
            self.bucket = *next.key();
            self.present = BinaryHeap::from(next.remove());
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn bytes(&self) -> usize {
        let later: usize = self.later.values().map(Vec::capacity).sum();
        (self.present.capacity() + later) * size_of::<Event>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_order_of_time_whenever_they_were_put_in() {
        let mut queue = Queue::default();
        let event = |time, slot| Event { time, slot, stamp: 0, kind: Kind::Split };
        for (slot, time) in [3.0, 0.001, 7.5, 0.002, 3.0, 40.0].into_iter().enumerate() {
            queue.push(event(time, slot as u32));
        }
        let mut seen = Vec::new();
        for until in [0.0015, 3.0, 10.0, 100.0] {
            while let Some(event) = queue.pop(until) {
                assert!(event.time <= until);
                if event.slot == 1 {
                    queue.push(Event { time: 0.0011, slot: 9, ..event });
                }
                seen.push(event.slot);
            }
        }
        assert_eq!(seen, [1, 9, 3, 0, 4, 2, 5]);
    }
}
