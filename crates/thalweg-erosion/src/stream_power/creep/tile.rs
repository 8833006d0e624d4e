//! Several stages at once, while a few rows of a tile are in the cache.
//!
//! A tile goes down its rows once. As soon as a row has taken a stage, the row above it can take the next one. What lies around the
//! tile is computed along, two cells for each stage that is still to come, so that tiles need not wait for each other.

use super::Stage;
use super::law::Faces;
use super::rows::{EAST, FLOOR, RISEN, Rows, SOFTNESS, SOUTH, STAYS, part};
use crate::lanes::{LANES, load, store};
use fearless_simd::{Simd, f32x8, prelude::*};
use std::ops::Range;

/// Stages that are taken at once: what they reach to, two cells each, must not be wider than the vector that is computed along on
/// either side of a tile.
pub(super) const STAGES: usize = LANES / 2;
/// Columns of a tile.
pub(super) const STRIP: usize = 64 * LANES;
/// Cells on either side of a tile: a vector that is computed along, and one that is only looked at.
pub(super) const MARGIN: usize = 2 * LANES;
/// A tile with its margins.
pub(super) const WIDE: usize = STRIP + 2 * MARGIN;
/// What is computed of it.
const COMPUTED: Range<usize> = LANES..WIDE - LANES;
/// Rows that are kept of each stage: the latest, and two more that later stages look back to.
const KEPT: usize = 4;

/// Values of a row of a tile with its margins.
type Values = [f32; WIDE];

/// What has crossed the eastern and southern faces of a row.
type Crossing = [Values; 2];

/// Some columns and rows of the ground.
pub(super) struct Tile<'a> {
    pub(super) ground: &'a Rows,
    /// What had crossed all faces after the last stage, and after the one before it.
    pub(super) from: [&'a [f32]; 2],
    pub(super) stages: &'a [Stage],
    pub(super) rows: Range<usize>,
    pub(super) col: usize,
}

/// How far down a stage has come: the row that it takes next and the one below it, those with even numbers first.
struct Front {
    /// How much higher each cell is than at the beginning of the step.
    moved: [Values; 2],
    /// How much higher the cell to the east of each is.
    east: [Values; 2],
    /// How much higher the cell to the south is, of the row that it takes next and the one above it.
    south: [Values; 2],
}

impl Front {
    const NEW: Self = Self { moved: [[0.0; WIDE]; 2], east: [[0.0; WIDE]; 2], south: [[0.0; WIDE]; 2] };
}

/// What stays in cells of the soil that came, by the share that does. What is lost every cell but an outlet loses whole: a river
/// carries what comes into it, it does not bring what creeps out of it.
#[inline(always)]
fn kept<S: Simd>(simd: S, came: f32x8<S>, stays: f32x8<S>) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    (came.simd_lt(zero) & stays.simd_gt(zero)).select(came, came * stays)
}

impl Tile<'_> {
    /// Takes the stages. `to` gets what has crossed after the last one and after the one before it, for the rows of the tile.
    #[inline(always)]
    pub(super) fn cross<S: Simd>(&self, simd: S, law: Faces<S>, to: &mut [&mut [f32]; 2]) {
        let count = self.stages.len();
        // Rows after the stage before the last, after the last, and after each that is taken here.
        let mut after = [[[[0.0; WIDE]; 2]; KEPT]; STAGES + 2];
        let mut fronts = [const { Front::NEW }; STAGES];
        let ahead = |stage: usize| (self.rows.end + (count - stage)).min(self.ground.rows);
        let behind = |stage: usize| self.rows.start.saturating_sub(2 * (count - stage));
        for newest in behind(0)..self.rows.end + count {
            if newest < ahead(0) {
                let [earlier, last, ..] = &mut after;
                self.fetch(newest, [&mut last[newest % KEPT], &mut earlier[newest % KEPT]]);
            }
            // A stage lags one row behind the one before it.
            for (stage, front) in (1..=count.min(newest + 1)).zip(&mut fronts) {
                let below = newest + 1 - stage;
                let (before, now) = after.split_at_mut(stage + 1);
                if (behind(stage - 1)..ahead(stage - 1)).contains(&below) {
                    self.reach(simd, stage, below, &before[stage], front);
                }
                let row = below.checked_sub(1).filter(|row| (behind(stage)..ahead(stage)).contains(row));
                if let Some(row) = row {
                    let [last, earlier] = [&before[stage][row % KEPT], &before[stage - 1][row % KEPT]];
                    self.faces(simd, law, [stage, row], front, [last, earlier], &mut now[0][row % KEPT]);
                }
            }
            if let Some(row) = newest.checked_sub(count).filter(|row| self.rows.contains(row)) {
                for (to, after) in to.iter_mut().zip([&after[count + 1], &after[count]]) {
                    self.keep(row, &after[row % KEPT], to);
                }
            }
        }
    }

    /// Reads what had crossed the faces of a row before.
    #[inline(always)]
    fn fetch(&self, row: usize, crossing: [&mut Crossing; 2]) {
        let stride = self.ground.stride;
        for (from, crossing) in self.from.iter().zip(crossing) {
            for (face, values) in crossing.iter_mut().enumerate() {
                values.copy_from_slice(part(from, (2 * row + face) * stride + self.col));
            }
        }
    }

    /// Writes what has crossed the faces of a row.
    #[inline(always)]
    fn keep(&self, row: usize, crossing: &Crossing, to: &mut [f32]) {
        let stride = self.ground.stride;
        for (face, values) in crossing.iter().enumerate() {
            let at = (2 * (row - self.rows.start) + face) * stride + self.col + MARGIN;
            to[at..at + STRIP].copy_from_slice(&values[MARGIN..MARGIN + STRIP]);
        }
    }

    /// Brings a front down until `row` is the one below.
    #[inline(always)]
    fn reach<S: Simd>(&self, simd: S, stage: usize, row: usize, last: &[Crossing; KEPT], front: &mut Front) {
        let [even, odd] = &mut front.moved;
        let (moved, moved_above) = if row.is_multiple_of(2) { (even, &*odd) } else { (odd, &*even) };
        let above = row.checked_sub(1).map_or(&[0.0; WIDE], |above| &last[above % KEPT][1]);
        self.moved(simd, stage, row, [&last[row % KEPT][0], &last[row % KEPT][1], above], moved);
        let (start, east) = (self.ground.known(EAST, row, self.col), &mut front.east[row % 2]);
        for at in COMPUTED.step_by(LANES) {
            let fall = load(simd, moved, at + 1) - load(simd, moved, at);
            store(load(simd, start, at) + fall, east, at);
        }
        let Some(above) = row.checked_sub(1) else { return };
        let (start, south) = (self.ground.known(SOUTH, above, self.col), &mut front.south[above % 2]);
        for at in COMPUTED.step_by(LANES) {
            let fall = load(simd, moved, at) - load(simd, moved_above, at);
            store(load(simd, start, at) + fall, south, at);
        }
    }

    /// How much higher each cell of a row is: what has come, less what has still to rise.
    #[inline(always)]
    fn moved<S: Simd>(
        &self,
        simd: S,
        stage: usize,
        row: usize,
        [east, south, north]: [&Values; 3],
        moved: &mut Values,
    ) {
        let stays = self.ground.known(STAYS, row, self.col);
        let risen = self.ground.known(RISEN, row, self.col);
        let to_come = self.stages[stage - 1].to_come;
        for at in COMPUTED.step_by(LANES) {
            let across = load(simd, south, at) - load(simd, north, at);
            let came = across + (load(simd, east, at) - load(simd, east, at - 1));
            let kept = kept(simd, came, load(simd, stays, at));
            store(kept - load(simd, risen, at) * to_come, moved, at);
        }
        // Beyond the edges the ground goes on as it is.
        if self.col == 0 {
            moved[MARGIN - 1] = moved[MARGIN];
        }
        let end = self.ground.cols - self.col + MARGIN;
        if end < WIDE {
            moved[end] = moved[end - 1];
        }
    }

    /// Lets soil cross the faces of a row at a stage.
    #[inline(always)]
    fn faces<S: Simd>(
        &self,
        simd: S,
        law: Faces<S>,
        [stage, row]: [usize; 2],
        front: &Front,
        [last, earlier]: [&Crossing; 2],
        now: &mut Crossing,
    ) {
        let level = [0.0; WIDE];
        let stage = &self.stages[stage - 1];
        let below = (row + 1).min(self.ground.rows - 1);
        let floor = self.ground.known(FLOOR, row, self.col);
        let floor_below = self.ground.known(FLOOR, below, self.col);
        let soft = self.ground.known(SOFTNESS, row, self.col);
        let soft_below = self.ground.known(SOFTNESS, below, self.col);
        // Above the first row and below the last one the ground goes on as it is.
        let north = if row == 0 { &level } else { &front.south[(row + 1) % 2] };
        let south = if row == below { &level } else { &front.south[row % 2] };
        let (east, east_below) = (&front.east[row % 2], &front.east[below % 2]);
        let recur = |flux: f32x8<S>, last: f32x8<S>, earlier: f32x8<S>| {
            (last * stage.last + earlier * stage.earlier) + flux * stage.flux
        };
        for at in COMPUTED.step_by(LANES) {
            let [e, s] = [load(simd, east, at), load(simd, south, at)];
            let [own, own_soft] = [load(simd, floor, at), load(simd, soft, at)];
            let [last_east, last_south] = [0, 1].map(|face| load(simd, &last[face], at));
            let [earlier_east, earlier_south] = [0, 1].map(|face| load(simd, &earlier[face], at));
            let above = load(simd, north, at) + load(simd, north, at + 1);
            let aside = (above + (s + load(simd, south, at + 1))) * 0.25;
            let extra = (own + load(simd, floor, at + 1)) * 0.5;
            let softness = (own_soft + load(simd, soft, at + 1)) * 0.5;
            let flux = law.flux([e, aside], softness, extra);
            store(recur(flux, last_east, earlier_east), &mut now[0], at);
            let below = load(simd, east_below, at - 1) + load(simd, east_below, at);
            let aside = ((load(simd, east, at - 1) + e) + below) * 0.25;
            let extra = (own + load(simd, floor_below, at)) * 0.5;
            let softness = (own_soft + load(simd, soft_below, at)) * 0.5;
            let flux = law.flux([s, aside], softness, extra);
            store(recur(flux, last_south, earlier_south), &mut now[1], at);
        }
    }
}
