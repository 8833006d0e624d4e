//! Several stages at once, while a few rows of a tile are in the cache.
//!
//! A tile goes down its rows once. As soon as a row has taken a stage, the row above it can take the next one. What lies around the
//! tile is computed along, two cells for each stage that is still to come, so that tiles need not wait for each other.

use super::known::{Known, Part, Row};
use super::law::Faces;
use super::rows::Stages;
use crate::lanes::{WIDEST, read, write};
use fearless_simd::{Simd, prelude::*};
use std::ops::{Deref, DerefMut, Range};

/// Stages that are taken at once at most: the more, the less often everything is read and written, and the more is computed twice.
/// Measured best of 4, 6, 9 and 17, which is a whole step of the defaults on cells of 20 m.
pub(super) const STAGES: usize = 17;
/// Columns of a tile: its rows in flight fit into the second cache.
pub(super) const STRIP: usize = 16 * WIDEST;
/// Cells on either side of a tile: those that are computed along, two for each stage, and a vector that is only looked at.
pub(super) const MARGIN: usize = (2 * STAGES).next_multiple_of(WIDEST) + WIDEST;
/// A tile with its margins.
pub(super) const WIDE: usize = STRIP + 2 * MARGIN;
/// Rows that are kept of each stage: the latest, and two more that later stages look back to.
const KEPT: usize = 3;

/// Values of a row of a tile with its margins. They begin a line of the cache, so that only vectors that look aside straddle two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Values([f32; WIDE]);

impl Values {
    pub(super) const ZERO: Self = Self([0.0; WIDE]);
}

impl Deref for Values {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        &self.0
    }
}

impl DerefMut for Values {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.0
    }
}

/// What has crossed the eastern and southern faces of a row.
type Crossing = [Values; 2];

/// Room for a tile.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    known: Known,
    /// Rows after the stage before the last, after the last, and after each that is taken here.
    after: Vec<[Crossing; KEPT]>,
    fronts: Vec<Front>,
}

impl Room {
    fn clear(&mut self) {
        self.known.clear();
        self.after.clear();
        self.after.resize(STAGES + 2, [[Values::ZERO; 2]; KEPT]);
        self.fronts.clear();
        self.fronts.resize(STAGES, Front::ZERO);
    }
}

/// Some columns and rows of the ground.
pub(super) struct Tile<'a> {
    pub(super) stages: &'a Stages<'a>,
    pub(super) rows: Range<usize>,
    pub(super) col: usize,
}

/// How far down a stage has come: the row that it takes next and the one below it, those with even numbers first.
#[derive(Clone, Copy, Debug)]
struct Front {
    /// How much higher each cell is than at the beginning of the step.
    moved: [Values; 2],
    /// How much higher the cell to the east of each is.
    east: [Values; 2],
    /// How much higher the cell to the south is, of the row that it takes next and the one above it.
    south: [Values; 2],
}

impl Front {
    const ZERO: Self = Self { moved: [Values::ZERO; 2], east: [Values::ZERO; 2], south: [Values::ZERO; 2] };
}

/// What stays in cells of the soil that came, by the share that does. What is lost every cell but an outlet loses whole: a river
/// carries what comes into it, it does not bring what creeps out of it.
#[inline(always)]
fn kept<S: Simd>(simd: S, came: S::f32s, stays: S::f32s) -> S::f32s {
    let zero = S::f32s::splat(simd, 0.0);
    (came.simd_lt(zero) & stays.simd_gt(zero)).select(came, came * stays)
}

impl Tile<'_> {
    /// Takes the stages. `to` gets what has crossed after the last one and after the one before it, for the rows of the tile.
    #[inline(always)]
    pub(super) fn cross<S: Simd>(&self, simd: S, law: Faces<S>, room: &mut Room, to: &mut [&mut [f32]; 2]) {
        let Stages { slopes, height, from, .. } = *self.stages;
        let count = self.count();
        let part = Part { slopes, height, bend: self.stages.law.bend(), col: self.col };
        room.clear();
        let Room { known, after, fronts } = room;
        let ahead = |stage: usize| (self.rows.end + (count - stage)).min(slopes.layout.rows);
        let behind = |stage: usize| self.rows.start.saturating_sub(2 * (count - stage));
        for newest in behind(0)..self.rows.end + count {
            if newest < ahead(0) {
                known.take_up(&part, newest);
                if from.is_some() {
                    let (earlier, last) = after.split_at_mut(1);
                    self.fetch(newest, [&mut last[0][newest % KEPT], &mut earlier[0][newest % KEPT]]);
                }
            }
            // A stage lags one row behind the one before it.
            for (stage, front) in (1..=count.min(newest + 1)).zip(&mut *fronts) {
                let below = newest + 1 - stage;
                let (before, now) = after.split_at_mut(stage + 1);
                if (behind(stage - 1)..ahead(stage - 1)).contains(&below) {
                    self.reach(simd, [stage, below], known, &before[stage], front);
                }
                let row = below.checked_sub(1).filter(|row| (behind(stage)..ahead(stage)).contains(row));
                if let Some(row) = row {
                    let crossed = [&before[stage][row % KEPT], &before[stage - 1][row % KEPT]];
                    let step = Step { stage, row, known, front, crossed };
                    self.faces(simd, law, &step, &mut now[0][row % KEPT]);
                }
            }
            if let Some(row) = newest.checked_sub(count).filter(|row| self.rows.contains(row)) {
                let kept = if self.stages.go_on { 2 } else { 1 };
                for (to, after) in to.iter_mut().zip([&after[count + 1], &after[count]]).take(kept) {
                    self.keep(row, &after[row % KEPT], to);
                }
            }
        }
    }

    /// Stages that are taken.
    #[inline(always)]
    fn count(&self) -> usize {
        self.stages.stages.len()
    }

    /// What is computed of a row where so many stages are still to come: where its vectors begin.
    #[inline(always)]
    fn computed<S: Simd>(&self, to_come: usize) -> impl Iterator<Item = usize> + use<S> {
        let along = (2 * to_come).next_multiple_of(S::f32s::LEN);
        let (first, end) = (MARGIN - along, MARGIN + STRIP + along);
        (first / S::f32s::LEN..end / S::f32s::LEN).map(|number| {
            let at = number * S::f32s::LEN;
            // Said once, it need not be asked for each of the values around.
            assert!((WIDEST..=WIDE - WIDEST - S::f32s::LEN).contains(&at));
            at
        })
    }

    /// Reads what had crossed the faces of a row before.
    #[inline(always)]
    fn fetch(&self, row: usize, crossing: [&mut Crossing; 2]) {
        for (from, crossing) in self.stages.from.into_iter().flatten().zip(crossing) {
            for (face, values) in crossing.iter_mut().enumerate() {
                values.copy_from_slice(&from.row(row, face)[self.col..][..WIDE]);
            }
        }
    }

    /// Writes what has crossed the faces of a row.
    #[inline(always)]
    fn keep(&self, row: usize, crossing: &Crossing, to: &mut [f32]) {
        let stride = to.len() / (2 * self.rows.len());
        for (face, values) in crossing.iter().enumerate() {
            let at = (2 * (row - self.rows.start) + face) * stride + self.col + MARGIN;
            to[at..at + STRIP].copy_from_slice(&values[MARGIN..MARGIN + STRIP]);
        }
    }

    /// Brings a front down until `row` is the one below.
    #[inline(always)]
    fn reach<S: Simd>(
        &self,
        simd: S,
        [stage, row]: [usize; 2],
        known: &Known,
        last: &[Crossing; KEPT],
        front: &mut Front,
    ) {
        let Front { moved: [even, odd], east, south } = front;
        let (moved, moved_above) = if row.is_multiple_of(2) { (even, &*odd) } else { (odd, &*even) };
        // Above the first row there is nothing to cross from, and what lies there nobody asks for.
        let above = row.saturating_sub(1);
        let from_above = if row == 0 { &Values::ZERO } else { &last[above % KEPT][1] };
        let came = Came { crossed: &last[row % KEPT], from_above };
        let ([here, there], to_come) = ([row, above].map(|row| known.row(row)), self.to_come(stage));
        let (east, south) = (&mut east[row % 2], &mut south[(row + 1) % 2]);
        let rise = |at: usize, own: S::f32s, beside: S::f32s, east: &mut Values, south: &mut Values| {
            write::<S>(read(simd, &here.east, at) + (beside - own), east, at);
            write::<S>(read(simd, &there.south, at) + (own - read(simd, moved_above, at)), south, at);
        };
        // One vector behind: what lies to the east of its last cell must have moved too.
        let mut computed = self.computed::<S>(self.count() + 1 - stage);
        let Some(mut newest) = computed.next() else { return };
        let mut own = came.moved(simd, here, to_come, newest, moved);
        for at in computed {
            let beside = came.moved(simd, here, to_come, at, moved);
            rise(at - S::f32s::LEN, own, own.slide::<1>(beside), east, south);
            (newest, own) = (at, beside);
        }
        rise(newest, own, read(simd, moved, newest + 1), east, south);
        // Beyond the edges the ground goes on as it is.
        let end = self.stages.slopes.layout.cols - self.col + MARGIN;
        let edges = [(self.col == 0, [MARGIN, MARGIN - 1]), (end < WIDE, [end - 1, end])];
        for (_, [last, beyond]) in edges.into_iter().filter(|(is_edge, _)| *is_edge) {
            moved[beyond] = moved[last];
            let west = last.min(beyond);
            east[west] = here.east[west] + (moved[west + 1] - moved[west]);
            south[beyond] = there.south[beyond] + (moved[beyond] - moved_above[beyond]);
        }
    }

    /// Share of the step that is still to come at a stage `[-]`.
    #[inline(always)]
    fn to_come(&self, stage: usize) -> f32 {
        self.stages.stages[stage - 1].to_come
    }

    /// Lets soil cross the faces of a row at a stage.
    #[inline(always)]
    fn faces<S: Simd>(&self, simd: S, law: Faces<S>, step: &Step, now: &mut Crossing) {
        let Step { row, front, crossed: [last, earlier], .. } = *step;
        let level = Values::ZERO;
        let stage = &self.stages.stages[step.stage - 1];
        let below = (row + 1).min(self.stages.slopes.layout.rows - 1);
        let known = step.known.row(row);
        // Above the first row and below the last one the ground goes on as it is.
        let north = if row == 0 { &level } else { &front.south[(row + 1) % 2] };
        let south = if row == below { &level } else { &front.south[row % 2] };
        let (east, east_below) = (&front.east[row % 2], &front.east[below % 2]);
        let recur = |flux: S::f32s, last: S::f32s, earlier: S::f32s| {
            (last * stage.last + earlier * stage.earlier) + flux * stage.flux
        };
        for at in self.computed::<S>(self.count() - step.stage) {
            let [e, s] = [read(simd, east, at), read(simd, south, at)];
            let [last_east, last_south] = [0, 1].map(|face| read(simd, &last[face], at));
            let [earlier_east, earlier_south] = [0, 1].map(|face| read(simd, &earlier[face], at));
            let [floor_east, floor_south] = [0, 1].map(|face| read(simd, &known.floor[face], at));
            let [bend_east, bend_south] = [0, 1].map(|face| read(simd, &known.bend[face], at));
            let above = read(simd, north, at) + read(simd, north, at + 1);
            let aside = (above + (s + read(simd, south, at + 1))) * 0.25;
            let flux = law.flux([e, aside], bend_east, floor_east);
            write::<S>(recur(flux, last_east, earlier_east), &mut now[0], at);
            let below = read(simd, east_below, at - 1) + read(simd, east_below, at);
            let aside = ((read(simd, east, at - 1) + e) + below) * 0.25;
            let flux = law.flux([s, aside], bend_south, floor_south);
            write::<S>(recur(flux, last_south, earlier_south), &mut now[1], at);
        }
    }
}

/// A row at a stage: how far its front has come, and what had crossed after the last stage and the one before it.
struct Step<'a> {
    stage: usize,
    row: usize,
    known: &'a Known,
    front: &'a Front,
    crossed: [&'a Crossing; 2],
}

/// What had crossed the faces around a row.
struct Came<'a> {
    crossed: &'a Crossing,
    from_above: &'a Values,
}

impl Came<'_> {
    /// How much higher each cell is: what has come, less what has still to rise.
    #[inline(always)]
    fn moved<S: Simd>(&self, simd: S, known: &Row, to_come: f32, at: usize, moved: &mut Values) -> S::f32s {
        let [east, south] = self.crossed;
        let across = read(simd, south, at) - read(simd, self.from_above, at);
        let came = across + (read(simd, east, at) - read(simd, east, at - 1));
        let kept = kept(simd, came, read(simd, &known.stays, at));
        let value = kept - read(simd, &known.risen, at) * to_come;
        write::<S>(value, moved, at);
        value
    }
}
