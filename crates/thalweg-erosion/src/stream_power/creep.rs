//! Soil that creeps down slopes.
//!
//! Roering et al. 1999, eq. 8: the flux is D S / (1 − (S/S_c)²) along the slope S, which is taken from both axes, so that no
//! direction is preferred. Beyond a slope close to the critical one it grows less and less quickly than that.
//!
//! Steps are much longer than one explicit step may be. To solve for one axis after the other would allow them, but near the
//! critical slope it turns slopes towards the axes, the more the longer the step is: what one axis can level it levels alone. So a
//! step is made of explicit stages whose lengths are chosen such that together they are stable: s stages of the
//! Runge–Kutta–Legendre scheme of the first order go (s² + s)/2 times as far as one explicit step (Meyer, Balsara & Aslam 2014).
//! Soil is moved through the faces between cells; none is lost.

use super::layout::Layout;
use fearless_simd::{Level, Simd, dispatch};
use thalweg_field::band;

/// Columns that are worked on together.
const STRIP: usize = 64;
/// Rows that one thread works on at a time.
const ROWS: usize = 16;
/// Stages that a step may have before the law is given up closer to the critical slope.
const STAGES: f64 = 32.0;
/// Shares of the critical slope up to which the law holds at least and at most `[-]`. Beyond it the flux grows as quickly with the
/// slope as there, then half as quickly.
const LAW_UNTIL: [f64; 2] = [0.9, 0.99];
/// What is over 1 keeps stages stable while slopes turn `[-]`.
const MARGIN: f64 = 1.05;

/// The law for one step.
#[derive(Clone, Copy, Debug)]
struct Law {
    /// D Δt / cell² `[-]`.
    base: f64,
    /// 1 / (critical slope · cell)² `[1/m²]`; 0 for a linear law.
    bend: f64,
    /// (S/S_c)² = x up to which the law holds; beyond it 1/(1 − x) goes on as most − rest/x, with the same value and turn there.
    cap: f64,
    most: f64,
    rest: f64,
}

impl Law {
    fn new(slopes: &Slopes) -> Self {
        let cell = slopes.layout.cell;
        let base = slopes.spread / (cell * cell);
        let bend = slopes.critical.map_or(0.0, |critical| (critical * cell).powi(-2));
        // How quickly the flux grows with the slope where the law ends, (1 + x)/(1 − x)², decides how many stages there are.
        let steep = 0.5 * STAGES * (STAGES + 1.0) / (4.0 * MARGIN * base.max(f64::MIN_POSITIVE));
        let until = (1.0 + 0.5 / steep) - ((1.0 + 0.5 / steep).powi(2) - (1.0 - 1.0 / steep)).max(0.0).sqrt();
        let cap = until.clamp(LAW_UNTIL[0].powi(2), LAW_UNTIL[1].powi(2));
        let over = 1.0 / (1.0 - cap);
        Self { base, bend, cap, most: over + over * over * cap, rest: (over * cap).powi(2) }
    }

    /// Soil that crosses a face in a step `[m]`; `along` is the difference across the face, `aside` that at right angles, both
    /// over one cell `[m]`, `extra` is what spreads beside the soil.
    #[inline(always)]
    fn flux(&self, along: f64, aside: f64, extra: f64) -> f64 {
        let share = (along * along + aside * aside) * self.bend;
        let holds = share < self.cap;
        let above = if holds { 1.0 } else { self.most * share - self.rest };
        let below = if holds { 1.0 - share } else { share };
        (self.base * above / below + extra) * along
    }

    /// Soil that crosses a face for each metre of difference, where it is most `[-]`.
    fn steepest(&self) -> f64 {
        let bent = if self.bend > 0.0 { (1.0 + self.cap) / (1.0 - self.cap).powi(2) } else { 1.0 };
        self.base * bent
    }
}

/// Room for a step: what each cell gained after the last two stages `[m]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Creep {
    gained: Vec<f64>,
    earlier: Vec<f64>,
}

/// What the soil lies on.
pub(super) struct Slopes<'a> {
    pub(super) layout: &'a Layout,
    /// Diffusivity times time step `[m²]`.
    pub(super) spread: f64,
    /// Steepest slope `[-]`, if there is one.
    pub(super) critical: Option<f64>,
    /// Diffusivity times time step beside that of the soil, cell by cell `[m²]`.
    pub(super) floors: Option<&'a [f32]>,
    /// Share of the soil that comes to rest in each cell: rivers take the rest away, outlets all `[-]`.
    pub(super) stays: &'a [f32],
    /// How far rock has risen in this step, as a pattern and what to multiply it with `[m]`.
    pub(super) risen: (&'a [f32], f64),
}

/// One of the stages of a step.
#[derive(Clone, Copy)]
struct Stage {
    /// Weights of what was gained after the last two stages, and of the flux `[-]`.
    last: f64,
    earlier: f64,
    flux: f64,
    /// Share of the step that is still to come when it begins `[-]`.
    to_come: f64,
}

impl Stage {
    /// Stage `j` of `stages`, counted from 1, by the recursion of Legendre's polynomials.
    fn new(j: usize, stages: usize) -> Self {
        let (j, s) = (j as f64, stages as f64);
        let last = (2.0 * j - 1.0) / j;
        let whole = s * s + s;
        Self { last, earlier: (1.0 - j) / j, flux: last * 2.0 / whole, to_come: 1.0 - (j * j - j) / whole }
    }
}

impl Creep {
    /// Moves the soil of a step, and sets what came to each cell, of which `stays` stays there, `[m]`.
    pub(super) fn go(&mut self, slopes: &Slopes, height: &mut [f64]) -> &[f64] {
        let layout = slopes.layout;
        for gained in [&mut self.gained, &mut self.earlier] {
            gained.clear();
            gained.resize(layout.len(), 0.0);
        }
        let law = Law::new(slopes);
        let widest = slopes.floors.map_or(0.0, |floors| floors.iter().copied().fold(0.0, f32::max));
        let stages = stages(law.steepest() + f64::from(widest) / (layout.cell * layout.cell));
        for j in 1..=stages {
            let stage = Stage::new(j, stages);
            let ground = Ground { slopes, law: &law, stage, height, gained: &self.gained };
            ground.advance(&mut self.earlier);
            std::mem::swap(&mut self.gained, &mut self.earlier);
        }
        let (gained, stays) = (&self.gained, slopes.stays);
        band::for_each_chunk(height, layout.stride, |row, height| {
            let line = row * layout.stride..(row + 1) * layout.stride;
            let came = gained[line.clone()].iter().zip(&stays[line]);
            height
                .iter_mut()
                .zip(came)
                .for_each(|(height, (gained, stays))| *height += gained * f64::from(*stays));
        });
        &self.gained
    }
}

/// Stages that make a step of which one explicit step is stable up to a quarter of a cell's difference through each face.
fn stages(steepest: f64) -> usize {
    let times = 4.0 * steepest * MARGIN;
    if times <= 0.0 { 0 } else { (0.5 * (1.0 + 8.0 * times).sqrt() - 0.5).ceil().max(1.0) as usize }
}

/// The ground at a stage.
struct Ground<'a> {
    slopes: &'a Slopes<'a>,
    law: &'a Law,
    stage: Stage,
    /// Heights at the beginning of the step, all its uplift included `[m]`.
    height: &'a [f64],
    /// What each cell has gained since `[m]`.
    gained: &'a [f64],
}

impl Ground<'_> {
    /// Takes a stage; `next` holds what was gained before the last one, and gets what is gained now.
    fn advance(&self, next: &mut [f64]) {
        let layout = self.slopes.layout;
        let level = Level::new();
        let inner = &mut next[layout.stride..][..layout.rows * layout.stride];
        band::for_each_chunk(inner, ROWS * layout.stride, |chunk, next| {
            for col in (0..layout.cols).step_by(STRIP) {
                dispatch!(level, simd => self.strip(simd, [col, chunk * ROWS], next));
            }
        });
    }

    /// The rows of a chunk, as far as a strip of columns goes.
    #[inline(always)]
    fn strip<S: Simd>(&self, _: S, [col, first]: [usize; 2], next: &mut [f64]) {
        let layout = self.slopes.layout;
        let width = STRIP.min(layout.cols - col);
        let mut above = self.heights(col, first.saturating_sub(1));
        let mut here = self.heights(col, first);
        let mut floor = self.floors(col, first);
        let mut north =
            self.south_faces([&above, &here], [&self.floors(col, first.saturating_sub(1)), &floor]);
        for (row, next) in (first..).zip(next.chunks_mut(layout.stride)) {
            let last_row = layout.rows - 1;
            let below = self.heights(col, (row + 1).min(last_row));
            let floor_below = self.floors(col, (row + 1).min(last_row));
            let south = self.south_faces([&here, &below], [&floor, &floor_below]);
            let mut east = [0.0; STRIP + 1];
            for i in 0..=STRIP {
                let aside = 0.25 * ((above[i] + above[i + 1]) - (below[i] + below[i + 1]));
                let extra = 0.5 * (floor[i] + floor[i + 1]);
                east[i] = self.law.flux(here[i + 1] - here[i], aside, extra);
            }
            let place = layout.at(col, row);
            let last = &self.gained[place..][..width];
            for (i, (next, last)) in next[col + 1..][..width].iter_mut().zip(last).enumerate() {
                let came = (south[i] - north[i]) + (east[i + 1] - east[i]);
                *next = self.stage.last * last + self.stage.earlier * *next + self.stage.flux * came;
            }
            (above, here, north, floor) = (here, below, south, floor_below);
        }
    }

    /// What crosses the faces between a row and the one south of it.
    #[inline(always)]
    fn south_faces(
        &self,
        [here, below]: [&[f64; STRIP + 2]; 2],
        floors: [&[f64; STRIP + 2]; 2],
    ) -> [f64; STRIP] {
        let mut south = [0.0; STRIP];
        for (i, south) in south.iter_mut().enumerate() {
            let aside = 0.25 * ((here[i + 2] + below[i + 2]) - (here[i] + below[i]));
            let extra = 0.5 * (floors[0][i + 1] + floors[1][i + 1]);
            *south = self.law.flux(below[i + 1] - here[i + 1], aside, extra);
        }
        south
    }

    /// Heights of a row, from one column before `col` to one after the strip; beyond the edges the ground goes on as it is.
    #[inline(always)]
    fn heights(&self, col: usize, row: usize) -> [f64; STRIP + 2] {
        let layout = self.slopes.layout;
        let line = layout.at(0, row)..layout.at(0, row) + layout.cols;
        let height = spread(&self.height[line.clone()], col);
        let gained = spread(&self.gained[line.clone()], col);
        let stays = spread(&self.slopes.stays[line.clone()], col);
        // Rock rises evenly all through the step: what creeps as fast as it rises stays as it is, however long the step.
        let (pattern, by) = self.slopes.risen;
        let (pattern, to_come) = (spread(&pattern[line], col), by * self.stage.to_come);
        std::array::from_fn(|i| {
            (height[i] - to_come * f64::from(pattern[i])) + gained[i] * f64::from(stays[i])
        })
    }

    #[inline(always)]
    fn floors(&self, col: usize, row: usize) -> [f64; STRIP + 2] {
        let Some(floors) = self.slopes.floors else { return [0.0; STRIP + 2] };
        let layout = self.slopes.layout;
        let floors: [f32; STRIP + 2] = spread(&floors[layout.at(0, row)..][..layout.cols], col);
        let share = 1.0 / (layout.cell * layout.cell);
        floors.map(|floor| f64::from(floor) * share)
    }
}

/// A part of a row, with one more on either side; beyond the ends the last goes on.
#[inline(always)]
fn spread<T: Copy + Default>(row: &[T], col: usize) -> [T; STRIP + 2] {
    let mut part = [T::default(); STRIP + 2];
    if col > 0 && col + STRIP < row.len() {
        part.copy_from_slice(&row[col - 1..=col + STRIP]);
    } else {
        let last = row.len() - 1;
        for (i, value) in part.iter_mut().enumerate() {
            *value = row[(col + i).saturating_sub(1).min(last)];
        }
    }
    part
}
