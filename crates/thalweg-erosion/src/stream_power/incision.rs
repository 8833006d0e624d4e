//! Rivers that cut into their beds, and what they lay down on the way.
//!
//! dh/dt = −K A^m S^n + G Q_s / A (Davy & Lague 2009; Yuan et al. 2019), implicit in time. A cell's height depends on that of
//! the cell that it drains to, and through the sediment it receives on the heights of all above it. Yuan et al. go around that
//! circle until nothing changes. Here it is solved at once: seen from its receiver, a whole catchment is a line, sediment =
//! α + β · height of the receiver, and the line of a cell follows from those of its donors. So one sweep down the rivers puts
//! the lines together, one sweep up finds the heights, for any G; it is Gauss's elimination on a tree. Where the law is not
//! linear (n ≠ 1) its tangents are, and a few sweeps with them end at the curve (Newton).

use super::lakes::Hollows;
use super::layout::{Layout, OUTLET, PIT, SPILL, UNDER_WATER, WAY, WAYS};
use super::order::Order;
use super::power::power;
use fearless_simd::{Level, Simd, dispatch};
use std::f64::consts::SQRT_2;
use thalweg_field::band;

/// Set on a cell that does not cut in this step: what lies below it rose too high, or its pull is below the threshold.
const PASSIVE: u8 = 0x40;
/// Heights are found when a sweep changes none by more than this `[m]`.
const TOLERANCE: f64 = 1.0e-7;
/// Sweeps after which heights are taken as they are. Newton's method doubles the digits in each.
const MOST_SWEEPS: usize = 24;
/// Least slope that a tangent is taken at: for n < 1 the law is upright at 0 `[-]`.
const LEAST_SLOPE: f64 = 1.0e-9;

/// Where it never rains cells still count for a little, so that nothing is divided by 0, in cells.
const LEAST_AREA: f64 = 1.0e-12;

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

/// What happened to the ground in a step, as height of one cell `[m]`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// Left over the edges.
    pub(super) exported: f64,
}

/// Room for the sweeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Incision {
    /// Area that drains through each cell, in cells, weighted with the rain.
    pub(super) area: Vec<f64>,
    /// What each cell would cut for each metre that it lies above its receiver (n = 1), or above it to the power n.
    pub(super) pull: Vec<f64>,
    /// The tangent of the law: cutting for each metre, and what to take off.
    tangent: Vec<[f64; 2]>,
    /// Lines of the catchments, then of the heights.
    pub(super) lines: Vec<[f64; 2]>,
    /// Cell and number of the lake for each spill, in the order of the cells.
    spills: Vec<(u32, u32)>,
    /// Lines of the sediment that reaches each lake, and the share that stays.
    inflow: Vec<[f64; 3]>,
    /// Ground that settled in each lake `[m]`.
    pub(super) settled: Vec<f64>,
}

/// What a step works on.
pub(super) struct Basin<'a> {
    pub(super) layout: &'a Layout,
    pub(super) order: &'a Order,
    pub(super) ways: &'a mut [u8],
    pub(super) hollows: &'a Hollows,
    /// Soil that came into the river at each cell `[m]`; empty for none.
    pub(super) soil: &'a [f64],
}

impl Incision {
    /// Adds up the area above each cell.
    pub(super) fn gather(&mut self, layout: &Layout, order: &Order, ways: &[u8], rain: Option<&[f32]>) {
        self.area.resize(layout.len(), 0.0);
        match rain {
            None => self.area.fill(1.0),
            Some(rain) => {
                let area = self.area.iter_mut().zip(rain);
                area.for_each(|(area, &rain)| *area = f64::from(rain).max(LEAST_AREA));
            }
        }
        let offsets = layout.offsets();
        let area = &mut self.area[..];
        for &cell in &order.cells {
            let at = cell as usize;
            if let Some(&offset) = offsets.get((ways[at] & WAY) as usize) {
                area[at.wrapping_add_signed(offset)] += area[at];
            }
        }
    }

    /// What each cell pulls; `erodibility` is that of each cell `[-]`.
    pub(super) fn weigh(&mut self, layout: &Layout, ways: &[u8], erodibility: &[f32], law: &Law) {
        self.pull.resize(layout.len(), 0.0);
        let (stride, level) = (layout.stride, Level::new());
        // A fall of y over the distance d is a slope of y/d.
        let straight = law.cut * layout.cell.powf(-law.n);
        let across = straight * SQRT_2.powf(-law.n);
        let area = &self.area;
        band::for_each_chunk(&mut self.pull, stride, |row, pull| {
            let line = row * stride..(row + 1) * stride;
            let row =
                Row { area: &area[line.clone()], erodibility: &erodibility[line.clone()], ways: &ways[line] };
            dispatch!(level, simd => row.weigh(simd, law, [straight, across], pull));
        });
    }

    /// Cuts and lays down; `start` are the heights before, `height` those after.
    pub(super) fn solve(
        &mut self,
        basin: &mut Basin,
        law: &Law,
        start: &[f64],
        height: &mut [f64],
    ) -> Outcome {
        self.settled.clear();
        self.settled.resize(basin.hollows.lakes.len(), 0.0);
        let traps = law.traps && !basin.hollows.lakes.is_empty();
        if law.g == 0.0 && !traps && basin.hollows.cuts.is_empty() {
            let mut outcome = self.cut_only(basin, law, start, height);
            outcome.exported += basin.soil.iter().sum::<f64>();
            return outcome;
        }
        self.note_spills(basin.hollows);
        if law.n != 1.0 {
            self.cut_only(basin, law, start, height);
        } else if law.threshold > 0.0 {
            self.find_passive(basin, law, start);
        }
        let mut outcome = Outcome::default();
        for _ in 0..MOST_SWEEPS {
            if law.n != 1.0 {
                self.find_tangents(basin, law, height);
            }
            outcome = self.go_down(basin, law, start, height);
            let [changed, passive] = self.go_up(basin, law, height);
            let settled = law.n == 1.0 || changed < TOLERANCE;
            if settled && passive == 0.0 {
                break;
            }
        }
        self.trap(basin.hollows, height);
        outcome
    }

    /// Without deposition every cell follows from its receiver alone (Braun & Willett 2013, eqs. 22 to 24).
    fn cut_only(&mut self, basin: &Basin, law: &Law, start: &[f64], height: &mut [f64]) -> Outcome {
        let offsets = basin.layout.offsets();
        let mut exported = 0.0;
        for &cell in basin.order.cells.iter().rev() {
            let at = cell as usize;
            let code = basin.ways[at];
            let Some(&offset) = offsets.get((code & WAY) as usize) else { continue };
            let (own, below) = (start[at], height[at.wrapping_add_signed(offset)]);
            let fall = own - below;
            if fall <= 0.0 || code & UNDER_WATER != 0 {
                height[at] = own;
                continue;
            }
            let pull = self.pull[at];
            let left = if law.n == 1.0 {
                (fall + law.threshold) / (1.0 + pull)
            } else {
                remaining(fall + law.threshold, pull, law.n)
            };
            let left = left.min(fall);
            height[at] = below + left;
            exported += fall - left;
        }
        Outcome { exported }
    }

    fn note_spills(&mut self, hollows: &Hollows) {
        self.spills.clear();
        self.spills.extend(hollows.lakes.iter().enumerate().map(|(i, lake)| (lake.spill, i as u32)));
        self.spills.sort_unstable();
        self.inflow.clear();
        self.inflow.resize(hollows.lakes.len(), [0.0; 3]);
    }

    fn find_passive(&self, basin: &mut Basin, law: &Law, start: &[f64]) {
        let offsets = basin.layout.offsets();
        for &cell in &basin.order.cells {
            let at = cell as usize;
            let Some(&offset) = offsets.get((basin.ways[at] & WAY) as usize) else { continue };
            if self.pull[at] * (start[at] - start[at.wrapping_add_signed(offset)]) <= law.threshold {
                basin.ways[at] |= PASSIVE;
            }
        }
    }

    /// Tangents of c yⁿ at the falls y that were found.
    fn find_tangents(&mut self, basin: &Basin, law: &Law, height: &[f64]) {
        self.tangent.resize(basin.layout.len(), [0.0; 2]);
        let offsets = basin.layout.offsets();
        for &cell in &basin.order.cells {
            let at = cell as usize;
            let Some(&offset) = offsets.get((basin.ways[at] & WAY) as usize) else { continue };
            let fall =
                (height[at] - height[at.wrapping_add_signed(offset)]).max(LEAST_SLOPE * basin.layout.cell);
            let cut = self.pull[at] * power(fall, law.n);
            let steep = law.n * cut / fall;
            self.tangent[at] = [steep, steep * fall - cut];
        }
    }

    /// Puts the lines of the catchments together, from the ridges down.
    fn go_down(&mut self, basin: &mut Basin, law: &Law, start: &[f64], height: &[f64]) -> Outcome {
        let offsets = basin.layout.offsets();
        self.lines.clear();
        self.lines.resize(basin.layout.len(), [0.0; 2]);
        for (line, soil) in self.lines.iter_mut().zip(basin.soil) {
            line[0] = *soil;
        }
        for &(cell, cut) in &basin.hollows.cuts {
            self.lines[cell as usize][0] += cut;
        }
        let mut exported = 0.0;
        for &cell in &basin.order.cells {
            let at = cell as usize;
            let code = basin.ways[at];
            let way = code & WAY;
            let [mut a, mut b] = self.lines[at];
            if way >= WAYS as u8 {
                debug_assert!(way == OUTLET && way != PIT);
                exported += a + b * height[at];
                continue;
            }
            let own = start[at];
            if code & SPILL != 0 && law.traps {
                let keep = self.pass_lake(basin.hollows, cell, [a, b], own);
                (a, b) = (a * keep, b * keep);
            }
            let [p, q, out_a, out_b];
            if code & (UNDER_WATER | PASSIVE) != 0 && (code & UNDER_WATER != 0 || law.g == 0.0) {
                [p, q, out_a, out_b] = [own, 0.0, a + b * own, 0.0];
            } else {
                let [pull, off] = match law.n == 1.0 {
                    true => [self.pull[at], law.threshold],
                    false => [self.tangent[at][0], self.tangent[at][1] + law.threshold],
                };
                let [pull, off] = if code & PASSIVE != 0 { [0.0, 0.0] } else { [pull, off] };
                // (1 + g)(own − x) = pull (x − below) − off − g (a + b x): what the cell itself loses counts among
                // what passes through it, so that a steady river is (1 + G) times as steep to the last digit.
                let g = law.g / self.area[at];
                let scale = 1.0 / (1.0 + g + pull - g * b);
                p = ((1.0 + g) * own + g * a + off) * scale;
                q = pull * scale;
                out_a = a + (own - p) + b * p;
                out_b = (b - 1.0) * q;
            }
            self.lines[at] = [p, q];
            let below = &mut self.lines[at.wrapping_add_signed(offsets[way as usize])];
            *below = [below[0] + out_a, below[1] + out_b];
        }
        Outcome { exported }
    }

    /// The share of the sediment that leaves a lake.
    fn pass_lake(&mut self, hollows: &Hollows, cell: u32, [a, b]: [f64; 2], own: f64) -> f64 {
        let Ok(found) = self.spills.binary_search_by_key(&cell, |spill| spill.0) else { return 1.0 };
        let lake = self.spills[found].1 as usize;
        let (room, comes) = (hollows.lakes[lake].room, a + b * own);
        let stays = if room > 0.0 && comes > 0.0 { (room / comes).min(1.0) } else { 0.0 };
        self.inflow[lake] = [a, b, stays];
        1.0 - stays
    }

    /// Finds the heights, from the outlets up. Returns the largest change since the last sweep `[m]`, and how many cells turned
    /// out not to cut.
    fn go_up(&mut self, basin: &mut Basin, law: &Law, height: &mut [f64]) -> [f64; 2] {
        let offsets = basin.layout.offsets();
        let (mut changed, mut passive) = (0.0_f64, 0.0);
        let bent = law.n != 1.0 || law.threshold > 0.0;
        for &cell in basin.order.cells.iter().rev() {
            let at = cell as usize;
            let code = basin.ways[at];
            let Some(&offset) = offsets.get((code & WAY) as usize) else { continue };
            let [p, q] = self.lines[at];
            let below = height[at.wrapping_add_signed(offset)];
            let found = p + q * below;
            changed = changed.max((found - height[at]).abs());
            height[at] = found;
            // Where the law has a threshold or is bent, pull must not become push. The plain law may push: where what lies
            // below was filled up, the cell is filled up behind it, with what the river carries.
            let fall = found - below;
            let (least, pull) = if law.n == 1.0 { (law.threshold, self.pull[at]) } else { (0.0, 1.0) };
            if bent && q > 0.0 && pull * fall < least - TOLERANCE {
                basin.ways[at] |= PASSIVE;
                passive += 1.0;
            }
        }
        [changed, passive]
    }

    /// What comes to rest in lakes.
    fn trap(&mut self, hollows: &Hollows, height: &[f64]) {
        for (lake, (settled, &[a, b, stays])) in
            hollows.lakes.iter().zip(self.settled.iter_mut().zip(&self.inflow))
        {
            *settled = stays * (a + b * height[lake.spill as usize]);
        }
    }
}

/// A row of cells.
struct Row<'a> {
    area: &'a [f64],
    erodibility: &'a [f32],
    ways: &'a [u8],
}

impl Row<'_> {
    #[inline(always)]
    fn weigh<S: Simd>(&self, _: S, law: &Law, lengths: [f64; 2], pull: &mut [f64]) {
        let count = pull.len();
        let (area, erodibility, ways) =
            (&self.area[..count], &self.erodibility[..count], &self.ways[..count]);
        let factor = |i: usize| {
            let length = if ways[i] & 1 == 1 { lengths[1] } else { lengths[0] };
            let head = law.head / area[i];
            f64::from(erodibility[i]) * length / (1.0 + head * head)
        };
        if law.m == 0.5 {
            for i in 0..count {
                pull[i] = factor(i) * area[i].sqrt();
            }
        } else {
            for i in 0..count {
                pull[i] = factor(i) * power(area[i], law.m);
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
