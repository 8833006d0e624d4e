//! Passes over coarser terrain: how far they are, how one hands over to the next, and the books of all.

use super::super::relief::finer;
use super::PipesRun;
use super::saved::misfit;
use super::weather::weather;
use crate::project::Complaint;
use std::cmp::Ordering;
use thalweg_erosion::pipes::{Pipes, Weather};
use thalweg_field::range::{FINITE, NATURAL, all_within, whole};
use thalweg_field::sum::ordered_sum;
use thalweg_field::{Frame, Grid2, Heightfield, Ledger, Solids, Water};
use thalweg_terrain::resample;

/// Passes that are over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Past {
    pub(super) steps: u64,
    /// Simulated time `[s]`.
    pub(super) time: f64,
    ledger: Ledger,
}

impl Past {
    pub(super) fn numbers(&self) -> [f64; 13] {
        let Ledger { water: w, solids: s } = self.ledger;
        [
            self.steps as f64,
            self.time,
            w.start,
            w.added,
            w.evaporated,
            w.exported,
            w.end,
            s.bed_start,
            s.bed_end,
            s.suspended,
            s.exported,
            s.added,
            s.eroded,
        ]
    }

    pub(super) fn from_numbers(numbers: &[f64]) -> Result<Self, String> {
        let [steps, time, w0, w1, w2, w3, w4, s0, s1, s2, s3, s4, s5] =
            numbers.try_into().map_err(|_| misfit())?;
        let steps = whole("the steps of its earlier passes", steps, 1 << 53)?;
        all_within("time of its earlier passes,", &[time], &NATURAL)?;
        all_within("account of its earlier passes,", &numbers[2..], &FINITE)?;
        let water = Water { start: w0, added: w1, evaporated: w2, exported: w3, end: w4 };
        let solids =
            Solids { bed_start: s0, bed_end: s1, suspended: s2, exported: s3, added: s4, eroded: s5 };
        Ok(Self { steps, time, ledger: Ledger { water, solids } })
    }
}

impl PipesRun {
    /// Share of the work of all passes that is done.
    pub(super) fn share(&self) -> f64 {
        if self.is_over() {
            return 1.0;
        }
        let Heightfield { height, frame } = self.setup.ground.heights();
        let cells =
            |factor: usize| ((height.cols() / factor).max(1) * (height.rows() / factor).max(1)) as f64;
        let coarse = self.scene().time.coarse.iter();
        let coarse = coarse.map(|coarse| (cells(coarse.factor_on(frame.cell)), coarse.steps as f64));
        let passes = coarse.chain([(cells(1), self.last_pass_steps())]);
        let (mut done, mut all) = (0.0, 0.0);
        for (pass, (cells, steps)) in passes.enumerate() {
            all += cells * steps;
            done += match pass.cmp(&self.pass) {
                Ordering::Less => cells * steps,
                Ordering::Equal => cells * (self.pipes.steps_taken() as f64).min(steps),
                Ordering::Greater => 0.0,
            };
        }
        done / all
    }

    /// The time step to come, as far as it is known `[s]`.
    pub(super) fn next_dt(&self) -> f64 {
        let params = self.pipes.params();
        params.dt.unwrap_or((params.safety * self.pipes.max_dt()).min(params.max_dt))
    }

    /// Steps that the last pass will take, as far as that is known: where time ends it, as many as steps like those of
    /// the present pass would be. Cells that are smaller have steps that much shorter.
    fn last_pass_steps(&self) -> f64 {
        let time = &self.scene().time;
        let most = time.steps as f64;
        let Some(duration) = time.duration else { return most };
        let taken = self.pipes.steps_taken();
        let dt = if taken > 0 { self.pipes.time() / taken as f64 } else { self.next_dt() };
        let cell = self.setup.ground.heights().frame.cell;
        let finer = time.coarse.get(self.pass).map_or(1, |coarse| coarse.factor_on(cell));
        (duration * finer as f64 / dt).min(most)
    }

    /// Ends a coarse pass: the finer terrain takes over the shape, the water and what is afloat in it, and gets back some of its
    /// own detail.
    pub(super) fn refine(&mut self) -> Result<(), Complaint> {
        let past = Past { steps: self.steps_taken(), time: self.time(), ledger: self.ledger() };
        let eroded = self.pipes.ground();
        let ground = finer(&self.setup, self.pass, &eroded);
        self.pass += 1;
        let size = [ground.height.cols(), ground.height.rows()];
        let [water, afloat] =
            [self.pipes.depth(), self.pipes.afloat()].map(|grid| spread(grid, &eroded.frame, &ground));
        let over = Weather { water: Some(water), afloat: Some(afloat), ..weather(&self.setup, &ground) };
        self.pipes = Pipes::new(&ground, &self.pipes.params().clone(), &over)?;
        self.pipes.end_at(self.scene().time.duration_of(self.pass));
        (self.past, self.inherited) = (Some(past), Some(ground.height));
        let empty = Grid2::filled(size[0], size[1], 0.0);
        (self.flow, self.wet, self.sampled) = (empty.clone(), empty, 0.0);
        Ok(())
    }

    /// The books of all passes. Detail that refining gives the ground counts as added; water it neither makes nor loses but for
    /// rounding, which counts as added too.
    pub(super) fn ledger(&self) -> Ledger {
        let now = self.pipes.ledger();
        let Some(Past { ledger: past, .. }) = &self.past else { return now };
        Ledger {
            water: Water {
                start: past.water.start,
                added: past.water.added + now.water.added + now.water.start - past.water.end,
                evaporated: past.water.evaporated + now.water.evaporated,
                exported: past.water.exported + now.water.exported,
                end: now.water.end,
            },
            solids: Solids {
                bed_start: past.solids.bed_start,
                bed_end: now.solids.bed_end,
                suspended: now.solids.suspended,
                exported: past.solids.exported + now.solids.exported,
                added: past.solids.added + now.solids.added + now.solids.bed_start
                    - past.solids.bed_end
                    - past.solids.suspended,
                eroded: past.solids.eroded + now.solids.eroded,
            },
        }
    }
}

/// A grid on the cells of finer ground, none of it lost: what interpolation makes more or less of is spread over all.
fn spread(coarse: Grid2<f32>, frame: &Frame, finer: &Heightfield) -> Grid2<f32> {
    // Coarse cells need not be a whole number of fine ones, nor cover quite the same ground.
    let before = ordered_sum(coarse.values()) * (frame.cell / finer.frame.cell).powi(2);
    let coarse = Heightfield { height: coarse, frame: frame.clone() };
    let fine = resample(&coarse, finer.height.cols(), finer.height.rows()).height;
    let fine = fine.map(|value| value.max(0.0));
    let after = ordered_sum(fine.values());
    let scale = if after > 0.0 { before / after } else { 0.0 };
    fine.map(|value| (f64::from(value) * scale) as f32)
}

/// |ground that is missing| / |what water moved|, or of the whole bed where slopes slipped but water moved nothing `[-]`.
pub(super) fn solids_missing(solids: &Solids) -> f64 {
    let share = solids.imbalance();
    if share.is_finite() {
        return share;
    }
    let missing = solids.bed_start + solids.added - solids.bed_end - solids.suspended - solids.exported;
    missing.abs() / solids.bed_start.abs().max(solids.bed_end.abs())
}
