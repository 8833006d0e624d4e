//! Foam: it comes where crests are pressed together and where waves break, drifts with the water, and fades.

use super::fields::{Strain, Surface};
use crate::Params;
use crate::plane::{Vec2, dot, length, sub, unit};
use thalweg_field::Grid2;

/// Water that becomes white at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spray {
    pub(crate) place: Vec2,
    /// From there to the end of the front that broke, along it; nothing where the water was stirred at a place `[m]`.
    pub(crate) along: Vec2,
    /// How much of the surface it covers `[m²]`.
    pub(crate) area: f64,
}

impl Spray {
    /// What a front leaves behind that broke, to so far on either side of a place, with so much energy `[J]`.
    pub(crate) fn of_breaking(place: Vec2, along: Vec2, energy: f64) -> Self {
        Self { place, along, area: BROKEN * energy }
    }

    /// What something leaves behind that stirs the water with so much energy `[J]`.
    pub(crate) fn of_stirring(place: Vec2, energy: f64) -> Self {
        Self { place, along: [0.0; 2], area: STIRRED * energy }
    }
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
/// Surface that a joule of breaking covers with foam `[m²/J]`: a metre of a swell one metre high and forty long has 40 kJ, and leaves a dozen
/// square metres white.
const BROKEN: f64 = 3.0e-4;
/// Surface that a joule of a propeller or of a hull's drag covers `[m²/J]`: ten kilowatts leave a track two metres wide at 5 m/s.
const STIRRED: f64 = 1.0e-3;
/// Share of foam below which there is none `[-]`.
const NONE: f32 = 1.0e-4;

impl Foam {
    /// Goes on by one look.
    /// What the open sea adds: how its displacement grows along both axes, see [`Surface::stretch`].
    pub(crate) fn step(&mut self, surface: &mut Surface, params: &Params, sea: Option<&Grid2<Strain>>) {
        let stretch = surface.stretch(None);
        let caps = sea.map(|sea| surface.stretch(Some(sea)).map(whitecap));
        let below = params.foam_below as f32;
        let least = stretch.range().map_or(1.0, |(least, _)| least);
        if !self.any && self.sprays.is_empty() && least >= below && caps.is_none() {
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
            let cap = caps.as_ref().map_or(0.0, |caps| caps.at(col, row));
            let all = old.max(pressed.sqrt()).max(cap);
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

/// Foam of an open sea where a crest folds: where the area of what was level at rest has shrunk (Tessendorf 2001, section 4.7). In 9 m/s of
/// wind 0.66 % of the sea have less than 0.6 of their area; Monahan & O'Muircheartaigh 1980 saw 0.69 % of it white.
pub fn whitecap(area: f32) -> f32 {
    /// Area left where foam begins, and where there is nothing else `[-]`.
    const AREAS: [f32; 2] = [0.6, 0.1];
    let share = ((AREAS[0] - area) / (AREAS[0] - AREAS[1])).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// Covers a disc around a place, or a strip along a front.
fn put(foam: &mut Grid2<f32>, spray: &Spray, cell: f64) {
    let area = spray.area;
    let half = length(spray.along);
    // A disc with its middle drawn out to a strip: π R² + 4 R half.
    let root = (4.0 * half * half + std::f64::consts::PI * area).sqrt();
    let radius = ((root - 2.0 * half) / std::f64::consts::PI).max(0.71 * cell);
    let share = (area / (std::f64::consts::PI * radius * radius + 4.0 * radius * half)).min(1.0) as f32;
    let (cols, rows) = (foam.cols() as f64, foam.rows() as f64);
    let [col, row] = [spray.place[0] / cell - 0.5, rows - spray.place[1] / cell - 0.5];
    let way = unit(spray.along);
    let span = |at: f64, along: f64, count: f64| {
        let reach = (radius + along.abs()) / cell;
        let (low, high) = ((at - reach).ceil().max(0.0), (at + reach).floor().min(count - 1.0));
        low as usize..if high < low { low as usize } else { high as usize + 1 }
    };
    for r in span(row, spray.along[1], rows) {
        for c in span(col, spray.along[0], cols) {
            let off = [(c as f64 - col) * cell, (row - r as f64) * cell];
            let inner = dot(off, way).clamp(-half, half);
            if length(sub(off, [way[0] * inner, way[1] * inner])) <= radius {
                let here = &mut foam.row_mut(r)[c];
                *here = (*here + share).min(1.0);
            }
        }
    }
}
