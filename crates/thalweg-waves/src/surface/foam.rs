//! Foam: it comes where crests are pressed together and where waves break, drifts with the water, and fades.

use super::fields::Surface;
use crate::Params;
use crate::plane::Vec2;
use thalweg_field::Grid2;

/// Energy that breaking sets free at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spray {
    pub(crate) place: Vec2,
    /// Energy `[J]`.
    pub(crate) energy: f64,
}

/// How foam goes on from one look to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Foam {
    /// What broke since the last look.
    pub(crate) sprays: Vec<Spray>,
    /// Whether there is any foam at all.
    any: bool,
}

/// Looks in a second.
pub(crate) const LOOKS: f64 = 30.0;
/// Surface that a joule covers with foam `[m²/J]`: a metre of a breaker one metre high has 5 kJ, and leaves some twenty square metres white.
const COVERED: f64 = 4.0e-3;
/// Share of foam below which there is none `[-]`.
const NONE: f32 = 1.0e-4;

impl Foam {
    /// Goes on by one look.
    pub(crate) fn step(&mut self, surface: &mut Surface, params: &Params) {
        let stretch = surface.stretch();
        let below = params.foam_below as f32;
        let least = stretch.range().map_or(1.0, |(least, _)| least);
        if !self.any && self.sprays.is_empty() && least >= below {
            return;
        }
        let dt = 1.0 / LOOKS;
        let kept = libm::exp(-dt / params.foam_life) as f32;
        let per_cell = (dt / surface.cell()) as f32;
        let before = std::mem::take(&mut surface.foam);
        // It comes from where the water was.
        let drifted = |col: usize, row: usize| match &surface.velocity {
            None => before.at(col, row),
            Some([east, north, _]) => {
                let (x, y) = (east.at(col, row) * per_cell, north.at(col, row) * per_cell);
                if x == 0.0 && y == 0.0 {
                    return before.at(col, row);
                }
                before.bilinear(col as f64 - f64::from(x), row as f64 + f64::from(y))
            }
        };
        let mut foam = Grid2::from_fn(before.cols(), before.rows(), |col, row| {
            let old = drifted(col, row) * kept;
            let pressed = ((below - stretch.at(col, row)) / below.max(1.0e-3)).clamp(0.0, 1.0);
            let all = old.max(pressed.sqrt());
            if all < NONE { 0.0 } else { all }
        });
        for spray in self.sprays.drain(..) {
            put(&mut foam, &spray, surface.cell());
        }
        self.any = foam.values().iter().any(|&foam| foam > 0.0);
        surface.foam = foam;
    }

    /// Takes up foam that was saved.
    pub(crate) fn resume(surface: &mut Surface, foam: Grid2<f32>, sprays: Vec<Spray>) -> Self {
        let any = foam.values().iter().any(|&foam| foam > 0.0);
        surface.foam = foam;
        Self { sprays, any }
    }
}

/// Covers a disc around a place.
fn put(foam: &mut Grid2<f32>, spray: &Spray, cell: f64) {
    let area = COVERED * spray.energy;
    let radius = (area / std::f64::consts::PI).sqrt().max(0.71 * cell);
    let share = (area / (std::f64::consts::PI * radius * radius)).min(1.0) as f32;
    let (cols, rows) = (foam.cols() as f64, foam.rows() as f64);
    let [col, row] = [spray.place[0] / cell - 0.5, rows - spray.place[1] / cell - 0.5];
    let reach = radius / cell;
    let span = |at: f64, count: f64| {
        let (low, high) = ((at - reach).ceil().max(0.0), (at + reach).floor().min(count - 1.0));
        low as usize..if high < low { low as usize } else { high as usize + 1 }
    };
    for r in span(row, rows) {
        for c in span(col, cols) {
            let (x, y) = (c as f64 - col, r as f64 - row);
            if x * x + y * y <= reach * reach {
                let here = &mut foam.row_mut(r)[c];
                *here = (*here + share).min(1.0);
            }
        }
    }
}
