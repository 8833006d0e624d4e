//! Rounds of pushing and correcting, until a flow does not compress the fluid.

use super::parting::Parting;
use super::push::Push;
use crate::particles::{BOUNDARY, PART, Particles};
use crate::pressure::Sorted;
use crate::pressure::at_rest::Numbers;
use std::ops::Range;
use thalweg_field::band;

/// Share of a correction that the first round takes `[-]`; neighbours correct as well (Ihmsen et al. 2014 take half of it, with
/// fewer neighbours).
const FIRST_SHARE: f64 = 0.25;
/// Errors so many times the smallest one are no progress any more `[-]`.
const ASTRAY: f64 = 4.0;
/// What share of a correction a later round may take `[-]`.
const SHARES: [f64; 2] = [0.05, 20.0];

/// The fluid that is to be kept from being compressed.
pub(super) struct Task<'a> {
    pub sorted: Sorted<'a>,
    pub numbers: &'a Numbers,
    /// What [`Around`](super::around::Around) finds `[1/m²]`.
    pub diagonal: &'a [f32],
    /// The flow without pressure `[m/s]`, and how long it goes on `[s]`.
    pub start: [&'a [f32]; 3],
    pub time: f32,
    /// Fewest and most rounds.
    pub rounds: [u32; 2],
    /// How each round goes on from the one before.
    pub steps: Steps,
}

/// How far a round goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Steps {
    /// By the same factor for all particles (Solenthaler & Pajarola 2009, eq. 8), but for those that stand so close to others that their own
    /// is smaller.
    Even {
        /// Share of the factor that is taken `[-]`.
        share: f32,
        /// How its own pressure parts a particle amid a lattice from its neighbours `[1/m²]`.
        diagonal: f32,
    },
    /// By each particle's own factor (Bender & Koschier 2015, eq. 9), and as far as the round before has shown to be right (Barzilai &
    /// Borwein 1988): a few rounds then do what some ten would.
    Learning,
}

/// What the rounds work on.
pub(super) struct Work<'a> {
    /// The flow under pressure, with that of the boundary in it.
    pub flow: [&'a mut [f32]; 3],
    /// Pressure over density `[m²/s²]`; zero for the boundary.
    pub pressure: &'a mut [f32],
    /// By how much it was corrected `[m²/s²]`, and what is left compressed `[-]`.
    pub corrected: &'a mut [f32],
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

/// Sums over particles: of corrections times what they changed, of what is left compressed, and how many those are.
type Sums = (f64, f64, u64);

impl Task<'_> {
    /// Goes on until the flow leaves the fluid no more compressed than it may, or rounds are used up.
    pub(super) fn run(&self, work: &mut Work) -> Found {
        let tolerance = self.sorted.params.tolerance;
        let [least, most] = self.rounds;
        let (mut share, mut weighed, mut best) = (FIRST_SHARE, 0.0, f64::INFINITY);
        work.corrected.fill(0.0);
        work.left.fill(0.0);
        let mut rounds = 0;
        loop {
            self.push(work);
            self.find_left(work);
            rounds += 1;
            let (changed, error, count) = self.measure(work);
            let error = error / count.max(1) as f64;
            if rounds >= most || (error <= tolerance && rounds >= least) {
                return Found { rounds, error };
            }
            if self.steps == Steps::Learning {
                // Where it goes astray it begins anew.
                let learnt = changed > 0.0 && error < ASTRAY * best;
                share = if learnt { (weighed / changed).clamp(SHARES[0], SHARES[1]) } else { FIRST_SHARE };
            }
            best = best.min(error);
            weighed = self.correct(work, share);
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
    }

    /// What that flow leaves compressed.
    fn find_left(&self, work: &mut Work) {
        let Sorted { particles, neighbours, .. } = self.sorted;
        let count = particles.len();
        let parting = Parting {
            particles,
            numbers: self.numbers,
            flow: work.flow.each_ref().map(|column| &**column),
            time: self.time,
        };
        let out = [&mut *work.left, &mut *work.corrected].map(|column| &mut column[..count]);
        neighbours.walk(particles, &parting, out);
    }

    /// The lowest pressure of a particle.
    fn least(&self, i: usize) -> f32 {
        if self.diagonal[i] > 0.0 { f32::NEG_INFINITY } else { 0.0 }
    }

    /// What the last round came to.
    fn measure(&self, work: &Work) -> Sums {
        let Particles { tag, .. } = self.sorted.particles;
        let part = |range: Range<usize>| {
            let mut sums = (0.0, 0.0, 0);
            for i in range.filter(|&i| tag[i] & BOUNDARY == 0 && self.diagonal[i] != 0.0) {
                sums.0 += f64::from(work.corrected[i]);
                sums.2 += 1;
                // What may part without pressure is no error.
                if work.left[i] > 0.0 || work.pressure[i] > self.least(i) {
                    sums.1 += f64::from(work.left[i].abs());
                }
            }
            sums
        };
        let both = |a: Sums, b: Sums| (a.0 + b.0, a.1 + b.1, a.2 + b.2);
        band::measure(0..self.sorted.particles.len(), PART, &part, &both)
    }

    /// Corrects the pressure by a share of what would take the compression away; returns the sum of squares of that, each times how
    /// its own pressure parts a particle from its neighbours.
    fn correct(&self, work: &mut Work, share: f64) -> f64 {
        let count = self.sorted.particles.len();
        let Particles { tag, .. } = self.sorted.particles;
        let square = self.time * self.time;
        let left = &*work.left;
        let part = |range: Range<usize>, [pressure, corrected]: [&mut [f32]; 2]| {
            let mut sum = 0.0;
            for (k, i) in range.enumerate().filter(|&(_, i)| tag[i] & BOUNDARY == 0) {
                let (before, diagonal) = (pressure[k], self.diagonal[i]);
                let own = square * diagonal.abs();
                let wanted = match self.steps {
                    Steps::Even { share, diagonal: even } => {
                        before + share * left[i] / (square * diagonal.abs().max(even))
                    }
                    Steps::Learning => before + share as f32 * left[i] / own,
                };
                pressure[k] = if diagonal == 0.0 { 0.0 } else { wanted.max(self.least(i)) };
                corrected[k] = pressure[k] - before;
                sum += f64::from(own * corrected[k] * corrected[k]);
            }
            sum
        };
        let columns = [&mut *work.pressure, &mut *work.corrected].map(|column| &mut column[..count]);
        band::measure_parts(0..count, PART, columns, &part, &|a: f64, b: f64| a + b)
    }
}
