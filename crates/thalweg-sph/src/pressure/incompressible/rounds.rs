//! Rounds of pushing and correcting, until a flow does not compress the fluid.

use super::parting::Parting;
use super::push::Push;
use crate::particles::{BOUNDARY, PART};
use crate::pressure::Sorted;
use crate::pressure::at_rest::{Numbers, TORN};
use std::ops::Range;
use thalweg_field::band;

/// Share of a correction that the first one goes `[-]`; neighbours correct as well (Ihmsen et al. 2014 take half of it, with
/// fewer neighbours).
const FIRST_SHARE: f64 = 0.25;
/// Errors so many times the smallest one are no progress any more `[-]`.
const ASTRAY: f64 = 4.0;
/// By how much a way may turn out longer or shorter than it was tried `[-]`.
const LENGTHS: [f64; 2] = [0.1, 4.0];

/// The fluid that is to be kept from being compressed.
pub(super) struct Task<'a> {
    pub sorted: Sorted<'a>,
    pub numbers: &'a Numbers,
    /// What [`Around`](super::around::Around) finds `[1/m²]`.
    pub diagonal: &'a [f32],
    /// Particles that keep their velocity whatever pushes them; their pressure is given.
    pub given: &'a [(u32, f32)],
    /// What stands for it in corrections, where that is more: the same for all particles, or nothing `[1/m²]`.
    pub even: f32,
    /// The flow without pressure `[m/s]`, and how long it goes on `[s]`.
    pub start: [&'a [f32]; 3],
    pub time: f32,
    /// Fewest and most rounds.
    pub rounds: [u32; 2],
}

/// What the rounds work on.
pub(super) struct Work<'a> {
    /// The flow under pressure, with that of the boundary in it.
    pub flow: [&'a mut [f32]; 3],
    /// Pressure over density `[m²/s²]`; zero for the boundary.
    pub pressure: &'a mut [f32],
    /// The way that it was corrected last `[m²/s²]`.
    pub way: &'a mut [f32],
    /// What was left compressed before that, and what is now `[-]`.
    pub before: &'a mut [f32],
    pub left: &'a mut [f32],
}

/// How rounds ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// How many there were.
    pub rounds: u32,
    /// What is left compressed, on average `[-]`.
    pub error: f64,
}

/// How far to go along the next way, over what takes the compression of single particles away `[-]`; how much of the last way it has; and
/// what there was to gain there.
struct Next {
    length: f64,
    turn: f64,
    gain: f64,
}

impl Next {
    const FIRST: Self = Self { length: FIRST_SHARE, turn: 0.0, gain: 0.0 };
}

/// Sums over particles: of what was left along the last way, of how much of that it took away, of what is left now, and how many those are.
type Sums = (f64, f64, f64, u64);

impl Task<'_> {
    /// Goes on until the flow leaves the fluid no more compressed than it may, or rounds are used up: by conjugate gradients (Hestenes &
    /// Stiefel 1952), since the compression that pressure takes away is a symmetric matrix times that pressure. Each round tries a
    /// way of the length that was right for the one before, and what that came to tells how long it should have been.
    pub(super) fn run(&self, work: &mut Work) -> Found {
        let tolerance = self.sorted.params.tolerance;
        let [least, most] = self.rounds;
        work.way.fill(0.0);
        work.before.fill(0.0);
        let (mut next, mut best, mut rounds) = (Next::FIRST, f64::INFINITY, 0);
        loop {
            self.push(work);
            self.find_left(work);
            rounds += 1;
            let (ahead, taken, error, count) = self.measure(work);
            let error = error / count.max(1) as f64;
            if rounds >= most || (error <= tolerance && rounds >= least) {
                return Found { rounds, error };
            }
            // Where it goes astray it begins anew.
            let learnt = taken > 0.0 && ahead > 0.0 && error < ASTRAY * best;
            best = best.min(error);
            let stretch = if learnt { (ahead / taken).clamp(LENGTHS[0], LENGTHS[1]) } else { 1.0 };
            let (gain, same) = self.settle(work, stretch as f32);
            let length = next.length * stretch;
            next = if learnt && next.gain > 0.0 {
                Next { length, turn: ((gain - same) / next.gain).max(0.0) / length, gain }
            } else {
                Next { gain, ..Next::FIRST }
            };
            self.correct(work, &next);
        }
    }

    /// The flow under the present pressure.
    fn push(&self, work: &mut Work) {
        let Sorted { particles, neighbours, .. } = self.sorted;
        let count = particles.len();
        let push = Push {
            particles,
            numbers: self.numbers,
            pressure: work.pressure,
            heavy: true,
            start: Some(self.start),
            time: self.time,
        };
        let flow = work.flow.each_mut().map(|column| &mut column[..count]);
        neighbours.walk(particles, &push, flow);
        for i in self.given.iter().map(|&(i, _)| i as usize) {
            (0..3).for_each(|axis| work.flow[axis][i] = particles.velocity[axis][i]);
        }
    }

    /// What that flow leaves compressed.
    fn find_left(&self, work: &mut Work) {
        let Sorted { particles, neighbours, .. } = self.sorted;
        let parting = Parting {
            particles,
            numbers: self.numbers,
            flow: work.flow.each_ref().map(|column| &**column),
            time: self.time,
        };
        neighbours.walk(particles, &parting, &mut work.left[..particles.len()]);
    }

    /// The lowest pressure of a particle: water tears before it is pulled farther.
    fn least(&self, i: usize) -> f32 {
        if self.diagonal[i] > 0.0 { TORN * self.numbers.stiffness } else { 0.0 }
    }

    /// Whether it is for pressure to take away what is left of a particle: what may part without is no error.
    fn counts(&self, i: usize, left: f32, pressure: f32) -> bool {
        left > 0.0 || pressure > self.least(i)
    }

    /// The correction of a particle that would take away what is left, if it were the only one `[m²/s²]`.
    fn correction(&self, i: usize, left: f32) -> f32 {
        left / (self.time * self.time * self.diagonal[i].abs().max(self.even))
    }

    /// Whether a particle has a pressure at all.
    fn takes_part(&self, i: usize) -> bool {
        self.sorted.particles.tag[i] & BOUNDARY == 0 && self.diagonal[i] != 0.0
    }

    /// What the last way came to.
    fn measure(&self, work: &Work) -> Sums {
        let part = |range: Range<usize>| {
            let mut sums = (0.0, 0.0, 0.0, 0);
            for i in range.filter(|&i| self.takes_part(i)) {
                let (way, before, left) = (work.way[i], work.before[i], work.left[i]);
                sums.0 += f64::from(way * before);
                sums.1 += f64::from(way * (before - left));
                if self.counts(i, left, work.pressure[i]) {
                    sums.2 += f64::from(left.abs());
                }
                sums.3 += 1;
            }
            sums
        };
        let both = |a: Sums, b: Sums| (a.0 + b.0, a.1 + b.1, a.2 + b.2, a.3 + b.3);
        band::measure(0..self.sorted.particles.len(), PART, &part, &both)
    }

    /// Goes along the last way so many times as far as was tried, and puts what is left there, which changes in proportion, into `before`. Returns
    /// what there is to gain by corrections, and the same with what was left before.
    fn settle(&self, work: &mut Work, stretch: f32) -> (f64, f64) {
        let count = self.sorted.particles.len();
        let left = &*work.left;
        let part = |range: Range<usize>, [pressure, way, before]: [&mut [f32]; 3]| {
            let mut sums = (0.0, 0.0);
            for (k, i) in range.enumerate().filter(|&(_, i)| self.takes_part(i)) {
                let (was, more) = (before[k], stretch - 1.0);
                pressure[k] = (pressure[k] + more * way[k]).max(self.least(i));
                way[k] *= stretch;
                before[k] = left[i] + more * (left[i] - was);
                if self.counts(i, before[k], pressure[k]) {
                    let correction = self.correction(i, before[k]);
                    sums.0 += f64::from(correction * before[k]);
                    sums.1 += f64::from(correction * was);
                }
            }
            sums
        };
        let columns = [&mut *work.pressure, &mut *work.way, &mut *work.before].map(|c| &mut c[..count]);
        band::measure_parts(0..count, PART, columns, &part, &|a: (f64, f64), b: (f64, f64)| {
            (a.0 + b.0, a.1 + b.1)
        })
    }

    /// Tries the next way.
    fn correct(&self, work: &mut Work, next: &Next) {
        let count = self.sorted.particles.len();
        let (length, turn) = (next.length as f32, next.turn as f32);
        let before = &*work.before;
        let part = |range: Range<usize>, [pressure, way]: [&mut [f32]; 2]| {
            for (k, i) in range.enumerate().filter(|&(_, i)| self.takes_part(i)) {
                let was = pressure[k];
                let correction = self.correction(i, before[i]) + turn * way[k];
                pressure[k] = (was + length * correction).max(self.least(i));
                way[k] = pressure[k] - was;
            }
        };
        let columns = [&mut *work.pressure, &mut *work.way].map(|column| &mut column[..count]);
        band::for_each_part(0..count, PART, columns, &part);
    }
}
