//! Rivers that cut into their beds, and what they lay down on the way.
//!
//! dh/dt = −K A^m S^n + G Q_s / A (Davy & Lague 2009; Yuan et al. 2019), implicit in time. A cell's height depends on that of
//! the cell that it drains to, and through the sediment it receives on the heights of all above it. Yuan et al. go around that
//! circle until nothing changes. Here it is solved at once: seen from its receiver, a whole catchment is a line, sediment =
//! α + β · height of the receiver, and the line of a cell follows from those of its donors. So one sweep down the rivers puts
//! the lines together, one sweep up finds the heights, for any G; it is Gauss's elimination on a tree. Where the law is not
//! linear (n ≠ 1) its tangents are, and a few sweeps with them end at the curve (Newton).

use super::creep::{Crept, CreptRow};
use super::flow::Flow;
use super::lakes::Hollows;
use super::layout::{Layout, SPILL, UNDER_WATER};
use super::order::{Order, Stretch};
use super::power::power;
use crate::lanes::some;
use fearless_simd::{Level, Simd, dispatch};
use std::f64::consts::SQRT_2;
use thalweg_field::band::{self, Cut};

/// Set on a cell that does not cut in this step: what lies below it rose too high, or its pull is below the threshold.
const PASSIVE: u8 = 0x40;
/// Heights are found when a sweep changes none by more than this `[m]`.
const TOLERANCE: f64 = 1.0e-7;
/// Sweeps after which heights are taken as they are. Newton's method doubles the digits in each.
const MOST_SWEEPS: usize = 24;
/// Least slope that a tangent is taken at: for n < 1 the law is upright at 0 `[-]`.
const LEAST_SLOPE: f64 = 1.0e-9;

/// Where it never rains cells still count for a little, so that nothing is divided by 0, in cells.
pub(super) const LEAST_AREA: f64 = 1.0e-12;

/// The law of one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    /// Exponent of the area, m.
    pub(super) m: f64,
    /// Exponent of the slope, n.
    pub(super) n: f64,
    /// Deposition constant, G.
    pub(super) g: f64,
    /// What a cell of unit erodibility that drains one cell cuts in a step at a slope of 1 `[m]`.
    pub(super) cut: f64,
    /// Area around which rivers begin, in cells.
    pub(super) head: f64,
    /// Cutting that must be exceeded `[m]`.
    pub(super) threshold: f64,
    /// Whether sediment settles in lakes.
    pub(super) traps: bool,
}

impl Law {
    /// What a river lays down in a cell, over what leaves it `[-]`: the deposition constant over the area in cells, its own or that
    /// of the water beside it.
    #[inline(always)]
    pub(super) fn laid_down(&self, area: f64, passing: f64) -> f64 {
        self.g / if area > passing { area } else { passing }
    }
}

/// What happened to the ground in a step, as height of one cell `[m]`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// Left over the edges.
    pub(super) exported: f64,
}

/// Room for the sweeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Incision {
    /// Area that drains through each cell, in cells, weighted with the rain; whole numbers are exact up to 4096 by 4096 of them.
    pub(super) area: Vec<f32>,
    /// The same over a stretch across the flow.
    pub(super) flow: Flow,
    /// What is known of each cell.
    pub(super) nodes: Vec<Node>,
    // From here on in the order of the cells.
    /// Areas.
    gathered: Vec<f64>,
    /// Codes of the ways.
    codes: Vec<u8>,
    /// The tangent of the law: cutting for each metre, and what to take off; empty where n = 1.
    tangent: Vec<[f64; 2]>,
    /// Lines of the catchments, then of the heights.
    pub(super) lines: Vec<[f64; 2]>,
    /// Heights after the step `[m]`.
    pub(super) found: Vec<f64>,
    /// The outlets of lakes.
    spills: Vec<Spill>,
    /// Ground that settled in each lake `[m]`.
    pub(super) settled: Vec<f64>,
}

/// What is known of a cell before its river cuts; side by side, because cells come in the order of the water.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Node {
    /// Height before `[m]`.
    pub(super) start: f64,
    /// Soil that came into the river and is carried on `[m]`.
    soil: f64,
    /// What it would cut for each metre that it lies above its receiver (n = 1), or above it to the power n.
    pub(super) pull: f64,
    /// Deposition constant over area, G/A, in cells.
    deposition: f64,
}

/// The ground that rivers cut into.
pub(super) struct Ground<'a> {
    pub(super) ways: &'a [u8],
    /// How easily each cell erodes `[-]`.
    pub(super) erodibility: &'a [f32],
    /// Heights, and the soil that came into the rivers.
    pub(super) crept: Crept<'a>,
}

/// A cell that all water of a lake runs through.
#[derive(Clone, Copy, Debug)]
struct Spill {
    /// Where it comes in the order.
    place: u32,
    lake: u32,
    /// The line of the sediment that reaches the lake.
    inflow: [f64; 2],
    /// The share of it that stays `[-]`.
    stays: f64,
}

/// What a step works on.
pub(super) struct Basin<'a> {
    /// Side of a cell `[m]`.
    pub(super) cell: f64,
    pub(super) order: &'a Order,
    pub(super) ways: &'a [u8],
    pub(super) hollows: &'a Hollows,
}

/// Some catchments of what is kept in the order.
struct Part<'a> {
    codes: &'a mut [u8],
    tangent: &'a mut [[f64; 2]],
    lines: &'a mut [[f64; 2]],
    found: &'a mut [f64],
    spills: &'a mut [Spill],
    /// The place of the first.
    begin: usize,
}

impl Cut for Part<'_> {
    fn cut(self, at: usize) -> (Self, Self) {
        let (codes, codes_after) = self.codes.split_at_mut(at);
        let (tangent, tangent_after) = self.tangent.split_at_mut(at.min(self.tangent.len()));
        let (lines, lines_after) = self.lines.split_at_mut(at);
        let (found, found_after) = self.found.split_at_mut(at);
        let begin = self.begin + at;
        let passed = self.spills.partition_point(|spill| (spill.place as usize) < begin);
        let (spills, spills_after) = self.spills.split_at_mut(passed);
        (
            Self { codes, tangent, lines, found, spills, begin: self.begin },
            Self {
                codes: codes_after,
                tangent: tangent_after,
                lines: lines_after,
                found: found_after,
                spills: spills_after,
                begin,
            },
        )
    }
}

impl Incision {
    /// Adds up the area above each cell.
    pub(super) fn gather(&mut self, layout: &Layout, order: &Order, rain: Option<&[f32]>) {
        self.gathered.resize(order.len(), 0.0);
        order.for_each(&mut self.gathered[..], |Stretch { cells, below, .. }, area: &mut [f64]| {
            match rain {
                None => area.fill(1.0),
                Some(rain) => {
                    let area = area.iter_mut().zip(cells);
                    area.for_each(|(area, &at)| *area = f64::from(rain[at as usize]).max(LEAST_AREA));
                }
            }
            for (here, &below) in below.iter().enumerate().rev() {
                let below = below as usize;
                if below != here {
                    area[below] += area[here];
                }
            }
        });
        self.area.resize(layout.len(), 1.0);
        let gathered = &self.gathered;
        band::for_each_chunk(&mut self.area, layout.stride, |row, area| {
            if (1..=layout.rows).contains(&row) {
                let fetched = order.place.fetch(layout, row, gathered);
                area[1..].iter_mut().zip(fetched).for_each(|(area, fetched)| *area = fetched as f32);
            }
        });
    }

    /// Gathers the water that runs side by side over a stretch of `side` cells.
    pub(super) fn gather_flow(&mut self, layout: &Layout, ways: &[u8], side: f64) {
        self.flow.gather(layout, ways, &self.area, side);
    }

    /// The area whose water passes over that stretch at each cell, in cells.
    pub(super) fn passing(&self) -> &[f32] {
        self.flow.of(&self.area)
    }

    /// Puts together what is known of each cell before its river cuts.
    pub(super) fn weigh(&mut self, layout: &Layout, ground: &Ground, law: &Law) {
        self.nodes.resize(layout.len(), Node::default());
        let (stride, level) = (layout.stride, Level::new());
        // A fall of y over the distance d is a slope of y/d.
        let straight = law.cut * layout.cell.powf(-law.n);
        let lengths = [straight, straight * SQRT_2.powf(-law.n)];
        let (area, passing) = (&self.area, self.flow.of(&self.area));
        band::for_each_chunk(&mut self.nodes, stride, |line, nodes| {
            if (1..=layout.rows).contains(&line) {
                let cols = 0..layout.cols;
                let row = Row {
                    area: layout.cells_of(area, line, &cols),
                    passing: layout.cells_of(passing, line, &cols),
                    erodibility: layout.cells_of(ground.erodibility, line, &cols),
                    ways: layout.cells_of(ground.ways, line, &cols),
                    crept: ground.crept.row(line - 1),
                };
                dispatch!(level, simd => row.weigh(simd, law, lengths, &mut nodes[1..=layout.cols]));
            }
        });
    }

    /// Cuts and lays down. The heights afterwards are in `found`.
    pub(super) fn solve(&mut self, basin: &Basin, law: &Law) -> Outcome {
        self.prepare(basin, law);
        let traps = law.traps && !basin.hollows.lakes.is_empty();
        if law.g == 0.0 && !traps {
            let exported = self.sweep(basin, |rivers, part| rivers.cut_only(law, part), |a, b| a + b);
            return Outcome { exported };
        }
        if law.n != 1.0 {
            self.sweep(basin, |rivers, part| rivers.cut_only(law, part), |_, _| 0.0);
        } else if law.threshold > 0.0 {
            self.sweep(basin, |rivers, part| rivers.find_passive(law, part), |(), ()| ());
        }
        let mut outcome = Outcome::default();
        for _ in 0..MOST_SWEEPS {
            if law.n != 1.0 {
                self.sweep(basin, |rivers, part| rivers.find_tangents(law, part), |(), ()| ());
            }
            let exported = self.sweep(basin, |rivers, part| rivers.go_down(law, part), |a, b| a + b);
            outcome = Outcome { exported };
            let [changed, passive] = self.sweep(
                basin,
                |rivers, part| rivers.go_up(law, part),
                |a: [f64; 2], b: [f64; 2]| [a[0].max(b[0]), a[1] + b[1]],
            );
            let settled = law.n == 1.0 || changed < TOLERANCE;
            if settled && passive == 0.0 {
                break;
            }
        }
        for spill in &self.spills {
            let [a, b] = spill.inflow;
            self.settled[spill.lake as usize] = spill.stays * (a + b * self.found[spill.place as usize]);
        }
        outcome
    }

    /// Makes room, and finds where the outlets of lakes are in the order.
    fn prepare(&mut self, basin: &Basin, law: &Law) {
        let count = basin.order.len();
        let lakes = &basin.hollows.lakes;
        self.codes.resize(count, 0);
        self.lines.resize(count, [0.0; 2]);
        self.found.resize(count, 0.0);
        self.tangent.resize(if law.n == 1.0 { 0 } else { count }, [0.0; 2]);
        self.settled.clear();
        self.settled.resize(lakes.len(), 0.0);
        self.spills.clear();
        self.spills.extend((0..).zip(lakes).map(|(lake, at)| Spill {
            place: basin.order.place.of(at.spill as usize) as u32,
            lake,
            inflow: [0.0; 2],
            stays: 0.0,
        }));
        self.spills.sort_unstable_by_key(|spill| spill.place);
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime alone")]
        self.sweep(basin, |rivers, part| rivers.note_codes(part), |(), ()| ());
    }

    /// Goes through all catchments, several at a time; what is found is combined in their order.
    fn sweep<T: Send>(
        &mut self,
        basin: &Basin,
        work: impl Fn(&Rivers, Part) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        let Self { codes, tangent, lines, found, spills, nodes, .. } = self;
        let part = Part { codes, tangent, lines, found, spills, begin: 0 };
        basin.order.measure(
            part,
            |Stretch { cells, below, .. }, part| work(&Rivers { basin, cells, below, nodes }, part),
            combine,
        )
    }
}

/// Some catchments: what is known of their cells.
struct Rivers<'a> {
    basin: &'a Basin<'a>,
    cells: &'a [u32],
    below: &'a [u32],
    nodes: &'a [Node],
}

impl Rivers<'_> {
    fn note_codes(&self, part: Part) {
        let codes = part.codes.iter_mut().zip(self.cells);
        codes.for_each(|(code, &at)| *code = self.basin.ways[at as usize]);
    }

    /// The places here, the cells, and the places of those that they drain to.
    fn places(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let pairs = self.cells.iter().zip(self.below).enumerate();
        pairs.map(|(here, (&at, &below))| (here, at as usize, below as usize))
    }

    /// Without deposition every cell follows from its receiver alone (Braun & Willett 2013, eqs. 22 to 24). Returns what left
    /// over the edges `[m]`.
    fn cut_only(&self, law: &Law, part: Part) -> f64 {
        let mut exported = 0.0;
        let mut nodes = [Node::default(); TOGETHER];
        for (here, _, below) in self.places() {
            if here % TOGETHER == 0 {
                nodes = self.nodes_from(here);
            }
            let Node { start: own, soil, pull, .. } = nodes[here % TOGETHER];
            exported += soil;
            let base = part.found[below];
            let fall = own - base;
            if here == below || fall <= 0.0 || part.codes[here] & UNDER_WATER != 0 {
                part.found[here] = own;
                continue;
            }
            let left = if law.n == 1.0 {
                (fall + law.threshold) / (1.0 + pull)
            } else {
                remaining(fall + law.threshold, pull, law.n)
            };
            let left = left.min(fall);
            part.found[here] = base + left;
            exported += fall - left;
        }
        exported
    }

    fn find_passive(&self, law: &Law, part: Part) {
        for (here, at, below) in self.places() {
            let Node { start, pull, .. } = self.nodes[at];
            let fall = start - self.nodes[self.cells[below] as usize].start;
            if here != below && pull * fall <= law.threshold {
                part.codes[here] |= PASSIVE;
            }
        }
    }

    /// Tangents of c yⁿ at the falls y that were found.
    fn find_tangents(&self, law: &Law, part: Part) {
        let least = LEAST_SLOPE * self.basin.cell;
        for (here, at, below) in self.places() {
            let fall = (part.found[here] - part.found[below]).max(least);
            let cut = self.nodes[at].pull * power(fall, law.n);
            let steep = law.n * cut / fall;
            part.tangent[here] = [steep, steep * fall - cut];
        }
    }

    /// Puts the lines of the catchments together, from the ridges down. Returns what left over the edges `[m]`.
    fn go_down(&self, law: &Law, part: Part) -> f64 {
        let mut spills = part.spills.iter_mut().rev();
        let mut exported = 0.0;
        part.lines.fill([0.0; 2]);
        for first in (0..self.cells.len()).step_by(TOGETHER).rev() {
            let nodes = self.nodes_from(first);
            for here in (first..(first + TOGETHER).min(self.cells.len())).rev() {
                let (node, code) = (&nodes[here - first], part.codes[here]);
                let below = self.below[here] as usize;
                let [mut a, mut b] = part.lines[here];
                if here == below {
                    exported += a + node.soil + b * node.start;
                    part.found[here] = node.start;
                    continue;
                }
                if code & SPILL != 0
                    && law.traps
                    && let Some(spill) = spills.next()
                {
                    let keep = spill.pass_lake(self.basin.hollows, [a, b], node.start);
                    (a, b) = (a * keep, b * keep);
                }
                let (line, out) = match law.n == 1.0 {
                    true => node.cut([a, b], [node.pull, law.threshold], code, law.g),
                    false => {
                        let [pull, off] = part.tangent[here];
                        node.cut([a, b], [pull, off + law.threshold], code, law.g)
                    }
                };
                part.lines[here] = line;
                // What stays of the soil in this cell it has got already.
                let below = &mut part.lines[below];
                *below = [below[0] + out[0] + node.soil, below[1] + out[1]];
            }
        }
        exported
    }

    /// What is known of some cells. Fetched one right after the other they come side by side, while a river would wait for each.
    #[inline(always)]
    fn nodes_from(&self, first: usize) -> [Node; TOGETHER] {
        let mut nodes = [Node::default(); TOGETHER];
        for (node, &at) in nodes.iter_mut().zip(&self.cells[first..]) {
            *node = self.nodes[at as usize];
        }
        nodes
    }

    /// Finds the heights, from the outlets up. Returns the largest change since the last sweep `[m]`, and how many cells turned
    /// out not to cut.
    fn go_up(&self, law: &Law, part: Part) -> [f64; 2] {
        let (mut changed, mut passive) = (0.0_f64, 0.0);
        let bent = law.n != 1.0 || law.threshold > 0.0;
        for (here, at, below) in self.places() {
            if here == below {
                continue;
            }
            let [p, q] = part.lines[here];
            let below = part.found[below];
            let found = p + q * below;
            let before = std::mem::replace(&mut part.found[here], found);
            if bent {
                changed = changed.max((found - before).abs());
                // Where the law has a threshold or is bent, pull must not become push. The plain law may push: where what lies
                // below was filled up, the cell is filled up behind it, with what the river carries.
                let fall = found - below;
                let (least, pull) =
                    if law.n == 1.0 { (law.threshold, self.nodes[at].pull) } else { (0.0, 1.0) };
                if q > 0.0 && pull * fall < least - TOLERANCE {
                    part.codes[here] |= PASSIVE;
                    passive += 1.0;
                }
            }
        }
        [changed, passive]
    }
}

impl Node {
    /// The line of the height and that of the sediment that leaves, for what comes, `[a, b]`, and a law that cuts `pull` for each
    /// metre of fall less `off`.
    #[inline(always)]
    fn cut(
        &self,
        [a, b]: [f64; 2],
        [pull, off]: [f64; 2],
        code: u8,
        deposition: f64,
    ) -> ([f64; 2], [f64; 2]) {
        let Self { start: own, deposition: g, .. } = *self;
        if code & (UNDER_WATER | PASSIVE) != 0 && (code & UNDER_WATER != 0 || deposition == 0.0) {
            return ([own, 0.0], [a + b * own, 0.0]);
        }
        let [pull, off] = if code & PASSIVE != 0 { [0.0, 0.0] } else { [pull, off] };
        // (1 + g)(own − x) = pull (x − below) − off − g (a + b x): what the cell itself loses counts among what passes through
        // it, so that a steady river is (1 + G) times as steep to the last digit.
        let scale = 1.0 / (1.0 + g + pull - g * b);
        let p = ((1.0 + g) * own + g * a + off) * scale;
        let q = pull * scale;
        ([p, q], [a + (own - p) + b * p, (b - 1.0) * q])
    }
}

impl Spill {
    /// The share of the sediment that leaves the lake; `[a, b]` is the line of what reaches it.
    fn pass_lake(&mut self, hollows: &Hollows, [a, b]: [f64; 2], own: f64) -> f64 {
        let (room, comes) = (hollows.lakes[self.lake as usize].room, a + b * own);
        self.stays = if room > 0.0 && comes > 0.0 { (room / comes).min(1.0) } else { 0.0 };
        self.inflow = [a, b];
        1.0 - self.stays
    }
}

/// A row of cells.
struct Row<'a> {
    area: &'a [f32],
    passing: &'a [f32],
    erodibility: &'a [f32],
    ways: &'a [u8],
    crept: CreptRow<'a>,
}

/// Cells that are fetched or weighed together.
const TOGETHER: usize = 64;

impl Row<'_> {
    #[inline(always)]
    fn weigh<S: Simd>(&self, _: S, law: &Law, lengths: [f64; 2], nodes: &mut [Node]) {
        let (mut pull, mut deposition) = ([0.0; TOGETHER], [0.0; TOGETHER]);
        for (first, nodes) in (0..).step_by(TOGETHER).zip(nodes.chunks_mut(TOGETHER)) {
            let area = some::<_, TOGETHER>(&self.area[first..], 1.0).map(f64::from);
            let passing = some::<_, TOGETHER>(&self.passing[first..], 1.0).map(f64::from);
            let erodibility = some::<_, TOGETHER>(&self.erodibility[first..], 1.0);
            let ways = some::<_, TOGETHER>(&self.ways[first..], 1);
            for i in 0..TOGETHER {
                let length = if ways[i] & 1 == 1 { lengths[1] } else { lengths[0] };
                // 1 / (1 + (head / passing)²) with one division.
                let square = passing[i] * passing[i];
                pull[i] = f64::from(erodibility[i]) * length * square / (square + law.head * law.head);
                deposition[i] = law.laid_down(area[i], passing[i]);
            }
            if law.m == 0.5 {
                (0..TOGETHER).for_each(|i| pull[i] *= passing[i].sqrt());
            } else {
                (0..TOGETHER).for_each(|i| pull[i] *= power(passing[i], law.m));
            }
            let [start, soil] = self.crept.settle::<TOGETHER>(first);
            for (i, node) in nodes.iter_mut().enumerate() {
                *node = Node { start: start[i], soil: soil[i], pull: pull[i], deposition: deposition[i] };
            }
        }
    }
}

/// The y between 0 and `fall` with y + pull yⁿ = fall. Seen from the side where the curve is convex, Newton's method comes down
/// to it from above and never overshoots.
fn remaining(fall: f64, pull: f64, n: f64) -> f64 {
    if n == 2.0 {
        return 2.0 * fall / (1.0 + (1.0 + 4.0 * pull * fall).sqrt());
    }
    let convex = n > 1.0;
    // For n < 1 with z = yⁿ: pull z + z^(1/n) = fall, which is of the same kind.
    let (linear, bent, exponent) = if convex { (1.0, pull, n) } else { (pull, 1.0, 1.0 / n) };
    // Each part alone must stay below the fall, so that both bounds lie above what is sought.
    let mut z = (fall / linear).min(power(fall / bent, 1.0 / exponent));
    for _ in 0..MOST_SWEEPS {
        let raised = bent * power(z, exponent);
        let next = z - (linear * z + raised - fall) / (linear + exponent * raised / z);
        let done = z - next <= 1.0e-13 * z;
        z = next;
        if done || z <= f64::MIN_POSITIVE {
            break;
        }
    }
    if convex { z } else { power(z.max(f64::MIN_POSITIVE), exponent) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_remains_of_a_fall_solves_its_equation() {
        for n in [0.3, 0.7, 0.99, 1.01, 1.5, 2.0, 3.7] {
            for pull in [1.0e-6, 0.1, 1.0, 30.0, 1.0e5] {
                for fall in [1.0e-6, 0.01, 3.0, 800.0] {
                    let y: f64 = remaining(fall, pull, n);
                    let off = (y + pull * y.powf(n)) / fall - 1.0;
                    assert!(
                        (0.0..=fall).contains(&y) && off.abs() < 1.0e-9,
                        "n {n}, pull {pull}, fall {fall}: {off:e}"
                    );
                }
            }
        }
    }
}
