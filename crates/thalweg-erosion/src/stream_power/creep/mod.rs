//! Soil that creeps down slopes.
//!
//! Roering et al. 1999, eq. 8: the flux is D S / (1 − (S/S_c)²) along the slope S, which is taken from both axes, so that no
//! direction is preferred. Beyond a slope close to the critical one it grows less and less quickly than that. Strong rock stands
//! steeper than weak (Schmidt & Montgomery 1995): S_c goes with the erodibility to the power of −1/4, so that rock that erodes four
//! times as easily as other has slopes of 26 where that has 34 degrees.
//!
//! Steps are much longer than one explicit step may be. To solve for one axis after the other would allow them, but near the
//! critical slope it turns slopes towards the axes, the more the longer the step is: what one axis can level it levels alone. So a
//! step is made of explicit stages whose lengths are chosen such that together they are stable: s stages of the
//! Runge–Kutta–Legendre scheme of the first order go (s² + s)/2 times as far as one explicit step (Meyer, Balsara & Aslam 2014).
//!
//! What is kept from stage to stage is the soil that has crossed each face, in 32 bits: what one cell loses its neighbour gains,
//! so that nothing is lost whatever is rounded. Slopes are those at the beginning of the step, as differences of heights in 64
//! bits, and what has moved since.

mod known;
mod law;
mod rows;
mod tile;

use super::layout::Layout;
use law::Law;
pub(super) use rows::{Crept, CreptRow};
use rows::{Crossed, Stages};

/// Room for a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Creep {
    stages: Vec<Stage>,
    /// For tiles that are worked on at the same time.
    rooms: Vec<tile::Room>,
    /// Soil that has crossed the faces of each cell after the last two stages, the later first, and room for what follows.
    crossed: [Crossed; 2],
    next: [Crossed; 2],
}

/// What the soil lies on.
pub(super) struct Slopes<'a> {
    pub(super) layout: &'a Layout,
    /// Diffusivity times time step `[m²]`.
    pub(super) spread: f64,
    /// Steepest slope `[-]`, if there is one.
    pub(super) critical: Option<f64>,
    /// Soil that comes down to the foot of a slope, over the diffusivity and the steepest slope `[-]`.
    pub(super) comes: f64,
    /// Diffusivity times time step beside that of the soil, cell by cell `[m²]`.
    pub(super) floors: Option<&'a [f32]>,
    /// The most of it `[m²]`.
    pub(super) widest: f32,
    /// Share of the soil that comes to rest in each cell: rivers take the rest away, outlets, which have 0, all `[-]`.
    pub(super) stays: &'a [f32],
    /// How easily each cell erodes: hard rock stands steeper `[-]`.
    pub(super) erodibility: &'a [f32],
    /// How far rock has risen in this step, as a pattern and what to multiply it with `[m]`.
    pub(super) risen: (&'a [f32], f64),
}

/// One of the stages of a step.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// Weights of what had crossed after the last two stages, and of the flux `[-]`.
    last: f32,
    earlier: f32,
    flux: f32,
    /// Share of the step that is still to come when it begins `[-]`.
    to_come: f32,
}

impl Stage {
    /// Stage `j` of `stages`, counted from 1, by the recursion of Legendre's polynomials.
    fn new(j: usize, stages: usize) -> Self {
        let (j, s) = (j as f64, stages as f64);
        let last = (2.0 * j - 1.0) / j;
        let whole = s * s + s;
        Self {
            last: last as f32,
            earlier: ((1.0 - j) / j) as f32,
            flux: (last * 2.0 / whole) as f32,
            to_come: (1.0 - (j * j - j) / whole) as f32,
        }
    }
}

impl Creep {
    /// Moves the soil of a step.
    pub(super) fn go(&mut self, slopes: &Slopes, height: &[f64]) {
        let law = Law::new(slopes.layout.cell, slopes.spread, slopes.critical, slopes.comes);
        let area = slopes.layout.cell * slopes.layout.cell;
        let count = law.stages(f64::from(slopes.widest) / area);
        self.stages.clear();
        self.stages.extend((1..=count).map(|j| Stage::new(j, count)));
        self.crossed.iter_mut().chain(&mut self.next).for_each(|crossed| crossed.resize(slopes));
        if count == 0 {
            self.crossed[0].clear();
        }
        // As many at once as there is room for, and about as many each time.
        let times = count.div_ceil(tile::STAGES).max(1);
        let parts = self.stages.chunks(count.div_ceil(times).max(1));
        for (number, stages) in (1..).zip(parts) {
            let from = (number > 1).then_some(&self.crossed);
            let stages = Stages { slopes, height, law, stages, from, go_on: number < times };
            stages.take(&mut self.rooms, &mut self.next);
            std::mem::swap(&mut self.crossed, &mut self.next);
        }
    }

    /// The ground after the step, which had these heights before it, and where this share of the soil stays in each cell.
    pub(super) fn crept<'a>(&'a self, layout: &'a Layout, height: &'a [f64], stays: &'a [f32]) -> Crept<'a> {
        Crept { layout, crossed: &self.crossed[0], stays, height }
    }
}
