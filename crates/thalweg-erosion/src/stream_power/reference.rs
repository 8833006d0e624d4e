//! The preset `braun-2013` written down plainly, to check the fast one against and to measure its speed by.
//!
//! Receivers are the steepest of eight, the order is the stack of Braun & Willett 2013, rivers cut with n = 1 and lay nothing
//! down, soil creeps in proportion to the slope. Water leaves over all four edges; in hollows it ends.

use super::params::{Params, REFERENCE_AREA};
use std::f64::consts::SQRT_2;
use thalweg_field::Grid2;

/// Ground with nothing but its heights.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Heights of the bed `[m]`.
    pub height: Grid2<f64>,
    cell: f64,
    params: Params,
}

impl Reference {
    /// Plain ground of cells of side `cell` `[m]`.
    pub fn new(height: Grid2<f64>, cell: f64, params: &Params) -> Self {
        Self { height, cell, params: params.clone() }
    }

    /// Takes one step of `dt` seconds.
    pub fn step(&mut self, dt: f64) {
        self.rise(dt);
        let receivers = self.receivers();
        let stack = stack(&receivers);
        let mut area = vec![self.cell * self.cell; receivers.len()];
        for &at in stack.iter().rev() {
            if receivers[at] != at {
                area[receivers[at]] += area[at];
            }
        }
        self.creep(dt);
        self.cut(&receivers, &stack, &area, dt);
    }

    fn is_outlet(&self, at: usize) -> bool {
        let (cols, rows) = (self.height.cols(), self.height.rows());
        let (col, row) = (at % cols, at / cols);
        col == 0 || row == 0 || col + 1 == cols || row + 1 == rows
    }

    fn rise(&mut self, dt: f64) {
        for at in 0..self.height.len() {
            if !self.is_outlet(at) {
                self.height.values_mut()[at] += self.params.uplift * dt;
            }
        }
    }

    fn receivers(&self) -> Vec<usize> {
        let (cols, height) = (self.height.cols() as isize, self.height.values());
        let neighbours = [1, 1 - cols, -cols, -cols - 1, -1, cols - 1, cols, cols + 1];
        let receiver = |at: usize| {
            if self.is_outlet(at) {
                return at;
            }
            let mut best = (at, 0.0);
            for (way, offset) in neighbours.into_iter().enumerate() {
                let other = at.wrapping_add_signed(offset);
                let slope = (height[at] - height[other]) / if way % 2 == 1 { SQRT_2 } else { 1.0 };
                if slope > best.1 {
                    best = (other, slope);
                }
            }
            best.0
        };
        (0..height.len()).map(receiver).collect()
    }

    fn cut(&mut self, receivers: &[usize], stack: &[usize], area: &[f64], dt: f64) {
        let cols = self.height.cols();
        for &at in stack {
            let below = receivers[at];
            if below == at {
                continue;
            }
            let diagonal = at % cols != below % cols && at / cols != below / cols;
            let distance = self.cell * if diagonal { SQRT_2 } else { 1.0 };
            let celerity =
                self.params.erodibility * (area[at] / REFERENCE_AREA).powf(self.params.area_exponent);
            let pull = dt * celerity / distance;
            let [own, base] = [at, below].map(|at| self.height.values()[at]);
            if own > base {
                self.height.values_mut()[at] = (own + pull * base) / (1.0 + pull);
            }
        }
    }

    /// Explicit stages of the first order (Meyer, Balsara & Aslam 2014); rock rises all through them.
    fn creep(&mut self, dt: f64) {
        let spread = self.params.creep * dt / (self.cell * self.cell);
        // As many as are stable together, with the margin of the fast one.
        let stages = (0.5 * (1.0 + 8.0 * 4.2 * spread).sqrt() - 0.5).ceil().max(1.0);
        let whole = stages * (stages + 1.0);
        let cols = self.height.cols();
        let (mut gained, mut earlier) = (vec![0.0; self.height.len()], vec![0.0; self.height.len()]);
        for stage in 1..=stages as usize {
            let j = stage as f64;
            let to_come = self.params.uplift * dt * (1.0 - j * (j - 1.0) / whole);
            let height = |at: usize| {
                let rising = if self.is_outlet(at) { 0.0 } else { to_come };
                self.height.values()[at] - rising + gained[at]
            };
            let next = |at: usize| {
                if self.is_outlet(at) {
                    return 0.0;
                }
                let around = [at - 1, at + 1, at - cols, at + cols].map(height);
                let came = spread * (around.iter().sum::<f64>() - 4.0 * height(at));
                ((2.0 * j - 1.0) * (gained[at] + 2.0 / whole * came) - (j - 1.0) * earlier[at]) / j
            };
            let next = (0..gained.len()).map(next).collect();
            (earlier, gained) = (gained, next);
        }
        self.height.values_mut().iter_mut().zip(gained).for_each(|(height, gained)| *height += gained);
    }
}

/// Cells in an order in which every cell comes after the one that it drains to.
fn stack(receivers: &[usize]) -> Vec<usize> {
    let mut donors = vec![Vec::new(); receivers.len()];
    let mut stack = Vec::with_capacity(receivers.len());
    let mut open = Vec::new();
    for (at, &below) in receivers.iter().enumerate() {
        if below == at { open.push(at) } else { donors[below].push(at) }
    }
    while let Some(at) = open.pop() {
        stack.push(at);
        open.extend(&donors[at]);
    }
    stack
}
