//! Step 1 of Schmidberger 2024: rain, sources and drains.

use super::layout::{Layout, MARGIN, PaddedRows, plane};
use crate::lanes::{read, write};
use crate::pipes::backend::Moment;
use crate::pipes::weather::{Fall, Source, Weather};
use fearless_simd::{Simd, prelude::*};
use thalweg_field::{Heightfield, Invalid, Window, random::Key, sum::ordered_sum};

/// Cells around a point: those whose centres lie within the radius, at least the nearest one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disc {
    col: f64,
    row: f64,
    radius: f64,
}

impl Disc {
    /// A disc given in cells; centres of cells lie at whole numbers.
    fn new([col, row]: [f64; 2], radius: f64) -> Self {
        // Below 1/√2 a disc can fall between the centres and hit nothing.
        if radius < std::f64::consts::FRAC_1_SQRT_2 {
            Self { col: col.round(), row: row.round(), radius: 0.0 }
        } else {
            Self { col, row, radius }
        }
    }

    /// First and last row that it may touch.
    fn rows(&self) -> (f64, f64) {
        (self.row - self.radius, self.row + self.radius)
    }

    /// Columns that it covers in a row.
    fn cols(&self, row: usize, cols: usize) -> std::ops::Range<usize> {
        let away = row as f64 - self.row;
        let half2 = self.radius * self.radius - away * away;
        if half2 < 0.0 {
            return 0..0;
        }
        let half = half2.sqrt();
        let first = (self.col - half).ceil().max(0.0);
        let end = (self.col + half).floor() + 1.0;
        if end <= first { 0..0 } else { first as usize..(end as usize).min(cols).max(first as usize) }
    }

    /// Sum of `weight` over its cells that lie on the terrain; their number without weights.
    fn weight(&self, layout: &Layout, mask: Option<&PaddedRows>) -> f64 {
        let (first, last) = self.rows();
        let rows = first.ceil().max(0.0) as usize..((last.floor() + 1.0).max(0.0) as usize).min(layout.rows);
        let in_row = |row| {
            let cols = self.cols(row, layout.cols);
            match mask {
                None => cols.len() as f64,
                Some(mask) => mask.row(row)[cols].iter().map(|&w| f64::from(w)).sum(),
            }
        };
        rows.map(in_row).sum()
    }
}

/// A disc that gets or gives water during one step.
#[derive(Clone, Copy, Debug)]
struct Splash {
    disc: Disc,
    /// Height of water for each cell; negative: taken.
    depth: f32,
    /// Which rain's mask weighs it.
    mask: Option<usize>,
}

/// The weather as the solver needs it.
#[derive(Clone, Debug)]
pub(super) struct Supply {
    rains: Vec<(Fall, Window, Option<PaddedRows>, f64)>,
    sources: Vec<(Source, Disc, f64)>,
    seed: Key,
    cell: f64,
    /// Metres per unit of height in the solver.
    unit: f64,
}

/// Water for one step.
#[derive(Clone, Debug, Default)]
pub(super) struct Wetting {
    /// Height that every cell gets.
    even: f32,
    /// Rains under a mask: which, and the height that a cell of weight one gets.
    masked: Vec<(usize, f32)>,
    /// Discs, those that begin farthest north first.
    splashes: Vec<Splash>,
    /// Volume to be added, drains apart, in heights times cells.
    pub added: f64,
}

impl Supply {
    pub(super) fn new(
        weather: &Weather,
        ground: &Heightfield,
        layout: &Layout,
        unit: f64,
    ) -> Result<Self, Invalid> {
        let cell = ground.frame.cell;
        let rains = weather.rain.iter().map(|rain| {
            let mask = rain.mask.as_ref().map(|mask| PaddedRows::new(mask, layout));
            let cells =
                rain.mask.as_ref().map_or((layout.cols * layout.rows) as f64, |m| ordered_sum(m.values()));
            (rain.fall, rain.when, mask, cells)
        });
        let sources = weather.sources.iter().map(|source| {
            let disc = Disc::new(ground.cell_from_local(source.at), source.radius / cell);
            let cells = disc.weight(layout, None);
            if cells > 0.0 {
                Ok((*source, disc, cells))
            } else {
                let [width, height] = ground.extent();
                Err(Invalid {
                    key: "source.at".into(),
                    value: format!("{:?} on a terrain of {width} m by {height} m", source.at),
                    remedy: "it must touch the terrain (metres east and north of the south-west corner)"
                        .into(),
                })
            }
        });
        Ok(Self {
            rains: rains.collect(),
            sources: sources.collect::<Result<_, _>>()?,
            seed: Key::new(weather.seed),
            cell,
            unit,
        })
    }

    /// Works out what falls and springs in one step; `wetting` is used again to spare its memory.
    ///
    /// Steady rain falls in whole multiples of what the deepest water, `deepest`, can resolve in f32; the rest
    /// waits in `carry` for the next step. A film of rain added to a deep lake in every step would otherwise be
    /// rounded away in every step.
    pub(super) fn prepare(&self, layout: &Layout, when: Moment, carry: &mut [f64], wetting: &mut Wetting) {
        let Moment { step, time, dt, deepest } = when;
        let quantum =
            f64::from(f32::EPSILON) * 2.0_f64.powf((deepest / self.unit).max(1.0e-30).log2().floor());
        wetting.even = 0.0;
        wetting.added = 0.0;
        wetting.masked.clear();
        wetting.splashes.clear();
        for (index, (fall, when, mask, cells)) in self.rains.iter().enumerate() {
            if !when.contains(time) {
                continue;
            }
            match *fall {
                Fall::Steady { rate } => {
                    let height = rate * dt / self.unit + carry[index];
                    let whole = f64::from(((height / quantum).floor() * quantum) as f32);
                    carry[index] = height - whole;
                    let height = whole;
                    wetting.added += height * cells;
                    match mask {
                        None => wetting.even += height as f32,
                        Some(_) => wetting.masked.push((index, height as f32)),
                    }
                }
                Fall::Drops { per_second, depth, radius } => {
                    let key = self.seed.with(step).with(index as u64);
                    // The share of a drop that is left over falls with that probability.
                    let count = (per_second * dt + key.unit()).floor() as u64;
                    for drop in 1..=count {
                        let key = key.with(drop);
                        let col = key.with(0).unit() * layout.cols as f64 - 0.5;
                        let row = key.with(1).unit() * layout.rows as f64 - 0.5;
                        let disc = Disc::new([col, row], radius / self.cell);
                        let depth = depth / self.unit;
                        wetting.added += depth * disc.weight(layout, mask.as_ref());
                        let mask = mask.is_some().then_some(index);
                        wetting.splashes.push(Splash { disc, depth: depth as f32, mask });
                    }
                }
            }
        }
        for (source, disc, cells) in &self.sources {
            if source.when.contains(time) {
                let depth = source.rate * dt / (cells * self.cell * self.cell * self.unit);
                wetting.added += (depth * cells).max(0.0);
                wetting.splashes.push(Splash { disc: *disc, depth: depth as f32, mask: None });
            }
        }
        wetting.splashes.sort_by(|a, b| a.disc.rows().0.total_cmp(&b.disc.rows().0));
    }
}

/// Adds the step's water to one row (Schmidberger 2024, eq. 1); returns what drains took, in heights.
#[inline(always)]
pub(super) fn add_water<S: Simd>(
    simd: S,
    layout: &Layout,
    supply: &Supply,
    wetting: &Wetting,
    row: usize,
    here: &mut [f32],
) -> f64 {
    let depth = layout.plane_mut(here, plane::DEPTH);
    if wetting.even > 0.0 {
        let cells = layout.cells_mut(depth);
        for at in (0..layout.padded).step_by(S::f32s::LEN) {
            write::<S>(read(simd, cells, at) + wetting.even, cells, at);
        }
    }
    let mask_row = |index: usize| supply.rains[index].2.as_ref().map(|mask| mask.row(row));
    for &(index, height) in &wetting.masked {
        let (cells, Some(mask)) = (layout.cells_mut(depth), mask_row(index)) else { continue };
        let mask = &mask[..layout.padded];
        for at in (0..layout.padded).step_by(S::f32s::LEN) {
            write::<S>(read(simd, cells, at) + read(simd, mask, at) * height, cells, at);
        }
    }
    let mut drained = 0.0;
    for splash in &wetting.splashes {
        let (first, last) = splash.disc.rows();
        if first > row as f64 {
            break; // the rest begin farther south
        }
        if last < row as f64 {
            continue;
        }
        let mask = splash.mask.and_then(mask_row);
        for col in splash.disc.cols(row, layout.cols) {
            let cell = &mut depth[MARGIN + col];
            if splash.depth >= 0.0 {
                *cell += splash.depth * mask.map_or(1.0, |mask| mask[col]);
            } else {
                let taken = cell.min(-splash.depth);
                *cell -= taken;
                drained += f64::from(taken);
            }
        }
    }
    drained
}
